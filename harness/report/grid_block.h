// A table of schemes and scenarios on a chart: names at the left, slanted headings, and where each
// cell lies. A run of more scenarios than a picture is wide has several blocks, one below the
// other.
#ifndef LOCKPICK_REPORT_GRID_BLOCK_H
#define LOCKPICK_REPORT_GRID_BLOCK_H

#include "harness/report/chart.h"
#include "harness/report/scheme_grid.h"

// Of a picture of a whole run, in pixels.
#define GRID_WIDTH 1100
#define GRID_LEAST_WIDTH 700
#define GRID_ROW_HEIGHT 20

// Some columns of a grid, and its rows that have something in them.
struct grid_block {
    size_t first_column, column_count;
    size_t *rows; // numbers of the grid's rows
    size_t row_count;
    // In pixels from the top left.
    double names_right;  // where the names of the schemes end
    double left;         // of the first column
    double column_width; // of each
    double *heights;     // of each row; GRID_ROW_HEIGHT unless changed
    double top, bottom;  // of all rows
    double *middles;     // of each row's height
};

// How wide the names of the schemes are, with the room around them: where the first column of a
// block may begin.
double grid_names_width(const struct scheme_grid *grid);

// How wide the slanted heading of a column is, to the right of the column's middle.
double grid_heading_width(const struct scheme_grid *grid);

// How many blocks it takes if at most so many columns have room beside each other; the blocks are
// about equally wide.
size_t grid_block_count(const struct scheme_grid *grid, size_t most_columns);

// The block with that number, from 0, of `blocks`: its rows are those for which `has` (a flag for
// each cell, row by row) says of one of its columns that there is something. Free with
// grid_block_free.
void grid_block_start(struct grid_block *block, const struct scheme_grid *grid, size_t number,
                      size_t blocks, const bool *has);
void grid_block_free(struct grid_block *block);

// Below all that is on the chart: writes the headings of columns and rows, and finds where all
// rows are. `names_right`, `left` and `column_width` must have been set.
void grid_block_place(struct grid_block *block, struct chart *chart,
                      const struct scheme_grid *grid);

// A heading at 45 degrees, whose column has its middle at `x` and begins at `y`. What is too long
// is cut.
void grid_heading(struct chart *chart, double x, double y, const char *text);

// The middle of a column of the block.
double grid_column_middle(const struct grid_block *block, size_t column);

// Opens a panel over the whole width of the picture from `top` to `bottom` in which coordinates are
// pixels of the picture, without axes. End it with chart_panel_end.
void grid_panel(struct chart *chart, double top, double bottom);

// A text as one string of a line of data: without what would end it.
void grid_data_string(struct text *out, const char *string);

#endif
