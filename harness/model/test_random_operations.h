// For tests: small random histories of locks. Each begins as a lawful run of the lock itself, with
// an interval around each moment at which something happened, so that near misses are common once
// test_perturbed_operations.h has changed a thing or two. Moments are few, so that ties are common.
#ifndef LOCKPICK_MODEL_TEST_RANDOM_OPERATIONS_H
#define LOCKPICK_MODEL_TEST_RANDOM_OPERATIONS_H

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

#endif
