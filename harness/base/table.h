// Columns for a terminal: headings, rows, widths found from the content.
#ifndef LOCKPICK_BASE_TABLE_H
#define LOCKPICK_BASE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum colour {
    COLOUR_PLAIN,
    COLOUR_GREEN,
    COLOUR_RED,
    COLOUR_YELLOW,
    COLOUR_MAGENTA,
    COLOUR_GREY,
    COLOUR_BOLD
};

struct table;

// `headings` (1 to 32) is NULL-terminated and must outlive the table. The caller frees with
// table_free.
struct table *table_new(const char *const *headings);
void table_free(struct table *table);

// One with these headings, until the block ends.
#define TABLE_OF(...) table_new((const char *const[]){__VA_ARGS__, NULL})

// Adds the next cell, left to right, row after row; the text is copied.
void table_cell(struct table *table, enum colour colour, const char *text);

// Numbers read better when they end in one column.
void table_align_right(struct table *table, int column);

// The columns from that one on are left out where they have no room in the row.
void table_begin_extra(struct table *table, int column);

// Prints all rows, in as many columns as $COLUMNS says or the terminal has (at least 60): wide
// texts are wrapped, and what has no room in a row goes on below it. Escapes for colour only if
// `coloured`.
void table_print(const struct table *table, FILE *out, bool coloured);

// True if `out` is a terminal that wants colour (NO_COLOR unset).
bool colour_wanted(FILE *out);

// Prints `text` in `colour` (or plainly).
void colour_print(FILE *out, bool coloured, enum colour colour, const char *text);

#endif
