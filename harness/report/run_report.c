#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/report/words.h"
#include "harness/stats/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tally tally_make(const struct run_result *run)
{
    struct tally tally = {.not_run = run->planned > run->count ? run->planned - run->count : 0};
    FOR_EACH (trial_result, result, run->trials, run->count) {
        enum verdict verdict = result->judgement.verdict;
        enum expectation_result expectation = result->judgement.expectation;
        bool is_open = verdict == VERDICT_UNKNOWN && !trial_is_measurement(result);
        size_t *counted = expectation == EXPECTATION_MISSED   ? &tally.missed
                          : verdict == VERDICT_SKIPPED        ? &tally.skipped
                          : verdict == VERDICT_NOT_APPLICABLE ? &tally.not_applicable
                          : verdict == VERDICT_ERROR          ? &tally.errors
                          : is_open                           ? &tally.inconclusive
                          : expectation == EXPECTATION_MET    ? &tally.met
                                                              : &tally.without;
        tally.verdicts[verdict]++;
        tally.cost_only += trial_is_measurement(result);
        (*counted)++;
    }
    return tally;
}

// --- what a repeat gives to a cost ---------------------------------------------------------------

bool scheme_cost_is_of(const struct trial *a, const struct trial *b)
{
    return a->scenario == b->scenario && strcmp(a->scheme, b->scheme) == 0;
}

bool scheme_cost_has(const struct scheme_cost *cost, const struct trial_result *result)
{
    return trial_was_timed(result) && scheme_cost_is_of(result->trial, cost->trial);
}

struct spread spread_of(double *values, size_t count)
{
    if (count == 0)
        return (struct spread){0};
    sort_numbers(values, count);
    double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    return (struct spread){count, middle, values[0], values[count - 1]};
}

// Of a cost that is being made.
struct sums {
    double *rates, *fairnesses;
    size_t fair_count; // repeats with a grant: without one there are no shares
    int64_t commands;
    size_t grants; // for which they were sent
    double attempts;
    size_t holds; // that they led to
};

static void add_recoveries(const struct recoveries *recoveries, struct scheme_cost *cost)
{
    FOR_EACH (recovery, recovery, recoveries->items, recoveries->count) {
        int64_t outage_ns = recovery->unavailable_ns;
        bool is_over = recovery->after_effect_ns != TIME_NEVER;
        int64_t *longest = is_over ? &cost->longest_recovery_ns : &cost->never_ns;
        cost->faults++;
        cost->longest_outage_ns = time_later(cost->longest_outage_ns, outage_ns);
        *longest = time_later(*longest, is_over ? recovery->after_effect_ns : outage_ns);
        cost->any_idle |= !is_over && outage_ns == 0;
    }
}

static void add_uses(const struct statistics *statistics, struct scheme_cost *cost)
{
    const struct resources *resources = &statistics->resources;
    const struct resource_use *const all[] = {[USE_CLIENTS] = &resources->clients,
                                              [USE_SERVERS] = &resources->servers,
                                              [USE_DRIVER] = &resources->driver};
    double locks = (double)statistics->holds;
    for (enum use_sort sort = 0; sort < USE_COUNT && resources->is_known; sort++) {
        const struct resource_use *used = all[sort];
        struct use *use = &cost->uses[sort];
        if (used->processes == 0)
            continue;
        use->locks += locks;
        use->processor_ns += (double)used->processor_ns;
        use->covered_ns += (double)resources->covered_ns;
        if (used->knows_switches) {
            use->switch_locks += locks;
            use->switches += (double)(used->voluntary_switches + used->other_switches);
        }
        if (used->knows_network) {
            use->network_locks += locks;
            use->bytes += (double)(used->received_bytes + used->sent_bytes);
        }
    }
}

static void add_statistics(const struct statistics *statistics, struct scheme_cost *cost,
                           struct sums *sums)
{
    const struct herd *herd = &statistics->herd;
    const struct fairness *turns = &statistics->turns;
    const struct driver_bound *bound = &statistics->driver_bound;
    int64_t asked = (int64_t)(statistics->holds + statistics->not_held + statistics->unknown);
    sums->rates[cost->repeats] = statistics->holds_per_second;
    if (turns->grants > 0) {
        double all = (double)turns->grants;
        sums->fairnesses[sums->fair_count++] = statistics->fairness;
        cost->least_share = fmin(cost->least_share, (double)turns->least_grants / all);
        cost->most_share = fmax(cost->most_share, (double)turns->most_grants / all);
        double even = turns->workers > 1 ? all / (double)turns->workers : NAN;
        cost->least_of_even = fmin(cost->least_of_even, (double)turns->least_grants / even);
        cost->most_of_even = fmax(cost->most_of_even, (double)turns->most_grants / even);
    }
    if (herd->is_known) {
        sums->commands += herd->acquire_requests + herd->release_requests + herd->renewals;
        sums->grants += herd->grants;
    }
    sums->attempts += statistics->attempts_per_hold * (double)statistics->holds;
    sums->holds += statistics->holds;
    cost->longest_wait_ns = time_later(cost->longest_wait_ns, statistics->longest_wait_ns);
    cost->granted += (int64_t)statistics->holds;
    cost->asked += time_later(statistics->due, asked);
    cost->due += statistics->due;
    cost->begun += statistics->begun;
    cost->leased += statistics->leased;
    cost->expired += statistics->expired;
    if (bound->is_bound && cost->driver_bound++ == 0)
        cost->bound_reason = bound->reason;
    if (any_is_late(bound->late) && !any_is_late(cost->late))
        cost->late_reason = bound->reason;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        cost->late[i] |= bound->late[i];
    add_recoveries(&statistics->recoveries, cost);
    add_uses(statistics, cost);
}

// Of several verdicts the gravest counts: UNSAFE, STUCK, ERROR, UNKNOWN, SKIPPED, SAFE, n/a.
static int verdict_gravity(enum verdict verdict)
{
    static const int gravities[] = {
        [VERDICT_NOT_APPLICABLE] = 0, [VERDICT_SAFE] = 1,  [VERDICT_SKIPPED] = 2,
        [VERDICT_UNKNOWN] = 3,        [VERDICT_ERROR] = 4, [VERDICT_STUCK] = 5,
        [VERDICT_UNSAFE] = 6};
    return gravities[verdict];
}

static void add_trial(const struct run_result *run, size_t index, struct scheme_cost *cost,
                      struct sums *sums)
{
    const struct trial_result *result = &run->trials[index];
    const struct judgement *judgement = &result->judgement;
    enum verdict verdict = judgement->verdict;
    const struct finding *violation = judgement_first_violation(judgement);
    if (cost->all == 0 || verdict_gravity(verdict) > verdict_gravity(cost->gravest)) {
        cost->gravest = verdict;
        cost->alike = 0;
        cost->broken = violation != NULL && finding_counts(violation) ? violation->check : NULL;
    }
    cost->all++;
    cost->alike += verdict == cost->gravest;
    cost->trials += verdict != VERDICT_NOT_APPLICABLE;
    if (!result->has_history && verdict != VERDICT_NOT_APPLICABLE)
        cost->why_missing = judgement->reason;
    if (!result->has_history)
        return;
    if (cost->repeats == 0 || verdict_gravity(verdict) > verdict_gravity(cost->worst_verdict)) {
        cost->worst = index;
        cost->worst_verdict = verdict;
    }
    cost->undecided += verdict > VERDICT_STUCK;
    cost->any_stuck |= judgement_is_stuck(judgement);
    FOR_EACH (finding, finding, judgement->findings, judgement->finding_count) {
        size_t count = finding_counts(finding) && finding->count > 0 ? (size_t)finding->count : 0;
        cost->violations += count;
        cost->undecided_violations += verdict > VERDICT_STUCK ? count : 0;
    }
    if (!trial_was_timed(result))
        return;
    add_statistics(&result->statistics, cost, sums);
    cost->repeats++;
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        histogram_merge(&cost->histograms[latency], &result->latencies.histograms[latency]);
}

// What the repeats tell of leaders, and each of their faults.
static void add_leaders(const struct run_result *run, struct scheme_cost *cost)
{
    enum { LEADERLESS, CHANGES, SHARE, REQUESTS, KINDS };
    size_t counts[KINDS] = {0}, most = run->count * MOST_FAULTS + 1;
    if (!trial_has_leaders(cost->trial))
        return;
    AUTO_FREE double *values = memory_new(KINDS * most * sizeof *values);
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct statistics *statistics = &result->statistics;
        const struct leadership *leadership = &statistics->leadership;
        if (!scheme_cost_has(cost, result) || !leadership->is_known)
            continue;
        FOR_EACH (recovery, recovery, statistics->recoveries.items, statistics->recoveries.count)
            values[LEADERLESS * most + counts[LEADERLESS]++] = (double)recovery->leaderless_ns;
        values[CHANGES * most + counts[CHANGES]++] = (double)leadership->changes;
        values[SHARE * most + counts[SHARE]++] = leadership->share_led;
        if (isfinite(leadership->requests_per_second))
            values[REQUESTS * most + counts[REQUESTS]++] = leadership->requests_per_second;
    }
    cost->leaderless = spread_of(values + LEADERLESS * most, counts[LEADERLESS]);
    cost->leader_changes = spread_of(values + CHANGES * most, counts[CHANGES]);
    cost->share_led = spread_of(values + SHARE * most, counts[SHARE]);
    cost->requests_per_second = spread_of(values + REQUESTS * most, counts[REQUESTS]);
}

// Of the trials from `first` on that are of its scenario and scheme.
static void cost_make(const struct run_result *run, size_t first, struct scheme_cost *cost)
{
    size_t most = run->count - first;
    struct sums sums = {.rates = memory_new(most * sizeof(double)),
                        .fairnesses = memory_new(most * sizeof(double))};
    *cost = (struct scheme_cost){.trial = run->trials[first].trial,
                                 .first = first,
                                 .least_share = NAN,
                                 .most_share = NAN,
                                 .least_of_even = NAN,
                                 .most_of_even = NAN,
                                 .bound_reason = "",
                                 .late_reason = ""};
    for (size_t i = first; i < run->count; i++) {
        if (scheme_cost_is_of(run->trials[i].trial, cost->trial))
            add_trial(run, i, cost, &sums);
    }
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++) {
        const struct histogram *histogram = &cost->histograms[latency];
        struct percentiles *percentiles = &cost->percentiles[latency];
        percentiles->count = (size_t)histogram->total;
        for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
            percentiles->ns[i] = histogram_percentile_ns(histogram, percentile_forms[i].percent);
    }
    cost->rate = spread_of(sums.rates, cost->repeats);
    // Bars compare the schemes within one scenario: across scenarios they would mean nothing. Locks
    // that let everybody in are fast, and no measure for the others.
    double highest[2] = {0, 0};
    FOR_EACH (trial_result, result, run->trials, run->count) {
        bool is_kept = judgement_first_violation(&result->judgement) == NULL;
        if (result->trial->scenario == cost->trial->scenario)
            highest[is_kept] = fmax(highest[is_kept], result->statistics.holds_per_second);
    }
    cost->highest_rate = highest[1] > 0 ? highest[1] : highest[0];
    cost->fairness = spread_of(sums.fairnesses, sums.fair_count);
    cost->commands_per_hold = sums.grants > 0 ? (double)sums.commands / (double)sums.grants : NAN;
    cost->attempts_per_hold = sums.holds > 0 ? sums.attempts / (double)sums.holds : NAN;
    add_leaders(run, cost);
    free(sums.rates);
    free(sums.fairnesses);
}

// --- all of it -----------------------------------------------------------------------------------

bool cost_load_varies(const struct scenario *scenario)
{
    const struct load_settings *first = NULL;
    FOR_EACH (load_settings, phase, scenario->load, scenario->load_count) {
        first = first == NULL && !phase->warm_up ? phase : first;
        if (!phase->warm_up &&
            (phase->to > 0 || phase->clients != first->clients || phase->rate != first->rate))
            return true;
    }
    return false;
}

static void list_measured(struct run_report *report)
{
    struct measured_scenario *items = memory_new((report->cost_count + 1) * sizeof *items);
    size_t count = 0;
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        const struct scenario *scenario = cost->trial->scenario;
        size_t at = 0;
        while (at < count && items[at].scenario != scenario)
            at++;
        if (!scenario_measures(scenario) || cost->repeats == 0)
            continue;
        if (at == count)
            items[count++] = (struct measured_scenario){cost_load_varies(scenario), scenario, 0};
        items[at].schemes++;
        items[at].rank -= 2;
    }
    sort_by_key(items, count, sizeof *items);
    report->measured = items;
    report->measured_count = count;
}

void run_report_make(const struct run_result *run, struct run_report *report)
{
    *report = (struct run_report){.run = run,
                                  .tally = tally_make(run),
                                  .costs = memory_new((run->count + 1) * sizeof *report->costs)};
    for (size_t i = 0; i < run->count; i++) {
        size_t at = 0;
        while (at < report->cost_count &&
               !scheme_cost_is_of(report->costs[at].trial, run->trials[i].trial))
            at++;
        if (at == report->cost_count)
            cost_make(run, i, &report->costs[report->cost_count++]);
    }
    list_measured(report);
    thresholds_decide(report);
}

void run_report_free(struct run_report *report)
{
    for (size_t i = 0; i < report->cost_count; i++) {
        for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
            histogram_free(&report->costs[i].histograms[latency]);
    }
    free(report->costs);
    free(report->measured);
    free(report->thresholds.items);
    *report = (struct run_report){0};
}

// --- how costs are told --------------------------------------------------------------------------

const char cost_late_note[] = "* in some repeat driver-bound, or late in beginning acquires: the "
                              "figure may tell of the driver, not of the lock.";

void cost_title(const struct scenario *scenario, struct text *out)
{
    text_format(out, "%s%s", scenario->name,
                cost_load_varies(scenario) ? " (all its phases together)" : "");
}

const char *costs_mark(const struct trial *trial)
{
    return trial->external_client != NULL && trial->external_client->plugin == NULL ? "†" : "";
}

// True if a mark tells of the trial's times, and these are of that source.
static bool is_marked(const struct trial_result *result, const struct scenario *scenario,
                      unsigned source)
{
    return result->has_history && *costs_mark(result->trial) != '\0' &&
           (scenario == NULL || result->trial->scenario == scenario) &&
           result->statistics.times == source;
}

void costs_add_mark_meaning(const struct run_result *run, const struct scenario *scenario,
                            struct text *out)
{
    const char *before = "† a program of its own (exec): ";
    for (unsigned source = 0; source < TIME_SOURCES; source++) {
        AUTO_TEXT struct text names = {0};
        size_t count = 0; // of the schemes whose times are of that source
        for (size_t i = 0; i < run->count; i++) {
            const char *scheme = run->trials[i].trial->scheme;
            bool is_new = is_marked(&run->trials[i], scenario, source);
            for (size_t j = 0; j < i && is_new; j++)
                is_new = !is_marked(&run->trials[j], scenario, source) ||
                         strcmp(run->trials[j].trial->scheme, scheme) != 0;
            if (is_new)
                text_format(&names, "%s%s", count++ > 0 ? ", " : "", scheme);
        }
        if (count > 0) {
            text_format(out, "%s%s: %s", before, names.bytes, time_source_words(source, count > 1));
            before = "; ";
        }
    }
}

// --- words and judgements ------------------------------------------------------------------------

bool trial_is_measurement(const struct trial_result *result)
{
    return result->judgement.is_measurement && result->trial->expectation == NULL;
}

const char *trial_verdict_word(const struct trial_result *result)
{
    return trial_is_measurement(result) ? "cost only" : verdict_name(result->judgement.verdict);
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
        if (finding_counts(finding) && finding->check->shows == SHOWS_NO_PROGRESS)
            return true;
    }
    return judgement->verdict == VERDICT_STUCK;
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

// The command that installs what the skipped trial lacks, or NULL.
static const char *missing_command(const struct trial_result *result)
{
    const struct external_client *client = result->trial->external_client;
    const char *command = client != NULL ? client->install : NULL;
    bool is_it = result->judgement.verdict == VERDICT_SKIPPED && command != NULL &&
                 strstr(result->judgement.reason, command) != NULL;
    return is_it ? command : NULL;
}

bool trials_have_one_reason(const struct trial_result *a, const struct trial_result *b)
{
    const char *commands[] = {missing_command(a), missing_command(b)};
    return a->judgement.verdict == b->judgement.verdict &&
           (strcmp(a->judgement.reason, b->judgement.reason) == 0 ||
            (commands[0] != NULL && commands[1] != NULL && strcmp(commands[0], commands[1]) == 0));
}

void trials_reason(const struct trial_result *first, size_t count, struct text *out)
{
    const char *command = missing_command(first);
    if (count > 1 && command != NULL)
        text_format(out, "they need what this installs: %s", command);
    else
        text_add(out, first->judgement.reason);
}

static void add_reasons(const struct run_result *run, enum verdict verdict, struct text *out)
{
    AUTO_TEXT struct text reasons = {0};
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        size_t alike = run->trials[i].judgement.verdict == verdict
                           ? trials_like(run, i, trials_have_one_reason)
                           : 0;
        if (alike == 0)
            continue;
        text_add(&reasons, count++ > 0 ? "; " : "");
        trials_reason(&run->trials[i], alike, &reasons);
    }
    if (count > MOST_REASONS)
        text_format(out, " (for %zu different reasons, which stand with the trials)", count);
    else
        text_format(out, " (%s)", text_string(&reasons));
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
    text_format(out, "%zu trial%s: ", trials, plural((long long)trials));
    if (tally.cost_only < trials || trials == 0)
        text_format(out, "%zu as expected, %zu missed, %zu without expectation", tally.met,
                    tally.missed, tally.without - tally.cost_only);
    if (tally.cost_only > 0 && tally.cost_only < trials)
        text_format(out, ", %zu cost only", tally.cost_only);
    else if (tally.cost_only > 0)
        text_add(out, "cost only");
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
    snprintf(words.text, sizeof words.text, "%.3g", rate);
    if (rate < 99.95)
        return words;
    size_t length = (size_t)snprintf(digits, sizeof digits, "%.0f", fmin(rate, 1e38));
    for (size_t i = 0; i < length; i++) {
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
    AUTO_TEXT struct text found_a = {0};
    AUTO_TEXT struct text found_b = {0};
    found_text(&a->judgement, &found_a);
    found_text(&b->judgement, &found_b);
    return a->judgement.verdict == b->judgement.verdict &&
           a->judgement.expectation == b->judgement.expectation &&
           strcmp(text_string(&found_a), text_string(&found_b)) == 0;
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
