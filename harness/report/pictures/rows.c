// A row for each scheme, sorted, of the scenarios without faults: the pictures of fairness and of
// hand-off.
#include "harness/report/costs.h"
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
    size_t value_count;
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

static int by_order(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->scheme, b->scheme);
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
    qsort(section.rows, section.count, sizeof *section.rows, by_order);
    return section;
}

// Scenarios in which all want the same lock come first: there, what one does matters most to the
// others. Then those of most schemes.
static bool is_before(const struct section *a, const struct section *b)
{
    bool several[] = {a->scenario->workload.keys > 1, b->scenario->workload.keys > 1};
    return several[0] != several[1] ? several[1] : a->count > b->count;
}

// Sections lie one below the other, each below a row for its heading if there are several. Returns
// the next row.
static size_t write_section(const struct row_kind *kind, const struct section *section, size_t y,
                            struct picture *picture)
{
    struct picture_block *rows =
        picture_block(picture, "rows: row%s scheme figures", kind->columns);
    for (size_t i = 0; i < section->count; i++) {
        text_format(&rows->rows, "%zu", y++);
        for (size_t value = 0; value < kind->value_count; value++)
            text_format(&rows->rows, " %.7g", section->rows[i].values[value]);
        picture_row(rows, " %s %s", section->rows[i].name, section->rows[i].figures);
    }
    return y;
}

// Writes the first of those that fit. Returns how many are shown.
static size_t write_sections(const struct row_kind *kind, struct section *sections, size_t count,
                             struct picture *picture)
{
    size_t shown = 0;
    size_t left_out = 0;
    size_t rows = 0;
    size_t y = 0;
    for (size_t i = 0; i < count; i++) {
        bool fits = shown == 0 || (shown < MOST_SECTIONS && rows + sections[i].count <= MOST_ROWS);
        left_out += sections[i].count >= 2 && !fits;
        if (sections[i].count < 2 || !fits)
            continue;
        struct section section = sections[i];
        sections[i] = sections[shown];
        sections[shown++] = section;
        rows += section.count;
    }
    for (size_t i = 0; i < shown; i++) {
        text_add(&picture->title, i == 0 ? kind->title : ", ");
        text_add(&picture->title, i == 0 ? ": " : "");
        cost_title(sections[i].scenario, &picture->title);
        if (shown > 1)
            picture_row(picture_block(picture, "scenarios: row name"), "%zu %s", y++,
                        sections[i].scenario->name);
        y = write_section(kind, &sections[i], y, picture);
    }
    if (shown > 0)
        picture_note(picture, "%s", kind->note);
    picture_tell(picture, "rows = %zu", y);
    for (size_t i = 0; i < picture->block_count; i++) {
        if (strstr(text_string(&picture->blocks[i]->rows), "*\" ") != NULL)
            picture_note(picture, "%s", cost_driver_note);
    }
    if (left_out > 0)
        picture_note(picture, "Not shown: %zu more scenario%s without faults.", left_out,
                     left_out == 1 ? "" : "s");
    return shown;
}

static bool write(const struct row_kind *kind, const struct run_result *run,
                  struct picture *picture)
{
    struct cost_choice choice;
    cost_choice_make(run, &choice);
    struct section *sections = memory_new((choice.count + 1) * sizeof *sections);
    size_t count = 0;
    for (size_t i = 0; i < choice.count; i++) {
        if (!kind->takes(choice.scenarios[i]))
            continue;
        struct section section = section_of(kind, run, choice.scenarios[i]);
        size_t place = count++;
        for (; place > 0 && is_before(&section, &sections[place - 1]); place--)
            sections[place] = sections[place - 1];
        sections[place] = section;
    }
    cost_choice_free(&choice);
    bool any = write_sections(kind, sections, count, picture) > 0;
    if (any) {
        text_format(&picture->alternative, "%s: %zu schemes in %s. ", kind->title,
                    sections[0].count, sections[0].scenario->name);
        kind->describe(&sections[0].rows[0], &sections[0].rows[sections[0].count - 1],
                       &picture->alternative);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sections[i].count; j++)
            free(sections[i].rows[j].name);
        free(sections[i].rows);
    }
    free(sections);
    return any;
}

// --- how evenly each scheme shares out its grants among the workers that ask ---------------------

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
    const struct spread *fairness = &cost->fairness;
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
    row->order = -fairness->median;
    const double values[] = {fairness->median, fairness->least, fairness->most, least, most};
    memcpy(row->values, values, sizeof values);
    snprintf(row->figures, sizeof row->figures, "%.2f; %.2f – %.2f", fairness->median, least, most);
    return fairness->count > 0 && isfinite(least);
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

PICTURE(fairness, .name = "fairness", .title = "Fairness of grants", .place = PLACE_COSTS,
        .width = 1000, .write = write_fairness);

// --- how long it takes from a release to the next grant where somebody waited --------------------

static bool has_waiters(const struct scenario *scenario)
{
    return scenario->workload.keys != KEYS_OWN;
}

static bool measure_hand_off(const struct run_result *run, size_t index,
                             const struct scheme_cost *cost, struct row *row)
{
    const struct histogram *hand_off = &cost->latencies[LATENCY_HAND_OFF];
    bool has_p99 = percentile_has_enough(hand_off->total, 99);
    int64_t p99_ns = histogram_percentile_ns(hand_off, 99);
    char texts[2][32];
    (void)run;
    (void)index;
    row->order = row->values[0] = (double)histogram_percentile_ns(hand_off, 50);
    row->values[1] = has_p99 ? (double)p99_ns : NAN;
    text_duration((long long)row->order, texts[0], sizeof texts[0]);
    text_duration(p99_ns, texts[1], sizeof texts[1]);
    snprintf(row->figures, sizeof row->figures, "%s%s%s", texts[0], has_p99 ? " – " : "",
             has_p99 ? texts[1] : "");
    return hand_off->total >= LEAST_FOR_PERCENTILES;
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

PICTURE(hand_off, .name = "hand-off", .title = "Hand-off to the next who waits",
        .place = PLACE_COSTS, .width = 1000, .write = write_hand_off);
