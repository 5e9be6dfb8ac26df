// One history, decided by a model, and what of it is told.
#ifndef LOCKPICK_CLI_CHECK_CASE_H
#define LOCKPICK_CLI_CHECK_CASE_H

#include "harness/history/reader.h"
#include "harness/import/import.h"
#include "harness/import/source.h"
#include "harness/model/model.h"

#include <jansson.h>

#define CHECK_MOST_RULES 32

struct check_options {
    const struct model *model; // NULL: judged by its scenario
    struct model_options model_options;
    bool says_failed_release; // false: what a failed release means depends on the history
    bool says_owner;          // false: the process, unless the answer would be another
    struct import_options import;
    struct import_rename renames[CHECK_MOST_RULES];
    struct import_failure failures[CHECK_MOST_RULES];
    const char *picture; // where to draw the first violation, or NULL
    bool json;
};

// The words of --map-failed-release, --map-failed-acquire and --owner, by their enums.
extern const char *const failed_releases[], *const failed_acquires[], *const owners[];

enum case_verdict { CASE_LINEARIZABLE, CASE_NOT_LINEARIZABLE, CASE_UNDECIDED };

// What would be found if failures meant something else.
struct other_mapping {
    struct model_options options;
    bool linearizable;
    size_t violation_count;
};

struct check_case {
    const char *path;
    const char *name; // of the path, in messages
    const struct check_options *options;
    struct model_options model_options; // as asked for, with what the kind of history decides
    bool is_own;                        // a history of Lockpick's
    struct source source;               // of another tool's history; else empty
    struct operations operations;
    struct import_notes notes;          // of another tool's
    struct history_condition condition; // of Lockpick's own
    struct model_analysis analysis;     // its windows are sorted
    struct other_mapping others[3];
    size_t other_count;
    size_t granted, failed_acquires, failed_releases;
    bool has_token; // an acquire does
    enum case_verdict verdict;
    char reason[1600]; // of CASE_UNDECIDED
    char story[1024];  // of CASE_NOT_LINEARIZABLE
};

// Reads and decides. 0, or -1 after printing on standard error what is wrong. Free with
// check_case_free in either case.
int check_case_make(const char *path, const struct check_options *options,
                    struct check_case *result);
void check_case_free(struct check_case *result);

extern const char *const case_verdicts[]; // "linearizable", ...

// For people, on standard output.
void check_case_print(const struct check_case *result, bool coloured);

// For machines: harness/report/FORMATS.md; a new reference.
json_t *check_case_json(const struct check_case *result);

#endif
