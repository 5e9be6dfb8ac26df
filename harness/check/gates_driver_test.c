// What is said of trials that prove nothing, of locks that a driver speaks for and of others.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

#include "harness/point/point.h"

static void build_unknown(struct build *build, const struct foreign_settings *foreign)
{
    build_start(build, "increment");
    build->trial.foreign = foreign;
    build_begin(build, 0);
    build_attempt(build, 1, 1, 1, 2, OUTCOME_UNKNOWN);
    build_attempt(build, 1, 2, 2, 3, OUTCOME_UNKNOWN);
    build_stop(build, 50, STOP_DONE);
    build_judge(build);
    assert_int_equal(build->judgement.verdict, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "nobody was ever granted the lock (2 acquires tried)");
}

#define ADVICE                                                                                     \
    ": its driver answered each of them with unknown; does it ask the servers that the scenario "  \
    "names (servers: redis gives it LOCKPICK_REDIS)? See driver-of-client-1.log"

// Most likely it asks other servers than those that there are.
TEST(a_driver_that_never_knows_is_told_where_to_look)
{
    static const struct foreign_settings foreign = {.name = "own"};
    struct build build;
    build_unknown(&build, &foreign);
    assert_text_has(build.judgement.reason, ADVICE);
    build_free(&build);
}

TEST(a_lock_without_a_driver_is_not)
{
    static const struct foreign_settings plugin = {.name = "own", .plugin = "./own.so"};
    struct build build;
    build_unknown(&build, &plugin);
    assert_null(strstr(build.judgement.reason, "driver"));
    build_free(&build);
    build_unknown(&build, NULL);
    assert_null(strstr(build.judgement.reason, "driver"));
    build_free(&build);
}

static void assert_never_reached(const struct foreign_settings *foreign, const char *wanted)
{
    struct build build;
    build_start(&build, "increment");
    build.trial.foreign = foreign;
    build_begin(&build, 0);
    build_hold(&build, 1, 1, 1, 2, 301);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build.steps[0].points[0] =
        (struct point_name){.client = 1, .moment = MOMENT_BEFORE, .what = "release"};
    build_stop(&build, 50, STOP_DONE);
    build_judge(&build);
    assert_int_equal(build.judgement.verdict, VERDICT_UNKNOWN);
    assert_text_has(build.judgement.reason, wanted);
    build_free(&build);
}

// One of ours beside a lock with a driver: of it the same point has another name.
TEST(a_point_that_only_drivers_have_is_named_with_what_to_say_instead)
{
    static const struct foreign_settings foreign = {.name = "own"};
    assert_never_reached(NULL, "its point was never reached: acquire, release and renew are what "
                               "is asked of drivers; of this scheme, say 'request in release'");
    assert_never_reached(&foreign, "its point was never reached; is it a command");
}

// client-1 sends SET in its acquire and CAD in its release; the point is one of its release.
static void judge_with_requests(struct build *build, const char *what)
{
    static const struct foreign_settings foreign = {.name = "own"};
    static const struct {
        const char *command;
        enum phase phase;
    } sent[] = {{"SET", PHASE_ACQUIRE}, {"CAD", PHASE_RELEASE}, {"CAD", PHASE_RELEASE}};
    build_start(build, "increment");
    build->trial.foreign = &foreign;
    build_begin(build, 0);
    build_hold(build, 1, 1, 1, 2, 301);
    for (size_t i = 0; i < 3; i++) {
        struct event event = {.kind = EVENT_REQUEST,
                              .detail = (uint8_t)((unsigned)sent[i].phase << REQUEST_PHASE)};
        memcpy(&event.args[0], sent[i].command, strlen(sent[i].command));
        build_event(build, 2, 1, 1, event);
    }
    build_fault(build, "pause", 1, NEVER_MS, NEVER_MS);
    build->steps[0].points[0] =
        (struct point_name){.client = 1, .moment = MOMENT_AFTER, .phase = "release"};
    snprintf(build->steps[0].points[0].what, sizeof build->steps[0].points[0].what, "%s", what);
    build_stop(build, 50, STOP_DONE);
    build_judge(build);
    assert_int_equal(build->judgement.verdict, VERDICT_UNKNOWN);
}

TEST(a_command_that_never_came_is_told_with_those_that_did)
{
    struct build build;
    judge_with_requests(&build, "GET");
    assert_text_has(build.judgement.reason,
                    "its point was never reached: in its release client-1 sent CAD; 'client-1 "
                    "after request in release' strikes whatever it sends");
    build_free(&build);
    judge_with_requests(&build, "CAD");
    assert_null(strstr(build.judgement.reason, "client-1 sent"));
    build_free(&build);
}

TEST(of_a_program_with_several_workers_it_is_said_that_points_may_be_nobody_s)
{
    static const struct foreign_settings foreign = {.name = "own"};
    for (int threads = 1; threads <= 2; threads++) {
        struct build build;
        build_start(&build, "increment");
        build.trial.foreign = &foreign;
        build.scenario.clients.threads = threads;
        build_begin(&build, 0);
        build_hold(&build, 1, 1, 1, 2, 301);
        build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
        build.steps[0].points[0] = (struct point_name){
            .client = 1, .moment = MOMENT_AFTER, .what = "GET", .phase = "release"};
        build_stop(&build, 50, STOP_DONE);
        build_judge(&build);
        bool is_said = strstr(build.judgement.reason, "clients: {threads: 1}") != NULL;
        assert_int_equal(is_said, threads > 1);
        build_free(&build);
    }
}
