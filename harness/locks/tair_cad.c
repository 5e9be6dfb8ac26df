// Compare-and-delete and compare-and-set as commands of the server, instead of as scripts: Tair's
// CAD and CAS, or DELEX and SET with IFEQ of Redis from 8.4 on. `tair-cad-emulated` is the same
// lock on any Redis, by two scripts that do what the commands do.
#include "harness/locks/redis_common.h"

#include <string.h>

// What the server understands: lock_client->state.
enum dialect { DIALECT_TAIR, DIALECT_REDIS };

// False, with `why` set, if the server understands neither, or cannot be asked.
static bool find_dialect(const struct service *service, enum dialect *dialect, struct error *why)
{
    struct error answer = {0};
    *dialect = DIALECT_TAIR;
    if (redis_has_command(service, "cad", &answer))
        return true;
    *dialect = DIALECT_REDIS;
    if (redis_has_command(service, "delex", &answer))
        return true;
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

static int open_client(struct lock_client *client, struct error *error)
{
    return find_dialect(client->service, client->state, error) ? 0 : -1;
}

// --- the commands --------------------------------------------------------------------------------

// CAD L token: 1 deleted, 0 another's, -1 nobody's. DELEX L IFEQ token: 1 deleted, 0 not.
static enum release_answer release_by_command(struct lock *lock)
{
    const enum dialect *dialect = lock->client->state;
    struct redis_answer answer;
    const char *format = *dialect == DIALECT_TAIR ? "CAD %s %s" : "DELEX %s IFEQ %s";
    enum outcome outcome = REDIS_ASK(lock, &answer, format, lock->token);
    return redis_release_answer(outcome, &answer);
}

// CAS L token token PX lease: 1 renewed, 0 another's, -1 nobody's. SET L token IFEQ token PX lease:
// OK renewed, nil not.
static enum outcome renew_by_command(struct renewal *renewal)
{
    const struct lock_client *client = renewal->lock->client;
    const enum dialect *dialect = client->state;
    const char *token = renewal->lock->token;
    struct redis_answer answer;
    enum outcome outcome = redis_request(
        client->connection, &answer,
        *dialect == DIALECT_TAIR ? "CAS %s %s %s PX %lld" : "SET %s %s IFEQ %s PX %lld",
        client->options.name, token, token, lease_ms(renewal->lock));
    return redis_renewed(outcome, &answer);
}

// --- the scripts ---------------------------------------------------------------------------------

static const struct redis_script cas_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

static enum outcome renew_by_script(struct renewal *renewal)
{
    return redis_renew_by_script(renewal, &cas_script);
}

// --- both ----------------------------------------------------------------------------------------

#define TAIR_SCHEME                                                                                \
    REDIS_SCHEME, .try_acquire = redis_set_token,                                                  \
                  .breaks = "a pause of the whole process beyond the lease; a failover",           \
                  .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed")

const struct lock_scheme tair_cad_scheme = {
    .name = "tair-cad",
    .summary = "SET NX PX with a token; CAD (or DELEX) releases, CAS (or SET IFEQ) renews",
    TAIR_SCHEME,
    .rights = REDIS_KEYS "+command|info +set +delex", // of a Redis
    .is_possible = is_possible,
    .client_bytes = sizeof(enum dialect),
    .open_client = open_client,
    .renewal = &(const struct watchdog_settings){.renew = renew_by_command},
    .recover = release_by_command,
    .release = release_by_command,
};

const struct lock_scheme tair_cad_emulated_scheme = {
    .name = "tair-cad-emulated",
    .summary = "tair-cad emulated on any Redis: two scripts do what CAD and CAS do",
    TAIR_SCHEME,
    .rights = REDIS_CHECKED_RIGHTS "+set",
    .renewal = &(const struct watchdog_settings){.renew = renew_by_script},
    .kind = (const struct redis_script *const[]){&redis_compare_and_delete, &cas_script, NULL},
    .recover = redis_release_checked,
    .release = redis_release_checked,
};
