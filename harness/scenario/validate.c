#include "harness/scenario/validate.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/units.h"

#include <string.h>

struct node *rule_node(const struct rules *rules, const char *section, const char *key)
{
    return node_child(*section ? node_child(rules->root, section) : rules->root, key);
}

bool rule_sound(const struct rules *rules, const char *section, const char *key)
{
    const struct node *map = *section ? node_child(rules->root, section) : rules->root;
    return map == NULL || (map->kind == NODE_MAP && node_fine(node_child(map, key)));
}

void check_who(const struct rules *rules, struct node *node, int client, int worker)
{
    const struct clients_settings *clients = &rules->scenario->clients;
    if (rule_sound(rules, "clients", "processes") && client > clients->processes)
        complain(rules->complaints, node, "there is no client-%d: clients.processes is %lld",
                 client, (long long)clients->processes);
    if (rule_sound(rules, "clients", "threads") && worker > clients->threads)
        complain(rules->complaints, node, "there is no worker-%d: clients.threads is %lld", worker,
                 (long long)clients->threads);
}

// The first of two nodes that is there.
static struct node *either(struct node *first, struct node *second)
{
    return first != NULL ? first : second;
}

// --- clients and lock ----------------------------------------------------------------------------

static void check_number_of_workers(const struct rules *rules)
{
    const struct clients_settings *clients = &rules->scenario->clients;
    struct node *node =
        either(rule_node(rules, "clients", "threads"), rule_node(rules, "clients", "processes"));
    if (node != NULL && rule_sound(rules, "clients", "threads") &&
        rule_sound(rules, "clients", "processes") &&
        clients->processes * clients->threads > MAX_WORKERS)
        complain(rules->complaints, node,
                 "%lld processes of %lld threads are %lld workers; at "
                 "most %d can be",
                 (long long)clients->processes, (long long)clients->threads,
                 (long long)(clients->processes * clients->threads), MAX_WORKERS);
}

static void check_lead(const struct rules *rules)
{
    struct node *node = rule_node(rules, "clients", "lead");
    if (node != NULL && rule_sound(rules, "clients", "lead"))
        check_who(rules, node, rules->scenario->clients.lead.client, 0);
}

static void check_retry(const struct rules *rules)
{
    const struct lock_settings *lock = &rules->scenario->lock;
    struct node *node = either(rule_node(rules, "lock", "retry"), rule_node(rules, "lock", "wait"));
    if (node == NULL || !rule_sound(rules, "lock", "retry") || !rule_sound(rules, "lock", "wait") ||
        lock->retry_ns <= lock->wait_ns)
        return;
    struct text times = {0};
    duration_write(lock->retry_ns, &times);
    text_add(&times, " is longer than lock.wait of ");
    duration_write(lock->wait_ns, &times);
    complain(rules->complaints, node, "lock.retry of %s: there would be no second attempt",
             times.bytes);
    text_free(&times);
}

// Servers count leases in milliseconds: one that they cut would end before its holder believes.
static void check_lease(const struct rules *rules)
{
    struct node *node = rule_node(rules, "lock", "lease");
    int64_t lease_ns = rules->scenario->lock.lease_ns;
    if (node == NULL || !rule_sound(rules, "lock", "lease") || lease_ns % NS_PER_MS == 0)
        return;
    complain(rules->complaints, node,
             "'lease' must be a whole number of milliseconds: write %lldms, not %s",
             (long long)(lease_ns / NS_PER_MS + 1), node->text);
}

// --- schemes and expectations --------------------------------------------------------------------

// "'none' or 'lease'"
static void write_patterns(const struct string_list *patterns, struct text *out)
{
    struct quote shown;
    for (size_t i = 0; i < patterns->count; i++)
        text_format(out, "%s'%s'", i == 0 ? "" : " or ", quote(patterns->items[i], &shown));
}

static void write_schemes(const struct rules *rules, struct text *out)
{
    const struct vocabulary *vocabulary = rules->vocabulary;
    const char *separator = "";
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        if (!patterns_mean(&rules->scenario->schemes, vocabulary->schemes[i],
                           vocabulary->scheme_traits[i]))
            continue;
        text_format(out, "%s%s", separator, vocabulary->schemes[i]);
        separator = ", ";
    }
}

static void check_who_is_expected(const struct rules *rules, size_t number, struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    const struct vocabulary *vocabulary = rules->vocabulary;
    const struct expectation *expectation = &scenario->expectations[number];
    size_t meant = 0;
    size_t first = 0;
    if (!expectation_counts(scenario, expectation))
        return;
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        const char *scheme = vocabulary->schemes[i];
        const char *const *traits = vocabulary->scheme_traits[i];
        if (!patterns_mean(&scenario->schemes, scheme, traits) ||
            !patterns_mean(&expectation->schemes, scheme, traits))
            continue;
        meant++;
        // One that is about this workload only leaves the others to this expectation.
        const struct expectation *found = scenario_expectation(scenario, scheme, traits);
        first += found == expectation || found->workloads.count > 0;
    }
    struct text text = {0};
    write_patterns(&expectation->schemes, &text);
    if (meant == 0) {
        text_add(&text, " means no scheme of this scenario (it tries ");
        write_schemes(rules, &text);
        complain(rules->complaints, item, "%s)", text.bytes);
    } else if (first == 0) {
        complain(rules->complaints, item,
                 "%s means only schemes that earlier expectations are about", text.bytes);
    }
    text_free(&text);
}

// Why the workload cannot break that property, or NULL if it can.
static const char *why_never_broken(const struct rules *rules, const char *property)
{
    static const struct {
        const char *property;
        const char *kinds[4];
        const char *why;
    } owned[] = {
        {"oversell", {"oversell"}, "only the workload oversell sells"},
        {"lost-update", {"increment", "nested", "readers"}, "the workload has no updates to lose"},
        {"run-once", {"draw"}, "only the workload draw has jobs"},
        {"unstable-read", {"readers"}, "only the workload readers looks twice"},
        {"reentrancy", {"nested"}, "only the workload nested locks again"},
    };
    const struct workload_settings *workload = &rules->scenario->workload;
    bool knows_kind = workload->kind != NULL && rule_sound(rules, "workload", "kind");
    for (size_t i = 0; knows_kind && i < sizeof owned / sizeof *owned; i++) {
        if (strcmp(property, owned[i].property) == 0 &&
            !text_is_one_of(workload->kind, owned[i].kinds))
            return owned[i].why;
    }
    if (strcmp(property, "fencing-order") == 0 && !workload->fenced &&
        rule_sound(rules, "workload", "fenced"))
        return "without workload.fenced there are no tokens";
    if (strcmp(property, "not-told") == 0 && rules->scenario->lock.told_ns == 0 &&
        rule_sound(rules, "lock", "told"))
        return "without lock.told nothing is stated";
    return NULL;
}

// `because` or `allow`.
static void check_properties(const struct rules *rules, struct node *list)
{
    if (list == NULL || list->kind == NODE_MAP)
        return;
    size_t count = list->kind == NODE_LIST ? list->count : 1;
    for (size_t i = 0; i < count; i++) {
        struct node *node = list->kind == NODE_LIST ? list->children[i] : list;
        if (node->kind != NODE_TEXT || node->bad)
            continue;
        const char *why = why_never_broken(rules, node->text);
        if (why != NULL)
            complain(rules->complaints, node, "'%s' cannot be found here: %s", node->text, why);
    }
}

static void check_verdict(const struct rules *rules, size_t number, struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    struct node *verdict = node_child(item, "verdict");
    struct node *because = node_child(item, "because");
    if (verdict == NULL || verdict->bad)
        return;
    if (scenario->expectations[number].verdict == EXPECT_SAFE && because != NULL)
        complain_key(rules->complaints, because,
                     "'because' with verdict safe: nothing is to be violated (see 'allow')");
    if (scenario->expectations[number].verdict == EXPECT_STUCK && rule_sound(rules, "", "limit") &&
        rule_sound(rules, "lock", "stuck-after") && rule_sound(rules, "lock", "lease") &&
        scenario->lock.stuck_after_ns >= scenario->limit_ns)
        complain(rules->complaints, verdict,
                 "'stuck' cannot come out: the limit is over before lock.stuck-after");
}

static void check_expectations(const struct rules *rules)
{
    struct node *list = node_child(rules->root, "expect");
    bool sound = rule_sound(rules, "", "schemes") && rules->scenario->schemes.count > 0;
    for (size_t i = 0; i < rules->scenario->expectation_count; i++) {
        struct node *item = list->children[i];
        struct node *patterns = node_child(item, "schemes");
        check_verdict(rules, i, item);
        check_properties(rules, node_child(item, "because"));
        check_properties(rules, node_child(item, "allow"));
        if (sound && patterns != NULL && node_fine(patterns))
            check_who_is_expected(rules, i, patterns);
    }
}

void validate(const struct rules *rules)
{
    validate_workload(rules);
    validate_load(rules);
    validate_servers(rules);
    check_number_of_workers(rules);
    check_lead(rules);
    check_retry(rules);
    check_lease(rules);
    check_expectations(rules);
    validate_faults(rules);
    validate_random(rules);
    validate_thresholds(rules);
}
