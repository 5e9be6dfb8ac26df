#include "harness/report/grid_block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 12
#define GROUP_SIZE 11
#define GROUP_HEIGHT 19
#define EDGE 12
#define GAP 8 // between names and cells, cells and headings
#define MOST_NAME 30
#define MOST_HEADING 36
#define LEAST_HEADING 80 // px: room for a heading that is none of the grid's own
#define SLANT 0.7072     // of 45 degrees: both its sine and its cosine
#define GROUP_GREY "#6a6a6a"

// At most `most` characters of a text, the last of them an ellipsis if there are more.
static void shorten(const char *text, size_t most, struct text *out)
{
    size_t characters = 0;
    size_t cut = 0; // where the last character that would stay begins
    size_t end = 0;
    for (; text[end] != '\0'; end++) {
        bool begins = ((unsigned char)text[end] & 0xc0) != 0x80;
        characters += begins;
        if (begins && characters == most)
            cut = end;
    }
    text_add_bytes(out, text, characters > most ? cut : end);
    if (characters > most)
        text_add(out, "…");
}

static double width_of(const char *text, size_t most, int size)
{
    struct text shown = {0};
    shorten(text, most, &shown);
    double width = chart_text_width(text_string(&shown), size);
    text_free(&shown);
    return width;
}

double grid_names_width(const struct scheme_grid *grid)
{
    double widest = 0;
    for (size_t i = 0; i < grid->row_count; i++) {
        widest = fmax(widest, width_of(grid->rows[i].scheme, MOST_NAME, NAME_SIZE));
        widest = fmax(widest, width_of(grid->rows[i].group, MOST_NAME, GROUP_SIZE));
    }
    return EDGE + widest + GAP;
}

double grid_heading_width(const struct scheme_grid *grid)
{
    double widest = 0;
    for (size_t i = 0; i < grid->column_count; i++)
        widest = fmax(widest, width_of(grid->columns[i]->name, MOST_HEADING, NAME_SIZE));
    return (widest + NAME_SIZE) * SLANT;
}

// --- blocks --------------------------------------------------------------------------------------

size_t grid_block_count(const struct scheme_grid *grid, size_t most_columns)
{
    return (grid->column_count + most_columns - 1) / most_columns;
}

void grid_block_start(struct grid_block *block, const struct scheme_grid *grid, size_t number,
                      size_t blocks, const bool *has)
{
    size_t first = grid->column_count * number / blocks;
    size_t most = grid->row_count + 1;
    *block = (struct grid_block){.first_column = first,
                                 .column_count = grid->column_count * (number + 1) / blocks - first,
                                 .rows = memory_new(most * sizeof *block->rows),
                                 .heights = memory_new(most * sizeof *block->heights),
                                 .middles = memory_new(most * sizeof *block->middles)};
    for (size_t row = 0; row < grid->row_count; row++) {
        bool any = false;
        for (size_t i = 0; i < block->column_count; i++)
            any = any || has[row * grid->column_count + first + i];
        block->heights[block->row_count] = GRID_ROW_HEIGHT;
        if (any)
            block->rows[block->row_count++] = row;
    }
}

void grid_block_free(struct grid_block *block)
{
    free(block->rows);
    free(block->heights);
    free(block->middles);
    *block = (struct grid_block){0};
}

double grid_column_middle(const struct grid_block *block, size_t column)
{
    return block->left + ((double)(column - block->first_column) + 0.5) * block->column_width;
}

// --- on the chart --------------------------------------------------------------------------------

void grid_heading(struct chart *chart, double x, double y, const char *text)
{
    struct text shown = {0};
    shorten(text, MOST_HEADING, &shown);
    text_add(&chart->body, "set label ");
    plot_quote(&chart->body, text_string(&shown));
    text_format(&chart->body,
                " at screen X(%.1f), screen Y(%.1f) left rotate by 45 font 'sans-serif,%d' "
                "textcolor rgb '" PLOT_DARK "'\n",
                x, y - GAP, NAME_SIZE);
    text_free(&shown);
}

static double heading_height(const struct scheme_grid *grid, const struct grid_block *block)
{
    double widest = LEAST_HEADING;
    for (size_t i = 0; i < block->column_count; i++)
        widest = fmax(widest, width_of(grid->columns[block->first_column + i]->name, MOST_HEADING,
                                       NAME_SIZE));
    return (widest + NAME_SIZE) * SLANT + GAP;
}

void grid_block_place(struct grid_block *block, struct chart *chart, const struct scheme_grid *grid)
{
    block->top = chart->bottom + GAP + heading_height(grid, block);
    block->bottom = block->top;
    for (size_t i = 0; i < block->column_count; i++)
        grid_heading(chart, grid_column_middle(block, block->first_column + i), block->top,
                     grid->columns[block->first_column + i]->name);
    const char *group = NULL;
    for (size_t i = 0; i < block->row_count; i++) {
        const struct grid_row *row = &grid->rows[block->rows[i]];
        struct text name = {0};
        if (group == NULL || strcmp(row->group, group) != 0) {
            // The first one stands beside the headings, where there is nothing else.
            block->bottom += i > 0 ? GROUP_HEIGHT : 0;
            chart_text(chart, EDGE, block->bottom - GROUP_HEIGHT / 2.0 + 1, CHART_LEFTWARD_FROM,
                       GROUP_SIZE, GROUP_GREY, row->group);
        }
        group = row->group;
        block->middles[i] = block->bottom + block->heights[i] / 2;
        block->bottom += block->heights[i];
        shorten(row->scheme, MOST_NAME, &name);
        chart_text(chart, block->names_right, block->middles[i], CHART_RIGHTWARD_FROM, NAME_SIZE,
                   PLOT_DARK, text_string(&name));
        text_free(&name);
    }
    chart->bottom = fmax(chart->bottom, block->bottom);
}

void grid_panel(struct chart *chart, double top, double bottom)
{
    text_format(&chart->body,
                "set lmargin at screen 0\nset rmargin at screen 1\n"
                "set tmargin at screen Y(%.1f)\nset bmargin at screen Y(%.1f)\n"
                "unset border\nunset tics\nunset grid\nunset logscale\nunset xlabel\nunset ylabel\n"
                "set xrange [0:%d]\nset yrange [%.1f:%.1f]\n",
                top, bottom, chart->width, bottom, top);
    chart->is_open = true;
}

void grid_data_string(struct text *out, const char *string)
{
    text_add(out, "\"");
    for (; *string != '\0'; string++) {
        bool is_plain = (unsigned char)*string >= ' ' && *string != '"' && *string != '\\';
        text_add_bytes(out, is_plain ? string : "'", 1);
    }
    text_add(out, "\"");
}
