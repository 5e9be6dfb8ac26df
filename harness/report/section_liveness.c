#include "harness/report/sections.h"

#include <math.h>

// The median, and below it the longest, and how many if they are few; one alone is both.
static void say_waits(struct document *d, const struct wait_figures *figures)
{
    size_t count = figures->count;
    doc_cell(d, LOOK_PLAIN, "%s", count > 0 ? lasting(figures->p50_ns).text : "–");
    if (count == 1)
        doc_say(d, LOOK_BELOW, "once");
    else if (count > 0 && count < LEAST_FOR_PERCENTILES)
        doc_say(d, LOOK_BELOW, "max %s, of %zu", lasting(figures->max_ns).text, count);
    else if (count > 0)
        doc_say(d, LOOK_BELOW, "max %s", lasting(figures->max_ns).text);
}

// A scheme that promises the order, and was seen to break it, is marked.
static void say_turns(struct document *d, const struct trial_result *result)
{
    const struct fairness *turns = &result->statistics.turns;
    doc_cell(d, LOOK_PLAIN, turns->grants > 0 ? "%.3f" : "–", turns->jain);
    if (turns->grants > 0)
        doc_say(d, LOOK_BELOW, "%.1f–%.1f %%",
                100 * (double)turns->least_grants / (double)turns->grants,
                100 * (double)turns->most_grants / (double)turns->grants);
    if (turns->order == ORDER_UNKNOWN || turns->contested == 0) {
        doc_cell(d, LOOK_PLAIN, "–");
        doc_cell(d, LOOK_PLAIN, "–");
        return;
    }
    bool is_broken = turns->order == ORDER_QUEUED && turns->out_of_turn > 0 &&
                     trial_has_trait(result->trial, "fair");
    doc_cell(d, is_broken ? LOOK_MISSED : LOOK_PLAIN, "%s%.1f %%", is_broken ? "✗ " : "",
             100 * (double)turns->out_of_turn / (double)turns->contested);
    doc_say(d, LOOK_BELOW, "%s%zu of %zu", turns->order == ORDER_QUEUED ? "" : "≈ ",
            turns->out_of_turn, turns->contested);
    doc_cell(d, LOOK_PLAIN, "%zu", turns->deepest);
}

static void say_ratio(struct document *d, const struct herd *herd, int64_t count)
{
    double ratio = herd->is_known ? herd_per_grant(herd, count) : NAN;
    doc_cell(d, LOOK_PLAIN, isfinite(ratio) ? "%.2f" : "–", ratio);
}

static void say_row(struct document *d, const struct trial_result *result)
{
    static const char *const leavings[] = {
        [LEAVING_UNKNOWN] = "–", [LEAVING_NOTHING] = "gone", [LEAVING_ORPHAN] = "orphan"};
    const struct liveness *liveness = &result->statistics.liveness;
    const struct herd *herd = &result->statistics.herd;
    doc_row(d, result->trial->scenario->name, 1);
    doc_cell(d, LOOK_PLAIN, "%s%s", result->trial->scheme, repeat_words(result->trial).text);
    say_waits(d, &liveness->after_release);
    say_waits(d, &liveness->after_crash);
    say_waits(d, &liveness->after_expiry);
    say_waits(d, &liveness->after_heal);
    doc_cell(d, LOOK_PLAIN, "%s", lasting(liveness->longest_wait_ns).text);
    say_turns(d, result);
    say_ratio(d, herd, herd->acquire_requests + herd->release_requests);
    say_ratio(d, herd, herd->wakeups);
    doc_cell(d, liveness->left == LEAVING_ORPHAN ? LOOK_MISSED : LOOK_PLAIN, "%s",
             leavings[liveness->left]);
}

void say_liveness(struct document *d)
{
    static const struct doc_column columns[] = {
        {"scheme", NULL, false},           {"after\nrelease", NULL, true},
        {"after\ncrash", NULL, true},      {"after\nexpiry", NULL, true},
        {"after\nheal", NULL, true},       {"longest\nwait", NULL, true},
        {"fairness", NULL, true},          {"out of\nturn", NULL, true},
        {"deepest", NULL, true},           {"requests\na grant", NULL, true},
        {"wake-ups\na grant", NULL, true}, {"lock\nleft", NULL, false}};
    const struct run_result *run = d->report->run;
    for (size_t i = 0; i < run->count; i++) {
        if (!run->trials[i].has_history)
            continue;
        if (doc_inside(d, DOC_TABLE) == NULL) {
            doc_section(d, "liveness", "Liveness", "Liveness and fairness");
            doc_paragraph(
                d, LOOK_QUIET,
                "Median and longest time to the next grant after a release, a holder’s death, the "
                "end of a lease and the end of a fault; only where somebody waited all the time. "
                "Fairness is Jain’s index, with the smallest and the largest share of one worker. "
                "Out of turn are grants to one who came after one that still waited, of all grants "
                "while somebody stood in line; ≈ where only the order of asking is known, ✗ where "
                "the scheme promises the order. Deepest: by how many one was overtaken. A lock "
                "left "
                "as an orphan is one that nobody holds and nothing will free.");
            doc_table(d, (struct doc_table){"Liveness and fairness", COLUMNS(columns), 300, NULL});
        }
        say_row(d, &run->trials[i]);
    }
}
