// SET NX PX with a token that the client compares before it deletes: two commands, and time passes
// between them.
#include "harness/locks/redis_common.h"

#include <string.h>

// GET L; if it is our token, DEL L.
static enum release_answer release(struct lock *lock)
{
    struct redis_answer answer;
    enum outcome outcome =
        redis_outcome(lock, redis_request(redis_of(lock), &answer, "GET %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (answer.kind == REDIS_NIL)
        return RELEASE_GONE;
    if (strcmp(answer.text, redis_lock_of(lock)->token) != 0)
        return RELEASE_NOT_OWNER;
    return redis_release_unchecked(lock);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redis_outcome(lock, redis_set_if_absent(lock, token));
    // No answer: the lock may be ours. Give it back if it is; but what a plain DEL has removed is
    // never certain, and so the outcome stays unknown.
    if (outcome == OUTCOME_UNKNOWN)
        release(lock);
    return outcome;
}

static const char *const traits[] = {"exclusive", "lease", "redis", NULL};

const struct lock_scheme redis_set_px_get_del_scheme = {
    .name = "redis-set-px-get-del",
    .summary = "SET NX PX with a token; GET, compare in the client, DEL to release",
    .breaks = "a pause between GET and DEL: it deletes another's lock",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .open = redis_lock_open,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = release,
};
