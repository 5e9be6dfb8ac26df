// Complaints while a scenario is read: each names the place that it is about.
#ifndef LOCKPICK_SCENARIO_COMPLAINTS_H
#define LOCKPICK_SCENARIO_COMPLAINTS_H

#include "harness/scenario/scenario.h"

#include <stdarg.h>

// Where a part of a scenario was written: in the file, or in a `--set`.
struct origin {
    const char *path;
    const struct override *override; // NULL: in the file
};

// Adds "path:line:col: message", or "--set path=value: message" without the place. What was added
// before in the same words is not added again: a `--set` goes to every file of a run.
__attribute__((format(printf, 4, 5))) void complaints_add(struct complaints *complaints,
                                                          const struct origin *origin,
                                                          struct place place, const char *format,
                                                          ...);
void complaints_add_list(struct complaints *complaints, const struct origin *origin,
                         struct place place, const char *format, va_list arguments);

// How many were made in all, whether added or not: none since then means that all is well.
size_t complaints_made(const struct complaints *complaints);

// Adds a message as it is, for a file that cannot be read.
void complaints_add_plain(struct complaints *complaints, const char *message);

// Sorts the complaints from number `first` on by line and column; those about no line come last.
void complaints_sort(struct complaints *complaints, size_t first);

// Text of a file as a message can show it: short, on one line, no control characters.
struct quote {
    char text[64];
};
const char *quote(const char *text, struct quote *out);

// " (did you mean 'threads'?)", or "" if no word of `words` is near. Returns `out`.
struct suggestion {
    char text[160];
};
const char *suggest(const char *wrong, const char *const *words, struct suggestion *out);

#endif
