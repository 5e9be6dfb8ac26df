// A lock on Keyval: SET NX PX with a token, deleted if the token is still there.
#include "harness/locks/redis_common.h"

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    return redis_outcome(lock, redis_set_if_absent(lock, token));
}

const struct lock_scheme keyval_lock_scheme = {
    .name = "keyval-lock",
    .summary = "SET NX PX with a token, deleted if the token is still there",
    .breaks = "a server that forgets",
    .traits = (const char *const[]){"exclusive", "lease", "owner-checked", "keyval", NULL},
    .server = "keyval",
    .open = redis_lock_open_checked,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = redis_release_checked,
};
