#include "harness/cluster/process.h"

#include "harness/base/clock.h"
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

TEST(a_program_that_ends_is_waited_for)
{
    static const char *const arguments[] = {"sh", "-c", "cat; exit 3", NULL};
    struct text output = {0};
    struct error error = {0};
    assert_int_equal(process_run(arguments, "said", -1, PROCESS_LIMIT, &output, &error), 3);
    assert_string_equal(output.bytes, "said");
    text_free(&output);
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
