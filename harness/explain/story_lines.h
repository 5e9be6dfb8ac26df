// The lines of a story: added in any order, told in the order of time.
#ifndef LOCKPICK_EXPLAIN_STORY_LINES_H
#define LOCKPICK_EXPLAIN_STORY_LINES_H

#include "harness/base/text.h"

#include <stddef.h>
#include <stdint.h>

#define STORY_LINES 12

// Lines of less weight are left out first if there are too many. Grants and faults are LINE_KEY:
// what a hold reads and writes is never told without the grant.
enum line_weight { LINE_ASIDE, LINE_HELPFUL, LINE_NEEDED, LINE_KEY };

struct story_line {
    int64_t at_ns;
    size_t order;
    enum line_weight weight;
    size_t speaker; // lines of one speaker that follow each other directly may be joined
    size_t object;  // bytes of the text up to what is joined on: "client-1 "; 0: never joined
    char *text;
};

// Zero-initialise; free with story_lines_free.
struct story_lines {
    struct story_line *items;
    size_t count;
    size_t room;
};

// Adds "<subject> <what happened>". A line whose `speaker` is not SIZE_MAX is joined to the one
// before it if that has the same speaker and prints the same time: "client-1 reads 7, writes 8".
__attribute__((format(printf, 6, 7))) void story_line_add(struct story_lines *lines, int64_t at_ns,
                                                          enum line_weight weight, size_t speaker,
                                                          const char *subject, const char *format,
                                                          ...);

// The times of the first and the last line; `count` must not be 0.
int64_t story_lines_first_ns(const struct story_lines *lines);
int64_t story_lines_last_ns(const struct story_lines *lines);

// Sorts, joins, leaves out what is too much, and prints each line with its time since `started_ns`.
void story_lines_tell(struct story_lines *lines, int64_t started_ns, struct text *out);

void story_lines_free(struct story_lines *lines);

#endif
