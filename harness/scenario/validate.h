// What validate.c and validate_faults.c share.
#ifndef LOCKPICK_SCENARIO_VALIDATE_H
#define LOCKPICK_SCENARIO_VALIDATE_H

#include "harness/scenario/keys.h"

// A scenario as bound, and where each of its values was written.
struct rules {
    const struct scenario *scenario;
    const struct vocabulary *vocabulary;
    struct node *root;
};

void validate_faults(const struct rules *rules);

// The node of a path such as "limit" or "workload.for", or NULL if the file does not say it.
struct node *said(const struct rules *rules, const char *path);

// True if nothing was refused there, so that the bound value can be relied on.
bool knows(const struct rules *rules, const char *path);

// Complains if the clients do not have that worker (0: any).
void check_who(const struct rules *rules, struct node *node, int client, int worker);

#endif
