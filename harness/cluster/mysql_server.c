#include "harness/cluster/mysql_server.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/mysql_ask.h"
#include "harness/cluster/mysql_control.h"
#include "harness/cluster/mysql_data.h"
#include "harness/cluster/process.h"
#include "harness/cluster/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What a member of a Galera cluster uses its extra ports for: to talk to the others, to receive
// what it missed, and to receive everything.
enum { PEERS_PORT, MISSED_PORT, EVERYTHING_PORT };

static bool is_topology(const struct node *node, const char *name)
{
    return strcmp(node->group->settings.topology->name, name) == 0;
}

static bool has_file(const struct node *node, const char *name)
{
    char *path = path_join(node->data, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

// --- settings ------------------------------------------------------------------------------------

static void add_common(struct text *settings, const struct node *node)
{
    text_format(settings,
                "[mariadbd]\n"
                "datadir = %s\n"
                "tmpdir = %s\n" // else servers remove each other's temporary tables
                "bind_address = %s\n"
                "port = %d\n"
                "socket = server.sock\n"
                "pid_file = server.pid\n"
                "server_id = %d\n"
                "init_file = %s/accounts.sql\n"
                "secure_file_priv = %s\n" // it reads and writes no file elsewhere by SQL
                "skip_name_resolve\n"
                "max_connections = 10000\n"
                "innodb_buffer_pool_size = 32M\n"
                "innodb_log_file_size = 8M\n"
                "innodb_flush_log_at_trx_commit = 1\n",
                node->data, node->data, node->end.address, node->port, node->number, node->home,
                node->data);
}

// A replica keeps a binary log, too, so that it can be promoted.
static void add_replication(struct text *settings, const struct node *node)
{
    text_add(settings, "log_bin = binlog\n"
                       "relay_log = relay\n"
                       "sync_binlog = 1\n"
                       "binlog_format = ROW\n"
                       "log_slave_updates\n"
                       "gtid_strict_mode\n");
    // Until it is promoted. When it is new, its topology says so.
    if (has_file(node, "master.info"))
        text_add(settings, "read_only\n");
    if (!is_topology(node, MYSQL_SEMI_SYNC))
        return;
    text_format(settings, "rpl_semi_sync_master_timeout = %d\n", MYSQL_SEMI_SYNC_TIMEOUT_MS);
    // Not both: a replica would wait for replicas of its own before it applies anything.
    bool is_primary = strcmp(node->role, "primary") == 0;
    text_add(settings,
             is_primary ? "rpl_semi_sync_master_enabled\n" : "rpl_semi_sync_slave_enabled\n");
}

static void add_galera(struct text *settings, const struct node *node)
{
    const char *address = node->end.address;
    const int *ports = node->extra_ports;
    text_format(settings,
                "binlog_format = ROW\n"
                "innodb_autoinc_lock_mode = 2\n"
                "wsrep_on\n"
                "wsrep_provider = %s\n"
                "wsrep_cluster_name = %s\n"
                "wsrep_node_name = %s\n"
                "wsrep_node_address = %s:%d\n"
                "wsrep_sst_method = rsync\n"
                "wsrep_sst_receive_address = %s:%d\n"
                "wsrep_provider_options = \"base_port=%d;gmcast.listen_addr=tcp://%s:%d;"
                "ist.recv_addr=%s:%d;gcache.size=16M\"\n"
                "wsrep_cluster_address = gcomm://",
                mysql_galera_library(), node->group->settings.name, node->name, address,
                ports[PEERS_PORT], address, ports[EVERYTHING_PORT], ports[PEERS_PORT], address,
                ports[PEERS_PORT], address, ports[MISSED_PORT]);
    const char *separator = "";
    for (int i = 0; i < node->group->count; i++) {
        const struct node *peer = &node->group->nodes[i];
        if (peer == node)
            continue;
        text_format(settings, "%s%s:%d", separator, peer->end.address,
                    peer->extra_ports[PEERS_PORT]);
        separator = ",";
    }
    text_add(settings, "\n");
}

// Inside a namespace nobody else can reach it, nor on loopback ports (gate.h): no password is
// needed. What is done here is no replica's business, nor another member's.
static int write_accounts(const struct node *node, struct error *error)
{
    struct text statements = {0};
    if (is_topology(node, MYSQL_GALERA))
        text_add(&statements, "SET SESSION wsrep_on = 0;\n");
    text_add(&statements,
             "SET SESSION sql_log_bin = 0;\n"
             // Of the installation; they would be preferred, as their host is more exact.
             "DROP USER IF EXISTS root@'127.0.0.1';\n"
             "CREATE USER IF NOT EXISTS " MYSQL_CLIENT_ACCOUNT "@'%', " MYSQL_OWN_ACCOUNT "@'%';\n"
             "GRANT ALL ON *.* TO " MYSQL_OWN_ACCOUNT "@'%' WITH GRANT OPTION;\n"
             "GRANT ALL ON *.* TO " MYSQL_CLIENT_ACCOUNT "@'%' WITH GRANT OPTION;\n"
             "REVOKE READ_ONLY ADMIN ON *.* FROM " MYSQL_CLIENT_ACCOUNT "@'%';\n");
    int result = server_write(node, "accounts.sql", statements.bytes, error);
    text_free(&statements);
    return result;
}

// The server does not heed a file that anybody could have written: then it would be the machine's
// own server.
static int write_settings(const struct node *node, const char *path, struct error *error)
{
    struct text settings = {0};
    add_common(&settings, node);
    if (node->disk != NULL) // what goes by io_uring could not be hindered
        text_add(&settings, "innodb_use_native_aio = OFF\n");
    if (is_topology(node, MYSQL_GALERA))
        add_galera(&settings, node);
    else if (node->group->count > 1)
        add_replication(&settings, node);
    int result = server_write(node, "server.cnf", settings.bytes, error);
    if (result == 0 && chmod(path, 0644) != 0)
        result = error_set(error, "cannot close %s to others: %s", path, strerror(errno));
    text_free(&settings);
    return result;
}

// --- start ---------------------------------------------------------------------------------------

const char *mysql_galera_library(void)
{
    static const char *const places[] = {
        "/usr/lib/galera/libgalera_smm.so", "/usr/lib/galera-4/libgalera_smm.so",
        "/usr/lib64/galera-4/libgalera_smm.so", "/usr/lib/libgalera_smm.so", NULL};
    for (size_t i = 0; places[i] != NULL; i++) {
        if (access(places[i], R_OK) == 0)
            return places[i];
    }
    return NULL;
}

static int check_galera(struct error *error)
{
    if (mysql_galera_library() == NULL)
        return error_set(error, "found no libgalera_smm.so in /usr/lib/galera and the like: "
                                "install the Debian package galera-4");
    if (!program_exists("rsync"))
        return error_set(error, "found no rsync in PATH, by which members of a Galera cluster "
                                "bring each other up to date: install the Debian package rsync");
    return 0;
}

static pid_t run(const struct node *node, const char *settings, struct error *error)
{
    struct text option = {0};
    text_format(&option, "--defaults-file=%s", settings);
    const char *const arguments[] = {"mariadbd", option.bytes,
                                     geteuid() == 0 ? "--user=root" : NULL, NULL};
    pid_t id = server_run(node, arguments, false, error);
    text_free(&option);
    return id;
}

// rsync does not work here for root. It asks for the names of its peers, too, which in a namespace
// no name server answers: it is told not to wait for long.
static pid_t run_member(const struct node *node, const char *settings, struct error *error)
{
    struct text option = {0};
    text_format(&option, "--defaults-file=%s", settings);
    // The first makes the cluster, at its first start.
    bool makes_cluster = node->number == 1 && !has_file(node, "grastate.dat");
    const char *const arguments[] = {
        "env",        "RES_OPTIONS=timeout:1 attempts:1",           "mariadbd",
        option.bytes, makes_cluster ? "--wsrep-new-cluster" : NULL, NULL};
    pid_t id = server_run(node, arguments, true, error);
    text_free(&option);
    return id;
}

static pid_t start(const struct node *node, struct error *error)
{
    char *settings = path_join(node->home, "server.cnf");
    bool galera = is_topology(node, MYSQL_GALERA);
    bool prepared = (!galera || check_galera(error) == 0) && mysql_data_provide(node, error) == 0 &&
                    write_accounts(node, error) == 0 && write_settings(node, settings, error) == 0;
    pid_t id = -1;
    if (prepared)
        id = galera ? run_member(node, settings, error) : run(node, settings, error);
    free(settings);
    return id;
}

// --- ready ---------------------------------------------------------------------------------------

static bool greets(const struct node *node)
{
    char greeting[8];
    int descriptor = server_connect(node);
    bool greeted = descriptor >= 0 && read(descriptor, greeting, sizeof greeting) > 0;
    if (descriptor >= 0)
        close(descriptor);
    return greeted;
}

// Without most of its peers, a member answers, but refuses to work.
static bool is_with_its_peers(const struct node *node)
{
    char answer[8];
    return mysql_ask(node,
                     "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
                     "WHERE VARIABLE_NAME = 'WSREP_READY'",
                     answer, sizeof answer, NULL) == 0 &&
           strcmp(answer, "ON") == 0;
}

// It notes its process id once it listens.
static int ready(const struct node *node, struct error *error)
{
    (void)error;
    char *path = path_join(node->data, "server.pid");
    struct text noted = {0};
    bool ours = file_read(path, &noted, NULL) == 0 && atoi(text_string(&noted)) == node->server;
    text_free(&noted);
    free(path);
    bool serves =
        ours && greets(node) && (!is_topology(node, MYSQL_GALERA) || is_with_its_peers(node));
    return serves ? 0 : 1;
}

static const char *const surrender_notes[] = {"[FATAL]", " got signal ", NULL};

const struct server_kind mysql_server = {
    .name = "mysql",
    .form = {.title = "MariaDB",
             .durability = {"mysql: log flushed at each commit"},
             .keeps_commits = true,
             .set_up = "the tables"},
    .program = "mariadbd",
    .package = "mariadb-server",
    .port = 3306,
    .extra_ports = 3,
    .boot_limit_s = 90,
    .version = mysql_version,
    .keeps_data = true,
    .start = start,
    .ready = ready,
    .takes_preload = true,
    .control = &mysql_control,
    .surrender_notes = surrender_notes,
};
