#include "harness/base/text.h"
#include "harness/scenario/units.h"
#include "harness/scenario/validate.h"

#include <string.h>

// A fault that strikes once and does not heal, whatever is said. Servers can come back, clients
// cannot.
static bool is_final(const struct fault_step *step, const struct fault_form *form)
{
    return form->lasting == LASTS_NEVER ||
           (form->lasting == LASTS_IF_TOLD && step->target.client != 0);
}

// What comes again and again comes by the clock alone.
static void check_repetition(const struct rules *rules, const struct fault_step *step,
                             struct node *item)
{
    static const char *const others[] = {"when", "at", "after", "nth", "name", NULL};
    struct node *every = node_child(item, "every");
    const struct workload_settings *workload = &rules->scenario->workload;
    if (!node_fine(every) || every == NULL)
        return;
    for (size_t i = 0; others[i] != NULL; i++) {
        struct node *other = node_child(item, others[i]);
        if (other != NULL)
            complain_key(rules->complaints, other, "'%s' besides 'every'", others[i]);
    }
    if (rule_sound(rules, "workload", "for") && workload->for_ns == 0)
        complain_key(rules->complaints, every,
                     "'every' needs a workload that runs for a time: 'for' instead of what ends it "
                     "now");
    else if (step->spread_ns >= step->every_ns)
        complain(rules->complaints, every, "'every' must be longer than 'spread'");
    else if (rule_sound(rules, "workload", "for") &&
             workload->for_ns / step->every_ns >= MOST_FAULTS / 2)
        complain(rules->complaints, every, "'every' would come more than %d times",
                 MOST_FAULTS / 2);
}

static void check_trigger(const struct rules *rules, const struct fault_step *step,
                          struct node *item)
{
    if (node_has(item, "every"))
        return;
    struct node *at = node_child(item, "at");
    struct node *when = node_child(item, "when");
    struct node *nth = node_child(item, "nth");
    if (!node_has(item, "when") && !node_has(item, "at") && !node_has(item, "after"))
        complaints_add(
            rules->complaints, item->origin, item->place,
            "missing key 'when' (a point or a cause), 'at' (a time), 'every' or 'after' in faults");
    else if (when != NULL && at != NULL && step->point_count == 0 && node_fine(when))
        complain_key(rules->complaints, at,
                     "'at' besides a cause: only a point counts from a time on");
    if (nth != NULL && when == NULL)
        complain_key(rules->complaints, nth, "'nth' counts how often a point is reached; %s",
                     at != NULL ? "'at' is a time" : "there is no point");
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
        complain(rules->complaints, at, "'at' comes after the trial is over (%s)",
                 scenario->load_count > 0 ? "load" : "workload.for");
}

static void check_points(const struct rules *rules, const struct fault_step *step,
                         struct node *item)
{
    struct node *when = node_child(item, "when");
    if (!node_fine(when))
        return;
    if (step->cause.kind != CAUSE_NONE && when->kind == NODE_LIST && when->count > 1)
        complain(rules->complaints, when,
                 "a cause cannot be one of several: give each a fault of its own");
    for (size_t i = 0; step->cause.kind == CAUSE_NONE && i < step->point_count; i++) {
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
    if (!rule_sound(rules, "", "limit") || step->bound_ns < limit_ns || step->bound_ns == NO_BOUND)
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

// Complains if no fault before `number` has that name.
static void check_name_of_earlier(const struct rules *rules, const char *name, size_t number,
                                  struct node *node)
{
    const struct scenario *scenario = rules->scenario;
    if (find_named(scenario, number, name) != NULL)
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
    complain(rules->complaints, node, "no earlier fault is named '%s'%s", quote(name, &shown),
             suggest(name, names, &suggestion));
}

static void check_after(const struct rules *rules, size_t number, struct node *item)
{
    const struct fault_step *step = &rules->scenario->faults[number];
    struct node *after = node_child(item, "after");
    if (step->after_name != NULL && after != NULL)
        check_name_of_earlier(rules, step->after_name, number, after);
}

// What only a client does.
static bool is_of_client(enum cause_kind kind)
{
    return kind != CAUSE_NONE && kind < CAUSE_LEASE_GONE;
}

// A client that stands still does nothing that could end its own pause.
static bool waits_for_itself(const struct rules *rules, const struct fault_step *step)
{
    const struct target *target = &step->target;
    const struct target *awaited = &step->until.target;
    if (!fault_can(step, FAULT_STOPS) || !is_of_client(step->until.kind) || target->client == 0 ||
        awaited->client != target->client || step->until.kind == CAUSE_DIES ||
        step->until.kind == CAUSE_LOSES)
        return false;
    return target->worker == 0 || target->worker == awaited->worker ||
           (rule_sound(rules, "clients", "threads") && rules->scenario->clients.threads == 1);
}

// The fault that a cause names must be an earlier one.
static void check_cause(const struct rules *rules, const struct cause *cause, size_t number,
                        struct node *node)
{
    if (cause->target.client != 0)
        check_who(rules, node, cause->target.client, cause->target.worker);
    if (cause->kind == CAUSE_LEASE_GONE && scenario_key_count(rules->scenario) > 1)
        complain(rules->complaints, node,
                 "the servers are asked for one lock only: no lease can be waited for with "
                 "workload.keys");
    if (cause->kind == CAUSE_OVER)
        check_name_of_earlier(rules, cause->fault, number, node);
}

static void check_end_is_told(const struct rules *rules, const struct fault_step *step,
                              struct node *item, const struct fault_form *form)
{
    if (form->lasting == LASTS_BOUNDED)
        complaints_add(rules->complaints, item->origin, item->place,
                       "missing key 'until' in faults: what ends '%s'?", step->verb);
    else if (form->bounded != NULL && step->how != NULL && text_is_one_of(step->how, form->bounded))
        complaints_add(rules->complaints, item->origin, item->place,
                       "missing key 'until' in faults: '%s' with 'how: %s' is over at once "
                       "without it",
                       step->verb, step->how);
}

static void check_until(const struct rules *rules, size_t number, struct node *item,
                        struct node *verb, const struct fault_form *form)
{
    const struct fault_step *step = &rules->scenario->faults[number];
    struct node *until = node_child(item, "until");
    if (!node_has(item, "until"))
        check_end_is_told(rules, step, item, form);
    if (until == NULL)
        return;
    if (is_final(step, form)) {
        complain_key(rules->complaints, until, "'until' with '%s', which nothing ends%s",
                     step->verb,
                     form->lasting == LASTS_IF_TOLD ? ": clients do not come back" : "");
        return;
    }
    if (until->bad)
        return;
    check_bound(rules, step, until);
    check_cause(rules, &step->until, number, until);
    if (!verb->bad && waits_for_itself(rules, step))
        complain(rules->complaints, until,
                 "client-%d cannot do that while the fault holds it: name another client",
                 step->until.target.client);
}

// With the only client struck nobody else goes for the lock, and no verdict could be given.
static void check_others(const struct rules *rules, const struct fault_step *step,
                         struct node *verb, const struct fault_form *form)
{
    const struct clients_settings *clients = &rules->scenario->clients;
    bool spares_workers = step->target.worker != 0 && !is_final(step, form) &&
                          (!rule_sound(rules, "clients", "threads") || clients->threads > 1);
    bool silences = (form->strikes & STRIKES_WORKER) != 0 || is_final(step, form);
    if (!verb->bad && step->target.client != 0 && silences &&
        rule_sound(rules, "clients", "processes") && clients->processes == 1 && !spares_workers)
        complain(rules->complaints, verb,
                 "'%s' needs clients.processes of 2 or more, for others to go for the lock "
                 "meanwhile",
                 step->verb);
}

static void check_sides(const struct rules *rules, const struct fault_step *step, struct node *verb)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < step->side_counts[side]; i++) {
            if (step->sides[side][i].client != 0)
                check_who(rules, verb, step->sides[side][i].client, 0);
        }
    }
}

// What takes the guarded value away, or the only way to it, leaves nothing to judge a lock by: what
// was acknowledged is lost, whatever the lock does.
static void check_store(const struct rules *rules, const struct fault_step *step, struct node *verb,
                        const struct fault_form *form)
{
    static const char *const takers[] = {"kill", "flush", NULL};
    // The first way of a restart keeps everything.
    bool loses = fault_can(step, FAULT_KILLS) && !fault_can(step, FAULT_MOVES_LEADER) &&
                 step->how != NULL && form->hows != NULL && strcmp(step->how, form->hows[0]) != 0;
    if (strncmp(step->target.server, "store", 5) == 0 &&
        (loses || text_is_one_of(step->verb, takers)))
        complain(
            rules->complaints, verb,
            "'%s%s%s' of the store takes away the value by which the lock is judged: restart it "
            "with all that it kept, pause it, or cut it off",
            step->verb, loses ? ", how: " : "", loses ? step->how : "");
}

static void check_target(const struct rules *rules, const struct fault_step *step,
                         struct node *verb, const struct fault_form *form)
{
    const struct target *target = &step->target;
    if (verb->bad)
        return;
    check_sides(rules, step, verb);
    if (step->side_counts[0] > 0)
        return;
    if (target->client != 0)
        check_who(rules, verb, target->client, target->worker);
    if (target->client == 0 && (form->strikes & STRIKES_SERVER) == 0)
        complain(rules->complaints, verb, "'%s' strikes clients, not servers", step->verb);
    else if (target->client != 0 && (form->strikes & (STRIKES_CLIENT | STRIKES_WORKER)) == 0)
        complain(rules->complaints, verb, "'%s' strikes servers, not clients", step->verb);
    else if (target->worker != 0 && (form->strikes & STRIKES_WORKER) == 0)
        complain(rules->complaints, verb, "'%s' strikes a whole client: leave worker-%d out",
                 step->verb, target->worker);
    check_store(rules, step, verb, form);
    check_others(rules, step, verb, form);
}

// --- options -------------------------------------------------------------------------------------

static void check_how(const struct rules *rules, const struct fault_step *step, struct node *item,
                      const struct fault_form *form)
{
    struct node *how = node_child(item, "how");
    if (!node_fine(how) || step->how == NULL)
        return;
    struct quote shown;
    struct suggestion suggestion;
    if (form->hows == NULL)
        complain_key(rules->complaints, how, "'how' with '%s', which has one way only", step->verb);
    else if (!text_is_one_of(step->how, form->hows)) {
        struct text ways = {0};
        words_join(form->hows, "or", &ways);
        complain(rules->complaints, how, "'how' of %s must be %s, not '%s'%s", step->verb,
                 ways.bytes, quote(step->how, &shown), suggest(step->how, form->hows, &suggestion));
        text_free(&ways);
    }
}

// What another fault takes says nothing about this one.
static void check_options(const struct rules *rules, const struct fault_step *step,
                          struct node *item, const struct fault_form *form)
{
    static const char *const options[] = {"by", "jitter", "rate", "share", NULL};
    static const char *const none[] = {NULL};
    const char *const *taken = form->options != NULL ? form->options : none;
    for (size_t i = 0; options[i] != NULL; i++) {
        struct node *node = node_child(item, options[i]);
        if (node != NULL && !text_is_one_of(options[i], taken))
            complain_key(rules->complaints, node, "'%s' with '%s', which does not take it",
                         options[i], step->verb);
    }
    bool says_amount = node_has(item, "by") || node_has(item, "rate") || node_has(item, "share");
    if (form->options != NULL && !says_amount) {
        struct text amounts = {0};
        words_join(form->options, "or", &amounts);
        complaints_add(rules->complaints, item->origin, item->place,
                       "'%s' needs to know how much: %s", step->verb, amounts.bytes);
        text_free(&amounts);
    }
    struct node *by = node_child(item, "by");
    if (by != NULL && text_is_one_of("jitter", taken) && step->by_ns <= 0 && node_fine(by))
        complain(rules->complaints, by, "'by' of %s must be more than 0", step->verb);
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

// --- majorities ----------------------------------------------------------------------------------

// True if the fault kills one of the lock's servers for good.
static bool kills_server(const struct rules *rules, const struct fault_step *step)
{
    if (step->verb == NULL || step->drawn || step->bound_ns >= 0 || step->side_counts[0] > 0 ||
        step->target.client != 0 || strncmp(step->target.server, "store", 5) == 0)
        return false;
    return fault_form_find(rules->vocabulary, step->verb)->lasting == LASTS_IF_TOLD;
}

// True if an earlier fault kills that very server for good: only names that are no roles say so.
static bool is_dead_before(const struct rules *rules, size_t number)
{
    const struct fault_step *steps = rules->scenario->faults;
    const char *name = steps[number].target.server;
    for (size_t i = 0; i < number && strncmp(name, "server-", 7) == 0; i++) {
        if (kills_server(rules, &steps[i]) && strcmp(steps[i].target.server, name) == 0)
            return true;
    }
    return false;
}

// The first scheme of the scenario whose servers need a majority, and have none when so many of
// them are dead; NULL if there is none.
static const char *scheme_without_majority(const struct rules *rules, int dead, int *servers)
{
    const struct vocabulary *vocabulary = rules->vocabulary;
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        const struct topology_name *topology =
            scenario_topology(rules->scenario, &vocabulary->scheme_servers[i], vocabulary, servers);
        if (topology != NULL && topology->by_majority && *servers > 1 &&
            2 * (*servers - dead) <= *servers &&
            patterns_mean(&rules->scenario->schemes, vocabulary->schemes[i],
                          vocabulary->scheme_traits[i]))
            return vocabulary->schemes[i];
    }
    return NULL;
}

// What nobody serves any more cannot be judged: no lock promises to survive it.
static void check_majority(const struct rules *rules)
{
    const struct scenario *scenario = rules->scenario;
    struct node *list = node_child(rules->root, "faults");
    int dead = 0;
    for (size_t i = 0; i < scenario->fault_count && rule_sound(rules, "", "schemes"); i++) {
        const struct fault_step *step = &scenario->faults[i];
        struct node *verb = step->verb != NULL ? node_child(list->children[i], step->verb) : NULL;
        int servers;
        if (verb == NULL || verb->bad || !kills_server(rules, step) || is_dead_before(rules, i))
            continue;
        const char *scheme = scheme_without_majority(rules, ++dead, &servers);
        if (scheme == NULL)
            continue;
        complain(rules->complaints, verb,
                 "'%s' would leave %d of the %d servers of %s for good, and without a majority "
                 "nobody is served: bring it back ('until: 2s')",
                 step->verb, servers - dead, servers, scheme);
        return;
    }
}

void validate_faults(const struct rules *rules)
{
    struct node *list = node_child(rules->root, "faults");
    for (size_t i = 0; i < rules->scenario->fault_count; i++) {
        const struct fault_step *step = &rules->scenario->faults[i];
        struct node *item = list->children[i];
        if (item->kind != NODE_MAP)
            continue;
        check_repetition(rules, step, item);
        check_trigger(rules, step, item);
        check_time(rules, step, item);
        check_points(rules, step, item);
        check_name(rules, i, item);
        check_after(rules, i, item);
        if (step->cause.kind != CAUSE_NONE && node_fine(node_child(item, "when")))
            check_cause(rules, &step->cause, i, node_child(item, "when"));
        struct node *verb = step->verb != NULL ? node_child(item, step->verb) : NULL;
        if (verb == NULL)
            continue;
        const struct fault_form *form = fault_form_find(rules->vocabulary, step->verb);
        check_target(rules, step, verb, form);
        check_until(rules, i, item, verb, form);
        check_how(rules, step, item, form);
        check_options(rules, step, item, form);
    }
    check_majority(rules);
}

void validate_random(const struct rules *rules)
{
    const struct random_settings *random = &rules->scenario->random;
    struct node *section = node_child(rules->root, "random");
    if (section == NULL || !node_fine(section) || random->of.count == 0)
        return;
    if (rule_sound(rules, "workload", "for") && rules->scenario->workload.for_ns == 0)
        complain_key(rules->complaints, section,
                     "'random' needs a workload that runs for a time: 'for' instead of what ends "
                     "it now");
    else if (random->jitter_ns >= random->every_ns)
        complain(rules->complaints, rule_node(rules, "random", "jitter"),
                 "'jitter' must be shorter than 'every'");
    else if (rule_sound(rules, "workload", "for") &&
             random->every_ns * MOST_FAULTS < rules->scenario->workload.for_ns)
        complain_key(rules->complaints, section,
                     "'random' would draw more than %d faults: draw fewer ('every')", MOST_FAULTS);
}
