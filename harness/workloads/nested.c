// A method that locks calls another that locks the same: each updates the account, and the outer
// one once more after the inner one has returned.
#include "harness/workloads/workload.h"

static const struct key_rule own[] = {{"depth", "only nested locks again"}, {NULL, NULL}};

const struct workload nested_workload = {
    .name = "nested",
    .summary =
        "a holder locks again, as a method does that calls another; each updates the account",
    .form = {.own = own, .trait = "reentrant"},
    .next = increment_next,
    .nests = true,
};
