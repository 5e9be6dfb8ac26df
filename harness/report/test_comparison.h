// For tests of comparisons: two results made by hand, compared.
#ifndef LOCKPICK_REPORT_TEST_COMPARISON_H
#define LOCKPICK_REPORT_TEST_COMPARISON_H

#include "harness/report/comparison.h"
#include "harness/report/test_figures.h"
#include "harness/testing/test.h"

static const struct comparison_options usual = {.margin = 0.05};

// Two results on their way to a comparison.
struct bench {
    json_t *results[2];
    struct run_figures runs[2];
    struct comparison comparison;
};

static struct bench bench;

static inline int start(void **state)
{
    (void)state;
    bench = (struct bench){.results = {test_result("Linux 6.1"), test_result("Linux 6.1")}};
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    comparison_free(&bench.comparison);
    run_figures_free(&bench.runs[0]);
    run_figures_free(&bench.runs[1]);
    return 0;
}

// Reads the results, once all trials are in them.
static inline void read_results(void)
{
    static const char *const names[] = {"before", "now"};
    struct error error;
    for (int i = 0; i < 2; i++)
        assert_int_equal(run_figures_make(bench.results[i], names[i], &bench.runs[i], &error), 0);
}

static inline void compare_with(const struct comparison_options *options)
{
    read_results();
    comparison_of_runs(&bench.runs[0], &bench.runs[1], options, &bench.comparison);
}

static inline char *printed(bool all)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    comparison_print(&bench.comparison, all, out, false);
    fclose(out);
    char *copy = memory_string(text); // gcc 12 takes `text` for a dangling pointer
    free(text);
    return copy;
}

static inline void assert_prints(const char *part)
{
    char *text = printed(false);
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
    free(text);
}

#endif
