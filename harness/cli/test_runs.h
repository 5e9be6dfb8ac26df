// For tests of whole runs: a folder that goes with the file's tests, in which scenarios, runs and
// drivers lie; '@' stands for it in arguments and commands.
#ifndef LOCKPICK_CLI_TEST_RUNS_H
#define LOCKPICK_CLI_TEST_RUNS_H

#include "harness/cli/test_command.h"

#include "harness/testing/text.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static char folder[] = "/tmp/lockpick-cli-test-XXXXXX";

UNUSED static int make_test_folder(void **state)
{
    (void)state;
    unsetenv("GITHUB_STEP_SUMMARY"); // of a workflow that runs these tests
    unsetenv("GITHUB_ACTIONS");
    return test_folder_make(folder);
}

UNUSED static int remove_test_folder(void **state)
{
    (void)state;
    return test_folder_remove(folder);
}

// The words of that format, with the folder for each '@'. The caller frees `bytes`.
static struct text in_place(const char *format, va_list arguments)
{
    char words[16384];
    struct text out = {0};
    vsnprintf(words, sizeof words, format, arguments);
    for (const char *next = words; *next != '\0'; next++) {
        if (*next == '@')
            text_add(&out, folder);
        else
            text_add_bytes(&out, next, 1);
    }
    return out;
}

__attribute__((format(printf, 1, 2))) UNUSED static char *path_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text path = in_place(format, arguments);
    va_end(arguments);
    return path.bytes;
}

// Runs `lockpick ARGUMENTS`; free with command_free.
__attribute__((format(printf, 1, 2))) UNUSED static struct command_result lockpick(
    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text line = in_place(format, arguments);
    va_end(arguments);
    struct command_result result = run_lockpick(text_string(&line));
    text_free(&line);
    return result;
}

// Fails unless it ended with that code and said those words, anywhere.
__attribute__((format(printf, 3, 4))) UNUSED static void expect(int code, const char *words,
                                                                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text line = in_place(format, arguments);
    va_end(arguments);
    command_expect(run_lockpick(text_string(&line)), code, words);
    text_free(&line);
}

// The exit status of a command of the shell.
__attribute__((format(printf, 1, 2))) UNUSED static int shell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text line = in_place(format, arguments);
    va_end(arguments);
    int status = system(line.bytes);
    text_free(&line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

UNUSED static bool says(const struct command_result *result, const char *words)
{
    return strstr(text_string(&result->output), words) != NULL ||
           strstr(text_string(&result->errors), words) != NULL;
}

UNUSED static void must_say(const struct command_result *result, const char *words)
{
    if (says(result, words))
        return;
    // More than a message of cmocka's holds.
    fprintf(stderr, "%s%s", text_string(&result->output), text_string(&result->errors));
    fail_msg("it does not say '%s'", words);
}

// Keeps the scenario as @/NAME.yaml and runs it with these options into @/NAME, anew.
UNUSED static struct command_result run_scenario(const char *name, const char *scenario,
                                                 const char *options)
{
    char file[80];
    snprintf(file, sizeof file, "%s.yaml", name);
    write_in(folder, file, scenario);
    assert_int_equal(shell("rm -rf @/%s", name), 0);
    return lockpick("run @/%s --keep-going --jobs 3 --out @/%s %s", file, name, options);
}

UNUSED static bool has_file(const char *name)
{
    struct stat status;
    char *path = path_join(folder, name);
    bool has = lstat(path, &status) == 0;
    free(path);
    return has;
}

// The contents of a file of the folder, which must be there; the caller frees.
UNUSED static char *content_of(const char *name)
{
    struct text text = {0};
    char *path = path_join(folder, name);
    text_add(&text, "");
    if (file_read(path, &text, NULL) != 0)
        fail_msg("cannot read %s", path);
    free(path);
    return text.bytes;
}

UNUSED static void expect_content(const char *name, const char *words)
{
    char *content = content_of(name);
    if (strstr(content, words) == NULL)
        fail_msg("no '%s' in %s: %.2000s", words, name, content);
    free(content);
}

// What a run left for machines, @/RUN/result.json; give it back with json_decref.
UNUSED static json_t *result_of(const char *run)
{
    json_error_t error;
    char *path = path_of("@/%s/result.json", run);
    json_t *result = json_load_file(path, 0, &error);
    if (result == NULL)
        fail_msg("%s: %s", path, error.text);
    free(path);
    return result;
}

// Replaces the first `old` in a text by `new`. False if there is none.
UNUSED static bool replace(struct text *text, const char *old, const char *new)
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

#endif
