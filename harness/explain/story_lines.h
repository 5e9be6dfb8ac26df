// The lines of a story: what happened when, and what of it is left out if it is too much.
#ifndef LOCKPICK_EXPLAIN_STORY_LINES_H
#define LOCKPICK_EXPLAIN_STORY_LINES_H

#include "harness/check/check.h"

// Added in any order, told in the order of time. Lines of less weight are left out first if there
// are too many. Grants and faults are LINE_KEY: what a hold reads and writes is never told without
// the grant.
enum line_weight { LINE_ASIDE, LINE_HELPFUL, LINE_NEEDED, LINE_KEY };

struct story_line {
    int64_t at_ns;
    enum line_weight weight;
    const struct hold *speaker; // lines of one that print the same time are joined; NULL: none are
    size_t object;              // bytes of the text up to what is joined on: "client-1 "
    char *text;
};

struct story_lines {
    struct story_line *items;
    size_t count, room;
    int64_t started_ns; // times count from then
};

// Adds "<who> <what happened>", to be joined to a line of the same speaker: "client-1 reads 7,
// writes 8".
void story_join(struct story_lines *lines, const struct hold *speaker, int64_t at_ns,
                enum line_weight weight, const char *who, const char *what);

// The same, joined to none.
__attribute__((format(printf, 5, 6))) void story_add(struct story_lines *lines, int64_t at_ns,
                                                     enum line_weight weight, const char *who,
                                                     const char *format, ...);

// Sorts, joins, leaves out what is too much, and prints each line with its time, unless it was told
// before.
void story_lines_tell(struct story_lines *lines, const struct story_lines *told, struct text *out);

#endif
