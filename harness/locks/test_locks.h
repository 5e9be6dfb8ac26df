// For tests: workers with a scheme's handles, on real servers; tests of each scheme; and acts that
// are stopped on their way.
#ifndef LOCKPICK_LOCKS_TEST_LOCKS_H
#define LOCKPICK_LOCKS_TEST_LOCKS_H

#include "harness/cluster/test_server.h"
#include "harness/history/follower.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define WORKERS 3
#define SHORT_REQUEST_NS (300 * NS_PER_MS)

struct fixture;

// What the contract of the schemes on one service is to be held to, and how a test meddles with
// that service past all schemes.
struct contract {
    const char *server;   // kind; NULL: schemes that need none
    const char *topology; // NULL: single
    const char *schemes;  // glob; NULL: all that work on this service
    bool with_limiters;   // rate limiters, too, which nothing is given back to
    int64_t lease_ns;     // 0: 60 s
    int64_t request_ns;   // 0: SHORT_REQUEST_NS
    int64_t renewed_ns;   // a lease that is renewed in time on a busy machine; 0: none is tried
    // Sets how long answers are waited for from now on: SHORT_REQUEST_NS while the servers are
    // stopped, and `request_ns` while they are not. NULL: it is the same all the time.
    void (*limit_requests)(struct fixture *fixture, int64_t request_ns);
    // Takes the hold away from worker 1 on the server, as an expiry, an eviction or the end of its
    // session would. False if that cannot be done to this scheme.
    bool (*evict)(struct fixture *fixture, const struct lock_scheme *scheme);
    // How long the lock's lease lasts by the server; -1: it has none. NULL: the server cannot tell.
    int64_t (*lease_left_ms)(struct fixture *fixture, const struct lock_scheme *scheme);
    // Of fixture->probe, by which the tests look at the service past all schemes. NULL: there is
    // none, or the test makes its own.
    const struct connector *probe;
    int64_t probe_ns; // for a request of it; 0: 1 s
};

// Three workers, each in a client of its own.
struct fixture {
    const struct contract *contract;
    struct test_server server;
    char name[48]; // of the lock: another one for each open_scheme
    char tag[24];
    int serial;
    struct actor actors[WORKERS];
    struct random randoms[WORKERS];
    struct clock clocks[WORKERS]; // that the clients read time by; set before a scheme is opened
    struct lock_client clients[WORKERS];
    struct lock locks[WORKERS];
    struct history_writer writers[WORKERS];
    struct history_file history;
    struct point_board board;
    _Atomic uint32_t stop;
    void *probe;
};

static inline struct lock_options fixture_options(const struct fixture *fixture, bool fenced)
{
    const struct contract *contract = fixture->contract;
    return (struct lock_options){
        .name = fixture->name,
        .tag = fixture->tag,
        .lease_ns = contract->lease_ns > 0 ? contract->lease_ns : 60 * NS_PER_S,
        .wait_ns = 0,
        .retry_ns = NS_PER_MS,
        .request_ns = contract->request_ns > 0 ? contract->request_ns : SHORT_REQUEST_NS,
        .permits = 1,
        .job = 1, // the only one of a queue, which is like a lock then
        .queue = fixture->name,
        .queue_tag = fixture->tag,
        .fenced = fenced,
    };
}

// 0, or -1 with `error` set and nothing to be closed.
static inline int try_open_worker(struct fixture *fixture, const struct lock_scheme *scheme, int i,
                                  const struct lock_options *options, struct error *error)
{
    fixture->actors[i] = (struct actor){.client = i + 1,
                                        .worker = 1,
                                        .phase = PHASE_NONE,
                                        .clock = fixture->clocks[i],
                                        .board = &fixture->board,
                                        .history = &fixture->writers[i]};
    fixture->clients[i] =
        (struct lock_client){.scheme = scheme,
                             .clock = fixture->clocks[i],
                             .options = *options,
                             .service = scheme->server != NULL ? &fixture->server.service : NULL,
                             .number = i + 1,
                             .seed = 7,
                             .board = &fixture->board,
                             .history = &fixture->history,
                             .stop = &fixture->stop};
    random_start(&fixture->randoms[i], 7, (uint64_t)i);
    if (lock_client_open(&fixture->clients[i], error) != 0)
        return -1;
    fixture->locks[i] = (struct lock){.client = &fixture->clients[i],
                                      .actor = &fixture->actors[i],
                                      .random = &fixture->randoms[i]};
    if (lock_open(&fixture->locks[i], error) == 0)
        return 0;
    lock_close(&fixture->locks[i]);
    lock_client_close(&fixture->clients[i]);
    return -1;
}

static inline void open_scheme_with(struct fixture *fixture, const struct lock_scheme *scheme,
                                    const struct lock_options *options)
{
    struct error error = {0};
    if (scheme->set_up != NULL && scheme->set_up(&fixture->server.service, options, &error) != 0)
        fail_msg("%s: %s", scheme->name, error.text);
    for (int i = 0; i < WORKERS; i++) {
        if (try_open_worker(fixture, scheme, i, options, &error) != 0)
            fail_msg("%s: %s", scheme->name, error.text);
    }
}

// The options of the next lock, which has a name of its own.
static inline struct lock_options next_lock(struct fixture *fixture, bool fenced)
{
    fixture->serial++;
    snprintf(fixture->tag, sizeof fixture->tag, "t%d", fixture->serial);
    snprintf(fixture->name, sizeof fixture->name, "lockpick:{%s}:lock", fixture->tag);
    return fixture_options(fixture, fenced);
}

static inline void open_scheme(struct fixture *fixture, const struct lock_scheme *scheme,
                               bool fenced)
{
    struct lock_options options = next_lock(fixture, fenced);
    open_scheme_with(fixture, scheme, &options);
}

// With another lease than the contract's.
static inline void open_with_lease(struct fixture *fixture, const struct lock_scheme *scheme,
                                   bool fenced, int64_t lease_ns)
{
    struct lock_options options = next_lock(fixture, fenced);
    options.lease_ns = lease_ns;
    open_scheme_with(fixture, scheme, &options);
}

static inline void close_scheme(struct fixture *fixture)
{
    const struct lock_scheme *scheme = fixture->locks[0].scheme;
    struct error error = {0};
    for (int i = 0; i < WORKERS; i++) {
        lock_close(&fixture->locks[i]);
        lock_client_close(&fixture->clients[i]);
    }
    if (scheme->clean_up != NULL &&
        scheme->clean_up(&fixture->server.service, &fixture->locks[0].options, &error) != 0)
        fail_msg("%s: %s", scheme->name, error.text);
}

static inline int fixture_start(struct fixture *fixture, const struct contract *contract)
{
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    fixture->contract = contract;
    if (contract->server != NULL &&
        test_servers_open(&fixture->server, contract->server,
                          contract->topology ? contract->topology : "single", true) != 0)
        return -1;
    if (contract->server == NULL) {
        snprintf(fixture->server.folder, sizeof fixture->server.folder,
                 "/tmp/lockpick-locks-XXXXXX");
        if (test_folder_make(fixture->server.folder) != 0)
            return -1;
    }
    char path[96];
    snprintf(path, sizeof path, "%s/history.bin", fixture->server.folder);
    if (history_file_create(path, 100000, 1, &fixture->history, &error) != 0)
        return -1;
    for (int i = 0; i < WORKERS; i++)
        history_writer_start(&fixture->writers[i], &fixture->history, i + 1, 1);
    if (contract->probe == NULL)
        return 0;
    fixture->probe = contract->probe->open(&fixture->server.service,
                                           contract->probe_ns > 0 ? contract->probe_ns : NS_PER_S,
                                           &nobody, &error);
    return fixture->probe != NULL ? 0 : -1;
}

static inline void fixture_stop(struct fixture *fixture)
{
    if (fixture->contract->probe != NULL)
        fixture->contract->probe->close(fixture->probe);
    history_file_close(&fixture->history);
    test_server_stop(&fixture->server);
}

static inline int stop_contract(void **state)
{
    fixture_stop(*state);
    return 0;
}

static inline int start_contract(void **state, const struct contract *contract)
{
    static struct fixture fixture;
    fixture = (struct fixture){0};
    *state = &fixture;
    return fixture_start(&fixture, contract);
}

// From here on, tests of what that contract is about.
#define CONTRACT_GROUP(contract)                                                                   \
    static int start_##contract(void **state)                                                      \
    {                                                                                              \
        return start_contract(state, &contract);                                                   \
    }                                                                                              \
    TEST_GROUP(start_##contract, stop_contract)

// The nth scheme (from 0) that the contract is about, or NULL.
static inline const struct lock_scheme *fixture_scheme(const struct fixture *fixture, int nth)
{
    const struct contract *contract = fixture->contract;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        bool here =
            contract->server == NULL
                ? scheme->server == NULL
                : scheme->server != NULL && strcmp(scheme->server, contract->server) == 0 &&
                      lock_scheme_takes(scheme, contract->topology ? contract->topology : "single");
        here &= contract->with_limiters || !lock_scheme_has(scheme, "limiter");
        bool meant = contract->schemes == NULL || text_matches(scheme->name, contract->schemes);
        if (here && meant && nth-- == 0)
            return scheme;
    }
    return NULL;
}

// Signals a server; one that is to stop has stopped then.
static inline void signal_server(const struct node *node, int number)
{
    int status;
    kill(node->server, number);
    if (number == SIGSTOP)
        assert_true(waitpid(node->server, &status, WUNTRACED) > 0 && WIFSTOPPED(status));
}

// An acquire whose grant nobody asks for.
static inline enum outcome acquire(struct fixture *fixture, int worker)
{
    struct grant grant;
    return lock_acquire(&fixture->locks[worker], &grant);
}

static inline void count_place(void *context, const struct event *event)
{
    int *count = context;
    *count += event->kind == EVENT_QUEUED;
}

// How often a place in line was taken since the follower was asked last.
static inline int count_places(struct history_follower *follower)
{
    int count = 0;
    history_follow(follower, count_place, &count);
    return count;
}

// --- tests of each scheme ------------------------------------------------------------------------

#define FOR_EACH_SCHEME(fixture, scheme)                                                           \
    for (int nth_ = 0; ((scheme) = fixture_scheme(fixture, nth_)) != NULL; nth_++)

static inline void hold_to(const struct lock_scheme *scheme, bool is_right, const char *claim)
{
    if (!is_right)
        fail_msg("%s: %s", scheme->name, claim);
}

// EACH_SCHEME(name, condition) { ... }: a function that does so with each scheme of the contract
// that the condition on `scheme` is true of, opened for all workers, and closed afterwards.
#define EACH_SCHEME(name, condition)                                                               \
    EACH_SCHEME_OF(name, condition, open_scheme(fixture, scheme, false), 0)

// The same as a test, which fails if there is no such scheme; and one that opens them its own way.
#define SCHEME_TEST(name, condition)                                                               \
    SCHEME_TEST_WITH(name, condition, open_scheme(fixture, scheme, false))
#define SCHEME_TEST_WITH(name, condition, opens)                                                   \
    static inline void name(void **state);                                                         \
    TEST_AGAIN(name);                                                                              \
    EACH_SCHEME_OF(name, condition, opens, 1)

#define IS(scheme_name) (strcmp(scheme->name, scheme_name) == 0)

#define EACH_SCHEME_OF(name, condition, opens, least)                                              \
    static inline void name##_with(struct fixture *fixture, const struct lock_scheme *scheme);     \
    static inline void name(void **state)                                                          \
    {                                                                                              \
        struct fixture *fixture = *state;                                                          \
        const struct lock_scheme *scheme;                                                          \
        int found = 0;                                                                             \
        FOR_EACH_SCHEME (fixture, scheme) {                                                        \
            if (!(condition))                                                                      \
                continue;                                                                          \
            found++;                                                                               \
            opens;                                                                                 \
            name##_with(fixture, scheme);                                                          \
            close_scheme(fixture);                                                                 \
        }                                                                                          \
        assert_true(found >= (least));                                                             \
    }                                                                                              \
    static inline void name##_with(__attribute__((unused)) struct fixture *fixture,                \
                                   __attribute__((unused)) const struct lock_scheme *scheme)

// --- acts in threads of their own, and stopped on their way -----------------------------------

// Stops worker 1 of the client (or any, its watchdog too) at the nth such point.
static inline struct point_trap *set_trap(struct fixture *fixture, int which, int client,
                                          int worker, struct point_match match, int64_t nth)
{
    struct point_trap *trap = &fixture->board.traps[which];
    *trap = (struct point_trap){.client = (uint16_t)client,
                                .worker = (uint16_t)worker,
                                .match_count = 1,
                                .matches = {match},
                                .nth = nth};
    point_arm(&fixture->board, trap);
    return trap;
}

static inline void await_reached(const struct point_trap *trap)
{
    AWAIT(atomic_load(&trap->state) == POINT_REACHED);
}

// An acquire or a release.
struct act {
    struct lock *lock;
    bool is_release;
    _Atomic int *granted; // how many were granted before: released at once; NULL: kept
    int turn;
    struct grant grant;
    enum outcome outcome;
    enum release_answer answer;
    pthread_t thread;
    _Atomic bool is_over;
};

static inline void *perform(void *context)
{
    struct act *act = context;
    if (act->is_release)
        act->answer = lock_release(act->lock);
    else
        act->outcome = lock_acquire(act->lock, &act->grant);
    if (act->granted != NULL && act->outcome == OUTCOME_OK) {
        act->turn = atomic_fetch_add(act->granted, 1);
        lock_release(act->lock);
    }
    atomic_store(&act->is_over, true);
    return NULL;
}

static inline void begin_act(struct act *act, struct lock *lock)
{
    act->lock = lock;
    assert_int_equal(pthread_create(&act->thread, NULL, perform, act), 0);
}

// An acquire that waits for so long.
static inline void begin_to_wait(struct act *act, struct lock *lock, int64_t wait_ns)
{
    lock->options.wait_ns = wait_ns;
    begin_act(act, lock);
}

static inline enum outcome end_of(struct act *act)
{
    pthread_join(act->thread, NULL);
    return act->outcome;
}

// An act of worker 1: goes on until it is held at its nth point (true), or over. Without a server
// there is no point, and no need for the thread.
static inline bool begin(struct fixture *fixture, struct act *act, int64_t nth)
{
    act->lock = &fixture->locks[0];
    if (act->lock->scheme->server == NULL) {
        perform(act);
        return false;
    }
    // Not the renewals of its watchdog, which passes points in its name.
    enum phase phase = act->is_release ? PHASE_RELEASE : PHASE_ACQUIRE;
    const struct point_match match = {.side = POINT_ANYWHERE, .phase = phase};
    const struct point_trap *trap = set_trap(fixture, 0, 1, 1, match, nth);
    begin_act(act, act->lock);
    while (atomic_load(&trap->state) != POINT_REACHED && !atomic_load(&act->is_over))
        clock_sleep_until_ns(clock_monotonic_ns() + 50 * NS_PER_US);
    return atomic_load(&trap->state) == POINT_REACHED;
}

static inline void finish(struct fixture *fixture, struct act *act)
{
    if (act->lock->scheme->server == NULL)
        return;
    point_let_go(&fixture->board, &fixture->board.traps[0]);
    pthread_join(act->thread, NULL);
}

static inline void await_loss(const struct lock *lock)
{
    AWAIT(atomic_load(&lock->lost) != LOST_NOT);
}

#endif
