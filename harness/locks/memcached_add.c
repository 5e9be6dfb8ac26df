// add, which stores only what is not there; released by a plain delete, whoever's it is.
#include "harness/locks/memcached_common.h"

#include <string.h>

static enum release_answer release(struct lock *lock)
{
    struct memcached_answer answer;
    enum outcome outcome =
        memcached_outcome(lock, memcached_request(memcached_lock_of(lock)->connection, &answer,
                                                  "delete %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return strcmp(answer.word, "DELETED") == 0 ? RELEASE_UNCHECKED : RELEASE_GONE;
}

const struct lock_scheme memcached_add_scheme = {
    .name = "memcached-add",
    .summary = "add with an expiry; a plain delete releases",
    .breaks = "eviction, restart; the delete of one whose lease is over removes another's",
    .traits = LOCK_TRAITS("memcached", "exclusive", "lease"),
    MEMCACHED_SCHEME,
    .release = release,
};
