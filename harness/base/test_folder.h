// For tests: a folder in /tmp that goes with the test.
#ifndef LOCKPICK_BASE_TEST_FOLDER_H
#define LOCKPICK_BASE_TEST_FOLDER_H

#include "harness/base/scope.h"
#include "harness/base/text.h"

#include <stdlib.h>

// Makes the folder that `path`, ending in XXXXXX, becomes. 0, or -1.
static inline int test_folder_make(char *path)
{
    return mkdtemp(path) == NULL ? -1 : 0;
}

// Removes it with all that is in it. 0, or not.
static inline int test_folder_remove(const char *path)
{
    AUTO_TEXT struct text command = {0};
    text_format(&command, "rm -rf '%s'", path);
    int result = system(command.bytes);
    return result;
}

// The folder of all tests of a file, `folder`, with what makes and removes it (TEST_GROUP).
#define TEST_FOLDER(path)                                                                          \
    static char folder[] = path;                                                                   \
    __attribute__((unused)) static int make_test_folder(void **state)                              \
    {                                                                                              \
        (void)state;                                                                               \
        return test_folder_make(folder);                                                           \
    }                                                                                              \
    static int remove_test_folder(void **state)                                                    \
    {                                                                                              \
        (void)state;                                                                               \
        return test_folder_remove(folder);                                                         \
    }                                                                                              \
    static int remove_test_folder(void **state)

#endif
