#include "harness/model/model.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"

#include <stdlib.h>
#include <string.h>

const struct model *model_find(const char *name)
{
    for (size_t i = 0; model_catalogue[i] != NULL; i++) {
        if (strcmp(model_catalogue[i]->name, name) == 0)
            return model_catalogue[i];
    }
    return NULL;
}

// --- what a model cannot decide ------------------------------------------------------------------

int model_check_options(const struct model *model, const struct model_options *options,
                        struct error *error)
{
    if (model->has_permits && !model->may_have_permits && options->permits < 1)
        return error_set(error, "the model %s needs --permits K", model->name);
    if (!model->has_permits && options->permits > 0)
        return error_set(error, "--permits: the model %s has none; semaphore and ownerless have",
                         model->name);
    if (!model->has_depth && options->depth_limit > 0)
        return error_set(error,
                         "--depth: the model %s has none; reentrant and reentrant-fenced have",
                         model->name);
    if (!model->has_leases && options->lease_ns > 0)
        return error_set(error, "--lease: the model %s has none; mutex and fenced have",
                         model->name);
    if (!model->decides_busy && options->failed_acquire == FAILED_ACQUIRE_BUSY)
        return error_set(error,
                         "--map-failed-acquire busy: the model %s does not decide that; leave it "
                         "out, and failed acquires mean nothing",
                         model->name);
    if (options->lease_ns > 0 && options->failed_acquire == FAILED_ACQUIRE_BUSY)
        return error_set(error, "--map-failed-acquire busy is not decided with a --lease");
    return 0;
}

bool operation_claims(const struct operation *refused, const struct model_options *options)
{
    if (refused->claim != CLAIM_BY_OPTION)
        return refused->claim == CLAIM_LOCK;
    return refused->kind == OPERATION_ACQUIRE ? options->failed_acquire == FAILED_ACQUIRE_BUSY
                                              : options->failed_release == FAILED_RELEASE_RELEASED;
}

// 0; or -1 with `error` set if the operations are not those of such a lock, or lack what the
// options need.
static int check_operations(const struct model *model, const struct operations *operations,
                            const struct model_options *options, struct error *error)
{
    char place[OPERATION_TEXT_ROOM];
    bool is_leased = options->lease_ns > 0;
    bool has_owners = operations->owners != NULL && !model->is_ownerless;
    for (size_t i = 0; !model->has_readers && i < operations->count; i++) {
        if (operations->items[i].shared)
            return error_set(error, "%s: a reader's; the model %s has none: try read-write",
                             operation_place(operations, operations->items[i].invoked, place),
                             model->name);
    }
    if (has_owners && !model->has_owners)
        return error_set(error,
                         "the model %s does not decide who goes on after an :info: leave "
                         "--owner client out",
                         model->name);
    if (has_owners && (is_leased || options->failed_acquire == FAILED_ACQUIRE_BUSY))
        return error_set(error, "--owner client is not decided with %s",
                         is_leased ? "a --lease" : "--map-failed-acquire busy");
    for (size_t i = 0; is_leased && i < operations->event_count; i++) {
        if (operations->events[i].at_ns == TIME_NEVER)
            return error_set(error, "line %u has no time: --lease needs one in every line",
                             operations->events[i].line);
    }
    return 0;
}

// --- leases --------------------------------------------------------------------------------------

// The instants from which the lease of each acquire or renewal may be over. Where the clock went
// back, it was asked for at the earliest time that any line from there on has, and is over before
// the first line that has so late a time: so that no lease is taken as longer than it was.
static int64_t *find_expiries(const struct operations *operations, int64_t lease_ns)
{
    int64_t *expiries = memory_new((operations->count + 1) * sizeof *expiries);
    AUTO_FREE int64_t *by_moment = NULL;
    size_t events = operations->event_count;
    if (operations->events != NULL) {
        by_moment = memory_new((events + 2) * sizeof *by_moment);
        int64_t least = TIME_NEVER;
        for (size_t moment = events; moment >= 1; moment--) {
            least = time_earlier(least, operations->events[moment - 1].at_ns);
            by_moment[moment] = least;
        }
        // Both rise with the moment.
        for (size_t moment = 1, end = 1; moment <= events; moment++) {
            int64_t over_ns = by_moment[moment] + lease_ns;
            while (end <= events && operations->events[end - 1].at_ns < over_ns)
                end++;
            by_moment[moment] = end <= events ? 2 * (int64_t)end : INSTANT_NEVER;
        }
    }
    for (size_t i = 0; i < operations->count; i++) {
        int64_t invoked = operations->items[i].invoked;
        expiries[i] = by_moment != NULL ? by_moment[moment_of(invoked)] : invoked + 2 * lease_ns;
    }
    return expiries;
}

// --- every name by itself ------------------------------------------------------------------------

static void decide_names(const struct model *model, const struct operations *operations,
                         const struct model_options *options, struct model_analysis *analysis)
{
    // The indices of the operations, those on each name together, in their order: a counting sort,
    // after which `ends` has the end of each name.
    AUTO_FREE size_t *ends = memory_zeroed(operations->name_count + 1, sizeof *ends);
    AUTO_FREE size_t *chosen = memory_new(operations->count * sizeof *chosen);
    for (size_t i = 0; i < operations->count; i++)
        ends[operations->items[i].name + 1]++;
    for (uint32_t name = 0; name < operations->name_count; name++)
        ends[name + 1] += ends[name];
    for (size_t i = 0; i < operations->count; i++)
        chosen[ends[operations->items[i].name]++] = i;
    for (uint32_t name = 0; name < operations->name_count; name++) {
        size_t first = name > 0 ? ends[name - 1] : 0;
        model->decide(
            model, &(struct model_input){operations, chosen + first, ends[name] - first, options},
            analysis);
    }
}

int model_decide(const struct model *model, const struct operations *operations,
                 const struct model_options *options, struct model_analysis *analysis,
                 struct error *error)
{
    *analysis = (struct model_analysis){.linearizable = true};
    if (model_check_options(model, options, error) != 0 ||
        check_operations(model, operations, options, error) != 0)
        return -1;
    struct model_options own = *options;
    AUTO_FREE int64_t *expiries =
        options->lease_ns > 0 ? find_expiries(operations, options->lease_ns) : NULL;
    own.expiries = expiries;
    if (operations->name_count > 1)
        decide_names(model, operations, &own, analysis);
    else
        model->decide(model, &(struct model_input){operations, NULL, operations->count, &own},
                      analysis);
    if (analysis->is_doubtful && analysis->violation_count == 0) {
        analysis->linearizable = false;
        analysis->doubt = "holds overlap, or their tokens are out of order, unless acquires and "
                          "releases of the same clients, whose outcome nobody knows, happened "
                          "late: whether that can have been was not found in reasonable time";
    }
    return 0;
}

void model_analysis_free(struct model_analysis *analysis)
{
    free(analysis->windows_ns);
    *analysis = (struct model_analysis){0};
}
