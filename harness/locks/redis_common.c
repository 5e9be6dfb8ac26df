#include "harness/locks/redis_common.h"

#include <stdio.h>

const char *const redis_topologies[] = {"single", "sentinel", "cluster", NULL};

int redis_load_scripts(struct lock *lock, struct error *error)
{
    const struct redis_script *const *scripts = lock->scheme->kind;
    int result = 0;
    for (; result == 0 && scripts != NULL && *scripts != NULL; scripts++)
        result = redis_script_load(lock->connection, *scripts, error);
    return result;
}

int redis_add_job(const struct service *service, const struct lock_options *options,
                  const char *list, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct redis_answer answer;
    struct redis_connection *connection = redis_open(service, PEER_SET_UP_NS, &nobody, error);
    if (connection == NULL)
        return -1;
    int result = redis_request(connection, &answer, "RPUSH %s %lld", list,
                               (long long)options->job) == OUTCOME_OK
                     ? 0
                     : error_set(error, "RPUSH failed: %s", client_error(connection));
    redis_close(connection);
    return result;
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
    const char *token = lock_new_token(lock, TOKEN_DIGITS);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = REDIS_ASK(lock, &answer, format, token, (long long)number);
    return outcome == OUTCOME_OK && answer.kind == REDIS_NIL ? OUTCOME_NO : outcome;
}

enum outcome redis_set_token(struct lock *lock, struct grant *grant)
{
    return redis_acquire_by(lock, grant, "SET %s %s NX PX %lld", lease_ms(lock));
}

enum outcome redis_acquire_by_script(struct lock *lock, struct grant *grant,
                                     const struct redis_script *script, const char *other,
                                     int64_t *number)
{
    struct redis_answer answer;
    const char *token = lock_new_token(lock, TOKEN_DIGITS);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = lock_noted(
        lock, redis_run(lock->connection, &answer, &lock->options, script, other, token));
    *number = outcome == OUTCOME_OK ? answer.integer : 0;
    return outcome == OUTCOME_OK && answer.integer == 0 ? OUTCOME_NO : outcome;
}

enum outcome redis_setnx(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    (void)grant;
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

enum release_answer redis_release_answer(enum outcome outcome, const struct redis_answer *answer)
{
    if (outcome != OUTCOME_OK)
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
    enum outcome outcome =
        lock_noted(lock, redis_run(lock->connection, &answer, &lock->options,
                                   &redis_compare_and_delete, NULL, lock->token));
    return redis_release_answer(outcome, &answer);
}

// What was certainly not executed is not yet a loss: the next renewal may come in time.
enum outcome redis_renewed(enum outcome outcome, const struct redis_answer *answer)
{
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
    return answer->kind == REDIS_STATUS || answer->integer == 1 ? OUTCOME_OK : OUTCOME_NO;
}

enum outcome redis_renew_by_script(const struct renewal *renewal, const struct redis_script *script)
{
    const struct lock_client *client = renewal->lock->client;
    struct redis_answer answer;
    enum outcome outcome = redis_run(client->connection, &answer, &client->options, script, NULL,
                                     renewal->lock->token);
    return redis_renewed(outcome, &answer);
}
