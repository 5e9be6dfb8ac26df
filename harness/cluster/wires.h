// What can be done to the wires between nodes: packets dropped, refused, lost at random, delayed,
// or held back. Rules in the router's namespace, so that neither end knows anything of them. Drops,
// resets and losses are nftables rules. Delays and holds are queues in user space
// (libnetfilter_queue) that a thread of the calling process serves: netem, which many kernels are
// without, could do the one but not the other.
//
// On one link a cut is stronger than a hold, and a hold stronger than a delay: while it is in
// effect nothing of that link arrives, not even what was on its way before. Two delays add up; what
// two holds keep waits for both. The end of one fault leaves the others as they are.
//
// Several processes may use it in one router namespace at a time: each has rules and queues of its
// own, gone with wires_close, and at the latest with the namespace. One `struct wires` is for one
// thread.
#ifndef LOCKPICK_CLUSTER_WIRES_H
#define LOCKPICK_CLUSTER_WIRES_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum wire_effect {
    WIRE_PARTITION, // packets vanish: nobody is told
    WIRE_RESET,  // packets vanish, and the sender's connection is reset; who sends nothing is not
                 // told
    WIRE_LOSE,   // some packets vanish, at random
    WIRE_DELAY,  // packets come later, in order
    WIRE_BUFFER, // packets wait until the end of the fault, and then come, in order
};

struct wire_fault {
    enum wire_effect effect;
    // Packets from any of the first addresses to any of the second ("10.77.3.1"); with `both_ways`
    // the other way, too.
    const char *const *from;
    int from_count;
    const char *const *to;
    int to_count;
    bool both_ways;
    int percent;       // WIRE_LOSE: 1 to 100
    int64_t delay_ns;  // WIRE_DELAY: each packet
    int64_t jitter_ns; // WIRE_DELAY: up to so much more or less, drawn from `seed`
    uint64_t seed;
};

// Delays and holds that can be in effect at a time.
#define MAX_WIRE_QUEUES 32

// Gives the kernel's packet filter commands, all or none of them; what was asked for is added to
// `output`. 0, or -1 with `error` set.
struct text;
int nft_run(const char *commands, struct text *output, struct error *error);

struct wires;

// Prepares what is needed, in the router's namespace, where the caller must be. NULL with `error`
// set if nftables do not work there. Free with wires_close (NULL is fine), which ends every fault.
struct wires *wires_open(struct error *error);
void wires_close(struct wires *wires);

// How this effect is brought about here ("nftables", "a queue in user space"), or NULL with `why`
// set to what is missing and what to install. Found out by trying, on addresses that nobody has.
const char *wires_means(struct wires *wires, enum wire_effect effect, struct error *why);

// Sets a fault. Returns its number (from 1) once the kernel shows the rules, which is the proof
// that it is in effect; or -1 with `error` set and nothing left behind.
int wires_strike(struct wires *wires, const struct wire_fault *fault, struct error *error);

// How many packets have met it so far, as the kernel counts (those of a loss: only the lost), or -1
// with `error` set. What a sender handed over as one piece, to be split later, is one packet.
int64_t wires_packets(struct wires *wires, int number, struct error *error);

// Ends it; packets that were held or delayed go out first, in order. 0 once the kernel shows that
// the rules are gone, or -1 with `error` set.
int wires_heal(struct wires *wires, int number, struct error *error);

#endif
