#include "harness/run/lanes.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/run/usage_proc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// Three Java servers, the clients, and what a history has in memory.
#define MEGABYTES_PER_LANE 400
// Trials of leases wait for some nine tenths of their time.
#define LANES_PER_PROCESSOR 10
#define SURE_LANES_PER_PROCESSOR 2
// One more trial begins after so long a time in which a quarter of a processor was idle.
#define IDLE_FOR_NS (100 * NS_PER_MS)

// What the lanes and the conductor share.
struct queue {
    _Atomic uint32_t is_closed;
    int sure;                    // so many trials at a time need no room
    _Atomic int conducting;      // trials now
    _Atomic int64_t measured_ns; // when the machine was last looked at
    _Atomic int64_t busy_ns;     // and how long its processors had been busy by then
    _Atomic uint32_t takers[];   // of each job: the number of the lane that took it, 0: nobody yet
};

enum message_kind { MESSAGE_DOING, MESSAGE_SETTLED };

// From a lane to the conductor.
struct message {
    enum message_kind kind;
    int conducted;
    size_t job;
    size_t events;
    struct error text;
};

struct lane {
    pid_t process; // 0: none
    int ear;       // where it is heard, -1 if not
    uint32_t number;
};

struct lanes {
    struct server_pool *pool;
    const struct lane_job *jobs;
    size_t count;
    const struct lane_listener *listener;
    struct queue *queue;
    size_t queue_bytes;
    bool *settled;
    struct lane lane[MAX_LANES];
    int lane_count;
    uint32_t started;        // lanes so far: each has a number of its own
    struct error last_death; // why the last lane that ended too soon did
};

// --- in a lane -----------------------------------------------------------------------------------

struct lane_end {
    int mouth;
    size_t job;
};

static bool is_stopping(const struct lanes *lanes)
{
    return atomic_load(&lanes->queue->is_closed) != 0 ||
           sandbox_is_interrupted(lanes->pool->sandbox);
}

static bool any_job_is_left(const struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++) {
        if (atomic_load(&lanes->queue->takers[i]) == 0)
            return true;
    }
    return false;
}

static bool take_one(struct queue *queue, size_t job, uint32_t number)
{
    uint32_t nobody = 0;
    return atomic_compare_exchange_strong(&queue->takers[job], &nobody, number);
}

// Whether the machine has room for one more trial, which then counts as conducted. Lanes that are
// not the first to look wait for the next time.
static bool has_room(struct queue *queue)
{
    int conducting = atomic_load(&queue->conducting);
    if (conducting < queue->sure)
        return atomic_compare_exchange_strong(&queue->conducting, &conducting, conducting + 1);
    int64_t before_ns = atomic_load(&queue->measured_ns);
    int64_t elapsed_ns = clock_monotonic_ns() - before_ns;
    if (elapsed_ns < IDLE_FOR_NS ||
        !atomic_compare_exchange_strong(&queue->measured_ns, &before_ns, before_ns + elapsed_ns))
        return false;
    int64_t busy_ns = machine_busy_ns();
    int64_t idle_ns =
        processors_allowed() * elapsed_ns - (busy_ns - atomic_exchange(&queue->busy_ns, busy_ns));
    bool is_idle = busy_ns >= 0 && idle_ns > elapsed_ns / 4;
    if (is_idle)
        atomic_fetch_add(&queue->conducting, 1);
    return is_idle;
}

// Takes the next job: one for the servers that are up, else any. False if none is left.
static bool take(const struct lanes *lanes, uint32_t number, size_t *job)
{
    for (int any = 0; any < 2; any++) {
        for (*job = 0; *job < lanes->count; ++*job) {
            bool is_free = atomic_load(&lanes->queue->takers[*job]) == 0;
            bool is_wanted = any || server_pool_suits(lanes->pool, lanes->jobs[*job].trial);
            if (is_free && is_wanted && take_one(lanes->queue, *job, number))
                return true;
        }
    }
    return false;
}

// What is only shown must not wait for a conductor that is busy.
static void tell_doing(void *context, const struct trial *trial, const char *doing, size_t events)
{
    (void)trial;
    const struct lane_end *end = context;
    struct message message = {.kind = MESSAGE_DOING, .job = end->job, .events = events};
    snprintf(message.text.text, sizeof message.text.text, "%s", doing);
    (void)!send(end->mouth, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void be_lane(const struct lanes *lanes, uint32_t number, int mouth)
{
    struct lane_end end = {.mouth = mouth};
    const struct progress progress = {.show = tell_doing, .context = &end};
    while (!is_stopping(lanes) && any_job_is_left(lanes)) {
        if (!has_room(lanes->queue)) {
            clock_sleep_until_ns(clock_monotonic_ns() + IDLE_FOR_NS / 4);
            continue;
        }
        if (take(lanes, number, &end.job)) {
            const struct lane_job *job = &lanes->jobs[end.job];
            struct message message = {.kind = MESSAGE_SETTLED, .job = end.job};
            message.conducted = trial_conduct(job->trial, lanes->pool, job->folder, job->serial,
                                              &progress, &message.text);
            (void)!send(mouth, &message, sizeof message, MSG_NOSIGNAL);
        }
        atomic_fetch_sub(&lanes->queue->conducting, 1);
    }
    server_pool_clear(lanes->pool);
}

// --- in the conductor ----------------------------------------------------------------------------

// A lane must not hear the others, nor flush what the conductor had buffered, nor run its exit
// handlers.
static void live_as_lane(const struct lanes *lanes, const struct lane *lane, int mouth,
                         pid_t conductor)
{
    char name[16];
    snprintf(name, sizeof name, "lane-%u", lane->number);
    prctl(PR_SET_NAME, name);
    for (int i = 0; i < lanes->lane_count; i++) {
        if (lanes->lane[i].ear >= 0)
            close(lanes->lane[i].ear);
    }
    if (process_settle(conductor, -1, -1) != 0)
        _exit(1);
    be_lane(lanes, lane->number, mouth);
    fflush(NULL);
    _exit(0);
}

static int start_lane(struct lanes *lanes, struct lane *lane)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(&lanes->last_death, "cannot make a socket for a lane: %s",
                         strerror(errno));
    lane->number = ++lanes->started;
    lane->ear = ends[0];
    pid_t conductor = getpid();
    fflush(NULL);
    lane->process = fork();
    if (lane->process == 0)
        live_as_lane(lanes, lane, ends[1], conductor);
    int reason = errno;
    close(ends[1]);
    if (lane->process > 0)
        return 0;
    close(ends[0]);
    *lane = (struct lane){.ear = -1};
    return error_set(&lanes->last_death, "cannot fork a lane: %s", strerror(reason));
}

static void settle(struct lanes *lanes, size_t job, int conducted, const struct error *error)
{
    lanes->settled[job] = true;
    if (!lanes->listener->settle(lanes->listener->context, job, conducted, error))
        atomic_store(&lanes->queue->is_closed, 1);
}

// The lane has ended: well, or with a job that it took and never settled. Everything that it had
// started is gone with it, or it would still be heard.
static void bury(struct lanes *lanes, struct lane *lane)
{
    int status = 0;
    struct lane dead = *lane;
    *lane = (struct lane){.ear = -1};
    close(dead.ear);
    while (waitpid(dead.process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    char end[32];
    error_set(&lanes->last_death,
              "the process that conducted it beside others (lane-%u, %d) ended by %s, with its "
              "servers and clients",
              dead.number, (int)dead.process, process_end(status, end, sizeof end));
    for (size_t i = 0; i < lanes->count; i++) {
        if (atomic_load(&lanes->queue->takers[i]) == dead.number && !lanes->settled[i]) {
            atomic_fetch_sub(&lanes->queue->conducting, 1);
            settle(lanes, i, -1, &lanes->last_death);
        }
    }
    // Bounded, should lanes die before they take anything.
    if (!is_stopping(lanes) && any_job_is_left(lanes) &&
        lanes->started < (uint32_t)lanes->lane_count + lanes->count)
        start_lane(lanes, lane);
}

static void hear(struct lanes *lanes, struct lane *lane)
{
    struct message message;
    ssize_t got = recv(lane->ear, &message, sizeof message, 0);
    if (got < 0 && errno == EINTR)
        return;
    if (got != (ssize_t)sizeof message) {
        bury(lanes, lane);
    } else if (message.kind == MESSAGE_SETTLED) {
        settle(lanes, message.job, message.conducted, &message.text);
    } else {
        const struct lane_news news = {.lane = (int)(lane - lanes->lane),
                                       .process = lane->process,
                                       .job = message.job,
                                       .doing = message.text.text,
                                       .events = message.events};
        lanes->listener->hear(lanes->listener->context, &news);
    }
}

// False once no lane lives.
static bool listen_once(struct lanes *lanes)
{
    struct pollfd ears[MAX_LANES];
    int living = 0;
    for (int i = 0; i < lanes->lane_count; i++) {
        ears[i] = (struct pollfd){.fd = lanes->lane[i].ear, .events = POLLIN};
        living += lanes->lane[i].ear >= 0;
    }
    if (living == 0)
        return false;
    if (poll(ears, (nfds_t)lanes->lane_count, -1) > 0) {
        for (int i = 0; i < lanes->lane_count; i++) {
            if (ears[i].revents != 0)
                hear(lanes, &lanes->lane[i]);
        }
    }
    return true;
}

static void give_up_what_is_left(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->count && !is_stopping(lanes); i++) {
        if (!lanes->settled[i])
            settle(lanes, i, -1, &lanes->last_death);
    }
}

void lanes_conduct(struct server_pool *pool, const struct lane_job *jobs, size_t count,
                   struct lane_limits limits, const struct lane_listener *listener)
{
    struct lanes all = {.pool = pool, .jobs = jobs, .count = count, .listener = listener};
    all.queue_bytes = sizeof *all.queue + count * sizeof *all.queue->takers;
    all.queue = memory_shared(all.queue_bytes);
    all.queue->sure = limits.sure;
    all.settled = memory_zeroed(count, sizeof *all.settled);
    all.lane_count = limits.most < MAX_LANES ? limits.most : MAX_LANES;
    for (int i = 0; i < all.lane_count; i++)
        all.lane[i].ear = -1;
    for (int i = 0; i < all.lane_count; i++)
        start_lane(&all, &all.lane[i]);
    while (listen_once(&all))
        continue;
    give_up_what_is_left(&all);
    free(all.settled);
    munmap(all.queue, all.queue_bytes);
}

struct lane_limits lanes_that_fit(void)
{
    struct text information = {0};
    long long kilobytes = 0;
    const char *line = NULL;
    if (file_read("/proc/meminfo", &information, NULL) == 0)
        line = strstr(text_string(&information), "MemAvailable:");
    if (line != NULL)
        sscanf(line, "MemAvailable: %lld", &kilobytes);
    text_free(&information);
    int fit = (int)(kilobytes / 1024 / MEGABYTES_PER_LANE);
    struct lane_limits limits = {SURE_LANES_PER_PROCESSOR * processors_allowed(),
                                 LANES_PER_PROCESSOR * processors_allowed()};
    limits.most = fit < 1 ? 1 : fit < limits.most ? fit : limits.most;
    limits.sure = limits.sure < limits.most ? limits.sure : limits.most;
    return limits;
}
