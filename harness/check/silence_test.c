// What a silence is said to have begun with.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

HISTORY_TEST(of_two_workers_that_die_together_the_holder_explains_it, "increment")
{
    build->scenario.clients.threads = 2;
    build_begin(build, 0);
    build_acquire(build, 2, 1, 0, 1, NEVER_MS, 0);
    build_attempt(build, 2, 2, 0, NEVER_MS, OUTCOME_OK);
    build_by_worker(build, 1, 2);
    build_attempt(build, 1, 3, 0, NEVER_MS, OUTCOME_OK);
    build_death(build, 2, 5);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_verdict(build, VERDICT_STUCK);
    assert_text_has(build->judgement.reason,
                    "client-2 worker-1 died holding the lock, although 1 worker waited; the lock "
                    "has no lease: nothing will ever free it");
    assert_int_equal(finding_named(build, "stuck")->evidence.holds[0], 0);
}

HISTORY_TEST(a_dead_holder_explains_it_before_one_who_died_waiting_later, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_death(build, 1, 5);
    build_attempt(build, 2, 2, 0, NEVER_MS, OUTCOME_OK);
    build_death(build, 2, 400);
    build_attempt(build, 3, 3, 0, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_text_has(finding_named(build, "stuck")->text, "client-1 died holding the lock");
}

HISTORY_TEST(after_the_lease_of_a_dead_holder_another_may_have_died_with_the_lock, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_death(build, 1, 5);
    build_attempt(build, 2, 2, 0, NEVER_MS, OUTCOME_OK);
    build_death(build, 2, 400);
    build_attempt(build, 3, 3, 0, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1520, STOP_STUCK);
    build_judge(build);
    assert_text_has(finding_named(build, "stuck")->text, "client-2 died while acquiring the lock");
}

TEST(of_two_that_die_acquiring_the_one_that_the_fault_struck_is_named)
{
    for (int struck = 1; struck <= 2; struck++) {
        struct build build;
        char name[64];
        build_start(&build, "increment");
        build.scenario.clients.threads = 2;
        build_begin(&build, 0);
        for (int worker = 1; worker <= 2; worker++) {
            build_attempt(&build, 2, worker, worker, NEVER_MS, OUTCOME_OK);
            build_by_worker(&build, 1, worker);
        }
        build_attempt(&build, 1, 3, 0, NEVER_MS, OUTCOME_OK);
        build_fault(&build, "kill", 2, 5, NEVER_MS);
        BUILD_EVENT(&build, 4, 2, POINT_REACHED, OUTCOME_OK, 1);
        build.events[build.count - 1].step = 1;
        build_by_worker(&build, 1, struck);
        build_death(&build, 2, 6);
        build_stop(&build, 1020, STOP_STUCK);
        build_judge(&build);
        snprintf(name, sizeof name, "client-2 worker-%d died while acquiring", struck);
        assert_text_has(finding_named(&build, "stuck")->text, name);
        build_free(&build);
    }
}

// The struck request of a foreign lock is no certain worker's while several acquire (worker 0), and
// a kill from outside strikes nobody's.
TEST(of_two_that_die_acquiring_none_is_named_if_nothing_tells_which)
{
    for (int reached = 0; reached < 2; reached++) {
        struct build build;
        build_start(&build, "increment");
        build.scenario.clients.threads = 2;
        build_begin(&build, 0);
        for (int worker = 1; worker <= 2; worker++) {
            build_attempt(&build, 2, worker, worker, NEVER_MS, OUTCOME_OK);
            build_by_worker(&build, 1, worker);
        }
        build_attempt(&build, 1, 3, 0, NEVER_MS, OUTCOME_OK);
        build_fault(&build, "kill", 2, 5, NEVER_MS);
        if (reached) {
            BUILD_EVENT(&build, 4, 2, POINT_REACHED, OUTCOME_OK, 1);
            build.events[build.count - 1].step = 1;
            build_by_worker(&build, 1, 0);
        }
        build_death(&build, 2, 6);
        build_stop(&build, 1020, STOP_STUCK);
        build_judge(&build);
        assert_text_has(finding_named(&build, "stuck")->text,
                        "client-2 died while acquiring the lock");
        assert_verdict(&build, VERDICT_STUCK);
        build_free(&build);
    }
}

HISTORY_TEST(a_grant_after_faults_were_taken_back_at_the_stop_shows_nothing, "increment")
{
    build_crash(build, NEVER_MS, 1310, STOP_TIME);
    build_fault(build, "clock", 0, 1, 1311);
    for (size_t i = 0; i < build->count; i++) {
        if (build->events[i].kind == EVENT_FAULT_HEALED)
            build->events[i].detail = HEAL_END;
    }
    build_acquire(build, 9, 99, 20, 1312, NEVER_MS, 0);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
}

// Who waits in line is let through as soon as the one before gives up.
TEST(a_grant_that_the_end_brought_about_shows_nothing)
{
    static const struct {
        enum stop_reason reason;
        enum finding_state state;
    } ends[] = {{STOP_STUCK, FINDING_VIOLATED}, {STOP_TIME, FINDING_KEPT}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct build build;
        build_start(&build, "increment");
        build_crash(&build, 105, 1310, ends[i].reason);
        build_acquire(&build, 9, 99, 20, 1312, NEVER_MS, 0);
        build_judge(&build);
        assert_state(&build, "stuck", ends[i].state);
        build_free(&build);
    }
}

// The trial of the crash, in which one or all of those who wait are cut off to the end.
static void judge_cut_off(struct build *build, int last_client)
{
    build_start(build, "increment");
    build_crash(build, 105, 1310, STOP_STUCK);
    build_fault(build, "cut", 0, 1, NEVER_MS);
    struct fault_step *step = &build->steps[1];
    for (int client = 2; client <= last_client; client++)
        step->sides[0][step->side_counts[0]++] = (struct target){.client = client};
    step->side_counts[1] = 1;
    build_judge(build);
}

TEST(a_client_that_is_cut_off_does_not_wait)
{
    struct build build;
    judge_cut_off(&build, 3);
    assert_verdict(&build, VERDICT_STUCK);
    assert_text_has(build.judgement.reason, "although 1 worker waited");
    build_free(&build);
    judge_cut_off(&build, 4);
    assert_verdict(&build, VERDICT_UNKNOWN);
    build_free(&build);
}

static const char *const without_lease[] = {"exclusive", "permits", "redis", NULL};

// Nobody has ever been granted it: only the traits tell that there is no lease.
HISTORY_TEST(a_lock_without_a_lease_is_not_said_to_be_freed_by_one, "increment")
{
    build->trial.traits = without_lease;
    build_begin(build, 0);
    build_attempt(build, 1, 1, 0, NEVER_MS, OUTCOME_OK);
    build_death(build, 1, 5);
    build_attempt(build, 2, 2, 0, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_text_has(finding_named(build, "stuck")->text,
                    "client-1 died while acquiring the lock, although 1 worker waited; the lock "
                    "has no lease: nothing will ever free it");
}

// client-1 releases the lock, goes for it again and dies; the servers say whether they have it.
static void judge_death_after_release(struct build *build, const char *const *traits, int64_t held,
                                      int64_t waited_ns)
{
    build_start(build, "increment");
    build->trial.traits = traits;
    build_begin(build, 0);
    build_hold(build, 1, 1, 1, 4, NEVER_MS);
    build_attempt(build, 1, 3, 5, NEVER_MS, OUTCOME_OK);
    build_death(build, 1, 6);
    build_attempt(build, 2, 2, 2, 1025, OUTCOME_NO);
    build_stop(build, 1020, STOP_STUCK);
    BUILD_EVENT(build, 1030, 0, LOCK_FINAL, OUTCOME_OK, held, waited_ns);
    build_judge(build);
}

TEST(whoever_dies_acquiring_a_lock_that_is_free_at_the_end_has_not_left_it_behind)
{
    static const char *const leased[] = {"exclusive", "lease", NULL};
    static const struct {
        const char *const *traits;
        int64_t held, waited_ns;
        const char *words;
    } ends[] = {
        {without_lease, 0, 0, "after client-1 released it, although 1 worker waited; it was free"},
        {leased, 0, 0, "after client-1 released it, although 1 worker waited; it was free"},
        {leased, 0, 9, "after client-1 died while acquiring the lock"}, // it may have expired
        {without_lease, 1, 0, "after client-1 died while acquiring the lock"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct build build;
        judge_death_after_release(&build, ends[i].traits, ends[i].held, ends[i].waited_ns);
        assert_verdict(&build, VERDICT_STUCK);
        assert_text_has(build.judgement.reason, ends[i].words);
        build_free(&build);
    }
}

// After a restart no acquire is answered: each gives up after 400 ms, and the next one follows.
static void judge_without_answers(struct build *build, enum outcome one_outcome, double ended_ms)
{
    build_start(build, "increment");
    build->scenario.lock.stuck_after_ns = 2 * NS_PER_S;
    build_begin(build, 0);
    build_hold(build, 1, 1, 1, 4, 300);
    build_fault(build, "restart", 0, 5, 50);
    int64_t operation = 10;
    for (double at_ms = 6; at_ms < ended_ms; at_ms += 400, operation++)
        build_attempt(build, 2, operation, at_ms, at_ms + 399,
                      operation == 12 ? one_outcome : OUTCOME_UNKNOWN);
    build_stop(build, ended_ms, STOP_STUCK);
    build_judge(build);
}

TEST(servers_that_answer_nobody_make_it_stuck_however_often_somebody_gives_up)
{
    struct build build;
    judge_without_answers(&build, OUTCOME_UNKNOWN, 2100);
    assert_verdict(&build, VERDICT_STUCK);
    assert_text_has(build.judgement.reason,
                    "after fault 1 was over, although 1 worker waited; no acquire was answered");
    assert_int_equal(finding_named(&build, "stuck")->evidence.from_ns, ms(50));
    build_free(&build);
    judge_without_answers(&build, OUTCOME_UNKNOWN, 2040); // not for stuck-after
    assert_verdict(&build, VERDICT_UNKNOWN);
    build_free(&build);
    judge_without_answers(&build, OUTCOME_NO, 2100); // one was answered
    assert_verdict(&build, VERDICT_UNKNOWN);
    build_free(&build);
}

// Somebody has asked all the time, and nothing says that nobody told it to wait.
TEST(one_who_still_asks_at_the_end_may_have_been_answered)
{
    for (int asks = 0; asks < 2; asks++) {
        struct build build;
        judge_without_answers(&build, OUTCOME_UNKNOWN, 2100);
        digest_free(&build.digest);
        build.scenario.lock.request_ns = 390 * NS_PER_MS;
        build_attempt(&build, 3, 90, asks ? 60 : 1500, NEVER_MS, OUTCOME_OK);
        build_judge(&build);
        assert_verdict(&build, asks ? VERDICT_UNKNOWN : VERDICT_STUCK);
        build_free(&build);
    }
}

// From a failover on, the servers have as long as from any other fault.
TEST(a_failover_begins_the_time_anew_for_which_nobody_is_answered)
{
    for (int late = 0; late < 2; late++) {
        struct build build;
        judge_without_answers(&build, OUTCOME_UNKNOWN, 2100);
        digest_free(&build.digest);
        build_fault(&build, "failover", 0, late ? 1000 : 51, NEVER_MS);
        build.steps[1].bound_ns = -1;
        build_judge(&build);
        assert_verdict(&build, late ? VERDICT_UNKNOWN : VERDICT_STUCK);
        build_free(&build);
    }
}

// One release is lost, and whoever waits sleeps: that is no proof that nobody is answered.
HISTORY_TEST(a_single_answer_that_was_lost_is_not_told_as_servers_that_answer_nobody, "increment")
{
    build->scenario.lock.stuck_after_ns = NS_PER_S;
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_attempt(build, 2, 2, 2, NEVER_MS, OUTCOME_OK);
    build_release(build, 1, 1, 10, 20, RELEASE_UNKNOWN);
    build_stop(build, 1025, STOP_STUCK);
    build_judge(build);
    assert_verdict(build, VERDICT_STUCK);
    assert_text_has(build->judgement.reason, "after client-1 got no answer to its release");
    assert_null(strstr(build->judgement.reason, "no acquire was answered"));
}
