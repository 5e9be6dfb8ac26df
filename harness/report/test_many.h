// A run of very many trials, for what must keep within a size.
#ifndef LOCKPICK_REPORT_TEST_MANY_H
#define LOCKPICK_REPORT_TEST_MANY_H

#include "harness/report/test_run.h"

#include <stdlib.h>

struct test_many {
    struct run_result run;
    struct trial *trials;
    char (*schemes)[48];
};

// `count` trials as the first one of `test`, each of a scheme of its own. Free with test_many_free.
static inline void test_many_make(const struct test_run *test, size_t count, struct test_many *many)
{
    many->run = test->run;
    many->run.trials = calloc(count, sizeof *many->run.trials);
    many->run.count = many->run.planned = count;
    many->trials = calloc(count, sizeof *many->trials);
    many->schemes = calloc(count, sizeof *many->schemes);
    for (size_t i = 0; i < count; i++) {
        snprintf(many->schemes[i], sizeof *many->schemes, "a-scheme-with-a-long-name-%zu", i);
        many->trials[i] = test->trials[0];
        many->trials[i].scheme = many->schemes[i];
        many->run.trials[i] = test->results[0];
        many->run.trials[i].trial = &many->trials[i];
    }
}

static inline void test_many_free(struct test_many *many)
{
    free(many->run.trials);
    free(many->trials);
    free(many->schemes);
}

#endif
