// How the grants of the counted time were shared out.
#ifndef LOCKPICK_REPORT_SHARES_H
#define LOCKPICK_REPORT_SHARES_H

#include "harness/check/fairness.h"

// Leaves out of the figures about shares (workers, jain, least_grants, most_grants, grants) what
// does not belong to the counted time. Those about turns stay of the whole trial.
void shares_of_counted(const struct digest *digest, struct fairness *fairness);

// The longest that any acquire of the counted time waited from its invocation, granted or not; one
// that never returned, until its worker died or the trial ended.
int64_t longest_counted_wait_ns(const struct digest *digest);

#endif
