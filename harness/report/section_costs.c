// What each scheme cost, over all repeats: merged histograms, medians of repeats. Of a page, tables
// for one question each, as all figures in one would be read by nobody; one of them is of trials.
#include "harness/base/scope.h"
#include "harness/report/sections.h"

#include <math.h>

_Static_assert(FIGURE_COUNT + 4 <= DOC_MOST_COLUMNS, "a table has room for all figures");

// A table of more is read by nobody, and result.json has them all.
#define MOST_ROWS 200

// --- which rows and columns ----------------------------------------------------------------------

// A table has a row of what has a history, and whose scenario measures: the others have but a few
// operations, and are about something else. They have rows if no scenario of the run measures; at a
// terminal, if there is but one.
static bool has_row(const struct document *d, const struct scheme_cost *cost)
{
    const struct run_report *report = d->report;
    bool takes_all = d->medium == TERMINAL || report->measured_count == 0;
    FOR_EACH (scheme_cost, other, report->costs, d->medium == TERMINAL ? report->cost_count : 0)
        takes_all &= other->trial->scenario == report->costs->trial->scenario;
    return cost->repeats > 0 && (takes_all || scenario_measures(cost->trial->scenario));
}

static enum figure_place place_of(const struct document *d)
{
    return d->medium == PAGE ? IN_SPEEDS : d->medium == MARKDOWN ? IN_MARKDOWN : IN_TERMINAL;
}

// Adds the columns of the figures that are told there. Returns how many there are then.
static size_t add_columns(struct document *d, enum figure_place place, struct doc_column *columns,
                          size_t count)
{
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        const struct figure_form *form = &figure_forms[figure];
        const char *title = figure_title(figure);
        if (!figure_is(figure, place))
            continue;
        if (d->medium == MARKDOWN && form->markdown != NULL)
            title = form->markdown;
        else if (d->medium != PAGE && form->brief != NULL)
            title = form->brief;
        columns[count++] = (struct doc_column){title, figure_group(figure), true};
    }
    return count;
}

// A row for each cost before `end` that has one: the scheme, with its mark, how many repeats there
// were, and what `say_cells` says.
static void say_table(struct document *d, struct doc_table table, size_t from, size_t end,
                      void (*say_cells)(struct document *d, const struct scheme_cost *cost))
{
    doc_table(d, table);
    for (size_t i = from; i < end; i++) {
        const struct scheme_cost *cost = &d->report->costs[i];
        if (!has_row(d, cost))
            continue;
        doc_row(d, d->medium == PAGE ? cost->trial->scenario->name : NULL, 1);
        doc_cell(d, LOOK_PLAIN, "%s%s", cost->trial->scheme, costs_mark(cost->trial));
        if (d->medium == PAGE && cost->repeats > 1)
            doc_say(d, LOOK_QUIET, " × %zu", cost->repeats);
        say_cells(d, cost);
    }
    doc_end(d, DOC_TABLE);
}

// --- how fast ------------------------------------------------------------------------------------

// With an asterisk where the figure tells of the driver. Below a rate, how far the repeats lie
// apart; below an acquire, what the same percentile is without the correction, if there is one.
static void say_figure(struct document *d, enum figure figure, const struct scheme_cost *cost)
{
    const struct percentiles *uncorrected = &cost->percentiles[LATENCY_ACQUIRE_UNCORRECTED];
    double value = figure_of(figure, cost, d->medium != TERMINAL);
    double share = figure == FIGURE_RATE && cost->highest_rate > 0 ? value / cost->highest_rate : 0;
    bool is_drivers = isfinite(value) &&
                      (figure == FIGURE_RATE ? cost->driver_bound > 0
                                             : figure_is_acquire(figure) &&
                                                   cost->late[figure_forms[figure].percentile]);
    doc_begin(d, (struct doc_block){.kind = DOC_CELL, .share = share <= 1.005 ? share : 0});
    doc_say(d, d->medium == TERMINAL && is_drivers ? LOOK_UNKNOWN : LOOK_PLAIN, "%s%s",
            figure_text(figure, value).text, is_drivers ? "*" : "");
    if (figure == FIGURE_RATE && cost->rate.count > 1) {
        doc_say(d, LOOK_BELOW, "%s–%s", rate_words(cost->rate.least).text,
                rate_words(cost->rate.most).text);
    } else if (figure_is_acquire(figure) && uncorrected->count > 0 && d->medium == PAGE) {
        enum percentile percentile = figure_forms[figure].percentile;
        bool is_known = percentile_has_enough((int64_t)uncorrected->count,
                                              percentile_forms[percentile].percent);
        doc_say(d, LOOK_BELOW, "%s", is_known ? lasting(uncorrected->ns[percentile]).text : "–");
    }
}

static void say_figures(struct document *d, enum figure_place place, const struct scheme_cost *cost)
{
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (figure_is(figure, place))
            say_figure(d, figure, cost);
    }
}

static void say_speed(struct document *d, const struct scheme_cost *cost)
{
    if (d->medium == PAGE) {
        doc_cell(d, LOOK_PLAIN, "%s", "");
        say_verdict(d, &d->report->run->trials[cost->worst], trial_anchor(cost->worst).text);
    }
    say_figures(d, place_of(d), cost);
}

// Of the costs before `end`.
static void say_speeds(struct document *d, size_t from, size_t end)
{
    struct doc_column columns[DOC_MOST_COLUMNS] = {WORDS("scheme")};
    size_t count = 1;
    if (d->medium == PAGE)
        columns[count++] = (struct doc_column)WORDS("verdict");
    count = add_columns(d, place_of(d), columns, count);
    say_table(d, (struct doc_table){"What each lock cost", columns, count, MOST_ROWS, NULL}, from,
              end, say_speed);
}

// --- of a page: how the time went, what was used -------------------------------------------------

// With the smallest and the largest share that a worker had of all grants, in any repeat.
static void say_turn(struct document *d, const struct scheme_cost *cost)
{
    say_figures(d, IN_TURNS, cost);
    if (isfinite(cost->least_share))
        doc_cell(d, LOOK_PLAIN, "%.1f–%.1f %%", 100 * cost->least_share, 100 * cost->most_share);
    else
        doc_cell(d, LOOK_PLAIN, "–");
    doc_cell(d, LOOK_PLAIN, "%s", lasting(cost->longest_wait_ns).text);
}

static void say_per_lock(struct document *d, double sum, double locks)
{
    doc_cell(d, LOOK_PLAIN, "%s", locks > 0 ? rate_words(sum / locks).text : "–");
}

// The time for each lock, and how many processors that kept busy.
static void say_use(struct document *d, const struct scheme_cost *cost)
{
    const struct use *clients = &cost->uses[USE_CLIENTS];
    const struct use *servers = &cost->uses[USE_SERVERS];
    for (enum use_sort sort = 0; sort < USE_COUNT; sort++) {
        const struct use *use = &cost->uses[sort];
        bool is_known = use->locks > 0 && use->covered_ns > 0;
        doc_cell(d, LOOK_PLAIN, "%s",
                 is_known ? lasting(llround(use->processor_ns / use->locks)).text : "–");
        if (is_known)
            doc_say(d, LOOK_BELOW, "%.2f busy", use->processor_ns / use->covered_ns);
    }
    say_per_lock(d, clients->switches, clients->switch_locks);
    say_per_lock(d, servers->switches, servers->switch_locks);
    say_per_lock(d, clients->bytes, clients->network_locks);
    say_per_lock(d, servers->bytes, servers->network_locks);
}

// More rows are folded, and stay off paper unless they are opened.
#define MOST_OPEN_ROWS 20

static void fold_rows(struct document *d, const char *title, size_t rows)
{
    doc_fold(d, NULL, rows <= MOST_OPEN_ROWS);
    doc_say(d, LOOK_PLAIN, "%s", title);
}

static void say_turns_and_uses(struct document *d)
{
    static const struct doc_column uses[] = {WORDS("scheme"),
                                             {"clients", "processor time", true},
                                             {"servers", "processor time", true},
                                             {"driver", "processor time", true},
                                             {"clients", "context switches", true},
                                             {"servers", "context switches", true},
                                             {"clients", "bytes", true},
                                             {"servers", "bytes", true}};
    struct doc_column turns[DOC_MOST_COLUMNS] = {WORDS("scheme")};
    struct doc_table times = {"Release, hold, hand-off and shares", turns, 0, MOST_ROWS, NULL};
    struct doc_table used = {"What a lock used", COLUMNS(uses), MOST_ROWS, NULL};
    times.count = add_columns(d, IN_TURNS, turns, 1);
    turns[times.count++] = (struct doc_column)FIGURE("shares of\na worker");
    turns[times.count++] = (struct doc_column)FIGURE("longest\nwait");
    fold_rows(d, times.name, d->report->cost_count);
    say_table(d, times, 0, d->report->cost_count, say_turn);
    doc_end(d, DOC_FOLD);
    fold_rows(d, used.name, d->report->cost_count);
    say_table(d, used, 0, d->report->cost_count, say_use);
    doc_paragraph(d, LOOK_QUIET,
                  "For each lock granted, of all processes of the sort. Busy: how many processors "
                  "they kept so, on average. A client is the harness and the client library in one "
                  "process; the driver is what conducts the trial. Bytes are those received and "
                  "sent.");
    doc_end(d, DOC_FOLD);
}

// --- of a page: faults ---------------------------------------------------------------------------

static const char recovery_words[] =
    "To the first grant after the fault took effect, and after it healed: the median of the "
    "repeats, least–most. Not granted: the longest time in which somebody wanted the lock and "
    "nobody was granted it. Never: repeats that ended without another grant.";

// A row of the lock below its scenario and fault, if the fault took effect in any repeat; as each
// trial draws its own, of one that was drawn it tells of all that were.
static void say_fault(struct document *d, const struct scheme_cost *cost,
                      const struct fault_instance *instance)
{
    static const struct doc_column columns[] = {WORDS("scheme"), FIGURE("after\neffect"),
                                                FIGURE("after\nhealing"), FIGURE("not\ngranted"),
                                                FIGURE("never")};
    const struct run_result *run = d->report->run;
    const char *text = instance->drawn          ? "faults that were drawn"
                       : instance->text != NULL ? instance->text
                                                : instance->verb;
    AUTO_FREE char *group = text_formatted("%s: %s", cost->trial->scenario->name, text);
    enum { AFTER_EFFECT, AFTER_HEAL, UNAVAILABLE, TIMES };
    size_t most = run->count * MOST_FAULTS + 1;
    AUTO_FREE double *values =
        memory_new(TIMES * most * sizeof *values); // but for what never ended
    size_t counts[TIMES] = {0};
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct recoveries *recoveries = &result->statistics.recoveries;
        const struct scenario *scenario = trial_as_run(result->trial);
        FOR_EACH (recovery, recovery, recoveries->items,
                  scheme_cost_has(cost, result) ? recoveries->count : 0) {
            const int64_t times[] = {recovery->after_effect_ns, recovery->after_heal_ns,
                                     recovery->unavailable_ns};
            bool is_from_it = instance->drawn ? recovery->fault <= (int)scenario->fault_count &&
                                                    scenario->faults[recovery->fault - 1].drawn
                                              : recovery->fault == instance->number;
            for (size_t i = 0; i < TIMES && is_from_it; i++) {
                if (times[i] != TIME_NEVER)
                    values[i * most + counts[i]++] = (double)times[i];
            }
        }
    }
    size_t all = counts[UNAVAILABLE];
    size_t never = all - counts[AFTER_EFFECT];
    if (all == 0)
        return;
    if (doc_inside(d, DOC_TABLE) == NULL) {
        doc_heading(d, "recovery", "Recovery from faults");
        doc_paragraph(d, LOOK_QUIET, "%s", recovery_words);
        fold_rows(d, "Of each fault and lock", d->report->cost_count);
        doc_table(d, (struct doc_table){"Recovery from faults", COLUMNS(columns), 300, NULL});
    }
    doc_row(d, group, 1);
    doc_cell(d, LOOK_PLAIN, "%s", cost->trial->scheme);
    for (size_t i = 0; i < TIMES; i++) {
        struct spread times = spread_of(values + i * most, counts[i]);
        doc_cell(d, LOOK_PLAIN, "%s", times.count > 0 ? lasting(llround(times.median)).text : "–");
        if (times.count > 1)
            doc_say(d, LOOK_BELOW, "%s–%s", lasting(llround(times.least)).text,
                    lasting(llround(times.most)).text);
    }
    doc_cell(d, never > 0 ? LOOK_MISSED : LOOK_PLAIN, never > 0 ? "%zu of %zu" : "–", never, all);
}

static void say_recoveries(struct document *d)
{
    static const struct fault_instance drawn = {.drawn = true};
    const struct scheme_cost *costs = d->report->costs;
    size_t end = 0;
    for (size_t from = 0; from < d->report->cost_count; from = end) {
        const struct trial *first = costs[from].trial;
        while (end < d->report->cost_count && costs[end].trial->scenario == first->scenario)
            end++;
        FOR_EACH (fault_instance, instance, first->scenario->faults, first->scenario->fault_count) {
            for (size_t i = from; i < end && !instance->drawn; i++)
                say_fault(d, &costs[i], instance);
        }
        for (size_t i = from; i < end; i++)
            say_fault(d, &costs[i], &drawn);
    }
    doc_end(d, DOC_FOLD);
    html_add_whole_pictures(d, PLACE_RECOVERY);
}

// --- all of it -----------------------------------------------------------------------------------

// More are folded: they are long.
#define MOST_OPEN_NOTES 4

// Begins a note about the cost; a page folds them.
static void begin_note(struct document *d, const struct scheme_cost *cost, bool is_open)
{
    if (d->medium == PAGE && doc_inside(d, DOC_FOLD) == NULL) {
        doc_fold(d, NULL, is_open);
        doc_say(d, LOOK_PLAIN, "Why figures are marked, and rates that were not held");
    }
    doc_item(d, LOOK_PLAIN);
    if (d->medium == PAGE)
        doc_say(d, LOOK_PLAIN, "%s: ", cost->trial->scenario->name);
}

#define NOTE(...) (begin_note(d, cost, is_open), doc_say(d, LOOK_PLAIN, __VA_ARGS__))

// What is marked in the table is explained below it.
static void say_notes(struct document *d, size_t from, size_t end)
{
    const struct run_report *report = d->report;
    const struct scenario *scenario = report->costs[from].trial->scenario;
    bool is_open = end - from <= MOST_OPEN_NOTES;
    AUTO_TEXT struct text meaning = {0};
    costs_add_mark_meaning(report->run, d->medium == PAGE ? NULL : scenario, &meaning);
    if (meaning.length > 0) {
        doc_item(d, LOOK_PLAIN);
        doc_say(d, LOOK_PLAIN, "%s", meaning.bytes);
    }
    FOR_EACH (scheme_cost, cost, report->costs + from, end - from) {
        const char *scheme = cost->trial->scheme;
        if (!has_row(d, cost))
            continue;
        if (cost->driver_bound > 0)
            NOTE("* %s is driver-bound in %zu of %zu: %s", scheme, cost->driver_bound,
                 cost->repeats, cost->bound_reason);
        else if (any_is_late(cost->late))
            NOTE("* %s: %s", scheme, cost->late_reason);
        // What began late counts with its waiting, but what never began has no latency at all. A
        // hundredth may be on its way at the end.
        if ((cost->due - cost->begun) * 100 > cost->due)
            NOTE("%s could not hold the rate: %s of %s begun", scheme,
                 rate_words((double)cost->begun).text, rate_words((double)cost->due).text);
        if (cost->expired > 0)
            NOTE("%s: of %zu of %zu grants the lease was over when they came", scheme,
                 cost->expired, cost->leased);
    }
    doc_end(d, DOC_FOLD);
}

static void say_words(struct document *d)
{
    static const char *const words[][2] = {
        {"locks/s", "the median of the repeats, and below it their least and most"},
        {"percentiles", "of all repeats together; “–”: not measured, or too few for such a one"},
        {"acquire", "asked until granted"},
        {"hand-off", "from a release to the next grant, where somebody waited"},
        {"commands", "requests to servers, for each grant"},
        {"Jain", "Jain’s index of the workers’ shares, 1 if all got the same"},
        {"*", "the driver itself was the limit: the figure tells of it, not of the lock"},
        {"bars", "compare the locks of one scenario that kept their promises"},
    };
    const struct run_result *run = d->report->run;
    bool has_open_loop = false;
    for (size_t i = 0; i < run->count; i++)
        has_open_loop |= run->trials[i].statistics.acquire_uncorrected.count > 0;
    doc_paragraph(d, LOOK_QUIET,
                  "Locks a second mislead alone: a longer back-off raises them while somebody "
                  "waits.");
    if (has_open_loop)
        doc_say(d, LOOK_PLAIN,
                " In an open loop acquires count from the moment at which their operation was to "
                "begin; small below them, from the request alone, which hides what a stall does to "
                "those who come meanwhile.");
    doc_fold(d, NULL, false);
    doc_say(d, LOOK_PLAIN, "What the figures mean");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        doc_term(d, words[i][0], words[i][1]);
    doc_end(d, DOC_FOLD);
}

// In Markdown and at a terminal each scenario has a table of its own: one with all of them is wider
// than GitHub's page.
static void say_scenarios(struct document *d)
{
    const struct scheme_cost *costs = d->report->costs;
    bool any = false;
    size_t end = 0;
    for (size_t i = 0; i < d->report->cost_count; i = end) {
        const struct scenario *scenario = costs[i].trial->scenario;
        bool has_rows = false, has_repeats = false;
        for (end = i; end < d->report->cost_count && costs[end].trial->scenario == scenario;
             end++) {
            has_rows = has_rows || has_row(d, &costs[end]);
            has_repeats = has_repeats || costs[end].rate.count > 1;
        }
        if (!has_rows)
            continue;
        if (!any && d->medium == MARKDOWN) {
            doc_section(d, "costs", "Costs", "Costs");
            doc_paragraph(d, LOOK_PLAIN,
                          "From p50 to max: acquire. Hand-off: p50, to one who waited. Cmds: "
                          "commands for each lock. Jain: fairness. In brackets: the least and the "
                          "most of the repeats.");
        }
        any = true;
        if (d->medium == MARKDOWN) {
            doc_heading(d, NULL, "%s", scenario->name);
        } else {
            doc_heading(d, NULL, "What it cost in ");
            doc_say(d, LOOK_STRONG, "%s", scenario->name);
            doc_say(d, LOOK_PLAIN,
                    ": locks/s%s; acquire; hand-off (ho) to one who waited; commands a "
                    "lock; fairness",
                    has_repeats ? " (least–most of the repeats)" : "");
        }
        say_speeds(d, i, end);
        say_notes(d, i, end);
    }
}

void say_costs(struct document *d)
{
    const struct run_report *report = d->report;
    bool any = false;
    if (d->medium != PAGE && !d->is_quiet)
        say_scenarios(d);
    if (d->medium != PAGE)
        return;
    doc_section(d, "costs", "Costs", "Costs");
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count)
        any |= has_row(d, cost);
    if (any) {
        say_words(d);
        doc_heading(d, NULL, "What each lock cost");
        say_speeds(d, 0, report->cost_count);
        say_notes(d, 0, report->cost_count);
        html_add_whole_pictures(d, PLACE_COSTS);
        say_turns_and_uses(d);
    } else {
        doc_paragraph(d, LOOK_QUIET, "Nothing was measured: no trial has a history.");
    }
    say_recoveries(d);
}

// --- how soon and in what order the lock was granted in each trial -------------------------------

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

static void say_ratio(struct document *d, const struct herd *herd, int64_t count)
{
    double ratio = herd->is_known ? herd_per_grant(herd, count) : NAN;
    doc_cell(d, LOOK_PLAIN, isfinite(ratio) ? "%.2f" : "–", ratio);
}

static void say_row(struct document *d, const struct trial_result *result)
{
    static const char *const residual_locks[] = {
        [RESIDUAL_UNKNOWN] = "–", [RESIDUAL_NONE] = "gone", [RESIDUAL_ORPHAN] = "orphan"};
    const struct liveness *liveness = &result->statistics.liveness;
    const struct herd *herd = &result->statistics.herd;
    const struct fairness *turns = &result->statistics.turns;
    double grants = (double)turns->grants;
    doc_row(d, result->trial->scenario->name, 1);
    doc_cell(d, LOOK_PLAIN, "%s%s", result->trial->scheme, repeat_words(result->trial).text);
    say_waits(d, &liveness->after_release);
    say_waits(d, &liveness->after_crash);
    say_waits(d, &liveness->after_expiry);
    say_waits(d, &liveness->after_heal);
    doc_cell(d, LOOK_PLAIN, "%s", lasting(liveness->longest_wait_ns).text);
    doc_cell(d, LOOK_PLAIN, turns->grants > 0 ? "%.3f" : "–", turns->jain);
    if (turns->grants > 0)
        doc_say(d, LOOK_BELOW, "%.1f–%.1f %%", 100 * (double)turns->least_grants / grants,
                100 * (double)turns->most_grants / grants);
    if (turns->order == ORDER_UNKNOWN || turns->contested == 0) {
        doc_cell(d, LOOK_PLAIN, "–");
        doc_cell(d, LOOK_PLAIN, "–");
    } else {
        // A scheme that promises the order, and was seen to break it, is marked.
        bool is_broken = turns->order == ORDER_QUEUED && turns->out_of_turn > 0 &&
                         trial_has_trait(result->trial, "fair");
        doc_cell(d, is_broken ? LOOK_MISSED : LOOK_PLAIN, "%s%.1f %%", is_broken ? "✗ " : "",
                 100 * (double)turns->out_of_turn / (double)turns->contested);
        doc_say(d, LOOK_BELOW, "%s%zu of %zu", turns->order == ORDER_QUEUED ? "" : "≈ ",
                turns->out_of_turn, turns->contested);
        doc_cell(d, LOOK_PLAIN, "%zu", turns->deepest);
    }
    say_ratio(d, herd, herd->acquire_requests + herd->release_requests);
    say_ratio(d, herd, herd->wakeups);
    doc_cell(d, liveness->left == RESIDUAL_ORPHAN ? LOOK_MISSED : LOOK_PLAIN, "%s",
             residual_locks[liveness->left]);
}

void say_liveness(struct document *d)
{
    static const struct doc_column columns[] = {WORDS("scheme"),
                                                FIGURE("after\nrelease"),
                                                FIGURE("after\ncrash"),
                                                FIGURE("after\nexpiry"),
                                                FIGURE("after\nheal"),
                                                FIGURE("longest\nwait"),
                                                FIGURE("fairness"),
                                                FIGURE("out of\nturn"),
                                                FIGURE("deepest"),
                                                FIGURE("requests\na grant"),
                                                FIGURE("wake-ups\na grant"),
                                                WORDS("lock\nleft")};
    FOR_EACH (trial_result, result, d->report->run->trials, d->report->run->count) {
        if (!result->has_history)
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
            fold_rows(d, "Of each trial", d->report->run->count);
            doc_table(d, (struct doc_table){"Liveness and fairness", COLUMNS(columns), 300, NULL});
        }
        say_row(d, result);
    }
    doc_end(d, DOC_FOLD);
}
