// Throughput, and acquire latency below it, against the number of those who ask; where the run has
// both, with one lock for all and with a lock for each beside each other.
#include "harness/report/load_picture.h"

#include <string.h>

#define WIDTH 1100

static const char *locks_title(const struct scenario *scenario, char *out, size_t room)
{
    if (scenario->workload.keys == KEYS_OWN)
        snprintf(out, room, "a lock for each worker");
    else if (scenario->workload.keys > 1)
        snprintf(out, room, "%lld locks%s", (long long)scenario->workload.keys,
                 scenario->workload.skew > 0 ? ", some taken more" : "");
    else
        snprintf(out, room, "one lock for all");
    return out;
}

// One lock first, then one for each, then others.
static int order_of(const struct scenario *scenario)
{
    if (scenario->workload.keys == KEYS_OWN)
        return 1;
    return scenario->workload.keys > 1 ? 2 : 0;
}

#define MOST_COLUMNS (LOAD_MOST_PANELS / 2)

static size_t list_columns(const struct load_points *points, const struct scenario **columns)
{
    size_t count = 0;
    for (int order = 0; order < 3; order++) {
        for (size_t i = 0; i < points->count && count < MOST_COLUMNS; i++) {
            const struct scenario *scenario = points->items[i].trial->scenario;
            bool is_known = order_of(scenario) != order;
            for (size_t j = 0; j < count; j++)
                is_known |= load_same_locks(columns[j], scenario);
            if (!is_known)
                columns[count++] = scenario;
        }
    }
    return count;
}

static void describe(const struct load_points *points, const struct load_layout *layout,
                     struct text *out)
{
    const struct load_point *best = NULL;
    char locks[64];
    for (size_t i = 0; i < points->count; i++) {
        const struct load_point *point = &points->items[i];
        if (load_same_locks(point->trial->scenario, layout->panels[0].locks) &&
            (best == NULL || point->rate.median > best->rate.median))
            best = point;
    }
    if (best == NULL)
        return;
    text_format(out,
                "Locks a second and acquire p99 of %zu schemes at %zu numbers of clients. With %s, "
                "the most locks a second were %.0f, of %s at %lld.",
                load_scheme_count(points), load_place_count(points, LOAD_BY_WORKERS),
                locks_title(best->trial->scenario, locks, sizeof locks), best->rate.median,
                best->trial->scheme, (long long)best->workers);
}

static void draw_points(const struct load_points *points, struct drawing *drawing)
{
    const struct scenario *columns[MOST_COLUMNS];
    char titles[MOST_COLUMNS][64];
    struct chart chart;
    bool threads = points->items[0].trial->scenario->clients.threads > 1;
    struct load_layout layout = {.axis = LOAD_BY_WORKERS,
                                 .axis_label = threads ? "workers: clients × threads" : "clients",
                                 .wide = list_columns(points, columns),
                                 .high = 2};
    for (size_t i = 0; i < layout.wide; i++) {
        layout.panels[i] = (struct load_panel){locks_title(columns[i], titles[i], sizeof titles[i]),
                                               columns[i], LOAD_THROUGHPUT};
        layout.panels[layout.wide + i] = (struct load_panel){NULL, columns[i], LOAD_P99};
    }
    chart_start(&chart, drawing, "clients", WIDTH);
    load_picture_title(
        &chart, "Throughput and acquire p99 against the number of clients, without faults", points);
    load_picture_draw(&chart, points, &layout);
    load_picture_notes(&chart, points);
    chart_finish(&chart);
    describe(points, &layout, &drawing->alternative);
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    return load_picture_of_run(run, LOAD_BY_WORKERS, draw_points, drawing);
}

const struct run_picture_kind clients_picture = {
    .name = "clients", .title = "Throughput and latency against clients", .draw = draw};
