#include "harness/cluster/redis_control.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/control_pause.h"
#include "harness/cluster/redis_control_link.h"
#include "harness/cluster/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- leads ---------------------------------------------------------------------------------------

// The line of CLUSTER NODES about the one that is asked:
// id address myself,flags master ping pong epoch link slots...
static bool line_has_slots(const char *nodes)
{
    char line[256];
    char digit[2];
    const char *mine = strstr(nodes, "myself,master");
    if (mine == NULL)
        return false;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(mine, "\r\n"), mine);
    return sscanf(line, "%*s %*s %*s %*s %*s %*s %1[0-9]", digit) == 1;
}

// 1 if the answer is a text for which `holds`, 0 if not, -1 with `error` set.
static int ask_whether(struct redis_link *link, const char *command, const char *section,
                       bool (*holds)(const char *text), struct error *error)
{
    redisReply *reply = redis_link_ask(link, error, "%s %s", command, section);
    if (reply == NULL)
        return -1;
    int result = reply->type == REDIS_REPLY_STRING ? holds(reply->str)
                                                   : redis_unexpected(link, command, reply, error);
    freeReplyObject(reply);
    return result;
}

static bool says_all_is_well(const char *text)
{
    return strstr(text, "cluster_state:ok") != NULL;
}

static bool says_it_loads(const char *text)
{
    return strstr(text, "\nloading:0") == NULL;
}

static int leads_now(struct redis_link *link, struct error *error)
{
    int loads = ask_whether(link, "INFO", "persistence", says_it_loads, error);
    if (loads != 0)
        return loads < 0 ? -1 : error_set(error, "%s is loading its data", link->node->name);
    if (redis_in_cluster(link->node)) {
        int has_slots = ask_whether(link, "CLUSTER", "NODES", line_has_slots, error);
        return has_slots == 1 ? ask_whether(link, "CLUSTER", "INFO", says_all_is_well, error)
                              : has_slots;
    }
    bool elected = strcmp(link->node->group->settings.topology->name, "sentinel") == 0;
    return elected ? redis_is_master(link, error) : 1;
}

static int leads(const struct node *node, struct error *error)
{
    struct redis_link link;
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = leads_now(&link, error);
    redis_link_close(&link);
    return result;
}

// --- promote -------------------------------------------------------------------------------------

static int promote_now(struct redis_link *link, struct error *error)
{
    int state = redis_is_master(link, error);
    if (state == 0)
        state = redis_in_cluster(link->node)
                    ? redis_link_tell(link, error, "CLUSTER FAILOVER TAKEOVER")
                    : redis_link_tell(link, error, "REPLICAOF NO ONE");
    if (state < 0)
        return -1;
    int leading;
    while ((leading = leads_now(link, error)) == 0) {
        if (!control_pause(link->give_up_ns, "it leads", error))
            return error_wrap(error, "%s was promoted", link->node->name);
    }
    return leading == 1 ? 0 : -1;
}

static int promote(const struct node *node, struct error *error)
{
    struct redis_link link;
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = promote_now(&link, error);
    redis_link_close(&link);
    return result;
}

// --- has_lock ------------------------------------------------------------------------------------

// How one sees from its key that a lock is held.
struct sign {
    const char *scheme;
    const char *command;
    bool (*is_held)(const redisReply *reply);
};

static bool exists(const redisReply *reply)
{
    return reply->integer == 1;
}

// The value is when it ends, in milliseconds of the clients' clock; the key stays.
static bool is_not_over(const redisReply *reply)
{
    return reply->str != NULL && strtoll(reply->str, NULL, 10) >= clock_monotonic_ns() / NS_PER_MS;
}

// The value is how many permits are free. Without one nobody is let in, but nobody is in, either.
static bool has_no_permit(const redisReply *reply)
{
    return reply->str != NULL && strtoll(reply->str, NULL, 10) < 1;
}

static const struct sign *sign_of(const struct lock_identity *lock)
{
    static const struct sign usual = {"", "EXISTS", exists};
    static const struct sign others[] = {
        {"redis-setnx-getset", "GET", is_not_over},
        {"redisson-semaphore", "GET", has_no_permit},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(others[i].scheme, lock->scheme) == 0)
            return &others[i];
    }
    return &usual;
}

// 1 if a key of that name is among all, 0 if not, -1 with `error` set.
static int find_key(struct redis_link *link, const char *name, struct error *error)
{
    char cursor[32] = "0";
    do {
        redisReply *reply =
            redis_link_ask(link, error, "SCAN %s MATCH %s COUNT 10000", cursor, name);
        if (reply == NULL)
            return -1;
        bool is_list = reply->type == REDIS_REPLY_ARRAY && reply->elements == 2;
        bool found = is_list && reply->element[1]->elements > 0;
        if (is_list)
            snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
        else
            redis_unexpected(link, "SCAN", reply, error);
        freeReplyObject(reply);
        if (!is_list || found)
            return found ? 1 : -1;
    } while (strcmp(cursor, "0") != 0);
    return 0;
}

// A member that is cut off from its cluster refuses to read a key, but not to list its keys.
static int has_lock_cut_off(struct redis_link *link, const struct lock_identity *lock,
                            struct error *error)
{
    int found = find_key(link, lock->name, error);
    if (found != 1 || sign_of(lock)->is_held == exists)
        return found;
    return error_set(error, "%s is cut off from its cluster and does not tell the value of %s",
                     link->node->name, lock->name);
}

static int has_lock_now(struct redis_link *link, const struct lock_identity *lock,
                        struct error *error)
{
    const struct sign *sign = sign_of(lock);
    // So that a replica answers for its own copy. It is without effect on a master.
    if (redis_in_cluster(link->node) && redis_link_tell(link, error, "READONLY") != 0)
        return -1;
    redisReply *reply = redis_link_ask(link, error, "%s %s", sign->command, lock->name);
    if (reply == NULL)
        return -1;
    int result;
    if (!redis_is_error(reply, ""))
        result = sign->is_held(reply);
    else if (redis_is_error(reply, "MOVED"))
        result = 0; // such keys are others'
    else if (redis_is_error(reply, "CLUSTERDOWN"))
        result = has_lock_cut_off(link, lock, error);
    else
        result = redis_unexpected(link, sign->command, reply, error);
    freeReplyObject(reply);
    return result;
}

static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    struct redis_link link;
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = has_lock_now(&link, lock, error);
    redis_link_close(&link);
    return result;
}

// --- flush ---------------------------------------------------------------------------------------

static int flush(const struct node *node, struct error *error)
{
    struct redis_link link;
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = redis_link_tell(&link, error, "FLUSHALL");
    redis_link_close(&link);
    return result;
}

// --- all -----------------------------------------------------------------------------------------

const struct server_control redis_control = {
    .leads = leads,
    .owns = redis_owns,
    .promote = promote,
    .has_lock = has_lock,
    .flush = flush,
    .policies = redis_policies,
    .evict = redis_evict,
    .relieve = redis_relieve,
    .refusals = redis_refusals,
    .deny = redis_deny,
    .links = redis_links,
    .disconnect = redis_disconnect,
    .forget = redis_forget,
};

// Whatever it loses, it is told of it again: by its settings, which stay, and by its peers.
const struct server_control redis_sentinel_control = {.forget = redis_forget};
