// What workers are told of a driver's answers. The drivers are shell programs that say what the
// test wants them to.
#include "harness/locks/lock.h"

#include "harness/base/test_folder.h"
#include "harness/base/text.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <signal.h>

// Answers each request by the next of the words given, `held`, `gone`, ..., each a whole rest of
// an answer.
#define DRIVER                                                                                     \
    "read hello; echo '{\"hello\": 1}'; for word in \"$@\"; do read request; "                     \
    "id=${request#*: }; id=${id%%,*}; echo \"{\\\"id\\\": $id, \\\"answer\\\": $word}\"; done; "   \
    "read quit"

#define LEASE_NS (900 * NS_PER_MS)

struct fixture {
    const char *command[12];
    struct external_client external_client;
    struct lock_scheme scheme;
    _Atomic uint32_t stop;
    struct actor actor;
    struct lock_client client;
    struct lock lock;
};

static void open_command(struct fixture *fixture, const char *const *traits, bool renew,
                         const char *const *command)
{
    struct error error = {0};
    memset(fixture, 0, sizeof *fixture);
    for (size_t i = 0; command[i] != NULL; i++)
        fixture->command[i] = command[i];
    fixture->external_client = (struct external_client){.name = "own",
                                                        .command = fixture->command,
                                                        .folder = "",
                                                        .traits = traits,
                                                        .patience_ns = 10 * NS_PER_S,
                                                        .renew = renew};
    fixture->scheme = exec_scheme(&fixture->external_client);
    fixture->actor = (struct actor){.client = 1, .worker = 1, .phase = PHASE_NONE};
    fixture->client = (struct lock_client){.scheme = &fixture->scheme,
                                           .options = {.name = "lock",
                                                       .lease_ns = LEASE_NS,
                                                       .wait_ns = NS_PER_S,
                                                       .request_ns = NS_PER_S},
                                           .number = 1,
                                           .stop = &fixture->stop,
                                           .first = &fixture->client,
                                           .keys = 1,
                                           .workers = 1};
    fixture->lock = (struct lock){.client = &fixture->client, .actor = &fixture->actor};
    MUST_BE(0, lock_client_open(&fixture->client, &error));
    assert_int_equal(lock_open(&fixture->lock, &error), 0);
}

#define OPEN(fixture, traits, renew, ...)                                                          \
    open_command(fixture, traits, renew,                                                           \
                 (const char *const[]){"sh", "-c", DRIVER, "driver", __VA_ARGS__, NULL})

static void close_all(struct fixture *fixture)
{
    lock_close(&fixture->lock);
    lock_client_close(&fixture->client);
    assert_string_equal(fixture->client.error.text, "");
}

static const char *const checked[] = {"exclusive", "lease", "owner-checked", "reentrant", NULL};
static const char *const plain[] = {"exclusive", NULL};

TEST(each_answer_has_its_outcome)
{
    struct fixture fixture;
    struct grant grant;
    OPEN(&fixture, checked, false, "\"not-held\"", "\"unknown\"", "\"held\"", "\"released\"",
         "\"not-owner\"", "\"gone\"", "\"unknown\"");
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_NO);
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_UNKNOWN);
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_RELEASED);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_NOT_OWNER);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_GONE);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_UNKNOWN);
    close_all(&fixture);
    OPEN(&fixture, plain, false, "\"held\"", "\"released\"");
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    assert_true(grant.valid_until_ns == TIME_NEVER);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_UNCHECKED);
    close_all(&fixture);
}

TEST(a_hold_is_valid_for_as_long_as_the_driver_says)
{
    struct fixture fixture;
    struct grant grant;
    OPEN(&fixture, checked, false, "\"held\", \"valid_ms\": 500", "\"gone\"", "\"held\"");
    int64_t before_ns = clock_monotonic_ns();
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    int64_t after_ns = clock_monotonic_ns();
    assert_in_range(grant.valid_until_ns, before_ns + 500 * NS_PER_MS, after_ns + 500 * NS_PER_MS);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_GONE);
    // If it does not, for a lease from when it was asked, or from a little before its answer.
    before_ns = clock_monotonic_ns();
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    after_ns = clock_monotonic_ns();
    assert_in_range(grant.valid_until_ns, before_ns + LEASE_NS, after_ns + LEASE_NS);
    close_all(&fixture);
}

// Asks its server 20 ms after it was called, which answers 20 ms later, and says so 50 ms late; at
// first when it asked, then until when it believes to hold the lock.
static const char timed_driver[] =
    "import sys, time\n"
    "now = time.monotonic_ns\n"
    "def hear(): return sys.stdin.readline()\n"
    "def say(text): print(text, flush=True)\n"
    "hear(); say('{\"hello\": 1}')\n"
    "for id, word in enumerate(['held', 'released', 'held'], 1):\n"
    "    hear(); called = now(); time.sleep(0.02); asked = now(); time.sleep(0.02); returned = "
    "now()\n"
    "    time.sleep(0.05)\n"
    "    more = {1: ', \"request_ns\": %d' % asked, 2: '',\n"
    "            3: ', \"valid_until_ns\": %d' % (returned + 100000000)}[id]\n"
    "    say('{\"id\": %d, \"answer\": \"%s\", \"from_ns\": %d, \"to_ns\": %d%s}'\n"
    "        % (id, word, called, returned, more))\n"
    "hear()\n";

TEST(the_times_that_a_driver_says_are_those_of_the_grant)
{
    struct fixture fixture;
    struct grant grant;
    const struct library_call *call = &fixture.lock.call;
    open_command(&fixture, checked, false,
                 (const char *const[]){"/usr/bin/python3", "-c", timed_driver, NULL});
    int64_t before_ns = clock_monotonic_ns();
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    assert_true(call->from_ns >= before_ns);
    assert_true(call->to_ns <= clock_monotonic_ns() - 50 * NS_PER_MS);
    assert_in_range(grant.valid_until_ns - LEASE_NS, call->from_ns + 20 * NS_PER_MS,
                    call->to_ns - 20 * NS_PER_MS);
    assert_int_equal(grant.detail, ACQUIRE_PLAIN);
    before_ns = clock_monotonic_ns();
    assert_int_equal(lock_release(&fixture.lock), RELEASE_RELEASED);
    assert_true(call->from_ns >= before_ns && call->to_ns > call->from_ns);
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    // Both clocks are read, one after the other.
    assert_in_range(grant.valid_until_ns, call->to_ns + 100 * NS_PER_MS,
                    call->to_ns + 110 * NS_PER_MS);
    assert_int_equal(grant.detail, ACQUIRE_PLAIN);
    close_all(&fixture);
}

// Several workers' requests are no one's, and without a proxy nobody sees any: it may have been
// asked for as soon as the driver was.
TEST(a_lease_of_which_nothing_is_known_counts_from_when_it_was_asked_for)
{
    struct fixture fixture;
    struct grant grant;
    open_command(&fixture, checked, false,
                 (const char *const[]){"sh", "-c",
                                       "read hello; echo '{\"hello\": 1}'; read one; sleep 0.3; "
                                       "echo '{\"id\": 1, \"answer\": \"held\"}'; read quit",
                                       NULL});
    int64_t before_ns = clock_monotonic_ns();
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    assert_int_equal(grant.detail, ACQUIRE_UNANCHORED);
    assert_true(grant.valid_until_ns >= before_ns + LEASE_NS);
    assert_true(grant.valid_until_ns <= clock_monotonic_ns() - 300 * NS_PER_MS + LEASE_NS);
    close_all(&fixture);
}

TEST(no_hold_is_valid_for_longer_than_a_lease)
{
    struct fixture fixture;
    struct grant grant;
    OPEN(&fixture, checked, false, "\"held\", \"valid_ms\": 3600000", "\"gone\"",
         "\"held\", \"valid_ms\": 9223372036854775807");
    for (int i = 0; i < 2; i++) {
        int64_t before_ns = clock_monotonic_ns();
        assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
        int64_t after_ns = clock_monotonic_ns();
        assert_in_range(grant.valid_until_ns, before_ns + LEASE_NS, after_ns + LEASE_NS);
        if (i == 0)
            assert_int_equal(lock_release(&fixture.lock), RELEASE_GONE);
    }
    close_all(&fixture);
}

#define PAUSE_NS (150 * NS_PER_MS)

struct pause {
    struct point_board *board;
    int64_t reached_ns;
};

static void *let_go_after_a_pause(void *context)
{
    struct pause *pause = context;
    struct point_trap *trap = &pause->board->traps[0];
    int64_t give_up_ns = clock_monotonic_ns() + 10 * NS_PER_S;
    while (atomic_load(&trap->state) != POINT_REACHED && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    pause->reached_ns = clock_monotonic_ns();
    clock_sleep_until_ns(clock_monotonic_ns() + PAUSE_NS);
    point_let_go(pause->board, trap);
    return NULL;
}

// A worker that is stopped once the lock was granted gets no more of the lease for it.
TEST(a_pause_behind_the_grant_does_not_prolong_it)
{
    struct fixture fixture;
    struct grant grant;
    struct history_file history;
    struct history_writer writer;
    pthread_t thread;
    char folder[] = "/tmp/lockpick-exec-test-XXXXXX";
    char path[64];
    assert_int_equal(test_folder_make(folder), 0);
    snprintf(path, sizeof path, "%s/history", folder);
    assert_int_equal(history_file_create(path, 1000, 1, &history, NULL), 0);
    history_writer_start(&writer, &history, 1, 1);
    struct pause pause = {.board = memory_shared(sizeof *pause.board)};
    struct point_trap *trap = &pause.board->traps[0];
    *trap = (struct point_trap){.client = 1, .match_count = 1, .nth = 1};
    trap->matches[0] =
        (struct point_match){.side = POINT_AFTER, .phase = PHASE_NONE, .what = "acquire"};
    OPEN(&fixture, checked, false, "\"held\", \"valid_ms\": 800");
    fixture.actor.board = pause.board;
    fixture.actor.history = &writer;
    point_arm(pause.board, trap);
    assert_int_equal(pthread_create(&thread, NULL, let_go_after_a_pause, &pause), 0);
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    pthread_join(thread, NULL);
    assert_true(grant.valid_until_ns <= pause.reached_ns + 800 * NS_PER_MS);
    close_all(&fixture);
    history_file_close(&history);
    test_folder_remove(folder);
}

TEST(a_worker_locks_again_and_gives_that_back)
{
    struct fixture fixture;
    struct grant grant;
    OPEN(&fixture, checked, false, "\"held\"", "\"held\", \"valid_ms\": 800", "\"released\"",
         "\"released\"");
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(&fixture.lock, &grant), OUTCOME_OK);
    assert_int_equal(lock_leave(&fixture.lock), RELEASE_RELEASED);
    assert_int_equal(lock_release(&fixture.lock), RELEASE_RELEASED);
    close_all(&fixture);
}

TEST(a_renewal_that_is_refused_tells_the_worker)
{
    struct fixture fixture;
    struct grant grant;
    OPEN(&fixture, checked, true, "\"held\"", "\"renewed\"", "\"gone\"");
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    AWAIT(atomic_load(&fixture.lock.lost) == LOST_NOT_OWNER);
    close_all(&fixture);
}

TEST(a_fenced_workload_needs_tokens)
{
    struct fixture fixture;
    struct grant grant;
    OPEN(&fixture, checked, false, "\"held\", \"token\": 7", "\"held\"");
    fixture.lock.options.fenced = true;
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_OK);
    assert_int_equal(grant.token, 7);
    assert_int_equal(lock_acquire(&fixture.lock, &grant), OUTCOME_BROKEN);
    assert_non_null(strstr(fixture.lock.error.text, "without a \"token\""));
    close_all(&fixture);
}

static int run(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN);
    return tests_run(count, words);
}

TEST_MAIN(run);
