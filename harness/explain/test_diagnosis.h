// For tests: histories of which the diagnosis of their violation is checked.
#ifndef LOCKPICK_EXPLAIN_TEST_EVIDENCE_H
#define LOCKPICK_EXPLAIN_TEST_EVIDENCE_H

#include "harness/check/build_history_test_support.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/story.h"

#include <stdio.h>

static struct build build;

static inline int start(void **state)
{
    (void)state;
    build_start(&build, "increment");
    return 0;
}

static inline int stop(void **state)
{
    (void)state;
    build_free(&build);
    return 0;
}

// A fault on a server (`target`), or, with "client-1 > server-2", on what is between them.
static inline struct fault_step *strike(const char *verb, const char *target, double from_ms,
                                        double to_ms)
{
    build_fault(&build, verb, 0, from_ms, to_ms);
    struct fault_step *step = &build.steps[build.scenario.fault_count - 1];
    snprintf(step->target.server, sizeof step->target.server, "%s", target);
    step->point_count = 0;
    step->rate = 100;
    return step;
}

static inline void assert_certain(enum certainty certainty)
{
    struct diagnosis diagnosis;
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_string_equal(certainty_name(diagnosis.certainty), certainty_name(certainty));
    static const char *const begins[] = {"unexplained: ", "possibly: ", ""};
    assert_ptr_equal(strstr(diagnosis.text, begins[certainty]), diagnosis.text);
}

static inline void assert_diagnosis(enum root_cause root, const char *cause, const char *remedy)
{
    struct diagnosis diagnosis;
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_string_equal(root_name(diagnosis.cause), root_name(root));
    assert_text_has(diagnosis.text, cause);
    assert_text_has(diagnosis.mitigation, remedy);
}

#endif
