// Holds per second over time, with faults, silence and the stop.
#include "harness/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bins {
    double *rates; // holds per second
    size_t count;
    int64_t from_ns;
    int64_t width_ns;
    double highest;
};

// In a narrower bin a single hold would look like a burst.
#define HOLDS_PER_BIN 5
#define MOST_BINS 100
// The round width makes two thirds of it or more: hence at least 4.
#define FEWEST_BINS 6

int64_t plot_bin_width_ns(int64_t duration_ns, size_t wanted)
{
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    int64_t bins = wanted > MOST_BINS     ? MOST_BINS
                   : wanted < FEWEST_BINS ? FEWEST_BINS
                                          : (int64_t)wanted;
    for (double decade = 1; decade < 1e18; decade *= 10) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            int64_t width = (int64_t)(steps[i] * decade);
            if (width >= 1 && duration_ns / width < bins)
                return width;
        }
    }
    return NS_PER_S;
}

static struct bins bins_make(const struct digest *digest, int64_t duration_ns)
{
    struct bins bins = {.from_ns = digest->started_ns,
                        .width_ns =
                            plot_bin_width_ns(duration_ns, digest->hold_count / HOLDS_PER_BIN)};
    bins.count = (size_t)(duration_ns / bins.width_ns);
    // A sliver at the end would make one hold look like a burst: it joins its neighbour.
    int64_t rest_ns = duration_ns - (int64_t)bins.count * bins.width_ns;
    if (bins.count == 0 || rest_ns > bins.width_ns / 2)
        bins.count++;
    bins.rates = memory_zeroed(bins.count, sizeof *bins.rates);
    for (size_t i = 0; i < digest->hold_count; i++) {
        int64_t at = digest->holds[i].granted_ns - bins.from_ns;
        if (at < 0 || at > duration_ns)
            continue;
        size_t bin = (size_t)(at / bins.width_ns);
        bins.rates[bin < bins.count ? bin : bins.count - 1]++;
    }
    for (size_t i = 0; i < bins.count; i++) {
        int64_t from = (int64_t)i * bins.width_ns;
        int64_t to = i + 1 == bins.count ? duration_ns : from + bins.width_ns;
        bins.rates[i] *= (double)NS_PER_S / (double)(to > from ? to - from : 1);
        bins.highest = fmax(bins.highest, bins.rates[i]);
    }
    return bins;
}

static void add_data(struct plot *plot, const struct bins *bins)
{
    text_format(&plot->data, "# from(%s) to(%s) holds-per-second\n", plot->unit, plot->unit);
    for (size_t i = 0; i < bins->count; i++) {
        int64_t from = bins->from_ns + (int64_t)i * bins->width_ns;
        int64_t to = i + 1 == bins->count ? plot->to_ns : from + bins->width_ns;
        text_format(&plot->data, "%.9g %.9g %.6g\n", plot_x(plot, from), plot_x(plot, to),
                    bins->rates[i]);
    }
    // Closes the outline, which is drawn from each bin's beginning.
    text_format(&plot->data, "%.9g %.9g %.6g\n", plot_x(plot, plot->to_ns),
                plot_x(plot, plot->to_ns), bins->rates[bins->count - 1]);
}

// From the last moment that anybody had the lock to the end of the trial.
static void add_stuck(struct plot *plot, const struct digest *digest,
                      const struct judgement *judgement)
{
    if (judgement->verdict != VERDICT_STUCK && digest->stop_reason != STOP_STUCK)
        return;
    int64_t from = digest->started_ns;
    for (size_t i = 0; i < digest->hold_count; i++)
        from = digest->holds[i].granted_ns > from ? digest->holds[i].granted_ns : from;
    if (digest->ended_ns <= from)
        return;
    char length[32];
    text_duration(digest->ended_ns - from, length, sizeof length);
    text_format(&plot->objects,
                "set arrow from first %.9g, graph 0.5 to first %.9g, graph 0.5 heads size screen "
                "0.008,20 linewidth 2 linecolor rgb '" PLOT_RED "'\n",
                plot_x(plot, from), plot_x(plot, digest->ended_ns));
    plot_line(plot, from, PLOT_RED, "linewidth 1.2 dashtype 3");
    plot_label(plot, from + (digest->ended_ns - from) / 2, PLOT_RED, "nobody granted for %s",
               length);
}

static const char *stop_words(const struct digest *digest)
{
    static const char *const words[] = {
        [STOP_DONE] = "all operations done", [STOP_TIME] = "time is up",
        [STOP_STUCK] = "stopped: stuck",     [STOP_LIMIT] = "stopped: time limit",
        [STOP_BROKEN] = "stopped: broken",   [STOP_INTERRUPTED] = "interrupted",
    };
    if (!digest->stop_known)
        return "the history ends";
    return words[digest->stop_reason];
}

static void add_stop(struct plot *plot, const struct digest *digest)
{
    plot_line(plot, digest->ended_ns, PLOT_DARK, "linewidth 1.6");
    plot_label(plot, digest->ended_ns, PLOT_DARK, "%s", stop_words(digest));
}

static const char throughput_body[] =
    "set ytics out\n"
    "set ylabel 'holds per second' offset 2,0\n"
    "plot 'throughput.dat' using (($1+$2)/2):3:($2-$1) with boxes fillstyle transparent solid 0.6 "
    "noborder "
    "linecolor rgb '" PLOT_SKY "' notitle, \\\n"
    "     'throughput.dat' using 1:3 with steps linewidth 1.6 linecolor rgb '" PLOT_BLUE
    "' notitle\n";

void plot_throughput(struct plot *plot, const struct digest *digest,
                     const struct judgement *judgement)
{
    int64_t duration = digest->ended_ns - digest->started_ns;
    duration = duration > 0 ? duration : 1;
    plot_start(plot, "throughput", 92, digest, digest->started_ns, digest->started_ns + duration);
    struct bins bins = bins_make(digest, duration);
    add_data(plot, &bins);
    plot_faults(plot, digest, true);
    add_stuck(plot, digest, judgement);
    add_stop(plot, digest);
    char width[32];
    struct text title = {0};
    text_format(&title, "Holds per second, in bins of %s: %s, %s",
                text_duration(bins.width_ns, width, sizeof width), digest->trial->scenario->name,
                digest->trial->scheme);
    plot_layout(plot, 250, text_string(&title));
    plot_time_axis(plot);
    text_format(&plot->script, "set yrange [0:%.6g]\n",
                (bins.highest > 0 ? bins.highest : 1.0) * 1.08);
    text_add(&plot->script, throughput_body);
    text_free(&title);
    free(bins.rates);
}
