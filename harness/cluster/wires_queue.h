// Queues in user space: packets that the kernel hands to this process (NFQUEUE), which lets them go
// later. One thread serves all queues of a process; the packets themselves stay in the kernel, and
// are dropped there if the process dies.
#ifndef LOCKPICK_CLUSTER_WIRES_QUEUE_H
#define LOCKPICK_CLUSTER_WIRES_QUEUE_H

#include "harness/cluster/wires.h"

// The queue that packets are sent to, by its number and the mark (one bit) of those that have been
// there already.
struct wire_detour {
    int number;
    uint32_t mark;
};

struct wire_queues;

// Starts the thread; kernel numbers of queues are tried from `first_number` on, as other processes
// have some. NULL with `error` set. End with wire_queues_close (NULL is fine), when no rule sends
// packets any more: what waits still is dropped.
struct wire_queues *wire_queues_open(uint16_t first_number, struct error *error);
void wire_queues_close(struct wire_queues *queues);

// Takes a queue for a delay or a hold, and tells in `detour` how packets are sent to it. Returns
// its place, or -1 with `error` set.
int wire_queue_take(struct wire_queues *queues, const struct wire_fault *fault,
                    struct wire_detour *detour, struct error *error);

// Lets go what waits, in order; what comes from now on passes at once.
void wire_queue_release(struct wire_queues *queues, int place);

// After its rules are gone: another fault may take it.
void wire_queue_give_back(struct wire_queues *queues, int place);

#endif
