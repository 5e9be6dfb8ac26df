// The options of `lockpick check`.
#ifndef LOCKPICK_CLI_CHECK_OPTIONS_H
#define LOCKPICK_CLI_CHECK_OPTIONS_H

#include "harness/model/model.h"

#include <stdio.h>

struct check_options {
    const char *path;          // a history, or the folder of a trial or run
    const struct model *model; // NULL: judged by its scenario
    struct model_options model_options;
    bool says_failed_release; // false: what a failed release means depends on the history
    const char *picture;      // where to draw the first violation, or NULL
    bool json;
};

// Parses argv[1..]. 0, or -1 with `error` set.
int check_options_parse(int argc, char **argv, struct check_options *options, struct error *error);

// The models and options: the rest of `lockpick help check`.
void check_options_print(FILE *out);

// "held", "released"; "nothing", "busy".
const char *failed_release_name(enum failed_release mapping);
const char *failed_acquire_name(enum failed_acquire mapping);

#endif
