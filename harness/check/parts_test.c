// What checks are made of: locks told apart, places in line, stalls, wires.
#include "harness/base/random.h"
#include "harness/check/by_lock.h"
#include "harness/check/fairness.h"
#include "harness/check/faults.h"
#include "harness/check/stalls.h"
#include "harness/check/test_keys.h"

TEST(drift_is_a_hundredth_of_the_lease_and_two_milliseconds)
{
    assert_int_equal(allowed_drift_ns(300 * NS_PER_MS), 5 * NS_PER_MS);
}

// --- several locks -------------------------------------------------------------------------------

TEST(the_part_of_one_of_them_mixes_nothing)
{
    struct build build;
    struct by_lock locks;
    const int64_t finals[] = {1, 2};
    keys_start(&build, 2);
    keys_increment(&build, 1, 2, 1, 10, 0);
    keys_increment(&build, 2, 2, 2, 30, 1);
    keys_increment(&build, 3, 1, 3, 12, 0);
    keys_end(&build, finals, 2);
    const struct trial_model *whole = &build.model;
    assert_true(trial_model_mixes_locks(whole));
    by_lock_start(&locks, whole);
    for (int64_t key = 1; key <= 2; key++) {
        assert_true(by_lock_next(&locks));
        const struct trial_model *part = &locks.part;
        assert_int_equal(locks.key, key);
        assert_int_equal(part->hold_count, key);
        assert_int_equal(part->access_count, 2 * key);
        assert_int_equal(part->ends.final_value, finals[key - 1]);
        for (size_t i = 0; i < part->access_count; i++) {
            size_t hold = part->accesses[i].hold, access = i;
            assert_int_equal(part->holds[hold].key, key);
            assert_true(i - part->holds[hold].first_access < part->holds[hold].access_count);
            by_lock_to_whole(&locks, &hold, &access);
            assert_int_equal(whole->accesses[access].hold, hold);
            assert_int_equal(whole->accesses[access].event, part->accesses[i].event);
        }
    }
    assert_false(by_lock_next(&locks));
    by_lock_end(&locks);
    build_free(&build);
}

// --- stalls --------------------------------------------------------------------------------------

HISTORY_TEST(pieces_of_one_stall_are_one_and_each_has_an_owner, "increment")
{
    build_hold(build, 1, 1, 0, 10, 300);
    build_stall_of(build, STALLED_CLIENT, 2, 600, 500);
    build_stall(build, 620, 30);
    build_stall_of(build, STALLED_SERVER, 2, 1100, 500);
    build_stall_of(build, STALLED_CLIENT, 2, 1100, 500);
    build_stall_of(build, STALLED_CLIENT, 2, 1250, 150);
    build_judge(build);
    assert_int_equal(build->model.stall_count, 3);
    assert_int_equal(build->model.longest_stall_ns, 1150 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build->model, 1), 500 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build->model, 2), 1150 * NS_PER_MS);
    // 100 to 1250 of client-2, 590 to 620 of the machine, 600 to 1100 of the server.
    assert_int_equal(stalled_ns(&build->model, 2, ms(0), ms(2000)), 1150 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build->model, 1, ms(0), ms(2000)), 510 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build->model, 1, ms(595), ms(1000)), 405 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build->model, 1, ms(1000), ms(900)), 0);
}

// --- wires ---------------------------------------------------------------------------------------

static void put_on_wire(struct build *build, struct target from, struct target to)
{
    struct fault_instance *instance = &build->instances[build->scenario.fault_count - 1];
    instance->target = from;
    instance->sides[0][0] = from;
    instance->sides[1][0] = to;
    instance->side_counts[0] = instance->side_counts[1] = 1;
}

TEST(who_is_cut_off_from_one_of_several_servers_goes_on_with_the_others)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "partition", 0, 9, NEVER_MS);
    put_on_wire(&build, (struct target){.client = 2}, (struct target){.server = "server-1"});
    build_stop(&build, 50, STOP_DONE);
    build_judge(&build);
    const struct fault_instance *instance = &build.instances[0];
    assert_true(wire_cuts_off(&build.model, instance, 2));
    build.trial.topology = "ensemble";
    assert_false(wire_cuts_off(&build.model, instance, 2));
    // Alone with one server of several it is.
    build.instances[0].sides[0][1] = (struct target){.server = "leader"};
    build.instances[0].side_counts[0] = 2;
    build.instances[0].sides[1][0] = (struct target){.server = "others"};
    assert_true(wire_cuts_off(&build.model, instance, 2));
    put_on_wire(&build, (struct target){.client = 2}, (struct target){.server = "server-1"});
    build.trial.topology = "independent";
    assert_false(wire_cuts_off(&build.model, instance, 2));
    build_free(&build);
}

// --- who passed whom by, counted pair by pair ----------------------------------------------------

static void assert_as_counted(const struct trial_model *model, const int64_t *places_ns)
{
    size_t *overtakings = places_overtakings(model, places_ns);
    for (size_t i = 0; i < model->hold_count; i++) {
        size_t count = 0;
        for (size_t j = 0; j < i; j++)
            count += model->holds[j].invoked_ns > places_ns[i] &&
                     !(model->holds[i].shared && model->holds[j].shared);
        assert_int_equal(overtakings[i], count);
    }
    free(overtakings);
}

TEST(overtakings_are_those_of_all_pairs)
{
    struct random random;
    random_start(&random, 7, 0);
    for (int round = 0; round < 300; round++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 0);
        for (int i = 1; i <= 40; i++) {
            double asked_ms = (double)random_below(&random, 400);
            double granted_ms = asked_ms + 2 + (double)random_below(&random, 200);
            if (random_below(&random, 2) == 0)
                BUILD_EVENT(&build, asked_ms + 1, i, QUEUED, OUTCOME_OK, i);
            build_acquire(&build, i, i, asked_ms, granted_ms, NEVER_MS, 0);
            build.events[build.count - 2].detail = round % 2 == 0 && random_below(&random, 3) == 0;
            build_release(&build, i, i, granted_ms + 1, granted_ms + 2, RELEASE_RELEASED);
        }
        build_judge(&build);
        int64_t places_ns[40];
        int64_t margin_ns;
        assert_int_equal(places_find(&build.model, places_ns, &margin_ns), ORDER_QUEUED);
        assert_as_counted(&build.model, places_ns);
        build_free(&build);
    }
}
