// For benches, which are tests too: without arguments they are quick and assert what holds on any
// machine, ratios; with "full" they go on to the largest sizes. Absolute times are printed only.
#ifndef LOCKPICK_BENCH_MEASURE_H
#define LOCKPICK_BENCH_MEASURE_H

#include "harness/testing/test.h"

#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Sanitizers make our code slower and larger, and not that of libraries: what is measured under one
// is held against nothing.
#define BENCH_SANITIZED 0
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef BENCH_SANITIZED
#define BENCH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef BENCH_SANITIZED
#define BENCH_SANITIZED 1
#endif
#endif

static inline bool bench_is_full(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "full") == 0;
}

// How much faster than n log n the time has grown from one size to a larger one: 1 if just so.
static inline double growth(double from_count, double from_s, double to_count, double to_s)
{
    double allowed = to_count * log(to_count) / (from_count * log(from_count));
    return to_s / from_s / allowed;
}

// A quadratic step makes it ten times as much from one power of ten to the next; what other work
// and caches add on a busy machine is far less.
#define MOST_GROWTH 4.0

// The processor's time that this process has used.
static inline double processor_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

// The most memory that this process has used, in bytes.
static inline double peak_bytes(void)
{
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
            break;
    }
    if (status != NULL)
        fclose(status);
    return kilobytes * 1024;
}

// Measures in a process of its own, so that it is known how much memory it took.
static inline void measure_apart(void (*measure)(const void *sample, void *result),
                                 const void *sample, void *result, size_t size)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        measure(sample, result);
        _exit(write(pipes[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], result, size), size);
    close(pipes[0]);
    waitpid(child, NULL, 0);
}

#endif
