// Liveness as figures: how soon a lock that had become free, or should have, was granted again.
//
// A wait for the next grant says something about the lock only if somebody waited for it all the
// time (see liveness.c); all others are left out, and a figure without any is empty. Only
// grants before the end of the trial count: what comes after it may be the harness's doing.
//
// Of several locks, each is looked at for itself, and all their waits are counted together; where
// there is one figure (of a fault, of the end) it is that of the lock that fared worst.
#ifndef LOCKPICK_CHECK_LIVENESS_H
#define LOCKPICK_CHECK_LIVENESS_H

#include "harness/check/check.h"

// Exact percentiles of waits, by nearest rank; all 0 if there are none.
struct wait_figures {
    size_t count;
    int64_t p50_ns, p99_ns, max_ns;
};

// From the end of one fault to the next grant.
struct heal_wait {
    int fault; // its number in the scenario
    int64_t wait_ns;
};

// Zeros mean that nothing is known.
struct liveness {
    // From a release, as it was asked for, that the server did, or that no server checked. Of a
    // lock held by readers and writers: only from a writer's.
    struct wait_figures after_release;
    // From the death of a holder, or of a worker that was just releasing.
    struct wait_figures after_crash;
    // From the end of a lease whose holder had not released the lock by then, dead or alive. The
    // lease is the holder's: a server lets it last a little longer.
    struct wait_figures after_expiry;
    // From the end of a fault, whether or not the lock was free then.
    struct wait_figures after_heal;
    struct heal_wait heals[MOST_FAULTS]; // the longest by fault, in the order of the scenario
    size_t heal_count;
    int64_t longest_wait_ns; // of any acquire, granted or not
    // For how long before the trial's end nobody was granted a lock although somebody waited for it
    // all the time; 0 if nobody did.
    int64_t unserved_ns;
    enum residual_lock left;
};

// Derives the figures; O(n log n) of the acquires.
void liveness_measure(const struct trial_model *model, struct liveness *liveness);

// The longest that any acquire waited from its invocation, granted or not; one that never returned,
// until its worker was killed or the trial ended. Of all acquires, or of the counted time's.
int64_t longest_wait_ns(const struct trial_model *model, bool only_counted);

// --- the herd

// What a grant costs the servers and those who wait: requests, renewals, and waiters woken. With
// many waiters these tell a herd, where a release wakes all of them and all but one ask in vain,
// from a line, where it wakes one.

// Of the counted time (counted.h): workers tell where a warm-up begins and ends for them. In
// histories that are older than that, a warm-up is in it.
//
// Each client counts for itself and tells at its end, so those that were killed are left out, with
// all that they did, and those of whom a damaged history lacks a part. Zeros mean that nothing is
// known.
struct herd {
    // Somebody told of at least one request. False of histories that are older than the counts, or
    // another tool's, and of schemes that ask no server.
    bool is_known;
    size_t grants;            // to the clients that told
    int64_t acquire_requests; // sent in acquires, also in those that gave up
    int64_t release_requests;
    int64_t renewals; // of leases, by clients' watchdogs
    int64_t wakeups; // waits in acquires that a notification ended: a message, a watch. -1: some of
                     // an external lock cannot be told
};

// Adds it all up, in one pass over the history.
void herd_measure(const struct trial_model *model, struct herd *herd);

// That many of something for each grant; NaN without a grant, or if nobody can tell (-1).
double herd_per_grant(const struct herd *herd, int64_t count);

#endif
