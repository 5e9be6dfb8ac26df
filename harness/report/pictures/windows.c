// For how long two believed to hold the lock at once: the unsafe windows of each scheme that had
// any. Percentiles of several trials cannot be merged: each trial has a dot of its own, at its
// median, and the least and the most of all of them are the ends of a line.
#include "harness/report/pictures/picture.h"

#include <stdlib.h>
#include <string.h>

// Of windows: their lease had run out for one of the two, or not.
static const char *const properties[] = {"stale-holder", "double-grant"};
#define KIND_COUNT (sizeof properties / sizeof *properties)

// The windows of a kind in a trial, or NULL.
static const struct distribution *windows_in(const struct trial_result *result, size_t kind)
{
    for (size_t i = 0; i < result->judgement.finding_count; i++) {
        const struct finding *finding = &result->judgement.findings[i];
        if (finding->state == FINDING_VIOLATED && finding->windows.count > 0 &&
            strcmp(finding->check->name, properties[kind]) == 0)
            return &finding->windows;
    }
    return NULL;
}

// A logarithm has no place for 0.
static long long shown(int64_t duration_ns)
{
    return duration_ns > 0 ? duration_ns : 1;
}

// The windows of a kind in all trials of a scheme; count 0: none.
static struct distribution range_of(const struct run_result *run, const char *scheme, size_t kind)
{
    struct distribution range = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct distribution *found = windows_in(&run->trials[i], kind);
        if (found == NULL || strcmp(run->trials[i].trial->scheme, scheme) != 0)
            continue;
        range.min_ns = range.count == 0 ? found->min_ns : time_earlier(range.min_ns, found->min_ns);
        range.max_ns = time_later(range.max_ns, found->max_ns);
        range.count += found->count;
    }
    return range;
}

// Schemes that had some, in the order of the run. The caller frees the list.
static size_t list_schemes(const struct run_result *run, const char ***schemes)
{
    size_t count = 0;
    *schemes = memory_new((run->count + 1) * sizeof **schemes);
    for (size_t i = 0; i < run->count; i++) {
        const char *scheme = run->trials[i].trial->scheme;
        bool is_known =
            windows_in(&run->trials[i], 0) == NULL && windows_in(&run->trials[i], 1) == NULL;
        for (size_t j = 0; j < count; j++)
            is_known |= strcmp((*schemes)[j], scheme) == 0;
        if (!is_known)
            (*schemes)[count++] = scheme;
    }
    return count;
}

static void write_kind(const struct run_result *run, const char **schemes, size_t count,
                       size_t kind, struct picture *picture, struct picture_range *times)
{
    struct picture medians = {0};
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        struct distribution range = range_of(run, schemes[i], kind);
        if (range.count == 0)
            continue;
        if (!begun)
            picture_block(picture, "%s ranges: row least(ns) most(ns) windows scheme",
                          properties[kind]);
        begun = true;
        picture_widen(times, (double)shown(range.min_ns) / NS_PER_S);
        picture_widen(times, (double)shown(range.max_ns) / NS_PER_S);
        text_format(&picture->data, "%zu %lld %lld %zu", i, shown(range.min_ns),
                    shown(range.max_ns), range.count);
        picture_cell(picture, schemes[i]);
        text_add(&picture->data, "\n");
        for (size_t j = 0; j < run->count; j++) {
            const struct trial *trial = run->trials[j].trial;
            const struct distribution *found = windows_in(&run->trials[j], kind);
            if (found == NULL || strcmp(trial->scheme, schemes[i]) != 0)
                continue;
            text_format(&medians.data, "%zu %lld %zu %d", i, shown(found->median_ns), found->count,
                        trial->repeat);
            picture_cell(&medians, trial->scheme);
            picture_cell(&medians, trial->scenario->name);
            text_add(&medians.data, "\n");
        }
    }
    if (begun) {
        picture_block(picture, "%s medians: row median(ns) windows repeat scheme scenario",
                      properties[kind]);
        text_add(&picture->data, text_string(&medians.data));
    }
    picture_free(&medians);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    const char **schemes = NULL;
    size_t count = list_schemes(run, &schemes);
    size_t windows = 0;
    int64_t longest_ns = -1;
    const char *longest = NULL;
    char text[32];
    struct picture_range times = {0};
    if (count > 0)
        picture_block(picture, "rows: row scheme longest");
    for (size_t i = 0; i < count; i++) {
        struct distribution ranges[] = {range_of(run, schemes[i], 0), range_of(run, schemes[i], 1)};
        int64_t most_ns = time_later(ranges[0].max_ns, ranges[1].max_ns);
        windows += ranges[0].count + ranges[1].count;
        longest = most_ns >= longest_ns ? schemes[i] : longest;
        longest_ns = time_later(longest_ns, most_ns);
        text_format(&picture->data, "%zu", i);
        picture_cell(picture, schemes[i]);
        picture_cell(picture, text_duration(most_ns, text, sizeof text));
        text_add(&picture->data, "\n");
    }
    if (count > 0) {
        for (size_t kind = 0; kind < KIND_COUNT; kind++)
            write_kind(run, schemes, count, kind, picture, &times);
        picture_range(picture, "times", &times);
        picture_title(picture, "For how long two believed to hold the lock at once");
        picture_number(picture, "rows", (double)count);
        picture_note(picture, "A line goes from the least to the most of all trials, which stands "
                              "beside it; a dot is the median of a trial. Schemes that had none "
                              "are left out.");
        text_format(&picture->alternative,
                    "Unsafe windows of %zu scheme%s, %zu in all. The longest was of %s: %s.", count,
                    count == 1 ? "" : "s", windows, longest,
                    text_duration(longest_ns, text, sizeof text));
    }
    free(schemes);
    return count > 0;
}

extern const char template_unsafe_window[];
const struct picture_kind windows_picture = {
    .name = "unsafe-window",
    .title = "Unsafe windows: for how long two believed to hold the lock",
    .place = PLACE_VERDICTS,
    .width = 900,
    .template = template_unsafe_window,
    .write = write};
