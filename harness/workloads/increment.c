// The hot account: everybody reads the balance, adds one, writes it back. An update is lost when
// two have read the same balance.
#include "harness/workloads/workload.h"

bool increment_next(const struct scenario *scenario, int64_t operation, int64_t seen,
                    int64_t *written)
{
    (void)scenario;
    (void)operation;
    *written = seen + 1;
    return true;
}

const struct workload increment_workload = {
    .name = "increment",
    .summary = "a hot account: read the balance, add 1, write it back",
    .next = increment_next,
    .tells_missing = true,
};
