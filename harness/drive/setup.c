#include "harness/drive/setup.h"

#include "harness/base/file.h"
#include "harness/cluster/topology.h"
#include "harness/drive/placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Room for a run by time. The history file is sparse: room that is not used costs nothing.
#define EVENT_CAPACITY ((size_t)64 * 1000 * 1000)

// The harness's own requests are no part of the trial, and patient.
#define OWN_REQUEST_NS (10 * NS_PER_S)

// Lock service first, then the store's, which has nodes of its own so that what strikes the lock's
// servers spares it. Returns how many groups.
static int plan_groups(const struct stage *stage, struct group_settings *groups)
{
    int count = 0;
    if (stage->scheme->server != NULL) {
        groups[count].topology =
            topology_find(stage->scheme->server,
                          stage->scheme->topologies != NULL ? stage->scheme->topologies[0] : NULL);
        groups[count].count = groups[count].topology->usual;
        snprintf(groups[count].name, sizeof groups->name, "%.15s", stage->scheme->server);
        count++;
    }
    if (stage->store->server != NULL) {
        groups[count].topology = topology_find(stage->store->server, "single");
        groups[count].count = 1;
        snprintf(groups[count++].name, sizeof groups->name, "store");
    }
    return count;
}

static int open_cluster(struct stage *stage, const struct sandbox *sandbox, const char *folder,
                        int serial, struct cluster *cluster, struct error *error)
{
    struct group_settings groups[2] = {0};
    const struct clients_settings *clients = &stage->trial->scenario->clients;
    char *servers = path_join(folder, "servers");
    struct cluster_settings settings = {.isolation = sandbox->isolation,
                                        .groups = groups,
                                        .group_count = plan_groups(stage, groups),
                                        .clients = (int)clients->processes,
                                        .processor = placement_of(clients->placement),
                                        .folder = servers,
                                        .serial = serial};
    int result = cluster_open(cluster, &settings, error);
    free(servers);
    if (result != 0)
        return -1;
    int group = 0;
    if (stage->scheme->server != NULL)
        group_describe(&cluster->groups[group++], &stage->lock_service);
    if (stage->store->server != NULL)
        group_describe(&cluster->groups[group], &stage->store_service);
    return 0;
}

// How many events the trial can write at most: eight for each operation, a chunk begun by each
// writer, and what the harness itself notes.
static size_t event_capacity(const struct stage *stage)
{
    const struct scenario *scenario = stage->trial->scenario;
    int64_t operations = stage->workload->operations(&scenario->workload);
    int64_t writers = scenario->clients.processes * (scenario->clients.threads + 2) + 2;
    if (operations == 0)
        return EVENT_CAPACITY;
    return (size_t)(operations * 8 + writers * 2 * HISTORY_EVENTS_PER_CHUNK + 100000);
}

static int open_history(struct stage *stage, const char *folder, struct error *error)
{
    char *path = path_join(folder, "history.bin");
    int result = history_file_create(path, event_capacity(stage), stage->trial->seed,
                                     &stage->history, error);
    free(path);
    return result;
}

int stage_open(struct stage *stage, const struct trial *trial, const struct sandbox *sandbox,
               const char *folder, int serial, struct cluster *cluster, struct error *error)
{
    const struct workload_settings *settings = &trial->scenario->workload;
    *cluster = (struct cluster){0};
    *stage = (struct stage){.trial = trial,
                            .scheme = lock_scheme_find(trial->scheme),
                            .workload = workload_find(settings->kind),
                            .store = store_kind_find(settings->store)};
    struct control *control =
        mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (control == MAP_FAILED)
        return error_set(error, "cannot map the control block: %s", strerror(errno));
    stage->control = control;
    if (open_history(stage, folder, error) != 0)
        return -1;
    return open_cluster(stage, sandbox, folder, serial, cluster, error);
}

void stage_close(struct stage *stage, struct cluster *cluster)
{
    cluster_close(cluster);
    history_file_close(&stage->history);
    if (stage->control != NULL)
        munmap(stage->control, sizeof *stage->control);
}

static enum outcome write_value(struct store *store, int64_t *value)
{
    return store->kind->write(store, 0, *value);
}

static enum outcome read_value(struct store *store, int64_t *value)
{
    return store->kind->read(store, 0, value);
}

static int touch_store(const struct stage *stage, const char *what,
                       enum outcome (*touch)(struct store *, int64_t *), int64_t *value,
                       struct error *error)
{
    struct actor actor = {.phase = PHASE_NONE};
    struct store store = {.kind = stage->store,
                          .actor = &actor,
                          .request_ns = OWN_REQUEST_NS,
                          .service = &stage->store_service,
                          .shared = &stage->control->account};
    enum outcome outcome = OUTCOME_NO;
    if (store_open(&store, error) != 0)
        return -1;
    outcome = touch(&store, value);
    store_close(&store);
    if (outcome == OUTCOME_OK)
        return 0;
    return error_set(error, "cannot %s the guarded value: %s %s", what, outcome_name(outcome),
                     store.error.text);
}

int stage_write_value(const struct stage *stage, int64_t value, struct error *error)
{
    return touch_store(stage, "write", write_value, &value, error);
}

int stage_read_value(const struct stage *stage, int64_t *value, struct error *error)
{
    return touch_store(stage, "read", read_value, value, error);
}
