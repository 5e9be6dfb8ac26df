#include "harness/locks/redis_renewal.h"

#include "harness/base/text.h"

#include <stdlib.h>

static void renew_all(void *context, struct actor *actor, struct renewal *renewals, size_t count)
{
    struct redis_renewal *renewal = context;
    (void)actor;
    for (size_t i = 0; i < count; i++)
        renewals[i].outcome =
            renewal->kind->renew(renewal, renewals[i].holder, &renewals[i].valid_until_ns);
}

int redis_renewal_open(struct lock_client *client, const struct redis_renewal_kind *kind,
                       struct error *error)
{
    struct redis_renewal *renewal = memory_zeroed(1, sizeof *renewal);
    int64_t third_ns = client->options.lease_ns / 3;
    struct watchdog_settings settings = {
        .interval_ns = kind->interval_ns > 0 ? kind->interval_ns : third_ns,
        .batch = 1,
        .never_gives_up = kind->never_gives_up,
        .renew = renew_all,
        .context = renewal,
    };
    renewal->kind = kind;
    renewal->client = client;
    client->state = renewal;
    renewal->watchdog = watchdog_start(client, &settings, error);
    if (renewal->watchdog == NULL)
        return -1;
    renewal->connection = redis_open(client->service, client->options.request_ns,
                                     watchdog_actor(renewal->watchdog), error);
    if (renewal->connection == NULL)
        return -1;
    return kind->script != NULL ? redis_script_load(renewal->connection, kind->script, error) : 0;
}

void redis_renewal_close(struct lock_client *client)
{
    struct redis_renewal *renewal = client->state;
    if (renewal == NULL)
        return;
    watchdog_stop(renewal->watchdog);
    redis_close(renewal->connection);
    free(renewal);
    client->state = NULL;
}

void redis_renewal_begin(struct lock *lock, const struct grant *grant)
{
    struct redis_renewal *renewal = lock->client->state;
    watchdog_add(renewal->watchdog, lock, redis_lock_of(lock)->token, grant->valid_until_ns);
}

void redis_renewal_end(struct lock *lock)
{
    struct redis_renewal *renewal = lock->client->state;
    watchdog_remove(renewal->watchdog, lock);
}

int64_t redis_renewal_ends_ns(const struct redis_renewal *renewal, int64_t lease_ns)
{
    return clock_now_ns(&renewal->client->clock) + lease_ns;
}
