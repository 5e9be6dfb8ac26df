// End to end: lockpick check, and what lockpick history exports for it.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-check-test-XXXXXX");

// Two hold at once if a failed release means that the lock is still held.
static const char two_holders[] =
    "{:process 0, :type :invoke, :f :acquire, :value nil, :time 1000}\n"
    "{:process 0, :type :ok, :f :acquire, :value 3, :time 2000}\n"
    "{:process 0, :type :invoke, :f :release, :value nil, :time 3000}\n"
    "{:process 0, :type :fail, :f :release, :value nil, :time 4000}\n"
    "{:process 1, :type :invoke, :f :acquire, :value nil, :time 5000}\n"
    "{:process 1, :type :ok, :f :acquire, :value 4, :time 6000}\n";

static const char overlap[] = "[{:process 0 :type :invoke :f :acquire :time 1000}\n"
                              "{:process 0 :type :ok :f :acquire :time 2000}\n"
                              "{:process 1 :type :invoke :f :acquire :time 2500}\n"
                              "{:process 1 :type :ok :f :acquire :time 3000}\n"
                              "{:process 0 :type :invoke :f :release :time 5000}\n"
                              "{:process 0 :type :ok :f :release :time 6000}]\n";

// One of two processes may have been granted it; its client goes on as another, and releases.
static const char renumbered[] =
    "{:process 0, :type :invoke, :f :acquire, :value nil, :time 10, :index 0}\n"
    "{:process 1, :type :invoke, :f :acquire, :value nil, :time 20, :index 1}\n"
    "{:process 0, :type :info, :f :acquire, :value nil, :time 30, :error :timeout, :index 2}\n"
    "{:process 2, :type :invoke, :f :release, :value nil, :time 40, :index 3}\n"
    "{:process 2, :type :ok, :f :release, :value nil, :time 50, :index 4}\n"
    "{:process 1, :type :ok, :f :acquire, :value nil, :time 60, :index 5}\n";

// As Jepsen's test of Hazelcast writes them: values name operations, and say whose they were.
static const char hazelcast[] =
    "{:process 0, :type :invoke, :f :acquire, :value \"5b0f\"}\n"
    "{:process 0, :type :ok, :f :acquire, :value {:client \"hz.client_1\", :fence 1, :uid "
    "\"5b0f\"}}\n"
    "{:process 0, :type :invoke, :f :release, :value \"77ac\"}\n"
    "{:process 0, :type :info, :f :release, :value \"77ac\", :error :io-exception}\n"
    "{:process 2, :type :invoke, :f :release, :value \"03de\"}\n"
    "{:process 2, :type :ok, :f :release, :value {:client \"hz.client_1\", :fence 0, :uid "
    "\"03de\"}}\n"
    "{:process 1, :type :invoke, :f :acquire, :value \"9d11\"}\n"
    "{:process 1, :type :ok, :f :acquire, :value {:client \"hz.client_2\", :fence 2, :uid "
    "\"9d11\"}}\n";

static const char failing[] =
    "{:process 1 :type :invoke :f :acquire}{:process 1 :type :fail :f :acquire :error [:timeout]}\n"
    "{:process 0 :type :invoke :f :acquire}{:process 0 :type :ok :f :acquire}\n"
    "{:process 0 :type :invoke :f :release}\n"
    "{:process 0 :type :fail :f :release :error :not-lock-owner}\n"
    "{:process 1 :type :invoke :f :acquire}{:process 1 :type :ok :f :acquire}\n";

static void run_in_folder(const char *command)
{
    struct text line = {0};
    text_format(&line, "cd %s && %s", folder, command);
    assert_int_equal(system(line.bytes), 0);
    text_free(&line);
}

static void make_histories(void)
{
    write_in(folder, "renumbered.edn", renumbered);
    write_in(folder, "hazelcast.edn", hazelcast);
    write_in(folder, "errors.edn", failing);
    write_in(folder, "time-back.edn",
             "{:process 0 :type :invoke :f :acquire :time 5000}\n"
             "{:process 0 :type :ok :f :acquire :time 6000}\n"
             "{:process 1 :type :invoke :f :acquire :time 4500}\n");
    write_in(folder, "no-times.edn",
             "{:process 0 :type :invoke :f :acquire}\n{:process 0 :type :ok :f :acquire}\n");
    write_in(folder, "by-index.edn",
             "[{:process 1 :type :invoke :f :acquire :index 4}\n"
             "{:process 1 :type :ok :f :acquire :index 5}\n"
             "{:process 0 :type :invoke :f :acquire :index 0}\n"
             "{:process 0 :type :ok :f :acquire :index 1}\n"
             "{:process 0 :type :invoke :f :release :index 2}\n"
             "{:process 0 :type :ok :f :release :index 3}]\n");
    write_in(folder, "uids.edn",
             "{:process 0 :type :invoke :f :acquire :value \"b1f3\"}\n"
             "{:process 0 :type :ok :f :acquire :value \"b1f3\"}\n"
             "{:process 1 :type :invoke :f :acquire :value \"c2e4\"}\n"
             "{:process 1 :type :ok :f :acquire :value \"c2e4\"}\n");
    write_in(folder, "permits.edn",
             "{:process 0 :type :invoke :f :acquire :value 2}\n"
             "{:process 0 :type :ok :f :acquire :value 2}\n"
             "{:process 1 :type :invoke :f :acquire :value {:permits 1}}\n"
             "{:process 1 :type :ok :f :acquire}\n");
    write_in(folder, "other-words.edn",
             "{:process 0 :type :invoke :f :take}{:process 0 :type :ok :f :take}\n"
             "{:process 0 :type :invoke :f :read}{:process 0 :type :ok :f :read :value #{1 2}}\n"
             "{:process 0 :type :invoke :f :give}{:process 0 :type :ok :f :give}\n");
    write_in(folder, "tokens.edn",
             "{:process 0 :type :invoke :f :acquire}{:process 0 :type :ok :f :acquire :value 2}\n"
             "{:process 1 :type :invoke :f :acquire}{:process 1 :type :ok :f :acquire :value 1}\n");
    write_in(folder, "nemesis.edn",
             "{:process :nemesis, :type :info, :f :start-partition, :value [:isolated {\"n1\" "
             "#{\"n2\"}}]}\n"
             "#jepsen.history.Op{:process 0, :type :invoke, :f :acquire, :value nil}\n"
             "{:process 0 :type :ok :f :acquire :jepsen.x/more {:a #_ 1 2}}\n"
             "{:process :nemesis, :type :info, :f :stop-partition, :value nil}\n");
    run_in_folder("mkdir -p nothing store/test/20260101T000000 && cp overlap.edn "
                  "store/test/20260101T000000/history.edn && echo '{:valid? true}' "
                  ">store/test/20260101T000000/results.edn && ln -s test store/latest");
    run_in_folder("gzip -c overlap.edn >packed && cp packed packed.edn.gz && head -c 60 packed "
                  ">cut.edn.gz");
}

static int make_folder(void **state)
{
    (void)state;
    if (test_folder_make(folder) != 0)
        return -1;
    write_in(folder, "two-holders.edn", two_holders);
    write_in(folder, "overlap.edn", overlap);
    write_in(folder, "empty.edn", "; nothing\n");
    write_in(folder, "refused.edn",
             "{:process 0 :type :invoke :f :acquire}{:process 0 :type :fail :f :acquire}");
    write_in(folder, "malformed.edn",
             "{:process 0 :type :invok :f :acquire}\n{:process 0 :type :ok :f :aquire}");
    write_in(folder, "untold.edn",
             "{:process 0 :type :invoke :f :acquire}{:process 0 :type :ok :f :acquire}");
    write_in(folder, "wrong-mode.jsonl",
             "{\"process\":0,\"type\":\"invoke\",\"f\":\"acquire-read\"}\n"
             "{\"process\":0,\"type\":\"ok\",\"f\":\"acquire-read\"}\n"
             "{\"process\":0,\"type\":\"invoke\",\"f\":\"release-write\"}\n"
             "{\"process\":0,\"type\":\"ok\",\"f\":\"release-write\"}\n");
    write_in(folder, "readers.jsonl",
             "{\"process\":0,\"type\":\"invoke\",\"f\":\"acquire-shared\"}");
    make_histories();
    return 0;
}

static const struct {
    const char *arguments;
    int code;
    const char *says; // on either output
} cases[] = {
    {"check @/two-holders.edn --model mutex", 1, "NOT LINEARIZABLE"},
    {"check @/two-holders.edn --model mutex", 1,
     "process 1 was granted the lock at line 6 although process 0 had been granted it at line 2"},
    {"check @/two-holders.edn --model mutex", 1,
     "       6  {:process 1, :type :ok, :f :acquire, :value 4, :time 6000}"},
    {"check @/two-holders.edn --model mutex", 1,
     "with --map-failed-release released it would be linearizable"},
    {"check @/two-holders.edn --model fenced --map-failed-release released", 0,
     "with --map-failed-release held it would not be linearizable"},
    {"check @/overlap.edn --model mutex", 1, "overlaps of known length: 1; shortest 2 µs"},
    {"check @/overlap.edn --model semaphore --permits 2", 0, "LINEARIZABLE"},
    {"check @/overlap.edn --model semaphore --permits 2", 0, "2 granted, 0 of unknown outcome"},
    {"check @/empty.edn --model mutex", 0, "no operation on a lock"},
    {"check @/refused.edn --model mutex", 3, "it has no successful acquire"},
    {"check @/refused.edn --model mutex --map-failed-acquire busy", 1, "was refused the lock"},
    {"check @/untold.edn --model fenced", 3, "no successful acquire carries a token"},
    {"check @/malformed.edn --model mutex", 2, "malformed.edn:1: the type is 'invok'"},
    {"check @/malformed.edn --model mutex", 2, "malformed.edn:2: the f is 'aquire'"},
    {"check @/readers.jsonl --model mutex", 2, "try read-write"},
    {"check @/none.edn --model mutex", 2, "none.edn: No such file or directory"},
    {"check @/none.edn", 2, "cannot open"},
    {"check @/none.edn", 2, "none.edn: No such file or directory"},
    {"check @/wrong-mode.jsonl --model read-write", 1,
     "released the lock as the writer (line 3 to line 4), but held it as a reader since line 2"},
    {"check @/two-holders.edn --model fenced", 1, "held, the default for other tools' histories)"},
    {"check @/two-holders.edn --model fenced --map-failed-release held", 1,
     "(--map-failed-release held)\n"},
    {"check @/two-holders.edn --model fenced --picture @/p.svg --map-failed-release released", 0,
     "picture: none, as there is no violation to draw"},
    {"check @/empty.edn --model mutex --picture @/p.svg", 0, "picture: none"},
    {"check @/overlap.edn", 2, "--model MODEL says what its lock must be"},
    {"check @/nothing --model mutex", 2, "nothing holds no history"},
    {"check @/nothing", 2, "nothing holds no history"},
    {"check @/overlap.edn @/two-holders.edn @/empty.edn --model mutex --map-failed-release "
     "released",
     1, "linearizable               3      1           0  /"},
    {"check @/overlap.edn @/malformed.edn --model mutex", 2, "MALFORMED"},
    {"check @/empty.edn @/refused.edn --model mutex", 3, "undecided"},
    {"check @/store --model mutex", 1, "store/test/20260101T000000/history.edn"},
    {"check @/packed.edn.gz --model mutex", 1, "NOT LINEARIZABLE"},
    {"check @/packed --model mutex", 1, "NOT LINEARIZABLE"},
    {"check @/cut.edn.gz --model mutex", 2, "its gzip data end too soon"},
    // --- the order
    {"check @/time-back.edn --model mutex", 0, "time goes back, by up to 1.5 µs, first at line 3"},
    {"check @/by-index.edn --model mutex", 0, "in the order of index"},
    {"check @/overlap.edn --model mutex --lease 2us", 1,
     "still held it when it released it with success (line 5 to line 6)"},
    {"check @/two-holders.edn --model mutex --lease 2us", 0, "LINEARIZABLE"},
    {"check @/two-holders.edn --model mutex --lease 10us", 1, "for a lease of 10 µs from line 1"},
    {"check @/no-times.edn --model mutex --lease 1s", 2, "line 1 has no time"},
    {"check @/overlap.edn --model mutex --lease fast", 2, "--lease takes a time"},
    // --- who owns it
    {"check @/renumbered.edn --model mutex", 3, "(--owner client, --concurrency 2), it is linea"},
    {"check @/renumbered.edn --model mutex --owner process", 1, "process 2 released the lock"},
    {"check @/renumbered.edn --model mutex --owner client", 0, "the same client (--concurrency 2)"},
    {"check @/renumbered.edn --model ownerless", 0, "LINEARIZABLE"},
    {"check @/renumbered.edn --model mutex --owner client --concurrency 3", 1,
     "process 2 released"},
    {"check @/hazelcast.edn --model fenced --owner client", 0, "LINEARIZABLE"},
    {"check @/hazelcast.edn --model reentrant --owner client", 2, "does not decide who goes on"},
    {"check @/renumbered.edn --model mutex --owner client --picture @/p.svg", 2, "not those of"},
    {"check @/renumbered.edn --model mutex --owner me", 2, "--owner takes process or client"},
    // --- what values, functions and failures mean
    {"check @/uids.edn --model mutex", 2, "uids.edn:1: the value is 'b1f3': Lockpick cannot tell"},
    {"check @/uids.edn --model mutex --value nothing", 1, "on 1 lock:"},
    {"check @/uids.edn --model mutex --value name", 0, "on 2 locks:"},
    {"check @/permits.edn --model semaphore --permits 3", 0, "LINEARIZABLE"},
    {"check @/permits.edn --model semaphore --permits 2", 1, "all 2 permits were out"},
    {"check @/other-words.edn --model mutex", 2, "--f take=skip leaves it out"},
    {"check @/other-words.edn --model mutex --f take=acquire --f :give=:release --f read=skip", 0,
     "passed over: 1 by --f NAME=skip"},
    {"check @/other-words.edn --model mutex --f take=grab", 2,
     "'grab' is none that Lockpick knows"},
    {"check @/overlap.edn --model mutex --f take", 2, "--f takes NAME=MEANING, not 'take'"},
    {"check @/errors.edn --model mutex", 1, "failed with not-lock-owner"},
    {"check @/errors.edn --model mutex", 1, "failed by error: timeout 1, not-lock-owner 1"},
    {"check @/errors.edn --model mutex --failed :not-lock-owner=released", 0, "LINEARIZABLE"},
    {"check @/errors.edn --model mutex --failed timeout=busy --failed not-lock-owner=released", 1,
     "was refused the lock"},
    {"check @/errors.edn --model mutex --failed timeout=maybe", 2, "expected held or released"},
    {"check @/tokens.edn --model tokens", 1, "was given token 1"},
    {"check @/nemesis.edn --model mutex", 0, "passed over: 2 of the nemesis"},
    {"check", 2, "which history?"},
    {"check @/overlap.edn --model mutx", 2, "did you mean 'mutex'?"},
    {"check @/overlap.edn --modl mutex", 2, "did you mean --model?"},
    {"check @/overlap.edn --model semaphore", 2, "needs --permits K"},
    {"check @/overlap.edn --model mutex --permits 2", 2, "--permits: the model mutex has none"},
    {"check @/overlap.edn --model fenced --depth 2", 2, "--depth: the model fenced has none"},
    {"check @/overlap.edn --model semaphore --permits 2 --map-failed-acquire busy", 2,
     "does not decide that"},
    {"check @/overlap.edn --permits 2", 2, "these options need a --model"},
    {"check @/overlap.edn --model semaphore --permits 0", 2, "a whole number from 1, not '0'"},
    {"history @/overlap.edn --format yaml", 2, "--format takes events, edn or jsonl"},
};

TEST_GROUP(make_folder, remove_test_folder);

TEST(each_history_gets_its_answer_and_exit_code)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct command_result result = run_lockpick_in(folder, cases[i].arguments);
        if (result.code != cases[i].code ||
            (strstr(text_string(&result.output), cases[i].says) == NULL &&
             strstr(text_string(&result.errors), cases[i].says) == NULL))
            fail_msg("%s\nended with %d:\n%s%s\nexpected %d: %s", cases[i].arguments, result.code,
                     text_string(&result.output), text_string(&result.errors), cases[i].code,
                     cases[i].says);
        command_free(&result);
    }
}

// Two hold in the first lines, and many more follow: who loses the first 4,096 bytes finds nothing.
static void write_long_history(void)
{
    struct text text = {0};
    text_add(&text, overlap);
    text.length -= strlen("]\n");
    text_add(&text, "{:process 1 :type :invoke :f :release}{:process 1 :type :ok :f :release}\n");
    for (int i = 0; i < 1000; i++)
        text_add(&text,
                 "{:process 0 :type :invoke :f :acquire}{:process 0 :type :ok :f :acquire}\n"
                 "{:process 0 :type :invoke :f :release}{:process 0 :type :ok :f :release}\n");
    text_add(&text, "]\n");
    write_in(folder, "long.edn", text.bytes);
    text_free(&text);
}

// However it comes, it is the same history.
TEST(a_pipe_loses_nothing)
{
    static const char *const commands[] = {
        "cat long.edn | $L check - --model mutex",
        "cat long.edn | $L check --model mutex",
        "$L check --model mutex <long.edn",
        "$L check <(cat long.edn) --model mutex",
        "cat long.edn | gzip | $L check - --model mutex",
        "$L check <(gzip -c long.edn; true) --model mutex",
        "(mkfifo fifo; cat long.edn >fifo & $L check fifo --model mutex; s=$?; wait; exit $s)",
        "(tail -c +2 long.edn | head -c -2; echo) | $L check - --model mutex",
    };
    write_long_history();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct text line = {0};
        struct text said = {0};
        char *path = path_join(folder, "said");
        text_format(&line, "L=$(realpath %s); cd %s; bash -c 'L='$L'; %s' >said 2>&1",
                    lockpick_path(), folder, commands[i]);
        int status = system(line.bytes);
        assert_int_equal(file_read(path, &said, NULL), 0);
        if (WEXITSTATUS(status) != 1 ||
            strstr(text_string(&said), "1002 granted, 0 of unknown outcome") == NULL ||
            strstr(text_string(&said), "at line 4 although process 0 had been") == NULL)
            fail_msg("%s\nended with %d: %s", commands[i], WEXITSTATUS(status), text_string(&said));
        text_free(&line);
        text_free(&said);
        free(path);
    }
}

TEST(as_json_it_is_all_there)
{
    struct command_result result =
        run_lockpick_in(folder, "check @/overlap.edn --model mutex --json --picture @/overlap.svg");
    json_t *root = json_loads(text_string(&result.output), 0, NULL);
    json_t *history = json_array_get(json_object_get(root, "histories"), 0);
    json_t *violation = json_object_get(history, "violation");
    json_t *windows = json_object_get(history, "windows");
    json_t *returned =
        json_object_get(json_array_get(json_object_get(violation, "operations"), 0), "returned");
    assert_int_equal(result.code, 1);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "lockpick-check-1");
    assert_string_equal(json_string_value(json_object_get(history, "verdict")), "not-linearizable");
    assert_int_equal(json_integer_value(json_object_get(history, "violations")), 1);
    assert_string_equal(json_string_value(json_object_get(violation, "rule")), "exclusion");
    assert_int_equal(json_integer_value(json_object_get(violation, "overlap_ns")), 2000);
    assert_int_equal(json_integer_value(json_object_get(windows, "max_ns")), 2000);
    assert_int_equal(json_integer_value(json_object_get(returned, "line")), 2);
    assert_true(json_is_null(json_object_get(history, "reason")));
    char *picture = path_join(folder, "overlap.svg");
    assert_int_equal(access(picture, R_OK), 0);
    free(picture);
    json_decref(root);
    command_free(&result);
}

// --- a run of our own ----------------------------------------------------------------------------

// Two workloads with expectations of their own, so that what the run keeps must keep them apart;
// one scheme that keeps nobody out, and one to which the second workload does not apply.
static const char scenario[] =
    "version: 1\nname: small\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
    "workload:\n  - {kind: increment, store: shm, operations: 40, hold: 1ms}\n"
    "  - {kind: increment, store: shm, operations: 40, hold: 1ms, fenced: true}\n"
    "schemes: [none, process-mutex]\n"
    "expect:\n  - {schemes: [none], workloads: [increment], verdict: unsafe}\n"
    "  - {schemes: ['*'], workloads: [increment-fenced], verdict: safe}\n"
    "  - {schemes: [process-mutex], verdict: unsafe}\n"
    "repeat: 2\n";

static void remove_in_folder(const char *name)
{
    char *path = path_join(folder, name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void expect_says(const char *arguments, int code, const char *says)
{
    struct command_result result = run_lockpick_in(folder, arguments);
    if (result.code != code || strstr(text_string(&result.output), says) == NULL)
        fail_msg("%s ended with %d:\n%s%s\nexpected %d: %s", arguments, result.code,
                 text_string(&result.output), text_string(&result.errors), code, says);
    command_free(&result);
}

// The rows of the table that a run prints first.
static size_t table_length(const char *output)
{
    const char *end = strstr(output, "\n\n");
    return end != NULL ? (size_t)(end - output) : 0;
}

TEST(a_stored_run_is_judged_as_it_was)
{
    write_in(folder, "small.yaml", scenario);
    struct command_result ran =
        run_lockpick_in(folder, "run @/small.yaml --out @/run --keep-going");
    struct command_result again = run_lockpick_in(folder, "check @/run");
    size_t length = table_length(text_string(&ran.output));
    assert_int_equal(ran.code, again.code);
    assert_true(length > 0);
    assert_memory_equal(text_string(&ran.output), text_string(&again.output), length);
    assert_non_null(
        strstr(text_string(&again.output), "judged anew: 8 verdicts, as in result.json"));
    command_free(&ran);
    command_free(&again);
    expect_says("check @/run/trials/small-increment--none--2", 0, "judged anew: 1 verdict, as in");
    expect_says("check @/run/trials/small-increment--none--1/history.bin", 0, "1 as expected");
    expect_says("check @/run --json", 0, "\"lockpick-result-1\"");
    expect_says("check @/run --model mutex", 1, "--none--2/history.bin · mutex: ");
}

TEST(another_verdict_than_before_is_told)
{
    expect_says("check @/run", 0, "as in result.json");
    struct text line = {0};
    text_format(&line,
                "sed -i '0,/\"verdict\": *\"UNSAFE\"/s//\"verdict\":\"SAFE\"/' %s/run/result.json",
                folder);
    assert_int_equal(system(line.bytes), 0);
    text_free(&line);
    expect_says("check @/run", 0, "UNSAFE now, SAFE in result.json");
}

TEST(half_a_run_is_judged_as_far_as_it_goes)
{
    remove_in_folder("run/result.json");
    char *path = path_join(folder, "run/trials/small-increment--none--2/history.bin");
    // What one writer wrote is lost; then all but the harness's own.
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size - 4096), 0);
    expect_says("check @/run/trials/small-increment--none--2", 0, "UNSAFE");
    expect_says("check @/run/trials/small-increment--none--2 --model mutex", 1, "NOT LINEARIZABLE");
    assert_int_equal(truncate(path, (off_t)4096 * 2), 0);
    expect_says("check @/run", 3, "UNKNOWN");
    expect_says("check @/run/trials/small-increment--none--2 --model mutex", 3, "UNDECIDED");
    free(path);
}

TEST(a_run_killed_before_its_first_trial_is_undecided)
{
    char *path = path_join(folder, "killed");
    assert_int_equal(folder_make(path, NULL), 0);
    free(path);
    write_in(folder, "killed/as-run.yaml", scenario);
    write_in(folder, "killed/planned.txt", "small-increment--none--1\nsmall-increment--none--2\n");
    expect_says("check @/killed", 3, "2 not run");
    expect_says("report @/killed", 3, "2 not run");
}

// --- where it goes -------------------------------------------------------------------------------

// What the command ends with if nobody reads the pipe that it writes to; what it complains of goes
// to `errors`.
static int code_into_closed_pipe(const char *command, const char *errors)
{
    struct text line = {0};
    int ends[2];
    int output = dup(STDOUT_FILENO);
    fflush(stdout);
    text_format(&line, "%s %s 2>%s", lockpick_path(), command, errors);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    int status = system(line.bytes);
    dup2(output, STDOUT_FILENO);
    close(output);
    text_free(&line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As `| head` does; a full disk is another matter.
TEST(a_reader_that_has_seen_enough_is_no_error)
{
    static const char *const commands[] = {"help scenario", "list schemes", "help"};
    char *errors = path_join(folder, "errors");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct text said = {0};
        assert_int_equal(code_into_closed_pipe(commands[i], errors), 0);
        assert_int_equal(file_read(errors, &said, NULL), 0);
        assert_string_equal(text_string(&said), "");
        text_free(&said);
    }
    free(errors);
    struct text line = {0};
    text_format(&line, "%s help scenario >/dev/full 2>/dev/null", lockpick_path());
    int status = system(line.bytes);
    assert_int_equal(WEXITSTATUS(status), 4);
    text_free(&line);
}
