// For tests of what is written: whether some text is in it, and values of JSON by their paths.
#ifndef LOCKPICK_TESTING_TEXT_H
#define LOCKPICK_TESTING_TEXT_H

#include "harness/testing/test.h"

#include <jansson.h>

static inline void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' in:\n%s", part, text);
}

// What `act` prints to `out`, which the caller frees. (A copy: gcc 12 takes what the stream wrote
// for a dangling pointer.)
#define PRINTED(act)                                                                               \
    ({                                                                                             \
        char *printed_ = NULL;                                                                     \
        size_t length_ = 0;                                                                        \
        FILE *out = open_memstream(&printed_, &length_);                                           \
        act;                                                                                       \
        fclose(out);                                                                               \
        char *copy_ = strdup(printed_);                                                            \
        free(printed_);                                                                            \
        copy_;                                                                                     \
    })

// The value at a path of keys and places: "trials.0.name". NULL if there is none.
static inline json_t *json_find(const json_t *value, const char *path)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", path);
    char *rest = copy;
    for (char *key = strsep(&rest, "."); key != NULL; key = strsep(&rest, "."))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                     : json_object_get(value, key);
    return (json_t *)(size_t)value;
}

// The value must be written like that: `2`, `0.5`, `"text"`, `null`, `[]`.
static inline void assert_json(const json_t *value, const char *path, const char *expected)
{
    char *text =
        json_dumps(json_find(value, path), JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (text == NULL || strcmp(text, expected) != 0)
        fail_msg("%s is %s, not %s", path, text != NULL ? text : "not there", expected);
    free(text);
}

// The same of each row of {path, expected}; the last path is NULL.
static inline void assert_json_all(const json_t *value, const char *const rows[][2])
{
    for (size_t i = 0; rows[i][0] != NULL; i++)
        assert_json(value, rows[i][0], rows[i][1]);
}

#endif
