// Whole trials on a real Redis server under loads of all kinds: when their operations began.
#include "harness/run/test_trials.h"
#include "harness/testing/test.h"

#include "harness/check/check.h"

#define LATE_NS (50 * NS_PER_MS)
#define PER_SECOND INT64_C(3600) // rates are each hour

// A trial that was run, and what came of it.
struct ran {
    struct scenario scenario;
    struct trial trial;
    struct load_settings load[3];
    struct history history;
    struct trial_model model;
};

// Ends by time unless `operations` are set afterwards.
static void prepare(struct ran *ran)
{
    *ran = (struct ran){.scenario = small_scenario()};
    ran->scenario.workload.operations = 0;
    ran->scenario.lock.lease_ns = 5 * NS_PER_S;
    ran->scenario.lock.stuck_after_ns = 9 * NS_PER_S;
    ran->scenario.load = ran->load;
    ran->scenario.load_count = 1;
}

static void run(struct ran *ran)
{
    for (size_t i = 0; i < ran->scenario.load_count; i++)
        ran->scenario.workload.for_ns += ran->load[i].for_ns;
    ran->history = run_trial(&ran->scenario, "redis-set-px-lua", false);
    ran->trial = (struct trial){.scenario = &ran->scenario, .scheme = "redis-set-px-lua"};
    trial_model_make(&ran->history, &ran->trial, &ran->model);
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
    prepare(&ran);
    ran.load[0] = (struct load_settings){.rate = 400 * PER_SECOND, .arrivals = ARRIVALS_POISSON};
    ran.scenario.workload.operations = 300;
    run(&ran);
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
    prepare(&ran);
    ran.scenario.load_count = 0;
    ran.scenario.workload.operations = 50;
    run(&ran);
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
    struct fault_instance pause = {.number = 1,
                                   .verb = "pause",
                                   .target = {.server = "server-1"},
                                   .at_ns = 300 * NS_PER_MS,
                                   .bound_ns = 200 * NS_PER_MS};
    prepare(&ran);
    ran.scenario.faults = &pause;
    ran.scenario.fault_count = 1;
    ran.load[0] = (struct load_settings){
        .for_ns = NS_PER_S, .rate = 500 * PER_SECOND, .arrivals = ARRIVALS_FIXED};
    run(&ran);
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
    prepare(&ran);
    ran.scenario.load_count = 3;
    ran.load[0] = (struct load_settings){.for_ns = 200 * NS_PER_MS, .clients = 1};
    ran.load[1] = (struct load_settings){.for_ns = 300 * NS_PER_MS, .rate = 300 * PER_SECOND};
    ran.load[2] = (struct load_settings){.for_ns = 200 * NS_PER_MS, .clients = 1};
    run(&ran);
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
    prepare(&ran);
    ran.scenario.clients.processes = 1;
    ran.scenario.clients.threads = 1;
    ran.scenario.workload.hold_ns = 20 * NS_PER_MS;
    ran.scenario.load_count = 2;
    // Too much for it, too: what it leaves undone would take all the time of what counts.
    ran.load[0] = (struct load_settings){
        .for_ns = 200 * NS_PER_MS, .rate = 500 * PER_SECOND, .warm_up = true};
    ran.load[1] = (struct load_settings){
        .for_ns = 500 * NS_PER_MS, .rate = 500 * PER_SECOND, .arrivals = ARRIVALS_FIXED};
    run(&ran);
    assert_false(ran.model.phases[0].counts);
    assert_true(ran.model.phases[1].counts);
    assert_int_equal(ran.model.due_operations, 250);
    assert_in_range(ran.model.begun_operations, 1, 26);
    release(&ran);
}

TEST(workers_that_find_nothing_left_end)
{
    struct ran ran;
    prepare(&ran);
    ran.scenario.workload.operations = 40;
    ran.scenario.load_count = 2;
    ran.load[0] = (struct load_settings){.for_ns = 50 * NS_PER_MS, .rate = 200 * PER_SECOND};
    ran.load[1] = (struct load_settings){.clients = 1, .rate = 400 * PER_SECOND};
    ran.history = run_trial(&ran.scenario, "redis-set-px-lua", false);
    assert_int_equal(count_events(&ran.history, EVENT_ACQUIRE_RETURN, OUTCOME_OK), 40);
    assert_int_equal(count_events(&ran.history, EVENT_WORKER_END, OUTCOME_OK), 4);
    assert_int_equal(find_event(&ran.history, EVENT_STOP_ASKED)->detail, STOP_DONE);
    history_free(&ran.history);
}
