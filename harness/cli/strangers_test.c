// End to end: folders and scenarios of strangers do no harm, and what is one's own stays one's own.

#include "harness/cli/test_runs.h"

#define SCENARIO                                                                                   \
    "version: 1\nname: small\nabout: For a test.\n"                                                \
    "workload: {kind: increment, store: shm, operations: 40, hold: 200us}\n"                       \
    "clients: {processes: 1, threads: 2}\nschemes: [none]\n"
#define NEEDS(text)                                                                                \
    "version: 1\nname: brought\nabout: For a test.\n"                                              \
    "workload: {kind: increment, store: shm, operations: 40}\n"                                    \
    "schemes: [{exec: {name: theirs, command: [./none], needs: [/nowhere], install: " text "}}]\n"

// On a busy machine one worker may be done before the other begins: exit code 3.
static void expect_done(const char *arguments)
{
    struct command_result result = lockpick("%s", arguments);
    command_expect(result, result.code == 3 ? 3 : 0, "1 trial");
}

static int make_run(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "small.yaml", SCENARIO);
    expect_done("run @/small.yaml --out @/run --quiet");
    return 0;
}

// Runs a line of the shell, which must end well.
#define DO(...) assert_int_equal(shell("cd @ && " __VA_ARGS__), 0)

// --- folders -------------------------------------------------------------------------------------

TEST_GROUP(make_run, remove_test_folder);

TEST(a_report_overwrites_no_target_of_a_link)
{
    static const char *const files[] = {"result.json",
                                        "junit.xml",
                                        "report.html",
                                        "report.md",
                                        "trials/small--none/timeline.svg",
                                        "trials/small--none/timeline.dat",
                                        "trials/small--none/acquire.hgrm"};
    DO("rm -rf linked && cp -r run linked && printf mine > precious && cp precious as-it-was");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        DO("ln -sf @/precious linked/%s && ln -sf @/precious linked/%s.part", files[i], files[i]);
    }
    expect_done("report @/linked --quiet");
    expect_content("precious", "mine");
    DO("test ! -L linked/result.json && test ! -L linked/trials/small--none/timeline.dat");
}

TEST(a_report_goes_through_no_link_to_another_folder)
{
    static const char *const links[] = {"plots", "trials", "trials/small--none"};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        DO("rm -rf linked elsewhere && cp -r run linked && mkdir -p linked/plots && "
           "mv linked/%s elsewhere && ln -s @/elsewhere linked/%s && "
           "find elsewhere -exec touch -h -d 1970-01-01 {} +",
           links[i], links[i]);
        expect(4, "is a link", "report @/linked --quiet");
        DO("test -z \"$(find elsewhere -newermt 1970-01-02)\"");
        DO("rm -rf apart");
        expect_done("report @/linked --quiet --out @/apart");
    }
}

// timeout(1) would end it with 124.
TEST(a_pipe_in_a_folder_holds_nobody_up)
{
    static const char *const files[] = {"trials/small--none/history.bin", "result.json",
                                        "as-run.yaml"};
    static const char *const commands[] = {
        "report linked --quiet",
        "check linked",
        "compare linked run",
        "check linked/trials/small--none",
        "check linked/trials/small--none/history.bin",
        "check linked/trials/small--none/history.bin --model mutex"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (size_t j = 0; j < sizeof commands / sizeof commands[0]; j++) {
            char *program = realpath(lockpick_path(), NULL);
            DO("rm -rf linked && cp -r run linked && rm linked/%s && mkfifo linked/%s && "
               "timeout -k 1 90 %s %s > said 2>&1; "
               "code=$?; test $code -lt 124 || { echo $code; exit 1; }",
               files[i], files[i], program, commands[j]);
            free(program);
        }
    }
}

TEST(words_of_a_stranger_s_result_cannot_move_the_cursor)
{
    DO("rm -rf linked && cp -r run linked");
    json_t *result = result_of("linked");
    json_t *trial = json_array_get(json_object_get(result, "trials"), 0);
    json_object_set_new(trial, "verdict", json_string("ERROR"));
    json_object_set_new(trial, "reason",
                        json_string("broken \x1b[2J by \xc2\x9b"
                                    "1m them"));
    json_object_set_new(result, "remarks", json_pack("[s]", "told \x1b]0;title\x07"));
    char *text = json_dumps(result, 0);
    write_in(folder, "linked/result.json", text);
    free(text);
    json_decref(result);
    struct command_result said = lockpick("report @/linked");
    assert_non_null(strstr(text_string(&said.output), "broken ?[2J by ??1m them"));
    assert_non_null(strstr(text_string(&said.output), "told ?]0;title?"));
    assert_null(strpbrk(text_string(&said.output), "\x1b\x07"));
    command_free(&said);
}

// --- scenarios -----------------------------------------------------------------------------------

TEST(what_a_scenario_says_reaches_no_terminal_raw)
{
    write_in(folder, "brought.yaml", NEEDS("\"\\e[2Jx\""));
    expect(2, "the text contains a control character: '\\x1b[2Jx'",
           "run @/brought.yaml --out @/brought");
}

// A line that begins with "::", or has "##[", would be a command to the runner.
TEST(what_a_scenario_says_is_no_command_to_github)
{
    write_in(folder, "brought.yaml", NEEDS("\"x\\n::error::theirs ##[add-mask]theirs\""));
    struct command_result said = lockpick("run @/brought.yaml --out @/brought --github");
    const char *stop = strstr(text_string(&said.output), "::stop-commands::");
    assert_non_null(stop);
    char end[80];
    int length = (int)strcspn(stop + 17, "\n");
    snprintf(end, sizeof end, "\n::%.*s::\n", length, stop + 17);
    char *go_on = strstr(stop, end);
    assert_non_null(go_on);
    assert_non_null(strstr(stop, "##[add-mask]")); // where it is no command
    assert_true(strstr(stop, "##[add-mask]") < go_on);
    assert_null(strstr(text_string(&said.output), "\n::error::"));
    assert_null(strstr(text_string(&said.errors), "##["));
    command_free(&said);
}

TEST(an_output_replaces_only_what_an_earlier_run_wrote)
{
    static const char *const options[] = {"--csv @/small.yaml", "--junit @/small.yaml"};
    for (size_t i = 0; i < 2; i++)
        expect(4, "was not written by an earlier run", "report @/run --quiet %s", options[i]);
    expect(2, "was not written by an earlier run",
           "check @/run/trials/small--none --model mutex --picture @/small.yaml");
    expect_content("small.yaml", SCENARIO);
    for (int time = 0; time < 2; time++)
        expect_done("report @/run --quiet --csv @/a.csv --junit @/a.xml");
    expect(4, "the same file", "report @/run --quiet --csv @/b --junit @/b");
}

TEST(a_password_is_kept_for_oneself)
{
    struct stat found;
    write_in(folder, "secret.yaml",
             SCENARIO "servers: {mysql: {external: \"mysql://me:secret@127.0.0.1:1/test\"}}\n");
    expect_done("run @/secret.yaml --out @/secret --quiet");
    static const char *const files[] = {"secret/as-run.yaml", "secret/scenarios/small.yaml"};
    for (size_t i = 0; i < 2; i++) {
        char *path = path_join(folder, files[i]);
        assert_int_equal(stat(path, &found), 0);
        assert_int_equal(found.st_mode & 077, 0);
        free(path);
    }
    DO("grep -rl secret.127 secret | sort > said");
    expect_content("said", "secret/as-run.yaml\nsecret/scenarios/small.yaml\n");
}

// --- results/latest ------------------------------------------------------------------------------

TEST(a_run_beside_others_names_its_own_folder)
{
    char *program = realpath(lockpick_path(), NULL);
    DO("for i in 1 2 3 4 5 6; do sed s/small/n$i/ small.yaml > n$i.yaml; "
       "%s run n$i.yaml --quiet --no-namespaces > said-$i 2>&1 & done; wait; "
       "for i in 1 2 3 4 5 6; do grep -q \"^report: results/[^l].*-n$i/report.html$\" "
       "said-$i || { cat said-$i; exit 1; }; done; "
       "test -e results/latest/result.json && test $(ls -A results | wc -l) = 7",
       program);
    free(program);
}
