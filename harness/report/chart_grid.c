#include "harness/report/chart_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP 14 // px, right of a panel
#define LEGEND_SIZE 12
#define ONE_HEIGHT 330  // of a panel that is alone
#define MANY_HEIGHT 190 // of one of many

static const struct {
    const char *trait;
    const char *name;
} kinds[] = {
    {"redis", "Redis"},         {"memcached", "memcached"}, {"etcd", "etcd"},
    {"zookeeper", "ZooKeeper"}, {"mysql", "MariaDB"},       {"postgres", "PostgreSQL"},
};

#define KINDS (sizeof kinds / sizeof *kinds)

// From 1; 0: of no server.
static size_t kind_of(const struct trial *trial)
{
    for (size_t i = 0; i < KINDS; i++) {
        for (const char *const *trait = trial->traits; trait != NULL && *trait != NULL; trait++) {
            if (strcmp(*trait, kinds[i].trait) == 0)
                return i + 1;
        }
    }
    return 0;
}

static const char *kind_name(size_t kind)
{
    return kind == 0 ? "no server" : kinds[kind - 1].name;
}

const char *scheme_kind(const struct trial *trial)
{
    return kind_name(kind_of(trial));
}

size_t scheme_kind_rank(const struct trial *trial)
{
    return kind_of(trial);
}

_Static_assert(SCHEME_KINDS == KINDS + 1, "a rank for each kind, and for no server");

// --- groups --------------------------------------------------------------------------------------

struct grouping {
    const struct trial *const *trials;
    size_t trial_count;
    struct chart_group *groups;
    size_t count;
};

static struct chart_group *new_group(struct grouping *grouping)
{
    struct chart_group *group = &grouping->groups[grouping->count++];
    *group = (struct chart_group){.count = 0};
    return group;
}

static void add_kind(struct grouping *grouping, size_t kind, size_t size)
{
    size_t parts = (size + CHART_STYLES - 1) / CHART_STYLES;
    struct chart_group *group = grouping->count > 0 ? &grouping->groups[grouping->count - 1] : NULL;
    size_t seen = 0;
    size_t part = 0;
    bool joins = group != NULL && group->count + size <= CHART_STYLES;
    for (size_t i = 0; i < grouping->trial_count; i++) {
        if (kind_of(grouping->trials[i]) != kind)
            continue;
        // Parts of the same size, but for one.
        if (!joins && seen == part * size / parts) {
            group = new_group(grouping);
            part++;
            if (parts > 1)
                snprintf(group->title, sizeof group->title, "%s (%zu of %zu)", kind_name(kind),
                         part, parts);
        }
        group->members[group->count++] = i;
        seen++;
    }
    size_t length = strlen(group->title);
    if (parts == 1)
        snprintf(group->title + length, sizeof group->title - length, "%s%s",
                 length > 0 ? ", " : "", kind_name(kind));
}

size_t chart_groups_make(const struct trial *const *trials, size_t count,
                         struct chart_group **groups)
{
    struct grouping grouping = {trials, count, memory_new((count + 1) * sizeof **groups), 0};
    for (size_t kind = 0; kind <= KINDS; kind++) {
        size_t size = 0;
        for (size_t i = 0; i < count; i++)
            size += kind_of(trials[i]) == kind;
        if (size > 0)
            add_kind(&grouping, kind, size);
    }
    if (grouping.count == 1)
        grouping.groups[0].title[0] = '\0';
    *groups = grouping.groups;
    return grouping.count;
}

// --- the grid ------------------------------------------------------------------------------------

struct chart_grid chart_grid_make(struct chart *chart, size_t blocks, size_t wide, size_t high,
                                  const char *const *names, size_t name_count)
{
    struct chart_grid grid = {.chart = chart,
                              .beside = blocks > 1 && wide == 1 ? 2 : 1,
                              .wide = wide,
                              .high = high,
                              .height = blocks * high > 1 ? MANY_HEIGHT : ONE_HEIGHT,
                              .top = chart->bottom + CHART_ABOVE};
    for (size_t i = 0; i < name_count; i++)
        grid.legend =
            fmax(grid.legend, CHART_SAMPLE_WIDTH + chart_text_width(names[i], LEGEND_SIZE) + GAP);
    return grid;
}

struct chart_box chart_grid_panel(const struct chart_grid *grid, size_t block, size_t column,
                                  size_t row)
{
    double width = (double)grid->chart->width / (double)grid->beside;
    double each = (width - grid->legend) / (double)grid->wide;
    double left = (double)(block % grid->beside) * width + (double)column * each;
    double row_height = CHART_ABOVE + grid->height + CHART_BELOW;
    double rows_above = (double)(block / grid->beside * grid->high + row);
    double top = grid->top + rows_above * row_height;
    return (struct chart_box){left + CHART_LEFT, top, left + each - GAP, top + grid->height};
}

static int compare(const void *left, const void *right)
{
    const struct chart_entry *a = left;
    const struct chart_entry *b = right;
    if (isnan(a->rank) || isnan(b->rank))
        return isnan(a->rank) - isnan(b->rank);
    return (a->rank < b->rank) - (a->rank > b->rank);
}

void chart_grid_legend(const struct chart_grid *grid, size_t block, struct chart_entry *entries,
                       size_t count)
{
    struct chart_box last = chart_grid_panel(grid, block, grid->wide - 1, 0);
    qsort(entries, count, sizeof *entries, compare);
    for (size_t i = 0; i < count; i++)
        chart_legend(grid->chart, last.right + GAP,
                     last.top + ((double)i + 0.5) * CHART_LEGEND_HEIGHT, entries[i].style,
                     entries[i].text);
}
