// Looks for the highest rate that still meets a target: doubles until one does not (or halves until
// one does), then bisects. It asks for rates and is told what came of them; measuring is another's.
//
// Latency under load is noisy: what is found has met the target once, and something a little above
// it has missed it once. Whoever reports it should measure it again.
#ifndef LOCKPICK_MEASURE_RATE_SEARCH_H
#define LOCKPICK_MEASURE_RATE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

struct rate_search {
    int64_t least, most; // rates beyond which it does not look
    int64_t met;         // the highest that met the target; 0: none yet
    int64_t missed;      // the lowest that missed it; 0: none yet
    int64_t next;        // 0: the search is over
};

// All rates are in one unit. 0 < least <= first <= most.
struct rate_search rate_search_start(int64_t first, int64_t least, int64_t most);

// Tells what came of `search->next`, and sets the next one. Over once the two that enclose the
// result are within a twentieth of each other, or the ends are reached.
void rate_search_tell(struct rate_search *search, bool met);

#endif
