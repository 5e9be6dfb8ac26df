// A flash sale: buyers come once, read the stock, and take one unit if there is one. Who sees n
// units left buys unit n; two buyers of one unit are an oversale.
#include "harness/workloads/workload.h"

static int64_t initial(const struct scenario *scenario)
{
    return scenario->workload.stock;
}

static int64_t operations(const struct scenario *scenario)
{
    return scenario->workload.buyers;
}

static bool next(const struct scenario *scenario, int64_t operation, int64_t seen, int64_t *written)
{
    (void)scenario;
    (void)operation;
    *written = seen - 1;
    return seen > 0;
}

const struct workload oversell_workload = {
    .name = "oversell",
    .summary = "a flash sale: each buyer reads the stock and takes one unit if any is left",
    .initial = initial,
    .operations = operations,
    .next = next,
};
