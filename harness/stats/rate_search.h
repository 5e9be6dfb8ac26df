// Looks for the highest rate that still meets a target: doubles until one does not (or halves until
// one does), then bisects. It asks for rates and is told what came of them; measuring is another's.
//
// Latency under load is noisy, so one trial of a rate proves little, least of all the first: a miss
// by chance would keep the search below it for good. The search goes on single trials until the two
// rates that enclose the result are close, and then tries these two again, in turn, until two of
// three trials of each agree. If they turn a bound over, the search goes on from there. A miss of
// the driver's says nothing of what is measured, and is tried again at once, before it bounds
// anything.
#ifndef LOCKPICK_STATS_RATE_SEARCH_H
#define LOCKPICK_STATS_RATE_SEARCH_H

#include "harness/stats/statistics.h"

// More than any search between two rates of 64 bits tries, unless the trials contradict each other
// all the time; such a one ends there.
#define MOST_RATES 160

enum rate_answer {
    RATE_MET,
    RATE_MISSED,
    RATE_DRIVER, // missed, and the driver was the limit: nothing is known of what was measured
};

// What came of one rate in all its trials.
struct rate_votes {
    int64_t rate;
    int met, missed, driver;
    enum rate_answer first; // which counts while the others are even
};

struct rate_search {
    int64_t least, most;          // rates beyond which it does not look
    int64_t (*readable)(int64_t); // rounds a rate down to one that people can read, or NULL
    struct rate_votes votes[MOST_RATES];
    size_t count;
    int64_t met;    // the highest that met the target below all that missed it; 0: none
    int64_t missed; // the lowest that missed it; 0: none
    int64_t next;   // 0: the search is over
};

// All rates are in one unit. 0 < least <= first <= most.
struct rate_search rate_search_start(int64_t first, int64_t least, int64_t most,
                                     int64_t (*readable)(int64_t));

// Tells what came of `search->next`, and sets the next one. Over once the two that enclose the
// result are within a twentieth of each other, or the ends are reached, and both are confirmed.
void rate_search_tell(struct rate_search *search, enum rate_answer answer);

// All trials of a rate, or NULL if it was not tried.
const struct rate_votes *rate_search_votes(const struct rate_search *search, int64_t rate);

// What most of the trials of a rate say. Of a miss each, of the lock's and of the driver's, that it
// was the driver.
enum rate_answer rate_votes_say(const struct rate_votes *votes);

// --- the target ----------------------------------------------------------------------------------

// The percentile that has a limit in the target.
enum percentile rate_target(const struct percentiles *target);

// Operations that never began, or were not granted, have no latency that could miss the target: of
// those that were due, a hundredth may be so.
bool rate_is_met(const struct percentiles *target, const struct percentiles *measured,
                 const struct statistics *statistics);

// Whether the statistics of a trial meet the target. A miss is the driver's if the whole trial is
// driver-bound, or if the target would be met without the driver's own lateness; what is met by
// fewer acquires than the figure takes (percentile_has_enough) tells as little of the lock.
enum rate_answer rate_judge(const struct percentiles *target, const struct statistics *statistics);

// The lowest rate, each hour, that has in all likelihood enough operations in `for_ns` to tell the
// figure of the target; at least one a minute.
int64_t rate_least(const struct percentiles *target, int64_t for_ns);

#endif
