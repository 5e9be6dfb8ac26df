// When a story tells its faults and writes, and whom of a semaphore's holders.
#include "harness/check/build_history_test_support.h"
#include "harness/explain/story.h"
#include "harness/report/pictures/timeline.h"
#include "harness/testing/test.h"

// The server is down before the harness has proven it, and is missed at once.
TEST(a_crash_is_told_before_what_comes_of_it)
{
    static const char *const verbs[] = {"restart", "failover", "disconnect"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_acquire(&build, 1, 1, 0, 1, 300, 0);
        build_fault(&build, verbs[i], i == 2 ? 1 : 0, 40, 60);
        strcpy(build.steps[0].target.server, i == 2 ? "" : "server-1");
        build.steps[0].point_count = 0;
        build.steps[0].rate = 100;
        build.events[build.count - 3].at_ns = ms(10); // asked for
        BUILD_EVENT(&build, 20, 1, LOST, OUTCOME_OK, 1);
        build_acquire(&build, 2, 2, 2, 25, 325, 0);
        build_release(&build, 2, 2, 45, 46, RELEASE_RELEASED);
        build_release(&build, 1, 1, 50, 51, RELEASE_GONE);
        build_stop(&build, 100, STOP_DONE);
        build_judge(&build);
        char *told = story_tell(&build.digest, &build.judgement);
        const char *crash = strstr(told, "0.010 s  fault 1: ");
        const char *lost = strstr(told, "0.020 s  client-1 is told that it has lost the lock");
        assert_non_null(crash);
        assert_non_null(lost);
        assert_true(crash < lost);
        if (i == 1) {
            assert_text_has(told, "fault 1: server-1 is killed\n");
            assert_text_has(told, "0.040 s  fault 1: another server takes its place\n");
        }
        free(told);
        build_free(&build);
    }
}

// Its line is where it was answered, and says when it was sent, as the picture shows it.
HISTORY_TEST(a_long_write_is_told_with_both_its_moments, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_acquire(build, 2, 2, 2, 3, NEVER_MS, 0);
    build_read(build, 1, 1, 4, 0, 0);
    build_read(build, 2, 2, 4, 0, 0);
    build_write(build, 1, 1, 5, 1, 0, 0, OUTCOME_OK);
    build->events[build->count - 1].at_ns = ms(80);
    build_write(build, 2, 2, 6, 1, 0, 0, OUTCOME_OK);
    build_release(build, 2, 2, 7, 8, RELEASE_RELEASED);
    build_release(build, 1, 1, 81, 82, RELEASE_RELEASED);
    build_stop(build, 100, STOP_DONE);
    build_final(build, 101, 1);
    build_judge(build);
    char *told = story_tell(&build->digest, &build->judgement);
    assert_text_has(told, "0.080 s  client-1 writes 1 (sent at 0.005 s)");
    assert_text_has(told, "0.006 s  client-2 writes 1");
    assert_null(strstr(told, "(sent at 0.006 s)"));
    free(told);
}

TEST(of_a_semaphore_all_holders_are_told)
{
    static const char *const traits[] = {"permits", NULL};
    struct build build;
    build_start(&build, "permits");
    build.trial.traits = traits;
    build.scenario.workload.permits = 3;
    build_begin(&build, 0);
    for (int client = 1; client <= 4; client++)
        build_acquire(&build, client, client, client, client, NEVER_MS, 0);
    for (int client = 1; client <= 4; client++)
        build_release(&build, client, client, 30, 31, RELEASE_UNCHECKED);
    build_stop(&build, 50, STOP_DONE);
    build_judge(&build);
    char *told = story_tell(&build.digest, &build.judgement);
    assert_string_equal(
        told,
        "    0.001 s  client-1 acquires a permit\n"
        "    0.002 s  client-2 acquires a permit\n"
        "    0.003 s  client-3 acquires a permit\n"
        "    0.004 s  client-4 acquires a permit: all 3 permits are out\n"
        "    0.031 s  client-1 gives its permit back\n"
        "    0.031 s  client-4 gives its permit back\n"
        "    0.031 s  client-2 gives its permit back\n"
        "    0.031 s  client-3 gives its permit back\n"
        "  Cause: possibly: the acquires let in one too many: client-4 was granted a permit when "
        "all 3 were out (client-1's, client-2's and client-3's).\n"
        "  More than 3 believed to hold a permit for 26 ms.\n"
        "  What would have prevented it: a semaphore that counts and takes in one step, at the "
        "server.\n");
    assert_text_has(build.judgement.reason,
                    "client-4 was granted a permit while all 3 permits were out: client-1, "
                    "client-2, client-3 had them");
    free(told);
    build_free(&build);
}

// Two hold at once from 10 ms to 20 ms; what was lost shows in what each writes after that.
TEST(the_picture_reaches_to_where_something_was_lost)
{
    struct build build;
    struct timeline_window window;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_acquire(&build, 2, 2, 2, 10, NEVER_MS, 0);
    build_release(&build, 2, 2, 20, 21, RELEASE_RELEASED);
    build_acquire(&build, 3, 3, 21, 22, NEVER_MS, 0);
    build_read(&build, 3, 3, 23, 0, 0);
    build_release(&build, 1, 1, 24, 25, RELEASE_RELEASED);
    build_acquire(&build, 4, 4, 25, 26, NEVER_MS, 0);
    build_read(&build, 4, 4, 27, 0, 0);
    build_write(&build, 3, 3, 40, 1, 0, 0, OUTCOME_OK);
    build_write(&build, 4, 4, 41, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 3, 3, 42, 43, RELEASE_RELEASED);
    build_release(&build, 4, 4, 44, 45, RELEASE_RELEASED);
    build_stop(&build, 300, STOP_DONE);
    build_final(&build, 301, 1);
    build_judge(&build);
    timeline_choose(&build.digest, &build.judgement, &window);
    assert_string_equal(window.finding->check->name, "double-grant");
    assert_int_equal(window.evidence[0], 0);
    assert_true(window.to_ns >= ms(41));
    build_free(&build);
}

// client-1 released the lock and died later, going for it again; at the end the lock is free.
TEST(the_picture_does_not_give_a_free_lock_to_the_dead)
{
    for (int64_t held = 0; held <= 1; held++) {
        struct build build;
        struct timeline_window window;
        struct timeline_spans spans;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_hold(&build, 1, 1, 1, 4, NEVER_MS);
        build_attempt(&build, 1, 3, 5, NEVER_MS, OUTCOME_OK);
        build_death(&build, 1, 6);
        build_attempt(&build, 2, 2, 2, 1025, OUTCOME_NO);
        build_stop(&build, 1020, STOP_STUCK);
        BUILD_EVENT(&build, 1030, 0, LOCK_FINAL, OUTCOME_OK, held, 0);
        build_judge(&build);
        timeline_choose(&build.digest, &build.judgement, &window);
        timeline_collect(&build.digest, &window, TIMELINE_MAYBE_DEAD, &spans);
        assert_int_equal(spans.count, held);
        build_free(&build);
    }
}
