// A row for each scheme, sorted, of the scenarios without faults: the pictures of fairness and of
// hand-off.
#include "harness/report/costs.h"
#include "harness/report/pictures/load_points.h"
#include "harness/report/pictures/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 60 // of all sections; the first has its own, however many
#define MOST_SECTIONS 8
#define MOST_VALUES 5

struct row {
    const char *scheme;
    char *name;                 // with the mark of what is driver-bound. Owned
    double order;               // the least comes first
    double values[MOST_VALUES]; // NaN: not known
    char figures[80];           // in words
};

struct row_kind {
    const char *title;
    const char *columns; // of the values, in the data
    int value_count;
    const char *note;
    bool (*takes)(const struct scenario *scenario);
    // Measures the scheme whose first trial has that index. False: there is nothing.
    bool (*measure)(const struct run_result *run, size_t index, const struct scheme_cost *cost,
                    struct row *row);
    // What the best and the worst row of a scenario tell, for the alternative text.
    void (*describe)(const struct row *best, const struct row *worst, struct text *out);
};

// The rows of one scenario.
struct section {
    const struct scenario *scenario;
    struct row *rows;
    size_t count;
};

struct sections {
    struct section items[MOST_SECTIONS];
    size_t count, rows;
    size_t left_out;
};

// --- chosen --------------------------------------------------------------------------------------

static int by_order(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->scheme, b->scheme);
}

static void section_free(struct section *section)
{
    for (size_t i = 0; i < section->count; i++)
        free(section->rows[i].name);
    free(section->rows);
}

static struct section section_of(const struct row_kind *kind, const struct run_result *run,
                                 const struct scenario *scenario)
{
    size_t *indices = NULL;
    size_t count = cost_schemes(run, scenario, &indices);
    struct section section = {scenario, memory_new((count + 1) * sizeof *section.rows), 0};
    for (size_t i = 0; i < count; i++) {
        struct scheme_cost cost;
        struct row row = {.values = {NAN, NAN, NAN, NAN, NAN}};
        scheme_cost_make(run, indices[i], &cost);
        row.scheme = cost.trial->scheme;
        if (kind->measure(run, indices[i], &cost, &row)) {
            row.name = cost_name(&cost);
            section.rows[section.count++] = row;
        }
        scheme_cost_free(&cost);
    }
    free(indices);
    return section;
}

// Scenarios in which all want the same lock come first: there, what one does matters most to the
// others. Then those of most schemes.
static bool is_before(const struct section *a, const struct section *b)
{
    bool several[] = {a->scenario->workload.keys > 1, b->scenario->workload.keys > 1};
    return several[0] != several[1] ? several[1] : a->count > b->count;
}

static struct sections choose(const struct row_kind *kind, const struct run_result *run)
{
    struct sections chosen = {0};
    struct cost_choice choice;
    cost_choice_make(run, &choice);
    struct section *all = memory_new((choice.count + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < choice.count; i++) {
        if (!kind->takes(choice.scenarios[i]))
            continue;
        struct section section = section_of(kind, run, choice.scenarios[i]);
        size_t place = count++;
        for (; place > 0 && is_before(&section, &all[place - 1]); place--)
            all[place] = all[place - 1];
        all[place] = section;
    }
    for (size_t i = 0; i < count; i++) {
        bool fits = chosen.count == 0 ||
                    (chosen.count < MOST_SECTIONS && chosen.rows + all[i].count <= MOST_ROWS);
        if (all[i].count < 2 || !fits) {
            chosen.left_out += all[i].count >= 2;
            section_free(&all[i]);
            continue;
        }
        qsort(all[i].rows, all[i].count, sizeof *all[i].rows, by_order);
        chosen.rows += all[i].count;
        chosen.items[chosen.count++] = all[i];
    }
    free(all);
    cost_choice_free(&choice);
    return chosen;
}

// --- written -------------------------------------------------------------------------------------

// Sections lie one below the other, each below a row for its heading if there are several.
static void write_rows(const struct row_kind *kind, const struct sections *sections,
                       struct picture *picture)
{
    size_t heading = sections->count > 1 ? 1 : 0;
    size_t y = 0;
    picture_block(picture, "rows: row%s scheme figures", kind->columns);
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *section = &sections->items[i];
        y += heading;
        for (size_t j = 0; j < section->count; j++) {
            text_format(&picture->data, "%zu", y++);
            for (int value = 0; value < kind->value_count; value++)
                text_format(&picture->data, " %.7g", section->rows[j].values[value]);
            picture_cell(picture, section->rows[j].name);
            picture_cell(picture, section->rows[j].figures);
            text_add(&picture->data, "\n");
        }
    }
    picture_number(picture, "rows", (double)y);
    if (heading == 0)
        return;
    picture_block(picture, "scenarios: row name");
    for (size_t i = 0, at = 0; i < sections->count; at += sections->items[i++].count + 1) {
        text_format(&picture->data, "%zu", at);
        picture_cell(picture, sections->items[i].scenario->name);
        text_add(&picture->data, "\n");
    }
}

static bool write(const struct row_kind *kind, const struct run_result *run,
                  struct picture *picture)
{
    struct sections sections = choose(kind, run);
    if (sections.count > 0) {
        const struct section *first = &sections.items[0];
        struct text title = {0};
        for (size_t i = 0; i < sections.count; i++) {
            text_add(&title, i == 0 ? ": " : ", ");
            cost_title(sections.items[i].scenario, &title);
        }
        picture_title(picture, "%s%s", kind->title, text_string(&title));
        text_free(&title);
        write_rows(kind, &sections, picture);
        picture_note(picture, "%s", kind->note);
        if (strstr(text_string(&picture->data), "*\" ") != NULL)
            picture_note(picture, "%s", cost_driver_note);
        if (sections.left_out > 0)
            picture_note(picture, "Not shown: %zu more scenario%s without faults.",
                         sections.left_out, sections.left_out == 1 ? "" : "s");
        text_format(&picture->alternative, "%s: %zu schemes in %s. ", kind->title, first->count,
                    first->scenario->name);
        kind->describe(&first->rows[0], &first->rows[first->count - 1], &picture->alternative);
    }
    for (size_t i = 0; i < sections.count; i++)
        section_free(&sections.items[i]);
    return sections.count > 0;
}

// --- how evenly each scheme shares out its grants among the workers that ask
// ----------------------

// Not where workers have locks of their own, nor where some of them take part for a shorter time.
static bool shares_a_lock(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        int64_t clients = scenario->load[i].clients;
        if (!scenario->load[i].warm_up && clients > 0 && clients < scenario->clients.processes)
            return false;
    }
    return scenario->workload.keys != KEYS_OWN;
}

static bool measure_fairness(const struct run_result *run, size_t index,
                             const struct scheme_cost *cost, struct row *row)
{
    // The least and the most that any worker of any repeat got, as shares of an even one.
    double least = NAN;
    double most = NAN;
    for (size_t i = index; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        const struct fairness *turns = &result->statistics.turns;
        if (!result->has_history || turns->grants == 0 || turns->workers < 2 ||
            !scheme_cost_is_of(result->trial, cost->trial))
            continue;
        double even = (double)turns->grants / (double)turns->workers;
        least = fmin(least, (double)turns->least_grants / even);
        most = fmax(most, (double)turns->most_grants / even);
    }
    if (cost->fairness.count == 0 || !isfinite(least))
        return false;
    row->order = -cost->fairness.median;
    const double values[] = {cost->fairness.median, cost->fairness.least, cost->fairness.most,
                             least, most};
    memcpy(row->values, values, sizeof values);
    snprintf(row->figures, sizeof row->figures, "%.2f; %.2f – %.2f", cost->fairness.median, least,
             most);
    return true;
}

static void describe_fairness(const struct row *best, const struct row *worst, struct text *out)
{
    text_format(out, "The most even is %s with an index of %.2f, the least even %s with %.2f.",
                best->scheme, -best->order, worst->scheme, -worst->order);
}

static bool write_fairness(const struct picture_subject *subject, struct picture *picture)
{
    static const struct row_kind kind = {
        .title = "Fairness of grants, without faults",
        .columns = " index least most least-share most-share",
        .value_count = 5,
        .note = "Left, Jain's index of the workers' grants: the median of the repeats, and their "
                "least and most. Right, what the worker with the least and the one with the most "
                "grants got. At the right both in figures. Most even first.",
        .takes = shares_a_lock,
        .measure = measure_fairness,
        .describe = describe_fairness};
    return write(&kind, subject->run, picture);
}

extern const char template_fairness[];
const struct picture_kind fairness_picture = {.name = "fairness",
                                              .title = "Fairness of grants",
                                              .place = PLACE_COSTS,
                                              .width = 1000,
                                              .template = template_fairness,
                                              .write = write_fairness};

// --- how long it takes from a release to the next grant where somebody waited
// ----------------------

static bool has_waiters(const struct scenario *scenario)
{
    return scenario->workload.keys != KEYS_OWN;
}

static bool measure_hand_off(const struct run_result *run, size_t index,
                             const struct scheme_cost *cost, struct row *row)
{
    const struct histogram *hand_off = &cost->latencies[LATENCY_HAND_OFF];
    bool has_p99 = hand_off->total >= LEAST_FOR_P99;
    char texts[2][32];
    (void)run;
    (void)index;
    if (hand_off->total < LEAST_FOR_PERCENTILES)
        return false;
    int64_t p50_ns = histogram_percentile_ns(hand_off, 50);
    int64_t p99_ns = histogram_percentile_ns(hand_off, 99);
    row->order = (double)p50_ns;
    row->values[0] = (double)p50_ns;
    row->values[1] = has_p99 ? (double)p99_ns : NAN;
    text_duration(p50_ns, texts[0], sizeof texts[0]);
    text_duration(p99_ns, texts[1], sizeof texts[1]);
    snprintf(row->figures, sizeof row->figures, "%s%s%s", texts[0], has_p99 ? " – " : "",
             has_p99 ? texts[1] : "");
    return true;
}

static void describe_hand_off(const struct row *best, const struct row *worst, struct text *out)
{
    char texts[2][32];
    text_format(out, "At the median the fastest is %s with %s, the slowest %s with %s.",
                best->scheme, text_duration((long long)best->order, texts[0], sizeof texts[0]),
                worst->scheme, text_duration((long long)worst->order, texts[1], sizeof texts[1]));
}

static bool write_hand_off(const struct picture_subject *subject, struct picture *picture)
{
    static const struct row_kind kind = {
        .title = "Hand-off: from a release to the next grant, without faults",
        .columns = " p50(ns) p99(ns)",
        .value_count = 2,
        .note = "Only releases during which somebody waited. The point is the median, the bar goes "
                "on to the 99th percentile (of at least 100 hand-offs). Fastest first.",
        .takes = has_waiters,
        .measure = measure_hand_off,
        .describe = describe_hand_off};
    return write(&kind, subject->run, picture);
}

extern const char template_hand_off[];
const struct picture_kind hand_off_picture = {.name = "hand-off",
                                              .title = "Hand-off to the next who waits",
                                              .place = PLACE_COSTS,
                                              .width = 1000,
                                              .template = template_hand_off,
                                              .write = write_hand_off};
