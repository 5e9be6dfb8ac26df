#include "harness/cluster/mysql_topology.h"

#include "harness/base/clock.h"
#include "harness/cluster/mysql_ask.h"
#include "harness/cluster/mysql_server.h"

#include <stdio.h>
#include <string.h>

#define LIMIT_S 30 // for servers to come to an agreement, on a machine that is busy

#define STATUS(name)                                                                               \
    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" name "'"

// --- asking and waiting --------------------------------------------------------------------------

// Something that a server is to come to answer.
struct goal {
    const char *what; // for the error, "the replica is linked to its primary"
    const char *question;
    const char *answer;
};

// Asks the node again and again until its goal is reached.
static int wait_for(const struct node *node, const struct goal *goal, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_S * NS_PER_S;
    for (;;) {
        char answer[64] = "";
        struct error refusal = {0};
        bool answered = mysql_ask(node, goal->question, answer, sizeof answer, &refusal) == 0;
        if (answered && strcmp(answer, goal->answer) == 0)
            return 0;
        if (clock_monotonic_ns() > give_up_ns)
            return error_set(error,
                             "after %d s it is not yet so that %s; %s on %s:%d was asked '%s', and "
                             "answers '%s' instead of '%s'; see %.200s/server.log",
                             LIMIT_S, goal->what, node->name, node->end.address, node->port,
                             goal->question, answered ? answer : refusal.text, goal->answer,
                             node->folder);
        if (!node_pause(node, error))
            return -1;
    }
}

// The same for each node but the first.
static int wait_for_others(const struct server_group *group, const struct goal *goal,
                           struct error *error)
{
    int result = 0;
    for (int i = 1; result == 0 && i < group->count; i++)
        result = wait_for(&group->nodes[i], goal, error);
    return result;
}

// Writes a row on the first node, which must come to all the others; and leaves none behind.
static int prove_that_rows_travel(const struct server_group *group, struct error *error)
{
    static const char *const write[] = {
        "CREATE DATABASE lockpick_proof",
        "CREATE TABLE lockpick_proof.proof (word VARCHAR(16) PRIMARY KEY)",
        "INSERT INTO lockpick_proof.proof VALUES ('travelled')", NULL};
    static const char *const clean[] = {"DROP DATABASE lockpick_proof", NULL};
    static const struct goal travelled = {"a row of the first server is on the others",
                                          "SELECT word FROM lockpick_proof.proof", "travelled"};
    static const struct goal cleaned = {
        "what the first server dropped is gone from the others",
        "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'lockpick_proof'",
        "0"};
    return mysql_tell(&group->nodes[0], write, error) != 0 ||
                   wait_for_others(group, &travelled, error) != 0 ||
                   mysql_tell(&group->nodes[0], clean, error) != 0 ||
                   wait_for_others(group, &cleaned, error) != 0
               ? -1
               : 0;
}

// --- replication ---------------------------------------------------------------------------------

static int plan_replication(const struct group_settings *settings, struct node_settings *nodes)
{
    for (int i = 0; i < settings->count; i++) {
        nodes[i] = (struct node_settings){
            .kind = &mysql_server, .role = i == 0 ? "primary" : "replica", .number = i + 1};
        snprintf(nodes[i].name, sizeof nodes[i].name, "%s-%d", settings->name, i + 1);
    }
    return settings->count;
}

// From the primary's first transaction on; clients cannot write there. Should they be parted, it
// tries again each second.
static int replicate(const struct node *primary, const struct node *replica, struct error *error)
{
    char link[256];
    snprintf(link, sizeof link,
             "CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %d, MASTER_USER = 'root', "
             "MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1",
             primary->end.address, primary->port);
    const char *const statements[] = {"SET GLOBAL read_only = 1", link, "START SLAVE", NULL};
    return mysql_tell(replica, statements, error);
}

static int link_replicas(const struct server_group *group, struct error *error)
{
    static const struct goal linked = {"the replica is linked to its primary",
                                       STATUS("SLAVE_RUNNING"), "ON"};
    int result = 0;
    for (int i = 1; result == 0 && i < group->count; i++)
        result = replicate(&group->nodes[0], &group->nodes[i], error);
    return result == 0 ? wait_for_others(group, &linked, error) : -1;
}

static int form_replication(struct server_group *group, struct error *error)
{
    return link_replicas(group, error) != 0 ? -1 : prove_that_rows_travel(group, error);
}

const struct topology mysql_replica_topology = {
    .name = MYSQL_REPLICA,
    .lags = true,
    .server = "mysql",
    .summary = "one primary, and replicas that follow it some time later",
    .least = 2,
    .most = MAX_SERVERS,
    .usual = 2,
    .promoted = true,
    .plan = plan_replication,
    .form = form_replication,
};

// --- semi-sync -----------------------------------------------------------------------------------

static int form_semi_sync(struct server_group *group, struct error *error)
{
    char replicas[16];
    snprintf(replicas, sizeof replicas, "%d", group->count - 1);
    const struct goal counted = {"the primary counts on all its replicas",
                                 STATUS("RPL_SEMI_SYNC_MASTER_CLIENTS"), replicas};
    static const struct goal waits = {"the primary waits for its replicas",
                                      STATUS("RPL_SEMI_SYNC_MASTER_STATUS"), "ON"};
    const struct node *primary = &group->nodes[0];
    return link_replicas(group, error) != 0 || wait_for(primary, &counted, error) != 0 ||
                   prove_that_rows_travel(group, error) != 0 ||
                   wait_for(primary, &waits, error) != 0
               ? -1
               : 0;
}

const struct topology mysql_semi_sync_topology = {
    .name = MYSQL_SEMI_SYNC,
    .server = "mysql",
    .summary = "one primary that waits until a replica has received what it commits",
    .least = 2,
    .most = MAX_SERVERS,
    .usual = 2,
    .promoted = true,
    .replicates = true,
    .plan = plan_replication,
    .form = form_semi_sync,
};

// --- Galera --------------------------------------------------------------------------------------

// The first makes the cluster, the others join it one after the other.
static int plan_galera(const struct group_settings *settings, struct node_settings *nodes)
{
    for (int i = 0; i < settings->count; i++) {
        nodes[i] = (struct node_settings){
            .kind = &mysql_server, .role = "member", .number = i + 1, .deferred = i > 0};
        snprintf(nodes[i].name, sizeof nodes[i].name, "%s-%d", settings->name, i + 1);
    }
    return settings->count;
}

static int form_galera(struct server_group *group, struct error *error)
{
    char count[16];
    snprintf(count, sizeof count, "%d", group->count);
    const struct goal complete = {"all servers are of one cluster", STATUS("WSREP_CLUSTER_SIZE"),
                                  count};
    static const struct goal synced = {"each server is up to date",
                                       STATUS("WSREP_LOCAL_STATE_COMMENT"), "Synced"};
    int result = 0;
    for (int i = 1; result == 0 && i < group->count; i++)
        result = cluster_start_node(&group->nodes[i], error);
    for (int i = 0; result == 0 && i < group->count; i++) {
        result = wait_for(&group->nodes[i], &complete, error) != 0 ||
                         wait_for(&group->nodes[i], &synced, error) != 0
                     ? -1
                     : 0;
    }
    return result == 0 ? prove_that_rows_travel(group, error) : -1;
}

const struct topology mysql_galera_topology = {
    .name = MYSQL_GALERA,
    .server = "mysql",
    .summary = "a Galera cluster: every server takes writes, and locks rows for itself",
    .least = 2,
    .most = 3,
    .usual = 2,
    .by_majority = true,
    .replicates = true,
    .plan = plan_galera,
    .form = form_galera,
};
