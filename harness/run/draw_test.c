// What is drawn for the trials of a plan.
#include "harness/run/perform.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/run/servers.h"
#include "harness/run/test_scenario.h"
#include "harness/testing/cases.h"
#include "harness/testing/text.h"

#define HEAD                                                                                       \
    "version: 1\nname: soak\nabout: For a test.\nworkload: {kind: increment, for: 20s}\n"          \
    "clients: {processes: 5}\nlock: {lease: 1s, wait: 5s}\n"

// A scenario, its plan, and what was drawn for it.
struct drawn {
    struct scenario *scenario;
    struct plan plan;
};

static struct drawn draw(const char *text, const char *scheme, int64_t repeats, uint64_t seed)
{
    struct drawn drawn = {.scenario = scenario_of(text)};
    struct error error = {0};
    assert_int_equal(plan_make(&drawn.scenario, 1, vocabulary(),
                               (const char *const[]){scheme, NULL}, repeats, seed, &drawn.plan,
                               &error),
                     0);
    assert_int_equal(draw_plan(&drawn.plan, vocabulary()), 0);
    return drawn;
}

static void drawn_free(struct drawn *drawn)
{
    plan_free(&drawn->plan);
}

static const char *faults_of(const struct drawn *drawn, size_t trial)
{
    return drawn->plan.trials[trial].drawn->settled_faults;
}

// Nobody is struck who is dead by then, and two are left.
static void hold_to_the_living(const struct scenario *scenario)
{
    bool dead[16] = {false};
    int living = (int)scenario->clients.processes;
    int64_t last_ns = 0;
    for (size_t i = 0; i < scenario->fault_count; i++) {
        const struct fault_instance *instance = &scenario->faults[i];
        int client = instance->target.client;
        for (int side = 0; side < 2 && instance->side_counts[0] > 0; side++)
            client =
                instance->sides[side][0].client != 0 ? instance->sides[side][0].client : client;
        assert_in_range(client, 1, scenario->clients.processes);
        assert_false(dead[client]);
        if (instance->at_ns >= 0) {
            assert_true(instance->at_ns >= last_ns);
            last_ns = instance->at_ns;
        }
        if (strcmp(instance->verb, "kill") == 0) {
            dead[client] = true;
            living--;
        }
    }
    assert_true(living >= 2);
}

TEST(drawn_faults_strike_the_living)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        AUTO(drawn_free)
        struct drawn drawn = draw(
            HEAD "schemes: [redis-set-px-lua]\nrandom: {of: [pause, partition, kill], every: 1s, "
                 "jitter: 900ms, lasting: 50ms}\n",
            NULL, 4, seed);
        for (size_t i = 0; i < drawn.plan.count; i++) {
            assert_true(drawn.plan.trials[i].drawn->fault_count > 5);
            hold_to_the_living(drawn.plan.trials[i].drawn);
        }
    }
}

TEST(drawn_faults_spare_whom_a_written_one_kills)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct drawn drawn =
            draw(HEAD "schemes: [redis-set-px-lua]\n"
                      "faults: [{when: client-2 holds, kill: client-2}]\n"
                      "random: {of: [pause, kill], every: 1s, jitter: 200ms, lasting: 50ms}\n",
                 NULL, 1, seed);
        hold_to_the_living(drawn.plan.trials[0].drawn);
        drawn_free(&drawn);
    }
}

TEST(what_comes_again_and_again_is_over_before_the_trial)
{
    static const struct {
        const char *line;
        size_t count;
    } cases[] = {{"faults: [{every: 3s, pause: client-1, until: 2s}]\n", 5},
                 {"faults: [{every: 3s, pause: client-1, until: 1s}]\n", 6},
                 {"faults: [{every: 3s, pause: client-1, until: client-2 holds or 2s}]\n", 5},
                 {"faults: [{every: 3s, restart: server-1}]\n", 6},
                 {"faults: [{every: 15s, pause: client-1, until: 10s}]\n", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "%sschemes: [none]\n%s", HEAD, cases[i].line);
        AUTO(drawn_free) struct drawn drawn = draw(text, NULL, 1, 1);
        const struct scenario *scenario = drawn.plan.trials[0].drawn;
        assert_int_equal(scenario->fault_count, cases[i].count);
        assert_false(scenario->faults[0].drawn); // it was written: the verdict asks for it
    }
}

#define SOAK                                                                                       \
    HEAD                                                                                           \
        "schemes: [redis-set-px-lua, redlock, zk-sequential]\n"                                    \
        "random: {of: [pause, partition, lost-reply], every: 1s, jitter: 300ms, lasting: 100ms}\n"

TEST(each_repeat_draws_anew_and_always_the_same)
{
    AUTO(drawn_free) struct drawn all = draw(SOAK, NULL, 4, 7);
    AUTO(drawn_free) struct drawn one = draw(SOAK, "redlock", 2, 7);
    AUTO(drawn_free) struct drawn other = draw(SOAK, "redlock", 2, 8);
    assert_string_equal(all.plan.trials[5].name, "soak--redlock--2");
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(faults_of(&all, i), faults_of(&all, j));
    }
    // Whatever else is run, and however often.
    assert_string_equal(faults_of(&all, 4), faults_of(&one, 0));
    assert_string_equal(faults_of(&all, 5), faults_of(&one, 1));
    assert_string_not_equal(faults_of(&one, 0), faults_of(&other, 0));
}

TEST(what_a_trial_leaves_is_that_trial_again)
{
    AUTO(drawn_free) struct drawn all = draw(SOAK, NULL, 3, 7);
    struct scenario *again[9];
    AUTO(plan_free) struct plan plan;
    struct error error = {0};
    assert_int_equal(all.plan.count, 9);
    for (size_t i = 0; i < 9; i++)
        again[i] = scenario_of(all.plan.trials[i].drawn->source);
    assert_int_equal(plan_make(again, 9, vocabulary(), NULL, 0, 1, &plan, &error), 0);
    assert_int_equal(plan.count, 9);
    for (size_t i = 0; i < 9; i++) {
        const struct trial *was = &all.plan.trials[i];
        const struct trial *is = &plan.trials[i];
        assert_string_equal(is->name, was->name);
        assert_int_equal(is->seed, was->seed);
        assert_int_equal(is->repeat, was->repeat);
        assert_ptr_equal(is->scenario, again[0]); // they belong together
        assert_string_equal(trial_as_run(is)->settled_faults, was->drawn->settled_faults);
    }
}

TEST(the_seed_of_the_file_counts_before_that_of_the_run)
{
    AUTO(drawn_free) struct drawn with = draw(SOAK "seed: 7\n", "redlock", 1, 99);
    AUTO(drawn_free) struct drawn run = draw(SOAK, "redlock", 1, 7);
    assert_string_equal(faults_of(&with, 0), faults_of(&run, 0));
    assert_int_equal(with.plan.trials[0].seed, run.plan.trials[0].seed);
}

// How many faults of the trials are at a point, and how many at a time alone.
static void count_moments(const struct drawn *drawn, size_t *points, size_t *times)
{
    *points = *times = 0;
    for (size_t i = 0; i < drawn->plan.count; i++) {
        const struct scenario *scenario = drawn->plan.trials[i].drawn;
        for (size_t j = 0; j < scenario->fault_count; j++) {
            const struct fault_instance *instance = &scenario->faults[j];
            assert_true(instance->drawn && instance->at_ns >= 0);
            *points += instance->point_count > 0;
            *times += instance->point_count == 0;
        }
    }
}

TEST(faults_strike_at_times_and_at_points_of_the_locks_requests)
{
    static const struct {
        const char *at;
        bool points, times;
    } cases[] = {{"", true, true},
                 {", at: [times, points]", true, true},
                 {", at: times", false, true},
                 {", at: [points]", true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        size_t points;
        size_t times;
        snprintf(
            text, sizeof text,
            "%sschemes: [redis-set-px-lua]\nrandom: {of: [pause], every: 1s, lasting: 100ms%s}\n",
            HEAD, cases[i].at);
        AUTO(drawn_free) struct drawn drawn = draw(text, NULL, 3, 5);
        count_moments(&drawn, &points, &times);
        assert_int_equal(points > 0, cases[i].points);
        assert_int_equal(times > 0, cases[i].times);
    }
}

TEST(what_clients_on_other_hosts_send_is_no_place_for_a_fault)
{
    struct drawn drawn = draw(
        HEAD "servers: {redis: {external: 'redis://10.0.0.7'}}\n"
             "schemes: [{exec: {name: far, command: [true], servers: redis, hosts: [a, b], traits: "
             "[exclusive, lease]}}]\nrandom: {of: [pause, lost-reply], every: 1s, lasting: "
             "100ms}\n",
        NULL, 3, 5);
    size_t at_points = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct scenario *scenario = drawn.plan.trials[i].drawn;
        for (size_t j = 0; j < scenario->fault_count; j++) {
            const struct fault_instance *instance = &scenario->faults[j];
            assert_string_equal(instance->verb, "pause");
            at_points += instance->point_count;
            if (instance->point_count > 0)
                assert_string_equal(instance->points[0].what, "holds");
        }
    }
    assert_true(at_points > 0);
    AUTO_FREE char *told = PRINTED(draw_tell(&drawn.plan, drawn.scenario, out));
    assert_has(told, "'lost-reply' is not drawn for far: what a program on another host sends");
    drawn_free(&drawn);
}

TEST(a_lost_reply_is_cut_off_before_its_request_is_sent)
{
    struct drawn drawn =
        draw(HEAD "schemes: [redis-set-px-lua]\nrandom: {of: [lost-reply], lasting: 100ms}\n", NULL,
             3, 5);
    for (size_t i = 0; i < 3; i++) {
        const struct scenario *scenario = drawn.plan.trials[i].drawn;
        assert_true(scenario->fault_count > 0);
        for (size_t j = 0; j < scenario->fault_count; j++) {
            const struct fault_instance *instance = &scenario->faults[j];
            assert_string_equal(instance->verb, "partition");
            assert_true(instance->one_way);
            assert_string_equal(instance->sides[0][0].server, "servers");
            assert_int_equal(instance->sides[1][0].client, instance->points[0].client);
            assert_int_equal(instance->points[0].moment, MOMENT_BEFORE);
            assert_string_equal(instance->points[0].what, "request");
            assert_int_equal(instance->bound_ns, 100 * NS_PER_MS);
        }
    }
    drawn_free(&drawn);
}

static void expect_draw(const struct written_case *one)
{
    AUTO_TEXT struct text text = {0};
    text_format(&text, "%s%s", HEAD, one->body.bytes);
    AUTO(drawn_free) struct drawn drawn = draw(text.bytes, NULL, 1, 3);
    bool is_drawn = drawn.plan.trials[0].drawn != NULL;
    if (is_drawn != (strcmp(one->expected.bytes, "drawn\n") == 0) ||
        is_drawn != (drawn.plan.trials[0].skip_reason == NULL))
        fail_case(one, "it is %s", is_drawn ? "drawn" : "not drawn");
}

TEST(what_a_scheme_does_not_promise_to_survive_is_not_drawn)
{
    each_case("harness/run/cases/draw.cases", 23, expect_draw);
}

TEST(servers_that_are_killed_come_back_when_it_is_sound)
{
    static const struct {
        const char *lines;
        int64_t bound_ns;
    } cases[] = {{"servers: {zookeeper: {topology: ensemble}}\nschemes: [zk-sequential]\n"
                  "random: {of: [failover], lasting: 300ms}\n",
                  300 * NS_PER_MS},
                 {"servers: {etcd: {topology: ensemble}}\nschemes: [etcd-lease]\n"
                  "random: {of: [restart], lasting: 300ms}\n",
                  300 * NS_PER_MS},
                 // It has forgotten all leases, and must stay away until they are over.
                 {"schemes: [redlock]\nrandom: {of: [restart], lasting: 300ms}\n", 2 * NS_PER_S}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        snprintf(text, sizeof text, "%s%s", HEAD, cases[i].lines);
        AUTO(drawn_free) struct drawn drawn = draw(text, NULL, 1, 3);
        const struct scenario *scenario = drawn.plan.trials[0].drawn;
        assert_true(scenario->fault_count > 3);
        for (size_t j = 0; j < scenario->fault_count; j++)
            assert_int_equal(scenario->faults[j].bound_ns, cases[i].bound_ns);
    }
}

TEST(what_is_not_drawn_is_told_with_its_line_and_reason)
{
    AUTO(drawn_free)
    struct drawn drawn = draw(HEAD "schemes: [redis-set-px-lua, redis-wait]\n"
                                   "random: {of: [pause, failover], lasting: 100ms}\n",
                              NULL, 2, 3);
    AUTO_FREE char *told = PRINTED(draw_tell(&drawn.plan, drawn.scenario, out));
    assert_string_equal(
        told,
        "a.yaml:8: random: 'failover' is not drawn for redis-set-px-lua: the scheme's servers have "
        "no other one that could lead\n"
        "a.yaml:8: random: 'failover' is not drawn for redis-wait: it does not promise to survive "
        "that: the lock may be lost with its leader\n");
}

TEST(soaks_of_which_nobody_asks_the_price_share_the_machine)
{
    AUTO(drawn_free) struct drawn drawn = draw(SOAK, "redlock", 1, 7);
    AUTO(drawn_free)
    struct drawn measured = draw(SOAK "thresholds: [acquire.p99 < 50ms]\n", "redlock", 1, 7);
    assert_true(trial_may_share_machine(&drawn.plan.trials[0]));
    assert_false(trial_may_share_machine(&measured.plan.trials[0]));
}
