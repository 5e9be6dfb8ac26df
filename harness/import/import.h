// Histories of other tools: Jepsen's and Knossos' operation maps, as EDN or as JSON.
//
//   {:process 0, :type :invoke, :f :acquire, :value nil, :time 3291485317}
//   {"process":0,"type":"invoke","f":"acquire","value":null,"time":3291485317}
//
// One map after the other, or one list of them. Their order is that of `index` if every one has
// it, else that of the lines; `time` (in nanoseconds) only says how long things took, and may go
// back.
//
// `value`, by its shape: nil says nothing. [NAME VALUE] names one of several locks. A map may have
// name or lock; token or fence; permits or count; client or owner; uid or id, which says nothing of
// a lock. Alone, a whole number is the token of a successful acquire, or a semaphore's count of
// permits. What else it could mean the reader must be told (enum value_meaning), or it is refused.
//
// :ok happened; :fail did not; :info may happen at any time from then on, and so may an operation
// that has no end. A process does nothing after either; its client may go on as another process.
#ifndef LOCKPICK_IMPORT_IMPORT_H
#define LOCKPICK_IMPORT_IMPORT_H

#include "harness/base/text.h"
#include "harness/model/operations.h"

#include <stdio.h>

// --- problems: what is wrong with a history that was read, each "FILE:LINE: message" -------------

// So many are told; reading ends with the last of them.
#define PROBLEMS_MOST 20

// A value or a process as a message names it.
struct shown {
    char text[120];
};

// Zero-initialise but for `file`; the owner frees `text`.
struct problems {
    const char *file;
    struct text text; // a line for each
    size_t count;
};

__attribute__((format(printf, 3, 4))) void problems_add(struct problems *problems, uint32_t line,
                                                        const char *format, ...);

static inline bool problems_suffice(const struct problems *problems)
{
    return problems->count >= PROBLEMS_MOST;
}

// --- reading and writing -------------------------------------------------------------------------

enum import_format { IMPORT_EDN, IMPORT_JSON };

// What a value says that is no pair and no map.
enum value_meaning { MEANS_BY_SHAPE, MEANS_NAME, MEANS_PERMITS, MEANS_TOKEN, MEANS_NOTHING };

// Whether who acquires is a process, or a client that goes on as another process after an :info.
enum import_owner { OWNER_IS_PROCESS, OWNER_IS_CLIENT };

// `from` is an f of the history; `to` one that Lockpick knows, or "skip".
struct import_rename {
    const char *from, *to;
};

// What an acquire, or a release or renewal, that failed with this error says.
struct import_failure {
    const char *error;
    bool of_acquire;
    enum claim claim;
};

struct import_options {
    bool has_tokens, has_permits, has_leases; // the model
    enum value_meaning value;
    enum import_owner owner;
    int64_t concurrency; // how many processes Jepsen began with; 0: found out
    const struct import_rename *renames;
    size_t rename_count;
    const struct import_failure *failures;
    size_t failure_count;
};

// What was passed over, and how the history was understood.
struct import_notes {
    size_t nemesis;      // operations of who makes faults
    size_t skipped;      // operations that --f skips
    size_t renewals;     // of leases, that the model has not
    size_t tokens;       // of successful acquires, that the model has not
    size_t infos;        // operations that ended with :info
    size_t continued;    // of those, how many had a client that went on as another process
    int64_t concurrency; // of OWNER_IS_CLIENT: threads, of which each is a client
    bool was_sorted;     // by index: its lines were not in that order
    uint32_t clock_line; // the first whose time is before that of the line before; 0: none
};

// By what the file is called (.edn, .json, .jsonl), else by how it begins.
enum import_format import_format_of(const char *path, const char *bytes, size_t length);

// Reads the operations of the history, whose bytes are not kept. `operations` must be zero before,
// and is the caller's to free after. 0; or -1 after telling the first PROBLEMS_MOST problems.
int import_history(enum import_format format, const char *bytes, size_t length,
                   const struct import_options *options, struct operations *operations,
                   struct import_notes *notes, struct problems *problems);

// Writes an operation map a line, in the order of real time: what happened at the same moment is
// invoked before it returns. `time` counts from `zero_ns`. The processes are numbers; operations of
// which no answer is known get their :info at the end. The operations' moments must be
// nanoseconds. 0, or -1 if `out` could not be written.
int export_history(enum import_format format, const struct operations *operations, FILE *out);

#endif
