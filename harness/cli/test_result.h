// For tests: what a run left for machines.
#ifndef LOCKPICK_CLI_TEST_RESULT_H
#define LOCKPICK_CLI_TEST_RESULT_H

#include "harness/base/text.h"
#include "harness/testing/test.h"

#include <jansson.h>

// FOLDER/RUN/result.json, which must be there; the caller gives it back with json_decref.
static inline json_t *load_result(const char *folder, const char *run)
{
    json_error_t error;
    struct text path = {0};
    text_format(&path, "%s/%s/result.json", folder, run);
    json_t *result = json_load_file(path.bytes, 0, &error);
    if (result == NULL)
        fail_msg("%s: %s", path.bytes, error.text);
    text_free(&path);
    return result;
}

#endif
