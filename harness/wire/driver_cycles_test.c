// The answer to "measure": which loops are believed, and what is refused.
#include "harness/wire/driver_line.h"

#include "harness/testing/test.h"

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
    struct driver_line line;
    struct error error;
    if (driver_line_read(text, strlen(text), &line, &error) != 0)
        fail_msg("%s", error.text);
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

TEST(a_loop_that_breaks_a_rule_is_refused)
{
    static const char *const lines[][2] = {
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
        if (strstr(error.text, lines[i][1]) == NULL)
            fail_msg("%s: %s", lines[i][0], error.text);
        assert_null(line.cycles);
    }
}
