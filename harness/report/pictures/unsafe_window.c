// For how long two believed to hold the lock at once: the unsafe windows of each scheme that had
// any. Percentiles of several trials cannot be merged: each trial has a dot of its own, at its
// median, and the least and the most of all of them are the ends of a line.
#include "harness/report/pictures/picture.h"

#include <stdlib.h>
#include <string.h>

// Of windows: their lease had run out for one of the two, or not.
static const char *const properties[] = {"stale-holder", "double-grant"};
#define KIND_COUNT (sizeof properties / sizeof *properties)

// The windows of a kind in a trial of the scheme, or NULL.
static const struct distribution *windows_in(const struct trial_result *result, const char *scheme,
                                             size_t kind)
{
    for (size_t i = 0; i < result->judgement.finding_count; i++) {
        const struct finding *finding = &result->judgement.findings[i];
        if (finding->state == FINDING_VIOLATED && finding->windows.count > 0 &&
            strcmp(finding->check->name, properties[kind]) == 0 &&
            strcmp(result->trial->scheme, scheme) == 0)
            return &finding->windows;
    }
    return NULL;
}

// A logarithm has no place for 0.
static long long shown(int64_t duration_ns)
{
    return time_later(duration_ns, 1);
}

// The windows of a kind in all trials of a scheme; count 0: none.
static struct distribution write_kind(const struct run_result *run, const char *scheme, size_t row,
                                      size_t kind, struct picture *picture)
{
    struct distribution range = {.min_ns = INT64_MAX};
    struct picture_block *ranges = picture_block(
        picture, "%s ranges: row least(ns) most(ns) windows scheme", properties[kind]);
    struct picture_block *medians = picture_block(
        picture, "%s medians: row median(ns) windows repeat scheme scenario", properties[kind]);
    for (size_t i = 0; i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        const struct distribution *found = windows_in(&run->trials[i], scheme, kind);
        if (found == NULL)
            continue;
        range.min_ns = time_earlier(range.min_ns, found->min_ns);
        range.max_ns = time_later(range.max_ns, found->max_ns);
        range.count += found->count;
        picture_row(medians, "%zu %lld %zu %d %s %s", row, shown(found->median_ns), found->count,
                    trial->repeat, trial->scheme, trial->scenario->name);
    }
    if (range.count > 0)
        picture_row(ranges, "%zu %lld %lld %zu %s", row, shown(range.min_ns), shown(range.max_ns),
                    range.count, scheme);
    return range;
}

// In the order of the run.
static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    const char **schemes = memory_new((run->count + 1) * sizeof *schemes);
    struct picture_block *rows =
        picture_block(picture, "rows: row least(ns) most(ns) scheme longest");
    const char *longest = NULL;
    int64_t longest_ns = -1;
    size_t count = 0;
    size_t windows = 0;
    char text[32];
    for (size_t i = 0; i < run->count; i++) {
        const char *scheme = run->trials[i].trial->scheme;
        bool is_known = windows_in(&run->trials[i], scheme, 0) == NULL &&
                        windows_in(&run->trials[i], scheme, 1) == NULL;
        for (size_t j = 0; j < count; j++)
            is_known |= strcmp(schemes[j], scheme) == 0;
        if (is_known)
            continue;
        struct distribution of[KIND_COUNT];
        for (size_t kind = 0; kind < KIND_COUNT; kind++)
            of[kind] = write_kind(run, scheme, count, kind, picture);
        int64_t most_ns = time_later(of[0].max_ns, of[1].max_ns);
        picture_row(rows, "%zu %lld %lld %s %s", count,
                    shown(time_earlier(of[0].min_ns, of[1].min_ns)), shown(most_ns), scheme,
                    text_duration(most_ns, text, sizeof text));
        windows += of[0].count + of[1].count;
        longest = most_ns >= longest_ns ? scheme : longest;
        longest_ns = time_later(longest_ns, most_ns);
        schemes[count++] = scheme;
    }
    free(schemes);
    if (count == 0)
        return false;
    picture_tell(picture, "rows = %zu", count);
    text_add(&picture->title, "For how long two believed to hold the lock at once");
    picture_note(picture, "A line goes from the least to the most of all trials, which stands "
                          "beside it; a dot is the median of a trial. Schemes that had none "
                          "are left out.");
    text_format(&picture->alternative,
                "Unsafe windows of %zu scheme%s, %zu in all. The longest was of %s: %s.", count,
                count == 1 ? "" : "s", windows, longest,
                text_duration(longest_ns, text, sizeof text));
    return true;
}

PICTURE(unsafe_window, .name = "unsafe-window",
        .title = "Unsafe windows: for how long two believed to hold the lock",
        .place = PLACE_VERDICTS, .width = 900, .write = write);
