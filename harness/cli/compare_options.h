// The options of `lockpick compare`.
#ifndef LOCKPICK_CLI_COMPARE_OPTIONS_H
#define LOCKPICK_CLI_COMPARE_OPTIONS_H

#include "harness/cli/run_options.h"
#include "harness/report/comparison.h"

struct compare_options {
    struct run_options run; // of a comparison that runs the schemes itself; its paths are the words
    struct comparison_options comparison;
    const char *schemes[2];
    size_t scheme_count;
    bool all;  // also shows what did not change
    bool json; // the comparison
};

// Parses argv[1..]. 0, or -1 with `error` set. Free with compare_options_free in either case.
int compare_options_parse(int argc, char **argv, struct compare_options *options,
                          struct error *error);
void compare_options_free(struct compare_options *options);

// The option that only a comparison which runs the schemes can take, if one was given; or NULL.
const char *compare_options_of_runs(const struct compare_options *options);

// The rest of `lockpick help compare`.
void compare_options_print(FILE *out);

#endif
