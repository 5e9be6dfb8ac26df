// What verbs of lockpick-detection read: the result.json of a run.
#ifndef LOCKPICK_DETECTION_RESULT_H
#define LOCKPICK_DETECTION_RESULT_H

#include "harness/base/error.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

// NULL with `error` set; json_decref it.
static inline json_t *result_load(const char *path, struct error *error)
{
    json_error_t why;
    json_t *root = json_load_file(path, 0, &why);
    if (root == NULL)
        error_set(error, "%s is no result of a run: %s", path, why.text);
    return root;
}

// "" if there is none.
static inline const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

#endif
