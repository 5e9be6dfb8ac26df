#include "harness/report/fields.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- values --------------------------------------------------------------------------------------

static void clean(json_t *value)
{
    const char *key;
    json_t *child;
    size_t index;
    void *next;
    if (json_is_string(value)) {
        char *string = memory_string(json_string_value(value));
        json_string_set(value, text_clean(string));
        free(string);
    }
    json_object_foreach_safe(value, next, key, child)
    {
        clean(child);
    }
    json_array_foreach(value, index, child)
    {
        clean(child);
    }
}

json_t *json_read(const char *path, struct error *error)
{
    struct text text = {0};
    json_error_t problem;
    json_t *root = NULL;
    if (file_read(path, &text, error) == 0) {
        root = json_loadb(text_string(&text), text.length, 0, &problem);
        if (root == NULL)
            error_set(error, "%s:%d:%d: %s", path, problem.line, problem.column, problem.text);
        clean(root);
    }
    text_free(&text);
    return root;
}

json_t *value_text(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    char *clean = memory_string(text);
    for (char *c = clean; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        if (strnlen(c, length) < length || (value = json_stringn(c, length)) == NULL)
            *c = '?';
        else
            c += length - 1;
        json_decref(value);
        value = NULL;
    }
    value = json_string(clean);
    free(clean);
    return value;
}

json_t *value_integer(int64_t value)
{
    return value == TIME_NEVER ? json_null() : json_integer(value);
}

json_t *value_count(size_t value)
{
    return json_integer((json_int_t)value);
}

json_t *value_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *value_lines(const char *lines)
{
    json_t *array = json_array();
    for (size_t length; lines != NULL && *lines != '\0';
         lines += length + (lines[length] == '\n')) {
        struct text line = {0};
        length = strcspn(lines, "\n");
        text_add_bytes(&line, lines, length);
        json_array_append_new(array, value_text(text_string(&line)));
        text_free(&line);
    }
    return array;
}

json_t *value_percentiles(const struct percentiles *percentiles)
{
    if (percentiles->count == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "count", value_count(percentiles->count));
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        set_value(object, percentile_forms[i].key, value_integer(percentiles->ns[i]));
    return object;
}

json_t *value_marked(const bool *marked)
{
    json_t *array = json_array();
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (marked[i])
            json_array_append_new(array, value_text(percentile_forms[i].name));
    }
    return array;
}

void set_value(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

json_t *value_at(const json_t *value, const char *path)
{
    json_t *at = (json_t *)(size_t)value;
    char key[80];
    for (size_t length; *path != '\0' && at != NULL; path += length + (path[length] == '.')) {
        length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        at = json_is_array(at) ? json_array_get(at, strtoul(key, NULL, 10))
                               : json_object_get(at, key);
    }
    return at;
}

// --- tables --------------------------------------------------------------------------------------

// A field of a plain kind.
struct plain {
    bool is_whole; // an integer, or a truth
    bool is_text;
    int64_t whole;
    double number;
    const char *text;
};

static struct plain plain_of(enum field_kind kind, const void *at)
{
    switch (kind) {
    case FIELD_BOOL:
        return (struct plain){.is_whole = true, .whole = *(const bool *)at};
    case FIELD_INT:
        return (struct plain){.is_whole = true, .whole = *(const int *)at};
    case FIELD_INTEGER:
        return (struct plain){.is_whole = true, .whole = *(const int64_t *)at};
    case FIELD_COUNT:
        return (struct plain){.is_whole = true, .whole = (int64_t) * (const size_t *)at};
    case FIELD_CHARS:
        return (struct plain){.is_text = true, .text = at};
    case FIELD_STRING:
        return (struct plain){.is_text = true, .text = *(const char *const *)at};
    default:
        return (struct plain){.number = *(const double *)at};
    }
}

static const void *place_of(const struct field *field, const void *record)
{
    return (const char *)record + field->offset;
}

static bool is_known(const struct field *field, const void *record)
{
    if (field->known == FIELD_END)
        return true;
    struct plain condition = plain_of(field->known, (const char *)record + field->known_offset);
    return condition.is_whole  ? condition.whole != 0
           : condition.is_text ? condition.text != NULL && condition.text[0] != '\0'
                               : isfinite(condition.number);
}

static json_t *field_json(const struct field *field, const void *record)
{
    const void *at = place_of(field, record);
    if (field->kind == FIELD_MADE)
        return field->make(record);
    if (!is_known(field, record))
        return json_null();
    if (field->kind == FIELD_OBJECT)
        return fields_json(field->fields, at);
    if (field->kind == FIELD_PERCENTILES)
        return value_percentiles(at);
    struct plain plain = plain_of(field->kind, at);
    return field->kind == FIELD_BOOL ? json_boolean(plain.whole)
           : plain.is_whole          ? value_integer(plain.whole)
           : plain.is_text           ? value_text(plain.text)
                                     : value_number(plain.number);
}

void fields_set(json_t *object, const struct field *fields, const void *record)
{
    for (const struct field *field = fields; field->kind != FIELD_END; field++)
        set_value(object, field->key, field_json(field, record));
}

json_t *fields_json(const struct field *fields, const void *record)
{
    if (record == NULL)
        return json_null();
    json_t *object = json_object();
    fields_set(object, fields, record);
    return object;
}

json_t *fields_json_array(const struct field *fields, const void *records, size_t count,
                          size_t size)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, fields_json(fields, (const char *)records + i * size));
    return array;
}

void fields_read(const struct field *fields, const json_t *object, void *record)
{
    for (const struct field *field = fields; field->kind != FIELD_END; field++) {
        const json_t *value = json_object_get(object, field->key);
        void *at = (char *)record + field->offset;
        switch (field->kind) {
        case FIELD_BOOL:
            *(bool *)at = json_is_true(value);
            break;
        case FIELD_INT:
            *(int *)at = (int)json_integer_value(value);
            break;
        case FIELD_INTEGER:
            *(int64_t *)at = json_integer_value(value);
            break;
        case FIELD_COUNT:
            *(size_t *)at = (size_t)json_integer_value(value);
            break;
        case FIELD_NUMBER:
            *(double *)at = json_number_value(value);
            break;
        case FIELD_CHARS:
            snprintf(at, field->size, "%s", text_at(object, field->key));
            break;
        default:
            break;
        }
    }
}
