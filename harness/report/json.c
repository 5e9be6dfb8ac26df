// result.json, for machines. Schema "lockpick-result-1"; fields are only ever added to it.
//
// That of `lockpick report --brief`, which fits into a repository, is without all that is of no use
// without the run's folder, or stands in the scenarios beside it. Of each trial it has the name,
// the scenario's name, the scheme, the repeat, the seed, the verdict with its reason, what was
// expected, and the findings that are violated or undecided, without evidence; `statistics`,
// `liveness`, `fairness`, `herd`, `evidence` and `folder` are null, and `story` is "". Of `costs`
// it has those of scenarios without faults.
//
// Names that end in _ns are integers, in nanoseconds. Those that end in _at_ns are times since the
// trial's barrier opened; the others are durations. null means never, not recorded, or not
// applicable: nothing is NaN. Seeds are strings of decimal digits, as they need all of 64 bits.
//
//  schema          string   "lockpick-result-1"
//  folder          string   the run's
//  seed            string
//  planned         integer  trials in the plan
//  finished        integer  trials in this file, one that was interrupted included
//  duration_ns     integer  of the whole run
//  exit_code       integer  as `lockpick report` ends with: 0, 1, 3, 4 or 5; so does `lockpick run`
//                           unless it is interrupted
//  summary         object   met, missed, without_expectation, inconclusive, errors, skipped,
//                           not_run: integers; sentence: string
//  plots           object   available: boolean; note: string (why there are none)
//  remarks         array of strings: what bears on all of it, as of runs that were merged
//  environment     object   see below
//  costs           array    of each scenario × scheme, over its repeats: see below
//  thresholds      array, of each threshold of a scenario × scheme:
//    scenario, scheme  strings
//    threshold     string   as it is said: "acquire.p99 < 50ms"
//    line          integer  of the scenario's file, unless it was set on the command line
//    metric        string   "acquire"
//    percentile    number or null: 99.9; 100 is the longest
//    relation      string   "<", "<=", ">", ">=" or "=="
//    bound, measured  numbers: nanoseconds, each second, or plain; measured: null if there is none
//    result        string   "met", "missed" or "not measured"
//    driver_bound  boolean  the driver was the limit in at least one repeat
//    reason        string   why it counts as not measured; "" if it does not
//  trials          array of
//    name          string   also of its folder
//    scenario      object   see below
//    scheme        string
//    topology      string   of the lock's servers: "single", "cluster", ...
//    traits        array of strings
//    repeat        integer  from 1
//    seed          string
//    lanes         integer  how many trials were conducted at a time, this one included; 0: not run
//    cut_short     boolean  it was interrupted or killed, and is judged by what it had recorded
//    verdict       string   SAFE, UNSAFE, STUCK, UNKNOWN, SKIPPED, ERROR or n/a
//    reason        string   one sentence
//    expectation   object   result: "met", "missed" or "none"; text: string
//    findings      array of
//      property    string   as in a scenario's `because:`
//      summary     string   the property in one line
//      state       string   kept, violated, undecided or irrelevant
//      harmless    boolean  violated, but something else took the harm away
//      count       integer  violations
//      text        string   what was found
//      windows     object or null: count; min_ns, median_ns, p90_ns, max_ns
//      evidence    object or null (if not violated): from_at_ns, to_at_ns: integers;
//                           holds, accesses: arrays of integers, their numbers from 0 in the order
//                           of the grants
//    statistics    object or null (without a history): see below
//    liveness, fairness, herd  objects or null: see below
//    story         string   "" if there is nothing to tell
//    evidence      object or null (nothing was violated): of the violation that the story tells.
//                           Times are seconds since the start, as in the story
//      property    string
//      lock        integer or null: its number, where there are several
//      from_s, to_s, overlap_s  numbers: the violation itself; for how long two believed to hold
//      cause       object   id: string, of the table in harness/explain/causes.c (kind: the same);
//                           certainty: "proven" (by the history or the wire), "possible" or
//                           "unexplained"; text: string; fault: object or null (number, verb,
//                           from_s, to_s)
//      remedy      string
//      holds       array of objects: hold, client, worker, operation: integers; shared: boolean;
//                           asked_s, granted_s, lease_until_s, released_s, answered_s, died_s:
//                           numbers or null; answer: string or null; token: integer or null;
//                           stretched: object or null (by: "fault", "stall" or "work"; length_s;
//                           fault); grant_event, release_event: integers or null, from 0:
//                           where in the history (`lockpick history` prints an event a line)
//      accesses    array of objects: access, client, worker, operation, event: integers; kind:
//                           "read" or "write"; asked_s, answered_s; value, seen, token: integers or
//                           null; outcome: string
//      store       object   initial, final, acknowledged, lost: integers or null
//      also        array of strings: properties that the same holds broke
//      besides     array of strings: those of which that is not proven
//      others      array of objects: the accounts of these, in short: property, count, from_s,
//                           cause, remedy, also
//    folder        string or null
//    files         array of strings: names of the pictures in the folder; below 10 acquires there
//                           are none of the latency
//
// Percentiles are objects or null (nothing measured) of count, p50_ns, p90_ns, p95_ns, p99_ns,
// p999_ns, p9999_ns, max_ns. Those of a trial are exact values, by nearest rank; those of `costs`
// are read from merged histograms, to three digits.
//
//  environment     object   lockpick_version, kernel, processor, servers, isolation, clock_source,
//                           began, placement, durability: strings; governor: string or null;
//                           processors, lanes (the most trials that were conducted at a time):
//                           integers; load_at_begin, load_at_end: arrays of three numbers, as in
//                           /proc/loadavg, or null
//  costs           array, of each scenario × scheme with a history, over its repeats:
//    scenario, scheme  strings
//    repeats       integer
//    holds_per_second, fairness  objects or null: median, least, most of the repeats
//    acquire, acquire_uncorrected, release, hold, hand_off, told  percentiles, as below
//    commands_per_hold  number or null
//    longest_wait_ns integer  of any repeat
//    violations    integer  of any property that did harm, in all repeats
//    expired_grants  integer or null: as in statistics, in all repeats
//    driver_bound  integer  repeats that were
//    late          array of strings: figures of acquire that tell of the driver in any repeat
//    histograms    object   acquire, acquire_uncorrected, release, hold, hand_off, told: strings or
//                           null: all repeats merged, as V2 encoded HdrHistogram in base64
//  statistics      object or null (without a history). Of the counted time, which leaves out
//                  warm-ups, unless it says otherwise
//    duration_ns   integer  barrier to stop, warm-up included
//    counted_ns    integer  how much of it counts
//    holds, not_held, unknown  integers  acquires granted, given up, of unknown outcome
//    expired_grants  integer or null (none had a lease): those of whose lease nothing was left when
//                           they came, so that who looks at it will not work
//    open, longest_open_ns  integers  of those that were not granted: how many were cut off by the
//                           end of the trial, or of their worker, and for how long any had waited
//    writes, refused_writes, unknown_writes  integers  of the whole trial
//    holds_per_second, attempts_per_hold, fairness (Jain's index)  numbers; null: nothing granted
//    commands_per_hold  number or null: requests for each grant
//    times         of an external program only: object of booleans: own_clock (acquire and release
//                           are timed by it), own_loop (and it ran the loop), proxied (its requests
//                           passed a proxy)
//    acquire       percentiles  in an open loop, from the intended beginning
//    acquire_uncorrected  percentiles: from the invocation; null in a closed loop: as `acquire`
//    acquire_on_time  percentiles: `acquire` without the driver's lateness; null: closed loop
//    release, hold, hand_off, told  percentiles; `told`: from a loss until its holder is told or
//                           stops; null without a loss
//    lateness      percentiles: the driver's own, see harness/stats/latencies.h; null: closed loop
//    load          object or null (closed loop): due, begun: integers, operations
//    phases        array, of each phase of the load, in their order; empty: it has none:
//      from_ns, to_ns  integers: since the barrier
//      clients, rate_per_1000_s (0: a closed loop; of a ramp: it begins with)  integers
//      counts        boolean  false: a warm-up
//      grants, due, held  integers: grants in it; operations of an open loop that were to begin in
//                    it, and of these, that did before it was over
//      holds_per_second  number
//      acquire       percentiles  of acquires that were to begin in it
//    least_grants, most_grants  integers: of any worker that asked
//    longest_wait_ns  integer
//    stalls, longest_stall_ns, stalled_ns  integers: times the harness itself stood still
//    worst_stalls  array of {of: "the machine", "the conductor", "client-1", "the driver of
//                           client-1" or the name of a server; from_ns, length_ns: integers, since
//                           the barrier}: the longest ones, see harness/run/observer.h
//    driver_bound  object   is_bound: boolean; reason: string or null; late: array of "p50", "p90",
//                           "p95", "p99", "p99.9", "p99.99", "max": figures of acquire that tell of
//                           the driver, see harness/stats/statistics.h
//    recoveries    array of {fault: integer; after_effect_ns, after_heal_ns: integers or null;
//                           unavailable_ns: integer}: see harness/stats/recovery.h
//    resources     object or null (not recorded): covered_ns, machine_busy_ns, processors,
//                           client_processors (0: not pinned): integers; driver, clients, servers:
//                           objects or null (there were none):
//      processes     integer
//      is_complete   boolean  false: one was killed, and counts up to its last reading
//      processor_ns, kernel_ns  integers
//      voluntary_switches, other_switches  integers or null
//      received_bytes, sent_bytes, received_packets, sent_packets  integers or null
//      A client process is harness and client library in one; a server includes what it forks.
//
// The keys `liveness`, `fairness` and `herd` of each trial. Objects of waits have count, p50_ns,
// p99_ns, max_ns; they count only waits for the next grant during all of which somebody waited.
//
//    liveness      object or null (without a history):
//      after_release   waits or null  from a release
//      after_crash     waits or null  from the death of a holder
//      after_expiry    waits or null  from the end of a lease that its holder had outlived
//      after_heal      waits or null  from the end of a fault
//      heals           array of {fault: integer, wait_ns: integer}: the same, by fault; of several
//                                     locks the longest
//      longest_wait_ns integer        of any acquire, granted or not
//      unserved_ns     integer        for how long before the end somebody waited and nobody was
//                                     granted the lock
//      orphan          boolean        the lock was still on the servers when all had ended, and
//                                     nothing was going to free it; null: nobody could tell
//    fairness      object or null (without a history):
//      workers         integer        that asked for the lock
//      jain            number         Jain's index of their grants
//      least_share, most_share  numbers  the smallest and the largest part of the grants that one
//                                     worker got
//      promised        boolean        the scheme promises the order of asking
//      turns           object or null (nothing can be said):
//        proven          boolean      by places in line that the servers confirmed; false: by the
//                                     order of asking, with a margin
//        margin_ns       integer      the margin; 0 if proven
//        contested       integer      grants while somebody else stood in line
//        out_of_turn     integer      of these, to one who came after one that still waited
//        out_of_turn_share number     of the contested
//        overtaken       integer      waits during which that happened
//        deepest         integer      by how many one of them was overtaken
//        deepest_wait_ns integer      and how long it waited
//    herd          object or null (nobody counted): grants: integer; requests_per_grant,
//                           acquire_requests_per_grant, release_requests_per_grant,
//                           renewals_per_grant, wakeups_per_grant: numbers, the last null where
//                           an external lock does not show them; of clients that lived
//                           to the end
//
// The key `scenario` of a trial: all that was asked of the lock and bears on what it
// costs, so that two results of which this is equal may be compared.
//
//    name, about, path  strings
//    workload      kind, store: strings; fenced: boolean; boundary: "none", "inner" or "wrapped";
//                  operations, stock, buyers, jobs, depth, permits, keys: integers; readers:
//                  integer, in a hundred; skew: number; for_ns, warm_up_ns (of it), hold_ns,
//                  think_ns: integers
//    load          array of phases, none if all is one closed loop: for_ns (null: to the end),
//                  clients: integers; rate, to: numbers each second, or null; arrivals: "poisson"
//                  or "fixed"; warm_up: boolean; find: null, or what a rate that is looked for must
//                  stay below, as in percentiles, without count: integers, 0: no limit
//    clients       processes, threads: integers; placement: "free", "spread" or "together"; lead:
//                  integer, the client that starts first, 0: all together
//    lock          lease_ns, wait_ns, retry_ns, request_ns, stuck_after_ns: integers; told_ns: 0:
//                  not stated
//    servers       object, of each kind ("redis", ...) of which anything was said: topology: string
//                  or null (as the scheme asks for); nodes: integer, 0: as many as is usual;
//                  persistence: "none", "aof-everysec" or "aof-always"; external: boolean, they are
//                  somebody else's
//    faults        array of {number: integer, verb, text: strings}
#include "harness/report/costs.h"
#include "harness/report/fields.h"
#include "harness/report/run_report.h"
#include "harness/report/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *seed_json(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

// --- the scenario --------------------------------------------------------------------------------

static json_t *rate_json(int64_t per_hour)
{
    return per_hour > 0 ? json_real((double)per_hour / 3600) : json_null();
}

static json_t *find_json(const struct load_target *find)
{
    json_t *object = json_object();
    int64_t any_ns = 0;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        any_ns += find->ns[i];
        set_value(object, percentile_forms[i].key, value_integer(find->ns[i]));
    }
    if (any_ns > 0)
        return object;
    json_decref(object);
    return json_null();
}

static json_t *load_json(const struct scenario *scenario)
{
    json_t *array = json_array();
    for (size_t i = 0; i < scenario->load_count; i++) {
        const struct load_settings *phase = &scenario->load[i];
        int64_t clients = phase->clients > 0 ? phase->clients : scenario->clients.processes;
        json_t *object = json_object();
        set_value(object, "for_ns", phase->for_ns > 0 ? value_integer(phase->for_ns) : json_null());
        set_value(object, "clients", value_integer(clients));
        set_value(object, "rate", rate_json(phase->rate));
        set_value(object, "to", rate_json(phase->to));
        set_value(object, "arrivals",
                  value_text(phase->arrivals == ARRIVALS_FIXED ? "fixed" : "poisson"));
        set_value(object, "warm_up", json_boolean(phase->warm_up));
        set_value(object, "find", find_json(&phase->find));
        json_array_append_new(array, object);
    }
    return array;
}

static const struct field work_fields[] = {
    STRING("kind", struct workload_settings, kind),
    STRING("store", struct workload_settings, store),
    FIELDS(struct workload_settings, fenced, operations, for_ns, warm_up_ns),
    {0}};

static const struct field pace_fields[] = {
    FIELDS(struct workload_settings, hold_ns, think_ns, stock, buyers), {0}};

static const struct field shape_fields[] = {
    FIELDS(struct workload_settings, jobs, depth, readers, permits), {0}};

static json_t *workload_json(const struct scenario *scenario)
{
    static const char *const boundaries[] = {"none", "inner", "wrapped"};
    const struct workload_settings *workload = &scenario->workload;
    json_t *object = fields_json(work_fields, workload);
    set_value(object, "keys", value_integer(scenario_key_count(scenario)));
    set_value(object, "skew", json_real((double)workload->skew / 1000));
    fields_set(object, pace_fields, workload);
    set_value(object, "boundary", value_text(boundaries[workload->boundary]));
    fields_set(object, shape_fields, workload);
    return object;
}

static json_t *placement_json(const void *clients)
{
    return value_text(placement_name(((const struct clients_settings *)clients)->placement));
}

static const struct field clients_fields[] = {
    FIELDS(struct clients_settings, processes, threads),
    MADE("placement", placement_json),
    FIELD_AS("lead", struct clients_settings, lead.client),
    {0}};

static const struct field lock_fields[] = {
    FIELDS(struct lock_settings, lease_ns, wait_ns, retry_ns, request_ns, stuck_after_ns, told_ns),
    {0}};

static const struct field fault_fields[] = {FIELD(struct fault_step, number),
                                            STRING("verb", struct fault_step, verb),
                                            STRING("text", struct fault_step, text),
                                            {0}};

static json_t *servers_json(const struct scenario *scenario)
{
    static const char *const persistences[] = {"none", "aof-everysec", "aof-always"};
    json_t *servers = json_object();
    for (const struct server_settings *settings = scenario->servers; settings->kind != NULL;
         settings++) {
        if (settings->topology == NULL && settings->nodes == 0 &&
            settings->persistence == PERSISTENCE_NONE && settings->external == NULL)
            continue;
        json_t *object = json_object();
        set_value(object, "topology", value_text(settings->topology));
        set_value(object, "nodes", value_integer(settings->nodes));
        set_value(object, "persistence", value_text(persistences[settings->persistence]));
        set_value(object, "external", json_boolean(settings->external != NULL));
        set_value(servers, settings->kind, object);
    }
    return servers;
}

static json_t *scenario_json(const struct scenario *scenario)
{
    json_t *object = json_object();
    set_value(object, "name", value_text(scenario->name));
    set_value(object, "about", value_text(scenario->about));
    set_value(object, "path", value_text(scenario->path));
    set_value(object, "workload", workload_json(scenario));
    set_value(object, "load", load_json(scenario));
    set_value(object, "clients", fields_json(clients_fields, &scenario->clients));
    set_value(object, "lock", fields_json(lock_fields, &scenario->lock));
    set_value(object, "servers", servers_json(scenario));
    set_value(object, "faults",
              fields_json_array(fault_fields, scenario->faults, scenario->fault_count,
                                sizeof *scenario->faults));
    return object;
}

// --- findings ------------------------------------------------------------------------------------

static const struct field windows_fields[] = {
    FIELDS(struct distribution, count, min_ns, median_ns, p90_ns, max_ns), {0}};

static json_t *indices_json(const size_t indices[2])
{
    json_t *array = json_array();
    for (size_t i = 0; i < 2; i++) {
        if (indices[i] != SIZE_MAX)
            json_array_append_new(array, value_count(indices[i]));
    }
    return array;
}

static json_t *evidence_json(const struct finding *finding, int64_t started_ns)
{
    const struct evidence *evidence = &finding->evidence;
    json_t *object = json_object();
    set_value(object, "from_at_ns", value_integer(evidence->from_ns - started_ns));
    set_value(object, "to_at_ns", value_integer(evidence->to_ns - started_ns));
    set_value(object, "holds", indices_json(evidence->holds));
    set_value(object, "accesses", indices_json(evidence->accesses));
    return object;
}

static json_t *findings_json(const struct trial_result *result, bool is_brief)
{
    static const struct field fields[] = {
        FIELDS(struct finding, harmless, count, text),
        OBJECT_IF("windows", struct finding, windows, windows_fields, windows.count),
        {0}};
    json_t *array = json_array();
    for (size_t i = 0; i < result->judgement.finding_count; i++) {
        const struct finding *finding = &result->judgement.findings[i];
        bool is_violated = finding->state == FINDING_VIOLATED;
        if (is_brief && !is_violated && finding->state != FINDING_UNDECIDED)
            continue;
        json_t *object = json_object();
        set_value(object, "property", value_text(finding->check->name));
        set_value(object, "summary", value_text(finding->check->summary));
        set_value(object, "state", value_text(finding_state_name(finding->state)));
        fields_set(object, fields, finding);
        set_value(object, "evidence",
                  is_violated && !is_brief ? evidence_json(finding, result->statistics.started_ns)
                                           : json_null());
        json_array_append_new(array, object);
    }
    return array;
}

// --- statistics ----------------------------------------------------------------------------------

// Of an external program.
static json_t *times_json(unsigned source)
{
    return json_pack("{s:b,s:b,s:b}", "own_clock", (source & TIMES_OWN) != 0, "own_loop",
                     (source & TIMES_OWN_LOOP) != 0, "proxied", (source & TIMES_STRAIGHT) == 0);
}

static json_t *phase_rate_json(const void *phase)
{
    return value_number(phase_cost_rate(phase));
}

static const struct field phase_fields[] = {FIELDS(struct phase_cost, from_ns, to_ns, clients),
                                            FIELD_AS("rate_per_1000_s", struct phase_cost, rate),
                                            FIELDS(struct phase_cost, counts, grants),
                                            MADE("holds_per_second", phase_rate_json),
                                            FIELDS(struct phase_cost, due, held, acquire),
                                            {0}};

static json_t *stalls_json(const struct statistics *statistics)
{
    json_t *array = json_array();
    for (size_t i = 0; i < statistics->worst_stall_count; i++) {
        char owner[48];
        const struct stall *stall = &statistics->worst_stalls[i];
        json_t *object = json_object();
        set_value(object, "of", value_text(stall_owner(stall, owner, sizeof owner)));
        set_value(object, "from_ns", value_integer(stall->from_ns));
        set_value(object, "length_ns", value_integer(stall->to_ns - stall->from_ns));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *late_json(const void *bound)
{
    return value_marked(((const struct driver_bound *)bound)->late);
}

static const struct field bound_fields[] = {FIELD(struct driver_bound, is_bound),
                                            FIELD_IF("reason", struct driver_bound, reason, reason),
                                            MADE("late", late_json),
                                            {0}};

static const struct field recovery_fields[] = {
    FIELDS(struct recovery, fault, after_effect_ns, after_heal_ns, unavailable_ns), {0}};

#define IF_KNOWN(name, condition) FIELD_IF(#name, struct resource_use, name, condition)
static const struct field use_fields[] = {
    FIELDS(struct resource_use, processes, is_complete, processor_ns, kernel_ns),
    IF_KNOWN(voluntary_switches, knows_switches),
    IF_KNOWN(other_switches, knows_switches),
    IF_KNOWN(received_bytes, knows_network),
    IF_KNOWN(sent_bytes, knows_network),
    IF_KNOWN(received_packets, knows_network),
    IF_KNOWN(sent_packets, knows_network),
    {0}};
#undef IF_KNOWN

#define USE(name) OBJECT_IF(#name, struct resources, name, use_fields, name.processes)
static const struct field resources_fields[] = {
    FIELDS(struct resources, covered_ns, machine_busy_ns, processors, client_processors),
    USE(driver),
    USE(clients),
    USE(servers),
    {0}};
#undef USE

static json_t *statistics_json(const struct trial_result *result)
{
    static const struct field counts[] = {
        FIELDS(struct statistics, duration_ns, counted_ns, holds, not_held),
        FIELD_IF("expired_grants", struct statistics, expired, leased),
        FIELDS(struct statistics, unknown, open, longest_open_ns, writes, refused_writes,
               unknown_writes, holds_per_second),
        FIELD_IF("attempts_per_hold", struct statistics, attempts_per_hold, holds),
        FIELD(struct statistics, commands_per_hold),
        {0}};
    static const struct field latencies[] = {FIELDS(struct statistics, acquire, acquire_uncorrected,
                                                    acquire_on_time, release, hold, hand_off, told,
                                                    lateness),
                                             {0}};
    static const struct field load[] = {FIELDS(struct statistics, due, begun), {0}};
    static const struct field shares[] = {
        FIELD(struct statistics, longest_wait_ns),
        FIELD_IF("fairness", struct statistics, fairness, holds),
        FIELD_AS("least_grants", struct statistics, turns.least_grants),
        FIELD_AS("most_grants", struct statistics, turns.most_grants),
        FIELDS(struct statistics, stalls, longest_stall_ns, stalled_ns),
        {0}};
    const struct statistics *statistics = &result->statistics;
    const struct phase_costs *phases = &result->latencies.phases;
    const struct recoveries *recoveries = &statistics->recoveries;
    json_t *object = fields_json(counts, statistics);
    if (*costs_mark(result->trial) != '\0')
        set_value(object, "times", times_json(statistics->times));
    fields_set(object, latencies, statistics);
    set_value(object, "load", fields_json(load, statistics->due > 0 ? statistics : NULL));
    set_value(object, "phases",
              fields_json_array(phase_fields, phases->items, phases->count, sizeof *phases->items));
    fields_set(object, shares, statistics);
    set_value(object, "worst_stalls", stalls_json(statistics));
    set_value(object, "driver_bound", fields_json(bound_fields, &statistics->driver_bound));
    set_value(object, "recoveries",
              fields_json_array(recovery_fields, recoveries->items, recoveries->count,
                                sizeof *recoveries->items));
    set_value(object, "resources",
              fields_json(resources_fields,
                          statistics->resources.is_known ? &statistics->resources : NULL));
    return object;
}

// --- liveness, fairness, herd --------------------------------------------------------------------

static json_t *heals_json(const void *liveness)
{
    static const struct field fields[] = {FIELDS(struct heal_wait, fault, wait_ns), {0}};
    const struct liveness *of = liveness;
    return fields_json_array(fields, of->heals, of->heal_count, sizeof *of->heals);
}

static json_t *orphan_json(const void *liveness)
{
    enum leaving left = ((const struct liveness *)liveness)->left;
    return left == LEAVING_UNKNOWN ? json_null() : json_boolean(left == LEAVING_ORPHAN);
}

static const struct field wait_fields[] = {
    FIELDS(struct wait_figures, count, p50_ns, p99_ns, max_ns), {0}};

#define WAITS(name) OBJECT_IF(#name, struct liveness, name, wait_fields, name.count)
static const struct field liveness_fields[] = {
    WAITS(after_release),        WAITS(after_crash),
    WAITS(after_expiry),         WAITS(after_heal),
    MADE("heals", heals_json),   FIELDS(struct liveness, longest_wait_ns, unserved_ns),
    MADE("orphan", orphan_json), {0}};
#undef WAITS

static json_t *share_json(size_t part, size_t whole)
{
    return value_number(whole > 0 ? (double)part / (double)whole : NAN);
}

static json_t *turns_json(const struct fairness *turns)
{
    static const struct field counts[] = {
        FIELDS(struct fairness, margin_ns, contested, out_of_turn), {0}};
    static const struct field waits[] = {
        FIELDS(struct fairness, overtaken, deepest, deepest_wait_ns), {0}};
    if (turns->order == ORDER_UNKNOWN)
        return json_null();
    json_t *object = json_object();
    set_value(object, "proven", json_boolean(turns->order == ORDER_QUEUED));
    fields_set(object, counts, turns);
    set_value(object, "out_of_turn_share", share_json(turns->out_of_turn, turns->contested));
    fields_set(object, waits, turns);
    return object;
}

static json_t *fairness_json(const struct trial_result *result)
{
    const struct fairness *turns = &result->statistics.turns;
    json_t *object = json_object();
    set_value(object, "workers", value_count(turns->workers));
    set_value(object, "jain", value_number(turns->grants > 0 ? turns->jain : NAN));
    set_value(object, "least_share", share_json(turns->least_grants, turns->grants));
    set_value(object, "most_share", share_json(turns->most_grants, turns->grants));
    set_value(object, "promised", json_boolean(trial_has_trait(result->trial, "fair")));
    set_value(object, "turns", turns_json(turns));
    return object;
}

static json_t *herd_json(const struct herd *herd)
{
    const struct {
        const char *key;
        int64_t count;
    } figures[] = {
        {"requests_per_grant", herd->acquire_requests + herd->release_requests},
        {"acquire_requests_per_grant", herd->acquire_requests},
        {"release_requests_per_grant", herd->release_requests},
        {"renewals_per_grant", herd->renewals},
        {"wakeups_per_grant", herd->wakeups},
    };
    json_t *object = json_object();
    set_value(object, "grants", value_count(herd->grants));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        set_value(object, figures[i].key, value_number(herd_per_grant(herd, figures[i].count)));
    return object;
}

// --- a trial -------------------------------------------------------------------------------------

static json_t *files_json(const struct trial_result *result)
{
    const bool are_there[PICTURE_ALL] = {
        [PICTURE_TIMELINE] = result->timeline != NULL,
        [PICTURE_THROUGHPUT] = result->throughput != NULL,
        [PICTURE_LATENCY] = result->latency != NULL,
        [PICTURE_OPERATIONS] = result->has_operations,
        [PICTURE_SLICES] = result->has_slices,
    };
    json_t *array = json_array();
    for (enum trial_picture i = 0; i < PICTURE_ALL; i++) {
        if (are_there[i])
            json_array_append_new(array, json_sprintf("%s.svg", picture_name(i)));
    }
    return array;
}

static json_t *traits_json(const char *const *traits)
{
    json_t *array = json_array();
    for (size_t i = 0; traits != NULL && traits[i] != NULL; i++)
        json_array_append_new(array, value_text(traits[i]));
    return array;
}

// What is known by the history alone. None of a brief result.
static void set_figures(json_t *object, const struct trial_result *result, bool is_known)
{
    const struct herd *herd = &result->statistics.herd;
    set_value(object, "statistics", is_known ? statistics_json(result) : json_null());
    set_value(object, "liveness",
              fields_json(liveness_fields, is_known ? &result->statistics.liveness : NULL));
    set_value(object, "fairness", is_known ? fairness_json(result) : json_null());
    set_value(object, "herd", is_known && herd->is_known ? herd_json(herd) : json_null());
}

static json_t *trial_json(const struct trial_result *result, bool is_brief)
{
    const struct trial *trial = result->trial;
    const struct judgement *judgement = &result->judgement;
    json_t *object = json_object();
    set_value(object, "name", value_text(trial->name));
    set_value(object, "scenario",
              is_brief ? json_pack("{s:o}", "name", value_text(trial->scenario->name))
                       : scenario_json(trial_as_run(trial)));
    set_value(object, "scheme", value_text(trial->scheme));
    set_value(object, "topology", value_text(trial_topology(trial)));
    if (!is_brief)
        set_value(object, "traits", traits_json(trial->traits));
    set_value(object, "repeat", value_integer(trial->repeat));
    set_value(object, "seed", seed_json(trial->seed));
    set_value(object, "lanes", value_integer(result->lanes));
    set_value(object, "cut_short", json_boolean(result->is_cut_short));
    set_value(object, "verdict", value_text(verdict_name(judgement->verdict)));
    set_value(object, "reason", value_text(judgement->reason));
    set_value(object, "expectation",
              json_pack("{s:o,s:o}", "result", value_text(expectation_name(judgement->expectation)),
                        "text", value_text(judgement->expectation_text)));
    set_value(object, "findings", findings_json(result, is_brief));
    set_figures(object, result, result->has_history && !is_brief);
    set_value(object, "story", value_text(is_brief || result->story == NULL ? "" : result->story));
    json_t *evidence =
        is_brief || result->evidence == NULL ? NULL : json_loads(result->evidence, 0, NULL);
    set_value(object, "evidence", evidence != NULL ? evidence : json_null());
    set_value(object, "folder", value_text(is_brief ? NULL : result->folder));
    set_value(object, "files", is_brief ? json_array() : files_json(result));
    return object;
}

// --- the run -------------------------------------------------------------------------------------

static json_t *cost_json(const struct scheme_cost *cost)
{
    static const struct field spread[] = {FIELDS(struct spread, median, least, most), {0}};
    static const struct field rates[] = {
        FIELD(struct scheme_cost, repeats),
        OBJECT_IF("holds_per_second", struct scheme_cost, rate, spread, rate.count),
        OBJECT_IF("fairness", struct scheme_cost, fairness, spread, fairness.count),
        {0}};
    static const struct field counts[] = {
        FIELDS(struct scheme_cost, commands_per_hold, longest_wait_ns, violations),
        FIELD_IF("expired_grants", struct scheme_cost, expired, leased),
        FIELD(struct scheme_cost, driver_bound),
        {0}};
    bool late[PERCENTILE_COUNT];
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        late[i] = cost->late[i] > 0;
    json_t *object = json_object();
    json_t *histograms = json_object();
    set_value(object, "scenario", value_text(cost->trial->scenario->name));
    set_value(object, "scheme", value_text(cost->trial->scheme));
    fields_set(object, rates, cost);
    for (enum latency i = 0; i < LATENCY_COUNT; i++) {
        set_value(object, latency_forms[i].key, value_percentiles(&cost->percentiles[i]));
        set_value(histograms, latency_forms[i].key, value_text(cost->encoded[i]));
    }
    fields_set(object, counts, cost);
    set_value(object, "late", value_marked(late));
    set_value(object, "histograms", histograms);
    return object;
}

// What a fault does to a lock is no cost of it: a brief result leaves that out.
static json_t *costs_json(const struct run_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->cost_count; i++) {
        const struct scheme_cost *cost = &report->costs[i];
        if (cost->repeats > 0 &&
            (!report->run->is_brief || trial_as_run(cost->trial)->fault_count == 0))
            json_array_append_new(array, cost_json(cost));
    }
    return array;
}

static json_t *summary_json(const struct run_report *report)
{
    static const struct field fields[] = {
        FIELDS(struct tally, met, missed),
        FIELD_AS("without_expectation", struct tally, without),
        FIELDS(struct tally, inconclusive, errors, skipped, not_run),
        {0}};
    struct text sentence = {0};
    summary_sentence(report, &sentence);
    json_t *object = fields_json(fields, &report->tally);
    set_value(object, "sentence", value_text(text_string(&sentence)));
    text_free(&sentence);
    return object;
}

static json_t *threshold_json(const struct threshold_outcome *outcome)
{
    const struct threshold *threshold = outcome->threshold;
    const struct limit *limit = &threshold->limit;
    json_t *object = json_object();
    set_value(object, "scenario", value_text(outcome->trial->scenario->name));
    set_value(object, "scheme", value_text(outcome->trial->scheme));
    set_value(object, "threshold", value_text(limit->text));
    set_value(object, "line", value_integer(threshold->place.line));
    set_value(object, "metric", value_text(metric_name(limit->metric)));
    set_value(object, "percentile",
              metric_is_latency(limit->metric) ? value_number(limit->percent) : json_null());
    set_value(object, "relation", value_text(relation_name(limit->relation)));
    set_value(object, "bound", value_number(limit->bound));
    set_value(object, "measured", outcome->is_known ? value_number(outcome->figure) : json_null());
    set_value(object, "result", value_text(threshold_result_name(outcome->result)));
    set_value(object, "driver_bound", json_boolean(outcome->driver_bound));
    set_value(object, "reason", value_text(outcome->reason));
    return object;
}

json_t *report_json_value(const struct run_report *report)
{
    const struct run_result *run = report->run;
    json_t *object = json_object();
    set_value(object, "schema", value_text("lockpick-result-1"));
    set_value(object, "folder", value_text(run->folder));
    set_value(object, "seed", seed_json(run->seed));
    set_value(object, "planned", value_count(run->planned));
    set_value(object, "finished", value_count(run->count));
    set_value(object, "duration_ns", value_integer(run->duration_ns));
    set_value(object, "exit_code", value_integer(report_exit_code(report)));
    set_value(object, "summary", summary_json(report));
    set_value(object, "plots",
              json_pack("{s:b,s:o}", "available", (int)run->has_plots, "note",
                        value_text(run->plot_note)));
    set_value(object, "remarks", value_lines(run->remarks));
    set_value(object, "environment", environment_json(&run->environment));
    json_t *trials = json_array();
    for (size_t i = 0; i < run->count; i++)
        json_array_append_new(trials, trial_json(&run->trials[i], run->is_brief));
    set_value(object, "trials", trials);
    set_value(object, "costs", costs_json(report));
    json_t *thresholds = json_array();
    for (size_t i = 0; i < report->thresholds.count; i++)
        json_array_append_new(thresholds, threshold_json(&report->thresholds.items[i]));
    set_value(object, "thresholds", thresholds);
    return object;
}

char *report_json(const struct run_report *report)
{
    struct text text = {0};
    json_t *object = report_json_value(report);
    char *dumped = json_dumps(object, JSON_INDENT(report->run->is_brief ? 1 : 2));
    json_decref(object);
    text_add(&text, dumped != NULL ? dumped : "");
    text_add(&text, "\n");
    free(dumped);
    return text.bytes;
}
