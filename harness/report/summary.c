#include "harness/report/words.h"

#include <stdio.h>
#include <string.h>

bool trial_is_measurement(const struct trial_result *result)
{
    return result->judgement.is_measurement && result->trial->expectation == NULL;
}

bool trial_is_urgent(const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    return judgement->expectation == EXPECTATION_MISSED || judgement->verdict == VERDICT_ERROR ||
           (judgement->verdict == VERDICT_UNKNOWN && !trial_is_measurement(result));
}

bool trial_is_unfit(const struct trial_result *result)
{
    return result->judgement.verdict == VERDICT_NOT_APPLICABLE &&
           result->judgement.expectation != EXPECTATION_MISSED;
}

bool judgement_is_stuck(const struct judgement *judgement)
{
    FOR_EACH (finding, finding, judgement->findings, judgement->finding_count) {
        if (finding_counts(finding) && finding->check->shows == SHOWS_SILENCE)
            return true;
    }
    return judgement->verdict == VERDICT_STUCK;
}

int verdict_gravity(enum verdict verdict)
{
    static const int gravities[] = {
        [VERDICT_NOT_APPLICABLE] = 0, [VERDICT_SAFE] = 1,  [VERDICT_SKIPPED] = 2,
        [VERDICT_UNKNOWN] = 3,        [VERDICT_ERROR] = 4, [VERDICT_STUCK] = 5,
        [VERDICT_UNSAFE] = 6};
    return gravities[verdict];
}

// Of more reasons the sentence would be no sentence any more: they stand with the trials.
#define MOST_REASONS 2

size_t trials_like(const struct run_result *run, size_t index,
                   bool (*is_like)(const struct trial_result *a, const struct trial_result *b))
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        bool is_one = is_like(&run->trials[i], &run->trials[index]);
        if (is_one && i < index)
            return 0;
        count += is_one;
    }
    return count;
}

static bool ended_for_one_reason(const struct trial_result *a, const struct trial_result *b)
{
    return a->judgement.verdict == b->judgement.verdict &&
           strcmp(a->judgement.reason, b->judgement.reason) == 0;
}

static void add_reasons(const struct run_result *run, enum verdict verdict, struct text *out)
{
    struct text reasons = {0};
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].judgement.verdict == verdict &&
            trials_like(run, i, ended_for_one_reason) > 0)
            text_format(&reasons, "%s%s", count++ > 0 ? "; " : "", run->trials[i].judgement.reason);
    }
    if (count > MOST_REASONS)
        text_format(out, " (for %zu different reasons, which stand with the trials)", count);
    else
        text_format(out, " (%s)", text_string(&reasons));
    text_free(&reasons);
}

// True if the run ended with its first miss or error, as it does without --keep-going, and not
// because it was killed or interrupted.
static bool stopped_at_miss(const struct run_result *run)
{
    size_t failed = 0;
    bool last = false;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        last = result->judgement.expectation == EXPECTATION_MISSED ||
               result->judgement.verdict == VERDICT_ERROR;
        failed += last;
        if (result->is_cut_short)
            return false;
    }
    return failed == 1 && last;
}

void summary_sentence(const struct run_report *report, struct text *out)
{
    const struct run_result *run = report->run;
    const struct threshold_outcomes *thresholds = &report->thresholds;
    const struct tally tally = report->tally;
    size_t trials = run->count - tally.skipped - tally.not_applicable;
    text_format(out, "%zu trial%s: %zu as expected, %zu missed, %zu without expectation", trials,
                plural((long long)trials), tally.met, tally.missed, tally.without);
    if (tally.inconclusive > 0)
        text_format(out, ", %zu inconclusive", tally.inconclusive);
    if (tally.errors > 0)
        text_format(out, ", %zu in error", tally.errors);
    if (tally.skipped > 0) {
        text_format(out, "; %zu skipped", tally.skipped);
        add_reasons(run, VERDICT_SKIPPED, out);
    }
    if (tally.not_applicable > 0) {
        text_format(out, "; %zu n/a", tally.not_applicable);
        add_reasons(run, VERDICT_NOT_APPLICABLE, out);
    }
    if (tally.not_run > 0)
        text_format(out, "; %zu not run%s", tally.not_run,
                    !stopped_at_miss(run) ? ""
                    : tally.not_run == 1  ? " (--keep-going runs it)"
                                          : " (--keep-going runs them)");
    if (thresholds->count > 0)
        text_format(out, "; thresholds: %zu met, %zu missed", thresholds->met, thresholds->missed);
    if (thresholds->not_measured > 0)
        text_format(out, ", %zu not measured", thresholds->not_measured);
}

// What other programs used of the processors while trials ran alone that measure; negative if
// nothing is known.
static double others_share(const struct run_result *run)
{
    double others_ns = 0;
    double all_ns = 0;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct resources *resources = &result->statistics.resources;
        int64_t trial_ns = resources_of_others_ns(resources);
        if (result->lanes != 1 || !scenario_measures(result->trial->scenario) || trial_ns < 0)
            continue;
        others_ns += (double)trial_ns;
        all_ns += (double)resources->covered_ns * resources->processors;
    }
    return all_ns > 0 ? others_ns / all_ns : -1;
}

void machine_sentence(const struct run_result *run, struct text *out)
{
    const struct environment *environment = &run->environment;
    double share = others_share(run);
    if (environment->processors == 0)
        return;
    text_format(out, "%d processor%s", environment->processors, plural(environment->processors));
    if (environment->load_at_begin.is_known)
        text_format(out, "; load %.2f at the beginning", environment->load_at_begin.averages[0]);
    if (environment->load_at_end.is_known)
        text_format(out, ", %.2f at the end", environment->load_at_end.averages[0]);
    if (share >= 0)
        text_format(out, "; other programs used %.0f %% of them while costs were measured",
                    100 * (share < 1 ? share : 1));
}

void found_text(const struct judgement *judgement, struct text *out)
{
    const char *lead = "";
    FOR_EACH (finding, finding, judgement->findings, judgement->finding_count) {
        if (finding->state != FINDING_VIOLATED)
            continue;
        text_format(out, finding->harmless ? "%s(%s)" : "%s%s", lead, finding->check->name);
        lead = ", ";
    }
    if (*lead == '\0')
        text_add(out, "–");
}

struct words rate_words(double rate)
{
    struct words words;
    char digits[40];
    size_t put = 0;
    if (rate < 99.95) {
        snprintf(words.text, sizeof words.text, "%.3g", rate);
        return words;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", rate);
    length = length < (int)sizeof digits ? length : (int)sizeof digits - 1;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            words.text[put++] = ',';
        words.text[put++] = digits[i];
    }
    words.text[put] = '\0';
    return words;
}

const char *const finding_state_names[] = {"kept", "violated", "undecided", "irrelevant"};
const char *const expectation_names[] = {"none", "met", "missed"};

bool trials_ended_alike(const struct trial_result *a, const struct trial_result *b)
{
    struct text found_a = {0};
    struct text found_b = {0};
    if (a->judgement.verdict != b->judgement.verdict ||
        a->judgement.expectation != b->judgement.expectation)
        return false;
    found_text(&a->judgement, &found_a);
    found_text(&b->judgement, &found_b);
    bool alike = strcmp(text_string(&found_a), text_string(&found_b)) == 0;
    text_free(&found_a);
    text_free(&found_b);
    return alike;
}

// A missed expectation is the news; then that the harness could not work, as no figure of it counts
// for anything; then a missed threshold; then that nobody knows.
int report_exit_code(const struct run_report *report)
{
    const struct run_result *run = report->run;
    const struct tally tally = report->tally;
    if (tally.missed > 0)
        return 1;
    if (tally.errors > 0 || (run->strict && tally.skipped > 0))
        return 4;
    if (report->thresholds.missed > 0)
        return 5;
    bool nothing_tried = run->count > 0 && tally.skipped + tally.not_applicable == run->count;
    bool is_unknown =
        tally.inconclusive > 0 || tally.not_run > 0 || report->thresholds.not_measured > 0;
    return is_unknown || nothing_tried ? 3 : 0;
}
