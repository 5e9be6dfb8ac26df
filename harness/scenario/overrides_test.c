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
    const struct override overrides[] = {{"clients.threads", "1"}, {path, value}};
    return parse_set(file, overrides, 2);
}

// What is printed with `threads` right and one more override.
static void refuses(const char *path, const char *value, const char *diagnostic)
{
    const struct override overrides[] = {{"clients.threads", "1"}, {path, value}};
    char *printed = NULL;
    assert_null(parse_with(file, overrides, 2, &printed));
    assert_string_equal(printed, diagnostic);
    free(printed);
}

TEST(what_is_set_stands_for_what_the_file_says)
{
    struct scenario *scenario = overridden("clients.threads", "8");
    assert_int_equal(scenario->clients.threads, 8);
    assert_int_equal(scenario->clients.processes, 2);
}

TEST(a_key_or_a_section_that_the_file_lacks_can_be_set)
{
    struct scenario *scenario = overridden("lock.lease", "300ms");
    assert_int_equal(scenario->lock.lease_ns, 300 * NS_PER_MS);
    assert_int_equal(scenario->lock.wait_ns, 5 * NS_PER_S);
    scenario = overridden("repeat", "4");
    assert_int_equal(scenario->repeat, 4);
}

TEST(items_of_lists_are_counted_from_one)
{
    struct scenario *scenario = overridden("faults.1.until", "client-2 writes or 7s");
    assert_string_equal(scenario->faults[0].text,
                        "pause client-1 when it holds until client-2 writes or 7s");
    refuses("faults.3.until", "7s",
            "--set faults.3.until=7s: 'faults' needs the number of an item: items count "
            "from 1; there are 2 faults\n");
    refuses("faults.0.until", "7s",
            "--set faults.0.until=7s: 'faults' needs the number of an item: items count "
            "from 1; there are 2 faults\n");
    refuses("expect.1.verdict", "safe",
            "--set expect.1.verdict=safe: 'expect' needs the number of an item: items count from "
            "1; there are 0 expectations\n");
    const struct override overrides[] = {{"faults", "[{at: 1s, kill: client-1}]"},
                                         {"faults.0.at", "3s"}};
    char *printed = NULL;
    assert_null(parse_with(TEST_MINIMAL, overrides, 2, &printed));
    assert_string_equal(printed, "--set faults.0.at=3s: 'faults' needs the number of an item: "
                                 "items count from 1; there is 1 fault\n");
    free(printed);
    refuses("faults.1", "7s", "--set faults.1=7s: unknown key (did you mean 'faults'?)\n");
    refuses("faults.x.until", "7s",
            "--set faults.x.until=7s: 'faults' needs the number of an item: items count "
            "from 1; there are 2 faults\n");
}

TEST(lists_and_sections_can_be_set_as_a_whole)
{
    struct scenario *scenario = overridden("schemes", "[none, redis-setnx]");
    assert_int_equal(scenario->schemes.count, 2);
    scenario = overridden("schemes", "*");
    assert_string_equal(scenario->schemes.items[0], "*");
    scenario = overridden("faults", "[]");
    assert_int_equal(scenario->fault_count, 0);
    scenario = overridden("workload", "{kind: oversell, stock: 3, buyers: 9}");
    assert_int_equal(scenario->workload.stock, 3);
}

TEST(text_is_taken_as_it_is)
{
    struct scenario *scenario = overridden("about", "[a: b} *c &d # e");
    assert_string_equal(scenario->about, "[a: b} *c &d # e");
}

TEST(the_last_one_for_a_key_counts)
{
    const struct override overrides[] = {{"clients.threads", "nine"},
                                         {"clients.threads", "9"},
                                         {"lock", "{lease: 2s}"},
                                         {"lock.lease", "3s"}};
    struct scenario *scenario = parse_set(file, overrides, 4);
    assert_int_equal(scenario->clients.threads, 9);
    assert_int_equal(scenario->lock.lease_ns, 3 * NS_PER_S);
}

TEST(an_unknown_path_is_refused_with_the_nearest)
{
    refuses("clients.thread", "8",
            "--set clients.thread=8: unknown key (did you mean 'clients.threads'?)\n");
    refuses("client.threads", "8",
            "--set client.threads=8: unknown key (did you mean 'clients.threads'?)\n");
    refuses("threads", "8", "--set threads=8: unknown key (did you mean 'clients.threads'?)\n");
    refuses("faults.1.untill", "8s",
            "--set faults.1.untill=8s: unknown key (did you mean 'faults.1.until'?)\n");
    refuses("clients.foo", "1",
            "--set clients.foo=1: unknown key: 'clients' has processes, threads, placement, "
            "start-first\n");
    refuses("clients.lead", "client-1",
            "--set clients.lead=client-1: unknown key: 'clients.lead' is called "
            "'clients.start-first' now\n");
    refuses("flux", "8", "--set flux=8: unknown key\n");
    refuses("", "8", "--set =8: unknown key\n");
    refuses("seed.x", "8", "--set seed.x=8: unknown key (did you mean 'seed'?)\n");
    refuses("clients..threads", "8",
            "--set clients..threads=8: unknown key (did you mean 'clients.threads'?)\n");
}

TEST(a_wrong_value_is_refused_in_the_words_of_the_file)
{
    refuses("clients.processes", "many",
            "--set clients.processes=many: 'processes' must be a whole number from 1 to 64, not "
            "'many'\n");
    refuses("lock.lease", "",
            "--set lock.lease=: 'lease' must be a duration from 1ms to 1h, but "
            "nothing is there\n");
    refuses("schemes", "[nune]",
            "--set schemes=[nune]: 'nune' is no scheme, glob or trait of one (did you mean "
            "'none'?)\n");
    refuses("workload", "{kind: oversell, stock: 3}",
            "--set workload={kind: oversell, stock: 3}: missing key 'buyers' in workload: each of "
            "them comes once\n");
    refuses(
        "lock", "{lease: ",
        "--set lock={lease: : not YAML: did not find expected node content while parsing a flow "
        "node\n");
    refuses("lock", "5", "--set lock=5: 'lock' must be a mapping ('key: value')\n");
}

TEST(what_contradicts_the_file_is_complained_about_at_the_file)
{
    refuses("clients.processes", "1",
            "a.yaml:8:35: 'pause' needs clients.processes of 2 or more, for others to go for the "
            "lock meanwhile\n"
            "a.yaml:9:12: there is no client-2: clients.processes is 1\n"
            "a.yaml:9:34: there is no client-2: clients.processes is 1\n");
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
    assert_int_equal(diagnostics_count(diagnostics), 1);
    diagnostics_free(diagnostics);
}

TEST(without_a_mapping_there_is_nothing_to_set)
{
    const struct override overrides[] = {{"clients.threads", "8"}, {"faults.1.until", "3s"}};
    char *printed = NULL;
    assert_null(parse_with("- a\n", overrides, 2, &printed));
    assert_string_equal(printed, "a.yaml:1:1: a scenario must be a mapping ('key: value')\n");
    free(printed);
}
