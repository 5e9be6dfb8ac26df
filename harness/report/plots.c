#include "harness/report/gnuplot.h"
#include "harness/report/plot.h"
#include "harness/report/plot_files.h"
#include "harness/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLOTS 5

// The plots of a trial, and where the SVG of each goes; NULL: it stays in its file, and it is noted
// that it is there.
struct plots {
    struct plot items[MOST_PLOTS];
    char **pictures[MOST_PLOTS];
    bool *notes[MOST_PLOTS];
    size_t count;
};

static int draw(const struct plots *plots, const struct trial_result *result, struct error *error)
{
    char scripts[MOST_PLOTS][32];
    const char *names[MOST_PLOTS + 1] = {NULL};
    for (size_t i = 0; i < plots->count; i++) {
        snprintf(scripts[i], sizeof scripts[i], "%s.gp", plots->items[i].name);
        names[i] = scripts[i];
    }
    bool missing = false;
    if (gnuplot_run(result->folder, names, &missing, error) != 0)
        return missing ? 0 : -1;
    bool complete = true;
    for (size_t i = 0; i < plots->count; i++) {
        if (plots->pictures[i] == NULL) {
            *plots->notes[i] = true;
            continue;
        }
        *plots->pictures[i] = plot_files_read(result->folder, plots->items[i].name, error);
        complete = complete && *plots->pictures[i] != NULL;
    }
    return complete ? 0 : -1;
}

// The plot that was made last is to be kept.
static void keep(struct plots *plots, char **picture)
{
    plots->pictures[plots->count++] = picture;
}

// The same for a plot that is only a file; one of too little is not kept.
static void keep_if(struct plots *plots, bool is_worth_it, bool *note)
{
    plots->notes[plots->count] = note;
    if (is_worth_it)
        keep(plots, NULL);
    else
        plot_free(&plots->items[plots->count]);
}

static void make(const struct digest *digest, struct trial_result *result, struct plots *plots)
{
    plots->count = 0;
    plot_throughput(&plots->items[plots->count], digest, &result->judgement);
    keep(plots, &result->throughput);
    plot_timeline(&plots->items[plots->count], digest, &result->judgement);
    keep(plots, &result->timeline);
    if (digest->hold_count >= LEAST_FOR_PERCENTILES) {
        plot_latency(&plots->items[plots->count], digest);
        keep(plots, &result->latency);
    }
    keep_if(plots, plot_operations(&plots->items[plots->count], digest), &result->has_operations);
    keep_if(plots, plot_slices(&plots->items[plots->count], digest), &result->has_slices);
}

int plots_write(const struct digest *digest, struct trial_result *result, bool with_gnuplot,
                struct error *error)
{
    struct plots plots;
    int failed = 0;
    make(digest, result, &plots);
    for (size_t i = 0; i < plots.count && failed == 0; i++) {
        const struct plot *plot = &plots.items[i];
        failed = plot_files_write(result->folder, plot->name, &plot->data, &plot->script, error);
    }
    if (failed == 0 && with_gnuplot)
        failed = draw(&plots, result, error);
    for (size_t i = 0; i < plots.count; i++)
        plot_free(&plots.items[i]);
    return failed;
}
