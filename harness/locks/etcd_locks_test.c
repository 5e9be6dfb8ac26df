// The etcd schemes, held to their contract, and what only they do.
#include "harness/locks/test_contract.h"

#include "harness/cluster/process.h"
#include "harness/locks/etcd_common.h"

// Goes on to the next older key of the lock's queue; false if there is none.
static bool find_older(struct fixture *fixture, struct etcd_entry *entry)
{
    char prefix[ETCD_KEY_ROOM - 16];
    int64_t revision;
    snprintf(prefix, sizeof prefix, "%s/", fixture->name);
    assert_int_equal(
        etcd_get_older(fixture->probe, prefix, entry->create_revision, entry, &revision),
        OUTCOME_OK);
    return entry->create_revision > 0;
}

// The oldest key, if any; *count: of how many.
static struct etcd_entry oldest_of(struct fixture *fixture, int *count)
{
    struct etcd_entry found = {.create_revision = INT64_MAX};
    struct etcd_entry oldest = {.create_revision = 0};
    for (*count = 0; find_older(fixture, &found); ++*count)
        oldest = found;
    return oldest;
}

static struct etcd_entry oldest_key(struct fixture *fixture)
{
    int ignored;
    return oldest_of(fixture, &ignored);
}

// Deletes the holder's key, as an operator might.
static bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    int64_t deleted;
    struct etcd_entry holder = oldest_key(fixture);
    (void)scheme;
    if (holder.create_revision == 0)
        return true;
    assert_int_equal(etcd_delete(fixture->probe, holder.key, &deleted), OUTCOME_OK);
    return true;
}

// A worker's key is bound to its session, and is its place in a line.
#define HAS_SESSION lock_scheme_has(scheme, "fair")

#define ETCD_CONTRACT .server = "etcd", .probe = &etcd_connector

static const struct contract etcd_contract = {ETCD_CONTRACT, .request_ns = NS_PER_S,
                                              .evict = evict};
static const struct contract ensemble_contract = {ETCD_CONTRACT, .topology = "ensemble",
                                                  .lease_ns = 4 * NS_PER_S, .request_ns = NS_PER_S};
static const struct contract short_contract = {ETCD_CONTRACT, .lease_ns = 1500 * NS_PER_MS,
                                               .request_ns = NS_PER_S};

// --- one server ----------------------------------------------------------------------------------

CONTRACT_GROUP(etcd_contract);
CONTRACT_TESTS;

SCHEME_TEST(who_gives_up_leaves_nothing_in_the_queue, HAS_SESSION)
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO);
    fixture->locks[1].options.wait_ns = 30 * NS_PER_MS;
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(oldest_key(fixture).create_revision, 0);
}

TEST(tokens_come_only_where_they_are_asked_for)
{
    struct fixture *fixture = *state;
    for (int fenced = 0; fenced < 2; fenced++) {
        struct grant grant;
        open_scheme(fixture, lock_scheme_find("etcd-lease"), fenced == 1);
        assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
        assert_int_equal(grant.token > 0, fenced);
        lock_release(&fixture->locks[0]);
        close_scheme(fixture);
    }
}

// Without the trait there are no tokens.
static bool is_right_after(const struct lock *lock, int64_t token, int64_t before)
{
    return lock_scheme_has(lock->scheme, "fenced") ? token > before : token == 0;
}

// Until `count` keys are in the queue: the waiters have come to it.
static void await_queue(struct fixture *fixture, int count)
{
    int found;
    AWAIT((oldest_of(fixture, &found), found == count));
}

SCHEME_TEST_WITH(waiters_are_woken_in_the_order_they_came_and_their_tokens_grow, HAS_SESSION,
                 open_scheme(fixture, scheme, true))
{
    struct grant grant;
    struct act second = {0}, third = {0};
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    begin_to_wait(&second, &fixture->locks[1], PATIENCE_NS);
    await_queue(fixture, 2);
    begin_to_wait(&third, &fixture->locks[2], PATIENCE_NS);
    await_queue(fixture, 3);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(end_of(&second), OUTCOME_OK);
    assert_true(is_right_after(second.lock, second.grant.token, grant.token));
    assert_false(atomic_load(&third.is_over));
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    assert_int_equal(end_of(&third), OUTCOME_OK);
    assert_true(is_right_after(third.lock, third.grant.token, second.grant.token));
    assert_int_equal(lock_release(&fixture->locks[2]), RELEASE_RELEASED);
}

SCHEME_TEST(a_session_that_ends_before_the_acquire_is_replaced, HAS_SESSION)
{
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
    assert_int_equal(etcd_revoke(fixture->probe, etcd_of(lock)->lease), OUTCOME_OK);
    assert_int_equal(acquire(fixture, 0), OUTCOME_NO); // that attempt
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
}

SCHEME_TEST(a_waiter_whose_key_is_taken_away_is_not_let_in_and_gets_another_place, IS("etcd-lease"))
{
    struct act second = {0};
    int64_t deleted;
    struct history_follower *follower = history_follower_new(&fixture->history);
    count_places(follower); // of earlier tests
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&second, &fixture->locks[1], PATIENCE_NS);
    await_queue(fixture, 2);
    assert_int_equal(etcd_delete(fixture->probe, etcd_of(&fixture->locks[1])->key, &deleted),
                     OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(end_of(&second), OUTCOME_OK); // by a key that it made afterwards
    assert_int_equal(second.grant.attempts, 2);
    assert_int_equal(count_places(follower),
                     2); // the second was the first of the line, and need not wait
    history_follower_free(follower);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

// --- a lease of 1.5 s, which etcd keeps for 2 s -------------------------------------------------

CONTRACT_GROUP(short_contract);

SCHEME_TEST(a_hold_outlives_its_lease_while_it_is_kept_alive_and_so_does_a_wait, HAS_SESSION)
{
    struct act second = {0};
    int64_t began_ns = clock_monotonic_ns();
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&second, &fixture->locks[1], PATIENCE_NS);
    await_queue(fixture, 2);
    int64_t lease = etcd_of(&fixture->locks[1])->lease;
    while (clock_monotonic_ns() < began_ns + 3 * NS_PER_S) {
        assert_int_equal(fixture->locks[0].lost, LOST_NOT);
        assert_false(atomic_load(&second.is_over));
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * NS_PER_MS);
    }
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(end_of(&second), OUTCOME_OK);
    assert_true(etcd_of(&fixture->locks[1])->lease == lease);
    assert_true(second.grant.valid_until_ns > clock_monotonic_ns());
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

SCHEME_TEST_WITH(a_lease_that_nobody_keeps_alive_gives_the_lock_to_the_next, HAS_SESSION,
                 open_scheme(fixture, scheme, true))
{
    struct grant first, second;
    assert_int_equal(lock_acquire(&fixture->locks[0], &first), OUTCOME_OK);
    watchdog_remove(fixture->clients[0].watchdog, &fixture->locks[0]);
    fixture->locks[1].options.wait_ns = 30 * NS_PER_S;
    assert_int_equal(lock_acquire(&fixture->locks[1], &second), OUTCOME_OK);
    assert_true(clock_monotonic_ns() > first.valid_until_ns);
    assert_true(is_right_after(&fixture->locks[1], second.token, first.token));
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_GONE);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

// Where the machine stands still past the lease, the watchdog's own clock tells it first: once
// more, then.
SCHEME_TEST(a_holder_whose_lease_is_revoked_learns_it_from_its_watchdog, HAS_SESSION)
{
    struct lock *lock = &fixture->locks[0];
    uint32_t lost = LOST_DEADLINE;
    while (lost == LOST_DEADLINE) {
        assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
        etcd_revoke(fixture->probe, etcd_of(lock)->lease);
        await_loss(lock);
        lost = atomic_load(&lock->lost);
        assert_int_equal(lock_release(lock), RELEASE_GONE);
    }
    assert_int_equal(lost, LOST_NOT_OWNER);
}

// Neither whoever died nor whoever has released is held to lead by the record, which stays.
SCHEME_TEST(a_record_of_kubernetes_is_a_hold_until_it_is_over_or_nobodys, IS("kubernetes-lease"))
{
    for (int is_released = 0; is_released < 2; is_released++) {
        assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
        assert_true(scheme->is_held(oldest_key(fixture).value));
        if (is_released)
            assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
        else
            watchdog_remove(fixture->clients[0].watchdog, &fixture->locks[0]);
        AWAIT(!scheme->is_held(oldest_key(fixture).value));
        assert_true(oldest_key(fixture).create_revision > 0);
    }
}

SCHEME_TEST(a_candidate_of_kubernetes_counts_the_lease_from_when_it_looked_first,
            IS("kubernetes-lease"))
{
    struct grant first, second;
    struct lock *late = &fixture->locks[1];
    assert_int_equal(lock_acquire(&fixture->locks[0], &first), OUTCOME_OK);
    watchdog_remove(fixture->clients[0].watchdog, &fixture->locks[0]);
    clock_sleep_until_ns(first.valid_until_ns);
    int64_t looked_ns = clock_monotonic_ns();
    late->options.wait_ns = 30 * NS_PER_S;
    assert_int_equal(lock_acquire(late, &second), OUTCOME_OK);
    assert_true(clock_monotonic_ns() >= looked_ns + late->options.lease_ns);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_NOT_OWNER);
    assert_int_equal(lock_release(late), RELEASE_RELEASED);
}

SCHEME_TEST(a_leader_of_kubernetes_that_was_replaced_leads_on_until_its_renew_deadline,
            IS("kubernetes-lease"))
{
    struct lock *replaced = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    evict(fixture, scheme);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    int64_t replaced_ns = clock_monotonic_ns();
    await_loss(replaced);
    assert_true(clock_monotonic_ns() >= replaced_ns + replaced->options.lease_ns * 10 / 15);
    assert_int_equal(atomic_load(&replaced->lost), LOST_DEADLINE);
    assert_int_equal(lock_release(replaced), RELEASE_NOT_OWNER);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

// It is not told that another one has led meanwhile.
SCHEME_TEST(a_leader_of_kubernetes_takes_the_record_back_that_its_successor_has_given_back,
            IS("kubernetes-lease"))
{
    struct lock *replaced = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    evict(fixture, scheme);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    AWAIT(scheme->is_held(oldest_key(fixture).value));
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO);
    assert_int_equal(atomic_load(&replaced->lost), LOST_NOT);
    assert_int_equal(lock_release(replaced), RELEASE_RELEASED);
}

SCHEME_TEST(a_leader_of_kubernetes_1_34_gives_anothers_lease_back_until_it_has_observed_it,
            IS("kubernetes-lease-1-34"))
{
    struct lock *replaced = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    evict(fixture, scheme);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    await_loss(replaced); // and so it has read whose the record is
    assert_int_equal(lock_release(replaced), RELEASE_NOT_OWNER);
    watchdog_remove(fixture->clients[1].watchdog, &fixture->locks[1]); // has observed its own
    evict(fixture, scheme);
    assert_int_equal(acquire(fixture, 2), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_UNCHECKED);
    assert_false(scheme->is_held(oldest_key(fixture).value));
    lock_release(&fixture->locks[2]);
}

// --- three servers -------------------------------------------------------------------------------

CONTRACT_GROUP(ensemble_contract);

SCHEME_TEST_WITH(the_lock_works_on_when_one_of_three_servers_is_killed, true,
                 open_scheme(fixture, scheme, true))
{
    struct node *node = &fixture->server.cluster.nodes[1]; // where worker 1 goes first
    struct grant grant;
    int64_t last = 0;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    process_kill(node->server);
    node->server = 0;
    for (int round = 0; round < 6; round++) {
        int worker = round % WORKERS;
        if (round > 0) {
            fixture->locks[worker].options.wait_ns = 20 * NS_PER_S;
            enum outcome outcome = OUTCOME_UNKNOWN; // while a leader is elected
            while (outcome == OUTCOME_UNKNOWN)
                outcome = lock_acquire(&fixture->locks[worker], &grant);
            assert_int_equal(outcome, OUTCOME_OK);
        }
        assert_true(is_right_after(&fixture->locks[worker], grant.token, last));
        last = grant.token;
        // One whose server was killed under way may not know; nobody else is kept waiting.
        lock_release(&fixture->locks[worker]);
    }
    assert_int_equal(cluster_start_node(node, &(struct error){0}), 0); // for the next scheme
}
