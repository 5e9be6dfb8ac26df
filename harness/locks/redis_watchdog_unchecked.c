// A watchdog as it is often written: every 300 ms it looks how long the key has to live, and if
// that is less than a second it gives it 5 seconds, whoever's key it is by now. So it revives a
// stranger's lock, and goes on doing so. The first lease is the one that was asked for.
#include "harness/locks/redis_common.h"

#define LOOKS_EVERY_NS (300 * NS_PER_MS)
#define RENEWED_S 5

// TTL L; if less than 1, EXPIRE L 5. The flaw: whoever's token is there.
static void renew(struct lock_client *client, struct actor *actor, struct renewal *renewal,
                  size_t count)
{
    const struct redis_client *state = client->state;
    const char *name = client->options.name;
    int64_t ends_ns = renewal->valid_until_ns; // as valid as before
    struct redis_answer answer;
    (void)count;
    enum outcome outcome = redis_request(state->connection, &answer, "TTL %s", name);
    if (outcome == OUTCOME_OK && answer.integer < 1) {
        ends_ns = clock_now_ns(&actor->clock) + RENEWED_S * NS_PER_S;
        outcome = redis_request(state->connection, &answer, "EXPIRE %s %d", name, RENEWED_S);
    } else {
        answer.integer = 1;
    }
    redis_renewed(renewal, outcome, &answer, ends_ns);
}

const struct lock_scheme redis_watchdog_unchecked_scheme = {
    .name = "redis-watchdog-unchecked",
    .summary = "SET NX PX with a token; a watchdog that does not check the owner renews",
    .breaks = "who has lost the lock renews whoever's it is now, and keeps all others out",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed"),
    REDIS_RENEWED_SCHEME,
    .open_client = redis_client_open,
    .renewal = &(const struct watchdog_settings){.interval_ns = LOOKS_EVERY_NS,
                                                 .never_gives_up = true,
                                                 .renew = renew},
    .kind = redis_checked,
    .try_acquire = redis_set_token,
    .recover = redis_release_checked,
    .release = redis_release_checked,
};
