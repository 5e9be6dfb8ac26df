#include "harness/base/table.h"

#include "harness/base/growing.h"
#include "harness/base/text.h"

#include <assert.h>
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

void table_align_right(struct table *table, int column)
{
    assert(column >= 0 && column < table->columns);
    table->right[column] = true;
}

// Columns on screen: one for each UTF-8 character (we print no wide ones).
static int shown_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void colour_print(FILE *out, bool coloured, enum colour colour, const char *text)
{
    static const char *const escapes[] = {"",         "\033[32m", "\033[31m",
                                          "\033[33m", "\033[90m", "\033[1m"};
    if (coloured && colour != COLOUR_PLAIN)
        fprintf(out, "%s%s\033[0m", escapes[colour], text);
    else
        fputs(text, out);
}

static void print_cell(const struct table *table, FILE *out, bool coloured, int column, int width,
                       enum colour colour, const char *text)
{
    int padding = width - shown_width(text);
    bool last = column == table->columns - 1;
    if (table->right[column])
        fprintf(out, "%*s", padding, "");
    colour_print(out, coloured, colour, text);
    if (!table->right[column] && !last)
        fprintf(out, "%*s", padding, "");
    fputs(last ? "\n" : "  ", out);
}

void table_print(const struct table *table, FILE *out, bool coloured)
{
    int widths[MOST_COLUMNS] = {0};
    for (int c = 0; c < table->columns; c++)
        widths[c] = shown_width(table->headings[c]);
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % (size_t)table->columns;
        int width = shown_width(table->cells[i].text);
        if (width > widths[column])
            widths[column] = width;
    }
    for (int c = 0; c < table->columns; c++)
        print_cell(table, out, coloured, c, widths[c], COLOUR_BOLD, table->headings[c]);
    for (size_t i = 0; i < table->count; i++) {
        int column = (int)(i % (size_t)table->columns);
        print_cell(table, out, coloured, column, widths[column], table->cells[i].colour,
                   table->cells[i].text);
    }
    if (table->count % (size_t)table->columns != 0)
        fputs("\n", out);
}

bool colour_wanted(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(out)) && (no_colour == NULL || *no_colour == '\0');
}
