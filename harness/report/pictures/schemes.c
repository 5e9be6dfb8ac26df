// The schemes of each scenario without faults beside each other: acquire latency by percentile, a
// curve for each; and sorted rows of how long a hand-off takes, and how evenly grants are shared
// out. And how schemes are grouped by their servers, in any picture.
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/cluster/server.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECTIONS 8
#define MOST_ROWS 60 // of all sections; the first has its own, however many
#define MOST_VALUES 5
// On a scale that gives each further nine as much room as the one before: x = 1 / (1 - percentile),
// as HdrHistogram draws it. Enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 20
#define MEDIAN_POINT 6
#define MOST_POINTS (POINTS_PER_DECADE * 5 + 1)
// A percentile with fewer acquires beyond it would be of a few single ones.
#define LEAST_BEYOND LEAST_FOR_PERCENTILES
// Twice as many curves of more schemes than that would hide each other.
#define MOST_WITH_UNCORRECTED 8

struct points {
    int64_t ns[MOST_POINTS];
    size_t count;
};

// A scheme in a scenario.
struct row {
    struct scheme_curve curve;
    double values[MOST_VALUES];        // NaN: not known; of rows
    char figures[80];                  // the same in words
    struct points points, uncorrected; // of curves
};

// The schemes of one scenario.
struct section {
    int64_t rank; // they are sorted by it
    const struct scenario *scenario;
    struct row *rows;
    size_t count;
    struct text short_ones; // schemes of which there was too little measured
    bool has_uncorrected;
};

struct scheme_picture {
    const char *title;
    const char *columns; // of the values, in the data; NULL: curves
    size_t value_count;
    const char *note, *mark_note;
    bool (*takes)(const struct scenario *scenario); // NULL: any
    // False: too little was measured.
    bool (*measure)(const struct run_report *report, const struct scheme_cost *cost,
                    struct row *row);
    void (*describe)(const struct section *section, struct text *out);
};

// --- groups by server ----------------------------------------------------------------------------

// As many line types as style.gp has.
#define GROUP_MOST 7

size_t scheme_kind_count(void)
{
    size_t count = 1;
    while (server_catalogue[count - 1] != NULL)
        count++;
    return count;
}

const char *scheme_kind_name(size_t kind)
{
    return kind == 0 ? "no server" : server_catalogue[kind - 1]->form.title;
}

size_t scheme_kind(const struct trial *trial)
{
    for (size_t i = 0; server_catalogue[i] != NULL && trial->traits != NULL; i++) {
        if (server_catalogue[i]->form.title != NULL &&
            text_is_one_of(server_catalogue[i]->name, trial->traits))
            return i + 1;
    }
    return 0;
}

// Numbers the curves of each group by their ranks; equal ones stay in their order.
static void number(struct scheme_curve *curves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double rank = isnan(curves[i].rank) ? -INFINITY : curves[i].rank;
        curves[i].number = 1;
        for (size_t j = 0; j < count; j++) {
            double other = isnan(curves[j].rank) ? -INFINITY : curves[j].rank;
            curves[i].number +=
                curves[j].group == curves[i].group && (other > rank || (other >= rank && j < i));
        }
    }
}

// Of a large kind there are several groups of the same size, but for one; small kinds share one.
size_t scheme_groups_make(struct scheme_curve *curves, size_t count, size_t first,
                          const char *prefix, struct picture *picture)
{
    AUTO_FREE struct text *titles = memory_zeroed(count + 1, sizeof *titles);
    size_t made = 0;
    size_t used = 0; // of the last group
    for (size_t kind = 0; kind < scheme_kind_count(); kind++) {
        size_t size = 0;
        for (size_t i = 0; i < count; i++)
            size += scheme_kind(curves[i].trial) == kind;
        size_t parts = (size + GROUP_MOST - 1) / GROUP_MOST;
        bool joins = made > 0 && used + size <= GROUP_MOST;
        for (size_t i = 0, seen = 0, part = 0; i < count; i++) {
            if (scheme_kind(curves[i].trial) != kind)
                continue;
            if (!joins && seen++ == part * size / parts) {
                used = 0;
                part++;
                if (parts > 1)
                    text_format(&titles[made], "%s (%zu of %zu)", scheme_kind_name(kind), part,
                                parts);
                made++;
            }
            curves[i].group = first + made;
            used++;
        }
        if (parts == 1)
            text_format(&titles[made - 1], "%s%s", titles[made - 1].length > 0 ? ", " : "",
                        scheme_kind_name(kind));
    }
    for (size_t i = 0; i < made; i++) {
        AUTO_TEXT struct text whole = {0};
        text_format(&whole, "%s%s%s", prefix, made > 1 && *prefix != '\0' ? ": " : "",
                    made > 1 ? text_string(&titles[i]) : "");
        picture_tell(picture, "group_%zu = %s", first + i + 1, text_string(&whole));
        text_free(&titles[i]);
    }
    number(curves, count);
    return made;
}

static struct words legend_name(const struct scheme_curve *curve)
{
    struct words name;
    snprintf(name.text, sizeof name.text, "%s%s", curve->trial->scheme,
             curve->is_marked ? "*" : "");
    return name;
}

void scheme_legend(const struct scheme_curve *curve, struct picture *picture)
{
    picture_row(
        picture_block(picture, "legend %zu %zu: name, at none", curve->group, curve->number),
        "%s\n-1 -1", legend_name(curve).text);
}

// --- sections ------------------------------------------------------------------------------------

static int by_rank(const void *left, const void *right)
{
    const struct scheme_curve *a = &((const struct row *)left)->curve;
    const struct scheme_curve *b = &((const struct row *)right)->curve;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return strcmp(a->trial->scheme, b->trial->scheme);
}

// Scenarios in which all want the same lock come first: there, what one does matters most to the
// others. Then those of most schemes.
static struct section section_make(const struct scheme_picture *kind,
                                   const struct run_report *report,
                                   const struct measured_scenario *measured)
{
    struct section section = {.scenario = measured->scenario,
                              .rows = memory_zeroed(measured->schemes + 1, sizeof *section.rows)};
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        struct row *row = &section.rows[section.count];
        AUTO_TEXT struct text name = {0};
        if (cost->trial->scenario != section.scenario || cost->repeats == 0)
            continue;
        *row = (struct row){.curve = {.trial = cost->trial, .is_marked = cost->driver_bound > 0}};
        text_format(&name, "%s (%zu)", cost->trial->scheme,
                    cost->percentiles[LATENCY_ACQUIRE].count);
        if (kind->measure(report, cost, row))
            section.count++;
        else
            text_add_item(&section.short_ones, name.bytes);
        section.has_uncorrected |= row->uncorrected.count > 0;
    }
    section.has_uncorrected &= section.count <= MOST_WITH_UNCORRECTED;
    section.rank = (section.scenario->workload.keys > 1 ? INT32_MAX : 0) - (int64_t)section.count;
    if (kind->columns != NULL)
        qsort(section.rows, section.count, sizeof *section.rows, by_rank);
    return section;
}

static void section_free(struct section *section)
{
    text_free(&section->short_ones);
    free(section->rows);
}

// Those that are shown, sorted, of which there is room for all; the caller frees each. Returns how
// many. A scheme alone has nothing beside it; its trial has a picture of its latency.
static size_t sections_make(const struct scheme_picture *kind, const struct run_report *report,
                            struct section *sections, size_t *left_out)
{
    size_t count = 0;
    size_t shown = 0;
    size_t used = 0;
    FOR_EACH (measured_scenario, measured, report->measured, report->measured_count) {
        if (kind->takes == NULL || kind->takes(measured->scenario))
            sections[count++] = section_make(kind, report, measured);
    }
    sort_by_key(sections, count, sizeof *sections);
    for (size_t i = 0; i < count; i++) {
        bool is_alone = sections[i].count < 2;
        bool fits = shown == 0 || (shown < MOST_SECTIONS && used + sections[i].count <= MOST_ROWS);
        *left_out += !is_alone && !fits;
        if (is_alone || !fits) {
            section_free(&sections[i]);
        } else {
            used += sections[i].count;
            sections[shown++] = sections[i];
        }
    }
    return shown;
}

// --- written -------------------------------------------------------------------------------------

// Sections lie one below the other, each below a row for its heading if there are `several`.
// Returns the next row.
static size_t write_rows(const struct scheme_picture *kind, const struct section *section,
                         bool several, size_t y, struct picture *picture)
{
    struct picture_block *rows =
        picture_block(picture, "rows: row%s scheme figures", kind->columns);
    if (several)
        picture_put(picture, "scenarios: row name", "%zu %s", y++, section->scenario->name);
    FOR_EACH (row, row, section->rows, section->count) {
        text_format(&rows->rows, "%zu", y++);
        for (size_t value = 0; value < kind->value_count; value++)
            text_format(&rows->rows, " %.7g", row->values[value]);
        picture_row(rows, " %s %s", legend_name(&row->curve).text, row->figures);
    }
    return y;
}

static double place(size_t point)
{
    return pow(10, (double)point / POINTS_PER_DECADE);
}

// `first` is how many groups there are already. Returns how many there are then.
static size_t write_curves(const struct section *section, size_t first, bool several,
                           struct picture *picture)
{
    AUTO_FREE struct scheme_curve *curves = memory_new((section->count + 1) * sizeof *curves);
    for (size_t i = 0; i < section->count; i++)
        curves[i] = section->rows[i].curve;
    first += scheme_groups_make(curves, section->count, first,
                                several ? section->scenario->name : "", picture);
    for (size_t i = 0; i < 2 * section->count; i++) {
        const struct scheme_curve *curve = &curves[i / 2];
        const struct row *row = &section->rows[i / 2];
        const struct points *points = i % 2 == 0 ? &row->points : &row->uncorrected;
        struct picture_block *block =
            picture_block(picture, "%s %zu %zu: %s, %s: 1/(1-percentile) percentile acquire(ns)",
                          i % 2 == 0 ? "curve" : "uncorrected", curve->group, curve->number,
                          section->scenario->name, curve->trial->scheme);
        for (size_t j = 0; j < points->count && (i % 2 == 0 || section->has_uncorrected); j++)
            picture_row(block, "%.6g %.7g %lld", place(j), 100 - 100 / place(j),
                        (long long)points->ns[j]);
        if (i % 2 == 0)
            scheme_legend(curve, picture);
    }
    return first;
}

static void add_notes(const struct scheme_picture *kind, const struct section *sections,
                      size_t shown, size_t left_out, struct picture *picture)
{
    bool any_marked = false;
    bool any_uncorrected = false;
    picture_note(picture, "%s", kind->note);
    for (size_t i = 0; i < shown; i++) {
        any_uncorrected |= sections[i].has_uncorrected;
        for (size_t j = 0; j < sections[i].count; j++)
            any_marked |= sections[i].rows[j].curve.is_marked;
        if (kind->columns == NULL && sections[i].short_ones.length > 0)
            picture_note(picture, "No curve, for want of acquires, in %s: %s.",
                         sections[i].scenario->name, sections[i].short_ones.bytes);
    }
    if (any_uncorrected)
        picture_note(picture, "Latency counts from when each acquire was to begin. Thin and "
                              "dotted: from when it was sent, which hides what waited for a "
                              "stall.");
    if (any_marked)
        picture_note(picture, "%s", kind->mark_note);
    if (left_out > 0)
        picture_note(picture, "Not shown: %zu more scenario%s without faults.", left_out,
                     left_out == 1 ? "" : "s");
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct scheme_picture *kind = subject->details;
    const struct run_report *report = subject->report;
    AUTO_FREE struct section *sections =
        memory_new((report->measured_count + 1) * sizeof *sections);
    size_t left_out = 0;
    size_t size = 0;
    size_t shown = sections_make(kind, report, sections, &left_out);
    for (size_t i = 0; i < shown; i++) {
        text_format(&picture->title, "%s%s", i == 0 ? kind->title : ", ", i == 0 ? ": " : "");
        cost_title(sections[i].scenario, &picture->title);
        size = kind->columns != NULL ? write_rows(kind, &sections[i], shown > 1, size, picture)
                                     : write_curves(&sections[i], size, shown > 1, picture);
    }
    if (shown > 0) {
        picture_tell(picture, kind->columns == NULL ? "groups = %zu" : "rows = %zu", size);
        add_notes(kind, sections, shown, left_out, picture);
        text_format(&picture->alternative, "%s: %zu schemes in %s. ", kind->title,
                    sections[0].count, sections[0].scenario->name);
        kind->describe(&sections[0], &picture->alternative);
    }
    for (size_t i = 0; i < shown; i++)
        section_free(&sections[i]);
    return shown > 0;
}

// --- acquire latency by percentile ---------------------------------------------------------------

static struct points points_of(const struct scheme_cost *cost, enum latency latency)
{
    struct points points = {.count = 0};
    struct histogram histogram;
    histogram_start(&histogram);
    // What was encoded by ourselves can be decoded.
    (void)latencies_merge_encoded(cost->encoded[latency], cost->percentiles[latency].max_ns,
                                  &histogram, NULL);
    while (points.count < MOST_POINTS) {
        double x = place(points.count);
        if ((double)histogram.total / x < LEAST_BEYOND * (1 - 1e-9))
            break;
        double percent = 100 - 100 / x;
        points.ns[points.count++] = time_later(
            percent > 0 ? histogram_percentile_ns(&histogram, percent) : histogram.min_ns, 1);
    }
    histogram_free(&histogram);
    return points;
}

static bool measure_percentiles(const struct run_report *report, const struct scheme_cost *cost,
                                struct row *row)
{
    (void)report;
    row->points = points_of(cost, LATENCY_ACQUIRE);
    // Up to the median at least: a shorter one is no curve.
    if (row->points.count <= MEDIAN_POINT)
        return false;
    row->uncorrected = points_of(cost, LATENCY_ACQUIRE_UNCORRECTED);
    row->curve.is_marked |= any_is_late(cost->late);
    row->curve.rank = (double)row->points.ns[row->points.count - 1];
    row->values[0] = (double)row->points.ns[MEDIAN_POINT];
    return true;
}

// By the medians.
static void describe_times(const struct section *section, struct text *out)
{
    const struct row *fastest = &section->rows[0];
    const struct row *slowest = &section->rows[0];
    FOR_EACH (row, row, section->rows, section->count) {
        fastest = row->values[0] < fastest->values[0] ? row : fastest;
        slowest = row->values[0] >= slowest->values[0] ? row : slowest;
    }
    text_format(out, "At the median the fastest is %s with %s, the slowest %s with %s.",
                fastest->curve.trial->scheme, lasting((int64_t)fastest->values[0]).text,
                slowest->curve.trial->scheme, lasting((int64_t)slowest->values[0]).text);
}

PICTURE(
    percentiles, .name = "percentiles", .title = "Acquire latency by percentile",
    .place = PLACE_COSTS, .width = 1100, .write = write,
    .details = &(const struct scheme_picture){
        .title = "Acquire latency by percentile, without faults",
        .note = "A curve ends where fewer than 10 acquires lie beyond it. Legends are in the order "
                "of the curves' ends, the slowest first.",
        .mark_note = cost_late_note,
        .measure = measure_percentiles,
        .describe = describe_times});

// --- how long it takes from a release to the next grant where somebody waited --------------------

static bool has_waiters(const struct scenario *scenario)
{
    return scenario->workload.keys != KEYS_OWN;
}

static bool measure_hand_off(const struct run_report *report, const struct scheme_cost *cost,
                             struct row *row)
{
    const struct percentiles *hand_off = &cost->percentiles[LATENCY_HAND_OFF];
    bool has_p99 = percentile_has_enough((int64_t)hand_off->count, 99);
    (void)report;
    row->curve.rank = -(double)hand_off->p50_ns;
    row->values[0] = (double)hand_off->p50_ns;
    row->values[1] = has_p99 ? (double)hand_off->p99_ns : NAN;
    snprintf(row->figures, sizeof row->figures, "%.30s%s%.30s", lasting(hand_off->p50_ns).text,
             has_p99 ? " – " : "", has_p99 ? lasting(hand_off->p99_ns).text : "");
    return hand_off->count >= LEAST_FOR_PERCENTILES;
}

PICTURE(
    hand_off, .name = "hand-off", .title = "Hand-off to the next who waits", .place = PLACE_COSTS,
    .width = 1000, .write = write,
    .details = &(const struct scheme_picture){
        .title = "Hand-off: from a release to the next grant, without faults",
        .columns = " p50(ns) p99(ns)",
        .value_count = 2,
        .note = "Only releases during which somebody waited. The point is the median, the bar goes "
                "on to the 99th percentile (of at least 100 hand-offs). Fastest first.",
        .mark_note = cost_driver_note,
        .takes = has_waiters,
        .measure = measure_hand_off,
        .describe = describe_times});

// --- how evenly each scheme shares out its grants among the workers that ask ---------------------

// Not where workers have locks of their own, nor where some of them take part for a shorter time.
static bool shares_a_lock(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        int64_t clients = scenario->load[i].clients;
        if (!scenario->load[i].warm_up && clients > 0 && clients < scenario->clients.processes)
            return false;
    }
    return has_waiters(scenario);
}

static bool measure_fairness(const struct run_report *report, const struct scheme_cost *cost,
                             struct row *row)
{
    const struct spread *fairness = &cost->fairness;
    // The least and the most that any worker of any repeat got, as shares of an even one.
    double least = NAN;
    double most = NAN;
    FOR_EACH (trial_result, result, report->run->trials, report->run->count) {
        const struct fairness *turns = &result->statistics.turns;
        if (!scheme_cost_has(cost, result) || turns->grants == 0 || turns->workers < 2)
            continue;
        double even = (double)turns->grants / (double)turns->workers;
        least = fmin(least, (double)turns->least_grants / even);
        most = fmax(most, (double)turns->most_grants / even);
    }
    row->curve.rank = fairness->median;
    const double values[] = {fairness->median, fairness->least, fairness->most, least, most};
    memcpy(row->values, values, sizeof values);
    snprintf(row->figures, sizeof row->figures, "%.2f; %.2f – %.2f", fairness->median, least, most);
    return fairness->count > 0 && isfinite(least);
}

static void describe_fairness(const struct section *section, struct text *out)
{
    const struct row *best = &section->rows[0];
    const struct row *worst = &section->rows[section->count - 1];
    text_format(out, "The most even is %s with an index of %.2f, the least even %s with %.2f.",
                best->curve.trial->scheme, best->values[0], worst->curve.trial->scheme,
                worst->values[0]);
}

PICTURE(
    fairness, .name = "fairness", .title = "Fairness of grants", .place = PLACE_COSTS,
    .width = 1000, .write = write,
    .details = &(const struct scheme_picture){
        .title = "Fairness of grants, without faults",
        .columns = " index least most least-share most-share",
        .value_count = 5,
        .note = "Left, Jain's index of the workers' grants: the median of the repeats, and their "
                "least and most. Right, what the worker with the least and the one with the most "
                "grants got. At the right both in figures. Most even first.",
        .mark_note = cost_driver_note,
        .takes = shares_a_lock,
        .measure = measure_fairness,
        .describe = describe_fairness});
