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
    if (what == CHANGE_UNKNOWN || !change->is_trusted) {
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

struct comparison_tally comparison_count(const struct comparison *comparison)
{
    struct comparison_tally tally = {0};
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compared_pair *pair = &comparison->pairs[i];
        tally.worse += pair->verdict == VERDICT_WORSE;
        tally.better += pair->verdict == VERDICT_BETTER;
        tally.unclear += pair->verdict == VERDICT_UNCLEAR;
        tally.inconclusive += pair->why_unknown[0] != '\0';
        for (int j = 0; pair->compares_costs && j < 2; j++) {
            if (tally.least_repeats == 0 || pair->sides[j].count < tally.least_repeats)
                tally.least_repeats = pair->sides[j].count;
        }
        for (enum figure figure = 0; pair->compares_costs && figure < FIGURE_COUNT; figure++)
            count_figure(figure, &pair->figures[figure], &tally);
    }
    return tally;
}

int comparison_exit_code(const struct comparison *comparison)
{
    struct comparison_tally tally = comparison_count(comparison);
    if (tally.slower + tally.worse > 0)
        return 1;
    bool is_open = tally.inconclusive + tally.unclear > 0 || comparison->differences.length > 0;
    return is_open || comparison->count == 0 ? 3 : 0;
}
