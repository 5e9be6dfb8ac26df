// What fits into the columns of a terminal.
#ifndef LOCKPICK_BASE_TERMINAL_H
#define LOCKPICK_BASE_TERMINAL_H

#include "harness/base/text.h"

#include <stdbool.h>
#include <stdio.h>

// How many columns there are, by $COLUMNS or the terminal; INT_MAX: any number.
int terminal_columns(FILE *out);

// The columns that a text takes: one for each UTF-8 character (we print no wide ones).
int terminal_width(const char *text);

// Where a text goes on that is printed word by word; all zero but the columns, to begin with.
struct wrapping {
    int columns;
    int at;   // the column
    int hang; // where a line goes on below
};

// Adds words to `out`. What has no room goes on in the next line, below what follows the last wide
// gap: the words of a story beside its times. A line that `is_whole` is to be copied, and has no
// ends of lines in it, however long it is.
void wrap(struct wrapping *wrapping, bool is_whole, const char *words, struct text *out);

// Prints a text of whole lines. Where they have no room, paragraphs are filled anew, and lines that
// begin with blanks are wrapped.
void terminal_print(FILE *out, const char *text);

// Writes the line of progress anew, as much of it as fits: one that wraps could not be written
// over. NULL takes it away. `out` is a terminal.
void progress_line(FILE *out, const char *line);

#endif
