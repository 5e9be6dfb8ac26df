// result.json, for machines. Schema "lockpick-result-1"; fields are only ever added to it. That of
// `lockpick report --brief` has less: see harness/report/json_brief.h.
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
//  environment     object   see harness/report/json_costs.h
//  costs           array    of each scenario × scheme, over its repeats: see there, too
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
//    scenario      object   see harness/report/json_scenario.h
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
//    statistics    object or null (without a history): see there, too
//    liveness, fairness, herd  objects or null: see harness/report/json_liveness.h
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
#include "harness/report/json_brief.h"
#include "harness/report/json_costs.h"
#include "harness/report/json_liveness.h"
#include "harness/report/json_scenario.h"
#include "harness/report/json_values.h"
#include "harness/report/summary.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *seed(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return json_string(text);
}

static json_t *windows_json(const struct distribution *windows)
{
    if (windows->count == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "count", value_count(windows->count));
    set_value(object, "min_ns", value_integer(windows->min_ns));
    set_value(object, "median_ns", value_integer(windows->median_ns));
    set_value(object, "p90_ns", value_integer(windows->p90_ns));
    set_value(object, "max_ns", value_integer(windows->max_ns));
    return object;
}

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
    if (finding->state != FINDING_VIOLATED)
        return json_null();
    const struct evidence *evidence = &finding->evidence;
    json_t *object = json_object();
    set_value(object, "from_at_ns", value_integer(evidence->from_ns - started_ns));
    set_value(object, "to_at_ns", value_integer(evidence->to_ns - started_ns));
    set_value(object, "holds", indices_json(evidence->holds));
    set_value(object, "accesses", indices_json(evidence->accesses));
    return object;
}

static json_t *findings_json(const struct judgement *judgement, int64_t started_ns)
{
    json_t *array = json_array();
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        json_t *object = json_object();
        set_value(object, "property", value_text(finding->check->name));
        set_value(object, "summary", value_text(finding->check->summary));
        set_value(object, "state", value_text(finding_state_name(finding->state)));
        set_value(object, "harmless", json_boolean(finding->harmless));
        set_value(object, "count", value_integer(finding->count));
        set_value(object, "text", value_text(finding->text));
        set_value(object, "windows", windows_json(&finding->windows));
        set_value(object, "evidence", evidence_json(finding, started_ns));
        json_array_append_new(array, object);
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

static json_t *files_json(const struct trial_result *result)
{
    const char *const pictures[] = {
        result->timeline != NULL ? "timeline.svg" : NULL,
        result->throughput != NULL ? "throughput.svg" : NULL,
        result->latency != NULL ? "latency.svg" : NULL,
        result->has_operations ? "operations.svg" : NULL,
        result->has_slices ? "latency-over-time.svg" : NULL,
    };
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        if (pictures[i] != NULL)
            json_array_append_new(array, value_text(pictures[i]));
    }
    return array;
}

static json_t *trial_json(const struct trial_result *result)
{
    const struct trial *trial = result->trial;
    const struct judgement *judgement = &result->judgement;
    json_t *object = json_object();
    set_value(object, "name", value_text(trial->name));
    set_value(object, "scenario", scenario_json(trial_as_run(trial)));
    set_value(object, "scheme", value_text(trial->scheme));
    set_value(object, "topology", value_text(trial_topology(trial)));
    set_value(object, "traits", traits_json(trial->traits));
    set_value(object, "repeat", value_integer(trial->repeat));
    set_value(object, "seed", seed(trial->seed));
    set_value(object, "lanes", value_integer(result->lanes));
    set_value(object, "cut_short", json_boolean(result->is_cut_short));
    set_value(object, "verdict", value_text(verdict_name(judgement->verdict)));
    set_value(object, "reason", value_text(judgement->reason));
    json_t *expectation = json_object();
    set_value(expectation, "result", value_text(expectation_name(judgement->expectation)));
    set_value(expectation, "text", value_text(judgement->expectation_text));
    set_value(object, "expectation", expectation);
    set_value(object, "findings", findings_json(judgement, result->statistics.started_ns));
    set_value(object, "statistics", statistics_json(result));
    set_value(object, "liveness", liveness_json(result));
    set_value(object, "fairness", fairness_json(result));
    set_value(object, "herd", herd_json(result));
    set_value(object, "story", value_text(result->story != NULL ? result->story : ""));
    json_t *evidence = result->evidence != NULL ? json_loads(result->evidence, 0, NULL) : NULL;
    set_value(object, "evidence", evidence != NULL ? evidence : json_null());
    set_value(object, "folder", value_text(result->folder));
    set_value(object, "files", files_json(result));
    return object;
}

static json_t *summary_json(const struct run_report *report)
{
    const struct tally tally = report->tally;
    struct text sentence = {0};
    summary_sentence(report, &sentence);
    json_t *object = json_object();
    set_value(object, "met", value_count(tally.met));
    set_value(object, "missed", value_count(tally.missed));
    set_value(object, "without_expectation", value_count(tally.without));
    set_value(object, "inconclusive", value_count(tally.inconclusive));
    set_value(object, "errors", value_count(tally.errors));
    set_value(object, "skipped", value_count(tally.skipped));
    set_value(object, "not_run", value_count(tally.not_run));
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

// A string for each line.
static json_t *remarks_json(const char *remarks)
{
    json_t *array = json_array();
    for (const char *line = remarks; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        json_array_append_new(array, json_stringn(line, length));
        line += length + (line[length] == '\n');
    }
    return array;
}

json_t *report_json_value(const struct run_report *report)
{
    const struct run_result *run = report->run;
    json_t *object = json_object();
    set_value(object, "schema", value_text("lockpick-result-1"));
    set_value(object, "folder", value_text(run->folder));
    set_value(object, "seed", seed(run->seed));
    set_value(object, "planned", value_count(run->planned));
    set_value(object, "finished", value_count(run->count));
    set_value(object, "duration_ns", value_integer(run->duration_ns));
    set_value(object, "exit_code", value_integer(report_exit_code(report)));
    set_value(object, "summary", summary_json(report));
    json_t *plots = json_object();
    set_value(plots, "available", json_boolean(run->has_plots));
    set_value(plots, "note", value_text(run->plot_note));
    set_value(object, "plots", plots);
    set_value(object, "remarks", remarks_json(run->remarks));
    set_value(object, "environment", environment_json(&run->environment));
    json_t *trials = json_array();
    for (size_t i = 0; i < run->count; i++)
        json_array_append_new(trials, trial_json(&run->trials[i]));
    set_value(object, "trials", trials);
    set_value(object, "costs", costs_json(report));
    json_t *thresholds = json_array();
    for (size_t i = 0; i < report->thresholds.count; i++)
        json_array_append_new(thresholds, threshold_json(&report->thresholds.items[i]));
    set_value(object, "thresholds", thresholds);
    if (run->is_brief)
        json_make_brief(object);
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
