// A run as a table for spreadsheets: see report_csv.
#include "harness/report/fields.h"
#include "harness/report/report.h"
#include "harness/report/summary.h"

#include <inttypes.h>
#include <string.h>

// What a line says of its trial, and stands in no other struct as it is.
struct columns {
    const char *trial, *scenario, *scheme;
    int repeat;
    char seed[24];
    const char *verdict, *expectation;
    int lanes;
    const char *workload, *store;
    int64_t processes, threads;
    const char *placement;
    bool has_history;
    int64_t violations;
    char driver_late[80]; // "p50 p99": figures of acquire that tell of the driver
};

static const struct field trial_fields[] = {
    FIELDS(struct columns, trial, scenario, scheme, repeat, seed, verdict, expectation, lanes,
           workload, store, processes, threads, placement),
    FIELD_IF("violations", struct columns, violations, has_history),
    {0}};
static const struct field late_fields[] = {FIELD(struct columns, driver_late), {0}};

#define OF_IF(name, condition) FIELD_IF(#name, struct statistics, name, condition)
static const struct field statistics_fields[] = {
    FIELDS(struct statistics, duration_ns, counted_ns, holds, not_held, unknown),
    OF_IF(due, due),
    OF_IF(begun, due),
    FIELD(struct statistics, holds_per_second),
    OF_IF(attempts_per_hold, holds),
    FIELD(struct statistics, commands_per_hold),
    OF_IF(fairness, holds),
    FIELD_AS("least_grants", struct statistics, turns.least_grants),
    FIELD_AS("most_grants", struct statistics, turns.most_grants),
    FIELDS(struct statistics, longest_wait_ns, acquire, acquire_uncorrected, release, hold,
           hand_off, lateness),
    {0}};
#undef OF_IF
static const struct field driver_fields[] = {
    FIELDS(struct statistics, stalls, stalled_ns),
    FIELD_AS("driver_bound", struct statistics, driver_bound.is_bound),
    {0}};
static const struct field reason_fields[] = {
    FIELD_AS("driver_bound_reason", struct statistics, driver_bound.reason), {0}};

static const struct field recovery_fields[] = {
    FIELDS(struct recovery, fault, after_effect_ns, after_heal_ns, unavailable_ns), {0}};

#define OF_IF(name, condition) FIELD_IF(#name, struct resource_use, name, condition)
static const struct field use_fields[] = {OF_IF(processor_ns, processes),
                                          OF_IF(kernel_ns, processes),
                                          OF_IF(voluntary_switches, knows_switches),
                                          OF_IF(other_switches, knows_switches),
                                          OF_IF(received_bytes, knows_network),
                                          OF_IF(sent_bytes, knows_network),
                                          OF_IF(is_complete, processes),
                                          {0}};
#undef OF_IF
static const struct field resources_fields[] = {
    FIELDS(struct resources, covered_ns, machine_busy_ns), {0}};

#define LOAD_AT(moment)                                                                            \
    FIELD_IF("load_at_" #moment, struct environment, load_at_##moment.averages[0],                 \
             load_at_##moment.is_known)
static const struct field environment_fields[] = {
    FIELDS(struct environment, lockpick_version, servers, durability, isolation, kernel, processor,
           processors, governor, clock_source),
    LOAD_AT(begin),
    LOAD_AT(end),
    FIELD(struct environment, began),
    {0}};

static void describe(const struct trial_result *result, struct columns *columns)
{
    const struct trial *trial = result->trial;
    const struct scenario *scenario = trial->scenario;
    const struct judgement *judgement = &result->judgement;
    struct text late = {0};
    *columns = (struct columns){
        .trial = trial->name,
        .scenario = scenario->name,
        .scheme = trial->scheme,
        .repeat = trial->repeat,
        .verdict = verdict_name(judgement->verdict),
        .expectation = expectation_name(judgement->expectation),
        .lanes = result->lanes,
        .workload = scenario->workload.kind,
        .store = scenario->workload.store,
        .processes = scenario->clients.processes,
        .threads = scenario->clients.threads,
        .placement = placement_name(scenario->clients.placement),
        .has_history = result->has_history,
    };
    snprintf(columns->seed, sizeof columns->seed, "%" PRIu64, trial->seed);
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (finding_counts(&judgement->findings[i]))
            columns->violations += judgement->findings[i].count;
    }
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (result->statistics.driver_bound.late[i])
            text_format(&late, "%s%s", late.length > 0 ? " " : "", percentile_forms[i].name);
    }
    snprintf(columns->driver_late, sizeof columns->driver_late, "%s", text_string(&late));
    text_free(&late);
}

// Of the fault that it took the lock longest to get over; NULL if there was none.
static const struct recovery *worst_recovery(const struct recoveries *recoveries)
{
    const struct recovery *worst = NULL;
    for (size_t i = 0; i < recoveries->count; i++) {
        const struct recovery *recovery = &recoveries->items[i];
        if (worst == NULL || recovery->unavailable_ns > worst->unavailable_ns)
            worst = recovery;
    }
    return worst;
}

// The names of the columns, if there is no result.
static void add_line(const struct run_result *run, const struct trial_result *result,
                     struct text *out)
{
    struct columns columns;
    const struct statistics *statistics =
        result != NULL && result->has_history ? &result->statistics : NULL;
    const struct resources *resources =
        statistics != NULL && statistics->resources.is_known ? &statistics->resources : NULL;
    if (result != NULL)
        describe(result, &columns);
    const struct {
        const struct field *fields;
        const void *record;
        const char *prefix;
    } groups[] = {
        {trial_fields, &columns, ""},
        {statistics_fields, statistics, ""},
        {recovery_fields, statistics != NULL ? worst_recovery(&statistics->recoveries) : NULL, ""},
        {use_fields, resources != NULL ? &resources->driver : NULL, "driver_"},
        {use_fields, resources != NULL ? &resources->clients : NULL, "clients_"},
        {use_fields, resources != NULL ? &resources->servers : NULL, "servers_"},
        {resources_fields, resources, ""},
        {driver_fields, statistics, ""},
        {late_fields, &columns, ""},
        {reason_fields, statistics, ""},
        {environment_fields, &run->environment, ""},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (result == NULL)
            fields_csv_names(groups[i].fields, groups[i].prefix, out);
        else
            fields_csv(groups[i].fields, groups[i].record, out);
    }
    out->bytes[--out->length] = '\0'; // the last comma
    text_add(out, "\r\n");
}

char *report_csv(const struct run_result *run)
{
    struct text out = {0};
    add_line(run, NULL, &out);
    for (size_t i = 0; i < run->count; i++)
        add_line(run, &run->trials[i], &out);
    return out.bytes;
}
