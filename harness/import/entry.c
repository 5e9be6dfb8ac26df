#include "harness/import/entry.h"

#include "harness/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Times beyond these could not be subtracted.
#define MOST_NS (INT64_MAX / 4)

#define SHOWN 64

static const struct {
    const char *name;
    enum operation_kind kind;
    bool shared;
    bool either;
} functions[] = {
    {"acquire", OPERATION_ACQUIRE, false, false},
    {"release", OPERATION_RELEASE, false, true},
    {"acquire-shared", OPERATION_ACQUIRE, true, false},
    {"release-shared", OPERATION_RELEASE, true, false},
    {"lock", OPERATION_ACQUIRE, false, false},
    {"unlock", OPERATION_RELEASE, false, true},
    {"acquire-write", OPERATION_ACQUIRE, false, false},
    {"release-write", OPERATION_RELEASE, false, false},
    {"write-lock", OPERATION_ACQUIRE, false, false},
    {"write-unlock", OPERATION_RELEASE, false, false},
    {"acquire-read", OPERATION_ACQUIRE, true, false},
    {"release-read", OPERATION_RELEASE, true, false},
    {"read-lock", OPERATION_ACQUIRE, true, false},
    {"read-unlock", OPERATION_RELEASE, true, false},
};

#define FUNCTION_COUNT (sizeof functions / sizeof functions[0])

static const char *const types[] = {"invoke", "ok", "fail", "info", NULL};

const char *entry_function(enum operation_kind kind, bool shared)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (functions[i].kind == kind && functions[i].shared == shared)
            return functions[i].name;
    }
    return "";
}

// What is being read.
struct reading_entry {
    const struct value *map;
    struct entry *entry;
    struct problems *problems;
};

static bool is_text(const struct value *value)
{
    return value->kind == VALUE_WORD || value->kind == VALUE_STRING;
}

// The value of the key in a map, or NULL; a nil is as good as none.
static const struct value *look_up(const struct reading_entry *reading, const struct value *map,
                                   const char *key)
{
    const struct value *found = NULL;
    for (const struct value *at = map->first; at != NULL; at = at->next->next) {
        if (!is_text(at) || strcmp(at->text, key) != 0)
            continue;
        if (found != NULL)
            problems_add(reading->problems, at->line, "the key %s is there twice", key);
        found = at->next;
    }
    return found == NULL || found->kind == VALUE_NIL ? NULL : found;
}

static void complain_of_word(const struct reading_entry *reading, const struct value *value,
                             const char *key, const char *const *words, const char *expected)
{
    char shown[SHOWN];
    const char *nearest = is_text(value) ? text_nearest(value->text, words) : NULL;
    problems_add(reading->problems, value->line, "%s is %s%s%s%s; expected %s", key,
                 value_show(value, shown, sizeof shown), nearest != NULL ? " (did you mean '" : "",
                 nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "", expected);
}

static void read_type(const struct reading_entry *reading)
{
    const struct value *value = look_up(reading, reading->map, "type");
    if (value == NULL) {
        problems_add(reading->problems, reading->map->line,
                     "the operation has no type: expected invoke, ok, fail or info");
        return;
    }
    for (int i = 0; types[i] != NULL; i++) {
        if (is_text(value) && strcmp(value->text, types[i]) == 0) {
            reading->entry->type = (enum entry_type)i;
            return;
        }
    }
    complain_of_word(reading, value, "the type", types, "invoke, ok, fail or info");
}

static void read_function(const struct reading_entry *reading)
{
    const struct value *value = look_up(reading, reading->map, "f");
    const char *names[FUNCTION_COUNT + 1] = {0};
    if (value == NULL) {
        problems_add(reading->problems, reading->map->line,
                     "the operation does not say what it does: expected an f, acquire or release");
        return;
    }
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        names[i] = functions[i].name;
        if (is_text(value) && strcmp(value->text, names[i]) == 0) {
            reading->entry->kind = functions[i].kind;
            reading->entry->shared = functions[i].shared;
            reading->entry->either = functions[i].either;
            return;
        }
    }
    complain_of_word(reading, value, "the f", names,
                     "acquire or release (also lock, unlock, acquire-write, release-write; of "
                     "readers acquire-shared, release-shared, acquire-read, release-read, "
                     "read-lock, read-unlock)");
}

static void read_process(const struct reading_entry *reading)
{
    struct entry *entry = reading->entry;
    const struct value *value = look_up(reading, reading->map, "process");
    char shown[SHOWN];
    if (value == NULL) {
        problems_add(reading->problems, reading->map->line,
                     "the operation does not say whose it is: expected a process, a number");
    } else if (value->kind == VALUE_INTEGER) {
        snprintf(entry->process, sizeof entry->process, "process %" PRId64, value->integer);
    } else if (is_text(value) && strlen(value->text) < 80) {
        entry->is_nemesis = strcmp(value->text, "nemesis") == 0;
        snprintf(entry->process, sizeof entry->process, "process %s", value->text);
    } else {
        problems_add(reading->problems, value->line, "the process is %s; expected a number",
                     value_show(value, shown, sizeof shown));
    }
}

// A whole number, or `missing`.
static int64_t read_number(const struct reading_entry *reading, const char *key,
                           const char *expected, int64_t missing)
{
    const struct value *value = look_up(reading, reading->map, key);
    char shown[SHOWN];
    if (value == NULL)
        return missing;
    if (value->kind == VALUE_INTEGER && value->integer <= MOST_NS && value->integer >= -MOST_NS)
        return value->integer;
    problems_add(reading->problems, value->line, "the %s is %s; expected %s", key,
                 value_show(value, shown, sizeof shown), expected);
    return missing;
}

// --- the value -----------------------------------------------------------------------------------

static void read_name(const struct reading_entry *reading, const struct value *value)
{
    struct entry *entry = reading->entry;
    if ((is_text(value) || value->kind == VALUE_NUMBER) && strlen(value->text) < ENTRY_TEXT_ROOM)
        snprintf(entry->name, sizeof entry->name, "%s", value->text);
    else if (value->kind == VALUE_INTEGER)
        snprintf(entry->name, sizeof entry->name, "%" PRId64, value->integer);
    else if (value->kind != VALUE_NIL)
        problems_add(reading->problems, value->line,
                     "the name of a lock must be a number, or a short word or string");
}

static void read_token(const struct reading_entry *reading, const struct value *value)
{
    char shown[SHOWN];
    if (value->kind == VALUE_INTEGER)
        reading->entry->token = value->integer;
    else if (value->kind != VALUE_NIL)
        problems_add(reading->problems, value->line,
                     "the token of a successful acquire is %s; expected a whole number of 64 bits, "
                     "or nil where it is not known",
                     value_show(value, shown, sizeof shown));
}

// Of two keys that mean the same.
static const struct value *either(const struct reading_entry *reading, const struct value *map,
                                  const char *key, const char *other)
{
    const struct value *value = look_up(reading, map, key);
    return value != NULL ? value : look_up(reading, map, other);
}

// [NAME VALUE], {:name NAME, :token TOKEN}, TOKEN, or anything.
static void read_value(const struct reading_entry *reading, bool has_token)
{
    const struct value *value = look_up(reading, reading->map, "value");
    bool is_pair = value != NULL && value->kind == VALUE_LIST && value->first != NULL &&
                   value->first->next != NULL && value->first->next->next == NULL;
    if (is_pair) {
        read_name(reading, value->first);
        value = value->first->next;
    }
    if (value == NULL)
        return;
    if (value->kind == VALUE_MAP) {
        const struct value *name = either(reading, value, "name", "lock");
        if (name != NULL && !is_pair)
            read_name(reading, name);
        value = either(reading, value, "token", "fence");
    }
    if (value != NULL && has_token)
        read_token(reading, value);
}

int entry_read(const struct value *map, bool tokens, struct entry *entry, struct problems *problems)
{
    const struct reading_entry reading = {map, entry, problems};
    size_t before = problems->count;
    *entry = (struct entry){.line = map->line, .at_ns = TIME_NEVER, .index = -1};
    read_process(&reading);
    if (entry->is_nemesis)
        return 0;
    read_type(&reading);
    read_function(&reading);
    entry->at_ns = read_number(&reading, "time", "a whole number of nanoseconds", TIME_NEVER);
    entry->index = read_number(&reading, "index", "a whole number", -1);
    read_value(&reading, tokens && entry->type == ENTRY_OK && entry->kind == OPERATION_ACQUIRE);
    return problems->count > before ? -1 : 0;
}
