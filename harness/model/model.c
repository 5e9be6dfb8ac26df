#include "harness/model/model.h"

#include "harness/base/text.h"
#include "harness/model/catalogue.h"

#include <stdlib.h>
#include <string.h>

const struct model *const model_catalogue[] = {
    &mutex_model,     &reentrant_model,  &fenced_model, &reentrant_fenced_model,
    &semaphore_model, &read_write_model, NULL};

const struct model *model_find(const char *name)
{
    for (size_t i = 0; model_catalogue[i] != NULL; i++) {
        if (strcmp(model_catalogue[i]->name, name) == 0)
            return model_catalogue[i];
    }
    return NULL;
}

// --- what a model cannot decide ------------------------------------------------------------------

static int check_options(const struct model *model, const struct model_options *options,
                         struct error *error)
{
    if (model->has_permits && options->permits < 1)
        return error_set(error, "the model %s needs to know how many permits there are",
                         model->name);
    if (!model->has_permits && options->permits > 0)
        return error_set(error, "the model %s has no permits", model->name);
    if (!model->has_depth && options->depth_limit > 0)
        return error_set(error, "the model %s has no depth", model->name);
    if (!model->decides_busy && options->failed_acquire == FAILED_ACQUIRE_BUSY)
        return error_set(error,
                         "the model %s does not decide what a refused acquire claims: leave "
                         "refused ones out of account",
                         model->name);
    return 0;
}

static int check_readers(const struct model *model, const struct operations *operations,
                         struct error *error)
{
    char place[OPERATION_TEXT_ROOM];
    for (size_t i = 0; !model->has_readers && i < operations->count; i++) {
        if (operations->items[i].shared)
            return error_set(error, "%s: a reader's; the model %s has none: try read-write",
                             operation_place(operations, operations->items[i].invoked, place),
                             model->name);
    }
    return 0;
}

// --- every name by itself ------------------------------------------------------------------------

// The indices of the operations, those on each name together, in their order; `starts` has the
// first of each name and one more.
static size_t *group_by_name(const struct operations *operations, size_t *starts)
{
    size_t *chosen = memory_new(operations->count * sizeof *chosen);
    for (size_t i = 0; i < operations->count; i++)
        starts[operations->items[i].name + 1]++;
    for (uint32_t name = 0; name < operations->name_count; name++)
        starts[name + 1] += starts[name];
    size_t *next = memory_new(operations->name_count * sizeof *next);
    memcpy(next, starts, operations->name_count * sizeof *next);
    for (size_t i = 0; i < operations->count; i++)
        chosen[next[operations->items[i].name]++] = i;
    free(next);
    return chosen;
}

static void decide_names(const struct model *model, const struct operations *operations,
                         const struct model_options *options, struct model_decision *decision)
{
    size_t *starts = memory_zeroed(operations->name_count + 1, sizeof *starts);
    size_t *chosen = group_by_name(operations, starts);
    for (uint32_t name = 0; name < operations->name_count; name++)
        model->decide(operations, chosen + starts[name], starts[name + 1] - starts[name], options,
                      decision);
    free(chosen);
    free(starts);
}

int model_decide(const struct model *model, const struct operations *operations,
                 const struct model_options *options, struct model_decision *decision,
                 struct error *error)
{
    *decision = (struct model_decision){.linearizable = true};
    if (check_options(model, options, error) != 0 || check_readers(model, operations, error) != 0)
        return -1;
    if (operations->name_count > 1)
        decide_names(model, operations, options, decision);
    else
        model->decide(operations, NULL, operations->count, options, decision);
    return 0;
}

void model_decision_free(struct model_decision *decision)
{
    free(decision->windows_ns);
    *decision = (struct model_decision){0};
}
