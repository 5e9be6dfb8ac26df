// SET NX PX with a token, renewed at a third of the lease while the holder works: a script compares
// the token and sets the expiry anew. The same holder may lock again: that is known to the client
// only.
#include "harness/locks/redis_common.h"

static const struct redis_script renew_script = {"if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                                 "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
                                                 "else return 0 end"};

// The script: 1 renewed, 0 another's or nobody's.
static enum outcome renew(struct renewal *renewal)
{
    return redis_renew_by_script(renewal, &renew_script);
}

// Nothing goes over the wire: who has lost the lock and has not been told does not notice.
static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    (void)grant;
    return lock_still_held(lock);
}

static enum release_answer leave(struct lock *lock)
{
    (void)lock;
    return RELEASE_RELEASED;
}

const struct lock_scheme redis_watchdog_scheme = {
    .name = "redis-watchdog",
    .summary = "SET NX PX with a token; a watchdog that checks the owner renews at lease/3",
    .breaks = "a pause of the whole process beyond the lease; a failover",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed", "reentrant"),
    .rights = REDIS_CHECKED_RIGHTS "+set +pexpire",
    REDIS_SCHEME,
    .renewal = &(const struct watchdog_settings){.renew = renew},
    .kind = (const struct redis_script *const[]){&redis_compare_and_delete, &renew_script, NULL},
    .try_acquire = redis_set_token,
    .recover = redis_release_checked,
    .release = redis_release_checked,
    .reenter = reenter,
    .leave = leave,
};
