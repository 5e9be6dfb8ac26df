#include "harness/check/by_lock.h"

#include "harness/base/text.h"

#include <stdlib.h>

// The highest number that a lock has; 1 if there is one only.
static int64_t last_key(const struct trial_model *model)
{
    int64_t last = 1;
    FOR_EACH_HOLD (hold, model) {
        last = time_later(last, hold->key);
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        last = time_later(last, attempt->key);
    }
    for (size_t key = 2; key < model->lock_count; key++) {
        if (model->locks[key].initial_known)
            last = time_later(last, (int64_t)key);
    }
    return last;
}

static int64_t first_key(const struct trial_model *model)
{
    if (model->hold_count > 0)
        return model->holds[0].key;
    return model->attempt_count > 0 ? model->attempts[0].key : 0;
}

void by_lock_start(struct by_lock *locks, const struct trial_model *model)
{
    *locks = (struct by_lock){
        .part = *model, .whole = model, .next_key = 1, .last_key = last_key(model)};
    if (locks->last_key == 1)
        return;
    struct trial_model *part = &locks->part;
    size_t holds = model->hold_count, attempts = model->attempt_count;
    locks->holds = memory_new(holds * sizeof *locks->holds);
    locks->attempts = memory_new(attempts * sizeof *locks->attempts);
    locks->reentries = memory_new(model->reentry_count * sizeof *locks->reentries);
    for (size_t i = 0; i < holds; i++)
        locks->holds[i] = (struct ranked){model->holds[i].key, i};
    for (size_t i = 0; i < attempts; i++)
        locks->attempts[i] = (struct ranked){model->attempts[i].key, i};
    for (size_t i = 0; i < model->reentry_count; i++)
        locks->reentries[i] = (struct ranked){model->holds[model->reentries[i].hold].key, i};
    sort_ranked(locks->holds, holds);
    sort_ranked(locks->attempts, attempts);
    sort_ranked(locks->reentries, model->reentry_count);
    locks->indices = memory_new(holds * sizeof *locks->indices);
    locks->places = memory_new(holds * sizeof *locks->places);
    part->holds = memory_new(holds * sizeof *part->holds);
    part->attempts = memory_new(attempts * sizeof *part->attempts);
    part->accesses = memory_new(model->access_count * sizeof *part->accesses);
    part->reentries = memory_new(model->reentry_count * sizeof *part->reentries);
    // Acquires of a lock without a number, beside others that have one.
    if ((holds > 0 && locks->holds[0].value == 0) ||
        (attempts > 0 && locks->attempts[0].value == 0))
        locks->next_key = 0;
}

// True if the next of the ranked is of the lock.
static bool is_of(const struct by_lock *locks, const struct ranked *ranked, size_t next, size_t end)
{
    return next < end && ranked[next].value == locks->key;
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

bool by_lock_next(struct by_lock *locks)
{
    const struct trial_model *whole = locks->whole;
    struct trial_model *part = &locks->part;
    if (locks->next_key > locks->last_key)
        return false;
    locks->key = locks->next_key++;
    if (locks->indices == NULL) {
        locks->key = first_key(whole);
        return true;
    }
    part->of_lock = locks->key;
    part->ends = (struct lock_ends){.initial_known = false};
    if ((size_t)locks->key < whole->lock_count)
        part->ends = whole->locks[locks->key];
    part->hold_count = part->attempt_count = part->access_count = part->reentry_count = 0;
    while (is_of(locks, locks->holds, locks->next_hold, whole->hold_count))
        take_hold(locks, locks->holds[locks->next_hold++].index);
    while (is_of(locks, locks->attempts, locks->next_attempt, whole->attempt_count))
        part->attempts[part->attempt_count++] =
            whole->attempts[locks->attempts[locks->next_attempt++].index];
    while (is_of(locks, locks->reentries, locks->next_reentry, whole->reentry_count)) {
        struct reentry *reentry = &part->reentries[part->reentry_count++];
        *reentry = whole->reentries[locks->reentries[locks->next_reentry++].index];
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
    free(locks->holds);
    free(locks->attempts);
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
