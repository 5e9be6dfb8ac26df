#include "harness/run/servers.h"

#include "harness/base/file.h"
#include "harness/base/url.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/run/applicability.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Where processes run: a one-client result differs by a factor of eight with it.
static int spread(int nth)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    int wanted = nth % CPU_COUNT(&allowed);
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &allowed) && wanted-- == 0)
            return (int)processor;
    }
    return -1;
}

static int together(int nth)
{
    (void)nth;
    return spread(0);
}

int (*placement_of(enum placement placement))(int nth)
{
    if (placement == PLACEMENT_FREE)
        return NULL;
    return placement == PLACEMENT_TOGETHER ? together : spread;
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
        group->hindered_disk = trial_strikes_server_by(trial, FAULT_HINDERS_DISK);
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
        group->count = settings->nodes > 0 ? (int)settings->nodes : group->topology->usual;
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
    struct url url;
    const char *topology = settings->topology != NULL ? settings->topology : "single";
    if (url_read(settings->external, &url, error) != 0)
        return error_wrap(error, "servers.%s.external", kind);
    bool is_sentinel = strcmp(topology, "sentinel") == 0;
    const struct server_kind *server = server_kind_find(is_sentinel ? "sentinel" : kind);
    int usual_port = server != NULL ? server->port : 0;
    *service = (struct service){.external = true};
    snprintf(service->kind, sizeof service->kind, "%s", kind);
    snprintf(service->topology, sizeof service->topology, "%s", topology);
    snprintf(service->user, sizeof service->user, "%s", url.user);
    snprintf(service->password, sizeof service->password, "%s", url.password);
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
               a->hindered_disk == b->hindered_disk;
    }
    return same;
}

static int boot(struct server_pool *pool, const struct group_settings *groups, int count,
                enum placement placement, struct error *error)
{
    struct text folder = {0};
    int number = atomic_fetch_add(pool->sets, 1) + 1;
    text_format(&folder, "%s/%d-%s", pool->folder, number, groups[0].name);
    memcpy(pool->groups, groups, sizeof pool->groups);
    pool->group_count = count;
    pool->placement = placement;
    pool->set_folder = folder.bytes;
    // Odd serials: clients of trials have even ones.
    struct cluster_settings settings = {.isolation = pool->sandbox->isolation,
                                        .groups = groups,
                                        .group_count = count,
                                        .processor = placement_of(placement),
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
    return describe_services(pool, trial, lock_service, store_service, error);
}

void server_pool_release(struct server_pool *pool, const struct trial *trial)
{
    if (trial_strikes_servers(trial))
        server_pool_clear(pool);
}

void server_pool_clear(struct server_pool *pool)
{
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
