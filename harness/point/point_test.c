// Points: what stops a worker, what does not, and what it leaves in the history.
#include "harness/point/point.h"

#include "harness/base/futex.h"
#include "harness/history/reader.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define ROUNDS 2000

struct fixture {
    struct point_board board;
    char path[64];
    struct history_file file;
    struct history_writer writer;
    struct actor actor;
};

static int start(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error;
    strcpy(fixture->path, "/tmp/lockpick-point-test-XXXXXX");
    close(mkstemp(fixture->path));
    if (history_file_create(fixture->path, 1000, 1, &fixture->file, &error) != 0)
        return -1;
    history_writer_start(&fixture->writer, &fixture->file, 1, 2);
    fixture->actor = (struct actor){.client = 1,
                                    .worker = 2,
                                    .phase = PHASE_RELEASE,
                                    .board = &fixture->board,
                                    .history = &fixture->writer};
    *state = fixture;
    return 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    history_file_close(&fixture->file);
    unlink(fixture->path);
    free(fixture);
    return 0;
}

static struct point_trap *arm(struct fixture *fixture, struct point_match match, int64_t nth)
{
    struct point_trap *trap = &fixture->board.traps[3];
    trap->client = 1;
    trap->worker = 0;
    trap->fault_number = 4;
    trap->nth = nth;
    trap->match_count = 1;
    trap->matches[0] = match;
    point_arm(&fixture->board, trap);
    return trap;
}

// Would hang for ever if it stopped.
static void pass(struct fixture *fixture, enum point_side side, const char *what)
{
    point(&fixture->actor, side, what);
}

TEST_WITH(a_point_that_does_not_match_lets_pass, start, stop)
{
    struct fixture *fixture = *state;
    struct point_match match = {.side = POINT_AFTER, .phase = PHASE_RELEASE, .what = "GET"};
    struct point_trap *trap = arm(fixture, match, 1);
    pass(fixture, POINT_BEFORE, "GET key");
    pass(fixture, POINT_AFTER, "GETSET key");
    pass(fixture, POINT_AFTER, "DEL key");
    fixture->actor.phase = PHASE_ACQUIRE;
    pass(fixture, POINT_AFTER, "GET key");
    fixture->actor.phase = PHASE_RELEASE;
    fixture->actor.client = 2;
    pass(fixture, POINT_AFTER, "GET key");
    fixture->actor.client = 1;
    trap->worker = 1;
    pass(fixture, POINT_AFTER, "GET key");
    assert_int_equal(atomic_load(&trap->state), POINT_ARMED);
    point_let_go(&fixture->board, trap);
    assert_int_equal(atomic_load(&fixture->board.armed), 0);
}

static void *walk(void *context)
{
    struct fixture *fixture = context;
    for (int i = 0; i < 5; i++)
        pass(fixture, POINT_AFTER, "get key");
    return NULL;
}

TEST_WITH(the_nth_match_holds_the_worker_until_it_is_let_go, start, stop)
{
    struct fixture *fixture = *state;
    struct point_match match = {.side = POINT_AFTER, .phase = PHASE_NONE, .what = "GET"};
    struct point_trap *trap = arm(fixture, match, 3);
    pthread_t walker;
    assert_int_equal(pthread_create(&walker, NULL, walk, fixture), 0);
    AWAIT(atomic_load(&trap->state) == POINT_REACHED);
    int64_t passed = atomic_load(&trap->passed);
    point_let_go(&fixture->board, trap);
    pthread_join(walker, NULL);
    assert_int_equal(passed, 3);
    assert_int_equal(atomic_load(&fixture->board.armed), 0);
    AUTO(history_free) struct history history;
    struct error error;
    assert_int_equal(history_load(fixture->path, &history, &error), 0);
    assert_int_equal(history.count, 2);
    assert_int_equal(history.events[0].kind, EVENT_POINT_REACHED);
    assert_int_equal(history.events[0].args[1], 1);
    assert_int_equal(history.events[0].fault_number, 4);
    assert_int_equal(history.events[1].kind, EVENT_POINT_LEFT);
}

struct walk {
    struct fixture *fixture;
    _Atomic bool ends;
};

static void *walk_on(void *context)
{
    struct walk *walk = context;
    while (!atomic_load(&walk->ends))
        pass(walk->fixture, POINT_AFTER, "get key");
    return NULL;
}

// Often, and without a pause: there are but nanoseconds in which a part of it could be seen.
TEST_WITH(whoever_sees_that_a_trap_is_reached_sees_by_which_worker, start, stop)
{
    struct walk walk = {.fixture = *state};
    struct point_match match = {.side = POINT_AFTER, .phase = PHASE_NONE, .what = "GET"};
    uint32_t reached_by = 2;
    pthread_t walker;
    assert_int_equal(pthread_create(&walker, NULL, walk_on, &walk), 0);
    struct point_trap *trap = arm(walk.fixture, match, 1);
    for (int i = 0; i < ROUNDS && reached_by == 2; i++) {
        while (atomic_load(&trap->state) != POINT_REACHED)
            continue;
        reached_by = atomic_load(&trap->reached_by);
        point_let_go(&walk.fixture->board, trap);
        atomic_store(&trap->reached_by, 0);
        point_arm(&walk.fixture->board, trap);
    }
    point_let_go(&walk.fixture->board, trap);
    atomic_store(&walk.ends, true);
    pthread_join(walker, NULL);
    assert_int_equal(reached_by, 2);
}

TEST_WITH(a_trap_for_any_request_takes_the_first, start, stop)
{
    struct fixture *fixture = *state;
    struct point_trap *trap =
        arm(fixture, (struct point_match){.side = POINT_ANYWHERE, .phase = PHASE_NONE}, 1);
    pthread_t walker;
    assert_int_equal(pthread_create(&walker, NULL, walk, fixture), 0);
    AWAIT(atomic_load(&trap->state) == POINT_REACHED);
    point_let_go(&fixture->board, trap);
    pthread_join(walker, NULL);
}

TEST_WITH(without_a_board_nothing_stops, start, stop)
{
    struct fixture *fixture = *state;
    fixture->actor.board = NULL;
    pass(fixture, POINT_AFTER, "GET key");
}

// --- requests are counted by the points before them, in the phase of their worker ----------------

TEST(each_request_counts_once_in_its_phase)
{
    struct point_board board = {0};
    struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE, .board = &board};
    for (int i = 0; i < 3; i++) {
        point(&actor, POINT_BEFORE, "SET");
        point(&actor, POINT_AFTER, "SET");
    }
    point(&actor, POINT_AT, "holds");
    actor.phase = PHASE_RELEASE;
    point(&actor, POINT_BEFORE, "DEL");
    point(&actor, POINT_AFTER, "DEL");
    assert_int_equal(actor.requests[PHASE_ACQUIRE], 3);
    assert_int_equal(actor.requests[PHASE_RELEASE], 1);
    assert_int_equal(actor.requests[PHASE_RENEW], 0);
    assert_int_equal(actor.requests[PHASE_NONE], 0);
}

TEST(what_has_no_points_counts_too)
{
    struct actor actor = {.phase = PHASE_NONE};
    point(&actor, POINT_BEFORE, "PING");
    assert_int_equal(actor.requests[PHASE_NONE], 1);
}
