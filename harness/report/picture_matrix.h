// What the files of the picture `matrix` share.
#ifndef LOCKPICK_REPORT_PICTURE_MATRIX_H
#define LOCKPICK_REPORT_PICTURE_MATRIX_H

#include "harness/report/grid_block.h"
#include "harness/report/grid_costs.h"

// Of what a scheme costs, at the right of its row, in pixels.
#define MATRIX_COSTS_WIDTH 286

struct matrix {
    const struct scheme_grid *grid;
    const struct grid_costs *costs;
    struct chart *chart;
    size_t blocks;  // one below the other
    size_t columns; // of the widest
    bool any_share; // some cell says of how many trials its verdict is
    // In pixels.
    double cell; // how wide one is
    double names_right, without_middle, left, costs_left;
};

// "✓", "✗", ...
const char *matrix_sign(enum verdict verdict);

// What stands beside the sign of UNSAFE for a property that was broken: "L".
const char *matrix_property_letter(const char *property);

// gnuplot's functions COLOUR and INK: of a cell and of the sign in it, by the name of a verdict.
void matrix_add_colours(struct text *script);

// Below all that is on the chart: what the signs mean; what was measured where, and on what.
void matrix_add_legend(struct matrix *matrix);
void matrix_add_notes(struct matrix *matrix, const struct run_result *run);

// The picture in words.
void matrix_describe(const struct matrix *matrix, struct text *out);

// What the schemes of a block cost: its headings and lines, before the panel is opened; its bars
// and numbers, inside of it.
void matrix_costs_place(const struct matrix *matrix, const struct grid_block *block);
void matrix_costs_draw(const struct matrix *matrix, const struct grid_block *block);

#endif
