#include "harness/import/reader.h"

#include <jansson.h>
#include <string.h>

static const struct value *take(struct reader *reader, json_t *json, uint32_t line, int depth);

static const struct value *complain(struct reader *reader, uint32_t line, const char *what)
{
    problems_add(reader->problems, line, "%s", what);
    return NULL;
}

// jansson's values become those of the arena. Keys are words, as they are in EDN.

static bool take_item(const struct value *item, const struct value ***end)
{
    if (item == NULL)
        return false;
    **end = item;
    *end = &((struct value *)(size_t)item)->next; // the arena's own
    return true;
}

static bool take_list(struct reader *reader, json_t *json, struct value *list, int depth)
{
    const struct value **end = &list->first;
    size_t index;
    json_t *item;
    json_array_foreach(json, index, item)
    {
        if (!take_item(take(reader, item, list->line, depth + 1), &end))
            return false;
    }
    return true;
}

static bool take_map(struct reader *reader, json_t *json, struct value *map, int depth)
{
    const struct value **end = &map->first;
    const char *key;
    json_t *item;
    json_object_foreach(json, key, item)
    {
        struct value *word = arena_value(&reader->arena, VALUE_WORD, map->line);
        if (word == NULL)
            return false;
        word->length = strlen(key);
        word->text = arena_text(&reader->arena, key, word->length);
        take_item(word, &end);
        if (!take_item(take(reader, item, map->line, depth + 1), &end))
            return false;
    }
    return true;
}

static enum value_kind kind_of(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return VALUE_MAP;
    case JSON_ARRAY:
        return VALUE_LIST;
    case JSON_STRING:
        return VALUE_STRING;
    case JSON_INTEGER:
        return VALUE_INTEGER;
    case JSON_REAL:
        return VALUE_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE:
        return VALUE_BOOLEAN;
    case JSON_NULL:
        break;
    }
    return VALUE_NIL;
}

static void set_text(struct value *value, const char *text)
{
    value->text = text;
    value->length = strlen(text);
}

static const struct value *take(struct reader *reader, json_t *json, uint32_t line, int depth)
{
    if (depth > VALUE_MOST_NESTED)
        return complain(reader, line, "nested more than 100 deep");
    struct value *value = arena_value(&reader->arena, kind_of(json), line);
    if (value == NULL)
        return complain(reader, line, "an operation of more than a million values");
    bool taken = true;
    if (value->kind == VALUE_MAP)
        taken = take_map(reader, json, value, depth);
    else if (value->kind == VALUE_LIST)
        taken = take_list(reader, json, value, depth);
    else if (value->kind == VALUE_INTEGER)
        value->integer = json_integer_value(json);
    else if (value->kind == VALUE_BOOLEAN)
        value->integer = json_is_true(json);
    else if (value->kind == VALUE_STRING)
        set_text(value, arena_text(&reader->arena, json_string_value(json),
                                   strlen(json_string_value(json))));
    else if (value->kind == VALUE_NUMBER)
        set_text(value, "a number with a point");
    return taken ? value : NULL;
}

// --- objects, one after the other ----------------------------------------------------------------

static const struct value *read_object(struct reader *reader)
{
    size_t left = (size_t)(reader->end - reader->at);
    size_t most = left < VALUE_MOST_BYTES ? left : VALUE_MOST_BYTES;
    uint32_t line = reader->line;
    json_error_t error;
    json_t *json =
        json_loadb(reader->at, most, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) {
        if (most < left && json_error_code(&error) == json_error_premature_end_of_input)
            return complain(reader, line, "an operation of more than 16 MiB");
        problems_add(reader->problems, line + (error.line > 1 ? (uint32_t)error.line - 1 : 0),
                     "no JSON: %s", error.text);
        return NULL;
    }
    const char *behind = reader->at + error.position;
    const struct value *value = take(reader, json, line, 0);
    json_decref(json);
    while (value != NULL && reader->at < behind)
        reader_take(reader);
    return value;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',';
}

// The bounds of a list of objects. False if what is there is wrong.
static bool pass_mark(struct reader *reader)
{
    char mark = *reader->at;
    if (mark == '[' && reader->list_line == 0) {
        reader->list_line = reader->line;
    } else if (mark == ']' && reader->list_line != 0) {
        reader->list_line = 0;
    } else {
        problems_add(reader->problems, reader->line,
                     "expected an operation, {\"process\": 0, \"type\": \"invoke\", \"f\": "
                     "\"acquire\", ...}");
        return false;
    }
    reader->at++;
    return true;
}

enum map_reading json_next(struct reader *reader, const struct value **value)
{
    arena_clear(&reader->arena);
    for (;;) {
        while (reader_has(reader) && is_blank(*reader->at))
            reader_take(reader);
        if (!reader_has(reader) && reader->list_line == 0)
            return READING_END;
        if (!reader_has(reader)) {
            problems_add(reader->problems, reader->line,
                         "the file ends inside of the list that line %u opens; expected ']'",
                         reader->list_line);
            reader->list_line = 0;
            return READING_BAD;
        }
        if (*reader->at == '{') {
            *value = read_object(reader);
            if (*value != NULL)
                return READING_MAP;
            break;
        }
        if (!pass_mark(reader))
            break;
    }
    reader_skip_map(reader);
    return READING_BAD;
}
