// Programs whose sleeps end as the clock says that they are shown, in several languages and ways.
#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/testing/test.h"
#include "harness/wire/driver_parts.h"

#include <poll.h>
#include <unistd.h>

#define ZERO_NS (5000 * NS_PER_S)
#define SLEEP_NS (100 * NS_PER_S)
#define MOST_NS (30 * NS_PER_S) // that anything here may take, on a busy machine

struct program {
    char folder[24];
    char *clock_path, *rest_path;
    struct clock_shift *clock;
    struct rest_board *rest;
    struct thread_watch threads;
    struct text texts[3];
    int output;
    pid_t id;
};

static void start(struct program *program, const char *const *command)
{
    struct error error = {0};
    int output[2];
    *program = (struct program){.folder = "/tmp/rest-test-XXXXXX"};
    assert_int_equal(test_folder_make(program->folder), 0);
    program->clock_path = path_join(program->folder, "clock");
    program->rest_path = path_join(program->folder, "rest");
    program->clock = clock_shift_create(program->clock_path, &error);
    program->rest = rest_create(program->rest_path, &error);
    const struct driver_exploration exploration = {.clock_path = program->clock_path,
                                                   .rest_path = program->rest_path};
    clock_freeze(program->clock, 0, ZERO_NS);
    assert_int_equal(driver_gate_describe(&exploration, program->texts, &error), 0);
    assert_int_equal(pipe(output), 0);
    const int streams[] = {STDIN_FILENO, output[1]};
    const char *const environment[] = {program->texts[0].bytes, program->texts[1].bytes,
                                       program->texts[2].bytes, NULL};
    const struct process_settings settings = {.arguments = command,
                                              .environment = environment,
                                              .streams = streams,
                                              .network_namespace = -1,
                                              .processor = -1};
    program->id = process_start(&settings, &error);
    if (program->id < 0)
        fail_msg("%s", error.text);
    close(output[1]);
    program->output = output[0];
}

static void stop(struct program *program)
{
    process_kill(program->id);
    close(program->output);
    clock_shift_close(program->clock);
    rest_close(program->rest);
    thread_watch_free(&program->threads);
    for (int i = 0; i < 3; i++)
        text_free(&program->texts[i]);
    free(program->clock_path);
    free(program->rest_path);
    test_folder_remove(program->folder);
}

// Until when the program sleeps, once it does and no thread of it could run.
static int64_t await_sleep(struct program *program)
{
    AWAIT(rest_sleeps_until_ns(program->rest) != TIME_NEVER &&
          rest_is_still(program->rest, &program->threads));
    return rest_sleeps_until_ns(program->rest);
}

// What it says once it wakes.
static void expect_wake(struct program *program)
{
    struct pollfd ready = {.fd = program->output, .events = POLLIN};
    char said[64] = "";
    assert_int_equal(poll(&ready, 1, (int)(MOST_NS / NS_PER_MS)), 1);
    assert_true(read(program->output, said, sizeof said - 1) > 0);
    assert_memory_equal(said, "5100", 4);
}

struct way {
    const char *package;
    const char *command[4];
};

static const struct way ways[] = {
    {"python3",
     {"/usr/bin/python3", "-c", "import time; time.sleep(100); print(time.monotonic())"}},
    {"python3",
     {"/usr/bin/python3", "-c",
      "import select, time; select.select([], [], [], 100); print(time.monotonic())"}},
    {"python3",
     {"/usr/bin/python3", "-c",
      "import select, time; select.epoll().poll(100); print(time.monotonic())"}},
    {"python3",
     {"/usr/bin/python3", "-c",
      "import threading, time; threading.Event().wait(100); print(time.monotonic())"}},
    {"python3",
     {"/usr/bin/python3", "-c",
      "import socket, time; a, b = socket.socketpair(); a.settimeout(100)\n"
      "try: a.recv(1)\nexcept OSError: print(time.monotonic())"}},
    {"php-cli", {"php", "-r", "sleep(100); echo hrtime(true) / 1e9;"}},
    {"nodejs", {"node", "-e", "setTimeout(() => console.log(process.hrtime()[0]), 100000)"}},
    {"ruby", {"ruby", "-e", "sleep 100; puts Process.clock_gettime(Process::CLOCK_MONOTONIC)"}},
};

// A sleep is over a moment after its end: no sooner, or programs would still see it to come.
static void expect_sleep(const struct way *way)
{
    struct program program;
    start(&program, way->command);
    int64_t until_ns = await_sleep(&program);
    if (until_ns <= ZERO_NS + SLEEP_NS || until_ns > ZERO_NS + SLEEP_NS + NS_PER_S)
        fail_msg("%s %s: until %lld", way->command[0], way->command[2], (long long)until_ns);
    clock_freeze(program.clock, 0, until_ns - NS_PER_S);
    rest_end_sleeps(program.rest, until_ns - NS_PER_S);
    assert_int_equal(await_sleep(&program), until_ns);
    clock_freeze(program.clock, 0, until_ns);
    rest_end_sleeps(program.rest, until_ns);
    expect_wake(&program);
    stop(&program);
}

TEST(a_program_sleeps_until_its_clock_says_that_it_is_over)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (program_exists(ways[i].command[0]))
            expect_sleep(&ways[i]);
        else
            print_message("skipped: %s is not here: apt-get install %s\n", ways[i].command[0],
                          ways[i].package);
    }
}

TEST(a_program_at_work_is_not_still)
{
    static const char *const command[] = {"/usr/bin/python3", "-c",
                                          "print(1, flush=True)\n"
                                          "while True: pass",
                                          NULL};
    struct program program;
    char said;
    start(&program, command);
    assert_int_equal(read(program.output, &said, 1), 1);
    for (int i = 0; i < 100; i++)
        assert_false(rest_is_still(program.rest, &program.threads));
    stop(&program);
}
