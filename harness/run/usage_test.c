// What processes use: of children that are known to work, sleep or fork.
#include "harness/run/usage.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void burn(int64_t length_ns)
{
    struct timespec now;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec * NS_PER_S + now.tv_nsec < length_ns);
}

static void *burn_in_thread(void *length_ns)
{
    burn(*(const int64_t *)length_ns);
    return NULL;
}

// Forks a child that does `work`, says so, and stays.
static pid_t start_child(void (*work)(void))
{
    int done[2];
    char byte;
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work();
        (void)!write(done[1], "", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(done[0], &byte, 1), 1);
    close(done[0]);
    close(done[1]);
    return child;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void burn_in_two_threads(void)
{
    int64_t length_ns = 50 * NS_PER_MS;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, burn_in_thread, &length_ns);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

TEST(all_threads_count_also_those_that_have_ended)
{
    AUTO(thread_watch_free) struct thread_watch threads = {0};
    struct process_usage usage;
    pid_t child = start_child(burn_in_two_threads);
    assert_true(process_usage_read(&threads, NULL, child, &usage));
    assert_true(usage.processor_ns >= 100 * NS_PER_MS);
    assert_true(usage.kernel_ns <= usage.processor_ns);
    end_child(child);
}

static void sleep_often(void)
{
    for (int i = 0; i < 50; i++)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
}

TEST(whoever_sleeps_switches)
{
    AUTO(thread_watch_free) struct thread_watch threads = {0};
    struct process_usage usage;
    pid_t child = start_child(sleep_often);
    assert_true(process_usage_read(&threads, NULL, child, &usage));
    assert_true(usage.voluntary_switches >= 50);
    end_child(child);
}

static void fork_and_burn(void)
{
    pid_t child = fork();
    if (child == 0) {
        burn(60 * NS_PER_MS);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    start_child(burn_in_two_threads);
}

// As of postgres, which forks a process for each connection.
TEST(what_a_process_forked_counts_dead_or_alive)
{
    AUTO(thread_watch_free) struct thread_watch threads = {0};
    struct process_usage alone;
    struct process_usage family;
    pid_t child = start_child(fork_and_burn);
    struct process_list list = process_list_read();
    assert_true(process_usage_read(&threads, NULL, child, &alone));
    assert_true(process_usage_read(&threads, &list, child, &family));
    // The dead one counts by the kernel's tick.
    assert_true(family.processor_ns >= alone.processor_ns + 130 * NS_PER_MS);
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].parent == child)
            kill(list.items[i].id, SIGKILL);
    }
    free(list.items);
    end_child(child);
}

static void nothing(void)
{
}

TEST(a_process_that_is_gone_cannot_be_read)
{
    AUTO(thread_watch_free) struct thread_watch threads = {0};
    struct process_usage usage;
    struct network_usage network;
    pid_t child = start_child(nothing);
    end_child(child);
    struct process_list list = process_list_read();
    assert_false(process_usage_read(&threads, NULL, child, &usage));
    assert_false(process_usage_read(&threads, &list, child, &usage));
    assert_false(network_usage_read(child, &network));
    assert_false(process_usage_read(&threads, NULL, 0, &usage));
    free(list.items);
}

TEST(the_machine_gets_busier_by_what_is_burnt)
{
    int64_t before_ns = machine_busy_ns();
    pid_t child = start_child(burn_in_two_threads);
    end_child(child);
    assert_true(before_ns > 0);
    assert_true(machine_busy_ns() - before_ns >= 80 * NS_PER_MS); // by ticks
}
