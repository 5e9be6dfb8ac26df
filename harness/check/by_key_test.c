// Several locks in one trial: each is decided for itself.
#include "harness/check/by_key.h"
#include "harness/check/fairness.h"
#include "harness/check/liveness.h"
#include "harness/check/test_keys.h"
#include "harness/testing/test.h"

static const struct finding *found(const struct build *build, const char *property)
{
    for (size_t i = 0; i < build->judgement.finding_count; i++) {
        if (strcmp(build->judgement.findings[i].check->name, property) == 0)
            return &build->judgement.findings[i];
    }
    fail_msg("no check %s", property);
    return NULL;
}

TEST(two_may_hold_two_locks_at_once)
{
    struct build build;
    const int64_t finals[] = {2, 2};
    keys_start(&build, 2);
    keys_increment(&build, 1, 1, 1, 10, 0);
    keys_increment(&build, 2, 2, 2, 12, 0);
    keys_increment(&build, 1, 2, 3, 30, 1);
    keys_increment(&build, 2, 1, 4, 32, 1);
    keys_end(&build, finals, 2);
    assert_string_equal(verdict_name(build.judgement.verdict), "SAFE");
    build_free(&build);
}

TEST(two_that_hold_the_same_one_are_found)
{
    struct build build;
    const int64_t finals[] = {1, 2, 2};
    keys_start(&build, 3);
    keys_increment(&build, 1, 1, 1, 10, 0);
    keys_increment(&build, 2, 2, 2, 30, 0);
    keys_increment(&build, 3, 2, 3, 50, 1);
    keys_increment(&build, 1, 3, 4, 100, 0);
    keys_increment(&build, 2, 3, 5, 103, 0);
    keys_increment(&build, 3, 3, 6, 130, 1);
    keys_end(&build, finals, 3);
    const struct finding *doubled = found(&build, "double-grant");
    assert_string_equal(verdict_name(build.judgement.verdict), "UNSAFE");
    assert_int_equal(doubled->state, FINDING_VIOLATED);
    assert_int_equal(doubled->count, 1);
    assert_non_null(strstr(doubled->text, "lock 3: "));
    // The evidence speaks of the holds of the whole history.
    assert_int_equal(build.digest.holds[doubled->evidence.holds[0]].operation, 4);
    assert_int_equal(build.digest.holds[doubled->evidence.holds[1]].operation, 5);
    const struct finding *lost = found(&build, "lost-update");
    assert_int_equal(lost->state, FINDING_VIOLATED);
    build_free(&build);
}

TEST(violations_of_several_locks_are_counted_together)
{
    struct build build;
    const int64_t finals[] = {1, 1};
    keys_start(&build, 2);
    keys_increment(&build, 1, 1, 1, 100, 0);
    keys_increment(&build, 2, 1, 2, 103, 0);
    keys_increment(&build, 1, 2, 3, 10, 0);
    keys_increment(&build, 2, 2, 4, 13, 0);
    keys_end(&build, finals, 2);
    const struct finding *doubled = found(&build, "double-grant");
    assert_int_equal(doubled->count, 2);
    // That which happened first is told.
    assert_non_null(strstr(doubled->text, "lock 2: "));
    assert_int_equal(build.digest.holds[doubled->evidence.holds[0]].operation, 3);
    build_free(&build);
}

TEST(a_lost_update_of_one_value_is_not_made_good_by_another)
{
    struct build build;
    const int64_t finals[] = {1, 3};
    keys_start(&build, 2);
    keys_increment(&build, 1, 1, 1, 10, 0);
    keys_increment(&build, 2, 1, 2, 30, 0);
    keys_increment(&build, 1, 2, 3, 50, 0);
    keys_increment(&build, 2, 2, 4, 70, 1);
    keys_end(&build, finals, 2);
    const struct finding *lost = found(&build, "lost-update");
    assert_int_equal(lost->state, FINDING_VIOLATED);
    build_free(&build);
}

TEST(a_lock_of_ones_own_puts_nothing_to_the_test)
{
    struct build build;
    const int64_t finals[] = {2, 2};
    keys_start(&build, 2);
    for (int i = 0; i < 2; i++) {
        keys_increment(&build, 1, 1, 2 * i + 1, 10 + 20 * i, i);
        keys_increment(&build, 2, 2, 2 * i + 2, 12 + 20 * i, i);
    }
    keys_end(&build, finals, 2);
    assert_string_equal(verdict_name(build.judgement.verdict), "UNKNOWN");
    assert_non_null(strstr(build.judgement.reason, "each lock"));
    build_free(&build);
}

// Somebody waits for lock 2 all the time: that says nothing of when lock 1 is taken again.
TEST(who_waits_for_another_lock_stands_in_no_line)
{
    struct build build;
    struct fairness fairness;
    struct liveness liveness;
    const int64_t finals[] = {3, 0};
    keys_start(&build, 2);
    BUILD_EVENT(&build, 5, 3, ACQUIRE_INVOKE, OUTCOME_OK, 4, 0, 0, 2);
    keys_increment(&build, 1, 1, 1, 10, 0);
    keys_increment(&build, 2, 1, 2, 30, 1);
    keys_increment(&build, 1, 1, 3, 50, 2);
    BUILD_EVENT(&build, 80, 3, ACQUIRE_RETURN, OUTCOME_OK, 4, 0, ms(400), 1);
    keys_end(&build, finals, 2);
    fairness_measure(&build.digest, &fairness);
    liveness_measure(&build.digest, &liveness);
    assert_int_equal(fairness.workers, 3);
    assert_int_equal(fairness.order, ORDER_ASKED);
    assert_int_equal(fairness.contested, 0);
    assert_int_equal(liveness.after_release.count, 0);
    assert_int_equal(liveness.longest_wait_ns, 75 * NS_PER_MS);
    build_free(&build);
}

// An increment that asked long before it was granted.
static void waited(struct build *build, int client, int64_t key, int64_t operation, double asked_ms,
                   double at_ms, int64_t seen)
{
    keys_increment(build, client, key, operation, at_ms, seen);
    for (size_t i = 0; i < build->count; i++) {
        struct event *event = &build->events[i];
        if (event->kind == EVENT_ACQUIRE_INVOKE && event->args[0] == operation)
            event->at_ns = ms(asked_ms);
    }
}

// On lock 1 client 3 comes after client 2 and is served before it; the hand-off of lock 2 has a
// wait of its own. The grants of both are one line after the other in time.
TEST(turns_and_waits_are_those_of_each_lock)
{
    struct build build;
    struct fairness fairness;
    struct liveness liveness;
    const int64_t finals[] = {3, 2};
    keys_start(&build, 2);
    keys_increment(&build, 1, 1, 1, 10, 0); // released at 18
    waited(&build, 2, 1, 2, 11, 60, 2);
    waited(&build, 3, 1, 3, 15, 20, 1);
    keys_increment(&build, 4, 2, 4, 12, 0); // released at 20
    waited(&build, 5, 2, 5, 13, 40, 1);
    keys_end(&build, finals, 2);
    fairness_measure(&build.digest, &fairness);
    liveness_measure(&build.digest, &liveness);
    assert_int_equal(fairness.order, ORDER_ASKED);
    assert_int_equal(fairness.contested, 1);
    assert_int_equal(fairness.out_of_turn, 1);
    assert_int_equal(fairness.deepest, 1);
    assert_int_equal(build.digest.holds[fairness.deepest_hold].operation, 2);
    // 18 to 21 and 28 to 61 on lock 1, 20 to 41 on lock 2.
    assert_int_equal(liveness.after_release.count, 3);
    assert_int_equal(liveness.after_release.p50_ns, 21 * NS_PER_MS);
    assert_int_equal(liveness.after_release.max_ns, 33 * NS_PER_MS);
    build_free(&build);
}

// A worker that gave up, and asked for another lock next, wants the first no longer.
TEST(who_gave_up_and_asks_for_another_lock_waits_no_longer)
{
    struct build build;
    struct liveness liveness;
    const int64_t finals[] = {2, 1};
    keys_start(&build, 2);
    BUILD_EVENT(&build, 5, 3, ACQUIRE_INVOKE, OUTCOME_OK, 9, 0, 0, 1);
    BUILD_EVENT(&build, 15, 3, ACQUIRE_RETURN, OUTCOME_NO, 9, 0, 0, 1);
    keys_increment(&build, 1, 1, 1, 10, 0); // released at 18, when nobody wants it
    keys_increment(&build, 3, 2, 10, 20, 0);
    keys_increment(&build, 3, 1, 11, 60, 1);
    keys_end(&build, finals, 2);
    liveness_measure(&build.digest, &liveness);
    assert_int_equal(liveness.after_release.count, 0);
    build_free(&build);
}

TEST(the_history_of_one_of_them_mixes_nothing)
{
    struct build build;
    struct key_split split;
    struct key_history part;
    struct digest of;
    const int64_t finals[] = {1, 2};
    keys_start(&build, 2);
    keys_increment(&build, 1, 2, 1, 10, 0);
    keys_increment(&build, 2, 2, 2, 30, 1);
    keys_increment(&build, 3, 1, 3, 12, 0);
    keys_end(&build, finals, 2);
    assert_true(digest_mixes_locks(&build.digest));
    key_split_make(&build.history, &split);
    key_history_make(&split, 2, &part);
    digest_make(&part.history, &build.trial, &of);
    assert_int_equal(of.hold_count, 2);
    assert_false(digest_mixes_locks(&of));
    digest_free(&of);
    key_history_free(&part);
    key_split_free(&split);
    build_free(&build);
}

TEST(each_event_is_of_its_key_or_of_all)
{
    struct build build;
    struct key_split split;
    struct key_history part;
    const int64_t finals[] = {1, 1};
    keys_start(&build, 2);
    keys_increment(&build, 1, 1, 1, 10, 0);
    keys_increment(&build, 2, 2, 2, 12, 0);
    keys_end(&build, finals, 2);
    key_split_make(&build.history, &split);
    assert_int_equal(split.keys, 2);
    key_history_make(&split, 2, &part);
    // Its eight, two values, the barrier and the stop.
    assert_int_equal(part.history.count, 8 + 2 + 2);
    for (size_t i = 0; i < part.history.count; i++) {
        const struct event *event = &part.history.events[i];
        assert_true(event->client != 1);
        assert_memory_equal(event, &build.history.events[part.indices[i]], sizeof *event);
        assert_true(i == 0 || part.indices[i] > part.indices[i - 1]);
    }
    key_history_free(&part);
    key_split_free(&split);
    build_free(&build);
}
