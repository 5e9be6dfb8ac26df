#include "harness/report/latencies.h"

#include "harness/base/file.h"
#include "harness/report/durations.h"

#include <stdlib.h>

const char *latency_name(enum latency latency)
{
    static const char *const names[] = {
        "acquire", "acquire-uncorrected", "release", "hold", "hand-off", "told"};
    return names[latency];
}

static struct durations durations_of(const struct digest *digest, enum latency latency)
{
    switch (latency) {
    case LATENCY_ACQUIRE:
        return durations_acquire(digest);
    case LATENCY_ACQUIRE_UNCORRECTED:
        return durations_acquire_uncorrected(digest);
    case LATENCY_RELEASE:
        return durations_release(digest);
    case LATENCY_HOLD:
        return durations_hold(digest);
    case LATENCY_TOLD:
        return durations_told(digest);
    case LATENCY_HAND_OFF:
    case LATENCY_COUNT:
        break;
    }
    return durations_hand_off(digest);
}

void latencies_free(struct latency_record *record)
{
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        free(record->encoded[latency]);
    phase_costs_free(&record->phases);
    *record = (struct latency_record){0};
}

int latencies_merge_encoded(const char *encoded, int64_t max_ns, struct histogram *histogram,
                            struct error *error)
{
    if (encoded == NULL)
        return 0;
    int64_t known_ns = histogram->max_ns;
    struct histogram other;
    histogram_start(&other);
    int result = histogram_decode(&other, encoded, error);
    if (result == 0) {
        histogram_merge(histogram, &other);
        histogram->max_ns = max_ns > known_ns ? max_ns : known_ns;
    }
    histogram_free(&other);
    return result;
}

int latencies_merge(const struct latency_record *record, enum latency latency,
                    struct histogram *histogram, struct error *error)
{
    return latencies_merge_encoded(record->encoded[latency], record->max_ns[latency], histogram,
                                   error);
}

// --- written -------------------------------------------------------------------------------------

static int write_file(const char *folder, const char *name, const char *ending, const char *text,
                      size_t length, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s%s", folder, name, ending);
    int result = file_write(path.bytes, text, length, error);
    text_free(&path);
    return result;
}

static int write_distribution(const struct histogram *histogram, enum latency latency,
                              const char *folder, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return error_set(error, "no memory for %s.hgrm", latency_name(latency));
    histogram_print(histogram, out);
    bool is_whole = !ferror(out);
    is_whole &= fclose(out) == 0;
    int result = !is_whole
                     ? error_set(error, "no memory for %s.hgrm", latency_name(latency))
                     : write_file(folder, latency_name(latency), ".hgrm", text, length, error);
    free(text);
    return result;
}

struct ending {
    int64_t at_ns, length_ns;
};

static int compare(const void *left, const void *right)
{
    const struct ending *a = left;
    const struct ending *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

// One measured thing on its way into the log: what ended before `next` is there.
struct series {
    struct ending *endings; // in the order of time
    size_t count, next;
};

static struct series series_of(const struct durations *durations)
{
    struct series series = {memory_new(durations->count * sizeof *series.endings), durations->count,
                            0};
    for (size_t i = 0; i < durations->count; i++)
        series.endings[i] = (struct ending){durations->ends_ns[i], durations->items[i]};
    if (series.count > 1)
        qsort(series.endings, series.count, sizeof *series.endings, compare);
    return series;
}

// A line of the log for what ended before `until_ns`.
static void log_until(struct series *series, const char *tag, int64_t until_ns, int64_t second_ns,
                      FILE *out)
{
    if (series->next == series->count || series->endings[series->next].at_ns >= until_ns)
        return;
    struct histogram histogram;
    histogram_start(&histogram);
    for (; series->next < series->count && series->endings[series->next].at_ns < until_ns;
         series->next++)
        histogram_record(&histogram, series->endings[series->next].length_ns);
    histogram_log(&histogram, tag, second_ns, NS_PER_S, out);
    histogram_free(&histogram);
}

static bool is_done(const struct series *all)
{
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++) {
        if (all[latency].next < all[latency].count)
            return false;
    }
    return true;
}

static int write_log(const struct digest *digest, struct series *all, const char *folder,
                     struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return error_set(error, "no memory for latency.hlog");
    const struct history *history = digest->history;
    int64_t began_unix_ns =
        history == NULL ? 0 : history->began_unix_ns + digest->started_ns - history->began_ns;
    histogram_log_begin(out, began_unix_ns);
    for (int64_t second_ns = 0; !is_done(all); second_ns += NS_PER_S) {
        for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
            log_until(&all[latency], latency_name(latency),
                      digest->started_ns + second_ns + NS_PER_S, second_ns, out);
    }
    bool is_whole = !ferror(out);
    is_whole &= fclose(out) == 0;
    int result = !is_whole ? error_set(error, "no memory for latency.hlog")
                           : write_file(folder, "latency", ".hlog", text, length, error);
    free(text);
    return result;
}

// --- all of it -----------------------------------------------------------------------------------

static void encode(const struct histogram *histogram, enum latency latency,
                   struct latency_record *record)
{
    struct text encoded = {0};
    histogram_encode(histogram, &encoded);
    record->encoded[latency] = encoded.bytes;
    record->max_ns[latency] = histogram->max_ns;
}

// One latency, into the record and, if there is a folder, its file.
static int keep(const struct durations *durations, enum latency latency, const char *folder,
                struct latency_record *record, struct error *error)
{
    struct histogram histogram;
    if (durations->count == 0)
        return 0;
    histogram_start(&histogram);
    for (size_t i = 0; i < durations->count; i++)
        histogram_record(&histogram, durations->items[i]);
    encode(&histogram, latency, record);
    int result = folder != NULL ? write_distribution(&histogram, latency, folder, error) : 0;
    histogram_free(&histogram);
    return result;
}

void latencies_encode(const struct digest *digest, struct latency_record *record)
{
    struct error error;
    *record = (struct latency_record){0};
    phase_costs_make(digest, &record->phases);
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++) {
        struct durations durations = durations_of(digest, latency);
        (void)keep(&durations, latency, NULL, record, &error); // nothing is written
        durations_free(&durations);
    }
}

int latencies_write(const struct digest *digest, const char *folder, struct latency_record *record,
                    struct error *error)
{
    struct series all[LATENCY_COUNT];
    int result = 0;
    *record = (struct latency_record){0};
    phase_costs_make(digest, &record->phases);
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++) {
        struct durations durations = durations_of(digest, latency);
        all[latency] = series_of(&durations);
        if (keep(&durations, latency, result == 0 ? folder : NULL, record, error) != 0)
            result = -1;
        durations_free(&durations);
    }
    if (result == 0)
        result = is_done(all) ? 0 : write_log(digest, all, folder, error);
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        free(all[latency].endings);
    return result;
}
