// The etcd connection against real servers: every class of outcome.
#include "harness/wire/etcd.h"

#include "harness/base/clock.h"
#include "harness/cluster/process.h"
#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

#include <pthread.h>

static struct {
    struct test_server server;
    struct actor actor;
} fixture;
static struct etcd_connection *connection; // the fixture's

static int start_topology(const char *topology)
{
    struct error error = {0};
    fixture.actor = (struct actor){.phase = PHASE_NONE};
    if (test_servers_start(&fixture.server, "etcd", topology) != 0)
        return -1;
    connection = etcd_open(&fixture.server.service, 500 * NS_PER_MS, &fixture.actor, &error);
    return connection == NULL ? -1 : 0;
}

static int start(void **state)
{
    (void)state;
    return start_topology("single");
}

static int start_ensemble(void **state)
{
    (void)state;
    return start_topology("ensemble");
}

static int stop(void **state)
{
    (void)state;
    etcd_close(connection);
    test_server_stop(&fixture.server);
    return 0;
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static const struct peer_patience impatient = {.is_over = at_once};
static const struct peer_patience patient = {.is_over = never};

static int64_t grant(void)
{
    int64_t lease = 0;
    assert_int_equal(etcd_grant(connection, 60, &lease), OUTCOME_OK);
    assert_true(lease != 0);
    return lease;
}

TEST_GROUP(start, stop);

TEST(a_lease_lasts_until_it_is_revoked)
{
    int64_t lease = grant();
    int64_t ttl_s = 0;
    assert_int_equal(etcd_keep_alive(connection, lease, &ttl_s), OUTCOME_OK);
    assert_int_equal(ttl_s, 60);
    assert_int_equal(etcd_revoke(connection, lease), OUTCOME_OK);
    assert_int_equal(etcd_keep_alive(connection, lease, &ttl_s), OUTCOME_OK);
    assert_int_equal(ttl_s, 0);
    assert_int_equal(etcd_revoke(connection, lease), OUTCOME_OK); // still gone
}

TEST(the_oldest_key_is_found_whoever_comes_later)
{
    struct etcd_entry own, oldest, first;
    int64_t lease = grant();
    int64_t revision, deleted;
    assert_int_equal(etcd_create(connection, "queue/b", lease, "queue/", &first, &oldest),
                     OUTCOME_OK);
    assert_string_equal(first.key, "queue/b");
    assert_true(first.lease == lease);
    assert_int_equal(oldest.create_revision, first.create_revision);
    assert_int_equal(etcd_create(connection, "queue/a", lease, "queue/", &own, &oldest),
                     OUTCOME_OK);
    assert_true(own.create_revision > first.create_revision);
    assert_string_equal(oldest.key, "queue/b");
    int64_t created = own.create_revision;
    assert_int_equal(etcd_create(connection, "queue/a", lease, "queue/", &own, &oldest),
                     OUTCOME_OK);
    assert_int_equal(own.create_revision, created); // it was there, and stays
    assert_string_equal(oldest.key, "queue/b");
    assert_int_equal(etcd_get_older(connection, "queue/", created, &oldest, &revision), OUTCOME_OK);
    assert_string_equal(oldest.key, "queue/b");
    assert_true(revision >= created);
    assert_int_equal(etcd_delete(connection, "queue/b", &deleted), OUTCOME_OK);
    assert_int_equal(deleted, 1);
    assert_int_equal(etcd_delete(connection, "queue/b", &deleted), OUTCOME_OK);
    assert_int_equal(deleted, 0);
    assert_int_equal(etcd_get_older(connection, "queue/", created, &oldest, &revision), OUTCOME_OK);
    assert_int_equal(oldest.create_revision, 0);
    assert_int_equal(etcd_revoke(connection, lease), OUTCOME_OK);
    assert_int_equal(etcd_get(connection, "queue/a", &own), OUTCOME_OK);
    assert_int_equal(own.create_revision, 0); // it went with its lease
}

static void *delete_it(void *context)
{
    (void)context;
    struct actor actor = {.phase = PHASE_NONE};
    struct error error = {0};
    int64_t deleted = 0;
    struct etcd_connection *other = etcd_open(&fixture.server.service, NS_PER_S, &actor, &error);
    etcd_delete(other, "watched", &deleted);
    etcd_close(other);
    return NULL;
}

TEST(a_watch_ends_with_the_deletion_or_with_the_wait)
{
    struct etcd_entry own, oldest;
    pthread_t thread;
    int64_t lease = grant();
    assert_int_equal(etcd_create(connection, "watched", lease, "watched", &own, &oldest),
                     OUTCOME_OK);
    assert_int_equal(etcd_watch_deletion(connection, "watched", own.create_revision, &impatient),
                     OUTCOME_NO);
    assert_int_equal(pthread_create(&thread, NULL, delete_it, NULL), 0);
    assert_int_equal(etcd_watch_deletion(connection, "watched", own.create_revision, &patient),
                     OUTCOME_OK);
    pthread_join(thread, NULL);
    // What happened before the watch began is told as well.
    assert_int_equal(etcd_watch_deletion(connection, "watched", own.create_revision, &patient),
                     OUTCOME_OK);
}

TEST(the_lock_service_says_when_it_granted_and_who_gives_up_does_not_know)
{
    int64_t first = grant();
    int64_t second = grant();
    int64_t revision, later;
    char key[80];
    assert_int_equal(etcd_lock(connection, "door", first, &revision, &patient), OUTCOME_OK);
    assert_true(revision > 0);
    assert_int_equal(etcd_lock(connection, "door", second, &later, &impatient), OUTCOME_UNKNOWN);
    snprintf(key, sizeof key, "door/%llx", (unsigned long long)first);
    assert_int_equal(etcd_unlock(connection, key), OUTCOME_OK);
    assert_int_equal(etcd_lock(connection, "door", second, &later, &patient), OUTCOME_OK);
    assert_true(later > revision);
    assert_int_equal(etcd_revoke(connection, second), OUTCOME_OK);
    assert_int_equal(etcd_lock(connection, "door", second, &later, &patient), OUTCOME_NO);
    assert_true(etcd_lacks_lease(connection));
}

// A wait at the lock service, in a thread of its own.
struct waiter {
    int64_t lease;
    int64_t revision;
    enum outcome outcome;
    pthread_t thread;
};

static void *wait_at_the_gate(void *context)
{
    struct waiter *waiter = context;
    struct actor actor = {.phase = PHASE_NONE};
    struct error error = {0};
    struct etcd_connection *own = etcd_open(&fixture.server.service, 10 * NS_PER_S, &actor, &error);
    waiter->outcome = etcd_lock(own, "gate", waiter->lease, &waiter->revision, &patient);
    etcd_close(own);
    return NULL;
}

static void await_key(int64_t lease, bool is_there)
{
    struct etcd_entry entry;
    char key[80];
    snprintf(key, sizeof key, "gate/%llx", (unsigned long long)lease);
    do
        assert_int_equal(etcd_get(connection, key, &entry), OUTCOME_OK);
    while ((entry.create_revision > 0) != is_there);
}

static void begin_to_wait(struct waiter *waiter)
{
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_at_the_gate, waiter), 0);
    await_key(waiter->lease, true);
}

// etcd 3.4 does not look whether the waiter's key is still there; later versions do.
TEST(one_whose_lease_has_ended_is_granted_the_lock_at_the_next_ones_revision)
{
    struct waiter ended = {.lease = grant()};
    struct waiter next = {.lease = grant()};
    int64_t holder = grant();
    int64_t revision;
    char key[80];
    assert_int_equal(etcd_lock(connection, "gate", holder, &revision, &patient), OUTCOME_OK);
    begin_to_wait(&ended);
    begin_to_wait(&next);
    assert_int_equal(etcd_revoke(connection, ended.lease), OUTCOME_OK);
    await_key(ended.lease, false);
    snprintf(key, sizeof key, "gate/%llx", (unsigned long long)holder);
    assert_int_equal(etcd_unlock(connection, key), OUTCOME_OK);
    pthread_join(ended.thread, NULL);
    pthread_join(next.thread, NULL);
    assert_int_equal(next.outcome, OUTCOME_OK);
    if (ended.outcome == OUTCOME_OK)
        assert_true(ended.revision == next.revision);
    else
        assert_int_equal(ended.outcome, OUTCOME_NO);
}

TEST(errors_say_whether_the_request_can_ever_work)
{
    struct etcd_entry own, oldest;
    int64_t lease = 0;
    assert_int_equal(etcd_create(connection, "key", 77, "key", &own, &oldest), OUTCOME_NO);
    assert_true(etcd_lacks_lease(connection));
    assert_non_null(strstr(client_error(connection), "requested lease not found"));
    assert_int_equal(etcd_get(connection, "key", &own), OUTCOME_OK);
    assert_false(etcd_lacks_lease(connection));
    assert_int_equal(etcd_get(connection, "", &own), OUTCOME_BROKEN);
    assert_non_null(strstr(client_error(connection), fixture.server.service.servers[0].host));
    assert_int_equal(etcd_grant(connection, INT64_MAX / 2, &lease), OUTCOME_NO); // too long for it
}

// What was a leader's, the others can do only once they have elected another one: what they refuse
// or do not answer until then is no NO.
static void grant_once_there_is_a_leader(struct etcd_connection *own)
{
    int64_t lease;
    enum outcome outcome = OUTCOME_UNKNOWN;
    for (int i = 0; i < 40 && outcome == OUTCOME_UNKNOWN; i++)
        outcome = etcd_grant(own, 60, &lease);
    assert_int_equal(outcome, OUTCOME_OK);
}

TEST_GROUP(start_ensemble, stop);

TEST(where_one_cannot_be_had_the_next_server_is_asked)
{
    int64_t lease;
    struct error error = {0};
    struct actor actor = {.client = 2, .phase = PHASE_NONE}; // begins with the third
    struct node *third = &fixture.server.cluster.nodes[2];
    struct node *first = &fixture.server.cluster.nodes[0];
    struct etcd_connection *own =
        etcd_open(&fixture.server.service, 500 * NS_PER_MS, &actor, &error);
    stand_still(third);
    assert_int_equal(etcd_grant(own, 60, &lease), OUTCOME_UNKNOWN);
    grant_once_there_is_a_leader(own); // by the first or the second
    go_on(third);
    process_kill(first->server);
    first->server = 0;
    grant_once_there_is_a_leader(own);
    etcd_close(own);
}
