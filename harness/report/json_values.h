// Values of result.json, so that none is ever NaN, infinite or no UTF-8.
#ifndef LOCKPICK_REPORT_JSON_VALUES_H
#define LOCKPICK_REPORT_JSON_VALUES_H

#include "harness/base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

// Reads a stranger's file, with its strings fit for a terminal (text_clean). NULL with `error` set.
json_t *json_read(const char *path, struct error *error);

// NULL gives null. A text that was cut in the middle of a character is no UTF-8; the bytes that are
// not become '?'.
json_t *value_text(const char *text);

// TIME_NEVER gives null.
json_t *value_integer(int64_t value);

json_t *value_count(size_t value);

// NaN and infinity give null.
json_t *value_number(double value);

// Sets a key of an object, which takes the value.
void set_value(json_t *object, const char *key, json_t *value);

#endif
