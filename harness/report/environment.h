// Where and on what a run happened: without it no figure can be compared with another.
#ifndef LOCKPICK_REPORT_ENVIRONMENT_H
#define LOCKPICK_REPORT_ENVIRONMENT_H

#include "harness/base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// How many processes ran or wanted to, on average over the last one, five and fifteen minutes, as
// in /proc/loadavg: of the whole machine, and of Lockpick's own trials too.
struct machine_load {
    bool is_known;
    double averages[3];
};

// "" or 0: not known.
struct environment {
    char lockpick_version[32];
    char kernel[128];
    char processor[128];
    int processors;
    int lanes;            // the most trials that were conducted at a time
    char servers[400];    // "redis-server 7.0.15, mariadbd 10.11.6": those that the run used
    char isolation[160];  // "namespaces" or "loopback (why)"
    char placement[240];  // "free: not pinned", "spread: pinned": of all its scenarios
    char durability[400]; // "redis: no persistence; mysql: log flushed at each commit"
    char clock_source[32];
    char governor[32];   // of the processors' speed, for example "performance"
    char began[40];      // ISO 8601, UTC: "2026-11-21T14:00:00Z"
    int64_t duration_ns; // of the whole run; 0: not known
    struct machine_load load_at_begin, load_at_end;
};

// Lists what differs between two environments and bears on costs, a line each, in words: "kernel:
// Linux 6.1 and Linux 6.18". Nothing is added if figures of the two may be compared. What is not
// known of one of them differs from what is known of the other. The loads are those of the last
// minute before the beginning. They differ if they are further apart than half a processor for each
// processor, and than a quarter of the higher one. Of a run that began while the load of the other
// was still dying away, the rest of that does not count.
// Returns how many lines were added.
size_t environment_differences(const struct environment *a, const struct environment *b,
                               struct text *out);

// The key `environment` of result.json: null is what is not known. The caller owns it.
json_t *environment_json(const struct environment *environment);

// Reads it; of older results, which lack some of it, that is not known. NULL: nothing is.
void environment_from_json(const json_t *object, struct environment *environment);

// Adds, in the same way, what bears on costs and of which neither of two such objects tells.
void environment_unknown(const json_t *a, const json_t *b, struct text *out);

#endif
