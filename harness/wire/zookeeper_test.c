// The ZooKeeper session against a real server: every class of outcome, watches, and its end.
#include "harness/wire/test_points.h"
#include "harness/wire/test_zookeeper.h"

#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"

#include <signal.h>

#define TIME_LIMIT_NS (20 * NS_PER_S)

static struct {
    struct test_server server;
    _Atomic int64_t ended; // the last session that was told to have ended
} fixture;
static struct actor actor = {.phase = PHASE_NONE};
static struct zk *zk;           // a session that all tests share
static struct zk_answer answer; // to the last request

static void note_end(void *context, int64_t number)
{
    (void)context;
    atomic_store(&fixture.ended, number);
}

static struct zk *open_session(int64_t session_ns)
{
    struct error error = {0};
    const struct zk_settings settings = {.service = &fixture.server.service,
                                         .session_ns = session_ns,
                                         .request_ns = 5 * NS_PER_S,
                                         .ended = note_end,
                                         .context = &fixture};
    struct zk *opened = zk_open(&settings, &error);
    if (opened == NULL)
        fail_msg("%s", error.text);
    return opened;
}

static int start(void **state)
{
    (void)state;
    if (test_server_start(&fixture.server, "zookeeper") != 0)
        return -1;
    zk = open_session(4 * NS_PER_S);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    zk_close(zk);
    test_server_stop(&fixture.server);
    return 0;
}

static struct zk_answer create(struct zk *by, const char *path, enum zk_mode mode)
{
    assert_int_equal(zk_create(by, &actor, &answer, path, "data", mode), OUTCOME_OK);
    return answer;
}

// Whether the node is there, as the fixture's session sees it.
static bool is_there(const char *path)
{
    enum outcome outcome = zk_ask(zk, &actor, &answer, ZK_EXISTS, path, NULL);
    assert_true(outcome == OUTCOME_OK || answer.reply == ZK_NO_NODE);
    return outcome == OUTCOME_OK;
}

TEST_GROUP(start, stop);

TEST(answers_of_every_kind_are_understood)
{
    AUTO(zk_names_free) struct zk_names names;
    struct zk_answer parent = create(zk, "/kinds", ZK_PERSISTENT);
    assert_string_equal(parent.text, "/kinds");
    struct zk_answer child = create(zk, "/kinds/x-", ZK_EPHEMERAL_SEQUENTIAL);
    assert_string_equal(child.text, "/kinds/x-0000000000");
    assert_true(child.czxid > parent.czxid);
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_GET_DATA, child.text, NULL), OUTCOME_OK);
    assert_string_equal(answer.text, "data");
    assert_true(answer.czxid == child.czxid);
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_EXISTS, child.text, NULL), OUTCOME_OK);
    assert_true(answer.czxid == child.czxid);
    assert_int_equal(zk_get_children(zk, &actor, &answer, "/kinds", &names, NULL), OUTCOME_OK);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.items[0], "x-0000000000");
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_SYNC, "/kinds", NULL), OUTCOME_OK);
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_DELETE, child.text, NULL), OUTCOME_OK);
    assert_false(is_there(child.text));
}

TEST(a_refusal_is_no_and_says_why)
{
    create(zk, "/refusals", ZK_PERSISTENT);
    create(zk, "/refusals/child", ZK_PERSISTENT);
    assert_int_equal(zk_create(zk, &actor, &answer, "/refusals", "", ZK_PERSISTENT), OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NODE_EXISTS);
    assert_int_equal(zk_create(zk, &actor, &answer, "/nowhere/x", "", ZK_PERSISTENT), OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NO_NODE);
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_DELETE, "/nowhere", NULL), OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NO_NODE);
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_DELETE, "/refusals", NULL), OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NOT_EMPTY);
}

TEST(a_wrong_request_is_broken)
{
    assert_int_equal(zk_create(zk, &actor, &answer, "no-slash", "", ZK_PERSISTENT), OUTCOME_BROKEN);
    assert_non_null(strstr(answer.why, "bad arguments"));
}

// What was given up may be done all the same: the reason why it is UNKNOWN and not NO. What is
// asked later on the same session is answered after it.
TEST(no_answer_in_time_is_unknown_and_later_requests_come_after_it)
{
    stand_still(&fixture.server.cluster.nodes[0]);
    zk->request_ns = 300 * NS_PER_MS;
    enum outcome outcome = zk_create(zk, &actor, &answer, "/late", "", ZK_EPHEMERAL);
    zk->request_ns = 5 * NS_PER_S;
    go_on(&fixture.server.cluster.nodes[0]);
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    assert_false(answer.session_ended);
    assert_true(answer.session == zk_session(zk));
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_SYNC, "/late", NULL), OUTCOME_OK);
    assert_true(is_there("/late"));
}

TEST(a_watch_rings_when_the_node_goes_and_not_before)
{
    create(zk, "/watched", ZK_EPHEMERAL);
    struct zk_watch *watch = zk_watch_new(zk);
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_GET_DATA, "/watched", watch), OUTCOME_OK);
    create(zk, "/not-watched", ZK_EPHEMERAL);
    assert_false(zk_watch_wait(watch, 0));
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_DELETE, "/watched", NULL), OUTCOME_OK);
    assert_true(zk_watch_wait(watch, TIME_LIMIT_NS));
    zk_watch_drop(watch);
}

TEST(a_watch_on_children_rings_when_one_comes)
{
    AUTO(zk_names_free) struct zk_names names;
    create(zk, "/family", ZK_PERSISTENT);
    struct zk_watch *watch = zk_watch_new(zk);
    assert_int_equal(zk_get_children(zk, &actor, &answer, "/family", &names, watch), OUTCOME_OK);
    assert_int_equal(names.count, 0);
    create(zk, "/family/child", ZK_EPHEMERAL);
    assert_true(zk_watch_wait(watch, TIME_LIMIT_NS));
    zk_watch_drop(watch);
}

TEST(a_watch_that_nobody_waits_for_any_more_does_no_harm)
{
    create(zk, "/dropped", ZK_EPHEMERAL);
    for (int i = 0; i < 3; i++) {
        struct zk_watch *watch = zk_watch_new(zk);
        assert_int_equal(zk_ask(zk, &actor, &answer, ZK_EXISTS, "/dropped", watch), OUTCOME_OK);
        zk_watch_drop(watch);
    }
    assert_int_equal(zk_ask(zk, &actor, &answer, ZK_DELETE, "/dropped", NULL), OUTCOME_OK);
    assert_false(is_there("/dropped"));
}

TEST(the_server_decides_how_long_a_session_lasts)
{
    struct zk *longest = open_session(60 * NS_PER_S);
    struct zk *shortest = open_session(NS_PER_MS);
    assert_true(zk_timeout_ns(longest) == 4 * NS_PER_S);
    assert_true(zk_timeout_ns(shortest) == 400 * NS_PER_MS);
    zk_close(longest);
    zk_close(shortest);
}

TEST(with_a_session_its_ephemeral_nodes_go_and_no_others)
{
    struct zk *other = open_session(4 * NS_PER_S);
    create(other, "/stays", ZK_PERSISTENT);
    create(other, "/goes", ZK_EPHEMERAL);
    assert_true(is_there("/goes"));
    zk_close(other);
    AWAIT(!is_there("/goes"));
    assert_true(is_there("/stays"));
}

TEST(the_end_of_a_session_is_told_and_another_can_begin)
{
    struct zk *own = open_session(4 * NS_PER_S);
    create(own, "/mine", ZK_EPHEMERAL);
    struct zk_watch *watch = zk_watch_new(own);
    assert_int_equal(zk_ask(own, &actor, &answer, ZK_EXISTS, "/mine", watch), OUTCOME_OK);
    assert_int_equal(zk_session(own), 1);
    atomic_store(&fixture.ended, 0);
    zk_expire(own, &fixture.server.service);
    assert_true(zk_watch_wait(watch, TIME_LIMIT_NS));
    zk_watch_drop(watch);
    assert_int_equal(atomic_load(&fixture.ended), 1);
    assert_int_equal(zk_session(own), 0);
    assert_false(is_there("/mine"));
    assert_int_equal(zk_ask(own, &actor, &answer, ZK_SYNC, "/", NULL), OUTCOME_NO);
    assert_true(answer.session_ended);
    assert_int_equal(zk_await_connection(own), OUTCOME_NO);
    assert_int_equal(zk_begin(own), OUTCOME_OK);
    assert_int_equal(zk_session(own), 2);
    assert_int_equal(zk_ask(own, &actor, &answer, ZK_SYNC, "/", NULL), OUTCOME_OK);
    assert_int_equal(answer.session, 2);
    zk_close(own);
}

// --- points --------------------------------------------------------------------------------------

TEST(every_request_passes_a_point_of_its_name_before_and_after)
{
    struct zk_names names;
    for (size_t i = 0; zk_commands[i] != NULL; i++) {
        struct point_board board = {0};
        count_points(&actor, &board, zk_commands[i]);
        create(zk, "/points", ZK_EPHEMERAL);
        zk_ask(zk, &actor, &answer, ZK_EXISTS, "/points", NULL);
        zk_ask(zk, &actor, &answer, ZK_GET_DATA, "/points", NULL);
        zk_get_children(zk, &actor, &answer, "/points", &names, NULL);
        zk_names_free(&names);
        zk_ask(zk, &actor, &answer, ZK_SYNC, "/points", NULL);
        zk_ask(zk, &actor, &answer, ZK_DELETE, "/points", NULL);
        actor.board = NULL;
        assert_int_equal(board.traps[0].passed, 2);
    }
}

// --- without a server ----------------------------------------------------------------------------

// The last test: the server does not come back.
TEST(without_a_connection_nothing_begins_and_nothing_is_taken_for_refused)
{
    assert_int_equal(zk_silence_ns(zk), 0);
    zk->request_ns = 300 * NS_PER_MS;
    kill(fixture.server.cluster.nodes[0].server, SIGKILL);
    enum outcome outcome = zk_ask(zk, &actor, &answer, ZK_DELETE, "/kinds", NULL);
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    assert_int_equal(zk_begin(zk), OUTCOME_NO);
    int64_t silence_ns = zk_silence_ns(zk);
    assert_true(silence_ns > 0);
    assert_int_equal(zk_begin(zk), OUTCOME_NO);
    assert_true(zk_silence_ns(zk) > silence_ns);
    assert_int_equal(zk_session(zk), 1); // for all that the client knows
}
