// By what a search for the highest rate goes.
#ifndef LOCKPICK_CLI_FIND_H
#define LOCKPICK_CLI_FIND_H

#include "harness/report/report.h"
#include "harness/stats/rate_search.h"

// Whether the statistics of a trial meet the target. A miss is the driver's if the whole trial is
// driver-bound, or if the target would be met without the driver's own lateness; what is met by
// fewer acquires than the figure takes (percentile_has_enough) tells as little of the lock.
enum rate_answer find_judge(const struct percentiles *target, const struct statistics *statistics);

// The lowest rate, each hour, that has in all likelihood enough operations in `for_ns` to tell the
// figure of the target; at least one a minute.
int64_t find_least_rate(const struct percentiles *target, int64_t for_ns);

#endif
