#include "harness/run/slots.h"

#include "harness/base/clock.h"
#include "harness/cluster/process.h"
#include "harness/run/usage.h"

#include <errno.h>
#include <poll.h>
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
#define MEGABYTES_PER_SLOT 400
// Trials of leases wait for some nine tenths of their time.
#define SLOTS_PER_PROCESSOR 10
#define SURE_SLOTS_PER_PROCESSOR 2
// One more trial begins after so long a time in which a quarter of a processor was idle.
#define IDLE_FOR_NS (100 * NS_PER_MS)

// What the slots and the conductor share.
struct queue {
    _Atomic uint32_t is_closed;
    int sure;                    // so many trials at a time need no room
    _Atomic int conducting;      // trials now
    _Atomic int64_t measured_ns; // when the machine was last looked at
    _Atomic int64_t busy_ns;     // and how long its processors had been busy by then
    _Atomic uint32_t takers[];   // of each job: the number of the slot that took it, 0: nobody yet
};

enum message_kind { MESSAGE_DOING, MESSAGE_SETTLED };

// From a slot to the conductor.
struct message {
    enum message_kind kind;
    int conducted;
    size_t job;
    size_t events;
    struct error text;
};

struct slot {
    pid_t process; // 0: none
    int ear;       // where it is heard, -1 if not
    uint32_t number;
};

struct slots {
    struct server_pool *pool;
    const struct slot_job *jobs;
    size_t count;
    const struct slot_listener *listener;
    struct queue *queue;
    size_t queue_bytes;
    bool *settled;
    struct slot slot[MAX_SLOTS];
    int slot_count;
    uint32_t started;        // slots so far: each has a number of its own
    struct error last_death; // why the last slot that ended too soon did
};

// --- in a slot -----------------------------------------------------------------------------------

struct slot_end {
    int mouth;
    size_t job;
};

static bool is_stopping(const struct slots *slots)
{
    return atomic_load(&slots->queue->is_closed) != 0 ||
           sandbox_is_interrupted(slots->pool->sandbox);
}

static bool any_job_is_left(const struct slots *slots)
{
    for (size_t i = 0; i < slots->count; i++) {
        if (atomic_load(&slots->queue->takers[i]) == 0)
            return true;
    }
    return false;
}

// Whether the machine has room for one more trial, which then counts as conducted. Slots that are
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
static bool take(const struct slots *slots, uint32_t number, size_t *job)
{
    for (int any = 0; any < 2; any++) {
        for (*job = 0; *job < slots->count; ++*job) {
            uint32_t nobody = 0;
            _Atomic uint32_t *taker = &slots->queue->takers[*job];
            if (atomic_load(taker) == 0 &&
                (any || server_pool_suits(slots->pool, slots->jobs[*job].trial)) &&
                atomic_compare_exchange_strong(taker, &nobody, number))
                return true;
        }
    }
    return false;
}

// What is only shown must not wait for a conductor that is busy.
static void tell_doing(void *context, const struct trial *trial, const char *doing, size_t events)
{
    (void)trial;
    const struct slot_end *end = context;
    struct message message = {.kind = MESSAGE_DOING, .job = end->job, .events = events};
    snprintf(message.text.text, sizeof message.text.text, "%s", doing);
    (void)!send(end->mouth, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// A slot must not hear the others, nor flush what the conductor had buffered, nor run its exit
// handlers.
static void be_slot(const struct slots *slots, const struct slot *slot, int mouth, pid_t conductor)
{
    uint32_t number = slot->number;
    const struct slot_listener *listener = slots->listener;
    char name[16];
    struct slot_end end = {.mouth = mouth};
    snprintf(name, sizeof name, "slot-%u", number);
    prctl(PR_SET_NAME, name);
    for (int i = 0; i < slots->slot_count; i++) {
        if (slots->slot[i].ear >= 0)
            close(slots->slot[i].ear);
    }
    int nth = (int)(slot - slots->slot) % processors_allowed();
    if (process_settle(conductor, -1, listener->pins ? processor_nth(nth) : -1) != 0)
        _exit(1);
    const struct progress progress = {.show = tell_doing, .context = &end};
    while (!is_stopping(slots) && any_job_is_left(slots)) {
        if (!has_room(slots->queue)) {
            clock_sleep_until_ns(clock_monotonic_ns() + IDLE_FOR_NS / 4);
            continue;
        }
        if (take(slots, number, &end.job)) {
            const struct slot_job *job = &slots->jobs[end.job];
            struct message message = {.kind = MESSAGE_SETTLED, .job = end.job};
            message.conducted = listener->conduct != NULL
                                    ? listener->conduct(listener->context, job, slots->pool,
                                                        &progress, &message.text)
                                    : trial_conduct(job->trial, slots->pool, job->folder,
                                                    job->serial, &progress, &message.text);
            (void)!send(mouth, &message, sizeof message, MSG_NOSIGNAL);
        }
        atomic_fetch_sub(&slots->queue->conducting, 1);
    }
    server_pool_clear(slots->pool);
    fflush(NULL);
    _exit(0);
}

// --- in the conductor ----------------------------------------------------------------------------

static int start_slot(struct slots *slots, struct slot *slot)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(&slots->last_death, "cannot make a socket for a slot: %s",
                         strerror(errno));
    slot->number = ++slots->started;
    slot->ear = ends[0];
    pid_t conductor = getpid();
    fflush(NULL);
    slot->process = fork();
    if (slot->process == 0)
        be_slot(slots, slot, ends[1], conductor);
    int reason = errno;
    close(ends[1]);
    if (slot->process > 0)
        return 0;
    close(ends[0]);
    *slot = (struct slot){.ear = -1};
    return error_set(&slots->last_death, "cannot fork a slot: %s", strerror(reason));
}

static void settle(struct slots *slots, size_t job, int conducted, const struct error *error)
{
    slots->settled[job] = true;
    if (!slots->listener->settle(slots->listener->context, &slots->jobs[job], conducted, error))
        atomic_store(&slots->queue->is_closed, 1);
}

// The slot has ended: well, or with a job that it took and never settled. Everything that it had
// started is gone with it, or it would still be heard.
static void bury(struct slots *slots, struct slot *slot)
{
    int status = 0;
    struct slot dead = *slot;
    *slot = (struct slot){.ear = -1};
    close(dead.ear);
    while (waitpid(dead.process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    char end[32];
    error_set(&slots->last_death,
              "the process that conducted it beside others (slot-%u, %d) ended by %s, with its "
              "servers and clients",
              dead.number, (int)dead.process, process_end(status, end, sizeof end));
    for (size_t i = 0; i < slots->count; i++) {
        if (atomic_load(&slots->queue->takers[i]) == dead.number && !slots->settled[i]) {
            atomic_fetch_sub(&slots->queue->conducting, 1);
            settle(slots, i, -1, &slots->last_death);
        }
    }
    // Bounded, should slots die before they take anything.
    if (!is_stopping(slots) && any_job_is_left(slots) &&
        slots->started < (uint32_t)slots->slot_count + slots->count)
        start_slot(slots, slot);
}

static void hear(struct slots *slots, struct slot *slot)
{
    struct message message;
    ssize_t got = recv(slot->ear, &message, sizeof message, 0);
    if (got < 0 && errno == EINTR)
        return;
    if (got != (ssize_t)sizeof message) {
        bury(slots, slot);
    } else if (message.kind == MESSAGE_SETTLED) {
        settle(slots, message.job, message.conducted, &message.text);
    } else {
        const struct slot_news news = {.slot = (int)(slot - slots->slot),
                                       .process = slot->process,
                                       .doing = message.text.text,
                                       .events = message.events};
        slots->listener->hear(slots->listener->context, &slots->jobs[message.job], &news);
    }
}

// False once no slot lives.
static bool listen_once(struct slots *slots)
{
    struct pollfd ears[MAX_SLOTS];
    int living = 0;
    for (int i = 0; i < slots->slot_count; i++) {
        ears[i] = (struct pollfd){.fd = slots->slot[i].ear, .events = POLLIN};
        living += slots->slot[i].ear >= 0;
    }
    if (living == 0)
        return false;
    if (poll(ears, (nfds_t)slots->slot_count, -1) > 0) {
        for (int i = 0; i < slots->slot_count; i++) {
            if (ears[i].revents != 0)
                hear(slots, &slots->slot[i]);
        }
    }
    return true;
}

void slots_conduct(struct server_pool *pool, const struct slot_job *jobs, size_t count,
                   struct slot_limits limits, const struct slot_listener *listener)
{
    struct slots all = {.pool = pool, .jobs = jobs, .count = count, .listener = listener};
    all.queue_bytes = sizeof *all.queue + count * sizeof *all.queue->takers;
    all.queue = memory_shared(all.queue_bytes);
    all.queue->sure = limits.sure;
    all.settled = memory_zeroed(count, sizeof *all.settled);
    all.slot_count = limits.most < MAX_SLOTS ? limits.most : MAX_SLOTS;
    for (int i = 0; i < all.slot_count; i++)
        all.slot[i].ear = -1;
    for (int i = 0; i < all.slot_count; i++)
        start_slot(&all, &all.slot[i]);
    while (listen_once(&all))
        continue;
    for (size_t i = 0; i < count && !is_stopping(&all); i++) {
        if (!all.settled[i])
            settle(&all, i, -1, &all.last_death);
    }
    free(all.settled);
    munmap(all.queue, all.queue_bytes);
}

struct slot_limits slots_that_fit(void)
{
    char kilobytes[40];
    line_of_file("/proc/meminfo", "MemAvailable:", kilobytes, sizeof kilobytes);
    int fit = (int)(strtoll(kilobytes, NULL, 10) / 1024 / MEGABYTES_PER_SLOT);
    struct slot_limits limits = {SURE_SLOTS_PER_PROCESSOR * processors_allowed(),
                                 SLOTS_PER_PROCESSOR * processors_allowed()};
    limits.most = fit < 1 ? 1 : fit < limits.most ? fit : limits.most;
    limits.sure = limits.sure < limits.most ? limits.sure : limits.most;
    return limits;
}
