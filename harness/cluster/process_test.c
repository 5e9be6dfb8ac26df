// Programs that are waited for or killed, and groups of a process and its child: stopped and killed
// together, and seen to be.
#include "harness/cluster/process.h"

#include "harness/testing/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(a_program_that_does_not_end_is_killed_and_named)
{
    static const char *const arguments[] = {"sh", "-c", "echo before; exec sleep 1000", NULL};
    struct text output = {0};
    struct error error = {0};
    assert_int_equal(
        process_run(arguments, "", -1, (struct process_limit){.seconds = 1}, &output, &error), -1);
    assert_string_equal(error.text, "sh did not end within 1 s, and was killed");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // nothing is left of it
    text_free(&output);
}

TEST(a_program_runs_to_its_end_and_its_words_come_back)
{
    struct text output = {0};
    struct error error = {0};
    const char *const reverse[] = {"sh", "-c", "cat; echo to stderr >&2; exit 5", NULL};
    assert_int_equal(process_run(reverse, "from stdin\n", -1, PROCESS_LIMIT, &output, &error), 5);
    assert_string_equal(output.bytes, "from stdin\nto stderr\n");
    text_free(&output);
    const char *const nothing[] = {"no-such-program", NULL};
    assert_int_equal(process_run(nothing, "", -1, PROCESS_LIMIT, &output, &error), -1);
    assert_non_null(strstr(error.text, "no-such-program"));
    assert_true(program_exists("sh"));
    assert_false(program_exists("no-such-program"));
}

TEST(what_a_process_does_is_told)
{
    siginfo_t info;
    pid_t id = fork();
    if (id == 0) {
        for (;;)
            pause();
    }
    kill(id, SIGSTOP);
    waitid(P_PID, (id_t)id, &info, WSTOPPED);
    assert_string_equal(process_doing(id), "is stopped");
    kill(id, SIGKILL);
    waitid(P_PID, (id_t)id, &info, WEXITED | WNOWAIT);
    assert_string_equal(process_doing(id), "is dead");
    process_kill(id);
    assert_string_equal(process_doing(id), "is gone");
}

// --- groups --------------------------------------------------------------------------------------

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
