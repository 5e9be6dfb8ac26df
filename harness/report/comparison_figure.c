// One figure of two sides.
#include "harness/report/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Of all draws: the same figures give the same interval.
#define SEED 1

// The figures of one side.
struct figures {
    double *values;
    size_t count;     // repeats that have it
    size_t of;        // repeats that count
    size_t marked;    // in which the driver was the limit
    bool any_partial; // in which more were denied than lie beyond it
    int64_t acquires, denied;
};

static const struct repeat_figures *repeat_of(const struct compared_side *side, size_t nth)
{
    return &side->run->repeats[side->repeats[nth]];
}

// Of repeats in turns, one that was not decided takes its partner with it.
static bool repeat_counts(const struct compared_pair *pair, int side, size_t nth)
{
    return verdict_is_decided(repeat_of(&pair->sides[side], nth)->verdict) &&
           (!pair->in_turns || verdict_is_decided(repeat_of(&pair->sides[1 - side], nth)->verdict));
}

static struct figures figures_of(const struct compared_pair *pair, int side, enum figure figure)
{
    size_t most = pair->sides[side].count;
    struct figures figures = {.values = memory_new((most + 1) * sizeof(double))};
    for (size_t i = 0; i < most; i++) {
        const struct repeat_figures *repeat = repeat_of(&pair->sides[side], i);
        if (!repeat_counts(pair, side, i))
            continue;
        figures.of++;
        if (isnan(repeat->values[figure]))
            continue;
        figures.values[figures.count++] = repeat->values[figure];
        figures.marked += repeat->is_drivers[figure];
        figures.any_partial |= repeat->is_partial[figure];
        figures.acquires += repeat->acquires;
        figures.denied += repeat->denied;
    }
    return figures;
}

static double mean_of(const struct figures *figures)
{
    double sum = 0;
    for (size_t i = 0; i < figures->count; i++)
        sum += figures->values[i];
    return figures->count > 0 ? sum / (double)figures->count : NAN;
}

enum change figure_worse(enum figure figure)
{
    const struct figure_form *form = &figure_forms[figure];
    return form->more_is_better ? CHANGE_LESS : form->is_neither ? CHANGE_UNKNOWN : CHANGE_MORE;
}

const char *figure_change_name(enum figure figure, const struct figure_change *change)
{
    enum change what = change->why_unknown[0] != '\0' ? CHANGE_UNKNOWN : change->ratio.change;
    if (figure_forms[figure].is_neither && (what == CHANGE_MORE || what == CHANGE_LESS))
        return what == CHANGE_MORE ? "more" : "fewer";
    return change_name(what, figure_forms[figure].more_is_better);
}

// --- why it cannot be told -----------------------------------------------------------------------

#define UNKNOWN(...) snprintf(change->why_unknown, sizeof change->why_unknown, __VA_ARGS__)

// There is no ratio.
static void doubt_figures(const struct comparison *comparison, const struct figures sides[2],
                          struct figure_change *change)
{
    for (int i = 0; i < 2 && change->why_unknown[0] == '\0'; i++) {
        if (sides[i].count == 0 && comparison->of_schemes)
            UNKNOWN("not measured of %.60s", comparison->names[i]);
        else if (sides[i].count == 0)
            UNKNOWN(i == 0 ? "not measured before" : "not measured");
        else if (sides[i].count < sides[i].of)
            UNKNOWN("%zu of %zu repeats lack it%s", sides[i].of - sides[i].count, sides[i].of,
                    i == 0 ? " in the baseline" : "");
    }
    if (change->why_unknown[0] == '\0' &&
        (sides[0].count < RATIO_LEAST_REPEATS || sides[1].count < RATIO_LEAST_REPEATS))
        UNKNOWN("too few repeats have it");
}

// True if what was denied may have made the figure look as it does. It makes the latency of the
// rest too short, so that what is slower in spite of it stands, and so does what is faster than it.
static bool may_be_denials(enum figure figure, const struct figures sides[2], enum change what)
{
    bool is_worse = what == figure_worse(figure);
    bool is_better = !is_worse && (what == CHANGE_MORE || what == CHANGE_LESS);
    return (sides[0].any_partial && !(is_better && !sides[1].any_partial)) ||
           (sides[1].any_partial && !(is_worse && !sides[0].any_partial));
}

// How much worse it may be: 0.2 is a fifth longer, or as many fewer in the same time.
static double worst_of(enum figure figure, const struct ratio *ratio)
{
    enum change worse = figure_worse(figure);
    return worse == CHANGE_MORE ? ratio->high - 1 : worse == CHANGE_LESS ? 1 / ratio->low - 1 : 0;
}

// There is one.
static void doubt_ratio(const struct comparison *comparison, enum figure figure,
                        const struct figures sides[2], struct figure_change *change)
{
    enum change what = change->ratio.change;
    int denied = sides[1].any_partial ? 1 : 0;
    double worst = worst_of(figure, &change->ratio);
    if (what == CHANGE_UNKNOWN)
        UNKNOWN(change->means[0] > 0 ? "there is no ratio of such numbers"
                                     : "it is 0 in the baseline");
    else if (!change->is_trusted)
        UNKNOWN("the driver was the limit");
    else if (may_be_denials(figure, sides, what))
        UNKNOWN("%lld of %lld acquires%s were never granted, and have no latency",
                (long long)sides[denied].denied, (long long)sides[denied].acquires,
                denied == 0 ? " of the baseline" : "");
    else if (what == CHANGE_NOISE && worst > 1e3)
        UNKNOWN("within noise, which may hide anything");
    else if (what == CHANGE_NOISE && worst > COMPARISON_NOISE * comparison->margin)
        UNKNOWN("within noise, and may be slower by %.*f %%", worst < 0.1 ? 1 : 0, 100 * worst);
}

void comparison_figure(const struct comparison *comparison, struct compared_pair *pair,
                       enum figure figure)
{
    struct figure_change *change = &pair->figures[figure];
    struct figures sides[2];
    *change = (struct figure_change){.is_trusted = true};
    for (int i = 0; i < 2; i++) {
        sides[i] = figures_of(pair, i, figure);
        change->means[i] = mean_of(&sides[i]);
        change->marked += sides[i].marked;
        change->is_trusted &= sides[i].count == 0 || 2 * sides[i].marked < sides[i].count;
    }
    // Of two schemes, one may ask no server, or let nobody wait: that is no lack.
    bool may_lack =
        comparison->of_schemes && (figure == FIGURE_COMMANDS || figure == FIGURE_HAND_OFF_p50);
    bool has_both = sides[0].count > 0 && sides[1].count > 0;
    bool has_any = sides[0].count + sides[1].count > 0;
    change->is_compared = figure == FIGURE_RATE || (may_lack ? has_both : has_any);
    doubt_figures(comparison, sides, change);
    if (change->why_unknown[0] == '\0') {
        change->ratio = ratio_make(sides[0].values, sides[0].count, sides[1].values, sides[1].count,
                                   pair->in_turns, comparison->margin, SEED);
        doubt_ratio(comparison, figure, sides, change);
    }
    free(sides[0].values);
    free(sides[1].values);
}
