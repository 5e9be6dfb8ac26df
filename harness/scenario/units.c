#include "harness/scenario/units.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"

#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789"

struct unit {
    const char *name;
    int64_t size;
};

// From the largest, as duration_write needs them.
static const struct unit duration_units[] = {
    {"h", 3600 * NS_PER_S}, {"m", 60 * NS_PER_S}, {"s", NS_PER_S},
    {"ms", NS_PER_MS},      {"us", NS_PER_US},    {NULL, 0},
};
static const struct unit rate_units[] = {{"/s", 3600}, {"/min", 60}, {"/h", 1}, {NULL, 0}};
static const struct unit percentage_units[] = {{"%", 1}, {NULL, 0}};
static const struct unit plain_units[] = {{"", 1}, {NULL, 0}};

// Digits, with a fraction if that is so many of the smallest unit, then a unit, then nothing.
static enum reading read_with_unit(const char *text, const struct unit *units, int64_t *number)
{
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    size_t whole = strspn(digits, DIGITS);
    size_t places = digits[whole] == '.' ? strspn(digits + whole + 1, DIGITS) : 0;
    size_t length = whole + (places > 0 ? places + 1 : 0);
    const struct unit *unit = units;
    while (unit->name != NULL && strcmp(unit->name, digits + length) != 0)
        unit++;
    if (whole == 0 || unit->name == NULL || (places > 0 && unit->size == 1))
        return READING_WRONG;
    int64_t sum = 0;
    int64_t parts = 1; // of a whole
    for (size_t i = 0; i < length; i++) {
        if (i != whole && (__builtin_mul_overflow(sum, 10, &sum) ||
                           __builtin_add_overflow(sum, digits[i] - '0', &sum)))
            return READING_TOO_LARGE;
        if (i > whole && __builtin_mul_overflow(parts, 10, &parts))
            return READING_WRONG;
    }
    if (__builtin_mul_overflow(sum, unit->size, &sum))
        return READING_TOO_LARGE;
    if (sum % parts != 0)
        return READING_WRONG;
    *number = (negative ? -sum : sum) / parts;
    return READING_FINE;
}

enum reading whole_number_read(const char *text, int64_t *number)
{
    return read_with_unit(text, plain_units, number);
}

enum reading duration_read(const char *text, int64_t *nanoseconds)
{
    int64_t number;
    enum reading reading = read_with_unit(text, duration_units, &number);
    if (reading == READING_FINE && number % NS_PER_US != 0)
        reading = READING_WRONG;
    if (reading == READING_FINE)
        *nanoseconds = number;
    return reading;
}

enum reading seconds_read(const char *text, int64_t *nanoseconds)
{
    AUTO_FREE char *seconds = text_formatted("%ss", text);
    bool has_unit = text[0] == '\0' || strchr(DIGITS, text[strlen(text) - 1]) == NULL;
    return duration_read(has_unit ? text : seconds, nanoseconds);
}

static bool lies_between(int64_t number, int64_t unit, int64_t least, int64_t most)
{
    return number <= most / unit && number * unit >= least;
}

void duration_advise(const char *text, int64_t least, int64_t most, struct text *out)
{
    int64_t number = 0;
    char joined[32];
    size_t digits = strspn(text, DIGITS);
    size_t blanks = strspn(text + digits, " ");
    snprintf(joined, sizeof joined, "%.*s%s", (int)digits, text, text + digits + blanks);
    if (text[0] == '-')
        return;
    if (whole_number_read(text, &number) == READING_FINE) {
        bool is_ms = lies_between(number, NS_PER_MS, least, most);
        bool is_s = lies_between(number, NS_PER_S, least, most);
        if (is_ms || is_s)
            text_format(out, "%s what? write ", text);
        if (is_ms)
            text_format(out, "%sms%s", text, is_s ? " or " : "");
        if (is_s)
            text_format(out, "%ss", text);
    } else if (blanks > 0 && strlen(text) < sizeof joined &&
               duration_read(joined, &number) == READING_FINE) {
        if (lies_between(number, 1, least, most))
            text_format(out, "no space: write %s", joined);
    }
}

enum reading rate_read(const char *text, int64_t *per_hour)
{
    return read_with_unit(text, rate_units, per_hour);
}

enum reading percentage_read(const char *text, int64_t *percent)
{
    return read_with_unit(text, percentage_units, percent);
}

enum reading decimal_read(const char *text, int64_t *thousandths)
{
    char digits[32];
    size_t whole = strspn(text, DIGITS);
    const char *after = text[whole] == '.' ? text + whole + 1 : "";
    size_t places = strspn(after, DIGITS);
    bool has_point = text[whole] == '.';
    if (whole == 0 || whole > 15 || places > 3 || after[places] != '\0' ||
        has_point != (places > 0) || (!has_point && text[whole] != '\0'))
        return READING_WRONG;
    // The digits without their point, as many after it as make thousandths.
    snprintf(digits, sizeof digits, "%.*s%s%.*s", (int)whole, text, after, 3 - (int)places, "000");
    return whole_number_read(digits, thousandths);
}

enum reading below_read(const char *text, int64_t *nanoseconds)
{
    if (text[0] != '<')
        return READING_WRONG;
    return duration_read(text + 1 + strspn(text + 1, " "), nanoseconds);
}

// With the largest unit that leaves a whole number.
static void write_with_unit(int64_t number, const struct unit *units, struct text *out)
{
    const struct unit *unit = units;
    while (unit[1].name != NULL && number % unit->size != 0)
        unit++;
    text_format(out, "%lld%s", (long long)(number / unit->size), unit->name);
}

void duration_write(int64_t nanoseconds, struct text *out)
{
    if (nanoseconds == 0)
        text_add(out, "0ms");
    else
        write_with_unit(nanoseconds, duration_units, out);
}

void rate_write(int64_t per_hour, struct text *out)
{
    write_with_unit(per_hour, rate_units, out);
}
