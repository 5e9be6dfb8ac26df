#include "harness/scenario/plan.h"

#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/scenario/yaml.h"

#include <stdlib.h>
#include <string.h>

// Of the trial of that name, in a run with that seed.
static uint64_t seed_of(uint64_t run_seed, const char *name)
{
    // FNV-1a, 64 bits (Fowler, Noll, Vo): spreads names over random streams.
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct random random;
    for (const char *next = name; *next != '\0'; next++)
        hash = (hash ^ (unsigned char)*next) * UINT64_C(0x100000001b3);
    random_start(&random, run_seed, hash);
    return random_next(&random);
}

const struct server_form *server_form_find(const struct vocabulary *vocabulary, const char *kind)
{
    int index = text_index(kind, vocabulary->none_and_servers + 1);
    return index < 0 ? NULL : &vocabulary->server_forms[index];
}

const struct topology_form *scenario_topology(const struct scenario *scenario,
                                              const struct scheme_form *scheme,
                                              const struct vocabulary *vocabulary, int *count)
{
    *count = 0;
    if (scheme->server == NULL)
        return NULL;
    const struct server_settings *settings = scenario_server(scenario, scheme->server);
    const char *name = settings->topology != NULL ? settings->topology : scheme->topology;
    for (const struct topology_form *found = vocabulary->topologies; found->name != NULL; found++) {
        if (strcmp(found->server, scheme->server) != 0 || strcmp(found->name, name) != 0)
            continue;
        if (settings->external == NULL)
            *count = settings->nodes > 0 ? (int)settings->nodes : found->usual;
        return found;
    }
    return NULL;
}

static void add_trial(struct plan *plan, const struct scenario *scenario,
                      const struct vocabulary *vocabulary, size_t nth, int repeat, char *name)
{
    const char *scheme = vocabulary->schemes[nth];
    const struct scheme_form *form = &vocabulary->scheme_forms[nth];
    int store = text_index(scenario->workload.store, vocabulary->stores);
    // Scenarios of one name are trials of the first.
    const struct scenario *first = scenario;
    for (size_t i = plan->count; i-- > 0;) {
        if (strcmp(plan->trials[i].scenario->name, scenario->name) == 0)
            first = plan->trials[i].scenario;
    }
    bool has_no_tokens = scenario->workload.fenced && !text_is_one_of("fenced", form->traits);
    uint64_t seed = plan_seed_of(plan, scenario);
    int servers;
    const struct topology_form *topology = scenario_topology(scenario, form, vocabulary, &servers);
    plan->trials = memory_resized(plan->trials, (plan->count + 1) * sizeof *plan->trials);
    plan->trials[plan->count++] = (struct trial){
        .scenario = first,
        .drawn = first != scenario ? scenario : NULL,
        .scheme = scheme,
        .external_client = scenario_external_client(scenario, scheme),
        .traits = form->traits,
        .topology = topology,
        .server = server_form_find(vocabulary, form->server),
        .store_server =
            store < 0 ? NULL : server_form_find(vocabulary, vocabulary->store_servers[store]),
        .servers = servers,
        .expectation = scenario_expectation(scenario, scheme, form->traits),
        .repeat = repeat,
        .seed = seed_of(seed, name),
        .name = name,
        .skip_reason = has_no_tokens
                           ? memory_string("it has no fencing tokens, and the workload is fenced")
                           : NULL,
    };
}

// True if there are no globs, too.
static bool is_wanted(const char *const *globs, const char *scheme, const char *const *traits)
{
    if (globs == NULL || *globs == NULL)
        return true;
    for (; *globs != NULL; globs++) {
        if (scheme_is_meant(*globs, scheme, traits))
            return true;
    }
    return false;
}

// True if the scenario's `trial` (or none) is of that scheme; *repeat is its number, 0: none.
static bool is_trial_of(const struct scenario *scenario, const char *scheme, int *repeat)
{
    size_t length = strlen(scheme);
    *repeat = 0;
    if (scenario->trial == NULL || strcmp(scenario->trial, scheme) == 0)
        return true;
    if (strncmp(scenario->trial, scheme, length) != 0 ||
        strncmp(scenario->trial + length, "--", 2) != 0)
        return false;
    const char *number = scenario->trial + length + 2;
    *repeat = (int)strtol(number, NULL, 10);
    return *number != '\0' && strspn(number, "0123456789") == strlen(number);
}

static void add_scenario(struct plan *plan, const struct scenario *scenario,
                         const struct vocabulary *general, const char *const *globs, int64_t repeat)
{
    const struct vocabulary *vocabulary = scenario_vocabulary(scenario, general);
    int64_t repeats = repeat > 0 ? repeat : scenario->trial != NULL ? 1 : scenario->repeat;
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        int drawn_as;
        const char *scheme = vocabulary->schemes[i];
        const char *const *traits = vocabulary->scheme_forms[i].traits;
        if (!scenario_tries(scenario, vocabulary, i) || !is_wanted(globs, scheme, traits) ||
            !is_trial_of(scenario, scheme, &drawn_as))
            continue;
        for (int nth = 1; nth <= repeats; nth++) {
            struct text name = {0};
            text_format(&name, "%s--%s", scenario->name,
                        scenario->trial != NULL ? scenario->trial : scheme);
            if (repeats > 1)
                text_format(&name, "--%d", nth);
            add_trial(plan, scenario, vocabulary, i, repeats == 1 && drawn_as > 0 ? drawn_as : nth,
                      name.bytes);
        }
    }
}

static int refuse_glob(const char *glob, struct scenario *const *scenarios, size_t count,
                       const struct vocabulary *vocabulary, struct error *error)
{
    AUTO_TEXT struct text tried = {0};
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        size_t by = 0;
        while (by < count && !scenario_tries(scenarios[by], vocabulary, i))
            by++;
        if (by < count)
            text_add_item(&tried, vocabulary->schemes[i]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < scenarios[i]->exec_count; j++)
            text_add_item(&tried, scenarios[i]->execs[j].client.name);
    }
    AUTO_TEXT struct text advice = {0};
    if (text_is_one_of(glob, vocabulary->schemes))
        text_format(&advice, " (--set 'schemes=[%s]' tries it in their place)", glob);
    else
        scheme_advise(glob, vocabulary, &advice);
    return error_set(error, "'%s' means no scheme of these scenarios%s: they try %s", quote(glob),
                     text_string(&advice), text_string(&tried));
}

int plan_make(struct scenario *const *scenarios, size_t count, const struct vocabulary *vocabulary,
              const char *const *globs, int64_t repeat, uint64_t seed, struct plan *plan,
              struct error *error)
{
    *plan = (struct plan){.seed = seed};
    // Trials of one name would write to one folder.
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const char *const trials[] = {scenarios[i]->trial, scenarios[j]->trial};
            bool are_apart =
                trials[0] != NULL && trials[1] != NULL && strcmp(trials[0], trials[1]) != 0;
            if (strcmp(scenarios[i]->name, scenarios[j]->name) == 0 && !are_apart)
                return error_set(error, "two scenarios are named '%s': %s and %s",
                                 scenarios[i]->name, scenarios[j]->path, scenarios[i]->path);
        }
    }
    for (size_t i = 0; i < count; i++)
        add_scenario(plan, scenarios[i], vocabulary, globs, repeat);
    for (; count > 0 && globs != NULL && *globs != NULL; globs++) {
        size_t meant = 0;
        while (meant < plan->count &&
               !scheme_is_meant(*globs, plan->trials[meant].scheme, plan->trials[meant].traits))
            meant++;
        if (meant == plan->count)
            return refuse_glob(*globs, scenarios, count, vocabulary, error);
    }
    return plan->count > 0 ? 0 : error_set(error, "there is no scenario to plan");
}

void plan_interleave(struct plan *one, struct plan *other, struct plan *both)
{
    *both = (struct plan){.seed = one->seed};
    both->trials = memory_new((one->count + 1) * 2 * sizeof *both->trials);
    for (size_t i = 0; i < one->count; i++) {
        bool is_first = one->trials[i].repeat % 2 == 1;
        both->trials[both->count++] = is_first ? one->trials[i] : other->trials[i];
        both->trials[both->count++] = is_first ? other->trials[i] : one->trials[i];
    }
    free(one->trials);
    free(other->trials);
    *one = *other = (struct plan){0};
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->trials[i].name);
        free(plan->trials[i].skip_reason);
    }
    free(plan->trials);
    for (size_t i = 0; i < plan->drawn_count; i++)
        scenario_free(plan->drawn[i]);
    free(plan->drawn);
    *plan = (struct plan){0};
}

uint64_t plan_seed_of(const struct plan *plan, const struct scenario *scenario)
{
    return scenario->seed != 0 ? (uint64_t)scenario->seed : plan->seed;
}

const char *trial_label(const struct trial *trial)
{
    return trial->name + strlen(trial->scenario->name) + strlen("--");
}

const struct scenario *trial_as_run(const struct trial *trial)
{
    return trial->drawn != NULL ? trial->drawn : trial->scenario;
}

bool trial_has_trait(const struct trial *trial, const char *trait)
{
    return trial->traits != NULL && text_is_one_of(trait, trial->traits);
}

bool trial_shares_service(const struct trial *trial)
{
    const char *store = trial->scenario->workload.store;
    return (store != NULL && strcmp(store, "same") == 0) || trial_has_trait(trial, "own-store");
}

const char *trial_topology(const struct trial *trial)
{
    return trial->topology != NULL ? trial->topology->name : "single";
}

bool trial_has_one_server(const struct trial *trial)
{
    return trial->topology == NULL || trial->topology->most == 1;
}

bool trial_has_independent_servers(const struct trial *trial)
{
    return trial->topology != NULL && trial->topology->independent;
}
