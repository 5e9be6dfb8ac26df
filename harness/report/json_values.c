#include "harness/report/json_values.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void set_value(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}
