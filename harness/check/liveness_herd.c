#include "harness/check/liveness_herd.h"

#include "harness/base/growing.h"
#include "harness/check/counted.h"
#include "harness/history/event.h"

#include <math.h>
#include <stdlib.h>

// What was sent, by one worker or more.
struct sent {
    int64_t acquire_requests, release_requests, wakeups;
};

// One worker. What it tells counts up from its beginning.
struct worker_account {
    bool warms_up;
    struct sent before; // when its warm-up began or ended
    struct sent counted;
    bool hides_wakeups; // perhaps there were more
    size_t grants;
};

// All the workers of one client.
struct account {
    bool told;
    bool is_uncounted; // it cannot tell of all that it sent
    bool is_partial;   // it was killed, or some of it is lost
    int64_t renewals;
};

struct accounts {
    struct account *clients;
    struct worker_account *workers; // by client and worker
    size_t worker_count;
};

static size_t index_of(int client, int worker)
{
    return (size_t)client * (MOST_WORKERS + 1) + (size_t)worker;
}

static struct worker_account *worker_of(struct accounts *accounts, const struct event *event)
{
    size_t index = index_of(event->client, event->worker);
    accounts->workers =
        reaching(accounts->workers, &accounts->worker_count, index, sizeof *accounts->workers);
    return &accounts->workers[index];
}

static void tell(struct worker_account *worker, const struct event *event)
{
    struct sent now = {event->sent.acquire_requests, event->sent.release_requests,
                       event->sent.wakeups};
    if (!worker->warms_up) {
        worker->counted.acquire_requests += now.acquire_requests - worker->before.acquire_requests;
        worker->counted.release_requests += now.release_requests - worker->before.release_requests;
        worker->counted.wakeups += now.wakeups - worker->before.wakeups;
    }
    worker->hides_wakeups |= now.wakeups < 0;
    worker->before = now;
}

static void see(struct accounts *accounts, const struct digest *digest, const struct event *event)
{
    struct account *client = &accounts->clients[event->client];
    switch (event->kind) {
    case EVENT_PROCESS_DEATH:
    case EVENT_GAP:
        client->is_partial = true;
        break;
    case EVENT_ACQUIRE_RETURN:
        if (event->outcome == OUTCOME_OK)
            worker_of(accounts, event)->grants += !worker_of(accounts, event)->warms_up;
        break;
    case EVENT_RENEW_INVOKE:
        client->renewals += counted_at(digest, event->at_ns);
        break;
    case EVENT_WORKER_LOAD:
        tell(worker_of(accounts, event), event);
        worker_of(accounts, event)->warms_up = event->worker_load.counts == 0;
        break;
    case EVENT_WORKER_END:
        tell(worker_of(accounts, event), event);
        client->told = true;
        client->is_uncounted |= event->outcome != OUTCOME_OK;
        break;
    default:
        break;
    }
}

// False if its wake-ups cannot be told.
static bool add_workers(const struct accounts *accounts, int client, struct herd *herd)
{
    bool tells_wakeups = true;
    size_t end = index_of(client + 1, 0);
    for (size_t i = index_of(client, 0); i < end && i < accounts->worker_count; i++) {
        const struct worker_account *worker = &accounts->workers[i];
        herd->grants += worker->grants;
        herd->acquire_requests += worker->counted.acquire_requests;
        herd->release_requests += worker->counted.release_requests;
        herd->wakeups += worker->counted.wakeups;
        tells_wakeups = tells_wakeups && !worker->hides_wakeups;
    }
    return tells_wakeups;
}

void herd_measure(const struct digest *digest, struct herd *herd)
{
    const struct history *history = digest->history;
    struct accounts accounts = {.clients = memory_zeroed(UINT16_MAX + 1, sizeof *accounts.clients)};
    for (size_t i = 0; history != NULL && i < history->count; i++)
        see(&accounts, digest, &history->events[i]);
    *herd = (struct herd){0};
    bool is_counted = true, tells_wakeups = true;
    for (int client = 1; client <= UINT16_MAX; client++) {
        const struct account *account = &accounts.clients[client];
        if (!account->told || account->is_partial)
            continue;
        is_counted = is_counted && !account->is_uncounted;
        herd->renewals += account->renewals;
        tells_wakeups = add_workers(&accounts, client, herd) && tells_wakeups;
    }
    if (!tells_wakeups)
        herd->wakeups = -1;
    herd->is_known = herd->acquire_requests > 0 && is_counted;
    free(accounts.clients);
    free(accounts.workers);
}

double herd_per_grant(const struct herd *herd, int64_t count)
{
    return herd->grants > 0 && count >= 0 ? (double)count / (double)herd->grants : NAN;
}
