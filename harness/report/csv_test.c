
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <math.h>

static struct test_run test;
static char *csv;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(csv);
    csv = NULL;
    return 0;
}

// Reads the field at `*at`, and moves it behind the comma or the end of the line.
static void read_field(const char **at, char *out, size_t room)
{
    size_t length = 0;
    bool quoted = **at == '"';
    if (quoted)
        (*at)++;
    while (quoted ? **at != '"' || (*at)[1] == '"' : **at != ',' && **at != '\r') {
        *at += quoted && **at == '"';
        assert_true(**at != '\0' && length + 1 < room);
        out[length++] = *(*at)++;
    }
    out[length] = '\0';
    *at += quoted;
    *at += **at == ',';
}

// What stands in that column of a line (from 1; 0 is the heading).
static const char *field(int line, const char *column)
{
    static char value[500];
    char name[500];
    const char *heading = csv;
    const char *at = csv;
    for (int i = 0; i < line; i++)
        at = strstr(at, "\r\n") + 2;
    while (*heading != '\r') {
        read_field(&heading, name, sizeof name);
        read_field(&at, value, sizeof value);
        if (strcmp(name, column) == 0)
            return value;
    }
    fail_msg("no column %s", column);
    return NULL;
}

static void expect(int line, const char *column, const char *expected)
{
    const char *value = field(line, column);
    if (strcmp(value, expected) != 0)
        fail_msg("line %d, %s: '%s', not '%s'", line, column, value, expected);
}

TEST_WITH(a_trial_is_a_line, start, end)
{
    struct trial_result *result = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_MET);
    test_find(result, &test_lost_update, false)->count = 3;
    test_digest(&test);
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.digest, &result->statistics);
    result->statistics.resources =
        (struct resources){.is_known = true, .clients = {.processes = 2, .processor_ns = 77}};
    result->statistics.driver_bound.late[PERCENTILE_p50] = true;
    result->statistics.driver_bound.late[PERCENTILE_max] = true;
    test.run.environment.load_at_begin = (struct machine_load){true, {0.25, 1, 2}};
    csv = report_csv(test_report(&test.run));
    expect(1, "scenario", "pause");
    expect(1, "scheme", "redis-setnx");
    expect(1, "verdict", "SAFE");
    expect(1, "violations", "3");
    expect(1, "holds", "2");
    expect(1, "holds_per_second", "2");
    expect(1, "acquire_max_ns", "35000000");
    expect(1, "hand_off_p50_ns", "10000000");
    expect(1, "clients_processor_ns", "77");
    expect(1, "driver_bound", "0");
    expect(1, "driver_late", "p50 max");
    expect(1, "load_at_begin", "0.25");
}

TEST_WITH(what_is_not_known_is_empty_and_no_zero, start, end)
{
    struct trial_result *result = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test);
    statistics_make(&test.digest, &result->statistics);
    result->statistics.holds_per_second = INFINITY;
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    csv = report_csv(test_report(&test.run));
    expect(1, "holds", "0");
    expect(1, "holds_per_second", "");
    expect(1, "commands_per_hold", "");
    expect(1, "acquire_p50_ns", "");
    expect(1, "acquire_uncorrected_p50_ns", "");
    expect(1, "servers_processor_ns", "");
    expect(1, "unavailable_ns", "");
    expect(1, "load_at_end", "");
    expect(2, "verdict", "SKIPPED");
    expect(2, "holds", "");
    expect(2, "violations", "");
    assert_null(strstr(csv, "nan"));
    assert_null(strstr(csv, "inf"));
}

TEST_WITH(the_fault_with_the_longest_loss_is_told_of, start, end)
{
    struct trial_result *result = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    result->statistics.recoveries = (struct recoveries){
        .items = {{1, 10, 5, 100}, {2, 20, TIME_NEVER, 300}, {3, 30, 5, 200}}, .count = 3};
    csv = report_csv(test_report(&test.run));
    expect(1, "fault", "2");
    expect(1, "after_effect_ns", "20");
    expect(1, "after_heal_ns", "");
    expect(1, "unavailable_ns", "300");
}

TEST_WITH(commas_and_quotes_are_quoted, start, end)
{
    test.scenario.name = "a \"b\", c\nd";
    strcpy(test.run.environment.servers, "redis-server 7.0.15, mariadbd 10.11");
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    csv = report_csv(test_report(&test.run));
    assert_non_null(strstr(csv, ",\"a \"\"b\"\", c\nd\","));
    assert_non_null(strstr(csv, ",\"redis-server 7.0.15, mariadbd 10.11\","));
    expect(1, "scenario", "a \"b\", c\nd");
}

TEST_WITH(a_run_without_trials_has_its_heading, start, end)
{
    csv = report_csv(test_report(&test.run));
    assert_int_equal(strncmp(csv, "trial,scenario,scheme,repeat,seed,verdict,", 42), 0);
    assert_ptr_equal(strstr(csv, "\r\n") + 2, csv + strlen(csv));
}
