#include "harness/base/terminal.h"

#include "harness/base/scope.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80

int terminal_columns(FILE *out)
{
    const char *said = getenv("COLUMNS");
    long columns = said != NULL ? strtol(said, NULL, 10) : 0;
    struct winsize size = {0};
    if (columns <= 0 && isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns > 0 && columns < INT_MAX ? (int)columns : INT_MAX;
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

int terminal_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += begins_character(*text);
    return width;
}

void wrap(struct wrapping *wrapping, bool is_whole, const char *words, struct text *out)
{
    while (*words != '\0') {
        size_t gap = strspn(words, " ");
        size_t length = is_whole ? strlen(words + gap) : strcspn(words + gap, " \n");
        int behind = wrapping->at + (int)gap;
        int width = 0;
        for (size_t i = 0; i < length; i++)
            width += begins_character(words[gap + i]);
        if ((wrapping->at == 0 || gap > 1) && behind < wrapping->columns / 2)
            wrapping->hang = behind;
        bool wraps = wrapping->at > wrapping->hang && (gap > 0 || is_whole) && length > 0 &&
                     width > wrapping->columns - behind;
        text_format(out, "%s%*s", wraps ? "\n" : "", wraps ? wrapping->hang : (int)gap, "");
        text_add_bytes(out, words + gap, length);
        wrapping->at = (wraps ? wrapping->hang : behind) + width;
        words += gap + length;
        if (*words == '\n') {
            text_add(out, "\n");
            wrapping->at = 0;
            words++;
        }
    }
}

static int widest_line(const char *text)
{
    int widest = 0;
    for (int width = 0; *text != '\0'; text++) {
        width = *text == '\n' ? 0 : width + begins_character(*text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

void terminal_print(FILE *out, const char *text)
{
    struct wrapping wrapping = {.columns = terminal_columns(out)};
    AUTO_FREE char *filled = memory_string(text);
    AUTO_TEXT struct text lines = {0};
    if (widest_line(text) > wrapping.columns) {
        const char *line = filled;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            if (strchr(" \n", line[0]) == NULL && strchr(" \n", end[1]) == NULL)
                *end = ' ';
        }
    }
    wrap(&wrapping, false, filled, &lines);
    fputs(text_string(&lines), out);
}

void progress_line(FILE *out, const char *line)
{
    int columns = terminal_columns(out);
    int bytes = 0;
    if (columns == INT_MAX)
        columns = USUAL_COLUMNS;
    for (int width = 0; line != NULL && line[bytes] != '\0'; bytes++) {
        width += begins_character(line[bytes]);
        if (width == columns)
            break;
    }
    fprintf(out, "\r\033[K%.*s", bytes, line != NULL ? line : "");
    fflush(out);
}
