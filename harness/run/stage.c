#include "harness/run/stage.h"

#include "harness/base/futex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void stage_break(const struct stage *stage, const char *format, ...)
{
    struct control *control = stage->control;
    uint32_t whole = 0;
    if (!atomic_compare_exchange_strong(&control->broken, &whole, 1))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->broken_text, sizeof control->broken_text, format, arguments);
    va_end(arguments);
    atomic_store(&control->broken, 2);
    stage_stop(stage, 1);
    futex_wake_all(&control->ready);
}

struct key_range stage_keys_of(const struct stage *stage, int client_number, int worker)
{
    const struct scenario *scenario = stage->trial->scenario;
    size_t threads = (size_t)scenario->clients.threads;
    size_t before = (size_t)(client_number - 1) * threads;
    if (scenario->workload.keys != KEYS_OWN)
        return (struct key_range){0, stage->key_count};
    return worker > 0 ? (struct key_range){before + (size_t)worker - 1, 1}
                      : (struct key_range){before, threads};
}

struct lock_options stage_lock_options(const struct stage *stage, const struct stage_key *key)
{
    const struct scenario *scenario = stage->trial->scenario;
    bool is_semaphore =
        stage->workload->needs != NULL && strcmp(stage->workload->needs, "permits") == 0;
    return (struct lock_options){.name = key->lock_name,
                                 .tag = key->tag,
                                 .lease_ns = scenario->lock.lease_ns,
                                 .wait_ns = scenario->lock.wait_ns,
                                 .retry_ns = scenario->lock.retry_ns,
                                 .request_ns = scenario->lock.request_ns,
                                 .permits = is_semaphore ? scenario->workload.permits : 1,
                                 .fenced = stage->fenced};
}

struct clock stage_client_clock(const struct stage *stage, int client_number)
{
    if (client_number > MAX_SHIFTED_CLIENTS)
        return (struct clock){.shift = NULL};
    return (struct clock){.shift = &stage->control->client_clocks[client_number - 1]};
}

struct store stage_store(const struct stage *stage, const struct stage_key *key,
                         struct actor *actor, int64_t request_ns)
{
    return (struct store){.kind = stage->store,
                          .actor = actor,
                          .fenced = stage->fenced,
                          .request_ns = request_ns,
                          .service = &stage->store_service,
                          .name = key->store_name,
                          .tag = key->tag,
                          .shared = &key->account->account};
}

void stage_stop(const struct stage *stage, uint32_t how)
{
    atomic_store(&stage->control->stop, how);
    futex_wake_all(&stage->control->stop);
}

bool stage_is_stopped(const struct stage *stage)
{
    return atomic_load_explicit(&stage->control->stop, memory_order_relaxed) != 0;
}

void stage_rest_until(const struct stage *stage, int64_t until_ns)
{
    _Atomic uint32_t *stop = &stage->control->stop;
    while (atomic_load(stop) == 0 && futex_wait_until_ns(stop, 0, until_ns))
        continue;
}

const char *stage_broken(const struct stage *stage)
{
    return atomic_load(&stage->control->broken) == 2 ? stage->control->broken_text : NULL;
}
