#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static const char *const renewed[] = {"exclusive", "lease", "renewed", NULL};
static const char *const plain[] = {"exclusive", "lease", NULL};

// client-1 is granted a lease until 303 ms, allowed drift included, and goes on until
// `released_ms`; client-2 is granted the lock at 320 ms, and holds it until 400 ms. Stated are 100
// ms.
static void build_loss(struct build *build, double told_ms, double released_ms,
                       enum release_answer answer)
{
    build_start(build, "increment");
    build->trial.traits = renewed;
    build->scenario.lock.told_ns = 100 * NS_PER_MS;
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, 303, 0);
    if (told_ms >= 0)
        BUILD_EVENT(build, told_ms, 1, LOST, OUTCOME_OK, 1);
    build_release(build, 1, 1, released_ms, released_ms + 1, answer);
    build_acquire(build, 2, 2, 2, 320, 622, 0);
    build_release(build, 2, 2, 400, 401, RELEASE_RELEASED);
}

static void assert_loss(double told_ms, double released_ms, enum finding_state expected)
{
    struct build build;
    build_loss(&build, told_ms, released_ms, RELEASE_GONE);
    build_judge(&build);
    assert_state(&build, "not-told", expected);
    build_free(&build);
}

TEST(one_that_goes_on_for_longer_than_stated_was_not_told)
{
    struct build build;
    build_loss(&build, NEVER_MS, 500, RELEASE_GONE);
    build_judge(&build);
    const struct finding *finding = finding_named(&build, "not-told");
    assert_state(&build, "not-told", FINDING_VIOLATED);
    assert_text_has(finding->text,
                    "client-1 lost the lock to client-2, and was not told: it went on "
                    "for 180 ms; stated are at most 100 ms (1 of 1 loss)");
    assert_int_equal(finding->windows.max_ns, 180 * NS_PER_MS);
    build_free(&build);
}

TEST(one_that_is_told_too_late_was_not_told)
{
    struct build build;
    build_loss(&build, 450, 500, RELEASE_GONE);
    build_judge(&build);
    assert_state(&build, "not-told", FINDING_VIOLATED);
    assert_text_has(finding_named(&build, "not-told")->text, "was told of it only after 130 ms");
    build_free(&build);
}

TEST(one_that_is_told_in_time_or_before_was_told)
{
    assert_loss(310, 500, FINDING_KEPT);
    assert_loss(415, 500, FINDING_KEPT);
    assert_loss(425, 500, FINDING_VIOLATED);
}

TEST(one_that_stops_in_time_need_not_be_told)
{
    assert_loss(NEVER_MS, 415, FINDING_KEPT);
    assert_loss(NEVER_MS, 425, FINDING_VIOLATED);
}

TEST(a_process_cannot_be_told_while_it_stands_still)
{
    for (int client = 1; client <= 2; client++) {
        struct build build;
        build_loss(&build, NEVER_MS, 500, RELEASE_GONE);
        build_fault(&build, "pause", client, 10, 410);
        build_judge(&build);
        assert_state(&build, "not-told", client == 1 ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
    struct build build;
    build_loss(&build, NEVER_MS, 500, RELEASE_GONE);
    build_stall(&build, 450, 90);
    build_judge(&build);
    assert_state(&build, "not-told", FINDING_KEPT);
    build_free(&build);
    build_loss(&build, NEVER_MS, 500, RELEASE_GONE);
    build_stall(&build, 450, 60); // and perhaps as much in stalls that are too short to be seen
    build_judge(&build);
    assert_state(&build, "not-told", FINDING_UNDECIDED);
    build_free(&build);
    build_loss(&build, NEVER_MS, 600, RELEASE_GONE);
    build_stall(&build, 450, 60);
    build_judge(&build);
    assert_state(&build, "not-told", FINDING_VIOLATED);
    build_free(&build);
}

TEST(without_another_holder_nothing_is_known_of_a_loss)
{
    struct build build;
    build_loss(&build, NEVER_MS, 315, RELEASE_GONE);
    build_judge(&build);
    assert_state(&build, "not-told", FINDING_KEPT);
    assert_int_equal(finding_named(&build, "not-told")->windows.count, 0);
    build_free(&build);
}

// Another was granted it inside the lease: who of the two has it, the release tells.
TEST(of_two_with_valid_leases_the_one_that_finds_it_gone_has_lost_it)
{
    for (int gone = 0; gone < 2; gone++) {
        struct build build;
        build_start(&build, "increment");
        build.trial.traits = renewed;
        build.scenario.lock.told_ns = 100 * NS_PER_MS;
        build_acquire(&build, 1, 1, 0, 1, 303, 0);
        build_release(&build, 1, 1, 250, 251, gone == 1 ? RELEASE_GONE : RELEASE_RELEASED);
        build_acquire(&build, 2, 2, 2, 20, 322, 0);
        build_release(&build, 2, 2, 200, 201, RELEASE_RELEASED);
        build_judge(&build);
        assert_state(&build, "not-told", gone == 1 ? FINDING_VIOLATED : FINDING_KEPT);
        build_free(&build);
    }
}

TEST(nothing_is_asked_of_locks_that_cannot_know_or_where_nothing_is_stated)
{
    for (int stated = 0; stated < 2; stated++) {
        struct build build;
        build_loss(&build, NEVER_MS, 500, RELEASE_GONE);
        if (stated == 0)
            build.scenario.lock.told_ns = 0;
        else
            build.trial.traits = plain;
        build_judge(&build);
        assert_state(&build, "not-told", FINDING_IRRELEVANT);
        build_free(&build);
    }
}
