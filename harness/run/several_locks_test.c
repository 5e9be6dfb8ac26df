// Whole trials with several locks on a real Redis server.
#include "harness/run/test_trials.h"
#include "harness/testing/test.h"

enum { MOST = 8 };

// What was written under each lock, and what its value was in the end; from 1.
struct values {
    int64_t writes[MOST + 1];
    int64_t finals[MOST + 1];
    int64_t keys[3][3];  // which one each worker took last, by client and worker
    int asked[MOST + 1]; // how often the servers were asked for it in the end
    size_t changes;      // how often a worker took another than before
};

static void see(struct values *values, const struct event *event)
{
    int64_t *key = &values->keys[event->client][event->worker];
    if (event->kind == EVENT_STORE_FINAL) {
        assert_in_range(event->args[1], 1, MOST);
        values->finals[event->args[1]] = event->args[0];
    } else if (event->kind == EVENT_ACQUIRE_INVOKE) {
        assert_in_range(event->args[3], 1, MOST);
        values->changes += *key != 0 && *key != event->args[3];
        *key = event->args[3];
    } else if (event->kind == EVENT_LOCK_FINAL) {
        assert_in_range(event->args[2], 1, MOST);
        assert_int_equal(event->args[0], 0);
        values->asked[event->args[2]]++;
    } else if (event->kind == EVENT_WRITE_RETURN && event->outcome == OUTCOME_OK) {
        values->writes[*key]++;
    }
}

static struct values run(const char *text, const char *scheme)
{
    struct values values = {.changes = 0};
    struct history history = run_trial(text, scheme, false);
    for (size_t i = 0; i < history.count; i++)
        see(&values, &history.events[i]);
    history_free(&history);
    return values;
}

TEST(each_lock_guards_a_value_of_its_own)
{
    static const char *const texts[] = {
        PATIENT "workload: {kind: increment, operations: 300, keys: 3}\n",
        PATIENT "workload: {kind: increment, operations: 300, keys: 3, store: redis}\n"};
    for (size_t i = 0; i < 2; i++) {
        struct values values = run(texts[i], "redis-set-px-lua");
        int64_t sum = 0;
        for (int key = 1; key <= 3; key++) {
            assert_true(values.writes[key] > 0);
            assert_int_equal(values.finals[key], values.writes[key]);
            assert_int_equal(values.asked[key], 1);
            sum += values.writes[key];
        }
        assert_int_equal(sum, 300);
        assert_true(values.changes > 0);
    }
}

TEST(each_worker_may_have_a_lock_of_its_own)
{
    // It thinks, or one worker does it all before another begins.
    struct values values =
        run(PATIENT "workload: {kind: increment, operations: 200, keys: own, think: 1ms}\n",
            "redis-set-px-lua");
    assert_int_equal(values.changes, 0);
    for (int client = 1; client <= 2; client++) {
        for (int worker = 1; worker <= 2; worker++)
            assert_int_equal(values.keys[client][worker], 2 * (client - 1) + worker);
    }
    for (int key = 1; key <= 4; key++)
        assert_int_equal(values.finals[key], values.writes[key]);
}

// A scheme whose clients have connections and threads of their own for each lock.
TEST(locks_that_are_renewed_and_woken_go_side_by_side)
{
    struct values values =
        run("workload: {kind: increment, operations: 200, keys: 4, skew: 0.99}\n", "redisson-fair");
    int64_t sum = 0;
    for (int key = 1; key <= 4; key++) {
        assert_int_equal(values.finals[key], values.writes[key]);
        sum += values.writes[key];
    }
    assert_int_equal(sum, 200);
}
