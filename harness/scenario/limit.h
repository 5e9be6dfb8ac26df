// What a threshold of a scenario says: `acquire.p99 < 50ms`, `violations == 0`.
#ifndef LOCKPICK_SCENARIO_LIMIT_H
#define LOCKPICK_SCENARIO_LIMIT_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>

// What can be limited. The latencies come first: each needs a percentile.
enum metric {
    METRIC_ACQUIRE,
    METRIC_ACQUIRE_UNCORRECTED,
    METRIC_RELEASE,
    METRIC_HOLD,
    METRIC_HAND_OFF,
    METRIC_TOLD,
    METRIC_THROUGHPUT,   // grants each second
    METRIC_VIOLATIONS,   // of any property that did harm
    METRIC_JAIN,         // Jain's index of the workers' shares
    METRIC_COMMANDS,     // to servers, for each grant
    METRIC_LONGEST_WAIT, // of any acquire, granted or not
    METRIC_RECOVERY,     // from a fault's taking effect to the first grant after it
    METRIC_UNAVAILABLE,  // nobody was granted the lock after a fault, although somebody wanted it
    METRIC_EXPIRED,      // grants of whose lease nothing was left when they came
    METRIC_COUNT
};

enum relation { RELATION_BELOW, RELATION_AT_MOST, RELATION_ABOVE, RELATION_AT_LEAST, RELATION_IS };

struct limit {
    enum metric metric;
    double percent; // of a latency: 99.9; 100 is the longest
    enum relation relation;
    double bound;  // in nanoseconds, each second, or plain
    char text[64]; // "acquire.p99 < 50ms"
};

// Reads `METRIC < VALUE` (or <=, >, >=, ==). 0, or -1 with `error` set to what is wrong with it.
int limit_read(const char *text, struct limit *limit, struct error *error);

bool metric_is_latency(enum metric metric);
bool metric_is_time(enum metric metric);  // its bound is in nanoseconds
bool metric_is_count(enum metric metric); // a whole number

// "acquire", "throughput": without a percentile.
const char *metric_name(enum metric metric);

// "<=".
const char *relation_name(enum relation relation);

// For the reference: the nth metric, what its value is, and what it means; false beyond the last.
struct metric_words {
    const char *name, *value, *meaning;
};
bool metric_describe(size_t nth, struct metric_words *words);

// True if the measured figure, in the unit of the bound, is as the limit says.
bool limit_is_met(const struct limit *limit, double measured);

#endif
