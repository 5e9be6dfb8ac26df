// A rate limiter: a semaphore with time. Whoever is let through has a permit for the length of a
// window (`lock.lease`), counted from when the limiter let it through, and nobody gives one back:
// so no more may be let through than there are permits, in any window.
#include "harness/workloads/workload.h"

static const struct key_rule refuses[] = {
    {"store", "who is let through reads and writes no value"},
    {"fenced", "who is let through reads and writes no value"},
    {"boundary", "who is let through reads and writes no value"},
    {NULL, NULL},
};

static const struct workload_words words = {
    .thing = "limit",
    .acquires = "is let through",
    .learns = "learns that it was let through",
    .holds = "counts in the window",
    .believes = "counts in the window",
    .to_hold = "to have been let through",
    .holding = "let through",
    .told_lost = "is told that its permit is lost",
    .waits = "asks to be let through and waits",
    .granted = "been let through",
    .begins_release = "begins to give its permit back",
    .releases = {[RELEASE_RELEASED] = "gives its permit back",
                 [RELEASE_NOT_OWNER] = "tries to give its permit back: it is another's",
                 [RELEASE_GONE] = "tries to give its permit back: it is gone",
                 [RELEASE_UNKNOWN] = "tries to give its permit back and gets no answer",
                 [RELEASE_UNCHECKED] = "gives a permit back, whoever's it is"},
    .is_counted = true,
    .all_out = ": {permits} had been within the last {window}",
    .beyond = "{who} was let through when {permits} had been within the last {window}: {them}",
    .crowded = "{them} were let through within {length}, {who} last: whenever each was, more than "
               "{permits} got through within {window}",
    .too_many = "More than {permits} got through within {window}.",
    .token = "token",
    .writes = "writes",
    .update = "write",
    .updated = "wrote",
};

const struct workload limit_workload = {
    .name = "limit",
    .summary = "a rate limiter: no more than its permits may be let through in any window, which "
               "is as long as the lease",
    .form = {.own = permits_keys,
             .refuses = refuses,
             .trait = "limiter",
             .why_only = "it limits a rate, and nobody gives a permit of it back: it is for the "
                         "workload limit (scenarios/limit)"},
    .words = &words,
    .explored = "limit, permits: 1",
    .role = ROLE_LIMITER,
    .has_permits = true,
    .only_locks = true,
    .never_gives_back = true,
};
