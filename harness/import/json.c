#include "harness/import/reader.h"

#include <jansson.h>

// --- any operation -------------------------------------------------------------------------------

// jansson's values become the reader's. Keys are words, as they are in EDN.

static void set_text(struct reader *reader, struct value *value, enum value_kind kind,
                     const char *text)
{
    value->kind = kind;
    value->length = strlen(text);
    value->text = reader_text(reader, text, value->length);
}

static bool convert(struct reader *reader, json_t *json, struct value *value, int depth);

// Appends an item to a list or map, whose `next` is to be `**end`.
static struct value *append(struct reader *reader, uint32_t line, const struct value ***end)
{
    struct value *item = reader_value(reader, line);
    if (item != NULL) {
        **end = item;
        *end = &item->next;
    }
    return item;
}

static bool convert_items(struct reader *reader, json_t *json, struct value *list, int depth)
{
    const struct value **end = &list->first;
    size_t index;
    const char *key;
    json_t *item;
    struct value *value;
    list->kind = json_is_object(json) ? VALUE_MAP : VALUE_LIST;
    json_array_foreach(json, index, item)
    {
        value = append(reader, list->line, &end);
        if (value == NULL || !convert(reader, item, value, depth + 1))
            return false;
    }
    json_object_foreach(json, key, item)
    {
        value = append(reader, list->line, &end);
        if (value == NULL)
            return false;
        set_text(reader, value, VALUE_WORD, key);
        value = append(reader, list->line, &end);
        if (value == NULL || !convert(reader, item, value, depth + 1))
            return false;
    }
    return true;
}

static bool convert(struct reader *reader, json_t *json, struct value *value, int depth)
{
    if (depth > VALUE_MOST_NESTED)
        return reader_complain(reader, value->line, "nested more than 100 deep");
    switch (json_typeof(json)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        return convert_items(reader, json, value, depth);
    case JSON_STRING:
        set_text(reader, value, VALUE_STRING, json_string_value(json));
        break;
    case JSON_INTEGER:
        value->kind = VALUE_INTEGER;
        value->integer = json_integer_value(json);
        break;
    case JSON_REAL:
        set_text(reader, value, VALUE_NUMBER, "a number with a point");
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        value->kind = VALUE_BOOLEAN;
        value->integer = json_is_true(json);
        break;
    case JSON_NULL:
        break;
    }
    return true;
}

bool json_read_slowly(struct reader *reader, struct entry_fields *fields)
{
    size_t left = (size_t)(reader->end - reader->at);
    size_t most = left < VALUE_MOST_BYTES ? left : VALUE_MOST_BYTES;
    uint32_t line = reader->line;
    unsigned seen = 0;
    const char *key;
    json_t *item;
    json_error_t error;
    json_t *json =
        json_loadb(reader->at, most, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) {
        if (most < left && json_error_code(&error) == json_error_premature_end_of_input)
            return reader_complain(reader, line, "an operation of more than 16 MiB");
        problems_add(reader->problems, line + (error.line > 1 ? (uint32_t)error.line - 1 : 0),
                     "no JSON: %s", error.text);
        return false;
    }
    bool is_read = true;
    *fields = (struct entry_fields){.line = line};
    json_object_foreach(json, key, item)
    {
        enum field field = field_of(key, strlen(key));
        reader->values[field] = (struct value){.line = line};
        is_read = is_read && convert(reader, item, &reader->values[field], 1);
        fields_put(reader, fields, field, line, &seen);
    }
    json_decref(json);
    for (const char *behind = reader->at + error.position; is_read && reader->at < behind;)
        reader_take(reader);
    return is_read;
}

// --- what is usual -------------------------------------------------------------------------------

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

// Behind the quote that ends a string without escapes, of ASCII; NULL of any other.
static const char *take_string(const char *at, const char *end, struct value *value)
{
    value->kind = VALUE_STRING;
    value->text = at;
    while (at < end && *at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    value->length = (size_t)(at - value->text);
    return at < end && *at == '"' ? at + 1 : NULL;
}

static const char *take_plain(const char *at, const char *end, uint32_t line, struct value *value)
{
    *value = (struct value){.line = line};
    if (at == end)
        return NULL;
    if (*at == '"')
        return take_string(at + 1, end, value);
    if (end - at >= 4 && memcmp(at, "null", 4) == 0)
        return at + 4;
    const char *behind = take_integer(at, end, value);
    const char *digits = at + (*at == '-');
    bool has_leading_zero = behind != NULL && *digits == '0' && value->length > 1;
    return has_leading_zero ? NULL : behind;
}

// [NAME, VALUE]
static const char *take_pair(struct reader *reader, const char *at, struct value *list)
{
    const struct value **end = &list->first;
    *list = (struct value){.kind = VALUE_LIST, .line = reader->line};
    for (size_t i = 0; i < 2 && at != NULL; i++) {
        struct value *item = append(reader, reader->line, &end);
        at = take_plain(skip_spaces(at + 1, reader->end), reader->end, reader->line, item);
        if (at == NULL || at == reader->end || *at != ",]"[i])
            return NULL;
    }
    return at + 1;
}

// `"KEY":`, behind the first quote, and blanks after it.
static const char *take_key(struct reader *reader, size_t place, const char *at, enum field *field)
{
    struct value key;
    const struct known_key *known = recall_key(reader, place, at);
    if (known != NULL) {
        *field = known->field;
        at += known->length;
    } else {
        const char *behind = take_string(at, reader->end, &key);
        if (behind == NULL)
            return NULL;
        *field = field_of(key.text, key.length);
        remember_key(reader, place, at, (size_t)(behind - at), *field);
        at = behind;
    }
    return at < reader->end && *at == ':' ? skip_spaces(at + 1, reader->end) : NULL;
}

bool json_read_quickly(struct reader *reader, struct entry_fields *fields)
{
    const char *end = reader->end;
    const char *at = reader->at;
    unsigned seen = 0;
    *fields = (struct entry_fields){.line = reader->line};
    for (size_t place = 0; *at != '}'; place++) {
        enum field field;
        at = skip_spaces(at + 1, end);
        at = at < end && *at == '"' ? take_key(reader, place, at + 1, &field) : NULL;
        // What keys are there twice is jansson's to find.
        if (at == NULL || at == end || field == FIELDS || (seen & 1U << field) != 0)
            return false;
        struct value *value = &reader->values[field];
        at = field == FIELD_VALUE && *at == '[' ? take_pair(reader, at, value)
                                                : take_plain(at, end, reader->line, value);
        at = at != NULL ? skip_spaces(at, end) : end;
        if (at == end || (*at != ',' && *at != '}'))
            return false;
        fields_put(reader, fields, field, reader->line, &seen);
    }
    if (at - reader->at >= (ptrdiff_t)VALUE_MOST_BYTES)
        return false;
    reader->at = at + 1;
    return true;
}

static bool read_operation(struct reader *reader, struct entry_fields *fields)
{
    return json_read_quickly(reader, fields) || json_read_slowly(reader, fields);
}

static bool skip_blanks(struct reader *reader, int depth)
{
    (void)depth;
    while (reader_has(reader) && strchr(" ,\n\t\r", *reader->at) != NULL && *reader->at != '\0')
        reader_take(reader);
    return true;
}

const struct syntax json_syntax = {
    .lists = "[]",
    .example = "{\"process\": 0, \"type\": \"invoke\", \"f\": \"acquire\", ...}",
    .skip_blanks = skip_blanks,
    .read_operation = read_operation,
};
