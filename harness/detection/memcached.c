// A mistake in the release of a lock of memcached.
#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/memcached_common.h"

#include <string.h>

// gets L; if it is ours, delete L, whatever it is by then.
static enum release_answer release(struct lock *lock)
{
    struct memcached_lock *state = memcached_lock_of(lock);
    struct memcached_answer answer;
    enum outcome outcome = memcached_outcome(
        lock, memcached_request(state->connection, &answer, "gets %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (strcmp(answer.word, "VALUE") != 0)
        return RELEASE_GONE;
    if (strcmp(answer.value, state->token) != 0)
        return RELEASE_NOT_OWNER;
    return memcached_add_scheme.release(lock);
}

const struct lock_scheme cas_ignored_variant = {
    .name = "broken-memcached-cas-ignored",
    .summary = "a release reads the item with its unique number, and deletes without it",
    .breaks = "a pause between the two",
    .traits = LOCK_TRAITS("memcached", "exclusive", "lease", "owner-checked"),
    MEMCACHED_SCHEME,
    .release = release,
};
