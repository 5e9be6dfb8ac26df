#include "harness/explain/story_lines.h"

#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORY_LINES 12
#define TIME_ROOM 40

void story_join(struct story_lines *lines, const struct hold *speaker, int64_t at_ns,
                enum line_weight weight, const char *who, const char *what)
{
    struct text text = {0};
    text_format(&text, "%s %s", who, what);
    *APPEND(lines->items, lines->count, lines->room) =
        (struct story_line){at_ns, weight, speaker, strlen(who) + 1, text.bytes};
}

void story_add(struct story_lines *lines, int64_t at_ns, enum line_weight weight, const char *who,
               const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    story_join(lines, NULL, at_ns, weight, who, what);
}

static void remove_line(struct story_lines *lines, size_t index)
{
    free(lines->items[index].text);
    lines->count--;
    memmove(&lines->items[index], &lines->items[index + 1],
            (lines->count - index) * sizeof *lines->items);
}

static const char *print_time(const struct story_lines *lines, int64_t at_ns, int digits,
                              char out[TIME_ROOM])
{
    snprintf(out, TIME_ROOM, "%*.*f s", digits + 6, digits,
             (double)(at_ns - lines->started_ns) / (double)NS_PER_S);
    return out;
}

static void join_lines(struct story_lines *lines, int digits)
{
    char times[2][TIME_ROOM];
    for (size_t i = 1; i < lines->count;) {
        struct story_line *before = &lines->items[i - 1];
        const struct story_line *line = &lines->items[i];
        if (line->speaker == NULL || line->speaker != before->speaker ||
            strcmp(print_time(lines, before->at_ns, digits, times[0]),
                   print_time(lines, line->at_ns, digits, times[1])) != 0) {
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

// Removes lines of that weight, as long as there are too many: the last ones, or (`from_middle`)
// those in the middle, as what repeats itself.
static void leave_out(struct story_lines *lines, enum line_weight weight, bool from_middle)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++)
        count += lines->items[i].weight == weight;
    for (; lines->count > STORY_LINES && count > 0; count--) {
        size_t passed = from_middle ? count / 2 : count - 1;
        size_t i = 0;
        while (lines->items[i].weight != weight || passed-- > 0)
            i++;
        remove_line(lines, i);
    }
}

// True if a line told before says all that this one does, of the same moment.
static bool is_told(const struct story_lines *told, const struct story_line *line)
{
    FOR_EACH (story_line, before, told->items, told->count) {
        if (before->at_ns == line->at_ns &&
            strncmp(before->text, line->text, strlen(line->text)) == 0)
            return true;
    }
    return false;
}

void story_lines_tell(struct story_lines *lines, const struct story_lines *told, struct text *out)
{
    char time[TIME_ROOM];
    if (lines->count == 0)
        return;
    SORT_BY(lines->items, lines->count, at_ns);
    int64_t length_ns = lines->items[lines->count - 1].at_ns - lines->items[0].at_ns;
    // What happens within a few milliseconds needs microseconds to be told apart.
    int digits = length_ns < 20 * NS_PER_MS ? 6 : 3;
    join_lines(lines, digits);
    for (enum line_weight weight = LINE_ASIDE; weight <= LINE_KEY; weight++)
        leave_out(lines, weight, weight >= LINE_NEEDED);
    for (size_t i = 0; i < lines->count; i++) {
        if (!is_told(told, &lines->items[i]))
            text_format(out, "%s  %s\n", print_time(lines, lines->items[i].at_ns, digits, time),
                        lines->items[i].text);
    }
}
