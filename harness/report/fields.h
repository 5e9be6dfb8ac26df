// Fields of structs as tables: one row says a field's key, kind and place, and its value is written
// as JSON. So what is written is never NaN, infinite or no UTF-8.
#ifndef LOCKPICK_REPORT_FIELDS_H
#define LOCKPICK_REPORT_FIELDS_H

#include "harness/base/error.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/stats/histogram.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

// --- values --------------------------------------------------------------------------------------

// Reads a stranger's file, with its strings fit for a terminal (text_clean). NULL with `error` set.
json_t *json_read(const char *path, struct error *error);

// NULL gives null. A text that was cut in the middle of a character is no UTF-8; the bytes that are
// not become '?'.
json_t *value_text(const char *text);

json_t *value_integer(int64_t value); // TIME_NEVER gives null
json_t *value_count(size_t value);
json_t *value_number(double value); // NaN and infinity give null

// The value, which it takes, as text with so many blanks for each level. The caller frees it.
char *value_dump(json_t *value, size_t indent);

// An array of strings, one for each line.
json_t *value_lines(const char *lines);

// Sets a key of an object, which takes the value.
void set_value(json_t *object, const char *key, json_t *value);

// The string of a key, or "" if there is none.
const char *text_at(const json_t *object, const char *key);

// The value at a path of keys and places: "environment.load_at_end.0". NULL if there is none.
json_t *value_at(const json_t *value, const char *path);

// --- tables --------------------------------------------------------------------------------------

enum field_kind {
    FIELD_END, // of the table
    FIELD_BOOL,
    FIELD_INT,
    FIELD_INTEGER, // int64_t
    FIELD_COUNT,   // size_t
    FIELD_NUMBER,
    FIELD_CHARS,       // an array of them
    FIELD_STRING,      // a pointer to them; NULL is null
    FIELD_SEED,        // uint64_t, as digits: it needs all of 64 bits
    FIELD_NAME,        // an enum, by its names
    FIELD_SHARE,       // a part of a whole; null if that is 0, or the part negative
    FIELD_NUMBERS,     // an array of double
    FIELD_MARKS,       // of each percentile a bool: the names of those that are marked
    FIELD_PERCENTILES, // all of them, with their count; null if that is 0
    FIELD_HISTOGRAM,   // in its encoding; null of one that is empty
    FIELD_OBJECT,      // a struct, of which there is a table
    FIELD_POINTER,     // to such a struct
    FIELD_ARRAY,       // of such structs
    FIELD_LIST,        // a pointer to such an array
    FIELD_MADE,        // by a function; NULL: there is no such key
};

// A table ends with {0}. Of an object without a key the fields belong to the object around it; one
// without a place is a part of the same struct.
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, size;        // of an array: of each of its structs
    enum field_kind known;      // unless FIELD_END: the value is null if a second field, of this
    size_t known_offset;        // kind, is false, zero or empty; of an array it counts the structs
    enum field_kind part;       // of a share: the kind of the part; the whole is the second field
    double divisor;             // unless 0: of a number
    const char *const *names;   // of an enum
    const struct field *fields; // of an object
    json_t *(*make)(const void *record); // of the whole struct
};

// What is not evaluated: the pointer is any but NULL, which cppcheck would take for one that is
// used.
#define FIELD_OF(type, member) ((type *)sizeof(type))->member
// A pointer to characters is told from an array of them by its address.
#define FIELD_KIND(type, member)                                                                   \
    _Generic(&FIELD_OF(type, member),                                                              \
        char **: FIELD_STRING,                                                                     \
        default: _Generic(FIELD_OF(type, member),                                                  \
            bool: FIELD_BOOL,                                                                      \
            int: FIELD_INT,                                                                        \
            int64_t: FIELD_INTEGER,                                                                \
            size_t: FIELD_COUNT,                                                                   \
            double: FIELD_NUMBER,                                                                  \
            char *: FIELD_CHARS,                                                                   \
            const char *: FIELD_STRING,                                                            \
            double *: FIELD_NUMBERS,                                                               \
            bool *: FIELD_MARKS,                                                                   \
            struct percentiles: FIELD_PERCENTILES,                                                 \
            struct histogram: FIELD_HISTOGRAM))
// And so is a pointer to structs from an array of them.
#define FIELD_ARRAY_KIND(type, member)                                                             \
    _Generic(&FIELD_OF(type, member),                                                              \
        __typeof__(*FIELD_OF(type, member)) **: FIELD_LIST,                                        \
        default: FIELD_ARRAY)

// What all fields say of a member, and those with a condition of another one.
#define FIELD_AT(name, sort, type, member)                                                         \
    .key = name, .kind = (sort), .offset = offsetof(type, member),                                 \
    .size = sizeof FIELD_OF(type, member)
#define FIELD_ONLY_IF(type, condition)                                                             \
    .known = FIELD_KIND(type, condition), .known_offset = offsetof(type, condition)

// Each may end with more of its struct: .divisor = 3600, FIELD_ONLY_IF(struct phase, rate).
// clang-format off
#define FIELD_AS(name, type, member, ...)                                                          \
    {FIELD_AT(name, FIELD_KIND(type, member), type, member), __VA_ARGS__}
#define FIELD(type, member) FIELD_AS(#member, type, member, )
#define FIELD_IF(name, type, member, condition)                                                    \
    FIELD_AS(name, type, member, FIELD_ONLY_IF(type, condition))
#define DIGITS(type, member) {FIELD_AT(#member, FIELD_SEED, type, member)}
#define NAME(name, type, member, words) {FIELD_AT(name, FIELD_NAME, type, member), .names = (words)}
#define SHARE(name, type, member, whole)                                                           \
    {FIELD_AT(name, FIELD_SHARE, type, member), .part = FIELD_KIND(type, member),                  \
     FIELD_ONLY_IF(type, whole)}
#define OBJECT(name, type, member, table, ...)                                                     \
    {FIELD_AT(name, FIELD_OBJECT, type, member), .fields = (table), __VA_ARGS__}
#define OBJECT_IF(name, type, member, table, condition)                                            \
    OBJECT(name, type, member, table, FIELD_ONLY_IF(type, condition))
#define POINTER(name, type, member, table)                                                         \
    {FIELD_AT(name, FIELD_POINTER, type, member), .fields = (table)}
#define PART(name, table, ...) {.key = name, .kind = FIELD_OBJECT, .fields = (table), __VA_ARGS__}
#define ARRAY(name, type, member, count, table)                                                    \
    {.key = name, .kind = FIELD_ARRAY_KIND(type, member),                                          \
     .offset = offsetof(type, member), .size = sizeof *FIELD_OF(type, member), .fields = (table),  \
     FIELD_ONLY_IF(type, count)}
#define MADE(name, function) {.key = name, .kind = FIELD_MADE, .make = (function)}
// clang-format on

// Their table, which ends itself.
#define TABLE(name, ...) static const struct field name[] = {__VA_ARGS__, {0}}

// A function for MADE: the value of a struct, which it calls `it`.
#define MAKER(name, type, value)                                                                   \
    static json_t *name(const void *record)                                                        \
    {                                                                                              \
        const type *it = record;                                                                   \
        (void)it;                                                                                  \
        return value;                                                                              \
    }

// FIELD of each of up to sixteen members: FIELDS(struct recovery, fault, after_heal_ns).
#define FIELDS(type, ...)                                                                          \
    FIELDS_OF(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )                \
    (type, __VA_ARGS__)
#define FIELDS_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) FIELDS_##count
#define FIELDS_1(type, a) FIELD(type, a)
#define FIELDS_2(type, a, ...) FIELD(type, a), FIELDS_1(type, __VA_ARGS__)
#define FIELDS_3(type, a, ...) FIELD(type, a), FIELDS_2(type, __VA_ARGS__)
#define FIELDS_4(type, a, ...) FIELD(type, a), FIELDS_3(type, __VA_ARGS__)
#define FIELDS_5(type, a, ...) FIELD(type, a), FIELDS_4(type, __VA_ARGS__)
#define FIELDS_6(type, a, ...) FIELD(type, a), FIELDS_5(type, __VA_ARGS__)
#define FIELDS_7(type, a, ...) FIELD(type, a), FIELDS_6(type, __VA_ARGS__)
#define FIELDS_8(type, a, ...) FIELD(type, a), FIELDS_7(type, __VA_ARGS__)
#define FIELDS_9(type, a, ...) FIELD(type, a), FIELDS_8(type, __VA_ARGS__)
#define FIELDS_10(type, a, ...) FIELD(type, a), FIELDS_9(type, __VA_ARGS__)
#define FIELDS_11(type, a, ...) FIELD(type, a), FIELDS_10(type, __VA_ARGS__)
#define FIELDS_12(type, a, ...) FIELD(type, a), FIELDS_11(type, __VA_ARGS__)
#define FIELDS_13(type, a, ...) FIELD(type, a), FIELDS_12(type, __VA_ARGS__)
#define FIELDS_14(type, a, ...) FIELD(type, a), FIELDS_13(type, __VA_ARGS__)
#define FIELDS_15(type, a, ...) FIELD(type, a), FIELDS_14(type, __VA_ARGS__)
#define FIELDS_16(type, a, ...) FIELD(type, a), FIELDS_15(type, __VA_ARGS__)
// An object of the record; null if that is NULL.
json_t *fields_json(const struct field *fields, const void *record);

#endif
