// Which of a run's scenarios its pictures of costs are about.
#ifndef LOCKPICK_REPORT_COST_CHOICE_H
#define LOCKPICK_REPORT_COST_CHOICE_H

#include "harness/report/scheme_cost.h"

// The scenarios without faults of which there is a history: what a fault does to a lock is no cost
// of it. Those of most schemes come first; then those of a steady load before those whose phases
// differ, as a latency of all phases together is one of no load in particular.
struct cost_choice {
    const struct scenario **scenarios;
    size_t count;
};

// Free with cost_choice_free.
void cost_choice_make(const struct run_result *run, struct cost_choice *choice);
void cost_choice_free(struct cost_choice *choice);

// True if the number of clients or the rate differs between phases that are measured.
bool cost_load_varies(const struct scenario *scenario);

// The first trial of each scheme of a scenario, in the run's order, as indices into its trials;
// only of schemes with a history. Returns how many; the caller frees them.
size_t cost_schemes(const struct run_result *run, const struct scenario *scenario,
                    size_t **indices);

// What a legend calls the scheme: with an asterisk if it was driver-bound in any repeat, which the
// note explains. The caller frees it.
char *cost_name(const struct scheme_cost *cost);
extern const char cost_driver_note[];

// The same where acquire latencies are shown: also with an asterisk if one of them was late.
char *cost_name_of_acquire(const struct scheme_cost *cost);
extern const char cost_late_note[];

// "lockpick-bench", and behind it what is odd about its load: what a title calls the scenario.
void cost_title(const struct scenario *scenario, struct text *out);

#endif
