// Why nobody is said to be granted the lock any more.
#include "harness/explain/test_diagnosis.h"
#include "harness/testing/test.h"

// Stuck: client-1 dies in the way that `kill` says, client-2 waits to the end.
static void build_wait(double from_ms)
{
    build_attempt(&build, 2, 2, from_ms, NEVER_MS, OUTCOME_OK);
    build_stop(&build, 4000, STOP_STUCK);
}

TEST_WITH(a_lease_that_a_clock_keeps_is_told, start, stop)
{
    struct fault_step *step = strike("clock", "server-1", 2, NEVER_MS);
    step->rate = 0;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_fault(&build, "kill", 1, 10.5, NEVER_MS);
    build_death(&build, 1, 10);
    build_wait(5);
    assert_diagnosis(ROOT_LEASE_STANDS, "server-1's clock stands still (fault 1)",
                     "whose clock nobody sets");
}

TEST_WITH(an_acquire_whose_answer_was_lost_is_told, start, stop)
{
    strike("hold", "servers", 1, 10);
    build_begin(&build, 0);
    build_attempt(&build, 1, 1, 0, 9, OUTCOME_UNKNOWN);
    build_attempt(&build, 1, 3, 11, NEVER_MS, OUTCOME_OK);
    build_wait(5);
    assert_diagnosis(ROOT_LOST_ACQUIRE, "client-1's acquire was done, but the answer was lost",
                     "asking again with the same token");
}

// client-1's release has no answer, and client-3's clock jumps: that has no part in it. A cut of
// client-1 has.
TEST_WITH(only_what_can_have_lost_a_release_is_named_with_it, start, stop)
{
    for (int cut = 0; cut < 2; cut++) {
        build_start(&build, "increment");
        struct fault_step *clock = strike("clock", "", 40, NEVER_MS);
        clock->target.client = 3;
        clock->by_ns = NS_PER_S;
        if (cut) {
            struct fault_step *step = strike("cut", "", 8, 25);
            step->target.client = 1;
            step->sides[0][0] = (struct target){.client = 1};
            step->sides[1][0] = (struct target){.server = "servers"};
            step->side_counts[0] = step->side_counts[1] = 1;
        }
        build_begin(&build, 0);
        build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
        build_release(&build, 1, 1, 10, 20, RELEASE_UNKNOWN);
        build_wait(5);
        if (cut)
            assert_diagnosis(
                ROOT_LOST_RELEASE,
                "client-1's release was not done (fault 2: client-1 is cut off from the "
                "servers), and nothing else frees this lock",
                "a lease");
        else
            assert_diagnosis(ROOT_LOST_RELEASE,
                             "client-1's release was not done, and nothing else frees this lock",
                             "a lease");
        if (cut == 0)
            build_free(&build);
    }
}

TEST_WITH(a_clients_clock_keeps_nobody_from_a_lock_without_a_lease, start, stop)
{
    struct diagnosis diagnosis;
    struct fault_step *clock = strike("clock", "", 40, NEVER_MS);
    clock->target.client = 3;
    clock->by_ns = NS_PER_S;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_release(&build, 1, 1, 10, 20, RELEASE_RELEASED);
    build_wait(5);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_null(strstr(diagnosis.text, "clock"));
}

TEST_WITH(who_died_with_a_leased_lock_is_not_told_to_take_a_lease, start, stop)
{
    static const char *const leased[] = {"exclusive", "lease", "redis", NULL};
    struct diagnosis diagnosis;
    build.trial.traits = leased;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_fault(&build, "kill", 1, 10.5, NEVER_MS);
    build_death(&build, 1, 10);
    build_wait(5);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_int_equal(diagnosis.cause, ROOT_DIED_HOLDING);
    assert_null(strstr(diagnosis.mitigation, "a lease"));
    assert_text_has(diagnosis.mitigation, "prolonging it for its holder only");
}

// client-2 sleeps until it is told of a release; client-1 releases the lock, and dies when it goes
// for it again. At the end the lock is free.
static void build_sleeper(int64_t tries)
{
    static const char *const traits[] = {"exclusive", "permits", "redis", NULL};
    build.trial.traits = traits;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_fault(&build, "disconnect", 2, 5, NEVER_MS);
    build.steps[0].bound_ns = -1;
    build.steps[0].point_count = 0;
    build_release(&build, 1, 1, 10, 11, RELEASE_UNCHECKED);
    build_attempt(&build, 1, 3, 12, NEVER_MS, OUTCOME_OK);
    build_fault(&build, "kill", 1, 13, NEVER_MS);
    build_death(&build, 1, 13);
    BUILD_EVENT(&build, 2, 2, ACQUIRE_INVOKE, OUTCOME_OK, 2);
    BUILD_EVENT(&build, 4005, 2, ACQUIRE_RETURN, OUTCOME_NO, 2, 0, 0, tries);
    build_stop(&build, 4000, STOP_STUCK);
    BUILD_EVENT(&build, 4020, 0, LOCK_FINAL, OUTCOME_OK, 0, 0);
}

TEST_WITH(whoever_is_not_woken_is_told_and_who_died_is_not_blamed, start, stop)
{
    build_sleeper(2);
    assert_diagnosis(
        ROOT_LOST_WAKE_UP,
        "client-1's release woke nobody: client-2 sleeps until it is told that the "
        "lock is free, and what would have told it may have ended before (fault 1: client-2 "
        "is cut off: the servers end its connections)",
        "looks again from time to time");
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told, "0.011 s  client-1 gives its permit back\n");
    assert_text_has(told, "0.002 s  client-2 goes for the lock and waits\n");
    assert_null(strstr(told, "left the lock behind"));
    free(told);
}

TEST_WITH(a_free_lock_that_somebody_looks_for_in_vain_is_told_as_such, start, stop)
{
    build_sleeper(400);
    assert_diagnosis(ROOT_UNKNOWN, "the lock is free, and still nobody gets it", "");
}

TEST_WITH(a_semaphore_that_was_lost_with_its_server_is_told, start, stop)
{
    build_sleeper(2);
    strike("flush", "server-1", 14, NEVER_MS);
    assert_diagnosis(
        ROOT_LOST_PERMITS,
        "server-1 loses all its data (fault 3), and what it had stored of the semaphore "
        "is lost",
        "made anew");
}

// The point was reached by a request that is no certain worker's.
TEST_WITH(of_workers_that_die_acquiring_together_none_is_blamed, start, stop)
{
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
    build_by_worker(&build, 1, 0);
    build_death(&build, 2, 6);
    build_stop(&build, 1020, STOP_STUCK);
    assert_diagnosis(ROOT_DIED_ACQUIRING, "client-2 died inside its acquire", "a lease");
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told,
                    "client-2 worker-1 begins to acquire the lock, as others of its client do\n");
    free(told);
}

TEST_WITH(servers_that_answer_nobody_are_told, start, stop)
{
    build.scenario.lock.stuck_after_ns = 2 * NS_PER_S;
    strike("restart", "server-1", 5, 50)->how = "loses-all";
    build_begin(&build, 0);
    build_hold(&build, 1, 1, 1, 4, 300);
    for (int i = 0; i < 6; i++)
        build_attempt(&build, 2, 10 + i, 6 + 400 * i, 405 + 400 * i, OUTCOME_UNKNOWN);
    build_stop(&build, 2200, STOP_STUCK);
    assert_diagnosis(ROOT_UNANSWERED,
                     "since fault 1 (server-1 crashes) no acquire has been answered, not even now "
                     "that server-1 has come back and has forgotten everything",
                     "keep what they had stored");
}

TEST_WITH(a_release_that_a_failover_swallowed_names_it, start, stop)
{
    strike("failover", "server-1", 9, NEVER_MS);
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_release(&build, 1, 1, 8, 20, RELEASE_UNKNOWN);
    build_wait(5);
    assert_diagnosis(ROOT_LOST_RELEASE,
                     "client-1's release was not done (fault 1: server-1 is killed, and another "
                     "server takes its place), and nothing else frees this lock",
                     "a lease");
}

TEST_WITH(who_died_in_the_line_of_a_fair_lock_is_told, start, stop)
{
    static const char *const traits[] = {"fair", "lease", NULL};
    build.trial.traits = traits;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_attempt(&build, 3, 3, 2, NEVER_MS, OUTCOME_OK);
    build_fault(&build, "kill", 3, 3, NEVER_MS);
    build_death(&build, 3, 3);
    build_release(&build, 1, 1, 10, 11, RELEASE_RELEASED);
    build_wait(5);
    assert_diagnosis(ROOT_DEAD_IN_LINE, "client-3 died waiting for the lock", "place in the line");
}

// client-1's lease runs out, and its release is never answered.
TEST_WITH(a_release_that_does_not_come_back_is_told, start, stop)
{
    build.scenario.lock.request_ns = 100 * NS_PER_MS;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_fault(&build, "pause", 1, 50, 400);
    build_release(&build, 1, 1, 50, NEVER_MS, RELEASE_UNKNOWN);
    build_hold(&build, 2, 2, 350, 450, 650);
    build_stop(&build, 4000, STOP_STUCK);
    BUILD_EVENT(&build, 4500, 1, RELEASE_RETURN, OUTCOME_UNKNOWN, 1);
    build.events[build.count - 1].detail = RELEASE_UNKNOWN;
    assert_diagnosis(ROOT_HANGING_RELEASE,
                     "client-1's release does not come back: its lease had run out",
                     "a release that gives up in time");
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told, "0.050 s  client-1 begins to release the lock\n");
    assert_text_has(told,
                    "4.000 s  client-1 has waited for the answer to its release for 3.95 s\n");
    assert_null(strstr(told, "gets no answer"));
    assert_null(strstr(told, "nobody has been granted"));
    free(told);
}
