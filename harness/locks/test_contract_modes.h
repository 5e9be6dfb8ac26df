// For tests: the part of the contract about reentry, shared holds and permits, about waiting, and
// about servers that do not answer.
#ifndef LOCKPICK_LOCKS_TEST_CONTRACT_MODES_H
#define LOCKPICK_LOCKS_TEST_CONTRACT_MODES_H

#include "harness/locks/test_acts.h"

// --- reentrant, shared, permits ------------------------------------------------------------------

static inline void a_reentrant_scheme_is_held_until_it_was_left_as_often_as_entered(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        bool is_reentrant = lock_scheme_has(scheme, "reentrant");
        hold_to(scheme, is_reentrant == (scheme->reenter != NULL && scheme->leave != NULL),
                "its trait 'reentrant' is wrong");
        if (!is_reentrant)
            continue;
        open_scheme(fixture, scheme, false);
        hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_OK, "not let in");
        for (int depth = 0; depth < 3; depth++)
            hold_to(scheme, lock_reenter(&fixture->locks[0], &grant) == OUTCOME_OK, "no reentry");
        for (int depth = 0; depth < 3; depth++) {
            hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_NO, "lets another in");
            hold_to(scheme, lock_leave(&fixture->locks[0]) == RELEASE_RELEASED, "cannot leave");
        }
        hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_NO, "free before its release");
        hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_RELEASED, "no release");
        hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_OK, "not free after its release");
        lock_release(&fixture->locks[1]);
        close_scheme(fixture);
    }
}

static inline void a_shared_scheme_lets_readers_in_together_and_writers_alone(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        if (!lock_scheme_has(scheme, "shared"))
            continue;
        open_scheme(fixture, scheme, false);
        fixture->locks[0].mode = fixture->locks[1].mode = LOCK_SHARED;
        hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_OK, "a reader is not let in");
        hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_OK, "a second reader is not let in");
        hold_to(scheme, acquire(fixture, 2, &grant) == OUTCOME_NO, "a writer beside readers");
        lock_release(&fixture->locks[0]);
        hold_to(scheme, acquire(fixture, 2, &grant) == OUTCOME_NO, "a writer beside a reader");
        lock_release(&fixture->locks[1]);
        hold_to(scheme, acquire(fixture, 2, &grant) == OUTCOME_OK, "a writer is not let in");
        hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_NO, "a reader beside a writer");
        lock_release(&fixture->locks[2]);
        close_scheme(fixture);
    }
}

static inline void a_semaphore_lets_in_as_many_as_it_has_permits(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        if (!lock_scheme_has(scheme, "permits"))
            continue;
        struct lock_options options = next_lock(fixture, false);
        options.permits = 2;
        open_scheme_with(fixture, scheme, &options);
        hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_OK, "the first is not let in");
        hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_OK, "the second is not let in");
        hold_to(scheme, acquire(fixture, 2, &grant) == OUTCOME_NO, "the third is not kept out");
        lock_release(&fixture->locks[0]);
        hold_to(scheme, acquire(fixture, 2, &grant) == OUTCOME_OK, "a permit was lost");
        lock_release(&fixture->locks[1]);
        lock_release(&fixture->locks[2]);
        close_scheme(fixture);
    }
}

// --- waiting, and no answer ----------------------------------------------------------------------

static inline void an_acquire_waits_as_long_as_told_and_no_longer(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        if (!lock_scheme_has(scheme, "exclusive"))
            continue;
        open_scheme(fixture, scheme, false);
        hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_OK, "not let in");
        hold_to(scheme, grant.attempts >= 1, "counts no attempt");
        fixture->locks[1].options.wait_ns = 50 * NS_PER_MS;
        int64_t began_ns = clock_monotonic_ns();
        hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_NO, "the second is not kept out");
        hold_to(scheme, clock_monotonic_ns() - began_ns >= 50 * NS_PER_MS, "gives up too early");
        atomic_store(&fixture->stop, 1); // the trial ends: no more waiting
        fixture->locks[1].options.wait_ns = TIME_NEVER / 4;
        hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_NO, "waits on when all is over");
        atomic_store(&fixture->stop, 0);
        lock_release(&fixture->locks[0]);
        close_scheme(fixture);
    }
}

// PostgreSQL answers from children of the process that it was started as.
static inline void signal_children(pid_t process, int number)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *children = fopen(path, "r");
    assert_non_null(children);
    while (fscanf(children, "%d", &child) == 1)
        kill(child, number);
    fclose(children);
}

static inline void signal_servers(struct fixture *fixture, int number)
{
    const struct contract *contract = fixture->contract;
    if (contract->limit_requests != NULL)
        contract->limit_requests(fixture,
                                 number == SIGSTOP ? SHORT_REQUEST_NS : contract->request_ns);
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        int status;
        pid_t server = fixture->server.cluster.nodes[i].server;
        kill(server, number);
        signal_children(server, number);
        if (number == SIGSTOP) {
            waitpid(server, &status, WUNTRACED);
            assert_true(WIFSTOPPED(status));
        }
    }
}

// Nothing but a question may be answered NO without an answer: what asks first has changed nothing.
static inline void an_acquire_without_an_answer_is_not_taken_for_busy(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        if (scheme->server == NULL || !lock_scheme_has(scheme, "exclusive"))
            continue;
        open_scheme(fixture, scheme, false);
        signal_servers(fixture, SIGSTOP);
        enum outcome outcome = acquire(fixture, 0, &grant);
        signal_servers(fixture, SIGCONT);
        hold_to(scheme, outcome == OUTCOME_UNKNOWN, "an acquire without an answer is not UNKNOWN");
        close_scheme(fixture);
    }
}

static inline void a_release_without_an_answer_is_unknown(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        if (scheme->server == NULL || lock_scheme_has(scheme, "optimistic"))
            continue;
        open_scheme(fixture, scheme, false);
        hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_OK, "not let in");
        signal_servers(fixture, SIGSTOP);
        enum release_answer answer = lock_release(&fixture->locks[0]);
        signal_servers(fixture, SIGCONT);
        hold_to(scheme, answer == RELEASE_UNKNOWN, "a release without an answer is not UNKNOWN");
        close_scheme(fixture);
    }
}

// Only the server's word tells a holder that it is one no more: that it gave its session up itself
// does not.
static inline void a_reentry_without_an_answer_says_nothing_of_the_hold(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        if (scheme->server == NULL || scheme->reenter == NULL)
            continue;
        open_scheme(fixture, scheme, false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        signal_servers(fixture, SIGSTOP);
        enum outcome outcome = lock_reenter(&fixture->locks[0], &grant);
        signal_servers(fixture, SIGCONT);
        hold_to(scheme, outcome == OUTCOME_OK || outcome == OUTCOME_UNKNOWN,
                "a reentry without an answer is taken for a loss");
        enum release_answer answer = lock_release(&fixture->locks[0]);
        hold_to(scheme, answer != RELEASE_GONE && answer != RELEASE_NOT_OWNER,
                "a release after such a reentry is taken for a loss");
        close_scheme(fixture);
    }
}

#endif
