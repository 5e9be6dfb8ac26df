#include "harness/stats/recovery.h"

#include "harness/base/rank.h"
#include "harness/check/by_lock.h"

#include <stdlib.h>

// --- the times without a grant -------------------------------------------------------------------

enum change { CHANGE_GRANT, CHANGE_END, CHANGE_ASK };

struct change_at {
    int64_t at_ns;
    enum change change;
};

struct drought {
    int64_t from_ns, to_ns;
};

struct droughts {
    struct drought *items;
    size_t count;
};

static int compare(const void *left, const void *right)
{
    const struct change_at *a = left;
    const struct change_at *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (int)a->change - (int)b->change;
}

// When an acquire that was not granted stopped wanting the lock.
static int64_t end_of(const struct trial_model *model, const struct hold *attempt)
{
    int64_t end_ns = attempt->died                        ? attempt->died_ns
                     : attempt->returned_ns != TIME_NEVER ? attempt->returned_ns
                                                          : model->ended_ns;
    return time_later(end_ns, attempt->invoked_ns);
}

// All that happened, in order; the caller frees.
static struct change_at *changes_of(const struct trial_model *model, size_t *count)
{
    struct change_at *changes = memory_new((2 * acquire_count(model) + 1) * sizeof *changes);
    *count = 0;
    for (size_t i = 0; i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        changes[(*count)++] = (struct change_at){hold->invoked_ns, CHANGE_ASK};
        changes[(*count)++] = i < model->hold_count
                                  ? (struct change_at){hold->granted_ns, CHANGE_GRANT}
                                  : (struct change_at){end_of(model, hold), CHANGE_END};
    }
    qsort(changes, *count, sizeof *changes, compare);
    return changes;
}

// The time from the first asking after a grant (or from the grant, if others were waiting) to the
// next grant, or to when the last who wanted it was gone.
static struct droughts droughts_of(const struct trial_model *model)
{
    size_t count;
    struct change_at *changes = changes_of(model, &count);
    struct droughts droughts = {memory_new((count + 1) * sizeof *droughts.items), 0};
    int64_t since_ns = TIME_NEVER;
    int64_t last_wanted_ns = 0;
    size_t wanting = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t at_ns = changes[i].at_ns;
        if (changes[i].change == CHANGE_ASK) {
            since_ns = since_ns == TIME_NEVER ? at_ns : since_ns;
            wanting++;
            continue;
        }
        wanting -= wanting > 0;
        last_wanted_ns = at_ns;
        if (changes[i].change == CHANGE_GRANT) {
            if (since_ns != TIME_NEVER)
                droughts.items[droughts.count++] = (struct drought){since_ns, at_ns};
            since_ns = wanting > 0 ? at_ns : TIME_NEVER;
        }
    }
    if (since_ns != TIME_NEVER)
        droughts.items[droughts.count++] = (struct drought){since_ns, last_wanted_ns};
    free(changes);
    return droughts;
}

// --- faults --------------------------------------------------------------------------------------

// From `from_ns` to the first grant after it.
static int64_t time_to_grant(const struct trial_model *model, int64_t from_ns)
{
    if (from_ns == TIME_NEVER)
        return TIME_NEVER;
    size_t low = FIRST_FROM(model->holds, model->hold_count, granted_ns, from_ns + 1);
    if (low == model->hold_count || model->holds[low].granted_ns > model->ended_ns)
        return TIME_NEVER;
    return model->holds[low].granted_ns - from_ns;
}

static int64_t next_fault_ns(const struct trial_model *model, int64_t after_ns)
{
    int64_t next_ns = model->ended_ns;
    for (size_t i = 0; i < model->fault_count; i++) {
        int64_t at_ns = model->faults[i].in_effect_ns;
        if (at_ns > after_ns && at_ns < next_ns)
            next_ns = at_ns;
    }
    return next_ns;
}

static int64_t longest_between(const struct droughts *droughts, int64_t from_ns, int64_t to_ns)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < droughts->count; i++) {
        const struct drought *drought = &droughts->items[i];
        longest_ns = time_later(longest_ns, time_earlier(drought->to_ns, to_ns) -
                                                time_later(drought->from_ns, from_ns));
    }
    return longest_ns;
}

// The same for one lock of several: from the first time at which somebody wanted it; -1 if nobody
// did, or if the end of the trial came too soon after that to tell.
static int64_t time_to_wanted_grant(const struct trial_model *model,
                                    const struct droughts *droughts, int64_t from_ns)
{
    int64_t enough_ns = model->trial->scenario->lock.stuck_after_ns;
    for (size_t i = 0; i < droughts->count && from_ns != TIME_NEVER; i++) {
        const struct drought *drought = &droughts->items[i];
        if (drought->to_ns <= from_ns || drought->from_ns >= model->ended_ns)
            continue;
        int64_t since_ns = time_later(drought->from_ns, from_ns);
        int64_t grant_ns = time_to_grant(model, since_ns);
        bool is_cut_off = grant_ns == TIME_NEVER && drought->to_ns >= model->ended_ns &&
                          model->ended_ns - since_ns <= enough_ns;
        return is_cut_off ? -1 : grant_ns;
    }
    return -1;
}

// Puts in what one lock makes worse. -1 is not known yet, TIME_NEVER the worst.
static void measure_lock(const struct by_lock *lock, struct recoveries *recoveries)
{
    const struct trial_model *model = &lock->part;
    bool is_only = lock->indices == NULL;
    struct droughts droughts = droughts_of(model);
    for (size_t i = 0; i < recoveries->count; i++) {
        struct recovery *recovery = &recoveries->items[i];
        const struct fault_record *fault = &model->faults[recovery->fault - 1];
        int64_t effect_ns = fault->in_effect_ns;
        int64_t until_ns = next_fault_ns(model, effect_ns);
        recovery->after_effect_ns = time_later(
            recovery->after_effect_ns, is_only ? time_to_grant(model, effect_ns)
                                               : time_to_wanted_grant(model, &droughts, effect_ns));
        recovery->after_heal_ns =
            time_later(recovery->after_heal_ns,
                       is_only ? time_to_grant(model, fault->healed_ns)
                               : time_to_wanted_grant(model, &droughts, fault->healed_ns));
        recovery->unavailable_ns =
            time_later(recovery->unavailable_ns, longest_between(&droughts, effect_ns, until_ns));
    }
    free(droughts.items);
}

void recoveries_measure(const struct trial_model *model, struct recoveries *recoveries)
{
    recoveries->count = 0;
    for (size_t i = 0; i < model->fault_count && i < MOST_FAULTS; i++) {
        int64_t at_ns = model->faults[i].in_effect_ns;
        if (at_ns != TIME_NEVER && at_ns <= model->ended_ns)
            recoveries->items[recoveries->count++] =
                (struct recovery){.fault = (int)i + 1, .after_effect_ns = -1, .after_heal_ns = -1};
    }
    if (recoveries->count == 0)
        return;
    struct by_lock locks;
    by_lock_start(&locks, model);
    while (by_lock_next(&locks))
        measure_lock(&locks, recoveries);
    by_lock_end(&locks);
    for (size_t i = 0; i < recoveries->count; i++) {
        struct recovery *recovery = &recoveries->items[i];
        if (recovery->after_effect_ns < 0)
            recovery->after_effect_ns = TIME_NEVER;
        if (recovery->after_heal_ns < 0)
            recovery->after_heal_ns = TIME_NEVER;
    }
}
