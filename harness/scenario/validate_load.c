// What the phases of a load say must agree with each other, and with what ends the trial.
#include "harness/scenario/validate.h"

#include "harness/base/text.h"
#include "harness/scenario/units.h"

#include <string.h>

// Where phase `index` is written: one mapping is a list of one.
static struct node *phase_node(struct node *load, size_t index)
{
    return load->kind == NODE_LIST ? load->children[index] : load;
}

// Complains about a key of a phase, if it is there.
static void must_not_be(const struct rules *rules, struct node *phase, const char *key,
                        const char *why)
{
    struct node *node = node_child(phase, key);
    if (node != NULL)
        complain_key(rules->complaints, node, "'%s' %s", key, why);
}

static void check_rates(const struct rules *rules, const struct load_settings *phase,
                        struct node *item)
{
    if (!node_has(item, "rate")) {
        must_not_be(rules, item, "to", "without 'rate': a ramp goes from one rate to another");
        must_not_be(rules, item, "arrivals",
                    "without 'rate': in a closed loop each worker begins when it is free");
    } else if (phase->for_ns == 0 && node_fine(node_child(item, "for"))) {
        must_not_be(rules, item, "to", "without 'for': a ramp lasts for a time");
    }
}

static void check_clients(const struct rules *rules, const struct load_settings *phase,
                          struct node *item)
{
    struct node *clients = node_child(item, "clients");
    if (clients == NULL || clients->bad || !rule_sound(rules, "clients", "processes") ||
        phase->clients <= rules->scenario->clients.processes)
        return;
    complain(rules->complaints, clients, "%lld clients cannot take part: clients.processes is %lld",
             (long long)phase->clients, (long long)rules->scenario->clients.processes);
}

// Only the last phase may go on until the work is done.
static void check_length(const struct rules *rules, size_t index, struct node *item)
{
    if (index + 1 < rules->scenario->load_count && item->kind == NODE_MAP && !node_has(item, "for"))
        complaints_add(rules->complaints, item->origin, node_heading(item),
                       "missing key 'for' in load: only the last phase may go on until the work "
                       "is done");
}

static void check_measured(const struct rules *rules, struct node *load)
{
    const struct scenario *scenario = rules->scenario;
    size_t warm_ups = 0;
    for (size_t i = 0; i < scenario->load_count; i++)
        warm_ups += scenario->load[i].warm_up;
    if (warm_ups == scenario->load_count)
        complain_key(rules->complaints, load,
                     "every phase of 'load' is a warm-up: nothing would be measured");
}

static void check_amount(const struct rules *rules, struct node *load)
{
    double operations = 0;
    for (size_t i = 0; i < rules->scenario->load_count; i++)
        operations += load_operations(&rules->scenario->load[i]);
    if (operations > MOST_OPERATIONS)
        complain_key(rules->complaints, load,
                     "'load' asks for %.0f operations; at most %d can be: a lower rate, or a "
                     "shorter time",
                     operations, MOST_OPERATIONS);
}

// How many operations are left for a last phase that goes on until the work is done must be known
// before, to draw when they begin; in a closed loop before it nobody knows how many are done.
static void check_rest(const struct rules *rules, struct node *load)
{
    const struct scenario *scenario = rules->scenario;
    size_t last = scenario->load_count - 1;
    size_t closed = 0;
    for (size_t i = 0; i < last; i++)
        closed += scenario->load[i].rate == 0;
    if (closed > 0 && scenario->load[last].for_ns == 0 && scenario->load[last].rate > 0)
        complain_key(rules->complaints, node_child(phase_node(load, last), "rate"),
                     "'rate' without 'for' after a phase without 'rate': how many operations that "
                     "one leaves is not known");
}

// What else in the file means nothing beside a load.
static void check_company(const struct rules *rules, struct node *load)
{
    const struct scenario *scenario = rules->scenario;
    struct node *think = rule_node(rules, "workload", "think");
    struct node *by_time = rule_node(rules, "workload", "for");
    struct node *operations = rule_node(rules, "workload", "operations");
    size_t open = 0;
    for (size_t i = 0; i < scenario->load_count; i++)
        open += scenario->load[i].rate > 0;
    if (think != NULL && open == scenario->load_count)
        complain_key(rules->complaints, think,
                     "'think' besides 'load' with a 'rate': that says when operations begin");
    if (by_time != NULL && (scenario->load_count > 1 || node_has(phase_node(load, 0), "for")))
        complain_key(rules->complaints, by_time,
                     "'for' besides 'load', whose phases say how long they last");
    else if (operations != NULL && scenario->workload.for_ns > 0)
        complain_key(rules->complaints, operations,
                     "'operations' besides 'load', whose phases all end by time; without 'for' the "
                     "last one goes on until they are done");
}

static bool ends_with_its_work(const char *kind)
{
    return kind != NULL && (strcmp(kind, "oversell") == 0 || strcmp(kind, "draw") == 0);
}

// A trial that ends when its work is done must have time for all of it.
static void check_work_is_done(const struct rules *rules, struct node *load)
{
    const struct scenario *scenario = rules->scenario;
    const char *kind = scenario->workload.kind;
    struct node *last = phase_node(load, scenario->load_count - 1);
    if (ends_with_its_work(kind) && scenario->workload.for_ns > 0)
        complain_key(rules->complaints, node_child(last, "for"),
                     "'for' has no meaning in the last phase here: %s ends when all have come",
                     kind);
}

// What is done in a warm-up would be missing from a certain amount of work.
static void check_warm_up(const struct rules *rules, struct node *node)
{
    if (node != NULL && node_fine(node) && rules->scenario->workload.for_ns == 0 &&
        rule_sound(rules, "workload", "for") &&
        node_has(node_child(rules->root, "workload"), "kind"))
        complain_key(rules->complaints, node,
                     "'warm-up' needs a workload that runs for a time ('for'): what is done "
                     "meanwhile would be missing from the rest");
}

// Phases begin for all their clients at once.
static void check_lead(const struct rules *rules)
{
    struct node *lead = rule_node(rules, "clients", "lead");
    bool has_load = node_child(rules->root, "load") != NULL;
    if (lead != NULL && (has_load || rules->scenario->workload.warm_up_ns > 0))
        complain_key(rules->complaints, lead, "'lead' besides '%s': a phase begins for all at once",
                     has_load ? "load" : "warm-up");
}

static size_t count_limits(const struct load_target *target)
{
    return (size_t)(target->p50_ns > 0) + (target->p90_ns > 0) + (target->p99_ns > 0) +
           (target->p999_ns > 0) + (target->max_ns > 0);
}

// A rate is looked for in trials that measure nothing else.
static void check_find(const struct rules *rules, struct node *load)
{
    const struct scenario *scenario = rules->scenario;
    size_t measured = 0;
    for (size_t i = 0; i < scenario->load_count; i++)
        measured += !scenario->load[i].warm_up;
    for (size_t i = 0; i < scenario->load_count; i++) {
        const struct load_settings *phase = &scenario->load[i];
        struct node *find = node_child(phase_node(load, i), "find");
        if (find == NULL)
            continue;
        if (count_limits(&phase->find) != 1)
            complain_key(rules->complaints, find, "'find' needs one limit, such as {p99: < 50ms}");
        else if (phase->rate == 0 || phase->to != 0 || phase->for_ns == 0)
            complain_key(rules->complaints, find,
                         "'find' needs a 'rate' to begin with, no ramp, and a time ('for')");
        else if (measured > 1 || phase->warm_up)
            complain_key(rules->complaints, find,
                         "'find' must be in the only phase that is no warm-up");
    }
}

void validate_load(const struct rules *rules)
{
    const struct scenario *scenario = rules->scenario;
    struct node *load = node_child(rules->root, "load");
    check_lead(rules);
    if (scenario->workload.warm_up_ns > 0)
        check_warm_up(rules, rule_node(rules, "workload", "warm-up"));
    if (load == NULL || scenario->load_count == 0)
        return;
    for (size_t i = 0; i < scenario->load_count; i++) {
        struct node *item = phase_node(load, i);
        check_rates(rules, &scenario->load[i], item);
        check_clients(rules, &scenario->load[i], item);
        check_length(rules, i, item);
        if (scenario->load[i].warm_up)
            check_warm_up(rules, node_child(item, "warm-up"));
    }
    if (!node_fine(load))
        return;
    check_measured(rules, load);
    check_amount(rules, load);
    check_rest(rules, load);
    check_find(rules, load);
    check_company(rules, load);
    check_work_is_done(rules, load);
}
