// How a trial went, over its time: throughput, acquire latency in slices, and the latency of each
// operation; and latency by percentile, on a scale that gives each further nine as much room as the
// one before (as HdrHistogram draws it: x = 1 / (1 - percentile)).
#include "harness/base/percentile.h"
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
    time_faults(picture, model, whole, true);
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

// --- holds per second, the time in which nobody was granted, and the stop ------------------------

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
    begin(model, picture, "Holds per second, in bins of ", bin_ns);
    while (next < model->hold_count && model->holds[next].granted_ns < model->started_ns)
        next++;
    struct picture_block *bins = picture_block(picture, "bins: from to holds-per-second");
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
        time_label(picture, last_ns, model->ended_ns, "red", "nobody granted for %s",
                   lasting(model->ended_ns - last_ns).text);
    }
    picture_put(picture, "stop: at", "%.12g", time_at(picture, model->ended_ns));
    time_label(picture, model->ended_ns, model->ended_ns, "dark", "%s",
               model->stop_known ? stops[model->stop_reason] : "the history ends");
    return true;
}

PICTURE(throughput, .name = "throughput", .title = "Throughput", .place = PLACE_TRIAL,
        .width = TRIAL_WIDTH, .write = write_throughput);

// --- latency by percentile -----------------------------------------------------------------------

// Points for each decade of x: enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 60

static bool write_latency(const struct picture_subject *subject, struct picture *picture)
{
    static const enum latency shown[] = {LATENCY_ACQUIRE, LATENCY_RELEASE, LATENCY_HAND_OFF};
    const struct trial *trial = subject->model->trial;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *name = latency_forms[shown[i]].name;
        struct durations durations = durations_of(subject->model, shown[i]);
        struct picture_block *series =
            picture_block(picture, "%s: 1/(1-percentile) percentile ns", name);
        double count = (double)durations.count;
        double next = 0;
        sort_values(durations.items, durations.count);
        // What the legend says.
        if (durations.count > 0)
            text_format(&series->rows, "\"%s (%zu)\"\n", name, durations.count);
        // The value of rank j (from 0) covers percentiles j/n to (j+1)/n.
        for (size_t j = 0; j < durations.count; j++) {
            double x = count / (count - (double)j);
            if (x < next && j + 1 < durations.count)
                continue;
            // 1 ns stands for 0: a logarithm has no place for it.
            picture_row(series, "%.6g %.7g %lld", x, 100 - 100 / x,
                        (long long)time_later(durations.items[j], 1));
            next = x * pow(10, 1.0 / POINTS_PER_DECADE);
        }
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
    picture_note(picture, "A slice has what was granted in it; where nothing was, it has no line.");
    durations_free(&durations);
    return true;
}

PICTURE(latency_over_time, .name = "latency-over-time", .title = "Latency over time",
        .place = PLACE_FOLDER, .width = TRIAL_WIDTH, .write = write_over_time);

// --- each operation as a dot at its latency ------------------------------------------------------

// Of very many operations not all are drawn; a note says so: a picture of more dots is slow to
// show, and says no more.
#define MOST_OF_A_CLASS 2500
// Fewer operations than that have larger dots.
#define FEW 300
// For each of so many stretches of time the slowest of each kind are kept.
#define STRETCHES 100

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

// Their colours and shapes are the template's. The first two went well.
static const struct {
    const char *name, *meaning;
} kinds[KIND_COUNT] = {
    [DOT_GRANTED] = {"granted", "granted"},
    [DOT_RELEASED] = {"released", "released"},
    [DOT_NOT_GRANTED] = {"not-granted", "not granted in time"},
    [DOT_RELEASED_LATE] = {"released-late", "released, but lost before"},
    [DOT_REFUSED] = {"write-refused", "write refused by the store"},
    [DOT_ACQUIRE_UNKNOWN] = {"acquire-unknown", "acquire without an answer"},
    [DOT_RELEASE_UNKNOWN] = {"release-unknown", "release without an answer"},
    [DOT_WRITE_UNKNOWN] = {"write-unknown", "write without an answer"},
};

struct dot {
    int64_t at_ns; // of its invocation
    int64_t latency_ns;
    enum kind kind;
};

struct dots {
    int64_t ended_ns; // the trial
    struct dot *items;
    size_t count;
    size_t of_kind[KIND_COUNT];
};

// What came to no end was waited for until the client died or the trial ended. What began after the
// end is left out.
static void add_dot(struct dots *dots, enum kind kind, int64_t from_ns, int64_t returned_ns,
                    int64_t died_ns)
{
    int64_t to_ns = returned_ns != TIME_NEVER ? returned_ns : time_earlier(died_ns, dots->ended_ns);
    if (from_ns > dots->ended_ns)
        return;
    dots->of_kind[kind]++;
    dots->items[dots->count++] =
        (struct dot){.at_ns = from_ns, .latency_ns = time_later(to_ns - from_ns, 1), .kind = kind};
}

static struct dots collect(const struct trial_model *model)
{
    size_t most = 2 * model->hold_count + model->attempt_count + model->access_count;
    struct dots dots = {model->ended_ns, memory_new((most + 1) * sizeof *dots.items), 0, {0}};
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
    return dots;
}

// The stretch of the trial that a dot lies in.
static size_t stretch_of(const struct trial_model *model, const struct dot *dot)
{
    double share = (double)(dot->at_ns - model->started_ns) /
                   (double)time_later(model->ended_ns - model->started_ns, 1);
    return (size_t)fmin(fmax(share * STRETCHES, 0), STRETCHES - 1);
}

// Of those that went well, or of the others, writes as many of each kind as can be told apart, and
// the slowest of each kind in each stretch of the trial.
static void write_dots(const struct trial_model *model, const struct dots *dots, bool went_well,
                       struct picture *picture)
{
    const struct dot *slowest[KIND_COUNT][STRETCHES] = {0};
    struct picture_block *blocks[KIND_COUNT] = {0};
    size_t seen[KIND_COUNT] = {0};
    size_t total = 0;
    FOR_EACH (dot, dot, dots->items, dots->count) {
        const struct dot **best = &slowest[dot->kind][stretch_of(model, dot)];
        if (*best == NULL || dot->latency_ns > (*best)->latency_ns)
            *best = dot;
        total += (dot->kind <= DOT_RELEASED) == went_well;
    }
    size_t step = total / MOST_OF_A_CLASS + (total % MOST_OF_A_CLASS > 0);
    FOR_EACH (dot, dot, dots->items, dots->count) {
        if ((dot->kind <= DOT_RELEASED) != went_well)
            continue;
        struct picture_block **block = &blocks[dot->kind];
        if (*block == NULL) {
            *block = picture_block(picture, "%s: at latency(ns)", kinds[dot->kind].name);
            // What the legend says.
            text_format(&(*block)->rows, "\"%s (%zu)\"\n", kinds[dot->kind].meaning,
                        dots->of_kind[dot->kind]);
        }
        if (seen[dot->kind]++ % step == 0 || slowest[dot->kind][stretch_of(model, dot)] == dot)
            picture_row(*block, "%.12g %lld", time_at(picture, dot->at_ns),
                        (long long)dot->latency_ns);
    }
    if (step > 1)
        picture_note(picture,
                     "Of %zu operations that %s, every %zuth is drawn, and the slowest of each "
                     "kind in each hundredth of the time.",
                     total, went_well ? "went well" : "did not go well", step);
}

static bool write_operations(const struct picture_subject *subject, struct picture *picture)
{
    const struct trial_model *model = subject->model;
    struct dots dots = collect(model);
    size_t legends = 0;
    if (dots.count > 0) {
        begin(model, picture, "Latency of each operation, by when it began", 0);
        write_dots(model, &dots, true, picture);
        write_dots(model, &dots, false, picture);
        for (enum kind kind = 0; kind < KIND_COUNT; kind++)
            legends += dots.of_kind[kind] > 0;
        picture_tell(picture, "legends = %zu\nsize = %g", legends, dots.count < FEW ? 0.63 : 0.35);
    }
    free(dots.items);
    return dots.count > 0;
}

PICTURE(operations, .name = "operations", .title = "Each operation", .place = PLACE_FOLDER,
        .width = TRIAL_WIDTH, .write = write_operations);
