// Faults that were not over, met nobody, or came to nothing: what they leave of a verdict.
#include "harness/check/build_history_test_support.h"
#include "harness/check/wire_sides.h"
#include "harness/testing/test.h"

static void build_end(struct build *build)
{
    build_stop(build, 50, STOP_DONE);
    build_final(build, 51, 4);
    build_judge(build);
}

static void heal_by(struct build *build, enum heal_reason reason)
{
    for (size_t i = 0; i < build->count; i++) {
        if (build->events[i].kind == EVENT_FAULT_HEALED)
            build->events[i].detail = (uint8_t)reason;
    }
}

static void put_on_wire(struct build *build, struct target from, struct target to)
{
    struct fault_step *step = &build->steps[build->scenario.fault_count - 1];
    step->target = from;
    step->sides[0][0] = from;
    step->sides[1][0] = to;
    step->side_counts[0] = step->side_counts[1] = 1;
    for (size_t i = 0; i < build->count; i++) {
        if (build->events[i].kind == EVENT_FAULT_HEALED)
            build->events[i].args[3] = 7; // met
    }
}

// --- SAFE ----------------------------------------------------------------------------------------

TEST(a_fault_that_only_the_end_of_the_trial_ended_proves_nothing)
{
    for (int timed = 0; timed < 2; timed++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "pause", 1, 18, 50);
        heal_by(&build, HEAL_END);
        build.steps[0].at_ns = timed ? 18 * NS_PER_MS : -1;
        build_end(&build);
        assert_verdict(&build, timed ? VERDICT_SAFE : VERDICT_UNKNOWN);
        if (!timed)
            assert_text_has(build.judgement.reason,
                            "fault 1 (pause client after read) was still on when the trial ended");
        build_free(&build);
    }
}

TEST(a_fault_that_lasts_until_the_end_on_purpose_is_a_test)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 28.5, 50);
    build.steps[0].bound_ns = NO_BOUND;
    heal_by(&build, HEAL_END);
    build_end(&build);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

TEST(a_bound_that_came_before_its_cause_is_told)
{
    for (int bound = 0; bound < 2; bound++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "pause", 1, 8, 12);
        build.steps[0].until.kind = CAUSE_WRITES;
        heal_by(&build, bound ? HEAL_BOUND : HEAL_CAUSE);
        build_end(&build);
        assert_verdict(&build, VERDICT_SAFE);
        assert_int_equal(
            strstr(build.judgement.reason, "the bound of fault 1 came before its cause") != NULL,
            bound);
        build_free(&build);
    }
}

TEST(a_flush_that_met_a_free_lock_is_told)
{
    for (int held = 0; held < 2; held++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "flush", 0, held ? 12 : 8, NEVER_MS);
        build.steps[0].bound_ns = -1;
        build_end(&build);
        assert_verdict(&build, VERDICT_SAFE);
        assert_int_equal(
            strstr(build.judgement.reason, "the lock was free when fault 1 struck") == NULL, held);
        build_free(&build);
    }
}

TEST(what_a_fault_did_not_try_is_told)
{
    struct build build;
    struct event note = {.kind = EVENT_NOTE, .step = 1};
    build_traffic(&build);
    build_fault(&build, "failover", 0, 12, NEVER_MS);
    build.steps[0].bound_ns = -1;
    memcpy(note.args, "redis-1 redis-2; it was lucky", 29);
    build_event(&build, 12, 0, 0, note);
    build_end(&build);
    assert_verdict(&build, VERDICT_SAFE);
    assert_text_has(build.judgement.reason, "; when fault 1 struck, it was lucky");
    build_free(&build);
}

// --- traffic -------------------------------------------------------------------------------------

TEST(what_a_client_tries_while_it_is_cut_off_is_no_traffic)
{
    static const struct target clients = {.server = "clients"};
    static const struct target servers = {.server = "servers"};
    for (int all = 0; all < 2; all++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "cut", 0, 20.1, 21.5); // client-1 goes for it from 20 to 21 ms
        put_on_wire(&build, all ? clients : (struct target){.client = 1}, servers);
        build_end(&build);
        assert_verdict(&build, all ? VERDICT_SAFE : VERDICT_UNKNOWN);
        if (!all)
            assert_text_has(build.judgement.reason, "met no traffic");
        build_free(&build);
    }
}

// client-2 goes from when it came to its point to when the conductor says so; nobody goes after it.
TEST(one_worker_stands_still_from_when_it_came_to_its_point)
{
    for (int reached = 0; reached < 2; reached++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "pause", 1, 44, 44);
        build.steps[0].target.worker = 1;
        if (reached)
            build_event(&build, 24.5, 1, 1,
                        (struct event){.kind = EVENT_POINT_REACHED, .step = 1, .args = {1}});
        build_end(&build);
        assert_verdict(&build, reached ? VERDICT_SAFE : VERDICT_UNKNOWN);
        if (!reached)
            assert_text_has(build.judgement.reason, "met no traffic");
        build_free(&build);
    }
}

TEST(an_access_is_the_traffic_of_an_optimistic_scheme)
{
    static const char *const traits[] = {"optimistic", NULL};
    for (int optimistic = 0; optimistic < 2; optimistic++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "deny", 0, 12.05, 12.08); // client-2 reads
        build.trial.traits = optimistic ? traits : NULL;
        build_end(&build);
        assert_verdict(&build, optimistic ? VERDICT_SAFE : VERDICT_UNKNOWN);
        build_free(&build);
    }
}

TEST(a_restart_is_met_right_after_it)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "restart", 0, 25.2, 25.4); // client-2 comes at 30 ms
    build.steps[0].bound_ns = 0;
    build_end(&build);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

// --- STUCK ---------------------------------------------------------------------------------------

// Nobody is granted from 10 ms to the end, 900 ms later; the servers suffer meanwhile.
static void judge_silence(const char *verb, double struck_ms, double healed_ms,
                          enum heal_reason reason, double stuck_after_ms,
                          enum finding_state expected)
{
    struct build build;
    build_start(&build, "increment");
    build.scenario.lock.stuck_after_ns = (int64_t)(stuck_after_ms * (double)NS_PER_MS);
    build_begin(&build, 0);
    build_hold(&build, 1, 1, 0, 10, 300);
    build_fault(&build, verb, 0, struck_ms, healed_ms);
    heal_by(&build, reason);
    build_attempt(&build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(&build, 910, STOP_TIME);
    build_judge(&build);
    assert_state(&build, "stuck", expected);
    if (expected == FINDING_UNDECIDED)
        assert_text_has(finding_named(&build, "stuck")->text,
                        "but the servers may not have recovered yet from fault 1");
    build_free(&build);
}

TEST(servers_that_are_still_upset_leave_the_lock_in_doubt)
{
    judge_silence("pause", 9, 910, HEAL_END, 4300, FINDING_UNDECIDED);
    judge_silence("kill", 9, NEVER_MS, HEAL_END, 4300, FINDING_UNDECIDED);
    judge_silence("failover", 9, NEVER_MS, HEAL_END, 4300, FINDING_UNDECIDED);
}

TEST(servers_that_had_time_enough_do_not)
{
    judge_silence("pause", 9, 910, HEAL_END, 500, FINDING_VIOLATED);
    judge_silence("kill", 9, NEVER_MS, HEAL_END, 500, FINDING_VIOLATED);
    judge_silence("pause", 8, 9, HEAL_BOUND, 4300, FINDING_VIOLATED);
}

TEST(who_is_cut_off_from_all_servers_does_not_wait)
{
    static const struct target sides[][2] = {{{.server = "clients"}, {.server = "servers"}},
                                             {{.server = "servers"}, {.server = "others"}},
                                             {{.client = 2}, {.server = "server-1"}},
                                             {{.client = 2}, {.server = "store"}},
                                             {{.client = 3}, {.server = "servers"}}};
    for (size_t i = 0; i < 5; i++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_hold(&build, 1, 1, 0, 10, 300);
        build_fault(&build, "cut", 0, 9, NEVER_MS);
        put_on_wire(&build, sides[i][0], sides[i][1]);
        build_attempt(&build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
        build_stop(&build, 910, STOP_STUCK);
        build_judge(&build);
        assert_state(&build, "stuck", i < 3 ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}

TEST(who_is_cut_off_from_one_of_several_servers_goes_on_with_the_others)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "cut", 0, 9, NEVER_MS);
    put_on_wire(&build, (struct target){.client = 2}, (struct target){.server = "server-1"});
    build_end(&build);
    const struct fault_step *step = &build.steps[0];
    assert_true(wire_cuts_off(&build.digest, step, 2));
    build.trial.topology = "ensemble";
    assert_false(wire_cuts_off(&build.digest, step, 2));
    // Alone with one server of several it is.
    build.steps[0].sides[0][1] = (struct target){.server = "leader"};
    build.steps[0].side_counts[0] = 2;
    build.steps[0].sides[1][0] = (struct target){.server = "others"};
    assert_true(wire_cuts_off(&build.digest, step, 2));
    put_on_wire(&build, (struct target){.client = 2}, (struct target){.server = "server-1"});
    build.trial.topology = "independent";
    assert_false(wire_cuts_off(&build.digest, step, 2));
    build_free(&build);
}

TEST(who_is_cut_off_from_a_majority_by_several_faults_does_not_wait)
{
    for (int servers = 3; servers <= 5; servers += 2) {
        struct build build;
        build_start(&build, "increment");
        build.trial.topology = "independent";
        build.trial.servers = servers;
        build_begin(&build, 0);
        build_hold(&build, 1, 1, 0, 10, 300);
        build_fault(&build, "cut", 0, 9, NEVER_MS);
        put_on_wire(&build, (struct target){.client = 2}, (struct target){.server = "server-1"});
        build_fault(&build, "cut", 0, 9, NEVER_MS);
        put_on_wire(&build, (struct target){.client = 2}, (struct target){.server = "server-3"});
        build_attempt(&build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
        build_stop(&build, 910, STOP_STUCK);
        build_judge(&build);
        assert_state(&build, "stuck", servers == 3 ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}
