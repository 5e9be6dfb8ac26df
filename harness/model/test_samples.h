// For tests: small random histories of locks. Each begins as a lawful run of the lock itself, with
// an interval around each moment at which something happened, so that near misses are common once
// a thing or two has been changed in it. Moments are few, so that ties are common.
#ifndef LOCKPICK_MODEL_TEST_SAMPLES_H
#define LOCKPICK_MODEL_TEST_SAMPLES_H

#include "harness/base/random.h"
#include "harness/model/test_search.h"

#define SAMPLE_OPERATIONS 12
#define SAMPLE_NAMES 3

_Static_assert(SAMPLE_OPERATIONS <= SEARCH_OPERATIONS, "the oracle must have room for a sample");

// A small history, and the options by which it is to be decided.
struct sample {
    const struct lock_kind *kind;
    struct model_options options;
    struct operation items[SAMPLE_OPERATIONS];
    size_t count;
    bool has_owners; // who ends with an unknown outcome goes on as another process
};

#define SAMPLE_OWNERS 2

static const uint32_t sample_owners[SEARCH_PROCESSES] = {0, 1, 0, 1};

static inline uint32_t sample_owner(const struct sample *sample, uint32_t process)
{
    return sample->has_owners ? sample_owners[process] : process;
}

// The sample as a model sees it. Good for as long as the sample is not moved.
static inline struct operations sample_operations(struct sample *sample)
{
    return (struct operations){.items = sample->items,
                               .count = sample->count,
                               .room = SAMPLE_OPERATIONS,
                               .process_count = SEARCH_PROCESSES,
                               .owners =
                                   sample->has_owners ? (uint32_t *)(size_t)sample_owners : NULL,
                               .name_count = SAMPLE_NAMES};
}

// A process on its way through a lawful run.
struct sample_process {
    bool gone;
    bool open; // `next` is under way, and happens at `at`
    struct operation next;
    int64_t at;        // moments
    int64_t free_from; // when it may invoke something again
    int patience;      // how often it still waits for a lock that is taken
};

struct sample_maker {
    struct random random;
    struct sample *sample;
    struct lock_state locks[SAMPLE_NAMES];
    struct sample_process processes[SEARCH_PROCESSES];
    int process_count, name_count;
    int spread;         // how far from its moment an operation may reach
    int gap;            // how long a process may rest
    int unknown_chance; // one in so many; 0: never
    int refusal_chance;
    int stranger_chance; // of a release by who holds nothing, or an acquire by who holds it
    int64_t largest_token;
};

static inline int sample_draw(struct sample_maker *maker, int below)
{
    return (int)random_below(&maker->random, (uint64_t)below);
}

static inline bool sample_chance(struct sample_maker *maker, int one_in)
{
    return one_in > 0 && sample_draw(maker, one_in) == 0;
}

// What the process asks for next, and when it happens.
static inline void sample_invoke(struct sample_maker *maker, uint32_t number)
{
    struct sample_process *process = &maker->processes[number];
    const struct lock_kind *kind = maker->sample->kind;
    uint32_t name = (uint32_t)sample_draw(maker, maker->name_count);
    const struct lock_state *lock = &maker->locks[name];
    bool holds = lock->held[kind->ownerless ? 0 : sample_owner(maker->sample, number)] > 0;
    bool again = holds && (kind->reentrant || kind->permits) && sample_chance(maker, 2);
    bool releases = (holds && !again) != sample_chance(maker, maker->stranger_chance);
    bool shared =
        kind->readers && (releases && holds ? lock->written == 0 : sample_chance(maker, 2));
    int64_t invoked = process->free_from + sample_draw(maker, maker->gap);
    process->next = (struct operation){.invoked = instant_of_invocation(invoked),
                                       .process = number,
                                       .name = name,
                                       .kind = releases ? OPERATION_RELEASE : OPERATION_ACQUIRE,
                                       .shared = shared};
    if (maker->sample->options.lease_ns > 0 && releases && sample_chance(maker, 3))
        process->next.kind = OPERATION_RENEW;
    process->at = invoked + sample_draw(maker, maker->spread);
    process->patience = sample_draw(maker, 8);
    process->open = true;
}

// The token that a fenced lock would give with this acquire; sometimes one does not learn it.
static inline int64_t sample_token(struct sample_maker *maker, const struct operation *acquire)
{
    const struct lock_state *lock = &maker->locks[acquire->name];
    if (!maker->sample->kind->fenced)
        return 0;
    int64_t token = ++maker->largest_token + (sample_chance(maker, 3) ? 1 : 0);
    maker->largest_token = token;
    if (sample_chance(maker, 6))
        return 0;
    return lock_state_holds(lock) > 0 && lock->token != 0 ? lock->token : token;
}

// A lease that may have run out has done so when it matters, or not.
static inline void sample_end_lease(struct sample_maker *maker, struct lock_state *lock, int64_t at)
{
    int64_t lease_ns = maker->sample->options.lease_ns;
    int64_t asked = moment_of(lock->lease / SEARCH_PROCESSES);
    if (lease_ns > 0 && lock->lease != 0 && at >= asked + lease_ns && sample_chance(maker, 2))
        *lock = (struct lock_state){.seen = lock->seen};
}

// Lets the operation happen with this outcome if it can.
static inline bool sample_happen(struct sample_maker *maker, struct operation *operation,
                                 enum outcome outcome)
{
    const struct sample *sample = maker->sample;
    operation->outcome = (uint8_t)outcome;
    operation->token = 0;
    if (operation->kind == OPERATION_ACQUIRE && outcome == OUTCOME_OK)
        operation->token = sample_token(maker, operation);
    struct lock_state next = maker->locks[operation->name];
    if (!lock_apply(sample->kind, &sample->options, sample->has_owners ? sample_owners : NULL,
                    operation, &next))
        return false;
    maker->locks[operation->name] = next;
    return true;
}

// The moment has come for the operation of this process. False if it waits for the lock.
static inline bool sample_step(struct sample_maker *maker, struct sample_process *process)
{
    struct operation *next = &process->next;
    sample_end_lease(maker, &maker->locks[next->name], process->at);
    next->returned = instant_of_return(process->at + sample_draw(maker, maker->spread));
    if (sample_chance(maker, maker->unknown_chance)) {
        if (sample_chance(maker, 2)) // else it never happens
            sample_happen(maker, next, OUTCOME_UNKNOWN);
        next->outcome = OUTCOME_UNKNOWN;
        next->token = 0;
        process->gone = true;
        if (sample_chance(maker, 2))
            next->returned = INSTANT_NEVER;
        struct sample_process *successor = process + SAMPLE_OWNERS;
        if (maker->sample->has_owners && process - maker->processes < SAMPLE_OWNERS) {
            successor->gone = false;
            successor->free_from = process->at + 1 + sample_draw(maker, maker->gap);
        }
        return true;
    }
    bool refused =
        sample_chance(maker, maker->refusal_chance) && sample_happen(maker, next, OUTCOME_NO);
    if (refused || sample_happen(maker, next, OUTCOME_OK))
        return true;
    if (next->kind == OPERATION_ACQUIRE && process->patience-- > 0) {
        process->at += 1 + sample_draw(maker, maker->spread);
        return false;
    }
    return sample_happen(maker, next, OUTCOME_NO);
}

// Whose moment comes next; of several, any. NULL if all are gone.
static inline struct sample_process *sample_next(struct sample_maker *maker)
{
    struct sample_process *chosen = NULL;
    int equals = 0;
    for (int i = 0; i < maker->process_count; i++) {
        struct sample_process *process = &maker->processes[i];
        if (process->gone)
            continue;
        if (!process->open)
            sample_invoke(maker, (uint32_t)i);
        if (chosen == NULL || process->at < chosen->at)
            equals = 0;
        else if (process->at > chosen->at)
            continue;
        equals++;
        if (equals == 1 || sample_chance(maker, equals))
            chosen = process;
    }
    return chosen;
}

static inline void sample_run(struct sample_maker *maker, size_t length)
{
    struct sample *sample = maker->sample;
    while (sample->count < length) {
        struct sample_process *process = sample_next(maker);
        if (process == NULL)
            return;
        if (!sample_step(maker, process))
            continue;
        sample->items[sample->count++] = process->next;
        process->open = false;
        process->free_from = moment_of(process->next.returned) + 1;
        if (sample_chance(maker, 24)) // it dies between two operations
            process->gone = true;
    }
}

static inline void sample_choose_options(struct sample_maker *maker)
{
    struct sample *sample = maker->sample;
    struct model_options *options = &sample->options;
    if (sample->kind->permits)
        options->permits = sample_draw(maker, 3) + !sample->kind->ownerless;
    if (sample->kind->reentrant)
        options->depth_limit = sample_draw(maker, 4);
    if (sample->kind->leases && sample_chance(maker, 4))
        options->lease_ns = 1 + sample_draw(maker, 12);
    else if (sample->kind->leases)
        sample->has_owners = sample_chance(maker, 3);
    if (sample->kind->decides_busy && options->lease_ns == 0 && !sample->has_owners &&
        sample_chance(maker, 2))
        options->failed_acquire = FAILED_ACQUIRE_BUSY;
    if (sample_chance(maker, 2))
        options->failed_release = FAILED_RELEASE_RELEASED;
}

// Starts `sample` as a lawful history of this kind; equal seeds give equal ones.
static inline void sample_make_lawful(struct sample_maker *maker, struct sample *sample,
                                      const struct lock_kind *kind, uint64_t seed)
{
    static const int chances[] = {0, 6, 12, 24};
    *sample = (struct sample){.kind = kind};
    *maker = (struct sample_maker){.sample = sample};
    random_start(&maker->random, seed, 1);
    sample_choose_options(maker);
    maker->process_count = 2 + sample_draw(maker, SEARCH_PROCESSES - 1);
    maker->name_count = sample_chance(maker, 4) ? 1 + sample_draw(maker, SAMPLE_NAMES) : 1;
    maker->spread = 1 + sample_draw(maker, 4);
    maker->gap = 1 + sample_draw(maker, 4);
    maker->unknown_chance = chances[sample_draw(maker, 4)];
    maker->refusal_chance = chances[sample_draw(maker, 4)];
    maker->stranger_chance = chances[sample_draw(maker, 4)];
    for (int i = 0; i < SAMPLE_NAMES; i++)
        maker->locks[i] = lock_state_free();
    if (sample->has_owners)
        maker->process_count = SEARCH_PROCESSES;
    for (int i = SAMPLE_OWNERS; sample->has_owners && i < SEARCH_PROCESSES; i++)
        maker->processes[i].gone = true;
    for (int i = 0; i < maker->process_count; i++)
        maker->processes[i].free_from = 1 + sample_draw(maker, maker->gap);
    int length = sample_draw(maker, SAMPLE_OPERATIONS - 1);
    int other = sample_draw(maker, SAMPLE_OPERATIONS - 1); // rather longer than shorter
    sample_run(maker, 2 + (size_t)(length > other ? length : other));
}

// === perturbed ===================================================================================

// lawful random histories, made doubtful. Each change is small, so that what comes out
// is often just lawful or just not.

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
