// A driver behind a proxy: what follows for whoever waits for it while its requests are held, and
// from when on what it says counts, however late it is heard.
#include "harness/testing/test.h"
#include "harness/wire/test_proxy.h"

#include "harness/base/file.h"
#include "harness/wire/driver.h"

#include <pthread.h>

#define CONNECT                                                                                    \
    "exec 3<>/dev/tcp/${LOCKPICK_REDIS%:*}/${LOCKPICK_REDIS#*:}; read hello; "                     \
    "echo '{\"hello\": 1}'; read one; "
#define PING "echo PING >&3; read -u 3 pong; "
#define ANSWER(id, rest) "echo '{\"id\": " id ", \"answer\": \"" rest "}'; "

static const char *const locks[] = {"lock", NULL};

// A driver that a test talks to, as worker 1.
struct talk {
    const char *command[4];
    struct external_client external_client;
    _Atomic uint32_t stopped;
    struct driver *driver;
    struct driver_hold hold;
    struct driver_answer answer;
    struct error error;
};

// Starts the shell program; from then on it has so much patience.
static int begin(struct fixture *fixture, struct talk *talk, const char *program,
                 int64_t patience_ns)
{
    *talk = (struct talk){.command = {"bash", "-c", program},
                          .external_client = {.name = "own",
                                              .command = talk->command,
                                              .folder = fixture->server.folder,
                                              .patience_ns = 10 * NS_PER_S},
                          .hold = {.worker = 1, .lock = "lock"}};
    const struct driver_settings settings = {.external_client = &talk->external_client,
                                             .service = &fixture->server.service,
                                             .locks = locks,
                                             .client = 1,
                                             .workers = 2,
                                             .request_ns = 100 * NS_PER_MS,
                                             .stop = &talk->stopped,
                                             .has_proxy = true,
                                             .board = fixture->board,
                                             .history = &fixture->history};
    talk->driver = driver_start(&settings, &talk->error);
    fprintf(stderr, "%s", talk->error.text);
    CHECK(talk->driver != NULL);
    talk->external_client.patience_ns = patience_ns;
    driver_add_hold(talk->driver, &talk->hold);
    return 0;
}

static enum outcome ask_driver(struct talk *talk, enum driver_ask what, struct actor *actor)
{
    const struct driver_request request = {.ask = what, .hold = &talk->hold, .lease_ns = NS_PER_S};
    return driver_ask(talk->driver, actor, &request, &talk->answer, &talk->error);
}

static int finish(struct talk *talk)
{
    driver_remove_hold(talk->driver, &talk->hold);
    CHECK(driver_stop(talk->driver, &talk->error));
    return 0;
}

// --- held at a point -----------------------------------------------------------------------------

// Two PINGs for the first request, with a pause between; one for the second, whose reply it awaits
// for a short time only.
static const char pings[] = CONNECT PING "sleep 0.05; " PING ANSWER(
    "1", "held\"") "read two; echo PING >&3; "
                   "read -t 0.3 -u 3 pong; " ANSWER("2", "released\"") "read quit";

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
static int ask_and_hold(struct fixture *fixture, struct talk *talk, enum driver_ask what,
                        enum point_side side)
{
    struct holder holder = {.fixture = fixture};
    struct history_writer writer;
    pthread_t thread;
    bool is_acquire = what == DRIVER_ACQUIRE;
    enum phase phase = is_acquire ? PHASE_ACQUIRE : PHASE_RELEASE;
    struct actor actor = {
        .client = 1, .worker = 1, .phase = phase, .board = fixture->board, .history = &writer};
    struct point_trap *trap = &fixture->board->traps[0];
    history_writer_start(&writer, &fixture->history, 1, 1);
    *trap =
        (struct point_trap){.client = 1, .worker = 1, .match_count = 1, .nth = is_acquire ? 2 : 1};
    trap->matches[0] = (struct point_match){.side = side, .phase = phase};
    // Of any request, if it is the second: the one to the driver is none.
    strcpy(trap->matches[0].what, is_acquire ? "PING" : "");
    point_arm(fixture->board, trap);
    CHECK(pthread_create(&thread, NULL, hold_for_a_while, &holder) == 0);
    enum outcome outcome = ask_driver(talk, what, &actor);
    int64_t returned_ns = clock_monotonic_ns();
    pthread_join(thread, NULL);
    fprintf(stderr, "%s", talk->error.text);
    CHECK(outcome == OUTCOME_OK);
    // The worker went on after the hold, even if its driver had answered; and what was granted may
    // have been asked for by what its driver had sent before.
    CHECK(returned_ns >= atomic_load(&holder.left_ns));
    if (is_acquire)
        CHECK(talk->answer.lease_from_ns <= atomic_load(&holder.reached_ns) - 50 * NS_PER_MS);
    CHECK(actor.requests[phase] == (is_acquire ? 2 : 1) && !actor.is_uncounted);
    return 0;
}

static int a_driver_is_not_blamed_for_being_held(struct fixture *fixture)
{
    struct talk talk;
    CHECK(begin(fixture, &talk, pings, 100 * NS_PER_MS) == 0);
    CHECK(ask_and_hold(fixture, &talk, DRIVER_ACQUIRE, POINT_AFTER) == 0);
    talk.external_client.patience_ns = 10 * NS_PER_S;
    CHECK(ask_and_hold(fixture, &talk, DRIVER_RELEASE, POINT_BEFORE) == 0);
    return finish(&talk);
}

// --- from when on a lease counts -----------------------------------------------------------------

// A lock that does not say how long it is valid was asked for before a reply that took long, and
// before the last reply, however late the answer to it was given.
static int a_late_answer_is_no_longer_lease(struct fixture *fixture)
{
    static const char *const programs[] = {
        CONNECT
        "echo BLPOP none 0.3 >&3; read -u 3 nothing; " PING ANSWER("1", "held\"") "read quit",
        CONNECT PING "sleep 0.3; " ANSWER("1", "held\"") "read quit"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct talk talk;
        struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
        CHECK(begin(fixture, &talk, programs[i], 10 * NS_PER_S) == 0);
        CHECK(ask_driver(&talk, DRIVER_ACQUIRE, &actor) == OUTCOME_OK);
        CHECK(talk.answer.lease_from_ns <= clock_monotonic_ns() - 300 * NS_PER_MS &&
              talk.answer.is_anchored);
        CHECK(finish(&talk) == 0);
    }
    return 0;
}

// What comes 200 ms after the last reply may have been said right after it, and be heard late: a
// validity counts from there. Where nothing was asked meanwhile, it may have been said at any time.
static int a_grant_is_valid_from_the_last_reply_on(struct fixture *fixture)
{
#define HELD ANSWER("1", "held\", \"valid_ms\": 1000") "read quit"
    static const struct {
        const char *program;
        bool is_late; // else it was said in the last 200 ms
    } cases[] = {{CONNECT PING "sleep 0.2; " HELD, true},
                 {CONNECT PING "sleep 0.2; " PING HELD, false},
                 {CONNECT "sleep 0.2; " HELD, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct talk talk;
        struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
        CHECK(begin(fixture, &talk, cases[i].program, 10 * NS_PER_S) == 0);
        int64_t from_ns = clock_monotonic_ns();
        CHECK(ask_driver(&talk, DRIVER_ACQUIRE, &actor) == OUTCOME_OK);
        int64_t now_ns = clock_monotonic_ns();
        int64_t said_ns = talk.answer.lease_from_ns; // valid for a lease from when it says it
        // On a machine that was busy for so long, what is at once may be late, too.
        bool is_known = cases[i].is_late || now_ns - from_ns < 400 * NS_PER_MS;
        CHECK(said_ns >= from_ns);
        CHECK(!is_known || (cases[i].is_late ? said_ns <= now_ns - 200 * NS_PER_MS
                                             : said_ns >= from_ns + 200 * NS_PER_MS));
        CHECK(finish(&talk) == 0);
    }
    return 0;
}

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
    static const char program[] =
        CONNECT PING ": > told; read two; sleep 0.2; " PING ANSWER("1", "held\"")
            ANSWER("2", "not-held\"") "read quit";
    struct talk talk;
    struct asker askers[] = {{.hold = {.worker = 1, .lock = "lock"}},
                             {.hold = {.worker = 2, .lock = "lock"}}};
    CHECK(begin(fixture, &talk, program, 10 * NS_PER_S) == 0);
    AUTO_FREE char *told = path_join(fixture->server.folder, "told");
    for (int i = 0; i < 2; i++) {
        askers[i].driver = talk.driver;
        driver_add_hold(talk.driver, &askers[i].hold);
        CHECK(pthread_create(&askers[i].thread, NULL, ask_as_worker, &askers[i]) == 0);
        // The second comes once the first has been answered something.
        int64_t give_up_ns = clock_monotonic_ns() + 10 * NS_PER_S;
        while (access(told, F_OK) != 0 && clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(askers[i].thread, NULL);
        driver_remove_hold(talk.driver, &askers[i].hold);
    }
    CHECK(askers[0].outcome == OUTCOME_OK);
    CHECK(askers[0].answer.lease_from_ns <= askers[0].returned_ns - 200 * NS_PER_MS);
    CHECK(!askers[0].answer.is_anchored);
    return finish(&talk);
}

// The trial ends before the driver has answered, and the worker goes; what the driver sends after
// that is still of that worker's acquire.
static int a_request_may_come_after_its_worker_has_gone(struct fixture *fixture)
{
    struct talk talk;
    struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE};
    CHECK(begin(fixture, &talk, CONNECT "until [ -e gone ]; do sleep 0.01; done; " PING "read quit",
                100 * NS_PER_MS) == 0);
    atomic_store(&talk.stopped, 1);
    CHECK(ask_driver(&talk, DRIVER_ACQUIRE, &actor) == OUTCOME_UNKNOWN);
    driver_remove_hold(talk.driver, &talk.hold);
    memset(&talk.hold, 0, sizeof talk.hold);
    struct point_trap *trap = &fixture->board->traps[0];
    *trap = (struct point_trap){.client = 1, .worker = 1, .match_count = 1, .nth = 1};
    trap->matches[0] =
        (struct point_match){.side = POINT_BEFORE, .phase = PHASE_ACQUIRE, .what = "PING"};
    point_arm(fixture->board, trap);
    AUTO_FREE char *path = path_join(fixture->server.folder, "gone");
    CHECK(file_write(path, "", 0, &talk.error) == 0);
    bool is_reached = await_state(trap, POINT_REACHED);
    point_let_go(fixture->board, trap);
    CHECK(is_reached);
    return finish(&talk);
}

TEST(a_hold_is_no_fault_of_the_driver_s_and_its_lease_counts_from_the_earliest)
{
    static sandbox_test *tests[] = {a_driver_is_not_blamed_for_being_held,
                                    a_late_answer_is_no_longer_lease,
                                    a_grant_is_valid_from_the_last_reply_on,
                                    an_answer_among_others_counts_from_the_earliest_that_may_be_its,
                                    a_request_may_come_after_its_worker_has_gone,
                                    NULL};
    try_in_sandbox(tests);
}
