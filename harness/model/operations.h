// What clients asked of locks and what they were answered, and nothing else: all that a model needs
// to decide whether a history is linearizable, wherever the history comes from.
//
// Real time is given by instants. An operation's `invoked` and `returned` are instants, and one
// operation came before another if and only if it returned at an earlier instant than the other was
// invoked. Instants are even for an invocation and odd for a return: 2 × moment, and 2 × moment +
// 1, where the moment is a clock's nanosecond (of Lockpick's own histories) or the number of the
// event (of histories of others, whose order is that of their lines). So what happens at the same
// moment is concurrent, as it must be where nobody can tell, and no return equals an invocation.
#ifndef LOCKPICK_MODEL_OPERATIONS_H
#define LOCKPICK_MODEL_OPERATIONS_H

#include "harness/base/error.h"
#include "harness/history/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTANT_NEVER INT64_MAX

enum operation_kind { OPERATION_ACQUIRE, OPERATION_RELEASE, OPERATION_RENEW };

// What an operation that was refused says of the lock: what the options of the model say, nothing
// at all, or what its kind can say: a release, that its process did not hold it any more; an
// acquire, that it was taken.
enum claim { CLAIM_BY_OPTION, CLAIM_NOTHING, CLAIM_LOCK };

struct operation {
    int64_t invoked;  // instant
    int64_t returned; // instant; INSTANT_NEVER if no answer came
    int64_t token;    // fencing token of a successful acquire; 0 if it carries none
    uint32_t process; // who: one that never has two operations open at a time
    uint32_t name;    // of the lock
    uint8_t kind;     // enum operation_kind
    uint8_t outcome;  // enum outcome: OK, NO (it definitely did nothing) or UNKNOWN
    bool shared;      // an acquire of a reader, and its release
    bool either;      // a release that does not say whether of a reader; `shared` means nothing
    uint8_t claim;    // enum claim, of one that was refused
    uint16_t error; // why it was refused: an index into `errors`, and one more; 0: it says nothing
};

// Where and when an event of somebody else's history is.
struct operation_event {
    int64_t at_ns; // by the history's own clock; TIME_NEVER if it says none
    uint32_t line;
};

// The operations of one history. Each process's are in its own order, one after the other: it
// invokes none before a moment later than the last one's return, and none after one whose outcome
// is UNKNOWN. OK and NO have returned. Otherwise they may come in any order. Zero-initialise; free
// with operations_free.
struct operations {
    struct operation *items;
    size_t count, room;
    uint32_t process_count;
    uint32_t name_count;
    char **processes; // what the history calls them; NULL, or one is NULL: by its number
    int64_t *numbers; // of processes in the history; NULL: their indices
    // Of processes: who holds what the process acquires, which may have been another process
    // before; NULL: each is its own. The operations of one owner come one after the other, but for
    // those of outcome UNKNOWN, which may happen at any time after their invocation.
    uint32_t *owners;
    char **names; // what it calls the locks; NULL: there is but one, without a name
    char **errors;
    size_t error_count;
    // By moment, from 1; NULL: moments are nanoseconds, and stories count from `zero_ns`.
    struct operation_event *events;
    size_t event_count;
    int64_t zero_ns;
    int64_t clock_back_ns; // how far the times of events went back at most
};

static inline int64_t instant_of_invocation(int64_t moment)
{
    return moment * 2;
}

static inline int64_t instant_of_return(int64_t moment)
{
    return moment * 2 + 1;
}

static inline int64_t moment_of(int64_t instant)
{
    return instant >> 1;
}

// Appends a copy. The pointer is good until the next one is added.
struct operation *operations_add(struct operations *operations, struct operation operation);
void operations_free(struct operations *operations);

// Room that suffices for what these write.
#define OPERATION_TEXT_ROOM 120

static inline uint32_t operation_owner(const struct operations *operations,
                                       const struct operation *operation)
{
    return operations->owners != NULL ? operations->owners[operation->process] : operation->process;
}

// "process 3", or what the history calls it.
const char *operation_process(const struct operations *operations, uint32_t process, char *text);

// Where an instant is in the history: "line 12", or "1.234 s".
const char *operation_place(const struct operations *operations, int64_t instant, char *text);

// How long from one instant to another, in nanoseconds; -1 where the history has no clock, or one
// that went back by as much.
int64_t operation_span_ns(const struct operations *operations, int64_t from, int64_t to);

// --- a trial's own history

// Reads the operations of a history file, chunk by chunk: the events are not kept. 0, or -1 with
// `error` set; `operations` must be zero then as before, and is the caller's to free after.
//
// Several locks go by their numbers. Acquires and reentries are acquires, releases and leaves are
// releases. A release that was answered "not yours" or "gone" is NO; one that cannot tell whose
// lock it removed is OK. Every worker is a process, and a restarted one is another; after an
// operation of unknown outcome it goes on as a new process. Who died leaves its operation open, and
// its lock held. A reentry or a leave of unknown outcome leaves open how often the worker holds the
// lock: it keeps it until its release, whose outcome is unknown then. Moments are CLOCK_MONOTONIC
// nanoseconds; what a worker does in the same nanosecond as the thing before counts as one
// nanosecond later.
//
// If `condition` says that the history is not whole, what a model finds broken is broken all the
// same, but what it does not find may have been in what is missing: then nothing is decided. So
// that this holds, a hold whose end may be missing ends with the last that is known of it, by a
// release of unknown outcome; and acquires that were refused are left out if events are lost.
int operations_from_history(const char *path, struct operations *operations,
                            struct history_condition *condition, struct error *error);

#endif
