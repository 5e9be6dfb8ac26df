// The rules of a fault on wires, as the kernel has them: one chain a fault, named after it, that
// chains at the router's `forward` hook jump to.
#ifndef LOCKPICK_CLUSTER_WIRES_RULES_H
#define LOCKPICK_CLUSTER_WIRES_RULES_H

#include "harness/cluster/wires.h"

#define WIRE_CHAIN_BYTES 29 // as many as iptables allows, and a final NUL

// The queue in user space that packets are sent to.
struct wire_detour {
    int number;
    uint32_t mark; // one bit, which packets bear that have been there already
};

// Makes what the rules of all faults hang on, if it is not there yet. 0, or -1 with `error` set.
int wire_rules_prepare(struct error *error);

// Sets the rules of `fault`, all at once, and asks the kernel whether it has them. `detour` is for
// delays and holds. 0, or -1 with `error` set and nothing left behind.
int wire_rules_set(const struct wire_fault *fault, const char *chain,
                   const struct wire_detour *detour, struct error *error);

// How many packets met them, or -1 with `error` set.
int64_t wire_rules_packets(enum wire_effect effect, const char *chain, struct error *error);

// Removes the rules, all at once, and then what they hung on, as far as others leave time for that;
// asks the kernel whether they are gone. 0, or -1 with `error` set.
int wire_rules_remove(enum wire_effect effect, const char *chain, struct error *error);

// True for the effects that need a queue.
static inline bool wire_effect_queues(enum wire_effect effect)
{
    return effect == WIRE_DELAY || effect == WIRE_HOLD;
}

#endif
