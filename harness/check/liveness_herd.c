#include "harness/check/liveness_herd.h"

#include <math.h>
#include <stdlib.h>

// What one client did.
struct account {
    bool told;
    bool is_uncounted; // it cannot tell of all that it sent
    bool is_partial;   // it was killed, or some of it is lost
    size_t grants;
    int64_t acquire_requests, release_requests, renewals, wakeups;
};

static void see(struct account *account, const struct event *event)
{
    switch (event->kind) {
    case EVENT_PROCESS_DEATH:
    case EVENT_GAP:
        account->is_partial = true;
        break;
    case EVENT_ACQUIRE_RETURN:
        account->grants += event->outcome == OUTCOME_OK;
        break;
    case EVENT_RENEW_INVOKE:
        account->renewals++;
        break;
    case EVENT_WORKER_END:
        account->told = true;
        account->is_uncounted |= event->outcome != OUTCOME_OK;
        account->acquire_requests += event->args[1];
        account->release_requests += event->args[2];
        account->wakeups += event->args[3];
        break;
    default:
        break;
    }
}

void herd_measure(const struct digest *digest, struct herd *herd)
{
    const struct history *history = digest->history;
    struct account *accounts = memory_zeroed(UINT16_MAX + 1, sizeof *accounts); // by client
    for (size_t i = 0; history != NULL && i < history->count; i++)
        see(&accounts[history->events[i].client], &history->events[i]);
    *herd = (struct herd){0};
    bool is_counted = true;
    for (size_t i = 1; i <= UINT16_MAX; i++) {
        const struct account *account = &accounts[i];
        if (!account->told || account->is_partial)
            continue;
        is_counted = is_counted && !account->is_uncounted;
        herd->grants += account->grants;
        herd->acquire_requests += account->acquire_requests;
        herd->release_requests += account->release_requests;
        herd->renewals += account->renewals;
        herd->wakeups += account->wakeups;
    }
    herd->is_known = herd->acquire_requests > 0 && is_counted;
    free(accounts);
}

double herd_per_grant(const struct herd *herd, int64_t count)
{
    return herd->grants > 0 ? (double)count / (double)herd->grants : NAN;
}
