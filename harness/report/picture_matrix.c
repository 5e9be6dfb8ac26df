// Which lock survives which fault, and what it costs: a cell for each scheme under each fault, in
// the colour of its verdict and with a sign of its own, which tells it in grey too.
#include "harness/report/picture_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGE 12
#define LEAST_CELL 27
#define MOST_CELL 42
#define TWO_LINES_HEIGHT 30 // of a row with a share below a sign
#define WITHOUT_GAP 10      // between the column without faults and the others
#define COSTS_GAP 14
#define BLOCK_GAP 16
#define WITHOUT_NAME "no fault"

// --- cells ---------------------------------------------------------------------------------------

// Trials of one cell that ended differently: then it says how many of how many.
static bool differs(const struct grid_cell *cell)
{
    return cell->trials > 1 && cell->alike < cell->trials;
}

// True if some cell of the row does that has a place in the block.
static bool any_differs(const struct matrix *matrix, const struct grid_block *block, size_t row)
{
    bool any = differs(&matrix->costs->rows[row].cell);
    for (size_t i = 0; i < block->column_count; i++)
        any = any || differs(scheme_grid_cell(matrix->grid, row, block->first_column + i));
    return any;
}

// A line of data: what is in the cell, and where its middle is and how high it is in pixels.
static void add_cell(const struct matrix *matrix, const struct grid_cell *cell, const char *scheme,
                     const char *scenario, double x, double y, double height)
{
    struct text *data = &matrix->chart->drawing->data;
    if (cell->trials == 0)
        return;
    const char *broken = cell->worst == VERDICT_UNSAFE ? cell->broken : NULL;
    grid_data_string(data, scheme);
    text_add(data, " ");
    grid_data_string(data, scenario);
    text_format(data, " %s %zu %zu %s \"%s%s\"", verdict_name(cell->worst), cell->trials,
                cell->alike, broken != NULL ? broken : "-", matrix_sign(cell->worst),
                broken != NULL ? matrix_property_letter(broken) : "");
    if (differs(cell))
        text_format(data, " \"%zu/%zu\"", cell->alike, cell->trials);
    else
        text_add(data, " \"\"");
    text_format(data, " %.1f %.1f %g\n", x, y, height);
}

static int add_cells(const struct matrix *matrix, const struct grid_block *block)
{
    const struct scheme_grid *grid = matrix->grid;
    int data =
        chart_data(matrix->chart,
                   "scheme scenario verdict trials alike broken sign share x(px) y(px) height(px)");
    for (size_t i = 0; i < block->row_count; i++) {
        size_t row = block->rows[i];
        const char *scheme = grid->rows[row].scheme;
        add_cell(matrix, &matrix->costs->rows[row].cell, scheme, WITHOUT_NAME,
                 matrix->without_middle, block->middles[i], block->heights[i]);
        for (size_t j = 0; j < block->column_count; j++) {
            size_t column = block->first_column + j;
            add_cell(matrix, scheme_grid_cell(grid, row, column), scheme,
                     grid->columns[column]->name, grid_column_middle(block, column),
                     block->middles[i], block->heights[i]);
        }
    }
    return data;
}

static void draw_cells(const struct matrix *matrix, int data)
{
    chart_curve(matrix->chart, data, "9:10:(CELL):($11 / 2 - 1):(COLOUR(strcol(3)))",
                "boxxyerror fillstyle solid 1 noborder linecolor rgb variable");
    chart_curve(matrix->chart, data, "9:($10 - (strlen(strcol(8)) ? 5 : 0)):7:(INK(strcol(3)))",
                "labels center font 'sans-serif,12' textcolor rgb variable");
    if (matrix->any_share)
        chart_curve(matrix->chart, data, "9:(strlen(strcol(8)) ? $10 + 8 : 1/0):8:(INK(strcol(3)))",
                    "labels center font 'sans-serif,9' textcolor rgb variable");
}

// --- the picture ---------------------------------------------------------------------------------

// Flags for cells with trials, row by row. The caller frees.
static bool *cells_with_trials(const struct scheme_grid *grid)
{
    size_t count = grid->row_count * grid->column_count;
    bool *has = memory_new((count + 1) * sizeof *has);
    for (size_t i = 0; i < count; i++)
        has[i] = grid->cells[i].trials > 0;
    return has;
}

// Finds how wide everything is. The chart's width is the result.
static int lay_out(struct matrix *matrix)
{
    const struct scheme_grid *grid = matrix->grid;
    double without = matrix->costs->scenario != NULL ? 1 : 0;
    double costs_width = without * (COSTS_GAP + MATRIX_COSTS_WIDTH);
    double left = grid_names_width(grid);
    double right = fmax(costs_width, grid_heading_width(grid));
    double room = GRID_WIDTH - EDGE - left - right - without * (LEAST_CELL + WITHOUT_GAP);
    matrix->blocks = grid_block_count(grid, (size_t)fmax(1, floor(room / LEAST_CELL)));
    matrix->columns = (grid->column_count + matrix->blocks - 1) / matrix->blocks;
    matrix->cell =
        fmin(MOST_CELL, floor((room + without * LEAST_CELL) / ((double)matrix->columns + without)));
    matrix->names_right = left - 8;
    matrix->without_middle = left + matrix->cell / 2;
    matrix->left = left + without * (matrix->cell + WITHOUT_GAP);
    matrix->costs_left = matrix->left + (double)matrix->columns * matrix->cell + COSTS_GAP;
    double width = matrix->costs_left - COSTS_GAP + right + EDGE;
    return (int)fmax(GRID_LEAST_WIDTH, ceil(width));
}

static void set_heights(struct matrix *matrix, struct grid_block *block)
{
    for (size_t i = 0; i < block->row_count; i++) {
        if (!any_differs(matrix, block, block->rows[i]))
            continue;
        block->heights[i] = TWO_LINES_HEIGHT;
        matrix->any_share = true;
    }
}

static void draw_block(struct matrix *matrix, size_t number, const bool *has)
{
    struct grid_block block;
    struct chart *chart = matrix->chart;
    grid_block_start(&block, matrix->grid, number, matrix->blocks, has);
    block.names_right = matrix->names_right;
    block.left = matrix->left;
    block.column_width = matrix->cell;
    set_heights(matrix, &block);
    grid_block_place(&block, chart, matrix->grid);
    if (matrix->costs->scenario != NULL) {
        grid_heading(chart, matrix->without_middle, block.top, WITHOUT_NAME);
        matrix_costs_place(matrix, &block);
    }
    grid_panel(chart, block.top, block.bottom);
    draw_cells(matrix, add_cells(matrix, &block));
    if (matrix->costs->scenario != NULL)
        matrix_costs_draw(matrix, &block);
    chart_panel_end(chart);
    chart->bottom = block.bottom + BLOCK_GAP;
    grid_block_free(&block);
}

static void draw_all(struct matrix *matrix, const struct run_result *run, struct drawing *drawing)
{
    struct chart *chart = matrix->chart;
    int width = lay_out(matrix);
    chart_start(chart, drawing, "matrix", width);
    chart_title(chart, matrix->costs->scenario != NULL
                           ? "Which lock survives which fault, and what it costs"
                           : "Which lock survives which fault");
    text_format(&chart->body, "CELL = %.1f\nset datafile missing '-'\n", matrix->cell / 2 - 1);
    matrix_add_colours(&chart->body);
    bool *has = cells_with_trials(matrix->grid);
    for (size_t i = 0; i < matrix->blocks; i++)
        draw_block(matrix, i, has);
    free(has);
    matrix_add_legend(matrix);
    matrix_add_notes(matrix, run);
    matrix_describe(matrix, &drawing->alternative);
    chart_finish(chart);
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    struct scheme_grid grid;
    scheme_grid_make(run, &grid);
    bool is_worth_it = grid.row_count >= 2 && grid.column_count >= 1;
    if (is_worth_it) {
        struct grid_costs costs;
        struct chart chart;
        grid_costs_make(run, &grid, &costs);
        struct matrix matrix = {.grid = &grid, .costs = &costs, .chart = &chart};
        draw_all(&matrix, run, drawing);
        grid_costs_free(&costs);
    }
    scheme_grid_free(&grid);
    return is_worth_it;
}

const struct run_picture_kind matrix_picture = {
    .name = "matrix",
    .title = "Which lock survives which fault, and what it costs",
    .draw = draw,
};
