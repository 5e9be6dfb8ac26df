// What each scheme cost, over all repeats: merged histograms, medians of repeats. Tables for one
// question each, as all figures in one would be read by nobody.
#include "harness/report/costs.h"
#include "harness/report/figures.h"
#include "harness/report/html.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A table of more is read by nobody, and result.json has them all.
#define MOST_COST_ROWS 200
#define MOST_COLUMNS (FIGURE_COUNT + 8)

// --- tables, a row for each scheme of a scenario -------------------------------------------------

// What is above a column; those beside each other that have the same group share it.
struct heading {
    const char *group; // "": none
    const char *name;  // NULL: there are no more
};

// The groups, above the names.
static void add_groups(struct text *out, const struct heading *headings)
{
    text_add(out, "<tr><td></td>");
    for (size_t i = 0; headings[i].name != NULL;) {
        size_t end = i + 1;
        while (headings[end].name != NULL && strcmp(headings[end].group, headings[i].group) == 0)
            end++;
        if (headings[i].group[0] == '\0')
            text_format(out, "<td colspan=\"%zu\"></td>", end - i);
        else
            text_format(out, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>", end - i,
                        headings[i].group);
        i = end;
    }
    text_add(out, "</tr>");
}

static void add_heading(struct text *out, const char *name)
{
    text_format(out, "<th scope=\"col\"%s>", strcmp(name, "verdict") == 0 ? " class=\"word\"" : "");
    for (; *name != '\0'; name++)
        text_add_bytes(out, *name == '\n' ? "<br>" : name, *name == '\n' ? strlen("<br>") : 1);
    text_add(out, "</th>");
}

static void add_head(struct text *out, const char *name, const struct heading *headings)
{
    text_format(out, "<h3>%s</h3>\n", name);
    html_begin_scroll(out, name);
    text_add(out, "<table class=\"costs\"><thead>");
    add_groups(out, headings);
    text_add(out, "<tr><th scope=\"col\">scheme</th>");
    for (size_t i = 0; headings[i].name != NULL; i++)
        add_heading(out, headings[i].name);
    text_add(out, "</tr></thead>\n");
}

static void begin_scenario(struct text *out, const struct scenario *scenario, size_t columns,
                           bool is_first)
{
    text_format(out, "%s<tbody><tr><th class=\"group\" scope=\"rowgroup\" colspan=\"%zu\">",
                is_first ? "" : "</tbody>", columns);
    html_add(out, scenario->name);
    text_add(out, "</th></tr>\n");
}

static void add_scheme(struct text *out, const struct scheme_cost *cost)
{
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, cost->trial->scheme);
    text_add(out, costs_mark(cost->trial));
    if (cost->repeats > 1)
        text_format(out, " <small>× %zu</small>", cost->repeats);
    text_add(out, "</th>");
}

// `add` adds the cells of a row. Where there are hundreds of rows, the table ends with how many
// more there are.
static void add_table(struct page *page, const char *name, const struct heading *headings,
                      void (*add)(struct text *out, const struct scheme_cost *cost))
{
    const struct run_report *report = page->report;
    const struct scenario *scenario = NULL;
    struct text *out = &page->text;
    size_t columns = 1;
    size_t rows = 0;
    while (headings[columns - 1].name != NULL)
        columns++;
    add_head(out, name, headings);
    for (size_t i = 0; i < report->cost_count; i++) {
        const struct scheme_cost *cost = &report->costs[i];
        if (!run_report_has_row(report, cost) || rows++ >= MOST_COST_ROWS)
            continue;
        if (cost->trial->scenario != scenario)
            begin_scenario(out, cost->trial->scenario, columns, scenario == NULL);
        scenario = cost->trial->scenario;
        add_scheme(out, cost);
        add(out, cost);
        text_add(out, "</tr>\n");
    }
    text_format(out, "%s</table></div>\n", scenario != NULL ? "</tbody>" : "");
    if (rows > MOST_COST_ROWS)
        text_format(out, "<p class=\"small quiet\">And %zu more, in result.json.</p>\n",
                    rows - MOST_COST_ROWS);
}

// Adds the headings of the figures that are told there; they must begin with none.
static void add_headings(enum figure_place place, struct heading *headings)
{
    while (headings->name != NULL)
        headings++;
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (figure_is(figure, place))
            *headings++ = (struct heading){figure_forms[figure].group, figure_title(figure)};
    }
}

// --- how fast ------------------------------------------------------------------------------------

// The rate as a bar, and below it how far the repeats lie apart; below an acquire, what the same
// percentile is without the correction, if there is one.
static void add_figure(struct text *out, enum figure figure, const struct scheme_cost *cost)
{
    const struct percentiles *uncorrected = &cost->percentiles[LATENCY_ACQUIRE_UNCORRECTED];
    const struct figure_form *form = &figure_forms[figure];
    double value = figure_of(figure, cost, true);
    char text[40];
    text_add(out, "<td");
    if (figure == FIGURE_RATE) {
        double share = cost->highest_rate > 0 ? 100 * value / cost->highest_rate : 0;
        text_format(out, " class=\"bar\" style=\"--share:%.0f%%\"", share > 100 ? 0 : share);
    }
    text_format(out, ">%s%s", figure_text(figure, value, text, sizeof text),
                isfinite(value) && figure_is_drivers(figure, cost) ? "*" : "");
    if (figure == FIGURE_RATE && cost->rate.count > 1) {
        text_format(out, "<br><small>%s–", rate_text(cost->rate.least, text, sizeof text));
        text_format(out, "%s</small>", rate_text(cost->rate.most, text, sizeof text));
    } else if (form->percentile >= 0 && form->latency == LATENCY_ACQUIRE &&
               uncorrected->count > 0) {
        bool is_known = percentile_has_enough((int64_t)uncorrected->count,
                                              percentile_forms[form->percentile].percent);
        value = is_known ? (double)uncorrected->ns[form->percentile] : NAN;
        text_format(out, "<br><small>%s</small>", figure_text(figure, value, text, sizeof text));
    }
    text_add(out, "</td>");
}

static void add_figures(struct text *out, enum figure_place place, const struct scheme_cost *cost)
{
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (figure_is(figure, place))
            add_figure(out, figure, cost);
    }
}

static void add_speed(struct text *out, const struct scheme_cost *cost)
{
    char target[40];
    snprintf(target, sizeof target, "#trial-%zu", cost->worst + 1);
    text_add(out, "<td class=\"word\">");
    html_add_verdict(out, cost->worst_verdict, target);
    text_add(out, "</td>");
    add_figures(out, IN_SPEEDS, cost);
}

static void add_speeds(struct page *page)
{
    struct heading headings[MOST_COLUMNS] = {{"", "verdict"}};
    add_headings(IN_SPEEDS, headings);
    add_table(page, "What each lock cost", headings, add_speed);
}

// --- how the time went ---------------------------------------------------------------------------

// With the smallest and the largest share that a worker had of all grants, in any repeat.
static void add_turn(struct text *out, const struct scheme_cost *cost)
{
    char text[32];
    add_figures(out, IN_TURNS, cost);
    if (isfinite(cost->least_share))
        text_format(out, "<td>%.1f–%.1f %%</td>", 100 * cost->least_share, 100 * cost->most_share);
    else
        text_add(out, "<td>–</td>");
    text_format(out, "<td>%s</td>", text_duration(cost->longest_wait_ns, text, sizeof text));
}

static void add_turns(struct page *page)
{
    struct heading headings[MOST_COLUMNS] = {{NULL, NULL}};
    add_headings(IN_TURNS, headings);
    size_t count = 0;
    while (headings[count].name != NULL)
        count++;
    headings[count++] = (struct heading){"", "shares of\na worker"};
    headings[count] = (struct heading){"", "longest\nwait"};
    add_table(page, "Release, hold, hand-off and shares", headings, add_turn);
}

// --- what was used -------------------------------------------------------------------------------

// The time for each lock, and how many processors that kept busy.
static void add_processor(struct text *out, const struct use *use)
{
    char text[32];
    if (use->locks == 0 || use->covered_ns == 0) {
        text_add(out, "<td>–</td>");
        return;
    }
    text_format(out, "<td>%s<br><small>%.2f busy</small></td>",
                text_duration(llround(use->processor_ns / use->locks), text, sizeof text),
                use->processor_ns / use->covered_ns);
}

static void add_per_lock(struct text *out, double sum, double locks)
{
    char text[40];
    text_format(out, "<td>%s</td>", locks > 0 ? rate_text(sum / locks, text, sizeof text) : "–");
}

static void add_use(struct text *out, const struct scheme_cost *cost)
{
    const struct use *clients = &cost->uses[USE_CLIENTS];
    const struct use *servers = &cost->uses[USE_SERVERS];
    for (enum use_sort sort = 0; sort < USE_COUNT; sort++)
        add_processor(out, &cost->uses[sort]);
    add_per_lock(out, clients->switches, clients->switch_locks);
    add_per_lock(out, servers->switches, servers->switch_locks);
    add_per_lock(out, clients->bytes, clients->network_locks);
    add_per_lock(out, servers->bytes, servers->network_locks);
}

static void add_uses(struct page *page)
{
    static const struct heading headings[] = {{"processor time", "clients"},
                                              {"processor time", "servers"},
                                              {"processor time", "driver"},
                                              {"context switches", "clients"},
                                              {"context switches", "servers"},
                                              {"bytes", "clients"},
                                              {"bytes", "servers"},
                                              {NULL, NULL}};
    add_table(page, "What a lock used", headings, add_use);
    text_add(
        &page->text,
        "<p class=\"quiet small\">For each lock granted, of all processes of the sort. "
        "Busy: how many processors they kept so, on average. A client is the harness and the "
        "client library in one process; the driver is what conducts the trial. Bytes are those "
        "received and sent.</p>\n");
}

// --- faults --------------------------------------------------------------------------------------

// The times of one fault in all repeats: 0 after its effect, 1 after its healing, 2 unavailable.
struct times {
    double *values[3]; // seconds
    size_t counts[3];
    size_t never; // repeats in which nobody was granted the lock after the fault
};

static void take(struct times *times, int which, int64_t value_ns)
{
    if (value_ns != TIME_NEVER)
        times->values[which][times->counts[which]++] = (double)value_ns;
}

// True if the recovery is from that fault, or, as each trial draws its own, from any that was
// drawn.
static bool is_from(const struct recovery *recovery, const struct trial *trial,
                    const struct fault_step *step)
{
    const struct scenario *scenario = trial_as_run(trial);
    const struct fault_step *faults = scenario->faults;
    if (!step->drawn)
        return recovery->fault == step->number;
    return recovery->fault <= (int)scenario->fault_count && faults[recovery->fault - 1].drawn;
}

static void collect(const struct run_result *run, const struct scheme_cost *cost,
                    const struct fault_step *step, struct times *times)
{
    for (int i = 0; i < 3; i++)
        times->values[i] =
            memory_new(run->count * (step->drawn ? MOST_FAULTS : 1) * sizeof(double));
    for (size_t i = 0; i < run->count; i++) {
        const struct recoveries *recoveries = &run->trials[i].statistics.recoveries;
        if (!scheme_cost_has(cost, &run->trials[i]))
            continue;
        for (size_t j = 0; j < recoveries->count; j++) {
            const struct recovery *recovery = &recoveries->items[j];
            if (!is_from(recovery, run->trials[i].trial, step))
                continue;
            take(times, 0, recovery->after_effect_ns);
            take(times, 1, recovery->after_heal_ns);
            take(times, 2, recovery->unavailable_ns);
            times->never += recovery->after_effect_ns == TIME_NEVER;
        }
    }
}

static void add_times(struct text *out, double *values, size_t count)
{
    struct spread spread = spread_of(values, count);
    char texts[3][32];
    if (count == 0) {
        text_add(out, "<td>–</td>");
        return;
    }
    text_format(out, "<td>%s", text_duration(llround(spread.median), texts[0], sizeof texts[0]));
    if (count > 1)
        text_format(out, "<br><small>%s–%s</small>",
                    text_duration(llround(spread.least), texts[1], sizeof texts[1]),
                    text_duration(llround(spread.most), texts[2], sizeof texts[2]));
    text_add(out, "</td>");
}

// A row, if the fault took effect in any repeat.
static bool add_fault(struct page *page, const struct scheme_cost *cost,
                      const struct fault_step *step)
{
    struct text *out = &page->text;
    struct times times = {0};
    collect(page->run, cost, step, &times);
    bool any = times.counts[2] > 0;
    if (any) {
        text_add(out, "<tr><th scope=\"row\">");
        html_add(out, cost->trial->scheme);
        text_add(out, "</th><td class=\"word\">");
        html_add(out, step->drawn          ? "those that were drawn"
                      : step->text != NULL ? step->text
                                           : step->verb);
        text_add(out, "</td>");
        for (int i = 0; i < 3; i++)
            add_times(out, times.values[i], times.counts[i]);
        if (times.never > 0)
            text_format(out, "<td class=\"missed\">%zu of %zu</td>", times.never, times.counts[2]);
        else
            text_add(out, "<td>–</td>");
        text_add(out, "</tr>\n");
    }
    for (int i = 0; i < 3; i++)
        free(times.values[i]);
    return any;
}

// As many rows as a page can be asked to hold.
#define MOST_ROWS 300

static size_t add_faults(struct page *page, const struct scheme_cost *cost,
                         const struct scenario **last)
{
    const struct trial *trial = cost->trial;
    struct text *out = &page->text;
    size_t before = out->length;
    size_t rows = 0;
    if (*last != trial->scenario) {
        text_add(out, *last == NULL ? "<tbody>" : "</tbody><tbody>");
        text_add(out, "<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"6\">");
        html_add(out, trial->scenario->name);
        text_add(out, "</th></tr>\n");
    }
    bool has_drawn = false; // all of them are one row
    for (size_t i = 0; i < trial_as_run(trial)->fault_count; i++) {
        const struct fault_step *step = &trial_as_run(trial)->faults[i];
        if (!step->drawn || !has_drawn)
            rows += add_fault(page, cost, step);
        has_drawn |= step->drawn;
    }
    if (rows > 0)
        *last = trial->scenario;
    else if (out->length > before)
        out->bytes[out->length = before] = '\0';
    return rows;
}

static void add_recoveries(struct page *page)
{
    struct text *out = &page->text;
    const struct scenario *last = NULL;
    size_t before = out->length;
    size_t rows = 0;
    bool cut = false;
    text_add(out, "<h3 id=\"recovery\">Recovery from faults</h3>\n<p class=\"quiet small\">"
                  "To the first grant after the fault took effect, and after it healed: the median "
                  "of the repeats, least–most. Unavailable: the longest time in which somebody "
                  "wanted the lock and nobody was granted it. Never: repeats that ended without "
                  "another grant.</p>\n");
    html_begin_scroll(out, "Recovery from faults");
    text_add(out, "<table class=\"costs\"><thead><tr><th scope=\"col\">scheme</th>"
                  "<th scope=\"col\" class=\"word\">fault</th><th scope=\"col\">after effect</th>"
                  "<th scope=\"col\">after healing</th><th scope=\"col\">unavailable</th>"
                  "<th scope=\"col\">never</th></tr></thead>\n");
    for (size_t i = 0; i < page->report->cost_count; i++) {
        cut = cut || rows >= MOST_ROWS;
        if (!cut)
            rows += add_faults(page, &page->report->costs[i], &last);
    }
    text_add(out, "</tbody></table></div>\n");
    if (cut)
        text_add(out, "<p class=\"small quiet\">And more, in result.json.</p>\n");
    if (rows == 0)
        out->bytes[out->length = before] = '\0';
    html_add_whole_pictures(page, PLACE_RECOVERY);
}

// --- all of it -----------------------------------------------------------------------------------

static bool has_open_loop(const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].statistics.acquire_uncorrected.count > 0)
            return true;
    }
    return false;
}

// The lines of a scheme's notes, each with the name of the scenario.
static size_t add_lines(struct text *out, const char *scenario, const char *notes)
{
    size_t count = 0;
    for (const char *line = notes; *line != '\0'; count++) {
        struct text copy = {0};
        size_t length = strcspn(line, "\n");
        text_add_bytes(&copy, line, length);
        text_add(out, "<li>");
        html_add(out, scenario);
        text_add(out, ": ");
        html_add(out, text_string(&copy));
        text_add(out, "</li>\n");
        text_free(&copy);
        line += length + (line[length] == '\n');
    }
    return count;
}

// More are folded: they are long.
#define MOST_OPEN_NOTES 4

// What is marked in the table is explained below it.
static void add_notes(struct page *page)
{
    struct text *out = &page->text;
    struct text items = {0};
    size_t count = 0;
    for (size_t i = 0; i < page->report->cost_count; i++) {
        const struct scheme_cost *cost = &page->report->costs[i];
        struct text notes = {0};
        if (!run_report_has_row(page->report, cost))
            continue;
        costs_add_notes(cost, &notes);
        count += add_lines(&items, cost->trial->scenario->name, text_string(&notes));
        text_free(&notes);
    }
    if (count > 0) {
        text_format(out,
                    "<details class=\"trial\"%s><summary>Why figures are marked, and rates that "
                    "were not held (%zu)</summary><ul class=\"inside small\">\n",
                    count <= MOST_OPEN_NOTES ? " open" : "", count);
        text_add(out, text_string(&items));
        text_add(out, "</ul></details>\n");
    }
    text_free(&items);
}

// Of schemes that are marked, beneath the first table.
static void add_mark_meaning(struct page *page)
{
    struct text meaning = {0};
    costs_add_mark_meaning(page->run, NULL, &meaning);
    if (meaning.length > 0) {
        text_add(&page->text, "<p class=\"small\">");
        html_add(&page->text, meaning.bytes);
        text_add(&page->text, ".</p>\n");
    }
    text_free(&meaning);
}

static void add_words(struct page *page)
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
    struct text *out = &page->text;
    text_add(out, "<p class=\"quiet small\">Locks a second mislead alone: a longer back-off raises "
                  "them while somebody waits.");
    if (has_open_loop(page->run))
        text_add(out, " In an open loop acquires count from the moment at which their operation "
                      "was to begin; small below them, from the request alone, which hides what a "
                      "stall does to those who come meanwhile.");
    text_add(out, "</p>\n<details class=\"trial\"><summary>What the figures mean</summary>"
                  "<dl class=\"inside\">\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text_format(out, "<dt>%s</dt><dd>%s</dd>\n", words[i][0], words[i][1]);
    text_add(out, "</dl></details>\n");
}

void html_add_costs(struct page *page)
{
    struct text *out = &page->text;
    bool any = false;
    for (size_t i = 0; i < page->report->cost_count; i++)
        any = any || run_report_has_row(page->report, &page->report->costs[i]);
    text_add(out, "<section id=\"costs\"><h2>Costs</h2>\n");
    if (any) {
        add_words(page);
        add_speeds(page);
        add_mark_meaning(page);
        add_notes(page);
        html_add_whole_pictures(page, PLACE_COSTS);
        add_turns(page);
        add_uses(page);
    } else {
        text_add(out, "<p class=\"quiet\">Nothing was measured: no trial has a history.</p>\n");
    }
    add_recoveries(page);
    text_add(out, "</section>\n");
}
