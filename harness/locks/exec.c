// exec: a lock of somebody else's, in whatever language. Each client process has one driver, which
// its workers ask to lock (harness/wire/driver.h); what the driver's lock sends to its servers, and
// when, is its own affair.
//
// The driver does its own waiting: an acquire is one request, answered once the lock is held or the
// wait is over.
#include "harness/locks/lock.h"

#include "harness/base/text.h"
#include "harness/locks/watchdog.h"
#include "harness/wire/driver.h"

#include <stdlib.h>

// What all keys of a client share: lock_client->state of the first of them. (The others' is empty.)
struct exec_client {
    struct driver *driver;
    const char **locks; // names of all
    char *log_path;
    struct history_writer writer; // of losses, which the driver's thread writes
};

static struct exec_client *shared_by(const struct lock_client *client)
{
    return client->first->state;
}

// A worker's.
struct exec_lock {
    struct driver_hold hold;
    int64_t depth; // how often it holds the lock
};

// --- a client ------------------------------------------------------------------------------------

static void lose(void *context, struct driver_hold *hold, enum lost_reason reason)
{
    struct exec_client *shared = context;
    lock_lose(hold->context, reason, &shared->writer);
}

static int start_driver(struct lock_client *client, struct exec_client *shared, struct error *error)
{
    const struct lock_options *options = &client->options;
    shared->locks = memory_zeroed(client->keys + 1, sizeof *shared->locks);
    for (size_t i = 0; i < client->keys; i++)
        shared->locks[i] = client[i].options.name;
    if (client->folder != NULL) {
        struct text path = {0};
        text_format(&path, "%s/driver-of-client-%d.log", client->folder, client->number);
        shared->log_path = path.bytes;
    }
    if (client->history != NULL)
        history_writer_start(&shared->writer, client->history, client->number, 0);
    struct driver_settings settings = {.external_client = client->scheme->external_client,
                                       .service = client->service,
                                       .locks = shared->locks,
                                       .log_path = shared->log_path,
                                       .client = client->number,
                                       .tag = client->tag,
                                       .workers = client->workers,
                                       .lease_ns = options->lease_ns,
                                       .wait_ns = options->wait_ns,
                                       .retry_ns = options->retry_ns,
                                       .request_ns = options->request_ns,
                                       .attempts = options->attempts,
                                       .stop = client->stop,
                                       .has_proxy = client->has_proxy,
                                       .board = client->board,
                                       .history = client->history,
                                       .exploration = client->exploration,
                                       .lost = lose,
                                       .context = shared};
    shared->driver = driver_start(&settings, error);
    return shared->driver != NULL ? 0 : -1;
}

static enum outcome renew(struct renewal *renewal)
{
    const struct lock_client *client = renewal->lock->client;
    int64_t lease_ns = client->options.lease_ns;
    struct exec_lock *state = renewal->lock->state;
    struct driver_answer answer;
    struct error ignored; // the holder is told by its own next request
    struct driver_request request = {
        .ask = DRIVER_RENEW, .hold = &state->hold, .lease_ns = lease_ns};
    enum outcome outcome =
        driver_ask(shared_by(client)->driver, renewal->actor, &request, &answer, &ignored);
    if (outcome != OUTCOME_OK)
        return outcome;
    renewal->returned_ns = answer.line.to_ns;
    renewal->valid_until_ns =
        instant_of(&renewal->actor->clock, answer.lease_from_ns).client_ns + lease_ns;
    if (answer.line.word == DRIVER_NOT_OWNER || answer.line.word == DRIVER_GONE)
        return OUTCOME_NO;
    return answer.line.word == DRIVER_UNKNOWN ? OUTCOME_UNKNOWN : OUTCOME_OK;
}

static int open_client(struct lock_client *client, struct error *error)
{
    return client == client->first ? start_driver(client, client->state, error) : 0;
}

static void close_client(struct lock_client *client)
{
    const struct exec_client *shared = client->state;
    if (client != client->first)
        return;
    driver_stop(shared->driver, &client->error);
    free(shared->locks);
    free(shared->log_path);
}

// --- a worker ------------------------------------------------------------------------------------

static int open_lock(struct lock *lock, struct error *error)
{
    (void)error;
    struct exec_lock *state = lock->state;
    struct exec_client *shared = shared_by(lock->client);
    const struct lock_client *client = lock->client;
    if (client->exploration != NULL) { // it has lived before this schedule
        driver_begin(shared->driver);
        history_writer_start(&shared->writer, client->history, client->number, 0);
    }
    state->hold = (struct driver_hold){
        .worker = lock->actor->worker, .lock = lock->options.name, .context = lock};
    driver_add_hold(shared_by(lock->client)->driver, &state->hold);
    return 0;
}

bool exec_is_idle(const struct lock_client *client)
{
    return driver_is_idle(shared_by(client)->driver);
}

int exec_count_cut(const struct lock_client *client)
{
    return driver_count_cut(shared_by(client)->driver);
}

static void close_lock(struct lock *lock)
{
    struct exec_lock *state = lock->state;
    driver_remove_hold(shared_by(lock->client)->driver, &state->hold);
}

static enum outcome ask(struct lock *lock, const struct driver_request *request,
                        struct driver_answer *answer)
{
    enum outcome outcome =
        driver_ask(shared_by(lock->client)->driver, lock->actor, request, answer, &lock->error);
    lock->call = (struct library_call){answer->line.from_ns, answer->line.to_ns};
    return outcome;
}

static enum outcome outcome_of(struct lock *lock, const struct driver_answer *answer)
{
    if (answer->line.word == DRIVER_UNKNOWN)
        return OUTCOME_UNKNOWN;
    if (answer->line.word != DRIVER_HELD)
        return OUTCOME_NO;
    if (!lock->options.fenced || answer->line.token != 0)
        return OUTCOME_OK;
    error_set(&lock->error,
              "the workload is fenced and the scheme has the trait, but its driver has answered "
              "\"held\" without a \"token\"");
    return OUTCOME_BROKEN;
}

// At that depth.
static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t depth, int64_t wait_ns)
{
    struct exec_lock *state = lock->state;
    struct driver_answer answer;
    struct driver_request request = {
        .ask = DRIVER_ACQUIRE,
        .hold = &state->hold,
        .lease_ns = lock->options.lease_ns,
        .wait_ns = wait_ns,
        .depth = depth,
        .permits = lock_scheme_has_permits(lock->scheme) ? lock->options.permits : 0,
        .shared = lock->mode == LOCK_SHARED};
    enum outcome outcome = ask(lock, &request, &answer);
    if (outcome == OUTCOME_OK && answer.line.word == DRIVER_GONE)
        grant->detail = ACQUIRE_GONE;
    if (outcome == OUTCOME_OK)
        outcome = outcome_of(lock, &answer);
    if (outcome != OUTCOME_OK)
        return outcome;
    state->depth = depth;
    grant->job = answer.line.job;
    if (depth == 1)
        grant->token = lock->options.fenced ? answer.line.token : 0;
    // Many locks do not renew the lease when they are entered again; the driver says so by how long
    // it is valid.
    if (depth == 1 || answer.line.valid_ms >= 0 || answer.line.valid_until_ns > 0)
        lock_date_grant(lock, answer.lease_from_ns, answer.is_anchored, grant);
    return OUTCOME_OK;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct exec_lock *state = lock->state;
    int64_t left_ns = lock->give_up_ns - clock_now_ns(&lock->actor->clock);
    state->depth = 0;
    return acquire(lock, grant, 1, time_later(0, left_ns));
}

static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    const struct exec_lock *state = lock->state;
    return acquire(lock, grant, state->depth + 1, 0);
}

static enum release_answer release_answer_of(const struct lock *lock, enum driver_word word)
{
    switch (word) {
    case DRIVER_RELEASED:
        return lock_removed_answer(lock);
    case DRIVER_NOT_OWNER:
        return RELEASE_NOT_OWNER;
    case DRIVER_GONE:
        return RELEASE_GONE;
    default:
        return RELEASE_UNKNOWN;
    }
}

static enum release_answer release(struct lock *lock)
{
    struct exec_lock *state = lock->state;
    struct driver_answer answer;
    struct driver_request request = {.ask = DRIVER_RELEASE,
                                     .hold = &state->hold,
                                     .depth = state->depth,
                                     .shared = lock->mode == LOCK_SHARED,
                                     .is_done = lock->is_done};
    state->depth -= state->depth > 0;
    return ask(lock, &request, &answer) == OUTCOME_OK ? release_answer_of(lock, answer.line.word)
                                                      : RELEASE_UNKNOWN;
}

// --- a loop of its own ---------------------------------------------------------------------------

static bool measures(const struct lock *lock)
{
    return driver_measures(shared_by(lock->client)->driver);
}

static enum outcome measure(struct lock *lock, const struct lock_measure *measure,
                            struct lock_cycle **cycles, size_t *count)
{
    struct exec_lock *state = lock->state;
    bool has_lease = lock_scheme_has(lock->scheme, "lease");
    struct driver_answer answer;
    struct driver_request request = {.ask = DRIVER_MEASURE,
                                     .hold = &state->hold,
                                     .lease_ns = lock->options.lease_ns,
                                     .wait_ns = lock->options.wait_ns,
                                     .operations =
                                         time_earlier(measure->operations, DRIVER_MOST_CYCLES),
                                     .until_ns = measure->until_ns,
                                     .hold_ns = measure->hold_ns,
                                     .think_ns = measure->think_ns};
    enum outcome outcome = ask(lock, &request, &answer);
    if (outcome != OUTCOME_OK)
        return outcome;
    *count = answer.line.cycle_count;
    *cycles = memory_zeroed(*count + 1, sizeof **cycles);
    for (size_t i = 0; i < *count; i++) {
        const struct driver_cycle *from = &answer.line.cycles[i];
        (*cycles)[i] = (struct lock_cycle){
            .acquire_ns = from->acquire_ns,
            .acquired_ns = from->acquired_ns,
            .release_ns = from->release_ns,
            .released_ns = from->released_ns,
            .valid_until_ns = has_lease ? from->asked_ns + lock->options.lease_ns : TIME_NEVER,
            .is_unanchored = has_lease && !from->is_anchored,
            .outcome = from->acquired == DRIVER_HELD      ? OUTCOME_OK
                       : from->acquired == DRIVER_UNKNOWN ? OUTCOME_UNKNOWN
                                                          : OUTCOME_NO,
            .answer = release_answer_of(lock, from->released)};
    }
    free(answer.line.cycles);
    return OUTCOME_OK;
}

static const struct watchdog_settings renewal = {.renew = renew};

struct lock_scheme exec_scheme(const struct external_client *external_client)
{
    return (struct lock_scheme){
        .name = external_client->name,
        .summary = "a program that locks for Lockpick",
        .breaks = "what its scenario says",
        .traits = external_client->traits,
        .server = external_client->server,
        .topologies = external_client->topologies,
        .external_client = external_client,
        .client_bytes = sizeof(struct exec_client),
        .open_client = open_client,
        .close_client = close_client,
        .lock_bytes = sizeof(struct exec_lock),
        .open = open_lock,
        .close = close_lock,
        .renewal = external_client->renew ? &renewal : NULL,
        .try_acquire = try_acquire,
        .wait = lock_waits_no_more,
        .release = release,
        .reenter = reenter,
        .leave = release,
        .measures = measures,
        .measure = measure,
    };
}
