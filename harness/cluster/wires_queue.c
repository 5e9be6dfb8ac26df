#include "harness/cluster/wires_queue.h"

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libnetfilter_queue/libnetfilter_queue.h>
#include <linux/netfilter.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRIED_NUMBERS 1000
#define MOST_PACKETS 1000000 // that may wait in one queue; the kernel's own limit is 1024
#define MESSAGE_BYTES                                                                              \
    (16 * 1024 * 1024) // of messages about packets that the thread has yet to read

struct packet {
    uint32_t id;
    uint32_t mark;
    int64_t due_ns;
};

struct wire_queue {
    struct nfq_handle *handle; // NULL: the kernel was not asked for it yet
    struct nfq_q_handle *kernel;
    struct wire_detour detour;
    bool taken;
    bool passing; // packets go at once
    bool holding;
    int64_t delay_ns, jitter_ns;
    struct random random;
    struct packet *packets; // those that wait, the oldest first
    size_t first, count, room;
};

// A queue stays ours until the end, whichever fault has it: a packet that was on its way to it
// while the rule was removed is not lost.
struct wire_queues {
    pthread_t thread;
    int alarm;             // an eventfd: wakes the thread
    pthread_mutex_t mutex; // guards what follows
    bool stopping;
    int next_number;
    struct wire_queue queues[MAX_WIRE_QUEUES];
};

// --- packets -------------------------------------------------------------------------------------

static void let_go(struct wire_queue *queue, uint32_t id, uint32_t mark)
{
    // Fails if the packet is gone because its node is; then there is nothing to do.
    nfq_set_verdict2(queue->kernel, id, NF_REPEAT, mark | queue->detour.mark, 0, NULL);
}

// When a packet that has just come is to go: never before an earlier one.
static int64_t choose_due_ns(struct wire_queue *queue)
{
    if (queue->holding)
        return TIME_NEVER;
    int64_t due_ns = clock_monotonic_ns() + queue->delay_ns;
    if (queue->jitter_ns > 0)
        due_ns += (int64_t)random_below(&queue->random, 2 * (uint64_t)queue->jitter_ns + 1) -
                  queue->jitter_ns;
    if (queue->count == 0)
        return due_ns;
    int64_t last_ns = queue->packets[queue->first + queue->count - 1].due_ns;
    return time_later(last_ns, due_ns);
}

static void make_room(struct wire_queue *queue)
{
    if (queue->first + queue->count < queue->room)
        return;
    if (queue->first > queue->room / 2) {
        memmove(queue->packets, queue->packets + queue->first,
                queue->count * sizeof *queue->packets);
        queue->first = 0;
        return;
    }
    queue->room = 2 * queue->room + 64;
    queue->packets = memory_resized(queue->packets, queue->room * sizeof *queue->packets);
}

// Called by nfq_handle_packet for each packet that the kernel tells of.
static int receive(struct nfq_q_handle *kernel, struct nfgenmsg *message, struct nfq_data *data,
                   void *context)
{
    (void)kernel;
    (void)message;
    struct wire_queue *queue = context;
    const struct nfqnl_msg_packet_hdr *header = nfq_get_msg_packet_hdr(data);
    if (header == NULL)
        return 0;
    uint32_t id = ntohl(header->packet_id);
    uint32_t mark = nfq_get_nfmark(data);
    if (queue->passing) {
        let_go(queue, id, mark);
        return 0;
    }
    make_room(queue);
    struct packet packet = {.id = id, .mark = mark, .due_ns = choose_due_ns(queue)};
    queue->packets[queue->first + queue->count++] = packet;
    return 0;
}

static void let_go_until(struct wire_queue *queue, int64_t now_ns)
{
    while (queue->count > 0 && queue->packets[queue->first].due_ns <= now_ns) {
        let_go(queue, queue->packets[queue->first].id, queue->packets[queue->first].mark);
        queue->first++;
        queue->count--;
    }
    if (queue->count == 0)
        queue->first = 0;
}

// Reads what the kernel tells, and lets go what is due. Returns when the next one is.
static int64_t serve(struct wire_queue *queue)
{
    char buffer[8192] __attribute__((aligned(8)));
    ssize_t got;
    while ((got = recv(nfq_fd(queue->handle), buffer, sizeof buffer, MSG_DONTWAIT)) > 0 ||
           (got < 0 && (errno == EINTR || errno == ENOBUFS))) {
        if (got > 0)
            nfq_handle_packet(queue->handle, buffer, (int)got);
    }
    let_go_until(queue, clock_monotonic_ns());
    return queue->count > 0 ? queue->packets[queue->first].due_ns : TIME_NEVER;
}

// --- the thread ----------------------------------------------------------------------------------

static void wait_for_work(struct wire_queues *queues, const struct pollfd *descriptors,
                          nfds_t count, int64_t until_ns)
{
    struct pollfd ready[MAX_WIRE_QUEUES + 1];
    memcpy(ready, descriptors, count * sizeof *ready);
    int64_t left_ns = until_ns == TIME_NEVER ? 0 : until_ns - clock_monotonic_ns();
    struct timespec patience = {0};
    if (left_ns > 0)
        patience = (struct timespec){.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
    ppoll(ready, count, until_ns == TIME_NEVER ? NULL : &patience, NULL);
    uint64_t rings;
    if (read(queues->alarm, &rings, sizeof rings) < 0)
        return; // nobody rang
}

static void *serve_all(void *context)
{
    struct wire_queues *queues = context;
    prctl(PR_SET_TIMERSLACK, 1UL); // the usual 50 us would be added to each delay
    pthread_mutex_lock(&queues->mutex);
    while (!queues->stopping) {
        struct pollfd descriptors[MAX_WIRE_QUEUES + 1] = {{.fd = queues->alarm, .events = POLLIN}};
        nfds_t count = 1;
        int64_t next_ns = TIME_NEVER;
        for (int i = 0; i < MAX_WIRE_QUEUES && queues->queues[i].handle != NULL; i++) {
            int64_t due = serve(&queues->queues[i]);
            next_ns = time_earlier(due, next_ns);
            descriptors[count++] =
                (struct pollfd){.fd = nfq_fd(queues->queues[i].handle), .events = POLLIN};
        }
        pthread_mutex_unlock(&queues->mutex);
        wait_for_work(queues, descriptors, count, next_ns);
        pthread_mutex_lock(&queues->mutex);
    }
    pthread_mutex_unlock(&queues->mutex);
    return NULL;
}

static void wake_thread(struct wire_queues *queues)
{
    uint64_t one = 1;
    if (write(queues->alarm, &one, sizeof one) < 0)
        return; // the counter is full, so the thread is awake
}

struct wire_queues *wire_queues_open(uint16_t first_number, struct error *error)
{
    struct wire_queues *queues = memory_zeroed(1, sizeof *queues);
    queues->next_number = first_number;
    queues->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (queues->alarm < 0) {
        error_set(error, "cannot make an eventfd: %s", strerror(errno));
        free(queues);
        return NULL;
    }
    pthread_mutex_init(&queues->mutex, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the threads there were
    int reason = pthread_create(&queues->thread, NULL, serve_all, queues);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason != 0) {
        error_set(error, "cannot start the thread that serves queues: %s", strerror(reason));
        close(queues->alarm);
        pthread_mutex_destroy(&queues->mutex);
        free(queues);
        return NULL;
    }
    return queues;
}

void wire_queues_close(struct wire_queues *queues)
{
    if (queues == NULL)
        return;
    pthread_mutex_lock(&queues->mutex);
    queues->stopping = true;
    pthread_mutex_unlock(&queues->mutex);
    wake_thread(queues);
    pthread_join(queues->thread, NULL);
    for (int i = 0; i < MAX_WIRE_QUEUES && queues->queues[i].handle != NULL; i++) {
        // Told to the kernel in so many words: a forked child may have our socket open, too.
        nfq_destroy_queue(queues->queues[i].kernel);
        nfq_close(queues->queues[i].handle);
        free(queues->queues[i].packets);
    }
    close(queues->alarm);
    pthread_mutex_destroy(&queues->mutex);
    free(queues);
}

// --- queues --------------------------------------------------------------------------------------

// Asks the kernel for a queue whose number nobody has. 0, or -1 with errno set.
static int bind_number(struct wire_queues *queues, struct wire_queue *queue)
{
    for (int i = 0; queue->kernel == NULL && i < TRIED_NUMBERS; i++) {
        queue->detour.number = queues->next_number++ & 0xffff;
        queue->kernel =
            nfq_create_queue(queue->handle, (uint16_t)queue->detour.number, receive, queue);
    }
    return queue->kernel != NULL ? 0 : -1;
}

// Asks the kernel for a queue. 0, or -1 with `error` set.
static int bind_queue(struct wire_queues *queues, int place, struct error *error)
{
    struct wire_queue *queue = &queues->queues[place];
    int bytes = MESSAGE_BYTES;
    queue->detour.mark = UINT32_C(1) << place;
    queue->handle = nfq_open();
    if (queue->handle == NULL)
        return error_set(error, "cannot open a socket to the kernel's packet queues: %s",
                         strerror(errno));
    int descriptor = nfq_fd(queue->handle);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    // Only root proper gets all of it.
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    // What is too large for one packet stays in one piece; without room, packets are dropped.
    if (bind_number(queues, queue) != 0 || nfq_set_mode(queue->kernel, NFQNL_COPY_META, 0) < 0 ||
        nfq_set_queue_maxlen(queue->kernel, MOST_PACKETS) < 0 ||
        nfq_set_queue_flags(queue->kernel, NFQA_CFG_F_GSO | NFQA_CFG_F_FAIL_OPEN, NFQA_CFG_F_GSO) <
            0) {
        error_set(error, "the kernel gives no packet queue (nfnetlink_queue): %s", strerror(errno));
        if (queue->kernel != NULL)
            nfq_destroy_queue(queue->kernel);
        nfq_close(queue->handle);
        *queue = (struct wire_queue){0};
        return -1;
    }
    return 0;
}

int wire_queue_take(struct wire_queues *queues, const struct wire_fault *fault,
                    struct wire_detour *detour, struct error *error)
{
    pthread_mutex_lock(&queues->mutex);
    int place = 0;
    while (place < MAX_WIRE_QUEUES && queues->queues[place].taken)
        place++;
    int result = 0;
    if (place == MAX_WIRE_QUEUES)
        result = error_set(error, "%d delays and holds are in effect; no more can be had at a time",
                           MAX_WIRE_QUEUES);
    else if (queues->queues[place].handle == NULL)
        result = bind_queue(queues, place, error);
    if (result == 0) {
        struct wire_queue *queue = &queues->queues[place];
        queue->taken = true;
        queue->passing = false;
        queue->holding = fault->effect == WIRE_BUFFER;
        queue->delay_ns = fault->delay_ns;
        queue->jitter_ns = fault->jitter_ns;
        random_start(&queue->random, fault->seed, 0);
        *detour = queue->detour;
    }
    pthread_mutex_unlock(&queues->mutex);
    wake_thread(queues); // it may have a new queue to look at
    return result == 0 ? place : -1;
}

void wire_queue_release(struct wire_queues *queues, int place)
{
    struct wire_queue *queue = &queues->queues[place];
    pthread_mutex_lock(&queues->mutex);
    let_go_until(queue, TIME_NEVER);
    queue->passing = true;
    serve(queue); // what the kernel has told by now
    pthread_mutex_unlock(&queues->mutex);
}

void wire_queue_give_back(struct wire_queues *queues, int place)
{
    wire_queue_release(queues, place);
    pthread_mutex_lock(&queues->mutex);
    queues->queues[place].taken = false;
    pthread_mutex_unlock(&queues->mutex);
}
