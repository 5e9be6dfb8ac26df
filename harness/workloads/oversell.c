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

static const struct key_rule own[] = {
    {"stock", "only oversell sells"}, {"buyers", "only oversell sells"}, {NULL, NULL}};
static const struct key_rule needs[] = {
    {"stock", "a sale has units to sell"}, {"buyers", "each of them comes once"}, {NULL, NULL}};
static const struct key_rule refuses[] = {
    {"operations", "a sale ends when its buyers have come"},
    {"for", "a sale ends when its buyers have come"},
    {"keys", "all buyers, or all jobs, are for one lock"},
    {NULL, NULL},
};

const struct workload oversell_workload = {
    .name = "oversell",
    .summary = "a flash sale: each buyer reads the stock and takes one unit if any is left",
    .form = {own, needs, refuses, .ends_with_its_work = true},
    .initial = initial,
    .operations = operations,
    .next = next,
};
