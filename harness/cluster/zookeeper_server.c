// Java is started directly: Debian's scripts would add nothing but their own settings.
#include "harness/cluster/zookeeper_server.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/conversation.h"
#include "harness/cluster/process.h"
#include "harness/cluster/zookeeper_control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JAR "/usr/share/java/zookeeper.jar"
// With what prints the log: without it ZooKeeper is silent.
#define CLASSPATH JAR ":/usr/share/java/slf4j-simple.jar"
// Sessions last from 2 to 20 ticks.
#define TICK_MS 200

static bool installed(void)
{
    return program_exists("java") && access(JAR, R_OK) == 0;
}

// "Apache ZooKeeper, version 3.8.0 2024-12-29 17:54 UTC".
static void version(char *out, size_t room)
{
    const char *const arguments[] = {"java",
                                     "-XX:-UsePerfData",
                                     "-cp",
                                     CLASSPATH,
                                     "org.apache.zookeeper.version.VersionInfoMain",
                                     NULL};
    version_ask("zookeeper", arguments, "version ", " \n", out, room);
}

// --- settings ------------------------------------------------------------------------------------

// Each peer: where it talks to the others, and where they elect.
static void write_peers(const struct node *node, struct text *settings)
{
    const struct server_group *group = node->group;
    if (group->count < 2)
        return;
    for (int i = 0; i < group->count; i++) {
        const struct node *peer = &group->nodes[i];
        text_format(settings, "server.%d=%s:%d:%d;%s:%d\n", peer->number, peer->end.address,
                    peer->extra_ports[0], peer->extra_ports[1], peer->end.address, peer->port);
    }
}

static int write_settings(const struct node *node, struct error *error)
{
    struct text settings = {0};
    struct text number = {0};
    text_format(&settings,
                "tickTime=%d\ninitLimit=25\nsyncLimit=10\ndataDir=%s\n"
                "minSessionTimeout=%d\nmaxSessionTimeout=%d\nmaxClientCnxns=0\n"
                "admin.enableServer=false\n4lw.commands.whitelist=srvr,conf,cons,dump\n"
                "clientPort=%d\nclientPortAddress=%s\n",
                TICK_MS, node->data, 2 * TICK_MS, 20 * TICK_MS, node->port, node->end.address);
    write_peers(node, &settings);
    text_format(&number, "%d\n", node->number);
    char *path = path_join(node->data, "myid");
    int result = server_write(node, "zoo.cfg", settings.bytes, error) != 0
                     ? -1
                     : file_write(path, number.bytes, number.length, error);
    free(path);
    text_free(&settings);
    text_free(&number);
    return result;
}

// --- the kind ------------------------------------------------------------------------------------

static pid_t start(const struct node *node, struct error *error)
{
    const char *const arguments[] = {"java",
                                     "-cp",
                                     CLASSPATH,
                                     "-Xmx128m",
                                     "-XX:+UseSerialGC",
                                     "-XX:-UsePerfData", // which are files in /tmp
                                     "-XX:TieredStopAtLevel=1",
                                     "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                                     "-Dorg.slf4j.simpleLogger.showDateTime=true",
                                     "-Dzookeeper.jmx.log4j.disable=true",
                                     "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                                     "zoo.cfg",
                                     NULL};
    return write_settings(node, error) != 0 ? -1 : server_run(node, arguments, false, error);
}

int zookeeper_ask(const struct node *node, const char *word, struct text *answer,
                  struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + NS_PER_S;
    return converse(node, word, strlen(word), give_up_ns, answer, error);
}

// Whether the answer to a four-letter word has that in it.
static bool answers(const struct node *node, const char *word, const char *wanted)
{
    struct error ignored;
    struct text answer = {0};
    zookeeper_ask(node, word, &answer, &ignored);
    bool found = strstr(text_string(&answer), wanted) != NULL;
    text_free(&answer);
    return found;
}

// It has a mode once it serves, as the only server or in a quorum. That it is ours shows in where
// it keeps its data.
static int ready(const struct node *node, struct error *error)
{
    (void)error;
    if (!answers(node, "srvr", "Mode: "))
        return 1;
    return answers(node, "conf", node->data) ? 0 : 1;
}

static const char *const surrender_notes[] = {"Severe unrecoverable error", NULL};

const struct server_kind zookeeper_server = {
    .name = "zookeeper",
    // It counts in ticks.
    .form = {.title = "ZooKeeper",
             .durability = {"zookeeper: log flushed at each write"},
             .late_expiry_ns = NS_PER_S / 2,
             .set_up = "the node that locks are made under"},
    .program = "java",
    .package = "zookeeper",
    .port = 2181,
    .extra_ports = 2,
    .boot_limit_s = 60,
    .installed = installed,
    .version = version,
    .keeps_data = true,
    .start = start,
    .ready = ready,
    .control = &zookeeper_control,
    .takes_preload = true,
    .lease_clock = SHIFTED_MONOTONIC,
    .surrender_notes = surrender_notes,
};

const struct topology zookeeper_ensemble = {
    .name = "ensemble",
    .server = "zookeeper",
    .summary = "servers that agree on every write by majority",
    .least = 1,
    .most = 7,
    .usual = 3,
    .by_majority = true,
    .replicates = true,
};
