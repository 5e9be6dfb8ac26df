// SET NX PX with a token that the client compares before it deletes: two commands, and time passes
// between them.
#include "harness/locks/redis_common.h"

#include <string.h>

// GET L; if it is our token, DEL L. An acquire without an answer stays unknown after that: what a
// plain DEL has removed is never certain.
static enum release_answer release(struct lock *lock)
{
    struct redis_answer answer;
    if (REDIS_ASK(lock, &answer, "GET %s") != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (answer.kind == REDIS_NIL)
        return RELEASE_GONE;
    if (strcmp(answer.text, lock->token) != 0)
        return RELEASE_NOT_OWNER;
    return redis_release_unchecked(lock);
}

const struct lock_scheme redis_set_px_get_del_scheme = {
    .name = "redis-set-px-get-del",
    .summary = "SET NX PX with a token; GET, compare in the client, DEL to release",
    .breaks = "a pause between GET and DEL: it deletes another's lock",
    .traits = LOCK_TRAITS("exclusive", "lease", "redis"),
    .rights = REDIS_KEYS "+set +get +del",
    REDIS_SCHEME,
    .try_acquire = redis_set_token,
    .recover = release,
    .release = release,
};
