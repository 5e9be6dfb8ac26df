#include "harness/stats/rate_search.h"

#include "harness/testing/test.h"

// Searches where everything up to `limit` meets the target. Returns how many rates were tried.
static int search_up_to(int64_t limit, struct rate_search *search)
{
    int tried = 0;
    for (; search->next > 0; tried++) {
        assert_in_range(search->next, search->least, search->most);
        assert_true(tried < 40);
        rate_search_tell(search, search->next <= limit ? RATE_MET : RATE_MISSED);
    }
    return tried;
}

TEST(what_is_found_is_close_to_the_limit_from_wherever_it_begins)
{
    for (int64_t first = 1; first <= 1000000; first *= 10) {
        for (int64_t limit = 100; limit <= 1000000; limit = limit * 7 / 3) {
            struct rate_search search = rate_search_start(first, 1, 10000000, NULL);
            int tried = search_up_to(limit, &search);
            assert_true(search.met <= limit && search.missed > limit);
            assert_true(search.missed - search.met <= search.met / 20);
            assert_in_range(tried, 4, 34);
            assert_int_equal(rate_search_votes(&search, search.met)->met, 2);
            assert_int_equal(rate_search_votes(&search, search.missed)->missed, 2);
        }
    }
}

TEST(where_all_meet_it_the_highest_is_found)
{
    struct rate_search search = rate_search_start(300, 1, 1000, NULL);
    search_up_to(5000, &search);
    assert_int_equal(search.met, 1000);
    assert_int_equal(search.missed, 0);
}

TEST(where_none_meets_it_nothing_is_found)
{
    struct rate_search search = rate_search_start(300, 10, 1000, NULL);
    search_up_to(0, &search);
    assert_int_equal(search.met, 0);
    assert_int_equal(search.missed, 10);
}

TEST(few_a_second_end_too)
{
    struct rate_search search = rate_search_start(1, 1, 1000, NULL);
    search_up_to(3, &search);
    assert_int_equal(search.met, 3);
    assert_int_equal(search.missed, 4);
}

// Searches up to `limit`; the trials of number `from` to `to` (from 0) say the contrary.
static void search_with_noise(int64_t limit, int from, int to, struct rate_search *search)
{
    for (int tried = 0; search->next > 0; tried++) {
        assert_true(tried < 60);
        bool met = search->next <= limit;
        if (tried >= from && tried <= to)
            met = !met;
        rate_search_tell(search, met ? RATE_MET : RATE_MISSED);
    }
}

// A noisy first trial bounds nothing; nor does any other.
TEST(one_trial_that_is_wrong_is_put_right)
{
    for (int wrong = 0; wrong < 20; wrong++) {
        for (int64_t first = 10; first <= 100000; first *= 10) {
            struct rate_search search = rate_search_start(first, 1, 10000000, NULL);
            search_with_noise(7000, wrong, wrong, &search);
            if (search.met > 7000 || search.missed <= 7000 || search.missed > 7400)
                fail_msg("from %lld, trial %d wrong: %lld to %lld", (long long)first, wrong,
                         (long long)search.met, (long long)search.missed);
        }
    }
}

TEST(the_bounds_are_confirmed_in_turn)
{
    struct rate_search search = rate_search_start(100, 1, 102, NULL);
    const struct {
        int64_t rate;
        enum rate_answer answer;
    } steps[] = {{100, RATE_MET},
                 {102, RATE_MISSED},
                 {100, RATE_MISSED},
                 {102, RATE_MISSED},
                 {100, RATE_MET}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(search.next, steps[i].rate);
        rate_search_tell(&search, steps[i].answer);
    }
    assert_int_equal(search.next, 0);
    assert_int_equal(search.met, 100);
    assert_int_equal(search.missed, 102);
    assert_int_equal(rate_search_votes(&search, 100)->missed, 1);
}

TEST(a_miss_of_the_driver_bounds_the_search_and_is_told_apart)
{
    struct rate_search search = rate_search_start(100, 1, 1000000, NULL);
    while (search.next > 0)
        rate_search_tell(&search, search.next <= 3000 ? RATE_MET : RATE_DRIVER);
    assert_in_range(search.met, 2860, 3000);
    assert_int_equal(rate_votes_say(rate_search_votes(&search, search.missed)), RATE_DRIVER);
    const struct rate_votes both = {.missed = 2, .driver = 1, .first = RATE_DRIVER};
    assert_int_equal(rate_votes_say(&both), RATE_MISSED);
    const struct rate_votes even = {.met = 1, .missed = 1, .first = RATE_MISSED};
    assert_int_equal(rate_votes_say(&even), RATE_MISSED);
}

TEST(a_miss_of_the_driver_is_tried_again_before_it_bounds)
{
    struct rate_search search = rate_search_start(100, 1, 1000000, NULL);
    rate_search_tell(&search, RATE_DRIVER);
    assert_int_equal(search.next, 100);
    assert_int_equal(search.missed, 0);
    rate_search_tell(&search, RATE_MET); // which shows that it can be met
    assert_int_equal(search.next, 200);
    while (search.next > 0)
        rate_search_tell(&search, search.next <= 3000 ? RATE_MET : RATE_MISSED);
    assert_in_range(search.met, 2860, 3000);
}

TEST(of_a_miss_each_a_third_trial_decides)
{
    static const enum rate_answer thirds[] = {RATE_MISSED, RATE_DRIVER};
    for (size_t i = 0; i < 2; i++) {
        struct rate_search search = rate_search_start(100, 100, 100, NULL);
        rate_search_tell(&search, RATE_MISSED);
        rate_search_tell(&search, RATE_DRIVER);
        assert_int_equal(search.next, 100);
        rate_search_tell(&search, thirds[i]);
        assert_int_equal(search.next, 0);
        assert_int_equal(rate_votes_say(rate_search_votes(&search, 100)), thirds[i]);
    }
    const struct rate_votes tie = {.missed = 1, .driver = 1, .first = RATE_MISSED};
    assert_int_equal(rate_votes_say(&tie), RATE_DRIVER);
}

TEST(trials_that_contradict_each_other_end_too)
{
    uint32_t noise = 1;
    struct rate_search search = rate_search_start(1000, 1, INT64_MAX / 4, NULL);
    int tried = 0;
    for (; search.next > 0; tried++) {
        noise = noise * 1103515245 + 12345;
        rate_search_tell(&search, (noise >> 16) % 2 == 0 ? RATE_MET : RATE_MISSED);
    }
    assert_in_range(tried, 2, 3 * MOST_RATES);
}

static int64_t whole_tens(int64_t rate)
{
    return rate / 10 * 10;
}

TEST(rates_are_readable)
{
    struct rate_search search = rate_search_start(25, 1, 100000, whole_tens);
    while (search.next > 0) {
        assert_int_equal(search.next % 10, 0);
        rate_search_tell(&search, search.next <= 73 ? RATE_MET : RATE_MISSED);
    }
    assert_int_equal(search.met, 70);
    assert_int_equal(search.missed, 80);
}

// --- the target ----------------------------------------------------------------------------------

// One that misses only by the driver's lateness, or while the driver had no time left.
TEST(a_miss_by_the_driver_is_no_answer)
{
    const struct percentiles target = {.p99_ns = 50};
    struct statistics statistics = {.acquire = {.count = 100, .p99_ns = 40}, .due = 100};
    assert_int_equal(rate_judge(&target, &statistics), RATE_MET);
    statistics.acquire.p99_ns = 60;
    assert_int_equal(rate_judge(&target, &statistics), RATE_MISSED);
    statistics.acquire_on_time = (struct percentiles){.count = 100, .p99_ns = 55};
    assert_int_equal(rate_judge(&target, &statistics), RATE_MISSED);
    statistics.acquire_on_time.p99_ns = 45;
    assert_int_equal(rate_judge(&target, &statistics), RATE_DRIVER);
    statistics.due = 200; // half of them never began, which no lateness explains
    assert_int_equal(rate_judge(&target, &statistics), RATE_MISSED);
    statistics.driver_bound.is_bound = true;
    assert_int_equal(rate_judge(&target, &statistics), RATE_DRIVER);
}

TEST(what_too_few_acquires_meet_is_not_met)
{
    const struct percentiles target = {.p99_ns = 50};
    struct statistics statistics = {.acquire = {.count = 99, .p99_ns = 40}, .due = 99};
    assert_int_equal(rate_judge(&target, &statistics), RATE_DRIVER);
    statistics.acquire.p99_ns = 60;
    assert_int_equal(rate_judge(&target, &statistics), RATE_MISSED);
    // 100 and thrice their root.
    assert_int_equal(rate_least(&target, NS_PER_S), 130 * 3600);
    assert_int_equal(rate_least(&(struct percentiles){.max_ns = 1}, 3600 * NS_PER_S), 60);
}
