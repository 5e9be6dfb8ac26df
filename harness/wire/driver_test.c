// Drivers that behave, and each way not to: small shell programs, spoken to as a client does.
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/base/text.h"
#include "harness/testing/cases.h"
#include "harness/testing/text.h"
#include "harness/wire/driver.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELLO "read hello; echo '{\"hello\": 1}'; "

static struct {
    char folder[40];
    char log_path[64];
    const char *command[4];
    struct external_client external_client;
    struct driver *driver;
    struct actor actor;
    struct driver_hold holds[2]; // of worker 1 and 2
    _Atomic uint32_t stop;
    int lost_worker;
    enum lost_reason lost_reason;
} fixture;
static struct driver_answer answer; // to the last request
static struct error error;

static void note_loss(void *context, struct driver_hold *hold, enum lost_reason reason)
{
    (void)context;
    fixture.lost_worker = hold->worker;
    fixture.lost_reason = reason;
}

static const char *const locks[] = {"lock", NULL};
static const struct service somebody_elses = {.kind = "redis",
                                              .topology = "sentinel",
                                              .sentinels = {{"10.0.0.7", 26379}},
                                              .sentinel_count = 1,
                                              .database = "mine/3",
                                              .external = true};

// Starts a shell program as a driver. 0, or -1 with `error` set.
static int start(const char *program, int64_t patience_ns)
{
    memset(&fixture, 0, sizeof fixture);
    error = (struct error){0};
    signal(SIGPIPE, SIG_IGN);
    snprintf(fixture.folder, sizeof fixture.folder, "/tmp/lockpick-driver-test-XXXXXX");
    assert_int_equal(test_folder_make(fixture.folder), 0);
    snprintf(fixture.log_path, sizeof fixture.log_path, "%s/log", fixture.folder);
    fixture.command[0] = "sh";
    fixture.command[1] = "-c";
    fixture.command[2] = program;
    fixture.external_client = (struct external_client){.name = "own",
                                                       .command = fixture.command,
                                                       .folder = fixture.folder,
                                                       .patience_ns = patience_ns};
    fixture.actor = (struct actor){.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
    struct driver_settings settings = {.external_client = &fixture.external_client,
                                       .service = &somebody_elses,
                                       .locks = locks,
                                       .log_path = fixture.log_path,
                                       .client = 1,
                                       .workers = 2,
                                       .lease_ns = NS_PER_S,
                                       .wait_ns = 50 * NS_PER_MS,
                                       .request_ns = 50 * NS_PER_MS,
                                       .stop = &fixture.stop,
                                       .lost = note_loss,
                                       .context = &fixture};
    fixture.driver = driver_start(&settings, &error);
    for (int i = 0; i < 2 && fixture.driver != NULL; i++) {
        fixture.holds[i] = (struct driver_hold){.worker = i + 1, .lock = "lock"};
        driver_add_hold(fixture.driver, &fixture.holds[i]);
    }
    return fixture.driver != NULL ? 0 : -1;
}

// True if the driver was well to its end.
static bool end(void)
{
    bool well = driver_stop(fixture.driver, &error);
    test_folder_remove(fixture.folder);
    return well;
}

static enum outcome ask(enum driver_ask what)
{
    struct driver_request request = {.ask = what,
                                     .hold = &fixture.holds[0],
                                     .lease_ns = NS_PER_S,
                                     .wait_ns = 50 * NS_PER_MS,
                                     .depth = 1};
    return driver_ask(fixture.driver, &fixture.actor, &request, &answer, &error);
}

// --- one that behaves ----------------------------------------------------------------------------

TEST(requests_are_answered_and_the_hello_says_all)
{
    // Writes to its log what it was told, and ends when it is told to.
    assert_int_equal(start("read hello; echo \"$hello\" >&2; echo '{\"hello\": 1}'; "
                           "read one; echo \"$one\" >&2; "
                           "echo '{\"id\": 1, \"answer\": \"held\", \"token\": 5}'; "
                           "read two; echo \"$two\" >&2; "
                           "echo '{\"id\": 2, \"answer\": \"gone\"}'; "
                           "read quit; echo \"$quit\" >&2",
                           10 * NS_PER_S),
                     0);
    assert_int_equal(ask(DRIVER_ACQUIRE), OUTCOME_OK);
    assert_int_equal(answer.line.word, DRIVER_HELD);
    assert_int_equal(answer.line.token, 5);
    assert_true(answer.lease_from_ns <= clock_monotonic_ns());
    assert_int_equal(ask(DRIVER_RELEASE), OUTCOME_OK);
    assert_int_equal(answer.line.word, DRIVER_GONE);
    assert_true(driver_stop(fixture.driver, &error));
    AUTO_TEXT struct text log = {0};
    assert_int_equal(file_read(fixture.log_path, &log, NULL), 0);
    assert_has(log.bytes, "\"hello\": 1, \"client\": 1, \"workers\": 2, \"lease_ms\": 1000");
    assert_has(log.bytes, "\"locks\": [\"lock\"]");
    assert_has(log.bytes, "\"sentinels\": [\"10.0.0.7:26379\"]");
    assert_has(log.bytes, "\"master\": \"mine\"");
    assert_has(log.bytes, "\"database\": \"3\"");
    assert_has(log.bytes, "{\"id\": 1, \"do\": \"acquire\", \"worker\": 1, \"lock\": \"lock\", "
                          "\"lease_ms\": 1000, \"wait_ms\": 50}\n");
    assert_has(log.bytes, "{\"id\": 2, \"do\": \"release\", \"worker\": 1, \"lock\": \"lock\"}\n");
    assert_has(log.bytes, "{\"do\": \"quit\"}\n");
    test_folder_remove(fixture.folder);
}

TEST(a_request_says_what_kind_of_hold_is_wanted)
{
    assert_int_equal(start(HELLO "read one; echo \"$one\" >&2; "
                                 "echo '{\"id\": 1, \"answer\": \"not-held\"}'; read quit",
                           10 * NS_PER_S),
                     0);
    struct driver_request request = {.ask = DRIVER_ACQUIRE,
                                     .hold = &fixture.holds[1],
                                     .lease_ns = NS_PER_S,
                                     .depth = 2,
                                     .permits = 3,
                                     .shared = true};
    assert_int_equal(driver_ask(fixture.driver, &fixture.actor, &request, &answer, &error),
                     OUTCOME_OK);
    assert_int_equal(answer.line.word, DRIVER_NOT_HELD);
    AUTO_TEXT struct text log = {0};
    assert_int_equal(file_read(fixture.log_path, &log, NULL), 0);
    assert_has(log.bytes, "\"worker\": 2, \"lock\": \"lock\", \"lease_ms\": 1000, \"wait_ms\": 0, "
                          "\"depth\": 2, \"permits\": 3, \"mode\": \"shared\"}\n");
    assert_true(end());
}

TEST(a_loss_is_told_while_the_lock_is_held_and_only_then)
{
#define LOST(worker)                                                                               \
    "echo '{\"answer\": \"lost\", \"worker\": " worker ", \"lock\": \"lock\", "                    \
    "\"reason\": \"session\"}'; "
    assert_int_equal(
        start(HELLO "read one; " LOST("1") "echo '{\"id\": 1, \"answer\": \"held\"}'; " LOST(
                  "2") "read two; " LOST("1") "echo '{\"id\": 2, \"answer\": \"gone\"}'; read quit",
              10 * NS_PER_S),
        0);
    assert_int_equal(ask(DRIVER_ACQUIRE), OUTCOME_OK);
    assert_int_equal(fixture.lost_worker, 0);
    assert_int_equal(ask(DRIVER_RENEW), OUTCOME_OK);
    assert_int_equal(answer.line.word, DRIVER_GONE);
    assert_int_equal(fixture.lost_worker, 1);
    assert_int_equal(fixture.lost_reason, LOST_SESSION);
    assert_true(end());
}

// --- those that do not ---------------------------------------------------------------------------

// Asks such a driver to lock, and holds it to what it is told then. Uptime in /proc is
// CLOCK_BOOTTIME, in hundredths of a second: good enough for times that are not to be believed.
static void expect_failure(const struct written_case *one)
{
    struct error last = {0};
    AUTO_TEXT struct text program = {0};
    bool hangs = strstr(one->name, " within 200 ms") != NULL;
    text_format(&program,
                "hello() { %s }\nnow() { read up rest < /proc/uptime; "
                "now=$(( (${up%%%%.*} + $1) * 1000000000 )); }\n%s",
                HELLO, one->body.bytes);
    if (start(program.bytes, hangs ? 200 * NS_PER_MS : 10 * NS_PER_S) == 0) {
        // The first may be answered before the driver goes wrong.
        enum outcome outcome = ask(DRIVER_ACQUIRE);
        if (outcome == OUTCOME_OK)
            outcome = ask(DRIVER_RELEASE);
        if (outcome != OUTCOME_BROKEN || driver_stop(fixture.driver, &last))
            fail_case(one, "it is not broken");
        assert_string_equal(last.text, error.text);
    } else {
        test_folder_remove(fixture.folder);
    }
    case_expects(one, error.text);
}

TEST(one_that_does_not_behave_is_blamed_in_words)
{
    each_case("harness/wire/cases/drivers.cases", 20, expect_failure);
}

// --- one that cannot be started: why, and what to do about it ------------------------------------

TEST_FOLDER("/tmp/lockpick-driver-advice-XXXXXX");

static void write_script(const char *name, const char *text, mode_t mode)
{
    AUTO_FREE char *path = path_join(folder, name);
    assert_int_equal(file_write(path, text, strlen(text), &error), 0);
    assert_int_equal(chmod(path, mode), 0);
}

TEST_WITH(a_command_that_cannot_be_started_is_named_with_the_reason_and_the_remedy,
          make_test_folder, remove_test_folder)
{
    static const struct {
        const char *where, *program, *wanted; // NULL: in the folder
    } cases[] = {
        {"/tmp", "./no-such-driver", "the driver of the scheme own, in the folder /tmp"},
        {"/tmp", "./no-such-driver", "./no-such-driver: No such file or directory"},
        {NULL, "./none.py", "; there is no file /tmp/lockpick-driver-advice-"},
        {NULL, "/no/such/program", "; there is no file /no/such/program"},
        {NULL, "./plain.py", "Permission denied; make it executable (chmod +x "},
        {NULL, "./plain.py", "or put that first: [python3, ./plain.py]"},
        {NULL, "./strange.py",
         "; its first line says that /usr/bin/pyton3 runs it, which is not there"},
        {NULL, "perll-of-nobody", "; no program of that name is installed"},
        {NULL, "plain.py", "; a program in the folder is named by a path: ./plain.py"},
        {NULL, "python3 plain.py",
         "; 'command' is a list of the program and its arguments: [python3, lock.py]"},
        {"/no/such/folder", "sh", "in the folder /no/such/folder: "},
        {"/no/such/folder", "sh", "; there is no such folder"},
    };
    write_script("plain.py", "#!/usr/bin/python3\n", 0644);
    write_script("strange.py", "#! /usr/bin/pyton3 -u\n", 0755);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const command[] = {cases[i].program, NULL};
        struct external_client external_client = {.name = "own",
                                                  .command = command,
                                                  .folder =
                                                      cases[i].where ? cases[i].where : folder,
                                                  .patience_ns = NS_PER_S};
        _Atomic uint32_t stop = 0;
        struct driver_settings settings = {
            .external_client = &external_client, .locks = locks, .stop = &stop};
        MUST_FAIL(NULL, driver_start(&settings, &error), cases[i].wanted);
    }
}

// --- what is not its fault -----------------------------------------------------------------------

TEST(an_answer_that_the_end_of_the_trial_overtakes_is_unknown)
{
    assert_int_equal(start(HELLO "read one; read two", 300 * NS_PER_MS), 0);
    atomic_store(&fixture.stop, 1);
    assert_int_equal(ask(DRIVER_ACQUIRE), OUTCOME_UNKNOWN);
    assert_true(end());
}

// A trial whose time is over lets everybody wait for the lock to the end: an acquire that is never
// answered is known to hang then.
TEST(an_acquire_that_outlasts_the_trial_s_time_has_as_long_as_ever)
{
    assert_int_equal(start(HELLO "read one; read two", 300 * NS_PER_MS), 0);
    atomic_store(&fixture.stop, DRIVER_STOP_IN_TIME);
    assert_int_equal(ask(DRIVER_ACQUIRE), OUTCOME_BROKEN);
    assert_has(error.text, "hangs: \"acquire\"");
    assert_false(end());
}

// It answers long after its patience of 200 ms, having worked all the while.
TEST(one_that_is_at_work_has_more_patience)
{
    assert_int_equal(start(HELLO "read one; timeout 1 sh -c 'while :; do :; done'; "
                                 "echo '{\"id\": 1, \"answer\": \"not-held\"}'; read two",
                           NS_PER_S),
                     0);
    assert_int_equal(ask(DRIVER_ACQUIRE), OUTCOME_OK);
    assert_int_equal(answer.line.word, DRIVER_NOT_HELD);
    assert_true(end());
}

// In a process of its own, which is stopped with its driver: the driver answers when it goes on.
static void be_stopped_client(int report)
{
    setpgid(0, 0);
    int result = start(HELLO "answer() { echo '{\"id\": 1, \"answer\": \"held\"}'; }; "
                             "read one; trap answer CONT; echo waiting >&2; "
                             "while :; do sleep 0.02; done",
                       600 * NS_PER_MS);
    int64_t began_ns = clock_monotonic_ns();
    (void)!write(report, &(char){'r'}, 1);
    bool well = result == 0 && ask(DRIVER_ACQUIRE) == OUTCOME_OK;
    // What its server was asked was asked before the stop.
    well = well && answer.lease_from_ns < began_ns + 400 * NS_PER_MS;
    fprintf(stderr, "%s", error.text);
    test_folder_remove(fixture.folder);
    _exit(well ? 0 : 1); // and the driver with us
}

TEST(a_driver_that_was_stopped_with_its_client_does_not_hang)
{
    int report[2];
    char ready;
    int status = -1;
    assert_int_equal(pipe(report), 0);
    pid_t client = fork();
    if (client == 0)
        be_stopped_client(report[1]);
    assert_int_equal(read(report[0], &ready, 1), 1);
    clock_sleep_until_ns(clock_monotonic_ns() + 100 * NS_PER_MS); // the request is on its way
    kill(-client, SIGSTOP);
    clock_sleep_until_ns(clock_monotonic_ns() + 900 * NS_PER_MS);
    kill(-client, SIGCONT);
    assert_int_equal(waitpid(client, &status, 0), client);
    assert_int_equal(status, 0);
    close(report[0]);
    close(report[1]);
}
