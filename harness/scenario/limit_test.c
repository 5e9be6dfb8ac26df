#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

static struct limit read_limit(const char *text)
{
    struct limit limit;
    struct error error = {0};
    if (limit_read(text, &limit, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    return limit;
}

TEST(a_limit_has_a_figure_a_relation_and_a_bound)
{
    static const struct {
        const char *text, *clean;
        int metric;
        double percent;
        enum relation relation;
        double bound;
    } cases[] = {
        {"acquire.p99.9 < 50ms", NULL, METRIC_ACQUIRE, 99.9, RELATION_BELOW, 50e6},
        {"acquire.p999 < 1s", NULL, METRIC_ACQUIRE, 99.9, RELATION_BELOW, 1e9},
        {" hand-off.max>=2s ", "hand-off.max >= 2s", METRIC_HAND_OFF, 100, RELATION_AT_LEAST, 2e9},
        {"throughput > 30/min", NULL, METRIC_THROUGHPUT, 0, RELATION_ABOVE, 0.5},
        {"jain >= 0.95", NULL, METRIC_JAIN, 0, RELATION_AT_LEAST, 0.95},
        {"violations == 0", NULL, METRIC_VIOLATIONS, 0, RELATION_IS, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct limit limit = read_limit(cases[i].text);
        assert_int_equal(limit.metric, cases[i].metric);
        assert_true((!metric_is_latency(limit.metric) ||
                     percentile_forms[limit.percentile].percent == cases[i].percent) &&
                    limit.bound == cases[i].bound);
        assert_int_equal(limit.relation, cases[i].relation);
        assert_string_equal(limit.text, cases[i].clean ? cases[i].clean : cases[i].text);
    }
}

TEST(the_bound_itself_is_on_one_side_only)
{
    static const struct {
        const char *text;
        bool below, at, above;
    } table[] = {
        {"longest-wait < 10ms", true, false, false},  {"longest-wait <= 10ms", true, true, false},
        {"longest-wait > 10ms", false, false, true},  {"longest-wait >= 10ms", false, true, true},
        {"longest-wait == 10ms", false, true, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct limit limit = read_limit(table[i].text);
        assert_int_equal(limit_is_met(&limit, 9e6), table[i].below);
        assert_int_equal(limit_is_met(&limit, 10e6), table[i].at);
        assert_int_equal(limit_is_met(&limit, 11e6), table[i].above);
    }
}

#define WITH(thresholds) TEST_MINIMAL "thresholds: " thresholds "\n"

TEST(a_text_is_a_threshold_for_all_schemes)
{
    struct scenario *scenario =
        parse(WITH("[acquire.p99 < 5ms, {limit: violations == 0, schemes: redis-*}]"));
    assert_int_equal(scenario->threshold_count, 2);
    assert_int_equal(scenario->thresholds[0].schemes.count, 0);
    assert_int_equal(scenario->thresholds[0].place.line, 6);
    assert_int_equal(scenario->thresholds[0].place.column, 14);
    assert_string_equal(scenario->thresholds[1].schemes.items[0], "redis-*");
    AUTO_FREE char *again = scenario_as_run(scenario, 7, "", NULL);
    struct scenario *copy = parse(again);
    assert_int_equal(copy->threshold_count, 2);
    assert_string_equal(copy->thresholds[0].limit.text, "acquire.p99 < 5ms");
    assert_string_equal(copy->thresholds[1].schemes.items[0], "redis-*");
    scenario = parse(WITH("violations == 0"));
    assert_int_equal(scenario->threshold_count, 1);
}

TEST(the_command_line_can_change_a_threshold)
{
    const struct override overrides[] = {{"thresholds.1.limit", "acquire.p99 < 7ms"},
                                         {"thresholds.2.schemes", "none"}};
    struct scenario *scenario =
        parse_set(WITH("[acquire.p99 < 5ms, violations == 0]"), overrides, 2);
    assert_true(scenario->thresholds[0].limit.bound == 7e6);
    assert_string_equal(scenario->thresholds[1].schemes.items[0], "none");
    const struct override all = {"thresholds", "[jain > 0.5]"};
    assert_int_equal(parse_set(TEST_MINIMAL, &all, 1)->threshold_count, 1);
}
