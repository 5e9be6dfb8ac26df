#include "harness/run/trial_state.h"

#include "harness/base/file.h"
#include "harness/base/futex.h"
#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/cluster/server.h"
#include "harness/wire/recognize.h"
#include "harness/wire/redis.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void state_break(const struct trial_state *state, const char *format, ...)
{
    struct control *control = state->control;
    uint32_t whole = 0;
    if (!atomic_compare_exchange_strong(&control->broken, &whole, 1))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->broken_text, sizeof control->broken_text, format, arguments);
    va_end(arguments);
    atomic_store(&control->broken, 2);
    state_stop(state, 1);
    futex_wake_all(&control->ready);
}

struct key_range state_keys_of(const struct trial_state *state, int client_number, int worker)
{
    const struct scenario *scenario = state->trial->scenario;
    size_t threads = (size_t)scenario->clients.threads;
    size_t before = (size_t)(client_number - 1) * threads;
    if (scenario->workload.keys != KEYS_OWN)
        return (struct key_range){0, state->key_count};
    return worker > 0 ? (struct key_range){before + (size_t)worker - 1, 1}
                      : (struct key_range){before, threads};
}

struct lock_options state_lock_options(const struct trial_state *state, const struct trial_key *key)
{
    const struct scenario *scenario = state->trial->scenario;
    return (struct lock_options){.name = key->lock_name,
                                 .tag = key->tag,
                                 .lease_ns = scenario->lock.lease_ns,
                                 .wait_ns = scenario->lock.wait_ns,
                                 .retry_ns = scenario->lock.retry_ns,
                                 .request_ns = scenario->lock.request_ns,
                                 .permits =
                                     state->workload->has_permits ? scenario->workload.permits : 1,
                                 .job = state->workload->form.has_jobs ? key - state->keys + 1 : 0,
                                 .attempts = scenario->workload.attempts,
                                 .queue = state->keys[0].lock_name,
                                 .queue_tag = state->keys[0].tag,
                                 .fenced = state->fenced};
}

struct store state_store(const struct trial_state *state, const struct trial_key *key,
                         struct actor *actor, int64_t request_ns)
{
    return (struct store){.kind = state->store,
                          .actor = actor,
                          .fenced = state->fenced,
                          .request_ns = request_ns,
                          .service = &state->store_service,
                          .name = key->store_name,
                          .tag = key->tag,
                          .shared = &key->account->account};
}

void state_stop(const struct trial_state *state, uint32_t how)
{
    atomic_store(&state->control->stop, how);
    futex_wake_all(&state->control->stop);
}

bool state_is_stopped(const struct trial_state *state)
{
    return atomic_load_explicit(&state->control->stop, memory_order_relaxed) != 0;
}

bool state_jobs_are_done(const struct trial_state *state)
{
    bool are_done = trial_has_queue(state->trial);
    for (size_t i = 0; are_done && i < state->key_count; i++)
        are_done = atomic_load(&state->keys[i].account->is_done);
    return are_done;
}

void state_rest_until(const struct trial_state *state, int64_t until_ns)
{
    _Atomic uint32_t *stop = &state->control->stop;
    while (atomic_load(stop) == 0 && futex_wait_until_ns(stop, 0, until_ns))
        continue;
}

const char *state_broken(const struct trial_state *state)
{
    return atomic_load(&state->control->broken) == 2 ? state->control->broken_text : NULL;
}

// --- set-up and end ------------------------------------------------------------------------------

// Room for a run by time, and for terms of leaders, of which most end before their last act: more
// than the quickest locks can fill. The history file is sparse: room that is not used costs
// nothing.
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

// By names that no other trial uses, of this run or another's on the same servers. What is explored
// has servers of its own, and the same names again, so that a search can go on with states of an
// earlier one.
static void make_keys(struct trial_state *state)
{
    struct random random;
    const struct scenario *scenario = state->trial->scenario;
    state->key_count = (size_t)scenario_key_count(scenario);
    state->keys = memory_zeroed(state->key_count, sizeof *state->keys);
    state->accounts = memory_shared(state->key_count * sizeof *state->accounts);
    key_distribution_make(&state->distribution, state->key_count,
                          (double)scenario->workload.skew / 1000);
    random_start(&random,
                 state->trial->seed ^ (scenario->is_explored ? 0 : (uint64_t)clock_realtime_ns()),
                 scenario->is_explored ? 0 : (uint64_t)getpid());
    random_hex(&random, state->tag + 1, 10);
    state->tag[0] = 't';
    for (size_t i = 0; i < state->key_count; i++) {
        struct trial_key *key = &state->keys[i];
        bool is_one = state->key_count == 1;
        key->number = is_one ? 0 : (int64_t)i + 1;
        key->account = &state->accounts[i];
        if (is_one)
            snprintf(key->tag, sizeof key->tag, "%s", state->tag);
        else
            snprintf(key->tag, sizeof key->tag, "%.11sk%d", state->tag, (int)i + 1);
        snprintf(key->lock_name, sizeof key->lock_name, "lockpick:{%s}:lock", key->tag);
        snprintf(key->store_name, sizeof key->store_name, "lockpick:{%s}:account", key->tag);
    }
}

// How many events the trial can write: those of its operations, a chunk begun by each writer, and
// what the harness itself notes.
static size_t event_capacity(const struct trial_state *state)
{
    const struct scenario *scenario = state->trial->scenario;
    int64_t operations = workload_operations(state->workload, scenario);
    int64_t each = EVENTS_PER_OPERATION;
    if (state->workload->nests)
        each += EVENTS_PER_DEPTH * scenario->workload.depth;
    // Renewals, and writes that come too late and are done again, come besides.
    each *= lock_scheme_has(state->scheme, "optimistic") ? 20 : 1;
    // Of each client, its workers and the watchdog of each of its locks.
    int64_t writers =
        scenario->clients.processes * (scenario->clients.threads + 1 + (int64_t)state->key_count) +
        2;
    if (operations == 0 || state->workload->leads)
        return EVENT_CAPACITY + (size_t)(scenario->workload.for_ns / NS_PER_S) * EVENTS_PER_SECOND;
    size_t requests = state->scheme->external_client != NULL ? EVENTS_OF_PROXIES : 0;
    return (size_t)(operations * each + writers * 2 * HISTORY_EVENTS_PER_CHUNK + 100000) + requests;
}

int state_open(struct trial_state *state, const struct trial *trial, struct server_pool *pool,
               const char *folder, int serial, struct cluster *clients, struct error *error)
{
    const struct workload_settings *settings = &trial->scenario->workload;
    const struct clients_settings *wanted = &trial->scenario->clients;
    *clients = (struct cluster){0};
    *state = (struct trial_state){.trial = trial,
                                  .workload = workload_find(settings->kind),
                                  .store = trial_store(trial),
                                  .fenced = settings->fenced,
                                  .folder = folder};
    state->scheme = trial_scheme(trial, &state->external_scheme);
    state->control = memory_shared(sizeof *state->control);
    make_keys(state);
    AUTO_FREE char *path = path_join(folder, "history.bin");
    int result =
        history_file_create(path, event_capacity(state), trial->seed, &state->history, error);
    if (result != 0 ||
        load_open(&state->load, trial, &state->history,
                  workload_operations(state->workload, trial->scenario), error) != 0 ||
        server_pool_provide(pool, trial, &state->lock_service, &state->store_service, error) != 0)
        return -1;
    const struct service *const services[] = {&state->lock_service, &state->store_service};
    for (int i = 0; i < 2; i++) {
        // What is spoken to a server that Lockpick does not know need not be TCP.
        if (!services[i]->external || server_kind_find(services[i]->kind)->form.is_custom)
            continue;
        const struct external_group *by_gateway = &pool->external[i];
        const struct service *outside = by_gateway->group.count > 0 ? &by_gateway->outside : NULL;
        // A gateway has reached them already.
        if ((pool->sandbox->isolation == ISOLATION_LOOPBACK &&
             service_reach(services[i], error) != 0) ||
            service_recognize(services[i], outside, error) != 0)
            return -1;
    }
    if (pool->set_folder != NULL) { // where the trial's servers keep their logs
        AUTO_FREE char *link = path_join(folder, "servers");
        AUTO_FREE char *target = realpath(pool->set_folder, NULL);
        if (target != NULL)
            (void)!symlink(target, link);
    }
    // Nodes of its own for each trial.
    struct cluster_settings nodes = {.isolation = pool->sandbox->isolation,
                                     .clients = (int)wanted->processes,
                                     .processors = placement_processors(wanted->placement),
                                     .first_index = pool->cluster.count,
                                     .folder = "",
                                     .serial = 2 * serial};
    return cluster_open(clients, &nodes, error);
}

void state_close(struct trial_state *state, struct cluster *clients)
{
    cluster_close(clients);
    history_file_close(&state->history);
    load_close(&state->load);
    key_distribution_free(&state->distribution);
    free(state->keys);
    if (state->accounts != NULL)
        munmap(state->accounts, state->key_count * sizeof *state->accounts);
    if (state->control != NULL)
        munmap(state->control, sizeof *state->control);
}

// A guarded value as the harness itself sees it, before and after the run and past any fence.
static int touch_value(const struct trial_state *state, const struct trial_key *key, bool writes,
                       int64_t *value, struct error *error)
{
    struct actor actor = {.phase = PHASE_NONE};
    struct store store = state_store(state, key, &actor, OWN_REQUEST_NS);
    store.fenced = false;
    if (store_open(&store, error) != 0)
        return -1;
    enum outcome outcome =
        writes ? store.kind->write(&store, 0, *value) : store.kind->read(&store, 0, value);
    store_close(&store);
    return outcome == OUTCOME_OK
               ? 0
               : error_set(error, "cannot %s the guarded value: %s %s", writes ? "write" : "read",
                           outcome_name(outcome), store.error.text);
}

int state_prepare(const struct trial_state *state, int64_t value, struct history_writer *writer,
                  struct error *error)
{
    const struct store_kind *store = state->store;
    for (size_t i = 0; i < state->key_count; i++) {
        const struct trial_key *key = &state->keys[i];
        struct lock_options options = state_lock_options(state, key);
        if ((store->set_up != NULL &&
             store->set_up(&state->store_service, key->store_name, key->tag, error) != 0) ||
            (state->scheme->set_up != NULL &&
             state->scheme->set_up(&state->lock_service, &options, error) != 0) ||
            touch_value(state, key, true, &value, error) != 0)
            return -1;
        atomic_store(&key->account->is_done, false);
        history_append(writer, (struct event){.kind = EVENT_STORE_INITIAL,
                                              .stored = {.value = value, .key = key->number}});
    }
    return 0;
}

int state_record_values(const struct trial_state *state, struct history_writer *writer,
                        struct error *error)
{
    for (size_t i = 0; i < state->key_count; i++) {
        const struct trial_key *key = &state->keys[i];
        int64_t value = 0;
        if (touch_value(state, key, false, &value, error) != 0)
            return -1;
        history_append(writer, (struct event){.kind = EVENT_STORE_FINAL,
                                              .stored = {.value = value, .key = key->number}});
    }
    return 0;
}

int state_clean_up(const struct trial_state *state, struct error *error)
{
    const struct store_kind *store = state->store;
    int result = 0;
    for (size_t i = 0; i < state->key_count; i++) {
        const struct trial_key *key = &state->keys[i];
        struct lock_options options = state_lock_options(state, key);
        if (state->scheme->clean_up != NULL)
            result |= state->scheme->clean_up(&state->lock_service, &options, error);
        if (store->clean_up != NULL)
            result |= store->clean_up(&state->store_service, key->store_name, key->tag, error);
    }
    const struct server_kind *server = server_kind_find(state->lock_service.kind);
    if (server != NULL && server->form.tags_keys) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "*{%s*", state->tag);
        result |= redis_clean(&state->lock_service, pattern, error);
    }
    return result;
}

// --- the environment of faults -------------------------------------------------------------------

// Servers of somebody else's are reached from the host's network, as the proxy's own connections
// are; the program's network is another.
static const char *why_no_proxy(const struct trial_state *state, bool has_namespaces)
{
    const struct service *service = &state->lock_service;
    struct in_addr ignored;
    if (external_client_host(state->trial->external_client, 1) != NULL)
        return "what a program on another host sends to its servers does not pass here";
    if (service->external && service->tls != NULL)
        return "what a program sends by TLS cannot be read";
    if (has_namespaces)
        return NULL;
    for (int i = 0; service->external && i < service->server_count + service->sentinel_count; i++) {
        const struct endpoint *endpoint = i < service->server_count
                                              ? &service->servers[i]
                                              : &service->sentinels[i - service->server_count];
        if (inet_pton(AF_INET, endpoint->host, &ignored) != 1)
            return "what a program sends to servers that are somebody else's is seen only if their "
                   "URL has IPv4 addresses (10.0.0.7), and neither names nor IPv6 addresses";
    }
    int made = service->external ? network_make(NULL, NULL, NULL) : -1;
    if (made < 0)
        return "what a program sends to its servers is seen only where network namespaces can be "
               "made; lockpick doctor says what is missing";
    close(made);
    return NULL;
}

bool state_has_proxy(const struct trial_state *state, bool has_namespaces)
{
    return state->scheme->server != NULL && trial_needs_proxy(state->trial) &&
           (state->scheme->external_client != NULL ? why_no_proxy(state, has_namespaces) == NULL
                                                   : has_namespaces);
}

// Of a lock that is not ours. Where nothing sees what it sends, see harness/wire/proxy.h.
static void tell_points(struct fault_environment *environment, const struct trial_state *state)
{
    const struct external_client *external_client = state->scheme->external_client;
    environment->is_unseen = trial_has_queue(state->trial);
    if (external_client == NULL)
        return;
    environment->is_external_client = external_client->plugin == NULL;
    environment->is_unseen |= !external_client->visible;
    environment->points_are_missing =
        external_client->plugin == NULL && external_client->server != NULL;
    if (external_client->plugin != NULL)
        environment->why_no_points = "it is a plug-in, whose requests to its servers nobody sees";
    else if (external_client->server == NULL)
        environment->why_no_points = "it locks with no server that Lockpick knows of";
    else
        environment->why_no_points =
            why_no_proxy(state, environment->client_nodes->isolation == ISOLATION_NAMESPACES);
}

void fault_environment_open(struct fault_environment *environment, const struct trial_state *state,
                            struct server_pool *pool, const struct cluster *client_nodes,
                            struct fault_client *clients, int client_count)
{
    int group = 0;
    const struct service *lock = &state->lock_service;
    const struct service *store = &state->store_service;
    bool has_lock_group = lock->kind[0] != '\0' && !lock->external;
    bool has_store_group =
        store->kind[0] != '\0' && !store->external && !trial_shares_service(state->trial);
    *environment = (struct fault_environment){
        .scenario = trial_as_run(state->trial),
        .board = &state->control->board,
        .clients = clients,
        .client_count = client_count,
        .client_nodes = client_nodes,
        .is_external = lock->external,
        .is_external_store = store->external,
        .client_clocks = state->control->client_clocks,
        .shifted_clients = MAX_SHIFTED_CLIENTS,
        .seed = state->trial->seed,
        .folder = state->folder,
        .service = lock,
        .outside = pool->external[0].group.count > 0 ? &pool->external[0].outside : NULL,
        .gateway = pool->external[0].group.count + pool->external[1].group.count > 0
                       ? pool->sandbox->gateway
                       : NULL,
    };
    environment->locks = memory_new(state->key_count * sizeof *environment->locks);
    for (size_t i = 0; i < state->key_count; i++)
        environment->locks[environment->lock_count++] =
            (struct lock_identity){.name = state->keys[i].lock_name,
                                   .tag = state->keys[i].tag,
                                   .scheme = state->scheme->name};
    environment->lock = environment->locks[0];
    tell_points(environment, state);
    if (has_lock_group)
        environment->lock_group = &pool->cluster.groups[group++];
    if (has_store_group)
        environment->store_group = &pool->cluster.groups[group];
    for (int i = 0; i < 2; i++)
        environment->external[i] =
            pool->external[i].group.count > 0 ? &pool->external[i].group : NULL;
    bool touches_wires = false;
    for (size_t i = 0; i < environment->scenario->fault_count; i++)
        touches_wires |= environment->scenario->faults[i].side_counts[0] > 0;
    struct error error = {0};
    // The rules that an earlier trial left are gone with it: each trial has wires of its own.
    bool has_wires = pool->sandbox->isolation != ISOLATION_LOOPBACK;
    if (has_wires && touches_wires)
        environment->wires = wires_open(&error);
    else if (!has_wires)
        error_set(&error, "nodes share the loopback network, whose wires cannot be cut (%s); %s",
                  pool->sandbox->why_loopback,
                  pool->sandbox->chose_loopback
                      ? "leave out what asks for that (that option, or the fault)"
                      : "run as root, or allow unprivileged user namespaces");
    if (environment->wires == NULL && (touches_wires || !has_wires))
        environment->why_no_wires = memory_string(error.text);
}

void fault_environment_close(struct fault_environment *environment)
{
    wires_close(environment->wires);
    free(environment->why_no_wires);
    free(environment->locks);
    *environment = (struct fault_environment){0};
}

// --- residual locks ------------------------------------------------------------------------------

// A release that was not answered may yet arrive, and the end of a connection be noticed.
#define GRACE_NS (200 * NS_PER_MS)
// How much longer than it was asked to a server may keep a lease: see harness/check/stuck.c.
#define LEASE_EXCESS_NS (3 * NS_PER_S)
#define MOST_NS (5 * NS_PER_S)
#define LOOK_EVERY_NS (10 * NS_PER_MS)
// A lock that was asked for so soon was not waited for. Of many, the last are asked for much later,
// when a lease or session may have ended meanwhile.
#define AT_ONCE_NS (5 * NS_PER_MS)

void residual_locks_record(const struct fault_environment *environment,
                           const struct trial_key *keys, const struct lock_scheme *scheme,
                           int64_t lease_ns, struct history_writer *writer)
{
    struct error ignored;
    int64_t began_ns = clock_monotonic_ns();
    bool ends_by_itself = lock_scheme_has(scheme, "lease") || lock_scheme_has(scheme, "session");
    int64_t enough_ns = ends_by_itself ? lease_ns + LEASE_EXCESS_NS : GRACE_NS;
    AUTO_FREE bool *is_settled = memory_zeroed((size_t)environment->lock_count, sizeof *is_settled);
    for (int left = environment->lock_count; left > 0;) {
        for (int i = 0; i < environment->lock_count; i++) {
            if (is_settled[i])
                continue;
            bool is_at_once = clock_monotonic_ns() - began_ns <= AT_ONCE_NS;
            int held = lock_is_held(environment, &environment->locks[i], &ignored);
            int64_t waited_ns = is_at_once ? 0 : clock_monotonic_ns() - began_ns;
            bool may_end = held == 1 && waited_ns < enough_ns;
            if (may_end && waited_ns < MOST_NS)
                continue; // to be asked for again
            if (held >= 0 && !may_end)
                history_append(writer, (struct event){.kind = EVENT_LOCK_FINAL,
                                                      .lock_final = {.held = held,
                                                                     .waited_ns = waited_ns,
                                                                     .key = keys[i].number}});
            is_settled[i] = true;
            left--;
        }
        if (left > 0)
            clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
    }
}
