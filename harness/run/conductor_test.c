// Whole trials on a real Redis server, judged here only by counting events.
#include "harness/run/test_trials.h"

static void check_hundred_increments(bool loopback)
{
    struct history history = run_trial(PATIENT, "redis-set-px-lua", loopback);
    assert_int_equal(count_events(&history, EVENT_ACQUIRE_RETURN, OUTCOME_OK), 100);
    assert_int_equal(count_events(&history, EVENT_WRITE_RETURN, OUTCOME_OK), 100);
    assert_int_equal(count_events(&history, EVENT_RELEASE_RETURN, OUTCOME_OK), 100);
    assert_int_equal(find_event(&history, EVENT_STORE_FINAL)->args[0], 100);
    assert_int_equal(find_event(&history, EVENT_STOP_ASKED)->detail, STOP_DONE);
    history_free(&history);
}

TEST(a_hundred_increments_under_a_sound_lock_add_a_hundred)
{
    check_hundred_increments(false);
}

TEST(without_namespaces_the_trial_runs_on_loopback)
{
    check_hundred_increments(true);
}

TEST(a_fenced_redis_store_takes_every_write_of_the_newest_holder)
{
    struct history history = run_trial(
        PATIENT "workload: {kind: increment, operations: 100, store: redis, fenced: true}\n",
        "redis-set-px-lua", false);
    assert_int_equal(count_events(&history, EVENT_WRITE_RETURN, OUTCOME_OK), 100);
    assert_int_equal(find_event(&history, EVENT_STORE_FINAL)->args[0], 100);
    history_free(&history);
}

#define FIRST "clients: {processes: 2, threads: 2, start-first: client-1}\n"

TEST(a_paused_client_wakes_when_the_other_has_written)
{
    struct history history =
        run_trial(FIRST "faults:\n  - {when: client-1 after read, pause: client-1, "
                        "until: client-2 writes or 10s}\n",
                  "redis-set-px-lua", false);
    const struct event *effect = find_event(&history, EVENT_FAULT_IN_EFFECT);
    const struct event *healed = find_event(&history, EVENT_FAULT_HEALED);
    assert_non_null(effect);
    assert_non_null(healed);
    assert_int_equal(healed->detail, HEAL_CAUSE);
    bool wrote = false;
    for (const struct event *event = effect; event < healed; event++) {
        assert_true(event->client != 1); // it stands still
        wrote |= event->client == 2 && event->kind == EVENT_WRITE_RETURN;
    }
    assert_true(wrote);
    assert_true(find_event(&history, EVENT_STORE_FINAL)->args[0] < 100);
    history_free(&history);
}

// Without a pause between operations one worker could do them all before another gets a turn.
TEST(one_paused_worker_leaves_the_others_of_its_client_running)
{
    struct history history =
        run_trial(FIRST "workload: {kind: increment, operations: 100, think: 5ms}\n"
                        "faults:\n  - {when: client-1 worker-1 after read, pause: client-1 "
                        "worker-1, until: client-1 worker-2 writes or 10s}\n",
                  "redis-set-px-lua", false);
    assert_int_equal(find_event(&history, EVENT_FAULT_HEALED)->detail, HEAL_CAUSE);
    history_free(&history);
}

static void expect_killed_and_stuck(const char *lines)
{
    struct history history = run_trial(lines, "redis-setnx", false);
    assert_int_equal(find_event(&history, EVENT_PROCESS_DEATH)->client, 1);
    assert_int_equal(find_event(&history, EVENT_STOP_ASKED)->detail, STOP_STUCK);
    history_free(&history);
}

TEST(a_killed_holder_of_setnx_leaves_everybody_stuck)
{
    expect_killed_and_stuck(FIRST "faults: [{when: client-1 after read, kill: client-1}]\n");
}

TEST(what_a_drawn_crash_leaves_for_ever_is_seen_to_be_stuck)
{
    expect_killed_and_stuck("workload: {kind: increment, for: 600ms}\n"
                            "faults:\n  - {drawn: true, at: 50ms, when: client-1 holds, "
                            "kill: client-1}\n");
}

static int run_into_a_dead_port(const struct sandbox *sandbox, void *context)
{
    struct run *run = context;
    struct error error = {0};
    setenv("PATH", "/nonexistent", 1);
    struct server_pool pool;
    server_pool_start(&pool, sandbox, run->folder);
    int result = trial_conduct(run->trial, &pool, run->folder, 1, NULL, &error);
    server_pool_stop(&pool);
    bool told = strstr(error.text, "redis-server") != NULL;
    return result == -1 && told ? 0 : 1;
}

TEST(a_server_that_cannot_start_is_an_error_that_names_its_package)
{
    struct trial trial = {.scenario = scenario_of(""), .scheme = "redis-setnx"};
    struct run run = {.trial = &trial, .folder = test_folder()};
    assert_int_equal(sandbox_run(true, run_into_a_dead_port, &run), 0);
    remove_folder(run.folder);
}

// The workload's time is over while client-1 stands still.
TEST(after_the_last_drawn_fault_each_client_is_granted_before_the_end)
{
    struct history history =
        run_trial(PATIENT "workload: {kind: increment, for: 300ms}\n"
                          "faults: [{drawn: true, at: 250ms, pause: client-1, until: 400ms}]\n",
                  "redis-set-px-lua", false);
    const struct event *healed = find_event(&history, EVENT_FAULT_HEALED);
    const struct event *stop = find_event(&history, EVENT_STOP_ASKED);
    assert_int_equal(healed->detail, HEAL_BOUND);
    assert_int_equal(stop->detail, STOP_TIME);
    bool granted[3] = {false};
    for (const struct event *event = healed; event < stop; event++) {
        if (event->kind == EVENT_ACQUIRE_RETURN && event->outcome == OUTCOME_OK)
            granted[event->client] = true;
    }
    assert_true(granted[1] && granted[2]);
    history_free(&history);
}
