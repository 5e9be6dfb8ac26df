#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/point/point.h"

#include <unistd.h>

TEST(what_a_file_leaves_out_has_its_default)
{
    struct scenario *scenario = parse(TEST_MINIMAL);
    assert_string_equal(scenario->path, "a.yaml");
    assert_string_equal(scenario->source, TEST_MINIMAL);
    assert_int_equal(scenario->version, 1);
    assert_string_equal(scenario->name, "a-name");
    assert_string_equal(scenario->about, "What it shows.");
    assert_string_equal(scenario->workload.kind, "increment");
    assert_string_equal(scenario->workload.store, "shm");
    assert_false(scenario->workload.fenced);
    assert_int_equal(scenario->workload.operations, 40);
    assert_int_equal(scenario->workload.for_ns, 0);
    assert_int_equal(scenario->workload.hold_ns, 0);
    assert_int_equal(scenario->clients.processes, 2);
    assert_int_equal(scenario->clients.threads, 1);
    assert_int_equal(scenario->clients.placement, PLACEMENT_FREE);
    assert_int_equal(scenario->clients.start_first.client, 0);
    assert_int_equal(scenario->lock.lease_ns, NS_PER_S);
    assert_int_equal(scenario->lock.wait_ns, 5 * NS_PER_S);
    assert_int_equal(scenario->lock.retry_ns, 10 * NS_PER_MS);
    assert_int_equal(scenario->lock.request_ns, NS_PER_S);
    assert_int_equal(scenario->lock.stuck_after_ns, 5 * NS_PER_S);
    assert_int_equal(scenario->schemes.count, 2);
    assert_int_equal(scenario->fault_count, 0);
    assert_int_equal(scenario->expectation_count, 0);
    assert_int_equal(scenario->repeat, 1);
    assert_int_equal(scenario->seed, 0);
    assert_int_equal(scenario->limit_ns, 60 * NS_PER_S);
}

static struct scenario *load_everything(void)
{
    AUTO_TEXT struct text text = {0};
    struct error error = {0};
    MUST_BE(0, file_read("harness/scenario/corpus/good/everything.yaml", &text, &error));
    struct scenario *scenario = parse(text.bytes);
    return scenario;
}

TEST(every_setting_of_a_file_is_bound)
{
    struct scenario *scenario = load_everything();
    assert_string_equal(scenario->about, "A sentence over two lines.\n");
    assert_string_equal(scenario->workload.store, "redis");
    assert_true(scenario->workload.fenced);
    assert_int_equal(scenario->workload.operations, 0);
    assert_int_equal(scenario->workload.for_ns, 10 * NS_PER_S);
    assert_int_equal(scenario->workload.hold_ns, 2 * NS_PER_MS);
    assert_int_equal(scenario->workload.think_ns, 50 * NS_PER_US);
    assert_int_equal(scenario->clients.processes, 3);
    assert_int_equal(scenario->clients.threads, 4);
    assert_int_equal(scenario->clients.placement, PLACEMENT_SPREAD);
    assert_int_equal(scenario->clients.start_first.client, 2);
    assert_int_equal(scenario->lock.lease_ns, 300 * NS_PER_MS);
    assert_int_equal(scenario->lock.stuck_after_ns, 120 * NS_PER_S);
    assert_int_equal(scenario->repeat, 3);
    assert_int_equal(scenario->seed, 7);
    assert_int_equal(scenario->limit_ns, 90 * NS_PER_S);
}

TEST(every_part_of_a_fault_is_bound)
{
    struct scenario *scenario = load_everything();
    assert_int_equal(scenario->fault_count, 4);
    const struct fault_instance *first = &scenario->faults[0];
    assert_int_equal(first->number, 1);
    assert_ptr_equal(first->verb, test_faults[0]);
    assert_int_equal(first->target.worker, 2);
    assert_int_equal(first->point_count, 2);
    assert_string_equal(first->points[0].what, "GET");
    assert_string_equal(first->points[0].phase, "release");
    assert_string_equal(first->points[1].what, "EVAL");
    assert_int_equal(first->nth, 12);
    assert_int_equal(first->at_ns, -1);
    assert_string_equal(first->name, "first");
    assert_int_equal(first->after, 0);
    assert_int_equal(first->until.kind, CAUSE_WRITES);
    assert_int_equal(first->until.target.worker, 1);
    assert_int_equal(first->bound_ns, 3 * NS_PER_S);
    assert_int_equal(first->place.line, 18);
    assert_int_equal(first->place.column, 5);
    assert_string_equal(first->text, "pause client-1 worker-2 after GET in release or before EVAL "
                                     "(12th time) until client-2 worker-1 writes or 3s");
    const struct fault_instance *second = &scenario->faults[1];
    assert_string_equal(second->verb, "kill");
    assert_int_equal(second->after, 1);
    assert_int_equal(second->nth, 1);
    assert_int_equal(second->bound_ns, -1);
    assert_int_equal(second->until.kind, CAUSE_NONE);
    assert_int_equal(scenario->faults[2].at_ns, 2 * NS_PER_S);
    assert_int_equal(scenario->faults[2].point_count, 0);
    assert_int_equal(scenario->faults[2].bound_ns, 1500 * NS_PER_MS);
    assert_string_equal(scenario->faults[3].text,
                        "pause client-3 when client-2 is before write until client-2 dies or 10s");
}

TEST(the_first_expectation_that_means_a_scheme_counts)
{
    struct scenario *scenario = load_everything();
    const struct expectation *expectations = scenario->expectations;
    assert_int_equal(scenario->expectation_count, 2);
    assert_int_equal(expectations[0].verdict, EXPECT_SAFE);
    assert_int_equal(expectations[0].place.line, 33);
    assert_string_equal(expectations[0].allow.items[0], "double-grant");
    assert_int_equal(expectations[1].verdict, EXPECT_UNSAFE);
    assert_int_equal(expectations[1].because.count, 2);
    assert_string_equal(expectations[1].because.items[1], "lost-update");
    assert_ptr_equal(scenario_expectation(scenario, "redis-set-px-lua", test_lease_fenced),
                     &expectations[0]);
    assert_ptr_equal(scenario_expectation(scenario, "redis-setnx", test_redis), &expectations[1]);
    assert_null(scenario_expectation(scenario, "none", test_no_traits));
}

TEST(a_pattern_is_a_name_a_glob_or_a_trait)
{
    assert_true(scheme_is_meant("redis-setnx", "redis-setnx", test_redis));
    assert_true(scheme_is_meant("redis-*", "redis-setnx", test_redis));
    assert_true(scheme_is_meant("redis", "redis-setnx", test_redis));
    assert_false(scheme_is_meant("redis-set", "redis-setnx", test_redis));
    assert_false(scheme_is_meant("lease", "redis-setnx", test_redis));
    assert_false(scheme_is_meant("lea*", "redis-setnx-expire", test_lease));
}

TEST(a_file_that_cannot_be_read_is_a_complaint)
{
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    assert_int_equal(scenario_load("/no/such/file.yaml", false, &test_vocabulary, NULL, 0,
                                   &scenario, diagnostics),
                     -1);
    assert_int_equal(diagnostics->count, 1);
    AUTO_FREE char *printed = diagnostics_text(diagnostics);
    assert_string_equal(printed, "cannot open /no/such/file.yaml: No such file or directory\n");
    assert_int_equal(
        scenario_load("harness", false, &test_vocabulary, NULL, 0, &scenario, diagnostics), -1);
    assert_int_equal(diagnostics->count, 2);
    assert_null(scenario);
    diagnostics_free(diagnostics);
}

TEST(a_file_is_loaded_as_it_is)
{
    static const char path[] = "harness/scenario/corpus/good/minimal.yaml";
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    assert_int_equal(scenario_load(path, false, &test_vocabulary, NULL, 0, &scenario, diagnostics),
                     0);
    assert_string_equal(scenario->path, path);
    AUTO_TEXT struct text text = {0};
    assert_int_equal(file_read(path, &text, NULL), 0);
    assert_string_equal(scenario->source, text.bytes);
    scenario_free(scenario);
    diagnostics_free(diagnostics);
}

// Of a run that was stored before some words changed; a file with them is refused: see corpus/.
TEST(a_stored_scenario_is_read_with_the_words_of_its_time)
{
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    int result = scenario_load("harness/scenario/corpus/old-words.yaml", true, &test_vocabulary,
                               NULL, 0, &scenario, diagnostics);
    diagnostics_print(diagnostics, stderr);
    assert_int_equal(result, 0);
    assert_int_equal(scenario->workload.hold_ns, NS_PER_MS);
    assert_int_equal(scenario->clients.start_first.client, 1);
    assert_string_equal(scenario->faults[0].verb, "partition");
    assert_string_equal(scenario->faults[1].verb, "buffer");
    assert_int_equal(scenario->faults[2].jitter_ns, 200 * NS_PER_MS);
    assert_string_equal(scenario->random.of.items[0], "partition");
    assert_string_equal(scenario->random.of.items[1], "buffer");
    assert_string_equal(scenario->random.of.items[2], "pause");
    scenario_free(scenario);
    diagnostics_free(diagnostics);
}

// In the order of the lists, of which the first one changes least often.
TEST(a_list_where_one_value_is_asked_for_makes_a_scenario_of_each)
{
    const struct scenario *each =
        parse_set("version: 1\nname: sweep\n"
                  "workload: [{kind: increment, operations: 4, hold: [0ms, 1.5ms]},\n"
                  "           {kind: draw, jobs: 3}]\n"
                  "clients: {processes: 2, threads: [1, 20]}\nlock: {ttl: 300ms}\n"
                  "schemes: [none]\n",
                  NULL, 0);
    static const struct {
        const char *name;
        int64_t hold_ns, threads;
    } expected[] = {{"sweep-increment-hold-0ms-threads-1", 0, 1},
                    {"sweep-increment-hold-0ms-threads-20", 0, 20},
                    {"sweep-increment-hold-1-5ms-threads-1", 1500000, 1},
                    {"sweep-increment-hold-1-5ms-threads-20", 1500000, 20},
                    {"sweep-draw-threads-1", 0, 1},
                    {"sweep-draw-threads-20", 0, 20}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, each = each->next) {
        assert_non_null(each);
        assert_string_equal(each->name, expected[i].name);
        assert_int_equal(each->workload.hold_ns, expected[i].hold_ns);
        assert_int_equal(each->clients.threads, expected[i].threads);
        assert_int_equal(each->lock.lease_ns, 300000000);
        assert_null(each->about);
    }
    assert_null(each);
}

TEST(diagnostics_about_several_files_stay_with_their_files)
{
    struct diagnostics *diagnostics = diagnostics_new();
    struct scenario *scenario = NULL;
    static const char text[] = "version: 1\nname: X\nversion: 1\n";
    static const char *const paths[] = {"b.yaml", "a.yaml"};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(scenario_parse(paths[i], text, strlen(text), &test_vocabulary, NULL, 0,
                                        &scenario, diagnostics),
                         -1);
    AUTO_FREE char *printed = diagnostics_text(diagnostics);
    assert_int_equal(diagnostics->count, 8);
    assert_true(strncmp(printed, "b.yaml:1:1: missing key 'workload'\n", 35) == 0);
    assert_non_null(strstr(printed, "b.yaml:3:1: duplicate key 'version' (the first is in line 1)\n"
                                    "a.yaml:1:1: missing key 'workload'\n"));
    diagnostics_free(diagnostics);
}

TEST(there_are_no_more_faults_than_traps)
{
    AUTO_TEXT struct text text = {0};
    text_add(&text, TEST_MINIMAL "faults:\n");
    for (int i = 0; i < MAX_FAULTS; i++)
        text_add(&text, "  - {when: client-1 holds, kill: client-1}\n");
    struct scenario *scenario = parse(text.bytes);
    assert_int_equal(scenario->fault_count, MAX_FAULTS);
    text_add(&text, "  - {when: client-1 holds, kill: client-1}\n");
    AUTO_FREE char *printed = NULL;
    assert_null(parse_with(text.bytes, NULL, 0, &printed));
    assert_string_equal(printed, "a.yaml:7:3: 'faults' must have at most 128 items, not 129\n");
}
