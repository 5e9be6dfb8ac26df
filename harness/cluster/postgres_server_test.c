// PostgreSQL as Lockpick boots it: for an ordinary user, again after it was killed, and nothing of
// it stays.
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <postgresql/libpq-fe.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// One server in a folder of its own.
struct place {
    struct cluster cluster;
    char folder[64];
};

static int open_server(struct place *place, enum isolation isolation, struct error *error)
{
    *place = (struct place){.folder = "/tmp/lockpick-postgres-XXXXXX"};
    struct group_settings group = {
        .name = "postgres", .topology = topology_find("postgres", NULL), .count = 1};
    struct cluster_settings settings = {.isolation = isolation,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = place->folder,
                                        .serial = 1};
    return test_folder_make(place->folder) != 0 ? -1
                                                : cluster_open(&place->cluster, &settings, error);
}

static void open_on_loopback(struct place *place)
{
    struct error error = {0};
    if (open_server(place, ISOLATION_LOOPBACK, &error) != 0)
        fail_msg("%s", error.text);
}

static void close_server(struct place *place)
{
    cluster_close(&place->cluster);
    assert_int_equal(test_folder_remove(place->folder), 0);
}

static PGconn *connect_to(const struct node *node)
{
    char settings[160];
    snprintf(settings, sizeof settings, "host=%s port=%d user=postgres dbname=postgres",
             node->end.address, node->port);
    PGconn *connection = PQconnectdb(settings);
    assert_int_equal(PQstatus(connection), CONNECTION_OK);
    return connection;
}

// The first value that the statement brings, as a number.
static long long ask(PGconn *connection, const char *statement)
{
    PGresult *result = PQexec(connection, statement);
    ExecStatusType status = PQresultStatus(result);
    long long value = status == PGRES_TUPLES_OK ? atoll(PQgetvalue(result, 0, 0)) : 0;
    PQclear(result);
    assert_true(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK);
    return value;
}

TEST(what_was_committed_outlives_a_kill_and_a_start_in_the_same_place)
{
    struct place place;
    struct error error = {0};
    open_on_loopback(&place);
    struct node *node = &place.cluster.nodes[0];
    PGconn *connection = connect_to(node);
    ask(connection, "CREATE TABLE kept (value bigint)");
    ask(connection, "INSERT INTO kept VALUES (42)");
    process_kill(node->server); // while a backend of it lives
    assert_int_equal(cluster_start_node(node, &error), 0);
    PQfinish(connection);
    connection = connect_to(node);
    assert_int_equal(ask(connection, "SELECT value FROM kept"), 42);
    assert_int_equal(ask(connection, "SELECT (setting = 'on')::int FROM pg_settings "
                                     "WHERE name = 'fsync'"),
                     1);
    PQfinish(connection);
    close_server(&place);
}

static int open_and_ask(const struct sandbox *sandbox, void *context)
{
    (void)context;
    struct place place;
    struct error error = {0};
    if (open_server(&place, sandbox->isolation, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const struct node *node = &place.cluster.nodes[0];
    int result = node->kind->ready(node, &error) == 0 ? 0 : 2;
    close_server(&place);
    return sandbox->isolation == ISOLATION_NAMESPACES ? result : result + 10;
}

TEST(it_boots_in_a_namespace_of_its_own)
{
    assert_int_equal(sandbox_run(false, open_and_ask, NULL), 0);
}

TEST(a_stranger_on_our_port_is_not_taken_for_our_server)
{
    struct place place;
    struct error error = {0};
    open_on_loopback(&place);
    struct node stranger = place.cluster.nodes[0];
    assert_int_equal(stranger.kind->ready(&stranger, &error), 0);
    stranger.server++;
    assert_int_equal(stranger.kind->ready(&stranger, &error), 1);
    close_server(&place);
}

static int set_cache(const char *path)
{
    return path != NULL ? setenv("XDG_CACHE_HOME", path, 1) : unsetenv("XDG_CACHE_HOME");
}

// Where it cannot be made. Returns where it was, for the caller to give back and to free.
static char *spoil_cache(void)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    char *former = cache != NULL ? memory_string(cache) : NULL;
    set_cache("/proc/no-such-folder");
    return former;
}

TEST(without_a_usable_cache_it_makes_its_data_itself)
{
    struct place place;
    char *cache = spoil_cache();
    open_on_loopback(&place);
    set_cache(cache);
    free(cache);
    close_server(&place);
}

TEST(data_that_cannot_be_made_are_an_error_that_says_where_the_reason_is)
{
    struct error error = {0};
    char folder[] = "/tmp/lockpick-postgres-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    struct text data = {0}; // longer than PostgreSQL takes
    text_add(&data, folder);
    for (int i = 0; i < 200; i++)
        text_add(&data, "/folder");
    struct node node = {.kind = server_kind_find("postgres"),
                        .folder = folder,
                        .home = folder,
                        .data = data.bytes,
                        .end = {.network_namespace = -1, .address = "127.0.0.1"},
                        .processor = -1};
    char *cache = spoil_cache();
    assert_int_equal(node.kind->start(&node, &error), -1);
    assert_non_null(strstr(error.text, "initdb"));
    assert_non_null(strstr(error.text, "server.log"));
    set_cache(cache);
    free(cache);
    text_free(&data);
    assert_int_equal(test_folder_remove(folder), 0);
}

TEST(its_shared_memory_goes_with_it_even_if_it_is_killed)
{
    struct place place;
    struct shmid_ds segment;
    struct text file = {0};
    int id = -1;
    open_on_loopback(&place);
    char *path = path_join(place.cluster.nodes[0].data, "postmaster.pid");
    assert_int_equal(file_read(path, &file, NULL), 0);
    const char *line = file.bytes;
    for (int i = 1; i < 7; i++)
        line = strchr(line, '\n') + 1;
    assert_int_equal(sscanf(line, "%*u %d", &id), 1);
    // Where no user namespace can be had, the server is nobody's, and so is its memory.
    bool is_ours = shmctl(id, IPC_STAT, &segment) == 0;
    assert_true(is_ours || errno == EACCES);
    process_kill(place.cluster.nodes[0].server);
    place.cluster.nodes[0].server = 0;
    while (is_ours &&
           shmctl(id, IPC_STAT, &segment) == 0) // its processes notice: a leak would hang here
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    text_free(&file);
    free(path);
    close_server(&place);
}

TEST(it_is_installed_and_names_its_version)
{
    char text[64];
    const struct server_kind *kind = server_kind_find("postgres");
    assert_true(server_is_installed(kind));
    server_version(kind, text, sizeof text);
    assert_int_equal(strncmp(text, "postgres 1", 10), 0);
}
