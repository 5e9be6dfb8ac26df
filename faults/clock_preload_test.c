// The preload, in this very program: it starts itself again with the preload loaded, as the harness
// starts a server, and looks at what libc's functions say. What the machine's clocks show it asks
// the kernel itself.
#include "harness/base/clock.h"
#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/testing/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HOUR_NS (3600 * NS_PER_S)
#define FOLDER_VARIABLE "LOCKPICK_TEST_FOLDER"
#define UPTIME_VARIABLE "LOCKPICK_TEST_UPTIME" // set: this is the program in a time namespace

static struct clock_shift *shift; // that we read time by

// How far back a clock can jump that began with the machine, which may be up for a minute.
static int64_t jump_back_ns(void)
{
    int64_t up_ns = clock_monotonic_ns();
    return up_ns / 2 < HOUR_NS ? up_ns / 2 : HOUR_NS;
}

static int64_t nanoseconds(struct timespec time)
{
    assert_true(time.tv_nsec >= 0 && time.tv_nsec < NS_PER_S);
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

static int64_t machine_ns(clockid_t id)
{
    struct timespec now;
    assert_int_equal(syscall(SYS_clock_gettime, id, &now), 0);
    return nanoseconds(now);
}

static int64_t shown_ns(clockid_t id)
{
    struct timespec now;
    assert_int_equal(clock_gettime(id, &now), 0);
    return nanoseconds(now);
}

static void set(enum shifted_clock which, int64_t by_ns, int64_t rate)
{
    clock_shift_set(shift, which,
                    machine_ns(which == SHIFTED_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC), by_ns,
                    rate);
}

static int clear(void **state)
{
    (void)state;
    clock_shift_clear(shift, SHIFTED_REALTIME);
    clock_shift_clear(shift, SHIFTED_MONOTONIC);
    return 0;
}

// --- reading -------------------------------------------------------------------------------------

// That this clock shows so much more than the machine's.
static void expect_ahead(clockid_t id, int64_t by_ns)
{
    int64_t before_ns = machine_ns(id);
    int64_t now_ns = shown_ns(id);
    assert_in_range(now_ns - by_ns, before_ns, machine_ns(id));
}

static const clockid_t realtime[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE};
static const clockid_t monotonic[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW,
                                      CLOCK_BOOTTIME};

static void expect_all_ahead(int64_t realtime_by_ns, int64_t monotonic_by_ns)
{
    for (size_t i = 0; i < sizeof realtime / sizeof *realtime; i++)
        expect_ahead(realtime[i], realtime_by_ns);
    for (size_t i = 0; i < sizeof monotonic / sizeof *monotonic; i++)
        expect_ahead(monotonic[i], monotonic_by_ns);
}

static int find_shift(void **state);
static int remove_folder(void **state);

TEST_GROUP(find_shift, remove_folder);

TEST_WITH(each_of_the_two_clocks_goes_wrong_by_itself, NULL, clear)
{
    int64_t back_ns = jump_back_ns();
    assert_int_equal(atomic_load(&shift->readers), 1);
    expect_all_ahead(0, 0);
    set(SHIFTED_REALTIME, HOUR_NS, CLOCK_RATE_NORMAL);
    expect_all_ahead(HOUR_NS, 0);
    set(SHIFTED_MONOTONIC, -back_ns, CLOCK_RATE_NORMAL);
    expect_all_ahead(HOUR_NS, -back_ns);
    clock_shift_clear(shift, SHIFTED_REALTIME);
    expect_all_ahead(0, -back_ns);
    assert_true(shown_ns(CLOCK_PROCESS_CPUTIME_ID) < HOUR_NS);
}

struct timeb {
    time_t time;
    unsigned short millitm;
    short timezone;
    short dstflag;
};
int ftime(struct timeb *out);

TEST_WITH(all_that_asks_for_the_time_of_day_is_told_the_same, NULL, clear)
{
    struct timeval by_timeval;
    struct timezone zone = {.tz_minuteswest = 7};
    struct timespec by_timespec;
    struct timeb by_timeb;
    time_t by_time;
    set(SHIFTED_REALTIME, HOUR_NS, CLOCK_RATE_NORMAL);
    int64_t before_ns = machine_ns(CLOCK_REALTIME_COARSE) + HOUR_NS;
    assert_int_equal(gettimeofday(&by_timeval, &zone), 0);
    time_t returned = time(&by_time);
    assert_int_equal(returned, by_time);
    assert_int_equal(timespec_get(&by_timespec, TIME_UTC), TIME_UTC);
    assert_int_equal(timespec_get(&by_timespec, 99), 0);
    assert_int_equal(ftime(&by_timeb), 0);
    int64_t after_ns = machine_ns(CLOCK_REALTIME) + HOUR_NS;
    assert_in_range(by_timeval.tv_sec * NS_PER_S + by_timeval.tv_usec * NS_PER_US,
                    before_ns - NS_PER_US, after_ns);
    assert_in_range(nanoseconds(by_timespec), before_ns, after_ns);
    assert_in_range(by_timeb.time * NS_PER_S + by_timeb.millitm * NS_PER_MS, before_ns - NS_PER_MS,
                    after_ns);
    assert_in_range(by_time, before_ns / NS_PER_S, after_ns / NS_PER_S);
    assert_int_equal(zone.tz_minuteswest, 0);
    assert_int_equal(clock_gettime(12345, &by_timespec), -1);
    assert_int_equal(errno, EINVAL);
}

TEST_WITH(a_frozen_clock_stands_still, NULL, clear)
{
    set(SHIFTED_MONOTONIC, 0, 0);
    int64_t frozen_ns = shown_ns(CLOCK_MONOTONIC);
    int64_t until_ns = machine_ns(CLOCK_MONOTONIC) + 5 * NS_PER_MS;
    while (machine_ns(CLOCK_MONOTONIC) < until_ns)
        assert_true(shown_ns(CLOCK_MONOTONIC) == frozen_ns);
}

// --- waiting -------------------------------------------------------------------------------------

// Who waits for a time by a clock, with one of the two functions.
struct wait {
    clockid_t id;
    bool names_clock; // pthread_cond_clockwait
    int64_t for_ns;   // of what the clock shows
    int64_t took_ns;  // on the machine's clock
    int woken;        // without cause
    atomic_bool begun;
};

static void *wait_for_time(void *context)
{
    struct wait *wait = context;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_t attributes;
    pthread_cond_t condition;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, wait->names_clock ? CLOCK_REALTIME : wait->id);
    pthread_cond_init(&condition, &attributes);
    int64_t until_ns = shown_ns(wait->id) + wait->for_ns;
    struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    int64_t began_ns = machine_ns(CLOCK_MONOTONIC);
    pthread_mutex_lock(&mutex);
    atomic_store(&wait->begun, true);
    while ((wait->names_clock ? pthread_cond_clockwait(&condition, &mutex, wait->id, &until)
                              : pthread_cond_timedwait(&condition, &mutex, &until)) != ETIMEDOUT)
        wait->woken++;
    pthread_mutex_unlock(&mutex);
    wait->took_ns = machine_ns(CLOCK_MONOTONIC) - began_ns;
    pthread_cond_destroy(&condition);
    pthread_condattr_destroy(&attributes);
    return NULL;
}

static const struct {
    clockid_t id;
    enum shifted_clock which;
    bool names_clock;
} ways[] = {{CLOCK_REALTIME, SHIFTED_REALTIME, false},
            {CLOCK_MONOTONIC, SHIFTED_MONOTONIC, false},
            {CLOCK_REALTIME, SHIFTED_REALTIME, true},
            {CLOCK_MONOTONIC, SHIFTED_MONOTONIC, true}};

// ThreadSanitizer calls libc's own functions for waiting, past every other library's.
static void skip_past_preload(void)
{
#ifdef __SANITIZE_THREAD__
    skip();
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip();
#endif
#endif
}

#define FOR_EACH_WAY(i) for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)

// It would end at once, or take an hour, if it were until a time of the machine's.
TEST_WITH(a_wait_takes_as_long_on_a_clock_that_has_jumped, NULL, clear)
{
    const int64_t jumps[] = {0, HOUR_NS, -jump_back_ns()};
    skip_past_preload();
    FOR_EACH_WAY(i)
    {
        for (size_t j = 0; j < sizeof jumps / sizeof *jumps; j++) {
            struct wait wait = {
                .id = ways[i].id, .names_clock = ways[i].names_clock, .for_ns = 70 * NS_PER_MS};
            set(ways[i].which, jumps[j], CLOCK_RATE_NORMAL);
            wait_for_time(&wait);
            assert_true(wait.took_ns >= 70 * NS_PER_MS && wait.took_ns < HOUR_NS / 2);
            clear(state);
        }
    }
}

TEST_WITH(a_wait_ends_when_the_clock_jumps_past_its_end, NULL, clear)
{
    skip_past_preload();
    FOR_EACH_WAY(i)
    {
        pthread_t thread;
        struct wait wait = {
            .id = ways[i].id, .names_clock = ways[i].names_clock, .for_ns = HOUR_NS};
        assert_int_equal(pthread_create(&thread, NULL, wait_for_time, &wait), 0);
        while (!atomic_load(&wait.begun))
            sched_yield();
        set(ways[i].which, 2 * HOUR_NS, CLOCK_RATE_NORMAL);
        pthread_join(thread, NULL);
        assert_true(wait.took_ns < HOUR_NS / 2);
        clear(state);
    }
}

TEST_WITH(a_wait_by_a_frozen_clock_ends_once_it_goes_on, NULL, clear)
{
    skip_past_preload();
    FOR_EACH_WAY(i)
    {
        pthread_t thread;
        struct wait wait = {
            .id = ways[i].id, .names_clock = ways[i].names_clock, .for_ns = 10 * NS_PER_MS};
        set(ways[i].which, 0, 0);
        assert_int_equal(pthread_create(&thread, NULL, wait_for_time, &wait), 0);
        while (!atomic_load(&wait.begun))
            sched_yield();
        clock_sleep_until_ns(machine_ns(CLOCK_MONOTONIC) + 20 * NS_PER_MS); // longer than it waits
        clear(state);
        pthread_join(thread, NULL);
        assert_true(wait.took_ns >= 20 * NS_PER_MS);
    }
}

// --- programs ------------------------------------------------------------------------------------

// What `date` says, started with that variable, in seconds; what else it says is added to `output`.
static long long ask_date(const char *variable, struct text *output)
{
    struct error error = {0};
    const char *const arguments[] = {"env",  "-u", CLOCK_SHIFT_VARIABLE, variable, "date",
                                     "+=%s", NULL};
    if (process_run(arguments, "", -1, PROCESS_LIMIT, output, &error) != 0)
        fail_msg("%s%s", error.text, text_string(output));
    const char *answer = strchr(text_string(output), '=');
    assert_non_null(answer);
    return atoll(answer + 1);
}

TEST_WITH(without_a_file_to_read_the_clock_is_right, NULL, clear)
{
    struct text output = {0};
    char shifted[PATH_MAX + 32];
    snprintf(shifted, sizeof shifted, CLOCK_SHIFT_VARIABLE "=%s", getenv(CLOCK_SHIFT_VARIABLE));
    set(SHIFTED_REALTIME, HOUR_NS, CLOCK_RATE_NORMAL);
    long long from_s = machine_ns(CLOCK_REALTIME_COARSE) / NS_PER_S;
    assert_in_range(ask_date(shifted, &output) - 3600, from_s, from_s + 60);
    text_free(&output);
    assert_in_range(ask_date("TZ=UTC", &output), from_s, from_s + 60);
    text_free(&output);
    assert_in_range(ask_date(CLOCK_SHIFT_VARIABLE "=/no/such/file", &output), from_s, from_s + 60);
    assert_non_null(strstr(output.bytes, "cannot map /no/such/file"));
    text_free(&output);
}

// Runs a program as on a machine that is up for so long. Its exit status.
static int run_up_for(int64_t up_ns, const char *program, struct text *output)
{
    struct error error = {0};
    char by[32];
    snprintf(by, sizeof by, "%lld", (long long)((up_ns - machine_ns(CLOCK_MONOTONIC)) / NS_PER_S));
    const char *const arguments[] = {"env",
                                     "-u",
                                     "LD_PRELOAD",
                                     "-u",
                                     FOLDER_VARIABLE,
                                     "-u",
                                     CLOCK_SHIFT_VARIABLE,
                                     UPTIME_VARIABLE "=1",
                                     "unshare",
                                     "-T",
                                     "--monotonic",
                                     by,
                                     "--boottime",
                                     by,
                                     "--fork",
                                     geteuid() == 0 ? program : "-Ur",
                                     geteuid() == 0 ? "clock_preload" : program,
                                     geteuid() == 0 ? NULL : "clock_preload", // of all its files
                                     NULL};
    int status = process_run(arguments, "", -1, PROCESS_LIMIT, output, &error);
    text_add(output, error.text);
    return status;
}

TEST_WITH(all_this_holds_on_a_machine_that_is_up_for_a_minute_or_three_hours, NULL, clear)
{
    static const int64_t ups_ns[] = {60 * NS_PER_S, 3 * HOUR_NS};
    // By its path: a user namespace may not look through /proc/PID/exe of a process outside of it.
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    if (getenv(UPTIME_VARIABLE) != NULL)
        skip();
    for (size_t i = 0; i < sizeof ups_ns / sizeof *ups_ns; i++) {
        struct text output = {0};
        if (run_up_for(ups_ns[i], "true", &output) != 0) {
            text_free(&output);
            skip(); // no such namespaces here
        }
        if (run_up_for(ups_ns[i], self, &output) != 0)
            fail_msg("%s", text_string(&output));
        text_free(&output);
    }
}

// Starts this program again, in the same process. Returns only if it could not.
static int start_again(char **arguments)
{
    struct error error = {0};
    static char folder[] = "/tmp/lockpick-preload-XXXXXX";
    char *preload = clock_preload_path(&error);
    char *path = test_folder_make(folder) == 0 ? path_join(folder, "clock") : NULL;
    struct clock_shift *made = path != NULL ? clock_shift_create(path, &error) : NULL;
    if (preload == NULL || made == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    setenv("LD_PRELOAD", preload, 1);
    setenv(CLOCK_SHIFT_VARIABLE, path, 1);
    setenv(FOLDER_VARIABLE, folder, 1);
    // It would insist on being the first of all libraries.
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    execv("/proc/self/exe", arguments);
    perror("execv");
    return 1;
}

static int find_shift(void **state)
{
    (void)state;
    int descriptor = open(getenv(CLOCK_SHIFT_VARIABLE), O_RDWR | O_CLOEXEC);
    shift = mmap(NULL, sizeof *shift, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return shift != MAP_FAILED ? 0 : -1;
}

// All but what event libraries ask for themselves.
TEST_WITH(who_asks_for_the_time_leaves_word, NULL, clear)
{
    set(SHIFTED_MONOTONIC, HOUR_NS, CLOCK_RATE_NORMAL);
    shown_ns(CLOCK_REALTIME);
    shown_ns(CLOCK_MONOTONIC_COARSE);
    assert_false(clock_shift_was_shown(shift, SHIFTED_MONOTONIC));
    shown_ns(CLOCK_MONOTONIC);
    assert_true(clock_shift_was_shown(shift, SHIFTED_MONOTONIC));
    set(SHIFTED_REALTIME, HOUR_NS, CLOCK_RATE_NORMAL);
    assert_false(clock_shift_was_shown(shift, SHIFTED_REALTIME));
    time(NULL);
    assert_true(clock_shift_was_shown(shift, SHIFTED_REALTIME));
}

static int remove_folder(void **state)
{
    (void)state;
    clock_shift_close(shift);
    unsetenv(CLOCK_SHIFT_VARIABLE);
    return test_folder_remove(getenv(FOLDER_VARIABLE));
}

static int run(int count, char **arguments)
{
    if (getenv(FOLDER_VARIABLE) == NULL)
        return start_again(arguments);
    return tests_run(count, arguments);
}

TEST_MAIN(run);
