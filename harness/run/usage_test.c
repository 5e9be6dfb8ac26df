// What processes use: of children that are known to work, sleep or fork, and of whole trials.
#include "harness/run/usage.h"

#include "harness/run/test_trials.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// --- single processes ----------------------------------------------------------------------------

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
    struct thread_watch threads = {0};
    struct process_usage usage;
    pid_t child = start_child(burn_in_two_threads);
    assert_true(process_usage_read(&threads, NULL, child, &usage));
    assert_true(usage.processor_ns >= 100 * NS_PER_MS);
    assert_true(usage.kernel_ns <= usage.processor_ns);
    end_child(child);
    thread_watch_free(&threads);
}

static void sleep_often(void)
{
    for (int i = 0; i < 50; i++)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
}

TEST(whoever_sleeps_switches)
{
    struct thread_watch threads = {0};
    struct process_usage usage;
    pid_t child = start_child(sleep_often);
    assert_true(process_usage_read(&threads, NULL, child, &usage));
    assert_true(usage.voluntary_switches >= 50);
    end_child(child);
    thread_watch_free(&threads);
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
    struct thread_watch threads = {0};
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
    thread_watch_free(&threads);
}

static void nothing(void)
{
}

TEST(a_process_that_is_gone_cannot_be_read)
{
    struct thread_watch threads = {0};
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
    thread_watch_free(&threads);
}

TEST(the_machine_gets_busier_by_what_is_burnt)
{
    int64_t before_ns = machine_busy_ns();
    pid_t child = start_child(burn_in_two_threads);
    end_child(child);
    assert_true(before_ns > 0);
    assert_true(machine_busy_ns() - before_ns >= 80 * NS_PER_MS); // by ticks
}

// --- trials --------------------------------------------------------------------------------------

static const struct event *last_reading(const struct history *history, int64_t node,
                                        enum usage_figure figure)
{
    const struct event *last = NULL;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_USAGE && event->args[0] == node && event->detail == figure &&
            event->args[1] != 0)
            last = event;
    }
    return last;
}

static size_t count_rounds(const struct history *history)
{
    size_t count = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        count += event->kind == EVENT_USAGE && event->args[0] == 0 && event->args[1] == 0;
    }
    return count;
}

TEST(a_trial_is_read_before_its_beginning_and_at_its_end)
{
    struct history history = run_trial("", "redis-set-px-lua", false);
    const struct event *open = find_event(&history, EVENT_BARRIER_OPEN);
    const struct event *stop = find_event(&history, EVENT_STOP_ASKED);
    const struct event *machine = find_event(&history, EVENT_USAGE);
    assert_true(machine->args[0] == 0 && machine->args[1] == 0);
    assert_true(machine->args[3] >= 1 && machine->args[3] <= CPU_SETSIZE);
    assert_true(count_rounds(&history) >= 2);
    for (int node = -1; node <= 2; node++) {
        const struct event *last = last_reading(&history, node, USAGE_PROCESSOR);
        assert_non_null(last);
        assert_true(last->args[2] > 0);
        assert_true(last > open);
        // Clients had done all, and had the last word of themselves.
        assert_int_equal(last->client, node > 0 ? node : 0);
        assert_true(last < stop);
    }
    history_free(&history);
}

// What client and server sent each other is the same, but for what was under way at the readings.
TEST(in_namespaces_each_node_has_a_network_of_its_own)
{
    struct history history = run_trial("", "redis-set-px-lua", false);
    const struct event *start = find_event(&history, EVENT_PROCESS_START);
    if (last_reading(&history, 1, USAGE_BYTES) == NULL)
        skip(); // no namespaces can be had
    int64_t sent = last_reading(&history, 1, USAGE_BYTES)->args[3] +
                   last_reading(&history, 2, USAGE_BYTES)->args[3];
    assert_non_null(start);
    assert_true(sent > 100 * 50); // a hundred times SET and EVAL
    assert_true(last_reading(&history, -1, USAGE_BYTES)->args[2] >= sent);
    assert_true(last_reading(&history, 1, USAGE_PACKETS)->args[3] > 0);
    assert_null(last_reading(&history, 0, USAGE_BYTES));
    history_free(&history);
}

TEST(on_loopback_ports_nobody_knows_whose_bytes_they_were)
{
    struct history history = run_trial("", "redis-set-px-lua", true);
    assert_null(last_reading(&history, 1, USAGE_BYTES));
    assert_null(last_reading(&history, -1, USAGE_BYTES));
    assert_non_null(last_reading(&history, 1, USAGE_SWITCHES));
    history_free(&history);
}

TEST(a_long_trial_is_read_every_second)
{
    struct history history = run_trial("workload: {kind: increment, for: 2500ms, think: 5ms}\n",
                                       "redis-set-px-lua", false);
    assert_true(count_rounds(&history) >= 3); // before, at least once in between, after
    assert_true(count_rounds(&history) <= 5);
    history_free(&history);
}

TEST(a_killed_client_has_no_last_word)
{
    struct history history =
        run_trial("clients: {processes: 2, threads: 2, start-first: client-1}\n"
                  "faults: [{when: client-1 after read, kill: client-1}]\n",
                  "redis-set-px-lua", false);
    assert_non_null(find_event(&history, EVENT_PROCESS_DEATH));
    assert_int_equal(last_reading(&history, 1, USAGE_PROCESSOR)->client, 0);
    assert_int_equal(last_reading(&history, 2, USAGE_PROCESSOR)->client, 2);
    history_free(&history);
}
