// End to end: what a run tells about costs, in every form that machines read.
#include "harness/cli/test_runs.h"
#include "harness/report/test_json_path.h"

#define HEAD                                                                                       \
    "version: 1\nname: costs\nabout: For a test.\nclients: {processes: 2, threads: 2, placement: " \
    "spread}\n"                                                                                    \
    "schemes: [redis-set-px-lua]\n"

// Runs the scenario into the folder NAME and reads its result.json.
static json_t *run(const char *name, const char *text, const char *options)
{
    command_free((struct command_result[]){run_scenario(name, text, options)});
    return result_of(name);
}

static json_int_t integer_at(json_t *value, const char *path)
{
    assert_true(json_is_integer(json_at(value, path)));
    return json_integer_value(json_at(value, path));
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(repeats_are_measured_apart_and_together)
{
    json_t *json = run("repeats", HEAD "workload: {kind: increment, store: shm, operations: 400}\n",
                       "--repeat 2");
    assert_int_equal(integer_at(json, "trials.0.statistics.acquire.count"), 400);
    assert_int_equal(integer_at(json, "costs.0.acquire.count"), 800);
    assert_int_equal(integer_at(json, "costs.0.repeats"), 2);
    assert_true(json_real_value(json_at(json, "costs.0.commands_per_hold")) >= 2);
    assert_true(json_is_null(json_at(json, "trials.0.statistics.acquire_uncorrected")));
    static const char *const files[] = {"acquire.hgrm", "release.hgrm", "hold.hgrm",
                                        "latency.hlog"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(shell("test -r @/repeats/trials/costs--redis-set-px-lua--1/%s", files[i]),
                         0);
    json_decref(json);
}

TEST(whoever_worked_has_used_something)
{
    json_t *json =
        run("used", HEAD "workload: {kind: increment, store: shm, operations: 400}\n", "");
    json_t *resources = json_at(json, "trials.0.statistics.resources");
    assert_int_equal(integer_at(resources, "clients.processes"), 2);
    assert_int_equal(integer_at(resources, "servers.processes"), 1);
    assert_int_equal(integer_at(resources, "driver.processes"), 2);
    assert_true(json_is_true(json_at(resources, "clients.is_complete")));
    assert_true(json_is_true(json_at(resources, "servers.is_complete")));
    assert_true(integer_at(resources, "clients.processor_ns") > 0);
    assert_true(integer_at(resources, "servers.processor_ns") > 0);
    assert_true(integer_at(resources, "clients.voluntary_switches") > 0);
    assert_true(integer_at(resources, "client_processors") >= 1);
    json_decref(json);
}

TEST(a_killed_server_makes_the_servers_figures_incomplete)
{
    json_t *json = run("killed",
                       HEAD "workload: {kind: increment, store: shm, operations: 400, hold: 1ms}\n"
                            "lock: {lease: 300ms, wait: 5s, retry: 5ms}\n"
                            "faults:\n"
                            "  - {when: client-1 holds, restart: server-1}\n",
                       "");
    json_t *statistics = json_at(json, "trials.0.statistics");
    assert_true(json_is_false(json_at(statistics, "resources.servers.is_complete")));
    assert_int_equal(integer_at(statistics, "recoveries.0.fault"), 1);
    assert_true(integer_at(statistics, "recoveries.0.after_effect_ns") > 0);
    json_decref(json);
}

TEST(the_environment_says_where_the_figures_come_from)
{
    json_t *json = run("where",
                       HEAD "workload: {kind: increment, store: shm, operations: 40}\n"
                            "servers: {redis: {persistence: aof-always}}\n",
                       "");
    json_t *environment = json_at(json, "environment");
    const char *placement = json_string_value(json_at(environment, "placement"));
    assert_non_null(strstr(placement, "spread: each node pinned"));
    assert_string_equal(json_string_value(json_at(environment, "durability")),
                        "redis: log flushed at each write");
    assert_int_equal(json_array_size(json_at(environment, "load_at_begin")), 3);
    assert_int_equal(json_array_size(json_at(environment, "load_at_end")), 3);
    assert_true(json_string_length(json_at(environment, "kernel")) > 0);
    assert_true(integer_at(environment, "processors") > 0);
    json_decref(json);
}

TEST(a_table_for_spreadsheets_has_a_line_a_trial)
{
    char *options = path_of("--repeat 2 --csv @/new/table.csv");
    json_decref(
        run("table", HEAD "workload: {kind: increment, store: shm, operations: 40}\n", options));
    char *csv = content_of("new/table.csv");
    size_t lines = 0;
    for (const char *next = csv; (next = strstr(next, "\r\n")) != NULL; next += 2)
        lines++;
    assert_int_equal(lines, 3);
    assert_non_null(strstr(csv, "\r\ncosts--redis-set-px-lua--2,costs,redis-set-px-lua,2,"));
    free(csv);
    free(options);
}
