#include "harness/report/pictures/picture.h"

#include "harness/report/gnuplot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// The widths of characters of 12 and of 15 pixels in the widest common sans-serif face (DejaVu).
#define NOTE_CHARACTER 7.3
#define TITLE_CHARACTER 9.2
#define EDGES 24

extern const char template_style[];

bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture)
{
    *picture = (struct picture){.width = kind->width};
    return kind->write(subject, picture);
}

void picture_free(struct picture *picture)
{
    text_free(&picture->data);
    text_free(&picture->values);
    text_free(&picture->notes);
    text_free(&picture->alternative);
}

void picture_script(const struct picture_kind *kind, const struct picture *picture,
                    struct text *script)
{
    text_format(script,
                "# Draw %s.svg again with: gnuplot %s.gp\nreset\nname = '%s'\n"
                "data = '%s.dat'\nwidth = %d\n%s",
                kind->name, kind->name, kind->name, kind->name, picture->width,
                text_string(&picture->values));
    struct picture notes = {0};
    size_t most = (size_t)((picture->width - EDGES) / NOTE_CHARACTER);
    picture_words(&notes, "notes", most, "%s", text_string(&picture->notes));
    text_add(script, text_string(&notes.values));
    picture_free(&notes);
    text_format(script, "\n%s\n%s", template_style, kind->template);
}

// --- data ----------------------------------------------------------------------------------------

void picture_block(struct picture *picture, const char *format, ...)
{
    char *heading = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&heading, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    for (char *c = heading; *c != '\0'; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c; // a comment is one line
    text_format(&picture->data, "%s# %s\n", picture->data.length > 0 ? "\n\n" : "", heading);
    free(heading);
}

void picture_cell(struct picture *picture, const char *string)
{
    struct text *out = &picture->data;
    bool begins_line = out->length == 0 || out->bytes[out->length - 1] == '\n';
    text_add(out, begins_line ? "\"" : " \"");
    for (; *string != '\0'; string++) {
        bool is_plain = (unsigned char)*string >= ' ' && *string != '"' && *string != '\\';
        text_add_bytes(out, is_plain ? string : "'", 1);
    }
    text_add(out, "\"");
}

// --- values --------------------------------------------------------------------------------------

void picture_number(struct picture *picture, const char *variable, double value)
{
    if (isnan(value))
        text_format(&picture->values, "%s = NaN\n", variable);
    else
        text_format(&picture->values, "%s = %.15g%s\n", variable, value,
                    value == floor(value) && fabs(value) < 1e9 ? "" : "*1.0");
}

void picture_widen(struct picture_range *range, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    range->least = range->least > 0 ? fmin(range->least, value) : value;
    range->most = fmax(range->most, value);
}

void picture_range(struct picture *picture, const char *variable, const struct picture_range *range)
{
    text_format(&picture->values, "%s_least = %.9g*1.0\n%s_most = %.9g*1.0\n", variable,
                range->least > 0 ? range->least : 1, variable, range->least > 0 ? range->most : 10);
}

// How many bytes of a text make a line of at most so many characters; never less than a word.
static size_t line_length(const char *text, size_t most)
{
    size_t length = 0;
    size_t characters = 0;
    for (size_t i = 0;; i++) {
        bool is_end = text[i] == '\0' || text[i] == '\n';
        if ((is_end || text[i] == ' ') && (characters <= most || length == 0))
            length = i;
        if (is_end || (characters > most && length > 0))
            return length;
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
}

void picture_words(struct picture *picture, const char *variable, size_t most, const char *format,
                   ...)
{
    char *words = NULL;
    size_t lines = 0;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&words, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    text_format(&picture->values, "%s = ", variable);
    for (const char *at = words; *at != '\0' || lines == 0; lines += *at != '\0' || lines == 0) {
        size_t length = line_length(at, most);
        text_add(&picture->values, lines > 0 ? ".\"\\n\".\\\n  " : "");
        gnuplot_quote(&picture->values, at, length);
        at += length;
        at += *at == '\n' ? 1 : strspn(at, " ");
        if (*at == '\0')
            break;
    }
    text_format(&picture->values, "\n%s_lines = %zu\n", variable, words[0] == '\0' ? 0 : lines + 1);
    free(words);
}

void picture_title(struct picture *picture, const char *format, ...)
{
    char *title = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&title, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    picture_words(picture, "title", (size_t)((picture->width - EDGES) / TITLE_CHARACTER), "%s",
                  title);
    free(title);
}

void picture_note(struct picture *picture, const char *format, ...)
{
    char *note = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&note, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    text_format(&picture->notes, "%s%s", picture->notes.length > 0 ? "\n" : "", note);
    free(note);
}
