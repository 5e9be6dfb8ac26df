// What /proc says of processes whose names and states are known.
#include "harness/base/processes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void *wait_for_ever(void *ignored)
{
    for (;;)
        pause();
    return ignored;
}

// A stopped process of a group of its own and of that name, with two threads.
static pid_t start_stopped(const char *name)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        setpgid(0, 0);
        prctl(PR_SET_NAME, name);
        pthread_create(&thread, NULL, wait_for_ever, NULL);
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    return child;
}

static void a_process_is_read_whatever_its_name_is(void **state)
{
    (void)state;
    static const char *const names[] = {"plain", ") Z 1 1 1", "(", ")", "a) R (b", "\n) S 1\n"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct process_entry entry;
        pid_t child = start_stopped(names[i]);
        assert_true(process_read(child, &entry));
        assert_int_equal(entry.id, child);
        assert_int_equal(entry.parent, getpid());
        assert_int_equal(entry.group, child);
        assert_int_equal(entry.state, 'T');
        assert_int_equal(entry.threads, 2);
        kill(child, SIGKILL);
        siginfo_t info;
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
        assert_true(process_read(child, &entry));
        assert_int_equal(entry.state, 'Z');
        waitpid(child, NULL, 0);
        assert_false(process_read(child, &entry));
    }
}

static bool lists(const struct process_list *list, pid_t id)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++)
        found |= list->items[i].id == id;
    return found;
}

static void all_processes_are_listed_and_all_threads_of_one(void **state)
{
    (void)state;
    pid_t child = start_stopped("listed");
    struct process_list all = process_list_read();
    struct process_list threads = thread_list_read(child);
    assert_true(processes_can_be_read());
    assert_true(lists(&all, getpid()) && lists(&all, child));
    assert_int_equal(threads.count, 2);
    assert_true(lists(&threads, child));
    free(threads.items);
    free(all.items);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(thread_list_read(child).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_read_whatever_its_name_is),
        cmocka_unit_test(all_processes_are_listed_and_all_threads_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
