// ZooKeeper: one server, or an ensemble. Java is started directly: Debian's scripts would add
// nothing but their own settings.
//
// leads: as the leader of an ensemble, or alone; a server without a quorum serves nobody, and does
// not answer that either.
//
// has_lock: whether this very server's copy of the tree, which may lag behind the leader's, has an
// ephemeral node where the scheme's holds are. No session is needed to ask that. Of nodes in line
// the first holds, and so any will do; with curator-semaphore-mutex those that only queue are
// elsewhere.
//
// disconnect: "session" expires the client's session, which takes its ephemeral nodes with it: a
// connection of our own takes the session over, with the password that the server derives from the
// session's id, and closes it. "connection" ends the connection alone: a second one for the same
// session makes the server end the first, and with a wrong password it goes no further than that,
// so that the session stays as it is and the client gets back in. (ZooKeeperServer.
// processConnectRequest first ends the one it has, and then looks at the password.) Both concern
// what is connected to this very server, and a client that comes back may choose another one.
//
// A change is on the disk before it is answered, so that LOSS_UNSYNCED takes nothing more than a
// crash does. LOSS_ALL takes the snapshots and the log; the server knows its group by its number
// and its settings, and is sent everything again by the leader, if there is one.
//
// flush, evict, deny: it has nothing of the kind.
#include "harness/cluster/server.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/exploration.h"
#include "harness/locks/zookeeper_common.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define JAR "/usr/share/java/zookeeper.jar"
// With what prints the log: without it ZooKeeper is silent.
#define CLASSPATH JAR ":/usr/share/java/slf4j-simple.jar"
// Sessions last from 2 to 20 ticks.
#define TICK_MS 200
// Of those that are explored, the harness ends sessions.
#define EXPLORED_SESSION_MS 600000

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
    version_ask("zookeeper", arguments, "version ", out, room);
}

// `alone`: not as one of its group.
static int write_settings(const struct node *node, const char *name, const char *data, bool alone,
                          struct error *error)
{
    const struct server_group *group = node->group;
    AUTO_TEXT struct text settings = {0};
    text_format(&settings,
                "tickTime=%d\ninitLimit=25\nsyncLimit=10\ndataDir=%s\n"
                "minSessionTimeout=%d\nmaxSessionTimeout=%d\nmaxClientCnxns=0\n"
                "admin.enableServer=false\n4lw.commands.whitelist=srvr,conf,cons,dump\n"
                "clientPort=%d\nclientPortAddress=%s\n",
                TICK_MS, data, 2 * TICK_MS,
                group->settings.is_explored ? EXPLORED_SESSION_MS : 20 * TICK_MS, node->port,
                node->end.address);
    // Each peer: where it talks to the others, and where they elect.
    for (int i = 0; group->count > 1 && !alone && i < group->count; i++) {
        const struct node *peer = &group->nodes[i];
        text_format(&settings, "server.%d=%s:%d:%d;%s:%d\n", peer->number, peer->end.address,
                    peer->extra_ports[0], peer->extra_ports[1], peer->end.address, peer->port);
    }
    return server_write(node, name, settings.bytes, error);
}

// Without performance data, which are files in /tmp.
static pid_t run(const struct node *node, const char *option, const char *settings,
                 struct error *error)
{
    return server_run(node, false, error,
                      "java -cp " CLASSPATH " -Xmx128m -XX:+UseSerialGC -XX:-UsePerfData"
                      " -XX:TieredStopAtLevel=1 %s -Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
                      " -Dorg.slf4j.simpleLogger.showDateTime=true"
                      " -Dzookeeper.jmx.log4j.disable=true"
                      " org.apache.zookeeper.server.quorum.QuorumPeerMain %s",
                      option, settings);
}

// It has a mode once it serves, as the only server or in a quorum. That it is ours shows in where
// it keeps its data.
static bool ready(const struct node *node)
{
    return node_says(node, "srvr", "Mode: ") && node_says(node, "conf", node->data);
}

// --- its classes ---------------------------------------------------------------------------------

// A server takes twice as long to start, and to the processor, if it has to look for its classes in
// archives and to check them. So they are kept as they are in memory, once for each machine and
// version: https://openjdk.org/jeps/350. Java itself sees whether they are those of its archives,
// and else does without; but what is cut short or damaged would be its end, so that they have a
// checksum behind them.

#define PLAIN "/._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// What is kept is named after the archive and the Java machine, by when they were installed. NULL:
// nothing can be kept that the server can read.
static char *classes_path(const struct node *node)
{
    struct stat archive, machine;
    char name[80];
    AUTO_FREE char *java = program_path("java");
    if (node->gated || node->remote != NULL || java == NULL || stat(JAR, &archive) != 0 ||
        stat(java, &machine) != 0)
        return NULL;
    snprintf(name, sizeof name, "zookeeper-classes-%llx-%llx",
             (unsigned long long)archive.st_mtim.tv_sec,
             (unsigned long long)machine.st_mtim.tv_sec);
    char *path = data_cache_path(name);
    // A colon would part two paths.
    if (path != NULL && path[strspn(path, PLAIN)] == '\0')
        return path;
    free(path);
    return NULL;
}

static uint32_t checksum(const struct text *classes)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)classes->bytes, classes->length);
}

static bool are_kept(const char *path)
{
    AUTO_TEXT struct text classes = {0};
    uint32_t sum;
    if (access(path, R_OK) != 0 || file_read(path, &classes, NULL) != 0)
        return false;
    if (classes.length > sizeof sum) {
        classes.length -= sizeof sum;
        memcpy(&sum, classes.bytes + classes.length, sizeof sum);
        if (sum == checksum(&classes))
            return true;
    }
    fprintf(stderr,
            "lockpick: what is kept of ZooKeeper's classes in %s is damaged; it is made anew\n",
            path);
    unlink(path);
    return false;
}

// What a server has in memory that serves alone is written when it ends.
static int make_classes(const char *half, const void *of)
{
    const struct node *node = of;
    struct error error;
    char option[PATH_MAX + 40];
    AUTO_FREE char *data = path_join(node->data, "alone");
    AUTO_TEXT struct text ignored = {0};
    snprintf(option, sizeof option, "-XX:ArchiveClassesAtExit=%s", half);
    if (write_settings(node, "alone.cfg", data, true, &error) != 0)
        return -1;
    pid_t id = run(node, option, "alone.cfg", &error);
    if (id <= 0)
        return -1;
    int64_t give_up_ns = clock_monotonic_ns() + node_boot_limit_s(node) * NS_PER_S;
    siginfo_t ended = {0};
    bool serves = false;
    while (!serves && waitid(P_PID, (id_t)id, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0 && clock_monotonic_ns() < give_up_ns && node_pause(node, &error))
        serves = ready(node);
    kill(id, SIGTERM);
    int status = process_wait(id, "java", node_limit(node), -1, &ignored, NULL);
    folder_remove(data, NULL);
    AUTO_TEXT struct text classes = {0};
    if (!serves || status != 128 + SIGTERM || file_read(half, &classes, NULL) != 0)
        return -1;
    uint32_t sum = checksum(&classes);
    text_add_bytes(&classes, (const char *)&sum, sizeof sum);
    return file_write(half, classes.bytes, classes.length, NULL);
}

static pid_t start(const struct node *node, struct error *error)
{
    AUTO_FREE char *classes = classes_path(node);
    char number[16], option[PATH_MAX + 40] = "";
    snprintf(number, sizeof number, "%d\n", node->number);
    if (classes != NULL && (are_kept(classes) || data_cache_fill(classes, make_classes, node) == 0))
        snprintf(option, sizeof option, "-XX:SharedArchiveFile=%s", classes);
    if (write_settings(node, "zoo.cfg", node->data, false, error) != 0 ||
        server_put(node, "data/myid", number, false, error) != 0)
        return -1;
    return run(node, option, "zoo.cfg", error);
}

// Four-letter words.
static int ask(struct session *session, const char *word)
{
    if (session_converse(session, word, strlen(word)) != 0)
        return -1;
    if (session_has(session, "not currently serving requests"))
        return error_set(session->error, "%s serves nobody: it is in no quorum",
                         session->node->name);
    return session->answer.length == 0 || session_has(session, "not in the whitelist")
               ? session_unexpected(session, text_string(&session->answer), word)
               : 0;
}

// --- leads, has_lock -----------------------------------------------------------------------------

static int leads(struct session *session)
{
    return session_ask(session, "srvr") != 0
               ? -1
               : session_has(session, "Mode: leader") || session_has(session, "Mode: standalone");
}

// Schemes whose nodes that hold are not in the lock's own folder, but below "leases" in it.
static const char *const leased[] = {"curator-semaphore-mutex", NULL};

// Each ephemeral node has a line of its own in the dump: a tab, and its path.
static int has_lock(struct session *session)
{
    const struct lock_identity *lock = session->lock;
    AUTO_TEXT struct text folder = {0};
    text_format(&folder, "\n\t/lockpick/%s%s/", lock->tag,
                text_is_one_of(lock->scheme, leased) ? "/leases" : "");
    if (session_ask(session, "dump") != 0)
        return -1;
    const char *line = text_string(&session->answer);
    while ((line = strstr(line, folder.bytes)) != NULL) {
        line += folder.length;
        if (line[strcspn(line, "/\n")] == '\n')
            return 1;
    }
    return 0;
}

// --- disconnect ----------------------------------------------------------------------------------

#define PASSWORD_BYTES 16
#define GREETING_BYTES 48 // length and all
#define CLOSE_BYTES 12
#define CLOSE_SESSION (-11)
#define SESSION_MS 10000 // what is asked for; the server grants no more than its longest

// A line of `cons`: " /10.77.1.4:40112[1](queued=0,recved=5,sent=5,sid=0x100011...,lop=PING,...)"
static bool read_client(const struct session *session, const char *line,
                        struct server_client *client)
{
    const char *id = strstr(line, ",sid=0x");
    (void)session;
    return id != NULL && sscanf(id, ",sid=%23[0-9a-fx]", client->id) == 1 &&
           sscanf(line, " /%63[^:]:%d[", client->address, &client->port) == 2;
}

// The password, as the server derives it (ZooKeeperServer.generatePasswd): java.util.Random, a
// linear congruential generator that its documentation specifies, seeded with the session's id.
static void derive_password(uint64_t session, unsigned char password[PASSWORD_BYTES])
{
    const uint64_t multiplier = UINT64_C(0x5DEECE66D);
    const uint64_t mask = (UINT64_C(1) << 48) - 1;
    uint64_t state = (session ^ UINT64_C(0xB3415C00) ^ multiplier) & mask;
    for (int i = 0; i < PASSWORD_BYTES; i++) {
        if (i % 4 == 0)
            state = (state * multiplier + 0xB) & mask;
        password[i] = (unsigned char)(state >> (16 + 8 * (i % 4)));
    }
}

// Most significant byte first.
static unsigned char *put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        *out++ = (unsigned char)(value >> (8 * i));
    return out;
}

// Takes a session over and closes it, in one breath: the client, whose connection ends by that,
// takes it back at once. If it is still faster, the server may close the session without telling
// us, or not at all: only the list of its sessions says.
//
// Of a connection alone once is enough, and more would strike the one with which the client has
// come back.
static int end_client(struct session *session, const struct server_client *client)
{
    unsigned char request[GREETING_BYTES + CLOSE_BYTES];
    unsigned char password[PASSWORD_BYTES];
    bool takes_over = strcmp(session->way, "session") == 0;
    uint64_t id = strtoull(client->id, NULL, 16);
    derive_password(id, password);
    password[0] ^= takes_over ? 0 : 1;
    unsigned char *end = put(request, GREETING_BYTES - 4, 4);
    end = put(end, 0, 4); // protocol
    end = put(end, 0, 8); // the last change seen: none
    end = put(end, SESSION_MS, 4);
    end = put(end, id, 8);
    end = put(end, PASSWORD_BYTES, 4);
    memcpy(end, password, PASSWORD_BYTES);
    end = put(end + PASSWORD_BYTES, CLOSE_BYTES - 4, 4);
    end = put(end, 1, 4); // number of the request
    put(end, (uint32_t)CLOSE_SESSION, 4);
    size_t length = takes_over ? sizeof request : GREETING_BYTES;
    bool is_done = session_converse(session, request, length) == 0;
    return takes_over ? END_AGAIN : is_done ? END_DONE : END_NOTHING;
}

// Sessions are listed in the dump; behind them are connections, ended ones too.
static int lives(struct session *session, const struct server_client *client)
{
    char end[80];
    snprintf(end, sizeof end, "/%s:%d[", client->address, client->port);
    if (strcmp(session->way, "connection") == 0)
        return session_ask(session, "cons") != 0 ? -1 : session_has(session, end);
    if (session_ask(session, "dump") != 0)
        return -1;
    char *place = session->answer.bytes;
    char *connections = strstr(place, "Connections dump:");
    if (connections != NULL)
        *connections = '\0';
    while ((place = strstr(place, client->id)) != NULL) {
        place += strlen(client->id);
        if (strspn(place, "0123456789abcdef") == 0)
            return 1;
    }
    return 0;
}

// --- exploration (exploration.h) -----------------------------------------------------------------

struct memory {
    struct zk_exploration clients;
    struct zk *looks;
};

static int prepare(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    const struct zk_settings settings = {.service = servers->service,
                                         .session_ns = EXPLORED_SESSION_MS * NS_PER_MS,
                                         .request_ns = PEER_SET_UP_NS};
    servers->service->zk_exploration = &memory->clients;
    memory->looks = zk_open(&settings, error);
    return memory->looks != NULL ? 0 : -1;
}

static void restore(struct explored_servers *servers)
{
    struct memory *memory = servers->memory;
    zk_close(memory->looks);
    zk_exploration_free(&memory->clients);
    servers->service->zk_exploration = NULL;
}

static int empty(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    return zk_exploration_empty(&memory->clients, memory->looks, error);
}

static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct memory *memory = servers->memory;
    return zk_exploration_tell(&memory->clients, memory->looks, servers->part_ns, image, error);
}

// 0: there is no such session.
static int await_end(struct explored_servers *servers, uint64_t id, struct error *error)
{
    static const struct timespec pause = {.tv_nsec = 50 * NS_PER_US};
    struct session *session = explored_session(servers, 0, error);
    struct server_client client = {.id = ""};
    int lasts = id != 0;
    session->way = "session";
    snprintf(client.id, sizeof client.id, "0x%" PRIx64, id);
    while (lasts == 1 && (lasts = lives(session, &client)) == 1)
        nanosleep(&pause, NULL);
    return lasts;
}

static int set_time(struct explored_servers *servers, int64_t now_ns, struct error *error)
{
    struct memory *memory = servers->memory;
    uint64_t id = 0;
    (void)now_ns;
    while ((id = zk_exploration_end_late(&memory->clients)) != 0) {
        if (await_end(servers, id, error) != 0)
            return -1;
    }
    return 0;
}

static int crash(struct explored_servers *servers, int client, struct error *error)
{
    struct memory *memory = servers->memory;
    return await_end(servers, zk_exploration_end_of(&memory->clients, client), error);
}

static const struct server_exploration exploration = {
    .holds_threads = true,
    .only_ours = true,
    .memory_bytes = sizeof(struct memory),
    .prepare = prepare,
    .restore = restore,
    .empty = empty,
    .image = image,
    .set_time = set_time,
    .crash = crash,
};

// --- all -----------------------------------------------------------------------------------------

static const struct server_control control = {
    .leads = leads,
    .has_lock = has_lock,
    .links = (const char *const[]){"session", "connection", NULL},
    .list = "cons",
    .read = read_client,
    .end = end_client,
    .lives = lives,
};

static const struct topology single = SINGLE_SERVER("zookeeper");
static const struct topology ensemble = ENSEMBLE_OF_SERVERS("zookeeper");

const struct server_kind zookeeper_server = {
    .name = "zookeeper",
    // It counts in ticks.
    .form =
        {.title = "ZooKeeper",
         .durability = {"zookeeper: log flushed at each write"},
         .late_expiry_ns = NS_PER_S / 2,
         .set_up = "the node that locks are made under",
         .login = LOGIN_BY_BOTH,
         // In zkCli.sh. Nothing need be allowed at the root, and nodes below are the user's own.
         .grant = "create /lockpick\n  addauth digest NAME:PASSWORD\n  setAcl /lockpick "
                  "auth::cd",
         .why_no_tls = "Debian builds ZooKeeper's library without OpenSSL; give it a port that "
                       "is not by TLS (clientPort)"},
    .program = "java",
    .package = "zookeeper",
    .port = 2181,
    .extra_ports = 2,
    .boot_limit_s = 60,
    .topologies = (const struct topology *const[]){&single, &ensemble, NULL},
    .clean = zk_locks_clean,
    .installed = installed,
    .version = version,
    .start = start,
    .ready = ready,
    .ask = ask,
    .takes_preload = true,
    .keeps_data = true,
    .lease_clock = SHIFTED_MONOTONIC,
    .surrender_notes = (const char *const[]){"Severe unrecoverable error", NULL},
    .control = &control,
    .exploration = &exploration,
};
