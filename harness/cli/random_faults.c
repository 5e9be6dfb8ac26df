#include "harness/cli/random_faults.h"

#include "faults/fault.h"
#include "harness/base/text.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/locks/exec.h"

#include <stdlib.h>
#include <string.h>

// Of one fault.
struct doubt {
    size_t possible;     // schemes to which it can happen
    struct text schemes; // those to which it cannot
    struct error why;    // of the first of them
};

// The servers that the scheme gets, as if they were up. False if somebody else runs them: nothing
// is known of those.
static bool plan_group(const struct scenario *scenario, const struct lock_scheme *scheme,
                       struct server_group *group)
{
    const struct server_settings *settings = scenario_server(scenario, scheme->server);
    if (settings->external != NULL)
        return false;
    struct node_settings planned[MAX_GROUP_NODES] = {0};
    const char *topology = settings->topology;
    if (topology == NULL)
        topology = scheme->topologies != NULL ? scheme->topologies[0] : "single";
    group->settings.topology = topology_find(scheme->server, topology);
    if (group->settings.topology == NULL)
        return false;
    group->settings.count =
        settings->nodes > 0 ? (int)settings->nodes : group->settings.topology->usual;
    snprintf(group->settings.name, sizeof group->settings.name, "%.15s", scheme->server);
    group->count = topology_plan(&group->settings, planned);
    for (int i = 0; i < group->count; i++) {
        struct node *node = &group->nodes[i];
        memcpy(node->name, planned[i].name, sizeof node->name);
        node->kind = planned[i].kind;
        node->group = group;
        node->role = planned[i].role;
        node->number = planned[i].number;
    }
    return true;
}

// True unless it is certain that the fault, aimed as it is drawn, cannot happen to the scheme's
// servers.
static bool may_happen(const struct scenario *scenario, const struct fault *fault,
                       const struct lock_scheme *scheme, struct error *why)
{
    static const unsigned elsewhere = STRIKES_CLIENT | STRIKES_WIRE;
    struct node nodes[MAX_GROUP_NODES] = {0};
    struct server_group group = {.nodes = nodes};
    bool unseen = scheme->foreign != NULL && !scheme->foreign->visible;
    struct fault_world world = {.scenario = scenario, .is_unseen = unseen};
    struct fault_step step = {.verb = fault->form.name};
    if ((fault->form.strikes & elsewhere) != 0 || fault->available == NULL)
        return true;
    snprintf(step.target.server, sizeof step.target.server, "%s",
             strcmp(step.verb, "failover") == 0 ? "leader" : "server-1");
    if (scheme->server != NULL && !plan_group(scenario, scheme, &group))
        return true;
    world.lock_group = scheme->server != NULL ? &group : NULL;
    return fault->available(&step, &world, why) != FAULT_MEANINGLESS;
}

static bool is_tried(const struct scenario *scenario, const char *scheme_glob,
                     const struct lock_scheme *scheme)
{
    bool meant = false;
    for (size_t i = 0; i < scenario->schemes.count && !meant; i++)
        meant = scheme_is_meant(scenario->schemes.items[i], scheme->name, scheme->traits);
    return meant &&
           (scheme_glob == NULL || scheme_is_meant(scheme_glob, scheme->name, scheme->traits));
}

static void look_at(const struct scenario *scenario, const char *scheme_glob,
                    const struct lock_scheme *scheme, const struct fault *fault,
                    struct doubt *doubt)
{
    struct error why = {0};
    if (!is_tried(scenario, scheme_glob, scheme))
        return;
    if (may_happen(scenario, fault, scheme, &why)) {
        doubt->possible++;
        return;
    }
    if (doubt->schemes.length == 0)
        doubt->why = why;
    text_format(&doubt->schemes, "%s%s", doubt->schemes.length > 0 ? ", " : "", scheme->name);
}

static void look_into(const struct scenario *scenario, const char *scheme_glob,
                      const struct fault *fault, struct doubt *doubt)
{
    for (size_t i = 0; lock_catalogue[i] != NULL; i++)
        look_at(scenario, scheme_glob, lock_catalogue[i], fault, doubt);
    for (size_t i = 0; i < scenario->exec_count; i++) {
        const struct lock_scheme scheme = exec_scheme(&scenario->execs[i].foreign);
        look_at(scenario, scheme_glob, &scheme, fault, doubt);
    }
}

// The line at which `random` is written; 0 if it came by --set.
static int line_of_random(const char *source)
{
    static const char key[] = "random:";
    int line = 1;
    for (const char *at = source; at != NULL; line++) {
        if (strncmp(at, key, strlen(key)) == 0)
            return line;
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return 0;
}

static void tell(const struct scenario *scenario, const char *verb, const struct doubt *doubt,
                 const char *consequence, FILE *out)
{
    int line = line_of_random(scenario->source);
    fprintf(out, "%s:", scenario->path);
    if (line > 0)
        fprintf(out, "%d:", line);
    fprintf(out, " random: '%s' cannot happen to %s (%s): %s\n", verb, text_string(&doubt->schemes),
            doubt->why.text, consequence);
}

void random_faults_fit(struct scenario *scenario, const char *scheme_glob, FILE *out)
{
    struct string_list *of = &scenario->random.of;
    struct doubt *doubts = memory_zeroed(of->count, sizeof *doubts);
    size_t left = 0;
    for (size_t i = 0; i < of->count; i++) {
        look_into(scenario, scheme_glob, fault_find(of->items[i]), &doubts[i]);
        left += doubts[i].possible > 0 || doubts[i].schemes.length == 0;
    }
    size_t kept = 0;
    for (size_t i = 0; i < of->count; i++) {
        bool drops = left > 0 && doubts[i].possible == 0 && doubts[i].schemes.length > 0;
        if (doubts[i].schemes.length > 0)
            tell(scenario, of->items[i], &doubts[i],
                 drops ? "it is left out, and the others are drawn"
                       : "those trials are n/a; other servers, or a scenario of their own, help",
                 out);
        if (drops)
            free(of->items[i]);
        else
            of->items[kept++] = of->items[i];
        text_free(&doubts[i].schemes);
    }
    of->count = kept;
    free(doubts);
}
