// A packet passes the `forward` hook so:
//
//   chain `before` of our table       cuts, resets, losses
//   chain FORWARD of iptables' table  delays, then holds: to a queue, and from there here again
//   chain `after` of our table        cuts and resets once more, for what was on its way
//
// nft cannot say "to a queue" to a kernel without NFT_QUEUE; iptables can, wherever there is
// xt_NFQUEUE. Its tables are nftables' too, so the rest is the same for both.
//
// Queues are in user space: packets that the kernel hands to this process (NFQUEUE), which lets
// them go later. One thread serves all queues of a process; the packets themselves stay in the
// kernel, and are dropped there if the process dies.
//
// Chains at the hook are shared by all processes and stay: when one is removed, the kernel drops
// whatever waits in any queue (nf_queue_nf_hook_drop), and when one is added, packets that wait
// lose their place.
#include "harness/cluster/wires.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libnetfilter_queue/libnetfilter_queue.h>
#include <linux/netfilter.h>
#include <linux/netlink.h>
#include <nftables/libnftables.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// --- queues in user space ------------------------------------------------------------------------

#define TRIED_NUMBERS 1000
#define MOST_PACKETS 1000000 // that may wait in one queue; the kernel's own limit is 1024
#define MESSAGE_BYTES                                                                              \
    (16 * 1024 * 1024) // of messages about packets that the thread has yet to read

struct packet {
    uint32_t id;
    uint32_t mark;
    int64_t due_ns;
};

struct queue {
    struct nfq_handle *handle; // NULL: the kernel was not asked for it yet
    struct nfq_q_handle *kernel;
    int number;    // the kernel's
    uint32_t mark; // one bit: of packets that have been here already
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
struct queues {
    pthread_t thread;
    int alarm;             // an eventfd: wakes the thread
    pthread_mutex_t mutex; // guards what follows
    bool stopping;
    int next_number;
    struct queue queues[MAX_WIRE_QUEUES];
};

static void let_go(struct queue *queue, uint32_t id, uint32_t mark)
{
    // Fails if the packet is gone because its node is; then there is nothing to do.
    nfq_set_verdict2(queue->kernel, id, NF_REPEAT, mark | queue->mark, 0, NULL);
}

// Called by nfq_handle_packet for each packet that the kernel tells of.
static int receive(struct nfq_q_handle *kernel, struct nfgenmsg *message, struct nfq_data *data,
                   void *context)
{
    (void)kernel;
    (void)message;
    struct queue *queue = context;
    const struct nfqnl_msg_packet_hdr *header = nfq_get_msg_packet_hdr(data);
    if (header == NULL)
        return 0;
    struct packet packet = {
        .id = ntohl(header->packet_id), .mark = nfq_get_nfmark(data), .due_ns = TIME_NEVER};
    if (queue->passing) {
        let_go(queue, packet.id, packet.mark);
        return 0;
    }
    if (!queue->holding)
        packet.due_ns = clock_monotonic_ns() + queue->delay_ns;
    if (!queue->holding && queue->jitter_ns > 0)
        packet.due_ns += (int64_t)random_below(&queue->random, 2 * (uint64_t)queue->jitter_ns + 1) -
                         queue->jitter_ns;
    if (queue->first > queue->count) { // those that went have more room than those that wait
        memmove(queue->packets, queue->packets + queue->first,
                queue->count * sizeof *queue->packets);
        queue->first = 0;
    }
    size_t end = queue->first + queue->count;
    if (queue->count++ > 0) // never before an earlier one
        packet.due_ns = time_later(queue->packets[end - 1].due_ns, packet.due_ns);
    queue->packets = grown(queue->packets, end, &queue->room, sizeof *queue->packets);
    queue->packets[end] = packet;
    return 0;
}

static void let_go_until(struct queue *queue, int64_t now_ns)
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
static int64_t serve(struct queue *queue)
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

static void *serve_all(void *context)
{
    struct queues *queues = context;
    prctl(PR_SET_TIMERSLACK, 1UL); // the usual 50 us would be added to each delay
    pthread_mutex_lock(&queues->mutex);
    while (!queues->stopping) {
        struct pollfd descriptors[MAX_WIRE_QUEUES + 1] = {{.fd = queues->alarm, .events = POLLIN}};
        nfds_t count = 1;
        int64_t next_ns = TIME_NEVER;
        uint64_t rings;
        for (int i = 0; i < MAX_WIRE_QUEUES && queues->queues[i].handle != NULL; i++) {
            next_ns = time_earlier(serve(&queues->queues[i]), next_ns);
            descriptors[count++] =
                (struct pollfd){.fd = nfq_fd(queues->queues[i].handle), .events = POLLIN};
        }
        pthread_mutex_unlock(&queues->mutex);
        int64_t left_ns = time_later(next_ns - clock_monotonic_ns(), 0);
        const struct timespec left = {left_ns / NS_PER_S, left_ns % NS_PER_S};
        ppoll(descriptors, count, next_ns == TIME_NEVER ? NULL : &left, NULL);
        (void)!read(queues->alarm, &rings, sizeof rings); // if somebody rang
        pthread_mutex_lock(&queues->mutex);
    }
    pthread_mutex_unlock(&queues->mutex);
    return NULL;
}

// Starts the thread; kernel numbers of queues are tried from `first_number` on, as other processes
// have some. NULL with `error` set.
static struct queues *queues_open(uint16_t first_number, struct error *error)
{
    struct queues *queues = memory_zeroed(1, sizeof *queues);
    sigset_t all, before;
    queues->next_number = first_number;
    queues->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int reason = queues->alarm < 0 ? errno : 0;
    pthread_mutex_init(&queues->mutex, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the threads there were
    if (reason == 0)
        reason = pthread_create(&queues->thread, NULL, serve_all, queues);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason == 0)
        return queues;
    error_set(error, "cannot start the thread that serves queues: %s", strerror(reason));
    if (queues->alarm >= 0)
        close(queues->alarm);
    pthread_mutex_destroy(&queues->mutex);
    free(queues);
    return NULL;
}

// When no rule sends packets any more: what waits still is dropped.
static void queues_close(struct queues *queues)
{
    if (queues == NULL)
        return;
    pthread_mutex_lock(&queues->mutex);
    queues->stopping = true;
    pthread_mutex_unlock(&queues->mutex);
    (void)!eventfd_write(queues->alarm, 1);
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

// Asks the kernel for a queue. 0, or -1 with `error` set.
static int bind_queue(struct queues *queues, struct queue *queue, struct error *error)
{
    int bytes = MESSAGE_BYTES;
    queue->mark = UINT32_C(1) << (queue - queues->queues);
    queue->handle = nfq_open();
    if (queue->handle == NULL)
        return error_set(error, "cannot open a socket to the kernel's packet queues: %s",
                         strerror(errno));
    int descriptor = nfq_fd(queue->handle);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    // Only root proper gets all of it.
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    for (int i = 0; queue->kernel == NULL && i < TRIED_NUMBERS; i++) {
        queue->number = queues->next_number++ & 0xffff;
        queue->kernel = nfq_create_queue(queue->handle, (uint16_t)queue->number, receive, queue);
    }
    // What is too large for one packet stays in one piece; without room, packets are dropped.
    if (queue->kernel != NULL && nfq_set_mode(queue->kernel, NFQNL_COPY_META, 0) >= 0 &&
        nfq_set_queue_maxlen(queue->kernel, MOST_PACKETS) >= 0 &&
        nfq_set_queue_flags(queue->kernel, NFQA_CFG_F_GSO | NFQA_CFG_F_FAIL_OPEN, NFQA_CFG_F_GSO) >=
            0)
        return 0;
    error_set(error, "the kernel gives no packet queue (nfnetlink_queue): %s", strerror(errno));
    if (queue->kernel != NULL)
        nfq_destroy_queue(queue->kernel);
    nfq_close(queue->handle);
    *queue = (struct queue){0};
    return -1;
}

// A queue for a delay or a hold, or NULL with `error` set.
static struct queue *queue_take(struct queues *queues, const struct wire_fault *fault,
                                struct error *error)
{
    pthread_mutex_lock(&queues->mutex);
    struct queue *queue = queues->queues;
    while (queue < queues->queues + MAX_WIRE_QUEUES && queue->taken)
        queue++;
    if (queue == queues->queues + MAX_WIRE_QUEUES) {
        error_set(error, "%d delays and holds are in effect; no more can be had at a time",
                  MAX_WIRE_QUEUES);
        queue = NULL;
    } else if (queue->handle == NULL && bind_queue(queues, queue, error) != 0) {
        queue = NULL;
    }
    if (queue != NULL) {
        queue->taken = true;
        queue->passing = false;
        queue->holding = fault->effect == WIRE_BUFFER;
        queue->delay_ns = fault->delay_ns;
        queue->jitter_ns = fault->jitter_ns;
        random_start(&queue->random, fault->seed, 0);
    }
    pthread_mutex_unlock(&queues->mutex);
    (void)!eventfd_write(queues->alarm, 1); // it may have a new queue to look at
    return queue;
}

// Lets go what waits, in order; what comes from now on passes at once, until another fault takes
// the queue (NULL: nothing happens). That one may once the rules are gone (`for_others`).
static void queue_release(struct queues *queues, struct queue *queue, bool for_others)
{
    if (queue == NULL)
        return;
    HOLD_MUTEX(&queues->mutex);
    let_go_until(queue, TIME_NEVER);
    queue->passing = true;
    serve(queue); // what the kernel has told by now
    queue->taken = !for_others;
}

// --- rules ---------------------------------------------------------------------------------------

#define CHAIN_BYTES 29 // as many as iptables allows, and a final NUL
#define OUR_TABLE "lockpick"
#define QUEUE_TABLE "filter"

// A listing of a table that another process is changing may show rules twice, or miss some: one
// that does not show what it should is read again, so many times at most.
#define LOOKS 20
#define LOOKS_TO_TIDY 4 // of a fault that is over

// A tool takes a moment, on a machine that drowns a second; one that takes longer hangs, and the
// fault with it.
#define TOOL_LIMIT ((struct process_limit){.seconds = 20})

// A fault in effect.
struct struck {
    int number;
    struct queue *queue; // or NULL
    const char *table;   // where its chain is
    char chain[CHAIN_BYTES];
};

// What the kernel shows of a fault.
struct view {
    int chains, rules, jumps;
    int64_t packets;
};

// A context for each: it is cheap, and knows nothing that is no longer so.
int nft_run(const char *commands, struct text *output, struct error *error)
{
    struct nft_ctx *context = nft_ctx_new(NFT_CTX_DEFAULT);
    if (context == NULL)
        return error_set(error, "libnftables cannot be used: %s", strerror(errno));
    nft_ctx_buffer_output(context);
    nft_ctx_buffer_error(context);
    nft_ctx_output_set_flags(context, NFT_CTX_OUTPUT_HANDLE);
    int result = nft_run_cmd_from_buffer(context, commands);
    if (result == 0)
        text_add(output, nft_ctx_get_output_buffer(context));
    else
        error_set(error, "nftables refused '%.200s': %.600s", commands,
                  nft_ctx_get_error_buffer(context));
    nft_ctx_free(context);
    return result == 0 ? 0 : -1;
}

static int tell_nft(const char *commands, struct error *error)
{
    AUTO_TEXT struct text ignored = {0};
    return nft_run(commands, &ignored, error);
}

static int tell_iptables(const char *commands, struct error *error)
{
    const char *const arguments[] = {"iptables-nft-restore", "--noflush", NULL};
    AUTO_TEXT struct text output = {0};
    int status = process_run(arguments, commands, -1, TOOL_LIMIT, &output, error);
    if (status > 0)
        return error_set(error, "%s failed with status %d: %.600s", arguments[0], status,
                         text_string(&output));
    return status == 0
               ? 0
               : error_wrap(error, "%s cannot be used (if it is missing: apt-get install iptables)",
                            arguments[0]);
}

// --- asking the kernel ---------------------------------------------------------------------------

// Fills in `view` from what nft lists, a line each chain and each rule: the fault's table, or only
// its chain. The nft commands that remove the jumps to it are added to `removal`. 0, or -1 with
// `error` set.
static int read_listing(const struct struck *struck, bool whole_table, struct view *view,
                        struct text *removal, struct error *error)
{
    char place[64] = "", target[64];
    AUTO_TEXT struct text command = {0}, output = {0};
    *view = (struct view){0};
    text_format(&command, "list %s ip %s %s", whole_table ? "table" : "chain", struck->table,
                whole_table ? "" : struck->chain);
    if (nft_run(command.bytes, &output, error) != 0)
        return -1;
    char *rest = output.bytes;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        bool is_chain = sscanf(line, " chain %63s", place) == 1;
        bool is_ours = strcmp(place, struck->chain) == 0;
        const char *handle = is_chain ? NULL : strstr(line, "# handle ");
        const char *counter = strstr(line, "counter packets ");
        const char *jump = strstr(line, "jump ");
        view->chains += is_chain && is_ours;
        view->rules += handle != NULL && is_ours;
        if (is_ours && counter != NULL)
            view->packets += strtoll(counter + strlen("counter packets "), NULL, 10);
        if (handle != NULL && jump != NULL && sscanf(jump, "jump %63s", target) == 1 &&
            strcmp(target, struck->chain) == 0) {
            view->jumps++;
            text_format(removal, "delete rule ip %s %s %s\n", struck->table, place, handle + 2);
        }
    }
    return 0;
}

// --- what a fault is made of ---------------------------------------------------------------------

static void add_list(struct text *text, const char *const *addresses, int count)
{
    for (int i = 0; i < count; i++)
        text_format(text, "%s%s", i > 0 ? "," : "", addresses[i]);
}

// Each verdict is a rule of its own, each way.
static int set_nft_rules(const struct wire_fault *fault, const struct struck *struck,
                         struct view *wanted, struct error *error)
{
    static const char *const cut[] = {"counter drop", NULL};
    static const char *const reset[] = {"meta l4proto tcp counter reject with tcp reset",
                                        "counter reject with icmp type port-unreachable", NULL};
    const char *chain = struck->chain;
    char loss[60];
    AUTO_TEXT struct text commands = {0};
    snprintf(loss, sizeof loss, "numgen random mod 100 < %d counter drop", fault->percent);
    const char *const lose[] = {loss, NULL};
    // nft refuses a share of 100 of 100.
    const char *const *verdict = fault->effect == WIRE_RESET                          ? reset
                                 : fault->effect == WIRE_LOSE && fault->percent < 100 ? lose
                                                                                      : cut;
    text_format(&commands, "create chain ip " OUR_TABLE " %s\n", chain);
    for (; *verdict != NULL; verdict++) {
        for (int way = 0; way < (fault->both_ways ? 2 : 1); way++, wanted->rules++) {
            text_format(&commands, "add rule ip " OUR_TABLE " %s ip %caddr { ", chain, "sd"[way]);
            add_list(&commands, fault->from, fault->from_count);
            text_format(&commands, " } ip %caddr { ", "ds"[way]);
            add_list(&commands, fault->to, fault->to_count);
            text_format(&commands, " } %s\n", *verdict);
        }
    }
    wanted->jumps = fault->effect == WIRE_LOSE ? 1 : 2;
    text_format(&commands, "add rule ip " OUR_TABLE " before jump %s\n", chain);
    if (fault->effect != WIRE_LOSE)
        text_format(&commands, "add rule ip " OUR_TABLE " after jump %s\n", chain);
    return tell_nft(commands.bytes, error);
}

// A packet that was in the queue comes by again, marked, so that it meets the other faults.
static int set_queue_rules(const struct wire_fault *fault, const struct struck *struck,
                           struct view *wanted, struct error *error)
{
    uint32_t mark = struck->queue->mark;
    AUTO_TEXT struct text commands = {0};
    text_format(&commands, "*" QUEUE_TABLE "\n:%s - [0:0]\n", struck->chain);
    for (int way = 0; way < (fault->both_ways ? 2 : 1); way++) {
        text_format(&commands, "-A %s -%c ", struck->chain, "sd"[way]);
        add_list(&commands, fault->from, fault->from_count);
        text_format(&commands, " -%c ", "ds"[way]);
        add_list(&commands, fault->to, fault->to_count);
        text_format(&commands, " -j NFQUEUE --queue-num %d\n", struck->queue->number);
        wanted->rules += fault->from_count * fault->to_count;
    }
    wanted->jumps = 1;
    // Delays are first, holds last: what was delayed is still held.
    text_format(&commands, "-%c FORWARD -m mark ! --mark 0x%x/0x%x -j %s\nCOMMIT\n",
                fault->effect == WIRE_DELAY ? 'I' : 'A', mark, mark, struck->chain);
    return tell_iptables(commands.bytes, error);
}

// Waits until the kernel shows what was set. 0, or -1 with `error` set.
static int prove(const struct struck *struck, const struct view *wanted, struct error *error)
{
    struct view view = {0};
    for (int i = 0; i < LOOKS; i++) {
        AUTO_TEXT struct text ignored = {0};
        if (read_listing(struck, true, &view, &ignored, error) != 0)
            return -1;
        if (view.rules == wanted->rules && view.jumps == wanted->jumps)
            return 0;
    }
    return error_set(error,
                     "the kernel took the rules of chain %s but shows %d of %d, and %d of %d jumps "
                     "to them; see nft list ruleset",
                     struck->chain, view.rules, wanted->rules, view.jumps, wanted->jumps);
}

static int remove_rules(const struct struck *struck, struct error *error)
{
    // An empty chain stops nothing: with that the fault is over, however long it takes to tidy up a
    // table that other processes change, too.
    char empty[80];
    snprintf(empty, sizeof empty, "flush chain ip %s %s\n", struck->table, struck->chain);
    bool is_over = tell_nft(empty, NULL) == 0;
    // Gone is what the kernel says it has removed and does not show, or does not show twice.
    int absences = 0;
    struct error last = {.text = "it is removed, but still there"};
    for (int i = 0; i < (is_over ? LOOKS_TO_TIDY : LOOKS) && absences < 2; i++) {
        struct view view;
        AUTO_TEXT struct text removal = {0};
        if (read_listing(struck, true, &view, &removal, error) != 0)
            return is_over ? 0 : -1;
        text_format(&removal, "%sdelete chain ip %s %s\n", empty, struck->table, struck->chain);
        if (view.chains == 0 && view.jumps == 0)
            absences++;
        else
            absences = tell_nft(removal.bytes, &last) == 0 ? 1 : 0;
    }
    return absences == 2 || is_over
               ? 0
               : error_set(error, "cannot remove chain %s: %s", struck->chain, last.text);
}

// --- wires ---------------------------------------------------------------------------------------

#define EFFECTS (WIRE_BUFFER + 1)

struct wires {
    int socket;      // only for its port, which no other process of this namespace has
    uint32_t port;   // ... and which our chains are named after
    int last_number; // of a fault
    struct struck *struck;
    size_t count;
    struct queues *queues; // NULL until they are needed
    bool tried[EFFECTS];   // and found to work
};

struct wires *wires_open(struct error *error)
{
    struct wires *wires = memory_zeroed(1, sizeof *wires);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    socklen_t length = sizeof address;
    int result = 0;
    wires->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (wires->socket < 0 ||
        bind(wires->socket, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(wires->socket, (struct sockaddr *)&address, &length) != 0)
        result = error_set(error, "cannot talk to the kernel's packet filter: %s", strerror(errno));
    wires->port = address.nl_pid;
    if (result == 0)
        result = tell_nft("add table ip " OUR_TABLE "\n"
                          "add chain ip " OUR_TABLE
                          " before { type filter hook forward priority -10; policy accept; }\n"
                          "add chain ip " OUR_TABLE
                          " after { type filter hook forward priority 10; policy accept; }\n",
                          error);
    if (result == 0)
        return wires;
    wires_close(wires);
    return NULL;
}

void wires_close(struct wires *wires)
{
    if (wires == NULL)
        return;
    while (wires->count > 0) {
        size_t left = wires->count;
        wires_heal(wires, wires->struck[left - 1].number, NULL);
        wires->count = left - 1; // nobody is there to be told of an error
    }
    queues_close(wires->queues);
    free(wires->struck);
    if (wires->socket >= 0)
        close(wires->socket);
    free(wires);
}

// --- faults --------------------------------------------------------------------------------------

// The place of the fault among those in effect; NULL with `error` set.
static struct struck *find(struct wires *wires, int number, struct error *error)
{
    for (size_t i = 0; i < wires->count; i++) {
        if (wires->struck[i].number == number)
            return &wires->struck[i];
    }
    error_set(error, "no fault on wires has the number %d (struck so far: %d; in effect: %zu)",
              number, wires->last_number, wires->count);
    return NULL;
}

// True for the effects that need a queue.
static bool is_queued(enum wire_effect effect)
{
    return effect == WIRE_DELAY || effect == WIRE_BUFFER;
}

int wires_strike(struct wires *wires, const struct wire_fault *fault, struct error *error)
{
    struct view wanted = {0};
    struct struck struck = {.number = wires->last_number + 1,
                            .table = is_queued(fault->effect) ? QUEUE_TABLE : OUR_TABLE};
    snprintf(struck.chain, sizeof struck.chain, "lockpick-%u-%d", wires->port, struck.number);
    if (is_queued(fault->effect)) {
        if (wires->queues == NULL)
            wires->queues = queues_open((uint16_t)wires->port, error);
        if (wires->queues != NULL)
            struck.queue = queue_take(wires->queues, fault, error);
        if (struck.queue == NULL)
            return -1;
    }
    int result = is_queued(fault->effect) ? set_queue_rules(fault, &struck, &wanted, error)
                                          : set_nft_rules(fault, &struck, &wanted, error);
    if (result == 0 && prove(&struck, &wanted, error) != 0) {
        remove_rules(&struck, NULL);
        result = -1;
    }
    if (result != 0) {
        queue_release(wires->queues, struck.queue, true);
        return -1;
    }
    wires->last_number = struck.number;
    wires->struck = memory_resized(wires->struck, (wires->count + 1) * sizeof *wires->struck);
    wires->struck[wires->count++] = struck;
    return struck.number;
}

int64_t wires_packets(struct wires *wires, int number, struct error *error)
{
    struct view view;
    AUTO_TEXT struct text ignored = {0};
    const struct struck *struck = find(wires, number, error);
    // One chain alone, which nobody else changes, is always shown as it is.
    if (struck == NULL || read_listing(struck, false, &view, &ignored, error) != 0)
        return -1;
    return view.rules > 0
               ? view.packets
               : error_set(error, "the rules of chain %s are gone: somebody removed them",
                           struck->chain);
}

int wires_heal(struct wires *wires, int number, struct error *error)
{
    struct struck *struck = find(wires, number, error);
    if (struck == NULL)
        return -1;
    // Before the rules are removed: else packets that meet them no more would overtake.
    queue_release(wires->queues, struck->queue, false);
    if (remove_rules(struck, error) != 0)
        return -1;
    queue_release(wires->queues, struck->queue, true);
    *struck = wires->struck[--wires->count];
    return 0;
}

const char *wires_means(struct wires *wires, enum wire_effect effect, struct error *why)
{
    // RFC 5737: for examples only
    const struct wire_fault fault = {.effect = effect,
                                     .from = (const char *const[]){"192.0.2.1"},
                                     .from_count = 1,
                                     .to = (const char *const[]){"192.0.2.2"},
                                     .to_count = 1,
                                     .percent = 50};
    if (!wires->tried[effect]) {
        int number = wires_strike(wires, &fault, why);
        wires->tried[effect] = number > 0 && wires_heal(wires, number, why) == 0;
        // No fault needs the thread: without one, a process that forks is better off.
        bool is_needed = false;
        for (size_t i = 0; i < wires->count; i++)
            is_needed |= wires->struck[i].queue != NULL;
        if (!is_needed) {
            queues_close(wires->queues);
            wires->queues = NULL;
        }
    }
    if (!wires->tried[effect])
        return NULL;
    return is_queued(effect) ? "a queue in user space" : "nftables";
}
