// For tests: lawful random histories, made doubtful. Each change is small, so that what comes out
// is often just lawful or just not.
#ifndef LOCKPICK_MODEL_TEST_PERTURBED_OPERATIONS_H
#define LOCKPICK_MODEL_TEST_PERTURBED_OPERATIONS_H

#include "harness/model/test_random_operations.h"

// True if the operations are such as operations.h says that they are.
static inline bool sample_is_proper(const struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct operation *operation = &sample->items[i];
        bool granted = operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK;
        if (operation->token != 0 && !granted)
            return false;
        if (operation->invoked < 2 || operation->returned < operation->invoked)
            return false;
        if (operation->returned == INSTANT_NEVER && operation->outcome != OUTCOME_UNKNOWN)
            return false;
        for (size_t j = i + 1; j < sample->count; j++) {
            const struct operation *later = &sample->items[j];
            bool is_unknown = operation->outcome == OUTCOME_UNKNOWN;
            if (later->process == operation->process && is_unknown)
                return false;
            if (sample_owner(sample, later->process) == sample_owner(sample, operation->process) &&
                later->invoked < (is_unknown ? operation->invoked + 1 : operation->returned))
                return false;
        }
    }
    return true;
}

static inline void sample_remove(struct sample *sample, size_t index)
{
    sample->count--;
    memmove(&sample->items[index], &sample->items[index + 1],
            (sample->count - index) * sizeof sample->items[0]);
}

// --- the changes: each to one operation ----------------------------------------------------------

typedef void sample_change(struct sample_maker *maker, struct operation *operation);

static inline struct operation *sample_any(struct sample_maker *maker)
{
    return &maker->sample->items[sample_draw(maker, (int)maker->sample->count)];
}

static inline bool operation_has_token(const struct operation *operation)
{
    return operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK;
}

static inline void swap_tokens(struct sample_maker *maker, struct operation *operation)
{
    struct operation *other = sample_any(maker);
    if (!operation_has_token(operation) || !operation_has_token(other))
        return;
    int64_t token = operation->token;
    operation->token = other->token;
    other->token = token;
}

// To one near another's: the same, one more, one less; 0 is not known; below 0 is a token, too.
static inline void change_token(struct sample_maker *maker, struct operation *operation)
{
    if (maker->sample->kind->fenced && operation_has_token(operation))
        operation->token = sample_any(maker)->token + sample_draw(maker, 3) - 1;
}

static inline void forget_token(struct sample_maker *maker, struct operation *operation)
{
    (void)maker;
    operation->token = 0;
}

static inline void move_invocation(struct sample_maker *maker, struct operation *operation)
{
    operation->invoked += 2 * (sample_draw(maker, 7) - 3);
}

static inline void move_return(struct sample_maker *maker, struct operation *operation)
{
    if (operation->returned != INSTANT_NEVER)
        operation->returned += 2 * (sample_draw(maker, 7) - 3);
}

static inline void drop(struct sample_maker *maker, struct operation *operation)
{
    sample_remove(maker->sample, (size_t)(operation - maker->sample->items));
}

static inline void drop_if_release(struct sample_maker *maker, struct operation *operation)
{
    if (operation->kind == OPERATION_RELEASE)
        drop(maker, operation);
}

static inline void flip_outcome(struct sample_maker *maker, struct operation *operation)
{
    if (operation->outcome == OUTCOME_UNKNOWN)
        return;
    operation->outcome = operation->outcome == OUTCOME_OK ? OUTCOME_NO : OUTCOME_OK;
    operation->token = 0;
    if (maker->sample->kind->fenced && operation_has_token(operation))
        operation->token = sample_any(maker)->token;
}

static inline void lose_answer(struct sample_maker *maker, struct operation *operation)
{
    operation->outcome = OUTCOME_UNKNOWN;
    operation->token = 0;
    if (sample_chance(maker, 2))
        operation->returned = INSTANT_NEVER;
}

static inline void find_answer(struct sample_maker *maker, struct operation *operation)
{
    if (operation->outcome != OUTCOME_UNKNOWN)
        return;
    operation->outcome = sample_chance(maker, 2) ? OUTCOME_OK : OUTCOME_NO;
    if (operation->returned == INSTANT_NEVER)
        operation->returned = operation->invoked + 2 * sample_draw(maker, 8) + 1;
}

static inline void change_process(struct sample_maker *maker, struct operation *operation)
{
    operation->process = (uint32_t)sample_draw(maker, maker->process_count);
}

static inline void change_name(struct sample_maker *maker, struct operation *operation)
{
    operation->name = (uint32_t)sample_draw(maker, maker->name_count);
}

static inline void change_kind(struct sample_maker *maker, struct operation *operation)
{
    (void)maker;
    operation->kind = operation->kind == OPERATION_ACQUIRE ? OPERATION_RELEASE : OPERATION_ACQUIRE;
    operation->token = 0;
    operation->claim = CLAIM_BY_OPTION;
}

static inline void change_sharing(struct sample_maker *maker, struct operation *operation)
{
    if (maker->sample->kind->readers && sample_chance(maker, 3))
        operation->either = !operation->either;
    else if (maker->sample->kind->readers)
        operation->shared = !operation->shared;
}

static inline void change_claim(struct sample_maker *maker, struct operation *operation)
{
    bool says = operation->kind != OPERATION_ACQUIRE || maker->sample->options.failed_acquire != 0;
    operation->claim = (uint8_t)sample_draw(maker, says ? 3 : 2);
}

static sample_change *const sample_changes[] = {
    swap_tokens, change_token, forget_token,    move_invocation, move_invocation,
    move_return, move_return,  drop_if_release, drop_if_release, drop_if_release,
    drop,        flip_outcome, lose_answer,     find_answer,     change_process,
    change_name, change_kind,  change_sharing,  change_claim,
};

// Changes one thing, or nothing if the operations would not be proper any more.
static inline void sample_perturb(struct sample_maker *maker)
{
    struct sample *sample = maker->sample;
    struct sample before = *sample;
    int changes = (int)(sizeof sample_changes / sizeof sample_changes[0]);
    if (sample->count == 0)
        return;
    sample_changes[sample_draw(maker, changes)](maker, sample_any(maker));
    if (!sample_is_proper(sample))
        *sample = before;
}

// Each process's operations stay in its order; otherwise any order is as good.
static inline void sample_shuffle(struct sample_maker *maker)
{
    struct sample *sample = maker->sample;
    for (size_t swaps = 2 * sample->count; sample->count >= 2 && swaps > 0; swaps--) {
        size_t i = (size_t)sample_draw(maker, (int)sample->count - 1);
        struct operation operation = sample->items[i];
        if (sample_owner(sample, operation.process) ==
            sample_owner(sample, sample->items[i + 1].process))
            continue;
        sample->items[i] = sample->items[i + 1];
        sample->items[i + 1] = operation;
    }
}

// Makes the history that goes with this kind and seed.
static inline void sample_make(struct sample *sample, const struct lock_kind *kind, uint64_t seed)
{
    struct sample_maker maker;
    sample_make_lawful(&maker, sample, kind, seed);
    for (int i = sample_draw(&maker, 14); i > 0; i--)
        sample_perturb(&maker);
    for (int i = kind->tokens ? sample_draw(&maker, 4) : 0; i > 0 && sample->count > 0; i--)
        swap_tokens(&maker, sample_any(&maker));
    sample_shuffle(&maker);
    if (sample_chance(&maker, 16)) { // an old clock
        for (size_t i = 0; i < sample->count; i++) {
            sample->items[i].invoked += INT64_C(1) << 61;
            if (sample->items[i].returned != INSTANT_NEVER)
                sample->items[i].returned += INT64_C(1) << 61;
        }
    }
}

#endif
