// The ZooKeeper schemes when sessions end, connections break and servers die.
#include "harness/locks/test_zookeeper.h"
#include "harness/wire/test_zookeeper.h"

#include "harness/history/follower.h"

static const struct contract single_contract = {
    ZOOKEEPER_CONTRACT,
};

static const struct contract ensemble_contract = {
    ZOOKEEPER_CONTRACT,
    .topology = "ensemble",
    .schemes = "zk-sequential",
};

static enum lost_reason lost_of(struct fixture *fixture, int worker)
{
    return atomic_load(&fixture->locks[worker].lost);
}

// Where the machine stood still, it was told that it hears nothing before its session ended.
static bool is_told(struct fixture *fixture, int worker)
{
    enum lost_reason reason = lost_of(fixture, worker);
    return reason == LOST_SESSION || reason == LOST_SUSPENDED;
}

static void end_session_of(struct fixture *fixture, int worker)
{
    zk_expire(zk_of(&fixture->locks[worker]), fixture->locks[worker].service);
}

// What the history tells of worker 1.
struct tally {
    int64_t operation;
    int losses;
    int64_t valid_until_ns; // by the last renewal
};

static void count_event(void *context, const struct event *event)
{
    struct tally *tally = context;
    if (event->client != 1 || event->worker != 1 || event->args[0] != tally->operation)
        return;
    tally->losses += event->kind == EVENT_LOST;
    if (event->kind == EVENT_RENEW_RETURN && event->outcome == OUTCOME_OK)
        tally->valid_until_ns = event->args[1];
}

static struct tally tally_of(struct fixture *fixture, int64_t operation)
{
    struct tally tally = {.operation = operation};
    struct history_follower *follower = history_follower_new(&fixture->history);
    history_follow(follower, count_event, &tally);
    history_follower_free(follower);
    return tally;
}

// --- the end of a session ------------------------------------------------------------------------

CONTRACT_GROUP(single_contract);

SCHEME_TEST(when_its_session_ends_the_holder_is_told_and_the_next_is_let_in, true)
{
    static int64_t operation = 100;
    fixture->locks[0].operation = ++operation;
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    end_session_of(fixture, 0);
    AWAIT(lost_of(fixture, 0) == LOST_SESSION);
    AWAIT(tally_of(fixture, operation).losses == 1);
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "not free");
    hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_GONE, "not gone");
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_NO, "released another's");
    lock_release(&fixture->locks[1]);
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "begins no session");
    hold_to(scheme, lost_of(fixture, 0) == LOST_NOT, "lost at once");
    lock_release(&fixture->locks[0]);
}

// What a waiter asks last before it waits.
static struct point_trap *trap_waiter(struct fixture *fixture, const struct lock_scheme *scheme)
{
    bool has_leases = strcmp(holds_below(scheme), "/leases") == 0;
    struct point_match last = {.side = POINT_AFTER, .phase = PHASE_ACQUIRE};
    snprintf(last.what, sizeof last.what, "%s",
             IS("zk-ephemeral") ? "exists"
             : has_leases       ? "getChildren"
                                : "getData");
    return set_trap(fixture, 1, 2, 1, last, has_leases ? 2 : 1);
}

// Of a queue nobody waits in line: each looks again and again.
SCHEME_TEST(who_waits_when_its_session_ends_lines_up_again, !lock_scheme_has(scheme, "job-queue"))
{
    struct act waiter = {0};
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    struct point_trap *trap = trap_waiter(fixture, scheme);
    begin_to_wait(&waiter, &fixture->locks[1], PATIENCE_NS);
    await_reached(trap);
    point_let_go(&fixture->board, trap);
    end_session_of(fixture, 1);
    AWAIT(zk_session(zk_of(&fixture->locks[1])) == 2);
    lock_release(&fixture->locks[0]);
    hold_to(scheme, end_of(&waiter) == OUTCOME_OK, "waits for ever");
    lock_release(&fixture->locks[1]);
}

// It was on its way when the session ended.
SCHEME_TEST(a_release_in_a_session_that_has_ended_is_gone, true)
{
    struct act act = {.is_release = true};
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    begin(fixture, &act, 1); // before its delete
    end_session_of(fixture, 0);
    AWAIT(acquire(fixture, 1) == OUTCOME_OK);
    finish(fixture, &act);
    hold_to(scheme, act.answer == RELEASE_GONE, "not gone");
    hold_to(scheme, is_told(fixture, 0), "its holder was not told");
    hold_to(scheme, another_has_it(fixture), "released another's lock");
    lock_release(&fixture->locks[1]);
}

// Its delete was sent, but not answered: the delete may have removed the node, or the end of the
// session.
SCHEME_TEST(a_release_without_an_answer_in_a_session_that_ended_then_is_unknown, true)
{
    struct act act = {.is_release = true};
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    signal_servers(fixture, SIGSTOP);
    bool is_held = begin(fixture, &act, 2); // after its delete
    signal_servers(fixture, SIGCONT);
    end_session_of(fixture, 0);
    finish(fixture, &act);
    hold_to(scheme, is_held, "no point after its delete");
    hold_to(scheme, act.answer == RELEASE_UNKNOWN, "claims to know who removed it");
    hold_to(scheme, is_told(fixture, 0), "its holder was not told");
    AWAIT(acquire(fixture, 0) == OUTCOME_OK);
    lock_release(&fixture->locks[0]);
}

// --- renewal -------------------------------------------------------------------------------------

// Long enough that a busy machine does not end the session by standing still.
#define RENEWED_LEASE_NS (2500 * NS_PER_MS)

SCHEME_TEST_WITH(a_hold_is_renewed_for_as_long_as_it_lasts, true,
                 open_with_lease(fixture, scheme, false, RENEWED_LEASE_NS))
{
    static int64_t operation = 200;
    struct grant grant;
    fixture->locks[0].operation = ++operation;
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
    int64_t first_end_ns = grant.valid_until_ns;
    AWAIT(tally_of(fixture, operation).valid_until_ns > first_end_ns + RENEWED_LEASE_NS ||
          lost_of(fixture, 0) != LOST_NOT);
    hold_to(scheme, tally_of(fixture, operation).losses == 0, "lost though it was renewed");
    hold_to(scheme, lock_acquire(&fixture->locks[1], &grant) == OUTCOME_NO, "free meanwhile");
    lock_release(&fixture->locks[0]);
}

SCHEME_TEST(a_holder_whose_node_was_taken_is_told, true)
{
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    evict(fixture, scheme);
    AWAIT(lost_of(fixture, 0) == LOST_NOT_OWNER);
    hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_GONE, "not gone");
}

SCHEME_TEST_WITH(a_holder_that_hears_nothing_stops_when_its_time_is_up, IS("zk-sequential"),
                 open_with_lease(fixture, scheme, false, 600 * NS_PER_MS))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    signal_servers(fixture, SIGSTOP);
    await_loss(&fixture->locks[0]);
    signal_servers(fixture, SIGCONT);
    assert_true(lost_of(fixture, 0) == LOST_DEADLINE || lost_of(fixture, 0) == LOST_SUSPENDED);
    lock_release(&fixture->locks[0]);
}

// The last test on one server: it does not come back.
TEST(without_a_connection_the_holder_stops_before_its_session_can_end)
{
    struct fixture *fixture = *state;
    open_with_lease(fixture, lock_scheme_find("zk-sequential"), false, 3 * NS_PER_S);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    limit_requests(fixture, SHORT_REQUEST_NS);
    kill(fixture->server.cluster.nodes[0].server, SIGKILL);
    await_loss(&fixture->locks[0]);
    assert_true(lost_of(fixture, 0) == LOST_DEADLINE || lost_of(fixture, 0) == LOST_SUSPENDED);
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO); // nothing could be asked
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_UNKNOWN);
    for (int i = 0; i < WORKERS; i++) {
        lock_close(&fixture->locks[i]);
        lock_client_close(&fixture->clients[i]);
    }
}

// --- an ensemble ---------------------------------------------------------------------------------

CONTRACT_GROUP(ensemble_contract);
CONTRACT_TESTS;

// Client 1 is connected to the first server; the other two are a majority.
SCHEME_TEST(a_hold_outlives_the_server_that_it_was_taken_on, IS("zk-sequential"))
{
    struct act waiter = {0};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    kill(fixture->server.cluster.nodes[0].server, SIGKILL);
    AWAIT(zk_begin(zk_of(&fixture->locks[0])) == OUTCOME_OK);
    begin_to_wait(&waiter, &fixture->locks[1], PATIENCE_NS);
    AWAIT(count_below(fixture, "") == 2);
    assert_int_equal(zk_session(zk_of(&fixture->locks[0])), 1);
    assert_int_equal(lost_of(fixture, 0), LOST_NOT);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(end_of(&waiter), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}
