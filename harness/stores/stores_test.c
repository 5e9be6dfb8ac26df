// Every store: two steps without a fence, one refusal with it.
#include "harness/stores/store.h"
#include "harness/testing/test.h"

#include "harness/cluster/session.h"
#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"
#include "harness/wire/mysql.h"

#define NAME "lockpick:{t1}:account"
#define TAG "t1"

struct fixture {
    struct test_server redis;
    struct test_server mysql;
    struct shared_account account;
    struct actor actor;
};

static const struct service *service_of(struct fixture *fixture, const struct store_kind *kind)
{
    if (kind->server == NULL)
        return NULL;
    return strcmp(kind->server, "mysql") == 0 ? &fixture->mysql.service : &fixture->redis.service;
}

static int start(void **state)
{
    static struct fixture fixture = {.actor = {.phase = PHASE_NONE}};
    *state = &fixture;
    return test_server_start(&fixture.redis, "redis") != 0
               ? -1
               : test_server_start(&fixture.mysql, "mysql");
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    test_server_stop(&fixture->redis);
    test_server_stop(&fixture->mysql);
    return 0;
}

static void set_up_store(struct fixture *fixture, const struct store_kind *kind)
{
    struct error error;
    if (kind->set_up != NULL && kind->set_up(service_of(fixture, kind), NAME, TAG, &error) != 0)
        fail_msg("%s", error.text);
}

static void clean_up_store(struct fixture *fixture, const struct store_kind *kind)
{
    struct error error;
    if (kind->clean_up != NULL && kind->clean_up(service_of(fixture, kind), NAME, TAG, &error) != 0)
        fail_msg("%s", error.text);
}

static struct store open_store(struct fixture *fixture, const struct store_kind *kind, bool fenced)
{
    struct store store = {.kind = kind,
                          .actor = &fixture->actor,
                          .fenced = fenced,
                          .request_ns = NS_PER_S,
                          .service = service_of(fixture, kind),
                          .name = NAME,
                          .tag = TAG,
                          .shared = &fixture->account};
    struct error error;
    MUST_BE(0, store_open(&store, &error));
    return store;
}

// With each kind of store that the condition is true of: a store without a fence.
#define STORE_TEST(name, condition)                                                                \
    static void name##_of(struct fixture *fixture, const struct store_kind *kind,                  \
                          struct store *store);                                                    \
    TEST(name)                                                                                     \
    {                                                                                              \
        for (const struct store_kind *const *each = store_catalogue; *each != NULL; each++) {      \
            const struct store_kind *kind = *each;                                                 \
            if (!(condition))                                                                      \
                continue;                                                                          \
            set_up_store(*state, kind);                                                            \
            struct store store = open_store(*state, kind, false);                                  \
            name##_of(*state, kind, &store);                                                       \
            store_close(&store);                                                                   \
            clean_up_store(*state, kind);                                                          \
        }                                                                                          \
    }                                                                                              \
    static void name##_of(__attribute__((unused)) struct fixture *fixture,                         \
                          const struct store_kind *kind, struct store *store)

TEST_GROUP(start, stop);

STORE_TEST(without_a_fence_the_last_write_wins, true)
{
    int64_t value;
    assert_int_equal(kind->write(store, 0, 41), OUTCOME_OK);
    assert_int_equal(kind->write(store, 0, -3), OUTCOME_OK);
    assert_int_equal(kind->read(store, 0, &value), OUTCOME_OK);
    assert_int_equal(value, -3);
}

// A killed run cannot remove it. On a server of ours it must not: with an expiry it may be evicted.
TEST(only_on_a_server_of_the_users_a_redis_value_expires)
{
    struct fixture *fixture = *state;
    const struct node *node = &fixture->redis.cluster.nodes[0];
    for (int i = 0; i < 4; i++) {
        bool is_external = i >= 2;
        bool is_fenced = i % 2 == 1;
        AUTO_TEXT struct text answers = {0};
        fixture->redis.service.external = is_external;
        struct store store = open_store(fixture, &redis_store, is_fenced);
        assert_int_equal(store.kind->write(&store, is_fenced ? 7 : 0, 41), OUTCOME_OK);
        assert_int_equal(server_ask(node, "TTL " NAME "\r\nTTL " NAME ":token", &answers, NULL), 0);
        long of_value = strtol(answers.bytes + 1, NULL, 10);
        long of_token = strtol(strchr(answers.bytes, '\n') + 2, NULL, 10);
        assert_true(is_external ? of_value > 80000 : of_value == -1);
        assert_true(is_external && is_fenced ? of_token > 80000 : of_token < 0);
        store_close(&store);
        clean_up_store(fixture, &redis_store);
    }
    fixture->redis.service.external = false;
}

STORE_TEST(a_fence_refuses_old_tokens_to_writers_and_readers, true)
{
    assert_int_equal(kind->write(store, 0, 10), OUTCOME_OK);
    struct store fenced = open_store(fixture, kind, true);
    int64_t value;
    assert_int_equal(kind->read(&fenced, 1, &value), OUTCOME_OK);
    assert_int_equal(kind->write(&fenced, 1, 11), OUTCOME_OK);
    // A read is enough to shut the door behind an older holder.
    assert_int_equal(kind->read(&fenced, 2, &value), OUTCOME_OK);
    assert_int_equal(value, 11);
    assert_int_equal(kind->write(&fenced, 1, 99), OUTCOME_NO);
    assert_int_equal(kind->read(&fenced, 1, &value), OUTCOME_NO);
    assert_int_equal(kind->write(&fenced, 2, 12), OUTCOME_OK);
    assert_int_equal(kind->write(&fenced, 2, 13), OUTCOME_OK);
    assert_int_equal(kind->write(&fenced, 2, 13), OUTCOME_OK); // even if nothing changes
    assert_int_equal(kind->read(store, 0, &value), OUTCOME_OK);
    assert_int_equal(value, 13);
    store_close(&fenced);
}

STORE_TEST(a_value_that_vanished_is_the_harness_breaking_not_a_zero, kind->server != NULL)
{
    int64_t value;
    assert_int_equal(kind->write(store, 0, 5), OUTCOME_OK);
    clean_up_store(fixture, kind);
    assert_int_equal(kind->read(store, 0, &value), OUTCOME_BROKEN);
    assert_true(store->error.text[0] != '\0');
    // To clean up what has gone already is fine, too.
}

STORE_TEST(values_of_two_names_do_not_meet, kind->server != NULL)
{
    int64_t value;
    struct error error;
    if (kind->set_up != NULL)
        assert_int_equal(
            kind->set_up(service_of(fixture, kind), "lockpick:{t2}:account", "t2", &error), 0);
    struct store other = {.kind = kind,
                          .actor = &fixture->actor,
                          .request_ns = NS_PER_S,
                          .service = service_of(fixture, kind),
                          .name = "lockpick:{t2}:account",
                          .tag = "t2"};
    assert_int_equal(store_open(&other, &error), 0);
    assert_int_equal(kind->write(store, 0, 5), OUTCOME_OK);
    assert_int_equal(kind->write(&other, 0, 6), OUTCOME_OK);
    set_up_store(fixture, kind); // there already is fine, and leaves it as it is
    assert_int_equal(kind->read(store, 0, &value), OUTCOME_OK);
    assert_int_equal(value, 5);
    store_close(&other);
}

// --- transactions --------------------------------------------------------------------------------

struct pair {
    struct store store;
    struct store other;
};

static struct pair open_pair(struct fixture *fixture)
{
    set_up_store(fixture, &mysql_store);
    struct pair pair = {open_store(fixture, &mysql_store, false),
                        open_store(fixture, &mysql_store, false)};
    assert_int_equal(mysql_store.write(&pair.store, 0, 1), OUTCOME_OK);
    return pair;
}

static void close_pair(struct fixture *fixture, struct pair *pair)
{
    store_close(&pair->store);
    store_close(&pair->other);
    clean_up_store(fixture, &mysql_store);
}

static int64_t seen_by(struct store *store)
{
    int64_t value;
    assert_int_equal(mysql_store.read(store, 0, &value), OUTCOME_OK);
    return value;
}

TEST(what_a_transaction_writes_is_seen_by_others_after_its_commit)
{
    struct pair pair = open_pair(*state);
    assert_int_equal(mysql_store.begin(&pair.store), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.store), 1);
    assert_int_equal(mysql_store.write(&pair.store, 0, 2), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.other), 1);
    assert_int_equal(mysql_store.commit(&pair.store), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.other), 2);
    close_pair(*state, &pair);
}

TEST(what_a_transaction_has_read_it_goes_on_seeing)
{
    struct pair pair = open_pair(*state);
    assert_int_equal(mysql_store.begin(&pair.store), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.store), 1);
    assert_int_equal(mysql_store.write(&pair.other, 0, 2), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.store), 1); // its snapshot
    assert_int_equal(mysql_store.commit(&pair.store), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.store), 2);
    close_pair(*state, &pair);
}

// Kills all sessions of others on our database, and waits until they are gone.
static void end_sessions(struct fixture *fixture)
{
    static const struct sql_statement find = {"SELECT",
                                              "SELECT MIN(id) FROM information_schema.processlist "
                                              "WHERE id <> CONNECTION_ID() AND db = 'lockpick'"};
    struct sql_answer answer;
    struct error error;
    struct sql_connection *connection =
        sql_open(&fixture->mysql.service, 10 * NS_PER_S, &fixture->actor, &error);
    assert_non_null(connection);
    for (;;) {
        char text[64];
        const struct sql_statement end = {"KILL", text};
        assert_int_equal(sql_request(connection, &answer, &find, NULL), OUTCOME_OK);
        if (answer.values[0].is_null)
            break;
        snprintf(text, sizeof text, "KILL %lld", (long long)answer.values[0].number);
        sql_request(connection, &answer, &end, NULL); // it may be gone by now
    }
    sql_close(connection);
}

TEST(a_transaction_whose_session_ends_comes_to_nothing)
{
    struct pair pair = open_pair(*state);
    assert_int_equal(mysql_store.begin(&pair.store), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.store), 1);
    end_sessions(*state);
    // Neither as part of a transaction, nor by itself in another session.
    assert_int_equal(mysql_store.write(&pair.store, 0, 2), OUTCOME_UNKNOWN);
    assert_int_equal(mysql_store.commit(&pair.store), OUTCOME_NO);
    assert_int_equal(seen_by(&pair.other), 1);
    assert_int_equal(mysql_store.begin(&pair.store), OUTCOME_OK);
    assert_int_equal(mysql_store.write(&pair.store, 0, 3), OUTCOME_OK);
    end_sessions(*state);
    assert_int_equal(mysql_store.commit(&pair.store), OUTCOME_NO);
    assert_int_equal(seen_by(&pair.other), 1);
    assert_int_equal(mysql_store.write(&pair.store, 0, 4), OUTCOME_OK);
    assert_int_equal(seen_by(&pair.other), 4);
    close_pair(*state, &pair);
}

TEST(a_commit_without_an_answer_is_unknown)
{
    struct fixture *fixture = *state;
    struct pair pair = open_pair(fixture);
    const struct node *node = &fixture->mysql.cluster.nodes[0];
    assert_int_equal(mysql_store.begin(&pair.store), OUTCOME_OK);
    assert_int_equal(mysql_store.write(&pair.store, 0, 2), OUTCOME_OK);
    stand_still(node);
    enum outcome outcome = mysql_store.commit(&pair.store);
    go_on(node);
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    close_pair(fixture, &pair);
}
