#include "harness/report/run_report.h"

#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>

static struct tally tally_make(const struct run_result *run)
{
    struct tally tally = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct judgement *judgement = &run->trials[i].judgement;
        tally.verdicts[judgement->verdict]++;
        if (judgement->expectation == EXPECTATION_MISSED)
            tally.missed++;
        else if (judgement->verdict == VERDICT_SKIPPED)
            tally.skipped++;
        else if (judgement->verdict == VERDICT_NOT_APPLICABLE)
            tally.not_applicable++;
        else if (judgement->verdict == VERDICT_ERROR)
            tally.errors++;
        else if (judgement->verdict == VERDICT_UNKNOWN && !trial_is_measurement(&run->trials[i]))
            tally.inconclusive++;
        else if (judgement->expectation == EXPECTATION_MET)
            tally.met++;
        else
            tally.without++;
    }
    tally.not_run = run->planned > run->count ? run->planned - run->count : 0;
    return tally;
}

// Bars compare the schemes within one scenario: across scenarios they would
// mean nothing. Locks that let everybody in are fast, and no measure for the
// others.
static double highest_rate(const struct run_result *run, const struct scenario *scenario)
{
    double highest[2] = {0, 0};
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        bool is_kept = judgement_first_violation(&result->judgement) == NULL;
        if (result->trial->scenario == scenario)
            highest[is_kept] = fmax(highest[is_kept], result->statistics.holds_per_second);
    }
    return highest[1] > 0 ? highest[1] : highest[0];
}

void run_report_make(const struct run_result *run, struct run_report *report)
{
    *report = (struct run_report){.run = run,
                                  .tally = tally_make(run),
                                  .costs = memory_new((run->count + 1) * sizeof *report->costs)};
    for (size_t i = 0; i < run->count; i++) {
        struct scheme_cost *cost = &report->costs[report->cost_count];
        if (!scheme_cost_begins_at(run, i))
            continue;
        scheme_cost_make(run, i, cost);
        scheme_cost_settle(cost);
        cost->highest_rate = highest_rate(run, cost->trial->scenario);
        report->cost_count++;
    }
    thresholds_decide(report, &report->thresholds);
}

void run_report_free(struct run_report *report)
{
    for (size_t i = 0; i < report->cost_count; i++)
        scheme_cost_free(&report->costs[i]);
    free(report->costs);
    thresholds_free(&report->thresholds);
    *report = (struct run_report){0};
}

bool run_report_has_row(const struct run_report *report, const struct scheme_cost *cost)
{
    bool any_measures = false;
    for (size_t i = 0; i < report->cost_count && !any_measures; i++)
        any_measures =
            report->costs[i].repeats > 0 && scenario_measures(report->costs[i].trial->scenario);
    return cost->repeats > 0 && (!any_measures || scenario_measures(cost->trial->scenario));
}
