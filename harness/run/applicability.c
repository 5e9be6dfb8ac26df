#include "harness/run/applicability.h"

#include "harness/base/file.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/workloads/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct lock_scheme *trial_scheme(const struct trial *trial, struct lock_scheme *room)
{
    if (trial->external_client == NULL)
        return lock_scheme_find(trial->scheme);
    *room = trial->external_client->plugin != NULL ? plugin_scheme(trial->external_client)
                                                   : exec_scheme(trial->external_client);
    return room;
}

const struct store_kind *trial_store(const struct trial *trial)
{
    struct lock_scheme room;
    const struct lock_scheme *scheme = trial_scheme(trial, &room);
    const char *name = trial->scenario->workload.store;
    if (scheme->own_store != NULL)
        name = scheme->own_store;
    else if (strcmp(name, "same") == 0)
        name = scheme->server != NULL ? scheme->server : "";
    return store_kind_find(name);
}

struct trial_servers trial_servers_of(const struct trial *trial)
{
    struct lock_scheme room;
    const struct store_kind *store = trial_store(trial);
    struct trial_servers servers = {.kinds = {trial_scheme(trial, &room)->server}};
    if (store != NULL && !trial_shares_service(trial))
        servers.kinds[1] = store->server;
    for (int i = 0; i < 2; i++) {
        if (servers.kinds[i] != NULL)
            servers.settings[i] = scenario_server(trial->scenario, servers.kinds[i]);
    }
    return servers;
}

// Appends why the scheme and the scenario do not go together, or nothing.
static void refuse(const struct trial *trial, struct text *reason)
{
    struct lock_scheme room;
    const struct lock_scheme *scheme = trial_scheme(trial, &room);
    const struct workload_settings *settings = &trial->scenario->workload;
    const struct workload *workload = workload_find(settings->kind);
    const char *server = scheme->server;
    const char *topology =
        server != NULL ? scenario_server(trial->scenario, server)->topology : NULL;
    if (trial->skip_reason != NULL) {
        text_add(reason, trial->skip_reason);
    } else if (workload->needs != NULL && !lock_scheme_has(scheme, workload->needs)) {
        text_format(reason, "it has not the trait '%s', which the workload %s needs",
                    workload->needs, settings->kind);
    } else if (workload->only_locks && scheme->own_store != NULL) {
        text_format(reason, "it locks by what it reads and writes, which the workload %s does not",
                    settings->kind);
    } else if (settings->boundary != BOUNDARY_NONE && scheme->own_store != NULL) {
        text_add(reason, "it ends its transactions by itself: no boundary can be set");
    } else if (trial_store(trial) == NULL) {
        text_format(reason, "it locks with %s, and there is no store of that kind (store: same)",
                    server != NULL ? server : "no server");
    } else if (topology != NULL && !lock_scheme_takes(scheme, topology)) {
        text_format(reason, "it does not work with the topology %s of %s (it takes", topology,
                    server);
        for (size_t i = 0; scheme->topologies != NULL && scheme->topologies[i] != NULL; i++)
            text_format(reason, "%s %s", i > 0 ? "," : "", scheme->topologies[i]);
        text_add(reason, scheme->topologies != NULL ? ")" : " single)");
    }
}

// A file, from the folder where the scheme runs; or a program, if its name has no slash.
static bool need_is_there(const char *need, const char *folder)
{
    if (strchr(need, '/') == NULL)
        return program_exists(need);
    char *path =
        need[0] == '/' || folder[0] == '\0' ? memory_string(need) : path_join(folder, need);
    bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

// Appends what is missing on this machine, or nothing: servers that Lockpick is to boot, and what a
// scheme that the scenario brings along says it needs.
static void miss(const struct trial *trial, struct text *reason)
{
    struct trial_servers servers = trial_servers_of(trial);
    const struct external_client *external_client = trial->external_client;
    for (int i = 0; i < 2; i++) {
        const struct server_kind *kind =
            servers.kinds[i] != NULL ? server_kind_find(servers.kinds[i]) : NULL;
        if (kind == NULL || servers.settings[i]->external != NULL || server_is_installed(kind))
            continue;
        text_format(reason, "%s is not installed: apt-get install %s (or: scripts/setup)",
                    kind->program, kind->package);
        return;
    }
    for (size_t i = 0; external_client != NULL && external_client->needs != NULL &&
                       external_client->needs[i] != NULL;
         i++) {
        if (need_is_there(external_client->needs[i], external_client->folder))
            continue;
        text_format(reason, "it needs %s, which is not there", external_client->needs[i]);
        if (external_client->install != NULL)
            text_format(reason, ": %s", external_client->install);
        // A second line of a stranger's could be taken for one of ours, or of a CI server's
        // commands.
        for (char *line = reason->bytes; (line = strchr(line, '\n')) != NULL;)
            *line = ' ';
        return;
    }
}

enum applicability trial_applicability(const struct trial *trial, struct text *reason)
{
    refuse(trial, reason);
    if (reason->length > 0)
        return TRIAL_NOT_APPLICABLE;
    miss(trial, reason);
    return reason->length > 0 ? TRIAL_NOT_INSTALLED : TRIAL_CAN_RUN;
}

bool trial_uses(const struct trial *trial, const char *server)
{
    struct trial_servers servers = trial_servers_of(trial);
    return (servers.kinds[0] != NULL && strcmp(servers.kinds[0], server) == 0) ||
           (servers.kinds[1] != NULL && strcmp(servers.kinds[1], server) == 0);
}

bool trial_is_external(const struct trial *trial)
{
    struct trial_servers servers = trial_servers_of(trial);
    return (servers.settings[0] != NULL && servers.settings[0]->external != NULL) ||
           (servers.settings[1] != NULL && servers.settings[1]->external != NULL);
}

bool trial_strikes_server_by(const struct trial *trial, unsigned traits)
{
    const struct scenario *scenario = trial_as_run(trial);
    bool strikes = false;
    for (size_t i = 0; i < scenario->fault_count; i++)
        strikes |=
            fault_can(&scenario->faults[i], traits) && scenario->faults[i].target.client == 0;
    return strikes;
}

bool trial_strikes_servers(const struct trial *trial)
{
    const struct scenario *scenario = trial_as_run(trial);
    bool strikes = false;
    for (size_t i = 0; i < scenario->fault_count; i++)
        strikes |= scenario->faults[i].target.client == 0 || scenario->faults[i].side_counts[0] > 0;
    return strikes;
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
    // A schedule's time is that of its whole process, and its nodes are the first.
    return scenario->schedule.count == 0 &&
           (scenario->verdict_only || (strikes_briefly && scenario->load_count == 0)) &&
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
        struct trial_servers servers = trial_servers_of(&plan->trials[i]);
        const struct server_kind *kind =
            servers.kinds[0] != NULL ? server_kind_find(servers.kinds[0]) : NULL;
        if (kind != NULL && !kind->takes_preload && servers.settings[0]->external == NULL)
            return kind->name;
    }
    return NULL;
}
