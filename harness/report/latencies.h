// The latencies of a trial as histograms: kept, so that repeats merge (percentiles never do), and
// written for other tools.
#ifndef LOCKPICK_REPORT_LATENCIES_H
#define LOCKPICK_REPORT_LATENCIES_H

#include "harness/check/check.h"
#include "harness/measure/histogram.h"
#include "harness/report/phase_costs.h"

enum latency {
    LATENCY_ACQUIRE,             // from the intended beginning: see durations.h
    LATENCY_ACQUIRE_UNCORRECTED, // of an open loop
    LATENCY_RELEASE,
    LATENCY_HOLD,
    LATENCY_HAND_OFF,
    LATENCY_TOLD,
    LATENCY_COUNT
};

// "acquire", "acquire-uncorrected", ...: the name of its file and its tag in the log.
const char *latency_name(enum latency latency);

// Each histogram in the V2 encoding, in base64: some hundred bytes, where one in memory takes
// 270 kB. NULL: nothing was measured.
struct latency_record {
    char *encoded[LATENCY_COUNT];
    int64_t max_ns[LATENCY_COUNT]; // exact, which a decoded histogram's is not
    struct phase_costs phases;
};

// Free with latencies_free.
void latencies_encode(const struct digest *digest, struct latency_record *record);
void latencies_free(struct latency_record *record);

// Adds what is recorded of it to a histogram that was started. 0, or -1 with `error` set.
int latencies_merge(const struct latency_record *record, enum latency latency,
                    struct histogram *histogram, struct error *error);

// Adds what was encoded, of which the largest value is `max_ns`; NULL: nothing. 0, or -1 with
// `error` set.
int latencies_merge_encoded(const char *encoded, int64_t max_ns, struct histogram *histogram,
                            struct error *error);

// As latencies_encode, and writes `acquire.hgrm` and so on into the folder, and all of them by the
// second in which they ended into `latency.hlog`, whose times count from the barrier. What nothing
// was measured of has no file. 0, or -1 with `error` set; the record is there in any case.
int latencies_write(const struct digest *digest, const char *folder, struct latency_record *record,
                    struct error *error);

#endif
