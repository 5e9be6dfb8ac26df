// The hot account: everybody reads the balance, adds one, writes it back. An update is lost when
// two have read the same balance.
#include "harness/workloads/workload.h"

static int64_t initial(const struct workload_settings *settings)
{
    (void)settings;
    return 0;
}

static int64_t operations(const struct workload_settings *settings)
{
    return settings->operations;
}

static bool next(int64_t seen, int64_t *written)
{
    *written = seen + 1;
    return true;
}

const struct workload increment_workload = {
    .name = "increment",
    .summary = "a hot account: read the balance, add 1, write it back",
    .initial = initial,
    .operations = operations,
    .next = next,
};
