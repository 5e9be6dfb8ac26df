// For tests of locks that a scenario brings along: their files, made from the shipped template, and
// runs of them, in a folder that goes with the test.
#ifndef LOCKPICK_CLI_TEST_FOREIGN_H
#define LOCKPICK_CLI_TEST_FOREIGN_H

#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"

static inline void foreign_read(const char *folder, const char *name, struct text *out)
{
    char *path = path_join(folder, name);
    if (file_read(path, out, NULL) != 0)
        fail_msg("cannot read %s", path);
    free(path);
}

// Replaces the first `old` in a text by `new`. False if there is none.
static inline bool foreign_replace(struct text *text, const char *old, const char *new)
{
    const char *found = text->bytes != NULL ? strstr(text->bytes, old) : NULL;
    struct text result = {0};
    if (found == NULL)
        return false;
    text_add_bytes(&result, text->bytes, (size_t)(found - text->bytes));
    text_add(&result, new);
    text_add(&result, found + strlen(old));
    text_free(text);
    *text = result;
    return true;
}

// Runs a scenario, which is kept as FOLDER/NAME.yaml, and its run as FOLDER/NAME.
static inline struct command_result foreign_run(const char *folder, const char *name,
                                                const char *text, const char *options)
{
    struct text path = {0};
    struct text arguments = {0};
    text_format(&path, "%s.yaml", name);
    write_in(folder, path.bytes, text);
    text_format(&arguments, "run %s/%s --keep-going --jobs 3 --out %s/%s %s", folder, path.bytes,
                folder, name, options);
    struct command_result result = run_lockpick(arguments.bytes);
    text_free(&path);
    text_free(&arguments);
    return result;
}

#endif
