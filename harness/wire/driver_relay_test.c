// A driver behind a relay: what follows for whoever waits for it while its requests are held.
#include "harness/wire/test_relay.h"

#include "harness/wire/driver.h"

#include <pthread.h>

// Two PINGs for the first request; one for the second, whose reply it awaits for a short time only.
#define DRIVER                                                                                     \
    "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; "                     \
    "echo '{\"hello\": 1}'; read one; echo PING >&3; read -u 3 pong; echo PING >&3; read -u 3 "    \
    "pong; "                                                                                       \
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
    *trap = (struct point_trap){.client = 1, .worker = 1, .match_count = 1, .nth = 1};
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
    // The worker went on after the hold, even if its driver had answered; and what was granted
    // was asked for before.
    CHECK(returned_ns >= atomic_load(&holder.left_ns));
    CHECK(answer.asked_ns <= atomic_load(&holder.reached_ns));
    CHECK(actor.requests[phase] == (what == DRIVER_ACQUIRE ? 2 : 1) && !actor.is_uncounted);
    return 0;
}

static int a_driver_is_not_blamed_for_being_held(struct fixture *fixture)
{
    static const char *const command[] = {"bash", "-c", DRIVER, NULL};
    static const char *const locks[] = {"lock", NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = "", .patience_ns = 100 * NS_PER_MS};
    _Atomic uint32_t never = 0;
    struct error error = {0};
    struct driver_settings settings = {.foreign = &foreign,
                                       .service = &fixture->service,
                                       .locks = locks,
                                       .client = 1,
                                       .workers = 1,
                                       .request_ns = 100 * NS_PER_MS,
                                       .stop = &never,
                                       .has_relay = true,
                                       .board = fixture->board,
                                       .history = &fixture->history};
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

static int try_driver(const struct sandbox *sandbox, void *context)
{
    (void)context;
    struct fixture fixture;
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return NO_NETWORK;
    int result = start(&fixture, sandbox);
    result = result != 0 ? result : a_driver_is_not_blamed_for_being_held(&fixture);
    if (result == 0)
        end(&fixture);
    return result;
}

static void a_hold_is_no_fault_of_the_driver_s_and_stops_its_worker(void **state)
{
    (void)state;
    try_in_sandbox(try_driver);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hold_is_no_fault_of_the_driver_s_and_stops_its_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
