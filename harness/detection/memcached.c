// A mistake in the release of a lock of memcached.
#include "harness/wire/memcached.h"
#include "harness/detection/variants.h"

#include <string.h>

// gets L; if it is ours, delete L, whatever it is by then.
static enum release_answer release(struct lock *lock)
{
    struct memcached_answer answer;
    enum outcome outcome = lock_noted(
        lock, memcached_request(lock->connection, &answer, "gets %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (strcmp(answer.word, "VALUE") != 0)
        return RELEASE_GONE;
    if (strcmp(answer.value, lock->token) != 0)
        return RELEASE_NOT_OWNER;
    return memcached_add_scheme.release(lock);
}

const struct lock_scheme cas_ignored_mistake = {
    .name = "broken-memcached-cas-ignored",
    .summary = "a release reads the item with its unique number, and deletes without it",
    .breaks = "a pause between the two",
    .release = release,
};
