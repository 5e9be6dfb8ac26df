// The keys `liveness`, `fairness` and `herd` of each trial in result.json. Fields are only ever
// added; null means that nothing is known, or that it says nothing. Objects of waits have count,
// p50_ns, p99_ns, max_ns; they count only waits for the next grant during all of which somebody
// waited.
//
//    liveness      object or null (without a history):
//      after_release   waits or null  from a release
//      after_crash     waits or null  from the death of a holder
//      after_expiry    waits or null  from the end of a lease that its holder had outlived
//      after_heal      waits or null  from the end of a fault
//      heals           array of {fault: integer, wait_ns: integer}: the same, by fault; of several
//                                     locks the longest
//      longest_wait_ns integer        of any acquire, granted or not
//      unserved_ns     integer        for how long before the end somebody waited and nobody was
//                                     granted the lock
//      orphan          boolean        the lock was still on the servers when all had ended, and
//                                     nothing was going to free it; null: nobody could tell
//    fairness      object or null (without a history):
//      workers         integer        that asked for the lock
//      jain            number         Jain's index of their grants
//      least_share, most_share  numbers  the smallest and the largest part of the grants that one
//                                     worker got
//      promised        boolean        the scheme promises the order of asking
//      turns           object or null (nothing can be said):
//        proven          boolean      by places in line that the servers confirmed; false: by the
//                                     order of asking, with a margin
//        margin_ns       integer      the margin; 0 if proven
//        contested       integer      grants while somebody else stood in line
//        out_of_turn     integer      of these, to one who came after one that still waited
//        out_of_turn_share number     of the contested
//        overtaken       integer      waits during which that happened
//        deepest         integer      by how many one of them was overtaken
//        deepest_wait_ns integer      and how long it waited
//    herd          object or null (nobody counted): grants: integer; requests_per_grant,
//                           acquire_requests_per_grant, release_requests_per_grant,
//                           renewals_per_grant, wakeups_per_grant: numbers, the last null where
//                           an external lock does not show them; of clients that lived
//                           to the end
#ifndef LOCKPICK_REPORT_JSON_LIVENESS_H
#define LOCKPICK_REPORT_JSON_LIVENESS_H

#include "harness/report/report.h"

#include <jansson.h>

// The caller owns what they return.
json_t *liveness_json(const struct trial_result *result);
json_t *fairness_json(const struct trial_result *result);
json_t *herd_json(const struct trial_result *result);

#endif
