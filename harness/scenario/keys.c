#include "harness/scenario/keys.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/units.h"

#include <stdint.h>
#include <string.h>

#define FIELD(type, field) .offset = offsetof(struct type, field)
#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define MOST_RATE (INT64_C(1000000) * 3600)

static const char *const placement_words[] = {"free", "spread", "together", NULL};
static const char *const boundary_words[] = {"none", "inner", "wrapped", NULL};
static const char *const arrival_words[] = {"poisson", "fixed", NULL};
static const char *const persistence_words[] = {"none", "aof-everysec", "aof-always", NULL};
static const char *const verdict_words[] = {"safe", "unsafe", "stuck", NULL};

static const struct key workload_keys[] = {
    {"kind", KEY_WORD, FIELD(workload_settings, kind), .words = WORDS_WORKLOADS, .required = true,
     .help = "what clients do under the lock; cycle: nothing, to measure what it costs"},
    {"store", KEY_WORD, FIELD(workload_settings, store), .words = WORDS_STORES, .fallback = "shm",
     .help = "where the guarded value lives"},
    {"fenced", KEY_SWITCH, FIELD(workload_settings, fenced), .fallback = "false",
     .help = "the store refuses a write with an old fencing token"},
    {"operations", KEY_WHOLE, FIELD(workload_settings, operations), .least = 1,
     .most = MOST_OPERATIONS, .fallback_text = "(or for)",
     .help = "in all, shared by the workers; an acquire that comes back empty-handed long before "
             "its wait is over is none"},
    {"for", KEY_DURATION, FIELD(workload_settings, for_ns), .least = NS_PER_MS, .most = HOUR_NS,
     .fallback_text = "(or operations)", .help = "run for that long instead"},
    {"warm-up", KEY_DURATION, FIELD(workload_settings, warm_up_ns), .most = HOUR_NS,
     .fallback = "0ms", .help = "before that: the same, but not measured"},
    {"keys", KEY_WHOLE, FIELD(workload_settings, keys), .least = 1, .most = 64, .word = "own",
     .word_means = KEYS_OWN, .fallback = "1",
     .help = "locks, each with a value of its own; own: one for each worker"},
    {"skew", KEY_DECIMAL, FIELD(workload_settings, skew), .most = 5000, .fallback = "0",
     .help = "of keys: the nth is taken in proportion to 1 / n^skew"},
    {"hold", KEY_DURATION, FIELD(workload_settings, hold_ns), .most = 10 * MINUTE_NS,
     .fallback = "0ms",
     .help = "work between reading and writing back; "
             "oversell: only a buyer who finds a unit left holds"},
    {"think", KEY_DURATION, FIELD(workload_settings, think_ns), .most = 10 * MINUTE_NS,
     .fallback = "0ms", .help = "pause between two operations of a worker"},
    {"stock", KEY_WHOLE, FIELD(workload_settings, stock), .least = 1, .most = 1000000,
     .fallback_text = "(oversell: required)", .help = "units for sale"},
    {"buyers", KEY_WHOLE, FIELD(workload_settings, buyers), .least = 1, .most = 1000000,
     .fallback_text = "(oversell: required)", .help = "in all, each comes once"},
    {"jobs", KEY_WHOLE, FIELD(workload_settings, jobs), .least = 1, .most = 30, .fallback = "10",
     .help = "draw: each to be done once, by one of all workers"},
    {"depth", KEY_WHOLE, FIELD(workload_settings, depth), .least = 2, .most = 16, .fallback = "2",
     .help = "nested: how often one operation locks"},
    {"readers", KEY_PERCENTAGE, FIELD(workload_settings, readers), .most = 100, .fallback = "80%",
     .help = "readers: operations that only read"},
    {"permits", KEY_WHOLE, FIELD(workload_settings, permits), .least = 1, .most = 1000,
     .fallback = "3", .help = "permits: how many may hold at once"},
    {"boundary", KEY_CHOICE, FIELD(workload_settings, boundary), .choices = boundary_words,
     .fallback = "none",
     .help = "mysql store: read and write in one transaction, committed before (inner) or after "
             "(wrapped) the release"},
    {.help = NULL},
};

static const struct key clients_keys[] = {
    {"processes", KEY_WHOLE, FIELD(clients_settings, processes), .least = 1,
     .most = MOST_CLIENT_PROCESSES, .fallback = "2",
     .help = "application instances: client-1, client-2, ..."},
    {"threads", KEY_WHOLE, FIELD(clients_settings, threads), .least = 1, .most = 2048,
     .fallback = "1", .help = "workers of each client: worker-1, worker-2, ..."},
    {"placement", KEY_CHOICE, FIELD(clients_settings, placement), .choices = placement_words,
     .fallback = "free", .help = "on which processors: any, the next for each, all on one"},
    {"lead", KEY_CLIENT, FIELD(clients_settings, lead), .fallback_text = "all at once",
     .help = "starts first; the others once it holds the lock, gave up, or was struck"},
    {.help = NULL},
};

#define TARGET_KEY(name, field, what)                                                              \
    {                                                                                              \
        name, KEY_BELOW, FIELD(load_target, field), .least = 1, .most = HOUR_NS,                   \
                                                    .fallback_text = "no limit",                   \
                                                    .help = what " of an acquire, "                \
                                                                 "from when it was "               \
                                                                 "to begin"                        \
    }

static const struct key find_keys[] = {
    TARGET_KEY("p50", p50_ns, "the median"),
    TARGET_KEY("p90", p90_ns, "the 90th percentile"),
    TARGET_KEY("p99", p99_ns, "the 99th percentile"),
    TARGET_KEY("p999", p999_ns, "the 99.9th percentile"),
    TARGET_KEY("max", max_ns, "the longest"),
    {.help = NULL},
};

static const struct section find_section = {
    "load.find", "A target; one of these.", find_keys, sizeof(struct load_target), NULL, SIZE_MAX,
    NULL,
};

static const struct key load_keys[] = {
    {"for", KEY_DURATION, FIELD(load_settings, for_ns), .least = NS_PER_MS, .most = HOUR_NS,
     .fallback_text = "to the end", .help = "how long the phase lasts"},
    {"clients", KEY_WHOLE, FIELD(load_settings, clients), .least = 1, .most = 64,
     .fallback_text = "all", .help = "how many take part, from client-1; the others rest"},
    {"rate", KEY_RATE, FIELD(load_settings, rate), .least = 1, .most = MOST_RATE,
     .fallback_text = "as they can",
     .help = "operations begin at that rate, however long they take; each counts from when it was "
             "to begin"},
    {"to", KEY_RATE, FIELD(load_settings, to), .least = 1, .most = MOST_RATE,
     .fallback_text = "no ramp", .help = "the rate goes evenly from 'rate' to that"},
    {"arrivals", KEY_CHOICE, FIELD(load_settings, arrivals), .choices = arrival_words,
     .fallback = "poisson", .help = "of a rate: as of independent users, or all gaps equal"},
    {"warm-up", KEY_SWITCH, FIELD(load_settings, warm_up), .fallback = "false",
     .help = "not measured"},
    {"find", KEY_SECTION, FIELD(load_settings, find), .section = &find_section,
     .fallback_text = "nothing",
     .help = "`lockpick find` looks for the highest rate that meets it, from 'rate' on"},
    {.help = NULL},
};

static const struct key lock_keys[] = {
    {"lease", KEY_DURATION, FIELD(lock_settings, lease_ns), .least = NS_PER_MS, .most = HOUR_NS,
     .fallback = "1s", .help = "for how long a grant is valid"},
    {"wait", KEY_DURATION, FIELD(lock_settings, wait_ns), .most = HOUR_NS, .fallback = "5s",
     .help = "how long one acquire keeps trying"},
    {"retry", KEY_DURATION, FIELD(lock_settings, retry_ns), .most = MINUTE_NS, .fallback = "10ms",
     .help = "pause between two attempts"},
    {"request", KEY_DURATION, FIELD(lock_settings, request_ns), .least = NS_PER_MS,
     .most = MINUTE_NS, .fallback = "1s", .help = "time-out of one request to a server"},
    {"stuck-after", KEY_DURATION, FIELD(lock_settings, stuck_after_ns), .least = NS_PER_MS,
     .most = 2 * HOUR_NS, .fallback_text = "lease + 4s",
     .help = "nobody granted for so long while one waits: stuck"},
    {"told", KEY_DURATION, FIELD(lock_settings, told_ns), .least = NS_PER_MS, .most = HOUR_NS,
     .fallback_text = "not stated", .help = "a holder is told of its loss within that"},
    {.help = NULL},
};

#define TOPOLOGY_KEY                                                                               \
    {                                                                                              \
        "topology", KEY_NAME, FIELD(server_settings, topology),                                    \
            .least = 1, .most = 15, .fallback_text = "the scheme's",                               \
            .help = "how its servers belong together"                                              \
    }
#define NODES_KEY                                                                                  \
    {                                                                                              \
        "nodes", KEY_WHOLE, FIELD(server_settings, nodes), .least = 1, .most = 8,                  \
                                                           .fallback_text = "the usual",           \
                                                           .help = "how many servers hold data"    \
    }
#define EXTERNAL_KEY                                                                               \
    {                                                                                              \
        "external", KEY_TEXT, FIELD(server_settings, external),                                    \
            .least = 1, .most = 400, .fallback_text = "none",                                      \
            .help =                                                                                \
                "a server that runs already: KIND://user:password@host:port; nothing is booted"    \
    }

static const struct key redis_keys[] = {
    TOPOLOGY_KEY,
    NODES_KEY,
    {"persistence", KEY_CHOICE, FIELD(server_settings, persistence), .choices = persistence_words,
     .fallback = "none", .help = "what a server keeps when it stops"},
    EXTERNAL_KEY,
    {.help = NULL},
};
static const struct key server_keys[] = {TOPOLOGY_KEY, NODES_KEY, EXTERNAL_KEY, {.help = NULL}};

static const struct section redis_section = {
    "servers.redis", "Redis.", redis_keys, sizeof(struct server_settings), NULL, SIZE_MAX, NULL,
};
static const struct section server_section = {
    "servers.zookeeper, etcd, memcached, mysql, postgres",
    "The others.",
    server_keys,
    sizeof(struct server_settings),
    NULL,
    SIZE_MAX,
    NULL,
};

#define SERVER_KEY(kind, its_section)                                                              \
    {                                                                                              \
#kind, KEY_SECTION, FIELD(servers_settings, kind),                                         \
            .section = &(its_section), .fallback_text = "as below", .help = "see below"            \
    }

static const struct key servers_keys[] = {
    SERVER_KEY(redis, redis_section),
    SERVER_KEY(zookeeper, server_section),
    SERVER_KEY(etcd, server_section),
    SERVER_KEY(memcached, server_section),
    SERVER_KEY(mysql, server_section),
    SERVER_KEY(postgres, server_section),
    {.help = NULL},
};

static const struct key fault_keys[] = {
    {"when", KEY_POINTS, FIELD(fault_step, points), .least = 1, .most = MAX_ALTERNATIVES,
     .fallback_text = "(or at)",
     .help = "strikes at that point, of several at the first reached; or at a cause"},
    {"at", KEY_DURATION, FIELD(fault_step, at_ns), .most = HOUR_NS, .fallback_text = "(or when)",
     .help = "strikes so long after the start; with a point: at it from then on"},
    {"every", KEY_DURATION, FIELD(fault_step, every_ns), .least = 10 * NS_PER_MS, .most = HOUR_NS,
     .fallback_text = "once", .help = "strikes again and again; needs workload.for"},
    {"spread", KEY_DURATION, FIELD(fault_step, spread_ns), .most = HOUR_NS, .fallback = "0s",
     .help = "every: each time up to so much earlier or later"},
    {"nth", KEY_WHOLE, FIELD(fault_step, nth), .least = 1, .most = 1000000, .fallback = "1",
     .help = "the nth time that the point is reached"},
    {"name", KEY_NAME, FIELD(fault_step, name), .least = 1, .most = 32, .fallback_text = "none",
     .help = "for 'after' of a later fault"},
    {"after", KEY_NAME, FIELD(fault_step, after_name), .least = 1, .most = 32,
     .fallback_text = "at once", .help = "armed only once that earlier fault is in effect"},
    {NULL, KEY_VERB, FIELD(fault_step, target), .words = WORDS_FAULTS, .required = true,
     .help = "what strikes, and whom; exactly one of them"},
    {"until", KEY_UNTIL, FIELD(fault_step, until), .fallback_text = "by fault",
     .help = "what ends the fault: see `lockpick list faults`"},
    {"how", KEY_NAME, FIELD(fault_step, how), .least = 1, .most = 16, .fallback_text = "its first",
     .help = "which of the fault's ways"},
    {"by", KEY_OFFSET, FIELD(fault_step, by_ns), .least = -24 * HOUR_NS, .most = 24 * HOUR_NS,
     .fallback_text = "none", .help = "clock: how far it jumps; delay: how long"},
    {"jitter", KEY_DURATION, FIELD(fault_step, jitter_ns), .most = MINUTE_NS, .fallback = "0s",
     .help = "delay: up to so much more or less"},
    {"rate", KEY_PERCENTAGE, FIELD(fault_step, rate), .most = 1000, .fallback = "100%",
     .help = "clock: how fast it goes from then on; 0% is frozen"},
    {"share", KEY_PERCENTAGE, FIELD(fault_step, share), .least = 1, .most = 99,
     .fallback_text = "none", .help = "loss: of the packets"},
    {"drawn", KEY_SWITCH, FIELD(fault_step, drawn), .fallback = "false",
     .help = "it was drawn: it counts if it strikes, and the verdict does not ask for it"},
    {.help = NULL},
};

static const struct fault_step blank_fault = {.at_ns = -1, .bound_ns = -1};

static const struct key expect_keys[] = {
    {"schemes", KEY_PATTERNS, FIELD(expectation, schemes), .least = 1, .most = 64, .required = true,
     .help = "whom it is about; for each scheme the first one counts"},
    {"workloads", KEY_NAMES, FIELD(expectation, workloads), .least = 1, .most = 16,
     .fallback_text = "all", .help = "of a list: only these (increment, increment-fenced, ...)"},
    {"verdict", KEY_CHOICE, FIELD(expectation, verdict), .choices = verdict_words, .required = true,
     .help = "what the verdict must be"},
    {"because", KEY_WORDS, FIELD(expectation, because), .least = 1, .most = 16,
     .words = WORDS_PROPERTIES, .fallback_text = "any",
     .help = "properties that must be found violated"},
    {"allow", KEY_WORDS, FIELD(expectation, allow), .least = 1, .most = 16,
     .words = WORDS_PROPERTIES, .fallback_text = "none",
     .help = "properties that may be found violated besides"},
    {.help = NULL},
};

static const struct section workload_section = {
    "workload", "What clients do.", workload_keys, sizeof(struct workload_settings),
    NULL,       SIZE_MAX,           NULL,
};
static const struct section clients_section = {
    "clients", "Who does it.", clients_keys, sizeof(struct clients_settings), NULL, SIZE_MAX, NULL,
};
static const struct section load_section = {
    "load",
    "How much of it, and when: a list of phases, or one; without it, as much as they can.",
    load_keys,
    sizeof(struct load_settings),
    NULL,
    offsetof(struct load_settings, place),
    "phase",
};
static const struct section lock_section = {
    "lock", "How they lock.", lock_keys, sizeof(struct lock_settings), NULL, SIZE_MAX, NULL,
};
static const struct section servers_section = {
    "servers",    "What they lock with; a scheme that does not fit is not tried.",
    servers_keys, sizeof(struct servers_settings),
    NULL,         SIZE_MAX,
    NULL,
};
static const struct section faults_section = {
    "faults",     "What strikes them: a list.",       fault_keys, sizeof(struct fault_step),
    &blank_fault, offsetof(struct fault_step, place), "fault",
};
static const struct key random_keys[] = {
    {"of", KEY_WORDS, FIELD(random_settings, of), .least = 1, .most = 16, .words = WORDS_DRAWS,
     .required = true, .help = "each time one of these, on a target drawn from all"},
    {"at", KEY_WORDS, FIELD(random_settings, at), .least = 1, .most = 2, .words = WORDS_MOMENTS,
     .fallback_text = "both",
     .help = "at that time, or at a point of the lock's own requests from that time on"},
    {"every", KEY_DURATION, FIELD(random_settings, every_ns), .least = 10 * NS_PER_MS,
     .most = HOUR_NS, .fallback = "2s", .help = "from one to the next"},
    {"jitter", KEY_DURATION, FIELD(random_settings, jitter_ns), .most = HOUR_NS, .fallback = "0s",
     .help = "each comes up to so much earlier or later"},
    {"lasting", KEY_DURATION, FIELD(random_settings, lasting_ns), .least = NS_PER_MS,
     .most = HOUR_NS, .fallback = "500ms", .help = "how long each lasts; servers come back then"},
    {"beyond", KEY_SWITCH, FIELD(random_settings, beyond), .fallback = "false",
     .help = "also what the scheme does not promise to survive"},
    {.help = NULL},
};
static const struct section random_section = {
    "random",    "Faults drawn for each trial from the seed, for soak runs; as-run says which.",
    random_keys, sizeof(struct random_settings),
    NULL,        SIZE_MAX,
    NULL,
};
static const struct section expect_section = {
    "expect", "What must come out: a list.",       expect_keys,   sizeof(struct expectation),
    NULL,     offsetof(struct expectation, place), "expectation",
};

static const struct key threshold_keys[] = {
    {"limit", KEY_LIMIT, FIELD(threshold, limit), .required = true,
     .help = "a figure, a relation and a value: acquire.p99 < 50ms"},
    {"schemes", KEY_PATTERNS, FIELD(threshold, schemes), .least = 1, .most = 64,
     .fallback_text = "all", .help = "whom it is about"},
    {.help = NULL},
};
static const struct section thresholds_section = {
    "thresholds",
    "What the figures must be, over all repeats: a list of limits, or of such mappings.",
    threshold_keys,
    sizeof(struct threshold),
    NULL,
    offsetof(struct threshold, place),
    "threshold",
};

// `faults` has at most as many items as the harness has traps for.
static const struct key scenario_keys[] = {
    {"version", KEY_WHOLE, FIELD(scenario, version), .least = 1, .most = 1, .required = true,
     .help = "of this format"},
    {"name", KEY_NAME, FIELD(scenario, name), .least = 1, .most = 64, .required = true,
     .help = "names its trials and their files"},
    {"about", KEY_TEXT, FIELD(scenario, about), .least = 1, .most = 2000, .required = true,
     .help = "what it shows, in a sentence or two"},
    {"workload", KEY_SECTION, FIELD(scenario, workload), .section = &workload_section,
     .required = true, .help = "see below; a list of such mappings makes a scenario of each"},
    {"clients", KEY_SECTION, FIELD(scenario, clients), .section = &clients_section,
     .fallback_text = "as below", .help = "see below"},
    {"load", KEY_SECTIONS, FIELD(scenario, load), .one_will_do = true,
     .count_offset = offsetof(struct scenario, load_count), .section = &load_section, .least = 1,
     .most = MOST_PHASES, .fallback_text = "as they can", .help = "see below"},
    {"lock", KEY_SECTION, FIELD(scenario, lock), .section = &lock_section,
     .fallback_text = "as below", .help = "see below"},
    {"servers", KEY_SECTION, FIELD(scenario, servers), .section = &servers_section,
     .fallback_text = "each scheme's usual", .help = "see below"},
    {"schemes", KEY_PATTERNS, FIELD(scenario, schemes), .section = &exec_section, .least = 1,
     .most = 64, .required = true,
     .help = "what is tried, each scheme once; {exec: ...} brings one along"},
    {"faults", KEY_SECTIONS, FIELD(scenario, faults),
     .count_offset = offsetof(struct scenario, fault_count), .section = &faults_section,
     .most = MOST_FAULTS, .fallback_text = "none", .help = "see below"},
    {"random", KEY_SECTION, FIELD(scenario, random), .section = &random_section,
     .fallback_text = "none", .help = "see below; needs workload.for"},
    {"expect", KEY_SECTIONS, FIELD(scenario, expectations),
     .count_offset = offsetof(struct scenario, expectation_count), .section = &expect_section,
     .most = 64, .fallback_text = "none", .help = "see below"},
    {"thresholds", KEY_SECTIONS, FIELD(scenario, thresholds), .one_will_do = true,
     .count_offset = offsetof(struct scenario, threshold_count), .section = &thresholds_section,
     .text_is = "limit", .most = 64, .fallback_text = "none",
     .help = "limits such as acquire.p99 < 50ms; one that is missed makes the exit code 5"},
    {"verdict-only", KEY_SWITCH, FIELD(scenario, verdict_only), .fallback = "false",
     .help = "nobody asks what it costs, so that its trials may run beside others"},
    {"repeat", KEY_WHOLE, FIELD(scenario, repeat), .least = 1, .most = 1000, .fallback = "1",
     .help = "trials of each scheme"},
    {"trial", KEY_NAME, FIELD(scenario, trial), .least = 1, .most = 80, .fallback_text = "all",
     .help = "only that one, SCHEME or SCHEME--NUMBER, as in what a run leaves: as-run"},
    {"seed", KEY_WHOLE, FIELD(scenario, seed), .most = INT64_MAX, .fallback = "0",
     .help = "of all randomness; 0: drawn when the run starts"},
    {"limit", KEY_DURATION, FIELD(scenario, limit_ns), .least = 100 * NS_PER_MS,
     .most = 2 * HOUR_NS, .fallback = "60s", .help = "the longest that one trial may take"},
    {.help = NULL},
};

const struct section scenario_section = {
    "",
    "The file: a mapping of these keys.",
    scenario_keys,
    sizeof(struct scenario),
    NULL,
    SIZE_MAX,
    NULL,
};
