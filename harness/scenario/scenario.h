// A scenario file, bound and validated: plain data that every later room reads.
#ifndef LOCKPICK_SCENARIO_SCENARIO_H
#define LOCKPICK_SCENARIO_SCENARIO_H

#include "harness/base/custom_server.h"
#include "harness/base/error.h"
#include "harness/base/external_client.h"
#include "harness/base/rank.h"
#include "harness/base/server_form.h"
#include "harness/base/url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Of a scenario, NULL-terminated; or all zero.
struct string_list {
    char **items;
    size_t count;
};

// Where in the file something stands, for messages.
struct place {
    int line, column;
};

enum placement { PLACEMENT_FREE, PLACEMENT_SPREAD, PLACEMENT_TOGETHER };

enum moment { MOMENT_BEFORE, MOMENT_AFTER, MOMENT_AT };

// A place in a client where a fault can strike: `client-1 after GET in release`,
// `client-2 worker-1 before write`, `client-1 holds`.
struct point_name {
    int client; // from 1
    int worker; // from 1; 0: whichever worker of the client gets there
    enum moment moment;
    char what[16];  // a command (`GET`), or `read`, `write`, `holds`, `request`: any command
    char phase[12]; // `acquire`, `release`, `renew`, ...; "" for any
};

// Whom a fault strikes, or one side of a wire: `client-1`, `client-1 worker-2`, or a server.
struct target {
    int client; // 0: a server
    int worker; // 0: the whole process
    // `server-2`: the lock's second; `redis-2`, `sentinel-1`: by its node's name; `store`;
    // `leader`: the one that leads when the fault strikes; of a wire also `followers`, `servers`,
    // `clients` and `others`.
    char server[20];
};

// True if it is a server of the guarded value: `store`, `store-2`.
bool target_is_store(const struct target *target);

enum cause_kind {
    CAUSE_NONE,
    CAUSE_HOLDS,
    CAUSE_READS,
    CAUSE_WRITES,
    CAUSE_RELEASES,
    CAUSE_DIES,
    CAUSE_TRIES,
    CAUSE_RENEWS,
    CAUSE_LOSES,
    CAUSE_LEASE_GONE, // the server does not have the client's lock any more
    CAUSE_LEADS,      // a server leads
    CAUSE_SERVES,     // a server answers
    CAUSE_OVER,       // an earlier fault is over
};

// Something that happens: `client-2 holds`, `client-2 worker-1 writes`, `lease of client-1 gone`,
// `server-2 is leader`. What a client does counts only if it happens after the fault is in effect.
struct cause {
    enum cause_kind kind;
    struct target target; // who does it, or whose lease it is; not for CAUSE_OVER
    char fault[33];       // CAUSE_OVER: its name
    int fault_number;     // and its number
};

#define MAX_ALTERNATIVES 4
#define MOST_FAULTS 128    // of one scenario: as many as there are traps for
#define MAX_SIDE 8         // names on one side of a wire
#define NO_BOUND INT64_MAX // as a bound: until the trial ends

// What a fault can strike.
enum {
    STRIKES_CLIENT = 1, // a client process
    STRIKES_WORKER = 2,
    STRIKES_SERVER = 4,
    STRIKES_WIRE = 8, // what is between two groups of nodes
    STRIKES_BY_COMMAND =
        16, // whatever its command does, of which the servers are taken to be struck
};

enum lasting {
    LASTS_NEVER,   // it strikes once; nothing heals it
    LASTS_IF_TOLD, // for good, or until `until` brings the server back
    LASTS_BRIEFLY, // until it is healed: without `until` at once
    LASTS_ON,      // until it is healed: without `until` when the trial ends
    LASTS_BOUNDED, // until it is healed: `until` must say when
};

// What a fault does to its target: rules about its consequences ask for these, never for its name.
enum {
    FAULT_STOPS = 1,             // stands still until it is healed
    FAULT_KILLS = 2,             // its process ends
    FAULT_EMPTIES = 4,           // the server has certainly lost the lock
    FAULT_MAY_FORGET = 8,        // the server may have lost the lock, by `how` or by luck
    FAULT_SEVERS = 16,           // nothing passes the wire while it lasts
    FAULT_SLOWS = 32,            // what passes the wire comes late
    FAULT_DISCONNECTS = 64,      // connections end, and sessions that live by them
    FAULT_MOVES_CLOCK = 128,     // its clock goes wrong
    FAULT_MOVES_LEADER = 256,    // another server leads from then on
    FAULT_REFUSES = 512,         // the server refuses requests
    FAULT_HINDERS_DISK = 1024,   // something must stand between the server and its disk
    FAULT_SHOWS_AT_START = 2048, // what it does to a server's data shows when that starts again
    FAULT_BY_COMMAND = 4096,     // what it does only its author knows: it is proven to be no cause
    FAULT_LOSES_DATA = 8192,     // the server has lost some of what it had stored, or all of it
    FAULT_LOSES_LOCK = 16384,    // once it is in effect, the server has no longer what it had of it
    FAULT_SPARES_SESSIONS =
        32768, // of the connections that end none is one that a session lives by
};

// In `of` of `random`: the answer to a request of a client's vanishes on its way back.
#define LOST_REPLY "lost-reply"

// How a fault is written down.
struct fault_form {
    const char *name;
    unsigned strikes; // STRIKES_*
    unsigned traits;  // FAULT_*
    enum lasting lasting;
    // Whether a server of that kind can be struck, if it keeps what `persistence` says; if not,
    // `why` says the reason. NULL: any can.
    bool (*can_strike)(const struct fault_form *form, const char *server,
                       enum persistence persistence, struct error *why);
    const char *drawn_also_as; // by `random`, for an effect of its own: LOST_REPLY; NULL: it is not
    const char *const *hows;   // what `how` may be, the usual one first; NULL: it has no ways
    // Of each of `hows`, in their order, the form of the fault that strikes in that way; NULL: all
    // have this one.
    const struct fault_form *const *ways;
    const char *const *options; // keys that only it takes (`by`, `share`, ...); NULL: none
    // How it is told in a story, with {target}, or {a} and {b}, {between} and {are} of a wire;
    // {by}, {share}, {how}, {goes-wrong} (what a clock does), {next} (who leads then) and {found}
    // (what the fault noted when it struck). NULL: as it is written in the scenario.
    const char *told;
    const char *told_one_way; // of a wire fault: one way only; NULL: the same
    const char *then;         // what comes of it some time after; NULL: nothing
    const char *over;         // its end
    // What became of a lock that a server has lost by it, with {who}, and what prevents that.
    const char *lost;
    const char *mitigation;
};

struct fault_instance {
    int number;             // from 1, in the order of the file
    const char *verb;       // `pause`, `kill`: the name of a fault in the vocabulary
    struct fault_form form; // its own, of the way in which it strikes
    struct target target;
    // Faults on wires: between which nodes. `target` is the first of the first side.
    struct target sides[2][MAX_SIDE];
    size_t side_counts[2];
    bool one_way;                               // only what goes from the first to the second
    struct point_name points[MAX_ALTERNATIVES]; // `when:`; the first one reached triggers
    size_t point_count;
    struct cause cause; // `when:` a cause instead of points
    int64_t nth;        // the nth time the point is reached, from 1
    // `at:` time after the start, or from which on its points count; -1 if triggered otherwise
    int64_t at_ns;
    bool drawn;         // by `random:`; it counts if it strikes, and is no demand
    int64_t every_ns;   // `every:` again and again; 0: once. Written out before a run
    char *settled;      // with `every_ns`: all else that was said of it, for scenario_as_run
    char *name;         // optional
    char *after_name;   // `after:` the name of an earlier fault that must be in effect first
    int after;          // its number, or 0
    struct cause until; // CAUSE_NONE: until the bound
    int64_t bound_ns;   // heal at the latest then; NO_BOUND; -1: a fault that does not heal (kill)
    char *how;          // one of the fault's ways; NULL: its usual one
    int64_t by_ns;      // delay: how long; clock: how far it jumps, back if negative
    // delay: up to so much more or less; of others with `every_ns`: each time so much earlier or
    // later
    int64_t jitter_ns;
    int64_t rate;                          // clock: percent of the normal rate, from then on
    int64_t share;                         // loss: percent of the packets
    char *to;                              // upgrade: a program; NULL: not said
    struct string_list start, proof, undo; // exec: commands, word by word; `undo` may be none
    char *text; // as people read it: "pause client-1 after read until client-2 writes"
    struct place place;
};

enum expected_verdict { EXPECT_SAFE, EXPECT_UNSAFE, EXPECT_STUCK };

struct expectation {
    struct string_list schemes;   // names, globs or traits
    struct string_list workloads; // labels of the file's; none: all
    enum expected_verdict verdict;
    struct string_list because; // properties that must be found violated
    struct string_list allow;   // properties that may be found violated besides
    struct place place;
};

// What can be limited. The latencies come first: each needs a percentile.
enum metric {
    METRIC_ACQUIRE,
    METRIC_ACQUIRE_UNCORRECTED,
    METRIC_RELEASE,
    METRIC_HOLD,
    METRIC_HAND_OFF,
    METRIC_TOLD,
    METRIC_THROUGHPUT,   // grants each second
    METRIC_VIOLATIONS,   // of any property that did harm
    METRIC_JAIN,         // Jain's index of the workers' shares
    METRIC_COMMANDS,     // to servers, for each grant
    METRIC_LONGEST_WAIT, // of any acquire, granted or not
    METRIC_RECOVERY,     // from a fault's taking effect to the first grant after it
    METRIC_UNAVAILABLE,  // nobody was granted the lock after a fault, although somebody wanted it
    METRIC_LEADERLESS,   // no leader acted, after a fault
    METRIC_EXPIRED,      // grants of whose lease nothing was left when they came
    METRIC_COUNT
};

// What values a metric takes; of a time the bound is in nanoseconds.
enum metric_unit { UNIT_TIME, UNIT_RATE, UNIT_COUNT, UNIT_NUMBER, UNIT_SHARE };

struct metric_form {
    const char *name; // "acquire", "throughput": without a percentile
    enum metric_unit unit;
    const char *meaning;
};

extern const struct metric_form metric_forms[METRIC_COUNT];

static inline bool metric_is_latency(enum metric metric)
{
    return metric <= METRIC_TOLD;
}

// What its bound must be: "a duration such as 50ms".
const char *metric_wanted(enum metric metric);

// Those of two signs first, as they are read.
enum relation { RELATION_AT_MOST, RELATION_AT_LEAST, RELATION_IS, RELATION_BELOW, RELATION_ABOVE };

extern const char *const relation_names[]; // "<="; NULL-terminated

struct limit {
    enum metric metric;
    enum percentile percentile; // of a latency
    enum relation relation;
    double bound;  // in nanoseconds, each second, or plain
    char text[64]; // "acquire.p99 < 50ms"
};

// What the measured figures must be; see harness/report/run_report.h.
struct threshold {
    struct limit limit;
    struct string_list schemes; // names, globs or traits; none: all
    struct place place;
};

// Whether reads and writes of the guarded value are one transaction of its store, and on which side
// of its COMMIT the lock is released.
enum boundary { BOUNDARY_NONE, BOUNDARY_INNER, BOUNDARY_WRAPPED };

// When operations come at a rate: as of users who know nothing of each other, or all gaps equal.
enum arrival_kind { ARRIVALS_POISSON, ARRIVALS_FIXED };

#define MOST_PHASES 32

#define KEYS_OWN (-1)
#define MOST_KEYS 1024 // of workers with a lock of their own each

// A stretch of the trial with a load of its own.
struct load_settings {
    int64_t for_ns;  // how long it lasts; 0: until the work is done
    int64_t clients; // how many take part, from client-1; 0: all
    int64_t rate;    // operations that begin each hour, however long they take; 0: a closed loop
    int64_t to;      // a ramp: it goes from `rate` to that; 0: none
    enum arrival_kind arrivals;
    bool warm_up; // costs are not measured in it
    // The highest rate is looked for, from `rate` on, at which acquires stay below these; one of
    // them: 0 is no limit.
    struct percentiles find;
    struct place place;
};

struct workload_settings {
    char *kind;  // `increment`, `oversell`, ...
    char *store; // `shm`, `redis`, `mysql`; `same`: on the lock's own server
    enum boundary boundary;
    bool fenced;        // the store refuses writes that carry an old fencing token
    int64_t operations; // in all, shared by the workers; 0: by time
    int64_t for_ns;     // run for that long, in all phases together; 0: by operations
    int64_t warm_up_ns; // how long of it, from the start, is a warm-up: the first phase
    int64_t keys;       // how many locks there are, each with a value of its own; KEYS_OWN: one for
                        // each worker; 0: one
    int64_t skew;       // exponent of Zipf's law for them, in thousandths; 0: all alike
    int64_t hold_ns;    // work between reading and writing back
    int64_t think_ns;   // pause between a worker's operations
    int64_t stock;      // oversell: units for sale
    int64_t buyers;     // oversell: buyers in all
    int64_t jobs;       // draw: each to be done once
    int64_t depth;      // nested: how often one operation locks
    int64_t readers;    // readers: how many of a hundred operations only read
    int64_t permits;    // permits: how many may hold at once
    int64_t attempts;   // jobs: how often one is given out at most; 0: as often as it takes
    int64_t acts;       // leader: how many acts a term has at most
    int64_t every_ns;   // leader: from the beginning of one act to that of the next
};

// A server of the scenario's own, as bound: the lists of `server` are these.
struct custom_settings {
    struct custom_server server;
    struct string_list command, environment, ready_command, leads, requests;
    enum custom_ending { CUSTOM_SIGTERM, CUSTOM_SIGINT, CUSTOM_SIGQUIT } ending;
};

// How the servers of one kind are to be.
struct server_settings {
    const char *kind; // NULL after the last
    char *topology;   // NULL: what the scheme asks for
    int64_t nodes;    // servers that hold data; 0: as many as is usual
    enum persistence persistence;
    char *binary;            // what is started, in PATH or a full path; NULL: the kind's program
    char *external;          // a URL; NULL: Lockpick boots its own
    char *password;          // of that: where it is (password_read); NULL: there is none
    char *sentinel_password; // of its sentinels, likewise
    struct tls_settings tls;
    // The machines that it is booted on, one server after the other, and the command that starts an
    // agent there; none: this one.
    struct string_list hosts, launch;
    struct custom_settings custom; // its command is empty unless the kind is a scenario's own
};

#define MAX_SERVER_KINDS 12

#define MOST_CLIENT_PROCESSES 64 // processes

struct clients_settings {
    int64_t processes;
    int64_t threads;
    enum placement placement;
    struct target start_first; // the others start once that client holds the lock, has given up,
                               // or was struck by a fault; client 0: all start together
};

struct lock_settings {
    int64_t lease_ns;
    int64_t wait_ns;        // how long one acquire keeps trying
    int64_t retry_ns;       // pause between two attempts
    int64_t request_ns;     // time-out of one request to a server
    int64_t stuck_after_ns; // nobody granted for so long while somebody waits: the trial ends
    int64_t told_ns;        // a holder is told of a loss within that; 0: nothing is stated
};

// `exec:` or `plugin:`, as bound: a scheme of the scenario's own.
struct exec_settings {
    struct external_client client; // its lists are these
    struct string_list command, traits, topologies, needs, hosts, launch;
};

// Faults drawn at random, for soak runs.
struct random_settings {
    struct string_list of; // verbs, and LOST_REPLY; none: nothing is drawn
    struct string_list at; // `times`, `points`
    bool beyond;           // also what the scheme does not promise to survive
    int64_t every_ns;
    int64_t jitter_ns;  // each comes up to so much earlier or later
    int64_t for_ns;     // none comes later; 0: for as long as the workload says
    int64_t lasting_ns; // how long those last that can be healed
};

struct scenario {
    struct scenario *next; // the same file with the next of its workloads; NULL for the last
    char *path;
    char *source; // the file's text, as read
    char *label;  // of its workload: "increment", "increment-fenced", "oversell-wrapped"
    // All that was said, `--set`s included, but for `faults` (an item a line), `random`, `seed` and
    // `trial`:
    // for scenario_as_run.
    char *settled;
    char *settled_faults;
    char *settled_random; // `random`, a line; "": none
    int64_t version;
    char *name;
    char *about;
    struct workload_settings workload;
    struct clients_settings clients;
    struct load_settings *load; // phases, in their order; none: all of the trial is one closed loop
    size_t load_count;
    struct lock_settings lock;
    struct server_settings servers[MAX_SERVER_KINDS + 1];
    struct string_list schemes;  // patterns; those of `execs` are among them by their names
    struct exec_settings *execs; // schemes that the scenario brings along
    size_t exec_count;
    struct vocabulary *vocabulary; // its own, with them; NULL if it brings none
    struct fault_instance *faults;
    size_t fault_count;
    struct random_settings random;
    struct expectation *expectations;
    size_t expectation_count;
    struct threshold *thresholds;
    size_t threshold_count;
    bool verdict_only;           // nobody asks what it costs
    struct string_list schedule; // moves (moves.h), one after the other; none: clients go freely
    bool is_explored;            // its clients go step by step, and time passes only as is said
    int64_t repeat;
    char *trial;      // only that one, with what was drawn for it: "SCHEME--2"; NULL: all
    int64_t seed;     // 0: drawn when the run starts
    int64_t limit_ns; // the longest that a trial may take
};

// The most operations that a scenario can ask for.
#define MOST_OPERATIONS 5000000

// How many locks the workers have in all, at least 1.
int64_t scenario_key_count(const struct scenario *scenario);

// True if each lock is one worker's own, so that nobody ever competes for it.
bool scenario_has_no_rivals(const struct scenario *scenario);

// True if something strikes, written down or drawn.
bool scenario_has_faults(const struct scenario *scenario);

// True if its trials measure what a lock costs: nothing strikes, and somebody asks for figures.
bool scenario_measures(const struct scenario *scenario);

// How many operations a phase of an open loop lets begin in `for_ns`, on average.
double load_operations(const struct load_settings *phase);

// The most that one operation may still have to wait for: acquire, give back, read, write, release,
// each perhaps after a new connection and a script sent whole.
#define REQUESTS_PER_OPERATION 15

// A release whose requests time out as they should has come back by then, whatever answers them;
// one that has not is not coming back. In nanoseconds, from when the last fault was over.
int64_t longest_release_ns(const struct lock_settings *lock);

// What a scenario needs to know of a scheme.
struct scheme_form {
    const char *const *traits;
    const char *server;   // the kind that it locks with; NULL: it needs none
    const char *topology; // how they belong together unless a scenario says otherwise
};

// The number of the fault of that name among the first `count`, or 0; `name` may be NULL.
int fault_number_of(const struct scenario *scenario, size_t count, const char *name);

// True if the fault itself takes that key (`by`, `share`, ...).
bool fault_takes(const struct fault_instance *instance, const char *option);

// True if the fault has any of these traits, by the way in which it strikes.
bool fault_can(const struct fault_instance *instance, unsigned traits);

// Gives it the form of its way, from which on all that is known of it is read.
void fault_choose_way(struct fault_instance *instance);

// True if it strikes what goes between clients and servers, which need not be ours then
// (harness/cluster/gateway.h).
bool fault_is_between(const struct fault_form *form);

// A key of `workload`, and why a rule about it holds.
struct key_rule {
    const char *key; // NULL: the list ends
    const char *why;
};

// What the keys of `workload` mean to one kind of it; NULL: no such keys.
struct workload_form {
    const struct key_rule *own;     // mean nothing to other kinds
    const struct key_rule *needs;   // cannot be left out
    const struct key_rule *refuses; // mean nothing to it
    bool ends_with_its_work;        // how much there is to do is said by its own keys
    const char *trait;              // that a scheme must have for it; NULL: none
    const char *why_only;           // schemes of that trait are for no other; NULL: they are
    bool takes_others;              // schemes without that trait, too
    bool has_jobs;                  // each lock is a job, and the trial is over once all are done
};

// Where a property cannot be broken.
struct property_form {
    const char *const *workloads; // kinds in which alone it can; NULL: all
    const char *needs;            // `workload.fenced`: without that it cannot; NULL: none
    const char *why_not;          // as it is said where it cannot
};

// What names may occur in a scenario; each array is NULL-terminated. The caller fills it from the
// catalogues, so that this room needs none of them.
struct vocabulary {
    const char *const *schemes;
    const struct scheme_form *scheme_forms; // of `schemes`, in their order
    const char *const *traits;              // every trait there is
    const char *const *workloads;
    const struct workload_form *workload_forms; // of `workloads`, in their order
    const char *const *stores;
    const char *const *store_servers; // of `stores`, in their order: the kind of server, or NULL
    const char *const *transactional; // those of them that know transactions
    const char *const
        *none_and_servers; // "none", then the kinds of servers that locks are made with
    const struct server_form *server_forms; // of those, in their order
    const char *const *faults;
    const struct fault_form *fault_forms;       // of `faults`, in their order
    const char *const *draws;                   // what `random: {of: ...}` may name
    const char *const *commands;                // command names that a point can stand at
    const char *const *protocols;               // that a proxy can understand
    const char *const *properties;              // what `because` may name
    const struct property_form *property_forms; // of `properties`, in their order
    const struct topology_form *topologies;     // the last one's name is NULL
};

// `--set clients.threads=8`
struct override {
    const char *path;
    const char *value;
};

// Every diagnostic about a file, each `file:line:col: message`, one a line.
struct diagnostics {
    struct diagnostic *items;
    size_t count;
    size_t made; // with those that were known already: none since then means that all is well
};

// What a key of that section, or a fault there, is called today, of a word that older scenario
// files and results have; NULL if it was never renamed.
const char *word_of_today(const char *section, const char *old);

// Reads, binds and validates a scenario file. One that a run has stored may have words of its time;
// any other is refused with the word of today in the diagnostic. 0 with *scenario set (free with
// scenario_free, which frees its `next` too), or -1 after adding one diagnostic for each thing that
// is wrong, all in one pass.
int scenario_load(const char *path, bool is_stored, const struct vocabulary *vocabulary,
                  const struct override *overrides, size_t override_count,
                  struct scenario **scenario, struct diagnostics *diagnostics);

// The same from text in memory; `path` is only for messages.
int scenario_parse(const char *path, const char *text, size_t length,
                   const struct vocabulary *vocabulary, const struct override *overrides,
                   size_t override_count, struct scenario **scenario,
                   struct diagnostics *diagnostics);

void scenario_free(struct scenario *scenario);

struct diagnostics *diagnostics_new(void);
void diagnostics_print(const struct diagnostics *diagnostics, FILE *out);
void diagnostics_free(struct diagnostics *diagnostics);

bool string_list_has(const struct string_list *list, const char *word);
void string_list_add(struct string_list *list, const char *word); // a copy
void string_list_free(struct string_list *list);
#define AUTO_LIST __attribute__((cleanup(string_list_free))) // as those of base/scope.h

// True if `pattern` (a name, a glob, or a trait) means the scheme.
bool scheme_is_meant(const char *pattern, const char *scheme, const char *const *traits);

// Appends " (did you mean 'redlock'?)", or "the trait 'fair'", or nothing, of a pattern that means
// no scheme.
void scheme_advise(const char *pattern, const struct vocabulary *vocabulary, struct text *out);

// True if a pattern of the list means the scheme.
bool patterns_mean(const struct string_list *patterns, const char *scheme,
                   const char *const *traits);

// The words of the scenario: with the schemes that it brings along, if there are any; they live as
// long as it does.
const struct vocabulary *scenario_vocabulary(const struct scenario *scenario,
                                             const struct vocabulary *vocabulary);

// What is to be known of that kind of server, or NULL; `kind` may be NULL.
const struct server_form *server_form_find(const struct vocabulary *vocabulary, const char *kind);

// The scheme of that name that the scenario brings along, or NULL.
const struct external_client *scenario_external_client(const struct scenario *scenario,
                                                       const char *scheme);

// True if the expectation is about the scenario's workload.
bool expectation_counts(const struct scenario *scenario, const struct expectation *expectation);

// The topology and the number of servers that hold data, of a scheme's own servers as the scenario
// wants them; *count is 0 if it has none, or if they are somebody else's. NULL if it is not known.
const struct topology_form *scenario_topology(const struct scenario *scenario,
                                              const struct scheme_form *scheme,
                                              const struct vocabulary *vocabulary, int *count);

// Reads `external` of a kind of server; *is_by_tls: TLS is to be spoken. 0, or -1 with `error` set
// to what is wrong with it, or to what of it, of `password` or of `tls` would be ignored.
int external_read(const char *kind, const struct server_form *form,
                  const struct server_settings *settings, struct url *url, bool *is_by_tls,
                  struct error *error);

// How the scenario wants servers of that kind to be; never NULL.
const struct server_settings *scenario_server(const struct scenario *scenario, const char *kind);

// Whether the scenario tries that scheme of the vocabulary: its `schemes` mean it, and the workload
// is one for rate limiters if and only if it is one, unless it is called by its name.
bool scenario_tries(const struct scenario *scenario, const struct vocabulary *vocabulary,
                    size_t scheme);

// The first expectation that means the scheme, or NULL.
const struct expectation *scenario_expectation(const struct scenario *scenario, const char *scheme,
                                               const char *const *traits);

// True if some of its faults are still to be drawn from a seed: `random:`, `every:`.
bool scenario_is_open(const struct scenario *scenario);

// True if some of its faults were drawn: it is one trial of a scenario with `random:`.
bool scenario_was_drawn(const struct scenario *scenario);

// The scenario as a file that does the same again with that seed: `--set`s are written down, and
// `drawn`, a line for each fault that was drawn ("": none; NULL: `random` stays). With `trial`
// ("SCHEME--2"; NULL: all) only that one. The caller frees it.
char *scenario_as_run(const struct scenario *scenario, uint64_t seed, const char *drawn,
                      const char *trial);

// Reads `METRIC < VALUE` (or <=, >, >=, ==). 0, or -1 with `error` set to what is wrong with it.
int limit_read(const char *text, struct limit *limit, struct error *error);

// True if the measured figure, in the unit of the bound, is as the limit says.
bool limit_is_met(const struct limit *limit, double measured);

// `lockpick help scenario`: the reference of every key, from the same table that binds them.
void scenario_print_reference(FILE *out, const struct vocabulary *vocabulary);

// A JSON schema of the same, for editors. The caller frees.
char *scenario_schema(const struct vocabulary *vocabulary);

#endif
