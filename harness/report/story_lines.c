#include "harness/report/story_lines.h"

#include "harness/base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void story_line_add(struct story_lines *lines, int64_t at_ns, enum line_weight weight,
                    size_t speaker, const char *subject, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (lines->count == lines->room) {
        lines->room = lines->room > 0 ? lines->room * 2 : 32;
        lines->items = memory_resized(lines->items, lines->room * sizeof *lines->items);
    }
    struct text text = {0};
    text_format(&text, "%s %s", subject, what);
    lines->items[lines->count] = (struct story_line){.at_ns = at_ns,
                                                     .order = lines->count,
                                                     .weight = weight,
                                                     .speaker = speaker,
                                                     .object = strlen(subject) + 1,
                                                     .text = text.bytes};
    lines->count++;
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

static void join_lines(struct story_lines *lines)
{
    for (size_t i = 1; i < lines->count;) {
        struct story_line *before = &lines->items[i - 1];
        const struct story_line *line = &lines->items[i];
        if (line->speaker == SIZE_MAX || line->speaker != before->speaker) {
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

static void leave_out_asides(struct story_lines *lines)
{
    for (enum line_weight weight = LINE_ASIDE; weight < LINE_NEEDED; weight++) {
        for (size_t i = lines->count; i > 0 && lines->count > STORY_LINES; i--) {
            if (lines->items[i - 1].weight == weight)
                remove_line(lines, i - 1);
        }
    }
    // All of it is needed, and it is still too much: the middle is what repeats itself.
    while (lines->count > STORY_LINES)
        remove_line(lines, lines->count / 2);
}

void story_lines_tell(struct story_lines *lines, int64_t started_ns, struct text *out)
{
    if (lines->count == 0)
        return;
    qsort(lines->items, lines->count, sizeof *lines->items, compare_lines);
    join_lines(lines);
    leave_out_asides(lines);
    // What happens within a few milliseconds needs microseconds to be told apart.
    int64_t span_ns = lines->items[lines->count - 1].at_ns - lines->items[0].at_ns;
    int digits = span_ns < 20 * NS_PER_MS ? 6 : 3;
    for (size_t i = 0; i < lines->count; i++)
        text_format(out, "%*.*f s  %s\n", digits + 6, digits,
                    (double)(lines->items[i].at_ns - started_ns) / (double)NS_PER_S,
                    lines->items[i].text);
}

void story_lines_free(struct story_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    free(lines->items);
    *lines = (struct story_lines){0};
}
