// What must agree between keys: combinations that cannot be run, or could never come true.
#ifndef LOCKPICK_SCENARIO_VALIDATE_H
#define LOCKPICK_SCENARIO_VALIDATE_H

#include "harness/scenario/keys.h"
#include "harness/scenario/tree.h"

// A scenario as bound, and where each of its values was written.
struct rules {
    const struct scenario *scenario;
    const struct vocabulary *vocabulary;
    struct complaints *complaints;
    struct node *root;
};

// More workers than that have no connections: a Redis server takes 10,000 clients.
#define MAX_WORKERS 10000

// Checks every rule whose values were all read without a complaint.
void validate(const struct rules *rules);

// The parts about the workload, its load, the servers, the faults and the thresholds
// (validate_*.c).
void validate_workload(const struct rules *rules);
void validate_load(const struct rules *rules);
void validate_servers(const struct rules *rules);
void validate_faults(const struct rules *rules);
void validate_random(const struct rules *rules);
void validate_thresholds(const struct rules *rules);

// The node of `key` in `section` ("" for the root), or NULL if the file does not say it.
struct node *rule_node(const struct rules *rules, const char *section, const char *key);

// True if nothing was complained about there, so that the bound value can be relied on.
bool rule_sound(const struct rules *rules, const char *section, const char *key);

// Complains if the clients do not have that worker (0: any).
void check_who(const struct rules *rules, struct node *node, int client, int worker);

// True if a pattern of the list means the scheme.
bool patterns_mean(const struct string_list *patterns, const char *scheme,
                   const char *const *traits);

#endif
