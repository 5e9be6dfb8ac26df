// How a comparison ended.
#include "harness/report/comparison.h"

#include <math.h>

static void count_figure(enum figure figure, const struct figure_change *change,
                         struct comparison_tally *tally)
{
    enum change what = change->ratio.change;
    enum change worse = figure_worse(figure);
    if (!change->is_compared)
        return;
    if (change->why_unknown[0] != '\0') {
        tally->inconclusive++;
    } else if (what == CHANGE_NONE) {
        tally->same++;
    } else if (what == CHANGE_NOISE) {
        double off = fmax(change->ratio.high - 1, 1 - change->ratio.low);
        tally->widest = fmax(tally->widest, off);
        tally->noise++;
    } else if (worse != CHANGE_UNKNOWN) {
        tally->slower += what == worse;
        tally->faster += what != worse;
    }
}

static void count_repeats(const struct compared_pair *pair, struct comparison_tally *tally)
{
    tally->with_costs++;
    for (int i = 0; i < 2; i++) {
        const struct compared_side *side = &pair->sides[i];
        tally->undecided += side->count - side->decided;
        if (side->decided >= RATIO_LEAST_REPEATS &&
            (tally->least_repeats == 0 || side->decided < tally->least_repeats))
            tally->least_repeats = side->decided;
    }
}

struct comparison_tally comparison_count(const struct comparison *comparison)
{
    struct comparison_tally tally = {0};
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compared_pair *pair = &comparison->pairs[i];
        tally.worse += pair->verdict == VERDICT_WORSE;
        tally.better += pair->verdict == VERDICT_BETTER;
        tally.unclear += pair->verdict == VERDICT_UNCLEAR;
        tally.incomparable += pair->why_unknown[0] != '\0';
        if (!pair->compares_costs)
            continue;
        count_repeats(pair, &tally);
        for (enum figure figure = 0; figure < FIGURE_COUNT; figure++)
            count_figure(figure, &pair->figures[figure], &tally);
    }
    return tally;
}

int comparison_exit_code(const struct comparison *comparison)
{
    struct comparison_tally tally = comparison_count(comparison);
    bool is_open = tally.inconclusive + tally.incomparable + tally.unclear > 0 ||
                   comparison->differences.length + comparison->shortfalls.length > 0;
    if (comparison->is_broken)
        return 4;
    if (tally.slower + tally.worse > 0)
        return 1;
    return is_open || comparison->count == 0 ? 3 : 0;
}
