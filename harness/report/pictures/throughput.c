// Holds per second over time, with faults, the time in which nobody was granted, and the stop.
#include "harness/report/pictures/trial_time.h"

#include <math.h>
#include <stdlib.h>

// In a narrower bin a single hold would look like a burst.
#define HOLDS_PER_BIN 5

static void write_bins(const struct trial_time *time, int64_t bin_ns)
{
    const struct digest *digest = time->digest;
    int64_t duration_ns = time->to_ns - time->from_ns;
    size_t count = (size_t)(duration_ns / bin_ns);
    // A sliver at the end would make one hold look like a burst: it joins its neighbour.
    if (count == 0 || duration_ns - (int64_t)count * bin_ns > bin_ns / 2)
        count++;
    size_t *holds = memory_zeroed(count, sizeof *holds);
    for (size_t i = 0; i < digest->hold_count; i++) {
        int64_t at_ns = digest->holds[i].granted_ns - time->from_ns;
        size_t bin = (size_t)(at_ns / bin_ns);
        if (at_ns >= 0 && at_ns <= duration_ns)
            holds[bin < count ? bin : count - 1]++;
    }
    picture_block(time->picture, "bins: from(%s) to(%s) holds-per-second", time->unit, time->unit);
    for (size_t i = 0; i < count; i++) {
        int64_t from_ns = time->from_ns + (int64_t)i * bin_ns;
        int64_t to_ns = i + 1 == count ? time->to_ns : from_ns + bin_ns;
        double length = (double)(to_ns > from_ns ? to_ns - from_ns : 1);
        text_format(&time->picture->data, "%.9g %.9g %.6g\n", trial_time_at(time, from_ns),
                    trial_time_at(time, to_ns), (double)holds[i] * NS_PER_S / length);
    }
    free(holds);
}

// From the last moment that anybody was granted the lock to the end of the trial.
static void write_stuck(struct trial_time *time, const struct judgement *judgement)
{
    const struct digest *digest = time->digest;
    int64_t from_ns = digest->started_ns;
    char length[32];
    if (judgement->verdict != VERDICT_STUCK && digest->stop_reason != STOP_STUCK)
        return;
    for (size_t i = 0; i < digest->hold_count; i++)
        from_ns = time_later(from_ns, digest->holds[i].granted_ns);
    if (digest->ended_ns <= from_ns)
        return;
    picture_block(time->picture, "stuck: from(%s) to(%s)", time->unit, time->unit);
    text_format(&time->picture->data, "%.9g %.9g\n", trial_time_at(time, from_ns),
                trial_time_at(time, digest->ended_ns));
    trial_label(time, from_ns + (digest->ended_ns - from_ns) / 2, COLOUR_RED,
                "nobody granted for %s",
                text_duration(digest->ended_ns - from_ns, length, sizeof length));
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    static const char *const stops[] = {
        [STOP_DONE] = "all operations done", [STOP_TIME] = "time is up",
        [STOP_STUCK] = "stopped: stuck",     [STOP_LIMIT] = "stopped: time limit",
        [STOP_BROKEN] = "stopped: broken",   [STOP_INTERRUPTED] = "interrupted",
    };
    const struct digest *digest = subject->digest;
    struct trial_time time;
    char width[32];
    trial_time_start(&time, picture, digest, 92, digest->started_ns, digest->ended_ns, "");
    int64_t bin_ns = trial_bin_ns(time.to_ns - time.from_ns, digest->hold_count / HOLDS_PER_BIN);
    picture_title(picture, "Holds per second, in bins of %s: %s, %s",
                  text_duration(bin_ns, width, sizeof width), digest->trial->scenario->name,
                  digest->trial->scheme);
    write_bins(&time, bin_ns);
    trial_faults(&time, true);
    write_stuck(&time, subject->judgement);
    picture_block(picture, "stop: at(%s)", time.unit);
    text_format(&picture->data, "%.9g\n", trial_time_at(&time, digest->ended_ns));
    trial_label(&time, digest->ended_ns, COLOUR_DARK, "%s",
                digest->stop_known ? stops[digest->stop_reason] : "the history ends");
    trial_time_end(&time);
    return true;
}

extern const char template_throughput[];
const struct picture_kind throughput_picture = {.name = "throughput",
                                                .title = "Throughput",
                                                .place = PLACE_TRIAL,
                                                .width = TRIAL_WIDTH,
                                                .template = template_throughput,
                                                .write = write};
