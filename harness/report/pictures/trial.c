// How a trial went, over its time: throughput, acquire latency in slices, and the latency of each
// operation; and latency by percentile, on a scale that gives each further nine as much room as the
// one before (as HdrHistogram draws it: x = 1 / (1 - percentile)).
#include "harness/base/percentile.h"
#include "harness/base/rank.h"
#include "harness/report/pictures/axis.h"
#include "harness/stats/latencies.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Of a trial whole, with its faults.
static void begin(const struct picture_subject *subject, struct picture *picture, struct axis *axis)
{
    const struct digest *digest = subject->digest;
    axis_start(axis, picture, 1, digest->started_ns, digest->started_ns, digest->ended_ns);
    axis_faults(axis, digest, true);
}

__attribute__((format(printf, 3, 4))) static void add_title(const struct digest *digest,
                                                            struct picture *picture,
                                                            const char *format, ...)
{
    char words[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    text_format(&picture->title, "%s: %s, %s", words, digest->trial->scenario->name,
                digest->trial->scheme);
}

// The least round width that divides a duration into at most so many bins; from 6 to 100 of them,
// whatever is wanted.
static int64_t bin_width_ns(int64_t duration_ns, size_t wanted)
{
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    int64_t bins = wanted > 100 ? 100 : wanted < 6 ? 6 : (int64_t)wanted;
    for (double decade = 1; decade < 1e18; decade *= 10) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            int64_t width = (int64_t)(steps[i] * decade);
            if (width >= 1 && duration_ns / width < bins)
                return width;
        }
    }
    return NS_PER_S;
}

// --- holds per second, the time in which nobody was granted, and the stop ------------------------

// In a narrower bin a single hold would look like a burst.
#define HOLDS_PER_BIN 5

static void write_bins(const struct axis *axis, const struct digest *digest, int64_t bin_ns)
{
    int64_t duration_ns = axis->to - axis->from;
    size_t count = (size_t)(duration_ns / bin_ns);
    // A sliver at the end would make one hold look like a burst: it joins its neighbour.
    if (count == 0 || duration_ns - (int64_t)count * bin_ns > bin_ns / 2)
        count++;
    size_t *holds = memory_zeroed(count, sizeof *holds);
    for (size_t i = 0; i < digest->hold_count; i++) {
        int64_t at_ns = digest->holds[i].granted_ns - axis->from;
        size_t bin = (size_t)(at_ns / bin_ns);
        if (at_ns >= 0 && at_ns <= duration_ns)
            holds[bin < count ? bin : count - 1]++;
    }
    struct picture_block *bins = picture_block(
        axis->picture, "bins: from(%s) to(%s) holds-per-second", axis->unit_name, axis->unit_name);
    for (size_t i = 0; i < count; i++) {
        int64_t from_ns = axis->from + (int64_t)i * bin_ns;
        int64_t to_ns = i + 1 == count ? axis->to : from_ns + bin_ns;
        picture_row(bins, "%.9g %.9g %.6g", axis_at(axis, from_ns), axis_at(axis, to_ns),
                    (double)holds[i] * NS_PER_S / (double)time_later(to_ns - from_ns, 1));
    }
    free(holds);
}

// From the last moment that anybody was granted the lock to the end of the trial.
static void write_stuck(struct axis *axis, const struct digest *digest,
                        const struct judgement *judgement)
{
    int64_t from_ns = digest->started_ns;
    char length[32];
    if (judgement->verdict != VERDICT_STUCK && digest->stop_reason != STOP_STUCK)
        return;
    for (size_t i = 0; i < digest->hold_count; i++)
        from_ns = time_later(from_ns, digest->holds[i].granted_ns);
    if (digest->ended_ns <= from_ns)
        return;
    picture_row(
        picture_block(axis->picture, "stuck: from(%s) to(%s)", axis->unit_name, axis->unit_name),
        "%.9g %.9g", axis_at(axis, from_ns), axis_at(axis, digest->ended_ns));
    axis_label(axis, from_ns + (digest->ended_ns - from_ns) / 2, "red",
               "nobody granted for %s",
               text_duration(digest->ended_ns - from_ns, length, sizeof length));
}

static bool write_throughput(const struct picture_subject *subject, struct picture *picture)
{
    static const char *const stops[] = {
        [STOP_DONE] = "all operations done", [STOP_TIME] = "time is up",
        [STOP_STUCK] = "stopped: stuck",     [STOP_LIMIT] = "stopped: time limit",
        [STOP_BROKEN] = "stopped: broken",   [STOP_INTERRUPTED] = "interrupted",
    };
    const struct digest *digest = subject->digest;
    struct axis axis;
    char width[32];
    begin(subject, picture, &axis);
    int64_t bin_ns = bin_width_ns(axis.to - axis.from, digest->hold_count / HOLDS_PER_BIN);
    add_title(digest, picture, "Holds per second, in bins of %s",
              text_duration(bin_ns, width, sizeof width));
    write_bins(&axis, digest, bin_ns);
    write_stuck(&axis, digest, subject->judgement);
    picture_row(picture_block(picture, "stop: at(%s)", axis.unit_name), "%.9g",
                axis_at(&axis, digest->ended_ns));
    axis_label(&axis, digest->ended_ns, "dark", "%s",
               digest->stop_known ? stops[digest->stop_reason] : "the history ends");
    axis_end(&axis);
    return true;
}

PICTURE(throughput, .name = "throughput", .title = "Throughput", .place = PLACE_TRIAL,
        .width = TRIAL_WIDTH, .write = write_throughput);

// --- latency by percentile -----------------------------------------------------------------------

// Points for each decade of x: enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 60

// The value of rank i (from 0) covers percentiles i/n to (i+1)/n.
static void write_series(struct picture *picture, const char *name, struct durations durations)
{
    struct picture_block *series =
        picture_block(picture, "%s: 1/(1-percentile) percentile ns", name);
    double count = (double)durations.count;
    double next = 0;
    sort_values(durations.items, durations.count);
    // What the legend says.
    if (durations.count > 0)
        text_format(&series->rows, "\"%s (%zu)\"\n", name, durations.count);
    for (size_t i = 0; i < durations.count; i++) {
        double x = count / (count - (double)i);
        if (x < next && i + 1 < durations.count)
            continue;
        // 1 ns stands for 0: a logarithm has no place for it.
        picture_row(series, "%.6g %.7g %lld", x, 100 - 100 / x,
                    (long long)time_later(durations.items[i], 1));
        next = x * pow(10, 1.0 / POINTS_PER_DECADE);
    }
    durations_free(&durations);
}

static bool write_latency(const struct picture_subject *subject, struct picture *picture)
{
    const struct digest *digest = subject->digest;
    if (digest->hold_count < LEAST_FOR_PERCENTILES)
        return false;
    add_title(digest, picture, "Latency by percentile");
    write_series(picture, "acquire", durations_of(digest, LATENCY_ACQUIRE));
    write_series(picture, "release", durations_of(digest, LATENCY_RELEASE));
    write_series(picture, "hand-off", durations_of(digest, LATENCY_HAND_OFF));
    return true;
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

// A row for each slice in which something was granted.
static void write_slices(const struct axis *axis, const struct acquire *acquires, size_t count,
                         int64_t width_ns)
{
    int64_t *durations = memory_new((count + 1) * sizeof *durations);
    struct picture_block *slices =
        picture_block(axis->picture, "slices: from(%s) to(%s) acquires p50(ns) p99(ns) max(ns)",
                      axis->unit_name, axis->unit_name);
    for (size_t i = 0; i < count;) {
        struct percentiles percentiles;
        int64_t slice = (acquires[i].ended_ns - axis->from) / width_ns;
        int64_t from_ns = axis->from + slice * width_ns;
        int64_t to_ns = time_earlier(from_ns + width_ns, axis->to);
        size_t in_it = 0;
        for (; i < count && acquires[i].ended_ns < from_ns + width_ns; i++)
            durations[in_it++] = time_later(acquires[i].duration_ns, 1);
        percentiles_make(durations, in_it, &percentiles);
        picture_row(slices, "%.9g %.9g %zu %lld %lld %lld", axis_at(axis, from_ns),
                    axis_at(axis, to_ns), in_it, (long long)percentiles.p50_ns,
                    (long long)percentiles.p99_ns, (long long)percentiles.max_ns);
    }
    free(durations);
}

static bool write_over_time(const struct picture_subject *subject, struct picture *picture)
{
    struct durations durations = durations_of(subject->digest, LATENCY_ACQUIRE);
    size_t count = durations.count;
    struct acquire *acquires = memory_new((count + 1) * sizeof *acquires);
    for (size_t i = 0; i < count; i++)
        acquires[i] = (struct acquire){durations.ends_ns[i], durations.items[i]};
    sort_by_key(acquires, count, sizeof *acquires);
    durations_free(&durations);
    if (count >= LEAST_FOR_PERCENTILES) {
        struct axis axis;
        char width[32];
        begin(subject, picture, &axis);
        int64_t width_ns = bin_width_ns(axis.to - axis.from, count / ACQUIRES_PER_SLICE);
        add_title(subject->digest, picture, "Acquire latency over time, in slices of %s",
                  text_duration(width_ns, width, sizeof width));
        write_slices(&axis, acquires, count, width_ns);
        picture_note(picture,
                     "A slice has what was granted in it; where nothing was, it has no line.");
        axis_end(&axis);
    }
    free(acquires);
    return count >= LEAST_FOR_PERCENTILES;
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

// Their colours and shapes are the template's.
static const struct {
    const char *name, *meaning;
    bool went_well;
} kinds[KIND_COUNT] = {
    [DOT_GRANTED] = {"granted", "granted", true},
    [DOT_RELEASED] = {"released", "released", true},
    [DOT_NOT_GRANTED] = {"not-granted", "not granted in time", false},
    [DOT_RELEASED_LATE] = {"released-late", "released, but lost before", false},
    [DOT_REFUSED] = {"write-refused", "write refused by the store", false},
    [DOT_ACQUIRE_UNKNOWN] = {"acquire-unknown", "acquire without an answer", false},
    [DOT_RELEASE_UNKNOWN] = {"release-unknown", "release without an answer", false},
    [DOT_WRITE_UNKNOWN] = {"write-unknown", "write without an answer", false},
};

struct dot {
    int64_t at_ns; // of its invocation
    int64_t latency_ns;
    enum kind kind;
    bool is_drawn;
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

static enum kind kind_of_release(const struct hold *hold)
{
    if (hold->returned_ns == TIME_NEVER || hold->answer == RELEASE_UNKNOWN)
        return DOT_RELEASE_UNKNOWN;
    bool is_lost = hold->answer == RELEASE_NOT_OWNER || hold->answer == RELEASE_GONE;
    return is_lost ? DOT_RELEASED_LATE : DOT_RELEASED;
}

static struct dots collect(const struct digest *digest)
{
    size_t most = 2 * digest->hold_count + digest->attempt_count + digest->access_count;
    struct dots dots = {digest->ended_ns, memory_new((most + 1) * sizeof *dots.items), 0, {0}};
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        add_dot(&dots, DOT_GRANTED, hold_acquire_began_ns(hold), hold->granted_ns, TIME_NEVER);
        if (hold->release_invoked)
            add_dot(&dots, kind_of_release(hold), hold_release_began_ns(hold), hold->returned_ns,
                    hold->died_ns);
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        add_dot(&dots, attempt->outcome == OUTCOME_NO ? DOT_NOT_GRANTED : DOT_ACQUIRE_UNKNOWN,
                attempt->invoked_ns, attempt->returned_ns,
                attempt->died ? attempt->died_ns : TIME_NEVER);
    }
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->is_write && access->outcome != OUTCOME_OK)
            add_dot(&dots, access->outcome == OUTCOME_NO ? DOT_REFUSED : DOT_WRITE_UNKNOWN,
                    access->invoked_ns, access->returned_ns, TIME_NEVER);
    }
    return dots;
}

// Of those that went well, or of the others, keeps as many of each kind as can be told apart, and
// the slowest of each kind in each stretch of the trial.
static void thin(struct dots *dots, const struct axis *axis, bool went_well)
{
    struct dot *slowest[KIND_COUNT][STRETCHES] = {0};
    size_t seen[KIND_COUNT] = {0};
    size_t total = 0;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++)
        total += kinds[kind].went_well == went_well ? dots->of_kind[kind] : 0;
    size_t step = total / MOST_OF_A_CLASS + (total % MOST_OF_A_CLASS > 0);
    for (size_t i = 0; i < dots->count; i++) {
        struct dot *dot = &dots->items[i];
        if (kinds[dot->kind].went_well != went_well)
            continue;
        double share = (double)(dot->at_ns - axis->from) / (double)(axis->to - axis->from);
        int stretch = (int)fmin(fmax(share * STRETCHES, 0), STRETCHES - 1);
        struct dot **best = &slowest[dot->kind][stretch];
        if (*best == NULL || dot->latency_ns > (*best)->latency_ns)
            *best = dot;
        dot->is_drawn = seen[dot->kind]++ % step == 0;
    }
    for (size_t i = 0; i < KIND_COUNT * STRETCHES; i++) {
        if (slowest[i / STRETCHES][i % STRETCHES] != NULL)
            slowest[i / STRETCHES][i % STRETCHES]->is_drawn = true;
    }
    if (step > 1)
        picture_note(axis->picture,
                     "Of %zu operations that %s, every %zuth is drawn, and the slowest of each "
                     "kind in each hundredth of the time.",
                     total, went_well ? "went well" : "did not go well", step);
}

static void write_dots(const struct axis *axis, const struct dots *dots)
{
    struct picture_block *blocks[KIND_COUNT];
    int64_t least_ns = dots->items[0].latency_ns;
    int64_t most_ns = least_ns;
    size_t legends = 0;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        blocks[kind] = picture_block(axis->picture, "%s: at(%s) latency(ns)", kinds[kind].name,
                                     axis->unit_name);
        // What the legend says.
        if (dots->of_kind[kind] > 0)
            text_format(&blocks[kind]->rows, "\"%s (%zu)\"\n", kinds[kind].meaning,
                        dots->of_kind[kind]);
        legends += dots->of_kind[kind] > 0;
    }
    for (size_t i = 0; i < dots->count; i++) {
        const struct dot *dot = &dots->items[i];
        least_ns = time_earlier(least_ns, dot->latency_ns);
        most_ns = time_later(most_ns, dot->latency_ns);
        if (dot->is_drawn)
            picture_row(blocks[dot->kind], "%.9g %lld", axis_at(axis, dot->at_ns),
                        (long long)dot->latency_ns);
    }
    picture_tell(axis->picture,
                 "legends = %zu\nsize = %g\ntimes_least = %.9g*1.0\ntimes_most = %.9g*1.0", legends,
                 dots->count < FEW ? 0.63 : 0.35, (double)least_ns, (double)most_ns);
}

static bool write_operations(const struct picture_subject *subject, struct picture *picture)
{
    struct dots dots = collect(subject->digest);
    bool any = dots.count > 0;
    if (any) {
        struct axis axis;
        begin(subject, picture, &axis);
        add_title(subject->digest, picture, "Latency of each operation, by when it began");
        thin(&dots, &axis, true);
        thin(&dots, &axis, false);
        write_dots(&axis, &dots);
        axis_end(&axis);
    }
    free(dots.items);
    return any;
}

PICTURE(operations, .name = "operations", .title = "Each operation", .place = PLACE_FOLDER,
        .width = TRIAL_WIDTH, .write = write_operations);
