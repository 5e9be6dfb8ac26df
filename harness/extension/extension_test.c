// One more of each kind of thing is a file of this folder and one line of a catalogue, which the
// Makefile adds; nothing else knows of them. The program that has them tells of each wherever it
// tells of its own: in its lists and help, in what a scenario may say, in the trial, its story and
// verdict, and in every report.
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

TEST_FOLDER("/tmp/lockpick-extension-test-XXXXXX");

static int start(void **state)
{
    struct text path = {0};
    text_format(&path, "%s-extended", lockpick_path());
    setenv("LOCKPICK", path.bytes, 1);
    text_free(&path);
    return make_test_folder(state);
}

// The words, on a line each.
static void expect_words(const char *where, const char *text, const char *words)
{
    char copy[400];
    snprintf(copy, sizeof copy, "%s", words);
    for (char *rest = copy, *word = strsep(&rest, "\n"); word != NULL; word = strsep(&rest, "\n")) {
        if (strstr(text, word) == NULL)
            fail_msg("%s does not say '%s':\n%s", where, word, text);
    }
}

static void expect_file(const char *name, const char *words)
{
    char *path = path_join(folder, name);
    struct text text = {0};
    struct error error;
    if (file_read(path, &text, &error) != 0)
        fail_msg("%s", error.text);
    expect_words(path, text_string(&text), words);
    text_free(&text);
    free(path);
}

#define SCENARIO(schemes, fault, because)                                                          \
    "version: 1\nname: extended\nabout: One more of each kind of thing.\n"                         \
    "workload: {kind: increment, operations: 40, hold: 20ms}\n"                                    \
    "clients: {processes: 2, threads: 2}\nlock: {lease: 20s, wait: 30s, retry: 2ms}\n"             \
    "schemes: [" schemes "]\n"                                                                     \
    "faults:\n  - {when: client-1 holds, nth: 3, " fault "}\n"                                     \
    "expect:\n  - {schemes: ['*'], verdict: unsafe, because: [" because "],\n"                     \
    "     allow: [double-grant, wrongful-release, lost-update]}\n"

TEST_GROUP(start, remove_test_folder);

TEST(lists_and_help_have_one_more_of_each_kind)
{
    command_expect(run_lockpick("list faults"), 0, "has a server forget all that it knows");
    command_expect(run_lockpick("list schemes"), 0, "keyval-lock");
    command_expect(run_lockpick("help scenario"), 0, "  solitude\n");
    command_expect(run_lockpick("help scenario"), 0, "amnesia");
}

TEST(scenarios_are_held_to_what_each_says_of_itself)
{
    command_expect(run_text_in(folder, "wire",
                               SCENARIO("keyval-lock", "amnesia: server-1, until: 1s", "solitude")),
                   2, "'until' with 'amnesia', which nothing ends");
    command_expect(
        run_text_in(folder, "near", SCENARIO("keyval-lok", "amnesia: server-1", "solitude")), 2,
        "did you mean 'keyval-lock'?");
    command_expect(
        run_text_in(folder, "nearer", SCENARIO("keyval-lock", "amnesi: server-1", "solitud")), 2,
        "did you mean 'solitude'?");
}

TEST(a_trial_with_them_is_told_as_any_other)
{
    command_expect(
        run_text_in(folder, "trial", SCENARIO("keyval-lock", "amnesia: server-1", "solitude")), 0,
        "Cause: server-1 forgot all, ");
    expect_file("trial/result.json", "\"property\": \"solitude\"\n\"scheme\": \"keyval-lock\"");
    expect_file("trial/report.md", "keyval-lock\nsolitude");
    expect_file("trial/report.html", "server-1 forgets all that it knew\nhad company\nsolitude");
    expect_file("trial/junit.xml", "keyval-lock");
}
