// For tests: the contract that every scheme is held to on a real server, by its traits, and to no
// more than them. A test program per kind of server lists CONTRACT_TESTS; see redis_locks_test.c.
#ifndef LOCKPICK_LOCKS_TEST_CONTRACT_H
#define LOCKPICK_LOCKS_TEST_CONTRACT_H

#include "harness/locks/test_locks.h"

// --- exclusive, local ----------------------------------------------------------------------------

EACH_SCHEME(an_exclusive_scheme_lets_one_in_and_the_next_after_its_release,
            lock_scheme_has(scheme, "exclusive"))
{
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "the first is not let in");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_NO, "the second is not kept out");
    enum release_answer answer = lock_release(&fixture->locks[0]);
    hold_to(scheme, answer == RELEASE_RELEASED || answer == RELEASE_UNCHECKED, "no release");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "not free after its release");
    hold_to(scheme, acquire(fixture, 2) == OUTCOME_NO, "the third is not kept out");
    lock_release(&fixture->locks[1]);
}

// Worker 2 acquires while worker 1 is held at its nth point. True if both were granted.
static inline bool lets_both_in(struct fixture *fixture, const struct lock_scheme *scheme,
                                int64_t nth, bool *reached)
{
    struct act first = {.is_release = false};
    open_scheme(fixture, scheme, false);
    *reached = begin(fixture, &first, nth);
    enum outcome second = acquire(fixture, 1);
    finish(fixture, &first);
    if (first.outcome == OUTCOME_OK)
        lock_release(&fixture->locks[0]);
    if (second == OUTCOME_OK)
        lock_release(&fixture->locks[1]);
    close_scheme(fixture);
    return first.outcome == OUTCOME_OK && second == OUTCOME_OK;
}

static inline void a_scheme_is_exclusive_if_no_point_of_its_acquire_lets_two_in(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        bool both = false;
        bool reached = true;
        for (int64_t nth = 1; reached; nth++)
            both |= lets_both_in(fixture, scheme, nth, &reached);
        hold_to(scheme, both == !lock_scheme_has(scheme, "exclusive"),
                both ? "exclusive, but lets two in" : "never lets two in, but is not exclusive");
    }
}

EACH_SCHEME(a_scheme_is_local_if_it_excludes_only_inside_its_process, true)
{
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "the first is not let in");
    enum outcome other = acquire(fixture, 1);
    hold_to(scheme,
            lock_scheme_has(scheme, "local") || !lock_scheme_has(scheme, "exclusive") ||
                other == OUTCOME_NO,
            "lets another process in, but is not local");
    lock_release(&fixture->locks[0]);
    if (other == OUTCOME_OK)
        lock_release(&fixture->locks[1]);
}

// --- lease, fenced -------------------------------------------------------------------------------

EACH_SCHEME(a_lease_is_what_was_asked_for_and_what_the_grant_says, true)
{
    struct grant grant;
    int64_t lease_ns = fixture->locks[0].options.lease_ns;
    int64_t before_ns = clock_monotonic_ns();
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
    bool known = fixture->contract->lease_left_ms != NULL;
    int64_t left_ms = known ? fixture->contract->lease_left_ms(fixture, scheme) : 0;
    if (lock_scheme_has(scheme, "lease")) {
        hold_to(scheme,
                !known ||
                    (left_ms > lease_ns / NS_PER_MS * 9 / 10 && left_ms <= lease_ns / NS_PER_MS),
                "its lease is not what was asked for");
        hold_to(scheme, grant.valid_until_ns > before_ns, "its grant is over at once");
        hold_to(scheme, grant.valid_until_ns <= clock_monotonic_ns() + lease_ns,
                "believes in more than its lease");
    } else {
        hold_to(scheme, !known || left_ms == -1, "it has a lease, but not the trait");
        hold_to(scheme, grant.valid_until_ns == TIME_NEVER, "believes in a lease");
    }
    lock_release(&fixture->locks[0]);
}

EACH_SCHEME_OF(fencing_tokens_grow_with_every_grant_and_only_fenced_schemes_have_them, true,
               open_scheme(fixture, scheme, true), 0)
{
    bool is_fenced = lock_scheme_has(scheme, "fenced");
    int64_t last = 0;
    for (int round = 0; round < 10; round++) {
        struct grant grant;
        int worker = round % WORKERS;
        hold_to(scheme, lock_acquire(&fixture->locks[worker], &grant) == OUTCOME_OK, "not let in");
        hold_to(scheme, is_fenced ? grant.token > last : grant.token == 0,
                is_fenced ? "its tokens do not grow" : "it has tokens, but not the trait");
        last = grant.token;
        lock_release(&fixture->locks[worker]);
    }
}

// --- owner-checked -------------------------------------------------------------------------------

// Takes the hold from worker 1 and gives it to worker 2. False if that cannot be done.
static inline bool let_another_have_it(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (fixture->contract->evict == NULL || !fixture->contract->evict(fixture, scheme))
        return false;
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "not free after the eviction");
    return true;
}

// Whether worker 2 still keeps worker 3 out.
static inline bool another_has_it(struct fixture *fixture)
{
    enum outcome outcome;
    AWAIT((outcome = acquire(fixture, 2)) != OUTCOME_UNKNOWN);
    if (outcome == OUTCOME_OK)
        lock_release(&fixture->locks[2]);
    return outcome == OUTCOME_NO;
}

EACH_SCHEME(a_release_answers_what_it_did_to_anothers_lock,
            lock_scheme_has(scheme, "exclusive") && scheme->server != NULL)
{
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    if (let_another_have_it(fixture, scheme)) {
        enum release_answer answer = lock_release(&fixture->locks[0]);
        bool survived = another_has_it(fixture);
        // One that compares first, if only in the client, may well see that it is
        // another's.
        hold_to(scheme,
                survived ? answer == RELEASE_NOT_OWNER || answer == RELEASE_GONE
                         : answer == RELEASE_UNCHECKED,
                "its release of another's lock answers what is not so");
        hold_to(scheme, survived || !lock_scheme_has(scheme, "owner-checked"),
                "owner-checked, but releases another's lock");
    }
    lock_release(&fixture->locks[1]);
}

// Another gets the lock while the release of worker 1 is held at its nth point. True if the release
// removed it; an undisturbed one removes its own.
static inline bool removes_anothers(struct fixture *fixture, const struct lock_scheme *scheme,
                                    int64_t nth, bool *reached, bool *possible)
{
    struct act act = {.is_release = true};
    open_scheme(fixture, scheme, false);
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    *reached = begin(fixture, &act, nth);
    bool given = false;
    if (*reached) {
        // Its own release may have done its work already: then there is nothing to take away.
        given = fixture->contract->evict != NULL && fixture->contract->evict(fixture, scheme);
        *possible |= given;
        given = given && acquire(fixture, 1) == OUTCOME_OK;
    }
    finish(fixture, &act);
    bool removed = given && !another_has_it(fixture);
    if (!*reached)
        hold_to(scheme,
                act.answer == (lock_scheme_has(scheme, "owner-checked") ? RELEASE_RELEASED
                                                                        : RELEASE_UNCHECKED),
                "RELEASED is for those that check the owner, and only for them");
    if (given)
        lock_release(&fixture->locks[1]);
    close_scheme(fixture);
    return removed;
}

static inline void a_scheme_is_owner_checked_if_no_point_of_its_release_removes_anothers(
    void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        if (!lock_scheme_has(scheme, "exclusive") || scheme->server == NULL)
            continue;
        bool removed = false;
        bool reached = true;
        bool possible = false;
        for (int64_t nth = 1; reached; nth++)
            removed |= removes_anothers(fixture, scheme, nth, &reached, &possible);
        hold_to(scheme, !possible || removed == !lock_scheme_has(scheme, "owner-checked"),
                removed ? "owner-checked, but removes another's lock"
                        : "never removes another's lock, but is not owner-checked");
    }
}

// --- renewed -------------------------------------------------------------------------------------

static inline void renews_and_tells(struct fixture *fixture, const struct lock_scheme *scheme)
{
    struct grant grant;
    struct lock *holder = &fixture->locks[0];
    int64_t lease_ns = holder->options.lease_ns;
    hold_to(scheme, lock_acquire(holder, &grant) == OUTCOME_OK, "not let in");
    while (clock_monotonic_ns() < grant.valid_until_ns + lease_ns / 2) {
        hold_to(scheme, acquire(fixture, 2) == OUTCOME_NO, "its lease ran out");
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    hold_to(scheme, atomic_load(&holder->lost) == LOST_NOT, "lost though it was renewed");
    fixture->contract->evict(fixture, scheme);
    await_loss(holder);
    hold_to(scheme, atomic_load(&holder->lost) == LOST_NOT_OWNER, "not told by the server's word");
    lock_release(holder);
}

static inline void a_renewed_hold_outlives_its_lease_and_its_holder_is_told_of_a_loss(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        int modes = lock_scheme_has(scheme, "shared") ? LOCK_SHARED : LOCK_EXCLUSIVE;
        if (!lock_scheme_has(scheme, "renewed") || fixture->contract->renewed_ns == 0)
            continue;
        for (int mode = LOCK_EXCLUSIVE; mode <= modes; mode++) {
            open_with_lease(fixture, scheme, false, fixture->contract->renewed_ns);
            fixture->locks[0].mode = (enum lock_mode)mode;
            renews_and_tells(fixture, scheme);
            close_scheme(fixture);
        }
    }
}

// --- reentrant, shared, permits ------------------------------------------------------------------

EACH_SCHEME(a_reentrant_scheme_is_held_until_it_was_left_as_often_as_entered, true)
{
    struct grant grant;
    bool is_reentrant = lock_scheme_has(scheme, "reentrant");
    hold_to(scheme, is_reentrant == (scheme->reenter != NULL && scheme->leave != NULL),
            "its trait 'reentrant' is wrong");
    if (!is_reentrant)
        return;
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
    for (int depth = 0; depth < 3; depth++)
        hold_to(scheme, lock_reenter(&fixture->locks[0], &grant) == OUTCOME_OK, "no reentry");
    for (int depth = 0; depth < 3; depth++) {
        hold_to(scheme, acquire(fixture, 1) == OUTCOME_NO, "lets another in");
        hold_to(scheme, lock_leave(&fixture->locks[0]) == RELEASE_RELEASED, "cannot leave");
    }
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_NO, "free before its release");
    hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_RELEASED, "no release");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "not free after its release");
    lock_release(&fixture->locks[1]);
}

EACH_SCHEME(a_shared_scheme_lets_readers_in_together_and_writers_alone,
            lock_scheme_has(scheme, "shared"))
{
    fixture->locks[0].mode = fixture->locks[1].mode = LOCK_SHARED;
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "a reader is not let in");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "a second reader is not let in");
    hold_to(scheme, acquire(fixture, 2) == OUTCOME_NO, "a writer beside readers");
    lock_release(&fixture->locks[0]);
    hold_to(scheme, acquire(fixture, 2) == OUTCOME_NO, "a writer beside a reader");
    lock_release(&fixture->locks[1]);
    hold_to(scheme, acquire(fixture, 2) == OUTCOME_OK, "a writer is not let in");
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_NO, "a reader beside a writer");
    lock_release(&fixture->locks[2]);
}

static inline void open_with_two_permits(struct fixture *fixture, const struct lock_scheme *scheme)
{
    struct lock_options options = next_lock(fixture, false);
    options.permits = 2;
    open_scheme_with(fixture, scheme, &options);
}

EACH_SCHEME_OF(a_semaphore_lets_in_as_many_as_it_has_permits, lock_scheme_has(scheme, "permits"),
               open_with_two_permits(fixture, scheme), 0)
{
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "the first is not let in");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "the second is not let in");
    hold_to(scheme, acquire(fixture, 2) == OUTCOME_NO, "the third is not kept out");
    lock_release(&fixture->locks[0]);
    hold_to(scheme, acquire(fixture, 2) == OUTCOME_OK, "a permit was lost");
    lock_release(&fixture->locks[1]);
    lock_release(&fixture->locks[2]);
}

// --- job-queue -----------------------------------------------------------------------------------

static inline void open_queue_of_three(struct fixture *fixture, const struct lock_scheme *scheme)
{
    struct lock_options options = next_lock(fixture, false);
    struct error error = {0};
    for (options.job = 3; options.job > 1; options.job--) {
        if (scheme->set_up(&fixture->server.service, &options, &error) != 0)
            fail_msg("%s: %s", scheme->name, error.text);
    }
    open_scheme_with(fixture, scheme, &options);
}

EACH_SCHEME_OF(a_queue_gives_out_each_job_until_it_is_done, lock_scheme_has(scheme, "job-queue"),
               open_queue_of_three(fixture, scheme), 0)
{
    struct grant grant;
    unsigned given = 0;
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "gives out no job");
    enum release_answer answer = lock_release(&fixture->locks[0]);
    hold_to(scheme, answer == RELEASE_RELEASED || answer == RELEASE_UNCHECKED, "takes none back");
    for (int i = 0; i < WORKERS; i++) {
        hold_to(scheme, lock_acquire(&fixture->locks[i], &grant) == OUTCOME_OK, "has lost a job");
        given |= 1U << grant.job;
    }
    hold_to(scheme, given == (1U << 1 | 1U << 2 | 1U << 3), "does not give out each of its jobs");
    for (int i = 0; i < WORKERS; i++) {
        fixture->locks[i].is_done = true;
        answer = lock_release(&fixture->locks[i]);
        hold_to(scheme, answer == RELEASE_RELEASED || answer == RELEASE_UNCHECKED, "ends no job");
    }
    hold_to(scheme,
            lock_acquire(&fixture->locks[0], &grant) == OUTCOME_NO && grant.detail == ACQUIRE_GONE,
            "does not say that all are done");
}

// --- waiting, and no answer ----------------------------------------------------------------------

// A queue that has its only job no more may say so at once.
EACH_SCHEME(an_acquire_waits_as_long_as_told_and_no_longer,
            lock_scheme_has(scheme, "exclusive") && !IS("redis-list-pop"))
{
    struct grant grant;
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
    hold_to(scheme, grant.attempts >= 1, "counts no attempt");
    fixture->locks[1].options.wait_ns = 50 * NS_PER_MS;
    int64_t began_ns = clock_monotonic_ns();
    hold_to(scheme, lock_acquire(&fixture->locks[1], &grant) == OUTCOME_NO,
            "the second is not kept out");
    hold_to(scheme, clock_monotonic_ns() - began_ns >= 50 * NS_PER_MS, "gives up too early");
    atomic_store(&fixture->stop, 1); // the trial ends: no more waiting
    fixture->locks[1].options.wait_ns = TIME_NEVER / 4;
    hold_to(scheme, lock_acquire(&fixture->locks[1], &grant) == OUTCOME_NO,
            "waits on when all is over");
    atomic_store(&fixture->stop, 0);
    lock_release(&fixture->locks[0]);
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
        signal_server(&fixture->server.cluster.nodes[i], number);
        signal_children(fixture->server.cluster.nodes[i].server, number);
    }
}

// Nothing but a question may be answered NO without an answer: what asks first has changed nothing.
EACH_SCHEME(an_acquire_without_an_answer_is_not_taken_for_busy,
            scheme->server != NULL && lock_scheme_has(scheme, "exclusive"))
{
    signal_servers(fixture, SIGSTOP);
    enum outcome outcome = acquire(fixture, 0);
    signal_servers(fixture, SIGCONT);
    hold_to(scheme, outcome == OUTCOME_UNKNOWN, "an acquire without an answer is not UNKNOWN");
}

EACH_SCHEME(a_release_without_an_answer_is_unknown,
            scheme->server != NULL && !lock_scheme_has(scheme, "optimistic"))
{
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not let in");
    signal_servers(fixture, SIGSTOP);
    enum release_answer answer = lock_release(&fixture->locks[0]);
    signal_servers(fixture, SIGCONT);
    hold_to(scheme, answer == RELEASE_UNKNOWN, "a release without an answer is not UNKNOWN");
}

// Only the server's word tells a holder that it is one no more: that it gave its session up itself
// does not.
EACH_SCHEME(a_reentry_without_an_answer_says_nothing_of_the_hold,
            scheme->server != NULL && scheme->reenter != NULL)
{
    struct grant grant;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    signal_servers(fixture, SIGSTOP);
    enum outcome outcome = lock_reenter(&fixture->locks[0], &grant);
    signal_servers(fixture, SIGCONT);
    hold_to(scheme, outcome == OUTCOME_OK || outcome == OUTCOME_UNKNOWN,
            "a reentry without an answer is taken for a loss");
    enum release_answer answer = lock_release(&fixture->locks[0]);
    hold_to(scheme, answer != RELEASE_GONE && answer != RELEASE_NOT_OWNER,
            "a release after such a reentry is taken for a loss");
}

#define CONTRACT_TESTS                                                                             \
    TEST_AGAIN(an_exclusive_scheme_lets_one_in_and_the_next_after_its_release);                    \
    TEST_AGAIN(a_scheme_is_exclusive_if_no_point_of_its_acquire_lets_two_in);                      \
    TEST_AGAIN(a_scheme_is_local_if_it_excludes_only_inside_its_process);                          \
    TEST_AGAIN(a_lease_is_what_was_asked_for_and_what_the_grant_says);                             \
    TEST_AGAIN(fencing_tokens_grow_with_every_grant_and_only_fenced_schemes_have_them);            \
    TEST_AGAIN(a_release_answers_what_it_did_to_anothers_lock);                                    \
    TEST_AGAIN(a_scheme_is_owner_checked_if_no_point_of_its_release_removes_anothers);             \
    TEST_AGAIN(a_renewed_hold_outlives_its_lease_and_its_holder_is_told_of_a_loss);                \
    TEST_AGAIN(a_reentrant_scheme_is_held_until_it_was_left_as_often_as_entered);                  \
    TEST_AGAIN(a_shared_scheme_lets_readers_in_together_and_writers_alone);                        \
    TEST_AGAIN(a_semaphore_lets_in_as_many_as_it_has_permits);                                     \
    TEST_AGAIN(a_queue_gives_out_each_job_until_it_is_done);                                       \
    TEST_AGAIN(an_acquire_waits_as_long_as_told_and_no_longer);                                    \
    TEST_AGAIN(an_acquire_without_an_answer_is_not_taken_for_busy);                                \
    TEST_AGAIN(a_release_without_an_answer_is_unknown);                                            \
    TEST_AGAIN(a_reentry_without_an_answer_says_nothing_of_the_hold)

#endif
