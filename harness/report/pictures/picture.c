#include "harness/report/pictures/picture.h"

#include "harness/base/file.h"
#include "harness/report/gnuplot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The widths of characters of 12 and of 15 pixels in the widest common sans-serif face (DejaVu).
#define NOTE_CHARACTER 7.3
#define TITLE_CHARACTER 9.2
#define EDGES 24

extern const char template_style[];

// --- written -------------------------------------------------------------------------------------

bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture)
{
    *picture = (struct picture){.width = kind->width};
    bool any = kind->write(subject, picture);
    for (size_t i = 0; i < picture->block_count; i++) {
        const struct picture_block *block = picture->blocks[i];
        if (block->rows.length > 0)
            text_format(&picture->data, "%s# %s\n%s", picture->data.length > 0 ? "\n\n" : "",
                        block->heading, block->rows.bytes);
    }
    if (picture->data.length > 0)
        text_clean(picture->data.bytes);
    return any;
}

void picture_free(struct picture *picture)
{
    for (size_t i = 0; i < picture->block_count; i++) {
        text_free(&picture->blocks[i]->rows);
        free(picture->blocks[i]->heading);
        free(picture->blocks[i]);
    }
    free(picture->blocks);
    struct text *const texts[] = {&picture->data,  &picture->values, &picture->title,
                                  &picture->cause, &picture->notes,  &picture->alternative};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
    *picture = (struct picture){0};
}

static char *formatted(const char *format, va_list arguments)
{
    char *string = NULL;
    if (vasprintf(&string, format, arguments) < 0)
        memory_give_up();
    return string;
}

struct picture_block *picture_block(struct picture *picture, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *heading = formatted(format, arguments);
    va_end(arguments);
    for (char *c = heading; *c != '\0'; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c; // a comment is one line
    size_t length = strcspn(heading, ":") + 1;
    for (size_t i = 0; i < picture->block_count; i++) {
        if (strncmp(picture->blocks[i]->heading, heading, length) == 0) {
            free(heading);
            return picture->blocks[i];
        }
    }
    picture->blocks =
        memory_resized(picture->blocks, (picture->block_count + 1) * sizeof *picture->blocks);
    struct picture_block *block = memory_zeroed(1, sizeof *block);
    block->heading = heading;
    return picture->blocks[picture->block_count++] = block;
}

// In double quotes, of data, no character has a meaning but these two.
static void quote_data(struct text *out, const char *string)
{
    text_add(out, "\"");
    for (; *string != '\0'; string++) {
        bool is_plain = (unsigned char)*string >= ' ' && *string != '"' && *string != '\\';
        text_add_bytes(out, is_plain ? string : "'", 1);
    }
    text_add(out, "\"");
}

static void quote_script(struct text *out, const char *string)
{
    gnuplot_quote(out, string, strlen(string));
}

// As printf, but that each string is in quotes. Of the others there are %d, %u, %zu, %lld and %g.
static void add_quoted(struct text *out, void (*quote)(struct text *, const char *),
                       const char *format, va_list arguments)
{
    while (*format != '\0') {
        char one[16];
        size_t plain = strcspn(format, "%");
        text_add_bytes(out, format, plain);
        format += plain;
        size_t length = *format == '\0' ? 0 : strcspn(format, "dugs") + 1;
        snprintf(one, sizeof one, "%.*s", (int)length, format);
        format += length;
        if (length == 0)
            break;
        if (one[length - 1] == 's')
            quote(out, va_arg(arguments, const char *));
        else if (one[length - 1] == 'g')
            text_format(out, one, va_arg(arguments, double));
        else if (strstr(one, "ll") != NULL)
            text_format(out, one, va_arg(arguments, long long));
        else if (strchr(one, 'z') != NULL)
            text_format(out, one, va_arg(arguments, size_t));
        else
            text_format(out, one, va_arg(arguments, int));
    }
    text_add(out, "\n");
}

void picture_row(struct picture_block *block, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_quoted(&block->rows, quote_data, format, arguments);
    va_end(arguments);
}

void picture_tell(struct picture *picture, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_quoted(&picture->values, quote_script, format, arguments);
    va_end(arguments);
}

void picture_note(struct picture *picture, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *note = formatted(format, arguments);
    va_end(arguments);
    text_format(&picture->notes, "%s%s", picture->notes.length > 0 ? "\n" : "", note);
    free(note);
}

// --- the script ----------------------------------------------------------------------------------

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

// Tells a text, broken into lines that fit between the edges, and in VARIABLE_lines how many.
static void tell_lines(struct text *script, const char *variable, const struct picture *picture,
                       double character, const struct text *words)
{
    size_t most = (size_t)((picture->width - EDGES) / character);
    size_t lines = 0;
    text_format(script, "%s = ''", variable);
    for (const char *at = text_string(words); *at != '\0'; lines++) {
        size_t length = line_length(at, most);
        text_add(script, lines > 0 ? ".\"\\n\".\\\n  " : ".");
        gnuplot_quote(script, at, length);
        at += length;
        at += *at == '\n' ? 1 : strspn(at, " ");
    }
    text_format(script, "\n%s_lines = %zu\n", variable, lines);
}

void picture_script(const struct picture_kind *kind, const struct picture *picture,
                    struct text *script)
{
    text_format(script,
                "# Draw %s.svg again with: gnuplot %s.gp\nreset\nname = '%s'\n"
                "data = '%s.dat'\nwidth = %d\n%s",
                kind->name, kind->name, kind->name, kind->name, picture->width,
                text_string(&picture->values));
    tell_lines(script, "title", picture, TITLE_CHARACTER, &picture->title);
    tell_lines(script, "cause", picture, NOTE_CHARACTER, &picture->cause);
    tell_lines(script, "notes", picture, NOTE_CHARACTER, &picture->notes);
    text_clean(script->bytes); // names are those of strangers
    text_format(script, "\n%s\n%s", template_style, kind->template);
}

// --- files ---------------------------------------------------------------------------------------

static char *path_of(const char *folder, const char *name, const char *ending)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    return path.bytes;
}

static int write_file(const char *folder, const char *name, const char *ending,
                      const struct text *text, struct error *error)
{
    char *path = path_of(folder, name, ending);
    int result = file_write(path, text_string(text), text->length, error);
    free(path);
    return result;
}

int picture_files_write(const char *folder, const char *name, const struct text *data,
                        const struct text *script, struct error *error)
{
    char *picture = path_of(folder, name, "svg");
    struct stat status;
    // gnuplot writes through links, and waits for who reads a pipe.
    if (lstat(picture, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink > 1))
        unlink(picture);
    free(picture);
    if (write_file(folder, name, "dat", data, error) != 0)
        return -1;
    return write_file(folder, name, "gp", script, error);
}

char *picture_svg_read(const char *folder, const char *name, struct error *error)
{
    char *path = path_of(folder, name, "svg");
    struct text svg = {0};
    char *picture = NULL;
    if (file_read(path, &svg, error) == 0) {
        const char *begin = strstr(text_string(&svg), "<svg");
        if (begin != NULL && strstr(begin, "</svg>") != NULL)
            picture = memory_string(begin);
        else
            error_set(error, "gnuplot left %s incomplete", path);
    }
    text_free(&svg);
    free(path);
    return picture;
}
