// For fuzzers and tests: reads a history, and has every model decide it.
#ifndef LOCKPICK_IMPORT_FUZZ_IMPORT_H
#define LOCKPICK_IMPORT_FUZZ_IMPORT_H

#include "harness/import/import.h"
#include "harness/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static inline void fuzz_decide(const struct model *model, const struct operations *operations)
{
    const struct model_options options = {
        .permits = model->has_permits,
        .lease_ns = model->has_leases && operations->owners == NULL ? 1000 : 0,
        .failed_acquire = model->decides_busy && !model->has_leases ? FAILED_ACQUIRE_BUSY
                                                                    : FAILED_ACQUIRE_NOTHING};
    struct model_analysis analysis;
    struct error error;
    char story[1024];
    if (model_decide(model, operations, &options, &analysis, &error) != 0)
        return;
    if (!analysis.linearizable)
        model_explain(model, operations, &options, &analysis.first, story, sizeof story);
    model_analysis_free(&analysis);
}

// False if it was refused without a problem, or read with one.
static inline bool fuzz_import(enum import_format format, const uint8_t *bytes, size_t length)
{
    struct operations operations = {0};
    struct import_notes notes;
    struct problems problems = {.file = "fuzzed"};
    // The way it is read depends on the length, so that a fuzzer comes to all.
    const struct import_options options = {.has_tokens = length % 2 == 0,
                                           .has_permits = length % 3 == 0,
                                           .has_leases = length % 5 == 0,
                                           .owner =
                                               length % 7 < 3 ? OWNER_IS_CLIENT : OWNER_IS_PROCESS};
    int imported = import_history(format, (const char *)bytes, length, &options, &operations,
                                  &notes, &problems);
    for (size_t i = 0; imported == 0 && model_catalogue[i] != NULL; i++)
        fuzz_decide(model_catalogue[i], &operations);
    bool is_answer = (imported != 0) == (problems.count > 0);
    operations_free(&operations);
    text_free(&problems.text);
    return is_answer;
}

#endif
