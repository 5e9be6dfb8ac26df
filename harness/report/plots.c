#include "harness/report/gnuplot.h"
#include "harness/report/plot.h"
#include "harness/report/plot_files.h"
#include "harness/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLOTS 3

static int draw(const struct plot *plots, size_t count, struct trial_result *result,
                struct error *error)
{
    char scripts[MOST_PLOTS][32];
    const char *names[MOST_PLOTS + 1] = {NULL};
    for (size_t i = 0; i < count; i++) {
        snprintf(scripts[i], sizeof scripts[i], "%s.gp", plots[i].name);
        names[i] = scripts[i];
    }
    bool missing = false;
    if (gnuplot_run(result->folder, names, &missing, error) != 0)
        return missing ? 0 : -1;
    char **const pictures[] = {&result->throughput, &result->timeline, &result->latency};
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        *pictures[i] = plot_files_read(result->folder, plots[i].name, error);
        complete = complete && *pictures[i] != NULL;
    }
    return complete ? 0 : -1;
}

int plots_write(const struct digest *digest, struct trial_result *result, bool with_gnuplot,
                struct error *error)
{
    struct plot plots[MOST_PLOTS];
    size_t count = 0;
    plot_throughput(&plots[count++], digest, &result->judgement);
    plot_timeline(&plots[count++], digest, &result->judgement);
    if (digest->hold_count >= LEAST_FOR_PERCENTILES)
        plot_latency(&plots[count++], digest);
    int failed = 0;
    for (size_t i = 0; i < count && failed == 0; i++) {
        failed = plot_files_write(result->folder, plots[i].name, &plots[i].data, &plots[i].script,
                                  error);
    }
    if (failed == 0 && with_gnuplot)
        failed = draw(plots, count, result, error);
    for (size_t i = 0; i < count; i++)
        plot_free(&plots[i]);
    return failed;
}
