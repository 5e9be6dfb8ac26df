// result.json, for machines. Schema "lockpick-result-1"; fields are only ever added to it.
//
// Names that end in _ns are integers, in nanoseconds. Those that end in _at_ns are times since the
// trial's barrier opened; the others are durations. null means never, not recorded, or not
// applicable: nothing is NaN. Seeds are strings of decimal digits, as they need all of 64 bits.
//
//  schema          string   "lockpick-result-1"
//  folder          string   the run's
//  seed            string
//  planned         integer  trials in the plan
//  finished        integer  trials in this file
//  duration_ns     integer  of the whole run
//  exit_code       integer  as `lockpick run` ends with: 0, 1, 3 or 4
//  summary         object   met, missed, without_expectation, inconclusive, errors, skipped,
//                           not_run: integers; sentence: string
//  plots           object   available: boolean; note: string (why there are none)
//  environment     object   lockpick_version, kernel, processor, servers, isolation, clock_source,
//                           began: strings; processors, lanes (the most trials that were conducted
//                           at a time): integers
//  trials          array of
//    name          string   also of its folder
//    scenario      object   name, about, path: strings
//                           workload: kind, store: strings; fenced: boolean; operations, stock,
//                             buyers: integers; for_ns, hold_ns, think_ns: integers
//                           clients: processes, threads: integers; placement: "free", "spread" or
//                             "together"
//                           lock: lease_ns, wait_ns, retry_ns, request_ns, stuck_after_ns: integers
//                           faults: array of {number: integer, verb, text: strings}
//    scheme        string
//    traits        array of strings
//    repeat        integer  from 1
//    seed          string
//    lanes         integer  how many trials were conducted at a time, this one included; 0: not run
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
//    statistics    object or null (without a history): duration_ns, holds, not_held, unknown,
//                           writes, refused_writes, unknown_writes, longest_wait_ns, stalls,
//                           longest_stall_ns: integers; holds_per_second, attempts_per_hold,
//                           fairness: numbers; acquire, release, hold, hand_off: objects or null
//                           (nothing measured) of count, p50_ns, p90_ns, p99_ns, p999_ns, max_ns
//    liveness, fairness, herd  objects or null: see harness/report/json_liveness.h
//    story         string   "" if there is nothing to tell
//    evidence      object or null (nothing was violated): of the violation that the story tells.
//                           Times are seconds since the start, as in the story
//      property    string
//      from_s, to_s, overlap_s  numbers: the violation itself; for how long two believed to hold
//      cause       object   kind, text: strings; fault: object or null (number, verb, from_s, to_s)
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
//      besides     array of strings: those that other holds broke
//    folder        string or null
//    files         array of strings: names of the pictures in the folder; below 10 acquires there
//                           is none of the latency
#include "harness/report/json_liveness.h"
#include "harness/report/summary.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text that was cut in the middle of a character is no UTF-8; the bytes that are not become '?'.
static json_t *string(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    char *clean = memory_string(text);
    for (char *c = clean; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        if (strnlen(c, length) < length || (value = json_stringn(c, length)) == NULL)
            *c = '?';
        else
            c += length - 1;
        json_decref(value);
        value = NULL;
    }
    value = json_string(clean);
    free(clean);
    return value;
}

static json_t *integer(int64_t value)
{
    return value == TIME_NEVER ? json_null() : json_integer(value);
}

static json_t *count(size_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *seed(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return json_string(text);
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *percentiles_json(const struct percentiles *percentiles)
{
    if (percentiles->count == 0)
        return json_null();
    json_t *object = json_object();
    set(object, "count", count(percentiles->count));
    set(object, "p50_ns", integer(percentiles->p50_ns));
    set(object, "p90_ns", integer(percentiles->p90_ns));
    set(object, "p99_ns", integer(percentiles->p99_ns));
    set(object, "p999_ns", integer(percentiles->p999_ns));
    set(object, "max_ns", integer(percentiles->max_ns));
    return object;
}

static json_t *statistics_json(const struct statistics *statistics)
{
    json_t *object = json_object();
    set(object, "duration_ns", integer(statistics->duration_ns));
    set(object, "holds", count(statistics->holds));
    set(object, "not_held", count(statistics->not_held));
    set(object, "unknown", count(statistics->unknown));
    set(object, "writes", count(statistics->writes));
    set(object, "refused_writes", count(statistics->refused_writes));
    set(object, "unknown_writes", count(statistics->unknown_writes));
    set(object, "holds_per_second", number(statistics->holds_per_second));
    set(object, "attempts_per_hold", number(statistics->attempts_per_hold));
    set(object, "acquire", percentiles_json(&statistics->acquire));
    set(object, "release", percentiles_json(&statistics->release));
    set(object, "hold", percentiles_json(&statistics->hold));
    set(object, "hand_off", percentiles_json(&statistics->hand_off));
    set(object, "longest_wait_ns", integer(statistics->longest_wait_ns));
    set(object, "fairness", number(statistics->fairness));
    set(object, "stalls", count(statistics->stalls));
    set(object, "longest_stall_ns", integer(statistics->longest_stall_ns));
    return object;
}

static json_t *windows_json(const struct distribution *windows)
{
    if (windows->count == 0)
        return json_null();
    json_t *object = json_object();
    set(object, "count", count(windows->count));
    set(object, "min_ns", integer(windows->min_ns));
    set(object, "median_ns", integer(windows->median_ns));
    set(object, "p90_ns", integer(windows->p90_ns));
    set(object, "max_ns", integer(windows->max_ns));
    return object;
}

static json_t *indices_json(const size_t indices[2])
{
    json_t *array = json_array();
    for (size_t i = 0; i < 2; i++) {
        if (indices[i] != SIZE_MAX)
            json_array_append_new(array, count(indices[i]));
    }
    return array;
}

static json_t *evidence_json(const struct finding *finding, int64_t started_ns)
{
    if (finding->state != FINDING_VIOLATED)
        return json_null();
    const struct evidence *evidence = &finding->evidence;
    json_t *object = json_object();
    set(object, "from_at_ns", integer(evidence->from_ns - started_ns));
    set(object, "to_at_ns", integer(evidence->to_ns - started_ns));
    set(object, "holds", indices_json(evidence->holds));
    set(object, "accesses", indices_json(evidence->accesses));
    return object;
}

static json_t *findings_json(const struct judgement *judgement, int64_t started_ns)
{
    json_t *array = json_array();
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        json_t *object = json_object();
        set(object, "property", string(finding->check->name));
        set(object, "summary", string(finding->check->summary));
        set(object, "state", string(finding_state_name(finding->state)));
        set(object, "harmless", json_boolean(finding->harmless));
        set(object, "count", integer(finding->count));
        set(object, "text", string(finding->text));
        set(object, "windows", windows_json(&finding->windows));
        set(object, "evidence", evidence_json(finding, started_ns));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *workload_json(const struct workload_settings *workload)
{
    json_t *object = json_object();
    set(object, "kind", string(workload->kind));
    set(object, "store", string(workload->store));
    set(object, "fenced", json_boolean(workload->fenced));
    set(object, "operations", integer(workload->operations));
    set(object, "for_ns", integer(workload->for_ns));
    set(object, "hold_ns", integer(workload->hold_ns));
    set(object, "think_ns", integer(workload->think_ns));
    set(object, "stock", integer(workload->stock));
    set(object, "buyers", integer(workload->buyers));
    return object;
}

static json_t *clients_json(const struct clients_settings *clients)
{
    json_t *object = json_object();
    set(object, "processes", integer(clients->processes));
    set(object, "threads", integer(clients->threads));
    set(object, "placement", string(placement_name(clients->placement)));
    return object;
}

static json_t *lock_json(const struct lock_settings *lock)
{
    json_t *object = json_object();
    set(object, "lease_ns", integer(lock->lease_ns));
    set(object, "wait_ns", integer(lock->wait_ns));
    set(object, "retry_ns", integer(lock->retry_ns));
    set(object, "request_ns", integer(lock->request_ns));
    set(object, "stuck_after_ns", integer(lock->stuck_after_ns));
    return object;
}

static json_t *scenario_json(const struct scenario *scenario)
{
    json_t *object = json_object();
    set(object, "name", string(scenario->name));
    set(object, "about", string(scenario->about));
    set(object, "path", string(scenario->path));
    set(object, "workload", workload_json(&scenario->workload));
    set(object, "clients", clients_json(&scenario->clients));
    set(object, "lock", lock_json(&scenario->lock));
    json_t *faults = json_array();
    for (size_t i = 0; i < scenario->fault_count; i++) {
        json_t *fault = json_object();
        set(fault, "number", integer(scenario->faults[i].number));
        set(fault, "verb", string(scenario->faults[i].verb));
        set(fault, "text", string(scenario->faults[i].text));
        json_array_append_new(faults, fault);
    }
    set(object, "faults", faults);
    return object;
}

static json_t *traits_json(const char *const *traits)
{
    json_t *array = json_array();
    for (size_t i = 0; traits != NULL && traits[i] != NULL; i++)
        json_array_append_new(array, string(traits[i]));
    return array;
}

static json_t *files_json(const struct trial_result *result)
{
    const char *const pictures[] = {
        result->timeline != NULL ? "timeline.svg" : NULL,
        result->throughput != NULL ? "throughput.svg" : NULL,
        result->latency != NULL ? "latency.svg" : NULL,
    };
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        if (pictures[i] != NULL)
            json_array_append_new(array, string(pictures[i]));
    }
    return array;
}

static json_t *trial_json(const struct trial_result *result)
{
    const struct trial *trial = result->trial;
    const struct judgement *judgement = &result->judgement;
    json_t *object = json_object();
    set(object, "name", string(trial->name));
    set(object, "scenario", scenario_json(trial->scenario));
    set(object, "scheme", string(trial->scheme));
    set(object, "traits", traits_json(trial->traits));
    set(object, "repeat", integer(trial->repeat));
    set(object, "seed", seed(trial->seed));
    set(object, "lanes", integer(result->lanes));
    set(object, "verdict", string(verdict_name(judgement->verdict)));
    set(object, "reason", string(judgement->reason));
    json_t *expectation = json_object();
    set(expectation, "result", string(expectation_name(judgement->expectation)));
    set(expectation, "text", string(judgement->expectation_text));
    set(object, "expectation", expectation);
    set(object, "findings", findings_json(judgement, result->statistics.started_ns));
    set(object, "statistics",
        result->has_history ? statistics_json(&result->statistics) : json_null());
    set(object, "liveness", liveness_json(result));
    set(object, "fairness", fairness_json(result));
    set(object, "herd", herd_json(result));
    set(object, "story", string(result->story != NULL ? result->story : ""));
    json_t *evidence = result->evidence != NULL ? json_loads(result->evidence, 0, NULL) : NULL;
    set(object, "evidence", evidence != NULL ? evidence : json_null());
    set(object, "folder", string(result->folder));
    set(object, "files", files_json(result));
    return object;
}

static json_t *summary_json(const struct run_result *run)
{
    struct tally tally = tally_make(run);
    struct text sentence = {0};
    summary_sentence(run, &sentence);
    json_t *object = json_object();
    set(object, "met", count(tally.met));
    set(object, "missed", count(tally.missed));
    set(object, "without_expectation", count(tally.without));
    set(object, "inconclusive", count(tally.inconclusive));
    set(object, "errors", count(tally.errors));
    set(object, "skipped", count(tally.skipped));
    set(object, "not_run", count(tally.not_run));
    set(object, "sentence", string(text_string(&sentence)));
    text_free(&sentence);
    return object;
}

static json_t *environment_json(const struct environment *environment)
{
    json_t *object = json_object();
    set(object, "lockpick_version", string(environment->lockpick_version));
    set(object, "kernel", string(environment->kernel));
    set(object, "processor", string(environment->processor));
    set(object, "processors", integer(environment->processors));
    set(object, "lanes", integer(environment->lanes));
    set(object, "servers", string(environment->servers));
    set(object, "isolation", string(environment->isolation));
    set(object, "clock_source", string(environment->clock_source));
    set(object, "began", string(environment->began));
    return object;
}

char *report_json(const struct run_result *run)
{
    json_t *object = json_object();
    set(object, "schema", string("lockpick-result-1"));
    set(object, "folder", string(run->folder));
    set(object, "seed", seed(run->seed));
    set(object, "planned", count(run->planned));
    set(object, "finished", count(run->count));
    set(object, "duration_ns", integer(run->duration_ns));
    set(object, "exit_code", integer(report_exit_code(run)));
    set(object, "summary", summary_json(run));
    json_t *plots = json_object();
    set(plots, "available", json_boolean(run->has_plots));
    set(plots, "note", string(run->plot_note));
    set(object, "plots", plots);
    set(object, "environment", environment_json(&run->environment));
    json_t *trials = json_array();
    for (size_t i = 0; i < run->count; i++)
        json_array_append_new(trials, trial_json(&run->trials[i]));
    set(object, "trials", trials);
    struct text text = {0};
    char *dumped = json_dumps(object, JSON_INDENT(2));
    json_decref(object);
    text_add(&text, dumped != NULL ? dumped : "");
    text_add(&text, "\n");
    free(dumped);
    return text.bytes;
}
