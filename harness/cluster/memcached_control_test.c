// What can be done to a memcached server, and when it cannot: on a real one.
#include "harness/cluster/memcached_control.h"

#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <unistd.h>

#define LOCK "lockpick:{t1}:lock"
#define TOKEN "0123456789abcdef0123456789abcdef01234567"
#define TAKE "add " LOCK " 0 3600 40\r\n" TOKEN

static const struct lock_identity test_lock = {
    .name = LOCK, .tag = "t1", .scheme = "memcached-add"};

static struct node *start_server(struct test_server *server)
{
    assert_int_equal(test_server_start(server, "memcached"), 0);
    return &server->cluster.nodes[0];
}

// The server's answer to one request, up to what a single read brings of it.
static void ask(const struct node *node, const char *request, char *answer, size_t room)
{
    struct text line = {0};
    int descriptor = server_connect(node);
    assert_true(descriptor >= 0);
    text_format(&line, "%s\r\n", request);
    assert_int_equal(write(descriptor, line.bytes, line.length), (ssize_t)line.length);
    ssize_t got = read(descriptor, answer, room - 1);
    answer[got > 0 ? got : 0] = '\0';
    close(descriptor);
    text_free(&line);
}

static void must_answer(const struct node *node, const char *request, const char *expected)
{
    char answer[4096];
    ask(node, request, answer, sizeof answer);
    if (strstr(answer, expected) == NULL || strncmp(answer, "NOT_", 4) == 0)
        fail_msg("%s is answered by\n%s", request, answer);
}

// --- leads, has_lock -----------------------------------------------------------------------------

TEST(a_server_leads_as_long_as_it_answers)
{
    struct test_server server;
    struct error error;
    struct node *node = start_server(&server);
    MUST_BE(1, memcached_control.leads(node, &error));
    stand_still(node);
    MUST_BE(-1, memcached_control.leads(node, &error));
    assert_non_null(strstr(error.text, "does not answer"));
    go_on(node);
    die(node);
    MUST_BE(-1, memcached_control.leads(node, &error));
    assert_non_null(strstr(error.text, "cannot connect to server-1 on 127.0.0.1:"));
    MUST_BE(-1, memcached_control.has_lock(node, &test_lock, &error));
    MUST_BE(-1, memcached_control.flush(node, &error));
    MUST_BE(-1, memcached_control.evict(node, &test_lock, NULL, &error));
    test_server_stop(&server);
}

TEST(the_lock_is_held_while_its_item_is_there)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    must_answer(node, "set " LOCK "2 0 0 1\r\nx", "STORED");
    MUST_BE(0, memcached_control.has_lock(node, &test_lock, &error));
    must_answer(node, TAKE, "STORED");
    MUST_BE(1, memcached_control.has_lock(node, &test_lock, &error));
    must_answer(node, "delete " LOCK, "DELETED");
    MUST_BE(0, memcached_control.has_lock(node, &test_lock, &error));
    // An expiry of the past: it is over, though nobody has removed it.
    must_answer(node, "set " LOCK " 0 -1 1\r\nx", "STORED");
    MUST_BE(0, memcached_control.has_lock(node, &test_lock, &error));
    test_server_stop(&server);
}

TEST(it_has_the_lock_of_each_scheme_while_that_is_held)
{
    check_all_have_lock("memcached");
}

TEST(looking_for_the_lock_does_not_make_it_look_used)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    must_answer(node, TAKE, "STORED");
    for (int i = 0; i < 5; i++)
        MUST_BE(1, memcached_control.has_lock(node, &test_lock, &error));
    must_answer(node, "me " LOCK, "fetch=no");
    must_answer(node, "mg " LOCK, "HD"); // as this would
    must_answer(node, "me " LOCK, "fetch=yes");
    test_server_stop(&server);
}

// --- flush ---------------------------------------------------------------------------------------

TEST(a_flush_removes_what_was_there_and_nothing_that_comes_after_it)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    // Within one second, by which memcached counts.
    for (int i = 0; i < 20; i++) {
        must_answer(node, TAKE, "STORED");
        MUST_BE(0, memcached_control.flush(node, &error));
        MUST_BE(0, memcached_control.has_lock(node, &test_lock, &error));
        must_answer(node, TAKE, "STORED");
        MUST_BE(1, memcached_control.has_lock(node, &test_lock, &error));
        must_answer(node, "delete " LOCK, "DELETED");
    }
    test_server_stop(&server);
}

// --- evict ---------------------------------------------------------------------------------------

// NOT_STORED if the lock is somebody's.
static bool is_let_in(const struct node *node)
{
    char answer[64];
    ask(node, TAKE, answer, sizeof answer);
    return strcmp(answer, "STORED\r\n") == 0;
}

// Calls again and again, while somebody else keeps trying to get the lock. Returns the last answer.
static int evict_while_polled(const struct node *node, bool *let_in, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    int state;
    int calls = 0;
    do {
        int64_t begun_ns = clock_monotonic_ns();
        state = memcached_control.evict(node, &test_lock, NULL, error);
        assert_true(clock_monotonic_ns() - begun_ns < NS_PER_S);
        *let_in |= is_let_in(node);
        calls++;
    } while (state == 1 && clock_monotonic_ns() < give_up_ns);
    print_message("evicted after %d calls\n", calls);
    return state;
}

TEST(fillers_of_its_size_evict_a_lock_that_others_poll)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    // Of another class: it stays, however long nobody has used it.
    char large[400];
    snprintf(large, sizeof large, "set large 0 0 300\r\n%0300d", 0);
    must_answer(node, large, "STORED");
    for (int round = 0; round < 2; round++) {
        bool let_in = false;
        must_answer(node, "set " LOCK " 0 3600 40\r\n" TOKEN, "STORED");
        MUST_BE(0, evict_while_polled(node, &let_in, &error));
        assert_true(let_in);
        MUST_BE(0, memcached_control.relieve(node, &error));
        must_answer(node, "get large", "VALUE");
        must_answer(node, "delete " LOCK, "DELETED");
        must_answer(node, "stats", "STAT curr_items 1\r\n");
    }
    test_server_stop(&server);
}

// The pressure of the first is on already when the second's turn comes.
TEST(a_second_lock_is_evicted_in_its_turn)
{
    struct test_server server;
    struct error error;
    int state_of_it;
    struct lock_identity second = test_lock;
    second.name = "lockpick:{t2}:lock";
    const struct node *node = start_server(&server);
    must_answer(node, "set " LOCK " 0 3600 40\r\n" TOKEN, "STORED");
    do
        state_of_it = memcached_control.evict(node, &test_lock, NULL, &error);
    while (state_of_it == 1);
    MUST_BE(0, state_of_it);
    MUST_BE(EVICTION_TOO_LATE, memcached_control.evict(node, &second, NULL, &error));
    must_answer(node, "set lockpick:{t2}:lock 0 3600 40\r\n" TOKEN, "STORED");
    MUST_BE(1, memcached_control.evict(node, &second, NULL, &error));
    do
        state_of_it = memcached_control.evict(node, &second, NULL, &error);
    while (state_of_it == 1);
    MUST_BE(0, state_of_it);
    MUST_BE(0, memcached_control.has_lock(node, &second, &error));
    test_server_stop(&server);
}

TEST(what_is_not_there_cannot_be_evicted)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    MUST_BE(EVICTION_TOO_LATE, memcached_control.evict(node, &test_lock, NULL, &error));
    assert_non_null(strstr(error.text, "does not have the lock " LOCK));
    MUST_BE(0, memcached_control.relieve(node, &error)); // nothing to do
    must_answer(node, TAKE, "STORED");
    MUST_BE(-1, memcached_control.evict(node, &test_lock, "allkeys-lru", &error));
    MUST_BE(1, memcached_control.has_lock(node, &test_lock, &error));
    test_server_stop(&server);
}

TEST(a_lock_that_is_released_before_the_memory_is_full_was_not_evicted)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    must_answer(node, TAKE, "STORED");
    MUST_BE(1, memcached_control.evict(node, &test_lock, "lru", &error));
    must_answer(node, "delete " LOCK, "DELETED");
    MUST_BE(EVICTION_TOO_LATE, memcached_control.evict(node, &test_lock, "lru", &error));
    assert_non_null(strstr(error.text, "before the memory"));
    test_server_stop(&server);
}

// --- forget --------------------------------------------------------------------------------------

TEST(whatever_is_asked_a_server_that_died_has_forgotten_everything)
{
    static const enum loss losses[] = {LOSS_NONE, LOSS_UNSYNCED, LOSS_ALL};
    struct test_server server;
    struct error error;
    struct node *node = start_server(&server);
    for (size_t i = 0; i < 3; i++) {
        must_answer(node, TAKE, "STORED");
        die(node);
        come_back(node, losses[i]);
        MUST_BE(0, memcached_control.has_lock(node, &test_lock, &error));
    }
    test_server_stop(&server);
}
