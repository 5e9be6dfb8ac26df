#include "harness/measure/histogram.h"

#include "harness/measure/buckets.h"

#include <math.h>
#include <stdlib.h>

void histogram_start(struct histogram *histogram)
{
    *histogram =
        (struct histogram){.counts = memory_zeroed(BUCKET_CELLS, sizeof *histogram->counts)};
}

void histogram_free(struct histogram *histogram)
{
    free(histogram->counts);
    *histogram = (struct histogram){0};
}

static void widen(struct histogram *histogram, int64_t min_ns, int64_t max_ns)
{
    if (histogram->total == 0 || min_ns < histogram->min_ns)
        histogram->min_ns = min_ns;
    if (max_ns > histogram->max_ns)
        histogram->max_ns = max_ns;
}

void histogram_record(struct histogram *histogram, int64_t value_ns)
{
    if (value_ns < 1)
        value_ns = 1;
    if (value_ns > HISTOGRAM_HIGHEST_NS)
        value_ns = HISTOGRAM_HIGHEST_NS;
    widen(histogram, value_ns, value_ns);
    histogram->counts[cell_of(value_ns)]++;
    histogram->total++;
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
    if (other->total == 0)
        return;
    widen(histogram, other->min_ns, other->max_ns);
    for (int64_t cell = 0; cell < BUCKET_CELLS; cell++)
        histogram->counts[cell] += other->counts[cell];
    histogram->total += other->total;
}

int64_t histogram_percentile_ns(const struct histogram *histogram, double percent)
{
    if (histogram->total == 0)
        return 0;
    int64_t wanted = (int64_t)ceil(percent / 100 * (double)histogram->total - 1e-9);
    if (wanted < 1)
        wanted = 1;
    int64_t seen = 0;
    for (int64_t cell = 0; cell < BUCKET_CELLS; cell++) {
        seen += histogram->counts[cell];
        if (seen >= wanted)
            return cell_highest(cell) < histogram->max_ns ? cell_highest(cell) : histogram->max_ns;
    }
    return histogram->max_ns;
}

// What a cell's values count as: the middle, as in the original.
static double middle_of(int64_t cell)
{
    return (double)(cell_lowest(cell) + ((cell_highest(cell) - cell_lowest(cell) + 1) >> 1));
}

double histogram_mean_ns(const struct histogram *histogram)
{
    double sum = 0;
    for (int64_t cell = 0; cell < BUCKET_CELLS; cell++) {
        if (histogram->counts[cell] > 0)
            sum += (double)histogram->counts[cell] * middle_of(cell);
    }
    return histogram->total > 0 ? sum / (double)histogram->total : 0;
}

double histogram_deviation_ns(const struct histogram *histogram)
{
    double mean = histogram_mean_ns(histogram);
    double squares = 0;
    for (int64_t cell = 0; cell < BUCKET_CELLS; cell++) {
        if (histogram->counts[cell] > 0)
            squares += (double)histogram->counts[cell] * pow(middle_of(cell) - mean, 2);
    }
    return histogram->total > 0 ? sqrt(squares / (double)histogram->total) : 0;
}

// --- percentile distribution ---------------------------------------------------------------------

// Each half of what is left has as many lines.
#define LINES_PER_HALF 5
#define NS_PER_UNIT 1e6

static void print_line(FILE *out, int64_t value_ns, double percentile, int64_t count)
{
    fprintf(out, "%12.3f %2.12f %10lld", (double)value_ns / NS_PER_UNIT, percentile / 100,
            (long long)count);
    if (percentile < 100)
        fprintf(out, " %14.2f", 1 / (1 - percentile / 100));
    fputc('\n', out);
}

static double next_percentile(double percentile)
{
    double half = pow(2, floor(log2(100 / (100 - percentile))) + 1);
    return percentile + 100 / (LINES_PER_HALF * half);
}

static void print_lines(const struct histogram *histogram, FILE *out)
{
    double percentile = 0;
    int64_t seen = 0;
    for (int64_t cell = 0; cell < BUCKET_CELLS && seen < histogram->total; cell++) {
        if (histogram->counts[cell] == 0)
            continue;
        seen += histogram->counts[cell];
        while (seen < histogram->total &&
               percentile <= 100 * (double)seen / (double)histogram->total) {
            print_line(out, cell_highest(cell), percentile, seen);
            percentile = next_percentile(percentile);
        }
    }
    if (histogram->total > 0) {
        // The last cell is reached at some percentile before it is the maximum.
        print_line(out, histogram->max_ns, percentile, histogram->total);
        print_line(out, histogram->max_ns, 100, histogram->total);
    }
}

void histogram_print(const struct histogram *histogram, FILE *out)
{
    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    print_lines(histogram, out);
    fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
            histogram_mean_ns(histogram) / NS_PER_UNIT,
            histogram_deviation_ns(histogram) / NS_PER_UNIT);
    fprintf(out, "#[Max     = %12.3f, Total count    = %12lld]\n",
            (double)histogram->max_ns / NS_PER_UNIT, (long long)histogram->total);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", BUCKET_COUNT, BUCKET_STEPS);
}
