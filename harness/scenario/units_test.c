#include "harness/scenario/units.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

TEST(durations_are_read_in_every_unit)
{
    static const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        {"50us", 50 * NS_PER_US}, {"250ms", 250 * NS_PER_MS}, {"10s", 10 * NS_PER_S},
        {"2m", 120 * NS_PER_S},   {"1h", 3600 * NS_PER_S},    {"0ms", 0},
        {"-3s", -3 * NS_PER_S},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t nanoseconds = -1;
        assert_int_equal(duration_read(cases[i].text, &nanoseconds), READING_FINE);
        assert_int_equal(nanoseconds, cases[i].nanoseconds);
    }
}

TEST(a_duration_without_a_known_unit_is_refused)
{
    static const char *const wrong[] = {"",    "3",    "s",   "3 s",   "3sec",  "1.5s", "3S",
                                        "+3s", "0x3s", "3s ", " 3s",   "3_0s",  "--3s", "-",
                                        "3%",  "3/s",  "3µs", "3ms3s", "threes"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t nanoseconds = 77;
        assert_int_equal(duration_read(wrong[i], &nanoseconds), READING_WRONG);
        assert_int_equal(nanoseconds, 77);
    }
}

TEST(what_is_nearly_a_duration_is_told_how_to_be_one)
{
    static const struct {
        const char *text;
        const char *advice;
    } cases[] = {
        {"5", "5 what? write 5ms or 5s"},
        {"90", "90 what? write 90ms"}, // 90s is beyond the range
        {"99999999999999999999", ""},
        {"9000000000000000000", ""},
        {"-5", ""},
        {"10 ms", "no space: write 10ms"},
        {"10  ms", "no space: write 10ms"},
        {"10 sec", ""},
        {"10 m", ""},
        {"1.5s", "must be a whole number with a unit: write 1500ms"},
        {"0.25ms", "must be a whole number with a unit: write 250us"},
        {"0.5us", ""},
        {"1.0000001s", ""},
        {"1.5", ""},
        {"1.s", ""},
        {".5s", ""},
        {"1.5h", ""},
        {"1.50000000000000000000000000000000s", ""},
        {"soon", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text advice = {0};
        duration_advise(cases[i].text, 0, 60 * NS_PER_S, &advice);
        assert_string_equal(text_string(&advice), cases[i].advice);
        text_free(&advice);
    }
}

TEST(what_does_not_fit_into_64_bits_is_too_large)
{
    int64_t number = 0;
    assert_int_equal(whole_number_read("9223372036854775807", &number), READING_FINE);
    assert_int_equal(number, INT64_MAX);
    assert_int_equal(whole_number_read("9223372036854775808", &number), READING_TOO_LARGE);
    assert_int_equal(whole_number_read("99999999999999999999999", &number), READING_TOO_LARGE);
    assert_int_equal(duration_read("2562048h", &number), READING_TOO_LARGE);
    assert_int_equal(duration_read("9223372036854775807us", &number), READING_TOO_LARGE);
}

TEST(a_whole_number_has_digits_only)
{
    static const char *const wrong[] = {"",    "-",    "1_000", "1,000", "1.0",
                                        "1e3", "0x10", "4s",    " 4"};
    int64_t number = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(whole_number_read(wrong[i], &number), READING_WRONG);
    assert_int_equal(whole_number_read("-40", &number), READING_FINE);
    assert_int_equal(number, -40);
}

TEST(other_numbers_have_forms_of_their_own)
{
    static const struct {
        enum reading (*read)(const char *text, int64_t *number);
        const char *text;
        int64_t number; // -1: it is wrong
    } cases[] = {
        {rate_read, "500/s", 500 * 3600},
        {rate_read, "30/min", 1800},
        {rate_read, "7/h", 7},
        {rate_read, "500", -1},
        {rate_read, "500/m", -1},
        {percentage_read, "30%", 30},
        {percentage_read, "30", -1},
        {percentage_read, "%", -1},
        {decimal_read, "0.99", 990},
        {decimal_read, "12", 12000},
        {decimal_read, "1.125", 1125},
        {decimal_read, "", -1},
        {decimal_read, ".5", -1},
        {decimal_read, "1.", -1},
        {decimal_read, "1.1255", -1},
        {decimal_read, "-1", -1},
        {decimal_read, "1,5", -1},
        {decimal_read, "1.5x", -1},
        {decimal_read, "1x", -1},
        {decimal_read, "1e3", -1},
        {below_read, "<1s", NS_PER_S},
        {below_read, "< 50ms", 50 * NS_PER_MS},
        {below_read, "50ms", -1},
        {below_read, "<= 50ms", -1},
        {below_read, "< 50", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t number = -1;
        enum reading reading = cases[i].read(cases[i].text, &number);
        if (number != cases[i].number || (reading == READING_FINE) != (number >= 0))
            fail_msg("'%s' is read as %lld", cases[i].text, (long long)number);
    }
}

TEST(what_is_written_reads_the_same)
{
    static const char *const texts[] = {"0ms", "50us", "1500ms", "3s", "90s", "2m", "1h", "25h"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t nanoseconds = -1;
        struct text written = {0};
        assert_int_equal(duration_read(texts[i], &nanoseconds), READING_FINE);
        duration_write(nanoseconds, &written);
        assert_string_equal(written.bytes, texts[i]);
        text_free(&written);
    }
    static const char *const rates[] = {"500/s", "30/min", "90/min", "7/h"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        int64_t per_hour = -1;
        struct text written = {0};
        assert_int_equal(rate_read(rates[i], &per_hour), READING_FINE);
        rate_write(per_hour, &written);
        assert_string_equal(written.bytes, rates[i]);
        text_free(&written);
    }
}
