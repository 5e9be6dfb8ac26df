#include "harness/run/setup.h"

#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/run/placement.h"
#include "harness/run/scheme.h"
#include "harness/wire/redis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Room for a run by time: more than the quickest locks can fill. The history file is sparse: room
// that is not used costs nothing.
#define EVENT_CAPACITY ((size_t)64 * 1000 * 1000)
#define EVENTS_PER_SECOND 1000000

// Of an operation: acquire, read, write, read, release and commit; and what each further depth
// adds.
#define EVENTS_PER_OPERATION 12
#define EVENTS_PER_DEPTH 12

// What the proxies of external clients may see, at least.
#define EVENTS_OF_PROXIES ((size_t)2 * 1000 * 1000)

// The harness's own requests are no part of the trial, and patient.
#define OWN_REQUEST_NS (10 * NS_PER_S)

// Names that no other trial uses, of this run or another's on the same servers.
static void name_things(struct stage *stage)
{
    struct random random;
    random_start(&random, stage->trial->seed ^ (uint64_t)clock_realtime_ns(), (uint64_t)getpid());
    random_hex(&random, stage->tag + 1, 10);
    stage->tag[0] = 't';
    for (size_t i = 0; i < stage->key_count; i++) {
        struct stage_key *key = &stage->keys[i];
        bool is_one = stage->key_count == 1;
        key->number = is_one ? 0 : (int64_t)i + 1;
        key->account = &stage->accounts[i];
        if (is_one)
            snprintf(key->tag, sizeof key->tag, "%s", stage->tag);
        else
            snprintf(key->tag, sizeof key->tag, "%.11sk%d", stage->tag, (int)i + 1);
        snprintf(key->lock_name, sizeof key->lock_name, "lockpick:{%s}:lock", key->tag);
        snprintf(key->store_name, sizeof key->store_name, "lockpick:{%s}:account", key->tag);
    }
}

static void make_keys(struct stage *stage)
{
    const struct scenario *scenario = stage->trial->scenario;
    stage->key_count = (size_t)scenario_key_count(scenario);
    stage->keys = memory_zeroed(stage->key_count, sizeof *stage->keys);
    stage->accounts = memory_shared(stage->key_count * sizeof *stage->accounts);
    popularity_make(&stage->popularity, stage->key_count, (double)scenario->workload.skew / 1000);
    name_things(stage);
}

// Where the clients are: nodes of their own for each trial.
static int open_clients(struct stage *stage, const struct server_pool *pool, int serial,
                        struct cluster *clients, struct error *error)
{
    const struct clients_settings *wanted = &stage->trial->scenario->clients;
    struct cluster_settings settings = {.isolation = pool->sandbox->isolation,
                                        .clients = (int)wanted->processes,
                                        .processor = placement_of(wanted->placement),
                                        .first_index = pool->cluster.count,
                                        .folder = "",
                                        .serial = 2 * serial};
    return cluster_open(clients, &settings, error);
}

// Shows in the trial's folder where its servers keep their logs.
static void link_logs(const struct server_pool *pool, const char *folder)
{
    if (pool->set_folder == NULL)
        return;
    char *link = path_join(folder, "servers");
    char *target = realpath(pool->set_folder, NULL);
    if (target != NULL)
        (void)!symlink(target, link);
    free(target);
    free(link);
}

// How many events the trial can write: those of its operations, a chunk begun by each writer, and
// what the harness itself notes.
static size_t event_capacity(const struct stage *stage)
{
    const struct scenario *scenario = stage->trial->scenario;
    int64_t operations = stage->workload->operations(scenario);
    int64_t each = EVENTS_PER_OPERATION;
    if (stage->workload->nests)
        each += EVENTS_PER_DEPTH * scenario->workload.depth;
    // Renewals, and writes that come too late and are done again, come besides.
    each *= lock_scheme_has(stage->scheme, "optimistic") ? 20 : 1;
    // Of each client, its workers and the watchdog of each of its locks.
    int64_t writers =
        scenario->clients.processes * (scenario->clients.threads + 1 + (int64_t)stage->key_count) +
        2;
    if (operations == 0)
        return EVENT_CAPACITY + (size_t)(scenario->workload.for_ns / NS_PER_S) * EVENTS_PER_SECOND;
    size_t requests = stage->scheme->foreign != NULL ? EVENTS_OF_PROXIES : 0;
    return (size_t)(operations * each + writers * 2 * HISTORY_EVENTS_PER_CHUNK + 100000) + requests;
}

static int open_history(struct stage *stage, const char *folder, struct error *error)
{
    char *path = path_join(folder, "history.bin");
    int result = history_file_create(path, event_capacity(stage), stage->trial->seed,
                                     &stage->history, error);
    free(path);
    return result;
}

int stage_open(struct stage *stage, const struct trial *trial, struct server_pool *pool,
               const char *folder, int serial, struct cluster *clients, struct error *error)
{
    const struct workload_settings *settings = &trial->scenario->workload;
    *clients = (struct cluster){0};
    *stage = (struct stage){.trial = trial,
                            .workload = workload_find(settings->kind),
                            .store = trial_store(trial),
                            .fenced = settings->fenced,
                            .folder = folder};
    stage->scheme = trial_scheme(trial, &stage->foreign_scheme);
    struct control *control =
        mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (control == MAP_FAILED)
        return error_set(error, "cannot map the control block: %s", strerror(errno));
    stage->control = control;
    make_keys(stage);
    if (open_history(stage, folder, error) != 0 ||
        load_open(&stage->load, trial, &stage->history,
                  stage->workload->operations(trial->scenario), error) != 0 ||
        server_pool_provide(pool, trial, &stage->lock_service, &stage->store_service, error) != 0)
        return -1;
    link_logs(pool, folder);
    return open_clients(stage, pool, serial, clients, error);
}

void stage_close(struct stage *stage, struct cluster *clients)
{
    cluster_close(clients);
    history_file_close(&stage->history);
    load_close(&stage->load);
    popularity_free(&stage->popularity);
    free(stage->keys);
    if (stage->accounts != NULL)
        munmap(stage->accounts, stage->key_count * sizeof *stage->accounts);
    if (stage->control != NULL)
        munmap(stage->control, sizeof *stage->control);
}

bool stage_is_possible(const struct stage *stage, struct error *why)
{
    return stage->scheme->is_possible == NULL ||
           stage->scheme->is_possible(&stage->lock_service, why);
}

// One key's.
static int set_up_key(const struct stage *stage, const struct stage_key *key, struct error *error)
{
    const struct store_kind *store = stage->store;
    struct lock_options options = stage_lock_options(stage, key);
    if (store->set_up != NULL &&
        store->set_up(&stage->store_service, key->store_name, key->tag, error) != 0)
        return -1;
    return stage->scheme->set_up == NULL
               ? 0
               : stage->scheme->set_up(&stage->lock_service, &options, error);
}

static int clean_up_key(const struct stage *stage, const struct stage_key *key, struct error *error)
{
    const struct store_kind *store = stage->store;
    struct lock_options options = stage_lock_options(stage, key);
    int result = 0;
    if (stage->scheme->clean_up != NULL)
        result = stage->scheme->clean_up(&stage->lock_service, &options, error);
    if (store->clean_up != NULL &&
        store->clean_up(&stage->store_service, key->store_name, key->tag, error) != 0)
        result = -1;
    return result;
}

int stage_prepare(const struct stage *stage, int64_t value, struct history_writer *writer,
                  struct error *error)
{
    for (size_t i = 0; i < stage->key_count; i++) {
        const struct stage_key *key = &stage->keys[i];
        if (set_up_key(stage, key, error) != 0 || stage_write_value(stage, key, value, error) != 0)
            return -1;
        history_append(writer, (struct event){.kind = EVENT_STORE_INITIAL,
                                              .stored = {.value = value, .key = key->number}});
    }
    return 0;
}

int stage_record_values(const struct stage *stage, struct history_writer *writer,
                        struct error *error)
{
    for (size_t i = 0; i < stage->key_count; i++) {
        const struct stage_key *key = &stage->keys[i];
        int64_t value = 0;
        if (stage_read_value(stage, key, &value, error) != 0)
            return -1;
        history_append(writer, (struct event){.kind = EVENT_STORE_FINAL,
                                              .stored = {.value = value, .key = key->number}});
    }
    return 0;
}

int stage_clean_up(const struct stage *stage, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < stage->key_count; i++) {
        if (clean_up_key(stage, &stage->keys[i], error) != 0)
            result = -1;
    }
    // Whatever keys a scheme of Redis uses, all have a tag in their names.
    if (strcmp(stage->lock_service.kind, "redis") == 0) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "*{%s*", stage->tag);
        if (redis_clean(&stage->lock_service, pattern, error) != 0)
            result = -1;
    }
    return result;
}

static enum outcome write_value(struct store *store, int64_t *value)
{
    return store->kind->write(store, 0, *value);
}

static enum outcome read_value(struct store *store, int64_t *value)
{
    return store->kind->read(store, 0, value);
}

static int touch_store(const struct stage *stage, const struct stage_key *key, const char *what,
                       enum outcome (*touch)(struct store *, int64_t *), int64_t *value,
                       struct error *error)
{
    struct actor actor = {.phase = PHASE_NONE};
    struct store store = stage_store(stage, key, &actor, OWN_REQUEST_NS);
    store.fenced = false;
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

int stage_write_value(const struct stage *stage, const struct stage_key *key, int64_t value,
                      struct error *error)
{
    return touch_store(stage, key, "write", write_value, &value, error);
}

int stage_read_value(const struct stage *stage, const struct stage_key *key, int64_t *value,
                     struct error *error)
{
    return touch_store(stage, key, "read", read_value, value, error);
}
