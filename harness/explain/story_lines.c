#include "harness/explain/story_lines.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_ROOM 40

void story_line_add(struct story_lines *lines, int64_t at_ns, enum line_weight weight,
                    size_t speaker, const char *subject, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    struct text text = {0};
    text_format(&text, "%s %s", subject, what);
    size_t order = lines->count;
    *APPEND(lines->items, lines->count, lines->room) =
        (struct story_line){.at_ns = at_ns,
                            .order = order,
                            .weight = weight,
                            .speaker = speaker,
                            .object = strlen(subject) + 1,
                            .text = text.bytes};
}

int64_t story_lines_first_ns(const struct story_lines *lines)
{
    int64_t first = lines->items[0].at_ns;
    for (size_t i = 1; i < lines->count; i++)
        first = lines->items[i].at_ns < first ? lines->items[i].at_ns : first;
    return first;
}

int64_t story_lines_last_ns(const struct story_lines *lines)
{
    int64_t last = lines->items[0].at_ns;
    for (size_t i = 1; i < lines->count; i++)
        last = lines->items[i].at_ns > last ? lines->items[i].at_ns : last;
    return last;
}

static int compare_lines(const void *left, const void *right)
{
    const struct story_line *a = left;
    const struct story_line *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void remove_line(struct story_lines *lines, size_t index)
{
    free(lines->items[index].text);
    lines->count--;
    memmove(&lines->items[index], &lines->items[index + 1],
            (lines->count - index) * sizeof *lines->items);
}

// What happens within a few milliseconds needs microseconds to be told apart.
static int digits_needed(const struct story_lines *lines)
{
    return story_lines_last_ns(lines) - story_lines_first_ns(lines) < 20 * NS_PER_MS ? 6 : 3;
}

static void print_time(int64_t at_ns, int64_t started_ns, int digits, char out[TIME_ROOM])
{
    snprintf(out, TIME_ROOM, "%*.*f s", digits + 6, digits,
             (double)(at_ns - started_ns) / (double)NS_PER_S);
}

static bool print_the_same_time(const struct story_line *a, const struct story_line *b,
                                int64_t started_ns, int digits)
{
    char one[TIME_ROOM];
    char other[TIME_ROOM];
    print_time(a->at_ns, started_ns, digits, one);
    print_time(b->at_ns, started_ns, digits, other);
    return strcmp(one, other) == 0;
}

static void join_lines(struct story_lines *lines, int64_t started_ns, int digits)
{
    for (size_t i = 1; i < lines->count;) {
        struct story_line *before = &lines->items[i - 1];
        const struct story_line *line = &lines->items[i];
        if (line->speaker == SIZE_MAX || line->speaker != before->speaker ||
            !print_the_same_time(before, line, started_ns, digits)) {
            i++;
            continue;
        }
        struct text joined = {0};
        text_format(&joined, "%s, %s", before->text, line->text + line->object);
        free(before->text);
        before->text = joined.bytes;
        if (line->weight > before->weight)
            before->weight = line->weight;
        remove_line(lines, i);
    }
}

// Removes the middle one of the lines of this weight, as what repeats itself; false if there are
// none.
static bool remove_middle(struct story_lines *lines, enum line_weight weight)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++)
        count += lines->items[i].weight == weight;
    size_t passed = 0;
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->items[i].weight == weight && passed++ == count / 2) {
            remove_line(lines, i);
            return true;
        }
    }
    return false;
}

static void leave_out_asides(struct story_lines *lines)
{
    for (enum line_weight weight = LINE_ASIDE; weight < LINE_NEEDED; weight++) {
        for (size_t i = lines->count; i > 0 && lines->count > STORY_LINES; i--) {
            if (lines->items[i - 1].weight == weight)
                remove_line(lines, i - 1);
        }
    }
    while (lines->count > STORY_LINES && remove_middle(lines, LINE_NEEDED))
        ;
    while (lines->count > STORY_LINES && remove_middle(lines, LINE_KEY))
        ;
}

void story_lines_tell(struct story_lines *lines, int64_t started_ns, struct text *out)
{
    if (lines->count == 0)
        return;
    int digits = digits_needed(lines);
    qsort(lines->items, lines->count, sizeof *lines->items, compare_lines);
    join_lines(lines, started_ns, digits);
    leave_out_asides(lines);
    for (size_t i = 0; i < lines->count; i++) {
        char time[TIME_ROOM];
        print_time(lines->items[i].at_ns, started_ns, digits, time);
        text_format(out, "%s  %s\n", time, lines->items[i].text);
    }
}

void story_lines_free(struct story_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    free(lines->items);
    *lines = (struct story_lines){0};
}
