// Several locks in one trial: each is decided for itself.
#include "harness/check/build_history_test_support.h"
#include "harness/check/by_key.h"
#include "harness/check/fairness.h"
#include "harness/check/liveness.h"

// An increment under lock `key`, from `at_ms` on for 10 ms.
static void increment(struct build *build, int client, int64_t key, int64_t operation, double at_ms,
                      int64_t seen)
{
    BUILD_EVENT(build, at_ms, client, ACQUIRE_INVOKE, OUTCOME_OK, operation, 0, 0, key);
    BUILD_EVENT(build, at_ms + 1, client, ACQUIRE_RETURN, OUTCOME_OK, operation, 0, ms(at_ms + 300),
                1);
    BUILD_EVENT(build, at_ms + 2, client, READ_INVOKE, OUTCOME_OK, operation);
    BUILD_EVENT(build, at_ms + 3, client, READ_RETURN, OUTCOME_OK, operation, 0, seen);
    BUILD_EVENT(build, at_ms + 4, client, WRITE_INVOKE, OUTCOME_OK, operation, 0, seen + 1, seen);
    BUILD_EVENT(build, at_ms + 5, client, WRITE_RETURN, OUTCOME_OK, operation, 0, seen + 1, seen);
    build_release(build, client, operation, at_ms + 8, at_ms + 9, RELEASE_RELEASED);
}

static int compare_times(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static void start(struct build *build, int64_t keys)
{
    build_start(build, "increment");
    build->scenario.workload.keys = keys;
    for (int64_t key = 1; key <= keys; key++)
        BUILD_EVENT(build, 0, 0, STORE_INITIAL, OUTCOME_OK, 0, key);
    BUILD_EVENT(build, 0, 0, BARRIER_OPEN, OUTCOME_OK);
}

static void end(struct build *build, const int64_t *finals, int64_t keys)
{
    BUILD_EVENT(build, 500, 0, STOP_ASKED, OUTCOME_OK);
    for (int64_t key = 1; key <= keys; key++)
        BUILD_EVENT(build, 501, 0, STORE_FINAL, OUTCOME_OK, finals[key - 1], key);
    qsort(build->events, build->count, sizeof *build->events, compare_times);
    build->history = (struct history){.events = build->events, .count = build->count};
    digest_make(&build->history, &build->trial, &build->digest);
    build->judged = true;
    judge(&build->digest, &build->judgement);
}

static const struct finding *found(const struct build *build, const char *property)
{
    for (size_t i = 0; i < build->judgement.finding_count; i++) {
        if (strcmp(build->judgement.findings[i].check->name, property) == 0)
            return &build->judgement.findings[i];
    }
    fail_msg("no check %s", property);
    return NULL;
}

static void two_may_hold_two_locks_at_once(void **state)
{
    (void)state;
    struct build build;
    const int64_t finals[] = {2, 2};
    start(&build, 2);
    increment(&build, 1, 1, 1, 10, 0);
    increment(&build, 2, 2, 2, 12, 0);
    increment(&build, 1, 2, 3, 30, 1);
    increment(&build, 2, 1, 4, 32, 1);
    end(&build, finals, 2);
    assert_string_equal(verdict_name(build.judgement.verdict), "SAFE");
    build_free(&build);
}

static void two_that_hold_the_same_one_are_found(void **state)
{
    (void)state;
    struct build build;
    const int64_t finals[] = {1, 2, 2};
    start(&build, 3);
    increment(&build, 1, 1, 1, 10, 0);
    increment(&build, 2, 2, 2, 30, 0);
    increment(&build, 3, 2, 3, 50, 1);
    increment(&build, 1, 3, 4, 100, 0);
    increment(&build, 2, 3, 5, 103, 0);
    increment(&build, 3, 3, 6, 130, 1);
    end(&build, finals, 3);
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

static void violations_of_several_locks_are_counted_together(void **state)
{
    (void)state;
    struct build build;
    const int64_t finals[] = {1, 1};
    start(&build, 2);
    increment(&build, 1, 1, 1, 100, 0);
    increment(&build, 2, 1, 2, 103, 0);
    increment(&build, 1, 2, 3, 10, 0);
    increment(&build, 2, 2, 4, 13, 0);
    end(&build, finals, 2);
    const struct finding *doubled = found(&build, "double-grant");
    assert_int_equal(doubled->count, 2);
    // That which happened first is told.
    assert_non_null(strstr(doubled->text, "lock 2: "));
    assert_int_equal(build.digest.holds[doubled->evidence.holds[0]].operation, 3);
    build_free(&build);
}

static void a_lost_update_of_one_value_is_not_made_good_by_another(void **state)
{
    (void)state;
    struct build build;
    const int64_t finals[] = {1, 3};
    start(&build, 2);
    increment(&build, 1, 1, 1, 10, 0);
    increment(&build, 2, 1, 2, 30, 0);
    increment(&build, 1, 2, 3, 50, 0);
    increment(&build, 2, 2, 4, 70, 1);
    end(&build, finals, 2);
    const struct finding *lost = found(&build, "lost-update");
    assert_int_equal(lost->state, FINDING_VIOLATED);
    build_free(&build);
}

static void a_lock_of_ones_own_puts_nothing_to_the_test(void **state)
{
    (void)state;
    struct build build;
    const int64_t finals[] = {2, 2};
    start(&build, 2);
    for (int i = 0; i < 2; i++) {
        increment(&build, 1, 1, 2 * i + 1, 10 + 20 * i, i);
        increment(&build, 2, 2, 2 * i + 2, 12 + 20 * i, i);
    }
    end(&build, finals, 2);
    assert_string_equal(verdict_name(build.judgement.verdict), "UNKNOWN");
    assert_non_null(strstr(build.judgement.reason, "each lock"));
    build_free(&build);
}

// Somebody waits for lock 2 all the time: that says nothing of when lock 1 is taken again.
static void nothing_is_said_of_whose_turn_it_was(void **state)
{
    (void)state;
    struct build build;
    struct fairness fairness;
    struct liveness liveness;
    const int64_t finals[] = {3, 0};
    start(&build, 2);
    BUILD_EVENT(&build, 5, 3, ACQUIRE_INVOKE, OUTCOME_OK, 4, 0, 0, 2);
    increment(&build, 1, 1, 1, 10, 0);
    increment(&build, 2, 1, 2, 30, 1);
    increment(&build, 1, 1, 3, 50, 2);
    BUILD_EVENT(&build, 80, 3, ACQUIRE_RETURN, OUTCOME_OK, 4, 0, ms(400), 1);
    end(&build, finals, 2);
    fairness_measure(&build.digest, &fairness);
    liveness_measure(&build.digest, &liveness);
    assert_int_equal(fairness.workers, 3);
    assert_int_equal(fairness.order, ORDER_UNKNOWN);
    assert_int_equal(liveness.after_release.count, 0);
    assert_int_equal(liveness.longest_wait_ns, 75 * NS_PER_MS);
    build_free(&build);
}

static void the_history_of_one_of_them_mixes_nothing(void **state)
{
    (void)state;
    struct build build;
    struct key_split split;
    struct key_history part;
    struct digest of;
    const int64_t finals[] = {1, 2};
    start(&build, 2);
    increment(&build, 1, 2, 1, 10, 0);
    increment(&build, 2, 2, 2, 30, 1);
    increment(&build, 3, 1, 3, 12, 0);
    end(&build, finals, 2);
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

static void each_event_is_of_its_key_or_of_all(void **state)
{
    (void)state;
    struct build build;
    struct key_split split;
    struct key_history part;
    const int64_t finals[] = {1, 1};
    start(&build, 2);
    increment(&build, 1, 1, 1, 10, 0);
    increment(&build, 2, 2, 2, 12, 0);
    end(&build, finals, 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_may_hold_two_locks_at_once),
        cmocka_unit_test(two_that_hold_the_same_one_are_found),
        cmocka_unit_test(violations_of_several_locks_are_counted_together),
        cmocka_unit_test(a_lost_update_of_one_value_is_not_made_good_by_another),
        cmocka_unit_test(a_lock_of_ones_own_puts_nothing_to_the_test),
        cmocka_unit_test(nothing_is_said_of_whose_turn_it_was),
        cmocka_unit_test(the_history_of_one_of_them_mixes_nothing),
        cmocka_unit_test(each_event_is_of_its_key_or_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
