#include "harness/run/load_generator.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

#include <math.h>
#include <pthread.h>

#define EACH_SECOND 3600 // as a scenario has rates: each hour

// Of one rate, each second.
static struct arrivals *at_rate(double rate, enum arrival_kind kind, int64_t for_ns, uint64_t seed)
{
    const struct load_settings phase = {
        .rate = (int64_t)ceil(rate * EACH_SECOND), .arrivals = kind, .for_ns = for_ns};
    return arrivals_new(&phase, 1, 0, seed);
}

TEST(fixed_ones_come_evenly)
{
    struct arrivals *arrivals = at_rate(500, ARRIVALS_FIXED, 2 * NS_PER_S, 1);
    assert_int_equal(arrivals->count, 1000);
    for (uint64_t i = 0; i < arrivals->count; i++)
        assert_in_range(arrivals->at_ns[i], i * 2 * NS_PER_MS - (i > 0), i * 2 * NS_PER_MS);
    assert_int_equal(arrivals_due(arrivals, -1), 0);
    assert_int_equal(arrivals_due(arrivals, 0), 1);
    assert_int_equal(arrivals_due(arrivals, 3 * NS_PER_MS), 2);
    assert_int_equal(arrivals_due(arrivals, 5 * NS_PER_S), 1000);
    arrivals_free(arrivals);
}

// Of exponential gaps the mean is one over the rate, the deviation the same, and a share of e^-2 is
// longer than twice the mean.
TEST(drawn_ones_are_a_poisson_process)
{
    const double rate = 20000;
    const double mean_ns = NS_PER_S / rate;
    struct arrivals *arrivals = at_rate(rate, ARRIVALS_POISSON, 10 * NS_PER_S, 3);
    double count = (double)arrivals->count;
    assert_true(fabs(count - 200000) < 5 * sqrt(200000));
    double squares = 0;
    double longer = 0;
    for (uint64_t i = 1; i < arrivals->count; i++) {
        double gap = (double)(arrivals->at_ns[i] - arrivals->at_ns[i - 1]);
        assert_true(gap >= 0);
        squares += (gap - mean_ns) * (gap - mean_ns);
        longer += gap > 2 * mean_ns;
    }
    assert_true(fabs(sqrt(squares / count) / mean_ns - 1) < 0.02);
    assert_true(fabs(longer / count - exp(-2)) < 0.005);
    arrivals_free(arrivals);
}

TEST(the_seed_decides_them)
{
    struct arrivals *one = at_rate(1000, ARRIVALS_POISSON, NS_PER_S, 7);
    struct arrivals *same = at_rate(1000, ARRIVALS_POISSON, NS_PER_S, 7);
    struct arrivals *other = at_rate(1000, ARRIVALS_POISSON, NS_PER_S, 8);
    assert_int_equal(one->count, same->count);
    assert_memory_equal(one->at_ns, same->at_ns, one->count * sizeof *one->at_ns);
    assert_true(one->at_ns[0] != other->at_ns[0]);
    arrivals_free(one);
    arrivals_free(same);
    arrivals_free(other);
}

static void *take_all(void *context)
{
    struct arrivals *arrivals = context;
    int64_t *sum = calloc(1, sizeof *sum);
    int64_t at_ns;
    for (int64_t number = arrivals_take(arrivals, 0, INT64_MAX, &at_ns); number > 0;
         number = arrivals_take(arrivals, 0, INT64_MAX, &at_ns))
        *sum += number;
    return sum;
}

TEST(each_is_taken_once)
{
    enum { TAKERS = 4, COUNT = 100000 };
    struct arrivals *arrivals = at_rate(COUNT, ARRIVALS_FIXED, NS_PER_S, 1);
    pthread_t takers[TAKERS];
    int64_t total = 0;
    for (int i = 0; i < TAKERS; i++)
        pthread_create(&takers[i], NULL, take_all, arrivals);
    for (int i = 0; i < TAKERS; i++) {
        void *sum;
        pthread_join(takers[i], &sum);
        total += *(int64_t *)sum;
        free(sum);
    }
    assert_int_equal(total, (int64_t)COUNT * (COUNT + 1) / 2);
    arrivals_free(arrivals);
}

TEST(only_what_comes_in_time_is_taken)
{
    int64_t at_ns = -1;
    struct arrivals *arrivals = at_rate(1000, ARRIVALS_FIXED, NS_PER_S, 1);
    assert_int_equal(arrivals_take(arrivals, 0, 0, &at_ns), 0);
    assert_int_equal(arrivals_take(arrivals, 0, 1, &at_ns), 1);
    assert_int_equal(at_ns, 0);
    assert_int_equal(arrivals_take(arrivals, 0, NS_PER_MS / 2, &at_ns), 0);
    assert_int_equal(arrivals_take(arrivals, 0, 5 * NS_PER_MS, &at_ns), 2);
    // What is older than wanted is left out for good.
    assert_int_equal(arrivals_take(arrivals, 7 * NS_PER_MS, 7 * NS_PER_MS, &at_ns), 0);
    assert_int_equal(arrivals_take(arrivals, 7 * NS_PER_MS, 9 * NS_PER_MS, &at_ns), 8);
    assert_int_equal(at_ns, 7 * NS_PER_MS);
    assert_int_equal(arrivals_take(arrivals, 0, 9 * NS_PER_MS, &at_ns), 9);
    arrivals_free(arrivals);
}

// From 0 to 1000 a second in 2 s: 1000 in all, and half of them in the last 1 - sqrt(1/2).
TEST(a_ramp_has_its_mean_and_its_shape)
{
    const enum arrival_kind kinds[] = {ARRIVALS_FIXED, ARRIVALS_POISSON};
    for (size_t i = 0; i < 2; i++) {
        const int64_t most = 100000 * EACH_SECOND;
        const struct load_settings up = {
            .rate = 1, .to = most, .arrivals = kinds[i], .for_ns = 2 * NS_PER_S};
        const struct load_settings down = {
            .rate = most, .to = 1, .arrivals = kinds[i], .for_ns = 2 * NS_PER_S};
        struct arrivals *rising = arrivals_new(&up, 1, 0, 5);
        struct arrivals *falling = arrivals_new(&down, 1, 0, 5);
        int64_t middle_ns = (int64_t)(2 * sqrt(0.5) * NS_PER_S);
        assert_true(fabs((double)rising->count - 1e5) < 5 * sqrt(1e5));
        assert_true(fabs((double)falling->count - 1e5) < 5 * sqrt(1e5));
        assert_true(fabs((double)arrivals_due(rising, middle_ns) - 5e4) < 5 * sqrt(5e4));
        assert_true(fabs((double)arrivals_due(falling, 2 * NS_PER_S - middle_ns) - 5e4) <
                    5 * sqrt(5e4));
        for (uint64_t j = 1; j < rising->count; j++)
            assert_true(rising->at_ns[j] >= rising->at_ns[j - 1]);
        assert_true(falling->at_ns[falling->count - 1] < 2 * NS_PER_S);
        arrivals_free(rising);
        arrivals_free(falling);
    }
}

TEST(the_last_phase_may_end_by_count)
{
    const struct load_settings phases[] = {
        {.rate = 10 * EACH_SECOND, .arrivals = ARRIVALS_FIXED, .for_ns = NS_PER_S},
        {.for_ns = 2 * NS_PER_S},
        {.rate = 1000 * EACH_SECOND, .arrivals = ARRIVALS_POISSON},
    };
    struct arrivals *arrivals = arrivals_new(phases, 3, 25, 1);
    assert_int_equal(arrivals->count, 25);
    assert_int_equal(arrivals->at_ns[9], 900 * NS_PER_MS);
    assert_true(arrivals->at_ns[10] > 3 * NS_PER_S);
    arrivals_free(arrivals);
}

TEST(too_many_are_refused)
{
    assert_null(at_rate(1e6, ARRIVALS_FIXED, 3600 * NS_PER_S, 1));
    struct arrivals *none = at_rate(0.001, ARRIVALS_POISSON, NS_PER_MS, 1);
    int64_t at_ns;
    assert_int_equal(none->count, 0);
    assert_int_equal(arrivals_take(none, 0, INT64_MAX, &at_ns), 0);
    arrivals_free(none);
}
