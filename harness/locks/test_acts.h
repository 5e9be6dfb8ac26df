// For tests: going through the schemes of a contract, and acts that are stopped on their way.
#ifndef LOCKPICK_LOCKS_TEST_ACTS_H
#define LOCKPICK_LOCKS_TEST_ACTS_H

#include "harness/locks/test_locks.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define FOR_EACH_SCHEME(fixture, scheme)                                                           \
    for (int nth_ = 0; ((scheme) = fixture_scheme(fixture, nth_)) != NULL; nth_++)

static inline void hold_to(const struct lock_scheme *scheme, bool is_right, const char *claim)
{
    if (!is_right)
        fail_msg("%s: %s", scheme->name, claim);
}

// --- acts that are stopped on their way ----------------------------------------------------------

// An acquire or a release of worker 1, in a thread of its own.
struct act {
    struct lock *lock;
    bool is_release;
    enum outcome outcome;
    enum release_answer answer;
    pthread_t thread;
    _Atomic bool is_over;
};

static inline void *perform(void *context)
{
    struct act *act = context;
    struct grant grant;
    if (act->is_release)
        act->answer = lock_release(act->lock);
    else
        act->outcome = lock_acquire(act->lock, &grant);
    atomic_store(&act->is_over, true);
    return NULL;
}

// Goes on until the act is held at its nth point (true), or over. Without a server there is no
// point, and no need for the thread.
static inline bool begin(struct fixture *fixture, struct act *act, int64_t nth)
{
    struct point_trap *trap = &fixture->board.traps[0];
    act->lock = &fixture->locks[0];
    if (act->lock->scheme->server == NULL) {
        perform(act);
        return false;
    }
    trap->client = 1;
    trap->worker = 1;
    trap->match_count = 1;
    // Not the renewals of its watchdog, which passes points in its name.
    enum phase phase = act->is_release ? PHASE_RELEASE : PHASE_ACQUIRE;
    trap->matches[0] = (struct point_match){.side = POINT_ANYWHERE, .phase = phase};
    trap->nth = nth;
    point_arm(&fixture->board, trap);
    assert_int_equal(pthread_create(&act->thread, NULL, perform, act), 0);
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

#endif
