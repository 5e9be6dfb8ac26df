// How long things took in a trial: sets of durations, of what belongs to the counted time
// (check.h); the same as histograms, kept so that repeats merge (percentiles never do), and
// written for other tools; and by phase of the load.
#ifndef LOCKPICK_STATS_LATENCIES_H
#define LOCKPICK_STATS_LATENCIES_H

#include "harness/base/rank.h"
#include "harness/check/check.h"
#include "harness/stats/histogram.h"

// Each once: its key in JSON and field in C, and the name of its file, which is its tag in the log.
//
//  acquire   to the grant, of every hold: from the intended beginning where there is one (an open
//            loop), else from the invocation. So an operation that had to wait for a worker,
//            because all were stopped by a stall, counts that time too (Tene's "coordinated
//            omission" is to leave it out)
//  acquire-uncorrected  from the invocation, whatever was intended; none in a closed loop, where it
//            would be the same
//  release   invoke to return, of every release that returned
//  hold      grant to release invoke, of every hold that was released
//  hand-off  release invoke to the next grant of the same key, of every release during which
//            somebody waited for it: an acquire was invoked before it and granted after it
//  told      from a loss, by another's grant, until its holder was told or went on no longer; only
//            the time in which it ran (harness/check/lost_lock.h). Of all losses of the trial
#define LATENCIES(X)                                                                               \
    X(ACQUIRE, acquire, "acquire")                                                                 \
    X(ACQUIRE_UNCORRECTED, acquire_uncorrected, "acquire-uncorrected")                             \
    X(RELEASE, release, "release")                                                                 \
    X(HOLD, hold, "hold")                                                                          \
    X(HAND_OFF, hand_off, "hand-off")                                                              \
    X(TOLD, told, "told")

enum latency {
#define X(id, field, name) LATENCY_##id,
    LATENCIES(X)
#undef X
        LATENCY_COUNT
};

struct latency_form {
    const char *key;  // "hand_off"
    const char *name; // "hand-off"
};

extern const struct latency_form latency_forms[LATENCY_COUNT];

// In nanoseconds, never negative. `items` may be sorted, which parts them from their ends. Free
// with durations_free.
struct durations {
    int64_t *items;
    int64_t *ends_ns; // when each was over
    size_t count;
};

struct durations durations_of(const struct trial_model *model, enum latency latency);
void durations_free(struct durations *durations);

// The driver's own lateness in an open loop: how long after it could have begun an operation did.
//
// An operation is taken by a worker that is free, which waits until its time. If it was free by
// then, all that passes until the invocation is the driver's doing: a timer that fired late, a
// processor that was busy. If it was not, nobody was (else another had taken it): the wait for a
// free worker is the lock's slowness, and only what passes after the worker became free is the
// driver's. A worker is free once its last operation has been released, or was given up, and it has
// thought; one whose last operation began late is held to have been free as much sooner, counted or
// not, so that one delay of the driver is found in all that queued up behind it.
struct lateness {
    // One for each operation of an open loop in the counted time whose worker is known to have been
    // free; none in a closed loop.
    struct durations late;
    // For each granted operation of the counted time, what is left of its acquire from the intended
    // beginning without its own lateness, as far as that is known; none in a closed loop.
    struct durations acquire_on_time;
};

// Free both sets with durations_free.
struct lateness lateness_of(const struct trial_model *model);

// What a trial cost in one phase of its load: where the clients or the rate differ, a figure of all
// phases together is one of no load in particular. An acquire belongs to the phase in which it was
// to begin (check.h), a grant to that in which it came.
struct phase_cost {
    int64_t from_ns, to_ns; // since the barrier
    int64_t clients;        // that took part
    int64_t rate;           // operations each 1000 s; 0: a closed loop. Of a ramp: it begins with
    bool counts;            // false: a warm-up
    size_t grants;
    int64_t due;  // operations of an open loop that were to begin in it, as far as is known
    int64_t held; // and of these, that did before it was over
    struct percentiles acquire; // exact; of an open loop from the intended beginning
    struct histogram histogram; // of the same
};

// In their order; none of a trial without phases. Operations that never began were the last ones
// due: they belong to the last phases that count, as many to each as it lets begin on average and
// are not there.
struct phase_costs {
    struct phase_cost *items;
    size_t count;
};

// Grants by the phase's length; 0 of one that never began.
double phase_cost_rate(const struct phase_cost *phase);

// False if more than a hundredth of what was to begin did not in time.
bool phase_cost_held_rate(const struct phase_cost *phase);

struct latency_record {
    struct histogram histograms[LATENCY_COUNT];
    struct phase_costs phases;
};

// Makes the record and, unless `folder` is NULL, writes `acquire.hgrm` and so on into it, and all
// of them by the second in which they ended into `latency.hlog`, whose times count from the
// barrier. What nothing was measured of has no file. 0, or -1 with `error` set; the record is there
// in any case. Free with latencies_free.
int latencies_write(const struct trial_model *model, const char *folder,
                    struct latency_record *record, struct error *error);
void latencies_free(struct latency_record *record);

#endif
