#include "harness/base/file.h"
#include "harness/report/gnuplot.h"
#include "harness/report/plot.h"
#include "harness/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLOTS 3

static int write_file(const char *folder, const char *name, const char *ending,
                      const struct text *text, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    int result = file_write(text_string(&path), text_string(text), text->length, error);
    text_free(&path);
    return result;
}

// The picture as an element of HTML: without the declarations before it. NULL with `error` set if
// it is not there in full.
static char *read_picture(const char *folder, const char *name, struct error *error)
{
    struct text path = {0};
    struct text svg = {0};
    char *picture = NULL;
    text_format(&path, "%s/%s.svg", folder, name);
    if (file_read(text_string(&path), &svg, error) == 0) {
        const char *begin = strstr(text_string(&svg), "<svg");
        const char *end = strstr(text_string(&svg), "</svg>");
        if (begin != NULL && end != NULL)
            picture = memory_string(begin);
        else
            error_set(error, "gnuplot left %s incomplete", text_string(&path));
    }
    text_free(&path);
    text_free(&svg);
    return picture;
}

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
        *pictures[i] = read_picture(result->folder, plots[i].name, error);
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
        failed = write_file(result->folder, plots[i].name, "dat", &plots[i].data, error);
        if (failed == 0)
            failed = write_file(result->folder, plots[i].name, "gp", &plots[i].script, error);
    }
    if (failed == 0 && with_gnuplot)
        failed = draw(plots, count, result, error);
    for (size_t i = 0; i < count; i++)
        plot_free(&plots[i]);
    return failed;
}
