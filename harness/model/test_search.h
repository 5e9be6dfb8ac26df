// For tests: whether a small history is linearizable, found by trying. An oracle for the models: it
// knows what model.h says of locks as objects, one operation at a time, and nothing of sweeps.
//
// Search: Wing and Gong, "Testing and Verifying Concurrent Objects" (1993). Memo of what was tried,
// by the operations that have happened and the state that they led to: Lowe, "Testing for
// Linearizability" (2017).
#ifndef LOCKPICK_MODEL_TEST_SEARCH_H
#define LOCKPICK_MODEL_TEST_SEARCH_H

#include "harness/base/text.h"
#include "harness/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH_OPERATIONS 28 // those of a sample, and the ends of their leases
#define SEARCH_PROCESSES 4
#define SEARCH_SLOTS ((size_t)1 << 16)

// What sets the locks of one model apart. Written down again, so that a model that is listed as
// what it is not is noticed.
struct lock_kind {
    const char *model;
    bool reentrant, fenced, permits, readers, decides_busy;
    bool releases_one; // a refused release, if it ends anything, ends no more than one acquire
    bool ownerless;    // anyone may release
    bool tokens;       // there is nothing else
    bool leases;       // --lease and owners
};

static const struct lock_kind lock_kinds[] = {
    {.model = "mutex", .decides_busy = true, .leases = true},
    {.model = "reentrant", .reentrant = true, .decides_busy = true},
    {.model = "fenced", .fenced = true, .decides_busy = true, .leases = true},
    {.model = "reentrant-fenced", .reentrant = true, .fenced = true, .decides_busy = true},
    {.model = "semaphore", .permits = true, .releases_one = true},
    {.model = "read-write", .readers = true, .decides_busy = true},
    {.model = "ownerless", .permits = true, .ownerless = true},
    {.model = "tokens", .fenced = true, .tokens = true},
};

#define LOCK_KINDS (sizeof lock_kinds / sizeof lock_kinds[0])

static inline const struct lock_kind *lock_kind_find(const char *model)
{
    for (size_t i = 0; i < LOCK_KINDS; i++) {
        if (strcmp(lock_kinds[i].model, model) == 0)
            return &lock_kinds[i];
    }
    return NULL;
}

// --- the lock as an object -----------------------------------------------------------------------

// One lock. Without padding, so that states can be compared byte by byte.
struct lock_state {
    uint16_t held[SEARCH_PROCESSES]; // how many times each process holds it
    int64_t written;                 // 1: by a writer
    int64_t seen;                    // the largest token so far
    int64_t token;                   // of the present hold; 0: not known
    int64_t lease;                   // what it was asked for by, see lease_of; 0: none
};

// The end of a lease as an operation that may happen, or not; its token is the lease.
#define LEASE_ENDS 3

_Static_assert(sizeof(struct lock_state) == SEARCH_PROCESSES * 2 + 32,
               "states are compared as bytes");

static inline struct lock_state lock_state_free(void)
{
    return (struct lock_state){.seen = INT64_MIN};
}

// Names a lease by the invocation of the acquire or renewal that asked for it; times may be as
// large as they can be, and names only have to differ.
static inline int64_t lease_of(const struct operation *operation)
{
    return (int64_t)((uint64_t)operation->invoked * SEARCH_PROCESSES +
                     (uint64_t)operation->process);
}

static inline int64_t lock_state_holds(const struct lock_state *state)
{
    int64_t sum = 0;
    for (size_t i = 0; i < SEARCH_PROCESSES; i++)
        sum += state->held[i];
    return sum;
}

// True if an acquire of this kind by this process could succeed, whatever its token. A reader may
// acquire it as a reader again: model.h has it release "what it acquired last".
static inline bool lock_may_be_acquired(const struct lock_kind *kind,
                                        const struct model_options *options,
                                        const struct lock_state *state,
                                        const struct operation *acquire)
{
    int64_t all = lock_state_holds(state);
    int64_t own = state->held[acquire->process];
    if (kind->tokens)
        return true;
    if (kind->permits)
        return all < (options->permits > 0 ? options->permits : 1);
    if (kind->reentrant)
        return all == own && (options->depth_limit == 0 || own < options->depth_limit);
    if (kind->readers && acquire->shared)
        return state->written == 0;
    return all == 0;
}

static inline bool lock_acquire(const struct lock_kind *kind, const struct operation *acquire,
                                struct lock_state *state)
{
    state->held[kind->ownerless ? 0 : acquire->process]++;
    state->lease = lease_of(acquire);
    state->written = kind->readers && !acquire->shared;
    if (kind->tokens)
        state->held[acquire->process] = 0;
    if (!kind->fenced || acquire->token == 0)
        return true;
    if (state->token != 0 && !kind->tokens)
        return acquire->token == state->token;
    if (acquire->token <= state->seen)
        return false;
    state->token = state->seen = acquire->token;
    return true;
}

static inline bool lock_release(const struct lock_kind *kind, const struct operation *release,
                                struct lock_state *state)
{
    uint16_t *own = &state->held[kind->ownerless ? 0 : release->process];
    if (kind->tokens)
        return true;
    bool refused = release->outcome == OUTCOME_NO;
    bool reads = state->written == 0;
    if (*own == 0 || (kind->readers && !release->either && release->shared != reads))
        return refused;
    *own = refused && !kind->releases_one ? 0 : (uint16_t)(*own - 1);
    if (lock_state_holds(state) == 0)
        state->written = state->token = state->lease = 0;
    return true;
}

static inline bool lease_renew(const struct lock_kind *kind, const struct operation *renewal,
                               struct lock_state *state)
{
    if (renewal->outcome == OUTCOME_NO)
        return lock_release(kind, renewal, state);
    if (state->held[renewal->process] == 0)
        return false;
    state->lease = lease_of(renewal);
    return true;
}

static inline bool lease_end(const struct operation *end, struct lock_state *state)
{
    if (state->lease != end->token)
        return false;
    memset(state->held, 0, sizeof state->held);
    state->written = state->token = state->lease = 0;
    return true;
}

// True if a refused operation says nothing about the lock, and so may be left out.
static inline bool lock_says_nothing(const struct model_options *options,
                                     const struct operation *operation)
{
    if (operation->outcome != OUTCOME_NO)
        return false;
    if (operation->claim != CLAIM_BY_OPTION)
        return operation->claim == CLAIM_NOTHING;
    return operation->kind == OPERATION_ACQUIRE ? options->failed_acquire == FAILED_ACQUIRE_NOTHING
                                                : options->failed_release == FAILED_RELEASE_HELD;
}

// Lets the operation happen now. False if it cannot with the outcome it had; the state is then
// spoilt.
static inline bool lock_apply(const struct lock_kind *kind, const struct model_options *options,
                              const uint32_t *owners, const struct operation *operation,
                              struct lock_state *state)
{
    if (operation->kind == LEASE_ENDS)
        return lease_end(operation, state);
    if (lock_says_nothing(options, operation) ||
        (kind->ownerless && operation->outcome == OUTCOME_NO))
        return true;
    struct operation owned = *operation;
    owned.process = owners != NULL ? owners[operation->process] : operation->process;
    if (owned.kind == OPERATION_RELEASE)
        return lock_release(kind, &owned, state);
    if (owned.kind == OPERATION_RENEW)
        return lease_renew(kind, &owned, state);
    bool free = lock_may_be_acquired(kind, options, state, &owned);
    if (owned.outcome == OUTCOME_NO)
        return !free;
    return free && lock_acquire(kind, &owned, state);
}

// --- the search ----------------------------------------------------------------------------------

// A state that led nowhere.
struct tried {
    uint32_t round; // in which it was tried
    uint32_t happened;
    struct lock_state state;
};

// Zero-initialise by search_new; free with free.
struct search {
    const struct lock_kind *kind;
    const struct model_options *options;
    const uint32_t *owners;
    const struct operation *operations[SEARCH_OPERATIONS]; // on one name
    size_t count;
    struct operation ends[SEARCH_OPERATIONS]; // of leases
    uint64_t doubts;                          // histories that a model left undecided
    size_t order[SEARCH_OPERATIONS]; // of the latest search: an order in which they may happen
    size_t ordered;
    uint32_t round;
    struct tried tried[SEARCH_SLOTS];
};

static inline struct search *search_new(void)
{
    return memory_zeroed(1, sizeof(struct search));
}

// True if that was tried before; from now on it was.
static inline bool search_tried(struct search *search, uint32_t happened,
                                const struct lock_state *state)
{
    uint64_t mixed = happened;
    const unsigned char *bytes = (const unsigned char *)state;
    for (size_t i = 0; i < sizeof *state; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        mixed = (mixed ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        mixed ^= mixed >> 29;
    }
    for (size_t looked = 0; looked < SEARCH_SLOTS; looked++) {
        struct tried *tried = &search->tried[(mixed + looked) % SEARCH_SLOTS];
        if (tried->round != search->round) {
            *tried = (struct tried){search->round, happened, *state};
            return false;
        }
        if (tried->happened == happened && memcmp(&tried->state, state, sizeof *state) == 0)
            return true;
    }
    fprintf(stderr, "the oracle's memo is full: let histories be smaller\n");
    abort();
}

// True if nothing that must still happen returned before this was invoked.
static inline bool search_may_come_next(const struct search *search, uint32_t happened,
                                        const struct operation *next)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct operation *other = search->operations[i];
        if ((happened >> i & 1) == 0 && other->outcome != OUTCOME_UNKNOWN &&
            other->returned < next->invoked)
            return false;
    }
    return true;
}

static inline bool search_on(struct search *search, uint32_t happened,
                             const struct lock_state *state)
{
    if (search_tried(search, happened, state))
        return false;
    bool done = true;
    for (size_t i = 0; i < search->count; i++)
        done =
            done && ((happened >> i & 1) != 0 || search->operations[i]->outcome == OUTCOME_UNKNOWN);
    if (done)
        return true;
    for (size_t i = 0; i < search->count; i++) {
        struct lock_state next = *state;
        if ((happened >> i & 1) != 0 ||
            !search_may_come_next(search, happened, search->operations[i]) ||
            !lock_apply(search->kind, search->options, search->owners, search->operations[i],
                        &next))
            continue;
        search->order[search->ordered++] = i;
        if (search_on(search, happened | UINT32_C(1) << i, &next))
            return true;
        search->ordered--;
    }
    return false;
}

// True if the operations on one name are linearizable. `search->order` then says how: indices into
// `search->operations`. What may be left out is in neither.
static inline bool search_name(struct search *search, const struct lock_kind *kind,
                               const struct operations *operations,
                               const struct model_options *options, uint32_t name)
{
    search->kind = kind;
    search->options = options;
    search->owners = operations->owners;
    search->count = search->ordered = 0;
    search->round++;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        if (operation->name != name || lock_says_nothing(options, operation))
            continue;
        if (search->count == SEARCH_OPERATIONS || operation->process >= SEARCH_PROCESSES) {
            fprintf(stderr, "that history is too large for the oracle\n");
            abort();
        }
        search->operations[search->count++] = operation;
    }
    size_t real = search->count;
    for (size_t i = 0; options->lease_ns > 0 && i < real; i++) {
        const struct operation *grant = search->operations[i];
        if (grant->outcome != OUTCOME_OK || grant->kind == OPERATION_RELEASE)
            continue;
        search->ends[i] = (struct operation){.invoked = grant->invoked + 2 * options->lease_ns,
                                             .returned = INSTANT_NEVER,
                                             .token = lease_of(grant),
                                             .kind = LEASE_ENDS,
                                             .outcome = OUTCOME_UNKNOWN};
        search->operations[search->count++] = &search->ends[i];
    }
    struct lock_state state = lock_state_free();
    return search_on(search, 0, &state);
}

// True if the history is linearizable. What is asked of one lock is no business of the others, so
// that each has a search of its own (Herlihy and Wing's locality).
static inline bool search_decide(struct search *search, const struct lock_kind *kind,
                                 const struct operations *operations,
                                 const struct model_options *options)
{
    for (uint32_t name = 0; name < operations->name_count; name++) {
        if (!search_name(search, kind, operations, options, name))
            return false;
    }
    return true;
}

#endif
