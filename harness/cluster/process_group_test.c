// A group of a process and its child: stopped and killed together, and seen to be.
#include "harness/cluster/process_group.h"

#include "harness/testing/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// A process of its own group, with a child; the child's id is written to *child.
static pid_t start_group(pid_t *child)
{
    int report[2];
    assert_int_equal(pipe(report), 0);
    pid_t leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        pid_t own = fork();
        if (own > 0)
            (void)!write(report[1], &own, sizeof own);
        for (;;)
            pause();
    }
    assert_int_equal(read(report[0], child, sizeof *child), sizeof *child);
    close(report[0]);
    close(report[1]);
    return leader;
}

static void wait_until(bool (*is_so)(pid_t, struct error *), pid_t group)
{
    struct error error;
    for (int look = 0; look < 2000 && !is_so(group, &error); look++)
        usleep(1000);
    if (!is_so(group, &error))
        fail_msg("%s", error.text);
}

TEST(a_group_stands_still_once_all_of_it_does)
{
    struct error error;
    pid_t child;
    pid_t leader = start_group(&child);
    assert_false(process_group_stands_still(leader, &error));
    kill(leader, SIGSTOP);
    assert_int_equal(waitpid(leader, NULL, WUNTRACED), leader);
    assert_false(process_group_stands_still(leader, &error)); // the child goes on
    kill(-leader, SIGSTOP);
    wait_until(process_group_stands_still, leader);
    assert_false(process_group_is_dead(leader, &error));
    assert_int_equal(process_group_kill(leader, &error), 0);
    assert_true(process_group_is_dead(leader, &error));
    waitpid(leader, NULL, 0);
}

TEST(what_a_leader_leaves_behind_is_killed)
{
    struct error error;
    pid_t child;
    pid_t leader = start_group(&child);
    kill(leader, SIGKILL);
    waitpid(leader, NULL, 0);
    assert_int_equal(kill(child, 0), 0);
    assert_int_equal(process_group_kill(leader, &error), 0);
    assert_true(process_group_is_dead(leader, &error));
    assert_int_equal(process_group_kill(leader, &error), 0);
}
