#include "harness/base/table.h"
#include "harness/report/thresholds.h"

#include <string.h>

static enum colour colour_of(enum threshold_result result)
{
    return result == THRESHOLD_MET      ? COLOUR_GREEN
           : result == THRESHOLD_MISSED ? COLOUR_RED
                                        : COLOUR_YELLOW;
}

static void add_row(struct table *table, const struct threshold_outcome *outcome)
{
    static const char *const words[] = {"✓ met", "✗ MISSED", "? not measured"};
    struct text measured = {0};
    text_format(&measured, "%s%s", outcome->measured, outcome->driver_bound ? "*" : "");
    table_cell(table, COLOUR_PLAIN, outcome->trial->scenario->name);
    table_cell(table, COLOUR_PLAIN, outcome->trial->scheme);
    table_cell(table, COLOUR_PLAIN, outcome->threshold->limit.text);
    table_cell(table, COLOUR_PLAIN, text_string(&measured));
    table_cell(table, colour_of(outcome->result), words[outcome->result]);
    table_cell(table, COLOUR_PLAIN, outcome->reason);
    text_free(&measured);
}

bool thresholds_any(const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].trial->scenario->threshold_count > 0)
            return true;
    }
    return false;
}

void thresholds_print(const struct run_result *run, FILE *out, bool coloured, bool quiet)
{
    static const char *const headings[] = {"scenario", "scheme", "threshold", "measured",
                                           "",         "",       NULL};
    static const enum threshold_result order[] = {THRESHOLD_MISSED, THRESHOLD_NOT_MEASURED,
                                                  THRESHOLD_MET};
    struct threshold_outcomes outcomes;
    struct table *table = table_new(headings);
    bool any_marked = false;
    table_align_right(table, 3);
    thresholds_decide(run, &outcomes);
    for (size_t i = 0; i < (quiet ? 2 : 3); i++) {
        for (size_t j = 0; j < outcomes.count; j++) {
            if (outcomes.items[j].result != order[i])
                continue;
            add_row(table, &outcomes.items[j]);
            any_marked |= outcomes.items[j].driver_bound;
        }
    }
    if (outcomes.count > (quiet ? outcomes.met : 0)) {
        fputs("\nThresholds, of all repeats together\n", out);
        table_print(table, out, coloured);
        if (any_marked)
            fputs("* the driver was the limit in at least one repeat\n", out);
    }
    table_free(table);
    thresholds_free(&outcomes);
}
