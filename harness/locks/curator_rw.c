// Apache Curator's InterProcessReadWriteLock: readers and writers in one line.
//   reader: node _c_<guid>-__READ__<number>; holds if no writer is before it, else it watches the
//           first writer in the line
//   writer: node _c_<guid>-__WRIT__<number>; holds if it is the first, else it watches the one
//           before it
// It has no fencing tokens: readers hold together, and a store would take the token of the one that
// came to it late for an old one.
#include "harness/locks/zookeeper_common.h"

#include <string.h>

#define READER "-__READ__"
#define WRITER "-__WRIT__"

static size_t first_writer(const struct zk_queue *queue, size_t own)
{
    for (size_t i = 0; i < own; i++) {
        if (strstr(queue->places[i].name, WRITER) != NULL)
            return i;
    }
    return own;
}

static const struct zk_recipe reader = {
    .below = "", .prefix = "_c_", .suffix = READER, .blocker = first_writer};

static const struct zk_recipe writer = {
    .below = "", .prefix = "_c_", .suffix = WRITER, .blocker = zk_queue_predecessor};

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const struct zk_recipe *recipe = lock->mode == LOCK_SHARED ? &reader : &writer;
    enum outcome outcome = zk_queue_wait(lock, recipe, &zk_lock_of(lock)->node, grant);
    if (outcome == OUTCOME_OK)
        zk_hold(lock, grant);
    grant->token = 0;
    return outcome;
}

const struct lock_scheme curator_rw_scheme = {
    .name = "curator-rw",
    .summary = "Curator's InterProcessReadWriteLock: readers and writers in one line",
    .breaks = "a pause longer than the session",
    .traits = LOCK_TRAITS("exclusive", "lease", "session", "owner-checked", "shared", "fair",
                          "renewed", "reentrant", "zookeeper"),
    ZK_SCHEME,
    .set_up = zk_lock_set_up,
    .try_acquire = try_acquire,
    .release = zk_release,
    .reenter = zk_reenter,
    .leave = zk_leave,
};
