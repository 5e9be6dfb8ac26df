#include "harness/report/csv.h"

#include "harness/report/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// A line that grows. In the heading, fields are their columns' names.
struct line {
    struct text *out;
    bool is_heading;
    bool has_fields;
};

static void add_field(struct line *line, const char *text)
{
    if (line->has_fields)
        text_add(line->out, ",");
    line->has_fields = true;
    if (strpbrk(text, ",\"\r\n") == NULL) {
        text_add(line->out, text);
        return;
    }
    text_add(line->out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"')
            text_add(line->out, "\"");
        text_add_bytes(line->out, text, 1);
    }
    text_add(line->out, "\"");
}

static void add_text(struct line *line, const char *column, const char *text)
{
    add_field(line, line->is_heading ? column : text != NULL ? text : "");
}

static void add_integer(struct line *line, const char *column, bool is_known, int64_t value)
{
    char text[32] = "";
    if (is_known && value != TIME_NEVER)
        snprintf(text, sizeof text, "%" PRId64, value);
    add_text(line, column, text);
}

static void add_number(struct line *line, const char *column, bool is_known, double value)
{
    char text[32] = "";
    if (is_known && isfinite(value))
        snprintf(text, sizeof text, "%.9g", value);
    add_text(line, column, text);
}

// --- groups of columns ---------------------------------------------------------------------------

static void add_trial(struct line *line, const struct trial_result *result)
{
    const struct trial *trial = result->trial;
    const struct scenario *scenario = trial->scenario;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, trial->seed);
    add_text(line, "trial", trial->name);
    add_text(line, "scenario", scenario->name);
    add_text(line, "scheme", trial->scheme);
    add_integer(line, "repeat", true, trial->repeat);
    add_text(line, "seed", seed);
    add_text(line, "verdict", verdict_name(result->judgement.verdict));
    add_text(line, "expectation", expectation_name(result->judgement.expectation));
    add_integer(line, "lanes", true, result->lanes);
    add_text(line, "workload", scenario->workload.kind);
    add_text(line, "store", scenario->workload.store);
    add_integer(line, "processes", true, scenario->clients.processes);
    add_integer(line, "threads", true, scenario->clients.threads);
    add_text(line, "placement", placement_name(scenario->clients.placement));
}

static int64_t violations_of(const struct judgement *judgement)
{
    int64_t count = 0;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (finding_counts(&judgement->findings[i]))
            count += judgement->findings[i].count;
    }
    return count;
}

static void add_counts(struct line *line, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    bool known = result->has_history;
    add_integer(line, "violations", known, violations_of(&result->judgement));
    add_integer(line, "duration_ns", known, statistics->duration_ns);
    add_integer(line, "counted_ns", known, statistics->counted_ns);
    add_integer(line, "holds", known, (int64_t)statistics->holds);
    add_integer(line, "not_held", known, (int64_t)statistics->not_held);
    add_integer(line, "unknown", known, (int64_t)statistics->unknown);
    add_integer(line, "due", known && statistics->due > 0, statistics->due);
    add_integer(line, "begun", known && statistics->due > 0, statistics->begun);
    add_number(line, "holds_per_second", known, statistics->holds_per_second);
    add_number(line, "attempts_per_hold", known && statistics->holds > 0,
               statistics->attempts_per_hold);
    add_number(line, "commands_per_hold", known, statistics->commands_per_hold);
    add_number(line, "fairness", known && statistics->holds > 0, statistics->fairness);
    add_integer(line, "least_grants", known, (int64_t)statistics->turns.least_grants);
    add_integer(line, "most_grants", known, (int64_t)statistics->turns.most_grants);
    add_integer(line, "longest_wait_ns", known, statistics->longest_wait_ns);
}

static void add_percentiles(struct line *line, const char *name, bool has_history,
                            const struct percentiles *percentiles)
{
    bool known = has_history && percentiles->count > 0;
    char column[64];
    snprintf(column, sizeof column, "%s_count", name);
    add_integer(line, column, known, (int64_t)percentiles->count);
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        snprintf(column, sizeof column, "%s_%s", name, percentile_forms[i].key);
        add_integer(line, column, known, percentiles->ns[i]);
    }
}

static void add_latencies(struct line *line, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    bool known = result->has_history;
    add_percentiles(line, "acquire", known, &statistics->acquire);
    add_percentiles(line, "acquire_uncorrected", known, &statistics->acquire_uncorrected);
    add_percentiles(line, "release", known, &statistics->release);
    add_percentiles(line, "hold", known, &statistics->hold);
    add_percentiles(line, "hand_off", known, &statistics->hand_off);
    add_percentiles(line, "lateness", known, &statistics->lateness);
}

// Of the fault that it took the lock longest to get over.
static void add_recovery(struct line *line, const struct trial_result *result)
{
    const struct recoveries *recoveries = &result->statistics.recoveries;
    const struct recovery *worst = NULL;
    for (size_t i = 0; result->has_history && i < recoveries->count; i++) {
        const struct recovery *recovery = &recoveries->items[i];
        if (worst == NULL || recovery->unavailable_ns > worst->unavailable_ns)
            worst = recovery;
    }
    add_integer(line, "fault", worst != NULL, worst != NULL ? worst->fault : 0);
    add_integer(line, "after_effect_ns", worst != NULL, worst != NULL ? worst->after_effect_ns : 0);
    add_integer(line, "after_heal_ns", worst != NULL, worst != NULL ? worst->after_heal_ns : 0);
    add_integer(line, "unavailable_ns", worst != NULL, worst != NULL ? worst->unavailable_ns : 0);
}

static void add_use(struct line *line, const char *whose, bool is_known,
                    const struct resource_use *use)
{
    bool known = is_known && use->processes > 0;
    const struct {
        const char *name;
        bool is_known;
        int64_t value;
    } figures[] = {
        {"processor_ns", known, use->processor_ns},
        {"kernel_ns", known, use->kernel_ns},
        {"voluntary_switches", known && use->knows_switches, use->voluntary_switches},
        {"other_switches", known && use->knows_switches, use->other_switches},
        {"received_bytes", known && use->knows_network, use->received_bytes},
        {"sent_bytes", known && use->knows_network, use->sent_bytes},
        {"is_complete", known, use->is_complete},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        char column[64];
        snprintf(column, sizeof column, "%s_%s", whose, figures[i].name);
        add_integer(line, column, figures[i].is_known, figures[i].value);
    }
}

// "p50 p99": figures of acquire that tell of the driver.
static void add_late(struct line *line, const struct driver_bound *bound)
{
    struct text late = {0};
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (bound->late[i])
            text_format(&late, "%s%s", late.length > 0 ? " " : "", percentile_forms[i].name);
    }
    add_text(line, "driver_late", text_string(&late));
    text_free(&late);
}

static void add_driver(struct line *line, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    const struct resources *resources = &statistics->resources;
    bool known = result->has_history && resources->is_known;
    add_use(line, "driver", known, &resources->driver);
    add_use(line, "clients", known, &resources->clients);
    add_use(line, "servers", known, &resources->servers);
    add_integer(line, "covered_ns", known, resources->covered_ns);
    add_integer(line, "machine_busy_ns", known, resources->machine_busy_ns);
    add_integer(line, "stalls", result->has_history, (int64_t)statistics->stalls);
    add_integer(line, "stalled_ns", result->has_history, statistics->stalled_ns);
    add_integer(line, "driver_bound", result->has_history, statistics->driver_bound.is_bound);
    add_late(line, &statistics->driver_bound);
    add_text(line, "driver_bound_reason",
             result->has_history ? statistics->driver_bound.reason : "");
}

static void add_environment(struct line *line, const struct environment *environment)
{
    const struct machine_load *begin = &environment->load_at_begin;
    const struct machine_load *end = &environment->load_at_end;
    add_text(line, "lockpick_version", environment->lockpick_version);
    add_text(line, "servers", environment->servers);
    add_text(line, "durability", environment->durability);
    add_text(line, "isolation", environment->isolation);
    add_text(line, "kernel", environment->kernel);
    add_text(line, "processor", environment->processor);
    add_integer(line, "processors", true, environment->processors);
    add_text(line, "governor", environment->governor);
    add_text(line, "clock_source", environment->clock_source);
    add_number(line, "load_at_begin", begin->is_known, begin->averages[0]);
    add_number(line, "load_at_end", end->is_known, end->averages[0]);
    add_text(line, "began", environment->began);
}

static void add_line(struct text *out, const struct run_result *run,
                     const struct trial_result *result, bool is_heading)
{
    struct line line = {.out = out, .is_heading = is_heading};
    add_trial(&line, result);
    add_counts(&line, result);
    add_latencies(&line, result);
    add_recovery(&line, result);
    add_driver(&line, result);
    add_environment(&line, &run->environment);
    text_add(out, "\r\n");
}

char *report_csv(const struct run_result *run)
{
    static const struct scenario no_scenario;
    static const struct trial no_trial = {.scenario = &no_scenario};
    static const struct trial_result no_result = {.trial = &no_trial};
    struct text out = {0};
    add_line(&out, run, &no_result, true);
    for (size_t i = 0; i < run->count; i++)
        add_line(&out, run, &run->trials[i], false);
    return out.bytes;
}
