// What machines may rely on in result.json: each key is documented, and nothing is NaN.
#include "harness/base/file.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>

static struct test_run test;
static struct text documents;

static int start(void **state)
{
    static const char *const files[] = {"json.c", "json_costs.h", "json_liveness.h",
                                        "json_scenario.h"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct error error = {0};
        struct text file = {0};
        struct text path = {0};
        text_format(&path, "harness/report/%s", files[i]);
        if (file_read(text_string(&path), &file, &error) != 0)
            fail_msg("%s", error.text);
        // What comes behind is code, which names each key, documented or not.
        char *code = strstr(file.bytes, "#include");
        assert_non_null(code);
        *code = '\0';
        text_add(&documents, file.bytes);
        text_free(&file);
        text_free(&path);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    text_free(&documents);
    return 0;
}

static bool is_part_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_documented(const char *key)
{
    const char *at = documents.bytes;
    for (; (at = strstr(at, key)) != NULL; at++) {
        if (!is_part_of_word(at[-1]) && !is_part_of_word(at[strlen(key)]))
            return true;
    }
    return false;
}

// A trial of which everything is known; and then one of which nothing is.
static char *make_result(bool is_known)
{
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MISSED);
    test_find(result, &test_stale_holder, false)->windows =
        (struct distribution){.count = 1, .min_ns = 1, .median_ns = 1, .p90_ns = 1, .max_ns = 1};
    test_digest(&test)->hold_count = 0;
    for (int i = 0; i < 10; i++)
        test_hold(&test, 1, 50 * i, 51 * i + 1, 51 * i + 2);
    if (is_known) {
        statistics_make(&test.digest, &result->statistics);
        latencies_encode(&test.digest, &result->latencies);
    }
    struct statistics *statistics = &result->statistics;
    statistics->due = statistics->begun = 1;
    statistics->commands_per_hold = NAN;
    statistics->attempts_per_hold = INFINITY;
    statistics->holds_per_second = NAN;
    statistics->fairness = NAN;
    statistics->worst_stall_count = 1;
    statistics->recoveries = (struct recoveries){.count = 1};
    statistics->resources = (struct resources){.is_known = true, .clients = {.processes = 1}};
    char *text = report_json(test_report(&test.run));
    latencies_free(&result->latencies);
    return text;
}

static size_t walk(const json_t *value)
{
    size_t keys = 0;
    const char *key;
    json_t *item;
    size_t index;
    if (json_is_array(value)) {
        json_array_foreach(value, index, item) keys += walk(item);
        return keys;
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (!is_documented(key))
            fail_msg("result.json has the key '%s', which nothing documents", key);
        keys += 1 + walk(item);
    }
    return keys;
}

TEST_GROUP(start, end);

TEST(each_key_is_documented)
{
    assert_true(is_documented("holds_per_second"));
    assert_false(is_documented("holds_per_secon"));
    char *text = make_result(true);
    json_t *result = json_loads(text, 0, NULL);
    assert_non_null(result);
    assert_string_equal(json_string_value(json_object_get(result, "schema")), "lockpick-result-1");
    assert_true(walk(result) > 150);
    json_decref(result);
    free(text);
}

TEST(what_is_no_number_is_null)
{
    char *text = make_result(false);
    json_t *result = json_loads(text, 0, NULL);
    assert_non_null(result);
    json_t *trial = json_array_get(json_object_get(result, "trials"), 0);
    json_t *statistics = json_object_get(trial, "statistics");
    assert_true(json_is_null(json_object_get(statistics, "commands_per_hold")));
    assert_true(json_is_null(json_object_get(statistics, "attempts_per_hold")));
    assert_true(json_is_null(json_object_get(statistics, "holds_per_second")));
    assert_true(json_is_null(json_object_get(statistics, "fairness")));
    json_decref(result);
    free(text);
}
