// What must agree within a fault, between faults, and between a fault and the rest of the file.
#include "harness/base/scope.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/units.h"

#include <string.h>
#include <unistd.h>

// A fault that is looked at, and where it is written.
struct looked_at {
    const struct rules *rules;
    const struct fault_instance *instance;
    size_t number; // from 0
    struct node *item;
    struct node *verb; // NULL: the item has none
};

// A fault that strikes once and does not heal, whatever is said. Servers can come back, clients
// cannot.
static bool is_final(const struct fault_instance *instance)
{
    return instance->form.lasting == LASTS_NEVER ||
           (instance->form.lasting == LASTS_IF_TOLD && instance->target.client != 0);
}

// --- when it strikes -----------------------------------------------------------------------------

// True, after a complaint about that key, if the workload ends otherwise than by time.
static bool lacks_time(const struct rules *rules, struct node *node)
{
    bool lacks = knows(rules, "workload.for") && rules->scenario->workload.for_ns == 0;
    if (lacks)
        refuse_key(
            node, "'%s' needs a workload that runs for a time: 'for' instead of what ends it now%s",
            node->key, strcmp(node->key, "random") == 0 ? ", or 'for' in 'random'" : "");
    return lacks;
}

// What comes again and again comes by the clock alone.
static void check_repetition(const struct looked_at *fault, struct node *every)
{
    static const char *const others[] = {"when", "at", "after", "nth", "name", NULL};
    const struct workload_settings *workload = &fault->rules->scenario->workload;
    bool knows_time = knows(fault->rules, "workload.for");
    for (size_t i = 0; others[i] != NULL; i++)
        refuse_key(node_child(fault->item, others[i]), "'%s' besides 'every'", others[i]);
    if (lacks_time(fault->rules, every))
        return;
    if (fault->instance->jitter_ns >= fault->instance->every_ns &&
        !fault_takes(fault->instance, "jitter"))
        refuse(every, "'every' must be longer than 'jitter'");
    else if (knows_time && workload->for_ns / fault->instance->every_ns >= MOST_FAULTS / 2)
        refuse(every, "'every' would come more than %d times", MOST_FAULTS / 2);
}

static void check_trigger(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    const struct scenario *scenario = fault->rules->scenario;
    struct node *item = fault->item;
    struct node *every = node_child(item, "every");
    struct node *at = node_child(item, "at");
    struct node *when = node_child(item, "when");
    if (every != NULL && node_fine(every))
        check_repetition(fault, every);
    if (!node_has(item, "every")) {
        if (!node_has(item, "when") && !node_has(item, "at") && !node_has(item, "after"))
            refuse_missing(item, "missing key 'when' (a point or a cause), 'at' (a time), "
                                 "'every' or 'after' in faults");
        else if (when != NULL && at != NULL && instance->point_count == 0 && node_fine(when))
            refuse_key(at, "'at' besides a cause: only a point counts from a time on");
        if (when == NULL)
            refuse_key(node_child(item, "nth"), "'nth' counts how often a point is reached; %s",
                       at != NULL ? "'at' is a time" : "there is no point");
    }
    if (at != NULL && !at->bad) {
        if (knows(fault->rules, "limit") && instance->at_ns >= scenario->limit_ns)
            refuse(at, "'at' comes after the trial is over (limit)");
        else if (knows(fault->rules, "workload.for") && scenario->workload.for_ns > 0 &&
                 instance->at_ns >= scenario->workload.for_ns)
            refuse(at, "'at' comes after the trial is over (%s)",
                   scenario->load_count > 0 ? "load" : "workload.for");
    }
    if (when == NULL || !node_fine(when))
        return;
    if (instance->cause.kind != CAUSE_NONE && item_count(when) > 1)
        refuse(when, "a cause cannot be one of several: give each a fault of its own");
    for (size_t i = 0; instance->cause.kind == CAUSE_NONE && i < instance->point_count; i++) {
        const struct point_name *point = &instance->points[i];
        struct node *node = item_node(when, i);
        check_who(fault->rules, node, point->client, point->worker);
        if (point->client != instance->points[0].client ||
            point->worker != instance->points[0].worker)
            refuse(node,
                   "alternatives must be of one client (and worker): the first is of client-%d",
                   instance->points[0].client);
    }
}

// Complains if no earlier fault has that name.
static void check_name_of_earlier(const struct looked_at *fault, const char *name,
                                  struct node *node)
{
    const struct scenario *scenario = fault->rules->scenario;
    AUTO_LIST struct string_list names = {0};
    for (size_t i = 0; i < fault->number; i++) {
        if (scenario->faults[i].name != NULL)
            string_list_add(&names, scenario->faults[i].name);
    }
    if (!string_list_has(&names, name))
        refuse(node, "no earlier fault is named '%s'%s", quote(name),
               suggest(name, (const char *const *)names.items));
}

static void check_cause(const struct looked_at *fault, const struct cause *cause, struct node *node)
{
    if (cause->target.client != 0)
        check_who(fault->rules, node, cause->target.client, cause->target.worker);
    if (cause->kind == CAUSE_LEASE_GONE && scenario_key_count(fault->rules->scenario) > 1)
        refuse(node, "the servers are asked for one lock only: no lease can be waited for with "
                     "workload.keys");
    if (cause->kind == CAUSE_OVER)
        check_name_of_earlier(fault, cause->fault, node);
}

static void check_names(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    const struct scenario *scenario = fault->rules->scenario;
    struct node *after = node_child(fault->item, "after");
    struct node *when = node_child(fault->item, "when");
    int other = fault_number_of(scenario, fault->number, instance->name);
    if (other != 0)
        refuse(node_child(fault->item, "name"), "the fault of line %d is named '%s' too",
               scenario->faults[other - 1].place.line, instance->name);
    if (instance->after_name != NULL && after != NULL)
        check_name_of_earlier(fault, instance->after_name, after);
    if (instance->cause.kind != CAUSE_NONE && node_fine(when))
        check_cause(fault, &instance->cause, when);
}

// --- whom it strikes -----------------------------------------------------------------------------

// What takes the guarded value away, or the only way to it, leaves nothing to judge a lock by: what
// was acknowledged is lost, whatever the lock does.
static void check_store(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    enum lasting lasting = fault->instance->form.lasting;
    bool kills = fault_can(instance, FAULT_KILLS) && !fault_can(instance, FAULT_MOVES_LEADER);
    bool loses = fault_can(instance, FAULT_SHOWS_AT_START | FAULT_LOSES_DATA);
    bool is_for_good = (kills && lasting == LASTS_IF_TOLD) ||
                       (fault_can(instance, FAULT_EMPTIES) && lasting == LASTS_NEVER);
    if (target_is_store(&instance->target) && (loses || is_for_good))
        refuse(fault->verb,
               "'%s%s%s' of the store takes away the value by which the lock is judged: restart "
               "it with all that it kept, pause it, or cut it off",
               instance->verb, loses ? ", how: " : "", loses ? instance->how : "");
}

static void check_target(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    const struct target *target = &instance->target;
    const struct clients_settings *clients = &fault->rules->scenario->clients;
    struct node *verb = fault->verb;
    unsigned strikes = fault->instance->form.strikes;
    if (verb->bad)
        return;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < instance->side_counts[side]; i++)
            check_who(fault->rules, verb, instance->sides[side][i].client, 0);
    }
    if (instance->side_counts[0] > 0)
        return;
    check_who(fault->rules, verb, target->client, target->worker);
    if (target->client == 0 && (strikes & (STRIKES_SERVER | STRIKES_BY_COMMAND)) == 0)
        refuse(verb, "'%s' strikes clients, not servers", instance->verb);
    else if (target->client != 0 && (strikes & (STRIKES_CLIENT | STRIKES_WORKER)) == 0)
        refuse(verb, "'%s' strikes servers, not clients", instance->verb);
    else if (target->worker != 0 && (strikes & STRIKES_WORKER) == 0)
        refuse(verb, "'%s' strikes a whole client: leave worker-%d out", instance->verb,
               target->worker);
    check_store(fault);
    // With the only client struck nobody else goes for the lock, and no verdict could be given.
    bool is_over = is_final(instance);
    bool spares_workers = target->worker != 0 && !is_over &&
                          (!knows(fault->rules, "clients.threads") || clients->threads > 1);
    if (!verb->bad && target->client != 0 && ((strikes & STRIKES_WORKER) != 0 || is_over) &&
        knows(fault->rules, "clients.processes") && clients->processes == 1 && !spares_workers)
        refuse(verb,
               "'%s' needs clients.processes of 2 or more, for others to go for the lock "
               "meanwhile",
               instance->verb);
}

// --- what ends it --------------------------------------------------------------------------------

// A client that stands still does nothing that could end its own pause.
static bool waits_for_itself(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    const struct target *target = &instance->target;
    const struct cause *until = &instance->until;
    bool is_of_client = until->kind != CAUSE_NONE && until->kind < CAUSE_LEASE_GONE;
    if (!fault_can(instance, FAULT_STOPS) || !is_of_client || target->client == 0 ||
        until->target.client != target->client || until->kind == CAUSE_DIES ||
        until->kind == CAUSE_LOSES)
        return false;
    return target->worker == 0 || target->worker == until->target.worker ||
           (knows(fault->rules, "clients.threads") && fault->rules->scenario->clients.threads == 1);
}

static void check_until(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    const struct fault_form *form = &instance->form;
    struct node *until = node_child(fault->item, "until");
    if (!node_has(fault->item, "until")) {
        if (form->lasting == LASTS_BOUNDED)
            refuse_missing(fault->item, "missing key 'until' in faults: what ends '%s%s%s'?",
                           instance->verb, instance->how != NULL ? ", how: " : "",
                           instance->how != NULL ? instance->how : "");
    }
    if (until == NULL)
        return;
    if (is_final(instance)) {
        refuse_key(until, "'until' with '%s', which nothing ends%s", instance->verb,
                   form->lasting == LASTS_IF_TOLD              ? ": clients do not come back"
                   : (form->strikes & STRIKES_BY_COMMAND) != 0 ? ": it has no 'undo'"
                                                               : "");
        return;
    }
    if (until->bad)
        return;
    // The bound may be the default one, so that it is always said.
    int64_t limit_ns = fault->rules->scenario->limit_ns;
    if (knows(fault->rules, "limit") && instance->bound_ns >= limit_ns &&
        instance->bound_ns != NO_BOUND) {
        AUTO_TEXT struct text times = {0};
        duration_write(instance->bound_ns, &times);
        text_add(&times, ", but the limit of ");
        duration_write(limit_ns, &times);
        refuse(until,
               "'until': the fault may last %s is over by then: bound it (such as '... or 2s'), or "
               "raise the limit",
               times.bytes);
    }
    check_cause(fault, &instance->until, until);
    if (!fault->verb->bad && waits_for_itself(fault))
        refuse(until, "client-%d cannot do that while the fault holds it: name another client",
               instance->until.target.client);
}

// --- options -------------------------------------------------------------------------------------

static void check_how(const struct looked_at *fault)
{
    const struct fault_instance *instance = fault->instance;
    struct node *how = node_child(fault->item, "how");
    if (!node_fine(how) || instance->how == NULL)
        return;
    if (fault->instance->form.hows == NULL) {
        refuse_key(how, "'how' with '%s', which has one way only", instance->verb);
    } else if (!text_is_one_of(instance->how, fault->instance->form.hows)) {
        AUTO_TEXT struct text ways = {0};
        text_join(&ways, fault->instance->form.hows, "or");
        refuse(how, "'how' of %s must be %s, not '%s'%s", instance->verb, ways.bytes,
               quote(instance->how), suggest(instance->how, fault->instance->form.hows));
    }
}

// What another fault takes says nothing about this one.
static void check_options(const struct looked_at *fault)
{
    static const char *const options[] = {"by", "jitter", "rate", "share", "to", NULL};
    const struct fault_instance *instance = fault->instance;
    struct node *item = fault->item;
    struct node *by = node_child(item, "by");
    const char *const *taken = fault->instance->form.options;
    for (size_t i = 0; options[i] != NULL; i++) {
        bool is_of_every = strcmp(options[i], "jitter") == 0 && node_has(item, "every");
        if (!is_of_every && !fault_takes(instance, options[i]))
            refuse_key(node_child(item, options[i]), "'%s' with '%s', which does not take it",
                       options[i], instance->verb);
    }
    if (taken != NULL && !node_has(item, "by") && !node_has(item, "rate") &&
        !node_has(item, "share") && !node_has(item, "to")) {
        AUTO_TEXT struct text amounts = {0};
        text_join(&amounts, taken, "or");
        refuse_missing(item, "'%s' needs to know %s: %s", instance->verb,
                       text_is_one_of("to", taken) ? "which program" : "how much", amounts.bytes);
    }
    if (by != NULL && !fault_takes(instance, "rate") && instance->by_ns <= 0 && node_fine(by))
        refuse(by, "'by' of %s must be more than 0", instance->verb);
}

// A fault that the servers of no scheme here can have is a mistake.
static void check_servers(const struct looked_at *fault)
{
    const struct rules *rules = fault->rules;
    const struct vocabulary *vocabulary = rules->vocabulary;
    struct error why = {.text = ""};
    if (fault->instance->form.can_strike == NULL || fault->verb->bad ||
        target_is_store(&fault->instance->target) || !knows(rules, "schemes") ||
        !knows(rules, "servers"))
        return;
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        const struct scheme_form *scheme = &vocabulary->scheme_forms[i];
        const struct server_settings *settings =
            scheme->server != NULL ? scenario_server(rules->scenario, scheme->server) : NULL;
        if (settings != NULL && scenario_tries(rules->scenario, vocabulary, i) &&
            (settings->external != NULL ||
             fault->instance->form.can_strike(&fault->instance->form, scheme->server,
                                              settings->persistence, &why)))
            return;
    }
    if (why.text[0] != '\0')
        refuse(fault->verb, "'%s': %s", fault->instance->verb, why.text);
}

// --- majorities ----------------------------------------------------------------------------------

// True if the fault kills one of the lock's servers for good.
static bool kills_server(const struct fault_instance *instance)
{
    if (instance->verb == NULL || instance->drawn || instance->bound_ns >= 0 ||
        instance->side_counts[0] > 0 || instance->target.client != 0 ||
        target_is_store(&instance->target))
        return false;
    return instance->form.lasting == LASTS_IF_TOLD;
}

// What nobody serves any more cannot be judged: no lock promises to survive it.
static void check_majority(const struct rules *rules, const struct node *list)
{
    const struct scenario *scenario = rules->scenario;
    int dead = 0;
    for (size_t i = 0; i < scenario->fault_count && knows(rules, "schemes"); i++) {
        const struct fault_instance *instance = &scenario->faults[i];
        const char *name = instance->target.server;
        struct node *verb =
            instance->verb != NULL ? node_child(list->children[i], instance->verb) : NULL;
        const struct vocabulary *vocabulary = rules->vocabulary;
        bool is_dead = false; // only names that are no roles say that it is the same one
        for (size_t j = 0; j < i && strncmp(name, "server-", 7) == 0; j++)
            is_dead |= kills_server(&scenario->faults[j]) &&
                       strcmp(scenario->faults[j].target.server, name) == 0;
        if (verb == NULL || verb->bad || !kills_server(instance) || is_dead)
            continue;
        dead++;
        // The first scheme of the scenario whose servers need a majority, and have none then.
        for (size_t j = 0; vocabulary->schemes[j] != NULL; j++) {
            int servers;
            const struct scheme_form *scheme = &vocabulary->scheme_forms[j];
            const struct topology_form *topology =
                scenario_topology(scenario, scheme, vocabulary, &servers);
            if (topology == NULL || !topology->by_majority || servers <= 1 ||
                2 * (servers - dead) > servers || !scenario_tries(scenario, vocabulary, j))
                continue;
            refuse(verb,
                   "'%s' would leave %d of the %d servers of %s for good, and without a majority "
                   "nobody is served: bring it back ('until: 2s')",
                   instance->verb, servers - dead, servers, vocabulary->schemes[j]);
            return;
        }
    }
}

// -------------------------------------------------------------------------------------------------

static void check_random(const struct rules *rules)
{
    const struct random_settings *random = &rules->scenario->random;
    int64_t for_ns = random->for_ns > 0 ? random->for_ns : rules->scenario->workload.for_ns;
    struct node *section = node_child(rules->root, "random");
    if (section == NULL || !node_fine(section) || random->of.count == 0)
        return;
    if (random->for_ns == 0 && lacks_time(rules, section))
        return;
    if (random->jitter_ns >= random->every_ns)
        refuse(said(rules, "random.jitter"), "'jitter' must be shorter than 'every'");
    else if (knows(rules, "workload.for") && random->every_ns * MOST_FAULTS < for_ns)
        refuse_key(section, "'random' would draw more than %d faults: draw fewer ('every')",
                   MOST_FAULTS);
}

void validate_faults(const struct rules *rules)
{
    const struct node *list = node_child(rules->root, "faults");
    for (size_t i = 0; i < rules->scenario->fault_count; i++) {
        const struct fault_instance *instance = &rules->scenario->faults[i];
        struct looked_at fault = {rules, instance, i, list->children[i], NULL};
        if (fault.item->kind != NODE_MAP)
            continue;
        check_trigger(&fault);
        check_names(&fault);
        fault.verb = instance->verb != NULL ? node_child(fault.item, instance->verb) : NULL;
        if (fault.verb == NULL)
            continue;
        check_target(&fault);
        check_until(&fault);
        check_how(&fault);
        check_options(&fault);
        check_program(node_child(fault.item, "to"), fault.instance->to);
        check_servers(&fault);
    }
    check_majority(rules, list);
    check_random(rules);
}
