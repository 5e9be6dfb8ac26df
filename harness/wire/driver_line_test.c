// The lines of a driver: what each rule lets pass, and what it quotes.
#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/testing/cases.h"
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

static void expect_refusal(const struct written_case *one)
{
    struct driver_line line;
    struct error error = {0};
    size_t length = one->body.length - 1; // without the end of the line
    one->body.bytes[length] = '\0';
    if (driver_line_read(one->body.bytes, length, &line, &error) == 0 || line.cycles != NULL)
        fail_case(one, "it is read");
    case_expects(one, error.text);
    if (length < 90 && strstr(error.text, one->body.bytes) == NULL)
        fail_case(one, "it is not quoted: %s", error.text);
}

TEST(a_line_that_breaks_a_rule_is_quoted_with_the_rule)
{
    each_case("harness/wire/cases/driver_lines.cases", 40, expect_refusal);
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
    driver_quote_in(bytes, sizeof bytes, &quote);
    assert_true(strlen(quote.text) < sizeof quote.text);
    assert_non_null(strstr(quote.text, "xxx..."));
    memset(bytes, '\xff', sizeof bytes);
    driver_quote_in(bytes, sizeof bytes, &quote);
    assert_non_null(strstr(quote.text, "\\xff..."));
}

TEST(what_the_documentation_shows_is_understood)
{
    AUTO_TEXT struct text text = {0};
    struct error error = {0};
    size_t shown = 0;
    MUST_BE(0, file_read("scripts/drivers/README.md", &text, &error));
    for (const char *line = text.bytes; (line = strstr(line, "\n    < ")) != NULL;) {
        struct driver_line read;
        line += strlen("\n    < ");
        MUST_BE(0, driver_line_read(line, strcspn(line, "\n"), &read, &error));
        free(read.cycles);
        shown++;
    }
    assert_true(shown >= 5);
}
