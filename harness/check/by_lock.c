#include "harness/check/by_lock.h"

#include "harness/base/text.h"
#include "harness/workloads/workload.h"

#include <stdlib.h>

// The highest number that a lock has; 1 if there is one only.
static int64_t last_key(const struct trial_model *model)
{
    int64_t last = 1;
    for (size_t i = 0; i < acquire_count(model); i++)
        last = time_later(last, acquire_at(model, i)->key);
    for (size_t key = 2; key < model->lock_count; key++) {
        if (model->locks[key].initial_known)
            last = time_later(last, (int64_t)key);
    }
    return last;
}

int64_t job_over_ns(const struct trial_model *model)
{
    int64_t attempts = model->trial->scenario->workload.attempts, over_ns = TIME_NEVER;
    if (!trial_has_queue(model->trial))
        return TIME_NEVER;
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->outcome == OUTCOME_OK)
            over_ns = time_earlier(over_ns, access->returned_ns);
    }
    if (attempts > 0 && (int64_t)model->hold_count >= attempts)
        over_ns = time_earlier(over_ns, model->holds[attempts - 1].granted_ns);
    return over_ns;
}

struct by_lock by_lock_start(const struct trial_model *model)
{
    struct by_lock locks = {
        .part = *model, .whole = model, .next_key = 1, .last_key = last_key(model)};
    if (locks.last_key == 1)
        return locks;
    struct trial_model *part = &locks.part;
    size_t acquires = acquire_count(model);
    locks.acquires = memory_new(acquires * sizeof *locks.acquires);
    locks.reentries = memory_new(model->reentry_count * sizeof *locks.reentries);
    for (size_t i = 0; i < acquires; i++)
        locks.acquires[i] = (struct ranked){acquire_at(model, i)->key, i};
    for (size_t i = 0; i < model->reentry_count; i++)
        locks.reentries[i] = (struct ranked){model->holds[model->reentries[i].hold].key, i};
    sort_ranked(locks.acquires, acquires);
    sort_ranked(locks.reentries, model->reentry_count);
    locks.indices = memory_new(model->hold_count * sizeof *locks.indices);
    locks.places = memory_new(model->hold_count * sizeof *locks.places);
    part->holds = memory_new(model->hold_count * sizeof *part->holds);
    part->attempts = memory_new(model->attempt_count * sizeof *part->attempts);
    part->accesses = memory_new(model->access_count * sizeof *part->accesses);
    part->reentries = memory_new(model->reentry_count * sizeof *part->reentries);
    // Whoever asks a queue asks for any of its jobs: what is not given out is of each that is not
    // done.
    if (trial_has_queue(model->trial))
        locks.of_any = locks.next_acquire = FIRST_FROM(locks.acquires, acquires, value, 1);
    else if (acquires > 0 && locks.acquires[0].value == 0)
        locks.next_key = 0; // acquires of a lock without a number, beside others that have one
    return locks;
}

static void take_hold(struct by_lock *locks, size_t index)
{
    struct trial_model *part = &locks->part;
    struct hold *hold = &part->holds[part->hold_count];
    *hold = locks->whole->holds[index];
    for (size_t i = 0; i < hold->access_count; i++) {
        struct access *access = &part->accesses[part->access_count + i];
        *access = locks->whole->accesses[hold->first_access + i];
        access->hold = part->hold_count;
    }
    hold->first_access = part->access_count;
    part->access_count += hold->access_count;
    locks->indices[part->hold_count] = index;
    locks->places[index] = part->hold_count++;
}

static void take_attempts_of_any(struct by_lock *locks)
{
    struct trial_model *part = &locks->part;
    int64_t over_ns = job_over_ns(part);
    for (size_t i = 0; i < locks->of_any; i++) {
        size_t index = locks->acquires[i].index;
        const struct hold *attempt = acquire_at(locks->whole, index);
        bool is_grant = index < locks->whole->hold_count; // which job it was is lost
        if (!is_grant && (attempt->is_gone || attempt->invoked_ns < over_ns))
            part->attempts[part->attempt_count++] = *attempt;
    }
}

bool by_lock_next(struct by_lock *locks)
{
    const struct trial_model *whole = locks->whole;
    struct trial_model *part = &locks->part;
    if (locks->next_key > locks->last_key) {
        by_lock_end(locks);
        return false;
    }
    locks->key = locks->next_key++;
    if (locks->indices == NULL) {
        locks->key = acquire_count(whole) > 0 ? acquire_at(whole, 0)->key : 0;
        return true;
    }
    part->of_lock = locks->key;
    part->ends = (struct lock_ends){.initial_known = false};
    if ((size_t)locks->key < whole->lock_count)
        part->ends = whole->locks[locks->key];
    part->hold_count = part->attempt_count = part->access_count = part->reentry_count = 0;
    for (; locks->next_acquire < acquire_count(whole) &&
           locks->acquires[locks->next_acquire].value == locks->key;
         locks->next_acquire++) {
        size_t index = locks->acquires[locks->next_acquire].index;
        if (index < whole->hold_count)
            take_hold(locks, index);
        else
            part->attempts[part->attempt_count++] = *acquire_at(whole, index);
    }
    take_attempts_of_any(locks);
    for (; locks->next_reentry < whole->reentry_count &&
           locks->reentries[locks->next_reentry].value == locks->key;
         locks->next_reentry++) {
        struct reentry *reentry = &part->reentries[part->reentry_count++];
        *reentry = whole->reentries[locks->reentries[locks->next_reentry].index];
        reentry->hold = locks->places[reentry->hold];
    }
    return true;
}

void by_lock_end(struct by_lock *locks)
{
    if (locks->indices != NULL) {
        free(locks->part.holds);
        free(locks->part.attempts);
        free(locks->part.accesses);
        free(locks->part.reentries);
    }
    free(locks->acquires);
    free(locks->reentries);
    free(locks->indices);
    free(locks->places);
    *locks = (struct by_lock){0};
}

void by_lock_to_whole(const struct by_lock *locks, size_t *hold, size_t *access)
{
    const struct trial_model *part = &locks->part;
    if (locks->indices == NULL)
        return;
    if (*access != SIZE_MAX) {
        size_t own = part->accesses[*access].hold;
        *access += locks->whole->holds[locks->indices[own]].first_access;
        *access -= part->holds[own].first_access;
    }
    if (*hold != SIZE_MAX)
        *hold = locks->indices[*hold];
}
