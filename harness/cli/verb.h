// A verb of the command line: `lockpick VERB ...`. One file each, one line in verb.c. Its options
// are one table, from which they are read, explained and corrected.
#ifndef LOCKPICK_CLI_VERB_H
#define LOCKPICK_CLI_VERB_H

#include "harness/run/perform.h"

#include <stddef.h>
#include <stdio.h>

// How a value is stored in the struct of the verb's options, at `at`.
enum option_kind {
    OPTION_FLAG,   // no value: a bool becomes true
    OPTION_TEXT,   // a const char *, which is not empty; given once
    OPTION_NUMBER, // an int64_t from 1 to `most`; with `said`, from 0
    OPTION_WORD,   // an enum: the index of the value in `words`
    OPTION_OTHER,  // as `take` does it
};

struct option {
    const char *name;     // without the dashes; NULL ends a table
    const char *argument; // what the value is called; "" if there is none
    const char *help;
    enum option_kind kind;
    size_t at;
    int64_t most;
    const char *const *words; // NULL-terminated
    size_t said;              // the place of a bool that becomes true if it is given; 0: none
    // 0, or -1 with `error` set. The value may be written to, and lasts as long as the program.
    int (*take)(void *options, char *value, struct error *error);
};

// The fields of struct option from `kind` on; `type` is the struct of the verb's options.
#define FLAG(type, field) .kind = OPTION_FLAG, .at = offsetof(type, field)
#define TEXT(type, field) .kind = OPTION_TEXT, .at = offsetof(type, field)
#define NUMBER(type, field, limit) .kind = OPTION_NUMBER, .at = offsetof(type, field), .most = limit
#define WORD(type, field, choice) .kind = OPTION_WORD, .at = offsetof(type, field), .words = choice
#define TAKEN_BY(function) .kind = OPTION_OTHER, .take = function

// Options of several verbs, whose structs begin with a struct run_options.
// clang-format off
#define OPTION_SET                                                                                 \
    {"set", "KEY=VALUE", "as if the scenario said so: --set clients.threads=8 (repeatable)",       \
     TAKEN_BY(take_override)}
#define OPTION_SCHEME                                                                              \
    {"scheme", "GLOB", "only these of the scenarios' schemes: a name, glob or trait (repeatable)", \
     TAKEN_BY(take_scheme)}
#define OPTION_SEED                                                                                \
    {"seed", "N", "of all randomness, for the same choices again (default: drawn)",                \
     NUMBER(struct run_options, seed, INT64_MAX)}
#define OPTION_OUT                                                                                 \
    {"out", "DIR", "the run's folder (default: a new one in results/, results/latest names it)",   \
     TEXT(struct run_options, out)}
#define OPTION_NO_NAMESPACES                                                                       \
    {"no-namespaces", "", "runs on loopback ports even where namespaces can be had",               \
     FLAG(struct run_options, no_namespaces)}
// What is told of a run.
#define OPTIONS_OF_OUTPUTS                                                                         \
    {"tap", "",                                                                                    \
     "prints the Test Anything Protocol instead of tables: prove --exec 'lockpick run --tap'",     \
     FLAG(struct run_options, tap)},                                                               \
    {"strict", "", "a trial that is skipped for want of a server makes the exit code 4",           \
     FLAG(struct run_options, strict)},                                                            \
    {"quiet", "", "prints only the table and what was not expected",                               \
     FLAG(struct run_options, quiet)},                                                             \
    {"json", "", "prints result.json on standard output instead of tables",                        \
     FLAG(struct run_options, json)},                                                              \
    {"junit", "FILE", "also writes junit.xml to FILE, for CI servers",                             \
     TEXT(struct run_options, junit)},                                                             \
    {"csv", "FILE", "also writes a table to FILE, a line a trial, for spreadsheets",               \
     TEXT(struct run_options, csv)},                                                               \
    {"github", "",                                                                                 \
     "also prints GitHub's workflow commands, and a table to $GITHUB_STEP_SUMMARY",                \
     FLAG(struct run_options, github)}
// clang-format on

// What stands on the command line and is no option.
struct words {
    const char **items; // NULL-terminated
    size_t count;
};

struct verb {
    const char *name;
    const char *arguments; // as in the usage line
    const char *summary;
    // The rest of `lockpick help VERB`, from help_VERB.txt, or NULL: its options. A line "@options"
    // stands for them, one of another "@WORD" for what `fill` appends.
    const char *help;
    void (*fill)(const char *word, struct text *out);
    const struct option *options; // NULL: none
    size_t room;                  // of the struct that they are stored in, zero before
    int (*run)(const struct words *words, void *options); // returns the exit code
};

extern const struct verb try_verb, run_verb, replay_verb, explain_verb, explore_verb, find_verb;
extern const struct verb list_verb, history_verb, check_verb, report_verb, compare_verb, table_verb;
extern const struct verb init_verb, doctor_verb, clean_verb, agent_verb, version_verb, help_verb;
extern const struct verb *const verb_catalogue[]; // NULL-terminated

// Take a `--set`, KEY=VALUE, or a `--scheme` into a struct run_options.
int take_override(void *options, char *value, struct error *error);
int take_scheme(void *options, char *value, struct error *error);

// Runs the scenarios that the words name (run_scenarios), and says what the user must be told yet.
// Returns the exit code.
int verb_runs_scenarios(const struct verb *verb, const struct words *words,
                        struct run_options *options, const struct scenario_run *how, void *context);

// The scenario of a file that stands for its schemes, with what --set says, for the caller to free;
// NULL: what is wrong with it is said on standard error.
struct scenario *verb_load_scenario(const char *path, const struct run_options *options,
                                    const struct vocabulary *vocabulary);

// Performs the plan, as scenario_run has it of a context that begins with a struct run_options, and
// tells what came of it. Returns the exit code.
int verb_conducts(void *context, const struct sandbox *sandbox, const struct plan *plan,
                  char *folder);

// The one history that the words name: that of a trial, of a run that has only one, or a file.
// EXIT_AS_EXPECTED; else another exit code, after saying why. The caller frees `stored` in either
// case.
struct stored_path;
int one_history(const struct verb *verb, const struct words *words, struct stored_path *stored);

// Which events of a history are told: zero, all. Times count from the start of the trial.
struct event_filter {
    int64_t client;
    int64_t lock;     // its number; 0: all
    const char *kind; // a glob, or NULL
    int64_t from_ns, to_ns;
    bool says_client, says_from, says_to;
    bool lacks_usage; // what processes used, which tells nothing of a moment
};

// Prints them as JSON lines, or in columns for people. Returns the exit code.
int history_print(const struct verb *verb, const char *path, const struct event_filter *filter,
                  bool in_columns);

// Calls the verb of argv[0] with the options and words behind it. Returns the exit code.
int verb_call(int argc, char **argv);

// All verbs, a line each.
void verbs_print(FILE *out);

// What lets a shell complete verbs and options, made from their tables: appends a file for it to
// read.
enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };
extern const char *const shell_names[]; // by enum shell, NULL-terminated
void completion_write(enum shell shell, struct text *out);

// "lockpick VERB: message" on standard error, and where to read on. Returns EXIT_USAGE.
__attribute__((format(printf, 2, 3))) int usage_error(const struct verb *verb, const char *format,
                                                      ...);

// "lockpick VERB: message" on standard error. Returns `code`.
__attribute__((format(printf, 3, 4))) int verb_fails(const struct verb *verb, int code,
                                                     const char *format, ...);

// There is no `what` of that name; names the one of `names` (NULL-terminated) that may be meant.
// Returns EXIT_USAGE.
int no_such(const struct verb *verb, const char *what, const char *name, const char *const *names);

#endif
