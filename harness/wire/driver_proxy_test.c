// A driver behind a proxy: what follows for whoever waits for it while its requests are held.
#include "harness/testing/test.h"
#include "harness/wire/test_proxy.h"

#include "harness/base/file.h"
#include "harness/wire/driver.h"

#include <pthread.h>

// Two PINGs for the first request, with a pause between; one for the second, whose reply it awaits
// for a short time only.
#define DRIVER                                                                                     \
    "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; "                     \
    "echo '{\"hello\": 1}'; read one; echo PING >&3; read -u 3 pong; sleep 0.05; echo PING "       \
    ">&3; read -u 3 pong; "                                                                        \
    "echo '{\"id\": 1, \"answer\": \"held\"}'; read two; echo PING >&3; read -t 0.3 -u 3 pong; "   \
    "echo '{\"id\": 2, \"answer\": \"released\"}'; read quit"

#define HELD_NS (500 * NS_PER_MS)

struct holder {
    struct fixture *fixture;
    _Atomic int64_t reached_ns, left_ns;
};

static void *hold_for_a_while(void *context)
{
    struct holder *holder = context;
    struct point_trap *trap = &holder->fixture->board->traps[0];
    await_state(trap, POINT_REACHED);
    atomic_store(&holder->reached_ns, clock_monotonic_ns());
    clock_sleep_until_ns(clock_monotonic_ns() + HELD_NS);
    atomic_store(&holder->left_ns, clock_monotonic_ns());
    point_let_go(holder->fixture->board, trap);
    return NULL;
}

// One request to the driver, held at its PING.
static int ask_and_hold(struct fixture *fixture, struct driver *driver, enum driver_ask what,
                        struct driver_hold *hold, enum point_side side)
{
    struct holder holder = {.fixture = fixture};
    struct history_writer writer;
    struct driver_answer answer;
    struct error error = {0};
    pthread_t thread;
    enum phase phase = what == DRIVER_ACQUIRE ? PHASE_ACQUIRE : PHASE_RELEASE;
    struct actor actor = {
        .client = 1, .worker = 1, .phase = phase, .board = fixture->board, .history = &writer};
    struct driver_request request = {.ask = what, .hold = hold, .lease_ns = NS_PER_S};
    struct point_trap *trap = &fixture->board->traps[0];
    history_writer_start(&writer, &fixture->history, 1, 1);
    *trap = (struct point_trap){
        .client = 1, .worker = 1, .match_count = 1, .nth = what == DRIVER_ACQUIRE ? 2 : 1};
    trap->matches[0] = (struct point_match){.side = side, .phase = phase};
    // Of any request, if it is the second: the one to the driver is none.
    strcpy(trap->matches[0].what, what == DRIVER_ACQUIRE ? "PING" : "");
    point_arm(fixture->board, trap);
    CHECK(pthread_create(&thread, NULL, hold_for_a_while, &holder) == 0);
    enum outcome outcome = driver_ask(driver, &actor, &request, &answer, &error);
    int64_t returned_ns = clock_monotonic_ns();
    pthread_join(thread, NULL);
    fprintf(stderr, "%s", error.text);
    CHECK(outcome == OUTCOME_OK);
    // The worker went on after the hold, even if its driver had answered; and what was granted may
    // have been asked for by what its driver had sent before.
    CHECK(returned_ns >= atomic_load(&holder.left_ns));
    if (what == DRIVER_ACQUIRE)
        CHECK(answer.lease_from_ns <= atomic_load(&holder.reached_ns) - 50 * NS_PER_MS);
    CHECK(actor.requests[phase] == (what == DRIVER_ACQUIRE ? 2 : 1) && !actor.is_uncounted);
    return 0;
}

static const char *const locks[] = {"lock", NULL};

static struct driver_settings settings_of(const struct fixture *fixture,
                                          const struct foreign_settings *foreign,
                                          const _Atomic uint32_t *stopped)
{
    return (struct driver_settings){.foreign = foreign,
                                    .service = &fixture->service,
                                    .locks = locks,
                                    .client = 1,
                                    .workers = 2,
                                    .request_ns = 100 * NS_PER_MS,
                                    .stop = stopped,
                                    .has_proxy = true,
                                    .board = fixture->board,
                                    .history = &fixture->history};
}

static int a_driver_is_not_blamed_for_being_held(struct fixture *fixture)
{
    static const char *const command[] = {"bash", "-c", DRIVER, NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = "", .patience_ns = 100 * NS_PER_MS};
    _Atomic uint32_t never = 0;
    struct error error = {0};
    struct driver_settings settings = settings_of(fixture, &foreign, &never);
    foreign.patience_ns = 10 * NS_PER_S; // until it has started
    struct driver *driver = driver_start(&settings, &error);
    fprintf(stderr, "%s", error.text);
    CHECK(driver != NULL);
    foreign.patience_ns = 100 * NS_PER_MS;
    struct driver_hold hold = {.worker = 1, .lock = "lock"};
    driver_add_hold(driver, &hold);
    CHECK(ask_and_hold(fixture, driver, DRIVER_ACQUIRE, &hold, POINT_AFTER) == 0);
    foreign.patience_ns = 10 * NS_PER_S;
    CHECK(ask_and_hold(fixture, driver, DRIVER_RELEASE, &hold, POINT_BEFORE) == 0);
    driver_remove_hold(driver, &hold);
    CHECK(driver_stop(driver, &error));
    return 0;
}

// A lock that does not say how long it is valid was asked for before a reply that took long, and
// before the last reply, however late the answer to it was given.
static int a_late_answer_is_no_longer_lease(struct fixture *fixture, const char *program)
{
    const char *const command[] = {"bash", "-c", program, NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = "", .patience_ns = 10 * NS_PER_S};
    _Atomic uint32_t never = 0;
    struct error error = {0};
    struct driver_answer answer;
    struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
    struct driver_settings settings = settings_of(fixture, &foreign, &never);
    struct driver *driver = driver_start(&settings, &error);
    fprintf(stderr, "%s", error.text);
    CHECK(driver != NULL);
    struct driver_hold hold = {.worker = 1, .lock = "lock"};
    struct driver_request request = {.ask = DRIVER_ACQUIRE, .hold = &hold, .lease_ns = NS_PER_S};
    driver_add_hold(driver, &hold);
    CHECK(driver_ask(driver, &actor, &request, &answer, &error) == OUTCOME_OK);
    CHECK(answer.lease_from_ns <= clock_monotonic_ns() - 300 * NS_PER_MS && answer.is_anchored);
    driver_remove_hold(driver, &hold);
    CHECK(driver_stop(driver, &error));
    return 0;
}

#define CONNECT                                                                                    \
    "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; "                     \
    "echo '{\"hello\": 1}'; read one; "
#define HELD "echo '{\"id\": 1, \"answer\": \"held\"}'; read quit"
static const char slow_reply[] =
    CONNECT "echo BLPOP none 0.3 >&3; read -u 3 nothing; echo PING >&3; read -u 3 pong; " HELD;
static const char slow_answer[] = CONNECT "echo PING >&3; read -u 3 pong; sleep 0.3; " HELD;

// A worker that asks for the lock, in a thread of its own.
struct asker {
    pthread_t thread;
    struct driver *driver;
    struct driver_hold hold;
    struct driver_answer answer;
    enum outcome outcome;
    int64_t returned_ns;
};

static void *ask_as_worker(void *context)
{
    struct asker *asker = context;
    struct error error;
    struct actor actor = {.client = 1, .worker = asker->hold.worker, .phase = PHASE_ACQUIRE};
    struct driver_request request = {
        .ask = DRIVER_ACQUIRE, .hold = &asker->hold, .lease_ns = NS_PER_S};
    asker->outcome = driver_ask(asker->driver, &actor, &request, &asker->answer, &error);
    asker->returned_ns = clock_monotonic_ns();
    return NULL;
}

// Of two workers at a time, it is not known whose reply the last one was: the first's lease may
// count from what it had asked alone before the other came, and is not told from the later one.
static int an_answer_among_others_counts_from_the_earliest_that_may_be_its(struct fixture *fixture)
{
    static const char *const command[] = {
        "bash", "-c",
        "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; echo '{\"hello\": "
        "1}'; read one; echo PING >&3; read -u 3 pong; : > told; read two; sleep 0.2; echo PING "
        ">&3; "
        "read -u 3 pong; echo '{\"id\": 1, \"answer\": \"held\"}'; echo '{\"id\": 2, \"answer\": "
        "\"not-held\"}'; read quit",
        NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = fixture->folder, .patience_ns = 10 * NS_PER_S};
    _Atomic uint32_t never = 0;
    struct error error = {0};
    struct driver_settings settings = settings_of(fixture, &foreign, &never);
    struct asker askers[] = {{.hold = {.worker = 1, .lock = "lock"}},
                             {.hold = {.worker = 2, .lock = "lock"}}};
    struct driver *driver = driver_start(&settings, &error);
    char *told = path_join(fixture->folder, "told");
    fprintf(stderr, "%s", error.text);
    CHECK(driver != NULL);
    for (int i = 0; i < 2; i++) {
        askers[i].driver = driver;
        driver_add_hold(driver, &askers[i].hold);
        CHECK(pthread_create(&askers[i].thread, NULL, ask_as_worker, &askers[i]) == 0);
        // The second comes once the first has sent something.
        int64_t give_up_ns = clock_monotonic_ns() + 10 * NS_PER_S;
        while (access(told, F_OK) != 0 && clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
    free(told);
    for (int i = 0; i < 2; i++)
        pthread_join(askers[i].thread, NULL);
    CHECK(askers[0].outcome == OUTCOME_OK);
    CHECK(askers[0].answer.lease_from_ns <= askers[0].returned_ns - 200 * NS_PER_MS);
    CHECK(!askers[0].answer.is_anchored);
    for (int i = 0; i < 2; i++)
        driver_remove_hold(driver, &askers[i].hold);
    CHECK(driver_stop(driver, &error));
    return 0;
}

// The trial ends before the driver has answered, and the worker goes; what the driver sends after
// that is still of that worker's acquire.
static int a_request_may_come_after_its_worker_has_gone(struct fixture *fixture)
{
    const char *const command[] = {
        "bash", "-c",
        "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; echo '{\"hello\": "
        "1}'; read one; until [ -e gone ]; do sleep 0.01; done; echo PING >&3; read -u 3 pong; "
        "read quit",
        NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = fixture->folder, .patience_ns = 10 * NS_PER_S};
    _Atomic uint32_t stopped = 0;
    struct error error = {0};
    struct driver_answer answer;
    struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
    struct driver_settings settings = settings_of(fixture, &foreign, &stopped);
    struct driver *driver = driver_start(&settings, &error);
    fprintf(stderr, "%s", error.text);
    CHECK(driver != NULL);
    struct driver_hold hold = {.worker = 1, .lock = "lock"};
    struct driver_request request = {.ask = DRIVER_ACQUIRE, .hold = &hold, .lease_ns = NS_PER_S};
    driver_add_hold(driver, &hold);
    foreign.patience_ns = 100 * NS_PER_MS;
    atomic_store(&stopped, 1);
    CHECK(driver_ask(driver, &actor, &request, &answer, &error) == OUTCOME_UNKNOWN);
    driver_remove_hold(driver, &hold);
    memset(&hold, 0, sizeof hold);
    struct point_trap *trap = &fixture->board->traps[0];
    *trap = (struct point_trap){.client = 1, .worker = 1, .match_count = 1, .nth = 1};
    trap->matches[0] =
        (struct point_match){.side = POINT_BEFORE, .phase = PHASE_ACQUIRE, .what = "PING"};
    point_arm(fixture->board, trap);
    char *path = path_join(fixture->folder, "gone");
    CHECK(file_write(path, "", 0, &error) == 0);
    free(path);
    bool is_reached = await_state(trap, POINT_REACHED);
    point_let_go(fixture->board, trap);
    CHECK(is_reached);
    CHECK(driver_stop(driver, &error));
    return 0;
}

static int try_driver(const struct sandbox *sandbox, void *context)
{
    (void)context;
    struct fixture fixture;
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return NO_NETWORK;
    int result = start(&fixture, sandbox);
    result = result != 0 ? result : a_driver_is_not_blamed_for_being_held(&fixture);
    result = result != 0 ? result : a_late_answer_is_no_longer_lease(&fixture, slow_reply);
    result = result != 0 ? result : a_late_answer_is_no_longer_lease(&fixture, slow_answer);
    result = result != 0
                 ? result
                 : an_answer_among_others_counts_from_the_earliest_that_may_be_its(&fixture);
    result = result != 0 ? result : a_request_may_come_after_its_worker_has_gone(&fixture);
    if (result == 0)
        end(&fixture);
    return result;
}

TEST(a_hold_is_no_fault_of_the_driver_s_and_stops_its_worker)
{
    try_in_sandbox(try_driver);
}

static int run(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN);
    return tests_run(count, words);
}

TEST_MAIN(run);
