// The killing of a client process: nobody is held up by its end.
#include "faults/fault.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    char path[64];
    struct history_file file;
    struct fault_client client;
    struct fault_strike strike;
};

static int start(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error;
    strcpy(fixture->path, "/tmp/lockpick-kill-test-XXXXXX");
    close(mkstemp(fixture->path));
    if (history_file_create(fixture->path, 100, 1, &fixture->file, &error) != 0)
        return -1;
    history_writer_start(&fixture->client.writer, &fixture->file, 1, 0);
    fixture->client.process = fork();
    if (fixture->client.process == 0) {
        for (;;)
            pause();
    }
    fixture->strike.client = &fixture->client;
    *state = fixture;
    return 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    if (fixture->client.process > 0) {
        kill(fixture->client.process, SIGKILL);
        waitpid(fixture->client.process, NULL, 0);
    }
    history_file_close(&fixture->file);
    unlink(fixture->path);
    free(fixture);
    return 0;
}

static enum strike_state await_proof(struct fixture *fixture)
{
    struct error error;
    enum strike_state state = STRIKE_PENDING;
    while (state == STRIKE_PENDING) {
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        state = fault_find("kill")->prove(&fixture->strike, &error);
    }
    return state;
}

// Holds back the end of a process until a byte comes, as a busy machine does. Its tracer's id, or 0
// if no process may be traced here.
static pid_t hold_end(pid_t process, int let_go)
{
    int told[2];
    char is_held = 0;
    assert_int_equal(pipe(told), 0);
    pid_t tracer = fork();
    if (tracer == 0) {
        is_held = ptrace(PTRACE_SEIZE, process, NULL, PTRACE_O_TRACEEXIT) == 0;
        (void)!write(told[1], &is_held, 1);
        (void)!read(let_go, &is_held, 1);
        _exit(0);
    }
    assert_int_equal(read(told[0], &is_held, 1), 1);
    close(told[0]);
    close(told[1]);
    if (is_held)
        return tracer;
    kill(tracer, SIGKILL);
    waitpid(tracer, NULL, 0);
    return 0;
}

TEST_WITH(a_client_that_takes_long_to_end_is_waited_for_without_standing_still, start, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    int let_go[2];
    pid_t process = fixture->client.process;
    assert_int_equal(pipe(let_go), 0);
    pid_t tracer = hold_end(process, let_go[0]);
    if (tracer == 0) {
        print_message("no process may be traced here\n");
        skip();
    }
    assert_int_equal(fault_find("kill")->inject(&fixture->strike, &error), STRIKE_PENDING);
    assert_true(fixture->client.is_dying);
    assert_int_equal(fault_find("kill")->prove(&fixture->strike, &error), STRIKE_PENDING);
    assert_int_equal(fixture->client.process, process);
    assert_int_equal(write(let_go[1], "", 1), 1);
    assert_int_equal(await_proof(fixture), STRIKE_IN_EFFECT);
    assert_int_equal(fixture->client.process, 0);
    assert_true(fixture->client.killed);
    assert_false(fixture->client.is_dying);
    waitpid(tracer, NULL, 0);
    close(let_go[0]);
    close(let_go[1]);
}

// What a client has started, its driver say, is told to end while the client still ends.
TEST_WITH(the_programs_of_a_client_die_with_it_and_not_after_it, start, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    int let_go[2];
    int life[2];
    char nothing;
    setpgid(fixture->client.process, 0);
    fixture->client.leads_group = true;
    assert_int_equal(pipe(let_go), 0);
    assert_int_equal(pipe(life), 0);
    pid_t program = fork();
    if (program == 0) {
        setpgid(0, fixture->client.process);
        (void)!write(life[1], "", 1);
        for (;;)
            pause();
    }
    close(life[1]);
    assert_int_equal(read(life[0], &nothing, 1), 1);
    pid_t tracer = hold_end(fixture->client.process, let_go[0]);
    if (tracer == 0) {
        kill(program, SIGKILL);
        skip();
    }
    assert_int_equal(fault_find("kill")->inject(&fixture->strike, &error), STRIKE_PENDING);
    assert_int_equal(read(life[0], &nothing, 1), 0); // it is dead
    assert_true(fixture->client.is_dying);
    waitpid(program, NULL, 0);
    assert_int_equal(write(let_go[1], "", 1), 1);
    assert_int_equal(await_proof(fixture), STRIKE_IN_EFFECT);
    waitpid(tracer, NULL, 0);
    close(life[0]);
    close(let_go[0]);
    close(let_go[1]);
}
