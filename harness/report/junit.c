#include "harness/report/junit.h"

#include "harness/report/junit_xml.h"
#include "harness/report/summary.h"
#include "harness/report/thresholds.h"

#include <inttypes.h>
#include <stdio.h>

enum case_kind case_kind_of(const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    if (judgement->expectation == EXPECTATION_MISSED)
        return CASE_FAILED;
    switch (judgement->verdict) {
    case VERDICT_SAFE:
    case VERDICT_UNSAFE:
    case VERDICT_STUCK:
        return CASE_PASSED;
    case VERDICT_UNKNOWN:
        return result->trial->expectation != NULL ? CASE_FAILED : CASE_SKIPPED;
    case VERDICT_ERROR:
        return CASE_BROKE;
    case VERDICT_SKIPPED:
    case VERDICT_NOT_APPLICABLE:
        break;
    }
    return CASE_SKIPPED;
}

struct counts {
    size_t of[CASE_SKIPPED + 1];
    size_t all;
    int64_t time_ns;
};

// Of one scenario, or of all (NULL).
static struct counts count_trials(const struct run_result *run, const struct scenario *scenario)
{
    struct counts counts = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        if (scenario != NULL && result->trial->scenario != scenario)
            continue;
        counts.of[case_kind_of(result)]++;
        counts.all++;
        counts.time_ns += result->statistics.duration_ns;
    }
    return counts;
}

int trial_line(const struct trial *trial)
{
    return trial->expectation != NULL && trial->expectation->place.line > 0
               ? trial->expectation->place.line
               : 1;
}

// In seconds, with a point whatever the locale.
static void add_time(struct text *out, int64_t time_ns)
{
    int64_t time_ms = time_ns > 0 ? (time_ns + NS_PER_MS / 2) / NS_PER_MS : 0;
    text_format(out, " time=\"%" PRId64 ".%03" PRId64 "\"", time_ms / 1000, time_ms % 1000);
}

static void add_counts(struct text *out, const struct counts *counts)
{
    text_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", counts->all,
                counts->of[CASE_FAILED], counts->of[CASE_BROKE], counts->of[CASE_SKIPPED]);
}

// What was expected and what came, in one line.
static void add_message(struct text *out, const struct judgement *judgement, enum case_kind kind)
{
    struct text message = {0};
    bool decided = judgement->verdict <= VERDICT_STUCK;
    if (kind == CASE_FAILED)
        text_add(&message, judgement->expectation_text);
    if (kind != CASE_FAILED || !decided || message.length == 0)
        text_format(&message, "%s%s", message.length > 0 ? ": " : "", judgement->reason);
    xml_add_attribute(out, "message", text_string(&message));
    text_free(&message);
}

static void add_story(struct text *out, const struct trial_result *result)
{
    xml_add(out, result->judgement.reason);
    text_add(out, "\n");
    xml_add(out, result->story);
    if (result->folder != NULL) {
        text_add(out, "files: ");
        xml_add(out, result->folder);
        text_add(out, "\n");
    }
}

static void add_outcome(struct text *out, const struct trial_result *result, enum case_kind kind)
{
    static const char *const tags[] = {
        [CASE_FAILED] = "failure", [CASE_BROKE] = "error", [CASE_SKIPPED] = "skipped"};
    const struct judgement *judgement = &result->judgement;
    text_format(out, "      <%s", tags[kind]);
    // Some readers refuse a skipped element that has more than a message.
    if (kind != CASE_SKIPPED)
        xml_add_attribute(out, "type", verdict_name(judgement->verdict));
    add_message(out, judgement, kind);
    if (kind == CASE_SKIPPED) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, ">");
    add_story(out, result);
    text_format(out, "</%s>\n", tags[kind]);
}

static void add_trial(struct text *out, const struct trial_result *result)
{
    const struct trial *trial = result->trial;
    struct text scheme = {0};
    scheme_text(trial, &scheme);
    text_add(out, "    <testcase");
    xml_add_attribute(out, "classname", trial->scenario->name);
    xml_add_attribute(out, "name", text_string(&scheme));
    xml_add_attribute(out, "file", trial->scenario->path);
    text_format(out, " line=\"%d\"", trial_line(trial));
    add_time(out, result->statistics.duration_ns);
    text_free(&scheme);
    enum case_kind kind = case_kind_of(result);
    if (kind == CASE_PASSED) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, ">\n");
    add_outcome(out, result, kind);
    text_add(out, "    </testcase>\n");
}

// --- thresholds ----------------------------------------------------------------------------------

// One that was not measured is a failure: it was asked for, and nobody knows.
static void count_thresholds(const struct threshold_outcomes *outcomes,
                             const struct scenario *scenario, struct counts *counts)
{
    for (size_t i = 0; i < outcomes->count; i++) {
        const struct threshold_outcome *outcome = &outcomes->items[i];
        if (scenario != NULL && outcome->trial->scenario != scenario)
            continue;
        counts->of[outcome->result == THRESHOLD_MET ? CASE_PASSED : CASE_FAILED]++;
        counts->all++;
    }
}

static void add_threshold(struct text *out, const struct threshold_outcome *outcome)
{
    const struct threshold *threshold = outcome->threshold;
    struct text words = {0};
    text_add(out, "    <testcase");
    xml_add_attribute(out, "classname", outcome->trial->scenario->name);
    text_format(&words, "%s: %s", outcome->trial->scheme, threshold->limit.text);
    xml_add_attribute(out, "name", text_string(&words));
    xml_add_attribute(out, "file", outcome->trial->scenario->path);
    text_format(out, " line=\"%d\"", threshold->place.line > 0 ? threshold->place.line : 1);
    add_time(out, 0);
    text_free(&words);
    if (outcome->result == THRESHOLD_MET) {
        text_add(out, "/>\n");
        return;
    }
    threshold_sentence(outcome, &words);
    text_add(out, ">\n      <failure");
    xml_add_attribute(out, "type", "threshold");
    xml_add_attribute(out, "message", text_string(&words));
    text_add(out, "/>\n    </testcase>\n");
    text_free(&words);
}

static void add_property(struct text *out, const char *name, const char *value)
{
    text_add(out, "      <property");
    xml_add_attribute(out, "name", name);
    xml_add_attribute(out, "value", value);
    text_add(out, "/>\n");
}

// What somebody needs who wants to run it again.
static void add_properties(struct text *out, const struct run_result *run)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    text_add(out, "    <properties>\n");
    add_property(out, "seed", seed);
    add_property(out, "folder", run->folder);
    add_property(out, "lockpick", run->environment.lockpick_version);
    add_property(out, "servers", run->environment.servers);
    text_add(out, "    </properties>\n");
}

static void add_suite(struct text *out, const struct run_result *run,
                      const struct threshold_outcomes *thresholds, const struct scenario *scenario)
{
    struct counts counts = count_trials(run, scenario);
    count_thresholds(thresholds, scenario, &counts);
    text_add(out, "  <testsuite");
    xml_add_attribute(out, "name", scenario->name);
    xml_add_attribute(out, "file", scenario->path);
    add_counts(out, &counts);
    add_time(out, counts.time_ns);
    // The schema's type is a time without a zone.
    char began[sizeof run->environment.began];
    snprintf(began, sizeof began, "%.19s", run->environment.began);
    if (began[0] != '\0')
        xml_add_attribute(out, "timestamp", began);
    text_add(out, ">\n");
    add_properties(out, run);
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].trial->scenario == scenario)
            add_trial(out, &run->trials[i]);
    }
    for (size_t i = 0; i < thresholds->count; i++) {
        if (thresholds->items[i].trial->scenario == scenario)
            add_threshold(out, &thresholds->items[i]);
    }
    text_add(out, "  </testsuite>\n");
}

static bool is_first_of_its_scenario(const struct run_result *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (run->trials[i].trial->scenario == run->trials[index].trial->scenario)
            return false;
    }
    return true;
}

// Trials that a run had no time for are an error: a suite without them would look as if all was
// well.
static void add_not_run(struct text *out, const struct run_result *run, size_t not_run)
{
    text_add(out, "  <testsuite name=\"not run\" tests=\"1\" failures=\"0\" errors=\"1\" "
                  "skipped=\"0\" time=\"0.000\">\n");
    add_properties(out, run);
    text_format(out,
                "    <testcase classname=\"lockpick\" name=\"not run\" time=\"0.000\">\n"
                "      <error type=\"not-run\" message=\"%zu of %zu trials were not run: the run "
                "ended before\"/>\n    </testcase>\n  </testsuite>\n",
                not_run, run->planned);
}

char *report_junit(const struct run_report *report)
{
    const struct run_result *run = report->run;
    const struct threshold_outcomes *thresholds = &report->thresholds;
    struct text out = {0};
    struct counts counts = count_trials(run, NULL);
    count_thresholds(thresholds, NULL, &counts);
    size_t not_run = report->tally.not_run;
    counts.of[CASE_BROKE] += not_run > 0;
    counts.all += not_run > 0;
    text_add(&out, JUNIT_BEGINS);
    add_counts(&out, &counts);
    add_time(&out, run->duration_ns);
    text_add(&out, ">\n");
    for (size_t i = 0; i < run->count; i++) {
        if (is_first_of_its_scenario(run, i))
            add_suite(&out, run, thresholds, run->trials[i].trial->scenario);
    }
    if (not_run > 0)
        add_not_run(&out, run, not_run);
    text_add(&out, "</testsuites>\n");
    return out.bytes;
}
