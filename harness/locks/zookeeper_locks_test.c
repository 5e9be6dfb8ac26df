// The schemes on one ZooKeeper server: their contract, their line, and answers that are lost.
#include "harness/locks/test_zookeeper.h"
#include "harness/testing/test.h"

static const struct contract zookeeper_contract = {
    ZOOKEEPER_CONTRACT,
};

// --- answers that are lost -----------------------------------------------------------------------

CONTRACT_GROUP(zookeeper_contract);

// A queue asks for its jobs first.
SCHEME_TEST_WITH(a_node_whose_create_was_not_answered_is_found_again,
                 !lock_scheme_has(scheme, "job-queue"), open_scheme(fixture, scheme, true))
{
    struct act act = {.is_release = false};
    signal_servers(fixture, SIGSTOP);
    bool is_held = begin(fixture, &act, 2); // after its create
    signal_servers(fixture, SIGCONT);
    finish(fixture, &act);
    hold_to(scheme, is_held, "no point after its create");
    hold_to(scheme, act.outcome == OUTCOME_OK, "not found again");
    hold_to(scheme, zk_lock_of(&fixture->locks[0])->node.czxid > 0, "has no token");
    hold_to(scheme, count_below(fixture, holds_below(scheme)) == 1, "another was made");
    lock_release(&fixture->locks[0]);
    hold_to(scheme, count_below(fixture, holds_below(scheme)) == 0, "one was left");
}

SCHEME_TEST(what_an_unknown_acquire_left_is_gone_before_the_next_one_of_that_worker, true)
{
    signal_servers(fixture, SIGSTOP);
    enum outcome outcome = acquire(fixture, 0);
    signal_servers(fixture, SIGCONT);
    hold_to(scheme, outcome == OUTCOME_UNKNOWN, "not unknown");
    fixture->locks[0].options.wait_ns = PATIENCE_NS;
    // A machine that is busy may be late again, which is as unknown.
    while ((outcome = acquire(fixture, 0)) == OUTCOME_UNKNOWN)
        continue;
    hold_to(scheme, outcome == OUTCOME_OK, "waits for itself");
    hold_to(scheme, count_below(fixture, holds_below(scheme)) == 1, "left one behind");
    lock_release(&fixture->locks[0]);
}

SCHEME_TEST(a_release_whose_answer_is_lost_is_asked_again, true)
{
    struct act act = {.is_release = true};
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    signal_servers(fixture, SIGSTOP);
    begin(fixture, &act, 2); // after its delete
    signal_servers(fixture, SIGCONT);
    finish(fixture, &act);
    hold_to(scheme,
            act.answer ==
                (lock_scheme_has(scheme, "owner-checked") ? RELEASE_RELEASED : RELEASE_UNCHECKED),
            "its release was done, but it does not say so");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "not free");
    lock_release(&fixture->locks[1]);
}

// The delete was done, another holds by now, and the answer was lost: asking again must not delete
// the other's.
SCHEME_TEST(a_release_that_is_asked_again_spares_who_came_meanwhile, true)
{
    struct act act = {.is_release = true};
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    signal_servers(fixture, SIGSTOP);
    begin(fixture, &act, 2);
    signal_servers(fixture, SIGCONT);
    fixture->locks[1].options.wait_ns = PATIENCE_NS;
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "not free");
    finish(fixture, &act);
    hold_to(scheme, another_has_it(fixture), "released another's lock");
    lock_release(&fixture->locks[1]);
}

SCHEME_TEST(without_its_folder_the_set_up_is_to_blame, true)
{
    struct error error = {0};
    assert_int_equal(scheme->clean_up(&fixture->server.service, &fixture->locks[0].options, &error),
                     0);
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_BROKEN, "not broken");
    hold_to(scheme, strstr(fixture->locks[0].error.text, " /lockpick/") != NULL,
            "does not say what it tried");
}

TEST(cleaning_up_leaves_nothing)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct actor nobody = {.phase = PHASE_NONE};
        struct zk_answer answer;
        struct zk_watch *none = NULL;
        char path[ZK_PATH_ROOM];
        open_scheme(fixture, scheme, false);
        hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
        zk_lock_path(&fixture->locks[0].options, "", "", path);
        close_scheme(fixture);
        hold_to(scheme,
                zk_ask(fixture->probe, &nobody, &answer, ZK_EXISTS, path, none) == OUTCOME_NO &&
                    answer.reply == ZK_NO_NODE,
                "left its folder");
    }
}

// --- the line ------------------------------------------------------------------------------------

SCHEME_TEST(two_workers_of_one_session_exclude_each_other, true)
{
    struct error error = {0};
    struct grant grant;
    struct lock neighbour = fixture->locks[0];
    neighbour.state = NULL;
    assert_int_equal(lock_open(&neighbour, &error), 0);
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
    hold_to(scheme, lock_acquire(&neighbour, &grant) == OUTCOME_NO, "lets both in");
    hold_to(scheme, lock_acquire(&fixture->locks[1], &grant) == OUTCOME_NO, "not held any more");
    lock_release(&fixture->locks[0]);
    hold_to(scheme, lock_acquire(&neighbour, &grant) == OUTCOME_OK, "not free");
    lock_release(&neighbour);
    lock_close(&neighbour);
}

SCHEME_TEST(a_release_wakes_only_the_next_in_line, IS("zk-sequential") || IS("curator-mutex"))
{
    struct act second = {0};
    struct act third = {0};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&second, &fixture->locks[1], PATIENCE_NS);
    AWAIT(count_below(fixture, "") == 2);
    begin_to_wait(&third, &fixture->locks[2], PATIENCE_NS);
    AWAIT(count_below(fixture, "") == 3);
    lock_release(&fixture->locks[0]);
    assert_int_equal(end_of(&second), OUTCOME_OK);
    lock_release(&fixture->locks[1]);
    assert_int_equal(end_of(&third), OUTCOME_OK);
    lock_release(&fixture->locks[2]);
    // Each looked when it came, and when the one before it had gone; no more.
    assert_int_equal(second.grant.attempts, 2);
    assert_int_equal(third.grant.attempts, 2);
}

SCHEME_TEST(a_reader_waits_behind_a_writer_that_waits, IS("curator-rw"))
{
    struct act writer = {0};
    fixture->locks[0].mode = fixture->locks[2].mode = LOCK_SHARED;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&writer, &fixture->locks[1], PATIENCE_NS);
    AWAIT(count_below(fixture, "") == 2);
    assert_int_equal(acquire(fixture, 2), OUTCOME_NO);
    lock_release(&fixture->locks[0]);
    assert_int_equal(end_of(&writer), OUTCOME_OK);
    lock_release(&fixture->locks[1]);
    assert_int_equal(acquire(fixture, 2), OUTCOME_OK);
    lock_release(&fixture->locks[2]);
}

#define GUID "01234567-89ab-cdef-0123-456789abcdef"

TEST(numbers_go_on_below_zero_after_the_highest)
{
    const struct zk_recipe recipe = {.prefix = "_c_", .suffix = "-lock-"};
    int32_t highest;
    int32_t lowest;
    int32_t none;
    assert_true(zk_queue_number(&recipe, "_c_" GUID "-lock-2147483647", &highest));
    assert_true(zk_queue_number(&recipe, "_c_" GUID "-lock--2147483648", &lowest));
    assert_false(zk_queue_number(&recipe, "_c_" GUID "-lock-", &none));
    assert_false(zk_queue_number(&recipe, "_c_" GUID "-lock-000000000x", &none));
    assert_false(zk_queue_number(&recipe, "stranger", &none));
    assert_int_equal(highest, INT32_MAX);
    assert_int_equal(lowest, INT32_MIN);
    assert_true(zk_queue_is_before(highest, lowest));
    assert_false(zk_queue_is_before(lowest, highest));
    assert_true(zk_queue_is_before(lowest, lowest + 1));
    assert_true(zk_queue_is_before(9, 10));
    assert_false(zk_queue_is_before(10, 10));
}

CONTRACT_TESTS;
