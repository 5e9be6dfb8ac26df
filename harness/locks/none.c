// No lock at all: what plain contention does to the guarded value.
#include "harness/locks/lock.h"

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    (void)lock, (void)grant;
    return OUTCOME_OK;
}

static enum release_answer release(struct lock *lock)
{
    (void)lock;
    return RELEASE_RELEASED;
}

const struct lock_scheme none_scheme = {
    .name = "none",
    .summary = "no lock: every acquire is granted at once",
    .breaks = "plain contention",
    .traits = (const char *const[]){NULL},
    .try_acquire = try_acquire,
    .release = release,
};
