// What each scheme cost, over all repeats: merged histograms, medians of repeats. Tables for one
// question each, as all figures in one would be read by nobody.
#include "harness/report/costs.h"
#include "harness/report/html_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- how fast ------------------------------------------------------------------------------------

static void add_spread(struct text *out, const struct scheme_cost *cost, double highest)
{
    char text[40];
    char least[40];
    char most[40];
    double share = highest > 0 ? 100 * cost->rate.median / highest : 0;
    text_format(out, "<td class=\"bar\" style=\"--share:%.0f%%\">%s%s", share > 100 ? 0 : share,
                rate_text(cost->rate.median, text, sizeof text), cost->driver_bound > 0 ? "*" : "");
    if (cost->rate.count > 1)
        text_format(out, "<br><small>%s–%s</small>",
                    rate_text(cost->rate.least, least, sizeof least),
                    rate_text(cost->rate.most, most, sizeof most));
    text_add(out, "</td>");
}

// Below it, what the same percentile is without the correction, if there is one.
static void add_acquire(struct text *out, const struct scheme_cost *cost, enum percentile figure)
{
    const struct histogram *acquire = &cost->latencies[LATENCY_ACQUIRE];
    const struct histogram *uncorrected = &cost->latencies[LATENCY_ACQUIRE_UNCORRECTED];
    double percent = percentile_forms[figure].percent;
    char text[32];
    bool is_marked = cost->late[figure] > 0 && percentile_has_enough(acquire->total, percent);
    text_format(out, "<td>%s%s", cost_percentile(acquire, percent, text, sizeof text),
                is_marked ? "*" : "");
    if (uncorrected->total > 0)
        text_format(out, "<br><small>%s</small>",
                    cost_percentile(uncorrected, percent, text, sizeof text));
    text_add(out, "</td>");
}

static void add_speed(struct page *page, const struct scheme_cost *cost, double highest)
{
    struct text *out = &page->text;
    html_add_verdict_of(page, cost);
    add_spread(out, cost, highest);
    for (enum percentile figure = 0; figure < PERCENTILE_COUNT; figure++)
        add_acquire(out, cost, figure);
    html_add_percentile(out, &cost->latencies[LATENCY_HAND_OFF], 50);
    html_add_percentile(out, &cost->latencies[LATENCY_HAND_OFF], 99);
    html_add_number(out, "%.1f", cost->commands_per_hold);
    html_add_number(out, "%.2f", cost->fairness.count > 0 ? cost->fairness.median : NAN);
}

void html_add_speeds(struct page *page)
{
    static const struct html_heading headings[] = {{"", "verdict"},
                                                   {"", "locks/s"},
#define X(id, name, share) {"acquire", name},
                                                   PERCENTILES(X)
#undef X
                                                       {"hand-off", "p50"},
                                                   {"hand-off", "p99"},
                                                   {"", "commands<br>a lock"},
                                                   {"", "Jain"},
                                                   {NULL, NULL}};
    html_add_cost_table(page, "What each lock cost", headings, add_speed);
}

// --- how the time went ---------------------------------------------------------------------------

// The smallest and the largest share that a worker had of all grants, in any repeat.
static void add_shares(struct page *page, const struct scheme_cost *cost)
{
    double least = INFINITY;
    double most = 0;
    for (size_t i = 0; i < page->run->count; i++) {
        const struct trial_result *result = &page->run->trials[i];
        const struct fairness *turns = &result->statistics.turns;
        if (!cost_row_has(cost, result) || turns->grants == 0)
            continue;
        least = fmin(least, 100 * (double)turns->least_grants / (double)turns->grants);
        most = fmax(most, 100 * (double)turns->most_grants / (double)turns->grants);
    }
    if (isfinite(least))
        text_format(&page->text, "<td>%.1f–%.1f %%</td>", least, most);
    else
        text_add(&page->text, "<td>–</td>");
}

static void add_attempts(struct page *page, const struct scheme_cost *cost)
{
    double attempts = 0;
    size_t holds = 0;
    for (size_t i = 0; i < page->run->count; i++) {
        const struct statistics *statistics = &page->run->trials[i].statistics;
        if (!cost_row_has(cost, &page->run->trials[i]))
            continue;
        attempts += statistics->attempts_per_hold * (double)statistics->holds;
        holds += statistics->holds;
    }
    html_add_number(&page->text, "%.2f", holds > 0 ? attempts / (double)holds : NAN);
}

static void add_turn(struct page *page, const struct scheme_cost *cost, double highest)
{
    static const enum latency latencies[] = {LATENCY_RELEASE, LATENCY_HOLD, LATENCY_HAND_OFF};
    char text[32];
    (void)highest;
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        const struct histogram *histogram = &cost->latencies[latencies[i]];
        html_add_percentile(&page->text, histogram, 50);
        html_add_percentile(&page->text, histogram, 99);
        html_add_percentile(&page->text, histogram, 100);
    }
    add_attempts(page, cost);
    add_shares(page, cost);
    text_format(&page->text, "<td>%s</td>",
                text_duration(cost->longest_wait_ns, text, sizeof text));
}

void html_add_turns(struct page *page)
{
    static const struct html_heading headings[] = {{"release", "p50"},
                                                   {"release", "p99"},
                                                   {"release", "max"},
                                                   {"hold", "p50"},
                                                   {"hold", "p99"},
                                                   {"hold", "max"},
                                                   {"hand-off", "p50"},
                                                   {"hand-off", "p99"},
                                                   {"hand-off", "max"},
                                                   {"", "attempts<br>a lock"},
                                                   {"", "shares of<br>a worker"},
                                                   {"", "longest<br>wait"},
                                                   {NULL, NULL}};
    html_add_cost_table(page, "Release, hold, hand-off and shares", headings, add_turn);
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
    for (size_t i = 0; i < page->run->count; i++) {
        struct scheme_cost cost;
        struct text notes = {0};
        if (!cost_row_begins_at(page->run, i))
            continue;
        scheme_cost_make(page->run, i, &cost);
        costs_add_notes(page->run, &cost, &notes);
        count += add_lines(&items, cost.trial->scenario->name, text_string(&notes));
        text_free(&notes);
        scheme_cost_free(&cost);
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
    for (size_t i = 0; i < page->run->count; i++)
        any = any || cost_row_begins_at(page->run, i);
    text_add(out, "<section id=\"costs\"><h2>Costs</h2>\n");
    if (any) {
        add_words(page);
        html_add_speeds(page);
        add_mark_meaning(page);
        add_notes(page);
        html_add_whole_pictures(page, PLACE_COSTS);
        html_add_turns(page);
        html_add_use(page);
    } else {
        text_add(out, "<p class=\"quiet\">Nothing was measured: no trial has a history.</p>\n");
    }
    html_add_recoveries(page);
    text_add(out, "</section>\n");
}
