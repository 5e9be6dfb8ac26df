// What the checks share: how long a hold was provably valid, definite holds sorted for a sweep,
// durations.
#ifndef LOCKPICK_CHECK_SWEEP_H
#define LOCKPICK_CHECK_SWEEP_H

#include "harness/check/check.h"

// A time for which a lock was held, from its grant on.
struct definite_hold {
    int64_t from_ns;
    int64_t to_ns;
    size_t hold; // index into model.holds
};

struct definite_holds {
    struct definite_hold *items; // sorted by from_ns, then by to_ns
    size_t count;
};

// Shortens `proven_until_ns` of the holds whose session may have been about to end when they were
// granted, or renewed; and of those that a server granted by a clock that it had not set since it
// stood still. Part of trial_model_make.
void sessions_bound(struct trial_model *model);

// The end of a lease, allowed drift taken off; TIME_NEVER if it does not expire.
int64_t without_drift_ns(const struct trial_model *model, int64_t until_ns);

// Until when the server must have kept the hold's lease.
static inline int64_t hold_lease_end_ns(const struct trial_model *model, const struct hold *hold)
{
    return without_drift_ns(model, hold->proven_until_ns);
}

// The latest that the lease may have ended: by what the service has said, whatever else speaks
// against it; or as if the last request that may have been granted had been.
static inline int64_t hold_told_end_ns(const struct trial_model *model, const struct hold *hold)
{
    return without_drift_ns(model, hold->told_until_ns);
}

// The same by the last that the service has said, whether or not there was a gap before.
static inline int64_t hold_last_end_ns(const struct trial_model *model, const struct hold *hold)
{
    return without_drift_ns(model, hold->valid_until_ns);
}

// From when on a holder that goes on is a stale one. Where it is not known which request was
// granted, that is the latest end of its lease, else the end that is proven.
static inline int64_t hold_stale_from_ns(const struct trial_model *model, const struct hold *hold)
{
    return hold->is_unanchored ? hold_told_end_ns(model, hold) : hold_lease_end_ns(model, hold);
}

// True if the worker still believed in the hold when it was stale.
static inline bool hold_outlived_lease(const struct trial_model *model, const struct hold *hold)
{
    return hold_stale_from_ns(model, hold) < hold->released_ns;
}

// True if some hold has a lease; if the store refused some write.
bool holds_have_leases(const struct trial_model *model);
bool store_refused_writes(const struct trial_model *model);

// The part of each definite hold until then: until hold_lease_end_ns, in which the lease was proven
// valid; until hold_told_end_ns, the latest end that it may have had. Holds that learned of their
// grant only when it was over have none. NULL: every definite hold in full, as long as the worker
// believed. Free `items`.
struct definite_holds definite_holds_until(const struct trial_model *model,
                                           int64_t (*until_ns)(const struct trial_model *,
                                                               const struct hold *));

// The definite holds that end last, of those that keep everybody out and of all: a sweep in the
// order of the definite holds keeps it, so that each definite hold meets whom it may not overlap.
// NULL where there is none yet.
struct latest {
    const struct definite_hold *exclusive;
    const struct definite_hold *any;
};

// Of the definite holds seen so far, the one that ends last among those that exclude a hold that is
// shared, or not; NULL if there is none.
static inline const struct definite_hold *latest_excluding(const struct latest *latest, bool shared)
{
    return shared ? latest->exclusive : latest->any;
}

void latest_see(struct latest *latest, const struct definite_hold *definite, bool shared);

// Goes from overlap to overlap, to the last one: while (overlaps_next(&overlaps)) ... A definite
// hold, `later`, begins before one that excludes it, and that began earlier, is over; or, of a
// semaphore, while all its permits are held. Of several such `earlier` ones it is the one that ends
// last.
struct overlaps {
    const struct definite_hold *earlier, *later;
    // The rest is its own.
    const struct trial_model *model;
    const struct definite_holds *holds;
    int64_t permits;
    struct ranked *ends;
    size_t next, ended;
    struct latest latest;
};

struct overlaps overlaps_start(const struct trial_model *model, const struct definite_holds *holds);
bool overlaps_next(struct overlaps *overlaps);

struct span {
    int64_t from_ns, to_ns;
};

struct spans {
    struct span *items;
    size_t count, room;
};

void span_add(struct spans *spans, struct span span);

// Sorts them, and makes one of those that overlap or touch, in place.
void spans_join(struct spans *spans);

// Sorts `lengths_ns` in place.
void distribution_make(int64_t *lengths_ns, size_t count, struct distribution *distribution);

#endif
