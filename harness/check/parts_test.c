// What checks are made of: locks told apart, places in line, stalls, wires.
#include "harness/base/random.h"
#include "harness/check/by_lock.h"
#include "harness/check/fairness.h"
#include "harness/check/faults.h"
#include "harness/check/stalls.h"
#include "harness/check/test_history.h"

TEST(drift_is_a_hundredth_of_the_lease_and_two_milliseconds)
{
    assert_int_equal(allowed_drift_ns(300 * NS_PER_MS), 5 * NS_PER_MS);
}

// --- several locks -------------------------------------------------------------------------------

TEST(the_part_of_one_of_them_mixes_nothing)
{
    struct build build;
    struct by_lock locks;
    build_start(&build, "increment");
    build_rows(&build, "with keys=2\n"
                       "0 store-initial key=1\n"
                       "0 store-initial key=2\n"
                       "10-11 client-1 acquire key=2\n"
                       "12 client-3 acquire key=1\n"
                       "12-13 client-1 read 0\n"
                       "14-15 client-1 write 1 saw=0\n"
                       "14-15 client-3 read 0\n"
                       "16-17 client-3 write 1 saw=0\n"
                       "18-19 client-1 release\n"
                       "20-21 client-3 release\n"
                       "30-31 client-2 acquire key=2\n"
                       "32-33 client-2 read 1\n"
                       "34-35 client-2 write 2 saw=1\n"
                       "38-39 client-2 release\n"
                       "500 stop\n"
                       "501 final 1 key=1\n"
                       "501 final 2 key=2");
    build_judge(&build);
    const struct trial_model *whole = &build.model;
    assert_true(trial_model_mixes_locks(whole));
    locks = by_lock_start(whole);
    for (int64_t key = 1; key <= 2; key++) {
        assert_true(by_lock_next(&locks));
        const struct trial_model *part = &locks.part;
        assert_int_equal(locks.key, key);
        assert_int_equal(part->hold_count, key);
        assert_int_equal(part->access_count, 2 * key);
        assert_int_equal(part->ends.final_value, key);
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
    build_free(&build);
}

// --- stalls --------------------------------------------------------------------------------------

TEST(pieces_of_one_stall_are_one_and_each_has_an_owner)
{
    struct build build;
    build_start(&build, "increment");
    build_rows(&build, "0-10 client-1 hold lease=300\n"
                       "600 stall 500 client number=2\n"
                       "620 stall 30\n"
                       "1100 stall 500 server number=2\n"
                       "1100 stall 500 client number=2\n"
                       "1250 stall 150 client number=2");
    build_judge(&build);
    assert_int_equal(build.model.stall_count, 3);
    assert_int_equal(build.model.longest_stall_ns, 1150 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build.model, 1, TIME_NEVER), 500 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build.model, 2, TIME_NEVER), 1150 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build.model, 2, ms(1200)), 500 * NS_PER_MS);
    // 100 to 1250 of client-2, 590 to 620 of the machine, 600 to 1100 of the server.
    assert_int_equal(stalled_ns(&build.model, 2, ms(0), ms(2000)), 1150 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build.model, 1, ms(0), ms(2000)), 510 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build.model, 1, ms(595), ms(1000)), 405 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build.model, 1, ms(1000), ms(900)), 0);
    build_free(&build);
}

// --- wires ---------------------------------------------------------------------------------------

TEST(who_is_cut_off_from_one_of_several_servers_goes_on_with_the_others)
{
    static const struct {
        const char *between, *and, *topology;
        bool is_cut_off;
    } cases[] = {{"client-2", "server-1", "single", true},
                 {"client-2", "server-1", "ensemble", false},
                 // Alone with one server of several it is.
                 {"client-2,leader", "others", "ensemble", true},
                 {"client-2", "server-1", "independent", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        build_start(&build, "increment");
        build_rows(&build, "with topology=%s\n9- fault partition client-2 between=%s and=%s",
                   cases[i].topology, cases[i].between, cases[i].and);
        build_judge(&build);
        assert_int_equal(wire_cuts_off(&build.model, &build.instances[0], 2), cases[i].is_cut_off);
        build_free(&build);
    }
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
        for (int i = 1; i <= 40; i++) {
            int asked = (int)random_below(&random, 400);
            int granted = asked + 2 + (int)random_below(&random, 200);
            if (random_below(&random, 2) == 0)
                BUILD_EVENT(&build, asked + 1, i, QUEUED, OUTCOME_OK, i);
            build_acquire(&build, i, i, asked, granted, NEVER_MS, 0);
            build.events[build.count - 2].detail = round % 2 == 0 && random_below(&random, 3) == 0;
            build_release(&build, i, i, granted + 1, granted + 2, RELEASE_RELEASED);
        }
        build_judge(&build);
        int64_t places_ns[40];
        int64_t margin_ns;
        assert_int_equal(places_find(&build.model, places_ns, &margin_ns), ORDER_QUEUED);
        assert_as_counted(&build.model, places_ns);
        build_free(&build);
    }
}
