#include "harness/base/table.h"

#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/base/terminal.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 32 };

struct cell {
    char *text;
    enum colour colour;
};

struct table {
    const char *const *headings;
    int columns;
    int needed; // the others are left out where they have no room
    bool right[MOST_COLUMNS];
    struct cell *cells;
    size_t count;
    size_t room;
};

struct table *table_new(const char *const *headings)
{
    struct table *table = memory_zeroed(1, sizeof *table);
    table->headings = headings;
    while (headings[table->columns] != NULL)
        table->columns++;
    table->needed = table->columns;
    assert(table->columns > 0 && table->columns <= MOST_COLUMNS);
    return table;
}

void table_free(struct table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table);
}

void table_cell(struct table *table, enum colour colour, const char *text)
{
    *APPEND(table->cells, table->count, table->room) = (struct cell){memory_string(text), colour};
}

void table_begin_extra(struct table *table, int column)
{
    assert(column > 0 && column < table->columns);
    table->needed = column;
}

void table_align_right(struct table *table, int column)
{
    assert(column >= 0 && column < table->columns);
    table->right[column] = true;
}

void colour_print(FILE *out, bool coloured, enum colour colour, const char *text)
{
    static const char *const escapes[] = {
        [COLOUR_PLAIN] = "",          [COLOUR_GREEN] = "\033[32m",   [COLOUR_RED] = "\033[31m",
        [COLOUR_YELLOW] = "\033[33m", [COLOUR_MAGENTA] = "\033[35m", [COLOUR_GREY] = "\033[90m",
        [COLOUR_BOLD] = "\033[1m"};
    if (coloured && colour != COLOUR_PLAIN)
        fprintf(out, "%s%s\033[0m", escapes[colour], text);
    else
        fputs(text, out);
}

// --- as wide as there is room --------------------------------------------------------------------

#define GAP 2
#define LEAST_TEXT 10 // columns of text are not made narrower to fit
#define HEADINGS SIZE_MAX
#define INDENT 4 // of the rest of a row that has no room beside its beginning

struct layout {
    int columns; // that are shown
    int widths[MOST_COLUMNS];
    bool begins_line[MOST_COLUMNS]; // on a line of its own, indented
};

// The bytes of the text that fit into so many columns, up to a blank or a hyphen if there is one;
// *rest is what follows.
static int take_line(const char *text, int width, const char **rest)
{
    int taken = 0, blank = 0, hyphen = 0;
    for (int column = 0; text[taken] != '\0'; taken++) {
        bool begins = ((unsigned char)text[taken] & 0xc0) != 0x80;
        if (text[taken] == ' ')
            blank = taken;
        if (begins && column == width)
            break;
        column += begins;
        if (strchr("-/,", text[taken]) != NULL)
            hyphen = taken + 1;
    }
    if (text[taken] != '\0')
        taken = blank > 0 ? blank : hyphen > 0 ? hyphen : taken;
    *rest = text + taken + strspn(text + taken, " ");
    return taken;
}

static int longest_word(const char *text)
{
    int longest = 0;
    for (; *text != '\0'; text += strspn(text, " ")) {
        char word[40];
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        longest = terminal_width(word) > longest ? terminal_width(word) : longest;
        text += length;
    }
    return longest;
}

static int width_of(const struct layout *layout)
{
    int width = -GAP;
    for (int c = 0; c < layout->columns; c++)
        width += layout->widths[c] + GAP;
    return width;
}

// Wide texts are wrapped as far as is needed. Where that does not do, columns that can be done
// without are left out; then what has no room in a row goes on below it.
static void make_layout(const struct table *table, int columns, struct layout *layout)
{
    struct layout cells = {.columns = table->columns};
    for (size_t i = 0; i < table->count; i++) {
        int *width = &cells.widths[i % (size_t)table->columns];
        int shown = terminal_width(table->cells[i].text);
        *width = shown > *width ? shown : *width;
    }
    *layout = cells;
    for (int c = 0; c < table->columns; c++) {
        int heading = terminal_width(table->headings[c]);
        layout->widths[c] = heading > cells.widths[c] ? heading : cells.widths[c];
    }
    if (width_of(layout) <= columns)
        return;
    for (int c = 0; c < table->columns; c++) {
        int word = longest_word(table->headings[c]);
        cells.widths[c] = word > cells.widths[c] ? word : cells.widths[c];
    }
    const int shown[] = {table->columns, table->needed};
    for (int i = 0; i < 2; i++) {
        *layout = cells;
        layout->columns = shown[i];
        for (int widest = 0; widest >= 0 && width_of(layout) > columns;) {
            widest = -1;
            for (int c = 0; c < layout->columns; c++) {
                if (!table->right[c] && layout->widths[c] > LEAST_TEXT &&
                    (widest < 0 || layout->widths[c] > layout->widths[widest]))
                    widest = c;
            }
            if (widest >= 0)
                layout->widths[widest]--;
        }
        if (width_of(layout) <= columns)
            return;
    }
    *layout = cells;
    layout->columns = table->needed;
    for (int c = 0, used = -GAP; c < layout->columns; c++) {
        int most = columns - INDENT > LEAST_TEXT ? columns - INDENT : LEAST_TEXT;
        layout->widths[c] = layout->widths[c] < most ? layout->widths[c] : most;
        layout->begins_line[c] = c > 0 && used + GAP + layout->widths[c] > columns;
        used = (layout->begins_line[c] ? INDENT : used + GAP) + layout->widths[c];
    }
}

// The row that begins with that cell.
static void print_row(const struct table *table, const struct layout *layout, FILE *out,
                      bool coloured, size_t first)
{
    const char *rest[MOST_COLUMNS];
    enum colour colours[MOST_COLUMNS] = {COLOUR_PLAIN};
    for (size_t c = 0; c < (size_t)table->columns; c++) {
        bool is_there = first != HEADINGS && first + c < table->count;
        rest[c] = first == HEADINGS ? table->headings[c]
                  : is_there        ? table->cells[first + c].text
                                    : "";
        colours[c] = first == HEADINGS ? COLOUR_BOLD
                     : is_there        ? table->cells[first + c].colour
                                       : COLOUR_PLAIN;
    }
    for (int from = 0, to; from < layout->columns;) {
        bool is_wrapped = false;
        fprintf(out, "%*s", layout->begins_line[from] ? INDENT : 0, "");
        for (to = from; to < layout->columns && (to == from || !layout->begins_line[to]); to++) {
            bool is_last = to + 1 == layout->columns || layout->begins_line[to + 1];
            const char *text = rest[to];
            AUTO_FREE char *line =
                text_formatted("%.*s", take_line(text, layout->widths[to], &rest[to]), text);
            int padding = layout->widths[to] - terminal_width(line);
            fprintf(out, "%*s", table->right[to] ? padding : 0, "");
            colour_print(out, coloured, colours[to], line);
            fprintf(out, "%*s", !table->right[to] && !is_last ? padding : 0, "");
            fputs(is_last ? "\n" : "  ", out);
            is_wrapped |= *rest[to] != '\0';
        }
        from = is_wrapped ? from : to;
    }
}

void table_print(const struct table *table, FILE *out, bool coloured)
{
    struct layout layout;
    make_layout(table, terminal_columns(out), &layout);
    print_row(table, &layout, out, coloured, HEADINGS);
    for (size_t i = 0; i < table->count; i += (size_t)table->columns)
        print_row(table, &layout, out, coloured, i);
}

bool colour_wanted(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(out)) && (no_colour == NULL || *no_colour == '\0');
}
