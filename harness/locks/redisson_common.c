#include "harness/locks/redisson_common.h"

#include "harness/base/futex.h"
#include "harness/base/scope.h"
#include "harness/wire/spare.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PING_NS (30 * NS_PER_S) // Redisson's pingConnectionInterval
#define RENEWALS_AT_ONCE 100    // its lockWatchdogBatchSize
#define RETRY_ATTEMPTS 4        // its retryAttempts
#define RETRY_DELAY_MS 2000     // the longest delay before one
#define FAIR_WAIT_MS 300000     // its fairLockWaitTimeout
#define REQUEST_ID_DIGITS 32    // 16 random bytes

struct redisson_client *redisson_client_of(const struct lock *lock)
{
    return lock->client->state;
}

struct redisson_lock *redisson_of(const struct lock *lock)
{
    return lock->state;
}

static const struct redisson_kind *kind_of(const struct lock *lock)
{
    return lock->scheme->kind;
}

// --- words ---------------------------------------------------------------------------------------

__attribute__((format(printf, 3, 4))) static void spell(struct redisson_lock *state,
                                                        enum redisson_word word, const char *format,
                                                        ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->words[word], REDISSON_NAME, format, arguments);
    va_end(arguments);
}

static void spell_words(struct lock *lock)
{
    const struct redisson_kind *kind = kind_of(lock);
    struct redisson_lock *state = lock->state;
    const char *name = lock->options.name;
    const char *tagged = state->words[WORD_TAGGED];
    const char *holder = state->words[WORD_HOLDER];
    int64_t request_ms = lock->options.request_ns / NS_PER_MS;
    spell(state, WORD_LOCK, "%s", name);
    spell(state, WORD_TAGGED, strchr(name, '{') != NULL ? "%s" : "{%s}", name);
    spell(state, WORD_HOLDER, "%s:%d", redisson_client_of(lock)->id, lock->actor->worker);
    spell(state, WORD_CHANNEL, "%s:%s", kind->channel, tagged);
    spell(state, WORD_OWN_CHANNEL, "%s:%s%s%s", kind->channel, tagged,
          kind->has_own_channels ? ":" : "", kind->has_own_channels ? holder : "");
    spell(state, WORD_QUEUE, "redisson_lock_queue:%s", tagged);
    spell(state, WORD_TIMEOUTS, "redisson_lock_timeout:%s", tagged);
    spell(state, WORD_COUNTER, "redisson_lock_token:%s", tagged);
    spell(state, WORD_READS, "%s:%s:rwlock_timeout", tagged, holder);
    spell(state, WORD_FIELD, "%s%s", holder, kind->to_share[ACT_ACQUIRE] != NULL ? ":write" : "");
    spell(state, WORD_LEASE, "%lld", lease_ms(lock));
    spell(state, WORD_LATCH_LEASE, "%lld",
          (long long)((request_ms + RETRY_DELAY_MS) * RETRY_ATTEMPTS));
    spell(state, WORD_PUBLISH, "PUBLISH");
    spell(state, WORD_0, "0");
    spell(state, WORD_1, "1");
}

// --- steps ---------------------------------------------------------------------------------------

static const struct redisson_step *step_of(const struct lock *lock, enum redisson_act act)
{
    const struct redisson_kind *kind = kind_of(lock);
    bool shares = lock->mode == LOCK_SHARED && kind->to_share[act] != NULL;
    return shares ? kind->to_share[act] : kind->steps[act];
}

static enum outcome run_again(struct lock *lock, const struct redisson_step *step,
                              struct redis_answer *answer)
{
    const struct redisson_lock *state = lock->state;
    const char *keys[sizeof step->keys / sizeof *step->keys + 1] = {0};
    const char *arguments[sizeof step->arguments / sizeof *step->arguments + 1] = {0};
    for (size_t i = 0; i + 1 < sizeof keys / sizeof *keys && step->keys[i] != WORD_NONE; i++)
        keys[i] = state->words[step->keys[i]];
    for (size_t i = 0;
         i + 1 < sizeof arguments / sizeof *arguments && step->arguments[i] != WORD_NONE; i++)
        arguments[i] = state->words[step->arguments[i]];
    return lock_noted(lock, redis_eval(lock->connection, answer, &step->script, keys, arguments));
}

static int64_t place_kept_ms(const struct lock *lock)
{
    int64_t wait_ms = lock->options.wait_ns / NS_PER_MS;
    return wait_ms > 0 ? wait_ms : FAIR_WAIT_MS;
}

static enum outcome run(struct lock *lock, const struct redisson_step *step,
                        struct redis_answer *answer)
{
    spell(lock->state, WORD_NOW, "%lld",
          (long long)(clock_wall_ns(&lock->actor->clock) / NS_PER_MS));
    spell(lock->state, WORD_WAIT, "%lld", (long long)place_kept_ms(lock));
    return run_again(lock, step, answer);
}

// --- latches -------------------------------------------------------------------------------------

#define MOST_KEYS 1000

// Deletes the latches of unlocks without anybody waiting for it: one thread of a client process,
// and a connection, which passes the points DEL, in release. A latch that the server does not
// delete stays until its lease is over, and so do those that find too many before them.
struct redisson_sweeper {
    struct lock_thread thread; // first
    const struct service *service;
    struct redis_connection *connection;
    bool answers;          // the server did so when it was asked last
    char *keys[MOST_KEYS]; // a ring
    size_t first, count;
};

// In the end it goes on until all is deleted, or the server does not answer.
static bool delete_first(struct lock_thread *thread, int64_t *rest_until_ns)
{
    struct redisson_sweeper *sweeper = (struct redisson_sweeper *)thread;
    struct redis_answer answer;
    *rest_until_ns = TIME_NEVER;
    if (sweeper->count == 0 || (thread->stopping && !sweeper->answers))
        return false;
    AUTO_FREE char *key = sweeper->keys[sweeper->first];
    sweeper->first = (sweeper->first + 1) % MOST_KEYS;
    sweeper->count--;
    pthread_mutex_unlock(&thread->mutex);
    enum outcome outcome = redis_request(sweeper->connection, &answer, "DEL %s", key);
    pthread_mutex_lock(&thread->mutex);
    sweeper->answers = outcome == OUTCOME_OK;
    return true;
}

static void sweeper_stop(struct redisson_sweeper *sweeper)
{
    if (sweeper == NULL)
        return;
    lock_thread_stop(&sweeper->thread);
    while (sweeper->count > 0)
        free(sweeper->keys[(sweeper->first + --sweeper->count) % MOST_KEYS]);
    connector_close(&redis_connector, sweeper->service, sweeper->connection);
    pthread_mutex_destroy(&sweeper->thread.mutex);
    free(sweeper);
}

static struct redisson_sweeper *sweeper_start(struct lock_client *client, struct error *error)
{
    struct redisson_sweeper *sweeper = memory_zeroed(1, sizeof *sweeper);
    sweeper->answers = true;
    sweeper->service = client->service;
    lock_thread_init(&sweeper->thread, client, THREAD_SWEEPER, PHASE_RELEASE);
    sweeper->connection = connector_open(&redis_connector, client->service,
                                         client->options.request_ns, &sweeper->thread.actor, error);
    if (sweeper->connection != NULL &&
        lock_thread_start(&sweeper->thread, delete_first, "the thread that deletes latches",
                          error) == 0)
        return sweeper;
    sweeper_stop(sweeper);
    return NULL;
}

static void sweeper_delete(struct redisson_sweeper *sweeper, const char *key)
{
    pthread_mutex_lock(&sweeper->thread.mutex);
    if (sweeper->count < MOST_KEYS)
        sweeper->keys[(sweeper->first + sweeper->count++) % MOST_KEYS] = memory_string(key);
    pthread_mutex_unlock(&sweeper->thread.mutex);
    futex_ring(&sweeper->thread.bell);
}

// --- a client, and its workers -------------------------------------------------------------------

// A random UUID (version 4), another one for each client of a trial.
static void draw_uuid(const struct lock_client *client, char out[37])
{
    struct random random;
    char digits[33];
    random_start(&random, client->seed, (uint64_t)client->number);
    random_hex(&random, digits, 32);
    snprintf(out, 37, "%.8s-%.4s-4%.3s-a%.3s-%.12s", digits, digits + 8, digits + 13, digits + 17,
             digits + 20);
}

// "0" wakes one, "1" wakes all that wait now.
static size_t lock_permits(const char *message, size_t subscribers, size_t waiters)
{
    (void)subscribers;
    if (strcmp(message, "1") == 0)
        return waiters;
    return strcmp(message, "0") == 0 ? 1 : 0;
}

// As many as the message says are free, but no more than there are subscribers.
static size_t semaphore_permits(const char *message, size_t subscribers, size_t waiters)
{
    (void)waiters;
    long long number = strtoll(message, NULL, 10);
    size_t free_now = number > 0 ? (size_t)number : 0;
    return free_now < subscribers ? free_now : subscribers;
}

int redisson_client_open(struct lock_client *client, struct error *error)
{
    struct redisson_client *state = client->state;
    const struct redisson_kind *kind = client->scheme->kind;
    struct redis_subscriber_settings settings = {
        .service = client->service,
        .request_ns = client->options.request_ns,
        .ping_ns = PING_NS,
        .permits = kind->has_permits ? semaphore_permits : lock_permits,
        .gate = lock_client_gate(client, THREAD_SUBSCRIBER)};
    draw_uuid(client, state->id);
    state->subscriber = redis_subscriber_open(&settings, error);
    if (state->subscriber != NULL && !kind->has_permits)
        state->sweeper = sweeper_start(client, error);
    return state->subscriber != NULL && (kind->has_permits || state->sweeper != NULL) ? 0 : -1;
}

void redisson_client_close(struct lock_client *client)
{
    struct redisson_client *state = client->state;
    sweeper_stop(state->sweeper);
    redis_subscriber_close(state->subscriber);
}

int redisson_lock_open(struct lock *lock, struct error *error)
{
    const struct redisson_kind *kind = kind_of(lock);
    spell_words(lock);
    for (int i = 0; i < 2 * ACTS; i++) {
        const struct redisson_step *step = i < ACTS ? kind->steps[i] : kind->to_share[i - ACTS];
        if (step != NULL && redis_script_load(lock->connection, &step->script, error) != 0)
            return -1;
    }
    return 0;
}

int redisson_clean_up(const struct service *service, const struct lock_options *options,
                      struct error *error)
{
    char pattern[REDISSON_NAME];
    snprintf(pattern, sizeof pattern, "*%s*", options->name);
    return redis_clean(service, pattern, error);
}

// --- unlock --------------------------------------------------------------------------------------

// How an unlock was answered.
enum answer {
    ANSWER_FREED,      // 1
    ANSWER_STILL_HELD, // 0: the holder's count is not down to nothing yet
    ANSWER_NOT_HELD,   // nil: not by this thread
    ANSWER_NONE,
};

// Without an answer it is sent once more, on a new connection, if it has a latch: that answers for
// a first one that was executed. The latch is deleted when there is an answer, and nobody waits for
// that. (A permit that is released again is a permit more.)
static enum answer unlock(struct lock *lock)
{
    struct redisson_lock *state = lock->state;
    const struct redisson_step *step = step_of(lock, ACT_UNLOCK);
    char request_id[REQUEST_ID_DIGITS + 1];
    struct redis_answer answer;
    if (kind_of(lock)->has_permits)
        return run(lock, step, &answer) == OUTCOME_OK ? ANSWER_FREED : ANSWER_NONE;
    random_hex(lock->random, request_id, REQUEST_ID_DIGITS);
    spell(state, WORD_LATCH, "redisson_unlock_latch:%s:%s", state->words[WORD_TAGGED], request_id);
    enum outcome outcome = run(lock, step, &answer);
    bool asks_again = outcome == OUTCOME_UNKNOWN;
    if (asks_again)
        outcome = run_again(lock, step, &answer);
    if (outcome != OUTCOME_OK)
        return ANSWER_NONE;
    sweeper_delete(redisson_client_of(lock)->sweeper, state->words[WORD_LATCH]);
    if (answer.kind == REDIS_NIL) // the first one may have freed it, and its latch be gone by now
        return asks_again ? ANSWER_NONE : ANSWER_NOT_HELD;
    return answer.integer == 1 ? ANSWER_FREED : ANSWER_STILL_HELD;
}

// Nil does not tell whether the lock is another's or nobody's. Still held: other readers have it;
// or a lost answer has left a count that is too high, and the lock is ours until its lease is over.
enum release_answer redisson_release(struct lock *lock)
{
    switch (unlock(lock)) {
    case ANSWER_FREED:
        return kind_of(lock)->has_permits ? RELEASE_UNCHECKED : RELEASE_RELEASED;
    case ANSWER_STILL_HELD:
        return redisson_of(lock)->is_reading ? RELEASE_RELEASED : RELEASE_UNKNOWN;
    case ANSWER_NOT_HELD:
        return RELEASE_NOT_OWNER;
    default:
        return RELEASE_UNKNOWN;
    }
}

// An inner unlock that frees the lock tells that it had been lost and taken anew: it is gone now.
enum release_answer redisson_leave(struct lock *lock)
{
    static const enum release_answer left[] = {[ANSWER_FREED] = RELEASE_GONE,
                                               [ANSWER_STILL_HELD] = RELEASE_RELEASED,
                                               [ANSWER_NOT_HELD] = RELEASE_NOT_OWNER,
                                               [ANSWER_NONE] = RELEASE_UNKNOWN};
    return left[unlock(lock)];
}

const struct redisson_step redisson_unlock_plain = {
    {"local stored = redis.call('GET', KEYS[3]) "
     "if stored ~= false then return tonumber(stored) end "
     "if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 then return nil end "
     "if redis.call('HINCRBY', KEYS[1], ARGV[3], -1) > 0 then "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
     "  redis.call('SET', KEYS[3], 0, 'PX', ARGV[5]) "
     "  return 0 "
     "end "
     "redis.call('DEL', KEYS[1]) "
     "redis.call(ARGV[4], KEYS[2], ARGV[1]) "
     "redis.call('SET', KEYS[3], 1, 'PX', ARGV[5]) "
     "return 1"},
    {WORD_LOCK, WORD_CHANNEL, WORD_LATCH},
    {WORD_0, WORD_LEASE, WORD_HOLDER, WORD_PUBLISH, WORD_LATCH_LEASE},
};

// --- acquire -------------------------------------------------------------------------------------

void redisson_queued(struct lock *lock, const struct grant *grant, enum outcome outcome,
                     int64_t kept_ns)
{
    struct redisson_lock *state = redisson_of(lock);
    bool was_in_doubt = grant->attempts > 1 && state->place_in_doubt;
    state->place_in_doubt = outcome == OUTCOME_UNKNOWN;
    if (was_in_doubt ? outcome != OUTCOME_UNKNOWN : grant->attempts == 1 && outcome == OUTCOME_NO)
        lock_queued(lock, kept_ns);
}

// OK; NO with how long the lock is busy in state->ttl_ms. Nil, or {-1, fencing token}: held; else
// the milliseconds until it expires, or the same and -1. Of a permit: 1, or 0 without an end.
static enum outcome ask(struct lock *lock, struct grant *grant, bool will_wait)
{
    struct redisson_lock *state = lock->state;
    const struct redisson_kind *kind = kind_of(lock);
    bool just_tries = !will_wait && kind->steps[ACT_TRY] != NULL;
    bool reads = lock->mode == LOCK_SHARED && kind->to_share[ACT_ACQUIRE] != NULL;
    struct redis_answer answer;
    if (state->is_reading !=
        reads) // the watchdog reads it: a further entry changes nothing of that
        state->is_reading = reads;
    enum outcome outcome = run(lock, step_of(lock, just_tries ? ACT_TRY : ACT_ACQUIRE), &answer);
    state->has_asked = outcome == OUTCOME_OK;
    if (outcome != OUTCOME_OK)
        return outcome;
    bool is_array = answer.kind == REDIS_ARRAY;
    int64_t number = is_array ? answer.items[0] : answer.integer;
    bool is_held = kind->has_permits ? number == 1
                   : is_array        ? number == -1
                                     : answer.kind == REDIS_NIL;
    if (is_held && is_array && lock->options.fenced)
        grant->token = answer.items[1];
    if (!is_held)
        state->ttl_ms = kind->has_permits ? -1 : number;
    return is_held ? OUTCOME_OK : OUTCOME_NO;
}

// With replicas Redisson waits after each grant until one of them has it. If none has in time, it
// gives the lock back and tries again.
static enum outcome await_replica(struct lock *lock)
{
    int64_t limit_ms = lock->options.request_ns / NS_PER_MS / 3; // as 1 s of its 3 s
    struct redis_answer answer;
    if (strcmp(lock->service->topology, "single") == 0)
        return OUTCOME_OK;
    enum outcome outcome = lock_noted(
        lock, redis_request(lock->connection, &answer, "WAIT 1 %lld", (long long)limit_ms));
    if (outcome == OUTCOME_BROKEN || (outcome == OUTCOME_OK && answer.integer > 0))
        return outcome;
    bool given_back = unlock(lock) == ANSWER_FREED;
    redis_doubt_master(lock->connection); // Redisson asks its sentinels once a second
    return given_back ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

// An answer that says nothing of how long to wait leaves the pause between two attempts. Without an
// answer the lock may be ours: if it is, it is given back, and was certainly not held.
enum outcome redisson_try_acquire(struct lock *lock, struct grant *grant)
{
    struct redisson_lock *state = lock->state;
    const struct redisson_kind *kind = kind_of(lock);
    if (grant->attempts == 1)
        state->will_wait = !lock_must_give_up(lock);
    state->ttl_ms = lock->options.retry_ns / NS_PER_MS + 1;
    if (!kind->has_permits)
        grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = ask(lock, grant, state->will_wait);
    // Whose request was refused, or never got there, has no place.
    if (kind->lines_up && state->will_wait)
        redisson_queued(lock, grant, state->has_asked ? outcome : OUTCOME_UNKNOWN,
                        kind->steps[ACT_GIVE_UP] != NULL ? place_kept_ms(lock) * NS_PER_MS
                                                         : TIME_NEVER);
    if (outcome == OUTCOME_UNKNOWN && !kind->has_permits && unlock(lock) == ANSWER_FREED)
        return OUTCOME_NO;
    return outcome == OUTCOME_OK ? await_replica(lock) : outcome;
}

static int64_t next_attempt_ns(const struct lock *lock)
{
    int64_t ttl_ms = redisson_of(lock)->ttl_ms;
    if (ttl_ms < 0)
        return lock->give_up_ns;
    int64_t now_ns = clock_now_ns(&lock->actor->clock);
    int64_t most_ms = (TIME_NEVER - now_ns) / NS_PER_MS;
    return time_earlier(lock->give_up_ns, now_ns + time_earlier(ttl_ms, most_ms) * NS_PER_MS);
}

// Subscribed, it tries again at once: a message that came before the subscription is not waited
// for. A message that is lost costs the rest of the holder's lease.
bool redisson_wait(struct lock *lock)
{
    struct redisson_lock *state = lock->state;
    if (state->subscription != NULL) {
        redis_subscription_wait(state->subscription, lock->actor, next_attempt_ns(lock),
                                lock->stop);
    } else {
        state->subscription =
            redis_subscribe(redisson_client_of(lock)->subscriber, lock->actor,
                            state->words[WORD_OWN_CHANNEL], lock->give_up_ns, lock->stop);
        if (state->subscription == NULL)
            return false;
    }
    return !lock_must_give_up(lock);
}

// A place in the queue that stays for want of an answer is no hold: it runs out.
enum outcome redisson_end_wait(struct lock *lock, enum outcome outcome)
{
    struct redisson_lock *state = lock->state;
    const struct redisson_step *give_up = step_of(lock, ACT_GIVE_UP);
    struct redis_answer answer;
    if (state->subscription != NULL)
        redis_unsubscribe(state->subscription, lock->actor);
    else if (outcome != OUTCOME_OK &&
             redis_subscriber_is_refused(redisson_client_of(lock)->subscriber, &lock->error))
        return OUTCOME_BROKEN;
    state->subscription = NULL;
    bool leaves = outcome != OUTCOME_OK && state->will_wait && give_up != NULL;
    return leaves && run(lock, give_up, &answer) == OUTCOME_BROKEN ? OUTCOME_BROKEN : outcome;
}

// The script cannot tell a first entry from a further one, and so neither can we: a hold that was
// lost meanwhile is taken anew. Without an answer nothing is given back, for that might be the hold
// itself: the count may then be one too high. Only an answer that says how long another's lease
// still lasts tells that it is not the holder; a server that refuses says nothing of that.
enum outcome redisson_reenter(struct lock *lock, struct grant *grant)
{
    struct redisson_lock *state = lock->state;
    const int64_t unsaid = state->ttl_ms = INT64_MIN;
    int64_t valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = ask(lock, grant, false);
    if (outcome == OUTCOME_NO && state->ttl_ms == unsaid)
        return OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK)
        grant->valid_until_ns = time_later(grant->valid_until_ns, valid_until_ns);
    return outcome;
}

// --- renewal -------------------------------------------------------------------------------------

#define MOST_WORDS (REDIS_MOST_ITEMS + 4)

// KEYS n1..nk, ARGV lease, holder 1..k: for each 1 (renewed) or 0 (not ours).
static const struct redis_script renewal_script = {
    "local result = {} "
    "for i = 1, #KEYS do "
    "  if redis.call('HEXISTS', KEYS[i], ARGV[i + 1]) == 1 then "
    "    redis.call('PEXPIRE', KEYS[i], ARGV[1]) "
    "    table.insert(result, 1) "
    "  else "
    "    table.insert(result, 0) "
    "  end "
    "end "
    "return result"};

// KEYS n1, prefix of n1's time-out keys, n2, ...; ARGV lease, then for each n how many readers, and
// each of them. The answer is one per lock, not per reader: 1 as long as any of them reads.
static const struct redis_script read_renewal_script = {
    "local result = {} "
    "local next = 2 "
    "for i = 1, #KEYS, 2 do "
    "  local any = false "
    "  local readers = tonumber(ARGV[next]) "
    "  for reader = next + 1, next + readers do "
    "    local count = redis.call('HGET', KEYS[i], ARGV[reader]) "
    "    if count ~= false then "
    "      any = true "
    "      for n = count, 1, -1 do "
    "        redis.call('PEXPIRE', KEYS[i + 1] .. ':' .. ARGV[reader] .. ':rwlock_timeout:' .. n, "
    "          ARGV[1]) "
    "      end "
    "    end "
    "  end "
    "  next = next + 1 + readers "
    "  if any then "
    "    redis.call('PEXPIRE', KEYS[i], ARGV[1]) "
    "    table.insert(result, 1) "
    "  else "
    "    table.insert(result, 0) "
    "  end "
    "end "
    "return result"};

// One request for those that write, or for those that read: all readers of a client read the same
// lock.
static void renew_some(bool reads, struct renewal *const *batch, size_t count)
{
    const struct redisson_lock *first = redisson_of(batch[0]->lock);
    const char *keys[MOST_WORDS] = {first->words[WORD_LOCK], first->words[WORD_TAGGED]};
    const char *arguments[MOST_WORDS] = {first->words[WORD_LEASE]};
    char readers[24];
    struct redis_answer answer;
    snprintf(readers, sizeof readers, "%zu", count);
    arguments[1] = readers;
    for (size_t i = 0; i < count; i++) {
        const struct redisson_lock *hold = redisson_of(batch[i]->lock);
        arguments[i + 1 + reads] = hold->words[reads ? WORD_HOLDER : WORD_FIELD];
        if (!reads)
            keys[i] = hold->words[WORD_LOCK];
    }
    if (!reads)
        keys[count] = NULL;
    enum outcome outcome =
        redis_eval(batch[0]->lock->client->connection, &answer,
                   reads ? &read_renewal_script : &renewal_script, keys, arguments);
    for (size_t i = 0; i < count; i++) {
        const struct redis_answer one = {
            .kind = REDIS_INTEGER,
            .integer = outcome == OUTCOME_OK ? answer.items[reads ? 0 : i] : 0};
        batch[i]->outcome = redis_renewed(outcome, &one);
    }
}

void redisson_renew(struct renewal *renewals, size_t count)
{
    for (int reads = 0; reads < 2; reads++) {
        struct renewal *batch[REDIS_MOST_ITEMS];
        size_t found = 0;
        for (size_t i = 0; i < count && found < REDIS_MOST_ITEMS; i++) {
            if (redisson_of(renewals[i].lock)->is_reading == (reads == 1))
                batch[found++] = &renewals[i];
        }
        if (found > 0)
            renew_some(reads == 1, batch, found);
    }
}

const struct watchdog_settings redisson_renewal = {.batch = RENEWALS_AT_ONCE,
                                                   .renew_batch = redisson_renew};
