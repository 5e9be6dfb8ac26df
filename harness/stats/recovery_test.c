#include "harness/stats/statistics.h"

#include "harness/report/test_run.h"

static struct recoveries recoveries;

// Times in milliseconds; -1: never.
static void add_fault(int64_t in_effect, int64_t healed)
{
    test.faults[test.model.fault_count++] =
        (struct fault_record){.in_effect_ns = in_effect >= 0 ? AT(in_effect) : TIME_NEVER,
                              .healed_ns = healed >= 0 ? AT(healed) : TIME_NEVER};
}

static void add_attempt(int64_t invoked, int64_t returned)
{
    test.attempts[test.model.attempt_count++] =
        (struct hold){.client = 3,
                      .worker = 1,
                      .invoked_ns = AT(invoked),
                      .returned_ns = returned >= 0 ? AT(returned) : TIME_NEVER,
                      .outcome = returned >= 0 ? OUTCOME_NO : OUTCOME_UNKNOWN,
                      .died_ns = TIME_NEVER};
}

#define NEVER -1

// What is expected of one fault, in milliseconds.
static void expect(size_t index, int64_t after_effect, int64_t after_heal, int64_t unavailable)
{
    recoveries_measure(&test.model, &recoveries);
    assert_true(index < recoveries.count);
    const struct recovery *recovery = &recoveries.items[index];
    assert_int_equal(recovery->fault, (int)index + 1);
    assert_int_equal(recovery->after_effect_ns,
                     after_effect == NEVER ? TIME_NEVER : after_effect * NS_PER_MS);
    assert_int_equal(recovery->after_heal_ns,
                     after_heal == NEVER ? TIME_NEVER : after_heal * NS_PER_MS);
    assert_int_equal(recovery->unavailable_ns, unavailable * NS_PER_MS);
}

// One lock and one fault, from 100 to `healed`.
DIGEST_TEST(the_first_grant_ends_the_recovery)
{
    static const struct {
        const char *why;
        int64_t holds[3][3];    // asked, granted, released; 0, 0, 0: none
        int64_t attempts[2][2]; // invoked, returned
        int64_t times[4];       // healed, after effect, after heal, unavailable
    } rows[] = {
        {"the second waits from 40 to 430",
         {{0, 10, 50}, {40, 430, 450}, {440, 460, 470}},
         {{0}},
         {400, 330, 30, 330}},
        {"after a first grant, whose answer was under way, another waits for longer",
         {{90, 110, 120}, {115, 700, 710}},
         {{0}},
         {300, 10, 400, 585}},
        {"time in which nobody wants the lock is no loss",
         {{0, 10, 50}, {800, 820, 830}},
         {{0}},
         {300, 720, 520, 20}},
        {"giving up does not end it",
         {{380, 400, 410}},
         {{150, 200}, {250, 300}},
         {NEVER, 300, NEVER, 250}},
        {"a lock that never comes back is gone until the end",
         {{0, 10, 50}},
         {{150, NEVER}},
         {300, NEVER, NEVER, 850}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)test_model_setup(state);
        for (size_t j = 0; j < 3 && rows[i].holds[j][2] > 0; j++)
            test_hold(&test, (int)j + 1, rows[i].holds[j][0], rows[i].holds[j][1],
                      rows[i].holds[j][2]);
        for (size_t j = 0; j < 2 && rows[i].attempts[j][0] > 0; j++)
            add_attempt(rows[i].attempts[j][0], rows[i].attempts[j][1]);
        add_fault(100, rows[i].times[0]);
        print_message("%s\n", rows[i].why);
        expect(0, rows[i].times[1], rows[i].times[2], rows[i].times[3]);
    }
}

DIGEST_TEST(each_fault_answers_for_the_time_until_the_next)
{
    test_hold(&test, 1, 100, 150, 160);
    test_hold(&test, 2, 120, 550, 560);
    add_fault(100, 200);
    add_fault(500, 520);
    expect(0, 50, 350, 350);
    expect(1, 50, 30, 50);
}

DIGEST_TEST(a_fault_that_never_took_effect_has_none)
{
    test_hold(&test, 1, 0, 10, 50);
    add_fault(NEVER, NEVER);
    recoveries_measure(&test.model, &recoveries);
    assert_int_equal(recoveries.count, 0);
}

// Lock 1 is granted all the time, lock 2 is not; lock 3 nobody wants before the end is near.
DIGEST_TEST(of_several_locks_the_worst_counts)
{
    test_hold(&test, 1, 0, 10, 50)->key = 1;
    test_hold(&test, 1, 100, 110, 150)->key = 1;
    test_hold(&test, 1, 200, 210, 250)->key = 1;
    test_hold(&test, 2, 120, 600, 610)->key = 2;
    test_hold(&test, 3, 900, 910, 920)->key = 3;
    add_fault(100, 205);
    expect(0, 480, 395, 480);
}

// Asked for a millisecond before the end, which was not long enough to tell anything.
DIGEST_TEST(of_several_one_that_never_comes_back_is_never_unless_the_end_cut_it_off)
{
    test.scenario.lock.stuck_after_ns = 200 * NS_PER_MS;
    test_hold(&test, 1, 190, 220, 250)->key = 1;
    add_attempt(999, 1001);
    test.attempts[0].key = 2;
    add_fault(100, 200);
    expect(0, 30, 20, 30);
    test.attempts[0].invoked_ns = AT(790); // longer than that
    expect(0, NEVER, NEVER, 210);
    test.attempts[0].invoked_ns = AT(990); // who gave up before the end was not cut off
    test.attempts[0].returned_ns = AT(995);
    expect(0, NEVER, NEVER, 30);
}
