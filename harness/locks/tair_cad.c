// Compare-and-delete and compare-and-set as commands of the server, instead of as scripts: Tair's
// CAD and CAS, or DELEX and SET with IFEQ of Redis from 8.4 on. `tair-cad-emulated` is the same
// lock on any Redis, by two scripts that do what the commands do.
#include "harness/locks/redis_renewal.h"

#include <stdio.h>
#include <string.h>

static const struct redis_script cad_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('DEL', KEYS[1]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

static const struct redis_script cas_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

// What the server understands.
enum dialect { DIALECT_TAIR, DIALECT_REDIS };

// False, with `why` set, if the server understands neither, or cannot be asked.
static bool find_dialect(const struct service *service, enum dialect *dialect, struct error *why)
{
    struct error answer = {0};
    if (redis_has_command(service, "cad", &answer)) {
        *dialect = DIALECT_TAIR;
        return true;
    }
    if (redis_has_command(service, "delex", &answer)) {
        *dialect = DIALECT_REDIS;
        return true;
    }
    // Without the address: the reason is the same for every such server.
    bool lacks = strstr(answer.text, "has no command") != NULL;
    error_set(why,
              "tair-cad needs CAD (Tair) or DELEX (Redis 8.4 or newer), but %s: name a server that "
              "has one of them in servers.redis.external, or take tair-cad-emulated",
              lacks ? "this Redis has neither" : answer.text);
    return false;
}

static bool is_possible(const struct service *service, struct error *why)
{
    enum dialect dialect;
    return find_dialect(service, &dialect, why);
}

static bool is_tair(const struct redis_renewal *renewal)
{
    return renewal->dialect == DIALECT_TAIR;
}

// --- the commands --------------------------------------------------------------------------------

// CAD L token: 1 deleted, 0 another's, -1 nobody's. DELEX L IFEQ token: 1 deleted, 0 not.
static enum release_answer release_by_command(struct lock *lock)
{
    struct redis_answer answer;
    redis_renewal_end(lock);
    enum outcome outcome = redis_request(
        redis_of(lock), &answer, is_tair(lock->client->state) ? "CAD %s %s" : "DELEX %s IFEQ %s",
        lock->options.name, redis_lock_of(lock)->token);
    return redis_release_answer(lock, outcome, &answer);
}

// CAS L token token PX lease: 1 renewed, 0 another's, -1 nobody's. SET L token IFEQ token PX lease:
// OK renewed, nil not.
static enum outcome renew_by_command(struct redis_renewal *renewal, const char *token,
                                     int64_t *valid_until_ns)
{
    const struct lock_options *options = &renewal->client->options;
    struct redis_answer answer;
    long long lease = options->lease_ns / NS_PER_MS;
    int64_t ends_ns = redis_renewal_ends_ns(renewal, options->lease_ns);
    enum outcome outcome =
        redis_request(renewal->connection, &answer,
                      is_tair(renewal) ? "CAS %s %s %s PX %lld" : "SET %s %s IFEQ %s PX %lld",
                      options->name, token, token, lease);
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    *valid_until_ns = ends_ns;
    return answer.kind == REDIS_STATUS || answer.integer == 1 ? OUTCOME_OK : OUTCOME_NO;
}

static const struct redis_renewal_kind renewal_by_command = {.renew = renew_by_command};

static int open_client(struct lock_client *client, struct error *error)
{
    enum dialect dialect;
    if (!find_dialect(client->service, &dialect, error) ||
        redis_renewal_open(client, &renewal_by_command, error) != 0)
        return -1;
    struct redis_renewal *renewal = client->state;
    renewal->dialect = (int)dialect;
    return 0;
}

// --- the scripts ---------------------------------------------------------------------------------

static enum release_answer release_by_script(struct lock *lock)
{
    const char *const keys[] = {lock->options.name, NULL};
    const char *const arguments[] = {redis_lock_of(lock)->token, NULL};
    struct redis_answer answer;
    redis_renewal_end(lock);
    enum outcome outcome = redis_eval(redis_of(lock), &answer, &cad_script, keys, arguments);
    return redis_release_answer(lock, outcome, &answer);
}

static enum outcome renew_by_script(struct redis_renewal *renewal, const char *token,
                                    int64_t *valid_until_ns)
{
    const struct lock_options *options = &renewal->client->options;
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", (long long)(options->lease_ns / NS_PER_MS));
    const char *const keys[] = {options->name, NULL};
    const char *const arguments[] = {token, token, lease, NULL};
    struct redis_answer answer;
    int64_t ends_ns = redis_renewal_ends_ns(renewal, options->lease_ns);
    enum outcome outcome = redis_eval(renewal->connection, &answer, &cas_script, keys, arguments);
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    *valid_until_ns = ends_ns;
    return answer.integer == 1 ? OUTCOME_OK : OUTCOME_NO;
}

static const struct redis_renewal_kind renewal_by_script = {.script = &cas_script,
                                                            .renew = renew_by_script};

static int open_client_emulated(struct lock_client *client, struct error *error)
{
    return redis_renewal_open(client, &renewal_by_script, error);
}

static int open_lock_emulated(struct lock *lock, struct error *error)
{
    return redis_lock_open(lock, error) != 0
               ? -1
               : redis_script_load(redis_of(lock), &cad_script, error);
}

// --- both ----------------------------------------------------------------------------------------

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redis_set_if_absent(lock, token);
    // No answer: the lock may be ours. If it is, give it back, and it was certainly not held.
    if (outcome == OUTCOME_UNKNOWN)
        return lock->scheme->release(lock) == RELEASE_RELEASED ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK)
        redis_renewal_begin(lock, grant);
    return redis_outcome(lock, outcome);
}

static const char *const traits[] = {"redis",         "exclusive", "lease",
                                     "owner-checked", "renewed",   NULL};

const struct lock_scheme tair_cad_scheme = {
    .name = "tair-cad",
    .summary = "SET NX PX with a token; CAD (or DELEX) releases, CAS (or SET IFEQ) renews",
    .breaks = "a pause of the whole process beyond the lease; a failover",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .is_possible = is_possible,
    .open_client = open_client,
    .close_client = redis_renewal_close,
    .open = redis_lock_open,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = release_by_command,
};

const struct lock_scheme tair_cad_emulated_scheme = {
    .name = "tair-cad-emulated",
    .summary = "tair-cad emulated on any Redis: two scripts do what CAD and CAS do",
    .breaks = "a pause of the whole process beyond the lease; a failover",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .open_client = open_client_emulated,
    .close_client = redis_renewal_close,
    .open = open_lock_emulated,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = release_by_script,
};
