// Latency of a trial: by percentile, on a scale that gives each further nine as much room as the
// one before (as HdrHistogram draws it: x = 1 / (1 - percentile)); and over time, as percentiles of
// each slice of the trial, with faults.
#include "harness/base/percentile.h"
#include "harness/base/rank.h"
#include "harness/report/pictures/trial_time.h"
#include "harness/stats/latencies.h"

#include <math.h>
#include <stdlib.h>

// --- by percentile -------------------------------------------------------------------------------

// Points for each decade of x: enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 60

// The value of rank i (from 0) covers percentiles i/n to (i+1)/n.
static void write_series(struct picture *picture, const char *name, struct durations durations)
{
    double count = (double)durations.count;
    double next = 0;
    sort_values(durations.items, durations.count);
    if (durations.count > 0)
        picture_block(picture, "%s: 1/(1-percentile) percentile ns", name);
    // What the legend says.
    if (durations.count > 0)
        text_format(&picture->data, "\"%s (%zu)\"\n", name, durations.count);
    for (size_t i = 0; i < durations.count; i++) {
        double x = count / (count - (double)i);
        if (x < next && i + 1 < durations.count)
            continue;
        // 1 ns stands for 0: a logarithm has no place for it.
        text_format(&picture->data, "%.6g %.7g %lld\n", x, 100 - 100 / x,
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
    picture_title(picture, "Latency by percentile: %s, %s", digest->trial->scenario->name,
                  digest->trial->scheme);
    write_series(picture, "acquire", durations_of(digest, LATENCY_ACQUIRE));
    write_series(picture, "release", durations_of(digest, LATENCY_RELEASE));
    write_series(picture, "hand-off", durations_of(digest, LATENCY_HAND_OFF));
    return picture->data.length > 0;
}

extern const char template_latency[];
const struct picture_kind latency_picture = {.name = "latency",
                                             .title = "Latency",
                                             .place = PLACE_TRIAL,
                                             .width = TRIAL_WIDTH,
                                             .template = template_latency,
                                             .write = write_latency};

// --- over time -----------------------------------------------------------------------------------

// On average: in fewer, p99 would always be the slowest.
#define ACQUIRES_PER_SLICE 20

// An acquire, by when it was granted.
struct acquire {
    int64_t ended_ns, duration_ns;
};

static int by_end(const void *left, const void *right)
{
    const struct acquire *a = left;
    const struct acquire *b = right;
    return (a->ended_ns > b->ended_ns) - (a->ended_ns < b->ended_ns);
}

// A line of data for each slice in which something was granted.
static void write_slices(const struct trial_time *time, const struct acquire *acquires,
                         size_t count, int64_t width_ns)
{
    int64_t *durations = memory_new((count + 1) * sizeof *durations);
    struct picture_range range = {0};
    picture_block(time->picture, "slices: from(%s) to(%s) acquires p50(ns) p99(ns) max(ns)",
                  time->unit, time->unit);
    for (size_t i = 0; i < count;) {
        struct percentiles percentiles;
        int64_t slice = (acquires[i].ended_ns - time->from_ns) / width_ns;
        int64_t from_ns = time->from_ns + slice * width_ns;
        int64_t to_ns = time_earlier(from_ns + width_ns, time->to_ns);
        size_t in_it = 0;
        for (; i < count && acquires[i].ended_ns < from_ns + width_ns; i++)
            durations[in_it++] = time_later(acquires[i].duration_ns, 1);
        percentiles_make(durations, in_it, &percentiles);
        picture_widen(&range, (double)percentiles.p50_ns);
        picture_widen(&range, (double)percentiles.max_ns);
        text_format(&time->picture->data, "%.9g %.9g %zu %lld %lld %lld\n",
                    trial_time_at(time, from_ns), trial_time_at(time, to_ns), in_it,
                    (long long)percentiles.p50_ns, (long long)percentiles.p99_ns,
                    (long long)percentiles.max_ns);
    }
    picture_range(time->picture, "times", &range);
    free(durations);
}

static bool write_over_time(const struct picture_subject *subject, struct picture *picture)
{
    const struct digest *digest = subject->digest;
    struct durations durations = durations_of(digest, LATENCY_ACQUIRE);
    struct acquire *acquires = memory_new((durations.count + 1) * sizeof *acquires);
    size_t count = durations.count;
    for (size_t i = 0; i < count; i++)
        acquires[i] = (struct acquire){durations.ends_ns[i], durations.items[i]};
    qsort(acquires, count, sizeof *acquires, by_end);
    durations_free(&durations);
    if (count >= LEAST_FOR_PERCENTILES) {
        struct trial_time time;
        char width[32];
        trial_time_start(&time, picture, digest, 92, digest->started_ns, digest->ended_ns, "");
        int64_t width_ns = trial_bin_ns(time.to_ns - time.from_ns, count / ACQUIRES_PER_SLICE);
        picture_title(picture, "Acquire latency over time, in slices of %s: %s, %s",
                      text_duration(width_ns, width, sizeof width), digest->trial->scenario->name,
                      digest->trial->scheme);
        write_slices(&time, acquires, count, width_ns);
        trial_faults(&time, true);
        picture_note(picture,
                     "A slice has what was granted in it; where nothing was, it has no line.");
        trial_time_end(&time);
    }
    free(acquires);
    return count >= LEAST_FOR_PERCENTILES;
}

extern const char template_latency_over_time[];
const struct picture_kind latency_over_time_picture = {.name = "latency-over-time",
                                                       .title = "Latency over time",
                                                       .place = PLACE_FOLDER,
                                                       .width = TRIAL_WIDTH,
                                                       .template = template_latency_over_time,
                                                       .write = write_over_time};
