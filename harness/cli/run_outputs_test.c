// End to end: what a run leaves for CI, as a user's script finds it.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/report/ci.h"
#include "harness/report/test_junit.h"
#include "harness/testing/test.h"

#include <sys/stat.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-outputs-test-XXXXXX");

// A scheme that needs no server; what is expected of it stands in line 7.
static const char scenario[] =
    "version: 1\nname: small\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
    "workload: {kind: increment, store: shm, operations: 60, hold: 1ms}\n"
    "schemes: [none]\nexpect: [{schemes: [none], verdict: %s}]\n";

static char *in_folder(const char *name)
{
    return path_join(folder, name);
}

// The caller frees it; NULL if there is no such file.
static char *content_of(const char *name)
{
    struct text text = {0};
    char *path = in_folder(name);
    text_add(&text, "");
    bool there = file_read(path, &text, NULL) == 0;
    free(path);
    if (!there)
        text_free(&text);
    return text.bytes;
}

static bool is_there(const char *name)
{
    char *path = in_folder(name);
    struct stat status;
    bool there = lstat(path, &status) == 0;
    free(path);
    return there;
}

static int make_folder(void **state)
{
    (void)state;
    unsetenv("GITHUB_STEP_SUMMARY"); // of a workflow that runs this test
    unsetenv("GITHUB_ACTIONS");
    if (test_folder_make(folder) != 0)
        return -1;
    char text[sizeof scenario + 16];
    snprintf(text, sizeof text, scenario, "safe");
    write_in(folder, "missed.yaml", text);
    snprintf(text, sizeof text, scenario, "unsafe");
    write_in(folder, "met.yaml", text);
    return 0;
}

// Runs the scenario in a folder of its own, anew, with options in which each '@' is the test's
// folder.
static struct command_result run_with(const char *name, const char *options)
{
    struct text arguments = {0};
    char *run = in_folder("run");
    assert_int_equal(test_folder_remove(run), 0);
    text_format(&arguments, "run %s/%s --no-namespaces --out %s ", folder, name, run);
    for (; *options != '\0'; options++) {
        if (*options == '@')
            text_add(&arguments, folder);
        else
            text_add_bytes(&arguments, options, 1);
    }
    struct command_result result = run_lockpick(arguments.bytes);
    text_free(&arguments);
    free(run);
    return result;
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
    char *link = in_folder("link");
    char *pipe = in_folder("pipe");
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
    assert_false(is_there("run"));
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
    assert_false(is_there("run"));
    assert_false(is_there("old.xml"));
}

TEST(github_gets_commands_and_a_table_behind_what_is_there)
{
    char *path = in_folder("summary.md");
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
    struct text command = {0};
    text_format(&command,
                "prove --exec '%s run --tap --no-namespaces --out %s/proved' %s/missed.yaml "
                ">%s/said 2>/dev/null </dev/null",
                lockpick_path(), folder, folder, folder);
    assert_int_equal(WEXITSTATUS(system(command.bytes)), 1);
    char *said = content_of("said");
    assert_non_null(strstr(said, "Failed 1/1 subtests"));
    assert_null(strstr(said, "Parse errors"));
    free(said);
    text_free(&command);
}

TEST(wrong_options_are_exit_2)
{
    command_expect(run_with("met.yaml", "--github --json"), 2, "both want standard output");
    command_expect(run_with("met.yaml", "--tap --json"), 2, "--json and --tap both want");
    command_expect(run_with("met.yaml", "--junit"), 2, "--junit needs a value: FILE");
    command_expect(run_with("met.yaml", "--junit="), 2, "--junit takes a name");
    command_expect(run_with("met.yaml", "--csv="), 2, "--csv takes the name of a file");
    command_expect(run_lockpick("help run"), 0, "--junit FILE");
    command_expect(run_lockpick("help run"), 0, "--csv FILE");
    command_expect(run_lockpick("help run"), 0, "--github");
}

// As in a repository that has Lockpick as a folder.
static int run_the_script(const char *variables)
{
    char *build = realpath(lockpick_path(), NULL);
    *strrchr(build, '/') = '\0';
    struct text command = {0};
    text_format(&command,
                "mkdir -p %s/sub/scripts && cp scripts/ci-failures %s/sub/scripts && cd %s && "
                "BUILD=%s %s sub/scripts/ci-failures --no-namespaces >said 2>&1 </dev/null",
                folder, folder, folder, build, variables);
    int status = system(command.bytes);
    text_free(&command);
    free(build);
    return WEXITSTATUS(status);
}

TEST(the_script_for_ci_annotates_on_github_only)
{
    assert_int_equal(run_the_script("scenarios='met.yaml missed.yaml'"), 2); // both are "small"
    assert_int_equal(run_the_script("scenarios=missed.yaml"), 1);
    char *said = content_of("said");
    assert_null(strstr(said, "::"));
    assert_true(is_there("results/junit.xml"));
    free(said);
    assert_int_equal(run_the_script("scenarios=missed.yaml GITHUB_ACTIONS=true"), 1);
    said = content_of("said");
    assert_non_null(strstr(said, "\n::error file=missed.yaml,line=7,"));
    free(said);
    assert_int_equal(run_the_script(""), 2);
    said = content_of("said");
    assert_non_null(strstr(said, "cannot find sub/scenarios/failures"));
    free(said);
}
