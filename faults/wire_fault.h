// What faults on wires have in common.
#ifndef LOCKPICK_FAULTS_WIRE_FAULT_H
#define LOCKPICK_FAULTS_WIRE_FAULT_H

#include "faults/fault.h"

// Whether the nodes are there, and the network can be touched in this way here.
enum availability wire_available(const struct fault_step *step, const struct fault_world *world,
                                 enum wire_effect effect, struct error *why);

// Sets `effect` between the sides of the step, with what the step says of delay and share.
enum strike_state wire_inject(struct fault_strike *strike, enum wire_effect effect,
                              struct error *error);

// Ends it, and notes how many packets met it.
enum strike_state wire_heal(struct fault_strike *strike, struct error *error);

#endif
