#include "harness/stats/histogram.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"

#include <math.h>
#include <resolv.h> // base64
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

// --- cells ---------------------------------------------------------------------------------------

// Three significant digits need 2000 steps: the next power of two, and half of it, for the lower
// half of each bucket is the bucket before it.
#define BUCKET_DIGITS 3
#define BUCKET_STEPS 2048
#define BUCKET_HALF_STEPS 1024
#define BUCKET_HALF_BITS 10
// 2048 << 31 is more than an hour.
#define BUCKET_COUNT 32

// The cell in which a value is counted.
static int64_t cell_of(int64_t value)
{
    int bucket =
        64 - __builtin_clzll((uint64_t)value | (BUCKET_STEPS - 1)) - (BUCKET_HALF_BITS + 1);
    int64_t step = value >> bucket;
    return ((int64_t)(bucket + 1) << BUCKET_HALF_BITS) + step - BUCKET_HALF_STEPS;
}

// The smallest value of a cell, and the largest.
static int64_t cell_lowest(int64_t cell)
{
    int64_t bucket = (cell >> BUCKET_HALF_BITS) - 1;
    int64_t step = (cell & (BUCKET_HALF_STEPS - 1)) + BUCKET_HALF_STEPS;
    return bucket < 0 ? step - BUCKET_HALF_STEPS : step << bucket;
}

static int64_t cell_highest(int64_t cell)
{
    return cell_lowest(cell + 1) - 1;
}

void histogram_free(struct histogram *histogram)
{
    free(histogram->cells);
    *histogram = (struct histogram){0};
}

static void widen(struct histogram *histogram, int64_t min_ns, int64_t max_ns)
{
    if (histogram->total == 0 || min_ns < histogram->min_ns)
        histogram->min_ns = min_ns;
    if (max_ns > histogram->max_ns)
        histogram->max_ns = max_ns;
}

// Counts so many more values of a cell.
static void count(struct histogram *histogram, struct histogram_cell more)
{
    size_t at = FIRST_FROM(histogram->cells, histogram->cell_count, cell, more.cell);
    if (at == histogram->cell_count || histogram->cells[at].cell != more.cell) {
        (void)APPEND(histogram->cells, histogram->cell_count, histogram->room);
        memmove(&histogram->cells[at + 1], &histogram->cells[at],
                (histogram->cell_count - 1 - at) * sizeof more);
        histogram->cells[at] = (struct histogram_cell){more.cell, 0};
    }
    histogram->cells[at].count += more.count;
    histogram->total += more.count;
}

void histogram_record(struct histogram *histogram, int64_t value_ns)
{
    value_ns = value_ns < 1 ? 1 : value_ns > HISTOGRAM_HIGHEST_NS ? HISTOGRAM_HIGHEST_NS : value_ns;
    widen(histogram, value_ns, value_ns);
    count(histogram, (struct histogram_cell){cell_of(value_ns), 1});
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
    if (other->total > 0)
        widen(histogram, other->min_ns, other->max_ns);
    FOR_EACH (histogram_cell, cell, other->cells, other->cell_count)
        count(histogram, *cell);
}

int64_t histogram_percentile_ns(const struct histogram *histogram, double percent)
{
    int64_t wanted = (int64_t)ceil(percent / 100 * (double)histogram->total - 1e-9);
    int64_t seen = 0;
    FOR_EACH (histogram_cell, cell, histogram->cells, histogram->cell_count) {
        seen += cell->count;
        if (seen >= wanted)
            return time_earlier(cell_highest(cell->cell), histogram->max_ns);
    }
    return histogram->max_ns;
}

// What a cell's values count as: the middle, as in the original.
static double middle_of(int64_t cell)
{
    return (double)(cell_lowest(cell) + ((cell_highest(cell) - cell_lowest(cell) + 1) >> 1));
}

// --- percentile distribution ---------------------------------------------------------------------

// Each half of what is left has as many lines.
#define LINES_PER_HALF 5
#define NS_PER_UNIT 1e6

static void add_line(struct text *out, int64_t value_ns, double percentile, int64_t count)
{
    text_format(out, "%12.3f %2.12f %10lld", (double)value_ns / NS_PER_UNIT, percentile / 100,
                (long long)count);
    if (percentile < 100)
        text_format(out, " %14.2f", 1 / (1 - percentile / 100));
    text_add(out, "\n");
}

void histogram_print(const struct histogram *histogram, struct text *out)
{
    double total = histogram->total > 0 ? (double)histogram->total : 1;
    double mean = 0;
    double squares = 0;
    double percentile = 0;
    int64_t seen = 0;
    FOR_EACH (histogram_cell, cell, histogram->cells, histogram->cell_count)
        mean += (double)cell->count * middle_of(cell->cell) / total;
    FOR_EACH (histogram_cell, cell, histogram->cells, histogram->cell_count)
        squares += (double)cell->count * pow(middle_of(cell->cell) - mean, 2);
    text_format(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
                "1/(1-Percentile)");
    FOR_EACH (histogram_cell, cell, histogram->cells, histogram->cell_count) {
        seen += cell->count;
        while (seen < histogram->total && percentile <= 100 * (double)seen / total) {
            double half = pow(2, floor(log2(100 / (100 - percentile))) + 1);
            add_line(out, cell_highest(cell->cell), percentile, seen);
            percentile += 100 / (LINES_PER_HALF * half);
        }
    }
    if (seen > 0) {
        // The last cell is reached at some percentile before it is the maximum.
        add_line(out, histogram->max_ns, percentile, seen);
        add_line(out, histogram->max_ns, 100, seen);
    }
    text_format(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / NS_PER_UNIT,
                sqrt(squares / total) / NS_PER_UNIT);
    text_format(out, "#[Max     = %12.3f, Total count    = %12lld]\n",
                (double)histogram->max_ns / NS_PER_UNIT, (long long)histogram->total);
    text_format(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", BUCKET_COUNT, BUCKET_STEPS);
}

// What marks the encoding, and the same compressed; 0x10: counts are of up to eight bytes.
#define COOKIE (0x1c849303U | 0x10)
#define COMPRESSED_COOKIE (0x1c849304U | 0x10)
#define HEAD_BYTES 40
#define COMPRESSED_HEAD_BYTES 8
// A count takes at most nine bytes.
#define COUNT_BYTES 9

// --- encoding ------------------------------------------------------------------------------------

static void put(unsigned char **next, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        *(*next)++ = (unsigned char)(value >> (8 * i));
}

// Seven bits a byte, the lowest first; the ninth byte has eight.
static void put_count(unsigned char **next, int64_t count)
{
    uint64_t rest = (uint64_t)count << 1 ^ (count < 0 ? UINT64_MAX : 0);
    for (int i = 0; i < COUNT_BYTES - 1 && rest > 0x7f; i++, rest >>= 7)
        *(*next)++ = (unsigned char)(rest | 0x80);
    *(*next)++ = (unsigned char)rest;
}

static size_t put_histogram(const struct histogram *histogram, unsigned char *bytes)
{
    unsigned char *next = bytes + HEAD_BYTES;
    double ratio = 1;
    uint64_t ratio_bits;
    int64_t before = -1;
    // One cell after the other; a negative number stands for so many empty ones.
    FOR_EACH (histogram_cell, cell, histogram->cells, histogram->cell_count) {
        int64_t empty = cell->cell - before - 1;
        if (empty > 0)
            put_count(&next, empty > 1 ? -empty : 0);
        put_count(&next, cell->count);
        before = cell->cell;
    }
    size_t length = (size_t)(next - bytes);
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    put(&bytes, COOKIE, 4);
    put(&bytes, length - HEAD_BYTES, 4);
    put(&bytes, 0, 4); // no shift of the cells
    put(&bytes, BUCKET_DIGITS, 4);
    put(&bytes, 1, 8);
    put(&bytes, HISTOGRAM_HIGHEST_NS, 8);
    put(&bytes, ratio_bits, 8);
    return length;
}

void histogram_encode(const struct histogram *histogram, struct text *out)
{
    AUTO_FREE unsigned char *plain =
        memory_new(HEAD_BYTES + histogram->cell_count * 2 * COUNT_BYTES);
    size_t length = put_histogram(histogram, plain);
    uLongf room = compressBound(length);
    unsigned char *bytes = memory_new(COMPRESSED_HEAD_BYTES + room);
    // It cannot fail: there is memory, and room as the library says.
    compress(bytes + COMPRESSED_HEAD_BYTES, &room, plain, length);
    unsigned char *next = bytes;
    put(&next, COMPRESSED_COOKIE, 4);
    put(&next, room, 4);
    size_t encoded = (COMPRESSED_HEAD_BYTES + room + 2) / 3 * 4 + 1;
    AUTO_FREE char *text = memory_new(encoded);
    b64_ntop(bytes, COMPRESSED_HEAD_BYTES + room, text, encoded);
    text_add(out, text);
    free(bytes);
}

// --- log -----------------------------------------------------------------------------------------

void histogram_log_begin(int64_t began_unix_ns, struct text *out)
{
    char date[64];
    struct tm parts;
    time_t seconds = (time_t)(began_unix_ns / NS_PER_S);
    strftime(date, sizeof date, "%a %b %d %H:%M:%S UTC %Y", gmtime_r(&seconds, &parts));
    text_format(out,
                "#[Histogram log format version 1.3]\n"
                "#[StartTime: %.3f (seconds since epoch), %s]\n"
                "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                "\"Interval_Compressed_Histogram\"\n",
                (double)began_unix_ns / 1e9, date);
}

void histogram_log(const struct histogram *histogram, const char *tag, int64_t from_ns,
                   int64_t length_ns, struct text *out)
{
    AUTO_TEXT struct text encoded = {0};
    histogram_encode(histogram, &encoded);
    text_format(out, "Tag=%s,%.3f,%.3f,%.3f,%s\n", tag, (double)from_ns / 1e9,
                (double)length_ns / 1e9, (double)histogram->max_ns / 1e6, text_string(&encoded));
}
