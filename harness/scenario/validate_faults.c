#include "harness/base/text.h"
#include "harness/scenario/units.h"
#include "harness/scenario/validate.h"

#include <string.h>

// A fault that strikes once and does not heal, and strikes a whole client only.
static bool is_final(const struct fault_step *step)
{
    return strcmp(step->verb, "kill") == 0;
}

static void check_trigger(const struct rules *rules, struct node *item)
{
    struct node *at = node_child(item, "at");
    struct node *when = node_child(item, "when");
    struct node *nth = node_child(item, "nth");
    if (!node_has(item, "when") && !node_has(item, "at"))
        complaints_add(rules->complaints, item->origin, item->place,
                       "missing key 'when' (a point) or 'at' (a time) in faults");
    else if (when != NULL && at != NULL)
        complain_key(rules->complaints, at, "'at' besides 'when': a fault has one trigger");
    if (nth != NULL && when == NULL && at != NULL)
        complain_key(rules->complaints, nth,
                     "'nth' counts how often a point is reached; 'at' is "
                     "a time");
}

static void check_time(const struct rules *rules, const struct fault_step *step, struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    struct node *at = node_child(item, "at");
    if (at == NULL || at->bad)
        return;
    if (rule_sound(rules, "", "limit") && step->at_ns >= scenario->limit_ns)
        complain(rules->complaints, at, "'at' comes after the trial is over (limit)");
    else if (rule_sound(rules, "workload", "for") && scenario->workload.for_ns > 0 &&
             step->at_ns >= scenario->workload.for_ns)
        complain(rules->complaints, at, "'at' comes after the trial is over (workload.for)");
}

static void check_points(const struct rules *rules, const struct fault_step *step,
                         struct node *item)
{
    struct node *when = node_child(item, "when");
    if (!node_fine(when))
        return;
    for (size_t i = 0; i < step->point_count; i++) {
        const struct point_name *point = &step->points[i];
        struct node *node = when->kind == NODE_LIST ? when->children[i] : when;
        check_who(rules, node, point->client, point->worker);
        if (point->client != step->points[0].client || point->worker != step->points[0].worker)
            complain(rules->complaints, node,
                     "alternatives must be of one client (and worker): the first is of client-%d",
                     step->points[0].client);
    }
}

// The bound may be the default one, so that it is always said.
static void check_bound(const struct rules *rules, const struct fault_step *step,
                        struct node *until)
{
    int64_t limit_ns = rules->scenario->limit_ns;
    if (!rule_sound(rules, "", "limit") || step->bound_ns < limit_ns)
        return;
    struct text times = {0};
    duration_write(step->bound_ns, &times);
    text_add(&times, ", but the limit of ");
    duration_write(limit_ns, &times);
    complain(rules->complaints, until,
             "'until': the fault may last %s is over by then: bound it (such as '... or 2s'), or "
             "raise the limit",
             times.bytes);
    text_free(&times);
}

// A client that stands still does nothing that could end its own pause.
static bool waits_for_itself(const struct rules *rules, const struct fault_step *step)
{
    if (step->until.client != step->target.client || step->until.kind == CAUSE_DIES)
        return false;
    return step->target.worker == 0 || step->target.worker == step->until.worker ||
           (rule_sound(rules, "clients", "threads") && rules->scenario->clients.threads == 1);
}

static void check_until(const struct rules *rules, const struct fault_step *step, struct node *item,
                        struct node *verb)
{
    struct node *until = node_child(item, "until");
    if (!node_has(item, "until") && !is_final(step))
        complaints_add(rules->complaints, item->origin, item->place,
                       "missing key 'until' in faults: what ends '%s'?", step->verb);
    if (until == NULL)
        return;
    if (is_final(step)) {
        complain_key(rules->complaints, until, "'until' with '%s', which nothing ends", step->verb);
        return;
    }
    if (until->bad)
        return;
    check_bound(rules, step, until);
    if (step->until.kind == CAUSE_NONE)
        return;
    check_who(rules, until, step->until.client, step->until.worker);
    if (!verb->bad && waits_for_itself(rules, step))
        complain(rules->complaints, until,
                 "client-%d cannot do that while the fault holds it: name another client",
                 step->until.client);
}

// With the only client struck nobody else goes for the lock, and no verdict could be given.
static void check_others(const struct rules *rules, const struct fault_step *step,
                         struct node *verb)
{
    const struct clients_settings *clients = &rules->scenario->clients;
    bool spares_workers = step->target.worker != 0 && !is_final(step) &&
                          (!rule_sound(rules, "clients", "threads") || clients->threads > 1);
    if (!verb->bad && rule_sound(rules, "clients", "processes") && clients->processes == 1 &&
        !spares_workers)
        complain(rules->complaints, verb,
                 "'%s' needs clients.processes of 2 or more, for others to go for the lock "
                 "meanwhile",
                 step->verb);
}

static void check_target(const struct rules *rules, const struct fault_step *step,
                         struct node *verb)
{
    if (verb->bad)
        return;
    check_who(rules, verb, step->target.client, step->target.worker);
    if (is_final(step) && step->target.worker != 0)
        complain(rules->complaints, verb, "'%s' strikes a whole client: leave worker-%d out",
                 step->verb, step->target.worker);
    check_others(rules, step, verb);
}

// The fault of that name among the first `count`, or NULL.
static const struct fault_step *find_named(const struct scenario *scenario, size_t count,
                                           const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (scenario->faults[i].name != NULL && strcmp(scenario->faults[i].name, name) == 0)
            return &scenario->faults[i];
    }
    return NULL;
}

static void check_after(const struct rules *rules, size_t number, struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    const struct fault_step *step = &scenario->faults[number];
    struct node *after = node_child(item, "after");
    if (step->after_name == NULL || after == NULL ||
        find_named(scenario, number, step->after_name) != NULL)
        return;
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < number && count < 63; i++) {
        if (scenario->faults[i].name != NULL)
            names[count++] = scenario->faults[i].name;
    }
    names[count] = NULL;
    struct suggestion suggestion;
    struct quote shown;
    complain(rules->complaints, after, "no earlier fault is named '%s'%s",
             quote(step->after_name, &shown), suggest(step->after_name, names, &suggestion));
}

static void check_name(const struct rules *rules, size_t number, struct node *item)
{
    const char *name = rules->scenario->faults[number].name;
    struct node *node = node_child(item, "name");
    const struct fault_step *other =
        name != NULL ? find_named(rules->scenario, number, name) : NULL;
    if (other != NULL && node != NULL)
        complain(rules->complaints, node, "the fault of line %d is named '%s' too",
                 other->place.line, name);
}

void validate_faults(const struct rules *rules)
{
    struct node *list = node_child(rules->root, "faults");
    for (size_t i = 0; i < rules->scenario->fault_count; i++) {
        const struct fault_step *step = &rules->scenario->faults[i];
        struct node *item = list->children[i];
        if (item->kind != NODE_MAP)
            continue;
        check_trigger(rules, item);
        check_time(rules, step, item);
        check_points(rules, step, item);
        check_name(rules, i, item);
        check_after(rules, i, item);
        struct node *verb = step->verb != NULL ? node_child(item, step->verb) : NULL;
        if (verb == NULL)
            continue;
        check_target(rules, step, verb);
        check_until(rules, step, item, verb);
    }
}
