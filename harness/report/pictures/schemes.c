// The schemes of each scenario without faults beside each other: acquire latency by percentile, a
// curve for each; and sorted rows of how long a hand-off takes, and how evenly grants are shared
// out. And how schemes are listed by their servers, in any picture.
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/cluster/server.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <math.h>

// --- by server -----------------------------------------------------------------------------------

// The kind of servers that a scheme locks with, from 1, after its traits; 0: none.
static int kind_of(const struct trial *trial)
{
    for (int i = 0; server_catalogue[i] != NULL && trial->traits != NULL; i++) {
        if (server_catalogue[i]->form.title != NULL &&
            text_is_one_of(server_catalogue[i]->name, trial->traits))
            return i + 1;
    }
    return 0;
}

const char *scheme_servers(const struct trial *trial)
{
    int kind = kind_of(trial);
    return kind == 0 ? "no server" : server_catalogue[kind - 1]->form.title;
}

size_t schemes_list(const struct run_report *report, enum role role,
                    bool (*takes)(const struct scenario *scenario, enum role role),
                    struct scheme *schemes)
{
    size_t count = 0;
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        size_t i = 0;
        while (i < count && strcmp(schemes[i].trial->scheme, cost->trial->scheme) != 0)
            i++;
        if (i == count && takes(cost->trial->scenario, role))
            schemes[count++] = (struct scheme){.rank = kind_of(cost->trial), .trial = cost->trial};
    }
    sort_by_key(schemes, count, sizeof *schemes);
    return count;
}

// As many curves as style.gp has line types.
#define MOST_CURVES 7
// More than any rank: ten weeks, in nanoseconds.
#define RANKS (INT64_C(1) << 52)

size_t panels_make(struct scheme *schemes, size_t count, size_t first, const char *prefix,
                   struct picture *picture)
{
    AUTO_TEXT struct text title = {0};
    size_t panels = (count + MOST_CURVES - 1) / MOST_CURVES;
    for (size_t i = 0; i < count; i++)
        schemes[i].rank += kind_of(schemes[i].trial) * RANKS;
    sort_by_key(schemes, count, sizeof *schemes);
    for (size_t i = 0; i < count; i++) {
        const struct trial *trial = schemes[i].trial;
        size_t panel = i * panels / count;
        bool begins = i == 0 || (i - 1) * panels / count < panel;
        if (begins)
            text_free(&title);
        if (begins || kind_of(schemes[i - 1].trial) != kind_of(trial))
            text_add_item(&title, scheme_servers(trial));
        if (i + 1 == count || (i + 1) * panels / count > panel)
            picture_tell(picture, "group_%zu = %s.%s", first + panel + 1, prefix, title.bytes);
        schemes[i].panel = (unsigned)(first + panel + 1);
        schemes[i].rank += ((int64_t)panel - kind_of(trial)) * RANKS;
    }
    sort_by_key(schemes, count, sizeof *schemes);
    for (size_t i = 0; i < count; i++)
        schemes[i].number =
            i > 0 && schemes[i - 1].panel == schemes[i].panel ? schemes[i - 1].number + 1 : 1;
    return first + panels;
}

struct words scheme_name(const struct scheme *scheme)
{
    struct words name;
    snprintf(name.text, sizeof name.text, "%s%s", scheme->trial->scheme,
             scheme->is_marked ? "*" : "");
    return name;
}

// --- acquire latency by percentile ---------------------------------------------------------------

// A percentile with fewer acquires beyond it would be of a few single ones.
#define LEAST_BEYOND LEAST_FOR_PERCENTILES
// Twice as many curves of more schemes than that would hide each other.
#define MOST_WITH_UNCORRECTED 8

static void put_curves(const struct scheme *schemes, size_t count, struct picture *picture)
{
    for (size_t i = 0; i < count; i++) {
        const struct scheme_cost *cost = schemes[i].cost;
        const enum latency latencies[] = {LATENCY_ACQUIRE, LATENCY_ACQUIRE_UNCORRECTED};
        for (size_t j = 0; j < (count > MOST_WITH_UNCORRECTED ? 1 : 2); j++) {
            const struct histogram *histogram = &cost->histograms[latencies[j]];
            if (histogram->total == 0)
                continue;
            picture_percentiles(picture_block(picture,
                                              "%s %u %u: 1/(1-percentile) percentile acquire(ns)",
                                              j == 0 ? "curve" : "uncorrected", schemes[i].panel,
                                              schemes[i].number),
                                scheme_name(&schemes[i]).text, histogram, LEAST_BEYOND);
            if (j == 1)
                picture_note(picture, "Latency counts from when each acquire was to begin. "
                                      "Thin and dotted: from when it was sent, which hides "
                                      "what waited for a stall.");
        }
    }
}

// --- of each scenario ----------------------------------------------------------------------------

#define MOST_ROWS 60 // of all scenarios; the first has its own, however many

struct scheme_picture {
    const char *title;
    const char *best, *worst; // in the alternative
    bool (*takes)(const struct scenario *scenario);
    // Sets the rank, the lowest of which comes first, and a figure for the alternative, of which
    // the lowest is the best. False: too little was measured.
    bool (*measure)(struct scheme *scheme);
    struct words (*say)(double figure);                                            // NULL: a time
    void (*put)(const struct scheme *scheme, size_t row, struct picture *picture); // NULL: curves
};

// Lists the schemes of a scenario of which enough was measured. Returns how many.
static size_t list(const struct scheme_picture *kind, const struct run_report *report,
                   const struct scenario *scenario, struct scheme *schemes, struct text *short_ones)
{
    size_t count = 0;
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        struct scheme scheme = {
            .trial = cost->trial, .cost = cost, .is_marked = cost->driver_bound > 0};
        AUTO_TEXT struct text name = {0};
        if (cost->trial->scenario != scenario || cost->repeats == 0)
            continue;
        text_format(&name, "%s (%zu)", cost->trial->scheme,
                    cost->percentiles[LATENCY_ACQUIRE].count);
        if (kind->measure(&scheme))
            schemes[count++] = scheme;
        else
            text_add_item(short_ones, name.bytes);
    }
    return count;
}

static bool is_taken(const struct scheme *schemes, size_t count, size_t of, unsigned number)
{
    bool is_taken = false;
    for (size_t i = 0; i < count; i++)
        is_taken |= i != of && schemes[i].panel == schemes[of].panel && schemes[i].number == number;
    return is_taken;
}

// A scheme looks in each panel as it did in those before, unless another one there looks so.
static void keep_looks(struct scheme *schemes, size_t count, const struct scheme *earlier,
                       size_t earlier_count)
{
    for (size_t i = 0; i < count; i++) {
        schemes[i].number = 0;
        for (size_t j = 0; j < earlier_count && schemes[i].number == 0; j++) {
            if (strcmp(earlier[j].trial->scheme, schemes[i].trial->scheme) == 0 &&
                !is_taken(schemes, i, i, earlier[j].number))
                schemes[i].number = earlier[j].number;
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (unsigned number = 1; schemes[i].number == 0; number++)
            schemes[i].number = is_taken(schemes, count, i, number) ? 0 : number;
    }
}

static struct words say_time(double figure)
{
    return lasting((int64_t)figure);
}

static void describe(const struct scheme_picture *kind, const struct scheme *schemes, size_t count,
                     struct text *out)
{
    const struct scheme *best = schemes;
    const struct scheme *worst = schemes;
    for (size_t i = 0; i < count; i++) {
        best = schemes[i].figure < best->figure ? &schemes[i] : best;
        worst = schemes[i].figure >= worst->figure ? &schemes[i] : worst;
    }
    struct words (*told)(double figure) = kind->say != NULL ? kind->say : say_time;
    text_format(out, "%s: %zu schemes in %s. %s %s with %s, %s %s with %s.", kind->title, count,
                schemes->trial->scenario->name, kind->best, best->trial->scheme,
                told(best->figure).text, kind->worst, worst->trial->scheme,
                told(worst->figure).text);
}

// Scenarios in which all want the same lock come first: there, what one does matters most to the
// others. A scheme alone has nothing beside it; its trial has a picture of its latency.
static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct scheme_picture *kind = picture->kind->details;
    const struct run_report *report = subject->report;
    AUTO_FREE struct scheme *schemes = memory_new((report->cost_count + 1) * sizeof *schemes);
    AUTO_FREE struct scheme *drawn = memory_new((report->cost_count + 1) * sizeof *drawn);
    size_t size = 0;  // in rows, or in panels
    size_t shown = 0; // schemes
    size_t left_out = 0;
    text_add(&picture->title, kind->title);
    for (size_t i = 0; i < 2 * report->measured_count; i++) {
        const struct scenario *scenario = report->measured[i % report->measured_count].scenario;
        bool is_later = scenario->workload.keys > 1;
        AUTO_TEXT struct text short_ones = {0};
        AUTO_TEXT struct text title = {0};
        if (is_later != (i >= report->measured_count) || !kind->takes(scenario))
            continue;
        size_t count = list(kind, report, scenario, schemes, &short_ones);
        if (count < 2 || (shown > 0 && shown + count > MOST_ROWS)) {
            left_out += count >= 2;
            continue;
        }
        if (shown == 0)
            describe(kind, schemes, count, &picture->alternative);
        cost_title(scenario, &title);
        if (kind->put == NULL) {
            text_add(&title, ": ");
            size = panels_make(schemes, count, size, title.bytes, picture);
            keep_looks(schemes, count, drawn, shown);
            memcpy(drawn + shown, schemes, count * sizeof *schemes);
            put_curves(schemes, count, picture);
            if (short_ones.length > 0)
                picture_note(picture, "No curve, for want of acquires, in %s: %s.", scenario->name,
                             short_ones.bytes);
        } else {
            picture_put(picture, "scenarios: row name", "%zu %s", size++, title.bytes);
            sort_by_key(schemes, count, sizeof *schemes);
            for (size_t j = 0; j < count; j++)
                kind->put(&schemes[j], size++, picture);
        }
        shown += count;
        for (size_t j = 0; j < count; j++) {
            if (schemes[j].is_marked)
                picture_note(picture, "%s", cost_late_note);
        }
    }
    picture_tell(picture, kind->put == NULL ? "groups = %zu" : "rows = %zu", size);
    if (left_out > 0)
        picture_note(picture, "Not shown: %zu more scenario%s without faults.", left_out,
                     plural((long long)left_out));
    return shown > 0;
}

static bool measure_acquire(struct scheme *scheme)
{
    const struct percentiles *acquire = &scheme->cost->percentiles[LATENCY_ACQUIRE];
    scheme->is_marked |= any_is_late(scheme->cost->late);
    scheme->rank = RANKS - acquire->p99_ns;
    scheme->figure = (double)acquire->p50_ns;
    // Up to the median at least: a shorter one is no curve.
    return acquire->count >= 2 * LEAST_BEYOND;
}

// Who waits for a leader waits for the end of its term.
static bool waits_for_locks(const struct scenario *scenario)
{
    return scenario_role(scenario) != ROLE_LEADER;
}

PICTURE(percentiles, .name = "percentiles", .title = "Acquire latency by percentile",
        .place = PLACE_COSTS, .width = 1100, .shared = {template_ends}, .write = write,
        .details = &(const struct scheme_picture){
            .title = "Acquire latency by percentile, without faults",
            .best = "At the median the fastest is",
            .worst = "the slowest",
            .takes = waits_for_locks,
            .measure = measure_acquire});

// --- how long it takes from a release to the next grant where somebody waited --------------------

static bool has_waiters(const struct scenario *scenario)
{
    return scenario->workload.keys != KEYS_OWN;
}

static bool measure_hand_off(struct scheme *scheme)
{
    const struct percentiles *hand_off = &scheme->cost->percentiles[LATENCY_HAND_OFF];
    scheme->rank = hand_off->p50_ns;
    scheme->figure = (double)hand_off->p50_ns;
    return hand_off->count >= LEAST_FOR_PERCENTILES;
}

static void put_hand_off(const struct scheme *scheme, size_t row, struct picture *picture)
{
    const struct percentiles *hand_off = &scheme->cost->percentiles[LATENCY_HAND_OFF];
    bool has_p99 = percentile_has_enough((int64_t)hand_off->count, 99);
    char figures[80];
    snprintf(figures, sizeof figures, "%.30s%s%.30s", lasting(hand_off->p50_ns).text,
             has_p99 ? " – " : "", has_p99 ? lasting(hand_off->p99_ns).text : "");
    picture_put(picture, "rows: row p50(ns) p99(ns) scheme figures", "%zu %lld %.7g %s %s", row,
                (long long)hand_off->p50_ns, has_p99 ? (double)hand_off->p99_ns : NAN,
                scheme_name(scheme).text, figures);
}

PICTURE(hand_off, .name = "hand-off", .title = "Hand-off to the next who waits",
        .place = PLACE_COSTS, .width = 1000, .write = write,
        .details = &(const struct scheme_picture){
            .title = "Hand-off: from a release to the next grant, without faults",
            .best = "At the median the fastest is",
            .worst = "the slowest",
            .takes = has_waiters,
            .measure = measure_hand_off,
            .put = put_hand_off});

// --- how evenly each scheme shares out its grants among the workers that ask ---------------------

// Not where workers have locks of their own, nor where some of them take part for a shorter time.
static bool shares_a_lock(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        int64_t clients = scenario->load[i].clients;
        if (!scenario->load[i].warm_up && clients > 0 && clients < scenario->clients.processes)
            return false;
    }
    return has_waiters(scenario) && waits_for_locks(scenario);
}

static bool measure_fairness(struct scheme *scheme)
{
    const struct spread *fairness = &scheme->cost->fairness;
    scheme->rank = (int64_t)(-1e9 * fairness->median);
    scheme->figure = -fairness->median;
    return fairness->count > 0 && isfinite(scheme->cost->least_of_even);
}

static struct words say_index(double figure)
{
    struct words words;
    snprintf(words.text, sizeof words.text, "an index of %.2f", -figure);
    return words;
}

static void put_fairness(const struct scheme *scheme, size_t row, struct picture *picture)
{
    const struct scheme_cost *cost = scheme->cost;
    picture_put(picture, "rows: row index least most least-share most-share scheme",
                "%zu %.7g %.7g %.7g %.7g %.7g %s", row, cost->fairness.median, cost->fairness.least,
                cost->fairness.most, cost->least_of_even, cost->most_of_even,
                scheme_name(scheme).text);
}

PICTURE(fairness, .name = "fairness", .title = "Fairness of grants", .place = PLACE_COSTS,
        .width = 1000, .write = write,
        .details = &(const struct scheme_picture){.title = "Fairness of grants, without faults",
                                                  .best = "The most even is",
                                                  .worst = "the least even",
                                                  .takes = shares_a_lock,
                                                  .measure = measure_fairness,
                                                  .say = say_index,
                                                  .put = put_fairness});
