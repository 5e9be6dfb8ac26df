// For tests: scenarios from text, as a user writes them.
#ifndef LOCKPICK_RUN_TEST_SCENARIO_H
#define LOCKPICK_RUN_TEST_SCENARIO_H

#include "harness/base/text.h"
#include "harness/run/vocabulary.h"
#include "harness/testing/test.h"

static struct vocabulary *test_words;
static struct scenario *test_scenarios[1000];
static size_t test_scenario_count;

// They are freed when their program ends.
__attribute__((destructor)) static void free_test_scenarios(void)
{
    while (test_scenario_count > 0)
        scenario_free(test_scenarios[--test_scenario_count]);
    if (test_words != NULL)
        vocabulary_free(test_words);
}

static inline const struct vocabulary *vocabulary(void)
{
    test_words = test_words != NULL ? test_words : vocabulary_new();
    return test_words;
}

// What the text, which is a whole file or the sections of one, leaves out is as of a short trial of
// two clients with two workers each. Its fields may be changed.
static inline struct scenario *scenario_of(const char *text)
{
    static const char *const usual[][2] = {
        {"version", "version: 1\nname: small\nabout: For a test.\n"},
        {"workload", "workload: {kind: increment, operations: 100}\n"},
        {"clients", "clients: {processes: 2, threads: 2}\n"},
        {"lock", "lock: {lease: 300ms, wait: 10s, retry: 1ms, request: 1s, stuck-after: 1300ms}\n"},
        {"schemes", "schemes: \"*\"\n"}};
    AUTO_TEXT struct text whole = {0};
    struct diagnostics *diagnostics = diagnostics_new();
    struct scenario **scenario = &test_scenarios[test_scenario_count++];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        char key[16];
        snprintf(key, sizeof key, "\n%s:", usual[i][0]);
        if (strstr(text, key) == NULL && strncmp(text, key + 1, strlen(key + 1)) != 0)
            text_add(&whole, usual[i][1]);
    }
    text_add(&whole, text);
    int result = scenario_parse("a.yaml", whole.bytes, whole.length, vocabulary(), NULL, 0,
                                scenario, diagnostics);
    diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    assert_int_equal(result, 0);
    return *scenario;
}

// A busy machine may stand still for longer than a short lease.
#define PATIENT "lock: {lease: 10s, wait: 20s, retry: 1ms, request: 5s, stuck-after: 20s}\n"

#endif
