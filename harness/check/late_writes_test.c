// Writes without an answer that reach the store after their writers have given up, and a store that
// forgets: under a lock that lets one in at a time.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

// A turn that is numbered by its time.
static void build_update(struct build *build, int client, double at_ms, int64_t seen, int64_t step,
                         enum outcome outcome)
{
    build_turn(build, client, (int64_t)at_ms, at_ms, seen, step, outcome);
}

static void build_end(struct build *build, int64_t final)
{
    build_stop(build, 900, STOP_DONE);
    build_final(build, 901, final);
    build_judge(build);
}

// client-1's write of 1 comes when the value is 3: three values are seen twice.
static void build_late_increment(struct build *build, enum outcome outcome)
{
    build_start(build, "increment");
    build_begin(build, 0);
    build_update(build, 1, 10, 0, 1, outcome);
    for (int i = 0; i < 3; i++)
        build_update(build, 2, 20 + 10 * i, i, 1, OUTCOME_OK);
    for (int i = 1; i < 5; i++)
        build_update(build, 2 + i % 2, 50 + 10 * i, i, 1, OUTCOME_OK);
}

TEST(a_late_write_over_others_is_no_fault_of_the_lock)
{
    struct build build;
    build_late_increment(&build, OUTCOME_UNKNOWN);
    build_end(&build, 5);
    assert_state(&build, "lost-update", FINDING_UNDECIDED);
    assert_verdict(&build, VERDICT_UNKNOWN);
    assert_text_has(build.judgement.reason,
                    "2 of 7 acknowledged increments were lost, but no lock prevents that: "
                    "client-1's write of 1 got no answer");
    build_free(&build);
}

TEST(a_refused_write_cannot_come_late)
{
    struct build build;
    build_late_increment(&build, OUTCOME_NO);
    build_end(&build, 5);
    assert_state(&build, "lost-update", FINDING_VIOLATED);
    assert_verdict(&build, VERDICT_UNSAFE);
    build_free(&build);
}

TEST(a_write_that_comes_last_leaves_its_value)
{
    for (int64_t final = 1; final <= 2; final++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_update(&build, 1, 10, 0, 1, OUTCOME_UNKNOWN);
        for (int i = 0; i < 3; i++)
            build_update(&build, 2, 20 + 10 * i, i, 1, OUTCOME_OK);
        build_end(&build, final); // only 1 can have come late
        assert_state(&build, "lost-update", final == 1 ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

TEST(a_write_comes_but_once)
{
    struct build build;
    build_late_increment(&build, OUTCOME_UNKNOWN);
    build_update(&build, 4, 100, 1, 1, OUTCOME_OK); // once more back to 1
    build_end(&build, 2);
    assert_state(&build, "lost-update", FINDING_VIOLATED);
    build_free(&build);
}

HISTORY_TEST(a_write_cannot_come_before_it_is_begun, "increment")
{
    build_begin(build, 0);
    build_update(build, 2, 10, 0, 1, OUTCOME_OK);
    build_update(build, 3, 20, 0, 1, OUTCOME_OK);
    build_update(build, 1, 30, 1, -1, OUTCOME_UNKNOWN); // a write of 0
    build_end(build, 1);
    assert_state(build, "lost-update", FINDING_VIOLATED);
}

TEST(two_at_once_are_not_excused_by_a_late_write)
{
    struct build build;
    build_late_increment(&build, OUTCOME_UNKNOWN);
    build_update(&build, 3, 100, 5, 1, OUTCOME_OK);
    build_update(&build, 4, 101.5, 5, 1, OUTCOME_OK); // before client-3 had its answer
    build_end(&build, 6);
    const struct finding *finding = finding_named(&build, "lost-update");
    assert_state(&build, "lost-update", FINDING_VIOLATED);
    assert_int_equal(build.digest.accesses[finding->evidence.accesses[1]].seen, 5);
    assert_text_has(finding->text, "client-3 and client-4 both incremented 5");
    build_free(&build);
}

TEST(a_fencing_store_takes_no_late_write_after_a_newer_token)
{
    struct build build;
    build_late_increment(&build, OUTCOME_UNKNOWN);
    build.scenario.workload.fenced = true;
    for (size_t i = 0; i < build.count; i++) {
        struct event *event = &build.events[i];
        if (event->kind == EVENT_WRITE_INVOKE || event->kind == EVENT_WRITE_RETURN)
            event->args[1] = event->args[0]; // each operation its number
    }
    build_end(&build, 5);
    assert_state(&build, "lost-update", FINDING_VIOLATED);
    build_free(&build);
}

TEST(an_optimistic_write_that_comes_late_comes_to_nothing)
{
    static const char *const traits[] = {"optimistic", NULL};
    struct build build;
    build_late_increment(&build, OUTCOME_UNKNOWN);
    build.trial.traits = traits;
    build_end(&build, 5);
    assert_state(&build, "lost-update", FINDING_VIOLATED);
    build_free(&build);
}

TEST(a_late_sale_brings_units_back)
{
    for (int late = 0; late < 2; late++) {
        struct build build;
        build_start(&build, "oversell");
        build_begin(&build, 3);
        build_update(&build, 1, 10, 3, -1, late ? OUTCOME_UNKNOWN : OUTCOME_NO);
        for (int i = 3; i > 0; i--)
            build_update(&build, 2, 50 - 10 * i, i, -1, OUTCOME_OK);
        build_update(&build, 3, 60, 2, -1, OUTCOME_OK);
        build_end(&build, 1);
        assert_state(&build, "oversell", late ? FINDING_UNDECIDED : FINDING_VIOLATED);
        if (late)
            assert_text_has(build.judgement.reason, "1 unit was sold twice, but no lock");
        build_free(&build);
    }
}

TEST(a_late_write_undoes_a_job)
{
    for (int late = 0; late < 2; late++) {
        struct build build;
        build_start(&build, "draw");
        build.scenario.workload.jobs = 2;
        build.scenario.clients.processes = 3;
        build_begin(&build, 0);
        build_acquire(&build, 1, 4, 10, 10, NEVER_MS, 0); // job 2 is never answered
        build_write(&build, 1, 4, 12, 2, 0, 0, late ? OUTCOME_UNKNOWN : OUTCOME_NO);
        build_release(&build, 1, 4, 13, 14, RELEASE_RELEASED);
        for (int i = 1; i <= 2; i++) { // both do job 1
            build_acquire(&build, 1 + i, i, 10 + 10 * i, 10 + 10 * i, NEVER_MS, 0);
            build_write(&build, 1 + i, i, 12 + 10 * i, 1, 0, 0, OUTCOME_OK);
            build_release(&build, 1 + i, i, 13 + 10 * i, 14 + 10 * i, RELEASE_RELEASED);
        }
        build_end(&build, 1);
        assert_state(&build, "run-once", late ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

TEST(a_late_write_changes_what_a_reader_sees)
{
    for (int late = 0; late < 2; late++) {
        struct build build;
        build_start(&build, "readers");
        build_begin(&build, 0);
        build_update(&build, 1, 10, 0, 1, late ? OUTCOME_UNKNOWN : OUTCOME_NO);
        build_update(&build, 2, 20, 0, 1, OUTCOME_OK);
        build_update(&build, 2, 30, 1, 1, OUTCOME_OK);
        build_acquire(&build, 3, 9, 40, 40, NEVER_MS, 0);
        build.events[build.count - 2].detail = 1;
        build_read(&build, 3, 9, 41, 2, 0);
        build_read(&build, 3, 9, 43, 1, 0);
        build_release(&build, 3, 9, 44, 45, RELEASE_RELEASED);
        build_end(&build, 1);
        assert_state(&build, "unstable-read", late ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

TEST(what_the_stores_own_server_forgot_is_no_fault_of_the_lock)
{
    for (int overlap = 0; overlap < 2; overlap++) {
        struct build build;
        build_start(&build, "increment");
        build.scenario.workload.store = (char *)"same";
        build_begin(&build, 0);
        for (int i = 0; i < 4; i++)
            build_update(&build, 1 + i % 2, 10 + 10 * i, i, 1, OUTCOME_OK);
        build_fault(&build, "failover", 0, 60, NEVER_MS);
        build_update(&build, 3, 70, 2, 1, OUTCOME_OK);
        if (overlap)
            build_hold(&build, 4, 99, 72, 80, NEVER_MS);
        build_end(&build, 3);
        assert_state(&build, "lost-update", overlap ? FINDING_VIOLATED : FINDING_UNDECIDED);
        if (!overlap)
            assert_text_has(finding_named(&build, "lost-update")->text,
                            "the store lost acknowledged writes");
        build_free(&build);
    }
}

TEST(a_server_that_comes_back_with_all_its_commits_has_forgotten_nothing)
{
    static const char *const mysql_traits[] = {"own-store", "mysql", NULL};
    static const char *const redis_traits[] = {"own-store", "redis", NULL};
    static const struct {
        const char *const *traits;
        const char *how;
        enum finding_state state;
    } cases[] = {
        {mysql_traits, NULL, FINDING_VIOLATED},
        {mysql_traits, "keeps", FINDING_VIOLATED},
        {mysql_traits, "loses-unsynced", FINDING_UNDECIDED},
        {redis_traits, "keeps", FINDING_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct build build;
        build_start(&build, "increment");
        build.trial.traits = cases[i].traits;
        build_begin(&build, 0);
        build_update(&build, 1, 10, 0, 1, OUTCOME_OK);
        build_fault(&build, "restart", 0, 14, 15);
        build.steps[0].how = (char *)(size_t)cases[i].how;
        build_update(&build, 2, 20, 0, 1, OUTCOME_OK);
        build_end(&build, 1);
        assert_state(&build, "lost-update", cases[i].state);
        build_free(&build);
    }
}
