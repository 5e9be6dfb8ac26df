// The lines of a driver: what each rule lets pass, and what it quotes.
#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/testing/test.h"
#include "harness/wire/driver_line.h"

static struct driver_line read_well(const char *text)
{
    struct driver_line line;
    struct error error;
    if (driver_line_read(text, strlen(text), &line, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    return line;
}

TEST(each_answer_is_read_with_what_it_carries)
{
    struct driver_line line = read_well("{\"hello\": 1, \"driver\": \"my lock 3\"}");
    assert_int_equal(line.word, DRIVER_HELLO);
    assert_int_equal(line.version, 1);
    line = read_well("{\"id\":7,\"answer\":\"held\",\"token\":33,\"valid_ms\":920}\r");
    assert_int_equal(line.word, DRIVER_HELD);
    assert_int_equal(line.id, 7);
    assert_int_equal(line.token, 33);
    assert_int_equal(line.valid_ms, 920);
    assert_int_equal(line.from_ns, 0);
    line =
        read_well("{\"id\":7,\"answer\":\"held\",\"from_ns\":5000000000000,\"to_ns\":5000000000900,"
                  "\"request_ns\":5000000000300,\"valid_until_ns\":9223372036854775807}");
    assert_int_equal(line.from_ns, 5000000000000);
    assert_int_equal(line.to_ns, 5000000000900);
    assert_int_equal(line.request_ns, 5000000000300);
    assert_int_equal(line.valid_until_ns, INT64_MAX);
    line = read_well("{\"id\":7,\"answer\":\"gone\",\"from_ns\":50,\"to_ns\":50}");
    assert_int_equal(line.to_ns, 50);
    line = read_well("{\"answer\": \"unknown\", \"id\": 8, \"why\": \"time-out\"}");
    assert_int_equal(line.word, DRIVER_UNKNOWN);
    assert_int_equal(line.valid_ms, -1);
    assert_string_equal(line.why, "time-out");
    line = read_well("{\"answer\":\"lost\",\"worker\":2,\"lock\":\"l\",\"reason\":\"session\"}");
    assert_int_equal(line.word, DRIVER_LOST);
    assert_int_equal(line.worker, 2);
    assert_string_equal(line.lock, "l");
    assert_int_equal(line.reason, LOST_SESSION);
}

#define MEASURED(rest) "{\"id\": 7, \"answer\": \"measured\", " rest "}"

TEST(each_cycle_counts_from_the_end_of_the_one_before)
{
    static const char text[] =
        MEASURED("\"from_ns\": 1000, \"cycles\": [[1, 20, 300, 4000], [5, 60, \"not-held\"], "
                 "[7, 80, \"unknown\"], [1, 20, 3, 4, 15], [1, 2, 3, 4, 0, \"gone\"], "
                 "[1, 2, 3, 4, \"not-owner\"]]");
    static const struct driver_cycle wanted[] = {
        {1001, 1021, 1001, false, 1321, 5321, DRIVER_HELD, DRIVER_RELEASED},
        {5326, 5386, 5326, false, 0, 0, DRIVER_NOT_HELD, DRIVER_HELLO},
        {5393, 5473, 5393, false, 0, 0, DRIVER_UNKNOWN, DRIVER_HELLO},
        {5474, 5494, 5489, true, 5497, 5501, DRIVER_HELD, DRIVER_RELEASED},
        {5502, 5504, 5502, true, 5507, 5511, DRIVER_HELD, DRIVER_GONE},
        {5512, 5514, 5512, false, 5517, 5521, DRIVER_HELD, DRIVER_NOT_OWNER},
    };
    struct driver_line line = read_well(text);
    assert_int_equal(line.word, DRIVER_MEASURED);
    assert_int_equal(line.id, 7);
    assert_int_equal(line.from_ns, 1000);
    assert_int_equal(line.to_ns, 5521);
    assert_int_equal(line.cycle_count, 6);
    for (size_t i = 0; i < line.cycle_count; i++) {
        const struct driver_cycle *cycle = &line.cycles[i];
        assert_int_equal(cycle->acquire_ns, wanted[i].acquire_ns);
        assert_int_equal(cycle->acquired_ns, wanted[i].acquired_ns);
        assert_int_equal(cycle->asked_ns, wanted[i].asked_ns);
        assert_int_equal(cycle->is_anchored, wanted[i].is_anchored);
        assert_int_equal(cycle->release_ns, wanted[i].release_ns);
        assert_int_equal(cycle->released_ns, wanted[i].released_ns);
        assert_int_equal(cycle->acquired, wanted[i].acquired);
        assert_int_equal(cycle->released, wanted[i].released);
    }
    free(line.cycles);
}

TEST(a_line_that_breaks_a_rule_is_quoted_with_the_rule)
{
    static const char *const lines[][2] = {
        {"held", "one JSON object"},
        {"[1, 2]", "one JSON object"},
        {"{\"id\": 1, \"answer\": \"held\"", "one JSON object"},
        {"{\"id\": 1, \"id\": 1, \"answer\": \"held\"}", "one JSON object"},
        {"{\"id\": 1}", "\"answer\" must be one of"},
        {"{\"id\": 1, \"answer\": \"yes\"}", "\"answer\" must be one of"},
        {"{\"id\": 1, \"answer\": 3}", "\"answer\" must be one of"},
        {"{\"answer\": \"held\"}", "must have the \"id\""},
        {"{\"id\": 0, \"answer\": \"held\"}", "\"id\" must be a whole number"},
        {"{\"id\": \"1\", \"answer\": \"held\"}", "\"id\" must be a whole number"},
        {"{\"id\": 1, \"answer\": \"held\", \"token\": -4}", "\"token\" must be a whole"},
        {"{\"id\": 1, \"answer\": \"held\", \"tokn\": 4}", "\"tokn\" is no member"},
        {"{\"id\": 1, \"answer\": \"gone\", \"token\": 4}", "only \"held\""},
        {"{\"id\": 1, \"answer\": \"gone\", \"valid_ms\": 4}", "only \"held\" and"},
        {"{\"id\": 1, \"answer\": \"gone\", \"request_ns\": 4}", "only \"held\" and"},
        {"{\"id\": 1, \"answer\": \"not-held\", \"valid_until_ns\": 4}", "only \"held\" and"},
        {"{\"id\": 1, \"answer\": \"held\", \"from_ns\": 4}", "must come together"},
        {"{\"id\": 1, \"answer\": \"held\", \"to_ns\": 4}", "must come together"},
        {"{\"id\": 1, \"answer\": \"held\", \"from_ns\": 4, \"to_ns\": 3}", "must not be before"},
        {"{\"id\": 1, \"answer\": \"held\", \"from_ns\": 4.5, \"to_ns\": 5}", "whole number"},
        {"{\"id\": 1, \"answer\": \"held\", \"request_ns\": 0}", "whole number"},
        {"{\"id\": 1, \"answer\": \"error\", \"why\": 4}", "\"why\" must be a string"},
        {"{\"hello\": \"1\"}", "\"hello\" must be a whole number"},
        {"{\"answer\": \"lost\", \"worker\": 1}", "must say whose lock"},
        {"{\"answer\": \"lost\", \"worker\": 1, \"lock\": \"l\", \"reason\": \"x\"}",
         "\"reason\" must be one of"},
        {MEASURED("\"cycles\": []"), "\"measured\" must have \"from_ns\""},
        {MEASURED("\"from_ns\": 5"), "\"measured\" must have \"from_ns\""},
        {MEASURED("\"from_ns\": 0, \"cycles\": []"), "\"measured\" must have \"from_ns\""},
        {MEASURED("\"from_ns\": 5, \"cycles\": [], \"valid_ms\": 3"), "\"valid_ms\" is no member"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2, 3, 4], [1]]"), "cycle 2 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2, 3]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2, \"held\"]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2, 3, \"gone\"]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2, 3, 4, 3]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 2, 3, 4, 0, 0]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, -2, 3, 4]]"), "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [[1, 9223372036854775807, 3, 4]]"),
         "cycle 1 must be"},
        {MEASURED("\"from_ns\": 5, \"cycles\": [7]"), "cycle 1 must be"},
        {"{\"id\": 7, \"answer\": \"held\", \"cycles\": []}", "\"cycles\" is no member"},
        {"{\"hello\": 1, \"measure\": 1}", "\"measure\" must be true or false"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct driver_line line;
        struct error error = {0};
        assert_int_equal(driver_line_read(lines[i][0], strlen(lines[i][0]), &line, &error), -1);
        if (strstr(error.text, lines[i][1]) == NULL ||
            (strlen(lines[i][0]) < 90 && strstr(error.text, lines[i][0]) == NULL))
            fail_msg("'%s' and '%s' are not in: %s", lines[i][0], lines[i][1], error.text);
        assert_null(line.cycles);
    }
}

TEST(garbage_is_refused_and_can_be_printed)
{
    static const char good[] = "{\"id\": 7, \"answer\": \"held\", \"token\": 33, \"valid_ms\": 9}";
    struct random random;
    random_start(&random, 1, 2);
    for (int i = 0; i < 20000; i++) {
        char bytes[400];
        size_t length =
            i < (int)sizeof good - 1 ? (size_t)i : (size_t)random_below(&random, sizeof good - 1);
        memcpy(bytes, good, length);
        // A cut line, then lines with a few bytes changed.
        for (uint64_t changes = i < (int)sizeof good ? 0 : 1 + random_below(&random, 40);
             changes > 0 && length > 0; changes--)
            bytes[random_below(&random, length)] = (char)random_next(&random);
        struct driver_line line;
        struct error error = {0};
        if (driver_line_read(bytes, length, &line, &error) == 0)
            continue;
        for (const char *next = error.text; *next != '\0'; next++)
            assert_in_range((unsigned char)*next, ' ', '~');
        assert_true(strlen(error.text) > 20);
    }
}

TEST(a_long_line_is_quoted_in_part)
{
    char bytes[3000];
    struct driver_quote quote;
    memset(bytes, 'x', sizeof bytes);
    driver_quote(bytes, sizeof bytes, &quote);
    assert_true(strlen(quote.text) < sizeof quote.text);
    assert_non_null(strstr(quote.text, "xxx..."));
    memset(bytes, '\xff', sizeof bytes);
    driver_quote(bytes, sizeof bytes, &quote);
    assert_non_null(strstr(quote.text, "\\xff..."));
}

TEST(what_the_documentation_shows_is_understood)
{
    struct text text = {0};
    struct error error = {0};
    size_t shown = 0;
    if (file_read("scripts/drivers/README.md", &text, &error) != 0)
        fail_msg("%s (run it from the root of the project)", error.text);
    for (const char *line = text.bytes; (line = strstr(line, "\n    < ")) != NULL;) {
        struct driver_line read;
        line += strlen("\n    < ");
        if (driver_line_read(line, strcspn(line, "\n"), &read, &error) != 0)
            fail_msg("%s", error.text);
        free(read.cycles);
        shown++;
    }
    assert_true(shown >= 5);
    text_free(&text);
}
