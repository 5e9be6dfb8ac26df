// A watchdog as it is often written: every 300 ms it looks how long the key has to live, and if
// that is less than a second it gives it 5 seconds, whoever's key it is by now. So it revives a
// stranger's lock, and goes on doing so. The first lease is the one that was asked for.
#include "harness/locks/redis_common.h"

#define LOOKS_EVERY_NS (300 * NS_PER_MS)
#define RENEWED_S 5

// TTL L; if less than 1, EXPIRE L 5. The flaw: whoever's token is there.
static enum outcome renew(struct renewal *renewal)
{
    struct redis_connection *connection = renewal->lock->client->connection;
    const char *name = renewal->lock->options.name;
    struct redis_answer answer;
    renewal->valid_until_ns = renewal->held_until_ns; // as valid as before
    enum outcome outcome = redis_request(connection, &answer, "TTL %s", name);
    if (outcome == OUTCOME_OK && answer.integer < 1) {
        renewal->valid_until_ns = clock_now_ns(&renewal->actor->clock) + RENEWED_S * NS_PER_S;
        outcome = redis_request(connection, &answer, "EXPIRE %s %d", name, RENEWED_S);
    } else {
        answer.integer = 1;
    }
    return redis_renewed(outcome, &answer);
}

const struct lock_scheme redis_watchdog_unchecked_scheme = {
    .name = "redis-watchdog-unchecked",
    .summary = "SET NX PX with a token; a watchdog that does not check the owner renews",
    .breaks = "who has lost the lock renews whoever's it is now, and keeps all others out",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed"),
    .rights = REDIS_CHECKED_RIGHTS "+set +ttl +expire",
    REDIS_SCHEME,
    .renewal = &(const struct watchdog_settings){.interval_ns = LOOKS_EVERY_NS,
                                                 .never_gives_up = true,
                                                 .renew = renew},
    .kind = redis_checked,
    .try_acquire = redis_set_token,
    .recover = redis_release_checked,
    .release = redis_release_checked,
};
