#include "harness/base/file.h"
#include "harness/report/gnuplot.h"
#include "harness/report/plot.h"
#include "harness/report/report.h"

#include <stdlib.h>
#include <string.h>

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

static int draw(struct trial_result *result, struct error *error)
{
    static const char *const scripts[] = {"throughput.gp", "latency.gp", "timeline.gp", NULL};
    bool missing = false;
    if (gnuplot_run(result->folder, scripts, &missing, error) != 0)
        return missing ? 0 : -1;
    result->throughput = read_picture(result->folder, "throughput", error);
    result->latency = read_picture(result->folder, "latency", error);
    result->timeline = read_picture(result->folder, "timeline", error);
    bool complete = result->throughput && result->latency && result->timeline;
    return complete ? 0 : -1;
}

int plots_write(const struct digest *digest, struct trial_result *result, bool with_gnuplot,
                struct error *error)
{
    struct plot plots[3];
    plot_throughput(&plots[0], digest, &result->judgement);
    plot_latency(&plots[1], digest);
    plot_timeline(&plots[2], digest, &result->judgement);
    int failed = 0;
    for (size_t i = 0; i < 3; i++) {
        if (failed == 0)
            failed = write_file(result->folder, plots[i].name, "dat", &plots[i].data, error);
        if (failed == 0)
            failed = write_file(result->folder, plots[i].name, "gp", &plots[i].script, error);
        plot_free(&plots[i]);
    }
    if (failed == 0 && with_gnuplot)
        failed = draw(result, error);
    return failed;
}
