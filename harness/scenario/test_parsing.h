// For tests: scenarios from text, and diagnostics as one string.
#ifndef LOCKPICK_SCENARIO_TEST_PARSING_H
#define LOCKPICK_SCENARIO_TEST_PARSING_H

#include "harness/scenario/test_vocabulary.h"
#include "harness/testing/text.h"

// Enough of a scenario to put lines after.
#define TEST_HEAD "version: 1\nname: a-name\nabout: What it shows.\n"
#define TEST_MINIMAL                                                                               \
    TEST_HEAD "workload: {kind: increment, operations: 40}\nschemes: [none, \"redis-*\"]\n"

// What tests have parsed is freed when their program ends.
static struct scenario *parsed[1000];
static size_t parsed_count;

__attribute__((destructor)) static void free_parsed(void)
{
    while (parsed_count > 0)
        scenario_free(parsed[--parsed_count]);
}

// All diagnostics, one a line; the caller frees it.
static inline char *diagnostics_text(const struct diagnostics *diagnostics)
{
    return PRINTED(diagnostics_print(diagnostics, out));
}

// The scenario, or NULL; *printed (the caller frees it) has all diagnostics.
static inline struct scenario *parse_with(const char *text, const struct override *overrides,
                                          size_t count, char **printed)
{
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    int result = scenario_parse("a.yaml", text, strlen(text), &test_vocabulary, overrides, count,
                                &scenario, diagnostics);
    *printed = diagnostics_text(diagnostics);
    assert_int_equal(result, diagnostics->count == 0 ? 0 : -1);
    diagnostics_free(diagnostics);
    assert_true(parsed_count < sizeof parsed / sizeof *parsed);
    parsed[parsed_count++] = scenario;
    return scenario;
}

// A scenario that must be right, with these overrides.
static inline struct scenario *parse_set(const char *text, const struct override *overrides,
                                         size_t count)
{
    AUTO_FREE char *printed = NULL;
    struct scenario *scenario = parse_with(text, overrides, count, &printed);
    assert_string_equal(printed, "");
    return scenario;
}

static inline struct scenario *parse(const char *text)
{
    return parse_set(text, NULL, 0);
}

#endif
