// Models of locks: each decides whether operations on locks of its kind are linearizable, exactly,
// by a sort and a sweep.
//
// For a successful acquire and the release that ends its hold, the definite hold is the time from
// the return of the acquire to the invocation of the release: the hold covers its definite part
// under any linearization. A hold is possible, no further, from the acquire's invocation to the
// release's return. A release of unknown outcome may come at any time after its invocation, or
// never; an acquire of unknown outcome likewise, and as its process does nothing more, who got a
// lock that way keeps it for ever.
//
// As objects, one operation at a time:
//
//   mutex             Free, or held by a process. Acquire: needs it free. Release: needs it held by
//                     this process; frees it.
//   reentrant         Held so many times. Acquire: free, or held by this process less than
//                     `depth_limit` times; once more. Release: held by this process; once less.
//   fenced            A mutex. The token of an acquire is larger than all that were seen before.
//   reentrant-fenced  A reentrant lock. When it becomes held, its token is larger than all seen
//                     before; acquired again, it is the same.
//   semaphore         Permits of processes. Acquire: fewer than `permits` are held; one more is its
//                     own. Release: this process has one; one less.
//   ownerless         A mutex, or so many permits, that anyone may release. Acquire: fewer than
//                     `permits` (1 if that is 0) are held; one more. Release: one is held; one
//                     less.
//   tokens            Nothing but tokens. The token of an acquire is larger than all that were
//                     seen before; a release says nothing.
//   read-write        Readers and a writer. Acquire shared: no writer holds it; one reader more,
//                     who may be one already. Acquire: nobody holds it, nor this process itself.
//                     Release: this process holds it, as a reader if it releases it as one, as the
//                     writer if as that (a release that says neither may be of either); what it
//                     acquired last is free.
//
// With `lease_ns`, a mutex or a fenced lock may also become free by itself: at any time from the
// moment on that lies so long behind the invocation of the acquire of its hold, or of the last
// renewal that succeeded. Renew: held by this process. One that was refused (NO) is as a refused
// release that does not release.
//
// With `owners`, "this process" means its owner. After an operation of unknown outcome an owner
// goes on as another process, and that operation may still happen: so one acquire of unknown
// outcome may have got what a later release gave back, and one such release may have given back
// what a later acquire got. Both together may also have let another in within a hold: which holds
// were interrupted is searched for, and where that takes too long, the decision is in doubt.
//
// A token of 0 is not known, and may be any.
// A process that holds a mutex and acquires it again waits for itself: so such an acquire cannot
// succeed. An operation of outcome UNKNOWN may happen at any time after its invocation, or never.
// A release that was refused (NO) does nothing; or, by FAILED_RELEASE_RELEASED, it is one that ends
// the whole hold of its process if there is one (of a semaphore, one permit), and nothing if there
// is none, or one of the other mode (a reader's is not over because it is not the writer). An
// acquire that was refused (NO) does nothing; or, by FAILED_ACQUIRE_BUSY, it happens at an instant
// between its invocation and its return at which an acquire of its kind by its process could not.
// That is decided for all models but the semaphore (permits may have to be kept at one instant to
// explain one refusal, and cannot be at another to explain the next: that is no sweep). Locks of
// different names have nothing to do with each other.
//
// Sources: Herlihy and Wing, "Linearizability: A Correctness Condition for Concurrent Objects"
// (TOPLAS 1990); the models are those of Jepsen's tests of Hazelcast's CP locks (2019).
#ifndef LOCKPICK_MODEL_MODEL_H
#define LOCKPICK_MODEL_MODEL_H

#include "harness/base/error.h"
#include "harness/model/operations.h"

// What a release that was refused (NO) says: nothing, so that its process still holds the lock; or
// that it does not hold it any more: its hold ended with this release, and not before.
enum failed_release { FAILED_RELEASE_HELD, FAILED_RELEASE_RELEASED };

// What an acquire that was refused (NO) says: nothing, or that the lock was taken.
enum failed_acquire { FAILED_ACQUIRE_NOTHING, FAILED_ACQUIRE_BUSY };

struct model_options {
    int64_t permits;     // semaphore: at least 1
    int64_t depth_limit; // reentrant: how often one may hold it at once; 0: any number of times
    int64_t lease_ns;    // of mutex and fenced; 0: a hold does not end by itself
    enum failed_release failed_release;
    enum failed_acquire failed_acquire;
    const int64_t *expiries; // of leases, by operation: model_decide finds them
    const bool *interrupted; // of holds with owners, by the release that ends them: models.c tries
};

// What is broken, in the order in which a decision prefers to tell it.
enum model_rule {
    RULE_EXCLUSION,   // two, or too many, hold at once: evidence is the earlier hold's acquire and
                      // release, and the later one's acquire; with leases also its release or
                      // last renewal, or the earlier one's last renewal in place of its release
    RULE_OWNERSHIP,   // released by a process that did not hold it: the release; or that held it in
                      // the other mode: the release, and the acquire of the hold
    RULE_TOKEN,       // a token no larger than that of an earlier hold: both acquires; or another
                      // than its hold's: it, the one that had that, and the first of the hold
    RULE_DEPTH,       // acquired more often than the limit allows: that acquire
    RULE_FAILED_FREE, // refused although the lock was free all the while: the refused acquire
};

#define MODEL_EVIDENCE 4

struct model_violation {
    enum model_rule rule;
    size_t operations[MODEL_EVIDENCE]; // indices into the operations; SIZE_MAX where there is none
    int64_t from, to;                  // instants between which it is broken
};

struct model_analysis {
    bool linearizable;
    const char *doubt;            // why it is not decided, with `linearizable` false; NULL: it is
    bool is_doubtful;             // while it is made: something may be broken
    size_t interruptible[2];      // likewise: the releases of the holds that it is about
    size_t violation_count;       // that were found: each is one by itself
    struct model_violation first; // the one that begins first
    int64_t *windows_ns;          // how long each pair of holds overlapped; may be NULL
    size_t window_count, window_room;
    size_t hold_count;    // holds that were looked at
    size_t unknown_count; // operations of unknown outcome
};

// How a process may hold a lock more than once.
enum nesting {
    NESTING_PERMITS, // each acquire is a hold of its own; a release ends the latest
    NESTING_HOLDS,   // likewise; but a refused release says that none is left
    NESTING_DEPTH,   // acquires inside a hold are part of it; as many releases end it
};

// The operations on one name: those that `chosen` lists, in their order; all of them if it is NULL.
struct model_input {
    const struct operations *operations;
    const size_t *chosen;
    size_t count;
    const struct model_options *options;
};

struct model {
    const char *name;
    const char *summary; // one line
    // Decides the operations on one name; never fails.
    void (*decide)(const struct model *model, const struct model_input *input,
                   struct model_analysis *analysis);
    enum nesting nesting; // how holds are made of operations, where they are
    bool orders_tokens;   // in the order of holds
    bool decides_busy;    // false: FAILED_ACQUIRE_BUSY is refused
    bool has_depth, has_permits, has_tokens, has_readers;
    bool may_have_permits; // permits need not be said
    bool has_leases;
    bool has_owners;   // decides what is said of owners; false: it is refused
    bool is_ownerless; // a refused release says nothing
};

// Every model; NULL-terminated.
extern const struct model *const model_catalogue[];

// By name, or NULL.
const struct model *model_find(const char *name);

// 0; or -1 with `error` set if the options are not the model's.
int model_check_options(const struct model *model, const struct model_options *options,
                        struct error *error);

// True if what was refused says something of the lock.
bool operation_claims(const struct operation *refused, const struct model_options *options);

// Decides every name by itself, and puts the decisions together. 0; or -1 with `error` set if the
// options are not the model's. Free with model_analysis_free.
int model_decide(const struct model *model, const struct operations *operations,
                 const struct model_options *options, struct model_analysis *analysis,
                 struct error *error);
void model_analysis_free(struct model_analysis *analysis);

// The violation in one sentence, for people: who held, who was let in, where in the history.
void model_explain(const struct model *model, const struct operations *operations,
                   const struct model_options *options, const struct model_violation *violation,
                   char *text, size_t room);

#endif
