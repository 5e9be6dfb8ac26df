// When a driver may have said what is heard: not later than it was, however late it is heard.
#include "harness/testing/test.h"
#include "harness/wire/driver.h"
#include "harness/wire/test_proxy.h"

#define CONNECT                                                                                    \
    "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; "                     \
    "echo '{\"hello\": 1}'; read one; "
#define PING "echo PING >&3; read -u 3 pong; "
#define HELD "echo '{\"id\": 1, \"answer\": \"held\", \"valid_ms\": 1000}'; read quit"

// Asks a shell program for the lock. Sets how long before it was heard its answer may have been
// said, and how long all took.
static int ask_one(struct fixture *fixture, const char *program, int64_t *before_ns,
                   int64_t *whole_ns)
{
    static const char *const locks[] = {"lock", NULL};
    const char *const command[] = {"bash", "-c", program, NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = "", .patience_ns = 10 * NS_PER_S};
    struct error error = {0};
    struct driver_answer answer;
    struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
    struct driver_hold hold = {.worker = 1, .lock = "lock"};
    struct driver_request request = {.ask = DRIVER_ACQUIRE, .hold = &hold, .lease_ns = NS_PER_S};
    _Atomic uint32_t never = 0;
    struct driver_settings settings = {.foreign = &foreign,
                                       .service = &fixture->service,
                                       .locks = locks,
                                       .client = 1,
                                       .workers = 1,
                                       .request_ns = NS_PER_S,
                                       .stop = &never,
                                       .has_proxy = true,
                                       .board = fixture->board,
                                       .history = &fixture->history};
    struct driver *driver = driver_start(&settings, &error);
    fprintf(stderr, "%s", error.text);
    CHECK(driver != NULL);
    driver_add_hold(driver, &hold);
    int64_t from_ns = clock_monotonic_ns();
    CHECK(driver_ask(driver, &actor, &request, &answer, &error) == OUTCOME_OK);
    // What it says is valid for a lease counts from when it says it.
    *before_ns = clock_monotonic_ns() - answer.lease_from_ns;
    *whole_ns = clock_monotonic_ns() - from_ns;
    driver_remove_hold(driver, &hold);
    CHECK(driver_stop(driver, &error));
    return 0;
}

// What comes 200 ms after the last reply may have been said right after it, and be heard late: its
// validity counts from there. Where nothing was asked meanwhile, it may have been said at any time.
static int try_drivers(const struct sandbox *sandbox, void *context)
{
    (void)context;
    struct fixture fixture;
    int64_t before_ns, whole_ns;
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return NO_NETWORK;
    CHECK(start(&fixture, sandbox) == 0);
    CHECK(ask_one(&fixture, CONNECT PING "sleep 0.2; " HELD, &before_ns, &whole_ns) == 0);
    CHECK(before_ns >= 200 * NS_PER_MS && before_ns <= whole_ns);
    CHECK(ask_one(&fixture, CONNECT PING "sleep 0.2; " PING HELD, &before_ns, &whole_ns) == 0);
    CHECK(before_ns <= whole_ns - 200 * NS_PER_MS);
    CHECK(ask_one(&fixture, CONNECT "sleep 0.2; " HELD, &before_ns, &whole_ns) == 0);
    CHECK(before_ns >= 200 * NS_PER_MS && before_ns <= whole_ns);
    end(&fixture);
    return 0;
}

TEST(a_grant_is_valid_from_the_last_reply_on_however_late_it_is_heard)
{
    try_in_sandbox(try_drivers);
}

static int run(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN);
    return tests_run(count, words);
}

TEST_MAIN(run);
