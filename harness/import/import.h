// Histories of other tools: Jepsen's and Knossos' operation maps, as EDN or as JSON.
//
//   {:process 0, :type :invoke, :f :acquire, :value nil, :time 3291485317}
//   {"process":0,"type":"invoke","f":"acquire","value":null,"time":3291485317}
//
// One map after the other, or one list of them. Their order is that of real time; `time` (in
// nanoseconds) only says how long things took. `value` of a successful acquire is its fencing
// token, where the model has tokens: a whole number, or in a map under `token` or `fence`. A value
// [NAME VALUE], or a map with `name` or `lock`, says which of several locks is meant.
//
// :ok happened; :fail did not; :info may happen at any time from then on, and so may an operation
// that has no end. A process does nothing after either. What `:process :nemesis` does is passed
// over.
#ifndef LOCKPICK_IMPORT_IMPORT_H
#define LOCKPICK_IMPORT_IMPORT_H

#include "harness/import/problems.h"
#include "harness/model/operations.h"

enum import_format { IMPORT_EDN, IMPORT_JSON };

// By what the file is called (.edn, .json, .jsonl), else by how it begins.
enum import_format import_format_of(const char *path, const char *bytes, size_t length);

// Reads the operations of the history, whose bytes are not kept. `tokens`: the model has them.
// `operations` must be zero before, and is the caller's to free after. 0; or -1 after telling the
// first PROBLEMS_MOST problems.
int import_history(enum import_format format, const char *bytes, size_t length, bool tokens,
                   struct operations *operations, struct problems *problems);

#endif
