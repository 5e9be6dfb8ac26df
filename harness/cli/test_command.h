// For tests: runs the built program as a user would, and keeps what it said.
#ifndef LOCKPICK_CLI_TEST_COMMAND_H
#define LOCKPICK_CLI_TEST_COMMAND_H

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/testing/test.h"

#include <sys/wait.h>

struct command_result {
    int code; // exit status, or 128 + signal
    struct text output;
    struct text errors;
};

static inline const char *lockpick_path(void)
{
    const char *path = getenv("LOCKPICK");
    return path != NULL ? path : "build/lockpick";
}

// Runs `lockpick ARGUMENTS` through the shell; the caller frees with command_free.
static inline struct command_result run_lockpick(const char *arguments)
{
    struct command_result result = {0};
    char folder[] = "/tmp/lockpick-test-output-XXXXXX";
    AUTO_TEXT struct text line = {0};
    if (test_folder_make(folder) != 0)
        abort();
    text_format(&line, "%s %s >%s/out 2>%s/err </dev/null", lockpick_path(), arguments, folder,
                folder);
    int status = system(line.bytes);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    char *path = path_join(folder, "out");
    (void)file_read(path, &result.output, NULL);
    free(path);
    path = path_join(folder, "err");
    (void)file_read(path, &result.errors, NULL);
    free(path);
    test_folder_remove(folder);
    return result;
}

// The same with each '@' of the arguments standing for the test's folder.
static inline struct command_result run_lockpick_in(const char *folder, const char *arguments)
{
    AUTO_TEXT struct text line = {0};
    for (; *arguments != '\0'; arguments++) {
        if (*arguments == '@')
            text_add(&line, folder);
        else
            text_add_bytes(&line, arguments, 1);
    }
    struct command_result result = run_lockpick(text_string(&line));
    return result;
}

// Writes the scenario into the folder and runs it there, with a results folder of its name; the
// caller frees with command_free.
static inline struct command_result run_text_in(const char *folder, const char *name,
                                                const char *text)
{
    AUTO_TEXT struct text path = {0};
    AUTO_TEXT struct text arguments = {0};
    text_format(&path, "%s/%s.yaml", folder, name);
    text_format(&arguments, "run %s --keep-going --out %s/%s", path.bytes, folder, name);
    assert_int_equal(file_write(path.bytes, text, strlen(text), NULL), 0);
    struct command_result result = run_lockpick(arguments.bytes);
    return result;
}

static inline void command_free(struct command_result *result)
{
    text_free(&result->output);
    text_free(&result->errors);
}

static inline void write_in(const char *folder, const char *name, const char *content)
{
    AUTO_FREE char *path = path_join(folder, name);
    assert_int_equal(file_write(path, content, strlen(content), NULL), 0);
}

// Fails unless it ended with that code and said those words, anywhere. Frees the result.
static inline void command_expect(struct command_result result, int code, const char *words)
{
    AUTO_TEXT struct text all = {0};
    text_format(&all, "%s%s", text_string(&result.output), text_string(&result.errors));
    if (result.code != code || strstr(text_string(&all), words) == NULL)
        fail_msg("exit code %d, not %d, or no '%s' in:\n%s", result.code, code, words,
                 text_string(&all));
    command_free(&result);
}

#endif
