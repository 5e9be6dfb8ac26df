#include "harness/scenario/keys.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/scenario/moves.h"
#include "harness/scenario/trigger.h"

#include <stdlib.h>
#include <string.h>

#define AT(type, field) offsetof(struct type, field)
#define RANGE(from, to) .least = (from), .most = (to)
#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define MOST_RATE (INT64_C(1000000) * 3600)

// The keys of a section, and the size of the struct that they fill.
#define KEYS(list, type)                                                                           \
    .keys = (list), .key_count = sizeof(list) / sizeof *(list), .size = sizeof(struct type)
// The same of items of a list.
#define ITEMS(list, type, noun)                                                                    \
    KEYS(list, type), .place_offset = offsetof(struct type, place), .item = (noun)

// --- workload and clients ------------------------------------------------------------------------

static const char *const boundary_words[] = {"none", "inner", "wrapped", NULL};

static const struct key workload_keys[] = {
    {"kind", KEY_WORD, AT(workload_settings, kind),
     "what clients do under the lock; cycle: nothing, to measure what it costs",
     .words = WORDS_WORKLOADS, .required = true},
    {"store", KEY_WORD, AT(workload_settings, store), "where the guarded value lives",
     .words = WORDS_STORES, .fallback = "shm"},
    {"fenced", KEY_SWITCH, AT(workload_settings, fenced),
     "the store refuses a write with an old fencing token", .fallback = "false"},
    {"operations", KEY_WHOLE, AT(workload_settings, operations),
     "in all, shared by the workers; an acquire that comes back empty-handed long before its wait "
     "is over is none",
     RANGE(1, MOST_OPERATIONS), .fallback_text = "(or for)"},
    {"for", KEY_DURATION, AT(workload_settings, for_ns), "run for that long instead",
     RANGE(NS_PER_MS, HOUR_NS), .fallback_text = "(or operations)"},
    {"warm-up", KEY_DURATION, AT(workload_settings, warm_up_ns),
     "before that: the same, but not measured", RANGE(0, HOUR_NS), .fallback = "0ms"},
    {"keys", KEY_WHOLE, AT(workload_settings, keys),
     "locks, each with a value of its own; own: one for each worker; jobs: each is a job",
     RANGE(1, 64), .word = "own", .word_means = KEYS_OWN, .fallback = "1"},
    {"skew", KEY_DECIMAL, AT(workload_settings, skew),
     "of keys: the nth is taken in proportion to 1 / n^skew", RANGE(0, 5000), .fallback = "0"},
    {"hold", KEY_DURATION, AT(workload_settings, hold_ns),
     "work between reading and writing back; oversell: only a buyer who finds a unit left holds",
     RANGE(0, 10 * MINUTE_NS), .fallback = "0ms"},
    {"think", KEY_DURATION, AT(workload_settings, think_ns),
     "pause between two operations of a worker", RANGE(0, 10 * MINUTE_NS), .fallback = "0ms"},
    {"stock", KEY_WHOLE, AT(workload_settings, stock), "units for sale", RANGE(1, 1000000),
     .fallback_text = "(oversell: required)"},
    {"buyers", KEY_WHOLE, AT(workload_settings, buyers), "in all, each comes once",
     RANGE(1, 1000000), .fallback_text = "(oversell: required)"},
    {"jobs", KEY_WHOLE, AT(workload_settings, jobs),
     "draw: each to be done once, by one of all workers", RANGE(1, 30), .fallback = "10"},
    {"depth", KEY_WHOLE, AT(workload_settings, depth), "nested: how often one operation locks",
     RANGE(2, 16), .fallback = "2"},
    {"readers", KEY_PERCENTAGE, AT(workload_settings, readers),
     "readers: operations that only read", RANGE(0, 100), .fallback = "80%"},
    {"permits", KEY_WHOLE, AT(workload_settings, permits),
     "permits: how many may hold at once; limit: how many are let through in any lease",
     RANGE(1, 1000), .fallback = "3"},
    {"attempts", KEY_WHOLE, AT(workload_settings, attempts),
     "jobs: how often a job is given out before it is to be given up; 0: until it is done",
     RANGE(0, 1000), .fallback = "0"},
    {"acts", KEY_WHOLE, AT(workload_settings, acts), "leader: acts of a term, at most",
     RANGE(1, 100000), .fallback = "5"},
    {"every", KEY_DURATION, AT(workload_settings, every_ns), "leader: from one act to the next",
     RANGE(0, 10 * MINUTE_NS), .fallback = "20ms"},
    {"boundary", KEY_CHOICE, AT(workload_settings, boundary),
     "mysql store: read and write in one transaction, committed before (inner) or after (wrapped) "
     "the release",
     .choices = boundary_words, .fallback = "none"},
};
static const struct section workload_section = {"workload", "What clients do.",
                                                KEYS(workload_keys, workload_settings)};

static const char *const placement_words[] = {"free", "spread", "together", NULL};

static const struct key clients_keys[] = {
    {"processes", KEY_WHOLE, AT(clients_settings, processes),
     "application instances: client-1, client-2, ...", RANGE(1, MOST_CLIENT_PROCESSES),
     .fallback = "2"},
    {"threads", KEY_WHOLE, AT(clients_settings, threads),
     "workers of each client: worker-1, worker-2, ...", RANGE(1, 2048), .fallback = "1"},
    {"placement", KEY_CHOICE, AT(clients_settings, placement),
     "on which processors: any, the next for each, all on one", .choices = placement_words,
     .fallback = "free"},
    {"start-first", KEY_CLIENT, AT(clients_settings, start_first),
     "this one; the others once it holds the lock, gave up, or was struck",
     .fallback_text = "all at once"},
};
static const struct section clients_section = {"clients", "Who does it.",
                                               KEYS(clients_keys, clients_settings)};

// --- load ----------------------------------------------------------------------------------------

static const struct key find_keys[] = {
#define X(id, name, share)                                                                         \
    {#id,                                                                                          \
     KEY_BELOW,                                                                                    \
     AT(percentiles, id##_ns),                                                                     \
     name " of acquires, from when they were to begin",                                            \
     RANGE(1, HOUR_NS),                                                                            \
     .fallback_text = "no limit"},
    PERCENTILES(X)
#undef X
};
static const struct section find_section = {"load.find", "A target; one of these.",
                                            KEYS(find_keys, percentiles)};

static const char *const arrival_words[] = {"poisson", "fixed", NULL};

static const struct key load_keys[] = {
    {"for", KEY_DURATION, AT(load_settings, for_ns), "how long the phase lasts",
     RANGE(NS_PER_MS, HOUR_NS), .fallback_text = "to the end"},
    {"clients", KEY_WHOLE, AT(load_settings, clients),
     "how many take part, from client-1; the others rest", RANGE(1, 64), .fallback_text = "all"},
    {"rate", KEY_RATE, AT(load_settings, rate),
     "operations begin at that rate, however long they take; each counts from when it was to begin",
     RANGE(1, MOST_RATE), .fallback_text = "as they can"},
    {"to", KEY_RATE, AT(load_settings, to), "the rate goes evenly from 'rate' to that",
     RANGE(1, MOST_RATE), .fallback_text = "no ramp"},
    {"arrivals", KEY_CHOICE, AT(load_settings, arrivals),
     "of a rate: as of independent users, or all gaps equal", .choices = arrival_words,
     .fallback = "poisson"},
    {"warm-up", KEY_SWITCH, AT(load_settings, warm_up), "not measured", .fallback = "false"},
    {"find", KEY_SECTION, AT(load_settings, find),
     "`lockpick find` looks for the highest rate that meets it, from 'rate' on",
     .section = &find_section, .fallback_text = "nothing"},
};
static const struct section load_section = {
    "load", "How much of it, and when: a list of phases, or one; without it, as much as they can.",
    ITEMS(load_keys, load_settings, "phase")};

// --- lock and servers ----------------------------------------------------------------------------

static const struct key lock_keys[] = {
    {"lease", KEY_DURATION, AT(lock_settings, lease_ns),
     "for how long a grant is valid; ttl is another name for it", RANGE(NS_PER_MS, HOUR_NS),
     .fallback = "1s"},
    {"wait", KEY_DURATION, AT(lock_settings, wait_ns), "how long one acquire keeps trying",
     RANGE(0, HOUR_NS), .fallback = "5s"},
    {"retry", KEY_DURATION, AT(lock_settings, retry_ns), "pause between two attempts",
     RANGE(0, MINUTE_NS), .fallback = "10ms"},
    {"request", KEY_DURATION, AT(lock_settings, request_ns), "time-out of one request to a server",
     RANGE(NS_PER_MS, MINUTE_NS), .fallback = "1s"},
    {"stuck-after", KEY_DURATION, AT(lock_settings, stuck_after_ns),
     "nobody granted for so long while one waits: stuck", RANGE(NS_PER_MS, 2 * HOUR_NS),
     .fallback_text = "lease + 4s"},
    {"told", KEY_DURATION, AT(lock_settings, told_ns), "a holder is told of its loss within that",
     RANGE(NS_PER_MS, HOUR_NS), .fallback_text = "not stated"},
};
static const struct section lock_section = {"lock", "How they lock.",
                                            KEYS(lock_keys, lock_settings)};

static const char *const persistence_words[] = {"none", "aof-everysec", "aof-always", NULL};

static const struct key tls_keys[] = {
    {"ca", KEY_TEXT, AT(tls_settings, ca),
     "file of the certificates that vouch for the server's, or " TLS_OF_SYSTEM, RANGE(1, 400),
     .required = true},
    {"certificate", KEY_TEXT, AT(tls_settings, certificate),
     "file of one's own, if it is asked for", RANGE(1, 400), .fallback_text = "none"},
    {"key", KEY_TEXT, AT(tls_settings, key), "file of its private key", RANGE(1, 400),
     .fallback_text = "none"},
    {"server-name", KEY_TEXT, AT(tls_settings, server_name),
     "that the server's certificate is made out to", RANGE(1, 200),
     .fallback_text = "as in the URL"},
};
static const struct section tls_section = {"tls", "How an external server is spoken to by TLS.",
                                           KEYS(tls_keys, tls_settings)};

static const char *const ending_words[] = {
    [CUSTOM_SIGTERM] = "SIGTERM", [CUSTOM_SIGINT] = "SIGINT", [CUSTOM_SIGQUIT] = "SIGQUIT", NULL};
static const char *const clock_words[] = {
    [SHIFTED_REALTIME] = "realtime", [SHIFTED_MONOTONIC] = "monotonic", NULL};

static const struct key ready_keys[] = {
    {"log", KEY_TEXT, AT(custom_settings, server.ready_log), "a line of what it prints has this",
     RANGE(1, 200), .fallback_text = "not looked at"},
    {"http", KEY_TEXT, AT(custom_settings, server.ready_path),
     "the path of a GET that it answers: /health", RANGE(1, 200), .fallback_text = "not asked"},
    {"status", KEY_WHOLE, AT(custom_settings, server.ready_status), "... with this status",
     RANGE(100, 599), .fallback = "200"},
    {"command", KEY_TEXTS, AT(custom_settings, ready_command), "a command that succeeds",
     RANGE(1, 64), .fallback_text = "none"},
};
static const struct section ready_section = {
    "ready", "When a server of one's own serves: one of these, or when it takes connections.",
    KEYS(ready_keys, custom_settings)};

#define OF_CUSTOM(field) AT(server_settings, custom.field)

#define LAUNCH_KEY(of)                                                                             \
    "launch", KEY_TEXTS, AT(of, launch), "the command that starts `lockpick agent` on a {host}",   \
        RANGE(1, 64), .fallback_text = "by ssh"

// Those of a server of one's own come last.
static const struct key server_keys[] = {
    {"topology", KEY_NAME, AT(server_settings, topology), "how its servers belong together",
     RANGE(1, 15), .fallback_text = "the scheme's"},
    {"nodes", KEY_WHOLE, AT(server_settings, nodes), "how many servers hold data", RANGE(1, 8),
     .fallback_text = "the usual"},
    {"persistence", KEY_CHOICE, AT(server_settings, persistence),
     "what a server keeps when it stops", .choices = persistence_words, .fallback = "none"},
    {"binary", KEY_TEXT, AT(server_settings, binary),
     "another build: a program in PATH, or its full path", RANGE(1, 400),
     .fallback_text = "the usual"},
    {"external", KEY_TEXT, AT(server_settings, external),
     "a server that runs already: KIND://user@host:port; nothing is booted", RANGE(1, 400),
     .fallback_text = "none"},
    {"password", KEY_TEXT, AT(server_settings, password),
     "of that, by where it is: env:NAME or file:PATH", RANGE(1, 400), .fallback_text = "none"},
    {"sentinel-password", KEY_TEXT, AT(server_settings, sentinel_password),
     "of its sentinels, likewise", RANGE(1, 400), .fallback_text = "none"},
    {"tls", KEY_SECTION, AT(server_settings, tls), "that is spoken to by TLS: see below",
     .section = &tls_section, .fallback_text = "no"},
    {"hosts", KEY_TEXTS, AT(server_settings, hosts),
     "the machines that its servers are booted on, one after the other", RANGE(1, 64),
     .fallback_text = "this one"},
    {LAUNCH_KEY(server_settings)},
    {"command", KEY_TEXTS, OF_CUSTOM(command),
     "custom: the program and its arguments, with {address}, {port}, ...: see below", RANGE(1, 64),
     .fallback_text = "none"},
    {"env", KEY_TEXTS, OF_CUSTOM(environment), "custom: variables besides, NAME=value",
     RANGE(0, 32), .fallback_text = "none"},
    {"ready", KEY_SECTION, AT(server_settings, custom),
     "custom: how one sees that it serves: see below", .section = &ready_section,
     .fallback_text = "it takes connections"},
    {"boot", KEY_DURATION, OF_CUSTOM(server.boot_ns), "custom: ... by then",
     RANGE(NS_PER_S, HOUR_NS), .fallback = "20s"},
    {"protocol", KEY_WORD, OF_CUSTOM(server.protocol),
     "custom: what it speaks, for points at requests", .words = WORDS_PROTOCOLS,
     .fallback = "opaque"},
    {"requests", KEY_NAMES, OF_CUSTOM(requests),
     "custom: names of its requests for points; of http: the last part of the path", RANGE(1, 32),
     .fallback_text = "those of the protocol"},
    {"peer", KEY_TEXT, OF_CUSTOM(server.peer), "custom: what {peers} has of each of its servers",
     RANGE(1, 200), .fallback = "{address}:{peer-port}"},
    {"leads", KEY_TEXTS, OF_CUSTOM(leads),
     "custom: a command that succeeds for the server that leads", RANGE(1, 64),
     .fallback_text = "not known"},
    {"stop", KEY_CHOICE, OF_CUSTOM(ending), "custom: the signal by which it is ended in good order",
     .choices = ending_words, .fallback = "SIGTERM"},
    {"lease-clock", KEY_CHOICE, OF_CUSTOM(server.lease_clock),
     "custom: the clock by which it counts how long a lock lasts", .choices = clock_words,
     .fallback = "realtime"},
    {"folder", KEY_TEXT, OF_CUSTOM(server.folder), "custom: whose files its commands name",
     RANGE(1, 4000), .fallback_text = "the scenario's"},
    {"install", KEY_TEXT, OF_CUSTOM(server.install), "custom: the command that installs it",
     RANGE(1, 400), .fallback_text = "not said"},
};
const struct section server_section = {"servers.", "Of each kind of server.",
                                       KEYS(server_keys, server_settings)};
static const struct key servers_keys[] = {
    {NULL, KEY_SECTION, 0, "see below", .words = WORDS_SERVERS, .section = &server_section,
     .most = MAX_SERVER_KINDS, .fallback_text = "as below"},
};
static const struct section servers_section = {
    "servers", "What they lock with; a scheme that does not fit is not tried.",
    KEYS(servers_keys, server_settings)};

// --- schemes of the scenario's own ---------------------------------------------------------------

// What programs and plug-ins have both.
#define OF_CLIENT(field) AT(exec_settings, client.field)
#define NAME_KEY                                                                                   \
    "name", KEY_NAME, OF_CLIENT(name), "of the scheme, as reports and 'expect' say it",            \
        RANGE(1, 32), .required = true
#define SERVERS_KEY                                                                                \
    "servers", KEY_WORD, OF_CLIENT(server), "what it locks with", .words = WORDS_NONE_AND_SERVERS, \
                                                                  .fallback = "none"
#define TRAITS_KEY                                                                                 \
    "traits", KEY_WORDS, AT(exec_settings, traits),                                                \
        "what it promises: see `lockpick list schemes`", RANGE(1, 16), .words = WORDS_PROMISES,    \
                                                                       .fallback = "exclusive"
#define VISIBLE_KEY                                                                                \
    "visible", KEY_SWITCH, OF_CLIENT(visible),                                                     \
        "the lock is a key of exactly its name, and can be looked at there", .fallback = "false"
#define NEEDS_KEY                                                                                  \
    "needs", KEY_TEXTS, AT(exec_settings, needs),                                                  \
        "programs, and files by a path with a '/', without which the scheme is skipped",           \
        RANGE(0, 16), .fallback_text = "nothing"
#define INSTALL_KEY                                                                                \
    "install", KEY_TEXT, OF_CLIENT(install),                                                       \
        "the command that installs what it needs, for who is told that it is missing",             \
        RANGE(1, 400), .fallback_text = "not said"

static const struct key exec_keys[] = {
    {NAME_KEY},
    {"command", KEY_TEXTS, AT(exec_settings, command),
     "the program and its arguments; scripts/drivers/README.md says how it is spoken to",
     RANGE(1, 64), .required = true},
    {SERVERS_KEY},
    {TRAITS_KEY},
    {VISIBLE_KEY},
    {"renew", KEY_SWITCH, OF_CLIENT(renew), "it is asked to renew each third of a lease",
     .fallback = "false"},
    {"patience", KEY_DURATION, OF_CLIENT(patience_ns), "how much later than allowed it may answer",
     RANGE(10 * NS_PER_MS, 10 * MINUTE_NS), .fallback = "10s"},
    {"folder", KEY_TEXT, OF_CLIENT(folder), "where it runs", RANGE(1, 4000),
     .fallback_text = "the scenario's"},
    {"hosts", KEY_TEXTS, AT(exec_settings, hosts),
     "the machines that clients run on, one after the other; scripts/drivers/README.md",
     RANGE(1, MOST_CLIENT_PROCESSES), .fallback_text = "this one"},
    {LAUNCH_KEY(exec_settings)},
    {NEEDS_KEY},
    {INSTALL_KEY},
};
static const struct key plugin_keys[] = {
    {NAME_KEY},
    {"file", KEY_TEXT, OF_CLIENT(plugin),
     "the shared library; harness/plugin/lockpick.h says what it must export", RANGE(1, 4000),
     .required = true},
    {SERVERS_KEY},
    {TRAITS_KEY},
    {VISIBLE_KEY},
    {"folder", KEY_TEXT, OF_CLIENT(folder), "where its file is looked for", RANGE(1, 4000),
     .fallback_text = "the scenario's"},
    {NEEDS_KEY},
    {INSTALL_KEY},
};

const struct section exec_section = {
    "exec", "A lock of your own, as {exec: {name: ..., command: ...}} in 'schemes'.",
    KEYS(exec_keys, exec_settings), .item = "scheme"};
const struct section plugin_section = {
    "plugin", "The same in C, loaded into the clients, as {plugin: {name: ..., file: ...}}.",
    KEYS(plugin_keys, exec_settings), .item = "scheme"};

// --- faults --------------------------------------------------------------------------------------

// Of the value of a fault that strikes by command: keys of the fault itself.
static const struct key command_keys[] = {
    {"start", KEY_TEXTS, AT(fault_instance, start),
     "the command, [PROGRAM, ARGUMENT, ...], which ends", RANGE(1, 64), .required = true},
    {"proof", KEY_TEXTS, AT(fault_instance, proof),
     "run again until it ends well: then it is in effect", RANGE(1, 64), .required = true},
    {"undo", KEY_TEXTS, AT(fault_instance, undo), "what ends it", RANGE(1, 64),
     .fallback_text = "nothing ends it"},
};
static const struct section command_section = {
    "faults.exec", "A fault by command, as {exec: {...}}.", KEYS(command_keys, fault_instance)};

static const struct key fault_keys[] = {
    {"when", KEY_POINTS, AT(fault_instance, points),
     "strikes at that point, of several at the first reached; or at a cause",
     RANGE(1, MAX_ALTERNATIVES), .fallback_text = "(or at)"},
    {"at", KEY_DURATION, AT(fault_instance, at_ns),
     "strikes so long after the start; with a point: at it from then on", RANGE(0, HOUR_NS),
     .fallback_text = "(or when)"},
    {"every", KEY_DURATION, AT(fault_instance, every_ns),
     "strikes again and again; needs workload.for", RANGE(10 * NS_PER_MS, HOUR_NS),
     .fallback_text = "once"},
    {"nth", KEY_WHOLE, AT(fault_instance, nth), "the nth time that the point is reached",
     RANGE(1, 1000000), .fallback = "1"},
    {"name", KEY_NAME, AT(fault_instance, name), "for 'after' of a later fault", RANGE(1, 32),
     .fallback_text = "none"},
    {"after", KEY_NAME, AT(fault_instance, after_name),
     "armed only once that earlier fault is in effect", RANGE(1, 32), .fallback_text = "at once"},
    {NULL, KEY_VERB, AT(fault_instance, target), "what strikes, and whom; exactly one of them",
     .words = WORDS_FAULTS, .section = &command_section, .required = true},
    {"until", KEY_UNTIL, AT(fault_instance, until),
     "what ends the fault: see `lockpick list faults`", .fallback_text = "by fault"},
    {"how", KEY_NAME, AT(fault_instance, how), "which of the fault's ways", RANGE(1, 16),
     .fallback_text = "its first"},
    {"by", KEY_OFFSET, AT(fault_instance, by_ns),
     "clock: how far it jumps; delay, a slow disk: how long", RANGE(-24 * HOUR_NS, 24 * HOUR_NS),
     .fallback_text = "none"},
    {"jitter", KEY_DURATION, AT(fault_instance, jitter_ns),
     "delay: up to so much more or less; else every: each time up to so much earlier or later",
     RANGE(0, HOUR_NS), .fallback = "0s"},
    {"rate", KEY_PERCENTAGE, AT(fault_instance, rate),
     "clock: how fast it goes from then on; 0% is frozen", RANGE(0, 1000), .fallback = "100%"},
    {"share", KEY_PERCENTAGE, AT(fault_instance, share), "loss: of the packets", RANGE(1, 99),
     .fallback_text = "none"},
    {"to", KEY_TEXT, AT(fault_instance, to), "upgrade: a program in PATH, or the full path of one",
     RANGE(1, 400), .fallback_text = "none"},
    {"drawn", KEY_SWITCH, AT(fault_instance, drawn),
     "it was drawn: it counts if it strikes, and the verdict does not ask for it",
     .fallback = "false"},
};
static const struct fault_instance blank_fault = {.at_ns = -1, .bound_ns = -1};
static const struct section faults_section = {"faults", "What strikes them: a list.",
                                              ITEMS(fault_keys, fault_instance, "fault"),
                                              .blank = &blank_fault};

static const struct key random_keys[] = {
    {"of", KEY_WORDS, AT(random_settings, of), "each time one of these, on a target drawn from all",
     RANGE(1, 16), .words = WORDS_DRAWS, .required = true},
    {"at", KEY_WORDS, AT(random_settings, at),
     "at that time, or at a point of the lock's own requests from that time on", RANGE(1, 2),
     .words = WORDS_MOMENTS, .fallback_text = "both"},
    {"every", KEY_DURATION, AT(random_settings, every_ns), "from one to the next",
     RANGE(10 * NS_PER_MS, HOUR_NS), .fallback = "2s"},
    {"jitter", KEY_DURATION, AT(random_settings, jitter_ns),
     "each comes up to so much earlier or later", RANGE(0, HOUR_NS), .fallback = "0s"},
    {"for", KEY_DURATION, AT(random_settings, for_ns),
     "none comes later: of a workload that is over when its work is done", RANGE(0, HOUR_NS),
     .fallback_text = "(workload.for)"},
    {"lasting", KEY_DURATION, AT(random_settings, lasting_ns),
     "how long each lasts; servers come back then", RANGE(NS_PER_MS, HOUR_NS), .fallback = "500ms"},
    {"beyond", KEY_SWITCH, AT(random_settings, beyond),
     "also what the scheme does not promise to survive", .fallback = "false"},
};
static const struct section random_section = {
    "random", "Faults drawn for each trial from the seed, for soak runs; as-run says which.",
    KEYS(random_keys, random_settings)};

// --- expectations and thresholds -----------------------------------------------------------------

static const char *const verdict_words[] = {"safe", "unsafe", "stuck", NULL};

static const struct key expect_keys[] = {
    {"schemes", KEY_PATTERNS, AT(expectation, schemes),
     "whom it is about; for each scheme the first one counts", RANGE(1, 64), .required = true},
    {"workloads", KEY_NAMES, AT(expectation, workloads),
     "of a list: only these (increment, increment-fenced, ...)", RANGE(1, 16),
     .fallback_text = "all"},
    {"verdict", KEY_CHOICE, AT(expectation, verdict), "what the verdict must be",
     .choices = verdict_words, .required = true},
    {"because", KEY_WORDS, AT(expectation, because), "properties that must be found violated",
     RANGE(1, 16), .words = WORDS_PROPERTIES, .fallback_text = "any"},
    {"allow", KEY_WORDS, AT(expectation, allow),
     "properties that may be found violated besides; of safe: that may be, or not", RANGE(1, 16),
     .words = WORDS_PROPERTIES, .fallback_text = "none"},
};
static const struct section expect_section = {"expect", "What must come out: a list.",
                                              ITEMS(expect_keys, expectation, "expectation")};

static const struct key threshold_keys[] = {
    {"limit", KEY_LIMIT, AT(threshold, limit),
     "a figure, a relation and a value: acquire.p99 < 50ms", .required = true},
    {"schemes", KEY_PATTERNS, AT(threshold, schemes), "whom it is about", RANGE(1, 64),
     .fallback_text = "all"},
};
static const struct section thresholds_section = {
    "thresholds",
    "What the figures must be, over all repeats: a list of limits, or of such mappings.",
    ITEMS(threshold_keys, threshold, "threshold")};

// --- the file ------------------------------------------------------------------------------------

// `faults` has at most as many items as the harness has traps for.
static const struct key scenario_keys[] = {
    {"version", KEY_WHOLE, AT(scenario, version), "of this format", RANGE(1, 1), .required = true},
    {"name", KEY_NAME, AT(scenario, name), "names its trials and their files", RANGE(1, 64),
     .required = true},
    {"about", KEY_TEXT, AT(scenario, about), "what it shows, in a sentence or two", RANGE(1, 2000),
     .fallback_text = "not said"},
    {"workload", KEY_SECTION, AT(scenario, workload),
     "see below; a list of such mappings makes a scenario of each", RANGE(1, MOST_WORKLOADS),
     .section = &workload_section, .required = true},
    {"clients", KEY_SECTION, AT(scenario, clients), "see below", .section = &clients_section,
     .fallback_text = "as below"},
    {"load", KEY_SECTIONS, AT(scenario, load), "see below", RANGE(1, MOST_PHASES),
     .section = &load_section, .count_offset = AT(scenario, load_count), .one_will_do = true,
     .fallback_text = "as they can"},
    {"lock", KEY_SECTION, AT(scenario, lock), "see below", .section = &lock_section,
     .fallback_text = "as below"},
    {"servers", KEY_SECTION, AT(scenario, servers), "see below", .section = &servers_section,
     .fallback_text = "each scheme's usual"},
    {"schemes", KEY_PATTERNS, AT(scenario, schemes),
     "what is tried, each scheme once; {exec: ...} brings one along", RANGE(1, 64),
     .section = &exec_section, .required = true},
    {"faults", KEY_SECTIONS, AT(scenario, faults), "see below", RANGE(0, MOST_FAULTS),
     .section = &faults_section, .count_offset = AT(scenario, fault_count),
     .fallback_text = "none"},
    {"random", KEY_SECTION, AT(scenario, random), "see below; needs workload.for",
     .section = &random_section, .fallback_text = "none"},
    {"expect", KEY_SECTIONS, AT(scenario, expectations), "see below", RANGE(0, 64),
     .section = &expect_section, .count_offset = AT(scenario, expectation_count),
     .fallback_text = "none"},
    {"thresholds", KEY_SECTIONS, AT(scenario, thresholds),
     "limits such as acquire.p99 < 50ms; one that is missed makes the exit code 5", RANGE(0, 64),
     .section = &thresholds_section, .count_offset = AT(scenario, threshold_count),
     .one_will_do = true, .text_is = "limit", .fallback_text = "none"},
    {"verdict-only", KEY_SWITCH, AT(scenario, verdict_only),
     "nobody asks what it costs, so that its trials may run beside others", .fallback = "false"},
    {"schedule", KEY_TEXTS, AT(scenario, schedule),
     "an order of steps: 'client-1 SET', 'a lease passes', ...; see lockpick help explore",
     RANGE(1, MOST_MOVES), .fallback_text = "clients go freely"},
    {"repeat", KEY_WHOLE, AT(scenario, repeat), "trials of each scheme", RANGE(1, 1000),
     .fallback = "1"},
    {"trial", KEY_NAME, AT(scenario, trial),
     "only that one, SCHEME or SCHEME--NUMBER, as in what a run leaves: as-run", RANGE(1, 80),
     .fallback_text = "all"},
    {"seed", KEY_WHOLE, AT(scenario, seed), "of all randomness; 0: drawn when the run starts",
     RANGE(0, INT64_MAX), .fallback = "0"},
    {"limit", KEY_DURATION, AT(scenario, limit_ns), "the longest that one trial may take",
     RANGE(100 * NS_PER_MS, 2 * HOUR_NS), .fallback = "60s"},
};
const struct section scenario_section = {"", "The file: a mapping of these keys.",
                                         KEYS(scenario_keys, scenario)};

// --- words ---------------------------------------------------------------------------------------

const char *const *words_of(const struct vocabulary *vocabulary, enum word_list words)
{
    // The traits that a scheme which is a program may have: the others need the harness's own
    // store.
    static const char *const promises[] = {
        "exclusive", "lease",         "owner-checked", "validity-checked",
        "fenced",    "reentrant",     "shared",        "permits",
        "limiter",   "fair",          "renewed",       "session",
        "local",     "at-least-once", "job-queue",     NULL};
    static const char *const moments[] = {"times", "points", NULL};
    const char *const *const lists[] = {
        [WORDS_WORKLOADS] = vocabulary->workloads,
        [WORDS_STORES] = vocabulary->stores,
        [WORDS_SERVERS] = vocabulary->none_and_servers + 1,
        [WORDS_NONE_AND_SERVERS] = vocabulary->none_and_servers,
        [WORDS_FAULTS] = vocabulary->faults,
        [WORDS_PROPERTIES] = vocabulary->properties,
        [WORDS_PROMISES] = promises,
        [WORDS_DRAWS] = vocabulary->draws,
        [WORDS_MOMENTS] = moments,
        [WORDS_PROTOCOLS] = vocabulary->protocols,
    };
    return lists[words];
}

static const struct renamed {
    const char *section, *old, *now;
    bool is_good; // the other name is as good as the key's own
} renamed[] = {
    {"clients", "lead", "start-first", false},
    {"faults", "cut", "partition", false},
    {"faults", "hold", "buffer", false},
    {"faults", "spread", "jitter", false},
    {"random", "cut", "partition", false},
    {"random", "hold", "buffer", false},
    {"lock", "ttl", "lease", true},
};

static const struct renamed *find_renamed(const char *section, const char *old)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        if (strcmp(renamed[i].section, section) == 0 && strcmp(renamed[i].old, old) == 0)
            return &renamed[i];
    }
    return NULL;
}

const char *word_of_today(const char *section, const char *old)
{
    const struct renamed *found = find_renamed(section, old);
    return found != NULL ? found->now : NULL;
}

const char *word_meant(const char *section, const char *name)
{
    const struct renamed *found = find_renamed(section, name);
    return found != NULL && found->is_good ? found->now : name;
}

const char *word_other(const char *section, const char *name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        if (renamed[i].is_good && strcmp(renamed[i].section, section) == 0 &&
            strcmp(renamed[i].now, name) == 0)
            return renamed[i].old;
    }
    return NULL;
}

bool key_is_swept(const struct section *section, const struct key *key)
{
    return section != &scenario_section && section->item == NULL && key->type > KEY_TEXT &&
           key->type < KEY_CLIENT;
}

static void renew(const char *section, char **word, bool is_stored)
{
    const struct renamed *found = find_renamed(section, *word);
    if (found != NULL && (is_stored || found->is_good)) {
        free(*word);
        *word = memory_string(found->now);
    }
}

// The keys of a section as they are called today; of `random` also what it draws from.
static void renew_section(const char *section, struct node *node, bool is_stored)
{
    for (size_t i = 0; i < node->count; i++) {
        struct node *child = node->children[i];
        if (node->kind == NODE_LIST)
            renew_section(section, child, is_stored);
        else
            renew(section, &child->key, is_stored);
        for (size_t j = 0; strcmp(section, "random") == 0 && j < item_count(child); j++) {
            if (item_node(child, j)->kind == NODE_TEXT)
                renew(section, &item_node(child, j)->text, is_stored);
        }
    }
}

void words_renew(struct node *root, bool is_stored)
{
    for (size_t i = 0; root->kind == NODE_MAP && i < root->count; i++)
        renew_section(root->children[i]->key, root->children[i], is_stored);
}

const struct key *key_find(const struct section *section, const char *name,
                           const struct vocabulary *vocabulary)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        if (key->name != NULL ? strcmp(key->name, name) == 0
                              : text_is_one_of(name, words_of(vocabulary, key->words)))
            return key;
    }
    return NULL;
}

const char **key_names(const struct section *section, const struct vocabulary *vocabulary)
{
    const char **names = memory_zeroed(1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        const char *const one[] = {key->name, NULL};
        const char *const *more = key->name ? one : words_of(vocabulary, key->words);
        for (; *more != NULL; more++) {
            names = memory_resized(names, (count + 2) * sizeof *names);
            names[count++] = *more;
        }
    }
    names[count] = NULL;
    return names;
}

const char *words_advise(const char *wrong, const char *const *words, struct text *out)
{
    const char *nearest = text_nearest(wrong, words);
    if (nearest != NULL) {
        text_format(out, "did you mean '%s'?", nearest);
    } else {
        text_add(out, "known are ");
        text_join(out, words, "and");
    }
    return nearest;
}

// Forward, or back with a minus sign.
static enum reading offset_read(const char *text, int64_t *offset_ns)
{
    return duration_read(text + (*text == '+'), offset_ns);
}

const struct key_form key_forms[] = {
    [KEY_TEXT] = {"a text", NULL, NULL, NULL},
    [KEY_NAME] = {"a name of a-z, 0-9 and '-'", NULL, "[a-z0-9-]+", NULL},
    [KEY_WHOLE] = {"a whole number", NULL, NULL, whole_number_read},
    [KEY_DURATION] = {"a duration", NULL, DURATION_PATTERN, duration_read},
    [KEY_OFFSET] = {"a duration such as 10s or -10s", NULL, "[+-]?" DURATION_PATTERN, offset_read},
    [KEY_RATE] = {"a rate such as 500/s or 30/min", NULL, RATE_PATTERN, rate_read},
    [KEY_PERCENTAGE] = {"a percentage such as 30%", NULL, PERCENTAGE_PATTERN, percentage_read},
    [KEY_DECIMAL] = {"a number such as 0.99", NULL, NULL, decimal_read},
    [KEY_BELOW] = {"a limit such as '< 50ms'", NULL, "< *" DURATION_PATTERN, below_read},
    [KEY_SWITCH] = {"true or false", NULL, NULL, NULL},
    [KEY_CLIENT] = {"a client such as client-1", NULL, "client-[0-9]+", NULL},
    [KEY_VERB] = {"a target such as client-1 or server-1", "a target, a wire, or commands", NULL,
                  NULL},
    [KEY_UNTIL] = {"a cause such as 'client-2 holds or 3s'", "a cause, a duration, or both", NULL,
                   NULL},
    [KEY_LIMIT] = {"a limit such as acquire.p99 < 50ms", NULL, NULL, NULL},
    [KEY_POINTS] = {"a point such as 'client-1 after read'", "a point, or up to 4 of one client",
                    NULL, NULL},
    [KEY_NAMES] = {"a list of names of a-z, 0-9 and '-'", NULL, "[a-z0-9-]+", NULL},
    [KEY_TEXTS] = {"a list of texts", NULL, NULL, NULL},
    [KEY_PATTERNS] = {"a list of names, globs or traits of schemes", "names, globs, traits", NULL,
                      NULL},
    [KEY_SECTION] = {"a mapping of keys", NULL, NULL, NULL},
    [KEY_SECTIONS] = {"a list", "a list of mappings", NULL, NULL},
};

static void write_number(enum key_type type, int64_t number, struct text *out)
{
    if (type == KEY_DURATION || type == KEY_OFFSET)
        duration_write(number, out);
    else if (type == KEY_RATE)
        rate_write(number, out);
    else if (type == KEY_DECIMAL)
        text_format(out, "%g", (double)number / 1000);
    else
        text_format(out, "%lld", (long long)number);
}

void key_wanted(const struct key *key, const struct vocabulary *vocabulary, struct text *out)
{
    if (key->type == KEY_CHOICE) {
        text_join(out, key->choices, "or");
    } else if (key->type == KEY_WORD || key->type == KEY_WORDS) {
        text_add(out, key->type == KEY_WORDS ? "a list of " : "");
        text_join(out, words_of(vocabulary, key->words), "or");
    } else if (key->least == key->most && key->most != 0) {
        text_format(out, "%lld", (long long)key->most);
    } else {
        text_add(out, key_forms[key->type].noun);
        if (key->type >= KEY_WHOLE && key->type <= KEY_DECIMAL) {
            text_add(out, " from ");
            write_number(key->type, key->least, out);
            text_add(out, " to ");
            write_number(key->type, key->most, out);
        }
        if (key->word != NULL)
            text_format(out, ", or %s", key->word);
    }
}
