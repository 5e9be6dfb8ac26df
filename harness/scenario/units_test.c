#include "harness/scenario/units.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

#include <regex.h>

typedef enum reading reader(const char *text, int64_t *number);

TEST(each_kind_of_number_has_a_form_of_its_own)
{
    static const struct {
        reader *read;
        const char *text;
        int64_t number;
    } cases[] = {
        {duration_read, "50us", 50 * NS_PER_US},
        {duration_read, "250ms", 250 * NS_PER_MS},
        {duration_read, "10s", 10 * NS_PER_S},
        {duration_read, "2m", 120 * NS_PER_S},
        {duration_read, "1h", 3600 * NS_PER_S},
        {duration_read, "0ms", 0},
        {duration_read, "-3s", -3 * NS_PER_S},
        {duration_read, "1.5s", 1500 * NS_PER_MS},
        {duration_read, "0.25ms", 250 * NS_PER_US},
        {seconds_read, "0.314", 314 * NS_PER_MS},
        {seconds_read, "90", 90 * NS_PER_S},
        {seconds_read, "5m", 300 * NS_PER_S},
        {duration_read, "-0.050s", -50 * NS_PER_MS},
        {duration_read, "2.5h", 9000 * NS_PER_S},
        {whole_number_read, "-40", -40},
        {whole_number_read, "9223372036854775807", INT64_MAX},
        {rate_read, "500/s", 500 * 3600},
        {rate_read, "30/min", 1800},
        {rate_read, "0.25/min", 15},
        {rate_read, "7/h", 7},
        {rate_read, "1.5/s", 5400},
        {percentage_read, "30%", 30},
        {decimal_read, "0.99", 990},
        {decimal_read, "12", 12000},
        {decimal_read, "1.125", 1125},
        {below_read, "<1s", NS_PER_S},
        {below_read, "< 50ms", 50 * NS_PER_MS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t number = 77;
        enum reading reading = cases[i].read(cases[i].text, &number);
        if (reading != READING_FINE || number != cases[i].number)
            fail_msg("'%s' is read as %lld", cases[i].text, (long long)number);
    }
}

TEST(every_other_form_is_refused)
{
    static const struct {
        reader *read;
        const char *texts[30];
    } wrong[] = {
        {duration_read, {"",           "3",   "s",  "3 s", "3sec", "1.s",   ".5s",   "0.5us",
                         "1.0000001s", "1.5", "3S", "+3s", "0x3s", "3s ",   " 3s",   "3_0s",
                         "--3s",       "-",   "3%", "3/s", "3µs",  "3ms3s", "threes"}},
        {whole_number_read, {"", "-", "1_000", "1,000", "1.0", "1e3", "0x10", "4s", " 4"}},
        {rate_read, {"500", "500/m", "1.5/h"}},
        {percentage_read, {"30", "%", "1.5%"}},
        {decimal_read, {"", ".5", "1.", "1.1255", "-1", "1,5", "1.5x", "1x", "1e3"}},
        {below_read, {"50ms", "<= 50ms", "< 50"}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (const char *const *text = wrong[i].texts; *text != NULL; text++) {
            int64_t number = 77;
            if (wrong[i].read(*text, &number) != READING_WRONG || number != 77)
                fail_msg("'%s' is read as %lld", *text, (long long)number);
        }
    }
}

TEST(what_does_not_fit_into_64_bits_is_too_large)
{
    int64_t number = 0;
    assert_int_equal(whole_number_read("9223372036854775808", &number), READING_TOO_LARGE);
    assert_int_equal(whole_number_read("99999999999999999999999", &number), READING_TOO_LARGE);
    assert_int_equal(duration_read("2562048h", &number), READING_TOO_LARGE);
    assert_int_equal(duration_read("9223372036854775807us", &number), READING_TOO_LARGE);
}

TEST(what_is_nearly_a_duration_is_told_how_to_be_one)
{
    static const char *const cases[][2] = {
        {"5", "5 what? write 5ms or 5s"},
        {"90", "90 what? write 90ms"}, // 90s is beyond the range
        {"10 ms", "no space: write 10ms"},
        {"10  ms", "no space: write 10ms"},
    };
    static const char *const hopeless[] = {"99999999999999999999",
                                           "9000000000000000000",
                                           "-5",
                                           "10 sec",
                                           "10 m",
                                           "0.5us",
                                           "1.0000001s",
                                           "1.5",
                                           "1.s",
                                           ".5s",
                                           "soon",
                                           "1.50000000000000000000000000000000s",
                                           ""};
    const size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count + sizeof hopeless / sizeof *hopeless; i++) {
        AUTO_TEXT struct text advice = {0};
        duration_advise(i < count ? cases[i][0] : hopeless[i - count], 0, 60 * NS_PER_S, &advice);
        assert_string_equal(text_string(&advice), i < count ? cases[i][1] : "");
    }
}

TEST(what_is_written_reads_the_same)
{
    static const char *const texts[] = {"0ms", "50us", "1500ms", "3s",     "90s",    "2m",
                                        "1h",  "25h",  "500/s",  "30/min", "90/min", "7/h"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool is_rate = strchr(texts[i], '/') != NULL;
        int64_t number = -1;
        AUTO_TEXT struct text written = {0};
        assert_int_equal((is_rate ? rate_read : duration_read)(texts[i], &number), READING_FINE);
        (is_rate ? rate_write : duration_write)(number, &written);
        assert_string_equal(written.bytes, texts[i]);
    }
}

TEST(what_is_read_and_what_its_pattern_fits_is_the_same)
{
    static const struct {
        reader *read;
        const char *pattern;
    } forms[] = {{duration_read, "^" DURATION_PATTERN "$"},
                 {rate_read, "^" RATE_PATTERN "$"},
                 {percentage_read, "^" PERCENTAGE_PATTERN "$"}};
    static const char *const texts[] = {
        "50us", "250ms", "10s",  "2m",     "1h",  "0ms", "500/s", "30/min", "7/h", "30%", "1.5s",
        "1.5%", "1 s",   "40",   "0.99",   "s",   "%",   "/s",    "1d",     "1ns", "5s ", " 5s",
        "5S",   "5/ms",  "0x5s", "5/hour", "5%%", "5sm", "",      "+5s",    "1e3s"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        regex_t pattern;
        assert_int_equal(regcomp(&pattern, forms[i].pattern, REG_EXTENDED | REG_NOSUB), 0);
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            int64_t number = 0;
            bool is_read = forms[i].read(texts[j], &number) == READING_FINE;
            if (is_read != (regexec(&pattern, texts[j], 0, NULL, 0) == 0))
                fail_msg("'%s': %s, and its pattern is %s", texts[j], is_read ? "read" : "refused",
                         forms[i].pattern);
        }
        regfree(&pattern);
    }
}
