// Redis servers that refuse writes.
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/control_pause.h"
#include "harness/cluster/redis_control_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEAF_PORT 1     // where no Redis listens
#define MOST_SCRATCH 99 // so many keys are of each master's slots some, almost certainly

const char *const redis_refusals[] = {"readonly", "oom", "misconf", "min-replicas", NULL};

struct refusal {
    const char *name;
    const char *answer; // the first word of it
    int (*begin)(struct redis_link *link, struct error *error);
    int (*end)(struct redis_link *link, struct error *error);
};

// --- readonly ------------------------------------------------------------------------------------

// A replica of nobody: it keeps its data, and waits for a master that never answers.
static int begin_readonly(struct redis_link *link, struct error *error)
{
    return redis_link_tell(link, error, "REPLICAOF %s %d", link->node->end.address, DEAF_PORT);
}

enum replica_of { REPLICA_UNKNOWN = -1, REPLICA_OF_NONE, REPLICA_OF_NOBODY, REPLICA_OF_ANOTHER };

// Whose replica it is: none at all, ours that nobody feeds, or another server's. With `error` set
// if it does not say.
static enum replica_of replica_of(struct redis_link *link, struct error *error)
{
    redisReply *reply = redis_link_ask(link, error, "ROLE");
    if (reply == NULL)
        return REPLICA_UNKNOWN;
    enum replica_of result = REPLICA_OF_NONE;
    if (reply->elements > 2 && strcmp(reply->element[0]->str, "slave") == 0)
        result = reply->element[2]->integer == DEAF_PORT ? REPLICA_OF_NOBODY : REPLICA_OF_ANOTHER;
    freeReplyObject(reply);
    return result;
}

// Unless it was given a real master meanwhile.
static int end_readonly(struct redis_link *link, struct error *error)
{
    switch (replica_of(link, error)) {
    case REPLICA_UNKNOWN:
        return -1;
    case REPLICA_OF_NOBODY:
        return redis_link_tell(link, error, "REPLICAOF NO ONE");
    default:
        return 0;
    }
}

// --- oom, min-replicas ---------------------------------------------------------------------------

static int begin_oom(struct redis_link *link, struct error *error)
{
    if (redis_link_tell(link, error, "CONFIG SET maxmemory-policy noeviction") != 0)
        return -1;
    return redis_link_tell(link, error, "CONFIG SET maxmemory 1");
}

static int end_oom(struct redis_link *link, struct error *error)
{
    return redis_link_tell(link, error, "CONFIG SET maxmemory 0");
}

static int begin_min_replicas(struct redis_link *link, struct error *error)
{
    return redis_link_tell(link, error, "CONFIG SET min-replicas-to-write 100");
}

static int end_min_replicas(struct redis_link *link, struct error *error)
{
    return redis_link_tell(link, error, "CONFIG SET min-replicas-to-write 0");
}

// --- misconf -------------------------------------------------------------------------------------

// Starts a snapshot and waits until it has failed.
static int fail_snapshot(struct redis_link *link, struct error *error)
{
    long long runs = 1;
    while (redis_link_tell(link, error, "BGSAVE") != 0) {
        if (!control_pause(link->give_up_ns, "a snapshot can be started", NULL))
            return -1;
    }
    while (redis_info_number(link, "persistence", "rdb_bgsave_in_progress", &runs, error) == 0) {
        if (runs == 0)
            return 0;
        if (!control_pause(link->give_up_ns, "the snapshot has ended", error))
            return -1;
    }
    return -1;
}

// A server that has to save snapshots, and whose last one failed, refuses writes until one
// succeeds. This one fails because a folder is in its place, and none is due for years. The folder
// goes at once: a server that found it at a restart could not start.
static int begin_misconf(struct redis_link *link, struct error *error)
{
    char *path = path_join(link->node->data, "dump.rdb");
    int result = 0;
    unlink(path); // of a replica that was sent its master's data
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        result = error_set(error, "cannot make folder %s: %s", path, strerror(errno));
    if (result == 0)
        result = redis_link_tell(link, error, "CONFIG SET save %s", "100000000 100000000");
    if (result == 0)
        result = fail_snapshot(link, error);
    rmdir(path);
    free(path);
    return result;
}

static int end_misconf(struct redis_link *link, struct error *error)
{
    return redis_link_tell(link, error, "CONFIG SET save %s", "");
}

// --- proof ---------------------------------------------------------------------------------------

// The reply to a write that changes nothing. In a cluster, to one that the server is there for; if
// it is for none, to one that it is not.
static redisReply *try_write(struct redis_link *link, struct error *error)
{
    redisReply *reply = NULL;
    for (int i = 0; i < MOST_SCRATCH; i++) {
        freeReplyObject(reply);
        reply = redis_link_ask(link, error, "SETRANGE lockpick-scratch-%d 0 %s", i, "");
        if (reply == NULL || !redis_is_error(reply, "MOVED"))
            break;
    }
    return reply;
}

// A real replica's refusal, and that of a server without slots, are not ours to end.
static bool is_accepted(struct redis_link *link, const redisReply *reply)
{
    if (redis_is_error(reply, "READONLY"))
        return replica_of(link, NULL) == REPLICA_OF_ANOTHER;
    return !redis_is_error(reply, "") || redis_is_error(reply, "MOVED");
}

static int await_answer(struct redis_link *link, const struct refusal *refusal, bool refuses,
                        struct error *error)
{
    for (;;) {
        redisReply *reply = try_write(link, error);
        if (reply == NULL)
            return -1;
        bool proven = refuses ? redis_is_error(reply, refusal->answer) : is_accepted(link, reply);
        if (!proven)
            redis_unexpected(link, "a write", reply, error);
        freeReplyObject(reply);
        if (proven)
            return 0;
        if (!control_pause(link->give_up_ns, "", NULL))
            return error_wrap(error, "a second after '%s' was %s", refusal->name,
                              refuses ? "set" : "ended");
    }
}

// --- all -----------------------------------------------------------------------------------------

static const struct refusal refusals[] = {
    {"readonly", "READONLY", begin_readonly, end_readonly},
    {"oom", "OOM", begin_oom, end_oom},
    {"misconf", "MISCONF", begin_misconf, end_misconf},
    {"min-replicas", "NOREPLICAS", begin_min_replicas, end_min_replicas},
};

static const struct refusal *refusal_find(const char *name)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (strcmp(refusals[i].name, name) == 0)
            return &refusals[i];
    }
    return NULL;
}

static int begin(struct redis_link *link, const struct refusal *refusal, struct error *error)
{
    int is_master = redis_is_master(link, error);
    if (is_master == 0)
        return error_set(error, "%s is a replica, which refuses writes as it is: strike its master",
                         link->node->name);
    if (is_master < 0)
        return -1;
    if (refusal->begin(link, error) == 0 && await_answer(link, refusal, true, error) == 0)
        return 0;
    refusal->end(link, NULL);
    return -1;
}

int redis_deny(const struct node *node, const char *refusal, bool refuses, struct error *error)
{
    const struct refusal *found = refusal_find(refusal != NULL ? refusal : redis_refusals[0]);
    struct redis_link link;
    if (found == NULL)
        return error_set(error, "Redis has no refusal '%s'", refusal);
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = -1;
    if (refuses)
        result = begin(&link, found, error);
    else if (found->end(&link, error) == 0)
        result = await_answer(&link, found, false, error);
    redis_link_close(&link);
    return result;
}
