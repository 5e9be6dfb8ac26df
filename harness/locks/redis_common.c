#include "harness/locks/redis_common.h"

#include "harness/base/text.h"

#include <stdlib.h>

const char *const redis_topologies[] = {"single", "sentinel", "cluster", NULL};

int redis_lock_open(struct lock *lock, struct error *error)
{
    struct redis_lock *state = memory_zeroed(1, sizeof *state);
    lock->state = state;
    state->connection = redis_open(lock->service, lock->options.request_ns, lock->actor, error);
    return state->connection == NULL ? -1 : 0;
}

void redis_lock_close(struct lock *lock)
{
    struct redis_lock *state = lock->state;
    if (state == NULL)
        return;
    redis_close(state->connection);
    free(state);
    lock->state = NULL;
}

struct redis_lock *redis_lock_of(struct lock *lock)
{
    return lock->state;
}

struct redis_connection *redis_of(struct lock *lock)
{
    return redis_lock_of(lock)->connection;
}

const char *redis_new_token(struct lock *lock)
{
    struct redis_lock *state = lock->state;
    random_hex(lock->random, state->token, TOKEN_DIGITS);
    return state->token;
}

int64_t lease_ends_ns(struct lock *lock)
{
    return lock_asks_ns(lock) + lock->options.lease_ns;
}

long long lease_ms(const struct lock *lock)
{
    return lock->options.lease_ns / NS_PER_MS;
}

enum outcome redis_outcome(struct lock *lock, enum outcome outcome)
{
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "%s", redis_error(redis_of(lock)));
    return outcome;
}

enum outcome redis_read_outcome(struct lock *lock, enum outcome outcome)
{
    return redis_outcome(lock, outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome);
}

enum outcome redis_set_if_absent(struct lock *lock, const char *token)
{
    struct redis_answer answer;
    enum outcome outcome = redis_request(redis_of(lock), &answer, "SET %s %s NX PX %lld",
                                         lock->options.name, token, lease_ms(lock));
    return outcome == OUTCOME_OK && answer.kind == REDIS_NIL ? OUTCOME_NO : outcome;
}

enum release_answer redis_release_unchecked(struct lock *lock)
{
    struct redis_answer answer;
    enum outcome outcome =
        redis_outcome(lock, redis_request(redis_of(lock), &answer, "DEL %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return answer.integer == 1 ? RELEASE_UNCHECKED : RELEASE_GONE;
}

enum release_answer redis_release_answer(struct lock *lock, enum outcome outcome,
                                         const struct redis_answer *answer)
{
    if (redis_outcome(lock, outcome) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (answer->integer == 1)
        return RELEASE_RELEASED;
    return answer->integer == 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

const struct redis_script redis_compare_and_delete = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('DEL', KEYS[1]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

int redis_lock_open_checked(struct lock *lock, struct error *error)
{
    if (redis_lock_open(lock, error) != 0)
        return -1;
    return redis_script_load(redis_of(lock), &redis_compare_and_delete, error);
}

enum release_answer redis_release_checked(struct lock *lock)
{
    const char *const keys[] = {lock->options.name, NULL};
    const char *const arguments[] = {redis_lock_of(lock)->token, NULL};
    struct redis_answer answer;
    enum outcome outcome =
        redis_eval(redis_of(lock), &answer, &redis_compare_and_delete, keys, arguments);
    return redis_release_answer(lock, outcome, &answer);
}
