#include "harness/run/applicability.h"

#include "harness/base/file.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/locks/exec.h"
#include "harness/locks/plugin.h"
#include "harness/run/servers.h"
#include "harness/stores/store.h"
#include "harness/workloads/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct lock_scheme *trial_scheme(const struct trial *trial, struct lock_scheme *room)
{
    if (trial->foreign == NULL)
        return lock_scheme_find(trial->scheme);
    *room = trial->foreign->plugin != NULL ? plugin_scheme(trial->foreign)
                                           : exec_scheme(trial->foreign);
    return room;
}

static bool fits_workload(const struct trial *trial, const struct lock_scheme *scheme,
                          struct text *reason)
{
    const struct workload_settings *settings = &trial->scenario->workload;
    const struct workload *workload = workload_find(settings->kind);
    const char *needs = workload->needs;
    if (needs != NULL && !lock_scheme_has(scheme, needs)) {
        text_format(reason, "it has not the trait '%s', which the workload %s needs", needs,
                    settings->kind);
        return false;
    }
    if (workload->only_locks && scheme->own_store != NULL) {
        text_format(reason, "it locks by what it reads and writes, which the workload %s does not",
                    settings->kind);
        return false;
    }
    if (settings->boundary != BOUNDARY_NONE && scheme->own_store != NULL) {
        text_add(reason, "it ends its transactions by itself: no boundary can be set");
        return false;
    }
    return true;
}

// With `store: same` the value lives on the scheme's own server, if there is a store of its kind.
static bool fits_store(const struct trial *trial, const struct lock_scheme *scheme,
                       struct text *reason)
{
    if (trial_store(trial) != NULL)
        return true;
    text_format(reason, "it locks with %s, and there is no store of that kind (store: same)",
                scheme->server != NULL ? scheme->server : "no server");
    return false;
}

static bool fits_servers(const struct trial *trial, const struct lock_scheme *scheme,
                         struct text *reason)
{
    if (scheme->server == NULL)
        return true;
    const char *topology = scenario_server(trial->scenario, scheme->server)->topology;
    if (topology == NULL || lock_scheme_takes(scheme, topology))
        return true;
    text_format(reason, "it does not work with the topology %s of %s (it takes", topology,
                scheme->server);
    for (size_t i = 0; scheme->topologies != NULL && scheme->topologies[i] != NULL; i++)
        text_format(reason, "%s %s", i > 0 ? "," : "", scheme->topologies[i]);
    text_add(reason, scheme->topologies != NULL ? ")" : " single)");
    return false;
}

static bool is_installed(const char *server, struct text *reason)
{
    const struct server_kind *kind = server_kind_find(server);
    if (server_is_installed(kind))
        return true;
    text_format(reason, "%s is not installed: apt-get install %s (or: scripts/setup)",
                kind->program, kind->package);
    return false;
}

// A file, from the folder where the scheme runs; or a program, if its name has no slash.
static bool is_there(const char *need, const char *folder)
{
    if (strchr(need, '/') == NULL)
        return program_exists(need);
    char *path =
        need[0] == '/' || folder[0] == '\0' ? memory_string(need) : path_join(folder, need);
    bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

// What a scheme that the scenario brings along says it needs.
static bool has_its_needs(const struct foreign_settings *foreign, struct text *reason)
{
    for (size_t i = 0; foreign->needs != NULL && foreign->needs[i] != NULL; i++) {
        if (is_there(foreign->needs[i], foreign->folder))
            continue;
        text_format(reason, "it needs %s, which is not there", foreign->needs[i]);
        if (foreign->install != NULL)
            text_format(reason, ": %s", foreign->install);
        // A second line of a stranger's could be taken for one of ours, or of a CI server's
        // commands.
        for (char *line = reason->bytes; (line = strchr(line, '\n')) != NULL;)
            *line = ' ';
        return false;
    }
    return true;
}

// Servers that Lockpick is to boot must be there.
static bool are_installed(const struct trial *trial, const struct lock_scheme *scheme,
                          struct text *reason)
{
    const char *const needed[] = {scheme->server, trial_store(trial)->server};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (needed[i] != NULL && scenario_server(trial->scenario, needed[i])->external == NULL &&
            !is_installed(needed[i], reason))
            return false;
    }
    return trial->foreign == NULL || has_its_needs(trial->foreign, reason);
}

enum applicability trial_applicability(const struct trial *trial, struct text *reason)
{
    struct lock_scheme room;
    const struct lock_scheme *scheme = trial_scheme(trial, &room);
    if (trial->skip_reason != NULL)
        text_add(reason, trial->skip_reason);
    if (trial->skip_reason != NULL || !fits_workload(trial, scheme, reason) ||
        !fits_store(trial, scheme, reason) || !fits_servers(trial, scheme, reason))
        return TRIAL_NOT_APPLICABLE;
    return are_installed(trial, scheme, reason) ? TRIAL_CAN_RUN : TRIAL_NOT_INSTALLED;
}

bool trial_uses(const struct trial *trial, const char *server)
{
    struct lock_scheme room;
    const struct lock_scheme *scheme = trial_scheme(trial, &room);
    const struct store_kind *store = trial_store(trial);
    const char *kept_in = store != NULL ? store->server : NULL;
    return (scheme->server != NULL && strcmp(scheme->server, server) == 0) ||
           (kept_in != NULL && strcmp(kept_in, server) == 0);
}

bool trial_is_external(const struct trial *trial)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const struct server_settings *settings =
            scenario_server(trial->scenario, server_catalogue[i]->name);
        if (settings != NULL && settings->external != NULL &&
            trial_uses(trial, server_catalogue[i]->name))
            return true;
    }
    return false;
}

static bool strikes_servers(const struct fault_step *step)
{
    return step->target.client == 0 || step->side_counts[0] > 0;
}

bool trial_strikes_server_by(const struct trial *trial, unsigned traits)
{
    const struct scenario *scenario = trial_as_run(trial);
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (fault_can(&scenario->faults[i], traits) && scenario->faults[i].target.client == 0)
            return true;
    }
    return false;
}

bool trial_strikes_servers(const struct trial *trial)
{
    const struct scenario *scenario = trial_as_run(trial);
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (strikes_servers(&scenario->faults[i]))
            return true;
    }
    return false;
}

bool trial_needs_proxy(const struct trial *trial)
{
    const struct scenario *scenario = trial->scenario;
    bool counts = false;
    for (size_t i = 0; i < scenario->threshold_count; i++)
        counts |= scenario->thresholds[i].limit.metric == METRIC_COMMANDS;
    bool measures = scenario->workload.for_ns > 0 || scenario->load_count > 0 ||
                    workload_find(scenario->workload.kind)->only_locks;
    return !measures || counts || scenario->fault_count > 0 || scenario->random.of.count > 0;
}

bool trial_may_share_machine(const struct trial *trial)
{
    const struct scenario *scenario = trial_as_run(trial);
    bool is_soak = scenario_was_drawn(scenario) && scenario->threshold_count == 0;
    bool strikes_briefly = scenario->fault_count > 0 && (scenario->workload.for_ns == 0 || is_soak);
    return (scenario->verdict_only || (strikes_briefly && scenario->load_count == 0)) &&
           !trial_is_external(trial);
}

const char *why_loopback(const struct run_options *options, const struct plan *plan)
{
    if (options->no_namespaces)
        return "--no-namespaces was given";
    for (size_t i = 0; i < plan->count; i++) {
        if (trial_is_external(&plan->trials[i]))
            return "a server is external: clients in namespaces of their own could not reach it";
    }
    return NULL;
}

const char *open_to_strangers(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct lock_scheme room;
        const struct trial *trial = &plan->trials[i];
        const char *name = trial_scheme(trial, &room)->server;
        const struct server_kind *kind = name != NULL ? server_kind_find(name) : NULL;
        if (kind != NULL && !kind->takes_preload &&
            scenario_server(trial->scenario, name)->external == NULL)
            return kind->name;
    }
    return NULL;
}
