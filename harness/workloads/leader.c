// A leader: candidates campaign for the lock, and whoever holds it leads for a term. In that it
// acts: each act is a guarded update that reads how many there were, and writes one more. It
// resigns when its term is over, when it is told that the lock is lost, when the store refuses an
// act for a newer term's token, and before a lease ends that nobody renews.
#include "harness/workloads/workload.h"

static const struct key_rule own[] = {
    {"acts", "only a leader acts"}, {"every", "only a leader acts"}, {NULL, NULL}};

static const struct workload_words words = {
    .acquires = "leads",
    .learns = "learns that it was elected",
    .holds = "leads",
    .believes = "leads",
    .to_hold = "to lead",
    .holding = "leading",
    .told_lost = "is told that it leads no more",
    .waits = "campaigns and waits",
    .granted = "been elected",
    .begins_release = "begins to resign",
    .releases = {[RELEASE_RELEASED] = "resigns",
                 [RELEASE_NOT_OWNER] = "tries to resign: it leads no more",
                 [RELEASE_GONE] = "tries to resign: nobody leads any more",
                 [RELEASE_UNKNOWN] = "tries to resign and gets no answer",
                 [RELEASE_UNCHECKED] = "resigns without looking who leads"},
    .token = "term",
    .writes = "acts: writes",
    .update = "act",
    .updated = "acted on",
};

const struct workload leader_workload = {
    .name = "leader",
    .summary = "candidates campaign; who leads acts, each act a guarded update, until it resigns",
    .form = {.own = own},
    .next = increment_next,
    .words = &words,
    .role = ROLE_LEADER,
    .tells_missing = true,
    .leads = true,
};
