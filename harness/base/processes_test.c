// What /proc says of processes whose names and states are known.
#include "harness/base/processes.h"

#include "harness/testing/test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
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

TEST(a_process_is_read_whatever_its_name_is)
{
    static const char *const names[] = {"plain", ") Z 1 1 1", "(", ")", "a) R (b", "\n) S 1\n"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct process_entry entry;
        pid_t child = start_stopped(names[i]);
        assert_true(process_read(child, &entry));
        assert_int_equal(entry.id, child);
        assert_int_equal(entry.parent, getpid());
        assert_int_equal(entry.group, child);
        assert_int_equal(entry.state, 'T');
        assert_true(entry.threads >= 2); // a sanitizer may have one of its own
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

TEST(all_processes_are_listed)
{
    pid_t child = start_stopped("listed");
    struct process_list all = process_list_read();
    assert_true(processes_can_be_read());
    assert_true(lists(&all, getpid()) && lists(&all, child));
    free(all.items);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void *wait_for_word(void *word)
{
    char byte;
    (void)!read(*(int *)word, &byte, 1);
    return NULL;
}

static size_t threads_of(struct thread_watch *watch, pid_t process)
{
    const struct thread_status *threads;
    return thread_watch_read(watch, process, &threads);
}

TEST(threads_are_seen_as_they_come_and_go)
{
    AUTO(thread_watch_free) struct thread_watch watch = {0};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        int word[2];
        assert_int_equal(pipe(word), 0);
        assert_int_equal(threads_of(&watch, getpid()), 1);
        pthread_create(&thread, NULL, wait_for_word, &word[0]);
        assert_int_equal(threads_of(&watch, getpid()), 2);
        close(word[1]);
        pthread_join(thread, NULL);
        AWAIT(threads_of(&watch, getpid()) == 1); // it is joined before the kernel removes it
        close(word[0]);
    }
    assert_true(thread_watch_is(&watch, getpid(), THREAD_CAN_RUN));
}

TEST(threads_of_a_process_end_with_it)
{
    AUTO(thread_watch_free) struct thread_watch watch = {0};
    const struct thread_status *threads;
    pid_t child = start_stopped("watched");
    assert_int_equal(thread_watch_read(&watch, child, &threads), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(threads[i].state, 'T');
        assert_true(threads[i].voluntary_switches + threads[i].other_switches > 0);
    }
    assert_false(thread_watch_is(&watch, child, THREAD_CAN_RUN));
    assert_true(thread_watch_is(&watch, child, THREAD_IS_STOPPED));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(threads_of(&watch, child), 0);
    assert_int_equal(threads_of(&watch, child), 0);
}
