// A value in a Redis server of its own: GET, then SET. Fenced, scripts check the token in the same
// step, and remember the newest one seen by a read or a write.
#include "harness/stores/store.h"

#include "harness/base/text.h"
#include "harness/wire/redis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// On a server of the user's, what a killed run leaves behind goes by itself, a day after its last
// write. On one of ours, nothing may evict it.
#define EXPIRY "86400"

// Beside the value, in the same slot of a cluster: the names share their {tag}.
#define TOKEN_SUFFIX ":token"

static const struct redis_script fenced_read = {
    "if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[2]) or '0') then return false end "
    "redis.call('SET', KEYS[2], ARGV[1], unpack(ARGV, 3)) return redis.call('GET', KEYS[1])"};

static const struct redis_script fenced_write = {
    "if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[2]) or '0') then return false end "
    "redis.call('SET', KEYS[2], ARGV[1], unpack(ARGV, 3)) "
    "return redis.call('SET', KEYS[1], ARGV[2], unpack(ARGV, 3))"};

static int load_scripts(struct store *store, struct error *error)
{
    if (!store->fenced)
        return 0;
    int result = redis_script_load(store->connection, &fenced_read, error);
    return result == 0 ? redis_script_load(store->connection, &fenced_write, error) : result;
}

// Runs a fenced script; nil says that the token is old.
static enum outcome fenced_step(struct store *store, const struct redis_script *script,
                                int64_t token, int64_t value, struct redis_answer *answer)
{
    char token_text[24];
    char value_text[24];
    char token_key[80];
    snprintf(token_text, sizeof token_text, "%" PRId64, token);
    snprintf(value_text, sizeof value_text, "%" PRId64, value);
    snprintf(token_key, sizeof token_key, "%s" TOKEN_SUFFIX, store->name);
    const char *const keys[] = {store->name, token_key, NULL};
    const char *const expiry = store->service->external ? "EX" : NULL;
    const char *const arguments[] = {token_text, value_text, expiry, EXPIRY, NULL};
    enum outcome outcome = redis_eval(store->connection, answer, script, keys, arguments);
    return outcome == OUTCOME_OK && answer->kind == REDIS_NIL ? OUTCOME_NO
                                                              : store_noted(store, outcome);
}

static enum outcome read_value(struct store *store, int64_t token, int64_t *value)
{
    struct redis_answer answer = {0};
    enum outcome outcome =
        store->fenced
            ? fenced_step(store, &fenced_read, token, 0, &answer)
            : store_noted(store, redis_request(store->connection, &answer, "GET %s", store->name));
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.kind != REDIS_STRING) {
        error_set(&store->error, "the guarded value %s is gone from its store", store->name);
        return OUTCOME_BROKEN;
    }
    *value = strtoll(answer.text, NULL, 10);
    return OUTCOME_OK;
}

static enum outcome write_value(struct store *store, int64_t token, int64_t value)
{
    struct redis_answer answer = {0};
    if (store->fenced)
        return fenced_step(store, &fenced_write, token, value, &answer);
    const char *command = store->service->external ? "SET %s %lld EX " EXPIRY : "SET %s %lld";
    return store_noted(
        store, redis_request(store->connection, &answer, command, store->name, (long long)value));
}

static int clean_up(const struct service *service, const char *name, const char *tag,
                    struct error *error)
{
    struct text pattern = {0};
    (void)tag;
    text_format(&pattern, "%s*", name);
    int result = redis_clean(service, pattern.bytes, error);
    text_free(&pattern);
    return result;
}

const struct store_kind redis_store = {
    .name = "redis",
    .summary = "a key on a Redis server of its own, read by GET and written by SET",
    .server = "redis",
    .rights = "~lockpick:* +script|load +evalsha +eval +get +set",
    .connector = &redis_connector,
    .open = load_scripts,
    .read = read_value,
    .write = write_value,
    .clean_up = clean_up,
};
