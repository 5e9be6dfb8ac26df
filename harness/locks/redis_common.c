#include "harness/locks/redis_common.h"

#include <stdio.h>

const char *const redis_topologies[] = {"single", "sentinel", "cluster", NULL};

int redis_lock_open(struct lock *lock, struct error *error)
{
    const struct redis_script *const *scripts = lock->scheme->kind;
    struct redis_connection *connection =
        redis_open(lock->service, lock->options.request_ns, lock->actor, error);
    redis_lock_of(lock)->connection = connection;
    int result = connection != NULL ? 0 : -1;
    for (; result == 0 && scripts != NULL && *scripts != NULL; scripts++)
        result = redis_script_load(connection, *scripts, error);
    return result;
}

void redis_lock_close(struct lock *lock)
{
    redis_close(redis_of(lock));
}

int redis_client_open(struct lock_client *client, struct error *error)
{
    struct redis_client *state = client->state;
    state->connection = redis_open(client->service, client->options.request_ns,
                                   watchdog_actor(client->watchdog), error);
    return state->connection != NULL ? 0 : -1;
}

void redis_client_close(struct lock_client *client)
{
    struct redis_client *state = client->state;
    redis_close(state->connection);
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

enum outcome redis_outcome(struct lock *lock, enum outcome outcome)
{
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "%s", redis_error(redis_of(lock)));
    return outcome;
}

enum outcome redis_read(struct lock *lock, struct redis_answer *answer)
{
    enum outcome outcome = REDIS_ASK(lock, answer, "GET %s");
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
}

enum outcome redis_run(struct redis_connection *connection, struct redis_answer *answer,
                       const struct lock_options *options, const struct redis_script *script,
                       const char *other, const char *token)
{
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", (long long)(options->lease_ns / NS_PER_MS));
    const char *const keys[] = {options->name, other, NULL};
    const char *const arguments[] = {token, lease, NULL};
    return redis_eval(connection, answer, script, keys, arguments);
}

enum outcome redis_acquire_by(struct lock *lock, struct grant *grant, const char *format,
                              int64_t number)
{
    struct redis_answer answer;
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = REDIS_ASK(lock, &answer, format, token, (long long)number);
    return outcome == OUTCOME_OK && answer.kind == REDIS_NIL ? OUTCOME_NO : outcome;
}

enum outcome redis_set_token(struct lock *lock, struct grant *grant)
{
    return redis_acquire_by(lock, grant, "SET %s %s NX PX %lld", lease_ms(lock));
}

enum outcome redis_setnx(struct lock *lock)
{
    struct redis_answer answer;
    enum outcome outcome = REDIS_ASK(lock, &answer, "SETNX %s 1");
    return outcome == OUTCOME_OK && answer.integer != 1 ? OUTCOME_NO : outcome;
}

enum release_answer redis_release_unchecked(struct lock *lock)
{
    struct redis_answer answer;
    if (REDIS_ASK(lock, &answer, "DEL %s") != OUTCOME_OK)
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

const struct redis_script *const redis_checked[] = {&redis_compare_and_delete, NULL};

enum release_answer redis_release_checked(struct lock *lock)
{
    struct redis_answer answer;
    enum outcome outcome = redis_run(redis_of(lock), &answer, &lock->options,
                                     &redis_compare_and_delete, NULL, redis_lock_of(lock)->token);
    return redis_release_answer(lock, outcome, &answer);
}

// What was certainly not executed is not yet a loss: the next renewal may come in time.
void redis_renewed(struct renewal *renewal, enum outcome outcome, const struct redis_answer *answer,
                   int64_t ends_ns)
{
    renewal->outcome = outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
    if (outcome != OUTCOME_OK)
        return;
    if (answer->kind == REDIS_STATUS || answer->integer == 1)
        renewal->valid_until_ns = ends_ns;
    else
        renewal->outcome = OUTCOME_NO;
}
