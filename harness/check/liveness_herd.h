// What a grant costs the servers and those who wait: requests, renewals, and waiters woken. With
// many waiters these tell a herd, where a release wakes all of them and all but one ask in vain,
// from a line, where it wakes one.
#ifndef LOCKPICK_CHECK_LIVENESS_HERD_H
#define LOCKPICK_CHECK_LIVENESS_HERD_H

#include "harness/check/check.h"

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
void herd_measure(const struct digest *digest, struct herd *herd);

// That many of something for each grant; NaN without a grant, or if nobody can tell (-1).
double herd_per_grant(const struct herd *herd, int64_t count);

#endif
