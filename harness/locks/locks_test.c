// Every scheme against a real server: each is held to its traits, and to no more than them.
#include "harness/locks/catalogue.h"

#include "harness/locks/test_locks.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static void hold_to(const struct lock_scheme *scheme, bool is_right, const char *claim)
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

static void *perform(void *context)
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
static bool begin(struct fixture *fixture, struct act *act, int64_t nth)
{
    struct point_trap *trap = &fixture->board.traps[0];
    act->lock = &fixture->locks[0];
    if (act->lock->scheme->server == NULL) {
        perform(act);
        return false;
    }
    trap->client = 1;
    trap->match_count = 1; // what it matches is left empty: any request
    trap->nth = nth;
    point_arm(&fixture->board, trap);
    assert_int_equal(pthread_create(&act->thread, NULL, perform, act), 0);
    while (atomic_load(&trap->state) != POINT_REACHED && !atomic_load(&act->is_over))
        clock_sleep_until_ns(clock_monotonic_ns() + 50 * NS_PER_US);
    return atomic_load(&trap->state) == POINT_REACHED;
}

static void finish(struct fixture *fixture, struct act *act)
{
    if (act->lock->scheme->server == NULL)
        return;
    point_let_go(&fixture->board, &fixture->board.traps[0]);
    pthread_join(act->thread, NULL);
}

// --- exclusive, local ----------------------------------------------------------------------------

static void an_exclusive_scheme_lets_one_in_and_the_next_after_its_release(void **state)
{
    struct fixture *fixture = *state;
    int tried = 0;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        if (!lock_scheme_has(scheme, "exclusive"))
            continue;
        struct grant grant;
        open_scheme(fixture, scheme, false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        assert_int_equal(acquire(fixture, 1, &grant), OUTCOME_NO);
        enum release_answer answer = lock_release(&fixture->locks[0]);
        assert_true(answer == RELEASE_RELEASED || answer == RELEASE_UNCHECKED);
        assert_int_equal(acquire(fixture, 1, &grant), OUTCOME_OK);
        assert_int_equal(acquire(fixture, 2, &grant), OUTCOME_NO);
        close_scheme(fixture);
        tried++;
    }
    assert_true(tried >= 5);
}

// Worker 2 acquires while worker 1 is held at its nth point. True if both were granted.
static bool lets_both_in(struct fixture *fixture, const struct lock_scheme *scheme, int64_t nth,
                         bool *reached)
{
    struct act first = {.is_release = false};
    struct grant grant;
    open_scheme(fixture, scheme, false);
    *reached = begin(fixture, &first, nth);
    enum outcome second = acquire(fixture, 1, &grant);
    finish(fixture, &first);
    if (first.outcome == OUTCOME_OK)
        lock_release(&fixture->locks[0]);
    if (second == OUTCOME_OK)
        lock_release(&fixture->locks[1]);
    close_scheme(fixture);
    return first.outcome == OUTCOME_OK && second == OUTCOME_OK;
}

static void a_scheme_is_exclusive_if_no_point_of_its_acquire_lets_two_in(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        bool both = false;
        bool reached = true;
        for (int64_t nth = 1; reached; nth++)
            both |= lets_both_in(fixture, lock_catalogue[i], nth, &reached);
        hold_to(lock_catalogue[i], both == !lock_scheme_has(lock_catalogue[i], "exclusive"),
                both ? "exclusive, but lets two in" : "never lets two in, but is not exclusive");
    }
}

static void a_scheme_is_local_if_it_excludes_only_inside_its_process(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        struct grant grant;
        open_scheme(fixture, lock_catalogue[i], false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        enum outcome other = acquire(fixture, 1, &grant);
        struct lock neighbour = fixture->locks[0]; // another worker of the same client
        enum outcome inside = lock_acquire(&neighbour, &grant);
        hold_to(lock_catalogue[i],
                (other == OUTCOME_OK && inside == OUTCOME_NO) ==
                    lock_scheme_has(lock_catalogue[i], "local"),
                "its trait 'local' is wrong");
        lock_release(&fixture->locks[0]);
        if (other == OUTCOME_OK)
            lock_release(&fixture->locks[1]);
        if (lock_scheme_has(lock_catalogue[i], "local")) {
            assert_int_equal(lock_acquire(&neighbour, &grant), OUTCOME_OK);
            lock_release(&neighbour);
        }
        close_scheme(fixture);
    }
}

// --- lease, fenced -------------------------------------------------------------------------------

static void a_lease_is_what_was_asked_for_and_what_the_grant_says(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        struct grant grant;
        open_scheme(fixture, scheme, false);
        int64_t before_ns = clock_monotonic_ns();
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        int64_t left_ms = scheme->server != NULL ? ask(fixture, "PTTL lock") : -1;
        if (lock_scheme_has(scheme, "lease")) {
            hold_to(scheme, left_ms > 58500 && left_ms <= 60000, "its lease is not of 60 s");
            hold_to(scheme, grant.valid_until_ns >= before_ns + 60 * NS_PER_S, "ends too early");
            hold_to(scheme, grant.valid_until_ns <= clock_monotonic_ns() + 60 * NS_PER_S,
                    "believes in more than its lease");
        } else {
            hold_to(scheme, left_ms == -1, "it has a lease, but not the trait");
            hold_to(scheme, grant.valid_until_ns == TIME_NEVER, "believes in a lease");
        }
        lock_release(&fixture->locks[0]);
        close_scheme(fixture);
    }
}

static void fencing_tokens_grow_with_every_grant_and_only_fenced_schemes_have_them(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        bool is_fenced = lock_scheme_has(scheme, "fenced");
        open_scheme(fixture, scheme, true);
        int64_t last = 0;
        for (int round = 0; round < 10; round++) {
            struct grant grant;
            struct grant denied;
            int worker = round % WORKERS;
            assert_int_equal(acquire(fixture, worker, &grant), OUTCOME_OK);
            hold_to(scheme, is_fenced ? grant.token > last : grant.token == 0,
                    is_fenced ? "its tokens do not grow" : "it has tokens, but not the trait");
            last = grant.token;
            if (lock_scheme_has(scheme, "exclusive"))
                assert_int_equal(acquire(fixture, (worker + 1) % WORKERS, &denied), OUTCOME_NO);
            lock_release(&fixture->locks[worker]);
        }
        close_scheme(fixture);
    }
}

// --- owner-checked -------------------------------------------------------------------------------

// Puts another's lock in the place of worker 1's, as an expiry and a new grant would.
static void let_another_have_it(struct fixture *fixture)
{
    ask(fixture, "SET lock another");
}

static void a_release_answers_what_it_did_to_anothers_lock(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        struct grant grant;
        if (scheme->server == NULL)
            continue;
        open_scheme(fixture, scheme, false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        let_another_have_it(fixture);
        enum release_answer answer = lock_release(&fixture->locks[0]);
        // One that compares first, if only in the client, may well see that it is another's.
        hold_to(scheme,
                answer == (ask(fixture, "DEL lock") == 1 ? RELEASE_NOT_OWNER : RELEASE_UNCHECKED),
                "its release of another's lock answers what is not so");
        hold_to(scheme, answer == RELEASE_NOT_OWNER || !lock_scheme_has(scheme, "owner-checked"),
                "owner-checked, but releases another's lock");
        assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_GONE);
        close_scheme(fixture);
    }
}

// Another gets the lock while the release of worker 1 is held at its nth point. True if the release
// removed it; an undisturbed one removes its own.
static bool removes_anothers(struct fixture *fixture, const struct lock_scheme *scheme, int64_t nth,
                             bool *reached)
{
    struct act act = {.is_release = true};
    struct grant grant;
    open_scheme(fixture, scheme, false);
    assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
    *reached = begin(fixture, &act, nth);
    if (*reached)
        let_another_have_it(fixture);
    finish(fixture, &act);
    bool is_there = ask(fixture, "EXISTS lock") == 1;
    if (!*reached)
        hold_to(scheme,
                !is_there &&
                    act.answer == (lock_scheme_has(scheme, "owner-checked") ? RELEASE_RELEASED
                                                                            : RELEASE_UNCHECKED),
                "RELEASED is for those that check the owner, and only for them");
    close_scheme(fixture);
    return *reached && !is_there;
}

static void a_scheme_is_owner_checked_if_no_point_of_its_release_removes_anothers(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        if (lock_catalogue[i]->server == NULL)
            continue;
        bool removed = false;
        bool reached = true;
        for (int64_t nth = 1; reached; nth++)
            removed |= removes_anothers(fixture, lock_catalogue[i], nth, &reached);
        hold_to(lock_catalogue[i], removed == !lock_scheme_has(lock_catalogue[i], "owner-checked"),
                removed ? "owner-checked, but removes another's lock"
                        : "never removes another's lock, but is not owner-checked");
    }
}

// --- redis, and the list of traits ---------------------------------------------------------------

static void every_trait_is_held_to_by_a_test_and_names_the_server(void **state)
{
    (void)state;
    static const char *const tested[] = {"exclusive", "lease", "owner-checked",
                                         "fenced",    "redis", "local"};
    size_t count = sizeof tested / sizeof *tested;
    for (size_t i = 0; lock_traits[i].name != NULL; i++) {
        size_t j = 0;
        while (j < count && strcmp(tested[j], lock_traits[i].name) != 0)
            j++;
        if (j == count)
            fail_msg("no test holds a scheme to its trait '%s'", lock_traits[i].name);
    }
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const char *server = lock_catalogue[i]->server;
        hold_to(lock_catalogue[i],
                (server != NULL && strcmp(server, "redis") == 0) ==
                    lock_scheme_has(lock_catalogue[i], "redis"),
                "its trait 'redis' is wrong");
    }
}

// --- waiting, and no answer ----------------------------------------------------------------------

static void an_acquire_waits_as_long_as_told_and_counts_its_attempts(void **state)
{
    struct fixture *fixture = *state;
    struct grant grant;
    open_scheme(fixture, &redis_set_px_lua_scheme, false);
    assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
    assert_int_equal(grant.attempts, 1);
    fixture->locks[1].options.wait_ns = 50 * NS_PER_MS;
    int64_t began_ns = clock_monotonic_ns();
    assert_int_equal(acquire(fixture, 1, &grant), OUTCOME_NO);
    assert_true(clock_monotonic_ns() - began_ns >= 50 * NS_PER_MS);
    assert_true(grant.attempts > 1);
    atomic_store(&fixture->stop, 1); // the trial ends: no more waiting
    fixture->locks[1].options.wait_ns = TIME_NEVER / 4;
    assert_int_equal(acquire(fixture, 1, &grant), OUTCOME_NO);
    atomic_store(&fixture->stop, 0);
    close_scheme(fixture);
}

static void pause_server(struct fixture *fixture)
{
    int status;
    pid_t server = fixture->server.cluster.nodes[0].server;
    kill(server, SIGSTOP);
    waitpid(server, &status, WUNTRACED);
    assert_true(WIFSTOPPED(status));
}

static void an_acquire_without_an_answer_is_unknown_not_busy(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        struct grant grant;
        // GET+SET asks first, and a question without an answer has changed nothing.
        if (scheme->server == NULL || scheme == &redis_get_set_scheme)
            continue;
        open_scheme(fixture, scheme, false);
        pause_server(fixture);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_UNKNOWN);
        kill(fixture->server.cluster.nodes[0].server, SIGCONT);
        close_scheme(fixture);
    }
}

static void a_release_without_an_answer_is_unknown(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        struct grant grant;
        if (lock_catalogue[i]->server == NULL)
            continue;
        open_scheme(fixture, lock_catalogue[i], false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        pause_server(fixture);
        assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_UNKNOWN);
        kill(fixture->server.cluster.nodes[0].server, SIGCONT);
        close_scheme(fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exclusive_scheme_lets_one_in_and_the_next_after_its_release),
        cmocka_unit_test(a_scheme_is_exclusive_if_no_point_of_its_acquire_lets_two_in),
        cmocka_unit_test(a_scheme_is_local_if_it_excludes_only_inside_its_process),
        cmocka_unit_test(a_lease_is_what_was_asked_for_and_what_the_grant_says),
        cmocka_unit_test(fencing_tokens_grow_with_every_grant_and_only_fenced_schemes_have_them),
        cmocka_unit_test(a_release_answers_what_it_did_to_anothers_lock),
        cmocka_unit_test(a_scheme_is_owner_checked_if_no_point_of_its_release_removes_anothers),
        cmocka_unit_test(every_trait_is_held_to_by_a_test_and_names_the_server),
        cmocka_unit_test(an_acquire_waits_as_long_as_told_and_counts_its_attempts),
        cmocka_unit_test(an_acquire_without_an_answer_is_unknown_not_busy),
        cmocka_unit_test(a_release_without_an_answer_is_unknown),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
