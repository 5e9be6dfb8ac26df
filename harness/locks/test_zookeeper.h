// For tests: workers with a ZooKeeper scheme's handles, and a session past all schemes to look at
// their nodes with.
#ifndef LOCKPICK_LOCKS_TEST_ZOOKEEPER_H
#define LOCKPICK_LOCKS_TEST_ZOOKEEPER_H

#include "harness/locks/test_contract.h"
#include "harness/locks/zookeeper_common.h"
#include "harness/wire/zookeeper_parts.h"

// The folder of the nodes that hold.
static inline const char *holds_below(const struct lock_scheme *scheme)
{
    if (lock_scheme_has(scheme, "job-queue"))
        return "/locks";
    return strcmp(scheme->name, "curator-semaphore-mutex") == 0 ? "/leases" : "";
}

static inline struct zk_names nodes_below(struct fixture *fixture, const char *below)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    struct zk_names names;
    char path[ZK_PATH_ROOM];
    zk_lock_path(&fixture->locks[0].options, below, "", path);
    // Where the machine has stood still, the probe's own session may have ended.
    AWAIT(zk_begin(fixture->probe) == OUTCOME_OK &&
          zk_get_children(fixture->probe, &nobody, &answer, path, &names, NULL) == OUTCOME_OK);
    return names;
}

static inline size_t count_below(struct fixture *fixture, const char *below)
{
    AUTO(zk_names_free) struct zk_names names = nodes_below(fixture, below);
    size_t count = names.count;
    return count;
}

static inline void remove_below(struct fixture *fixture, const char *below, const char *name)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    char path[ZK_PATH_ROOM];
    zk_lock_path(&fixture->locks[0].options, below, name, path);
    // As above. A delete that got no answer may have been carried out: the next one finds no node.
    AWAIT(zk_begin(fixture->probe) == OUTCOME_OK &&
          zk_ask(fixture->probe, &nobody, &answer, ZK_DELETE, path, NULL) == OUTCOME_OK);
    assert_true(answer.reply == ZK_DONE || answer.reply == ZK_NO_NODE);
}

// A name's end: the number of a node in line.
static inline const char *number_of(const char *name)
{
    size_t length = strlen(name);
    return length > 10 ? name + length - 10 : name;
}

// Who is first in line, holds: takes that node away.
static inline bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    AUTO(zk_names_free) struct zk_names names = nodes_below(fixture, holds_below(scheme));
    const char *first = NULL;
    for (size_t i = 0; i < names.count; i++) {
        if (first == NULL || strcmp(number_of(names.items[i]), number_of(first)) < 0)
            first = names.items[i];
    }
    if (first != NULL)
        remove_below(fixture, holds_below(scheme), first);
    return true;
}

static inline void limit_requests(struct fixture *fixture, int64_t request_ns)
{
    for (int i = 0; i < WORKERS; i++)
        zk_of(&fixture->locks[i])->request_ns = request_ns;
}

// On the last server: tests kill the first.
static inline void *open_probe(const struct service *service, int64_t request_ns,
                               struct actor *actor, struct error *error)
{
    (void)actor;
    const struct zk_settings settings = {.service = service,
                                         .first_server = service->server_count - 1,
                                         .session_ns = 4 * NS_PER_S,
                                         .request_ns = request_ns};
    return zk_open(&settings, error);
}

static inline void close_probe(void *probe)
{
    zk_close(probe);
}

// A server in Java may be late with its answers on a busy machine: only of one that is stopped none
// comes.
#define ZOOKEEPER_CONTRACT                                                                         \
    .server = "zookeeper", .lease_ns = 4 * NS_PER_S, .request_ns = 2 * NS_PER_S,                   \
    .limit_requests = limit_requests, .evict = evict, .probe_ns = 2 * NS_PER_S,                    \
    .probe = &(const struct connector)                                                             \
    {                                                                                              \
        .open = open_probe, .close = close_probe                                                   \
    }

#endif
