// What `--set` changes; what it cannot is in corpus/set-*.yaml.
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"

static const char file[] = TEST_MINIMAL "clients: {processes: 2, threads: many}\n"
                                        "faults:\n"
                                        "  - {when: client-1 holds, pause: client-1, until: 3s}\n"
                                        "  - {when: client-2 holds, kill: client-2}\n";

// The scenario with `threads` right and one more override.
static struct scenario *overridden(const char *path, const char *value)
{
    const struct override overrides[] = {{"clients.threads", "8"}, {path, value}};
    struct scenario *scenario = parse_set(file, overrides, 2);
    assert_int_equal(scenario->clients.threads, 8);
    assert_int_equal(scenario->clients.processes, 2);
    return scenario;
}

TEST(a_key_or_a_section_that_the_file_lacks_can_be_set)
{
    struct scenario *scenario = overridden("lock.lease", "300ms");
    assert_int_equal(scenario->lock.lease_ns, 300 * NS_PER_MS);
    assert_int_equal(scenario->lock.wait_ns, 5 * NS_PER_S);
    assert_int_equal(overridden("repeat", "4")->repeat, 4);
    assert_int_equal(overridden("lock.ttl", "1.5s")->lock.lease_ns, 1500 * NS_PER_MS);
    assert_int_equal(overridden("lock", "{ttl: 2s}")->lock.lease_ns, 2 * NS_PER_S);
}

TEST(a_list_that_is_set_makes_scenarios_and_a_workload_that_is_set_takes_the_place_of_several)
{
    static const char list[] = TEST_HEAD "workload: [{kind: increment, operations: 4},\n"
                                         "           {kind: draw, jobs: 3}]\nschemes: [none]\n";
    const struct override overrides[] = {{"workload", "{kind: increment, operations: 7}"},
                                         {"clients.processes", "[2, 3]"}};
    const struct scenario *scenario = parse_set(list, overrides, 2);
    for (int i = 0; i < 2; i++, scenario = scenario->next) {
        assert_int_equal(scenario->workload.operations, 7);
        assert_int_equal(scenario->clients.processes, 2 + i);
    }
    assert_null(scenario);
}

TEST(items_lists_and_sections_can_be_set)
{
    // Items are counted from 1.
    assert_string_equal(overridden("faults.1.until", "client-2 writes or 7s")->faults[0].text,
                        "pause client-1 when it holds until client-2 writes or 7s");
    assert_int_equal(overridden("schemes", "[none, redis-setnx]")->schemes.count, 2);
    assert_string_equal(overridden("schemes", "*")->schemes.items[0], "*");
    assert_int_equal(overridden("faults", "[]")->fault_count, 0);
    assert_int_equal(
        overridden("workload", "{kind: oversell, stock: 3, buyers: 9}")->workload.stock, 3);
}

TEST(text_is_taken_as_it_is)
{
    assert_string_equal(overridden("about", "[a: b} *c &d # e")->about, "[a: b} *c &d # e");
}

TEST(the_last_one_for_a_key_counts)
{
    const struct override overrides[] = {{"clients.threads", "nine"},
                                         {"clients.threads", "9"},
                                         {"lock", "{ttl: 2s}"},
                                         {"lock.lease", "3s"}};
    struct scenario *scenario = parse_set(file, overrides, 4);
    assert_int_equal(scenario->clients.threads, 9);
    assert_int_equal(scenario->lock.lease_ns, 3 * NS_PER_S);
}

TEST(an_override_of_many_files_is_complained_about_once)
{
    const struct override overrides[] = {{"flux", "8"}};
    struct diagnostics *diagnostics = diagnostics_new();
    for (int i = 0; i < 3; i++) {
        struct scenario *scenario = NULL;
        assert_int_equal(scenario_parse("a.yaml", TEST_MINIMAL, strlen(TEST_MINIMAL),
                                        &test_vocabulary, overrides, 1, &scenario, diagnostics),
                         -1);
        assert_null(scenario);
    }
    assert_int_equal(diagnostics->count, 1);
    diagnostics_free(diagnostics);
}
