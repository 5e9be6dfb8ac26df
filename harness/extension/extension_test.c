// One more of each kind of thing is a file of this folder and one line of a catalogue, which the
// Makefile adds; nothing else knows of them. The program that has them tells of each wherever it
// tells of its own: in its lists and help, in what a scenario may say, in the trial, its story and
// verdict, and in every report.
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

TEST_FOLDER("/tmp/lockpick-extension-test-XXXXXX");

static int start(void **state)
{
    AUTO_TEXT struct text path = {0};
    text_format(&path, "%s-extended", lockpick_path());
    setenv("LOCKPICK", path.bytes, 1);
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
    AUTO_FREE char *path = path_join(folder, name);
    AUTO_TEXT struct text text = {0};
    struct error error;
    MUST_BE(0, file_read(path, &text, &error));
    expect_words(path, text_string(&text), words);
}

#define SCENARIO(schemes, fault, because, more)                                                    \
    "version: 1\nname: extended\nabout: One more of each kind of thing.\n"                         \
    "workload: {kind: increment, operations: 40, hold: 20ms}\n"                                    \
    "clients: {processes: 2, threads: 2}\nlock: {lease: 20s, wait: 30s, retry: 2ms}\n"             \
    "schemes: [" schemes "]\n"                                                                     \
    "faults:\n  - {when: client-1 holds, nth: 3, " fault "}\n"                                     \
    "expect:\n  - {schemes: ['*'], verdict: unsafe, because: [" because "],\n"                     \
    "     allow: [double-grant, wrongful-release, lost-update]}\n" more

TEST_GROUP(start, remove_test_folder);

TEST(lists_and_help_have_one_more_of_each_kind)
{
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"list faults", "has a server forget all that it knows"},
        {"list schemes", "exclusive, lease, owner-checked, keyval "},
        {"list schemes", "needs Keyval"},
        {"list topologies", "keyval     single"},
        {"help scenario", "  solitude\n"},
        {"help scenario", "amnesia"},
        {"help scenario", "KIND is keyval, redis"},
        {"doctor", "keyval  "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(command_free) struct command_result result = run_lockpick(cases[i].arguments);
        expect_words(cases[i].arguments, text_string(&result.output), cases[i].words);
    }
}

TEST(scenarios_are_held_to_what_each_says_of_itself)
{
    static const struct {
        const char *name, *scenario, *complaint;
    } cases[] = {
        {"until", SCENARIO("keyval-lock", "amnesia: server-1, until: 1s", "solitude", ""),
         "'until' with 'amnesia', which nothing ends"},
        {"scheme", SCENARIO("keyval-lok", "amnesia: server-1", "solitude", ""),
         "did you mean 'keyval-lock'?"},
        {"node", SCENARIO("keyval-lock", "amnesia: keval-1", "solitude", ""),
         "did you mean 'keyval-1'?"},
        {"property", SCENARIO("keyval-lock", "amnesi: server-1", "solitud", ""),
         "did you mean 'solitude'?"},
        {"topology",
         SCENARIO("keyval", "amnesia: server-1", "solitude", "servers: {keyval: {topology: two}}"),
         "keyval has no topology 'two' (known are single)"},
        {"persistence",
         SCENARIO("keyval", "amnesia: server-1", "solitude",
                  "servers: {keyval: {persistence: aof-always}}"),
         "'persistence' cannot be chosen here (keyval: in memory only)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        command_expect(run_text_in(folder, cases[i].name, cases[i].scenario), 2,
                       cases[i].complaint);
}

// Beside a scheme of another kind of server and under two faults, for pictures that compare.
TEST(a_trial_with_them_is_told_as_any_other)
{
    char scenario[] = SCENARIO("keyval, redis-set-px-lua", "amnesia: server-1", "solitude", "");
    write_in(folder, "extended.yaml", scenario);
    memcpy(strstr(scenario, "extended"), "reworded", 8);
    write_in(folder, "reworded.yaml", scenario);
    command_expect(
        run_lockpick_in(folder,
                        "run @/extended.yaml @/reworded.yaml --keep-going --again 3 --out @/trial"),
        0, "server-1 forgot all, ");
    static const struct {
        const char *file, *words;
    } cases[] = {
        {"trial/result.json", "\"property\": \"solitude\"\n\"scheme\": \"keyval-lock\"\n"
                              "\"durability\": \"keyval: in memory only\n\"verb\": \"amnesia\""},
        {"trial/report.md", "| keyval-lock | ✓ UNSAFE | solitude"},
        {"trial/report.html", "server-1 forgets all that it knew\nhad company\nsolitude\n"
                              "A tally of holds\nHolds of 4 trials."},
        {"trial/junit.xml", "keyval-lock"},
        {"trial/plots/tally.dat", "\"keyval-lock\""},
        {"trial/plots/tally.gp", "# A bar for each trial"},
        {"trial/plots/matrix.dat",
         "\"UNSAFE\" \"Y\" 1 1 \"solitude\" \"keyval-lock\" \"extended\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_file(cases[i].file, cases[i].words);
}
