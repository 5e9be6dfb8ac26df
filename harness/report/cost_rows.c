#include "harness/report/cost_rows.h"

#include <stdio.h>

static bool any_measures(const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].has_history && scenario_measures(run->trials[i].trial->scenario))
            return true;
    }
    return false;
}

bool cost_row_begins_at(const struct run_result *run, size_t index)
{
    struct scheme_cost key = {.trial = run->trials[index].trial};
    bool any = false;
    if (!scheme_cost_begins_at(run, index) ||
        (!scenario_measures(key.trial->scenario) && any_measures(run)))
        return false;
    for (size_t i = index; i < run->count && !any; i++)
        any = cost_row_has(&key, &run->trials[i]);
    return any;
}

bool cost_row_has(const struct scheme_cost *cost, const struct trial_result *result)
{
    return result->has_history && scheme_cost_is_of(result->trial, cost->trial);
}

const char *cost_percentile(const struct histogram *histogram, double percent, char *out,
                            size_t room)
{
    if (percentile_has_enough(histogram->total, percent))
        return text_duration(histogram_percentile_ns(histogram, percent), out, room);
    snprintf(out, room, "–");
    return out;
}
