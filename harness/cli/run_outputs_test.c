// End to end: what a run leaves for CI, as a user's script finds it.
#include "harness/cli/test_runs.h"
#include "harness/report/report.h"
#include "harness/report/test_junit.h"

// A scheme that needs no server; what is expected of it stands in line 7.
static const char scenario[] =
    "version: 1\nname: small\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
    "workload: {kind: increment, store: shm, operations: 60, hold: 1ms}\n"
    "schemes: [none]\nexpect: [{schemes: [none], verdict: %s}]\n";

static int make_folder(void **state)
{
    static const char *const names[][2] = {{"missed.yaml", "safe"}, {"met.yaml", "unsafe"}};
    if (make_test_folder(state) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        char text[sizeof scenario + 16];
        snprintf(text, sizeof text, scenario, names[i][1]);
        write_in(folder, names[i][0], text);
    }
    return 0;
}

// Runs the scenario in a folder of its own, anew.
static struct command_result run_with(const char *name, const char *options)
{
    assert_int_equal(shell("rm -rf @/run"), 0);
    return lockpick("run @/%s --no-namespaces --out @/run %s", name, options);
}

TEST_GROUP(make_folder, remove_test_folder);

TEST(a_missed_expectation_is_a_failure_in_both_junit_files)
{
    command_expect(run_with("missed.yaml", "--junit @/new/folder/junit.xml"), 1, "expected SAFE");
    char *named = content_of("new/folder/junit.xml");
    char *kept = content_of("run/junit.xml");
    assert_string_equal(named, kept);
    assert_true(test_xml_is_well_formed(named));
    assert_non_null(strstr(named, "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    assert_non_null(strstr(named, "missed.yaml\" line=\"7\""));
    assert_non_null(strstr(named, "<failure type=\"UNSAFE\" message=\"expected SAFE, got UNSAFE"));
    assert_non_null(strstr(named, "acquires the lock"));
    free(named);
    free(kept);
}

TEST(junit_is_kept_in_the_runs_folder_unasked)
{
    command_expect(run_with("met.yaml", ""), 0, "run/report.html");
    char *kept = content_of("run/junit.xml");
    assert_true(test_xml_is_well_formed(kept));
    assert_non_null(strstr(kept, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""));
    free(kept);
}

TEST(a_path_that_cannot_be_written_is_exit_4_and_starts_nothing)
{
    write_in(folder, "target", "not to be touched");
    char *link = path_join(folder, "link");
    char *pipe = path_join(folder, "pipe");
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    command_expect(run_with("met.yaml", "--junit @/met.yaml/junit.xml"), 4,
                   "met.yaml: a file of that");
    command_expect(run_with("met.yaml", "--junit @"), 4, "is not a plain file");
    command_expect(run_with("met.yaml", "--junit @/pipe"), 4, "is not a plain file");
    command_expect(run_with("met.yaml", "--junit @/link"), 4, "is not a plain file");
    command_expect(run_with("met.yaml", "--csv @/link"), 4, "--csv");
    // What this path means is known only once its first folder has been made.
    command_expect(run_with("met.yaml", "--junit @/not-there/../link"), 4, "is not a plain file");
    assert_false(has_file("run"));
    char *target = content_of("target");
    char pointed[16] = "";
    assert_string_equal(target, "not to be touched");
    assert_int_equal(readlink(link, pointed, sizeof pointed - 1), 6);
    free(target);
    free(link);
    free(pipe);
}

TEST(what_an_earlier_run_left_is_not_taken_for_this_ones)
{
    write_in(folder, "old.xml", JUNIT_BEGINS "/>");
    setenv("GITHUB_STEP_SUMMARY", folder, 1); // no file, so the run does not start
    command_expect(run_with("met.yaml", "--github --junit @/old.xml"), 4, "$GITHUB_STEP_SUMMARY");
    unsetenv("GITHUB_STEP_SUMMARY");
    assert_false(has_file("run"));
    assert_false(has_file("old.xml"));
}

TEST(github_gets_commands_and_a_table_behind_what_is_there)
{
    char *path = path_join(folder, "summary.md");
    write_in(folder, "summary.md", "of another step\n");
    setenv("GITHUB_STEP_SUMMARY", path, 1);
    struct command_result result = run_with("missed.yaml", "--github");
    struct command_result unasked = run_with("missed.yaml", "");
    unsetenv("GITHUB_STEP_SUMMARY");
    const char *output = text_string(&result.output);
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(output, "\nreport: ")); // the usual report comes first
    assert_non_null(strstr(output, "\n::error file="));
    assert_non_null(strstr(output, "missed.yaml,line=7,title=small%3A none::expected SAFE, got "));
    assert_non_null(strstr(output, "\n::group::UNSAFE small: none\n"));
    assert_non_null(strstr(output, "\n::notice title=Lockpick::1 trial: 0 as expected, 1 missed"));
    assert_null(strstr(text_string(&unasked.output), "::"));
    char *summary = content_of("summary.md");
    const char *table = strstr(summary, "| small | none | ✗ UNSAFE | ");
    assert_true(strncmp(summary, "of another step\n### Lockpick", 28) == 0);
    assert_non_null(table);
    assert_null(strstr(table + 1, "### Lockpick"));
    free(summary);
    free(path);
    command_free(&unasked);
    command_expect(result, 1, "::error");
}

// As a user of Perl's harness calls it; without one, what it would read.
TEST(a_run_is_a_test_program_for_prove)
{
    struct command_result result = run_with("met.yaml", "--tap");
    assert_int_equal(strncmp(text_string(&result.output), "TAP version 13\n1..1\n", 20), 0);
    command_expect(result, 0, "\nok 1 - small none\n");
    if (system("command -v prove >/dev/null") != 0)
        skip();
    assert_int_equal(shell("prove --exec '%s run --tap --no-namespaces --out @/proved' "
                           "@/missed.yaml >@/said 2>/dev/null </dev/null",
                           lockpick_path()),
                     1);
    char *said = content_of("said");
    assert_non_null(strstr(said, "Failed 1/1 subtests"));
    assert_null(strstr(said, "Parse errors"));
    free(said);
}

TEST(wrong_options_are_exit_2)
{
    command_expect(run_with("met.yaml", "--github --json"), 2, "both want standard output");
    command_expect(run_with("met.yaml", "--tap --json"), 2, "--json and --tap both want");
    command_expect(run_with("met.yaml", "--junit"), 2, "--junit needs a value: FILE");
    command_expect(run_with("met.yaml", "--junit="), 2, "--junit takes a name");
    command_expect(run_with("met.yaml", "--csv="), 2, "--csv takes a name");
    command_expect(run_lockpick("help run"), 0, "--junit FILE");
    command_expect(run_lockpick("help run"), 0, "--csv FILE");
    command_expect(run_lockpick("help run"), 0, "--github");
}

// As in a repository that has Lockpick as a folder.
static int run_the_script(const char *variables)
{
    char *build = realpath(lockpick_path(), NULL);
    *strrchr(build, '/') = '\0';
    int status = shell("mkdir -p @/sub/scripts && cp scripts/ci-failures @/sub/scripts && cd @ && "
                       "BUILD=%s %s sub/scripts/ci-failures --no-namespaces >said 2>&1 </dev/null",
                       build, variables);
    free(build);
    return status;
}

TEST(the_script_for_ci_annotates_on_github_only)
{
    assert_int_equal(run_the_script("scenarios='met.yaml missed.yaml'"), 2); // both are "small"
    assert_int_equal(run_the_script("scenarios=missed.yaml"), 1);
    char *said = content_of("said");
    assert_null(strstr(said, "::"));
    assert_true(has_file("results/junit.xml"));
    free(said);
    assert_int_equal(run_the_script("scenarios=missed.yaml GITHUB_ACTIONS=true"), 1);
    expect_content("said", "\n::error file=missed.yaml,line=7,");
    assert_int_equal(run_the_script(""), 2);
    expect_content("said", "cannot find sub/scenarios/failures");
}
