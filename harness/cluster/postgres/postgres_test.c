// What PostgreSQL has of its own: the number of a lock, data that cannot be made, and what a killed
// server leaves. On real ones.
#include "harness/base/file.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <errno.h>
#include <sys/shm.h>
#include <unistd.h>

#define KEY(name) "hashtextextended('" name "', 0)"

SERVERS_TEST(the_lock_is_held_while_its_number_is_granted, .kind = "postgres")
{
    struct error of_client;
    const struct lock_identity lock = test_lock_of("postgres-advisory");
    AUTO_CLOSE struct session holder = start_client(node, &of_client);
    // Another lock; the same number as two halves; and the lock's own.
    static const struct {
        const char *request;
        int held;
    } cases[] = {
        {"SELECT pg_advisory_lock(" KEY("other") ")", 0},
        {"SELECT pg_advisory_lock((" KEY(TEST_LOCK) " >> 32)::int, "
                                                    "('x' || right(to_hex(" KEY(
                                                        TEST_LOCK) "), 8))::bit(32)::int)",
         0},
        {"SELECT pg_advisory_lock(" KEY(TEST_LOCK) ")", 1},
        {"SELECT pg_advisory_unlock(" KEY(TEST_LOCK) ")", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        must_do(&holder, cases[i].request);
        MUST_BE(cases[i].held, DO(node, has_lock, &lock));
    }
    // Of so many names, the number of some is negative.
    for (int i = 0; i < 20; i++) {
        char name[16], statement[120];
        struct lock_identity other = {.name = name, .tag = "t", .scheme = "postgres-advisory"};
        snprintf(name, sizeof name, "name-%d", i);
        snprintf(statement, sizeof statement, "SELECT pg_advisory_lock(hashtextextended('%s', 0))",
                 name);
        MUST_BE(0, DO(node, has_lock, &other));
        must_do(&holder, statement);
        MUST_BE(1, DO(node, has_lock, &other));
    }
    must_answer(node, "SELECT setting FROM pg_settings WHERE name = 'fsync'", "on");
}

TEST(data_that_cannot_be_made_are_an_error_that_says_where_the_reason_is)
{
    struct error error = {0};
    char folder[] = "/tmp/lockpick-postgres-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    AUTO_TEXT struct text data = {0}; // longer than PostgreSQL takes
    text_add(&data, folder);
    for (int i = 0; i < 200; i++)
        text_add(&data, "/folder");
    struct node node = {.kind = server_kind_find("postgres"),
                        .folder = folder,
                        .home = folder,
                        .data = data.bytes,
                        .end = {.network_namespace = -1, .address = "127.0.0.1"},
                        .processor = -1};
    AUTO_FREE char *cache = test_variable_set("XDG_CACHE_HOME", "/proc/no-such-folder");
    MUST_FAIL(-1, node.kind->start(&node, &error), "initdb");
    assert_non_null(strstr(error.text, "server.log"));
    free(test_variable_set("XDG_CACHE_HOME", cache));
    assert_int_equal(test_folder_remove(folder), 0);
}

SERVERS_TEST(its_shared_memory_goes_with_it_even_if_it_is_killed_while_a_backend_lives,
             .kind = "postgres")
{
    struct shmid_ds segment;
    AUTO_TEXT struct text file = {0};
    struct error of_client;
    error = (struct error){.text = "it is still there"};
    int id = -1;
    struct session client = start_client(node, &of_client);
    AUTO_FREE char *path = path_join(node->data, "postmaster.pid");
    assert_int_equal(file_read(path, &file, NULL), 0);
    const char *line = file.bytes;
    for (int i = 1; i < 7; i++)
        line = strchr(line, '\n') + 1;
    assert_int_equal(sscanf(line, "%*u %d", &id), 1);
    // Where no user namespace can be had, the server is nobody's, and so is its memory.
    bool is_ours = shmctl(id, IPC_STAT, &segment) == 0;
    assert_true(is_ours || errno == EACCES);
    process_kill(node->server); // alone: its processes notice
    node->server = 0;
    if (is_ours)
        MUST_COME_TO_BE(-1, shmctl(id, IPC_STAT, &segment));
    MUST_BE(0, cluster_start_node(node, &error)); // in the same place
    session_close(&client);
}
