// Times at which processes could have run and did not: what only they explain says nothing about a
// lock.
#ifndef LOCKPICK_CHECK_STALLS_H
#define LOCKPICK_CHECK_STALLS_H

#include "harness/check/describe.h"

// Adds to the trial model's stalls, for which it has so much room, what was late besides, and makes
// one of the pieces of each. Part of trial_model_make.
void stalls_complete(struct trial_model *model, size_t room);

// Whose stalls matter, besides the machine's: those of one client with its proxy and its driver,
// and of the servers, which it waits for; of the servers alone; or of everybody, the conductor
// included, who strikes and ends faults. Stalls of other clients keep nobody.
#define STALLS_OF_SERVERS 0
#define STALLS_OF_ALL (-1)

// How long one or another of them stood still between the two times; 0 if the second is the earlier
// one. O(log stalls + those that began in between, or not longer before than the longest is).
int64_t stalled_ns(const struct trial_model *model, int whose, int64_t from_ns, int64_t to_ns);

// The longest of their stalls that had ended by that time, which the next one, not recorded yet,
// may be as long as; 0 if there was none.
int64_t longest_stall_ns(const struct trial_model *model, int whose, int64_t to_ns);

// "client-1 stood still for 1.09 s", or, if there were several, "... for 1.42 s in all, at once for
// 1.09 s (client-1)".
struct words describe_stalls(const struct trial_model *model, int whose, int64_t from_ns,
                             int64_t to_ns);

// True if two servers that are known (by their numbers; 0: not known) led one after the other, or
// at once, and no fault on either of them explains that: their group chose another leader by
// itself.
bool leaders_were_two(const struct trial_model *model, int one, int other, int64_t to_ns);

// True if a server may have lost its role between the two times because it, or the machine, stood
// still, and its locks with it: its topology replaces it by a copy that lags behind, and no fault
// was on the servers that does the same. `one` and `other`: the servers that two requests went to,
// 0 if that is not known.
bool stall_may_have_deposed(const struct trial_model *model, int one, int other, int64_t from_ns,
                            int64_t to_ns);

// True if what the scenario is about may not have happened in its time: while it ran, until its
// faults and a lease after them were over, somebody (the conductor included) stood still for half
// of the shortest time that the scenario relies on: the lease, the time-out of a request, the bound
// of a fault; half, as each has another half to spare. Where a fault waits for a cause, which says
// that others hold the lock by now, that is half of a hold, at the moment at which the cause ends
// it. Or it has faults, and all together stood still for a tenth of the time: then nobody was on
// time. Those that did are told then.
bool stalls_may_have_upset(const struct trial_model *model, struct words *which);

// Makes a violation an undecided finding, and says so, if a fault held somebody up between the two
// times for so much longer than it was to that a lease may have ended by it: the conductor was
// late. One that was drawn is to be survived; any other was to be over, by its bound, before the
// lease of the finding's first hold ran out.
void finding_blame_late_end(const struct trial_model *model, int64_t from_ns, int64_t to_ns,
                            struct finding *finding);

// Makes a violation, which stalls could explain, an undecided finding that says so.
void finding_blame_stalls(const struct trial_model *model, int whose, int64_t from_ns,
                          int64_t to_ns, struct finding *finding);

// The same if the fault held the holder at its point until it was in effect.
void finding_blame_point(const struct fault_record *record, struct finding *finding);

// The same of one that stall_may_have_deposed explains, by the servers that it was asked about.
void finding_blame_deposing(const struct trial_model *model, int one, int other,
                            struct finding *finding);

#endif
