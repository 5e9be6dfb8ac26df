// MariaDB: one server, a primary with replicas, or a member of a Galera cluster; as durable as it
// is by default: what is committed outlives a kill. Nobody needs a password. Its settings are in
// server.cnf and accounts.sql, in its folder; nothing else is read.
//
// A replica goes on with its replication after a restart, by itself. A member of a Galera cluster
// joins its peers again, and is brought up to date by one of them; so not all can be restarted.
//
// leads: alone whenever it answers; with replicas if it takes writes (read_only is off) and follows
// nobody; in a Galera cluster if it is ready, in a part that has the majority. promote: as by hand:
// it applies what it has received, then follows nobody and takes writes. A former primary that
// comes back knows nothing of that, and leads, too; other replicas go on with the former one.
//
// has_lock: what this very server has, by the scheme: a row that is not over by its clock, a name
// of GET_LOCK (which only the server knows that gave it), a row that somebody has locked (found out
// by locking it, if it is free, for the length of one statement). mysql-optimistic has no lock that
// one could look for.
//
// deny: "readonly" is SET GLOBAL read_only, which binds clients. GET_LOCK is no write, and still
// granted. disconnect: KILL CONNECTION; what the session had locked is free then.
//
// What was committed had been forced to the disk (innodb_flush_log_at_trx_commit = 1), so that
// LOSS_UNSYNCED loses nothing more than a crash does. LOSS_ALL: a server as newly installed,
// without the clients' tables, that still knows its group: a replica is sent everything again by
// its primary, a member of a Galera cluster by the others.
//
// flush, evict: its data are no cache.
#include "harness/wire/mysql.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/exploration.h"

#include <errno.h>
#include <inttypes.h>
#include <mysql/mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Who the harness is: may do everything.
#define OWN_ACCOUNT "lockpick"
// Who clients are: may do everything, but, as is usual, not write where read_only is on.
#define CLIENT_ACCOUNT "root"

// How long a primary of the topology semi-sync waits for a replica to have received a transaction,
// before it goes on without (MariaDB's default).
#define SEMI_SYNC_TIMEOUT_MS 10000

// What a member of a Galera cluster uses its extra ports for: to talk to the others, to receive
// what it missed, and to receive everything.
enum { PEERS_PORT, MISSED_PORT, EVERYTHING_PORT };

#define STATUS(name)                                                                               \
    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" name "'"

static bool is_galera(const struct node *node)
{
    return node_is_in(node, "galera");
}

static bool has_replicas(const struct node *node)
{
    return node_is_in(node, "replica") || node_is_in(node, "semi-sync");
}

// --- data ----------------------------------------------------------------------------------------

// "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)", perhaps
// after warnings that begin with a date.
static void version(char *out, size_t room)
{
    const char *const arguments[] = {"mariadbd", "--no-defaults", "--version", NULL};
    version_ask("mariadbd", arguments, " Ver ", out, room);
}

// Not in /tmp: each server that starts removes whatever temporary tables it finds in its folder for
// them, another server's too.
static int install(const struct node *node, struct error *error)
{
    char folder[256], temporary[256];
    AUTO_TEXT struct text output = {0};
    snprintf(folder, sizeof folder, "--datadir=%s", node->data);
    snprintf(temporary, sizeof temporary, "--tmpdir=%s", node->data);
    // clang-format off
    const char *const arguments[] = {
        "mariadb-install-db", "--no-defaults", folder, temporary,
        "--auth-root-authentication-method=normal", "--skip-test-db",
        geteuid() == 0 ? "--user=root" : "--skip-name-resolve", "--innodb-log-file-size=8M", NULL};
    // clang-format on
    int status = process_run(arguments, "", -1, node_limit(node), &output, error);
    return status <= 0 ? status
                       : error_set(error, "mariadb-install-db could not make %s: %.500s",
                                   node->data, text_string(&output));
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
    if (node->disk != NULL) // what goes by io_uring could not be hindered
        text_add(settings, "innodb_use_native_aio = OFF\n");
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
    AUTO_FREE char *path = path_join(node->data, "master.info");
    if (access(path, F_OK) == 0)
        text_add(settings, "read_only\n");
    // Not both: a replica would wait for replicas of its own before it applies anything.
    if (node_is_in(node, "semi-sync"))
        text_format(settings, "rpl_semi_sync_master_timeout = %d\nrpl_semi_sync_%s_enabled\n",
                    SEMI_SYNC_TIMEOUT_MS, node_has_role(node, "primary") ? "master" : "slave");
}

// The library that makes a Galera cluster of servers, or NULL if it is not installed.
static const char *galera_library(void)
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
    if (galera_library() == NULL)
        return error_set(error, "found no libgalera_smm.so in /usr/lib/galera and the like: "
                                "install the Debian package galera-4");
    if (!program_exists("rsync"))
        return error_set(error, "found no rsync in PATH, by which members of a Galera cluster "
                                "bring each other up to date: install the Debian package rsync");
    return 0;
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
                galera_library(), node->group->settings.name, node->name, address,
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

// Inside a namespace nobody else can reach it, nor on loopback ports (gate_preload.c): no password
// is needed. What is done here is no replica's business, nor another member's.
static int write_accounts(const struct node *node, struct error *error)
{
    AUTO_TEXT struct text statements = {0};
    if (is_galera(node))
        text_add(&statements, "SET SESSION wsrep_on = 0;\n");
    text_add(&statements,
             "SET SESSION sql_log_bin = 0;\n"
             // Of the installation; they would be preferred, as their host is more exact.
             "DROP USER IF EXISTS root@'127.0.0.1';\n"
             "CREATE USER IF NOT EXISTS " CLIENT_ACCOUNT "@'%', " OWN_ACCOUNT "@'%';\n"
             "GRANT ALL ON *.* TO " OWN_ACCOUNT "@'%' WITH GRANT OPTION;\n"
             "GRANT ALL ON *.* TO " CLIENT_ACCOUNT "@'%' WITH GRANT OPTION;\n"
             "REVOKE READ_ONLY ADMIN ON *.* FROM " CLIENT_ACCOUNT "@'%';\n");
    return server_write(node, "accounts.sql", statements.bytes, error);
}

// The server does not heed a file that anybody could have written: then it would be the machine's
// own server.
static int write_settings(const struct node *node, struct error *error)
{
    AUTO_TEXT struct text settings = {0};
    AUTO_FREE char *path = path_join(node->home, "server.cnf");
    add_common(&settings, node);
    if (is_galera(node))
        add_galera(&settings, node);
    else if (node->group->count > 1)
        add_replication(&settings, node);
    if (server_write(node, "server.cnf", settings.bytes, error) != 0)
        return -1;
    return chmod(path, 0644) == 0
               ? 0
               : error_set(error, "cannot close %s to others: %s", path, strerror(errno));
}

// --- start and ready -----------------------------------------------------------------------------

// For a member of a Galera cluster: rsync does not work here for root. It asks for the names of its
// peers, too, which in a namespace no name server answers: it is told not to wait for long. The
// first makes the cluster, at its first start.
static pid_t start(const struct node *node, struct error *error)
{
    if ((is_galera(node) && check_galera(error) != 0) ||
        server_provide_data(node, "mysql", install, error) != 0 ||
        write_accounts(node, error) != 0 || write_settings(node, error) != 0)
        return -1;
    if (!is_galera(node))
        return server_run(node, false, error, "mariadbd --defaults-file=%s/server.cnf %s",
                          node->home, geteuid() == 0 ? "--user=root" : "");
    bool is_first = node->number == 1 && node->ready_ns == 0;
    return server_run(node, true, error,
                      "env 'RES_OPTIONS=timeout:1 attempts:1' mariadbd"
                      " --defaults-file=%s/server.cnf %s",
                      node->home, is_first ? "--wsrep-new-cluster" : "");
}

// It notes its process id once it listens. Without most of its peers, a member of a Galera cluster
// answers, but refuses to work.
static bool ready(const struct node *node)
{
    AUTO_FREE char *path = path_join(node->data, "server.pid");
    AUTO_TEXT struct text noted = {0};
    return file_read(path, &noted, NULL) == 0 && atoi(text_string(&noted)) == node->server &&
           node_says(node, is_galera(node) ? STATUS("WSREP_READY") : "SELECT 'ON'", "ON");
}

// --- sessions ------------------------------------------------------------------------------------

static int open_session(struct session *session)
{
    struct sql_peer *link = memory_zeroed(1, sizeof *link);
    const struct sql_login login = {
        .user = session->account != NULL ? session->account : OWN_ACCOUNT, .password = ""};
    unsigned ignored;
    session->client = link;
    if (mysql_peer_open(link, &session->peer, &login, &ignored, session->error) != 0)
        return -1;
    session->descriptor = mysql_get_socket(link->session);
    return 0;
}

static void close_session(struct session *session)
{
    mysql_peer_close(session->client);
}

static int ask(struct session *session, const char *statement)
{
    struct sql_peer *link = session->client;
    link->peer = session->peer;
    return mysql_peer_ask(link, statement, &session->answer, session->error);
}

// The number of the error that the last request ended in; 0: in none.
static unsigned error_of(const struct session *session)
{
    const struct sql_peer *link = session->client;
    return mysql_errno(link->session);
}

// --- leads, promote ------------------------------------------------------------------------------

static int follows(struct session *session)
{
    return session_ask(session, "SHOW SLAVE STATUS") != 0 ? -1 : session->answer.length > 0;
}

static int leads(struct session *session)
{
    if (is_galera(session->node))
        return session_is_so(session,
                             "SELECT COUNT(*) = 2 FROM information_schema.GLOBAL_STATUS WHERE "
                             "(VARIABLE_NAME = 'WSREP_READY' AND VARIABLE_VALUE = 'ON') OR "
                             "(VARIABLE_NAME = 'WSREP_CLUSTER_STATUS' AND "
                             "VARIABLE_VALUE = 'Primary')");
    if (!has_replicas(session->node))
        return session_is_so(session, "SELECT 1");
    int takes_writes = session_is_so(session, "SELECT NOT @@GLOBAL.read_only");
    int following = takes_writes == 1 ? follows(session) : 0;
    return following < 0 ? -1 : following ? 0 : takes_writes;
}

// What it has received it has promised, to a semi-synchronous primary, to keep.
static int apply_received(struct session *session)
{
    char position[256] = "";
    if (session_ask(session, "STOP SLAVE IO_THREAD") != 0)
        return -1;
    MYSQL_RES *rows;
    mysql_peer_execute(session->client, "SHOW SLAVE STATUS", &rows);
    MYSQL_ROW row = rows != NULL ? mysql_fetch_row(rows) : NULL;
    for (unsigned i = 0; row != NULL && i < mysql_num_fields(rows); i++) {
        if (strcmp(mysql_fetch_field_direct(rows, i)->name, "Gtid_IO_Pos") == 0 && row[i] != NULL)
            snprintf(position, sizeof position, "%s", row[i]);
    }
    mysql_free_result(rows);
    int late = session_is_so(session, "SELECT MASTER_GTID_WAIT('%s', 0.8)", position);
    return late == 1 ? error_set(session->error,
                                 "%s did not apply what it had received (up to %s) within a second",
                                 session->node->name, position)
                     : late;
}

static int promote(struct session *session)
{
    const struct node *node = session->node;
    if (!has_replicas(node))
        return error_set(session->error, "%s is no replica that could be promoted", node->name);
    int following = follows(session);
    if (following < 0 || (following == 1 && (apply_received(session) != 0 ||
                                             session_ask(session, "STOP SLAVE") != 0 ||
                                             session_ask(session, "RESET SLAVE ALL") != 0)))
        return -1;
    // One that was semi-synchronous waits for replicas of its own, if it has any.
    if (following == 1 && node_is_in(node, "semi-sync") &&
        session_ask(session, "SET GLOBAL rpl_semi_sync_slave_enabled = 0, "
                             "GLOBAL rpl_semi_sync_master_wait_no_slave = 0, "
                             "GLOBAL rpl_semi_sync_master_enabled = 1") != 0)
        return -1;
    if (session_ask(session, "SET GLOBAL read_only = 0") != 0)
        return -1;
    int leading = leads(session);
    return leading == 0
               ? error_set(session->error, "%s was promoted, but does not lead", node->name)
               : (leading < 0 ? -1 : 0);
}

// --- has_lock ------------------------------------------------------------------------------------

// A server that was not yet sent the table, or has lost it, has no lock.
static int has_lock(struct session *session)
{
    int result = session_is_held(session);
    if (result < 0 && error_of(session) == ER_LOCK_WAIT_TIMEOUT)
        return 1;
    bool is_missing = error_of(session) == ER_NO_SUCH_TABLE || error_of(session) == ER_BAD_DB_ERROR;
    return result < 0 && is_missing ? 0 : result;
}

// --- deny ----------------------------------------------------------------------------------------

// A replica refuses writes all along, whoever asks it to serve again. The server would wait for
// tables that somebody has locked, and go on to wait when we have given up: so it is told not to,
// again and again.
static int deny(struct session *session, bool refuses)
{
    int wanted = refuses ? 1 : follows(session);
    if (wanted < 0 || session_ask(session, "SET SESSION lock_wait_timeout = 0") != 0)
        return -1;
    while (session_ask(session, "SET GLOBAL read_only = %d", wanted) != 0) {
        if (error_of(session) != ER_LOCK_WAIT_TIMEOUT ||
            !session_pause(session, "nobody keeps tables locked (LOCK TABLES)"))
            return -1;
    }
    return wanted;
}

// By a client's write, which changes nothing, and of which no replica is told.
static int refuses(struct session *session)
{
    AUTO_CLOSE struct session client = {0};
    if (session_open(&client, session->node, CLIENT_ACCOUNT, SESSION_LIMIT_S, session->error) !=
            0 ||
        session_ask(&client, "SET SESSION sql_log_bin = 0") != 0)
        return -1;
    if (session_ask(&client, "DROP DATABASE IF EXISTS lockpick_proof") == 0)
        return 0;
    return error_of(&client) == ER_OPTION_PREVENTS_STATEMENT ? 1 : -1;
}

// --- disconnect ----------------------------------------------------------------------------------

static int end_client(struct session *session, const struct server_client *client)
{
    if (session_ask(session, "KILL CONNECTION %s", client->id) == 0)
        return END_DONE;
    return error_of(session) == ER_NO_SUCH_THREAD ? END_NOTHING : -1;
}

static const struct server_control control = {
    .leads = leads,
    .promote = promote,
    .has_lock = has_lock,
    .refusals = (const char *const[]){"readonly", NULL},
    .deny = deny,
    .refuses = refuses,
    .links = (const char *const[]){"connection", NULL},
    // Sessions of ours are no client's, one that was closed a moment ago included; nor is that of a
    // replica that is sent what is committed.
    .list = "SELECT ID, SUBSTRING_INDEX(HOST, ':', 1), SUBSTRING_INDEX(HOST, ':', -1) "
            "FROM information_schema.PROCESSLIST WHERE USER <> '" OWN_ACCOUNT "' "
            "AND COMMAND NOT LIKE 'Binlog Dump%'",
    .read = control_read_row,
    .end = end_client,
};

// --- exploration (exploration.h) -----------------------------------------------------------------

// Its clock goes on: with one that stands still its threads starve, as it starts more of them by
// the time. Sessions of ours are told the time instead, by mysql_keep_time.
//
// What belongs to a session, its open transaction and its locks, is not told in the image: it comes
// of what the session's client has heard.

struct memory {
    int64_t now_ns;    // since 1970, as it is to be for the server
    struct text image; // the statements that tell it, a line for each table; empty: not known yet
};

// Nothing is forced to the disk, for the server does not die; changed pages are written at once,
// for a server whose clock stands still puts that off until its log is full; and who waits for a
// row does so until it is given one, however late it is by the clock.
static const char *const preparations[] = {"SET GLOBAL innodb_flush_log_at_trx_commit = 0",
                                           "SET GLOBAL innodb_lock_wait_timeout = 100000000",
                                           "SET SESSION group_concat_max_len = 1000000", NULL};

static const char *const restorations[] = {"SET GLOBAL innodb_flush_log_at_trx_commit = DEFAULT",
                                           "SET GLOBAL innodb_lock_wait_timeout = DEFAULT", NULL};

static int prepare(struct explored_servers *servers, struct error *error)
{
    return session_tell(explored_session(servers, 0, error), preparations);
}

static void restore(struct explored_servers *servers)
{
    struct memory *memory = servers->memory;
    session_tell(explored_session(servers, 0, NULL), restorations);
    text_free(&memory->image);
}

#define OF_OUR_TABLES "WHERE table_schema = 'lockpick' AND table_name LIKE 'lockpick\\_t%%' "

static int empty(struct explored_servers *servers, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    return explored_await_sessions(servers, NULL, 0, error) != 0 ||
                   session_ask(session, "SELECT CONCAT('DELETE FROM lockpick.', table_name) "
                                        "FROM information_schema.tables " OF_OUR_TABLES) != 0
               ? -1
               : session_ask_lines(session, text_string(&session->answer), NULL);
}

// All rows of all tables. Numbers that the server draws are shown to nobody; of a time only whether
// it is over.
static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    struct memory *memory = servers->memory;
    struct sql_peer *link = session->client;
    link->peer = session->peer;
    if (mysql_keep_time(link, memory->now_ns) != 0)
        return error_set(error, "cannot tell the server the time");
    if (memory->image.length == 0) {
        if (session_ask(session,
                        "SELECT CONCAT('SELECT ', GROUP_CONCAT(IF(data_type = 'datetime', "
                        "CONCAT(column_name, ' > NOW(6)'), "
                        "column_name) ORDER BY "
                        "ordinal_position), ' FROM lockpick.', table_name, ' ORDER BY 1') "
                        "FROM information_schema.columns " OF_OUR_TABLES
                        "AND extra <> 'auto_increment' GROUP BY table_name ORDER BY table_name") !=
            0)
            return -1;
        text_format(&memory->image, "%s\n", text_string(&session->answer));
    }
    return session_ask_lines(session, text_string(&memory->image), image);
}

static int set_time(struct explored_servers *servers, int64_t now_ns, struct error *error)
{
    struct memory *memory = servers->memory;
    (void)error;
    memory->now_ns = servers->zero_unix_ns + now_ns;
    return 0;
}

// The transactions as InnoDB has them now; its table of them is as old as 0.1 s of a clock that
// stands still. Of each it says in what session it is, and whether it waits for a lock.
static int waits_for_row(struct session *session, uint64_t number)
{
    char of_session[48];
    snprintf(of_session, sizeof of_session, "thread id %" PRIu64 ",", number);
    if (session_ask(session, "SHOW ENGINE INNODB STATUS") != 0)
        return -1;
    const char *transaction =
        strstr(text_string(&session->answer), "LIST OF TRANSACTIONS FOR EACH SESSION");
    while (transaction != NULL && (transaction = strstr(transaction, "---TRANSACTION")) != NULL) {
        transaction += strlen("---TRANSACTION");
        const char *next = strstr(transaction, "---TRANSACTION");
        size_t length = next != NULL ? (size_t)(next - transaction) : strlen(transaction);
        if (memmem(transaction, length, of_session, strlen(of_session)) != NULL)
            return memmem(transaction, length, "LOCK WAIT", strlen("LOCK WAIT")) != NULL;
    }
    return 0;
}

// A session that waits for GET_LOCK says so until it wakes up; that it was given the lock is known
// before. The first text of the statement is the lock's name.
static int is_blocked(struct explored_servers *servers, uint64_t number, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    int result = session_is_so(
        session,
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = %" PRIu64
        " AND STATE = 'User lock' AND IS_USED_LOCK(SUBSTRING_INDEX(SUBSTRING_INDEX(INFO, "
        "'\\'', 2), '\\'', -1)) <> %" PRIu64,
        number, number);
    return result != 0 ? result : waits_for_row(session, number);
}

static const struct server_exploration exploration = {
    .memory_bytes = sizeof(struct memory),
    .prepare = prepare,
    .restore = restore,
    .empty = empty,
    .image = image,
    .set_time = set_time,
    .is_blocked = is_blocked,
    // The server lets a session's locks go before it takes the session from the list.
    .count_sessions = "SELECT COUNT(*) FROM information_schema.PROCESSLIST "
                      "WHERE USER = '" CLIENT_ACCOUNT "' AND ID NOT IN ",
};

// --- topologies ----------------------------------------------------------------------------------

// The same for each node but the first.
static int await_others(const struct server_group *group, const struct goal *goal,
                        struct error *error)
{
    for (int i = 1; i < group->count; i++) {
        if (node_await(&group->nodes[i], goal, error) != 0)
            return -1;
    }
    return 0;
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
                                          "SELECT word FROM lockpick_proof.proof",
                                          {{"travelled\n", 1}}};
    static const struct goal cleaned = {
        "what the first server dropped is gone from the others",
        "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'lockpick_proof'",
        {{"0\n", 1}}};
    return server_tell(&group->nodes[0], write, error) != 0 ||
                   await_others(group, &travelled, error) != 0 ||
                   server_tell(&group->nodes[0], clean, error) != 0 ||
                   await_others(group, &cleaned, error) != 0
               ? -1
               : 0;
}

// From the primary's first transaction on; clients cannot write there. Should they be parted, it
// tries again each second. A semi-synchronous primary counts on all its replicas, and waits for
// them.
static int join_replication(struct server_group *group, struct error *error)
{
    static const struct goal linked = {
        "the replica is linked to its primary", STATUS("SLAVE_RUNNING"), {{"ON\n", 1}}};
    static const struct goal waits = {
        "the primary waits for its replicas", STATUS("RPL_SEMI_SYNC_MASTER_STATUS"), {{"ON\n", 1}}};
    const struct node *primary = &group->nodes[0];
    bool is_semi_sync = node_is_in(primary, "semi-sync");
    char link[256], replicas[16];
    snprintf(link, sizeof link,
             "CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %d, MASTER_USER = 'root', "
             "MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1",
             primary->end.address, primary->port);
    snprintf(replicas, sizeof replicas, "%d\n", group->count - 1);
    const char *const follow[] = {"SET GLOBAL read_only = 1", link, "START SLAVE", NULL};
    const struct goal counted = {"the primary counts on all its replicas",
                                 STATUS("RPL_SEMI_SYNC_MASTER_CLIENTS"),
                                 {{replicas, 1}}};
    for (int i = 1; i < group->count; i++) {
        if (server_tell(&group->nodes[i], follow, error) != 0)
            return -1;
    }
    if (await_others(group, &linked, error) != 0 ||
        (is_semi_sync && node_await(primary, &counted, error) != 0) ||
        prove_that_rows_travel(group, error) != 0)
        return -1;
    return is_semi_sync ? node_await(primary, &waits, error) : 0;
}

static int join_galera(struct server_group *group, struct error *error)
{
    char count[16];
    snprintf(count, sizeof count, "%d\n", group->count);
    const struct goal complete = {
        "all servers are of one cluster", STATUS("WSREP_CLUSTER_SIZE"), {{count, 1}}};
    static const struct goal synced = {
        "each server is up to date", STATUS("WSREP_LOCAL_STATE_COMMENT"), {{"Synced\n", 1}}};
    return group_start_deferred(group, error) != 0 ||
                   group_await(group, NULL, &complete, error) != 0 ||
                   group_await(group, NULL, &synced, error) != 0
               ? -1
               : prove_that_rows_travel(group, error);
}

static const struct topology single = SINGLE_SERVER("mysql");

// The roles as they were at first; nobody promotes a replica but who tells it so.
#define ONE_PRIMARY(called)                                                                        \
    .form = {.name = (called),                                                                     \
             .server = "mysql",                                                                    \
             .least = 2,                                                                           \
             .most = MAX_SERVERS,                                                                  \
             .usual = 2,                                                                           \
             .led = true,                                                                          \
             .diverges = true},                                                                    \
    .promoted = true, .roles = {"primary", "replica"}, .join = join_replication

// Replicas are sent what the primary has committed, some time later.
static const struct topology replica = {
    ONE_PRIMARY("replica"),
    .summary = "one primary, and replicas that follow it some time later",
    .lags = true,
};

// The same, but the primary tells its client of a commit only when a replica has received it (and
// shows it to others before that: MariaDB's default, AFTER_COMMIT), or when that has taken
// SEMI_SYNC_TIMEOUT_MS.
static const struct topology semi_sync = {
    ONE_PRIMARY("semi-sync"),
    .summary = "one primary that waits until a replica has received what it commits",
    .replicates = true,
};

// Every server takes writes, and a transaction is certified by all when it is committed; what it
// locked, only the server knew where it ran. Half of the servers are not enough to work on, so that
// of two none may be lost.
static const struct topology galera = {
    .form = {.name = "galera",
             .server = "mysql",
             .least = 2,
             .most = 3,
             .usual = 2,
             .by_majority = true,
             .diverges = true,
             .locks_locally = true},
    .summary = "a Galera cluster: every server takes writes, and locks rows for itself",
    .replicates = true,
    .one_by_one = true, // the first makes the cluster, the others join it
    .join = join_galera,
};

const struct server_kind mysql_server = {
    .name = "mysql",
    .form = {.title = "MariaDB",
             .durability = {"mysql: log flushed at each commit"},
             .why_not_remote =
                 "its data are made by programs of its own before it starts, which no "
                 "agent runs; name one that runs there by 'external'",
             .keeps_commits = true,
             .set_up = "the tables",
             .login = LOGIN_ANY,
             .grant = "GRANT CREATE, DROP, SELECT, INSERT, UPDATE, DELETE ON DATABASE.* TO NAME",
             .has_databases = true,
             .why_no_server_name =
                 "MariaDB's library looks for the name in the URL: write the server's there"},
    .program = "mariadbd",
    .package = "mariadb-server",
    .port = 3306,
    .extra_ports = 3,
    .boot_limit_s = 90,
    .topologies = (const struct topology *const[]){&single, &replica, &semi_sync, &galera, NULL},
    .clean = mysql_tables_clean,
    .version = version,
    .start = start,
    .ready = ready,
    .open = open_session,
    .ask = ask,
    .close = close_session,
    .takes_preload = true,
    .keeps_data = true,
    // Whose replica it is; which members its Galera cluster last had.
    .kept = (const char *const[]){"master.info", "gvwstate.dat", NULL},
    .surrender_notes = (const char *const[]){"[FATAL]", " got signal ", NULL},
    .control = &control,
    .exploration = &exploration,
};
