// A lock on Keyval: SET NX PX with a token, deleted if the token is still there.
#include "harness/locks/redis_common.h"

const struct lock_scheme keyval_lock_scheme = {
    .name = "keyval-lock",
    .summary = "SET NX PX with a token, deleted if the token is still there",
    .breaks = "a server that forgets",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "keyval"),
    .server = "keyval",
    REDIS_HANDLES,
    .kind = redis_checked,
    .try_acquire = redis_set_token,
    .release = redis_release_checked,
};
