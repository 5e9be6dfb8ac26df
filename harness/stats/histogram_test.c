#include "harness/base/scope.h"
#include "harness/stats/histogram.h"

#include "harness/base/random.h"
#include "harness/base/rank.h"
#include "harness/testing/text.h"

#include <resolv.h> // base64
#include <zlib.h>

// What HdrHistogram 2.1.11 for Java makes of 1, 777 (200 times), 1000, 123456789 (3000 times) and
// an hour, in a Histogram(1, 3600000000000, 3).
static const char of_java[] =
    "HISTFAAAADN4nJNpmSzMwMAgxAABzFCaEch0M9ixgMH+A1SEqZdnAvNuZqbHvUwf9O6/YWQCANL2Cqk=";

static void record_like_java(struct histogram *histogram)
{
    *histogram = (struct histogram){0};
    histogram_record(histogram, 1);
    histogram_record(histogram, 1000);
    histogram_record(histogram, HISTOGRAM_HIGHEST_NS);
    for (int i = 0; i < 200; i++)
        histogram_record(histogram, 777);
    for (int i = 0; i < 3000; i++)
        histogram_record(histogram, 123456789);
}

// What was compressed, after its head. Returns how many bytes.
static size_t inflated(const char *encoded, unsigned char *out, size_t room)
{
    unsigned char bytes[4096];
    uLongf length = room;
    int count = b64_pton(encoded, bytes, sizeof bytes);
    assert_true(count > 8);
    assert_memory_equal(bytes, "\x1c\x84\x93\x14", 4); // the cookie
    assert_int_equal(bytes[6] << 8 | bytes[7], count - 8);
    assert_int_equal(uncompress(out, &length, bytes + 8, (uLong)count - 8), Z_OK);
    return length;
}

TEST(the_encoding_is_that_of_the_original)
{
    AUTO(histogram_free) struct histogram histogram;
    AUTO_TEXT struct text ours = {0};
    unsigned char bytes[2][4096];
    record_like_java(&histogram);
    histogram_encode(&histogram, &ours);
    size_t length = inflated(of_java, bytes[0], sizeof bytes[0]);
    assert_int_equal(inflated(ours.bytes, bytes[1], sizeof bytes[1]), length);
    assert_memory_equal(bytes[0], bytes[1], length);
}

// Lines of the distribution that the same program printed.
TEST(the_distribution_has_the_lines_of_the_original)
{
    static const char *const lines[] = {
        "       Value     Percentile TotalCount 1/(1-Percentile)\n\n",
        "       0.000 0.000000000000          1           1.00\n",
        "     123.470 0.100000000000       3202           1.11\n",
        "     123.470 0.550000000000       3202           2.22\n",
        "     123.470 0.999658203125       3202        2925.71\n",
        " 0.999707031250       3203        3413.33\n",
        " 1.000000000000       3203\n",
        "#[Mean    =     1239.640, StdDeviation   =    63602.362]\n",
        "Total count    =         3203]\n",
        "#[Buckets =           32, SubBuckets     =         2048]\n",
    };
    AUTO(histogram_free) struct histogram histogram;
    record_like_java(&histogram);
    AUTO_TEXT struct text text = {0};
    histogram_print(&histogram, &text);
    const char *from = text.bytes;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *found = strstr(from, lines[i]);
        if (found == NULL)
            fail_msg("no line \"%s\" after\n%s", lines[i], from);
        else
            from = found;
    }
}

static int64_t draw_ns(struct random *random)
{
    // Each magnitude as likely as the other.
    uint64_t below = UINT64_C(1) << (1 + random_below(random, 41));
    int64_t value_ns = (int64_t)random_below(random, below) + 1;
    return value_ns > HISTOGRAM_HIGHEST_NS ? HISTOGRAM_HIGHEST_NS : value_ns;
}

// To three digits: no percentile is further from the exact one than a thousandth of it.
TEST(percentiles_are_right_to_three_digits)
{
    static const unsigned permilles[] = {1, 100, 500, 900, 990, 999, 1000};
    enum { COUNT = 20000 };
    struct random random;
    random_start(&random, 11, 0);
    int64_t *values = malloc(COUNT * sizeof *values);
    struct histogram halves[2] = {{0}};
    for (int i = 0; i < COUNT; i++) {
        values[i] = draw_ns(&random);
        histogram_record(&halves[i % 2], values[i]);
    }
    histogram_merge(&halves[0], &halves[1]);
    sort_values(values, COUNT);
    assert_int_equal(halves[0].total, COUNT);
    assert_int_equal(halves[0].min_ns, values[0]);
    assert_int_equal(halves[0].max_ns, values[COUNT - 1]);
    for (size_t i = 0; i < sizeof permilles / sizeof *permilles; i++) {
        int64_t exact_ns = percentile_of_sorted(values, COUNT, permilles[i]);
        int64_t found_ns = histogram_percentile_ns(&halves[0], permilles[i] / 10.0);
        assert_true(found_ns >= exact_ns && found_ns <= exact_ns + exact_ns / 1000);
    }
    free(values);
    histogram_free(&halves[0]);
    histogram_free(&halves[1]);
}

TEST(a_log_has_a_line_for_each_interval)
{
    AUTO_TEXT struct text text = {0};
    AUTO(histogram_free) struct histogram histogram;
    record_like_java(&histogram);
    histogram_log_begin(INT64_C(1700000000123000000), &text);
    histogram_log(&histogram, "acquire", 500000000, 1000000000, &text);
    assert_has(text.bytes, "#[Histogram log format version 1.3]\n"
                           "#[StartTime: 1700000000.123 (seconds since epoch), Tue Nov 14 "
                           "22:13:20 UTC 2023]\n");
    assert_has(text.bytes, "\nTag=acquire,0.500,1.000,3600000.000,HISTFAAA");
}
