
#include "harness/report/test_run.h"

#include <math.h>

static char *csv;

static int end(void **state)
{
    free(csv);
    csv = NULL;
    return test_run_teardown(state);
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

struct cell {
    int line;
    const char *column, *expected;
};

static void expect_all(const struct cell *cells)
{
    for (; cells->column != NULL; cells++)
        expect(cells->line, cells->column, cells->expected);
}

TEST_WITH(a_trial_is_a_line, test_run_setup, end)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, MET);
    test_find(result, &test_lost_update, false)->count = 3;
    test_model(&test);
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.model, &result->statistics);
    result->statistics.resources =
        (struct resources){.is_known = true, .clients = {.processes = 2, .processor_ns = 77}};
    result->statistics.leadership = (struct leadership){.is_known = true,
                                                        .terms = 4,
                                                        .changes = 3,
                                                        .acts = 12,
                                                        .share_led = 0.5,
                                                        .requests_per_second = 7};
    result->statistics.driver_bound.late[PERCENTILE_p50] = true;
    result->statistics.driver_bound.late[PERCENTILE_max] = true;
    test.run.environment.load_at_begin = (struct machine_load){true, {0.25, 1, 2}};
    csv = report_csv(test_report(&test.run));
    expect_all((const struct cell[]){{1, "scenario", "pause"},
                                     {1, "scheme", "redis-setnx"},
                                     {1, "verdict", "SAFE"},
                                     {1, "violations", "3"},
                                     {1, "holds", "2"},
                                     {1, "holds_per_second", "2"},
                                     {1, "acquire_max_ns", "35000000"},
                                     {1, "hand_off_p50_ns", "10000000"},
                                     {1, "clients_processor_ns", "77"},
                                     {1, "leader_terms", "4"},
                                     {1, "leader_changes", "3"},
                                     {1, "leader_acts", "12"},
                                     {1, "leader_share_led", "0.5"},
                                     {1, "leader_requests_per_second", "7"},
                                     {1, "driver_bound", "0"},
                                     {1, "driver_late", "p50 max"},
                                     {1, "load_at_begin", "0.25"},
                                     {0}});
}

TEST_WITH(what_is_not_known_is_empty_and_no_zero, test_run_setup, end)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    test_model(&test);
    statistics_make(&test.model, &result->statistics);
    result->statistics.holds_per_second = INFINITY;
    ADD("none", SKIPPED, NONE)->has_history = false;
    csv = report_csv(test_report(&test.run));
    expect_all((const struct cell[]){{1, "holds", "0"},
                                     {1, "holds_per_second", ""},
                                     {1, "commands_per_hold", ""},
                                     {1, "acquire_p50_ns", ""},
                                     {1, "acquire_uncorrected_p50_ns", ""},
                                     {1, "servers_processor_ns", ""},
                                     {1, "unavailable_ns", ""},
                                     {1, "leader_terms", ""},
                                     {1, "load_at_end", ""},
                                     {2, "verdict", "SKIPPED"},
                                     {2, "holds", ""},
                                     {2, "violations", ""},
                                     {0}});
    assert_null(strstr(csv, "nan"));
    assert_null(strstr(csv, "inf"));
}

TEST_WITH(the_fault_with_the_longest_loss_is_told_of, test_run_setup, end)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    result->statistics.recoveries = (struct recoveries){
        .items = {{1, 10, 5, 100, -1}, {2, 20, TIME_NEVER, 300, 250}, {3, 30, 5, 200, -1}},
        .count = 3};
    csv = report_csv(test_report(&test.run));
    expect_all((const struct cell[]){{1, "fault", "2"},
                                     {1, "after_effect_ns", "20"},
                                     {1, "after_heal_ns", ""},
                                     {1, "unavailable_ns", "300"},
                                     {1, "leaderless_ns", "250"},
                                     {0}});
}

TEST_WITH(commas_and_quotes_are_quoted, test_run_setup, end)
{
    test.scenario.name = "a \"b\", c\nd";
    strcpy(test.run.environment.servers, "redis-server 7.0.15, mariadbd 10.11");
    ADD("redis-setnx", SAFE, NONE);
    csv = report_csv(test_report(&test.run));
    assert_non_null(strstr(csv, ",\"a \"\"b\"\", c\nd\","));
    assert_non_null(strstr(csv, ",\"redis-server 7.0.15, mariadbd 10.11\","));
    expect(1, "scenario", "a \"b\", c\nd");
}

TEST_WITH(a_run_without_trials_has_its_heading, test_run_setup, end)
{
    csv = report_csv(test_report(&test.run));
    assert_int_equal(strncmp(csv, "trial,scenario,scheme,repeat,seed,verdict,", 42), 0);
    assert_ptr_equal(strstr(csv, "\r\n") + 2, csv + strlen(csv));
}
