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

void futex_wake_all(_Atomic uint32_t *word);

#endif
