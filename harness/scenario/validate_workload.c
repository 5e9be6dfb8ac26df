// What the workload says must agree with itself: each kind has its own measure of how much is done.
#include "harness/scenario/validate.h"

#include "harness/base/text.h"
#include "harness/scenario/units.h"

#include <string.h>

static void must_not_be(const struct rules *rules, const char *key, const char *why)
{
    struct node *node = rule_node(rules, "workload", key);
    if (node != NULL)
        complain_key(rules->complaints, node, "'%s' has no meaning here: %s", key, why);
}

static void must_be(const struct rules *rules, const char *key, const char *why)
{
    struct node *workload = node_child(rules->root, "workload");
    if (!node_has(workload, key))
        complaints_add(rules->complaints, workload->origin, node_heading(workload),
                       "missing key '%s' in workload: %s", key, why);
}

// Keys that mean something to one kind of workload only.
static const struct {
    const char *kind;
    const char *key;
    const char *why_only;
} own_keys[] = {
    {"oversell", "stock", "only oversell sells"},
    {"oversell", "buyers", "only oversell sells"},
    {"draw", "jobs", "only draw has jobs"},
    {"nested", "depth", "only nested locks again"},
    {"readers", "readers", "only readers has operations that only read"},
    {"permits", "permits", "only permits has more than one"},
};

static void check_own_keys(const struct rules *rules, const char *kind)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++) {
        if (strcmp(kind, own_keys[i].kind) != 0)
            must_not_be(rules, own_keys[i].key, own_keys[i].why_only);
    }
}

// True if its phases end by time; also if what they say is wrong, which they are told.
static bool load_says_how_long(const struct rules *rules)
{
    const struct node *load = node_child(rules->root, "load");
    return load != NULL && (rules->scenario->workload.for_ns > 0 || !node_fine(load));
}

static void check_amount_of_work(const struct rules *rules, const char *kind)
{
    struct node *by_time = rule_node(rules, "workload", "for");
    if (strcmp(kind, "oversell") == 0) {
        must_be(rules, "stock", "a sale has units to sell");
        must_be(rules, "buyers", "each of them comes once");
        must_not_be(rules, "operations", "a sale ends when its buyers have come");
        must_not_be(rules, "for", "a sale ends when its buyers have come");
    } else if (strcmp(kind, "draw") == 0) {
        must_not_be(rules, "operations", "every worker goes for every job once");
        must_not_be(rules, "for", "a draw ends when every worker has gone for every job");
    } else if (by_time == NULL && !node_has(node_child(rules->root, "workload"), "for") &&
               !load_says_how_long(rules)) {
        must_be(rules, "operations", "how much is to be done (or 'for': how long)");
    } else if (by_time != NULL && rule_node(rules, "workload", "operations") != NULL) {
        complain_key(rules->complaints, by_time,
                     "'for' besides 'operations': a trial ends by one of them");
    }
}

// Locks beside each other: operations choose between them.
static void check_keys(const struct rules *rules, const char *kind)
{
    const struct scenario *scenario = rules->scenario;
    const struct workload_settings *workload = &scenario->workload;
    struct node *keys = rule_node(rules, "workload", "keys");
    struct node *skew = rule_node(rules, "workload", "skew");
    int64_t workers = scenario->clients.processes * scenario->clients.threads;
    int64_t count = scenario_key_count(scenario);
    if (strcmp(kind, "oversell") == 0 || strcmp(kind, "draw") == 0)
        must_not_be(rules, "keys", "all buyers, or all jobs, are for one lock");
    if (!rule_sound(rules, "workload", "keys"))
        return;
    if (skew != NULL && workload->skew > 0 && workload->keys <= 1)
        complain_key(rules->complaints, skew,
                     "'skew' says how unlike 'keys' are taken: it needs 2 or more");
    if (keys == NULL || !rule_sound(rules, "clients", "processes") ||
        !rule_sound(rules, "clients", "threads"))
        return;
    if (workload->keys == KEYS_OWN && workers > MOST_KEYS)
        complain(rules->complaints, keys, "'keys' of %lld workers' own: at most %d can be",
                 (long long)workers, MOST_KEYS);
    else if (workload->keys > 1 && workers * count > MAX_WORKERS)
        complain(rules->complaints, keys,
                 "%lld workers with a connection for each of %lld keys; at most %d can be",
                 (long long)workers, (long long)count, MAX_WORKERS);
}

static void check_store(const struct rules *rules)
{
    const struct workload_settings *workload = &rules->scenario->workload;
    struct node *boundary = rule_node(rules, "workload", "boundary");
    if (boundary == NULL || workload->boundary == BOUNDARY_NONE || workload->store == NULL ||
        !rule_sound(rules, "workload", "boundary") || !rule_sound(rules, "workload", "store"))
        return;
    if (strcmp(workload->store, "mysql") != 0 && strcmp(workload->store, "same") != 0)
        complain_key(rules->complaints, boundary,
                     "'boundary' has no meaning here: the store %s knows no transactions; "
                     "store: mysql does",
                     workload->store);
    else if (workload->fenced)
        complain_key(rules->complaints, boundary,
                     "'boundary' besides 'fenced': a fenced store checks each step by itself");
}

static void check_time_for_work(const struct rules *rules)
{
    struct node *load = node_child(rules->root, "load");
    struct node *by_time = rule_node(rules, "workload", "for");
    struct node *limit = rule_node(rules, "", "limit");
    int64_t for_ns = rules->scenario->workload.for_ns;
    if ((by_time == NULL && load == NULL) || !rule_sound(rules, "workload", "for") ||
        !node_fine(load) || !rule_sound(rules, "", "limit") || for_ns <= rules->scenario->limit_ns)
        return;
    struct text times = {0};
    duration_write(for_ns, &times);
    text_add(&times, " is longer than the limit of ");
    duration_write(rules->scenario->limit_ns, &times);
    const char *what = load != NULL ? "load" : "workload.for";
    struct node *node = load != NULL ? load : by_time;
    complain(rules->complaints, limit != NULL ? limit : node, "%s of %s", what, times.bytes);
    text_free(&times);
}

static void check_value(const struct rules *rules, const char *kind)
{
    static const char *const about_it[] = {"store", "fenced", "boundary"};
    for (size_t i = 0; strcmp(kind, "cycle") == 0 && i < sizeof about_it / sizeof *about_it; i++)
        must_not_be(rules, about_it[i], "a cycle reads and writes no value");
}

void validate_workload(const struct rules *rules)
{
    struct node *workload = node_child(rules->root, "workload");
    const char *kind = rules->scenario->workload.kind;
    if (workload == NULL || workload->kind != NODE_MAP || kind == NULL)
        return;
    check_own_keys(rules, kind);
    check_amount_of_work(rules, kind);
    check_time_for_work(rules);
    check_keys(rules, kind);
    check_store(rules);
    check_value(rules, kind);
}
