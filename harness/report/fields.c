#include "harness/report/fields.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <inttypes.h>
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
        AUTO_FREE char *string = memory_string(json_string_value(value));
        json_string_set(value, text_clean(string));
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
    AUTO_TEXT struct text text = {0};
    json_error_t problem;
    if (file_read(path, &text, error) != 0)
        return NULL;
    json_t *root = json_loadb(text_string(&text), text.length, 0, &problem);
    if (root == NULL)
        error_set(error, "%s:%d:%d: %s", path, problem.line, problem.column, problem.text);
    clean(root);
    return root;
}

json_t *value_text(const char *text)
{
    if (text == NULL)
        return json_null();
    AUTO_FREE char *clean = memory_string(text);
    uint32_t character;
    for (size_t i = 0, length; clean[i] != '\0'; i += length > 0 ? length : 1) {
        length = utf8_decode(clean + i, &character);
        clean[i] = length > 0 ? clean[i] : '?';
    }
    return json_string(clean);
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

char *value_dump(json_t *value, size_t indent)
{
    char *text = json_dumps(value, JSON_INDENT(indent));
    json_decref(value);
    return text != NULL ? text : memory_string("");
}

json_t *value_lines(const char *lines)
{
    json_t *array = json_array();
    for (size_t length; lines != NULL && *lines != '\0';
         lines += length + (lines[length] == '\n')) {
        AUTO_TEXT struct text line = {0};
        length = strcspn(lines, "\n");
        text_add_bytes(&line, lines, length);
        json_array_append_new(array, value_text(text_string(&line)));
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
    bool is_text, is_whole; // else it is a number; whole: an integer, or a truth
    const char *text;
    int64_t whole;
    double number; // of what is whole, too
};

static struct plain plain_of(enum field_kind kind, const void *at)
{
    struct plain plain = {.is_text = kind == FIELD_CHARS || kind == FIELD_STRING,
                          .is_whole = kind >= FIELD_BOOL && kind <= FIELD_COUNT};
    if (plain.is_text)
        plain.text = kind == FIELD_CHARS ? at : *(const char *const *)at;
    else if (!plain.is_whole)
        plain.number = *(const double *)at;
    else
        plain.whole = kind == FIELD_BOOL      ? *(const bool *)at
                      : kind == FIELD_INT     ? *(const int *)at
                      : kind == FIELD_INTEGER ? *(const int64_t *)at
                                              : (int64_t) * (const size_t *)at;
    if (plain.is_whole)
        plain.number = (double)plain.whole;
    return plain;
}

static json_t *percentiles_json(const struct percentiles *percentiles)
{
    if (percentiles->count == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "count", value_count(percentiles->count));
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        set_value(object, percentile_forms[i].key, value_integer(percentiles->ns[i]));
    return object;
}

static json_t *histogram_json(const struct histogram *histogram)
{
    AUTO_TEXT struct text encoded = {0};
    if (histogram->total > 0)
        histogram_encode(histogram, &encoded);
    return value_text(encoded.bytes);
}

static json_t *array_json(const struct field *field, const char *records, int64_t count)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(array, fields_json(field->fields, records + (size_t)i * field->size));
    return array;
}

static json_t *field_json(const struct field *field, const void *record)
{
    const void *at = (const char *)record + field->offset;
    struct plain other = {.is_whole = true, .whole = 1, .number = 1};
    struct plain plain;
    json_t *array;
    if (field->known != FIELD_END)
        other = plain_of(field->known, (const char *)record + field->known_offset);
    if (field->kind == FIELD_ARRAY)
        return array_json(field, at, other.whole);
    if (field->kind == FIELD_LIST)
        return array_json(field, *(const char *const *)at, other.whole);
    if (other.is_text ? other.text == NULL || other.text[0] == '\0'
                      : !isfinite(other.number) || (other.is_whole && other.whole == 0))
        return json_null();
    switch (field->kind) {
    case FIELD_SEED:
        return json_sprintf("%" PRIu64, *(const uint64_t *)at);
    case FIELD_NAME:
        return value_text(field->names[*(const unsigned *)at]);
    case FIELD_SHARE:
        plain = plain_of(field->part, at);
        return value_number(plain.number < 0 ? NAN : plain.number / other.number);
    case FIELD_NUMBERS:
        array = json_array();
        for (size_t i = 0; i < field->size / sizeof(double); i++)
            json_array_append_new(array, value_number(((const double *)at)[i]));
        return array;
    case FIELD_MARKS:
        array = json_array();
        for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
            if (((const bool *)at)[i])
                json_array_append_new(array, value_text(percentile_forms[i].name));
        }
        return array;
    case FIELD_PERCENTILES:
        return percentiles_json(at);
    case FIELD_HISTOGRAM:
        return histogram_json(at);
    case FIELD_OBJECT:
        return fields_json(field->fields, at);
    case FIELD_POINTER:
        return fields_json(field->fields, *(const void *const *)at);
    case FIELD_MADE:
        return field->make(record);
    default:
        plain = plain_of(field->kind, at);
        return field->divisor != 0         ? value_number(plain.number / field->divisor)
               : field->kind == FIELD_BOOL ? json_boolean(plain.whole)
               : plain.is_whole            ? value_integer(plain.whole)
               : plain.is_text             ? value_text(plain.text)
                                           : value_number(plain.number);
    }
}

json_t *fields_json(const struct field *fields, const void *record)
{
    if (record == NULL)
        return json_null();
    json_t *object = json_object();
    for (const struct field *field = fields; field->kind != FIELD_END; field++) {
        json_t *value = field_json(field, record);
        if (field->key != NULL && value != NULL)
            set_value(object, field->key, value);
        else if (field->key == NULL)
            json_object_update_new(object, value);
    }
    return object;
}
