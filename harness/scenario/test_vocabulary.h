// A small vocabulary of the tests' own, so that they do not depend on the catalogues.
#ifndef LOCKPICK_SCENARIO_TEST_VOCABULARY_H
#define LOCKPICK_SCENARIO_TEST_VOCABULARY_H

#include "harness/scenario/scenario.h"

static const char *const test_schemes[] = {
    "none",
    "process-mutex",
    "redis-get-set",
    "redis-setnx",
    "redis-setnx-expire",
    "redis-set-px-del",
    "redis-set-px-get-del",
    "redis-set-px-lua",
    NULL,
};
static const char *const test_traits[] = {"local",         "redis",  "lease",
                                          "owner-checked", "fenced", NULL};
static const char *const test_no_traits[] = {NULL};
static const char *const test_local[] = {"local", NULL};
static const char *const test_redis[] = {"redis", NULL};
static const char *const test_lease[] = {"redis", "lease", NULL};
static const char *const test_lease_checked[] = {"redis", "lease", "owner-checked", NULL};
static const char *const test_lease_fenced[] = {"redis", "lease", "owner-checked", "fenced", NULL};
static const char *const *const test_scheme_traits[] = {
    test_no_traits, test_local, test_redis,         test_redis,
    test_lease,     test_lease, test_lease_checked, test_lease_fenced,
};
static const struct scheme_servers test_scheme_servers[] = {
    {NULL, NULL},        {NULL, NULL},        {"redis", "single"}, {"redis", "single"},
    {"redis", "single"}, {"redis", "single"}, {"redis", "single"}, {"redis", "sentinel"},
};
static const char *const test_workloads[] = {"increment", "oversell", "draw", "nested",
                                             "readers",   "permits",  NULL};
static const char *const test_stores[] = {"shm", "redis", "mysql", "same", NULL};
static const char *const test_faults[] = {"pause", "kill",  "restart", "cut", "delay",
                                          "loss",  "clock", "evict",   NULL};
static const char *const test_losses[] = {"nothing", "unsynced", "all", NULL};
static const char *const test_cuts[] = {"drop", "reset", NULL};
static const char *const test_policies[] = {"allkeys-lru", "noeviction", NULL};
static const char *const test_bounded_policies[] = {"noeviction", NULL};
static const char *const test_delay_options[] = {"by", "jitter", NULL};
static const char *const test_loss_options[] = {"share", NULL};
static const char *const test_clock_options[] = {"by", "rate", NULL};
static const struct fault_form test_fault_forms[] = {
    {"pause", STRIKES_CLIENT | STRIKES_WORKER | STRIKES_SERVER, FAULT_STOPS, NULL, LASTS_BOUNDED,
     NULL, NULL, NULL},
    {"kill", STRIKES_CLIENT | STRIKES_SERVER, FAULT_KILLS, NULL, LASTS_IF_TOLD, NULL, NULL, NULL},
    {"restart", STRIKES_SERVER, FAULT_MAY_FORGET, NULL, LASTS_BRIEFLY, test_losses, NULL, NULL},
    {"cut", STRIKES_WIRE, FAULT_SEVERS, NULL, LASTS_BOUNDED, test_cuts, NULL, NULL},
    {"delay", STRIKES_WIRE, FAULT_SLOWS, NULL, LASTS_BOUNDED, NULL, test_delay_options, NULL},
    {"loss", STRIKES_WIRE, FAULT_SLOWS, NULL, LASTS_BOUNDED, NULL, test_loss_options, NULL},
    {"clock", STRIKES_CLIENT | STRIKES_SERVER, FAULT_MOVES_CLOCK, NULL, LASTS_ON, NULL,
     test_clock_options, NULL},
    {"evict", STRIKES_SERVER, FAULT_EMPTIES, NULL, LASTS_BRIEFLY, test_policies, NULL,
     test_bounded_policies},
};
static const char *const test_commands[] = {"GET", "SET", "SETNX", "PEXPIRE", "DEL", "EVAL", NULL};
static const char *const test_properties[] = {
    "double-grant", "stale-holder",  "stale-write", "lost-update",
    "oversell",     "fencing-order", "stuck",       NULL,
};

static const struct topology_name test_topologies[] = {
    {"redis", "single", 1, 1, 1, false},   {"redis", "independent", 1, 8, 5, true},
    {"redis", "sentinel", 2, 5, 2, false}, {"etcd", "single", 1, 1, 1, false},
    {"etcd", "ensemble", 1, 5, 3, true},   {NULL, NULL, 0, 0, 0, false},
};

static const struct vocabulary test_vocabulary = {
    .schemes = test_schemes,
    .scheme_traits = test_scheme_traits,
    .scheme_servers = test_scheme_servers,
    .traits = test_traits,
    .workloads = test_workloads,
    .stores = test_stores,
    .faults = test_faults,
    .fault_forms = test_fault_forms,
    .draws = test_faults,
    .commands = test_commands,
    .properties = test_properties,
    .topologies = test_topologies,
};

#endif
