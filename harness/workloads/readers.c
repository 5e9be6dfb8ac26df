// Many read the account, some update it. A reader looks twice: what it sees must not change while
// it holds the lock.
#include "harness/workloads/workload.h"

static bool only_reads(const struct scenario *scenario, struct random *random)
{
    return (int64_t)random_below(random, 100) < scenario->workload.readers;
}

static const struct key_rule own[] = {{"readers", "only readers has operations that only read"},
                                      {NULL, NULL}};

const struct workload readers_workload = {
    .name = "readers",
    .summary = "most read the account twice under a shared lock, the others update it alone",
    .form = {.own = own, .trait = "shared"},
    .next = increment_next,
    .only_reads = only_reads,
};
