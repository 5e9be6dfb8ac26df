#include "harness/stats/statistics.h"

#include "harness/base/scope.h"

#include <string.h>

// The place of the client's host; `*count` grows if it is the first there.
static size_t host_of(const struct trial_model *model, int client, struct host_use *hosts,
                      size_t *count)
{
    size_t i = 0;
    const char *name = external_client_host(model->trial->external_client, client);
    while (i < *count && strcmp(hosts[i].name, name) != 0)
        i++;
    if (i == *count)
        hosts[(*count)++] = (struct host_use){.name = name};
    return i;
}

// The acquires of all hosts are in one array, those of each together.
static void take_acquires(const struct trial_model *model, const size_t *host_of_client,
                          struct host_use *hosts, size_t count)
{
    AUTO_FREE int64_t *acquires = memory_new((model->hold_count + 1) * sizeof *acquires);
    int64_t *of_host[MOST_CLIENTS];
    size_t taken = 0;
    FOR_EACH_HOLD (hold, model)
        hosts[host_of_client[hold->client]].holds += counted_hold(model, hold);
    for (size_t i = 0; i < count; i++) {
        of_host[i] = &acquires[taken];
        taken += hosts[i].holds;
    }
    FOR_EACH_HOLD (hold, model) {
        if (counted_hold(model, hold))
            *of_host[host_of_client[hold->client]]++ =
                hold->granted_ns - hold_acquire_began_ns(hold);
    }
    for (size_t i = 0; i < count; i++)
        percentiles_make(of_host[i] - hosts[i].holds, hosts[i].holds, &hosts[i].acquire);
}

void hosts_measure(const struct trial_model *model, struct host_use *hosts, size_t *count)
{
    size_t host_of_client[MOST_CLIENTS + 1] = {0};
    int clients = (int)model->trial->scenario->clients.processes;
    *count = 0;
    if (external_client_host(model->trial->external_client, 1) == NULL)
        return;
    for (int client = 1; client <= clients && client <= MOST_CLIENT_PROCESSES; client++) {
        host_of_client[client] = host_of(model, client, hosts, count);
        hosts[host_of_client[client]].clients++;
    }
    take_acquires(model, host_of_client, hosts, *count);
    FOR_EACH (event, event, model->history->events, model->history->count) {
        if (event->kind != EVENT_ROUND_TRIP || event->round_trip.number > clients)
            continue;
        struct host_use *host = &hosts[host_of_client[event->round_trip.number]];
        host->round_trip_ns = time_later(host->round_trip_ns, event->round_trip.p50_ns);
        host->longest_round_trip_ns =
            time_later(host->longest_round_trip_ns, event->round_trip.most_ns);
    }
    FOR_EACH (stall, stall, model->stalls, model->stall_count) {
        if (stall->of != STALLED_DRIVER || stall->number > clients)
            continue;
        struct host_use *host = &hosts[host_of_client[stall->number]];
        host->stalls++;
        host->longest_stall_ns = time_later(host->longest_stall_ns, stall->to_ns - stall->from_ns);
    }
}
