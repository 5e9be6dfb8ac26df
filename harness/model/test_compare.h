// For tests: a model against the oracle, on one small history; and what to show of a history on
// which they differ: the smallest part of it on which they still do.
#ifndef LOCKPICK_MODEL_TEST_COMPARE_H
#define LOCKPICK_MODEL_TEST_COMPARE_H

#include "harness/model/test_perturbed_operations.h"

#include <inttypes.h>

// What is put to the test: a model, and the mistake that makes it a wrong one.
struct subject {
    const struct model *model;
    void (*mistake)(struct sample *sample); // what it takes a sample for; NULL: for what it is
};

static inline int subject_decide(const struct subject *subject, const struct sample *sample,
                                 struct model_analysis *analysis, struct error *error)
{
    struct sample taken = *sample;
    if (subject->mistake != NULL)
        subject->mistake(&taken);
    struct operations operations = sample_operations(&taken);
    return model_decide(subject->model, &operations, &taken.options, analysis, error);
}

// --- the comparison ------------------------------------------------------------------------------

// A hold and what was granted during it must not be possible without all the rest, either. (A
// semaphore has more holds than a violation can name.)
static inline bool evidence_suffices(struct search *search, const struct sample *sample,
                                     const struct model_violation *violation)
{
    if (violation->rule != RULE_EXCLUSION || sample->kind->permits)
        return true;
    struct sample evidence = {
        .kind = sample->kind, .options = sample->options, .has_owners = sample->has_owners};
    for (size_t i = 0; i < sample->count; i++) {
        for (size_t j = 0; j < MODEL_EVIDENCE; j++) {
            if (violation->operations[j] == i)
                evidence.items[evidence.count++] = sample->items[i];
        }
    }
    struct operations operations = sample_operations(&evidence);
    return !search_decide(search, evidence.kind, &operations, &evidence.options);
}

static inline const char *complaint_of_violation(struct search *search, struct sample *sample,
                                                 const struct model *model,
                                                 const struct model_violation *violation)
{
    char text[1024] = "";
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        if (violation->operations[i] != SIZE_MAX && violation->operations[i] >= sample->count)
            return "the evidence is not in the history";
    }
    struct operations operations = sample_operations(sample);
    model_explain(model, &operations, &sample->options, violation, text, sizeof text);
    if (text[0] == '\0')
        return "nothing is said of the violation";
    if (!evidence_suffices(search, sample, violation))
        return "the evidence by itself is linearizable";
    return NULL;
}

// What is wrong with the subject's answer, or NULL. `linearizable` is the oracle's.
static inline const char *complaint_of(struct search *search, const struct subject *subject,
                                       struct sample *sample, bool *linearizable)
{
    struct operations operations = sample_operations(sample);
    struct model_analysis analysis = {0};
    *linearizable = search_decide(search, sample->kind, &operations, &sample->options);
    if (subject_decide(subject, sample, &analysis, NULL) != 0)
        return "the model refuses the options";
    const char *complaint = NULL;
    if (analysis.doubt != NULL)
        search->doubts++;
    else if (analysis.linearizable != *linearizable)
        complaint = "the model and the search differ";
    else if (analysis.linearizable != (analysis.violation_count == 0))
        complaint = "the violations do not go with the answer";
    else if (!analysis.linearizable)
        complaint = complaint_of_violation(search, sample, subject->model, &analysis.first);
    model_analysis_free(&analysis);
    return complaint;
}

// --- shrinking -----------------------------------------------------------------------------------

struct shrinker {
    struct search *search;
    const struct subject *subject;
    struct sample *sample; // of which the complaint is true
    const char *complaint; // that must stay true
};

// Takes the candidate if it is proper, another, and as bad.
static inline bool shrink_to(struct shrinker *shrinker, struct sample *candidate)
{
    bool linearizable;
    if (!sample_is_proper(candidate) || memcmp(candidate, shrinker->sample, sizeof *candidate) == 0)
        return false;
    const char *complaint =
        complaint_of(shrinker->search, shrinker->subject, candidate, &linearizable);
    if (complaint == NULL || strcmp(complaint, shrinker->complaint) != 0)
        return false;
    *shrinker->sample = *candidate;
    return true;
}

// Without one operation, or without two.
static inline bool shrink_count(struct shrinker *shrinker)
{
    for (size_t i = 0; i < shrinker->sample->count; i++) {
        struct sample without = *shrinker->sample;
        sample_remove(&without, i);
        if (shrink_to(shrinker, &without))
            return true;
    }
    for (size_t i = 0; i < shrinker->sample->count; i++) {
        for (size_t j = i + 1; j < shrinker->sample->count; j++) {
            struct sample without = *shrinker->sample;
            sample_remove(&without, j);
            sample_remove(&without, i);
            if (shrink_to(shrinker, &without))
                return true;
        }
    }
    return false;
}

// Intervals become shorter, ties fewer than there must be, tokens unknown.
static inline bool shrink_operation(struct shrinker *shrinker, size_t index)
{
    struct sample candidate = *shrinker->sample;
    struct operation *operation = &candidate.items[index];
    if (operation->token != 0) {
        operation->token = 0;
        if (shrink_to(shrinker, &candidate))
            return true;
        candidate = *shrinker->sample;
    }
    if (operation->outcome == OUTCOME_UNKNOWN && operation->returned != INSTANT_NEVER) {
        operation->returned = INSTANT_NEVER;
        if (shrink_to(shrinker, &candidate))
            return true;
        candidate = *shrinker->sample;
    }
    if (operation->outcome == OUTCOME_UNKNOWN || operation->returned - operation->invoked < 4)
        return false; // an answer at the next moment is what people expect
    operation->invoked += 2;
    if (shrink_to(shrinker, &candidate))
        return true;
    candidate = *shrinker->sample;
    operation->returned -= 2;
    return shrink_to(shrinker, &candidate);
}

// Moments at which nothing happens are left out, and the first is 1.
static inline bool shrink_time(struct shrinker *shrinker)
{
    struct sample candidate = *shrinker->sample;
    int64_t last = 0;
    for (int64_t moment = 1;; moment++) {
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < candidate.count; i++) {
            const struct operation *now = &shrinker->sample->items[i];
            int64_t invoked = moment_of(now->invoked);
            int64_t returned = moment_of(now->returned);
            if (invoked > last && invoked < next)
                next = invoked;
            if (now->returned != INSTANT_NEVER && returned > last && returned < next)
                next = returned;
        }
        if (next == INT64_MAX)
            break;
        for (size_t i = 0; i < candidate.count; i++) {
            const struct operation *now = &shrinker->sample->items[i];
            if (moment_of(now->invoked) == next)
                candidate.items[i].invoked = instant_of_invocation(moment);
            if (now->returned != INSTANT_NEVER && moment_of(now->returned) == next)
                candidate.items[i].returned = instant_of_return(moment);
        }
        last = next;
    }
    return shrink_to(shrinker, &candidate);
}

// Shrinks a sample of which `complaint` is true for as long as it stays true.
static inline void shrink(struct shrinker *shrinker)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        while (shrink_count(shrinker))
            smaller = true;
        for (size_t i = 0; i < shrinker->sample->count; i++) {
            while (shrink_operation(shrinker, i))
                smaller = true;
        }
        smaller = shrink_time(shrinker) || smaller;
    }
}

#endif
