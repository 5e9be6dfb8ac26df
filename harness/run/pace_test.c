// Whole trials on a real Redis server under loads of all kinds: when their operations began.
#include "harness/run/test_trials.h"
#include "harness/testing/test.h"

#include "harness/check/check.h"

#define LATE_NS (50 * NS_PER_MS)

// A trial that was run, and what came of it.
struct ran {
    struct trial trial;
    struct history history;
    struct trial_model model;
};

// Clients with a lock that nobody loses, and the load that the lines say.
static void run(struct ran *ran, const char *lines)
{
    struct text text = {0};
    text_format(&text, "lock: {lease: 5s, wait: 10s, retry: 1ms, request: 1s, stuck-after: 9s}\n%s",
                lines);
    ran->history = run_trial(text.bytes, "redis-set-px-lua", false);
    ran->trial = (struct trial){.scenario = scenario_of(text.bytes), .scheme = "redis-set-px-lua"};
    trial_model_make(&ran->history, &ran->trial, &ran->model);
    text_free(&text);
}

static void release(struct ran *ran)
{
    trial_model_free(&ran->model);
    history_free(&ran->history);
}

static size_t count_late(const struct trial_model *model, bool corrected)
{
    size_t late = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        late += hold->granted_ns - (corrected ? hold->intended_ns : hold->invoked_ns) > LATE_NS;
    }
    return late;
}

TEST(in_an_open_loop_nobody_begins_before_the_time)
{
    struct ran ran;
    run(&ran, "workload: {kind: increment, operations: 300}\nload: {rate: 400/s}\n");
    int64_t last_ns[3][3] = {{0}};
    assert_int_equal(ran.model.hold_count, 300);
    assert_int_equal(ran.model.due_operations, 300);
    assert_int_equal(ran.model.begun_operations, 300);
    for (size_t i = 0; i < ran.model.hold_count; i++) {
        const struct hold *hold = &ran.model.holds[i];
        assert_true(hold->intended_ns > ran.model.started_ns);
        assert_true(hold->invoked_ns >= hold->intended_ns);
        // Each worker takes them in their order.
        assert_true(hold->intended_ns >= last_ns[hold->client][hold->worker]);
        last_ns[hold->client][hold->worker] = hold->intended_ns;
    }
    release(&ran);
}

TEST(in_a_closed_loop_operations_have_no_time)
{
    struct ran ran;
    run(&ran, "workload: {kind: increment, operations: 50}\n");
    assert_int_equal(ran.model.hold_count, 50);
    assert_int_equal(ran.model.phase_count, 0);
    assert_int_equal(ran.model.due_operations, 0);
    for (size_t i = 0; i < ran.model.hold_count; i++)
        assert_int_equal(ran.model.holds[i].intended_ns, 0);
    release(&ran);
}

// The four workers each see one slow answer; but a hundred operations were to begin meanwhile.
TEST(a_pause_of_the_server_shows_in_all_that_were_to_begin_in_it)
{
    struct ran ran;
    run(&ran, "workload: {kind: increment}\nload: {for: 1s, rate: 500/s, arrivals: fixed}\n"
              "faults: [{at: 300ms, pause: server-1, until: 200ms}]\n");
    assert_true(ran.model.faults[0].healed_ns != TIME_NEVER);
    size_t corrected = count_late(&ran.model, true);
    size_t uncorrected = count_late(&ran.model, false);
    print_message("later than 50 ms: %zu, but %zu as it looked to who asked\n", corrected,
                  uncorrected);
    assert_true(corrected >= 60);
    assert_true(uncorrected >= 1);
    assert_true(corrected > 4 * uncorrected);
    release(&ran);
}

TEST(clients_beyond_those_that_take_part_rest)
{
    struct ran ran;
    run(&ran, "workload: {kind: increment}\nload: [{for: 200ms, clients: 1}, "
              "{for: 300ms, rate: 300/s}, {for: 200ms, clients: 1}]\n");
    const struct load_phase *phases = ran.model.phases;
    size_t begun[3] = {0};
    assert_int_equal(ran.model.phase_count, 3);
    assert_int_equal(phases[0].clients, 1);
    assert_int_equal(phases[1].clients, 2);
    assert_int_equal(phases[1].rate, 300 * 1000);
    assert_int_equal(phases[1].from_ns - phases[0].from_ns, 200 * NS_PER_MS);
    for (size_t i = 0; i < ran.model.hold_count; i++) {
        const struct hold *hold = &ran.model.holds[i];
        if (hold->client != 2)
            continue;
        for (size_t j = 0; j < 3; j++)
            begun[j] += phases[j].from_ns <= hold->invoked_ns && hold->invoked_ns < phases[j].to_ns;
    }
    assert_int_equal(begun[0], 0);
    assert_true(begun[1] > 0);
    // Whoever has begun just before the end of its phase may be seen just after it.
    assert_true(begun[2] <= 2);
    release(&ran);
}

TEST(what_was_due_and_never_begun_is_counted)
{
    struct ran ran;
    // The warm-up is too much for it, too: what it leaves undone would take all the time of what
    // counts.
    run(&ran, "clients: {processes: 1, threads: 1}\nworkload: {kind: increment, hold: 20ms}\n"
              "load:\n  - {for: 200ms, rate: 500/s, warm-up: true}\n"
              "  - {for: 500ms, rate: 500/s, arrivals: fixed}\n");
    assert_false(ran.model.phases[0].counts);
    assert_true(ran.model.phases[1].counts);
    assert_int_equal(ran.model.due_operations, 250);
    assert_in_range(ran.model.begun_operations, 1, 26);
    release(&ran);
}

TEST(workers_that_find_nothing_left_end)
{
    struct ran ran;
    run(&ran, "workload: {kind: increment, operations: 40}\n"
              "load: [{for: 50ms, rate: 200/s}, {clients: 1, rate: 400/s}]\n");
    assert_int_equal(count_events(&ran.history, EVENT_ACQUIRE_RETURN, OUTCOME_OK), 40);
    assert_int_equal(count_events(&ran.history, EVENT_WORKER_END, OUTCOME_OK), 4);
    assert_int_equal(find_event(&ran.history, EVENT_STOP_ASKED)->detail, STOP_DONE);
    release(&ran);
}
