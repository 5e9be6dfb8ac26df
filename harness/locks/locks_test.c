// Every scheme against a real server: what it promises, and what it does not.
#include "harness/locks/catalogue.h"

#include "harness/cluster/test_server.h"
#include "harness/wire/redis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define WORKERS 3

// Three workers, each in a client of its own, on one server.
struct fixture {
    struct test_server server;
    struct actor actors[WORKERS];
    struct random randoms[WORKERS];
    struct lock_client clients[WORKERS];
    struct lock locks[WORKERS];
    _Atomic uint32_t stop;
    struct redis_connection *probe; // looks at the server past all schemes
};

static void open_scheme(struct fixture *fixture, const struct lock_scheme *scheme, bool fenced)
{
    struct error error = {0};
    for (int i = 0; i < WORKERS; i++) {
        fixture->actors[i] = (struct actor){.client = i + 1, .worker = 1, .phase = PHASE_NONE};
        fixture->clients[i] = (struct lock_client){.scheme = scheme};
        random_start(&fixture->randoms[i], 7, (uint64_t)i);
        if (scheme->open_client != NULL)
            assert_int_equal(scheme->open_client(&fixture->clients[i], &error), 0);
        fixture->locks[i] = (struct lock){.scheme = scheme,
                                          .options = {.name = "lock",
                                                      .lease_ns = 60 * NS_PER_S,
                                                      .wait_ns = 0,
                                                      .retry_ns = NS_PER_MS,
                                                      .request_ns = 300 * NS_PER_MS,
                                                      .fenced = fenced},
                                          .actor = &fixture->actors[i],
                                          .random = &fixture->randoms[i],
                                          .endpoint = &fixture->server.endpoint,
                                          .client = &fixture->clients[i],
                                          .stop = &fixture->stop};
        if (lock_open(&fixture->locks[i], &error) != 0)
            fail_msg("%s", error.text);
    }
}

static void close_scheme(struct fixture *fixture)
{
    for (int i = 0; i < WORKERS; i++) {
        lock_close(&fixture->locks[i]);
        if (fixture->locks[i].scheme->close_client != NULL)
            fixture->locks[i].scheme->close_client(&fixture->clients[i]);
    }
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, "FLUSHALL"), OUTCOME_OK);
}

static int start(void **state)
{
    static struct fixture fixture;
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    if (test_server_start(&fixture.server, "redis") != 0)
        return -1;
    fixture.probe = redis_open(&fixture.server.endpoint, NS_PER_S, &nobody, &error);
    *state = &fixture;
    return fixture.probe == NULL ? -1 : 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->probe);
    test_server_stop(&fixture->server);
    return 0;
}

static enum outcome acquire(struct fixture *fixture, int worker, struct grant *grant)
{
    return lock_acquire(&fixture->locks[worker], grant);
}

static int64_t ask(struct fixture *fixture, const char *command)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, command), OUTCOME_OK);
    return answer.integer;
}

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

static void a_lease_expires_and_is_what_the_grant_says(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        if (scheme->server == NULL)
            continue;
        struct grant grant;
        open_scheme(fixture, scheme, false);
        int64_t before_ns = clock_monotonic_ns();
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        int64_t left_ms = ask(fixture, "PTTL lock");
        if (lock_scheme_has(scheme, "lease")) {
            assert_in_range(left_ms, 1, 60000);
            assert_true(grant.valid_until_ns >= before_ns + 60 * NS_PER_S);
            assert_true(grant.valid_until_ns <= clock_monotonic_ns() + 60 * NS_PER_S);
        } else {
            assert_int_equal(left_ms, -1);
            assert_true(grant.valid_until_ns == TIME_NEVER);
        }
        close_scheme(fixture);
    }
}

// Puts another's lock in the place of worker 1's, as an expiry and a new grant would.
static void let_another_have_it(struct fixture *fixture)
{
    ask(fixture, "SET lock another");
}

static void an_owner_checked_release_spares_anothers_lock(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *const schemes[] = {&redis_set_px_get_del_scheme,
                                                 &redis_set_px_lua_scheme};
    for (int i = 0; i < 2; i++) {
        struct grant grant;
        open_scheme(fixture, schemes[i], false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        let_another_have_it(fixture);
        assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_NOT_OWNER);
        assert_int_equal(ask(fixture, "EXISTS lock"), 1);
        ask(fixture, "DEL lock");
        assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_GONE);
        close_scheme(fixture);
    }
}

static void a_plain_del_removes_anothers_lock(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *const schemes[] = {&redis_get_set_scheme, &redis_setnx_scheme,
                                                 &redis_setnx_expire_scheme,
                                                 &redis_set_px_del_scheme};
    for (int i = 0; i < 4; i++) {
        struct grant grant;
        open_scheme(fixture, schemes[i], false);
        assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
        let_another_have_it(fixture);
        assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_UNCHECKED);
        assert_int_equal(ask(fixture, "EXISTS lock"), 0);
        assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_GONE);
        close_scheme(fixture);
    }
}

static void fencing_tokens_grow_with_every_grant(void **state)
{
    struct fixture *fixture = *state;
    open_scheme(fixture, &redis_set_px_lua_scheme, true);
    int64_t last = 0;
    for (int round = 0; round < 10; round++) {
        struct grant grant;
        int worker = round % WORKERS;
        assert_int_equal(acquire(fixture, worker, &grant), OUTCOME_OK);
        assert_true(grant.token > last);
        last = grant.token;
        assert_int_equal(acquire(fixture, (worker + 1) % WORKERS, &grant), OUTCOME_NO);
        assert_int_equal(lock_release(&fixture->locks[worker]), RELEASE_RELEASED);
    }
    close_scheme(fixture);
}

static void a_process_mutex_excludes_only_inside_its_process(void **state)
{
    struct fixture *fixture = *state;
    struct grant grant;
    open_scheme(fixture, &process_mutex_scheme, false);
    assert_int_equal(acquire(fixture, 0, &grant), OUTCOME_OK);
    assert_int_equal(acquire(fixture, 1, &grant), OUTCOME_OK);
    struct lock neighbour = fixture->locks[0]; // another worker of the same client
    assert_int_equal(lock_acquire(&neighbour, &grant), OUTCOME_NO);
    lock_release(&fixture->locks[0]);
    assert_int_equal(lock_acquire(&neighbour, &grant), OUTCOME_OK);
    lock_release(&neighbour);
    lock_release(&fixture->locks[1]);
    close_scheme(fixture);
}

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
        cmocka_unit_test(a_lease_expires_and_is_what_the_grant_says),
        cmocka_unit_test(an_owner_checked_release_spares_anothers_lock),
        cmocka_unit_test(a_plain_del_removes_anothers_lock),
        cmocka_unit_test(fencing_tokens_grow_with_every_grant),
        cmocka_unit_test(a_process_mutex_excludes_only_inside_its_process),
        cmocka_unit_test(an_acquire_waits_as_long_as_told_and_counts_its_attempts),
        cmocka_unit_test(an_acquire_without_an_answer_is_unknown_not_busy),
        cmocka_unit_test(a_release_without_an_answer_is_unknown),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
