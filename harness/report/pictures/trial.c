// How a trial went, over its time: throughput, acquire latency in slices, and the latency of each
// operation; and latency by percentile.
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/report/pictures/timeline.h"
#include "harness/stats/latencies.h"

#include <math.h>
#include <stdlib.h>

// Begins a picture of a trial whole, with its faults; in bins of that width, unless it is 0.
static void begin(const struct trial_model *model, struct picture *picture, const char *title,
                  int64_t width_ns)
{
    const struct window whole = {model->started_ns, model->ended_ns};
    time_start(picture, model->started_ns, NS_PER_MS, "the trial");
    time_panel(picture, 1, whole);
    time_faults(picture, model, whole, false);
    text_format(&picture->title, "%s%s: %s, %s", title, width_ns > 0 ? lasting(width_ns).text : "",
                model->trial->scenario->name, model->trial->scheme);
}

// The least round width that divides the axis into at most so many bins; from 6 to 100 of them,
// whatever is wanted.
static int64_t bin_width_ns(const struct trial_model *model, size_t wanted)
{
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    int64_t bins = wanted > 100 ? 100 : wanted < 6 ? 6 : (int64_t)wanted;
    int64_t duration_ns = time_later(model->ended_ns - model->started_ns, 1);
    int64_t width = 1;
    for (size_t i = 0; duration_ns / width >= bins; i++)
        width = (int64_t)(steps[i % 9] * pow(10, (double)(i / 9)));
    return width;
}

// --- throughput, the time in which nobody was granted, and the stop ------------------------

// In a narrower bin a single hold would look like a burst.
#define HOLDS_PER_BIN 5

static bool write_throughput(const struct picture_subject *subject, struct picture *picture)
{
    static const char *const stops[] = {
        [STOP_DONE] = "all operations done", [STOP_TIME] = "time is up",
        [STOP_STUCK] = "stopped: stuck",     [STOP_LIMIT] = "stopped: time limit",
        [STOP_BROKEN] = "stopped: broken",   [STOP_INTERRUPTED] = "interrupted",
    };
    const struct trial_model *model = subject->model;
    bool is_stuck =
        subject->judgement->verdict == VERDICT_STUCK || model->stop_reason == STOP_STUCK;
    int64_t bin_ns = bin_width_ns(model, model->hold_count / HOLDS_PER_BIN);
    int64_t end_ns = time_later(model->ended_ns, model->started_ns + 1);
    int64_t last_ns = model->started_ns; // that anybody was granted the lock
    size_t next = 0;
    begin(model, picture, "Throughput, in bins of ", bin_ns);
    while (next < model->hold_count && model->holds[next].granted_ns < model->started_ns)
        next++;
    struct picture_block *bins = picture_block(picture, "bins: from to locks/s");
    for (int64_t from_ns = model->started_ns, to_ns; from_ns < end_ns; from_ns = to_ns) {
        size_t first = next;
        // A sliver at the end would make one hold look like a burst: it joins its neighbour.
        to_ns = end_ns - from_ns - bin_ns > bin_ns / 2 ? from_ns + bin_ns : end_ns;
        while (next < model->hold_count &&
               (model->holds[next].granted_ns < to_ns ||
                (to_ns == end_ns && model->holds[next].granted_ns <= model->ended_ns)))
            next++;
        picture_row(bins, "%.12g %.12g %.6g", time_at(picture, from_ns), time_at(picture, to_ns),
                    (double)(next - first) * NS_PER_S / (double)(to_ns - from_ns));
    }
    FOR_EACH_HOLD (hold, model)
        last_ns = time_later(last_ns, hold->granted_ns);
    if (is_stuck && model->ended_ns > last_ns) {
        picture_put(picture, "stuck: from to", "%.12g %.12g", time_at(picture, last_ns),
                    time_at(picture, model->ended_ns));
        time_label(picture, last_ns, model->ended_ns, "stuck", "nobody granted for %s",
                   lasting(model->ended_ns - last_ns).text);
    }
    picture_put(picture, "stop: at", "%.12g", time_at(picture, model->ended_ns));
    time_label(picture, model->ended_ns, model->ended_ns, "dark", "%s",
               model->stop_known ? stops[model->stop_reason] : "the history ends");
    return true;
}

PICTURE(throughput, .name = "throughput", .title = "Throughput", .place = PLACE_TRIAL,
        .width = TRIAL_WIDTH, .shared = {template_time}, .write = write_throughput);

// --- latency by percentile -----------------------------------------------------------------------

static bool write_latency(const struct picture_subject *subject, struct picture *picture)
{
    static const enum latency shown[] = {LATENCY_ACQUIRE, LATENCY_RELEASE, LATENCY_HAND_OFF};
    const struct trial *trial = subject->model->trial;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *name = latency_forms[shown[i]].name;
        struct durations durations = durations_of(subject->model, shown[i]);
        struct histogram histogram = {0};
        char legend[60];
        for (size_t j = 0; j < durations.count; j++)
            histogram_record(&histogram, durations.items[j]);
        snprintf(legend, sizeof legend, "%s (%zu)", name, durations.count);
        if (durations.count > 0)
            picture_percentiles(picture_block(picture, "%s: 1/(1-percentile) percentile ns", name),
                                legend, &histogram, 0);
        histogram_free(&histogram);
        durations_free(&durations);
    }
    text_format(&picture->title, "Latency by percentile: %s, %s", trial->scenario->name,
                trial->scheme);
    return subject->model->hold_count >= LEAST_FOR_PERCENTILES;
}

PICTURE(latency, .name = "latency", .title = "Latency", .place = PLACE_TRIAL, .width = TRIAL_WIDTH,
        .write = write_latency);

// --- percentiles of acquire in slices of the trial -----------------------------------------------

// On average: in fewer, p99 would always be the slowest.
#define ACQUIRES_PER_SLICE 20

// An acquire, by when it was granted.
struct acquire {
    int64_t ended_ns, duration_ns;
};

static bool write_over_time(const struct picture_subject *subject, struct picture *picture)
{
    struct durations durations = durations_of(subject->model, LATENCY_ACQUIRE);
    size_t count = durations.count;
    if (count < LEAST_FOR_PERCENTILES) {
        durations_free(&durations);
        return false;
    }
    int64_t width_ns = bin_width_ns(subject->model, count / ACQUIRES_PER_SLICE);
    const struct trial_model *model = subject->model;
    int64_t end_ns = time_later(model->ended_ns, model->started_ns + 1);
    begin(model, picture, "Acquire latency over time, in slices of ", width_ns);
    struct picture_block *slices =
        picture_block(picture, "slices: from to acquires p50(ns) p99(ns) max(ns)");
    AUTO_FREE struct acquire *acquires = memory_new(count * sizeof *acquires);
    for (size_t i = 0; i < count; i++)
        acquires[i] = (struct acquire){durations.ends_ns[i], durations.items[i]};
    sort_by_key(acquires, count, sizeof *acquires);
    // A row for each slice in which something was granted.
    for (size_t i = 0; i < count;) {
        struct percentiles percentiles;
        int64_t passed_ns = acquires[i].ended_ns - model->started_ns;
        int64_t from_ns = acquires[i].ended_ns - passed_ns % width_ns;
        int64_t to_ns = time_earlier(from_ns + width_ns, end_ns);
        size_t in_it = 0;
        for (; i < count && acquires[i].ended_ns < from_ns + width_ns; i++)
            durations.items[in_it++] = time_later(acquires[i].duration_ns, 1);
        percentiles_make(durations.items, in_it, &percentiles);
        picture_row(slices, "%.12g %.12g %zu %lld %lld %lld", time_at(picture, from_ns),
                    time_at(picture, to_ns), in_it, (long long)percentiles.p50_ns,
                    (long long)percentiles.p99_ns, (long long)percentiles.max_ns);
    }
    durations_free(&durations);
    return true;
}

PICTURE(latency_over_time, .name = "latency-over-time", .title = "Latency over time",
        .place = PLACE_FOLDER, .width = TRIAL_WIDTH, .shared = {template_time},
        .write = write_over_time);

// --- each operation as a dot at its latency ------------------------------------------------------

// A cell of the picture, in which a dot of the same kind hides another: about two pixels wide.
#define CELLS_ACROSS 400
#define CELLS_A_DECADE 20
#define MOST_DECADES 14

// What became of an operation. Colours and shapes are the template's.
static const char *const kinds[] = {"granted",         "released",      "not-granted",
                                    "released-late",   "write-refused", "acquire-unknown",
                                    "release-unknown", "write-unknown"};

enum kind {
    DOT_GRANTED,
    DOT_RELEASED,
    DOT_NOT_GRANTED,
    DOT_RELEASED_LATE,
    DOT_REFUSED,
    DOT_ACQUIRE_UNKNOWN,
    DOT_RELEASE_UNKNOWN,
    DOT_WRITE_UNKNOWN,
    KIND_COUNT
};

struct dots {
    const struct trial_model *model;
    struct picture *picture;
    bool (*cells)[CELLS_ACROSS][MOST_DECADES * CELLS_A_DECADE]; // of each kind
    size_t count[KIND_COUNT];
    bool any_hidden;
};

// What came to no end was waited for until the client died or the trial ended. What began after the
// end is left out.
static void add_dot(struct dots *dots, enum kind kind, int64_t from_ns, int64_t returned_ns,
                    int64_t died_ns)
{
    const struct trial_model *model = dots->model;
    int64_t to_ns =
        returned_ns != TIME_NEVER ? returned_ns : time_earlier(died_ns, model->ended_ns);
    int64_t latency_ns = time_later(to_ns - from_ns, 1);
    double share = (double)(from_ns - model->started_ns) /
                   (double)time_later(model->ended_ns - model->started_ns, 1);
    if (from_ns > model->ended_ns)
        return;
    size_t across = (size_t)(fmin(fmax(share, 0), 1) * (CELLS_ACROSS - 1));
    size_t up = (size_t)(fmin(log10((double)latency_ns), MOST_DECADES - 1) * CELLS_A_DECADE);
    bool *cell = &dots->cells[kind][across][up];
    dots->any_hidden |= *cell;
    dots->count[kind]++;
    if (!*cell)
        picture_put(dots->picture, "operations: at latency(ns) outcome", "%.12g %lld %s",
                    time_at(dots->picture, from_ns), (long long)latency_ns, kinds[kind]);
    *cell = true;
}

static bool write_operations(const struct picture_subject *subject, struct picture *picture)
{
    const struct trial_model *model = subject->model;
    struct dots dots = {model, picture, memory_zeroed(KIND_COUNT, sizeof *dots.cells), {0}, false};
    size_t count = 0;
    begin(model, picture, "Latency of each operation, by when it began", 0);
    FOR_EACH_HOLD (hold, model) {
        bool is_lost = hold->answer == RELEASE_NOT_OWNER || hold->answer == RELEASE_GONE;
        enum kind release = is_lost ? DOT_RELEASED_LATE : DOT_RELEASED;
        if (hold->returned_ns == TIME_NEVER || hold->answer == RELEASE_UNKNOWN)
            release = DOT_RELEASE_UNKNOWN;
        add_dot(&dots, DOT_GRANTED, hold_acquire_began_ns(hold), hold->granted_ns, TIME_NEVER);
        if (hold->release_invoked)
            add_dot(&dots, release, hold_release_began_ns(hold), hold->returned_ns, hold->died_ns);
    }
    FOR_EACH_ATTEMPT (attempt, model)
        add_dot(&dots, attempt->outcome == OUTCOME_NO ? DOT_NOT_GRANTED : DOT_ACQUIRE_UNKNOWN,
                attempt->invoked_ns, attempt->returned_ns,
                attempt->died ? attempt->died_ns : TIME_NEVER);
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->outcome != OUTCOME_OK)
            add_dot(&dots, access->outcome == OUTCOME_NO ? DOT_REFUSED : DOT_WRITE_UNKNOWN,
                    access->invoked_ns, access->returned_ns, TIME_NEVER);
    }
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        count += dots.count[kind];
        if (dots.count[kind] > 0)
            picture_put(picture, "counts: outcome count", "%s %zu", kinds[kind], dots.count[kind]);
    }
    if (dots.any_hidden)
        picture_note(picture, "Dots that would hide each other are drawn once.");
    free(dots.cells);
    return count > 0;
}

PICTURE(operations, .name = "operations", .title = "Each operation", .place = PLACE_FOLDER,
        .width = TRIAL_WIDTH, .shared = {template_time}, .write = write_operations);
