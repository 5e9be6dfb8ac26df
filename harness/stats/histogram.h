// Durations by the million in little room: an HdrHistogram, with its text formats.
//
// Values are nanoseconds from 1 to an hour, to three significant digits. Histograms of the same
// kind merge without loss, which percentiles never do. The layout and the formats are those of
// Gil Tene's HdrHistogram (http://hdrhistogram.org): ".hgrm" is its percentile distribution, which
// its plotter takes; ".hlog" its log, version 1.3, of V2 encoded histograms (zigzag LEB128 counts,
// zlib, base64), which HistogramLogProcessor and the ports in other languages take.
#ifndef LOCKPICK_STATS_HISTOGRAM_H
#define LOCKPICK_STATS_HISTOGRAM_H

#include "harness/base/text.h"

#include <stdint.h>

#define HISTOGRAM_HIGHEST_NS INT64_C(3600000000000)

struct histogram_cell {
    int64_t cell, count;
};

// Zero-initialise; free with histogram_free.
struct histogram {
    struct histogram_cell *cells; // those that are not empty, in their order
    size_t cell_count, room;
    int64_t total;
    int64_t min_ns, max_ns; // exact; 0 if nothing was recorded
};

void histogram_free(struct histogram *histogram);

// Values below 1 count as 1, those above an hour as an hour.
void histogram_record(struct histogram *histogram, int64_t value_ns);

// Adds what `other` recorded.
void histogram_merge(struct histogram *histogram, const struct histogram *other);

// The largest value of the bucket in which `percent` of all values (from 0 to 100) are reached; 0
// if nothing was recorded.
int64_t histogram_percentile_ns(const struct histogram *histogram, double percent);

// Adds the percentile distribution, in milliseconds (".hgrm").
void histogram_print(const struct histogram *histogram, struct text *out);

// Appends the V2 compressed encoding in base64 to `out`.
void histogram_encode(const struct histogram *histogram, struct text *out);

// The head of a log that began at `began_unix_ns`, and one line of it: what was recorded under
// `tag` (a word) in the interval. Times count from the beginning of the log.
void histogram_log_begin(int64_t began_unix_ns, struct text *out);
void histogram_log(const struct histogram *histogram, const char *tag, int64_t from_ns,
                   int64_t length_ns, struct text *out);

#endif
