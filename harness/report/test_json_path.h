// For tests: a value in JSON by its path.
#ifndef LOCKPICK_REPORT_TEST_JSON_PATH_H
#define LOCKPICK_REPORT_TEST_JSON_PATH_H

#include "harness/base/text.h"
#include "harness/testing/test.h"

#include <jansson.h>

// Follows a path of keys: "trials.0.name". It must be there.
static inline json_t *json_at(json_t *value, const char *path)
{
    AUTO_FREE char *copy = memory_string(path);
    char *rest = copy;
    for (char *key = strsep(&rest, "."); key != NULL; key = strsep(&rest, "."))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                     : json_object_get(value, key);
    if (value == NULL)
        fail_msg("there is no %s", path);
    return value;
}

#endif
