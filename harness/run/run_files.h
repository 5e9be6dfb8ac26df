// The files of a run: the scenarios that it is made of, its folder, and what it writes and prints
// once its verdicts stand.
#ifndef LOCKPICK_RUN_RUN_FILES_H
#define LOCKPICK_RUN_RUN_FILES_H

#include "harness/report/run_report.h"
#include "harness/run/vocabulary.h"
#include "harness/scenario/scenario.h"

#include <sys/stat.h>

// --- what is asked for ---------------------------------------------------------------------------

#define MAX_OVERRIDES 32

// Exit codes of every verb.
enum exit_code {
    EXIT_AS_EXPECTED = 0,  // every expectation met
    EXIT_MISSED = 1,       // some expectation not met
    EXIT_USAGE = 2,        // wrong usage, or a scenario that is wrong
    EXIT_INCONCLUSIVE = 3, // some verdict is UNKNOWN
    EXIT_ENVIRONMENT = 4,  // something is missing on this machine, or broke
    EXIT_THRESHOLD = 5,    // a threshold was missed
};

struct run_options {
    const char *const *paths; // scenario files and folders
    size_t path_count;
    struct override overrides[MAX_OVERRIDES];
    size_t override_count;
    const char *schemes[MAX_OVERRIDES + 1]; // NULL-terminated globs; none: all
    const char *out;                        // the run's folder, or NULL: a new one in results/
    const char *junit; // where junit.xml goes besides the run's folder, or NULL
    const char *csv;   // where the table of all trials goes, or NULL
    int64_t seed;      // 0: the scenarios' own, else drawn
    int64_t repeat;    // 0: the scenarios' own
    int64_t again;     // how often a trial that could not be decided is performed again
    int64_t jobs;      // how many trials at a time, if they may; 0: as many as is usual
    bool keep_going;
    bool quiet;
    bool json;
    bool github; // workflow commands on standard output
    bool tap;    // the Test Anything Protocol there: of json, github and tap only one is given
    bool strict;
    bool no_namespaces;
    bool dry_run;        // nothing is run: the plan is told
    bool are_stored;     // the scenarios, by a run: set by verbs, no option
    bool own_files_only; // of a folder, not what is below it: set by verbs, no option
    // The schemes whose trials are to be told and to count (report_print_tried), or NULL: all. Set
    // by verbs, no option.
    const struct string_list *tried;
};

// --- paths ---------------------------------------------------------------------------------------

// What is at the path of that format, for S_ISDIR and S_ISREG; 0 if nothing is. Links are followed.
__attribute__((format(printf, 1, 2))) mode_t mode_at(const char *format, ...);

// The names in a folder but for those that begin with a dot, numbers in them counting as numbers;
// none of a folder that cannot be read. The caller frees.
struct string_list folder_entries(const char *path);

// --- scenarios -----------------------------------------------------------------------------------

struct scenario_set {
    struct scenario **scenarios;
    size_t count;
};

// Loads every file named, and every *.yaml below every folder named, in alphabetical order; what is
// not there is looked for where the program is installed. 0, or -1 after printing every complaint
// about every file on standard error. Free in either case.
int scenario_set_load(const struct run_options *options, const struct vocabulary *vocabulary,
                      struct scenario_set *set);
void scenario_set_free(struct scenario_set *set);

// --- the folder ----------------------------------------------------------------------------------

// In a run's folder: a line with the name of each trial that was planned.
#define PLANNED_FILE "planned.txt"

// 0 if the folder that the user named (if any) does not exist yet or is empty; else -1 with `error`
// set: trials of two runs in one folder could be taken for one run.
int run_folder_check(const struct run_options *options, struct error *error);

// Makes the folder (options->out, or a new one in results/) and puts the scenarios of the plan
// there, with the command line, and what would do the same again: as-run.yaml, or in as-run/ a file
// for each scenario, and where trials had different faults drawn, for each trial; and the names of
// all trials. Returns its path, which the caller frees, or NULL with `error` set.
char *run_folder_make(const struct run_options *options, const struct scenario_set *set,
                      const struct plan *plan, struct error *error);

// Keeps in the folder what does the same again: as-run/NAME.yaml, whose text it frees. A file that
// is alone becomes as-run.yaml once all are there. 0, or -1 with `error` set.
int as_run_keep(const char *folder, const char *name, char *text, struct error *error);
int as_run_settle(const char *folder, struct error *error);

// Removes what a run that was killed has left: in its folder the servers' data, and the room of
// histories that no event took; and half of a kept data folder (data_cache.h).
void run_folder_sweep(const char *folder);

// Points results/latest to the folder if it is in results/. Another run may do so at any time: to
// the user a run calls its folder by its name.
void run_folder_publish(const char *folder);

// --- outputs -------------------------------------------------------------------------------------

// Makes sure that the file which the option names can be written, makes its folder, and removes
// what an earlier run left there: nobody should take it for this one's. What is neither empty nor a
// plain file that begins so is left alone: a scenario, say. 0, or -1 with `error` set.
int output_check(const char *option, const char *path, const char *begins, struct error *error);

// Before a run starts: output_check of the files which the options name outside of the run's
// folder. 0, or -1 with `error` set.
int run_outputs_check(const struct run_options *options, struct error *error);

// Writes result.json, the reports and junit.xml into the run's folder. 0, or -1 after saying what
// could not be written on standard error.
int run_outputs_write_folder(const struct run_report *report);

// The same, and the files that the options name; prints what they ask for. Returns the exit code of
// the run.
int run_outputs_write(const struct run_result *run, const struct run_options *options);

#endif
