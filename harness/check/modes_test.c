// Shared holds, semaphores, optimistic schemes, transactions and reentries.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static void shared_acquire(struct build *build, int client, int64_t operation, double granted_ms,
                           double valid_until_ms)
{
    build_acquire(build, client, operation, granted_ms, granted_ms, valid_until_ms, 0);
    build->events[build->count - 2].detail = 1;
}

static void shared_hold(struct build *build, int client, int64_t operation, double granted_ms,
                        double released_ms, double valid_until_ms)
{
    shared_acquire(build, client, operation, granted_ms, valid_until_ms);
    build_release(build, client, operation, released_ms, released_ms, RELEASE_RELEASED);
}

// --- shared --------------------------------------------------------------------------------------

HISTORY_TEST(readers_may_hold_together, "readers")
{
    shared_hold(build, 1, 1, 10, 40, 310);
    shared_hold(build, 2, 2, 20, 30, 320);
    build_hold(build, 3, 3, 40, 50, 340);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
    assert_state(build, "stale-holder", FINDING_KEPT);
}

TEST(a_writer_beside_a_reader_is_a_double_grant_either_way_round)
{
    for (int reader_first = 0; reader_first < 2; reader_first++) {
        struct build build;
        build_start(&build, "readers");
        if (reader_first) {
            // The reader that ends last is not the last that was granted.
            shared_hold(&build, 1, 1, 10, 60, 310);
            shared_hold(&build, 2, 2, 15, 20, 320);
            build_hold(&build, 3, 3, 50, 70, 340);
        } else {
            build_hold(&build, 3, 3, 10, 60, 340);
            shared_hold(&build, 1, 1, 20, 30, 320);
        }
        build_judge(&build);
        assert_state(&build, "double-grant", FINDING_VIOLATED);
        assert_int_equal(finding_named(&build, "double-grant")->count, 1);
        build_free(&build);
    }
}

TEST(a_reader_that_outlives_its_lease_is_stale_beside_a_writer_not_beside_a_reader)
{
    for (int writes = 0; writes < 2; writes++) {
        struct build build;
        build_start(&build, "readers");
        shared_hold(&build, 1, 1, 10, 500, 310);
        if (writes)
            build_hold(&build, 2, 2, 400, 450, 700);
        else
            shared_hold(&build, 2, 2, 400, 450, 700);
        build_judge(&build);
        assert_state(&build, "stale-holder", writes ? FINDING_VIOLATED : FINDING_KEPT);
        assert_state(&build, "double-grant", FINDING_KEPT);
        build_free(&build);
    }
}

TEST(a_value_that_changes_under_a_shared_hold_is_an_unstable_read)
{
    for (int64_t second = 5; second <= 6; second++) {
        struct build build;
        build_start(&build, "readers");
        shared_acquire(&build, 1, 1, 10, 310);
        build_read(&build, 1, 1, 12, 5, 0);
        build_acquire(&build, 2, 2, 13, 13, 313, 0);
        build_write(&build, 2, 2, 14, 6, 5, 0, OUTCOME_OK);
        build_release(&build, 2, 2, 15, 15, RELEASE_RELEASED);
        build_read(&build, 1, 1, 20, second, 0);
        build_release(&build, 1, 1, 30, 30, RELEASE_RELEASED);
        build_judge(&build);
        assert_state(&build, "unstable-read", second == 5 ? FINDING_KEPT : FINDING_VIOLATED);
        if (second == 6)
            assert_text_has(finding_named(&build, "unstable-read")->text,
                            "client-1 read 5 and then 6 under one shared hold: client-2 wrote");
        build_free(&build);
    }
}

// --- permits -------------------------------------------------------------------------------------

TEST(as_many_as_there_are_permits_may_hold_and_not_one_more)
{
    for (int64_t permits = 2; permits <= 3; permits++) {
        struct build build;
        build_start(&build, "permits");
        build.scenario.workload.permits = permits;
        build_hold(&build, 1, 1, 10, 40, NEVER_MS);
        build_hold(&build, 2, 2, 15, 20, NEVER_MS);
        build_hold(&build, 3, 3, 18, 30, NEVER_MS);
        build_hold(&build, 4, 4, 20, 30, NEVER_MS); // client-2 has just left
        build_judge(&build);
        assert_state(&build, "double-grant", permits == 3 ? FINDING_KEPT : FINDING_VIOLATED);
        assert_int_equal(finding_named(&build, "double-grant")->count, permits == 3 ? 0 : 2);
        build_free(&build);
    }
}

HISTORY_TEST(a_permit_granted_again_after_its_lease_makes_a_stale_holder, "permits")
{
    build->scenario.workload.permits = 2;
    build_hold(build, 1, 1, 10, 600, 310);
    build_hold(build, 2, 2, 250, 500, 550);
    build_hold(build, 3, 3, 400, 450, 700);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
    assert_int_equal(finding_named(build, "stale-holder")->evidence.holds[0], 0);
}

// --- optimistic, transactions --------------------------------------------------------------------

TEST(an_optimistic_scheme_keeps_nobody_out_and_is_judged_at_the_store)
{
    static const char *const traits[] = {"optimistic", NULL};
    struct build build;
    build_start(&build, "increment");
    build.trial.traits = traits;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 1, 1, NEVER_MS, 0);
    build_acquire(&build, 2, 2, 1, 1, NEVER_MS, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_read(&build, 2, 2, 2, 0, 0);
    build_write(&build, 1, 1, 3, 1, 0, 0, OUTCOME_OK);
    build_write(&build, 2, 2, 4, 1, 0, 0, OUTCOME_NO); // too late: once more
    build_read(&build, 2, 2, 5, 1, 0);
    build_write(&build, 2, 2, 6, 2, 1, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 7, 7, RELEASE_UNCHECKED);
    build_release(&build, 2, 2, 8, 8, RELEASE_UNCHECKED);
    build_stop(&build, 9, STOP_DONE);
    build_final(&build, 10, 2);
    build_judge(&build);
    assert_state(&build, "double-grant", FINDING_IRRELEVANT);
    assert_state(&build, "lost-update", FINDING_KEPT);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

// An increment in a transaction that ends as told; the value did not rise.
static enum finding_state lost_in(const char *trait, enum boundary boundary,
                                  const struct event *commit, enum release_answer answer)
{
    const char *const traits[] = {trait, NULL};
    struct build build;
    build_start(&build, "increment");
    build.trial.traits = traits;
    build.scenario.workload.boundary = boundary;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 1, 1, NEVER_MS, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_write(&build, 1, 1, 3, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 4, 4, answer);
    if (commit != NULL)
        build_event(&build, 5, 1, 1, *commit);
    build_stop(&build, 9, STOP_DONE);
    build_final(&build, 10, 0);
    build_judge(&build);
    enum finding_state state = finding_named(&build, "lost-update")->state;
    build_free(&build);
    return state;
}

TEST(a_write_counts_once_its_transaction_was_committed)
{
    struct event commit = {.kind = EVENT_COMMIT_RETURN, .outcome = OUTCOME_OK, .args = {1}};
    assert_int_equal(lost_in("mysql", BOUNDARY_WRAPPED, &commit, RELEASE_RELEASED),
                     FINDING_VIOLATED);
    assert_int_equal(lost_in("mysql", BOUNDARY_WRAPPED, NULL, RELEASE_RELEASED), FINDING_KEPT);
    commit.outcome = OUTCOME_UNKNOWN;
    assert_int_equal(lost_in("mysql", BOUNDARY_INNER, &commit, RELEASE_RELEASED), FINDING_KEPT);
    commit.outcome = OUTCOME_NO;
    assert_int_equal(lost_in("mysql", BOUNDARY_INNER, &commit, RELEASE_RELEASED), FINDING_KEPT);
    assert_int_equal(lost_in("transaction", BOUNDARY_NONE, NULL, RELEASE_RELEASED),
                     FINDING_VIOLATED);
    assert_int_equal(lost_in("transaction", BOUNDARY_NONE, NULL, RELEASE_UNKNOWN), FINDING_KEPT);
    assert_int_equal(lost_in("transaction", BOUNDARY_NONE, NULL, RELEASE_GONE), FINDING_KEPT);
    assert_int_equal(lost_in("mysql", BOUNDARY_NONE, NULL, RELEASE_UNKNOWN), FINDING_VIOLATED);
}

// --- reentry, draw -------------------------------------------------------------------------------

static enum finding_state reentered(enum event_kind kind, enum outcome outcome,
                                    enum release_answer answer, double at_ms)
{
    struct build build;
    build_start(&build, "nested");
    build_acquire(&build, 1, 1, 10, 10, 310, 0);
    build_event(&build, 12, 1, 1,
                (struct event){.kind = (uint8_t)(kind - 1), .args = {1, 2}}); // the invoke
    build_event(&build, at_ms, 1, 1,
                (struct event){.kind = (uint8_t)kind,
                               .outcome = (uint8_t)outcome,
                               .detail = (uint8_t)answer,
                               .args = {1, 2}});
    build_release(&build, 1, 1, 700, 700, RELEASE_RELEASED);
    build_judge(&build);
    enum finding_state state = finding_named(&build, "reentrancy")->state;
    build_free(&build);
    return state;
}

TEST(a_holder_that_may_not_lock_again_or_lost_a_depth_is_found)
{
    assert_int_equal(reentered(EVENT_REENTER_RETURN, OUTCOME_OK, 0, 20), FINDING_KEPT);
    assert_int_equal(reentered(EVENT_REENTER_RETURN, OUTCOME_NO, 0, 20), FINDING_VIOLATED);
    assert_int_equal(reentered(EVENT_REENTER_RETURN, OUTCOME_UNKNOWN, 0, 20), FINDING_KEPT);
    // After the lease it may well be another's.
    assert_int_equal(reentered(EVENT_REENTER_RETURN, OUTCOME_NO, 0, 500), FINDING_KEPT);
    assert_int_equal(reentered(EVENT_LEAVE_RETURN, OUTCOME_OK, RELEASE_RELEASED, 20), FINDING_KEPT);
    assert_int_equal(reentered(EVENT_LEAVE_RETURN, OUTCOME_NO, RELEASE_GONE, 20), FINDING_VIOLATED);
    assert_int_equal(reentered(EVENT_LEAVE_RETURN, OUTCOME_NO, RELEASE_GONE, 500), FINDING_KEPT);
}

TEST(a_reentry_that_prolongs_the_lease_prolongs_the_hold)
{
    for (int prolonged = 0; prolonged < 2; prolonged++) {
        struct build build;
        build_start(&build, "nested");
        build_acquire(&build, 1, 1, 10, 10, 310, 0);
        BUILD_EVENT(&build, 200, 1, REENTER_INVOKE, OUTCOME_OK, 1, 2);
        BUILD_EVENT(&build, 201, 1, REENTER_RETURN, OUTCOME_OK, 1, 2, prolonged ? ms(500) : 0);
        build_release(&build, 1, 1, 450, 450, RELEASE_RELEASED);
        build_hold(&build, 2, 2, 400, 460, 700);
        build_judge(&build);
        assert_state(&build, "double-grant", prolonged ? FINDING_VIOLATED : FINDING_KEPT);
        assert_state(&build, "stale-holder", prolonged ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}

// Two workers race for each of two jobs.
static void build_draw(struct build *build, int64_t second_saw)
{
    build_start(build, "draw");
    build->scenario.workload.jobs = 2;
    build->scenario.clients.processes = 2;
    build_acquire(build, 1, 1, 1, 1, NEVER_MS, 0);
    build_read(build, 1, 1, 2, 0, 0);
    build_write(build, 1, 1, 3, 1, 0, 0, OUTCOME_OK);
    build_release(build, 1, 1, 4, 4, RELEASE_RELEASED);
    build_acquire(build, 2, 2, 5, 5, NEVER_MS, 0);
    build_read(build, 2, 2, 6, second_saw, 0);
    if ((second_saw & 1) == 0)
        build_write(build, 2, 2, 7, second_saw | 1, second_saw, 0, OUTCOME_OK);
    build_release(build, 2, 2, 8, 8, RELEASE_RELEASED);
}

TEST(a_job_that_two_did_is_found_and_one_that_nobody_did_but_somebody_found_done)
{
    struct build build;
    build_draw(&build, 1);
    build_judge(&build);
    assert_state(&build, "run-once", FINDING_KEPT);
    build_free(&build);
    build_draw(&build, 0);
    build_judge(&build);
    assert_state(&build, "run-once", FINDING_VIOLATED);
    assert_text_has(finding_named(&build, "run-once")->text,
                    "job 1 was done 2 times: by client-1 and by client-2");
    build_free(&build);
    build_draw(&build, 1);
    build_acquire(&build, 1, 3, 10, 10, NEVER_MS, 0);
    build_read(&build, 1, 3, 11, 3, 0);
    build_release(&build, 1, 3, 12, 12, RELEASE_RELEASED);
    build_judge(&build);
    assert_state(&build, "run-once", FINDING_VIOLATED);
    assert_text_has(finding_named(&build, "run-once")->text, "found job 2 done");
    build_free(&build);
}
