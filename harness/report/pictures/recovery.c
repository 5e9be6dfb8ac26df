// How soon a lock is granted again after a fault, for each scheme and scenario: a dot for each
// trial and fault.
#include "harness/report/pictures/grid.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 10

enum kind { AFTER_EFFECT, AFTER_HEALING, NEVER, KIND_COUNT };

// What a recovery says of a kind; TIME_NEVER if nothing. Of NEVER any other value.
static int64_t value_of(const struct recovery *recovery, enum kind kind)
{
    if (kind == AFTER_EFFECT)
        return recovery->after_effect_ns;
    if (kind == AFTER_HEALING)
        return recovery->after_heal_ns;
    bool is_never = recovery->after_effect_ns == TIME_NEVER && recovery->unavailable_ns > 0;
    return is_never ? 0 : TIME_NEVER;
}

// The cell of each trial, row by row; SIZE_MAX: it has none.
static size_t cell_of(const struct scheme_grid *grid, const struct trial *trial)
{
    size_t row = scheme_grid_row(grid, trial->scheme);
    size_t column = 0;
    while (column < grid->column_count && grid->columns[column] != trial->scenario)
        column++;
    return row == grid->row_count || column == grid->column_count
               ? SIZE_MAX
               : row * grid->column_count + column;
}

static void write_dots(const struct run_result *run, const struct scheme_grid *grid,
                       const struct grid_table *table, enum kind kind, struct picture *picture)
{
    static const char *const names[] = {"after-effect", "after-healing", "never"};
    bool begun = false;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        const struct recoveries *recoveries = &run->trials[i].statistics.recoveries;
        size_t cell = cell_of(grid, trial);
        if (cell == SIZE_MAX || !run->trials[i].has_history)
            continue;
        size_t column = cell % grid->column_count;
        size_t row = table->rows[cell / grid->column_count];
        for (size_t j = 0; j < recoveries->count; j++) {
            int64_t value_ns = value_of(&recoveries->items[j], kind);
            if (value_ns == TIME_NEVER || column < table->first_column ||
                column >= table->first_column + table->column_count)
                continue;
            if (!begun)
                picture_block(picture, "%s %zu: row column ns repeat fault scheme scenario",
                              names[kind], table->number);
            begun = true;
            text_format(&picture->data, "%zu %zu %lld %d %d", row, column - table->first_column,
                        (long long)value_ns, trial->repeat, recoveries->items[j].fault);
            picture_cell(picture, trial->scheme);
            picture_cell(picture, trial->scenario->name);
            text_add(&picture->data, "\n");
        }
    }
}

// The scheme and scenario of the longest time to a grant.
static void describe(const struct run_result *run, const struct scheme_grid *grid, struct text *out)
{
    int64_t longest_ns = -1;
    const struct trial *slowest = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const struct recoveries *recoveries = &run->trials[i].statistics.recoveries;
        for (size_t j = 0; run->trials[i].has_history && j < recoveries->count; j++) {
            int64_t value_ns = recoveries->items[j].after_effect_ns;
            if (value_ns == TIME_NEVER || value_ns <= longest_ns)
                continue;
            longest_ns = value_ns;
            slowest = run->trials[i].trial;
        }
    }
    char text[32];
    text_format(out,
                "How soon each of %zu schemes was granted again after the faults of %zu "
                "scenario%s.",
                grid->row_count, grid->column_count, grid->column_count == 1 ? "" : "s");
    if (slowest != NULL)
        text_format(out, " The longest time from a fault to the next grant was %s, of %s in %s.",
                    text_duration(longest_ns, text, sizeof text), slowest->scheme,
                    slowest->scenario->name);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    struct scheme_grid grid;
    bool any = false;
    struct picture_range range = {0};
    scheme_grid_make(run, &grid);
    bool *has = memory_zeroed(grid.row_count * grid.column_count + 1, sizeof *has);
    for (size_t i = 0; i < run->count; i++) {
        const struct recoveries *recoveries = &run->trials[i].statistics.recoveries;
        size_t cell = cell_of(&grid, run->trials[i].trial);
        for (size_t j = 0; j < recoveries->count; j++) {
            for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
                int64_t value_ns = value_of(&recoveries->items[j], kind);
                if (!run->trials[i].has_history || cell == SIZE_MAX || value_ns == TIME_NEVER)
                    continue;
                any = has[cell] = true;
                picture_widen(&range, (double)value_ns / NS_PER_S);
            }
        }
    }
    if (any) {
        struct grid_table *tables = NULL;
        picture_title(picture, "How soon the lock is granted again after a fault");
        size_t count = grid_tables_write(&grid, has, MOST_COLUMNS, &tables, picture);
        for (size_t i = 0; i < count; i++) {
            for (enum kind kind = 0; kind < KIND_COUNT; kind++)
                write_dots(run, &grid, &tables[i], kind, picture);
        }
        grid_tables_free(tables, count);
        picture_range(picture, "times", &range);
        picture_note(picture, "A dot for each trial and fault, on a logarithmic scale. Who is not "
                              "disturbed is granted again at once.");
        describe(run, &grid, &picture->alternative);
    }
    free(has);
    scheme_grid_free(&grid);
    return any;
}

extern const char template_recovery[];
const struct picture_kind recovery_picture = {
    .name = "recovery",
    .title = "Recovery: how soon the lock is granted again after a fault",
    .place = PLACE_RECOVERY,
    .width = 1100,
    .template = template_recovery,
    .write = write};
