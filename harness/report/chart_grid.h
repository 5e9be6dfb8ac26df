// Many schemes in one picture: in blocks of a few, each with panels of the same axes and a legend
// at their right, so that no curve needs more than one of CHART_STYLES.
#ifndef LOCKPICK_REPORT_CHART_GRID_H
#define LOCKPICK_REPORT_CHART_GRID_H

#include "harness/report/chart.h"

// Some of the schemes: of one kind of server, or of several kinds with few.
struct chart_group {
    size_t members[CHART_STYLES]; // indices into the trials that were grouped
    size_t count;
    char title[80]; // "Redis (1 of 3)", "etcd, ZooKeeper"; "" if there is but one group
};

// "Redis": the server that the scheme locks with, after its traits; "no server".
const char *scheme_kind(const struct trial *trial);

// The place of that kind among all kinds, in the order of the catalogue; "no server" is 0.
size_t scheme_kind_rank(const struct trial *trial);
#define SCHEME_KINDS 7

// Groups trials by kind, in the order in which the catalogue has the kinds; inside a group they
// keep theirs. Returns how many groups there are; the caller frees them.
size_t chart_groups_make(const struct trial *const *trials, size_t count,
                         struct chart_group **groups);

// How the blocks lie.
struct chart_grid {
    struct chart *chart;
    size_t beside;     // blocks beside each other
    size_t wide, high; // panels of a block, beside and below each other
    double legend;     // how wide legends are
    double height;     // of a panel
    double top;        // of the first block
};

// For blocks of `wide` × `high` panels below all that the chart has so far. `names` are all that
// stands in legends.
struct chart_grid chart_grid_make(struct chart *chart, size_t blocks, size_t wide, size_t high,
                                  const char *const *names, size_t name_count);

// The inside of a panel of a block, all counted from 0.
struct chart_box chart_grid_panel(const struct chart_grid *grid, size_t block, size_t column,
                                  size_t row);

// What stands in a block's legend: the higher its curve ends, the higher; NaN ranks last.
struct chart_entry {
    const char *text;
    struct chart_style style;
    double rank;
};

// Sorts the entries. While a panel of the block is open.
void chart_grid_legend(const struct chart_grid *grid, size_t block, struct chart_entry *entries,
                       size_t count);

#endif
