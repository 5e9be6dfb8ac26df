// What is said to a driver and what it answers, and what its proxy sees meanwhile.
#include "harness/wire/driver.h"

#include "harness/base/futex.h"
#include "harness/base/scope.h"
#include "harness/wire/driver_parts.h"
#include "harness/wire/peer.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

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
// Shorter stops at a point are none: nobody held the request.
#define STOP_NS NS_PER_MS
// Stops that follow each other within that time are one: an attempt may be older than all of them.
#define TOGETHER_NS (100 * NS_PER_MS)
// The network, or the server, is to blame for the time that a reply takes longer.
#define SLOW_NS (25 * NS_PER_MS)
// The next request of an attempt follows within that time.
#define NEXT_NS (2 * NS_PER_MS)

// A request that was sent.
struct pending {
    struct pending *next;
    int64_t id;
    enum driver_ask ask;
    struct driver_hold *hold; // gone if this is abandoned
    int worker;               // of the hold
    int64_t asked_ns;         // when the driver was asked
    int64_t told_ns;          // the last reply to a request that was certainly its; 0: none
    int64_t doubtful_ns;      // the first request after that which may be its; 0: none
    int64_t commands;         // sent to servers meanwhile, as its proxy has seen
    bool is_uncounted;        // some that may be its are not among them
    int64_t wakeups;          // notifications that came meanwhile, of an acquire
    bool are_wakeups_uncounted;
    bool abandoned;           // nobody waits for it any more: freed when it is answered
    _Atomic uint32_t settled; // a futex: 1 once `line` is there, or the driver has failed
    struct driver_line line;
    int64_t heard_ns; // when it came
};

// --- failing -------------------------------------------------------------------------------------

// With the mutex (which is recursive) or without.
void driver_fail(struct driver *driver, const char *format, ...)
{
    va_list arguments;
    char said[700];
    AUTO_TEXT struct text text = {0};
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    text_format(&text, "the driver of client-%d (", driver->settings.client);
    const char *const *command = driver->settings.external_client->command;
    for (size_t i = 0; command[i] != NULL && text.length < 120; i++)
        text_format(&text, "%s%.60s", i > 0 ? " " : "", command[i]);
    const char *host = driver->host.address.host;
    text_format(&text, ")%s%s %s", host != NULL ? " on host " : "", host != NULL ? host : "", said);
    HOLD_MUTEX(&driver->mutex);
    if (atomic_load(&driver->failed) == 0 && !driver->stopping) {
        error_set(&driver->failure, "%s", text.bytes);
        atomic_store(&driver->failed, 1);
        for (struct pending *each = driver->pending; each != NULL; each = each->next)
            futex_set(&each->settled, 1);
        futex_set(&driver->greeted, 1);
    }
}

// True if it has failed: by what, is in `error`.
static bool has_failed(struct driver *driver, struct error *error)
{
    HOLD_MUTEX(&driver->mutex);
    *error = driver->failure;
    return atomic_load(&driver->failed) != 0;
}

// --- what passes its proxy -----------------------------------------------------------------------

#define IS(word) (1U << DRIVER_##word)

// What is asked: the phase of what is sent to servers meanwhile, and the words that answer it.
static const struct {
    enum phase phase;
    unsigned answers;
} asks[] = {
    [DRIVER_ACQUIRE] = {PHASE_ACQUIRE,
                        IS(HELD) | IS(NOT_HELD) | IS(GONE) | IS(UNKNOWN) | IS(ERROR)},
    [DRIVER_RELEASE] = {PHASE_RELEASE,
                        IS(RELEASED) | IS(NOT_OWNER) | IS(GONE) | IS(UNKNOWN) | IS(ERROR)},
    [DRIVER_RENEW] = {PHASE_RENEW,
                      IS(RENEWED) | IS(NOT_OWNER) | IS(GONE) | IS(UNKNOWN) | IS(ERROR)},
    [DRIVER_MEASURE] = {PHASE_NONE, IS(MEASURED) | IS(ERROR)},
};

// True if another worker holds a lock that its library renews by itself, in the background.
static bool others_are_renewed(const struct driver *driver, int worker)
{
    const char *const *traits = driver->settings.external_client->traits;
    const struct driver_hold *hold = driver->holds;
    while (hold != NULL && (!hold->held || hold->worker == worker))
        hold = hold->next;
    return hold != NULL && traits != NULL && text_is_one_of("renewed", traits);
}

// What the driver is busy with when it sends something is what it sends it for: with one request
// under way, that of its worker; with several of one kind, at least their phase is known.
static void ask(void *context, struct parsed_request *request)
{
    struct driver *driver = context;
    HOLD_MUTEX(&driver->mutex);
    struct pending *first = driver->pending;
    bool is_alike = first != NULL;
    for (const struct pending *each = first; each != NULL; each = each->next)
        is_alike = is_alike && each->ask == first->ask;
    request->asked_ns = clock_monotonic_ns();
    request->phase = is_alike ? asks[first->ask].phase : PHASE_NONE;
    request->worker = is_alike && first->next == NULL ? first->worker : 0;
    request->is_certain = request->worker != 0 && !others_are_renewed(driver, request->worker);
    for (struct pending *each = first; each != NULL && !request->is_certain; each = each->next) {
        if (each->doubtful_ns == 0)
            each->doubtful_ns = request->asked_ns;
    }
    if (is_alike)
        first->commands++;
    for (struct pending *each = first; each != NULL && !is_alike; each = each->next)
        each->is_uncounted = true;
}

// The driver is told the reply to a request that was certainly that worker's. It was still asking
// then, so that what it may have sent before has not been granted. With the mutex.
static void tell(struct driver *driver, const struct parsed_request *request, int64_t now_ns)
{
    for (struct pending *each = driver->pending; each != NULL; each = each->next) {
        if (!request->is_certain || each->worker != request->worker ||
            (driver->settings.exploration != NULL && !driver_gate_may_be_granted(request)))
            continue;
        each->told_ns = now_ns;
        if (each->doubtful_ns < request->asked_ns)
            each->doubtful_ns = 0;
    }
}

static void note_reply(void *context, const struct parsed_request *request)
{
    struct driver *driver = context;
    struct stops *stops = &driver->stops;
    HOLD_MUTEX(&driver->mutex);
    int64_t now_ns = clock_monotonic_ns();
    tell(driver, request, now_ns);
    if (now_ns - request->asked_ns >= SLOW_NS) {
        bool is_next = request->asked_ns - stops->replied_ns < NEXT_NS;
        stops->asked_ns =
            is_next ? time_earlier(stops->asked_ns, request->asked_ns) : request->asked_ns;
        stops->replied_ns = now_ns;
    }
}

// A notification ends the wait of the one acquire that is under way; of several it is not known
// whose.
static void note_notices(void *context, int64_t count)
{
    struct driver *driver = context;
    struct pending *first = NULL;
    int waiting = 0;
    HOLD_MUTEX(&driver->mutex);
    for (struct pending *each = driver->pending; each != NULL; each = each->next) {
        if (each->ask != DRIVER_ACQUIRE)
            continue;
        waiting++;
        first = each;
    }
    if (first != NULL && (count < 0 || waiting > 1))
        first->are_wakeups_uncounted = true;
    else if (first != NULL)
        first->wakeups += count;
}

static void stop(void *context, const struct parsed_request *request, bool begins)
{
    struct driver *driver = context;
    struct stops *stops = &driver->stops;
    _Atomic uint32_t *of_worker = &stops->of_workers[request->worker];
    pthread_mutex_lock(&driver->mutex);
    int64_t now_ns = clock_monotonic_ns();
    if (begins && stops->under_way++ == 0)
        stops->began_ns = now_ns;
    if (!begins && --stops->under_way == 0 && now_ns - stops->began_ns > STOP_NS) {
        if (stops->began_ns - stops->until_ns > TOGETHER_NS)
            stops->from_ns = stops->began_ns;
        stops->until_ns = now_ns;
    }
    if (!begins)
        tell(driver, request, now_ns);
    pthread_mutex_unlock(&driver->mutex);
    if (begins)
        atomic_fetch_add(of_worker, 1);
    else if (atomic_fetch_sub(of_worker, 1) == 1)
        futex_wake_all(of_worker);
}

// True if a request stands still. In any case moves *since_ns back to before the last stop, if that
// ended after it.
static bool look_at_stops(struct driver *driver, int64_t *since_ns)
{
    const struct stops *stops = &driver->stops;
    HOLD_MUTEX(&driver->mutex);
    bool is_now = stops->under_way > 0;
    bool is_apart = is_now && stops->began_ns - stops->until_ns > TOGETHER_NS;
    if (is_now || stops->until_ns > *since_ns)
        *since_ns = time_earlier(*since_ns, is_apart ? stops->began_ns : stops->from_ns);
    return is_now;
}

// --- waiting -------------------------------------------------------------------------------------

// How long the driver may take: what it was allowed, and its patience beyond that, in which the
// time counts for a tenth in which the program could have run and did not get a processor, or is at
// work. `in_time`: see DRIVER_STOP_IN_TIME.
struct budget {
    int64_t allowed_ns;
    int64_t patience_ns;
    bool in_time;
};

// A time in which this process stood still, as far as can be told; {0, 0}: none.
struct standstill {
    int64_t from_ns, until_ns;
};

enum wait { SETTLED, LATE, ENDED };

// Waits on the futex while it is 0, at most for the budget, of the time in which this process was
// not stopped, nor any request of the driver's, and for a few seconds of it after the trial has
// ended. *last is the last time in which it was. A stop of the process shows as a slice that took
// much longer than it should: the driver, which was stopped too, is not blamed for it.
static enum wait wait_for(struct driver *driver, _Atomic uint32_t *word,
                          const struct budget *budget, struct standstill *last)
{
    int64_t spent_ns = 0;
    int64_t last_ns = time_earlier(LAST_NS, driver->settings.external_client->patience_ns);
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
        if (spent_ns >= budget->allowed_ns && driver_process_is_at_work(driver))
            slice_ns /= AT_WORK;
        if (!look_at_stops(driver, &ignored_ns))
            spent_ns += slice_ns;
        bool is_late = spent_ns >= budget->allowed_ns + budget->patience_ns;
        if (atomic_load(word) == 0 && (is_late || last_ns <= 0))
            return ends ? ENDED : LATE;
    }
    return SETTLED;
}

// --- from when on a lease counts -----------------------------------------------------------------

// The earliest that the request may have been sent whose reply the driver was told at `told_ns`. An
// attempt may have been under way when a standstill began.
static int64_t attempt_ns(struct driver *driver, const struct standstill *last, int64_t told_ns)
{
    int64_t from_ns = told_ns - ATTEMPT_NS;
    int64_t held_ns = from_ns;
    // A reply that came after that may have taken long.
    HOLD_MUTEX(&driver->mutex);
    if (driver->stops.replied_ns > from_ns)
        from_ns = time_earlier(from_ns, driver->stops.asked_ns);
    look_at_stops(driver, &held_ns);
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
// since that may have been; if the proxy has seen none, any time since it was asked.
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
    if (driver->host.address.host != NULL) {
        answer->lease_from_ns = driver_host_lease_ns(line, pending->asked_ns, lease_ns);
        answer->is_anchored = false;
        answer->line.from_ns = answer->line.to_ns = 0; // when it was asked, and heard
    } else if (line->valid_until_ns > 0) {
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
    bool is_elsewhere = driver->host.address.host != NULL;
    int64_t waited_ns = now_ns - pending->asked_ns;
    if (is_elsewhere && !driver_host_times_make_sense(line, waited_ns))
        driver_fail(driver,
                    "has answered '%s': its times contradict each other, or the %" PRId64
                    " ns for which it was waited for. Times are the host's CLOCK_MONOTONIC in "
                    "nanoseconds",
                    shown, waited_ns);
    if (is_elsewhere)
        return atomic_load(&driver->failed) == 0;
    int64_t from_ns = line->from_ns > 0 ? line->from_ns : pending->asked_ns;
    int64_t to_ns = line->to_ns > 0 ? line->to_ns : now_ns;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t at_ns = times[i].at_ns;
        if (at_ns == 0 || (at_ns >= time_later(from_ns, pending->asked_ns) &&
                           at_ns <= time_earlier(to_ns, now_ns)))
            continue;
        driver_fail(
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
        driver_fail(driver, "has answered what it was not asked: '%s' %s", shown,
                    line->id <= driver->last_id ? "answers a request a second time"
                                                : "has an id that no request had");
        return;
    }
    if ((asks[pending->ask].answers & 1U << line->word) == 0) {
        driver_fail(driver, "has answered '%s', and \"%s\" is no answer to \"%s\"", shown,
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
    futex_set(&pending->settled, 1);
}

static void hear_loss(struct driver *driver, const struct driver_line *line, const char *shown)
{
    struct driver_hold *hold = driver->holds;
    while (hold != NULL && (hold->worker != line->worker || strcmp(hold->lock, line->lock) != 0))
        hold = hold->next;
    if (hold == NULL) {
        driver_fail(driver, "has said '%s', and no such worker uses such a lock", shown);
    } else if (hold->held) {
        hold->held = false;
        if (driver->settings.lost != NULL)
            driver->settings.lost(driver->settings.context, hold, line->reason);
    } else if (++driver->strays > MOST_STRAYS) {
        driver_fail(driver,
                    "floods: %d times it has said that a hold is lost which nobody has, "
                    "the last time '%s'",
                    MOST_STRAYS, shown);
    }
}

void driver_hear(struct driver *driver, const char *bytes, size_t length)
{
    struct driver_line line;
    struct error error = {0};
    int result = driver_line_read(bytes, length, &line, &error);
    const char *shown = driver_quote(bytes, length);
    HOLD_MUTEX(&driver->mutex);
    if (result != 0)
        driver_fail(driver, "is not understood: %s", error.text);
    else if (line.word == DRIVER_HELLO && atomic_load(&driver->greeted) != 0)
        driver_fail(driver, "has said hello twice");
    else if (line.word == DRIVER_HELLO && line.version != DRIVER_PROTOCOL)
        driver_fail(driver,
                    "speaks version %" PRId64 " of the protocol; this Lockpick speaks version %d: "
                    "see scripts/drivers/README.md",
                    line.version, DRIVER_PROTOCOL);
    else if (line.word == DRIVER_HELLO) {
        driver->measures = line.measures;
        futex_set(&driver->greeted, 1);
    } else if (atomic_load(&driver->greeted) == 0)
        driver_fail(driver, "must say hello first; it has said '%s'", shown);
    else if (line.word == DRIVER_LOST)
        hear_loss(driver, &line, shown);
    else
        hear_answer(driver, &line, shown);
    free(line.cycles);
}

// --- asking --------------------------------------------------------------------------------------

// Notes that the driver is asked.
static struct pending *enter(struct driver *driver, const struct driver_request *request)
{
    struct pending *pending = memory_zeroed(1, sizeof *pending);
    HOLD_MUTEX(&driver->mutex);
    *pending = (struct pending){.next = driver->pending,
                                .id = ++driver->last_id,
                                .ask = request->ask,
                                .hold = request->hold,
                                .worker = request->hold->worker,
                                .asked_ns = clock_monotonic_ns()};
    driver->pending = pending;
    // What is lost from now on is no loss: it was given up.
    if (request->ask == DRIVER_RELEASE && request->depth <= 1)
        request->hold->held = false;
    if (atomic_load(&driver->failed) != 0)
        futex_set(&pending->settled, 1);
    return pending;
}

// The answer, if there is one by now; else whoever hears it will have nobody to tell.
static bool leave(struct driver *driver, struct pending *pending, const struct standstill *last,
                  int64_t lease_ns, struct driver_answer *answer, struct actor *actor)
{
    struct pending **place = &driver->pending;
    HOLD_MUTEX(&driver->mutex);
    while (*place != NULL && *place != pending)
        place = &(*place)->next;
    bool is_answered = *place == NULL;
    if (!is_answered)
        pending->abandoned = true;
    // In place of the one that its point has counted.
    actor->requests[actor->phase] += driver->proxy != NULL ? pending->commands - 1 : 0;
    actor->wakeups += pending->wakeups;
    actor->are_wakeups_uncounted |= pending->are_wakeups_uncounted;
    actor->is_uncounted |= driver->proxy == NULL || pending->is_uncounted || !is_answered;
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
    text_format(out, "%s%s}\n", request->shared ? ", \"mode\": \"shared\"" : "",
                request->is_done ? ", \"done\": true" : "");
}

static enum outcome exchange(struct driver *driver, struct actor *actor,
                             const struct driver_request *request, struct driver_answer *answer)
{
    char allowed[32], patience[32];
    AUTO_TEXT struct text line = {0};
    struct budget budget = {.allowed_ns = driver->settings.request_ns,
                            .patience_ns = driver->settings.external_client->patience_ns,
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
    driver_process_send(driver, line.bytes, line.length, budget.allowed_ns + budget.patience_ns);
    struct standstill last = {0};
    enum wait wait = driver->settings.exploration == NULL
                         ? wait_for(driver, &pending->settled, &budget, &last)
                     : driver_gate_wait(driver, actor, &pending->settled) ? SETTLED
                                                                          : ENDED;
    if (leave(driver, pending, &last, request->lease_ns, answer, actor))
        return OUTCOME_OK;
    if (wait == LATE)
        driver_fail(
            driver,
            "hangs: \"%s\" (id %" PRId64 ", worker-%d) was not answered within the %s that it "
            "may take and %s of patience. Give its connection a time-out, and answer unknown",
            driver_commands[request->ask], id, request->hold->worker,
            text_duration(budget.allowed_ns, allowed, sizeof allowed),
            text_duration(budget.patience_ns, patience, sizeof patience));
    return wait == ENDED ? OUTCOME_UNKNOWN : OUTCOME_BROKEN;
}

bool driver_measures(struct driver *driver)
{
    return driver->measures && driver->proxy == NULL && driver->host.address.host == NULL;
}

enum outcome driver_ask(struct driver *driver, struct actor *actor,
                        const struct driver_request *request, struct driver_answer *answer,
                        struct error *error)
{
    const char *name = driver_commands[request->ask];
    *answer = (struct driver_answer){0};
    actor->is_proxied = driver->proxy != NULL;
    bool is_explored = driver->settings.exploration != NULL;
    if (!is_explored) // else its requests are the points
        point(actor, POINT_BEFORE, name);
    else
        actor->requests[actor->phase]++;
    enum outcome outcome = exchange(driver, actor, request, answer);
    // Whoever asked goes on only when nothing of its stands still at a point any more.
    _Atomic uint32_t *stopped =
        driver->proxy != NULL ? &driver->stops.of_workers[request->hold->worker] : NULL;
    for (uint32_t count; stopped != NULL && (count = atomic_load(stopped)) != 0;)
        futex_wait_while(stopped, count);
    if (outcome == OUTCOME_OK && answer->line.word == DRIVER_ERROR) {
        const char *why = driver_quote(answer->line.why, strlen(answer->line.why));
        driver_fail(driver, "answers \"%s\" of worker-%d with an error: %s", name,
                    request->hold->worker, why[0] != '\0' ? why : "it does not say which");
        outcome = OUTCOME_BROKEN;
    }
    if (outcome == OUTCOME_BROKEN)
        has_failed(driver, error);
    if (!is_explored)
        point(actor, POINT_AFTER, name);
    actor->is_proxied = false;
    return outcome;
}

static void raise_alarm(void *driver, const struct error *error)
{
    driver_fail(driver, "is not connected to its servers: %s", error->text);
}

// --- starting and stopping -----------------------------------------------------------------------

static json_t *addresses(const struct endpoint *servers, int count)
{
    json_t *array = count > 0 ? json_array() : NULL;
    char at[ENDPOINT_ROOM];
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_string(endpoint_tell(&servers[i], at)));
    return array;
}

static const char *unless_empty(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static json_t *describe_servers(const struct service *service)
{
    if (service == NULL)
        return json_object();
    char master[64];
    const struct tls_settings *tls = service->tls;
    service_master(service, master, sizeof master);
    json_t *by_tls =
        tls == NULL ? NULL
                    : json_pack("{s:s, s:s*, s:s*, s:s*}", "ca", tls_ca(tls), "certificate",
                                tls->certificate, "key", tls->key, "server_name", tls->server_name);
    return json_pack("{s:s, s:s, s:o*, s:o*, s:s*, s:s*, s:s*, s:s*, s:s*, s:o*}", "kind",
                     service->kind, "topology", service->topology, "addresses",
                     addresses(service->servers, service->server_count), "sentinels",
                     addresses(service->sentinels, service->sentinel_count), "master",
                     service->sentinel_count > 0 ? master : NULL, "user",
                     unless_empty(service->user), "password", unless_empty(service->password),
                     "sentinel_password", unless_empty(service->sentinel_password), "database",
                     unless_empty(service_database(service)), "tls", by_tls);
}

// The first line for a driver.
static void write_hello(const struct driver_settings *settings, struct text *out)
{
    json_t *locks = json_array();
    for (size_t i = 0; settings->locks[i] != NULL; i++)
        json_array_append_new(locks, json_string(settings->locks[i]));
    json_auto_t *hello =
        json_pack("{s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:o, s:o}", "hello", DRIVER_PROTOCOL,
                  "client", settings->client, "workers", settings->workers, "lease_ms",
                  (json_int_t)(settings->lease_ns / NS_PER_MS), "wait_ms",
                  (json_int_t)(settings->wait_ns / NS_PER_MS), "retry_ms",
                  (json_int_t)(settings->retry_ns / NS_PER_MS), "request_ms",
                  (json_int_t)(settings->request_ns / NS_PER_MS), "servers",
                  describe_servers(settings->service), "locks", locks);
    if (settings->attempts > 0)
        json_object_set_new(hello, "attempts", json_integer(settings->attempts));
    AUTO_FREE char *text = json_dumps(hello, 0);
    text_format(out, "%s\n", text);
}

static int greet(struct driver *driver, struct error *error)
{
    int64_t patience_ns = driver->settings.external_client->patience_ns;
    struct standstill ignored;
    AUTO_TEXT struct text hello = {0};
    write_hello(&driver->settings, &hello);
    driver_process_send(driver, hello.bytes, hello.length, patience_ns);
    struct budget budget = {.patience_ns = patience_ns};
    const struct actor nobody = {.gate = NULL}; // what it sends before it says hello passes
    enum wait wait = driver->settings.exploration == NULL
                         ? wait_for(driver, &driver->greeted, &budget, &ignored)
                     : driver_gate_wait(driver, &nobody, &driver->greeted) ? SETTLED
                                                                           : LATE;
    if (wait == LATE) {
        char patience[32];
        AUTO_TEXT struct text log = {0};
        driver_process_quote_log(driver, &log);
        driver_fail(driver,
                    "has not said hello within its patience of %s: it must answer its first line "
                    "with {\"hello\": 1}, and flush its standard output after each line%s",
                    text_duration(patience_ns, patience, sizeof patience), text_string(&log));
    }
    if (wait == ENDED)
        return error_set(error, "the trial ended before a driver had said hello");
    return has_failed(driver, error) ? -1 : 0;
}

struct driver *driver_start(const struct driver_settings *settings, struct error *error)
{
    struct driver *driver = memory_zeroed(1, sizeof *driver);
    struct error ignored;
    driver->settings = *settings;
    driver_host_open(driver);
    driver->mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    driver->process =
        (struct driver_process){.input = -1, .output = -1, .wake = eventfd(0, EFD_CLOEXEC)};
    pthread_mutex_init(&driver->process.sending, NULL);
    pthread_mutex_init(&driver->process.looking, NULL);
    bool has_proxy = settings->has_proxy && settings->service != NULL;
    if (has_proxy) {
        const struct proxy_settings proxy = {
            .service = settings->service,
            .client = settings->client,
            .board = settings->board,
            .history = settings->history,
            .ask = ask,
            .replied = note_reply,
            .noticed = note_notices,
            .stop = stop,
            .context = driver,
            .alarm = {raise_alarm, driver},
            .rest = settings->exploration != NULL ? settings->exploration->rest : NULL};
        driver->stops.of_workers = // and of 0, which is not known
            memory_zeroed((size_t)settings->workers + 1, sizeof *driver->stops.of_workers);
        driver->proxy = proxy_start(&proxy, error);
    }
    if ((driver->proxy != NULL || !has_proxy) && driver_process_start(driver, error) == 0 &&
        greet(driver, error) == 0 &&
        (settings->exploration == NULL || driver_gate_reaches(driver, error)))
        return driver;
    driver_stop(driver, &ignored);
    return NULL;
}

bool driver_stop(struct driver *driver, struct error *error)
{
    if (driver == NULL)
        return true;
    pthread_mutex_lock(&driver->mutex);
    driver->stopping = true;
    // One that is explored may stand anywhere: it is not asked to end.
    bool was_well = !has_failed(driver, error);
    bool is_asked = was_well && driver->settings.exploration == NULL;
    pthread_mutex_unlock(&driver->mutex);
    driver_process_end(driver, is_asked);
    driver_host_close(driver);
    proxy_stop(driver->proxy); // what it has still to pass on asks whose it is
    while (driver->pending != NULL) {
        struct pending *next = driver->pending->next;
        free(driver->pending);
        driver->pending = next;
    }
    pthread_mutex_destroy(&driver->mutex);
    free(driver->stops.of_workers);
    free(driver);
    return was_well;
}

void driver_begin(struct driver *driver)
{
    proxy_restart_history(driver->proxy);
}

bool driver_is_idle(struct driver *driver)
{
    pthread_mutex_lock(&driver->mutex);
    bool owes = driver->pending != NULL;
    pthread_mutex_unlock(&driver->mutex);
    return !owes && driver_gate_is_idle(driver);
}

int driver_count_cut(struct driver *driver)
{
    return proxy_count_cut(driver->proxy);
}

void driver_add_hold(struct driver *driver, struct driver_hold *hold)
{
    HOLD_MUTEX(&driver->mutex);
    hold->next = driver->holds;
    hold->place = &driver->holds;
    if (hold->next != NULL)
        hold->next->place = &hold->next;
    driver->holds = hold;
}

void driver_remove_hold(struct driver *driver, struct driver_hold *hold)
{
    HOLD_MUTEX(&driver->mutex);
    if (hold->place == NULL)
        return;
    *hold->place = hold->next;
    if (hold->next != NULL)
        hold->next->place = hold->place;
    hold->place = NULL;
}
