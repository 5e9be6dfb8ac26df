// The ZooKeeper session against a real server: every class of outcome, watches, and its end.
#include "harness/wire/test_zookeeper.h"

#include "harness/cluster/test_outage.h"
#include "harness/cluster/test_server.h"

#include <pthread.h>
#include <signal.h>

#define TIME_LIMIT_NS (20 * NS_PER_S)

struct fixture {
    struct test_server server;
    struct actor actor;
    struct zk *zk;
    _Atomic int64_t ended; // the last session that was told to have ended
};

static void note_end(void *context, int64_t number)
{
    struct fixture *fixture = context;
    atomic_store(&fixture->ended, number);
}

static struct zk *open_session(struct fixture *fixture, int64_t session_ns)
{
    struct error error = {0};
    const struct zk_settings settings = {.service = &fixture->server.service,
                                         .session_ns = session_ns,
                                         .request_ns = 5 * NS_PER_S,
                                         .ended = note_end,
                                         .context = fixture};
    struct zk *zk = zk_open(&settings, &error);
    if (zk == NULL)
        fail_msg("%s", error.text);
    return zk;
}

static int start(void **state)
{
    static struct fixture fixture;
    fixture.actor = (struct actor){.phase = PHASE_NONE};
    *state = &fixture;
    if (test_server_start(&fixture.server, "zookeeper") != 0)
        return -1;
    fixture.zk = open_session(&fixture, 4 * NS_PER_S);
    return 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    zk_close(fixture->zk);
    test_server_stop(&fixture->server);
    return 0;
}

static struct zk_answer create(struct fixture *fixture, struct zk *zk, const char *path,
                               enum zk_mode mode)
{
    struct zk_answer answer;
    assert_int_equal(zk_create(zk, &fixture->actor, &answer, path, "data", mode), OUTCOME_OK);
    return answer;
}

// Whether the node is there, as the fixture's session sees it.
static bool is_there(struct fixture *fixture, const char *path)
{
    struct zk_answer answer;
    enum outcome outcome = zk_exists(fixture->zk, &fixture->actor, &answer, path, NULL);
    assert_true(outcome == OUTCOME_OK || answer.reply == ZK_NO_NODE);
    return outcome == OUTCOME_OK;
}

TEST_GROUP(start, stop);

TEST(answers_of_every_kind_are_understood)
{
    struct fixture *fixture = *state;
    struct zk *zk = fixture->zk;
    struct zk_answer answer;
    struct zk_names names;
    struct zk_answer parent = create(fixture, zk, "/kinds", ZK_PERSISTENT);
    assert_string_equal(parent.text, "/kinds");
    struct zk_answer child = create(fixture, zk, "/kinds/x-", ZK_EPHEMERAL_SEQUENTIAL);
    assert_string_equal(child.text, "/kinds/x-0000000000");
    assert_true(child.czxid > parent.czxid);
    assert_int_equal(zk_get_data(zk, &fixture->actor, &answer, child.text, NULL), OUTCOME_OK);
    assert_string_equal(answer.text, "data");
    assert_true(answer.czxid == child.czxid);
    assert_int_equal(zk_exists(zk, &fixture->actor, &answer, child.text, NULL), OUTCOME_OK);
    assert_true(answer.czxid == child.czxid);
    assert_int_equal(zk_get_children(zk, &fixture->actor, &answer, "/kinds", &names, NULL),
                     OUTCOME_OK);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.items[0], "x-0000000000");
    zk_names_free(&names);
    assert_int_equal(zk_sync(zk, &fixture->actor, &answer, "/kinds"), OUTCOME_OK);
    assert_int_equal(zk_delete(zk, &fixture->actor, &answer, child.text), OUTCOME_OK);
    assert_false(is_there(fixture, child.text));
}

TEST(a_refusal_is_no_and_says_why)
{
    struct fixture *fixture = *state;
    struct zk *zk = fixture->zk;
    struct zk_answer answer;
    create(fixture, zk, "/refusals", ZK_PERSISTENT);
    create(fixture, zk, "/refusals/child", ZK_PERSISTENT);
    assert_int_equal(zk_create(zk, &fixture->actor, &answer, "/refusals", "", ZK_PERSISTENT),
                     OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NODE_EXISTS);
    assert_int_equal(zk_create(zk, &fixture->actor, &answer, "/nowhere/x", "", ZK_PERSISTENT),
                     OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NO_NODE);
    assert_int_equal(zk_delete(zk, &fixture->actor, &answer, "/nowhere"), OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NO_NODE);
    assert_int_equal(zk_delete(zk, &fixture->actor, &answer, "/refusals"), OUTCOME_NO);
    assert_int_equal(answer.reply, ZK_NOT_EMPTY);
}

TEST(a_wrong_request_is_broken)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    assert_int_equal(
        zk_create(fixture->zk, &fixture->actor, &answer, "no-slash", "", ZK_PERSISTENT),
        OUTCOME_BROKEN);
    assert_non_null(strstr(answer.why, "bad arguments"));
}

// What was given up may be done all the same: the reason why it is UNKNOWN and not NO. What is
// asked later on the same session is answered after it.
TEST(no_answer_in_time_is_unknown_and_later_requests_come_after_it)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    stand_still(&fixture->server.cluster.nodes[0]);
    zk_set_limit(fixture->zk, 300 * NS_PER_MS);
    enum outcome outcome =
        zk_create(fixture->zk, &fixture->actor, &answer, "/late", "", ZK_EPHEMERAL);
    zk_set_limit(fixture->zk, 5 * NS_PER_S);
    go_on(&fixture->server.cluster.nodes[0]);
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    assert_false(answer.session_ended);
    assert_true(answer.session == zk_session(fixture->zk));
    assert_int_equal(zk_sync(fixture->zk, &fixture->actor, &answer, "/late"), OUTCOME_OK);
    assert_true(is_there(fixture, "/late"));
}

TEST(a_watch_rings_when_the_node_goes_and_not_before)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    create(fixture, fixture->zk, "/watched", ZK_EPHEMERAL);
    struct zk_watch *watch = zk_watch_new(fixture->zk);
    assert_int_equal(zk_get_data(fixture->zk, &fixture->actor, &answer, "/watched", watch),
                     OUTCOME_OK);
    create(fixture, fixture->zk, "/not-watched", ZK_EPHEMERAL);
    assert_false(zk_watch_wait(watch, 0));
    assert_int_equal(zk_delete(fixture->zk, &fixture->actor, &answer, "/watched"), OUTCOME_OK);
    assert_true(zk_watch_wait(watch, TIME_LIMIT_NS));
    zk_watch_drop(watch);
}

TEST(a_watch_on_children_rings_when_one_comes)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    struct zk_names names;
    create(fixture, fixture->zk, "/family", ZK_PERSISTENT);
    struct zk_watch *watch = zk_watch_new(fixture->zk);
    assert_int_equal(
        zk_get_children(fixture->zk, &fixture->actor, &answer, "/family", &names, watch),
        OUTCOME_OK);
    assert_int_equal(names.count, 0);
    zk_names_free(&names);
    create(fixture, fixture->zk, "/family/child", ZK_EPHEMERAL);
    assert_true(zk_watch_wait(watch, TIME_LIMIT_NS));
    zk_watch_drop(watch);
}

TEST(a_watch_that_nobody_waits_for_any_more_does_no_harm)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    create(fixture, fixture->zk, "/dropped", ZK_EPHEMERAL);
    for (int i = 0; i < 3; i++) {
        struct zk_watch *watch = zk_watch_new(fixture->zk);
        assert_int_equal(zk_exists(fixture->zk, &fixture->actor, &answer, "/dropped", watch),
                         OUTCOME_OK);
        zk_watch_drop(watch);
    }
    assert_int_equal(zk_delete(fixture->zk, &fixture->actor, &answer, "/dropped"), OUTCOME_OK);
    assert_false(is_there(fixture, "/dropped"));
}

TEST(the_server_decides_how_long_a_session_lasts)
{
    struct fixture *fixture = *state;
    struct zk *longest = open_session(fixture, 60 * NS_PER_S);
    struct zk *shortest = open_session(fixture, NS_PER_MS);
    assert_true(zk_timeout_ns(longest) == 4 * NS_PER_S);
    assert_true(zk_timeout_ns(shortest) == 400 * NS_PER_MS);
    zk_close(longest);
    zk_close(shortest);
}

TEST(with_a_session_its_ephemeral_nodes_go_and_no_others)
{
    struct fixture *fixture = *state;
    struct zk *other = open_session(fixture, 4 * NS_PER_S);
    create(fixture, other, "/stays", ZK_PERSISTENT);
    create(fixture, other, "/goes", ZK_EPHEMERAL);
    assert_true(is_there(fixture, "/goes"));
    zk_close(other);
    int64_t give_up_ns = clock_monotonic_ns() + TIME_LIMIT_NS;
    while (is_there(fixture, "/goes") && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    assert_false(is_there(fixture, "/goes"));
    assert_true(is_there(fixture, "/stays"));
}

TEST(the_end_of_a_session_is_told_and_another_can_begin)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    struct zk *zk = open_session(fixture, 4 * NS_PER_S);
    create(fixture, zk, "/mine", ZK_EPHEMERAL);
    struct zk_watch *watch = zk_watch_new(zk);
    assert_int_equal(zk_exists(zk, &fixture->actor, &answer, "/mine", watch), OUTCOME_OK);
    assert_int_equal(zk_session(zk), 1);
    atomic_store(&fixture->ended, 0);
    zk_expire(zk, &fixture->server.service);
    assert_true(zk_watch_wait(watch, TIME_LIMIT_NS));
    zk_watch_drop(watch);
    assert_int_equal(atomic_load(&fixture->ended), 1);
    assert_int_equal(zk_session(zk), 0);
    assert_false(is_there(fixture, "/mine"));
    assert_int_equal(zk_sync(zk, &fixture->actor, &answer, "/"), OUTCOME_NO);
    assert_true(answer.session_ended);
    assert_int_equal(zk_await_connection(zk), OUTCOME_NO);
    assert_int_equal(zk_begin(zk), OUTCOME_OK);
    assert_int_equal(zk_session(zk), 2);
    assert_int_equal(zk_sync(zk, &fixture->actor, &answer, "/"), OUTCOME_OK);
    assert_int_equal(answer.session, 2);
    zk_close(zk);
}

// --- points --------------------------------------------------------------------------------------

struct passer {
    struct fixture *fixture;
    struct actor actor;
    struct point_board board;
    struct history_writer writer;
};

static void *ask_everything(void *context)
{
    struct passer *passer = context;
    struct zk *zk = passer->fixture->zk;
    struct zk_answer answer;
    struct zk_names names;
    zk_create(zk, &passer->actor, &answer, "/points", "", ZK_EPHEMERAL);
    zk_exists(zk, &passer->actor, &answer, "/points", NULL);
    zk_get_data(zk, &passer->actor, &answer, "/points", NULL);
    zk_get_children(zk, &passer->actor, &answer, "/points", &names, NULL);
    zk_names_free(&names);
    zk_sync(zk, &passer->actor, &answer, "/points");
    zk_delete(zk, &passer->actor, &answer, "/points");
    return NULL;
}

static bool reaches(struct passer *passer, enum point_side side, const char *command)
{
    struct point_trap *trap = &passer->board.traps[0];
    *trap = (struct point_trap){.client = 1, .worker = 1, .match_count = 1, .nth = 1};
    trap->matches[0] = (struct point_match){.side = side, .phase = PHASE_NONE};
    snprintf(trap->matches[0].what, sizeof trap->matches[0].what, "%s", command);
    pthread_t thread;
    point_arm(&passer->board, trap);
    assert_int_equal(pthread_create(&thread, NULL, ask_everything, passer), 0);
    int64_t give_up_ns = clock_monotonic_ns() + TIME_LIMIT_NS;
    while (atomic_load(&trap->state) != POINT_REACHED && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    bool is_reached = atomic_load(&trap->state) == POINT_REACHED;
    point_let_go(&passer->board, trap);
    pthread_join(thread, NULL);
    return is_reached;
}

TEST(every_request_passes_a_point_of_its_name_before_and_after)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    struct history_file history;
    char path[96];
    snprintf(path, sizeof path, "%s/history.bin", fixture->server.folder);
    assert_int_equal(history_file_create(path, 1000, 1, &history, &error), 0);
    static struct passer passer;
    passer.fixture = fixture;
    passer.actor = (struct actor){.client = 1,
                                  .worker = 1,
                                  .phase = PHASE_ACQUIRE,
                                  .board = &passer.board,
                                  .history = &passer.writer};
    history_writer_start(&passer.writer, &history, 1, 1);
    for (size_t i = 0; zk_commands[i] != NULL; i++) {
        assert_true(reaches(&passer, POINT_BEFORE, zk_commands[i]));
        assert_true(reaches(&passer, POINT_AFTER, zk_commands[i]));
    }
    history_file_close(&history);
}

// --- without a server ----------------------------------------------------------------------------

// The last test: the server does not come back.
TEST(without_a_connection_nothing_begins_and_nothing_is_taken_for_refused)
{
    struct fixture *fixture = *state;
    struct zk_answer answer;
    assert_int_equal(zk_silence_ns(fixture->zk), 0);
    zk_set_limit(fixture->zk, 300 * NS_PER_MS);
    kill(fixture->server.cluster.nodes[0].server, SIGKILL);
    enum outcome outcome = zk_delete(fixture->zk, &fixture->actor, &answer, "/kinds");
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    assert_int_equal(zk_begin(fixture->zk), OUTCOME_NO);
    int64_t silence_ns = zk_silence_ns(fixture->zk);
    assert_true(silence_ns > 0);
    assert_int_equal(zk_begin(fixture->zk), OUTCOME_NO);
    assert_true(zk_silence_ns(fixture->zk) > silence_ns);
    assert_int_equal(zk_session(fixture->zk), 1); // for all that the client knows
}
