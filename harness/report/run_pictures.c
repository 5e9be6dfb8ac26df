#include "harness/report/run_pictures.h"

#include "harness/base/file.h"
#include "harness/base/table.h"
#include "harness/report/gnuplot.h"
#include "harness/report/plot_files.h"

#include <stdlib.h>

// As many as gnuplot_run takes.
#define MOST_PICTURES 12

const struct run_picture_kind *const run_picture_catalogue[] = {
    &matrix_picture,      &windows_picture,  &recovery_picture,
    &percentiles_picture, &clients_picture,  &rates_picture,
    &hand_off_picture,    &fairness_picture, NULL,
};

static void add(struct run_result *run, const struct run_picture_kind *kind,
                const struct drawing *drawing)
{
    run->pictures = memory_resized(run->pictures, (run->picture_count + 1) * sizeof *run->pictures);
    run->pictures[run->picture_count++] =
        (struct run_picture){.name = kind->name,
                             .title = kind->title,
                             .alternative = memory_string(text_string(&drawing->alternative))};
}

static int draw_all(struct run_result *run, const char *folder, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; run_picture_catalogue[i] != NULL && failed == 0; i++) {
        const struct run_picture_kind *kind = run_picture_catalogue[i];
        struct drawing drawing = {0};
        if (run->picture_count < MOST_PICTURES && kind->draw(run, &drawing)) {
            failed = folder_make(folder, error);
            if (failed == 0)
                failed =
                    plot_files_write(folder, kind->name, &drawing.data, &drawing.script, error);
            if (failed == 0)
                add(run, kind, &drawing);
        }
        drawing_free(&drawing);
    }
    return failed;
}

static int render(struct run_result *run, const char *folder, struct error *error)
{
    char scripts[MOST_PICTURES][64];
    const char *names[MOST_PICTURES + 1] = {NULL};
    for (size_t i = 0; i < run->picture_count; i++) {
        snprintf(scripts[i], sizeof scripts[i], "%s.gp", run->pictures[i].name);
        names[i] = scripts[i];
    }
    bool missing = false;
    if (gnuplot_run(folder, names, &missing, error) != 0)
        return missing ? 0 : -1;
    bool complete = true;
    for (size_t i = 0; i < run->picture_count; i++) {
        run->pictures[i].svg = plot_files_read(folder, run->pictures[i].name, error);
        complete = complete && run->pictures[i].svg != NULL;
    }
    return complete ? 0 : -1;
}

void drawing_free(struct drawing *drawing)
{
    text_free(&drawing->data);
    text_free(&drawing->script);
    text_free(&drawing->alternative);
}

int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error)
{
    char *folder = path_join(run->folder, "plots");
    int failed = draw_all(run, folder, error);
    if (failed == 0 && with_gnuplot && run->picture_count > 0)
        failed = render(run, folder, error);
    free(folder);
    return failed;
}

void run_pictures_free(struct run_result *run)
{
    for (size_t i = 0; i < run->picture_count; i++) {
        free(run->pictures[i].alternative);
        free(run->pictures[i].svg);
    }
    free(run->pictures);
    run->pictures = NULL;
    run->picture_count = 0;
}
