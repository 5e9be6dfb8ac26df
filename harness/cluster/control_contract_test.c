// What is promised of what can be done to servers (control.h), of each kind that has it: on real
// ones. What needs several of them, or takes long, is in *_contract_test.c beside.
#include "harness/cluster/test_words.h"
#include "harness/testing/test.h"

// --- leads, has_lock -----------------------------------------------------------------------------

SERVERS_TEST_OF_EACH(a_server_of_its_own_leads_as_long_as_it_answers_and_then_nothing_can_be_done,
                     all_words)
{
    struct lock_identity lock = test_lock_of(of->scheme);
    const struct server_control *control = node->kind->control;
    const struct client_end anybody = {.address = "127.0.0.1"};
    MUST_BE(1, DO(node, leads, NULL));
    stand_still(node);
    MUST_FAIL(-1, DO(node, leads, NULL), "server-1 on 127.0.0.1:");
    go_on(node);
    MUST_COME_TO_BE(1, DO(node, leads, NULL));
    die(node);
    control_act *const acts[] = {control->leads, control->has_lock, control->promote,
                                 control->flush, control->relieve};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (acts[i] == NULL)
            continue;
        MUST_FAIL(-1, control_do(node, acts[i], &lock, &error), "server-1 on 127.0.0.1:");
    }
    if (control->policies != NULL)
        MUST_BE(EVICTION_FAILED, control_evict(node, &lock, NULL, &error));
    if (control->deny != NULL)
        MUST_BE(-1, control_deny(node, NULL, true, &error));
    if (control->links != NULL)
        MUST_BE(-1, control_disconnect(node, &anybody, NULL, &error));
}

// --- flush ---------------------------------------------------------------------------------------

static const struct {
    struct test_group group;
} flushed[] = {{{.kind = "redis"}}, {{.kind = "memcached"}}, {{.kind = "etcd"}}};

// Several times within one second, by which some servers count.
SERVERS_TEST_OF_EACH(a_flush_removes_what_was_there_and_nothing_that_comes_after_it, flushed)
{
    const struct words *words = words_of(of->group.kind);
    struct lock_identity lock = test_lock_of(words->scheme);
    for (int round = 0; round < 10; round++) {
        must_answer(node, words->take, "");
        MUST_BE(1, DO(node, has_lock, &lock));
        MUST_BE(0, DO(node, flush, NULL));
        MUST_BE(0, DO(node, has_lock, &lock));
        must_answer(node, words->take, "");
        MUST_BE(1, DO(node, has_lock, &lock));
        must_answer(node, words->drop, "");
    }
}

// --- evict ---------------------------------------------------------------------------------------

static const struct {
    struct test_group group;
    const char *second;
} evicted[] = {{{.kind = "redis"}, "SET lockpick:{t2}:lock me PX 60000"},
               {{.kind = "memcached"}, "set lockpick:{t2}:lock 0 3600 40\r\n" TOKEN}};

SERVERS_TEST_OF_EACH(a_lock_is_evicted_if_it_is_there_a_second_one_in_its_turn_and_no_other_data,
                     evicted)
{
    const struct words *words = words_of(of->group.kind);
    struct lock_identity lock = test_lock_of(words->scheme);
    struct lock_identity second = {"lockpick:{t2}:lock", "t2", words->scheme};
    must_answer(node, words->write, "");
    for (int round = 0; round < 2; round++) {
        MUST_FAIL(EVICTION_TOO_LATE, (int)evict_lock(node, &lock, NULL, &error),
                  "does not have the lock " TEST_LOCK);
        MUST_BE(0, DO(node, relieve, NULL)); // nothing to do
        must_answer(node, words->take, "");
        MUST_BE(EVICTION_FAILED, (int)control_evict(node, &lock, "no-such-policy", &error));
        MUST_BE(1, DO(node, has_lock, &lock));
        MUST_BE(EVICTION_DONE, (int)evict_lock(node, &lock, NULL, &error));
        MUST_BE(0, DO(node, has_lock, &lock));
        // The memory is full already, and keys go for its sake all the time.
        MUST_BE(EVICTION_TOO_LATE, (int)evict_lock(node, &second, NULL, &error));
        must_answer(node, of->second, "");
        MUST_BE(EVICTION_DONE, (int)evict_lock(node, &second, NULL, &error));
        MUST_BE(0, DO(node, has_lock, &second));
        // On a machine that is busy, thousands of deletions may take more than one call.
        MUST_COME_TO_BE(0, DO(node, relieve, NULL));
        must_answer(node, words->read, words->kept);
    }
}
