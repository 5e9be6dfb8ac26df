// Waiting for a word in memory that several processes map.
#ifndef LOCKPICK_BASE_FUTEX_H
#define LOCKPICK_BASE_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Waits while *word is `expected`, until it is woken or CLOCK_MONOTONIC reaches `until_ns`
// (TIME_NEVER: no limit). May also return without cause: look at *word again. False if the time
// was up.
bool futex_wait_until_ns(_Atomic uint32_t *word, uint32_t expected, int64_t until_ns);

// Waits until *word is not `value` any more, without limit.
void futex_wait_while(_Atomic uint32_t *word, uint32_t value);

void futex_wake_all(_Atomic uint32_t *word);

// Gives the word a value, or counts it up, and wakes all who wait.
static inline void futex_set(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store(word, value);
    futex_wake_all(word);
}

static inline void futex_ring(_Atomic uint32_t *word)
{
    atomic_fetch_add(word, 1);
    futex_wake_all(word);
}

#endif
