// What faults that use `struct server_control` have in common.
#ifndef LOCKPICK_FAULTS_SERVER_FAULT_H
#define LOCKPICK_FAULTS_SERVER_FAULT_H

#include "faults/fault.h"

#include "harness/cluster/server.h"

// What can be done to the node; never NULL, but its members may be.
const struct server_control *node_control(const struct node *node);

// The server that the step will strike, as far as can be known before: for a role, any of its
// group. NULL if there is none.
const struct node *node_meant(const struct fault_step *step, const struct fault_world *world);

// For `available`: that this kind of server cannot be made to do that. Returns FAULT_MEANINGLESS.
enum availability cannot_be_done(const struct node *node, const char *what, struct error *why);

// Whether `how` of the step is one of `ways` (NULL-terminated) of that kind of server.
enum availability way_available(const struct fault_step *step, const struct node *node,
                                const char *const *ways, struct error *why);

// Finds the server that is struck now. 0, or -1 with `error` set.
int strike_aim(struct fault_strike *strike, struct error *error);

#endif
