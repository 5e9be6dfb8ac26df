// The options of `lockpick check`.
#ifndef LOCKPICK_CLI_CHECK_OPTIONS_H
#define LOCKPICK_CLI_CHECK_OPTIONS_H

#include "harness/import/import.h"
#include "harness/model/model.h"

#include <stdio.h>

#define CHECK_MOST_RULES 32

struct check_options {
    const char **paths; // histories, folders of them, trials or runs; "-" is standard input
    size_t path_count, path_room;
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

// Parses argv[1..]. 0, or -1 with `error` set. Free with check_options_free in either case.
int check_options_parse(int argc, char **argv, struct check_options *options, struct error *error);
void check_options_free(struct check_options *options);

// The models and options: the rest of `lockpick help check`.
void check_options_print(FILE *out);

// "held", "released"; "nothing", "busy".
const char *failed_release_name(enum failed_release mapping);
const char *failed_acquire_name(enum failed_acquire mapping);

#endif
