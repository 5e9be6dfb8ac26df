#include "harness/scenario/units.h"

#include "harness/base/clock.h"

#include <string.h>

struct unit {
    const char *name;
    int64_t size;
};

// From the largest, as duration_write needs them.
static const struct unit duration_units[] = {
    {"h", 3600 * NS_PER_S}, {"m", 60 * NS_PER_S}, {"s", NS_PER_S},
    {"ms", NS_PER_MS},      {"us", NS_PER_US},    {NULL, 0},
};
static const struct unit rate_units[] = {{"/s", 1}, {NULL, 0}};
static const struct unit percentage_units[] = {{"%", 1}, {NULL, 0}};
static const struct unit plain_units[] = {{"", 1}, {NULL, 0}};

// One or more digits, then a unit, then nothing.
static enum reading read_with_unit(const char *text, const struct unit *units, int64_t *number)
{
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    size_t length = strspn(digits, "0123456789");
    const struct unit *unit = units;
    while (unit->name != NULL && strcmp(unit->name, digits + length) != 0)
        unit++;
    if (length == 0 || unit->name == NULL)
        return READING_WRONG;
    int64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, digits[i] - '0', &sum))
            return READING_TOO_LARGE;
    }
    if (__builtin_mul_overflow(sum, unit->size, &sum))
        return READING_TOO_LARGE;
    *number = negative ? -sum : sum;
    return READING_FINE;
}

enum reading whole_number_read(const char *text, int64_t *number)
{
    return read_with_unit(text, plain_units, number);
}

enum reading duration_read(const char *text, int64_t *nanoseconds)
{
    return read_with_unit(text, duration_units, nanoseconds);
}

enum reading rate_read(const char *text, int64_t *per_second)
{
    return read_with_unit(text, rate_units, per_second);
}

enum reading percentage_read(const char *text, int64_t *percent)
{
    return read_with_unit(text, percentage_units, percent);
}

enum reading switch_read(const char *text, bool *on)
{
    *on = strcmp(text, "true") == 0;
    return *on || strcmp(text, "false") == 0 ? READING_FINE : READING_WRONG;
}

void duration_write(int64_t nanoseconds, struct text *out)
{
    if (nanoseconds == 0) {
        text_add(out, "0ms");
        return;
    }
    const struct unit *unit = duration_units;
    while (unit[1].name != NULL && nanoseconds % unit->size != 0)
        unit++;
    text_format(out, "%lld%s", (long long)(nanoseconds / unit->size), unit->name);
}
