#include "harness/stats/histogram.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"

#include <inttypes.h>
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
#define BUCKET_CELLS ((BUCKET_COUNT + 1) * BUCKET_HALF_STEPS)

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
    value_ns = value_ns < 1 ? 1 : value_ns > HISTOGRAM_HIGHEST_NS ? HISTOGRAM_HIGHEST_NS : value_ns;
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
    int64_t wanted = (int64_t)ceil(percent / 100 * (double)histogram->total - 1e-9);
    int64_t seen = 0;
    // Those before that of the least value are empty, and all if there is none.
    int64_t cell = histogram->total > 0 ? cell_of(histogram->min_ns) : BUCKET_CELLS;
    for (; cell < BUCKET_CELLS; cell++) {
        seen += histogram->counts[cell];
        if (seen > 0 && seen >= wanted)
            return time_earlier(cell_highest(cell), histogram->max_ns);
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

static void add_lines(const struct histogram *histogram, struct text *out)
{
    double percentile = 0;
    int64_t seen = 0;
    for (int64_t cell = 0; cell < BUCKET_CELLS && seen < histogram->total; cell++) {
        seen += histogram->counts[cell];
        while (histogram->counts[cell] > 0 && seen < histogram->total &&
               percentile <= 100 * (double)seen / (double)histogram->total) {
            double half = pow(2, floor(log2(100 / (100 - percentile))) + 1);
            add_line(out, cell_highest(cell), percentile, seen);
            percentile += 100 / (LINES_PER_HALF * half);
        }
    }
    if (histogram->total > 0) {
        // The last cell is reached at some percentile before it is the maximum.
        add_line(out, histogram->max_ns, percentile, histogram->total);
        add_line(out, histogram->max_ns, 100, histogram->total);
    }
}

void histogram_print(const struct histogram *histogram, struct text *out)
{
    double count = histogram->total > 0 ? (double)histogram->total : 1;
    double mean = 0;
    double squares = 0;
    for (int64_t cell = 0; cell < BUCKET_CELLS; cell++)
        mean += (double)histogram->counts[cell] * middle_of(cell) / count;
    for (int64_t cell = 0; cell < BUCKET_CELLS; cell++)
        squares += (double)histogram->counts[cell] * pow(middle_of(cell) - mean, 2);
    text_format(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
                "1/(1-Percentile)");
    add_lines(histogram, out);
    text_format(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / NS_PER_UNIT,
                sqrt(squares / count) / NS_PER_UNIT);
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

// --- numbers in bytes ----------------------------------------------------------------------------

static void put(unsigned char **next, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        *(*next)++ = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char **next, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | *(*next)++;
    return value;
}

// Seven bits a byte, the lowest first; the ninth byte has eight.
static void put_count(unsigned char **next, int64_t count)
{
    uint64_t rest = (uint64_t)count << 1 ^ (count < 0 ? UINT64_MAX : 0);
    for (int i = 0; i < COUNT_BYTES - 1 && rest > 0x7f; i++, rest >>= 7)
        *(*next)++ = (unsigned char)(rest | 0x80);
    *(*next)++ = (unsigned char)rest;
}

// False if the bytes end before the number does.
static bool get_count(const unsigned char **next, const unsigned char *end, int64_t *count)
{
    uint64_t value = 0;
    for (int i = 0; i < COUNT_BYTES; i++) {
        if (*next == end)
            return false;
        uint64_t byte = *(*next)++;
        bool last = i == COUNT_BYTES - 1;
        value |= (last ? byte : byte & 0x7f) << (7 * i);
        if (last || byte < 0x80)
            break;
    }
    *count = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    return true;
}

// --- encoding ------------------------------------------------------------------------------------

static size_t put_histogram(const struct histogram *histogram, unsigned char *bytes)
{
    unsigned char *next = bytes + HEAD_BYTES;
    double ratio = 1;
    uint64_t ratio_bits;
    // One cell after the other; a negative number stands for so many empty ones.
    int64_t cells = histogram->total > 0 ? cell_of(histogram->max_ns) + 1 : 0;
    for (int64_t cell = 0; cell < cells;) {
        int64_t empty = 0;
        while (cell + empty < cells && histogram->counts[cell + empty] == 0)
            empty++;
        put_count(&next, empty > 1 ? -empty : histogram->counts[cell]);
        cell += empty > 1 ? empty : 1;
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
    AUTO_FREE unsigned char *plain = memory_new(HEAD_BYTES + BUCKET_CELLS * COUNT_BYTES);
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

// --- decoding ------------------------------------------------------------------------------------

static int get_cells(struct histogram *histogram, const unsigned char *next,
                     const unsigned char *end, struct error *error)
{
    int64_t cell = 0;
    while (next < end) {
        int64_t count;
        if (!get_count(&next, end, &count))
            return error_set(error, "the histogram ends in the middle of a count");
        if (count < 0) {
            if (count < -BUCKET_CELLS)
                return error_set(error, "the histogram has more cells than its kind");
            cell -= count;
            continue;
        }
        if (cell >= BUCKET_CELLS || count > INT64_MAX - histogram->total)
            return error_set(error, "the histogram has more cells than its kind, or counts more "
                                    "than can be");
        histogram->counts[cell] = count;
        histogram->total += count;
        if (count > 0) {
            histogram->min_ns = histogram->total == count ? cell_lowest(cell) : histogram->min_ns;
            histogram->max_ns = cell_highest(cell);
        }
        cell++;
    }
    return 0;
}

static int get_histogram(struct histogram *histogram, const unsigned char *bytes, size_t length,
                         struct error *error)
{
    const unsigned char *next = bytes;
    if (length < HEAD_BYTES || get(&next, 4) != COOKIE)
        return error_set(error, "what was compressed is not a V2 histogram");
    uint64_t cells = get(&next, 4);
    uint64_t shift = get(&next, 4);
    uint64_t digits = get(&next, 4);
    uint64_t lowest = get(&next, 8);
    uint64_t highest = get(&next, 8);
    if (shift != 0 || digits != BUCKET_DIGITS || lowest != 1 || highest != HISTOGRAM_HIGHEST_NS)
        return error_set(error,
                         "a histogram of another kind: values from %" PRIu64 " to %" PRIu64
                         " with %" PRIu64 " digits; ours go from 1 to %" PRId64 " with %d",
                         lowest, highest, digits, HISTOGRAM_HIGHEST_NS, BUCKET_DIGITS);
    if (cells != length - HEAD_BYTES)
        return error_set(error,
                         "the histogram says it has %" PRIu64 " bytes of counts, and has %zu",
                         cells, length - HEAD_BYTES);
    return get_cells(histogram, bytes + HEAD_BYTES, bytes + length, error);
}

static int inflate_histogram(struct histogram *histogram, const unsigned char *bytes, long length,
                             struct error *error)
{
    const unsigned char *next = bytes;
    if (length < COMPRESSED_HEAD_BYTES || get(&next, 4) != COMPRESSED_COOKIE)
        return error_set(error, "not a V2 compressed histogram (those begin with HISTFA)");
    if (get(&next, 4) != (uint64_t)(length - COMPRESSED_HEAD_BYTES))
        return error_set(error, "the histogram is cut short, or too long");
    uLongf room = HEAD_BYTES + BUCKET_CELLS * COUNT_BYTES;
    AUTO_FREE unsigned char *plain = memory_new(room);
    int inflated = uncompress(plain, &room, next, (uLong)(length - COMPRESSED_HEAD_BYTES));
    if (inflated != Z_OK)
        return error_set(error, "the histogram cannot be uncompressed: %s", zError(inflated));
    return get_histogram(histogram, plain, room, error);
}

int histogram_decode(struct histogram *histogram, const char *encoded, struct error *error)
{
    memset(histogram->counts, 0, BUCKET_CELLS * sizeof *histogram->counts);
    histogram->total = histogram->min_ns = histogram->max_ns = 0;
    size_t room = strlen(encoded) / 4 * 3 + 3;
    AUTO_FREE unsigned char *bytes = memory_new(room);
    int length = b64_pton(encoded, bytes, room);
    return length < 0 ? error_set(error, "the histogram is not base64")
                      : inflate_histogram(histogram, bytes, length, error);
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
