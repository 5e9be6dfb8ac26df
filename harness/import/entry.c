#include "harness/import/entry.h"

#include "harness/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Times beyond these could not be subtracted.
#define MOST_NS (INT64_MAX / 4)

#define MOST_PERMITS 10000
#define MOST_TEXT 100
#define SHOWN 64

static const struct function {
    const char *name;
    enum operation_kind kind;
    bool shared;
    bool either;
} functions[] = {
    {"acquire", OPERATION_ACQUIRE, false, false},
    {"release", OPERATION_RELEASE, false, true},
    {"acquire-shared", OPERATION_ACQUIRE, true, false},
    {"release-shared", OPERATION_RELEASE, true, false},
    {"renew", OPERATION_RENEW, false, false},
    {"lock", OPERATION_ACQUIRE, false, false},
    {"unlock", OPERATION_RELEASE, false, true},
    {"refresh", OPERATION_RENEW, false, false},
    {"extend", OPERATION_RENEW, false, false},
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

bool entry_knows_function(const char *name)
{
    bool known = strcmp(name, "skip") == 0;
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        known = known || strcmp(functions[i].name, name) == 0;
    return known;
}

// What is being read.
struct reading_entry {
    const struct entry_fields *fields;
    const struct import_options *options;
    struct entry *entry;
    struct problems *problems;
};

static bool is_text(const struct value *value)
{
    return value->kind == VALUE_WORD || value->kind == VALUE_STRING;
}

static void complain_of_word(const struct reading_entry *reading, const struct value *value,
                             const char *key, const char *const *words, const char *expected)
{
    char word[SHOWN] = "";
    if (is_text(value))
        snprintf(word, sizeof word, "%.*s", value->length < 60 ? (int)value->length : 60,
                 value->text);
    const char *nearest = word[0] != '\0' ? text_nearest(word, words) : NULL;
    problems_add(reading->problems, value->line, "%s is %s%s%s%s; expected %s", key,
                 value_show(value).text, nearest != NULL ? " (did you mean '" : "",
                 nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "", expected);
}

static void read_type(const struct reading_entry *reading)
{
    const struct value *value = reading->fields->of[FIELD_TYPE];
    if (value == NULL) {
        problems_add(reading->problems, reading->fields->line,
                     "the operation has no type: expected invoke, ok, fail or info");
        return;
    }
    for (int i = 0; types[i] != NULL; i++) {
        if (value_is(value, types[i])) {
            reading->entry->type = (enum entry_type)i;
            return;
        }
    }
    complain_of_word(reading, value, "the type", types, "invoke, ok, fail or info");
}

static void set_function(struct entry *entry, const struct function *function)
{
    entry->kind = function->kind;
    entry->shared = function->shared;
    entry->either = function->either;
}

// True if the history's own name of it was declared.
static bool is_renamed(const struct reading_entry *reading, const struct value *value)
{
    const struct import_options *options = reading->options;
    for (size_t i = 0; i < options->rename_count; i++) {
        if (!value_is(value, options->renames[i].from))
            continue;
        if (strcmp(options->renames[i].to, "skip") == 0)
            reading->entry->use = ENTRY_SKIPPED;
        for (size_t j = 0; j < FUNCTION_COUNT; j++) {
            if (strcmp(functions[j].name, options->renames[i].to) == 0)
                set_function(reading->entry, &functions[j]);
        }
        return true;
    }
    return false;
}

static void read_function(const struct reading_entry *reading)
{
    const struct value *value = reading->fields->of[FIELD_F];
    if (value == NULL) {
        problems_add(reading->problems, reading->fields->line,
                     "the operation does not say what it does: expected an f, acquire or release");
        return;
    }
    if (is_renamed(reading, value))
        return;
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (value_is(value, functions[i].name)) {
            set_function(reading->entry, &functions[i]);
            return;
        }
    }
    const char *names[FUNCTION_COUNT + 1] = {0};
    char expected[320];
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        names[i] = functions[i].name;
    int length = is_text(value) && value->length < 60 ? (int)value->length : 0;
    const char *name = length > 0 ? value->text : "NAME";
    length = length > 0 ? length : 4;
    snprintf(expected, sizeof expected,
             "acquire or release (or another that `lockpick help check` lists); --f %.*s=acquire, "
             "=release or =renew says that it is that, and --f %.*s=skip leaves it out",
             length, name, length, name);
    complain_of_word(reading, value, "the f", names, expected);
}

static void read_process(const struct reading_entry *reading)
{
    struct entry *entry = reading->entry;
    const struct value *value = reading->fields->of[FIELD_PROCESS];
    if (value == NULL) {
        problems_add(reading->problems, reading->fields->line,
                     "the operation does not say whose it is: expected a process, a number");
    } else if (value->kind == VALUE_INTEGER) {
        entry->number = value->integer;
    } else if (is_text(value) && value->length > 0 && value->length < MOST_TEXT) {
        if (value_is(value, "nemesis"))
            entry->use = ENTRY_OF_NEMESIS;
        entry->process = (struct slice){value->text, value->length};
    } else {
        problems_add(reading->problems, value->line, "the process is %s; expected a number",
                     value_show(value).text);
    }
}

// A whole number, or `missing`.
static int64_t read_number(const struct reading_entry *reading, const struct value *value,
                           const char *key, const char *expected, int64_t missing)
{
    if (value == NULL)
        return missing;
    if (value->kind == VALUE_INTEGER && value->integer <= MOST_NS && value->integer >= -MOST_NS)
        return value->integer;
    problems_add(reading->problems, value->line, "the %s is %s; expected %s", key,
                 value_show(value).text, expected);
    return missing;
}

// --- the value -----------------------------------------------------------------------------------

// The text of a word, string or number; empty of what has none. `digits` has room for a number.
static struct slice text_of(const struct value *value, char *digits)
{
    // Of a number that is written as it is shown.
    bool is_plain = value->kind == VALUE_INTEGER && value->length > 0 && value->text[0] <= '9' &&
                    value->text[0] >= (value->length == 1 ? '0' : '1') &&
                    value->text[value->length - 1] != 'N';
    if (is_text(value) || value->kind == VALUE_NUMBER || is_plain)
        return (struct slice){value->text, value->length};
    if (value->kind != VALUE_INTEGER && value->kind != VALUE_BOOLEAN)
        return (struct slice){0};
    if (value->kind == VALUE_BOOLEAN)
        snprintf(digits, 24, "%s", value->integer != 0 ? "true" : "false");
    else
        snprintf(digits, 24, "%" PRId64, value->integer);
    return (struct slice){digits, strlen(digits)};
}

static void read_name(const struct reading_entry *reading, const struct value *value)
{
    struct entry *entry = reading->entry;
    struct slice name = text_of(value, entry->digits[0]);
    if (value->kind == VALUE_NIL)
        return;
    if (name.length > 0 && name.length < MOST_TEXT && value->kind != VALUE_BOOLEAN)
        entry->name = name;
    else
        problems_add(reading->problems, value->line,
                     "the name of a lock must be a number, or a short word or string");
}

static void read_token(const struct reading_entry *reading, const struct value *value)
{
    struct entry *entry = reading->entry;
    // Elsewhere it repeats the token of the hold.
    if (value->kind == VALUE_NIL || entry->type != ENTRY_OK || entry->kind != OPERATION_ACQUIRE)
        return;
    if (value->kind != VALUE_INTEGER)
        problems_add(reading->problems, value->line,
                     "the token of a successful acquire is %s; expected a whole number of 64 bits, "
                     "or nil where it is not known (--value says what else a value means)",
                     value_show(value).text);
    else if (reading->options->has_tokens)
        entry->token = value->integer;
    else
        entry->has_idle_token = true;
}

static void read_permits(const struct reading_entry *reading, const struct value *value)
{
    if (value->kind == VALUE_INTEGER && value->integer >= 1 && value->integer <= MOST_PERMITS &&
        (reading->options->has_permits || value->integer == 1))
        reading->entry->permits = value->integer;
    else if (value->kind != VALUE_NIL)
        problems_add(reading->problems, value->line,
                     reading->options->has_permits
                         ? "the count of permits is %s; expected a whole number from 1 to 10,000"
                         : "the count of permits is %s, but the model has none: try semaphore",
                     value_show(value).text);
}

// A value that is no pair and no map.
static void read_plain(const struct reading_entry *reading, const struct value *value)
{
    const struct import_options *options = reading->options;
    struct entry *entry = reading->entry;
    bool granted = entry->type == ENTRY_OK && entry->kind == OPERATION_ACQUIRE;
    switch (options->value) {
    case MEANS_NAME:
        read_name(reading, value);
        return;
    case MEANS_PERMITS:
        read_permits(reading, value);
        return;
    case MEANS_TOKEN:
        read_token(reading, value);
        return;
    case MEANS_NOTHING:
        return;
    case MEANS_BY_SHAPE:
        break;
    }
    if (options->has_permits && value->kind == VALUE_INTEGER)
        read_permits(reading, value);
    else if (granted && (value->kind == VALUE_INTEGER || options->has_tokens))
        read_token(reading, value);
    else if (value->kind != VALUE_NIL && !(value->kind == VALUE_BOOLEAN && value->integer != 0))
        entry->is_unclear = true;
}

static bool is_one_of(const struct value *key, const char *one, const char *other)
{
    return value_is(key, one) || value_is(key, other);
}

static void read_map(const struct reading_entry *reading, const struct value *map)
{
    struct entry *entry = reading->entry;
    for (const struct value *key = map->first; key != NULL; key = key->next->next) {
        const struct value *value = key->next;
        if (is_one_of(key, "name", "lock")) {
            read_name(reading, value);
        } else if (is_one_of(key, "token", "fence")) {
            read_token(reading, value);
        } else if (is_one_of(key, "permits", "count")) {
            read_permits(reading, value);
        } else if (is_one_of(key, "client", "owner")) {
            entry->client = text_of(value, entry->digits[1]);
        } else if (is_one_of(key, "uid", "id")) {
            entry->has_uid = true;
        } else {
            problems_add(reading->problems, key->line,
                         "Lockpick cannot tell what %s in the value says of the lock; it knows "
                         "name or lock, token or fence, permits or count, client or owner, uid or "
                         "id; --value nothing leaves all values out",
                         value_show(key).text);
            return;
        }
    }
}

static void read_value(const struct reading_entry *reading)
{
    const struct value *value = reading->fields->of[FIELD_VALUE];
    if (value == NULL || reading->options->value == MEANS_NOTHING)
        return;
    if (value->kind == VALUE_LIST) {
        if (value->first == NULL || value->first->next == NULL ||
            value->first->next->next != NULL) {
            problems_add(reading->problems, value->line,
                         "the value is a list; expected [NAME VALUE], the name of a lock and what "
                         "is said of it; --value nothing leaves all values out");
            return;
        }
        read_name(reading, value->first);
        value = value->first->next;
    }
    if (value->kind == VALUE_MAP)
        read_map(reading, value);
    else if (value->kind == VALUE_LIST)
        problems_add(reading->problems, value->line,
                     "what is said of the lock is a list; expected a token, a count of permits, a "
                     "map, or nil; --value nothing leaves all values out");
    else if (reading->fields->of[FIELD_VALUE]->kind == VALUE_LIST &&
             reading->options->value == MEANS_NAME)
        read_token(reading, value);
    else
        read_plain(reading, value);
}

// :error :busy, "timed out", [:not-held "..."], {:type :not-held}: the first word.
static void read_error(const struct reading_entry *reading)
{
    struct entry *entry = reading->entry;
    const struct value *value = reading->fields->of[FIELD_ERROR];
    for (int depth = 0; value != NULL && depth < VALUE_MOST_NESTED; depth++) {
        if (value->kind == VALUE_LIST)
            value = value->first;
        else if (value->kind == VALUE_MAP)
            value = value->first != NULL ? value->first->next : NULL;
        else
            break;
    }
    if (value != NULL)
        entry->error = text_of(value, entry->digits[2]);
    if (entry->error.length >= MOST_TEXT)
        entry->error.length = MOST_TEXT - 1;
}

int entry_read(const struct entry_fields *fields, const struct import_options *options,
               struct entry *entry, struct problems *problems)
{
    // cppcheck-suppress ctuuninitvar
    const struct reading_entry reading = {fields, options, entry, problems};
    size_t before = problems->count;
    entry->line = fields->line;
    entry->use = ENTRY_TAKEN;
    entry->type = ENTRY_INVOKE;
    entry->kind = OPERATION_ACQUIRE;
    entry->shared = entry->either = entry->is_unclear = entry->has_uid = false;
    entry->has_idle_token = false;
    entry->process = entry->name = entry->client = entry->error = (struct slice){0};
    entry->number = entry->token = entry->permits = 0;
    entry->at_ns = TIME_NEVER;
    entry->index = read_number(&reading, fields->of[FIELD_INDEX], "index", "a whole number from 0",
                               INT64_C(-1));
    read_process(&reading);
    if (entry->use == ENTRY_OF_NEMESIS)
        return problems->count > before ? -1 : 0;
    read_type(&reading);
    read_function(&reading);
    if (entry->use == ENTRY_SKIPPED)
        return problems->count > before ? -1 : 0;
    entry->at_ns = read_number(&reading, fields->of[FIELD_TIME], "time",
                               "a whole number of nanoseconds", TIME_NEVER);
    read_value(&reading);
    read_error(&reading);
    return problems->count > before ? -1 : 0;
}
