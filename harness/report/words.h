// Short texts by value, which last as long as the expression in which they are made.
#ifndef LOCKPICK_REPORT_WORDS_H
#define LOCKPICK_REPORT_WORDS_H

#include "harness/check/describe.h"
#include "harness/report/figures.h"

// "3", "12.5", "61,200": three digits at least, grouped by thousands.
struct words rate_words(double rate);

// "locks/s", "acquire p99", ...; and a value of it: "3.25 ms", "61,200", "0.98"; "–" of a NaN.
struct words figure_name(enum figure figure);
struct words figure_text(enum figure figure, double value);

// " #2" of a trial whose scenario has repeats, else ""; "#trial-3".
struct words repeat_words(const struct trial *trial);
struct words trial_anchor(size_t index);

#endif
