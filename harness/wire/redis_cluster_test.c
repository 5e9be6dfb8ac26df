// A Redis connection to a cluster: from slot to slot, and from a dead master to its replica.
#include "harness/wire/test_redis.h"

#include "harness/history/writer.h"
#include "harness/testing/test.h"
#include "harness/wire/test_points.h"

#include <pthread.h>

// The third master's, at first. What moves away in one test is of a slot of its own.
#define SLOT_OF_FOO "12182"
#define SLOT_OF_A "15495"
#define SLOT_OF_D "11298"
#define SLOT_OF_E "15363"
#define SLOT_OF_H "11694"

// Tests that do no harm share the servers; each has a connection of its own.
static int open_another(void **state)
{
    (void)state;
    redis_close(fixture.connection);
    return connect_fixture();
}

// How many points the connection has passed since they were counted.
static int64_t points_counted(void)
{
    struct point_trap *trap = &fixture.board.traps[0];
    int64_t passed = atomic_load(&trap->passed);
    point_let_go(&fixture.board, trap);
    return passed;
}

TEST_GROUP(start_cluster, stop);

TEST_WITH(a_request_goes_where_it_is_moved_to, open_another, NULL)
{
    count_points(&fixture.actor, &fixture.board, "");
    EXPECT(OUTCOME_OK, "SET foo value");
    assert_int_equal(points_counted(), 4); // before and after, twice
    assert_true(answers(node_of("server-3"), "GET foo", "value"));
    count_points(&fixture.actor, &fixture.board, "");
    EXPECT(OUTCOME_OK, "GET foo");
    assert_int_equal(points_counted(), 2); // it has stayed there
}

TEST_WITH(a_script_is_sent_whole_to_a_server_that_lacks_it, open_another, NULL)
{
    static const struct redis_script echo = {"return redis.call('GET', KEYS[1]) or ARGV[1]"};
    struct error error;
    const char *const keys[] = {"key", NULL};
    const char *const arguments[] = {"nothing", NULL};
    assert_int_equal(redis_script_load(fixture.connection, &echo, &error), 0);
    assert_int_equal(redis_eval(fixture.connection, &answer, &echo, keys, arguments), OUTCOME_OK);
    assert_string_equal(answer.text, "nothing");
    count_points(&fixture.actor, &fixture.board, "");
    assert_int_equal(redis_eval(fixture.connection, &answer, &echo, keys, arguments), OUTCOME_OK);
    assert_int_equal(points_counted(), 2);
}

TEST_WITH(a_wait_without_the_connection_that_wrote_is_a_no, open_another, NULL)
{
    EXPECT(OUTCOME_OK, "SET foo value");
    assert_true(answers(node_of("server-3"), "CLIENT KILL TYPE normal", ":"));
    EXPECT(OUTCOME_UNKNOWN, "GET foo");
    assert_int_equal(redis_wait(fixture.connection, &answer, 1, REQUEST_NS), OUTCOME_NO);
    EXPECT_ERROR("is gone");
}

static void set_slot(const struct node *node, const char *slot, const char *state, const char *id)
{
    char request[128];
    snprintf(request, sizeof request, "CLUSTER SETSLOT %s %s %s", slot, state, id);
    if (!answers(node, request, "+OK"))
        fail_msg("%s does not answer OK to: %s", node->name, request);
}

// A slot that moves from the third server to the first.
struct migration {
    const char *slot;
    struct node *from;
    struct node *to;
    char from_id[41];
    char to_id[41];
};

static void read_id(const struct node *node, char id[41])
{
    AUTO_TEXT struct text text = {0};
    assert_int_equal(server_ask(node, "CLUSTER MYID", &text, NULL), 0);
    assert_int_equal(sscanf(text.bytes, "$40 %40[0-9a-f]", id), 1);
}

static struct migration begin_migration(const char *slot)
{
    struct migration migration = {
        .slot = slot, .from = node_of("server-3"), .to = node_of("server-1")};
    read_id(migration.from, migration.from_id);
    read_id(migration.to, migration.to_id);
    set_slot(migration.to, slot, "IMPORTING", migration.from_id);
    set_slot(migration.from, slot, "MIGRATING", migration.to_id);
    return migration;
}

static void end_migration(const struct migration *migration)
{
    set_slot(migration->to, migration->slot, "NODE", migration->to_id);
    set_slot(migration->from, migration->slot, "NODE", migration->to_id);
}

TEST_WITH(while_a_slot_moves_one_request_is_sent_on_and_the_next_asks_again, open_another, NULL)
{
    struct migration migration = begin_migration(SLOT_OF_A);
    EXPECT(OUTCOME_OK, "SET a value");
    assert_true(answers(migration.to, "ASKING\r\nGET a", "value"));
    count_points(&fixture.actor, &fixture.board, "");
    EXPECT(OUTCOME_OK, "GET a");
    assert_string_equal(answer.text, "value");
    assert_int_equal(points_counted(), 4); // it asks where the slot was at first
    end_migration(&migration);
    count_points(&fixture.actor, &fixture.board, "");
    EXPECT(OUTCOME_OK, "GET a");
    assert_int_equal(points_counted(), 4); // now it has moved
}

TEST_WITH(a_wait_is_about_the_server_that_the_key_was_sent_on_to, open_another, NULL)
{
    const struct node *replica = node_of("server-4"); // of the server it goes to
    struct migration migration = begin_migration(SLOT_OF_H);
    stand_still(replica);
    enum outcome outcome = redis_request(fixture.connection, &answer, "SET {h}1 value");
    enum outcome waited = redis_wait(fixture.connection, &answer, 1, 50 * NS_PER_MS);
    go_on(replica);
    assert_int_equal(outcome, OUTCOME_OK);
    assert_int_equal(waited, OUTCOME_OK);
    assert_int_equal(answer.integer, 0);
    assert_int_equal(redis_wait(fixture.connection, &answer, 1, PATIENCE_NS), OUTCOME_OK);
    assert_int_equal(answer.integer, 1);
    end_migration(&migration);
}

// Two keys of one slot, of which one has gone to its new server, and the other has not.
static struct migration stop_halfway(const char *tag, const char *slot)
{
    char key[16];
    snprintf(key, sizeof key, "{%s}1", tag);
    EXPECT(OUTCOME_OK, "SET %s stays", key);
    struct migration migration = begin_migration(slot);
    key[strlen(key) - 1] = '2';
    EXPECT(OUTCOME_OK, "SET %s goes", key);
    return migration;
}

TEST_WITH(keys_on_two_servers_are_tried_again_and_then_no, open_another, NULL)
{
    struct migration migration = stop_halfway("d", SLOT_OF_D);
    count_points(&fixture.actor, &fixture.board, "");
    EXPECT(OUTCOME_NO, "MGET {d}1 {d}2");
    EXPECT_ERROR("TRYAGAIN");
    assert_true(points_counted() >= 6);
    assert_true(answers(migration.from, "DEL {d}1", ":1"));
    end_migration(&migration);
}

static void *ask_for_both_keys(void *context)
{
    struct redis_answer both;
    *(enum outcome *)context = redis_request(fixture.connection, &both, "MGET {e}1 {e}2");
    return NULL;
}

TEST_WITH(keys_that_come_together_meanwhile_are_answered, open_another, NULL)
{
    struct history_file history;
    struct history_writer writer;
    struct error error;
    char path[96];
    pthread_t thread;
    enum outcome outcome = OUTCOME_NO;
    struct migration migration = stop_halfway("e", SLOT_OF_E);
    snprintf(path, sizeof path, "%s/history.bin", fixture.server.folder);
    assert_int_equal(history_file_create(path, 1000, 1, &history, &error), 0);
    history_writer_start(&writer, &history, 1, 1);
    fixture.actor.history = &writer;
    struct point_trap *trap = &fixture.board.traps[0];
    // Before the second try.
    *trap = (struct point_trap){
        .client = 1, .match_count = 1, .matches = {{.side = POINT_ANYWHERE}}, .nth = 3};
    point_arm(&fixture.board, trap);
    assert_int_equal(pthread_create(&thread, NULL, ask_for_both_keys, &outcome), 0);
    while (atomic_load(&trap->state) != POINT_REACHED)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    assert_true(answers(migration.from, "DEL {e}1", ":1"));
    end_migration(&migration);
    point_let_go(&fixture.board, trap);
    pthread_join(thread, NULL);
    assert_int_equal(outcome, OUTCOME_OK);
    history_file_close(&history);
}

TEST_WITH(a_slot_that_nobody_serves_is_a_no, open_another, NULL)
{
    assert_true(answers(node_of("server-3"), "CLUSTER DELSLOTS " SLOT_OF_FOO, "+OK"));
    EXPECT(OUTCOME_NO, "SET foo value");
    EXPECT_ERROR("CLUSTERDOWN");
    assert_true(answers(node_of("server-3"), "CLUSTER ADDSLOTS " SLOT_OF_FOO, "+OK"));
    set_until_ok("foo");
}

// As long as it is sent what belongs to others.
TEST_WITH(a_member_that_is_taken_for_a_server_alone_is_refused_with_a_remedy, open_another, NULL)
{
    static const char remedy[] = "servers.redis must say by 'topology: cluster'";
    struct service service = fixture.server.service;
    struct error error;
    struct redis_said said[MAX_SERVERS];
    const char *const words[] = {"SET", "foo", "value"};
    service.server_count = 1;
    snprintf(service.topology, sizeof service.topology, "single");
    struct redis_connection *connection = redis_open(&service, REQUEST_NS, &fixture.actor, &error);
    assert_int_equal(redis_request(connection, &answer, "SET foo value"), OUTCOME_BROKEN);
    assert_non_null(strstr(client_error(connection), remedy));
    redis_close(connection);
    snprintf(service.topology, sizeof service.topology, "independent");
    struct redis_many *many = redis_many_open(&service, REQUEST_NS, &fixture.actor, &error);
    redis_many_ask(many, words, 3, NULL, said);
    assert_int_equal(said[0].outcome, OUTCOME_BROKEN);
    assert_non_null(strstr(client_error(many), remedy));
    redis_many_close(many);
}

TEST_GROUP(NULL, NULL);

TEST_WITH(when_a_master_dies_the_connection_finds_its_replica, start_cluster, stop)
{
    EXPECT(OUTCOME_OK, "SET foo old");
    die(node_of("server-3"));
    assert_int_equal(set_until_ok("foo"), OUTCOME_UNKNOWN);
    assert_true(answers(node_of("server-6"), "GET foo", "value"));
}

TEST_WITH(a_cluster_whose_first_server_is_gone_is_entered_by_another, start_cluster, stop)
{
    die(node_of("server-1"));
    redis_close(connect_another(&fixture.server.service));
}
