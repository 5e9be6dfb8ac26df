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
static const struct scheme_form test_scheme_forms[] = {
    {test_no_traits, NULL, NULL},
    {test_local, NULL, NULL},
    {test_redis, "redis", "single"},
    {test_redis, "redis", "single"},
    {test_lease, "redis", "single"},
    {test_lease, "redis", "single"},
    {test_lease_checked, "redis", "single"},
    {test_lease_fenced, "redis", "sentinel"},
};
static const char *const test_workloads[] = {"increment", "oversell", "draw", "nested",
                                             "readers",   "permits",  NULL};
static const struct key_rule test_own_oversell[] = {
    {"stock", "only oversell sells"}, {"buyers", "only oversell sells"}, {NULL, NULL}};
static const struct key_rule test_needs_oversell[] = {
    {"stock", "a sale has units to sell"}, {"buyers", "each of them comes once"}, {NULL, NULL}};
static const struct key_rule test_refuses_oversell[] = {
    {"operations", "a sale ends when its buyers have come"},
    {"for", "a sale ends when its buyers have come"},
    {"keys", "all buyers, or all jobs, are for one lock"},
    {NULL, NULL}};
static const struct key_rule test_own_draw[] = {{"jobs", "only draw has jobs"}, {NULL, NULL}};
static const struct key_rule test_refuses_draw[] = {
    {"operations", "every worker goes for every job once"},
    {"for", "a draw ends when every worker has gone for every job"},
    {"keys", "all buyers, or all jobs, are for one lock"},
    {NULL, NULL}};
static const struct key_rule test_own_nested[] = {{"depth", "only nested locks again"},
                                                  {NULL, NULL}};
static const struct key_rule test_own_readers[] = {
    {"readers", "only readers has operations that only read"}, {NULL, NULL}};
static const struct key_rule test_own_permits[] = {{"permits", "only permits has more than one"},
                                                   {NULL, NULL}};
static const struct workload_form test_workload_forms[] = {
    {.own = NULL},
    {.own = test_own_oversell,
     .needs = test_needs_oversell,
     .refuses = test_refuses_oversell,
     .ends_with_its_work = true},
    {.own = test_own_draw, .refuses = test_refuses_draw, .ends_with_its_work = true},
    {.own = test_own_nested},
    {.own = test_own_readers},
    {.own = test_own_permits},
};
static const char *const test_stores[] = {"shm", "redis", "mysql", "same", NULL};
static const char *const test_store_servers[] = {NULL, "redis", "mysql", NULL};
static const char *const test_transactional[] = {"mysql", NULL};
static const char *const test_servers[] = {"none",  "redis",    "zookeeper", "etcd", "memcached",
                                           "mysql", "postgres", "custom",    NULL};
static const struct server_form test_server_forms[] = {
    {.durability = {"in memory", "each second", "at each write"},
     .shows_keys = true,
     .login = LOGIN_BY_PASSWORD,
     .has_databases = true,
     .tls_scheme = "rediss"},
    {.title = "ZooKeeper", .login = LOGIN_BY_BOTH, .why_no_tls = "no library"},
    {.title = "etcd", .login = LOGIN_BY_BOTH, .tls_scheme = "https"},
    {.shows_keys = true, .why_no_tls = "no library"},
    {.keeps_commits = true,
     .login = LOGIN_ANY,
     .has_databases = true,
     .why_no_server_name = "no way"},
    {.title = "PostgreSQL", .login = LOGIN_ANY, .has_databases = true},
    {.title = "custom", .durability = {"nothing"}, .is_custom = true},
};
static const char *const test_faults[] = {"pause",   "kill",   "restart", "partition", "delay",
                                          "loss",    "buffer", "clock",   "evict",     "disk",
                                          "upgrade", "exec",   NULL};
static const char *const test_losses[] = {"nothing", "unsynced", "all", NULL};
static const char *const test_partitions[] = {"drop", "reset", NULL};
static const char *const test_policies[] = {"allkeys-lru", "noeviction", NULL};
static const char *const test_delay_options[] = {"by", "jitter", NULL};
static const char *const test_loss_options[] = {"share", NULL};
static const char *const test_clock_options[] = {"by", "rate", NULL};
static const char *const test_disk_ways[] = {"full", "slow", "corrupt", NULL};
static const char *const test_slow_options[] = {"by", NULL};
static const char *const test_upgrade_options[] = {"to", NULL};

static inline bool test_disk_can_strike(const struct fault_form *form, const char *server,
                                        enum persistence persistence, struct error *why)
{
    if (persistence != PERSISTENCE_NONE)
        return true;
    error_set(why, "%s has nothing for %s", server, form->name);
    return false;
}

#define TEST_DISK .name = "disk", .strikes = STRIKES_SERVER, .hows = test_disk_ways
static const struct fault_form test_full_disk = {TEST_DISK, .lasting = LASTS_BOUNDED,
                                                 .can_strike = test_disk_can_strike};
static const struct fault_form test_slow_disk = {TEST_DISK, .lasting = LASTS_BOUNDED,
                                                 .options = test_slow_options};
static const struct fault_form test_corrupt_disk = {
    TEST_DISK, .lasting = LASTS_NEVER, .traits = FAULT_SHOWS_AT_START | FAULT_MAY_FORGET};
static const struct fault_form *const test_disks[] = {&test_full_disk, &test_slow_disk,
                                                      &test_corrupt_disk};
#define TEST_RESTART                                                                               \
    .name = "restart", .strikes = STRIKES_SERVER, .lasting = LASTS_BRIEFLY, .hows = test_losses
static const struct fault_form test_restart = {TEST_RESTART,
                                               .traits = FAULT_KILLS | FAULT_MAY_FORGET};
static const struct fault_form test_losing_restart = {
    TEST_RESTART, .traits = FAULT_KILLS | FAULT_MAY_FORGET | FAULT_LOSES_DATA};
static const struct fault_form *const test_restarts[] = {&test_restart, &test_losing_restart,
                                                         &test_losing_restart};
#define TEST_EVICT .name = "evict", .strikes = STRIKES_SERVER, .hows = test_policies
static const struct fault_form test_evict = {TEST_EVICT, .traits = FAULT_EMPTIES,
                                             .lasting = LASTS_BRIEFLY};
static const struct fault_form test_noeviction = {TEST_EVICT, .lasting = LASTS_BOUNDED};
static const struct fault_form *const test_evictions[] = {&test_evict, &test_noeviction};
static const struct fault_form test_fault_forms[] = {
    {.name = "pause",
     .strikes = STRIKES_CLIENT | STRIKES_WORKER | STRIKES_SERVER,
     .traits = FAULT_STOPS,
     .lasting = LASTS_BOUNDED},
    {.name = "kill",
     .strikes = STRIKES_CLIENT | STRIKES_SERVER,
     .traits = FAULT_KILLS,
     .lasting = LASTS_IF_TOLD},
    {TEST_RESTART, .traits = FAULT_KILLS | FAULT_MAY_FORGET, .ways = test_restarts},
    {.name = "partition",
     .strikes = STRIKES_WIRE,
     .traits = FAULT_SEVERS,
     .lasting = LASTS_BOUNDED,
     .hows = test_partitions},
    {.name = "delay",
     .strikes = STRIKES_WIRE,
     .traits = FAULT_SLOWS,
     .lasting = LASTS_BOUNDED,
     .options = test_delay_options},
    {.name = "loss",
     .strikes = STRIKES_WIRE,
     .traits = FAULT_SLOWS,
     .lasting = LASTS_BOUNDED,
     .options = test_loss_options},
    {.name = "buffer",
     .strikes = STRIKES_WIRE,
     .traits = FAULT_SEVERS | FAULT_SLOWS,
     .lasting = LASTS_BOUNDED},
    {.name = "clock",
     .strikes = STRIKES_CLIENT | STRIKES_SERVER,
     .traits = FAULT_MOVES_CLOCK,
     .lasting = LASTS_ON,
     .options = test_clock_options},
    {TEST_EVICT, .traits = FAULT_EMPTIES, .lasting = LASTS_BRIEFLY, .ways = test_evictions},
    {TEST_DISK, .lasting = LASTS_BOUNDED, .ways = test_disks},
    {.name = "upgrade",
     .strikes = STRIKES_SERVER,
     .traits = FAULT_KILLS | FAULT_MAY_FORGET,
     .lasting = LASTS_BRIEFLY,
     .options = test_upgrade_options},
    {.name = "exec",
     .strikes = STRIKES_BY_COMMAND,
     .traits = FAULT_BY_COMMAND | FAULT_MAY_FORGET,
     .lasting = LASTS_ON},
};
static const char *const test_commands[] = {"GET", "SET", "SETNX", "PEXPIRE", "DEL", "EVAL", NULL};
static const char *const test_protocols[] = {"opaque", "redis", "http", NULL};
static const char *const test_properties[] = {
    "double-grant", "stale-holder",  "stale-write", "lost-update",
    "oversell",     "fencing-order", "stuck",       NULL,
};
static const char *const test_sellers[] = {"oversell", NULL};
static const char *const test_updaters[] = {"increment", "nested", "readers", NULL};
static const struct property_form test_property_forms[] = {
    {.needs = NULL},
    {.needs = NULL},
    {.needs = NULL},
    {.workloads = test_updaters, .why_not = "the workload has no updates to lose"},
    {.workloads = test_sellers, .why_not = "only the workload oversell sells"},
    {.needs = "workload.fenced", .why_not = "without workload.fenced there are no tokens"},
    {.needs = NULL},
};

#define TEST_TOPOLOGY(of, called, from, to, mostly, ...)                                           \
    {                                                                                              \
        .server = of, .name = called, .least = from, .most = to, .usual = mostly, __VA_ARGS__      \
    }

static const struct topology_form test_topologies[] = {
    TEST_TOPOLOGY("redis", "single", 1, 1, 1, ),
    TEST_TOPOLOGY("redis", "independent", 1, 8, 5, .by_majority = true),
    TEST_TOPOLOGY("redis", "sentinel", 2, 5, 2, ),
    TEST_TOPOLOGY("etcd", "single", 1, 1, 1, ),
    TEST_TOPOLOGY("etcd", "ensemble", 1, 5, 3, .by_majority = true),
    TEST_TOPOLOGY("custom", "single", 1, 1, 1, ),
    {.name = NULL},
};

static const struct vocabulary test_vocabulary = {
    .schemes = test_schemes,
    .scheme_forms = test_scheme_forms,
    .traits = test_traits,
    .workloads = test_workloads,
    .workload_forms = test_workload_forms,
    .stores = test_stores,
    .store_servers = test_store_servers,
    .transactional = test_transactional,
    .none_and_servers = test_servers,
    .server_forms = test_server_forms,
    .faults = test_faults,
    .fault_forms = test_fault_forms,
    .draws = test_faults,
    .commands = test_commands,
    .protocols = test_protocols,
    .properties = test_properties,
    .property_forms = test_property_forms,
    .topologies = test_topologies,
};

#endif
