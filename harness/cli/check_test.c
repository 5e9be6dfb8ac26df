// End to end: lockpick check, and what lockpick history exports for it.
#include "harness/cli/test_runs.h"
#include "harness/report/test_json_path.h"

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
    assert_int_equal(shell("cd @ && mkdir -p nothing store/test/20260101T000000 && cp overlap.edn "
                           "store/test/20260101T000000/history.edn && echo '{:valid? true}' "
                           ">store/test/20260101T000000/results.edn && ln -s test store/latest"),
                     0);
    assert_int_equal(
        shell("cd @ && gzip -c overlap.edn >packed && cp packed packed.edn.gz && head -c 60 packed "
              ">cut.edn.gz"),
        0);
}

static int make_folder(void **state)
{
    if (make_test_folder(state) != 0)
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

static const struct command_case cases[] = {
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
    {.arguments = NULL},
};

TEST_GROUP(make_folder, remove_test_folder);

TEST(each_history_gets_its_answer_and_exit_code)
{
    expect_each(cases);
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
    char *program = realpath(lockpick_path(), NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        print_message("%s\n", commands[i]);
        assert_int_equal(shell("cd @; bash -c 'L=%s; %s' >said 2>&1", program, commands[i]), 1);
        expect_content("said", "1002 granted, 0 of unknown outcome");
        expect_content("said", "at line 4 although process 0 had been");
    }
    free(program);
}

TEST(as_json_it_is_all_there)
{
    static const char *const wanted[][2] = {
        {"schema", "\"lockpick-check-1\""},
        {"histories.0.verdict", "\"not-linearizable\""},
        {"histories.0.violations", "1"},
        {"histories.0.violation.rule", "\"exclusion\""},
        {"histories.0.violation.overlap_ns", "2000"},
        {"histories.0.windows.max_ns", "2000"},
        {"histories.0.violation.operations.0.returned.line", "2"},
        {"histories.0.reason", "null"}};
    struct command_result result =
        lockpick("check @/overlap.edn --model mutex --json --picture @/overlap.svg");
    json_t *root = json_loads(text_string(&result.output), 0, NULL);
    assert_int_equal(result.code, 1);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char *value = json_dumps(json_at(root, wanted[i][0]), JSON_ENCODE_ANY);
        assert_string_equal(value, wanted[i][1]);
        free(value);
    }
    assert_true(has_file("overlap.svg"));
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

// The rows of the table that a run prints first.
static size_t table_length(const char *output)
{
    const char *end = strstr(output, "\n\n");
    return end != NULL ? (size_t)(end - output) : 0;
}

TEST(a_stored_run_is_judged_as_it_was)
{
    write_in(folder, "small.yaml", scenario);
    struct command_result ran = lockpick("run @/small.yaml --out @/run --keep-going");
    struct command_result again = lockpick("check @/run");
    size_t length = table_length(text_string(&ran.output));
    assert_int_equal(ran.code, again.code);
    assert_true(length > 0);
    assert_memory_equal(text_string(&ran.output), text_string(&again.output), length);
    assert_non_null(
        strstr(text_string(&again.output), "judged anew: 8 verdicts, as in result.json"));
    command_free(&ran);
    command_free(&again);
    expect(0, "judged anew: 1 verdict, as in", "check @/run/trials/small-increment--none--2");
    expect(0, "1 as expected", "check @/run/trials/small-increment--none--1/history.bin");
    expect(0, "\"lockpick-result-1\"", "check @/run --json");
    expect(1, "--none--2/history.bin · mutex: ", "check @/run --model mutex");
}

TEST(another_verdict_than_before_is_told)
{
    expect(0, "as in result.json", "check @/run");
    assert_int_equal(
        shell("sed -i '0,/\"verdict\": *\"UNSAFE\"/s//\"verdict\":\"SAFE\"/' @/run/result.json"),
        0);
    expect(0, "UNSAFE now, SAFE in result.json", "check @/run");
}

TEST(half_a_run_is_judged_as_far_as_it_goes)
{
    assert_int_equal(shell("rm @/run/result.json"), 0);
    char *path = path_join(folder, "run/trials/small-increment--none--2/history.bin");
    // What one writer wrote is lost; then all but the harness's own.
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size - 4096), 0);
    expect(0, "UNSAFE", "check @/run/trials/small-increment--none--2");
    expect(1, "NOT LINEARIZABLE", "check @/run/trials/small-increment--none--2 --model mutex");
    assert_int_equal(truncate(path, (off_t)4096 * 2), 0);
    expect(3, "UNKNOWN", "check @/run");
    expect(3, "UNDECIDED", "check @/run/trials/small-increment--none--2 --model mutex");
    free(path);
}

TEST(a_run_killed_before_its_first_trial_is_undecided)
{
    assert_int_equal(shell("mkdir @/killed"), 0);
    write_in(folder, "killed/as-run.yaml", scenario);
    write_in(folder, "killed/planned.txt", "small-increment--none--1\nsmall-increment--none--2\n");
    expect(3, "2 not run", "check @/killed");
    expect(3, "2 not run", "report @/killed");
}

// --- where it goes -------------------------------------------------------------------------------

// What the command ends with if nobody reads the pipe that it writes to; its complaints are
// @/errors.
static int code_into_closed_pipe(const char *command)
{
    int ends[2];
    int output = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    int code = shell("%s %s 2>@/errors", lockpick_path(), command);
    dup2(output, STDOUT_FILENO);
    close(output);
    return code;
}

// As `| head` does; a full disk is another matter.
TEST(a_reader_that_has_seen_enough_is_no_error)
{
    static const char *const commands[] = {"help scenario", "list schemes", "help"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_int_equal(code_into_closed_pipe(commands[i]), 0);
        assert_int_equal(shell("test ! -s @/errors"), 0);
    }
    assert_int_equal(shell("%s help scenario >/dev/full 2>/dev/null", lockpick_path()), 4);
}
