// What a memcached server has of its own: what makes an item look used, and what pushes it out. On
// a real one.
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#define TOKEN "0123456789abcdef0123456789abcdef01234567"
#define TAKE "add " TEST_LOCK " 0 3600 40\r\n" TOKEN

static const struct lock_identity test_lock = {
    .name = TEST_LOCK, .tag = "t1", .scheme = "memcached-add"};

SERVERS_TEST(the_lock_is_held_while_its_item_is_there_and_a_look_does_not_make_it_look_used,
             .kind = "memcached")
{
    must_answer(node, "set " TEST_LOCK "2 0 0 1\r\nx", "STORED");
    MUST_BE(0, DO(node, has_lock, &test_lock));
    must_answer(node, TAKE, "STORED");
    for (int i = 0; i < 5; i++)
        MUST_BE(1, DO(node, has_lock, &test_lock));
    must_answer(node, "me " TEST_LOCK, "fetch=no");
    must_answer(node, "mg " TEST_LOCK, "HD"); // as this would
    must_answer(node, "me " TEST_LOCK, "fetch=yes");
    // An expiry of the past: it is over, though nobody has removed it.
    must_answer(node, "set " TEST_LOCK " 0 -1 1\r\nx", "STORED");
    MUST_BE(0, DO(node, has_lock, &test_lock));
}

// Calls again and again, while somebody else keeps trying to get the lock. Returns the last answer.
static int evict_while_polled(const struct node *node, bool *let_in, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    enum eviction state;
    do {
        state = control_evict(node, &test_lock, NULL, error);
        *let_in |= !answers(node, TAKE, "NOT_STORED"); // the lock is somebody's
    } while (state == EVICTION_GOES_ON && clock_monotonic_ns() < give_up_ns);
    return (int)state;
}

SERVERS_TEST(fillers_of_its_size_evict_a_lock_that_others_poll, .kind = "memcached")
{
    // Of another class: it stays, however long nobody has used it.
    char large[400];
    snprintf(large, sizeof large, "set large 0 0 300\r\n%0300d", 0);
    must_answer(node, large, "STORED");
    for (int round = 0; round < 2; round++) {
        bool let_in = false;
        must_answer(node, "set " TEST_LOCK " 0 3600 40\r\n" TOKEN, "STORED");
        MUST_BE(EVICTION_DONE, evict_while_polled(node, &let_in, &error));
        assert_true(let_in);
        MUST_BE(0, DO(node, relieve, NULL));
        must_answer(node, "get large", "VALUE");
        must_answer(node, "delete " TEST_LOCK, "DELETED");
        must_answer(node, "stats", "STAT curr_items 1\r\n");
    }
}

SERVERS_TEST(a_lock_that_is_released_before_the_memory_is_full_was_not_evicted, .kind = "memcached")
{
    must_answer(node, TAKE, "STORED");
    MUST_BE(EVICTION_GOES_ON, (int)control_evict(node, &test_lock, "lru", &error));
    must_answer(node, "delete " TEST_LOCK, "DELETED");
    MUST_FAIL(EVICTION_TOO_LATE, (int)control_evict(node, &test_lock, "lru", &error),
              "before the memory");
}
