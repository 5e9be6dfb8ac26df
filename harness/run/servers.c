#include "harness/run/servers.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/url.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/run/run_files.h"
#include "harness/run/usage.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

// The servers of a trial's lock, then those of its store, unless that is on the lock's own: their
// kind, NULL if there are none, and what the scenario says of them.
struct trial_servers {
    const char *kinds[2];
    const struct server_settings *settings[2];
};

static struct trial_servers trial_servers_of(const struct trial *trial)
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
    const struct workload *only = workload_alone_for(scheme->traits);
    const char *server = scheme->server;
    const char *topology =
        server != NULL ? scenario_server(trial->scenario, server)->topology : NULL;
    if (trial->skip_reason != NULL) {
        text_add(reason, trial->skip_reason);
    } else if (workload->form.trait != NULL && !workload->form.takes_others &&
               !lock_scheme_has(scheme, workload->form.trait)) {
        text_format(reason, "it has not the trait '%s', which the workload %s needs",
                    workload->form.trait, settings->kind);
    } else if (only != NULL && only != workload) {
        text_format(reason, "%s, not for %s", only->form.why_only, settings->kind);
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

// Appends what is missing on this machine, or nothing: servers that Lockpick is to boot, and what a
// scheme that the scenario brings along says it needs here. On other hosts, agents look.
static void miss(const struct trial *trial, struct text *reason)
{
    struct trial_servers servers = trial_servers_of(trial);
    const struct external_client *external_client = trial->external_client;
    for (int i = 0; i < 2; i++) {
        const struct server_kind *kind =
            servers.kinds[i] != NULL ? server_kind_find(servers.kinds[i]) : NULL;
        if (kind == NULL || servers.settings[i]->external != NULL ||
            servers.settings[i]->hosts.count > 0)
            continue;
        const char *binary = servers.settings[i]->binary;
        const struct custom_server *custom = &servers.settings[i]->custom.server;
        if (kind->form.is_custom && !need_is_there(custom->command[0], custom->folder)) {
            text_format(reason, "found no program %s, which starts servers.%s", custom->command[0],
                        kind->name);
            if (custom->install != NULL)
                text_format(reason, ": %s", custom->install);
            text_clean_line(reason->bytes);
            return;
        }
        if (binary != NULL && !program_exists(binary)) {
            text_format(reason, "found no program %s, which servers.%s.binary names", binary,
                        kind->name);
            return;
        }
        if ((binary != NULL && kind->installed == NULL) || server_is_installed(kind))
            continue;
        text_format(reason, "%s is not installed: apt-get install %s (or: scripts/setup)",
                    kind->program, kind->package);
        return;
    }
    bool is_here = external_client != NULL && external_client->hosts == NULL;
    for (size_t i = 0;
         is_here && external_client->needs != NULL && external_client->needs[i] != NULL; i++) {
        if (need_is_there(external_client->needs[i], external_client->folder))
            continue;
        text_format(reason, "it needs %s, which is not there", external_client->needs[i]);
        if (external_client->install != NULL)
            text_format(reason, ": %s", external_client->install);
        // A second line of a stranger's could be taken for one of ours, or of a CI server's
        // commands.
        text_clean_line(reason->bytes);
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

// True if a fault of the trial that has any of these traits strikes a server, which may have to be
// started so that it can (FAULT_MOVES_CLOCK, FAULT_HINDERS_DISK).
static bool trial_strikes_server_by(const struct trial *trial, unsigned traits)
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

// True if the trial boots servers on other hosts.
static bool trial_boots_elsewhere(const struct trial *trial)
{
    struct trial_servers servers = trial_servers_of(trial);
    return (servers.settings[0] != NULL && servers.settings[0]->hosts.count > 0) ||
           (servers.settings[1] != NULL && servers.settings[1]->hosts.count > 0);
}

bool plan_wants_gateway(const struct plan *plan)
{
    bool wants = false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct trial *trial = &plan->trials[i];
        const struct scenario *scenario = trial_as_run(trial);
        bool has_program = trial->external_client != NULL && trial->external_client->plugin == NULL;
        for (size_t j = 0; j < scenario->fault_count && trial_is_external(trial); j++)
            wants |= has_program || fault_is_between(&scenario->faults[j].form);
    }
    return wants;
}

// Whether a certificate can be asked for that is made out to the servers' host in their URL, where
// they are reached by other addresses.
static bool can_name_host(const struct server_form *form, const struct server_settings *settings,
                          const struct url *url)
{
    bool are_one = form->why_no_server_name == NULL;
    for (int i = 1; i < url->host_count; i++)
        are_one &= strcmp(url->hosts[i].host, url->hosts[0].host) == 0;
    return are_one || settings->tls.server_name != NULL;
}

// Why a gateway does not do for a trial with servers that run already; NULL: it does.
static const char *why_no_gateway(const struct trial *trial)
{
    struct trial_servers servers = trial_servers_of(trial);
    struct url url;
    struct error ignored;
    bool is_by_tls;
    for (int i = 0; i < 2; i++) {
        const struct server_settings *settings = servers.settings[i];
        if (settings == NULL || settings->external == NULL)
            continue;
        const struct topology *topology = topology_find(servers.kinds[i], settings->topology);
        if (topology != NULL && topology->redirects)
            return "an external server tells its clients addresses of others, which are on the "
                   "host's network; wires to those that Lockpick boots can be struck";
        const struct server_form *form = &server_kind_find(servers.kinds[i])->form;
        if (external_read(servers.kinds[i], form, settings, &url, &is_by_tls, &ignored) == 0 &&
            is_by_tls && !can_name_host(form, settings, &url))
            return "the certificates of external servers are made out to their hosts, and no one "
                   "'server-name' is said, or can be";
    }
    return NULL;
}

const char *why_loopback(const struct run_options *options, const struct plan *plan)
{
    bool has_gateway = plan_wants_gateway(plan);
    if (options->no_namespaces)
        return "--no-namespaces was given";
    for (size_t i = 0; i < plan->count; i++) {
        if (external_client_host(plan->trials[i].external_client, 1) != NULL)
            return "clients are on other hosts, which only the host's network leads to";
        if (trial_boots_elsewhere(&plan->trials[i]))
            return "servers are on other hosts, which only the host's network leads to";
    }
    for (size_t i = 0; i < plan->count; i++) {
        const char *why = NULL;
        if (trial_is_external(&plan->trials[i]))
            why = has_gateway ? why_no_gateway(&plan->trials[i])
                              : "a server is external, and no fault strikes on the way to it, so "
                                "that its clients need no gateway";
        if (why != NULL)
            return why;
    }
    return NULL;
}

const char *open_to_strangers(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct trial_servers servers = trial_servers_of(&plan->trials[i]);
        const struct server_kind *kind =
            servers.kinds[0] != NULL ? server_kind_find(servers.kinds[0]) : NULL;
        if (kind == NULL || servers.settings[0]->external != NULL ||
            servers.settings[0]->hosts.count > 0)
            continue;
        if (kind->form.is_custom ? !custom_takes_preload(&servers.settings[0]->custom.server)
                                 : !kind->takes_preload)
            return kind->name;
    }
    return NULL;
}

// --- placement -----------------------------------------------------------------------------------

// Where processes run: a one-client result differs by a factor of eight with it.
int placement_processors(enum placement placement)
{
    return placement == PLACEMENT_FREE       ? 0
           : placement == PLACEMENT_TOGETHER ? 1
                                             : processors_allowed();
}

// --- what a trial needs --------------------------------------------------------------------------

// The lock's servers first, then the store's, which has nodes of its own so that what strikes the
// lock's spares it. Those that run already are no groups. Returns how many.
static int want_servers(const struct trial *trial, struct group_settings *groups)
{
    struct lock_scheme room;
    const struct lock_scheme *scheme = trial_scheme(trial, &room);
    struct trial_servers servers = trial_servers_of(trial);
    int count = 0;
    for (int i = 0; i < 2; i++) {
        const struct server_settings *settings = servers.settings[i];
        if (settings == NULL || settings->external != NULL)
            continue;
        struct group_settings *group = &groups[count++];
        group->binary = settings->binary;
        group->custom =
            server_kind_find(servers.kinds[i])->form.is_custom ? &settings->custom.server : NULL;
        group->hindered_disk = trial_strikes_server_by(trial, FAULT_HINDERS_DISK);
        if (settings->hosts.count > 0) {
            group->hosts = (const char *const *)settings->hosts.items;
            group->launch = (const char *const *)settings->launch.items;
        }
        if (i == 1) {
            group->topology = topology_find(servers.kinds[i], "single");
            group->count = 1;
            snprintf(group->name, sizeof group->name, "store");
            continue;
        }
        const char *topology = settings->topology;
        if (topology == NULL && scheme->topologies != NULL)
            topology = scheme->topologies[0];
        group->topology = topology_find(scheme->server, topology != NULL ? topology : "single");
        group->count = settings->nodes > 0 ? (int)settings->nodes : group->topology->form.usual;
        group->persistence = settings->persistence;
        group->is_explored = trial->scenario->is_explored || trial->scenario->schedule.count > 0;
        group->shiftable_clock =
            group->is_explored || trial_strikes_server_by(trial, FAULT_MOVES_CLOCK);
        snprintf(group->name, sizeof group->name, "%.15s", scheme->server);
    }
    return count;
}

// --- services ------------------------------------------------------------------------------------

int service_of_external(const char *kind, const struct server_settings *settings,
                        struct service *service, struct error *error)
{
    static char system[] = TLS_OF_SYSTEM;
    static const struct tls_settings by_system = {.ca = system};
    struct url url;
    bool is_by_tls;
    const char *topology = settings->topology != NULL ? settings->topology : "single";
    *service = (struct service){.external = true};
    if (external_read(kind, &server_kind_find(kind)->form, settings, &url, &is_by_tls, error) !=
            0 ||
        (settings->password != NULL && password_read(settings->password, service->password,
                                                     sizeof service->password, error) != 0) ||
        (settings->sentinel_password != NULL &&
         password_read(settings->sentinel_password, service->sentinel_password,
                       sizeof service->sentinel_password, error) != 0))
        return error_wrap(error, "servers.%s", kind);
    service->tls = !is_by_tls ? NULL : settings->tls.ca != NULL ? &settings->tls : &by_system;
    bool is_sentinel = strcmp(topology, "sentinel") == 0;
    const struct server_kind *server = server_kind_find(is_sentinel ? "sentinel" : kind);
    int usual_port = server != NULL ? server->port : 0;
    snprintf(service->kind, sizeof service->kind, "%s", kind);
    snprintf(service->topology, sizeof service->topology, "%s", topology);
    service->protocol =
        server_kind_find(kind)->form.is_custom ? settings->custom.server.protocol : NULL;
    snprintf(service->user, sizeof service->user, "%s", url.user);
    snprintf(service->database, sizeof service->database, "%s", url.path);
    for (int i = 0; i < url.host_count; i++) {
        struct endpoint *endpoint = is_sentinel ? &service->sentinels[service->sentinel_count++]
                                                : &service->servers[service->server_count++];
        snprintf(endpoint->host, sizeof endpoint->host, "%s", url.hosts[i].host);
        endpoint->port = url.hosts[i].port != 0 ? url.hosts[i].port : usual_port;
    }
    return 0;
}

static int describe_services(const struct server_pool *pool, const struct trial *trial,
                             struct service *lock_service, struct service *store_service,
                             struct error *error)
{
    struct trial_servers servers = trial_servers_of(trial);
    struct service *const services[] = {lock_service, store_service};
    int group = 0;
    *lock_service = *store_service = (struct service){0};
    for (int i = 0; i < 2; i++) {
        if (servers.kinds[i] == NULL)
            continue;
        if (servers.settings[i]->external == NULL)
            group_describe(&pool->cluster.groups[group++], services[i]);
        else if (service_of_external(servers.kinds[i], servers.settings[i], services[i], error) !=
                 0)
            return -1;
    }
    if (trial_shares_service(trial))
        *store_service = *lock_service;
    return 0;
}

// --- the pool ------------------------------------------------------------------------------------

void server_pool_start(struct server_pool *pool, const struct sandbox *sandbox, const char *folder)
{
    *pool = (struct server_pool){
        .sandbox = sandbox, .folder = memory_string(folder), .sets = memory_shared(sizeof(int))};
}

static bool has(const struct server_pool *pool, const struct group_settings *groups, int count,
                enum placement placement)
{
    bool same = pool->is_up && pool->group_count == count && pool->placement == placement;
    for (int i = 0; same && i < count; i++) {
        const struct group_settings *a = &pool->groups[i];
        const struct group_settings *b = &groups[i];
        same = strcmp(a->name, b->name) == 0 && a->topology == b->topology &&
               a->count == b->count && a->persistence == b->persistence &&
               a->is_explored == b->is_explored && a->shiftable_clock == b->shiftable_clock &&
               a->hindered_disk == b->hindered_disk && a->custom == b->custom &&
               a->hosts == b->hosts &&
               strcmp(a->binary != NULL ? a->binary : "", b->binary != NULL ? b->binary : "") == 0;
    }
    return same;
}

static int boot(struct server_pool *pool, const struct group_settings *groups, int count,
                enum placement placement, struct error *error)
{
    int number = atomic_fetch_add(pool->sets, 1) + 1;
    memcpy(pool->groups, groups, sizeof pool->groups);
    pool->group_count = count;
    pool->placement = placement;
    pool->set_folder = text_formatted("%s/%d-%s", pool->folder, number, groups[0].name);
    // Odd serials: clients of trials have even ones.
    struct cluster_settings settings = {.isolation = pool->sandbox->isolation,
                                        .groups = groups,
                                        .group_count = count,
                                        .processors = placement_processors(placement),
                                        .folder = pool->set_folder,
                                        .serial = 2 * number + 1,
                                        .interrupted = pool->sandbox->interrupted};
    if (cluster_open(&pool->cluster, &settings, error) != 0) {
        free(pool->set_folder);
        pool->set_folder = NULL;
        return -1;
    }
    pool->is_up = true;
    return 0;
}

bool server_pool_suits(const struct server_pool *pool, const struct trial *trial)
{
    struct group_settings groups[2] = {0};
    int count = want_servers(trial, groups);
    return count == 0 || (!trial_strikes_servers(trial) &&
                          has(pool, groups, count, trial->scenario->clients.placement));
}

int server_pool_check(struct server_pool *pool, struct error *error)
{
    int result = cluster_check_servers(&pool->cluster, error);
    for (int i = 0; i < 2 && result == 0; i++)
        result = external_group_check(&pool->external[i], error);
    return result;
}

static void close_ways_out(struct server_pool *pool)
{
    for (int i = 0; i < 2; i++)
        external_group_close(&pool->external[i]);
}

// Where clients are in namespaces, external servers are made nodes there.
static int open_ways_out(struct server_pool *pool, const struct trial *trial,
                         struct service *lock_service, struct service *store_service,
                         struct error *error)
{
    bool is_shared = trial_shares_service(trial);
    struct service *const services[] = {lock_service, is_shared ? lock_service : store_service};
    close_ways_out(pool);
    if (pool->sandbox->isolation != ISOLATION_NAMESPACES)
        return 0;
    for (int i = 0; i < (is_shared ? 1 : 2); i++) {
        if (!services[i]->external)
            continue;
        int serial = 2 * (atomic_fetch_add(pool->sets, 1) + 1) + 1;
        if (external_group_open(&pool->external[i], pool->sandbox->gateway, serial, services[i],
                                error) != 0)
            return -1;
    }
    if (is_shared)
        *store_service = *lock_service;
    return 0;
}

int server_pool_provide(struct server_pool *pool, const struct trial *trial,
                        struct service *lock_service, struct service *store_service,
                        struct error *error)
{
    struct group_settings groups[2] = {0};
    enum placement placement = trial->scenario->clients.placement;
    int count = want_servers(trial, groups);
    struct error ignored;
    bool alive = pool->is_up && cluster_check_servers(&pool->cluster, &ignored) == 0;
    // A trial without servers lets those that are up wait for the next one.
    if (count > 0 && (!alive || !server_pool_suits(pool, trial))) {
        server_pool_clear(pool);
        if (boot(pool, groups, count, placement, error) != 0)
            return -1;
    }
    if (describe_services(pool, trial, lock_service, store_service, error) != 0)
        return -1;
    return open_ways_out(pool, trial, lock_service, store_service, error);
}

void server_pool_release(struct server_pool *pool, const struct trial *trial)
{
    close_ways_out(pool);
    if (trial_strikes_servers(trial))
        server_pool_clear(pool);
}

void server_pool_clear(struct server_pool *pool)
{
    close_ways_out(pool);
    if (pool->is_up)
        cluster_close(&pool->cluster);
    free(pool->set_folder);
    pool->set_folder = NULL;
    pool->is_up = false;
    pool->group_count = 0;
}

void server_pool_stop(struct server_pool *pool)
{
    server_pool_clear(pool);
    thread_watch_free(&pool->threads);
    free(pool->folder);
    munmap((void *)pool->sets, sizeof *pool->sets);
    pool->folder = NULL;
    pool->sets = NULL;
}
