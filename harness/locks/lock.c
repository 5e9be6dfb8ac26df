#include "harness/locks/lock.h"

#include "harness/base/text.h"

static int64_t minimum(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void lock_wait_before_retry(struct lock *lock, int64_t give_up_ns)
{
    int64_t retry_ns = lock->options.retry_ns;
    int64_t jittered_ns =
        retry_ns / 2 + (int64_t)random_below(lock->random, (uint64_t)retry_ns + 1);
    int64_t left_ns = give_up_ns - clock_now_ns(&lock->actor->clock);
    clock_sleep_ns(&lock->actor->clock, minimum(jittered_ns, left_ns));
}

bool lock_must_give_up(const struct lock *lock, int64_t give_up_ns)
{
    return clock_now_ns(&lock->actor->clock) >= give_up_ns ||
           atomic_load_explicit(lock->stop, memory_order_relaxed) != 0;
}

static enum outcome try_again_and_again(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    for (;;) {
        grant->attempts++;
        enum outcome outcome = lock->scheme->try_acquire(lock, grant);
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        lock_wait_before_retry(lock, give_up_ns);
    }
}

enum outcome lock_acquire(struct lock *lock, struct grant *grant)
{
    *grant = (struct grant){.valid_until_ns = TIME_NEVER};
    atomic_store(&lock->lost, LOST_NOT);
    lock->actor->phase = PHASE_ACQUIRE;
    int64_t give_up_ns = clock_now_ns(&lock->actor->clock) + lock->options.wait_ns;
    enum outcome outcome = lock->scheme->acquire != NULL
                               ? lock->scheme->acquire(lock, grant, give_up_ns)
                               : try_again_and_again(lock, grant, give_up_ns);
    lock->actor->phase = PHASE_NONE;
    return outcome;
}

enum release_answer lock_release(struct lock *lock)
{
    lock->actor->phase = PHASE_RELEASE;
    enum release_answer answer = lock->scheme->release(lock);
    lock->actor->phase = PHASE_NONE;
    return answer;
}

enum outcome lock_reenter(struct lock *lock, struct grant *grant)
{
    lock->actor->phase = PHASE_ACQUIRE;
    enum outcome outcome = lock->scheme->reenter(lock, grant);
    lock->actor->phase = PHASE_NONE;
    return outcome;
}

enum release_answer lock_leave(struct lock *lock)
{
    lock->actor->phase = PHASE_RELEASE;
    enum release_answer answer = lock->scheme->leave(lock);
    lock->actor->phase = PHASE_NONE;
    return answer;
}

void lock_lose(struct lock *lock, enum lost_reason reason, struct history_writer *writer)
{
    uint32_t kept = LOST_NOT;
    if (!atomic_compare_exchange_strong(&lock->lost, &kept, reason) || writer == NULL)
        return;
    history_append(writer, (struct event){.kind = EVENT_LOST,
                                          .detail = (uint8_t)reason,
                                          .args = {lock->operation, reason}});
}

int lock_open(struct lock *lock, struct error *error)
{
    return lock->scheme->open == NULL ? 0 : lock->scheme->open(lock, error);
}

void lock_close(struct lock *lock)
{
    if (lock->scheme->close != NULL)
        lock->scheme->close(lock);
}

bool lock_scheme_has(const struct lock_scheme *scheme, const char *trait)
{
    return text_is_one_of(trait, scheme->traits);
}

bool lock_scheme_takes(const struct lock_scheme *scheme, const char *topology)
{
    static const char *const only_single[] = {"single", NULL};
    return text_is_one_of(topology, scheme->topologies != NULL ? scheme->topologies : only_single);
}
