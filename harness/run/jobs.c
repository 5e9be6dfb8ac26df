#include "harness/run/jobs.h"

bool jobs_choose(struct worker *worker)
{
    size_t open = 0;
    if (!worker->state->workload->takes_jobs)
        return true;
    for (size_t i = 0; i < worker->key_count; i++)
        open += !worker->keys[i].is_done;
    if (open == 0)
        return false;
    bool waits = worker->refused >= open;
    if (waits)
        state_rest_until(worker->state, clock_monotonic_ns() + worker->key->lock.options.retry_ns);
    while (worker->keys[worker->place % worker->key_count].is_done)
        worker->place++;
    worker->key = &worker->keys[worker->place++ % worker->key_count];
    worker->key->lock.options.wait_ns = waits ? worker->key->lock.client->options.wait_ns : 0;
    return true;
}
