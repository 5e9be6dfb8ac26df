// What it costs a worker to record an event: in nanoseconds, which are the machine's, and in
// readings of the clock, of which an event needs one. And what it costs it to print a request, as
// a share of what hiredis takes for it.
#include "harness/base/clock.h"
#include "harness/bench/measure.h"
#include "harness/history/test_file.h"
#include "harness/testing/test.h"
#include "harness/wire/redis_peer.h"

#include <hiredis/hiredis.h>

#define EVENTS 100000
#define PRINTS 20000
#define REPEATS 5
#define AIM_NS 100
// An append is the clock's reading, 48 bytes, their checksum and a store: a few readings' time even
// where pages are slow to come.
#define MOST_READINGS 20

// Of the processor, for each.
static double clock_ns(void)
{
    double began_s = processor_s();
    for (int i = 0; i < EVENTS; i++)
        (void)clock_monotonic_ns();
    return (processor_s() - began_s) * 1e9 / EVENTS;
}

// Likewise. `pages`: those of the file are there already; else the system provides each when it is
// written to first, which is also the worker's time.
static double append_ns(bool pages)
{
    char path[] = "/tmp/lockpick-bench-XXXXXX";
    struct history_file file;
    struct history_writer writer;
    struct error error;
    close(mkstemp(path));
    assert_int_equal(history_file_create(path, EVENTS, 1, &file, &error), 0);
    for (uint64_t i = 0; pages && i < file.header->chunk_capacity; i++)
        file.chunks[i].events[0].kind = EVENT_NONE;
    history_writer_start(&writer, &file, 1, 1);
    double began_s = processor_s();
    for (int64_t i = 0; i < EVENTS; i++)
        history_append(&writer, (struct event){.kind = EVENT_READ_INVOKE, .args = {i}});
    double ns = (processor_s() - began_s) * 1e9 / EVENTS;
    history_file_close(&file);
    unlink(path);
    return ns;
}

TEST(an_event_is_recorded_in_a_few_readings_of_the_clock)
{
    double reading = 1e9;
    double warm = 1e9;
    double fresh = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        reading = fmin(reading, clock_ns());
        warm = fmin(warm, append_ns(true));
        fresh = fmin(fresh, append_ns(false));
    }
    printf("an event is recorded in %.1f ns, %.1f readings of the clock, of which it needs one "
           "(%.1f ns); with\nthe pages of the file, which the system has to provide, in %.1f ns, "
           "%.1f readings: %s %d ns\n",
           warm, warm / reading, reading, fresh, fresh / reading,
           fresh < AIM_NS ? "under" : "NOT under", AIM_NS);
    assert_true(BENCH_SANITIZED || fresh / reading < MOST_READINGS);
}

// --- requests ------------------------------------------------------------------------------------

#define REQUEST "SET %s %s NX PX %lld", "lockpick:{t1}:lock", "0123456789abcdef01234567", 30000LL

static double print_ns(struct text *command)
{
    double began_s = processor_s();
    for (int i = 0; i < PRINTS; i++)
        assert_true(redis_command_print(command, REQUEST));
    return (processor_s() - began_s) * 1e9 / PRINTS;
}

static double hiredis_ns(void)
{
    double began_s = processor_s();
    for (int i = 0; i < PRINTS; i++) {
        char *command = NULL;
        assert_true(redisFormatCommand(&command, REQUEST) > 0);
        redisFreeCommand(command);
    }
    return (processor_s() - began_s) * 1e9 / PRINTS;
}

TEST(a_request_is_printed_in_less_time_than_hiredis_takes)
{
    AUTO_TEXT struct text command = {0};
    double ours = 1e9;
    double theirs = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        ours = fmin(ours, print_ns(&command));
        theirs = fmin(theirs, hiredis_ns());
    }
    printf("a request is printed in %.0f ns, by hiredis in %.0f ns: %.2f of it\n", ours, theirs,
           ours / theirs);
    assert_true(BENCH_SANITIZED || ours < theirs);
}
