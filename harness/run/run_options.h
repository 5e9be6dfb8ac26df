// What a run is asked for, and how the program ends after it.
#ifndef LOCKPICK_RUN_RUN_OPTIONS_H
#define LOCKPICK_RUN_RUN_OPTIONS_H

#include "harness/scenario/scenario.h"

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
    bool are_stored;     // the scenarios, by a run: set by verbs, no option
    bool own_files_only; // of a folder, not what is below it: set by verbs, no option
};

#endif
