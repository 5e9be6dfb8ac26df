// result.json, for machines, as tables of fields. What they mean is said in FORMATS.md.
#include "harness/base/scope.h"
#include "harness/report/fields.h"
#include "harness/report/run_report.h"
#include "harness/workloads/workload.h"

#include <string.h>

// --- the scenario --------------------------------------------------------------------------------

static json_t *find_json(const void *phase)
{
    const struct percentiles *find = &((const struct load_settings *)phase)->find;
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

static json_t *load_json(const void *record)
{
    static const char *const arrivals[] = {"poisson", "fixed"};
    TABLE(fields, FIELD_IF("for_ns", struct load_settings, for_ns, for_ns),
          FIELD(struct load_settings, clients),
          FIELD_AS("rate", struct load_settings, rate, .divisor = 3600,
                   FIELD_ONLY_IF(struct load_settings, rate)),
          FIELD_AS("to", struct load_settings, to, .divisor = 3600,
                   FIELD_ONLY_IF(struct load_settings, to)),
          NAME("arrivals", struct load_settings, arrivals, arrivals),
          FIELD(struct load_settings, warm_up), MADE("find", find_json));
    const struct scenario *scenario = record;
    json_t *array = json_array();
    for (size_t i = 0; i < scenario->load_count; i++) {
        struct load_settings phase = scenario->load[i];
        phase.clients = phase.clients > 0 ? phase.clients : scenario->clients.processes;
        json_array_append_new(array, fields_json(fields, &phase));
    }
    return array;
}

MAKER(keys_json, struct scenario, value_integer(scenario_key_count(it)))

// Other workloads have no terms: results that are older than those stay comparable.
static json_t *term_json(const void *record)
{
    TABLE(term_fields, FIELDS(struct workload_settings, acts, every_ns));
    const struct workload_settings *settings = record;
    const struct workload *workload = workload_find(settings->kind);
    return workload != NULL && workload->leads ? fields_json(term_fields, settings) : NULL;
}

static const char *const boundaries[] = {"none", "inner", "wrapped"};
TABLE(work_fields,
      FIELDS(struct workload_settings, kind, store, fenced, operations, for_ns, warm_up_ns));
TABLE(pace_fields, FIELD_AS("skew", struct workload_settings, skew, .divisor = 1000),
      FIELDS(struct workload_settings, hold_ns, think_ns, stock, buyers),
      NAME("boundary", struct workload_settings, boundary, boundaries),
      FIELDS(struct workload_settings, jobs, depth, readers, permits), MADE("term", term_json));
TABLE(workload_fields, OBJECT(NULL, struct scenario, workload, work_fields),
      MADE("keys", keys_json), OBJECT(NULL, struct scenario, workload, pace_fields));

static const char *const placements[] = {"free", "spread", "together"};
TABLE(clients_fields, FIELDS(struct clients_settings, processes, threads),
      NAME("placement", struct clients_settings, placement, placements),
      FIELD_AS("start_first", struct clients_settings, start_first.client));

TABLE(lock_fields, FIELDS(struct lock_settings, lease_ns, wait_ns, retry_ns, request_ns,
                          stuck_after_ns, told_ns));

MAKER(external_json, struct server_settings, json_boolean(it->external != NULL))

static json_t *servers_json(const void *scenario)
{
    static const char *const persistences[] = {"none", "aof-everysec", "aof-always"};
    TABLE(fields, FIELDS(struct server_settings, topology, nodes),
          NAME("persistence", struct server_settings, persistence, persistences),
          MADE("external", external_json));
    json_t *servers = json_object();
    for (const struct server_settings *settings = ((const struct scenario *)scenario)->servers;
         settings->kind != NULL; settings++) {
        if (settings->topology != NULL || settings->nodes != 0 ||
            settings->persistence != PERSISTENCE_NONE || settings->external != NULL)
            set_value(servers, settings->kind, fields_json(fields, settings));
    }
    return servers;
}

TABLE(fault_fields, FIELDS(struct fault_instance, number, verb, text));

TABLE(scenario_fields, FIELDS(struct scenario, name, about, path),
      PART("workload", workload_fields), MADE("load", load_json),
      OBJECT("clients", struct scenario, clients, clients_fields),
      OBJECT("lock", struct scenario, lock, lock_fields), MADE("servers", servers_json),
      ARRAY("faults", struct scenario, faults, fault_count, fault_fields));

// --- findings ------------------------------------------------------------------------------------

static json_t *indices_json(const size_t indices[2])
{
    json_t *array = json_array();
    for (size_t i = 0; i < 2; i++) {
        if (indices[i] != SIZE_MAX)
            json_array_append_new(array, value_count(indices[i]));
    }
    return array;
}

static json_t *findings_json(const void *record)
{
    TABLE(check, FIELD_AS("property", struct check, name), FIELD(struct check, summary));
    TABLE(windows, FIELDS(struct distribution, count, min_ns, median_ns, p90_ns, max_ns));
    TABLE(fields, POINTER(NULL, struct finding, check, check),
          NAME("state", struct finding, state, finding_state_names),
          FIELDS(struct finding, harmless, count, text),
          OBJECT_IF("windows", struct finding, windows, windows, windows.count));
    const struct trial_result *result = record;
    json_t *array = json_array();
    int64_t started_ns = result->statistics.started_ns;
    FOR_EACH (finding, finding, result->judgement.findings, result->judgement.finding_count) {
        const struct evidence *found = &finding->evidence;
        json_t *object = fields_json(fields, finding);
        json_t *evidence = json_null();
        if (finding->state == FINDING_VIOLATED)
            evidence = json_pack(
                "{s:o, s:o, s:o, s:o}", "from_at_ns", value_integer(found->from_ns - started_ns),
                "to_at_ns", value_integer(found->to_ns - started_ns), "holds",
                indices_json(found->holds), "accesses", indices_json(found->accesses));
        set_value(object, "evidence", evidence);
        json_array_append_new(array, object);
    }
    return array;
}

// --- statistics ----------------------------------------------------------------------------------

// Of an external program.
static json_t *times_json(const void *record)
{
    const struct trial_result *result = record;
    unsigned source = result->statistics.times;
    return *costs_mark(result->trial) == '\0'
               ? NULL
               : json_pack("{s:b,s:b,s:b}", "own_clock", (source & TIMES_OWN) != 0, "own_loop",
                           (source & TIMES_OWN_LOOP) != 0, "proxied",
                           (source & TIMES_STRAIGHT) == 0);
}

MAKER(phase_rate_json, struct phase_cost, value_number(phase_cost_rate(it)))
TABLE(phase_fields, FIELDS(struct phase_cost, from_ns, to_ns, clients),
      FIELD_AS("rate_per_1000_s", struct phase_cost, rate),
      FIELDS(struct phase_cost, counts, grants), MADE("holds_per_second", phase_rate_json),
      FIELDS(struct phase_cost, due, held, acquire));

MAKER(stalled_json, struct stall, value_text(stall_owner(it, (char[48]){""}, 48)))
MAKER(stall_length_json, struct stall, value_integer(it->to_ns - it->from_ns))
TABLE(stall_fields, MADE("of", stalled_json), FIELD(struct stall, from_ns),
      MADE("length_ns", stall_length_json));

TABLE(bound_fields, FIELD(struct driver_bound, is_bound),
      FIELD_IF("reason", struct driver_bound, reason, reason), FIELD(struct driver_bound, late));

MAKER(leaderless_json, struct recovery,
      it->leaderless_ns >= 0 ? value_integer(it->leaderless_ns) : NULL)
TABLE(recovery_fields,
      FIELDS(struct recovery, fault, after_effect_ns, after_heal_ns, unavailable_ns),
      MADE("leaderless_ns", leaderless_json));

TABLE(leadership_fields,
      FIELDS(struct leadership, terms, changes, acts, share_led, requests_per_second));
MAKER(leadership_json, struct statistics,
      it->leadership.is_known ? fields_json(leadership_fields, &it->leadership) : NULL)

TABLE(jobs_fields, FIELDS(struct job_counts, jobs, done, attempts, most_attempts));
MAKER(jobs_json, struct statistics, it->jobs.is_known ? fields_json(jobs_fields, &it->jobs) : NULL)

TABLE(host_fields, FIELDS(struct host_use, name, clients, holds, acquire),
      FIELD_IF("round_trip_ns", struct host_use, round_trip_ns, round_trip_ns),
      FIELD_IF("longest_round_trip_ns", struct host_use, longest_round_trip_ns, round_trip_ns),
      FIELDS(struct host_use, stalls, longest_stall_ns));
static json_t *hosts_json(const void *record)
{
    TABLE(fields, ARRAY("hosts", struct statistics, hosts, host_count, host_fields));
    const struct statistics *statistics = record;
    json_auto_t *object = statistics->host_count > 0 ? fields_json(fields, statistics) : NULL;
    return json_incref(json_object_get(object, "hosts"));
}

#define IF_KNOWN(name, condition) FIELD_IF(#name, struct resource_use, name, condition)
TABLE(use_fields, FIELDS(struct resource_use, processes, is_complete, processor_ns, kernel_ns),
      IF_KNOWN(voluntary_switches, knows_switches), IF_KNOWN(other_switches, knows_switches),
      IF_KNOWN(received_bytes, knows_network), IF_KNOWN(sent_bytes, knows_network),
      IF_KNOWN(received_packets, knows_network), IF_KNOWN(sent_packets, knows_network));

#define USE(name) OBJECT_IF(#name, struct resources, name, use_fields, name.processes)
TABLE(resources_fields,
      FIELDS(struct resources, covered_ns, machine_busy_ns, processors, client_processors),
      USE(driver), USE(clients), USE(servers));

TABLE(count_fields, FIELDS(struct statistics, duration_ns, counted_ns, holds, not_held),
      FIELD_IF("expired_grants", struct statistics, expired, leased),
      FIELDS(struct statistics, unknown, open, longest_open_ns, writes, refused_writes,
             unknown_writes, holds_per_second),
      FIELD_IF("attempts_per_hold", struct statistics, attempts_per_hold, holds),
      FIELD(struct statistics, commands_per_hold));

TABLE(load_fields, FIELDS(struct statistics, due, begun));
TABLE(latency_fields,
      FIELDS(struct statistics, acquire, acquire_uncorrected, acquire_on_time, release, hold,
             hand_off, told, lateness),
      PART("load", load_fields, FIELD_ONLY_IF(struct statistics, due)));

TABLE(rest_fields, FIELD(struct statistics, longest_wait_ns),
      FIELD_IF("fairness", struct statistics, fairness, holds),
      FIELD_AS("least_grants", struct statistics, turns.least_grants),
      FIELD_AS("most_grants", struct statistics, turns.most_grants),
      FIELDS(struct statistics, stalls, longest_stall_ns, stalled_ns),
      ARRAY("worst_stalls", struct statistics, worst_stalls, worst_stall_count, stall_fields),
      OBJECT("driver_bound", struct statistics, driver_bound, bound_fields),
      MADE("leadership", leadership_json), MADE("jobs", jobs_json),
      ARRAY("recoveries", struct statistics, recoveries.items, recoveries.count, recovery_fields),
      OBJECT_IF("resources", struct statistics, resources, resources_fields, resources.is_known),
      MADE("hosts", hosts_json));

TABLE(statistics_fields, OBJECT(NULL, struct trial_result, statistics, count_fields),
      MADE("times", times_json), OBJECT(NULL, struct trial_result, statistics, latency_fields),
      ARRAY("phases", struct trial_result, latencies.phases.items, latencies.phases.count,
            phase_fields),
      OBJECT(NULL, struct trial_result, statistics, rest_fields));

// --- liveness, fairness, herd --------------------------------------------------------------------

TABLE(wait_fields, FIELDS(struct wait_figures, count, p50_ns, p99_ns, max_ns));
TABLE(heal_fields, FIELDS(struct heal_wait, fault, wait_ns));

MAKER(orphan_json, struct liveness,
      it->left == RESIDUAL_UNKNOWN ? json_null() : json_boolean(it->left == RESIDUAL_ORPHAN))

#define WAITS(name) OBJECT_IF(#name, struct liveness, name, wait_fields, name.count)
TABLE(liveness_fields, WAITS(after_release), WAITS(after_crash), WAITS(after_expiry),
      WAITS(after_heal), ARRAY("heals", struct liveness, heals, heal_count, heal_fields),
      FIELDS(struct liveness, longest_wait_ns, unserved_ns), MADE("orphan", orphan_json));

MAKER(proven_json, struct fairness, json_boolean(it->order == ORDER_QUEUED))
TABLE(turn_fields, MADE("proven", proven_json),
      FIELDS(struct fairness, margin_ns, contested, out_of_turn),
      SHARE("out_of_turn_share", struct fairness, out_of_turn, contested),
      FIELDS(struct fairness, overtaken, deepest, deepest_wait_ns));
TABLE(share_fields, FIELD(struct fairness, workers),
      FIELD_IF("jain", struct fairness, jain, grants),
      SHARE("least_share", struct fairness, least_grants, grants),
      SHARE("most_share", struct fairness, most_grants, grants));

MAKER(promised_json, struct trial_result, json_boolean(trial_has_trait(it->trial, "fair")))
MAKER(turns_json, struct trial_result,
      fields_json(turn_fields,
                  it->statistics.turns.order != ORDER_UNKNOWN ? &it->statistics.turns : NULL))
TABLE(fairness_fields, OBJECT(NULL, struct trial_result, statistics.turns, share_fields),
      MADE("promised", promised_json), MADE("turns", turns_json));

MAKER(requests_json, struct herd,
      value_number(herd_per_grant(it, it->acquire_requests + it->release_requests)))
TABLE(herd_fields, FIELD(struct herd, grants), MADE("requests_per_grant", requests_json),
      SHARE("acquire_requests_per_grant", struct herd, acquire_requests, grants),
      SHARE("release_requests_per_grant", struct herd, release_requests, grants),
      SHARE("renewals_per_grant", struct herd, renewals, grants),
      SHARE("wakeups_per_grant", struct herd, wakeups, grants));
MAKER(herd_json, struct trial_result,
      fields_json(herd_fields,
                  it->has_history && it->statistics.herd.is_known ? &it->statistics.herd : NULL))

// --- a trial -------------------------------------------------------------------------------------

static json_t *files_json(const void *record)
{
    const struct trial_result *result = record;
    json_t *array = json_array();
    for (enum trial_picture i = 0; i < PICTURE_ALL; i++) {
        if (result->plots[i].svg != NULL || result->plots[i].is_drawn)
            json_array_append_new(array, json_sprintf("%s.svg", picture_name(i)));
    }
    return array;
}

static json_t *traits_json(const void *trial)
{
    const char *const *traits = ((const struct trial *)trial)->traits;
    json_t *array = json_array();
    for (size_t i = 0; traits != NULL && traits[i] != NULL; i++)
        json_array_append_new(array, value_text(traits[i]));
    return array;
}

MAKER(trial_evidence_json, struct trial_result,
      it->evidence != NULL ? json_incref(it->evidence) : json_null())

MAKER(scenario_json, struct trial, fields_json(scenario_fields, trial_as_run(it)))
MAKER(topology_json, struct trial, value_text(trial_topology(it)))
TABLE(asked_fields, FIELD(struct trial, name), MADE("scenario", scenario_json),
      FIELD(struct trial, scheme), MADE("topology", topology_json), MADE("traits", traits_json),
      FIELD(struct trial, repeat), DIGITS(struct trial, seed));

MAKER(verdict_json, struct judgement, value_text(verdict_name(it->verdict)))
TABLE(expectation_fields, NAME("result", struct judgement, expectation, expectation_names),
      FIELD_AS("text", struct judgement, expectation_text));
TABLE(judgement_fields, MADE("verdict", verdict_json), FIELD(struct judgement, reason),
      PART("expectation", expectation_fields));

MAKER(story_json, struct trial_result, value_text(it->story != NULL ? it->story : ""))
TABLE(trial_fields, POINTER(NULL, struct trial_result, trial, asked_fields),
      FIELD(struct trial_result, lanes), FIELD_AS("cut_short", struct trial_result, is_cut_short),
      OBJECT(NULL, struct trial_result, judgement, judgement_fields),
      MADE("findings", findings_json),
      PART("statistics", statistics_fields, FIELD_ONLY_IF(struct trial_result, has_history)),
      OBJECT_IF("liveness", struct trial_result, statistics.liveness, liveness_fields, has_history),
      PART("fairness", fairness_fields, FIELD_ONLY_IF(struct trial_result, has_history)),
      MADE("herd", herd_json), MADE("story", story_json), MADE("evidence", trial_evidence_json),
      FIELD(struct trial_result, folder), MADE("files", files_json));

json_t *report_trial_json(const struct trial_result *result)
{
    return fields_json(trial_fields, result);
}

// Leaves out what is of no use without the run's folder, or stands in the scenarios.
static void make_brief(json_t *trial)
{
    static const char *const unknown[] = {"statistics", "liveness", "fairness",
                                          "herd",       "evidence", "folder"};
    json_t *findings = json_object_get(trial, "findings");
    for (size_t i = json_array_size(findings); i-- > 0;) {
        json_t *finding = json_array_get(findings, i);
        const char *state = text_at(finding, "state");
        set_value(finding, "evidence", json_null());
        if (strcmp(state, finding_state_names[FINDING_VIOLATED]) != 0 &&
            strcmp(state, finding_state_names[FINDING_UNDECIDED]) != 0)
            json_array_remove(findings, i);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        set_value(trial, unknown[i], json_null());
    set_value(trial, "scenario", json_pack("{s:O}", "name", value_at(trial, "scenario.name")));
    set_value(trial, "story", json_string(""));
    set_value(trial, "files", json_array());
    json_object_del(trial, "traits");
}

// --- the run -------------------------------------------------------------------------------------

TABLE(scenario_name_fields, FIELD_AS("scenario", struct scenario, name));
TABLE(scheme_fields, POINTER(NULL, struct trial, scenario, scenario_name_fields),
      FIELD(struct trial, scheme));

TABLE(spread_fields, FIELDS(struct spread, median, least, most));
static const struct field histogram_fields[] = {
#define X(id, field, name) FIELD_AS(#field, struct scheme_cost, histograms[LATENCY_##id]),
    LATENCIES(X)
#undef X
        {0}};
static const struct field cost_fields[] = {
    POINTER(NULL, struct scheme_cost, trial, scheme_fields),
    FIELD(struct scheme_cost, repeats),
    OBJECT_IF("holds_per_second", struct scheme_cost, rate, spread_fields, rate.count),
    OBJECT_IF("fairness", struct scheme_cost, fairness, spread_fields, fairness.count),
#define X(id, field, name) FIELD_AS(#field, struct scheme_cost, percentiles[LATENCY_##id]),
    LATENCIES(X)
#undef X
        FIELDS(struct scheme_cost, commands_per_hold, longest_wait_ns, violations),
    FIELD_IF("expired_grants", struct scheme_cost, expired, leased),
    FIELDS(struct scheme_cost, driver_bound, late),
    PART("histograms", histogram_fields),
    {0}};

// What a fault does to a lock is no cost of it: a brief result leaves that out.
static json_t *costs_json(const void *record)
{
    const struct run_report *report = record;
    json_t *array = json_array();
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        if (cost->repeats > 0 &&
            (!report->run->is_brief || trial_as_run(cost->trial)->fault_count == 0))
            json_array_append_new(array, fields_json(cost_fields, cost));
    }
    return array;
}

MAKER(metric_json, struct limit, value_text(metric_forms[it->metric].name))
MAKER(percent_json, struct limit,
      metric_is_latency(it->metric) ? value_number(percentile_forms[it->percentile].percent)
                                    : json_null())
TABLE(limit_fields, MADE("metric", metric_json), MADE("percentile", percent_json),
      NAME("relation", struct limit, relation, relation_names), FIELD(struct limit, bound));
TABLE(stated_fields, FIELD_AS("threshold", struct threshold, limit.text),
      FIELD_AS("line", struct threshold, place.line),
      OBJECT(NULL, struct threshold, limit, limit_fields));
TABLE(outcome_fields, POINTER(NULL, struct threshold_outcome, trial, scheme_fields),
      POINTER(NULL, struct threshold_outcome, threshold, stated_fields),
      FIELD_IF("measured", struct threshold_outcome, figure, is_known),
      NAME("result", struct threshold_outcome, result, threshold_result_names),
      FIELDS(struct threshold_outcome, driver_bound, reason));

static json_t *sentence_json(const void *report)
{
    AUTO_TEXT struct text sentence = {0};
    summary_sentence(report, &sentence);
    json_t *value = value_text(text_string(&sentence));
    return value;
}

TABLE(tally_fields, FIELDS(struct tally, met, missed),
      FIELD_AS("without_expectation", struct tally, without),
      FIELDS(struct tally, inconclusive, errors, skipped, not_run));
TABLE(summary_fields, OBJECT(NULL, struct run_report, tally, tally_fields),
      MADE("sentence", sentence_json));

TABLE(plots_fields, FIELD_AS("available", struct run_result, has_plots),
      FIELD_AS("note", struct run_result, plot_note));
MAKER(remarks_json, struct run_result, value_lines(it->remarks))
TABLE(run_fields, FIELD(struct run_result, folder), DIGITS(struct run_result, seed),
      FIELD(struct run_result, planned), FIELD_AS("finished", struct run_result, count),
      FIELD(struct run_result, duration_ns));
MAKER(where_json, struct run_result, environment_json(&it->environment))
TABLE(place_fields, PART("plots", plots_fields), MADE("remarks", remarks_json),
      MADE("environment", where_json));

static json_t *trials_json(const void *record)
{
    const struct run_result *run = ((const struct run_report *)record)->run;
    json_t *array = json_array();
    FOR_EACH (trial_result, result, run->trials, run->count) {
        json_t *trial = report_trial_json(result);
        if (run->is_brief)
            make_brief(trial);
        json_array_append_new(array, trial);
    }
    return array;
}

MAKER(schema_json, struct run_report, json_string("lockpick-result-1"))
MAKER(exit_code_json, struct run_report, json_integer(report_exit_code(it)))
TABLE(report_fields, MADE("schema", schema_json), POINTER(NULL, struct run_report, run, run_fields),
      MADE("exit_code", exit_code_json), PART("summary", summary_fields),
      POINTER(NULL, struct run_report, run, place_fields), MADE("trials", trials_json),
      MADE("costs", costs_json),
      ARRAY("thresholds", struct run_report, thresholds.items, thresholds.count, outcome_fields));

json_t *report_json_value(const struct run_report *report)
{
    return fields_json(report_fields, report);
}

char *report_json(const struct run_report *report)
{
    struct text text = {0};
    AUTO_FREE char *dumped = value_dump(report_json_value(report), report->run->is_brief ? 1 : 2);
    text_format(&text, "%s\n", dumped);
    return text.bytes;
}
