// Fairness as figures: how evenly the grants were shared out, and whether who came first was served
// first.
//
// Only what the history proves, or makes very likely, counts as out of turn. A worker takes its
// place in line by a request to a server, some time after it asked for the lock, so the order of
// asking alone proves nothing. A grant is out of turn if its worker asked for the lock after
// another had certainly taken its place, and was granted it while that one still waited:
//
//  - Schemes that line up say so themselves, by the event `queued`, once the server has confirmed
//    the place: that is proof (ORDER_QUEUED). Only for schemes that promise the order (trait
//    `fair`) is it a fault; Redisson's fair lock lets a place run out, by the clients' clocks.
//  - All others promise no order, and have no places. There a worker counts as in line once a
//    request would long have been answered: after the 99th percentile of the trial's own releases
//    (ORDER_ASKED). That is a description and no proof.
//
// Acquires that were not granted are left out: when they gave up their place is not known. So are
// those during which a fault stopped their worker or cut it off: it may have lost its place with
// its session, or have been granted the lock long before it learned of it. So are readers among
// themselves, who need not wait for each other, and semaphores: their permits are granted together,
// and the order in which their holders learn of it says nothing. Of several locks, whoever waits
// for one stands in no other's line: turns are those of each lock, counted together, and the
// deepest is the deepest of any.
#ifndef LOCKPICK_CHECK_FAIRNESS_H
#define LOCKPICK_CHECK_FAIRNESS_H

#include "harness/check/check.h"

enum order_known {
    ORDER_UNKNOWN, // nothing can be said
    ORDER_ASKED,   // by when workers asked for the lock, and a margin
    ORDER_QUEUED,  // by when they had taken their places, for certain
};

// Zeros mean that nothing is known.
struct fairness {
    size_t workers;                   // that asked for the lock at all
    double jain;                      // see fairness_measure; 0 without a grant
    size_t least_grants, most_grants; // of any of the workers
    size_t grants;                    // of all of them
    enum order_known order;
    int64_t margin_ns;       // ORDER_ASKED: how long after its asking a worker counts as in line
    size_t contested;        // grants while somebody else stood in line
    size_t out_of_turn;      // of these, to one who had come after one who still waited
    size_t overtaken;        // waits during which that happened, at least once
    size_t deepest;          // by how many one of them was overtaken
    size_t deepest_hold;     // which one: index into model.holds; SIZE_MAX if none was
    int64_t deepest_wait_ns; // and for how long it had waited in the end
};

// Derives the figures; O(n log n) of the acquires. The index of fairness is Jain's, (Σx)² / (n Σx²)
// of the grants x of each of the n workers that asked: 1 if all got the same, 1/n if one got all
// (Jain, Chiu and Hawe, DEC-TR-301, 1984). Shares are those of the counted time (counted.h), turns
// those of the whole trial.
void fairness_measure(const struct trial_model *model, struct fairness *fairness);

// --- the line before a lock: since when a worker certainly stood in it, and who passed it by
// --------

// Sets places_ns[i] to when the acquire of hold i certainly stood in line; TIME_NEVER: it did not
// before it was granted, or a fault held it up. With ORDER_ASKED *margin_ns is how long after its
// asking that is.
enum order_known places_find(const struct trial_model *model, int64_t *places_ns,
                             int64_t *margin_ns);

// For each hold, how many holds were asked for after it had its place, and granted before it was.
// Two shared holds do not pass each other by. The caller frees the array.
size_t *places_overtakings(const struct trial_model *model, const int64_t *places_ns);

#endif
