#include "harness/locks/lock.h"

#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/locks/watchdog.h"
#include "harness/point/gate.h"
#include "harness/wire/spare.h"

#include <stdlib.h>
#include <string.h>

// --- time ----------------------------------------------------------------------------------------

void lock_wait_before_retry(struct lock *lock)
{
    int64_t retry_ns = lock->options.retry_ns;
    int64_t jittered_ns =
        retry_ns / 2 + (int64_t)random_below(lock->random, (uint64_t)retry_ns + 1);
    int64_t left_ns = lock->give_up_ns - clock_now_ns(&lock->actor->clock);
    clock_sleep_ns(&lock->actor->clock, time_earlier(jittered_ns, left_ns));
}

struct instant instant_now(const struct clock *clock)
{
    return (struct instant){.machine_ns = clock_monotonic_ns(), .client_ns = clock_now_ns(clock)};
}

struct instant instant_of(const struct clock *clock, int64_t machine_ns)
{
    struct instant now = instant_now(clock);
    return (struct instant){machine_ns, now.client_ns - (now.machine_ns - machine_ns)};
}

int64_t lock_asks_ns(struct lock *lock)
{
    lock->asked = instant_now(&lock->actor->clock);
    return lock->asked.client_ns;
}

int64_t lease_ends_ns(struct lock *lock)
{
    return lock_asks_ns(lock) + lock->options.lease_ns;
}

long long lease_ms(const struct lock *lock)
{
    return lock->options.lease_ns / NS_PER_MS;
}

int64_t lease_ends_on_machine_ns(const struct instant *asked, int64_t valid_until_ns,
                                 int64_t lease_ns)
{
    if (valid_until_ns == TIME_NEVER || valid_until_ns == 0)
        return valid_until_ns;
    int64_t ends_ns = asked->machine_ns + (valid_until_ns - asked->client_ns);
    return time_earlier(ends_ns, clock_monotonic_ns() + lease_ns);
}

bool lock_must_give_up(const struct lock *lock)
{
    return clock_now_ns(&lock->actor->clock) >= lock->give_up_ns ||
           atomic_load_explicit(lock->stop, memory_order_relaxed) != 0;
}

bool lock_waits_no_more(struct lock *lock)
{
    (void)lock;
    return false;
}

// --- for schemes ---------------------------------------------------------------------------------

enum outcome lock_noted(struct lock *lock, enum outcome outcome)
{
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "%s", client_error(lock->connection));
    return outcome;
}

void lock_date_grant(struct lock *lock, int64_t asked_ns, bool is_anchored, struct grant *grant)
{
    if (!lock_scheme_has(lock->scheme, "lease"))
        return; // for ever
    lock->asked = instant_of(&lock->actor->clock, asked_ns);
    grant->valid_until_ns = lock->asked.client_ns + lock->options.lease_ns;
    grant->detail = is_anchored ? ACQUIRE_PLAIN : ACQUIRE_UNANCHORED;
}

enum release_answer lock_removed_answer(const struct lock *lock)
{
    return lock_scheme_has(lock->scheme, "owner-checked") ? RELEASE_RELEASED : RELEASE_UNCHECKED;
}

const char *lock_new_token(struct lock *lock, size_t digits)
{
    random_hex(lock->random, lock->token, digits);
    return lock->token;
}

// --- operations ----------------------------------------------------------------------------------

static void begin(struct lock *lock, enum phase phase)
{
    lock->actor->phase = phase;
    lock->call = (struct library_call){0};
}

static enum outcome attempt(struct lock *lock, struct grant *grant)
{
    const struct lock_scheme *scheme = lock->scheme;
    struct watchdog *watchdog = lock->client->watchdog;
    grant->attempts++;
    enum outcome outcome = scheme->try_acquire(lock, grant);
    if (outcome == OUTCOME_UNKNOWN && scheme->recover != NULL &&
        scheme->recover(lock) == RELEASE_RELEASED)
        return OUTCOME_NO;
    if (grant->detail == ACQUIRE_GONE && lock->options.job == 0) {
        error_set(&lock->error, "an acquire was answered as of a job that is gone, and only the "
                                "workload jobs has jobs");
        return OUTCOME_BROKEN;
    }
    bool is_over = outcome == OUTCOME_OK && watchdog != NULL &&
                   !watchdog_add(watchdog, lock, grant->valid_until_ns);
    return is_over ? OUTCOME_NO : outcome;
}

static bool wait(struct lock *lock)
{
    if (lock->scheme->wait != NULL)
        return lock->scheme->wait(lock);
    lock_wait_before_retry(lock);
    return true;
}

enum outcome lock_acquire(struct lock *lock, struct grant *grant)
{
    *grant = (struct grant){.valid_until_ns = TIME_NEVER};
    atomic_store(&lock->lost, LOST_NOT);
    begin(lock, PHASE_ACQUIRE);
    lock->give_up_ns = lock_asks_ns(lock) + lock->options.wait_ns;
    enum outcome outcome = attempt(lock, grant);
    while (outcome == OUTCOME_NO && grant->detail != ACQUIRE_GONE && !lock_must_give_up(lock) &&
           wait(lock))
        outcome = attempt(lock, grant);
    if (lock->scheme->end_wait != NULL)
        outcome = lock->scheme->end_wait(lock, outcome);
    lock->actor->phase = PHASE_NONE;
    return outcome;
}

enum release_answer lock_release(struct lock *lock)
{
    begin(lock, PHASE_RELEASE);
    watchdog_remove(lock->client->watchdog, lock);
    enum release_answer answer = lock->scheme->release(lock);
    lock->actor->phase = PHASE_NONE;
    return answer;
}

enum outcome lock_reenter(struct lock *lock, struct grant *grant)
{
    begin(lock, PHASE_ACQUIRE);
    lock_asks_ns(lock);
    enum outcome outcome = lock->scheme->reenter(lock, grant);
    lock->actor->phase = PHASE_NONE;
    return outcome;
}

enum release_answer lock_leave(struct lock *lock)
{
    begin(lock, PHASE_RELEASE);
    enum release_answer answer = lock->scheme->leave(lock);
    lock->actor->phase = PHASE_NONE;
    return answer;
}

void lock_lose(struct lock *lock, enum lost_reason reason, struct history_writer *writer)
{
    uint32_t kept = LOST_NOT;
    if (!atomic_compare_exchange_strong(&lock->lost, &kept, reason) || writer == NULL ||
        writer->file == NULL)
        return;
    writer->worker = (uint16_t)lock->actor->worker;
    history_append(writer,
                   (struct event){.kind = EVENT_LOST,
                                  .detail = (uint8_t)reason,
                                  .lost = {.operation = lock->operation, .reason = reason}});
}

enum outcome lock_still_held(const struct lock *lock)
{
    switch (atomic_load(&lock->lost)) {
    case LOST_NOT:
        return OUTCOME_OK;
    case LOST_NOT_OWNER:
    case LOST_SESSION:
        return OUTCOME_NO;
    default:
        return OUTCOME_UNKNOWN;
    }
}

void lock_queued(const struct lock *lock, int64_t kept_ns)
{
    if (lock->actor->history != NULL)
        history_append(lock->actor->history, (struct event){.kind = EVENT_QUEUED,
                                                            .queued = {.operation = lock->operation,
                                                                       .kept_ns = kept_ns}});
}

// --- opening and closing -------------------------------------------------------------------------

struct step_gate *lock_client_gate(const struct lock_client *client, enum client_thread thread)
{
    if (client->gates == NULL)
        return NULL;
    gate_start(&client->gates[thread], false);
    return &client->gates[thread];
}

void lock_thread_init(struct lock_thread *thread, const struct lock_client *client,
                      enum client_thread name, enum phase phase)
{
    struct step_gate *gate = lock_client_gate(client, name);
    struct clock clock = client->clock;
    clock.sleeper = gate != NULL ? &gate->sleeper : NULL;
    if (client->history != NULL)
        history_writer_start(&thread->writer, client->history, client->number, 0);
    thread->actor = (struct actor){.client = client->number,
                                   .phase = phase,
                                   .clock = clock,
                                   .board = client->history != NULL ? client->board : NULL,
                                   .gate = gate,
                                   .history = &thread->writer};
    pthread_mutex_init(&thread->mutex, NULL);
}

static void *run_thread(void *context)
{
    struct lock_thread *thread = context;
    pthread_mutex_lock(&thread->mutex);
    for (;;) {
        int64_t rest_until_ns;
        uint32_t bell = atomic_load(&thread->bell);
        if (thread->work(thread, &rest_until_ns))
            continue;
        if (thread->stopping)
            break;
        pthread_mutex_unlock(&thread->mutex);
        actor_wait(&thread->actor, &thread->bell, bell, rest_until_ns);
        pthread_mutex_lock(&thread->mutex);
    }
    pthread_mutex_unlock(&thread->mutex);
    return NULL;
}

int lock_thread_start(struct lock_thread *thread,
                      bool (*work)(struct lock_thread *thread, int64_t *rest_until_ns),
                      const char *what, struct error *error)
{
    thread->work = work;
    int reason = pthread_create(&thread->id, NULL, run_thread, thread);
    thread->is_started = reason == 0;
    if (!thread->is_started)
        return error_set(error, "cannot start %s: %s", what, strerror(reason));
    if (thread->actor.gate != NULL)
        gate_await(thread->actor.gate);
    return 0;
}

void lock_thread_stop(struct lock_thread *thread)
{
    if (!thread->is_started)
        return;
    pthread_mutex_lock(&thread->mutex);
    thread->stopping = true;
    pthread_mutex_unlock(&thread->mutex);
    futex_ring(&thread->bell);
    pthread_join(thread->id, NULL);
}

// 0 too if the scheme has no connector.
static int connect_to(const struct lock_scheme *scheme, const struct service *service,
                      const struct lock_options *options, struct actor *actor, void **connection,
                      struct error *error)
{
    *connection = NULL;
    if (scheme->connector == NULL)
        return 0;
    int64_t request_ns =
        scheme->request_ns != NULL ? scheme->request_ns(options) : options->request_ns;
    *connection = connector_open(scheme->connector, service, request_ns, actor, error);
    return *connection != NULL ? 0 : -1;
}

static void disconnect(const struct lock_scheme *scheme, const struct service *service,
                       void *connection)
{
    if (connection != NULL)
        connector_close(scheme->connector, service, connection);
}

int lock_client_open(struct lock_client *client, struct error *error)
{
    const struct lock_scheme *scheme = client->scheme;
    client->state = scheme->client_bytes > 0 ? memory_zeroed(1, scheme->client_bytes) : NULL;
    client->watchdog =
        scheme->renewal != NULL ? watchdog_start(client, scheme->renewal, error) : NULL;
    client->connection = NULL;
    bool is_watched =
        scheme->renewal == NULL ||
        (client->watchdog != NULL &&
         connect_to(scheme, client->service, &client->options, watchdog_actor(client->watchdog),
                    &client->connection, error) == 0);
    if (is_watched && (scheme->open_client == NULL || scheme->open_client(client, error) == 0))
        return 0;
    lock_client_close(client);
    return -1;
}

void lock_client_close(struct lock_client *client)
{
    if (client->gates != NULL)
        gates_end(client->gates);
    watchdog_stop(client->watchdog);
    if (client->scheme->close_client != NULL)
        client->scheme->close_client(client);
    disconnect(client->scheme, client->service, client->connection);
    watchdog_free(client->watchdog);
    free(client->state);
}

int lock_open(struct lock *lock, struct error *error)
{
    const struct lock_client *client = lock->client;
    const struct lock_scheme *scheme = lock->scheme = client->scheme;
    lock->options = client->options;
    lock->service = client->service;
    lock->stop = client->stop;
    lock->state = scheme->lock_bytes > 0 ? memory_zeroed(1, scheme->lock_bytes) : NULL;
    int result =
        connect_to(scheme, lock->service, &lock->options, lock->actor, &lock->connection, error);
    return result == 0 && scheme->open != NULL ? scheme->open(lock, error) : result;
}

void lock_close(struct lock *lock)
{
    watchdog_remove(lock->client->watchdog, lock);
    if (lock->scheme->close != NULL)
        lock->scheme->close(lock);
    disconnect(lock->scheme, lock->service, lock->connection);
    free(lock->state);
}

// --- the catalogue -------------------------------------------------------------------------------

bool lock_scheme_has(const struct lock_scheme *scheme, const char *trait)
{
    return text_is_one_of(trait, scheme->traits);
}

bool lock_scheme_has_permits(const struct lock_scheme *scheme)
{
    return lock_scheme_has(scheme, "permits") || lock_scheme_has(scheme, "limiter");
}

bool lock_scheme_takes(const struct lock_scheme *scheme, const char *topology)
{
    static const char *const only_single[] = {"single", NULL};
    return text_is_one_of(topology, scheme->topologies != NULL ? scheme->topologies : only_single);
}

const struct lock_trait lock_traits[] = {
    {"exclusive", "at most one holder by design, as long as what `breaks` names stays away"},
    {"lease", "expires by itself: a crash does not block the others for ever"},
    {"owner-checked", "a release removes only the releaser's own lock"},
    {"validity-checked", "an acquire whose answer comes after its lease is over is not granted"},
    {"fenced", "a grant can carry a fencing token that grows with every grant"},
    {"reentrant", "the holder may acquire it again, and must release it as often"},
    {"shared", "readers may hold it together, a writer holds it alone"},
    {"permits", "a semaphore: as many may hold it as it has permits"},
    {"limiter", "limits a rate: a permit is one's own for a lease, and nobody gives it back"},
    {"fair", "grants in the order of asking"},
    {"renewed", "a watchdog of the client's renews the lease while the holder works"},
    {"session", "ends with the session or connection that holds it"},
    {"job-queue", "a queue, which says itself which of its jobs a worker is given"},
    {"optimistic", "keeps nobody out: a write that comes too late is refused, and done again"},
    {"own-store", "guards a value in its own server, by its own reads and writes"},
    {"transaction", "its writes take effect with its release, or not at all"},
    {"at-least-once", "a queue that may give out a job again, so that it is done more than once"},
    {"local", "excludes only the workers of one client process"},
    {NULL, NULL},
};

const struct lock_scheme *lock_scheme_find(const char *name)
{
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        if (strcmp(lock_catalogue[i]->name, name) == 0)
            return lock_catalogue[i];
    }
    return NULL;
}
