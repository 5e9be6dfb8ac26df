#include "harness/base/futex.h"

#include "harness/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool futex_wait_until_ns(_Atomic uint32_t *word, uint32_t expected, int64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                             .tv_nsec = (long)(until_ns % NS_PER_S)};
    // FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC.
    long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected,
                          until_ns == TIME_NEVER ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

void futex_wait_while(_Atomic uint32_t *word, uint32_t value)
{
    while (atomic_load(word) == value)
        futex_wait_until_ns(word, value, TIME_NEVER);
}

void futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
