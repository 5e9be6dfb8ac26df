// Every store: two steps without a fence, one refusal with it.
#include "harness/stores/store.h"

#include "harness/cluster/test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct fixture {
    struct test_server server;
    struct shared_account account;
    struct actor actor;
};

static int start(void **state)
{
    static struct fixture fixture = {.actor = {.phase = PHASE_NONE}};
    *state = &fixture;
    return test_server_start(&fixture.server, "redis");
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    test_server_stop(&fixture->server);
    return 0;
}

static struct store open_store(struct fixture *fixture, const struct store_kind *kind, bool fenced)
{
    struct store store = {.kind = kind,
                          .actor = &fixture->actor,
                          .fenced = fenced,
                          .request_ns = NS_PER_S,
                          .service = &fixture->server.service,
                          .name = "lockpick:{t1}:account",
                          .tag = "t1",
                          .shared = &fixture->account};
    struct error error;
    if (store_open(&store, &error) != 0)
        fail_msg("%s", error.text);
    return store;
}

static void without_a_fence_the_last_write_wins(void **state)
{
    for (size_t i = 0; store_catalogue[i] != NULL; i++) {
        struct store store = open_store(*state, store_catalogue[i], false);
        int64_t value;
        assert_int_equal(store.kind->write(&store, 0, 41), OUTCOME_OK);
        assert_int_equal(store.kind->write(&store, 0, -3), OUTCOME_OK);
        assert_int_equal(store.kind->read(&store, 0, &value), OUTCOME_OK);
        assert_int_equal(value, -3);
        store_close(&store);
    }
}

static void a_fence_refuses_old_tokens_to_writers_and_readers(void **state)
{
    for (size_t i = 0; store_catalogue[i] != NULL; i++) {
        struct store outside = open_store(*state, store_catalogue[i], false);
        assert_int_equal(outside.kind->write(&outside, 0, 10), OUTCOME_OK);
        struct store store = open_store(*state, store_catalogue[i], true);
        int64_t value;
        assert_int_equal(store.kind->read(&store, 1, &value), OUTCOME_OK);
        assert_int_equal(store.kind->write(&store, 1, 11), OUTCOME_OK);
        // A read is enough to shut the door behind an older holder.
        assert_int_equal(store.kind->read(&store, 2, &value), OUTCOME_OK);
        assert_int_equal(value, 11);
        assert_int_equal(store.kind->write(&store, 1, 99), OUTCOME_NO);
        assert_int_equal(store.kind->read(&store, 1, &value), OUTCOME_NO);
        assert_int_equal(store.kind->write(&store, 2, 12), OUTCOME_OK);
        assert_int_equal(store.kind->write(&store, 2, 13), OUTCOME_OK);
        assert_int_equal(outside.kind->read(&outside, 0, &value), OUTCOME_OK);
        assert_int_equal(value, 13);
        store_close(&store);
        store_close(&outside);
    }
}

static void a_value_that_vanished_is_the_harness_breaking_not_a_zero(void **state)
{
    struct fixture *fixture = *state;
    struct test_server empty = {0};
    assert_int_equal(test_server_start(&empty, "redis"), 0);
    struct store store = {.kind = &redis_store,
                          .actor = &fixture->actor,
                          .request_ns = NS_PER_S,
                          .service = &empty.service,
                          .name = "lockpick:{t1}:account"};
    struct error error;
    int64_t value;
    assert_int_equal(store_open(&store, &error), 0);
    assert_int_equal(store.kind->read(&store, 0, &value), OUTCOME_BROKEN);
    assert_true(store.error.text[0] != '\0');
    store_close(&store);
    test_server_stop(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_fence_the_last_write_wins),
        cmocka_unit_test(a_fence_refuses_old_tokens_to_writers_and_readers),
        cmocka_unit_test(a_value_that_vanished_is_the_harness_breaking_not_a_zero),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
