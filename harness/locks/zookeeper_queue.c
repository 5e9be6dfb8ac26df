// A queue of jobs in ZooKeeper, as Apache Curator's DistributedQueue does it that was given a lock
// path (DistributedQueue.java, processWithLockSafety). Each job is a node below /jobs.
//   1. read the jobs, and try each in its order:
//   2. create /locks/<job>, ephemeral: who makes it, has the job for as long as its session lasts;
//   3. ask whether the job is still there: another may have done it since.
// Release: delete the job if it is done, then the lock. Nobody counts how often a job was given
// out.
//
// Two things are not as in Curator. A job that is given back undone keeps its place, where Curator
// puts it behind all others. And it is looked for again after each retry, where Curator waits until
// jobs come or go: the job of a worker that has died may wait there for a change that never comes.
#include "harness/locks/zookeeper_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All of them are in the folder of the first one's lock.
static struct lock_options of_queue(const struct lock_options *options)
{
    struct lock_options own = *options;
    own.tag = options->queue_tag;
    return own;
}

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    const struct lock_options queue = of_queue(options);
    char job[32];
    snprintf(job, sizeof job, "/jobs/%010lld", (long long)options->job);
    const char *const nodes[] = {"", "/locks", "/jobs", job, NULL};
    return zk_lock_set_up_folders(service, &queue, nodes, error);
}

static int open_lock(struct lock *lock, struct error *error)
{
    (void)error;
    lock->options = of_queue(&lock->options);
    return 0;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

// NO: another has the job, or it is done.
static enum outcome take(struct lock *lock, const char *job, struct grant *grant)
{
    struct zk_node *node = &zk_lock_of(lock)->node;
    struct zk_answer answer;
    char path[ZK_PATH_ROOM];
    lock_asks_ns(lock);
    enum outcome outcome = zk_named_create(lock, node, "/locks", job);
    if (outcome != OUTCOME_OK)
        return outcome;
    zk_lock_path(&lock->options, "/jobs", job, path);
    outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_EXISTS, path, NULL);
    if (outcome == OUTCOME_OK) {
        grant->job = strtoll(job, NULL, 10);
        return zk_hold(lock, grant);
    }
    bool is_given_back = answer.reply == ZK_NO_NODE && zk_named_tidy(lock, node);
    if (is_given_back)
        return OUTCOME_NO;
    return outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
}

static enum outcome take_next(struct lock *lock, struct zk_names *jobs, struct grant *grant)
{
    struct zk_answer answer;
    char folder[ZK_PATH_ROOM];
    zk_lock_path(&lock->options, "/jobs", "", folder);
    enum outcome outcome = zk_get_children(zk_of(lock), lock->actor, &answer, folder, jobs, NULL);
    if (outcome != OUTCOME_OK)
        return zk_outcome(lock, answer.reply == ZK_NO_NODE ? OUTCOME_BROKEN : outcome,
                          "getChildren", folder, &answer);
    if (jobs->count == 0)
        grant->detail = ACQUIRE_GONE;
    else
        qsort(jobs->items, jobs->count, sizeof *jobs->items, compare_names);
    outcome = OUTCOME_NO;
    for (size_t i = 0; i < jobs->count && outcome == OUTCOME_NO; i++)
        outcome = take(lock, jobs->items[i], grant);
    return outcome;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct zk_names jobs = {0};
    if (!zk_named_tidy(lock, &zk_lock_of(lock)->node))
        return OUTCOME_UNKNOWN;
    enum outcome outcome = zk_begin(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome = take_next(lock, &jobs, grant);
    zk_names_free(&jobs);
    return outcome;
}

static enum release_answer release(struct lock *lock)
{
    const struct zk_node *node = &zk_lock_of(lock)->node;
    struct zk_node job = *node; // of that session
    bool is_told = true;
    if (lock->is_done) {
        zk_lock_path(&lock->options, "/jobs", strrchr(node->path, '/') + 1, job.path);
        is_told = zk_node_delete(lock, &job) != RELEASE_UNKNOWN;
    }
    enum release_answer answer = zk_named_release(lock);
    return is_told ? answer : RELEASE_UNKNOWN;
}

const struct lock_scheme zookeeper_queue_scheme = {
    .name = "zookeeper-queue",
    .summary = "a queue: a node for each job, and an ephemeral one of who has it; both deleted",
    .breaks = "a pause longer than the session, unless the store checks its fencing token; gives "
              "back another's job if its own was taken away",
    .traits =
        LOCK_TRAITS("exclusive", "lease", "session", "fenced", "renewed", "job-queue", "zookeeper"),
    ZK_SCHEME,
    .set_up = set_up,
    .open = open_lock,
    .try_acquire = try_acquire,
    .release = release,
};
