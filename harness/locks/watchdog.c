#include "harness/locks/watchdog.h"

#include "harness/base/futex.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"
#include "harness/point/gate.h"

#include <stdlib.h>

// A hold that is being renewed.
struct charge {
    struct lock *lock;
    int64_t due_ns;         // of the next renewal, on the client's clock
    int64_t valid_until_ns; // by the last renewal that was answered; or how long it is tried on
    bool busy;              // a renewal of it is under way
    bool expiring;          // it is over once its lease is: no answer came
};

struct watchdog {
    struct lock_thread thread; // first; its mutex guards the charges
    const struct watchdog_settings *settings;
    size_t batch; // how many holds it renews at once
    struct lock_client *client;
    struct renewal *renewals; // that are under way
    struct instant asked;     // when they were begun
    struct charge *charges;
    size_t count, room;
    _Atomic uint32_t settled; // rung when no renewal is under way any more
};

static int64_t now_of(const struct watchdog *watchdog)
{
    return clock_now_ns(&watchdog->thread.actor.clock);
}

// --- in the thread -------------------------------------------------------------------------------

// `valid_until_ns`: 0 if there is nothing to say. `at_ns`: 0 for now.
static void record(struct watchdog *watchdog, const struct lock *lock, enum event_kind kind,
                   int64_t at_ns, enum outcome outcome, int64_t valid_until_ns)
{
    struct history_writer *writer = &watchdog->thread.writer;
    if (writer->file == NULL)
        return;
    int64_t valid_ns =
        lease_ends_on_machine_ns(&watchdog->asked, valid_until_ns, lock->options.lease_ns);
    writer->worker = (uint16_t)lock->actor->worker;
    history_append(writer, (struct event){.at_ns = at_ns,
                                          .kind = (uint8_t)kind,
                                          .outcome = (uint8_t)outcome,
                                          .renew_return = {.operation = lock->operation,
                                                           .valid_until_ns = valid_ns}});
}

static void drop(struct watchdog *watchdog, size_t index)
{
    watchdog->charges[index] = watchdog->charges[--watchdog->count];
}

// A lease that ran out while nobody renewed it is not asked about: the holder is told.
static void drop_expired(struct watchdog *watchdog, int64_t now_ns)
{
    for (size_t i = watchdog->count; i-- > 0;) {
        struct charge *charge = &watchdog->charges[i];
        if (!charge->expiring || charge->valid_until_ns > now_ns)
            continue;
        lock_lose(charge->lock, LOST_DEADLINE, &watchdog->thread.writer);
        drop(watchdog, i);
    }
}

// Takes up to a batch of the holds that are due. Returns how many; *next_ns is when the next is.
static size_t take_due(struct watchdog *watchdog, int64_t *next_ns)
{
    size_t taken = 0;
    int64_t now_ns = now_of(watchdog);
    *next_ns = TIME_NEVER;
    drop_expired(watchdog, now_ns);
    for (size_t i = 0; i < watchdog->count; i++) {
        struct charge *charge = &watchdog->charges[i];
        if (charge->due_ns <= now_ns && taken < watchdog->batch) {
            charge->busy = true;
            watchdog->renewals[taken++] = (struct renewal){.lock = charge->lock,
                                                           .actor = &watchdog->thread.actor,
                                                           .held_until_ns = charge->valid_until_ns};
        } else if (charge->due_ns < *next_ns) {
            *next_ns = charge->due_ns;
        }
    }
    return taken;
}

static struct charge *charge_of(struct watchdog *watchdog, const struct lock *lock)
{
    for (size_t i = 0; i < watchdog->count; i++) {
        if (watchdog->charges[i].lock == lock)
            return &watchdog->charges[i];
    }
    return NULL;
}

// After a stall the next renewal is due at once, but those that were missed are not made up for.
static int64_t next_due_ns(const struct watchdog *watchdog, const struct charge *charge)
{
    int64_t due_ns = time_later(charge->due_ns + watchdog->client->renewal_ns, now_of(watchdog));
    return charge->expiring ? time_earlier(due_ns, charge->valid_until_ns) : due_ns;
}

static void settle(struct watchdog *watchdog, const struct renewal *renewal)
{
    struct charge *charge = charge_of(watchdog, renewal->lock);
    const struct watchdog_settings *settings = watchdog->settings;
    charge->busy = false;
    bool is_refused = renewal->outcome == OUTCOME_NO && settings->patience_ns == NULL;
    if (renewal->outcome == OUTCOME_OK)
        charge->valid_until_ns = renewal->valid_until_ns;
    else if (settings->patience_ns != NULL && !charge->expiring)
        charge->valid_until_ns = renewal->asked_ns + settings->patience_ns(&renewal->lock->options);
    bool ran_out = renewal->outcome != OUTCOME_OK && charge->valid_until_ns <= now_of(watchdog);
    charge->expiring = renewal->outcome != OUTCOME_OK && !settings->never_gives_up;
    charge->due_ns = next_due_ns(watchdog, charge);
    if (is_refused)
        lock_lose(renewal->lock, LOST_NOT_OWNER, &watchdog->thread.writer);
    else if (ran_out)
        lock_lose(renewal->lock, LOST_DEADLINE, &watchdog->thread.writer);
    if ((is_refused || ran_out) && !settings->never_gives_up)
        drop(watchdog, (size_t)(charge - watchdog->charges));
}

// Renews without the mutex: workers may come and go meanwhile, but for those that are renewed.
static void renew(struct watchdog *watchdog, size_t count)
{
    struct renewal *renewals = watchdog->renewals;
    struct actor *actor = &watchdog->thread.actor;
    pthread_mutex_unlock(&watchdog->thread.mutex);
    actor->worker = renewals->lock->actor->worker;
    watchdog->asked = instant_now(&actor->clock);
    for (size_t i = 0; i < count; i++) {
        renewals[i].asked_ns = watchdog->asked.client_ns;
        renewals[i].valid_until_ns = renewals[i].asked_ns + watchdog->client->options.lease_ns;
        record(watchdog, renewals[i].lock, EVENT_RENEW_INVOKE, 0, OUTCOME_OK, 0);
    }
    if (watchdog->settings->renew_batch != NULL)
        watchdog->settings->renew_batch(renewals, count);
    else
        renewals->outcome = watchdog->settings->renew(renewals);
    for (size_t i = 0; i < count; i++)
        record(watchdog, renewals[i].lock, EVENT_RENEW_RETURN, renewals[i].returned_ns,
               renewals[i].outcome,
               renewals[i].outcome == OUTCOME_OK ? renewals[i].valid_until_ns : 0);
    pthread_mutex_lock(&watchdog->thread.mutex);
    for (size_t i = 0; i < count; i++)
        settle(watchdog, &renewals[i]);
    futex_ring(&watchdog->settled);
}

// While it rests it knows its charges and nothing else: each by how much of its lease is left when
// it is due, in parts of it that our own haste does not change.
static void tell_gate(const struct watchdog *watchdog)
{
    struct step_gate *gate = watchdog->thread.actor.gate;
    int64_t part_ns = watchdog->client->options.lease_ns / 20;
    if (gate == NULL)
        return;
    gate_forget(gate);
    gate->kept.length = 0;
    for (size_t i = 0; i < watchdog->count; i++) {
        const struct charge *charge = &watchdog->charges[i];
        text_format(&gate->kept, "%lld %d\n",
                    (long long)((charge->valid_until_ns - charge->due_ns) / part_ns),
                    charge->expiring);
    }
}

static bool watch(struct lock_thread *thread, int64_t *rest_until_ns)
{
    struct watchdog *watchdog = (struct watchdog *)thread;
    size_t count = thread->stopping ? 0 : take_due(watchdog, rest_until_ns);
    if (count > 0)
        renew(watchdog, count);
    else if (!thread->stopping)
        tell_gate(watchdog);
    return count > 0;
}

// --- for workers ---------------------------------------------------------------------------------

struct watchdog *watchdog_start(struct lock_client *client,
                                const struct watchdog_settings *settings, struct error *error)
{
    struct watchdog *watchdog = memory_zeroed(1, sizeof *watchdog);
    watchdog->settings = settings;
    watchdog->batch = settings->renew_batch != NULL ? settings->batch : 1;
    watchdog->renewals = memory_zeroed(watchdog->batch, sizeof *watchdog->renewals);
    watchdog->client = client;
    lock_thread_init(&watchdog->thread, client, THREAD_WATCHDOG, PHASE_RENEW);
    client->renewal_ns =
        settings->interval_ns > 0 ? settings->interval_ns : client->options.lease_ns / 3;
    if (lock_thread_start(&watchdog->thread, watch, "the watchdog's thread", error) == 0)
        return watchdog;
    watchdog_free(watchdog);
    return NULL;
}

struct actor *watchdog_actor(struct watchdog *watchdog)
{
    return &watchdog->thread.actor;
}

bool watchdog_add(struct watchdog *watchdog, struct lock *lock, int64_t valid_until_ns)
{
    const struct watchdog_settings *settings = watchdog->settings;
    pthread_mutex_lock(&watchdog->thread.mutex);
    bool is_over = settings->is_over != NULL && settings->is_over(lock);
    if (!is_over)
        *APPEND(watchdog->charges, watchdog->count, watchdog->room) =
            (struct charge){.lock = lock,
                            .due_ns = now_of(watchdog) + watchdog->client->renewal_ns,
                            .valid_until_ns = valid_until_ns};
    pthread_mutex_unlock(&watchdog->thread.mutex);
    futex_ring(&watchdog->thread.bell);
    return !is_over;
}

void watchdog_remove(struct watchdog *watchdog, const struct lock *lock)
{
    if (watchdog == NULL)
        return;
    pthread_mutex_lock(&watchdog->thread.mutex);
    struct charge *charge = charge_of(watchdog, lock);
    while (charge != NULL && charge->busy) {
        uint32_t settled = atomic_load(&watchdog->settled);
        pthread_mutex_unlock(&watchdog->thread.mutex);
        actor_wait(lock->actor, &watchdog->settled, settled, TIME_NEVER);
        pthread_mutex_lock(&watchdog->thread.mutex);
        charge = charge_of(watchdog, lock);
    }
    if (charge != NULL)
        drop(watchdog, (size_t)(charge - watchdog->charges));
    pthread_mutex_unlock(&watchdog->thread.mutex);
    // Nobody who explores is to think that the renewal is still to come.
    if (watchdog->thread.actor.gate != NULL)
        futex_ring(&watchdog->thread.bell);
}

void watchdog_visit(struct watchdog *watchdog, void (*visit)(void *context, struct lock *lock),
                    void *context)
{
    HOLD_MUTEX(&watchdog->thread.mutex);
    for (size_t i = 0; i < watchdog->count; i++)
        visit(context, watchdog->charges[i].lock);
}

void watchdog_stop(struct watchdog *watchdog)
{
    if (watchdog != NULL)
        lock_thread_stop(&watchdog->thread);
}

void watchdog_free(struct watchdog *watchdog)
{
    if (watchdog == NULL)
        return;
    pthread_mutex_destroy(&watchdog->thread.mutex);
    free(watchdog->renewals);
    free(watchdog->charges);
    free(watchdog);
}
