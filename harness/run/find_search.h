// The highest rate at which one lock meets the target of its scenario, looked for trial by trial.
#ifndef LOCKPICK_RUN_FIND_SEARCH_H
#define LOCKPICK_RUN_FIND_SEARCH_H

#include "harness/cli/run_options.h"
#include "harness/cluster/sandbox.h"
#include "harness/measure/rate_search.h"
#include "harness/report/report.h"

// What is looked for, and with what.
struct find_request {
    struct run_options options; // as every trial is performed
    struct scenario *scenario;  // whose rates are changed from trial to trial
    struct load_settings *phase;
    int64_t first_rate;      // with which every search begins; rates are each hour
    const struct plan *plan; // one trial of each scheme
    char *folder;
    const struct sandbox *sandbox;
    int serial;                     // how many trials there were
    struct environment environment; // of the first of them; its last load is that of the last
};

// What came of one trial.
struct find_step {
    int64_t rate;
    int64_t due, begun; // operations
    int64_t granted;
    int64_t figure_ns; // what the target is about; 0 if nothing was granted
    enum rate_answer answer;
    char why[400]; // RATE_DRIVER: by what the driver was the limit
    enum verdict verdict;
    char *folder; // of the trial's run, inside the request's. Owned
};

enum find_outcome {
    FIND_FOUND,
    FIND_NONE,   // even the lowest rate misses the target
    FIND_DRIVER, // beyond what meets it, if anything does, the driver was the limit
    FIND_FAILED, // a trial could not be performed
    FIND_NOT_TRIED,
};

struct find_result {
    const struct trial *trial;
    const char *figure; // "p99", ...
    int64_t limit_ns;
    struct find_step *steps;
    size_t count, room;
    struct rate_search search;
    enum find_outcome outcome;
    char reason[400]; // why it failed, or was not tried
};

// The figure that the target is about: its name and limit. A limit of 0: there is no target.
const char *find_figure(const struct load_target *target, int64_t *limit_ns);

// Whether the statistics of a trial meet the target. A miss is the driver's if the whole trial is
// driver-bound, or if the target would be met without the driver's own lateness; what is met by
// fewer acquires than the figure takes (percentile_has_enough) tells as little of the lock.
enum rate_answer find_judge(const struct load_target *target, const struct statistics *statistics);

// The lowest rate, each hour, that has in all likelihood enough operations in `for_ns` to tell the
// figure of the target; at least one a minute.
int64_t find_least_rate(const struct load_target *target, int64_t for_ns);

// Looks for no rate below find_least_rate. Calls `tell` after each trial. Free with
// find_result_free.
void find_search(struct find_request *request, const struct trial *trial,
                 void (*tell)(const struct find_result *result), struct find_result *result);
void find_result_free(struct find_result *result);

#endif
