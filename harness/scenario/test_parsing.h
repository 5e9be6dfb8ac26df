// For tests: scenarios from text, and diagnostics as one string.
#ifndef LOCKPICK_SCENARIO_TEST_PARSING_H
#define LOCKPICK_SCENARIO_TEST_PARSING_H

#include "harness/scenario/test_vocabulary.h"
#include "harness/testing/test.h"

// Enough of a scenario to put lines after.
#define TEST_HEAD "version: 1\nname: a-name\nabout: What it shows.\n"
#define TEST_MINIMAL                                                                               \
    TEST_HEAD "workload: {kind: increment, operations: 40}\nschemes: [none, \"redis-*\"]\n"

// The scenario, or NULL; *printed (the caller frees it) has all diagnostics, one a line.
static inline struct scenario *parse_with(const char *text, const struct override *overrides,
                                          size_t count, char **printed)
{
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    int result = scenario_parse("a.yaml", text, strlen(text), &test_vocabulary, overrides, count,
                                &scenario, diagnostics);
    size_t length = 0;
    FILE *out = open_memstream(printed, &length);
    diagnostics_print(diagnostics, out);
    fclose(out);
    assert_int_equal(result, diagnostics_count(diagnostics) == 0 ? 0 : -1);
    diagnostics_free(diagnostics);
    return scenario;
}

// A scenario that must be right. The caller frees it.
static inline struct scenario *parse(const char *text)
{
    char *printed = NULL;
    struct scenario *scenario = parse_with(text, NULL, 0, &printed);
    assert_string_equal(printed, "");
    free(printed);
    return scenario;
}

#endif
