// The watchdog on a real Redis: it keeps a hold alive, notices a loss, and lets go before a
// release.
#include "harness/locks/test_redis.h"

#include "harness/base/clock_shift.h"
#include "harness/history/reader.h"
#include "harness/locks/watchdog.h"

static const struct contract watchdog_contract = {REDIS_CONTRACT, .schemes = "redis-watchdog*"};

#define OPERATION 77

static void open_watched(struct fixture *fixture, const struct lock_scheme *scheme,
                         int64_t lease_ns)
{
    open_with_lease(fixture, scheme, false, lease_ns);
    fixture->locks[0].operation = OPERATION;
}

// A test with a scheme of the contract whose lease is so long.
#define WATCHDOG_TEST(name, scheme_name, lease_ns)                                                 \
    SCHEME_TEST_WITH(name, IS(scheme_name), open_watched(fixture, scheme, lease_ns))

static void await_loss_by(const struct lock *lock, enum lost_reason reason)
{
    await_loss(lock);
    assert_int_equal(atomic_load(&lock->lost), reason);
}

// How many events of the kind, of worker 1 of client 1 and for its operation, the history holds.
static int count_events(const struct fixture *fixture, enum event_kind kind, int outcome)
{
    char path[128];
    AUTO(history_free) struct history history;
    struct error error = {0};
    int found = 0;
    snprintf(path, sizeof path, "%s/history.bin", fixture->server.folder);
    assert_int_equal(history_load(path, &history, &error), 0);
    for (size_t i = 0; i < history.count; i++) {
        const struct event *event = &history.events[i];
        found += event->kind == kind && event->client == 1 && event->worker == 1 &&
                 event->args[0] == OPERATION && (outcome < 0 || event->outcome == outcome);
    }
    return found;
}

CONTRACT_GROUP(watchdog_contract);

WATCHDOG_TEST(a_renewal_that_finds_anothers_lock_tells_the_holder_and_renews_no_more,
              "redis-watchdog", 300 * NS_PER_MS)
{
    int losses = count_events(fixture, EVENT_LOST, -1);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    ask(fixture, "SET %s another");
    await_loss_by(&fixture->locks[0], LOST_NOT_OWNER);
    assert_int_equal(count_events(fixture, EVENT_LOST, -1), losses + 1);
    int renewals = count_events(fixture, EVENT_RENEW_INVOKE, -1);
    clock_sleep_until_ns(clock_monotonic_ns() + 300 * NS_PER_MS); // three times as long as it takes
    assert_int_equal(count_events(fixture, EVENT_RENEW_INVOKE, -1), renewals);
    assert_int_equal(ask(fixture, "PTTL %s").integer, -1); // the stranger's was left alone
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_NOT_OWNER);
}

WATCHDOG_TEST(a_server_that_does_not_answer_costs_the_lock_once_the_lease_is_over, "redis-watchdog",
              300 * NS_PER_MS)
{
    struct grant grant;
    const struct node *server = &fixture->server.cluster.nodes[0];
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    signal_server(server, SIGSTOP);
    await_loss_by(&fixture->locks[0], LOST_DEADLINE);
    bool too_early = clock_monotonic_ns() < grant.valid_until_ns;
    signal_server(server, SIGCONT);
    assert_false(too_early);
    lock_release(&fixture->locks[0]);
}

WATCHDOG_TEST(a_release_waits_for_a_renewal_under_way, "redis-watchdog", 2 * NS_PER_S)
{
    struct act act = {.is_release = true};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    const struct point_match renewal = {.side = POINT_BEFORE, .phase = PHASE_RENEW};
    struct point_trap *trap = set_trap(fixture, 1, 1, 0, renewal, 1);
    await_reached(trap);
    begin_act(&act, &fixture->locks[0]);
    clock_sleep_until_ns(clock_monotonic_ns() + 20 * NS_PER_MS);
    assert_false(atomic_load(&act.is_over)); // it may not overtake the renewal
    point_let_go(&fixture->board, trap);
    pthread_join(act.thread, NULL);
    assert_int_equal(act.answer, RELEASE_RELEASED);
    assert_int_equal(ask(fixture, "EXISTS %s").integer, 0);
}

// The flaw that it is known for.
WATCHDOG_TEST(the_unchecked_one_renews_a_strangers_lock, "redis-watchdog-unchecked", 2 * NS_PER_S)
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    ask(fixture, "SET %s another PX 900");
    int64_t give_up_ns = clock_monotonic_ns() + 20 * NS_PER_S;
    while (ask(fixture, "PTTL %s").integer < 4000 && clock_monotonic_ns() < give_up_ns) {
        ask(fixture, "SET %s another NX PX 900"); // it ran out before the watchdog looked
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
    assert_true(ask(fixture, "PTTL %s").integer > 4000);
    assert_string_equal(ask(fixture, "GET %s").text, "another");
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_NOT_OWNER);
}

// --- on its own ----------------------------------------------------------------------------------

// Starts a watchdog of settings of the test's own beside a scheme that has none.
static struct watchdog *start_alone(struct fixture *fixture,
                                    const struct watchdog_settings *settings)
{
    struct error error;
    open_watched(fixture, lock_scheme_find("redis-set-px-lua"), NS_PER_S);
    struct watchdog *watchdog = watchdog_start(&fixture->clients[0], settings, &error);
    assert_non_null(watchdog);
    return watchdog;
}

static void end_alone(struct fixture *fixture, struct watchdog *watchdog)
{
    watchdog_stop(watchdog);
    watchdog_free(watchdog);
    close_scheme(fixture);
}

static _Atomic int asked;

static enum outcome renew_without_an_answer(struct renewal *renewal)
{
    (void)renewal;
    atomic_fetch_add(&asked, 1);
    return OUTCOME_UNKNOWN;
}

TEST(after_a_renewal_without_an_answer_the_holder_is_told_when_its_lease_is_over)
{
    struct fixture *fixture = *state;
    static const struct watchdog_settings settings = {.interval_ns = 200 * NS_PER_MS,
                                                      .renew = renew_without_an_answer};
    struct watchdog *watchdog = start_alone(fixture, &settings);
    int64_t valid_until_ns = clock_monotonic_ns() + 250 * NS_PER_MS;
    watchdog_add(watchdog, &fixture->locks[0], valid_until_ns);
    await_loss_by(&fixture->locks[0], LOST_DEADLINE);
    assert_true(clock_monotonic_ns() >= valid_until_ns);
    assert_int_equal(atomic_load(&asked), 1);      // not only at the next renewal
    watchdog_remove(watchdog, &fixture->locks[0]); // gone already: fine
    end_alone(fixture, watchdog);
}

#define STALL_INTERVAL_NS (10 * NS_PER_MS)

static int64_t stall_over_ns; // when the first renewal, which took long, was over
static _Atomic int64_t fourth_ns;

// The first takes as long as ten renewals.
static enum outcome renew_with_a_stall(struct renewal *renewal)
{
    static int renewals;
    renewals++;
    if (renewals == 4)
        atomic_store(&fourth_ns, clock_monotonic_ns());
    if (renewals == 1) {
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * STALL_INTERVAL_NS);
        stall_over_ns = clock_monotonic_ns();
    }
    renewal->valid_until_ns = clock_now_ns(&renewal->actor->clock) + NS_PER_S;
    return OUTCOME_OK;
}

TEST(renewals_that_a_stall_made_it_miss_are_not_made_up_for)
{
    struct fixture *fixture = *state;
    static const struct watchdog_settings settings = {.interval_ns = STALL_INTERVAL_NS,
                                                      .renew = renew_with_a_stall};
    struct watchdog *watchdog = start_alone(fixture, &settings);
    watchdog_add(watchdog, &fixture->locks[0], clock_monotonic_ns() + NS_PER_S);
    AWAIT(atomic_load(&fourth_ns) != 0);
    // The second is due at once; from there it is one interval to the third, two to the fourth.
    assert_true(atomic_load(&fourth_ns) >= stall_over_ns + 2 * STALL_INTERVAL_NS);
    end_alone(fixture, watchdog);
}

// A frozen clock never comes to the time of the next renewal, by which the server has long ended
// the lease; once it is right, the watchdog sees that the time has come.
TEST(a_watchdog_whose_clock_was_frozen_goes_on_when_it_is_set_right)
{
    struct fixture *fixture = *state;
    struct clock_shift shift = {0};
    fixture->clocks[0].shift = &shift;
    open_watched(fixture, lock_scheme_find("redis-watchdog"), 300 * NS_PER_MS);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), 0, 0);
    AWAIT(ask(fixture, "EXISTS %s").integer == 0);
    assert_int_equal(atomic_load(&fixture->locks[0].lost), LOST_NOT);
    clock_shift_clear(&shift, SHIFTED_MONOTONIC);
    await_loss_by(&fixture->locks[0], LOST_NOT_OWNER);
    close_scheme(fixture);
    fixture->clocks[0].shift = NULL;
}
