// Liveness, fairness and herd in result.json.
#include "harness/report/json_liveness.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;

static struct trial_result *start(const char *scheme)
{
    test_run_start(&test);
    return test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
}

// The value at a path such as "turns.proven".
static const json_t *at(const json_t *object, const char *path)
{
    char key[64];
    size_t length = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    const json_t *value = json_object_get(object, key);
    if (value == NULL)
        fail_msg("there is no key %s", key);
    return path[length] == '\0' ? value : at(value, path + length + 1);
}

static void assert_integer(const json_t *object, const char *path, int64_t value)
{
    assert_true(json_is_integer(at(object, path)));
    assert_int_equal(json_integer_value(at(object, path)), value);
}

static void assert_real(const json_t *object, const char *path, double value)
{
    assert_true(json_is_real(at(object, path)));
    assert_float_equal(json_real_value(at(object, path)), value, 1e-6);
}

static void assert_null_at(const json_t *object, const char *path)
{
    if (!json_is_null(at(object, path)))
        fail_msg("%s is not null", path);
}

TEST(waits_are_there_with_their_percentiles_or_null)
{
    struct trial_result *result = start("redis-setnx");
    struct liveness *liveness = &result->statistics.liveness;
    liveness->after_release = (struct wait_figures){3, 10, 20, 30};
    liveness->heals[0] = (struct heal_wait){2, 77};
    liveness->heal_count = 1;
    liveness->longest_wait_ns = 40;
    liveness->unserved_ns = 50;
    json_t *object = liveness_json(result);
    assert_integer(object, "after_release.count", 3);
    assert_integer(object, "after_release.p50_ns", 10);
    assert_integer(object, "after_release.p99_ns", 20);
    assert_integer(object, "after_release.max_ns", 30);
    assert_null_at(object, "after_crash");
    assert_null_at(object, "after_expiry");
    assert_null_at(object, "after_heal");
    const json_t *heal = json_array_get(at(object, "heals"), 0);
    assert_integer(heal, "fault", 2);
    assert_integer(heal, "wait_ns", 77);
    assert_integer(object, "longest_wait_ns", 40);
    assert_integer(object, "unserved_ns", 50);
    json_decref(object);
}

TEST(an_orphan_is_true_false_or_null)
{
    struct trial_result *result = start("redis-setnx");
    for (enum leaving left = LEAVING_UNKNOWN; left <= LEAVING_ORPHAN; left++) {
        result->statistics.liveness.left = left;
        json_t *object = liveness_json(result);
        const json_t *orphan = at(object, "orphan");
        assert_true(left == LEAVING_UNKNOWN   ? json_is_null(orphan)
                    : left == LEAVING_NOTHING ? json_is_false(orphan)
                                              : json_is_true(orphan));
        json_decref(object);
    }
}

TEST(shares_and_turns_are_parts_of_a_whole)
{
    static const char *const fair[] = {"exclusive", "fair", NULL};
    struct trial_result *result = start("zk-sequential");
    test.trials[0].traits = fair;
    result->statistics.turns = (struct fairness){.workers = 4,
                                                 .jain = 0.5,
                                                 .least_grants = 1,
                                                 .most_grants = 5,
                                                 .grants = 10,
                                                 .order = ORDER_QUEUED,
                                                 .contested = 8,
                                                 .out_of_turn = 2,
                                                 .overtaken = 1,
                                                 .deepest = 2,
                                                 .deepest_wait_ns = 99};
    json_t *object = fairness_json(result);
    assert_integer(object, "workers", 4);
    assert_real(object, "jain", 0.5);
    assert_real(object, "least_share", 0.1);
    assert_real(object, "most_share", 0.5);
    assert_true(json_is_true(at(object, "promised")));
    assert_true(json_is_true(at(object, "turns.proven")));
    assert_integer(object, "turns.contested", 8);
    assert_integer(object, "turns.out_of_turn", 2);
    assert_real(object, "turns.out_of_turn_share", 0.25);
    assert_integer(object, "turns.deepest", 2);
    assert_integer(object, "turns.deepest_wait_ns", 99);
    json_decref(object);
    result->statistics.turns.order = ORDER_ASKED;
    object = fairness_json(result);
    assert_true(json_is_false(at(object, "turns.proven")));
    json_decref(object);
}

TEST(a_herd_is_counted_for_each_grant)
{
    struct trial_result *result = start("zk-ephemeral");
    result->statistics.herd = (struct herd){.is_known = true,
                                            .grants = 4,
                                            .acquire_requests = 30,
                                            .release_requests = 4,
                                            .renewals = 1,
                                            .wakeups = 28};
    json_t *object = herd_json(result);
    assert_integer(object, "grants", 4);
    assert_real(object, "requests_per_grant", 8.5);
    assert_real(object, "acquire_requests_per_grant", 7.5);
    assert_real(object, "release_requests_per_grant", 1);
    assert_real(object, "renewals_per_grant", 0.25);
    assert_real(object, "wakeups_per_grant", 7);
    json_decref(object);
}

TEST(what_is_not_known_is_null)
{
    struct trial_result *result = start("none");
    json_t *object = fairness_json(result);
    assert_null_at(object, "jain");
    assert_null_at(object, "least_share");
    assert_null_at(object, "turns");
    assert_true(json_is_false(at(object, "promised")));
    json_decref(object);
    assert_true(json_is_null(herd_json(result)));
    result->statistics.herd = (struct herd){.is_known = true, .acquire_requests = 3};
    object = herd_json(result);
    assert_null_at(object, "requests_per_grant");
    json_decref(object);
    result->has_history = false;
    assert_true(json_is_null(liveness_json(result)));
    assert_true(json_is_null(fairness_json(result)));
    assert_true(json_is_null(herd_json(result)));
}

TEST(each_trial_of_the_report_has_the_three_keys)
{
    start("none");
    char *text = report_json(test_report(&test.run));
    json_t *object = json_loads(text, 0, NULL);
    const json_t *trial = json_array_get(json_object_get(object, "trials"), 0);
    assert_true(json_is_object(json_object_get(trial, "liveness")));
    assert_true(json_is_object(json_object_get(trial, "fairness")));
    assert_null_at(trial, "herd");
    json_decref(object);
    free(text);
}
