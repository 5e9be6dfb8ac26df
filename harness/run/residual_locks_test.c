// What is recorded of the locks of a trial that is over, by a real Redis server.
#include "harness/run/trial_state.h"

#include "harness/base/file.h"
#include "harness/cluster/test_control.h"
#include "harness/history/reader.h"
#include "harness/testing/test.h"

#define LOCKS 500

static struct test_server server;
static struct trial_key keys[LOCKS];
static struct lock_identity locks[LOCKS];

static int start(void **state)
{
    (void)state;
    start_servers(&server, "redis", "single", 1, PERSISTENCE_NONE);
    for (int i = 0; i < LOCKS; i++) {
        keys[i].number = i + 1;
        snprintf(keys[i].tag, sizeof keys[i].tag, "t%d", i + 1);
        snprintf(keys[i].lock_name, sizeof keys[i].lock_name, "lockpick:{t%d}:lock", i + 1);
        locks[i] = (struct lock_identity){
            .name = keys[i].lock_name, .tag = keys[i].tag, .scheme = "redis-set-px-lua"};
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    test_server_stop(&server);
    return 0;
}

// What is recorded of the first `count` locks. Free with history_free.
static struct history recorded(int count)
{
    struct error error = {0};
    struct history_file file;
    struct history_writer writer;
    struct history history;
    struct fault_environment environment = {.lock_group = &server.cluster.groups[0],
                                            .lock = locks[0],
                                            .locks = locks,
                                            .lock_count = count};
    AUTO_FREE char *path = path_join(server.folder, "residual.history");
    MUST_BE(0, history_file_create(path, 2 * LOCKS, 1, &file, &error));
    history_writer_start(&writer, &file, 0, 0);
    residual_locks_record(&environment, keys, lock_scheme_find("redis-set-px-lua"), NS_PER_S,
                          &writer);
    history_file_close(&file);
    MUST_BE(0, history_load(path, &history, &error));
    return history;
}

// Of many, the last are asked for so much later that a lease may have ended meanwhile.
TEST_WITH(only_the_first_were_not_waited_for, start, stop)
{
    AUTO(history_free) struct history history = recorded(LOCKS);
    assert_int_equal(history.count, LOCKS);
    assert_int_equal(history.events[0].args[1], 0);
    const struct event *last = &history.events[LOCKS - 1];
    assert_int_equal(last->args[2], LOCKS);
    assert_int_equal(last->args[0], 0);
    assert_true(last->args[1] > 0);
}

TEST_WITH(a_lease_that_ends_only_then_was_waited_for, start, stop)
{
    must_answer(node_of(&server, 1), "SET lockpick:{t1}:lock token PX 2000\n", "OK");
    AUTO(history_free) struct history history = recorded(1);
    assert_int_equal(history.count, 1);
    assert_int_equal(history.events[0].args[0], 0);
    assert_true(history.events[0].args[1] > 0);
}
