#include "harness/base/random.h"

#include "harness/testing/test.h"

TEST(the_numbers_are_those_of_the_published_algorithm)
{
    // What xoshiro256** gives from the state 1, 2, 3, 4.
    static const uint64_t expected[] = {
        UINT64_C(11520),
        UINT64_C(0),
        UINT64_C(1509978240),
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
    };
    struct random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal(random_next(&random), expected[i]);
}

TEST(equal_seed_and_stream_give_equal_numbers)
{
    struct random one, other;
    random_start(&one, 42, 7);
    random_start(&other, 42, 7);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(random_next(&one), random_next(&other));
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

TEST(no_two_seeds_or_streams_begin_alike)
{
    enum { SEEDS = 100, STREAMS = 100, NUMBERS = 4, COUNT = SEEDS * STREAMS * NUMBERS };
    uint64_t *seen = calloc(COUNT, sizeof *seen);
    assert_non_null(seen);
    size_t count = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (uint64_t stream = 0; stream < STREAMS; stream++) {
            struct random random;
            random_start(&random, seed, stream);
            for (int i = 0; i < NUMBERS; i++)
                seen[count++] = random_next(&random);
        }
    }
    qsort(seen, count, sizeof *seen, compare_numbers);
    for (size_t i = 1; i < count; i++)
        assert_int_not_equal(seen[i - 1], seen[i]);
    free(seen);
}

TEST(a_number_below_a_bound_is_below_it)
{
    static const uint64_t bounds[] = {1, 2, 3, 10, 1000, UINT64_C(1) << 63, UINT64_MAX};
    struct random random;
    random_start(&random, 1, 0);
    assert_int_equal(random_below(&random, 0), 0);
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        for (int i = 0; i < 1000; i++)
            assert_true(random_below(&random, bounds[b]) < bounds[b]);
    }
}

TEST(numbers_below_a_bound_are_equally_frequent)
{
    enum { BOUND = 10, MEAN = 10000 };
    int found[BOUND] = {0};
    struct random random;
    random_start(&random, 2, 0);
    for (int i = 0; i < BOUND * MEAN; i++)
        found[random_below(&random, BOUND)]++;
    // One standard deviation is about 95.
    for (int i = 0; i < BOUND; i++)
        assert_in_range(found[i], MEAN - 500, MEAN + 500);
}

TEST(a_bound_that_divides_badly_has_no_bias)
{
    // A mere remainder would put half of the numbers, not a third, into the lowest third.
    const uint64_t third = UINT64_C(1) << 62;
    int low = 0;
    struct random random;
    random_start(&random, 3, 0);
    for (int i = 0; i < 30000; i++)
        low += random_below(&random, 3 * third) < third;
    assert_in_range(low, 9500, 10500);
}

TEST(hexadecimal_text_has_the_length_asked_for)
{
    static const size_t lengths[] = {0, 1, 15, 16, 17, 40};
    struct random random;
    random_start(&random, 4, 0);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        char text[64];
        memset(text, '#', sizeof text);
        random_hex(&random, text, lengths[l]);
        assert_int_equal(strlen(text), lengths[l]);
        assert_int_equal(strspn(text, "0123456789abcdef"), lengths[l]);
        assert_int_equal(text[lengths[l] + 1], '#');
    }
}

TEST(a_zero_that_is_wanted_comes_next_and_alone)
{
    struct random random;
    random_start(&random, 6, 0);
    random_draw_zero(&random);
    assert_int_equal(random_below(&random, 1000000), 0);
    assert_int_not_equal(random_next(&random), random_next(&random));
}

TEST(hexadecimal_texts_of_one_stream_differ)
{
    struct random random;
    random_start(&random, 5, 0);
    char first[33], second[33];
    random_hex(&random, first, 32);
    random_hex(&random, second, 32);
    assert_string_not_equal(first, second);
    assert_memory_not_equal(first, first + 16, 16);
}
