// Apache Curator's InterProcessReadWriteLock: readers and writers in one line.
//   reader: node _c_<guid>-__READ__<number>; holds if no writer is before it, else it watches the
//           first writer in the line
//   writer: node _c_<guid>-__WRIT__<number>; holds if it is the first, else it watches the one
//           before it
// It has no fencing tokens: readers hold together, and a store would take the token of the one that
// came to it late for an old one.
#include "harness/locks/zookeeper_queue.h"

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

static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    enum outcome outcome =
        zk_queue_acquire(lock, lock->mode == LOCK_SHARED ? &reader : &writer, grant, give_up_ns);
    grant->token = 0;
    return outcome;
}

static const char *const traits[] = {"exclusive", "lease",   "session",   "owner-checked", "shared",
                                     "fair",      "renewed", "reentrant", "zookeeper",     NULL};

const struct lock_scheme curator_rw_scheme = {
    .name = "curator-rw",
    .summary = "Curator's InterProcessReadWriteLock: readers and writers in one line",
    .breaks = "a pause longer than the session",
    .traits = traits,
    .server = "zookeeper",
    .topologies = zk_topologies,
    .set_up = zk_lock_set_up,
    .clean_up = zk_lock_clean_up,
    .open_client = zk_client_open,
    .close_client = zk_client_close,
    .open = zk_lock_open,
    .close = zk_lock_close,
    .acquire = acquire,
    .release = zk_release,
    .reenter = zk_reenter,
    .leave = zk_leave,
};
