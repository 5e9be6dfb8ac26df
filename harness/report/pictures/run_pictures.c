#include "harness/report/pictures/picture.h"

#include "harness/base/file.h"
#include "harness/report/gnuplot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// As many as gnuplot_run takes.
#define MOST_PICTURES 12

const struct picture_kind *const picture_catalogue[] = {
    &matrix_picture,      &windows_picture,  &recovery_picture,
    &percentiles_picture, &clients_picture,  &rates_picture,
    &hand_off_picture,    &fairness_picture, NULL,
};

// --- files ---------------------------------------------------------------------------------------

static int write_file(const char *folder, const char *name, const char *ending,
                      const struct text *text, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    int result = file_write(text_string(&path), text_string(text), text->length, error);
    text_free(&path);
    return result;
}

int plot_files_write(const char *folder, const char *name, const struct text *data,
                     const struct text *script, struct error *error)
{
    struct text picture = {0};
    struct stat status;
    text_format(&picture, "%s/%s.svg", folder, name);
    // gnuplot writes through links, and waits for who reads a pipe.
    if (lstat(picture.bytes, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink > 1))
        unlink(picture.bytes);
    text_free(&picture);
    if (write_file(folder, name, "dat", data, error) != 0)
        return -1;
    return write_file(folder, name, "gp", script, error);
}

int picture_files_write(const char *folder, const struct picture_kind *kind,
                        const struct picture *picture, struct error *error)
{
    struct text script = {0};
    picture_script(kind, picture, &script);
    int failed = plot_files_write(folder, kind->name, &picture->data, &script, error);
    text_free(&script);
    return failed;
}

char *picture_svg_read(const char *folder, const char *name, struct error *error)
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

// --- of a whole run ------------------------------------------------------------------------------

static int write_files(struct run_result *run, const char *folder, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; picture_catalogue[i] != NULL && failed == 0; i++) {
        const struct picture_kind *kind = picture_catalogue[i];
        struct picture picture;
        if (run->picture_count < MOST_PICTURES &&
            picture_write(kind, &(struct picture_subject){.run = run}, &picture)) {
            failed = folder_make(folder, error);
            if (failed == 0)
                failed = picture_files_write(folder, kind, &picture, error);
            run->pictures =
                memory_resized(run->pictures, (run->picture_count + 1) * sizeof *run->pictures);
            run->pictures[run->picture_count++] = (struct run_picture){
                .place = kind->place,
                .name = kind->name,
                .title = kind->title,
                .alternative = memory_string(text_string(&picture.alternative))};
        }
        picture_free(&picture);
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
        run->pictures[i].svg = picture_svg_read(folder, run->pictures[i].name, error);
        complete = complete && run->pictures[i].svg != NULL;
    }
    return complete ? 0 : -1;
}

int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error)
{
    char *folder = path_join(run->folder, "plots");
    int failed = write_files(run, folder, error);
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
