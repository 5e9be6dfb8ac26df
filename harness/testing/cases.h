// For tests: files of cases that differ by data. "case NAME" begins one, lines that are four spaces
// in are its body, and what is expected of it follows "-> ", a line each; "#" begins a comment.
#ifndef LOCKPICK_TESTING_CASES_H
#define LOCKPICK_TESTING_CASES_H

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/testing/test.h"

struct written_case {
    const char *file, *name;
    size_t line;
    struct text body, expected; // lines that end with "\n"
};

// Plays each case of the file; there must be as many as that.
static inline void each_case(const char *file, size_t least,
                             void (*play)(const struct written_case *one))
{
    AUTO_TEXT struct text content = {0};
    struct written_case one = {.file = file};
    size_t number = 0, count = 0;
    if (file_read(file, &content, NULL) != 0)
        fail_msg("%s cannot be read (run it from the root of the project)", file);
    text_add(&content, "\ncase "); // so that the last one ends, too
    for (char *rest = content.bytes, *line = strsep(&rest, "\n"); line != NULL;
         line = strsep(&rest, "\n")) {
        number++;
        if (strncmp(line, "    ", 4) == 0)
            text_format(&one.body, "%s\n", line + 4);
        else if (strncmp(line, "->", 2) == 0)
            text_format(&one.expected, "%s\n", line + 2 + strspn(line + 2, " "));
        if (strncmp(line, "case ", 5) != 0)
            continue;
        if (one.name != NULL && ++count > 0) {
            text_add(&one.body, "");
            text_add(&one.expected, "");
            play(&one);
        }
        text_free(&one.body);
        text_free(&one.expected);
        one = (struct written_case){.file = file, .name = line + 5, .line = number};
    }
    assert_in_range(count, least, SIZE_MAX);
}

__attribute__((format(printf, 2, 3))) static inline void fail_case(const struct written_case *one,
                                                                   const char *format, ...)
{
    char why[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    fail_msg("%s:%zu: %s: %s", one->file, one->line, one->name, why);
}

// Each line of what is expected must be in the text.
static inline void case_expects(const struct written_case *one, const char *text)
{
    AUTO_TEXT struct text lines = {0};
    text_add(&lines, one->expected.bytes);
    for (char *rest = lines.bytes, *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
        if (strstr(text, line) == NULL)
            fail_case(one, "no '%s' in: %.800s", line, text);
    }
}

#endif
