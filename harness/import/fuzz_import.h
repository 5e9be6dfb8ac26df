// For fuzzers: reads a history, and has every model decide it.
#ifndef LOCKPICK_IMPORT_FUZZ_IMPORT_H
#define LOCKPICK_IMPORT_FUZZ_IMPORT_H

#include "harness/import/import.h"
#include "harness/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static inline void fuzz_decide(const struct model *model, const struct operations *operations)
{
    const struct model_options options = {
        .permits = model->has_permits,
        .failed_acquire = model->decides_busy ? FAILED_ACQUIRE_BUSY : FAILED_ACQUIRE_NOTHING};
    struct model_decision decision;
    struct error error;
    char story[1024];
    if (model_decide(model, operations, &options, &decision, &error) != 0)
        return;
    if (!decision.linearizable)
        model_explain(model, operations, &options, &decision.first, story, sizeof story);
    model_decision_free(&decision);
}

static inline void fuzz_import(enum import_format format, const uint8_t *bytes, size_t length)
{
    struct operations operations = {0};
    struct problems problems = {.file = "fuzzed"};
    int imported =
        import_history(format, (const char *)bytes, length, true, &operations, &problems);
    for (size_t i = 0; imported == 0 && model_catalogue[i] != NULL; i++)
        fuzz_decide(model_catalogue[i], &operations);
    operations_free(&operations);
    text_free(&problems.text);
}

#endif
