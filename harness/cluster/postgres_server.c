// PostgreSQL refuses to run as root, so it runs as an ordinary user. Its data are made once per
// machine, and copied.
#include "harness/cluster/postgres_server.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/postgres_control.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <glob.h>
#include <postgresql/libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#define ORPHANS_LIMIT_NS (5 * NS_PER_S)

// --- where the programs are ----------------------------------------------------------------------

// Debian keeps them out of PATH, one folder for each major version: the newest of those, or the
// bare name. The caller frees.
static char *find_program(const char *name)
{
    glob_t found;
    struct text pattern = {0};
    char *program = NULL;
    long newest = -1;
    text_format(&pattern, "/usr/lib/postgresql/*/bin/%s", name);
    if (glob(pattern.bytes, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            long version = strtol(found.gl_pathv[i] + strlen("/usr/lib/postgresql/"), NULL, 10);
            if (version <= newest || access(found.gl_pathv[i], X_OK) != 0)
                continue;
            newest = version;
            free(program);
            program = memory_string(found.gl_pathv[i]);
        }
        globfree(&found);
    }
    text_free(&pattern);
    return program != NULL ? program : memory_string(name);
}

static bool installed(void)
{
    char *program = find_program("initdb");
    bool is_there = access(program, X_OK) == 0 || program_exists(program);
    free(program);
    return is_there;
}

// "postgres (PostgreSQL) 15.18 (Debian ...)".
static void version(char *out, size_t room)
{
    char *program = find_program("postgres");
    const char *const arguments[] = {program, "--version", NULL};
    version_ask("postgres", arguments, "", " \n", out, room);
    free(program);
}

// --- the data ------------------------------------------------------------------------------------

// The caller frees; NULL if there is no such place.
static char *cache_path(void)
{
    char release[64];
    char name[96];
    version(release, sizeof release);
    const char *number = version_number(release);
    if (number == NULL)
        return NULL;
    snprintf(name, sizeof name, "postgres-%s", number);
    return data_cache_path(name);
}

// Who connects is nobody's business but ours (trust), and a torn page nobody's but the cache's.
static int initialise(const struct node *node, struct error *error)
{
    char *program = find_program("initdb");
    const char *const arguments[] = {program, "-D",        node->data,          "-U",   "postgres",
                                     "-A",    "trust",     "--encoding",        "UTF8", "--locale",
                                     "C",     "--no-sync", "--no-instructions", NULL};
    pid_t id = server_run(node, arguments, true, error);
    free(program);
    if (id < 0)
        return -1;
    int status = process_wait(id, "initdb", node_limit(node), -1, NULL, error);
    if (status <= 0)
        return status;
    return error_set(error,
                     "initdb failed, for a reason at the end of %s/server.log; it was to make %s",
                     node->folder, node->data);
}

static int provide_data(const struct node *node, struct error *error)
{
    struct stat about;
    char *marker = path_join(node->data, "PG_VERSION");
    bool is_there = stat(marker, &about) == 0;
    free(marker);
    if (is_there)
        return 0; // a restart
    char *cache = cache_path();
    int result = 0;
    if (cache == NULL || data_cache_fetch(cache, node->data, node_limit(node)) != 0) {
        result = folder_remove(node->data, error) != 0 || folder_make(node->data, error) != 0 ||
                         initialise(node, error) != 0
                     ? -1
                     : 0;
        if (result == 0 && cache != NULL)
            data_cache_keep(node->data, cache, node_limit(node));
    }
    free(cache);
    if (result == 0 && chmod(node->data, 0700) != 0)
        result = error_set(error, "cannot close %s to others: %s", node->data, strerror(errno));
    return result;
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
    char *path = path_join(data, "postmaster.pid");
    struct text text = {0};
    *postmaster = (struct postmaster){.shared_memory = -1};
    bool is_there = file_read(path, &text, NULL) == 0 && text.length > 0;
    char *rest = is_there ? text.bytes : NULL;
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
    text_free(&text);
    free(path);
    return is_there;
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

// A server, or an initdb, that was killed before it was ready.
static void clean_up(const char *data)
{
    struct postmaster former;
    struct shmid_ds segment;
    if (read_postmaster(data, &former) && former.shared_memory >= 0 &&
        shmctl(former.shared_memory, IPC_STAT, &segment) == 0 &&
        segment.shm_cpid == former.process && segment.shm_nattch == 0)
        shmctl(former.shared_memory, IPC_RMID, NULL);
}

// --- start and ready -----------------------------------------------------------------------------

static pid_t start(const struct node *node, struct error *error)
{
    char listen[64], port[24], admitted[200];
    snprintf(listen, sizeof listen, "listen_addresses=%s", node->end.address);
    snprintf(port, sizeof port, "port=%d", node->port);
    snprintf(admitted, sizeof admitted, "hba_file=%s/hba.conf", node->home);
    if (provide_data(node, error) != 0 ||
        server_write(node, "hba.conf", "host all all all trust\n", error) != 0)
        return -1;
    wait_for_orphans(node);
    char *program = find_program("postgres");
    const char *const arguments[] = {
        program, "-D", node->data, "-c", listen, "-c", port, "-c", admitted, "-c",
        "unix_socket_directories=", "-c", "max_connections=400", "-c", "fsync=on",
        // In the data folder, which goes, instead of in /dev/shm.
        "-c", "dynamic_shared_memory_type=mmap", "-c", "logging_collector=off", NULL};
    pid_t id = server_run(node, arguments, true, error);
    free(program);
    return id;
}

static bool answers(const struct node *node)
{
    char port[16];
    snprintf(port, sizeof port, "%d", node->port);
    static const char *const keywords[] = {"host",    "port",       "dbname",          "user",
                                           "sslmode", "gssencmode", "connect_timeout", NULL};
    const char *const values[] = {node->end.address, port,      "postgres", "postgres",
                                  "disable",         "disable", "2",        NULL};
    return PQpingParams(keywords, values, 0) == PQPING_OK;
}

static int ready(const struct node *node, struct error *error)
{
    (void)error;
    struct postmaster postmaster;
    // It writes its port once it has it: then nobody else can answer there.
    if (!read_postmaster(node->data, &postmaster) || postmaster.process != node->server ||
        postmaster.port != node->port || !postmaster.is_ready || !answers(node))
        return 1;
    // A killed postmaster leaves its segment of shared memory behind for ever, unless it is removed
    // while in use: then it goes with the last process.
    shmctl(postmaster.shared_memory, IPC_RMID, NULL);
    return 0;
}

// A process that dies by a signal takes all others with it: the server begins anew, without locks.
// One that is asked to end takes only what its client held.
static const char *const death_notes[] = {"was terminated by signal", "exited with exit code 2",
                                          "terminating connection due to administrator command",
                                          NULL};

static const char *const surrender_notes[] = {"PANIC:", NULL};

const struct server_kind postgres_server = {
    .name = "postgres",
    .form = {.title = "PostgreSQL",
             .durability = {"postgres: log flushed at each commit"},
             .set_up = "the tables"},
    .program = "postgres",
    .package = "postgresql",
    .port = 5432,
    .installed = installed,
    .version = version,
    .keeps_data = true,
    .ending = SIGINT, // SIGTERM would wait for all clients to go
    .start = start,
    .ready = ready,
    .clean_up = clean_up,
    .takes_preload = true,
    .death_notes = death_notes,
    .control = &postgres_control,
    .surrender_notes = surrender_notes,
};
