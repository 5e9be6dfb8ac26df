// For tests: a small history as a picture that people can follow, and what is said of it.
#ifndef LOCKPICK_MODEL_TEST_SHOW_H
#define LOCKPICK_MODEL_TEST_SHOW_H

#include "harness/model/test_compare.h"

#define SHOW_COLUMNS 40

static inline void show_interval(struct text *text, const struct operation *operation,
                                 int64_t columns)
{
    bool answered = operation->returned != INSTANT_NEVER;
    int64_t from = moment_of(operation->invoked);
    int64_t to = answered ? moment_of(operation->returned) : columns;
    for (int64_t moment = 1; moment <= columns && columns <= SHOW_COLUMNS; moment++) {
        const char *mark = moment < from || moment > to ? "." : "=";
        if (moment == from)
            mark = from == to && answered ? "|" : "[";
        else if (moment == to)
            mark = answered ? "]" : ">";
        text_add(text, mark);
    }
    if (answered)
        text_format(text, "  %" PRId64 "-%" PRId64, from, to);
    else
        text_format(text, "  %" PRId64 "-never", from);
}

static inline void show_operations(struct text *text, const struct sample *sample)
{
    static const char *const outcomes[] = {"ok", "refused", "unknown"};
    int64_t columns = 1;
    for (size_t i = 0; i < sample->count; i++) {
        const struct operation *operation = &sample->items[i];
        int64_t last = moment_of(operation->returned == INSTANT_NEVER ? operation->invoked + 2
                                                                      : operation->returned);
        columns = last > columns ? last : columns;
    }
    for (size_t i = 0; i < sample->count; i++) {
        const struct operation *operation = &sample->items[i];
        text_format(text, "  %2zu  lock %u  process %u  %s%-7s  %-7s  ", i + 1, operation->name,
                    operation->process,
                    operation->either   ? "any "
                    : operation->shared ? "shared "
                                        : "",
                    operation->kind == OPERATION_ACQUIRE   ? "acquire"
                    : operation->kind == OPERATION_RELEASE ? "release"
                                                           : "renew",
                    outcomes[operation->outcome]);
        show_interval(text, operation, columns);
        if (operation->token != 0)
            text_format(text, "  token %" PRId64, operation->token);
        text_add(text, "\n");
    }
}

static inline void show_options(struct text *text, const struct sample *sample)
{
    const struct model_options *options = &sample->options;
    text_format(text, "%s", sample->kind->model);
    if (sample->kind->permits)
        text_format(text, ", %" PRId64 " permits", options->permits);
    if (options->lease_ns > 0)
        text_format(text, ", leases of %" PRId64, options->lease_ns);
    if (sample->has_owners)
        text_add(text, ", processes 0 and 2 are one owner, 1 and 3 another");
    if (sample->kind->reentrant && options->depth_limit > 0)
        text_format(text, ", at most %" PRId64 " deep", options->depth_limit);
    text_format(text, "; a refused acquire %s; after a refused release the lock is %s\n",
                options->failed_acquire == FAILED_ACQUIRE_BUSY ? "found it taken" : "says nothing",
                options->failed_release == FAILED_RELEASE_HELD ? "still held"
                                                               : "not held any more");
}

static inline void show_search(struct text *text, struct search *search, struct sample *sample)
{
    struct operations operations = sample_operations(sample);
    bool linearizable = search_decide(search, sample->kind, &operations, &sample->options);
    text_add(text, linearizable ? "  the search: linearizable, in the order"
                                : "  the search: not linearizable, in any order\n");
    for (uint32_t name = 0; linearizable && name < operations.name_count; name++) {
        search_name(search, sample->kind, &operations, &sample->options, name);
        for (size_t i = 0; i < search->ordered; i++)
            if (search->operations[search->order[i]]->kind == LEASE_ENDS)
                text_add(text, " (a lease ends)");
            else
                text_format(text, " %td",
                            search->operations[search->order[i]] - operations.items + 1);
    }
    text_add(text, linearizable ? "\n" : "");
}

static inline void show_model(struct text *text, const struct subject *subject,
                              struct sample *sample)
{
    char why[1024] = "";
    struct error error = {""};
    struct operations operations = sample_operations(sample);
    struct model_analysis analysis = {0};
    if (subject_decide(subject, sample, &analysis, &error) != 0) {
        text_format(text, "  the model: %s\n", error.text);
        return;
    }
    bool evident = !analysis.linearizable && analysis.violation_count > 0;
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = analysis.first.operations[i];
        evident = evident && (index == SIZE_MAX || index < sample->count);
    }
    if (evident)
        model_explain(subject->model, &operations, &sample->options, &analysis.first, why,
                      sizeof why);
    text_format(text, "  the model:  %s, with %zu violations%s%s\n",
                analysis.linearizable ? "linearizable" : "not linearizable",
                analysis.violation_count, why[0] == '\0' ? "" : ": ", why);
    model_analysis_free(&analysis);
}

// The history, what is wrong with the model's answer, and both answers.
static inline void show_complaint(struct text *text, struct search *search,
                                  const struct subject *subject, struct sample *sample,
                                  const char *complaint)
{
    text_format(text, "%s: ", complaint);
    show_options(text, sample);
    show_operations(text, sample);
    show_search(text, search, sample);
    show_model(text, subject, sample);
}

#endif
