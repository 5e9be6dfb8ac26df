// The options of `lockpick run`, declared once: parsed and explained from one table.
#ifndef LOCKPICK_CLI_RUN_OPTIONS_H
#define LOCKPICK_CLI_RUN_OPTIONS_H

#include "harness/base/error.h"
#include "harness/scenario/scenario.h"

#include <stdbool.h>

#define MAX_OVERRIDES 32

struct run_options {
    const char **paths; // scenario files and folders
    size_t path_count;
    struct override overrides[MAX_OVERRIDES];
    size_t override_count;
    const char *scheme; // glob, or NULL
    const char *out;    // the run's folder, or NULL: a new one in results/
    const char *junit;  // where junit.xml goes besides the run's folder, or NULL
    const char *csv;    // where the table of all trials goes, or NULL
    int64_t seed;       // 0: the scenarios' own, else drawn
    int64_t repeat;     // 0: the scenarios' own
    int64_t again;      // how often a trial that could not be decided is performed again
    int64_t jobs;       // how many trials at a time, if they may; 0: as many as is usual
    bool keep_going;
    bool quiet;
    bool json;
    bool github; // workflow commands on standard output
    bool tap;    // the Test Anything Protocol there: of json, github and tap only one is given
    bool strict;
    bool no_namespaces;
    bool own_files_only; // of a folder, not what is below it: set by verbs, no option
};

// Those of them that say what is told of a run, which `lockpick report` has too: option, its name
// on the command line, the name of its value ("" if it takes none), what it does.
#define OUTPUT_OPTIONS(X)                                                                          \
    X(tap, "tap", "",                                                                              \
      "prints the Test Anything Protocol instead of tables: prove --exec 'lockpick run --tap'")    \
    X(strict, "strict", "", "a trial that is skipped for want of a server makes the exit code 4")  \
    X(quiet, "quiet", "", "prints only the table and what was not expected")                       \
    X(json, "json", "", "prints result.json on standard output instead of tables")                 \
    X(junit, "junit", "FILE", "also writes junit.xml to FILE, for CI servers")                     \
    X(csv, "csv", "FILE", "also writes a table to FILE, a line a trial, for spreadsheets")         \
    X(github, "github", "",                                                                        \
      "also prints GitHub's workflow commands, and a table to $GITHUB_STEP_SUMMARY")

enum output_option {
#define X(id, name, value, help) OUTPUT_##id,
    OUTPUT_OPTIONS(X)
#undef X
        OUTPUT_COUNT
};

// Takes one of these; `value` is NULL if it has none. 0, or -1 with `error` set.
int output_option_take(struct run_options *options, enum output_option option, const char *value,
                       struct error *error);

// Parses argv[1..]. 0, or -1 with `error` set. Free with run_options_free.
int run_options_parse(int argc, char **argv, struct run_options *options, struct error *error);
void run_options_free(struct run_options *options);

// Takes a `--set`: KEY=VALUE. 0, or -1 with `error` set.
int run_options_set(struct run_options *options, const char *text, struct error *error);

// A line for each option, and the exit codes: the rest of `lockpick help run`.
void run_options_print(FILE *out);

#endif
