#include "harness/base/futex.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(a_word_that_has_changed_is_not_waited_for)
{
    _Atomic uint32_t word = 1;
    assert_true(futex_wait_until_ns(&word, 0, TIME_NEVER));
}

TEST(a_wait_ends_at_its_time_and_not_before)
{
    _Atomic uint32_t word = 0;
    int64_t until_ns = clock_monotonic_ns() + 3 * NS_PER_MS;
    while (futex_wait_until_ns(&word, 0, until_ns))
        continue; // woken without cause
    assert_true(clock_monotonic_ns() >= until_ns);
    assert_false(futex_wait_until_ns(&word, 0, 0));
}

TEST(a_process_wakes_another_through_memory_that_both_map)
{
    _Atomic uint32_t *word =
        mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(word != MAP_FAILED);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        while (atomic_load(word) == 0)
            futex_wait_until_ns(word, 0, TIME_NEVER);
        atomic_store(word, 2);
        futex_wake_all(word);
        _exit(0);
    }
    atomic_store(word, 1);
    futex_wake_all(word);
    while (atomic_load(word) == 1)
        futex_wait_until_ns(word, 1, TIME_NEVER);
    assert_int_equal(atomic_load(word), 2);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    munmap(word, sizeof *word);
}
