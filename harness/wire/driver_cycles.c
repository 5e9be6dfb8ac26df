#include "harness/wire/driver_cycles.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

static const enum driver_word of_acquires[] = {DRIVER_NOT_HELD, DRIVER_UNKNOWN};
static const enum driver_word of_releases[] = {DRIVER_RELEASED, DRIVER_NOT_OWNER, DRIVER_GONE,
                                               DRIVER_UNKNOWN};

// False if the value is none of the words.
static bool take_word(const json_t *value, const enum driver_word *words, size_t count,
                      enum driver_word *word)
{
    const char *text = json_string_value(value);
    for (size_t i = 0; text != NULL && i < count; i++) {
        *word = words[i];
        if (strcmp(driver_word_name(words[i]), text) == 0)
            return true;
    }
    return false;
}

// Reads the row's numbers into `numbers`; returns how many there are, -1 if one is no duration.
static int take_numbers(const json_t *row, int64_t *numbers, size_t most)
{
    size_t count = 0;
    for (; count < most && json_is_integer(json_array_get(row, count)); count++) {
        numbers[count] = json_integer_value(json_array_get(row, count));
        if (numbers[count] < 0 || numbers[count] > 24 * 3600 * NS_PER_S)
            return -1;
    }
    return (int)count;
}

// Reads one row, and moves *at_ns to its end. False if it breaks a rule.
static bool take_cycle(const json_t *row, int64_t *at_ns, struct driver_cycle *cycle)
{
    int64_t numbers[5];
    int count = take_numbers(row, numbers, 5);
    const json_t *word = count >= 0 ? json_array_get(row, (size_t)count) : NULL;
    if (count < 2 || json_array_size(row) != (size_t)count + (word != NULL))
        return false;
    cycle->acquire_ns = cycle->asked_ns = *at_ns + numbers[0];
    cycle->acquired_ns = *at_ns = cycle->acquire_ns + numbers[1];
    if (count == 2)
        return take_word(word, of_acquires, sizeof of_acquires / sizeof *of_acquires,
                         &cycle->acquired);
    if (count == 3 || (count == 5 && numbers[4] > numbers[1]))
        return false;
    cycle->acquired = DRIVER_HELD;
    cycle->released = DRIVER_RELEASED;
    cycle->is_anchored = count == 5;
    cycle->asked_ns += count == 5 ? numbers[4] : 0;
    cycle->release_ns = cycle->acquired_ns + numbers[2];
    cycle->released_ns = *at_ns = cycle->release_ns + numbers[3];
    return word == NULL ||
           take_word(word, of_releases, sizeof of_releases / sizeof *of_releases, &cycle->released);
}

int driver_cycles_read(const json_t *object, struct driver_line *line, struct error *error)
{
    const json_t *from = json_object_get(object, "from_ns");
    const json_t *rows = json_object_get(object, "cycles");
    int64_t at_ns = json_integer_value(from);
    if (!json_is_integer(from) || at_ns <= 0 || !json_is_array(rows))
        return error_set(error, "\"measured\" must have \"from_ns\", a time on CLOCK_MONOTONIC, "
                                "and \"cycles\", an array");
    size_t count = json_array_size(rows);
    struct driver_cycle *cycles = memory_zeroed(count + 1, sizeof *cycles);
    for (size_t i = 0; i < count; i++) {
        if (take_cycle(json_array_get(rows, i), &at_ns, &cycles[i]))
            continue;
        free(cycles);
        return error_set(error,
                         "cycle %zu must be [gap, acquire, hold, release] in nanoseconds, of a "
                         "lock that was not granted [gap, acquire, \"not-held\"]",
                         i + 1);
    }
    line->from_ns = json_integer_value(from);
    line->to_ns = at_ns;
    line->cycles = cycles;
    line->cycle_count = count;
    return 0;
}
