#include "harness/report/pictures/grid.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAME 36

// What is longer is cut, and ends in an ellipsis.
static void write_name(struct picture *picture, double at, const char *name)
{
    struct text shown = {0};
    size_t characters = 0;
    size_t cut = 0; // where the last character that would stay begins
    size_t end = 0;
    for (; name[end] != '\0'; end++) {
        bool begins = ((unsigned char)name[end] & 0xc0) != 0x80;
        characters += begins;
        if (begins && characters == MOST_NAME)
            cut = end;
    }
    text_add_bytes(&shown, name, characters > MOST_NAME ? cut : end);
    text_add(&shown, characters > MOST_NAME ? "…" : "");
    text_format(&picture->data, "%g", at);
    picture_cell(picture, text_string(&shown));
    text_add(&picture->data, "\n");
    text_free(&shown);
}

static bool any_in_row(const struct scheme_grid *grid, const bool *has,
                       const struct grid_table *table, size_t row)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (has[row * grid->column_count + table->first_column + i])
            return true;
    }
    return false;
}

// Returns how many rows of the picture it takes.
static size_t write_table(const struct scheme_grid *grid, const bool *has, struct grid_table *table,
                          struct picture *picture)
{
    const char *group = NULL;
    struct picture groups = {0};
    size_t y = 0;
    picture_block(picture, "rows %zu: row scheme", table->number);
    for (size_t row = 0; row < grid->row_count; row++) {
        table->rows[row] = SIZE_MAX;
        if (!any_in_row(grid, has, table, row))
            continue;
        if (group == NULL || strcmp(grid->rows[row].group, group) != 0)
            write_name(&groups, (double)y++, grid->rows[row].group);
        group = grid->rows[row].group;
        table->rows[row] = y;
        write_name(picture, (double)y++, grid->rows[row].scheme);
    }
    picture_block(picture, "groups %zu: row name", table->number);
    text_add(&picture->data, text_string(&groups.data));
    picture_free(&groups);
    picture_block(picture, "columns %zu: column scenario", table->number);
    for (size_t i = 0; i < table->column_count; i++)
        write_name(picture, (double)i + 0.5, grid->columns[table->first_column + i]->name);
    return y;
}

size_t grid_tables_write(const struct scheme_grid *grid, const bool *has, size_t most_columns,
                         struct grid_table **tables, struct picture *picture)
{
    size_t count = (grid->column_count + most_columns - 1) / most_columns;
    size_t all_rows = 0;
    *tables = memory_zeroed(count + 1, sizeof **tables);
    for (size_t i = 0; i < count; i++) {
        struct grid_table *table = &(*tables)[i];
        char variable[32];
        table->number = i + 1;
        table->first_column = grid->column_count * i / count;
        table->column_count = grid->column_count * (i + 1) / count - table->first_column;
        table->rows = memory_new((grid->row_count + 1) * sizeof *table->rows);
        size_t rows = write_table(grid, has, table, picture);
        snprintf(variable, sizeof variable, "rows_%zu", i + 1);
        picture_number(picture, variable, (double)rows);
        snprintf(variable, sizeof variable, "columns_%zu", i + 1);
        picture_number(picture, variable, (double)table->column_count);
        all_rows += rows;
    }
    picture_number(picture, "tables", (double)count);
    picture_number(picture, "columns", (double)((grid->column_count + count - 1) / count));
    picture_number(picture, "all_rows", (double)all_rows);
    return count;
}

void grid_tables_free(struct grid_table *tables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(tables[i].rows);
    free(tables);
}
