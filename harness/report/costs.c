#include "harness/report/costs.h"

#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool scheme_cost_is_of(const struct trial *a, const struct trial *b)
{
    return a->scenario == b->scenario && strcmp(a->scheme, b->scheme) == 0;
}

bool scheme_cost_begins_at(const struct run_result *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (scheme_cost_is_of(run->trials[i].trial, run->trials[index].trial))
            return false;
    }
    return true;
}

bool scheme_cost_has(const struct scheme_cost *cost, const struct trial_result *result)
{
    return trial_was_timed(result) && scheme_cost_is_of(result->trial, cost->trial);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

struct spread spread_of(double *values, size_t count)
{
    if (count == 0)
        return (struct spread){0};
    qsort(values, count, sizeof *values, compare);
    double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    return (struct spread){count, middle, values[0], values[count - 1]};
}

// --- what a repeat gives to the whole ------------------------------------------------------------

struct sums {
    double *rates, *fairnesses;
    size_t fair_count; // repeats with a grant: without one there are no shares
    int64_t commands;
    size_t grants; // for which they were sent
    double attempts;
    size_t holds; // that they led to
};

bool judgement_is_stuck(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (finding_counts(&judgement->findings[i]) &&
            judgement->findings[i].check->shows == SHOWS_SILENCE)
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

static void add_verdict(const struct run_result *run, size_t index, struct scheme_cost *cost)
{
    const struct judgement *judgement = &run->trials[index].judgement;
    if (cost->repeats == 0 ||
        verdict_gravity(judgement->verdict) > verdict_gravity(cost->worst_verdict)) {
        cost->worst = index;
        cost->worst_verdict = judgement->verdict;
    }
    cost->undecided += judgement->verdict > VERDICT_STUCK;
    cost->any_stuck |= judgement_is_stuck(judgement);
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        size_t count = finding->count > 0 ? (size_t)finding->count : 0;
        if (!finding_counts(finding))
            continue;
        cost->violations += count;
        cost->undecided_violations += judgement->verdict > VERDICT_STUCK ? count : 0;
    }
}

static void add_recoveries(const struct recoveries *recoveries, struct scheme_cost *cost)
{
    for (size_t i = 0; i < recoveries->count; i++) {
        const struct recovery *recovery = &recoveries->items[i];
        int64_t outage_ns = recovery->unavailable_ns;
        bool is_over = recovery->after_effect_ns != TIME_NEVER;
        cost->faults++;
        cost->longest_outage_ns = time_later(cost->longest_outage_ns, outage_ns);
        if (is_over)
            cost->longest_recovery_ns =
                time_later(cost->longest_recovery_ns, recovery->after_effect_ns);
        else
            cost->never_ns = time_later(cost->never_ns, outage_ns);
        cost->any_idle |= !is_over && outage_ns == 0;
    }
}

static void add_use(const struct statistics *statistics, const struct resource_use *used,
                    struct use *use)
{
    double locks = (double)statistics->holds;
    if (!statistics->resources.is_known || used->processes == 0)
        return;
    use->locks += locks;
    use->processor_ns += (double)used->processor_ns;
    use->covered_ns += (double)statistics->resources.covered_ns;
    if (used->knows_switches) {
        use->switch_locks += locks;
        use->switches += (double)(used->voluntary_switches + used->other_switches);
    }
    if (used->knows_network) {
        use->network_locks += locks;
        use->bytes += (double)(used->received_bytes + used->sent_bytes);
    }
}

static void add_driver(const struct driver_bound *bound, struct scheme_cost *cost)
{
    if (bound->is_bound && cost->driver_bound++ == 0)
        cost->bound_reason = bound->reason;
    if (any_is_late(bound->late) && !any_is_late(cost->late))
        cost->late_reason = bound->reason;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        cost->late[i] |= bound->late[i];
}

static void add_shares(const struct fairness *turns, double jain, struct scheme_cost *cost,
                       struct sums *sums)
{
    if (turns->grants == 0)
        return;
    sums->fairnesses[sums->fair_count++] = jain;
    cost->least_share =
        fmin(cost->least_share, (double)turns->least_grants / (double)turns->grants);
    cost->most_share = fmax(cost->most_share, (double)turns->most_grants / (double)turns->grants);
}

static void add_statistics(const struct statistics *statistics, struct scheme_cost *cost,
                           struct sums *sums)
{
    const struct herd *herd = &statistics->herd;
    const struct resources *resources = &statistics->resources;
    int64_t asked = (int64_t)(statistics->holds + statistics->not_held + statistics->unknown);
    sums->rates[cost->repeats] = statistics->holds_per_second;
    add_shares(&statistics->turns, statistics->fairness, cost, sums);
    if (herd->is_known) {
        sums->commands += herd->acquire_requests + herd->release_requests + herd->renewals;
        sums->grants += herd->grants;
    }
    sums->attempts += statistics->attempts_per_hold * (double)statistics->holds;
    sums->holds += statistics->holds;
    cost->longest_wait_ns = time_later(cost->longest_wait_ns, statistics->longest_wait_ns);
    cost->granted += (int64_t)statistics->holds;
    cost->asked += statistics->due > asked ? statistics->due : asked;
    cost->due += statistics->due;
    cost->begun += statistics->begun;
    cost->leased += statistics->leased;
    cost->expired += statistics->expired;
    add_driver(&statistics->driver_bound, cost);
    add_recoveries(&statistics->recoveries, cost);
    add_use(statistics, &resources->clients, &cost->uses[USE_CLIENTS]);
    add_use(statistics, &resources->servers, &cost->uses[USE_SERVERS]);
    add_use(statistics, &resources->driver, &cost->uses[USE_DRIVER]);
}

// --- all of them ---------------------------------------------------------------------------------

static void add_trial(const struct run_result *run, size_t index, struct scheme_cost *cost,
                      struct sums *sums)
{
    const struct trial_result *result = &run->trials[index];
    struct error error;
    cost->trials += result->judgement.verdict != VERDICT_NOT_APPLICABLE;
    if (!result->has_history) {
        if (result->judgement.verdict != VERDICT_NOT_APPLICABLE)
            cost->why_missing = result->judgement.reason;
        return;
    }
    add_verdict(run, index, cost);
    if (!trial_was_timed(result))
        return;
    add_statistics(&result->statistics, cost, sums);
    cost->repeats++;
    // What was encoded by ourselves can be decoded.
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        (void)latencies_merge(&result->latencies, latency, &cost->latencies[latency], &error);
}

static void read_percentiles(struct scheme_cost *cost, enum latency latency)
{
    const struct histogram *histogram = &cost->latencies[latency];
    struct percentiles *percentiles = &cost->percentiles[latency];
    struct text encoded = {0};
    if (histogram->total == 0)
        return;
    percentiles->count = (size_t)histogram->total;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        percentiles->ns[i] = histogram_percentile_ns(histogram, percentile_forms[i].percent);
    histogram_encode(histogram, &encoded);
    cost->encoded[latency] = encoded.bytes;
}

void scheme_cost_make(const struct run_result *run, size_t index, struct scheme_cost *cost)
{
    size_t most = run->count - index;
    struct sums sums = {.rates = memory_new(most * sizeof(double)),
                        .fairnesses = memory_new(most * sizeof(double))};
    *cost = (struct scheme_cost){.trial = run->trials[index].trial,
                                 .least_share = NAN,
                                 .most_share = NAN,
                                 .bound_reason = "",
                                 .late_reason = ""};
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        histogram_start(&cost->latencies[latency]);
    for (size_t i = index; i < run->count; i++) {
        if (scheme_cost_is_of(run->trials[i].trial, cost->trial))
            add_trial(run, i, cost, &sums);
    }
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        read_percentiles(cost, latency);
    cost->rate = spread_of(sums.rates, cost->repeats);
    cost->fairness = spread_of(sums.fairnesses, sums.fair_count);
    cost->commands_per_hold = sums.grants > 0 ? (double)sums.commands / (double)sums.grants : NAN;
    cost->attempts_per_hold = sums.holds > 0 ? sums.attempts / (double)sums.holds : NAN;
    free(sums.rates);
    free(sums.fairnesses);
}

void scheme_cost_settle(struct scheme_cost *cost)
{
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        histogram_free(&cost->latencies[latency]);
}

void scheme_cost_free(struct scheme_cost *cost)
{
    scheme_cost_settle(cost);
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        free(cost->encoded[latency]);
}

// --- which are shown -----------------------------------------------------------------------------

size_t cost_schemes(const struct run_result *run, const struct scenario *scenario, size_t **indices)
{
    size_t count = 0;
    *indices = memory_new((run->count + 1) * sizeof **indices);
    for (size_t i = 0; i < run->count; i++) {
        bool any = false;
        if (run->trials[i].trial->scenario != scenario || !scheme_cost_begins_at(run, i))
            continue;
        for (size_t j = i; j < run->count && !any; j++)
            any = trial_was_timed(&run->trials[j]) &&
                  scheme_cost_is_of(run->trials[j].trial, run->trials[i].trial);
        if (any)
            (*indices)[count++] = i;
    }
    return count;
}

bool cost_load_varies(const struct scenario *scenario)
{
    const struct load_settings *first = NULL;
    for (size_t i = 0; i < scenario->load_count; i++) {
        const struct load_settings *phase = &scenario->load[i];
        if (phase->warm_up)
            continue;
        if (phase->to > 0 ||
            (first != NULL && (phase->clients != first->clients || phase->rate != first->rate)))
            return true;
        first = phase;
    }
    return false;
}

const char cost_late_note[] = "* in some repeat driver-bound, or late in beginning acquires: the "
                              "figure may tell of the driver, not of the lock.";

const char cost_driver_note[] =
    "* driver-bound in some repeat: the figure may tell of the driver, not of the lock.";

void cost_title(const struct scenario *scenario, struct text *out)
{
    text_format(out, "%s%s", scenario->name,
                cost_load_varies(scenario) ? " (all its phases together)" : "");
}

struct candidate {
    const struct scenario *scenario;
    size_t schemes, place;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->schemes != b->schemes)
        return a->schemes < b->schemes ? 1 : -1;
    bool varies[] = {cost_load_varies(a->scenario), cost_load_varies(b->scenario)};
    if (varies[0] != varies[1])
        return varies[0] ? 1 : -1;
    return a->place > b->place ? 1 : -1;
}

void cost_choice_make(const struct run_result *run, struct cost_choice *choice)
{
    struct candidate *candidates = memory_new((run->count + 1) * sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        size_t *schemes = NULL;
        bool is_known = false;
        for (size_t j = 0; j < count && !is_known; j++)
            is_known = candidates[j].scenario == scenario;
        if (!scenario_measures(scenario) || is_known)
            continue;
        candidates[count] = (struct candidate){scenario, cost_schemes(run, scenario, &schemes), i};
        count += candidates[count].schemes > 0;
        free(schemes);
    }
    qsort(candidates, count, sizeof *candidates, compare_candidates);
    choice->count = count;
    choice->scenarios = memory_new((count + 1) * sizeof *choice->scenarios);
    for (size_t i = 0; i < count; i++)
        choice->scenarios[i] = candidates[i].scenario;
    free(candidates);
}

void cost_choice_free(struct cost_choice *choice)
{
    free(choice->scenarios);
    *choice = (struct cost_choice){0};
}

// --- how they are told ---------------------------------------------------------------------------

void costs_add_notes(const struct scheme_cost *cost, struct text *notes)
{
    const char *scheme = cost->trial->scheme;
    char texts[2][40];
    if (cost->driver_bound > 0)
        text_format(notes, "* %s is driver-bound in %zu of %zu: %s\n", scheme, cost->driver_bound,
                    cost->repeats, cost->bound_reason);
    else if (any_is_late(cost->late))
        text_format(notes, "* %s: %s\n", scheme, cost->late_reason);
    // What began late counts with its waiting, but what never began has no latency at all. A
    // hundredth may be on its way at the end.
    if ((cost->due - cost->begun) * 100 > cost->due)
        text_format(notes, "%s could not hold the rate: %s of %s begun\n", scheme,
                    rate_text((double)cost->begun, texts[0], sizeof texts[0]),
                    rate_text((double)cost->due, texts[1], sizeof texts[1]));
    if (cost->expired > 0)
        text_format(notes, "%s: of %zu of %zu grants the lease was over when they came\n", scheme,
                    cost->expired, cost->leased);
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

// The names of the marked schemes whose times are of that source; returns how many they are.
static size_t name_those_of(const struct run_result *run, const struct scenario *scenario,
                            unsigned source, struct text *names)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const char *scheme = run->trials[i].trial->scheme;
        bool is_new = is_marked(&run->trials[i], scenario, source);
        for (size_t j = 0; j < i && is_new; j++)
            is_new = !is_marked(&run->trials[j], scenario, source) ||
                     strcmp(run->trials[j].trial->scheme, scheme) != 0;
        if (is_new)
            text_format(names, "%s%s", count++ > 0 ? ", " : "", scheme);
    }
    return count;
}

void costs_add_mark_meaning(const struct run_result *run, const struct scenario *scenario,
                            struct text *out)
{
    const char *before = "† a program of its own (exec): ";
    for (unsigned source = 0; source < TIME_SOURCES; source++) {
        struct text names = {0};
        size_t count = name_those_of(run, scenario, source, &names);
        if (count > 0) {
            text_format(out, "%s%s: %s", before, names.bytes, time_source_words(source, count > 1));
            before = "; ";
        }
        text_free(&names);
    }
}
