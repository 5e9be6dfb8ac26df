#include "harness/stats/statistics.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/sweep.h"

// --- the times without a grant -------------------------------------------------------------------

enum change { CHANGE_GRANT, CHANGE_END, CHANGE_ASK, CHANGE_KINDS };

struct change_at {
    int64_t at_ns;
    enum change change;
};

// The time from the first asking after a grant (or from the grant, if others were waiting) to the
// next grant, or to when the last who wanted it was gone. Free `items`.
static struct spans droughts_of(const struct trial_model *model)
{
    // All that happened, in order, and what happened at a time in the order of the kinds.
    AUTO_FREE struct change_at *changes = memory_new(2 * acquire_count(model) * sizeof *changes);
    struct spans droughts = {0};
    int64_t since_ns = TIME_NEVER;
    int64_t last_wanted_ns = 0;
    size_t wanting = 0, count = 0;
    FOR_EACH_HOLD (hold, model)
        changes[count++] = (struct change_at){hold->granted_ns, CHANGE_GRANT};
    // When an acquire that was not granted stopped wanting the lock.
    FOR_EACH_ATTEMPT (attempt, model) {
        int64_t end_ns = attempt->died                        ? attempt->died_ns
                         : attempt->returned_ns != TIME_NEVER ? attempt->returned_ns
                                                              : model->ended_ns;
        changes[count++] = (struct change_at){time_later(end_ns, attempt->invoked_ns), CHANGE_END};
    }
    for (size_t i = 0; i < acquire_count(model); i++)
        changes[count++] = (struct change_at){acquire_at(model, i)->invoked_ns, CHANGE_ASK};
    sort_by_key(changes, count, sizeof *changes);
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
                span_add(&droughts, (struct span){since_ns, at_ns});
            since_ns = wanting > 0 ? at_ns : TIME_NEVER;
        }
    }
    if (since_ns != TIME_NEVER)
        span_add(&droughts, (struct span){since_ns, last_wanted_ns});
    return droughts;
}

// The times without an accepted act, from the start of the trial to its end; none if nobody leads.
static struct spans idle_times_of(const struct trial_model *model)
{
    AUTO_FREE int64_t *acts_ns = memory_new((model->access_count + 2) * sizeof *acts_ns);
    struct spans idle = {0};
    size_t count = 0;
    if (!trial_has_leaders(model->trial))
        return idle;
    acts_ns[count++] = model->started_ns;
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->outcome == OUTCOME_OK &&
            access->returned_ns < model->ended_ns)
            acts_ns[count++] = access->returned_ns;
    }
    acts_ns[count++] = model->ended_ns;
    sort_by_key(acts_ns, count, sizeof *acts_ns);
    for (size_t i = 1; i < count; i++)
        span_add(&idle, (struct span){acts_ns[i - 1], acts_ns[i]});
    return idle;
}

// Of these, the longest part that lies between the two times; 0 if none does.
static int64_t longest_between(const struct spans *spans, int64_t from_ns, int64_t to_ns)
{
    int64_t longest_ns = 0;
    FOR_EACH (span, span, spans->items, spans->count)
        longest_ns = time_later(longest_ns, time_earlier(span->to_ns, to_ns) -
                                                time_later(span->from_ns, from_ns));
    return longest_ns;
}

// --- faults --------------------------------------------------------------------------------------

// From `from_ns` to the first grant after it.
static int64_t time_to_grant(const struct trial_model *model, int64_t from_ns)
{
    if (from_ns == TIME_NEVER)
        return TIME_NEVER;
    size_t low = first_grant(model, from_ns + 1);
    if (low == model->hold_count || model->holds[low].granted_ns > model->ended_ns)
        return TIME_NEVER;
    return model->holds[low].granted_ns - from_ns;
}

// The same for one lock of several: from the first time at which somebody wanted it; -1 if nobody
// did, or if the end of the trial came too soon after that to tell.
static int64_t time_to_wanted_grant(const struct trial_model *model, const struct spans *droughts,
                                    int64_t from_ns)
{
    int64_t enough_ns = model->trial->scenario->lock.stuck_after_ns;
    FOR_EACH (span, drought, droughts->items, droughts->count) {
        if (from_ns == TIME_NEVER || drought->to_ns <= from_ns ||
            drought->from_ns >= model->ended_ns)
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
    AUTO_FREE struct spans droughts = droughts_of(model);
    AUTO_FREE struct spans idle = idle_times_of(model);
    for (size_t i = 0; i < recoveries->count; i++) {
        struct recovery *recovery = &recoveries->items[i];
        const struct fault_record *fault = &model->faults[recovery->fault - 1];
        const int64_t from_ns[] = {fault->in_effect_ns, fault->healed_ns};
        int64_t *const after_ns[] = {&recovery->after_effect_ns, &recovery->after_heal_ns};
        int64_t next_fault_ns = model->ended_ns;
        for (size_t j = 0; j < 2; j++) {
            int64_t time_ns = is_only ? time_to_grant(model, from_ns[j])
                                      : time_to_wanted_grant(model, &droughts, from_ns[j]);
            *after_ns[j] = time_later(*after_ns[j], time_ns);
        }
        FOR_EACH_FAULT (other, model) {
            if (other->in_effect_ns > from_ns[0])
                next_fault_ns = time_earlier(next_fault_ns, other->in_effect_ns);
        }
        recovery->unavailable_ns = time_later(
            recovery->unavailable_ns, longest_between(&droughts, from_ns[0], next_fault_ns));
        if (idle.count > 0)
            recovery->leaderless_ns = time_later(recovery->leaderless_ns,
                                                 longest_between(&idle, from_ns[0], next_fault_ns));
    }
}

void recoveries_measure(const struct trial_model *model, struct recoveries *recoveries)
{
    recoveries->count = 0;
    for (size_t i = 0; i < model->fault_count && i < MOST_FAULTS; i++) {
        int64_t at_ns = model->faults[i].in_effect_ns;
        if (at_ns != TIME_NEVER && at_ns <= model->ended_ns)
            recoveries->items[recoveries->count++] = (struct recovery){.fault = (int)i + 1,
                                                                       .after_effect_ns = -1,
                                                                       .after_heal_ns = -1,
                                                                       .leaderless_ns = -1};
    }
    if (recoveries->count == 0)
        return;
    FOR_EACH_LOCK (locks, model)
        measure_lock(&locks, recoveries);
    for (size_t i = 0; i < recoveries->count; i++) {
        struct recovery *recovery = &recoveries->items[i];
        int64_t *const times_ns[] = {&recovery->after_effect_ns, &recovery->after_heal_ns};
        for (size_t j = 0; j < 2; j++)
            *times_ns[j] = *times_ns[j] < 0 ? TIME_NEVER : *times_ns[j];
    }
}
