// What the processes of a trial used in its counted time, from the readings that the conductor took
// (EVENT_USAGE): at the barrier, about every second, at each new phase and at the stop; a client
// reads its own at its end.
//
// The driver is the conductor and the observer of stalls. A client is a whole process: the harness
// that works in it, and the client library of the scheme; the two cannot be told apart. A server
// includes the processes that it forks. What lies between two readings counts if their middle lies
// in the counted time. A process that was killed counts up to its last reading, and one that began
// during the trial counts from its beginning.
#ifndef LOCKPICK_STATS_RESOURCES_H
#define LOCKPICK_STATS_RESOURCES_H

#include "harness/check/check.h"

// All the processes of one sort.
struct resource_use {
    int processes;    // of which there is more than nothing to tell; 0: no figure is known
    bool is_complete; // false: one of them was gone before its last reading was due
    int64_t processor_ns;
    int64_t kernel_ns; // of it, in the kernel
    bool knows_switches;
    int64_t voluntary_switches, other_switches;
    bool knows_network; // false on loopback ports, where all nodes share a network
    int64_t received_bytes, sent_bytes, received_packets, sent_packets;
};

struct resources {
    bool is_known;      // false of histories that are older than the readings
    int64_t covered_ns; // of the counted time lie between readings
    struct resource_use driver, clients, servers;
    int64_t machine_busy_ns; // of all its processors, whoever used them; 0: not known
    int processors;          // that the driver may use; 0: not known
    int client_processors;   // that the clients are pinned to; 0: to none
};

// How long processors worked meanwhile, and not for the trial; -1: not known.
int64_t resources_of_others_ns(const struct resources *resources);

void resources_measure(const struct trial_model *model, struct resources *resources);

#endif
