// PostgreSQL. It refuses to run as root, so it runs as an ordinary user.
//
// leads: whenever it answers, for it serves alone. has_lock: as the scheme asks (held_when).
// disconnect: pg_terminate_backend; what a backend had locked is free by then.
//
// What was committed had been forced to the disk (fsync, synchronous_commit), so that LOSS_UNSYNCED
// loses nothing more than a crash does. LOSS_ALL: the data are made anew.
//
// deny: nothing by which PostgreSQL refuses writes concerns an advisory lock, which is none: it is
// granted in a read-only transaction, and by a standby. flush, evict: its data are no cache.
#include "harness/cluster/exploration.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/wire/sql.h"

#include <errno.h>
#include <inttypes.h>
#include <postgresql/libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#define ORPHANS_LIMIT_NS (5 * NS_PER_S)
// By which the harness's sessions are told from those of clients.
#define OWN_NAME "lockpick"
#define OF_CLIENTS "backend_type = 'client backend' AND application_name <> '" OWN_NAME "'"

// Who connects is nobody's business but ours (trust), and a torn page nobody's but the cache's.
static int initialise(const struct node *node, struct error *error)
{
    pid_t id = server_run(node, true, error,
                          "initdb -D %s -U postgres -A trust --encoding UTF8 --locale C --no-sync"
                          " --no-instructions",
                          node->data);
    int status = id < 0 ? -1 : process_wait(id, "initdb", node_limit(node), -1, NULL, error);
    return status <= 0
               ? status
               : error_set(
                     error,
                     "initdb failed, for a reason at the end of %s/server.log; it was to make %s",
                     node->folder, node->data);
}

// --- the postmaster's file -----------------------------------------------------------------------

// What a server writes to postmaster.pid: its process id, data folder, start, port, socket folder,
// address, shared memory (key and id), status; a line each, the last ones when it gets there.
struct postmaster {
    int process;
    int port;
    int shared_memory; // id of the segment by which it knows its processes; -1: not yet
    bool is_ready;
};

// False if there is no such file.
static bool read_postmaster(const char *data, struct postmaster *postmaster)
{
    AUTO_FREE char *path = path_join(data, "postmaster.pid");
    AUTO_TEXT struct text text = {0};
    *postmaster = (struct postmaster){.shared_memory = -1};
    if (file_read(path, &text, NULL) != 0 || text.length == 0)
        return false;
    char *rest = text.bytes;
    for (int line = 1; rest != NULL; line++) {
        const char *words = strsep(&rest, "\n");
        if (line == 1)
            postmaster->process = atoi(words);
        else if (line == 4)
            postmaster->port = atoi(words);
        else if (line == 7)
            sscanf(words, "%*u %d", &postmaster->shared_memory);
        else if (line == 8)
            postmaster->is_ready = strncmp(words, "ready", 5) == 0;
    }
    return true;
}

// The processes of a killed postmaster notice its death, and end; until then the data are theirs.
static void wait_for_orphans(const struct node *node)
{
    struct postmaster former;
    struct shmid_ds segment;
    int64_t give_up_ns = clock_monotonic_ns() + ORPHANS_LIMIT_NS;
    if (!read_postmaster(node->data, &former) || former.shared_memory < 0)
        return;
    while (shmctl(former.shared_memory, IPC_STAT, &segment) == 0 && segment.shm_nattch > 0 &&
           clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
}

// --- start and ready -----------------------------------------------------------------------------

static pid_t start(const struct node *node, struct error *error)
{
    if (server_provide_data(node, "PG_VERSION", initialise, error) != 0 ||
        server_write(node, "hba.conf", "host all all all trust\n", error) != 0)
        return -1;
    if (chmod(node->data, 0700) != 0)
        return error_set(error, "cannot close %s to others: %s", node->data, strerror(errno));
    wait_for_orphans(node);
    return server_run(node, true, error,
                      "postgres -D %s -c listen_addresses=%s -c port=%d -c hba_file=%s/hba.conf"
                      " -c unix_socket_directories= -c max_connections=400 -c fsync=on"
                      " -c logging_collector=off",
                      node->data, node->end.address, node->port, node->home);
}

static bool ready(const struct node *node)
{
    struct postmaster postmaster;
    // It writes its port once it has it: then nobody else can answer there.
    return read_postmaster(node->data, &postmaster) && postmaster.process == node->server &&
           postmaster.port == node->port && postmaster.is_ready &&
           node_says(node, "SELECT 'yes'", "yes");
}

// --- sessions ------------------------------------------------------------------------------------

static int open_session(struct session *session)
{
    struct sql_peer *link = memory_zeroed(1, sizeof *link);
    const struct sql_login login = {.user = "postgres",
                                    .database = "postgres",
                                    .application =
                                        session->account != NULL ? session->account : OWN_NAME,
                                    .is_plain = true};
    session->client = link;
    if (postgres_peer_open(link, &session->peer, &login, session->error) != 0)
        return -1;
    session->descriptor = PQsocket(link->session);
    return 0;
}

static void close_session(struct session *session)
{
    postgres_peer_close(session->client);
}

static int ask(struct session *session, const char *statement)
{
    struct sql_peer *link = session->client;
    link->peer = session->peer;
    return postgres_peer_ask(link, statement, &session->answer, session->error);
}

// --- control -------------------------------------------------------------------------------------

static int leads(struct session *session)
{
    return session_is_so(session, "SELECT 1");
}

// A server that has lost the table has no lock.
static int has_lock(struct session *session)
{
    int result = session_is_held(session);
    bool is_missing = result < 0 && session->error != NULL &&
                      strstr(session->error->text, "does not exist") != NULL;
    return is_missing ? 0 : result;
}

static int end_client(struct session *session, const struct server_client *client)
{
    int told = session_is_so(session, "SELECT pg_terminate_backend(%s)", client->id);
    return told < 0 ? -1 : told == 1 ? END_DONE : END_NOTHING;
}

static const struct server_control control = {
    .leads = leads,
    .has_lock = has_lock,
    .links = (const char *const[]){"connection", NULL},
    // A session of ours is no client's, not even one that was closed a moment ago.
    .list = "SELECT pid, host(client_addr), client_port FROM pg_stat_activity "
            "WHERE " OF_CLIENTS,
    .read = control_read_row,
    .end = end_client,
};

// --- exploration (exploration.h) -----------------------------------------------------------------

// It asks its clock at each statement.

struct memory {
    struct text image; // the statements that tell it, a line each; empty: not known yet
};

static void restore(struct explored_servers *servers)
{
    struct memory *memory = servers->memory;
    text_free(&memory->image);
}

#define OF_OUR_TABLES "WHERE table_name LIKE 'lockpick\\_t%%' "

// What belongs to sessions is gone with them.
static int empty(struct explored_servers *servers, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    return explored_await_sessions(servers, NULL, 0, error) != 0 ||
                   session_ask(session, "SELECT format('DELETE FROM %%I', table_name) "
                                        "FROM information_schema.tables " OF_OUR_TABLES) != 0
               ? -1
               : session_ask_lines(session, text_string(&session->answer), NULL);
}

// All advisory locks, and all rows of all tables; of a time in how many parts of time it is over.
static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    struct memory *memory = servers->memory;
    if (memory->image.length == 0) {
        if (session_ask(session,
                        "SELECT format('SELECT %%s FROM %%I ORDER BY 1', string_agg("
                        "CASE WHEN data_type LIKE 'timestamp%%' THEN format('CASE WHEN %%1$I > "
                        "clock_timestamp() THEN floor(extract(epoch FROM %%1$I - "
                        "clock_timestamp()) * %" PRId64 " / %" PRId64 ") END', column_name) "
                        "ELSE quote_ident(column_name) END, ', ' ORDER BY ordinal_position), "
                        "table_name) FROM information_schema.columns " OF_OUR_TABLES
                        "GROUP BY table_name ORDER BY table_name",
                        NS_PER_S, servers->part_ns > 0 ? servers->part_ns : INT64_MAX) != 0)
            return -1;
        text_format(&memory->image,
                    "SELECT classid, objid, mode, granted FROM pg_locks "
                    "WHERE locktype = 'advisory' ORDER BY 1, 2, 3, 4\n%s",
                    text_string(&session->answer));
    }
    return session_ask_lines(session, text_string(&memory->image), image);
}

// A session says that it waits until it wakes up; that nobody is in its way any more, the lock
// table tells before.
static int is_blocked(struct explored_servers *servers, uint64_t number, struct error *error)
{
    return session_is_so(explored_session(servers, 0, error),
                         "SELECT count(*) FROM pg_stat_activity WHERE pid = %" PRIu64
                         " AND wait_event_type = 'Lock' AND cardinality(pg_blocking_pids(pid)) > 0",
                         number);
}

static const struct server_exploration exploration = {
    .holds_threads = true,
    .memory_bytes = sizeof(struct memory),
    .restore = restore,
    .empty = empty,
    .image = image,
    .is_blocked = is_blocked,
    .count_sessions = "SELECT count(*) FROM pg_stat_activity WHERE " OF_CLIENTS " AND pid NOT IN ",
};

// --- all -----------------------------------------------------------------------------------------

static const struct topology single = SINGLE_SERVER("postgres");

const struct server_kind postgres_server = {
    .name = "postgres",
    .form = {.title = "PostgreSQL",
             .durability = {"postgres: log flushed at each commit"},
             .why_not_remote =
                 "its data are made by programs of its own before it starts, which no "
                 "agent runs; name one that runs there by 'external'",
             .set_up = "the tables",
             .login = LOGIN_ANY,
             .grant = "CREATE ROLE NAME LOGIN PASSWORD 'PASSWORD'",
             .has_databases = true},
    .program = "postgres",
    .package = "postgresql",
    .port = 5432,
    .topologies = (const struct topology *const[]){&single, NULL},
    .start = start,
    .ready = ready,
    .open = open_session,
    .ask = ask,
    .close = close_session,
    .takes_preload = true,
    .shares_memory = true,
    .keeps_data = true,
    .ending = SIGINT, // SIGTERM would wait for all clients to go
    // A process that dies by a signal takes all others with it: the server begins anew, without
    // locks. One that is asked to end takes only what its client held.
    .death_notes =
        (const char *const[]){"was terminated by signal", "exited with exit code 2",
                              "terminating connection due to administrator command", NULL},
    .surrender_notes = (const char *const[]){"PANIC:", NULL},
    .control = &control,
    .exploration = &exploration,
};
