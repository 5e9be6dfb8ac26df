// The bars of the picture `matrix`: what a scheme costs where nothing goes wrong.
#include "harness/report/picture_matrix.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdio.h>

#define COLUMN_WIDTH 143
#define NUMBER_RIGHT 60 // where the numbers of a column end
#define BAR_LEFT 66
#define BAR_WIDTH 62
#define BAR_HALF_HEIGHT 5
#define LEAST_BAR 1.5
#define LEAST_POWERS 2 // of ten, that the longest bar stands for
#define HEADING_SIZE 12
#define LINE_COLOUR "#e2e2e2"

// A column of bars.
struct bars {
    const char *name;
    const char *colour;
    double left;      // in pixels
    double low, high; // powers of ten, as logarithms, at the ends of the longest bar
    int columns[3];   // of the data: value, text, pixel from the top
};

// The powers of ten that take in all values of the grid.
static void find_range(const struct matrix *matrix, bool of_latency, struct bars *bars)
{
    bars->low = INFINITY;
    bars->high = -INFINITY;
    for (size_t i = 0; i < matrix->grid->row_count; i++) {
        const struct grid_cost *cost = &matrix->costs->rows[i];
        double value = of_latency ? (double)cost->p99_ns : cost->rate;
        if (!cost->is_measured || value <= 0)
            continue;
        // Below the least value, whose bar would else have no length.
        bars->low = fmin(bars->low, ceil(log10(value)) - 1);
        bars->high = fmax(bars->high, ceil(log10(value)));
    }
    if (bars->high < bars->low)
        bars->high = 2; // nothing was measured
    // In less, small differences would look large.
    bars->low = fmin(bars->low, bars->high - LEAST_POWERS);
}

static struct bars rates_of(const struct matrix *matrix)
{
    struct bars bars = {
        .name = "locks/s", .colour = PLOT_BLUE, .left = matrix->costs_left, .columns = {2, 5, 7}};
    find_range(matrix, false, &bars);
    return bars;
}

static struct bars latencies_of(const struct matrix *matrix)
{
    struct bars bars = {.name = "acquire p99",
                        .colour = PLOT_SKY,
                        .left = matrix->costs_left + COLUMN_WIDTH,
                        .columns = {3, 6, 7}};
    find_range(matrix, true, &bars);
    return bars;
}

static void place(const struct matrix *matrix, const struct grid_block *block,
                  const struct bars *bars)
{
    chart_text(matrix->chart, bars->left + NUMBER_RIGHT, block->top - 10, CHART_RIGHTWARD_FROM,
               HEADING_SIZE, PLOT_DARK, bars->name);
    for (double power = bars->low; power <= bars->high; power++) {
        double x =
            bars->left + BAR_LEFT + BAR_WIDTH * (power - bars->low) / (bars->high - bars->low);
        chart_line(matrix->chart, x, block->top, x, block->bottom, LINE_COLOUR,
                   "linewidth 0.7 back");
    }
}

void matrix_costs_place(const struct matrix *matrix, const struct grid_block *block)
{
    struct bars rates = rates_of(matrix);
    struct bars latencies = latencies_of(matrix);
    place(matrix, block, &rates);
    place(matrix, block, &latencies);
}

static void add_row(const struct matrix *matrix, size_t row, double y)
{
    const struct grid_cost *cost = &matrix->costs->rows[row];
    struct text *data = &matrix->chart->drawing->data;
    char rate[40] = "–";
    char latency[40] = "–";
    grid_data_string(data, matrix->grid->rows[row].scheme);
    if (cost->is_measured)
        text_format(data, " %.6g", cost->rate);
    else
        text_add(data, " -");
    if (cost->has_latency)
        text_format(data, " %lld", (long long)cost->p99_ns);
    else
        text_add(data, " -");
    if (cost->is_measured)
        rate_text(cost->rate, rate, sizeof rate);
    if (cost->has_latency)
        text_duration(cost->p99_ns, latency, sizeof latency);
    text_format(data, " %d \"%s%s\" \"%s%s\" %.1f\n", cost->is_driver_bound, rate,
                cost->is_measured && cost->is_driver_bound ? "*" : "", latency,
                cost->has_latency && cost->is_late ? "*" : "", y);
}

static void draw(const struct matrix *matrix, const struct bars *bars, int data)
{
    char columns[300];
    double left = bars->left + BAR_LEFT;
    double scale = BAR_WIDTH / (bars->high - bars->low);
    int value = bars->columns[0];
    int text = bars->columns[1];
    int y = bars->columns[2];
    snprintf(
        columns, sizeof columns,
        "(%.1f):%d:(%.1f):(%.1f + ($%d > 0 ? %.3f * (log10($%d) - %g) : 0)):($%d - %d):($%d + %d)",
        left, y, left, left + LEAST_BAR, value, scale, value, bars->low, y, BAR_HALF_HEIGHT, y,
        BAR_HALF_HEIGHT);
    chart_curve(matrix->chart, data, columns,
                "boxxyerror fillstyle solid 1 noborder linecolor rgb '%s'", bars->colour);
    snprintf(columns, sizeof columns, "(%.1f):%d:%d", bars->left + NUMBER_RIGHT, y, text);
    chart_curve(matrix->chart, data, columns,
                "labels right font 'sans-serif,11' textcolor rgb '" PLOT_DARK "'");
}

void matrix_costs_draw(const struct matrix *matrix, const struct grid_block *block)
{
    int data =
        chart_data(matrix->chart, "scheme locks/s acquire-p99(ns) driver-bound text text y(px)");
    struct bars rates = rates_of(matrix);
    struct bars latencies = latencies_of(matrix);
    for (size_t i = 0; i < block->row_count; i++)
        add_row(matrix, block->rows[i], block->middles[i]);
    draw(matrix, &rates, data);
    draw(matrix, &latencies, data);
}
