// What is said to a driver, and what it answers.
#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/wire/driver_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const driver_commands[] = {"acquire", "release", "renew", "measure", NULL};

// How often a waiter looks whether the trial has ended.
#define SLICE_NS (100 * NS_PER_MS)
// How long answers are waited for after that.
#define LAST_NS (5 * NS_PER_S)
// An attempt that succeeds is answered within that time, unless the process is stopped, or a server
// takes its time.
#define ATTEMPT_NS (100 * NS_PER_MS)
// Of the time that a program is at work, so much counts as its hanging: it may loop for ever.
#define AT_WORK 10
// A loss may cross the release of its hold; so many do not.
#define MOST_STRAYS 10000

// --- failing -------------------------------------------------------------------------------------

static void settle(struct pending *pending)
{
    atomic_store(&pending->settled, 1);
    futex_wake_all(&pending->settled);
}

// With the mutex held.
static void fail(struct driver *driver, const char *format, va_list arguments)
{
    if (atomic_load(&driver->failed) != 0 || driver->stopping)
        return;
    struct text text = {0};
    char said[700];
    vsnprintf(said, sizeof said, format, arguments);
    text_format(&text, "the driver of client-%d (", driver->settings.client);
    const char *const *command = driver->settings.foreign->command;
    for (size_t i = 0; command[i] != NULL && text.length < 120; i++)
        text_format(&text, "%s%.60s", i > 0 ? " " : "", command[i]);
    text_format(&text, ") %s", said);
    error_set(&driver->failure, "%s", text.bytes);
    text_free(&text);
    atomic_store(&driver->failed, 1);
    for (struct pending *each = driver->pending; each != NULL; each = each->next)
        settle(each);
    atomic_store(&driver->greeted, 1);
    futex_wake_all(&driver->greeted);
}

__attribute__((format(printf, 2, 3))) static void fail_locked(struct driver *driver,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(driver, format, arguments);
    va_end(arguments);
}

void driver_fail(struct driver *driver, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&driver->mutex);
    fail(driver, format, arguments);
    pthread_mutex_unlock(&driver->mutex);
    va_end(arguments);
}

// --- sending and waiting -------------------------------------------------------------------------

int driver_send(struct driver *driver, const char *line, size_t length, int64_t patience_ns)
{
    int64_t left_ns = patience_ns;
    pthread_mutex_lock(&driver->sending);
    while (length > 0 && left_ns > 0 && atomic_load(&driver->failed) == 0) {
        ssize_t sent = write(driver->input, line, length);
        if (sent > 0) {
            line += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            break; // it is dead: the reader will know how
        } else {
            struct pollfd ready = {.fd = driver->input, .events = POLLOUT};
            int64_t from_ns = clock_monotonic_ns();
            poll(&ready, 1, (int)(SLICE_NS / NS_PER_MS));
            left_ns -= time_earlier(clock_monotonic_ns() - from_ns, 2 * SLICE_NS);
        }
    }
    pthread_mutex_unlock(&driver->sending);
    return length == 0 ? 0 : -1;
}

// A stop of the process shows as a slice that took much longer than it should: the driver, which
// was stopped too, is not blamed for it.
enum driver_wait driver_wait(struct driver *driver, _Atomic uint32_t *word,
                             const struct driver_budget *budget, struct standstill *last)
{
    int64_t spent_ns = 0;
    int64_t last_ns = time_earlier(LAST_NS, driver->settings.foreign->patience_ns);
    int64_t ignored_ns = TIME_NEVER;
    *last = (struct standstill){0};
    while (atomic_load(word) == 0) {
        uint32_t stop = atomic_load(driver->settings.stop);
        bool ends = stop != 0 && !(budget->in_time && stop == DRIVER_STOP_IN_TIME);
        int64_t from_ns = clock_monotonic_ns();
        futex_wait_until_ns(word, 0, from_ns + SLICE_NS);
        int64_t slice_ns = clock_monotonic_ns() - from_ns;
        if (slice_ns > 2 * SLICE_NS)
            *last = (struct standstill){from_ns, from_ns + slice_ns};
        slice_ns = time_earlier(slice_ns, 2 * SLICE_NS);
        last_ns -= ends ? slice_ns : 0;
        if (spent_ns >= budget->allowed_ns && driver_is_at_work(driver))
            slice_ns /= AT_WORK;
        if (!driver_relay_stops(driver, &ignored_ns))
            spent_ns += slice_ns;
        bool is_late = spent_ns >= budget->allowed_ns + budget->patience_ns;
        if (atomic_load(word) == 0 && (is_late || last_ns <= 0))
            return ends ? DRIVER_ENDED : DRIVER_LATE;
    }
    return DRIVER_SETTLED;
}

// The earliest that the request may have been sent whose reply the driver was told at `told_ns`. An
// attempt may have been under way when a standstill began.
static int64_t attempt_ns(struct driver *driver, const struct standstill *last, int64_t told_ns)
{
    int64_t from_ns = told_ns - ATTEMPT_NS;
    int64_t held_ns = from_ns;
    driver_relay_slowness(driver, &from_ns);
    driver_relay_stops(driver, &held_ns);
    if (held_ns < told_ns - ATTEMPT_NS)
        from_ns = time_earlier(from_ns, held_ns - ATTEMPT_NS);
    if (last->until_ns > told_ns - ATTEMPT_NS)
        from_ns = time_earlier(from_ns, last->from_ns - ATTEMPT_NS);
    return from_ns;
}

// For how long the driver has said that it is valid; no longer than a lease.
static int64_t told_valid_ns(const struct driver_line *line, int64_t lease_ns)
{
    return time_earlier(line->valid_ms, lease_ns / NS_PER_MS) * NS_PER_MS;
}

// From when on the lease counts of which the driver has not said when it was granted, nor until
// when it is valid: at the earliest. However late its answer is given and heard, it reckoned after
// the reply to the request that was granted: the last one that was certainly its worker's, or any
// since that may have been; if the relay has seen none, any time since it was asked.
static int64_t earliest_lease_ns(struct driver *driver, const struct standstill *last,
                                 const struct pending *pending, const struct driver_line *line,
                                 int64_t lease_ns)
{
    int64_t called_ns = time_later(pending->asked_ns, line->from_ns);
    int64_t told_ns = pending->told_ns > 0 ? pending->told_ns : pending->heard_ns;
    int64_t doubtful_ns = pending->doubtful_ns > 0 ? pending->doubtful_ns : TIME_NEVER;
    if (pending->told_ns == 0 && pending->doubtful_ns == 0)
        told_ns = doubtful_ns = called_ns;
    bool says_validity = line->valid_ms >= 0;
    int64_t earliest_ns = says_validity ? told_ns : attempt_ns(driver, last, told_ns);
    earliest_ns = time_later(called_ns, time_earlier(earliest_ns, doubtful_ns));
    return says_validity ? earliest_ns + told_valid_ns(line, lease_ns) - lease_ns : earliest_ns;
}

static void date_answer(struct driver *driver, const struct standstill *last,
                        const struct pending *pending, int64_t lease_ns,
                        struct driver_answer *answer)
{
    const struct driver_line *line = &answer->line;
    int64_t to_ns = line->to_ns > 0 ? line->to_ns : pending->heard_ns;
    answer->is_anchored = true;
    if (line->valid_until_ns > 0) {
        answer->lease_from_ns = time_earlier(line->valid_until_ns, to_ns + lease_ns) - lease_ns;
    } else if (line->valid_ms >= 0 && line->to_ns > 0) {
        answer->lease_from_ns = to_ns + told_valid_ns(line, lease_ns) - lease_ns;
    } else if (line->request_ns > 0) {
        answer->lease_from_ns = line->request_ns;
    } else if (pending->ask == DRIVER_RENEW && line->valid_ms < 0) {
        answer->lease_from_ns = pending->asked_ns;
    } else {
        answer->lease_from_ns = earliest_lease_ns(driver, last, pending, line, lease_ns);
        answer->is_anchored = pending->told_ns > 0 && pending->doubtful_ns == 0;
    }
}

// --- hearing -------------------------------------------------------------------------------------

static bool may_answer(enum driver_ask ask, enum driver_word word)
{
    static const enum driver_word allowed[][4] = {
        [DRIVER_ACQUIRE] = {DRIVER_HELD, DRIVER_NOT_HELD, DRIVER_UNKNOWN, DRIVER_ERROR},
        [DRIVER_RELEASE] = {DRIVER_RELEASED, DRIVER_NOT_OWNER, DRIVER_GONE, DRIVER_UNKNOWN},
        [DRIVER_RENEW] = {DRIVER_RENEWED, DRIVER_NOT_OWNER, DRIVER_GONE, DRIVER_UNKNOWN},
        [DRIVER_MEASURE] = {DRIVER_MEASURED},
    };
    for (size_t i = 0; i < sizeof allowed[ask] / sizeof *allowed[ask]; i++) {
        if (allowed[ask][i] == word)
            return true;
    }
    return word == DRIVER_ERROR;
}

// The driver runs on this machine, so that its times lie within its conversation with us: else they
// are of another clock, and prove nothing. False if they do not; the driver has failed then.
static bool times_make_sense(struct driver *driver, const struct pending *pending,
                             const struct driver_line *line, const char *shown)
{
    const struct {
        const char *name;
        int64_t at_ns;
    } times[] = {
        {"from_ns", line->from_ns}, {"request_ns", line->request_ns}, {"to_ns", line->to_ns}};
    int64_t now_ns = clock_monotonic_ns();
    int64_t from_ns = line->from_ns > 0 ? line->from_ns : pending->asked_ns;
    int64_t to_ns = line->to_ns > 0 ? line->to_ns : now_ns;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t at_ns = times[i].at_ns;
        if (at_ns == 0 || (at_ns >= time_later(from_ns, pending->asked_ns) &&
                           at_ns <= time_earlier(to_ns, now_ns)))
            continue;
        fail_locked(
            driver,
            "has answered '%s': its \"%s\" lies outside of the call, which it was asked for "
            "at %" PRId64 " and answered at %" PRId64
            ". Times are the machine's CLOCK_MONOTONIC in nanoseconds",
            shown, times[i].name, pending->asked_ns, now_ns);
        return false;
    }
    return true;
}

static void hear_answer(struct driver *driver, struct driver_line *line, const char *shown)
{
    struct pending **place = &driver->pending;
    while (*place != NULL && (*place)->id != line->id)
        place = &(*place)->next;
    struct pending *pending = *place;
    if (pending == NULL) {
        fail_locked(driver, "has answered what it was not asked: '%s' %s", shown,
                    line->id <= driver->last_id ? "answers a request a second time"
                                                : "has an id that no request had");
        return;
    }
    if (!may_answer(pending->ask, line->word)) {
        fail_locked(driver, "has answered '%s', and \"%s\" is no answer to \"%s\"", shown,
                    driver_word_name(line->word), driver_commands[pending->ask]);
        return;
    }
    if (!times_make_sense(driver, pending, line, shown))
        return;
    *place = pending->next;
    if (pending->abandoned) {
        free(pending);
        return;
    }
    if (pending->ask == DRIVER_ACQUIRE && line->word == DRIVER_HELD)
        pending->hold->held = true;
    pending->line = *line;
    line->cycles = NULL; // it is the request's now
    pending->heard_ns = clock_monotonic_ns();
    settle(pending);
}

static void hear_loss(struct driver *driver, const struct driver_line *line, const char *shown)
{
    struct driver_hold *hold = driver->holds;
    while (hold != NULL && (hold->worker != line->worker || strcmp(hold->lock, line->lock) != 0))
        hold = hold->next;
    if (hold == NULL) {
        fail_locked(driver, "has said '%s', and no such worker uses such a lock", shown);
    } else if (hold->held) {
        hold->held = false;
        if (driver->settings.lost != NULL)
            driver->settings.lost(driver->settings.context, hold, line->reason);
    } else if (++driver->strays > MOST_STRAYS) {
        fail_locked(driver,
                    "floods: %d times it has said that a hold is lost which nobody has, "
                    "the last time '%s'",
                    MOST_STRAYS, shown);
    }
}

static void hear_hello(struct driver *driver, const struct driver_line *line)
{
    if (atomic_load(&driver->greeted) != 0) {
        fail_locked(driver, "has said hello twice");
    } else if (line->version != DRIVER_PROTOCOL) {
        fail_locked(driver,
                    "speaks version %" PRId64 " of the protocol; this Lockpick speaks version %d: "
                    "see scripts/drivers/README.md",
                    line->version, DRIVER_PROTOCOL);
    } else {
        driver->measures = line->measures;
        atomic_store(&driver->greeted, 1);
        futex_wake_all(&driver->greeted);
    }
}

void driver_hear(struct driver *driver, const char *bytes, size_t length)
{
    struct driver_line line;
    struct driver_quote quote;
    struct error error = {0};
    int result = driver_line_read(bytes, length, &line, &error);
    const char *shown = driver_quote(bytes, length, &quote);
    pthread_mutex_lock(&driver->mutex);
    if (result != 0)
        fail_locked(driver, "is not understood: %s", error.text);
    else if (line.word == DRIVER_HELLO)
        hear_hello(driver, &line);
    else if (atomic_load(&driver->greeted) == 0)
        fail_locked(driver, "must say hello first; it has said '%s'", shown);
    else if (line.word == DRIVER_LOST)
        hear_loss(driver, &line, shown);
    else
        hear_answer(driver, &line, shown);
    pthread_mutex_unlock(&driver->mutex);
    free(line.cycles);
}

// --- asking --------------------------------------------------------------------------------------

static struct pending *enter(struct driver *driver, const struct driver_request *request)
{
    struct pending *pending = memory_zeroed(1, sizeof *pending);
    pending->ask = request->ask;
    pending->hold = request->hold;
    pending->worker = request->hold->worker;
    pending->asked_ns = clock_monotonic_ns();
    pthread_mutex_lock(&driver->mutex);
    pending->id = ++driver->last_id;
    pending->next = driver->pending;
    driver->pending = pending;
    // What is lost from now on is no loss: it was given up.
    if (request->ask == DRIVER_RELEASE && request->depth <= 1)
        request->hold->held = false;
    if (atomic_load(&driver->failed) != 0)
        settle(pending);
    pthread_mutex_unlock(&driver->mutex);
    return pending;
}

// The answer, if there is one by now; else whoever hears it will have nobody to tell.
static bool leave(struct driver *driver, struct pending *pending, const struct standstill *last,
                  int64_t lease_ns, struct driver_answer *answer, struct actor *actor)
{
    struct pending **place = &driver->pending;
    pthread_mutex_lock(&driver->mutex);
    while (*place != NULL && *place != pending)
        place = &(*place)->next;
    bool is_answered = *place == NULL;
    if (!is_answered)
        pending->abandoned = true;
    // In place of the one that its point has counted.
    actor->requests[actor->phase] += driver->relay != NULL ? pending->commands - 1 : 0;
    actor->wakeups += pending->wakeups;
    actor->are_wakeups_uncounted |= pending->are_wakeups_uncounted;
    actor->is_uncounted |= driver->relay == NULL || pending->is_uncounted || !is_answered;
    pthread_mutex_unlock(&driver->mutex);
    if (is_answered) {
        answer->line = pending->line;
        date_answer(driver, last, pending, lease_ns, answer);
        free(pending);
    }
    return is_answered;
}

static void write_request(const struct driver_request *request, int64_t id, struct text *out)
{
    text_format(out, "{\"id\": %" PRId64 ", \"do\": \"%s\", \"worker\": %d, \"lock\": \"%s\"", id,
                driver_commands[request->ask], request->hold->worker, request->hold->lock);
    if (request->ask != DRIVER_RELEASE)
        text_format(out, ", \"lease_ms\": %" PRId64, request->lease_ns / NS_PER_MS);
    if (request->ask == DRIVER_ACQUIRE)
        text_format(out, ", \"wait_ms\": %" PRId64, request->wait_ns / NS_PER_MS);
    if (request->ask == DRIVER_MEASURE)
        text_format(out,
                    ", \"wait_ms\": %" PRId64 ", \"operations\": %" PRId64
                    ", \"until_ns\": %" PRId64 ", \"hold_us\": %" PRId64 ", \"think_us\": %" PRId64,
                    request->wait_ns / NS_PER_MS, request->operations, request->until_ns,
                    request->hold_ns / 1000, request->think_ns / 1000);
    if (request->depth > 1)
        text_format(out, ", \"depth\": %" PRId64, request->depth);
    if (request->permits > 0)
        text_format(out, ", \"permits\": %" PRId64, request->permits);
    text_format(out, "%s}\n", request->shared ? ", \"mode\": \"shared\"" : "");
}

static void say_it_hangs(struct driver *driver, const struct driver_request *request, int64_t id,
                         const struct driver_budget *budget)
{
    char allowed[32], patience[32];
    text_duration(budget->allowed_ns, allowed, sizeof allowed);
    text_duration(budget->patience_ns, patience, sizeof patience);
    driver_fail(driver,
                "hangs: \"%s\" (id %" PRId64 ", worker-%d) was not answered within the %s that it "
                "may take and %s of patience. Give its connection a time-out, and answer unknown",
                driver_commands[request->ask], id, request->hold->worker, allowed, patience);
}

static enum outcome exchange(struct driver *driver, struct actor *actor,
                             const struct driver_request *request, struct driver_answer *answer)
{
    struct text line = {0};
    struct driver_budget budget = {.allowed_ns = driver->settings.request_ns,
                                   .patience_ns = driver->settings.foreign->patience_ns,
                                   .in_time = request->ask == DRIVER_ACQUIRE};
    if (request->ask == DRIVER_ACQUIRE)
        budget.allowed_ns = time_later(request->wait_ns, budget.allowed_ns);
    if (request->ask == DRIVER_MEASURE)
        budget.allowed_ns += time_later(0, request->until_ns - clock_monotonic_ns()) +
                             request->wait_ns + request->hold_ns + request->think_ns;
    struct pending *pending = enter(driver, request);
    int64_t id = pending->id;
    write_request(request, id, &line);
    // What could not be sent is not answered either.
    driver_send(driver, line.bytes, line.length, budget.allowed_ns + budget.patience_ns);
    text_free(&line);
    struct standstill last;
    enum driver_wait wait = driver_wait(driver, &pending->settled, &budget, &last);
    if (leave(driver, pending, &last, request->lease_ns, answer, actor))
        return OUTCOME_OK;
    if (wait == DRIVER_LATE)
        say_it_hangs(driver, request, id, &budget);
    return wait == DRIVER_ENDED ? OUTCOME_UNKNOWN : OUTCOME_BROKEN;
}

bool driver_measures(struct driver *driver)
{
    return driver->measures && driver->relay == NULL;
}

enum outcome driver_ask(struct driver *driver, struct actor *actor,
                        const struct driver_request *request, struct driver_answer *answer,
                        struct error *error)
{
    const char *name = driver_commands[request->ask];
    *answer = (struct driver_answer){0};
    actor->is_relayed = driver->relay != NULL;
    point(actor, POINT_BEFORE, name);
    enum outcome outcome = exchange(driver, actor, request, answer);
    driver_relay_await(driver, request->hold->worker);
    if (outcome == OUTCOME_OK && answer->line.word == DRIVER_ERROR) {
        struct driver_quote why;
        driver_quote(answer->line.why, strlen(answer->line.why), &why);
        driver_fail(driver, "answers \"%s\" of worker-%d with an error: %s", name,
                    request->hold->worker,
                    why.text[0] != '\0' ? why.text : "it does not say which");
        outcome = OUTCOME_BROKEN;
    }
    if (outcome == OUTCOME_BROKEN) {
        pthread_mutex_lock(&driver->mutex);
        *error = driver->failure;
        pthread_mutex_unlock(&driver->mutex);
    }
    point(actor, POINT_AFTER, name);
    actor->is_relayed = false;
    return outcome;
}
