// Schemes against scenarios as the data of a picture. A run of more scenarios than a picture is
// wide has several tables, one below the other.
#ifndef LOCKPICK_REPORT_GRID_H
#define LOCKPICK_REPORT_GRID_H

#include "harness/report/pictures/picture.h"
#include "harness/report/scheme_grid.h"

// Some columns of a grid, and its rows that have something in them.
struct grid_table {
    size_t number; // from 1
    size_t first_column, column_count;
    size_t *rows; // of the picture, for each row of the grid; SIZE_MAX: not in this table
};

// Splits the grid into tables of at most so many columns, about equally wide, and writes of each
// the blocks "rows NUMBER", "groups NUMBER" (each group begins with a row for its name) and
// "columns NUMBER"; and the numbers `tables`, `columns` (of the widest), `rows_NUMBER` and
// `all_rows`. `has` says of each cell, row by row, whether there is something in it. Returns how
// many tables there are; free with grid_tables_free.
size_t grid_tables_write(const struct scheme_grid *grid, const bool *has, size_t most_columns,
                         struct grid_table **tables, struct picture *picture);
void grid_tables_free(struct grid_table *tables, size_t count);

#endif
