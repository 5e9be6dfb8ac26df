#include "harness/report/comparison.h"

#include "harness/report/scheme_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of all draws: the same figures give the same interval.
#define SEED 1

// --- sides ---------------------------------------------------------------------------------------

// Worse ones are higher. What was not decided is worse than SAFE only because it may be worse.
static int rank_of(enum verdict verdict)
{
    return verdict == VERDICT_SAFE     ? 0
           : verdict == VERDICT_STUCK  ? 2
           : verdict == VERDICT_UNSAFE ? 3
                                       : 1;
}

static bool is_decided(enum verdict verdict)
{
    return verdict <= VERDICT_STUCK;
}

static bool is_of(const struct repeat_figures *repeat, const char *scenario, const char *scheme)
{
    return strcmp(repeat->scenario, scenario) == 0 && strcmp(repeat->scheme, scheme) == 0;
}

// The properties that any of the side's repeats violated, in the order of the catalogue.
static struct text found_by(const struct compared_side *side)
{
    struct text found = {0};
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const char *name = check_catalogue[i]->name;
        bool any = false;
        for (size_t j = 0; j < side->count && !any; j++)
            any = strstr(side->run->repeats[side->repeats[j]].found, name) != NULL;
        if (any)
            text_format(&found, "%s%s", found.length > 0 ? ", " : "", name);
    }
    return found;
}

static struct compared_side side_make(const struct run_figures *run, const char *scenario,
                                      const char *scheme)
{
    struct compared_side side = {.run = run, .scheme = scheme};
    side.repeats = memory_new((run->count + 1) * sizeof *side.repeats);
    for (size_t i = 0; i < run->count; i++) {
        const struct repeat_figures *repeat = &run->repeats[i];
        if (!is_of(repeat, scenario, scheme))
            continue;
        if (side.count == 0 || rank_of(repeat->verdict) > rank_of(side.verdict)) {
            side.verdict = repeat->verdict;
            side.of_verdict = 0;
        }
        side.of_verdict += rank_of(repeat->verdict) == rank_of(side.verdict);
        side.repeats[side.count++] = i;
    }
    side.found = found_by(&side);
    return side;
}

static void side_free(struct compared_side *side)
{
    free(side->repeats);
    text_free(&side->found);
}

static const struct repeat_figures *repeat_of(const struct compared_side *side, size_t nth)
{
    return &side->run->repeats[side->repeats[nth]];
}

static enum verdict_change change_of_verdict(const struct compared_side *base,
                                             const struct compared_side *other)
{
    if (base->count == 0 || other->count == 0 || !is_decided(base->verdict) ||
        !is_decided(other->verdict))
        return VERDICT_UNCLEAR;
    int difference = rank_of(other->verdict) - rank_of(base->verdict);
    if (difference != 0)
        return difference > 0 ? VERDICT_WORSE : VERDICT_BETTER;
    return strcmp(text_string(&base->found), text_string(&other->found)) == 0 ? VERDICT_KEPT
                                                                              : VERDICT_OTHERWISE;
}

// --- one figure ----------------------------------------------------------------------------------

// The figures of those repeats that have it; the caller frees them.
static double *values_of(const struct compared_side *side, enum figure figure, size_t *count,
                         size_t *marked)
{
    double *values = memory_new((side->count + 1) * sizeof *values);
    *count = 0;
    *marked = 0;
    for (size_t i = 0; i < side->count; i++) {
        const struct repeat_figures *repeat = repeat_of(side, i);
        if (isnan(repeat->values[figure]))
            continue;
        values[(*count)++] = repeat->values[figure];
        *marked += repeat->is_drivers[figure];
    }
    return values;
}

static double median_of(const double *values, size_t count)
{
    if (count == 0)
        return NAN;
    double *copy = memory_new(count * sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    double median = spread_of(copy, count).median;
    free(copy);
    return median;
}

static void compare_figure(const struct comparison *comparison, struct compared_pair *pair,
                           enum figure figure)
{
    struct figure_change *change = &pair->figures[figure];
    double *values[2];
    size_t counts[2];
    size_t marked[2];
    *change = (struct figure_change){.is_trusted = true, .why_unknown = ""};
    for (int i = 0; i < 2; i++) {
        values[i] = values_of(&pair->sides[i], figure, &counts[i], &marked[i]);
        change->medians[i] = median_of(values[i], counts[i]);
        change->marked += marked[i];
        change->is_trusted &= counts[i] == 0 || 2 * marked[i] < counts[i];
    }
    // Of two schemes, one may ask no server, or let nobody wait: that is no lack.
    bool needs_both = comparison->of_schemes || figure == FIGURE_COMMANDS;
    bool has_enough = needs_both ? counts[0] > 0 && counts[1] > 0 : counts[0] + counts[1] > 0;
    change->is_compared = has_enough || figure == FIGURE_RATE;
    // Repeats that lack the figure have nobody to take turns with.
    bool in_turns = pair->in_turns && counts[0] == pair->sides[0].count;
    if (counts[0] == 0 || counts[1] == 0)
        change->why_unknown = counts[0] == 0 ? "not measured before" : "not measured";
    else if (counts[0] < RATIO_LEAST_REPEATS || counts[1] < RATIO_LEAST_REPEATS)
        change->why_unknown = "too few repeats have it";
    else
        change->ratio = ratio_make(values[0], counts[0], values[1], counts[1], in_turns,
                                   comparison->margin, SEED);
    free(values[0]);
    free(values[1]);
}

enum change figure_worse(enum figure figure)
{
    return figure == FIGURE_RATE       ? CHANGE_LESS
           : figure == FIGURE_COMMANDS ? CHANGE_UNKNOWN
                                       : CHANGE_MORE;
}

const char *figure_change_name(enum figure figure, const struct figure_change *change)
{
    enum change what = change->ratio.change;
    if (figure == FIGURE_COMMANDS && (what == CHANGE_MORE || what == CHANGE_LESS))
        return what == CHANGE_MORE ? "more" : "fewer";
    return change_name(what, figure == FIGURE_RATE);
}

// --- pairs ---------------------------------------------------------------------------------------

// Each one's nth repeat is next to the other's, and nothing lay between.
static bool took_turns(const struct compared_side *base, const struct compared_side *other)
{
    if (base->run != other->run || base->count != other->count || base->count < 2)
        return false;
    for (size_t i = 0; i < base->count; i++) {
        size_t a = base->repeats[i];
        size_t b = other->repeats[i];
        if ((a > b ? a - b : b - a) != 1)
            return false;
    }
    return true;
}

// Why their costs cannot be compared, or "".
static const char *why_not(const struct compared_pair *pair)
{
    const struct compared_side *base = &pair->sides[0];
    const struct compared_side *other = &pair->sides[1];
    if (base->count == 0)
        return "it is missing in the baseline";
    if (other->count == 0)
        return "the baseline has it, the other has not";
    const struct repeat_figures *a = repeat_of(base, 0);
    const struct repeat_figures *b = repeat_of(other, 0);
    bool knows_both = a->topology[0] != '\0' && b->topology[0] != '\0';
    if (!repeats_ask_the_same(a, b))
        return "the scenario is not the same";
    if (strcmp(a->scheme, b->scheme) == 0 && knows_both && strcmp(a->topology, b->topology) != 0)
        return "its servers have another topology";
    return "";
}

static void add_pair(struct comparison *comparison, const char *scenario, struct compared_side base,
                     struct compared_side other)
{
    comparison->pairs =
        memory_resized(comparison->pairs, (comparison->count + 1) * sizeof *comparison->pairs);
    struct compared_pair *pair = &comparison->pairs[comparison->count++];
    *pair = (struct compared_pair){.scenario = scenario, .sides = {base, other}};
    pair->verdict = change_of_verdict(&base, &other);
    pair->in_turns = took_turns(&base, &other);
    pair->why_unknown = why_not(pair);
    bool is_refused = comparison->differences.length > 0 && !comparison->anyway;
    pair->compares_costs = !is_refused && pair->why_unknown[0] == '\0' &&
                           !repeat_of(&base, 0)->strikes && !repeat_of(&other, 0)->strikes;
    if (strcmp(pair->why_unknown, "the scenario is not the same") == 0)
        pair->verdict = VERDICT_UNCLEAR;
    for (enum figure figure = 0; figure < FIGURE_COUNT && pair->compares_costs; figure++)
        compare_figure(comparison, pair, figure);
}

static bool is_wanted(const struct comparison_options *options, const char *scheme)
{
    bool any = false;
    for (int i = 0; i < 2; i++) {
        any |= options->only[i] != NULL;
        if (options->only[i] != NULL && text_matches(scheme, options->only[i]))
            return true;
    }
    return !any;
}

// True if neither of two runs had the servers for it: that was said when they were run.
static bool are_skipped(const struct compared_side *a, const struct compared_side *b)
{
    return a->count > 0 && b->count > 0 && a->verdict == VERDICT_SKIPPED &&
           b->verdict == VERDICT_SKIPPED;
}

// True if an earlier repeat of the run is of the same scenario and, unless NULL, scheme.
static bool came_before(const struct run_figures *run, size_t index, bool whatever_scheme)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(run->repeats[i].scenario, run->repeats[index].scenario) == 0 &&
            (whatever_scheme || strcmp(run->repeats[i].scheme, run->repeats[index].scheme) == 0))
            return true;
    }
    return false;
}

void comparison_of_runs(const struct run_figures *base, const struct run_figures *other,
                        const struct comparison_options *options, struct comparison *comparison)
{
    const struct run_figures *runs[] = {base, other};
    *comparison = (struct comparison){
        .names = {base->name, other->name}, .margin = options->margin, .anyway = options->anyway};
    environment_differences(&base->environment, &other->environment, &comparison->differences);
    if (base->environment.kernel[0] == '\0' && other->environment.kernel[0] == '\0')
        text_add(&comparison->differences, "neither says where it was run\n");
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < runs[i]->count; j++) {
            const struct repeat_figures *repeat = &runs[i]->repeats[j];
            if (came_before(runs[i], j, false) || !is_wanted(options, repeat->scheme))
                continue;
            struct compared_side a = side_make(base, repeat->scenario, repeat->scheme);
            struct compared_side b = side_make(other, repeat->scenario, repeat->scheme);
            if ((i == 0 || a.count == 0) && !are_skipped(&a, &b)) {
                add_pair(comparison, repeat->scenario, a, b);
            } else {
                side_free(&a);
                side_free(&b);
            }
        }
    }
}

void comparison_of_schemes(const struct run_figures *run, const char *base, const char *other,
                           const struct comparison_options *options, struct comparison *comparison)
{
    *comparison =
        (struct comparison){.names = {base, other}, .of_schemes = true, .margin = options->margin};
    for (size_t i = 0; i < run->count; i++) {
        const char *scenario = run->repeats[i].scenario;
        if (came_before(run, i, true))
            continue;
        struct compared_side a = side_make(run, scenario, base);
        struct compared_side b = side_make(run, scenario, other);
        if (a.count + b.count > 0) {
            add_pair(comparison, scenario, a, b);
        } else {
            side_free(&a);
            side_free(&b);
        }
    }
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        side_free(&comparison->pairs[i].sides[0]);
        side_free(&comparison->pairs[i].sides[1]);
    }
    free(comparison->pairs);
    text_free(&comparison->differences);
    *comparison = (struct comparison){0};
}
