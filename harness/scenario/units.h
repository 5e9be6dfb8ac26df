// Numbers and units as a scenario writes them: `40`, `250ms`, `500/s`, `30%`, `true`.
#ifndef LOCKPICK_SCENARIO_UNITS_H
#define LOCKPICK_SCENARIO_UNITS_H

#include "harness/base/text.h"

#include <stdint.h>

enum reading {
    READING_FINE,
    READING_WRONG,     // not of that form
    READING_TOO_LARGE, // of that form, but beyond 64 bits
};

// Decimal digits, with a '-' before them if negative. Nothing else: no '_', no blanks, no '0x'.
enum reading whole_number_read(const char *text, int64_t *number);

// What they look like, as extended regular expressions.
#define DURATION_PATTERN "[0-9]+([.][0-9]+)?(us|ms|s|m|h)"
#define RATE_PATTERN "[0-9]+([.][0-9]+)?/(s|min|h)"
#define PERCENTAGE_PATTERN "[0-9]+%"

// A number and one of us, ms, s, m, h, so many whole us: `250ms`, `1.5s`; in nanoseconds.
enum reading duration_read(const char *text, int64_t *nanoseconds);

// The same, where a number alone is seconds: `10`, `0.314`, `5m`.
enum reading seconds_read(const char *text, int64_t *nanoseconds);

// What to write instead of a text that duration_read finds wrong, if that is plain: "5 what? write
// 5ms or 5s". Appends to `out`, or nothing. What is proposed lies between `least` and `most`.
void duration_advise(const char *text, int64_t least, int64_t most, struct text *out);

// `500/s`, `30/min`, `0.5/min`: how many each hour, which is a whole number.
enum reading rate_read(const char *text, int64_t *per_hour);

// `30%`.
enum reading percentage_read(const char *text, int64_t *percent);

// `0.99`, in thousandths: at most three digits after the point.
enum reading decimal_read(const char *text, int64_t *thousandths);

// `< 50ms`: a duration that something must stay below.
enum reading below_read(const char *text, int64_t *nanoseconds);

// Appends a duration so that duration_read reads the same: `90s`, `2m`, `250ms`.
void duration_write(int64_t nanoseconds, struct text *out);

// Appends a rate so that rate_read reads the same: `500/s`, `30/min`.
void rate_write(int64_t per_hour, struct text *out);

#endif
