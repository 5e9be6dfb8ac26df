#include "harness/report/json_values.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
