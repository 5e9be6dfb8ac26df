// What a trial cost in each phase of its load: where the clients or the rate differ, a figure of
// all phases together is one of no load in particular.
#ifndef LOCKPICK_REPORT_PHASE_COSTS_H
#define LOCKPICK_REPORT_PHASE_COSTS_H

#include "harness/base/percentile.h"
#include "harness/check/check.h"
#include "harness/measure/histogram.h"

// An acquire belongs to the phase in which it was to begin (counted.h), a grant to that in which it
// came.
struct phase_cost {
    int64_t from_ns, to_ns; // since the barrier
    int64_t clients;        // that took part
    int64_t rate;           // operations each 1000 s; 0: a closed loop. Of a ramp: it begins with
    bool counts;            // false: a warm-up
    size_t grants;
    int64_t due;  // operations of an open loop that were to begin in it, as far as is known
    int64_t held; // and of these, that did before it was over
    struct percentiles acquire; // exact; of an open loop from the intended beginning
    char *encoded;              // the same as a histogram in the V2 encoding; NULL: there are none
};

// In their order; none of a trial without phases.
struct phase_costs {
    struct phase_cost *items;
    size_t count;
};

// Operations that never began were the last ones due: they belong to the last phases that count, as
// many to each as it lets begin on average and are not there. Free with phase_costs_free.
void phase_costs_make(const struct digest *digest, struct phase_costs *costs);
void phase_costs_free(struct phase_costs *costs);

// Grants by the phase's length; 0 of one that never began.
double phase_cost_rate(const struct phase_cost *phase);

// False if more than a hundredth of what was to begin did not in time.
bool phase_cost_held_rate(const struct phase_cost *phase);

#endif
