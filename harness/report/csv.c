// A run as a table for spreadsheets: columns are values of result.json by their paths.

#include "harness/base/scope.h"
#include "harness/report/fields.h"
#include "harness/report/run_report.h"

#include <inttypes.h>
#include <string.h>

#define USES                                                                                       \
    "processor_ns kernel_ns voluntary_switches other_switches received_bytes sent_bytes "          \
    "is_complete"

// Values in a trial of result.json, and what describe() adds to it, with blanks between: NAME,
// where it is called so, or NAME=PATH. Of percentiles (NAME.*) there is a column for their count,
// and for each.
static const struct group {
    const char *in;     // before each path
    const char *before; // and before each name
    const char *columns;
} groups[] = {
    {"", "",
     "trial=name scenario=scenario.name scheme repeat seed verdict expectation=expectation.result "
     "lanes workload=scenario.workload.kind store=scenario.workload.store "
     "processes=scenario.clients.processes threads=scenario.clients.threads "
     "placement=scenario.clients.placement violations"},
    {"statistics.", "",
     "duration_ns counted_ns holds not_held unknown due=load.due begun=load.begun holds_per_second "
     "attempts_per_hold commands_per_hold fairness least_grants most_grants longest_wait_ns "
     "acquire.* acquire_uncorrected.* release.* hold.* hand_off.* lateness.*"},
    {"recovery.", "", "fault after_effect_ns after_heal_ns unavailable_ns"},
    {"statistics.resources.driver.", "driver_", USES},
    {"statistics.resources.clients.", "clients_", USES},
    {"statistics.resources.servers.", "servers_", USES},
    {"statistics.resources.", "", "covered_ns machine_busy_ns"},
    {"statistics.", "",
     "stalls stalled_ns driver_bound=driver_bound.is_bound driver_late=driver_bound.late "
     "driver_bound_reason=driver_bound.reason"},
    {"environment.", "",
     "lockpick_version servers durability isolation kernel processor processors governor "
     "clock_source load_at_begin=load_at_begin.0 load_at_end=load_at_end.0 began"},
    {"recovery.", "", "leaderless_ns"},
    {"statistics.leadership.", "leader_", "terms changes acts share_led requests_per_second"}};

// --- cells ---------------------------------------------------------------------------------------

// With a comma behind it.
static void add_cell(struct text *out, const char *text)
{
    bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;
    text_add(out, is_quoted ? "\"" : "");
    for (; *text != '\0'; text++)
        text_add_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    text_add(out, is_quoted ? "\"," : ",");
}

// NULL and null are nothing; of an array, its words with blanks between.
static void add_value(struct text *out, const json_t *value)
{
    AUTO_TEXT struct text text = {0};
    size_t index;
    const json_t *word;
    json_array_foreach(value, index, word)
    {
        text_format(&text, "%s%s", index > 0 ? " " : "", json_string_value(word));
    }
    if (json_is_string(value))
        text_add(&text, json_string_value(value));
    else if (json_is_integer(value))
        text_format(&text, "%" PRId64, (int64_t)json_integer_value(value));
    else if (json_is_real(value))
        text_format(&text, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        text_add(&text, json_is_true(value) ? "1" : "0");
    add_cell(out, text_string(&text));
}

// One column, or those of percentiles. Their names, if `trial` is NULL.
static void add_columns(struct text *out, const struct group *group, const char *column,
                        const json_t *trial)
{
    int length = (int)strcspn(column, "=* ");
    bool is_set = column[length] == '*';
    const char *path = column[length] == '=' ? column + length + 1 : column;
    int path_length = (int)strcspn(path, "* ");
    for (int i = -1; i < (is_set ? PERCENTILE_COUNT : 0); i++) {
        const char *key = !is_set ? "" : i < 0 ? "count" : percentile_forms[i].key;
        AUTO_TEXT struct text text = {0};
        if (trial == NULL) {
            text_format(&text, "%s%.*s%s%s", group->before, length - is_set, column,
                        is_set ? "_" : "", key);
            add_cell(out, text.bytes);
        } else {
            text_format(&text, "%s%.*s%s", group->in, path_length, path, key);
            add_value(out, value_at(trial, text.bytes));
        }
    }
}

static void add_line(struct text *out, const json_t *trial)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const char *column = groups[i].columns;
        for (; *column != '\0'; column += strcspn(column, " "), column += *column == ' ')
            add_columns(out, &groups[i], column, trial);
    }
    out->bytes[--out->length] = '\0'; // the last comma
    text_add(out, "\r\n");
}

// --- lines ---------------------------------------------------------------------------------------

// Adds what no key of result.json says as it is: the fault that it took the lock longest to get
// over, and the violations that did harm.
static void describe(const struct trial_result *result, json_t *environment, json_t *trial)
{
    const struct recoveries *recoveries = &result->statistics.recoveries;
    size_t worst = 0;
    int64_t violations = 0;
    for (size_t i = 1; i < recoveries->count; i++) {
        if (recoveries->items[i].unavailable_ns > recoveries->items[worst].unavailable_ns)
            worst = i;
    }
    FOR_EACH (finding, finding, result->judgement.findings, result->judgement.finding_count)
        violations += finding_counts(finding) ? finding->count : 0;
    json_object_set(trial, "recovery",
                    json_array_get(value_at(trial, "statistics.recoveries"), worst));
    set_value(trial, "violations", result->has_history ? value_integer(violations) : json_null());
    json_object_set(trial, "environment", environment);
}

char *report_csv(const struct run_report *report)
{
    const struct run_result *run = report->run;
    struct text out = {0};
    json_auto_t *environment = environment_json(&run->environment);
    add_line(&out, NULL);
    FOR_EACH (trial_result, result, run->trials, run->count) {
        json_auto_t *trial = report_trial_json(result);
        describe(result, environment, trial);
        add_line(&out, trial);
    }
    return out.bytes;
}
