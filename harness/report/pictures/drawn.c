// Pictures drawn by gnuplot, of runs and of trials, with the files that they are drawn from.
#include "harness/base/file.h"
#include "harness/report/gnuplot.h"
#include "harness/report/pictures/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct picture_kind *const kinds[] = {
    [PICTURE_TIMELINE] = &timeline_picture,        [PICTURE_THROUGHPUT] = &throughput_picture,
    [PICTURE_LATENCY] = &latency_picture,          [PICTURE_OPERATIONS] = &operations_picture,
    [PICTURE_SLICES] = &latency_over_time_picture,
};

const char *picture_name(enum trial_picture which)
{
    return kinds[which]->name;
}

char *picture_draw(const struct picture_kind *kind, const struct picture *picture,
                   struct error *error)
{
    char folder[] = "/tmp/lockpick-picture-XXXXXX";
    const struct gnuplot_script drawn = {folder, kind->name};
    struct text script = {0};
    char *svg = NULL;
    bool missing = false;
    if (mkdtemp(folder) == NULL) {
        error_set(error, "cannot make the folder %s: %s", folder, strerror(errno));
        return NULL;
    }
    picture_script(kind, picture, &script);
    if (picture_files_write(folder, kind->name, &picture->data, &script, error) == 0 &&
        gnuplot_run(&drawn, 1, &missing, error) == 0)
        svg = picture_svg_read(folder, kind->name, error);
    text_free(&script);
    folder_remove(folder, NULL);
    return svg;
}

// --- of a trial: what they are drawn from --------------------------------------------------------

// False if the trial has too little for it: then there is no picture.
static bool make(enum trial_picture which, const struct digest *digest,
                 const struct trial_result *result, struct plot_source *source)
{
    const struct picture_subject subject = {.digest = digest, .judgement = &result->judgement};
    struct picture picture;
    bool any = picture_write(kinds[which], &subject, &picture);
    *source = (struct plot_source){0};
    if (any) {
        picture_script(kinds[which], &picture, &source->script);
        source->data = picture.data;
        picture.data = (struct text){0};
    }
    picture_free(&picture);
    return any;
}

static void source_free(struct plot_source *source)
{
    text_free(&source->data);
    text_free(&source->script);
}

static bool write_source(const struct trial_result *result, enum trial_picture which,
                         const struct plot_source *source, struct error *error)
{
    return picture_files_write(result->folder, picture_name(which), &source->data, &source->script,
                               error) == 0;
}

int plots_write(const struct digest *digest, struct trial_result *result, bool with_gnuplot,
                struct error *error)
{
    bool written = true;
    for (enum trial_picture which = 0; which < PICTURE_ALL && written; which++) {
        struct plot_source source;
        if (make(which, digest, result, &source)) {
            written = write_source(result, which, &source, error);
            result->undrawn |= written ? 1u << which : 0;
        }
        source_free(&source);
    }
    if (!written)
        return -1;
    return with_gnuplot ? plots_draw_all(result, 1, error) : 0;
}

void plots_keep(const struct digest *digest, struct trial_result *result)
{
    result->sources = memory_zeroed(PICTURES_OF_PAGE, sizeof *result->sources);
    for (enum trial_picture which = 0; which < PICTURES_OF_PAGE; which++) {
        if (make(which, digest, result, &result->sources[which]))
            result->undrawn |= 1u << which;
    }
}

void plots_free(struct trial_result *result)
{
    for (size_t i = 0; result->sources != NULL && i < PICTURES_OF_PAGE; i++)
        source_free(&result->sources[i]);
    free(result->sources);
    free(result->timeline);
    free(result->throughput);
    free(result->latency);
}

// --- of a trial: drawn ---------------------------------------------------------------------------

// Takes note of what was drawn. Of those of a page the SVG is kept, too.
static int take(const struct plot_wish *wish, struct error *error)
{
    struct trial_result *result = wish->result;
    char **const kept[PICTURE_ALL] = {&result->timeline, &result->throughput, &result->latency};
    char **svg = kept[wish->which];
    result->undrawn &= ~(1u << wish->which);
    result->has_operations |= wish->which == PICTURE_OPERATIONS;
    result->has_slices |= wish->which == PICTURE_SLICES;
    if (svg != NULL)
        *svg = picture_svg_read(result->folder, picture_name(wish->which), error);
    return svg == NULL || *svg != NULL ? 0 : -1;
}

// All of them have files. Where one fails each is drawn by itself, so that only those are missing
// which cannot be drawn.
static int draw(const struct plot_wish *wishes, size_t count, struct error *error)
{
    struct gnuplot_script *scripts = memory_new((count + 1) * sizeof *scripts);
    bool missing = false;
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        scripts[i] =
            (struct gnuplot_script){wishes[i].result->folder, picture_name(wishes[i].which)};
    bool together = gnuplot_run(scripts, count, &missing, error) == 0;
    for (size_t i = 0; i < count && !missing; i++) {
        struct error *first = failed == 0 ? error : NULL;
        if ((!together && gnuplot_run(&scripts[i], 1, &missing, first) != 0) ||
            take(&wishes[i], first) != 0)
            failed = -1;
    }
    free(scripts);
    return failed;
}

// False if there is nothing to draw it from.
static bool has_files(const struct plot_wish *wish, struct error *error)
{
    const struct trial_result *result = wish->result;
    if ((result->undrawn & 1u << wish->which) == 0)
        return false;
    return result->sources == NULL ||
           (folder_make(result->folder, error) == 0 &&
            write_source(result, wish->which, &result->sources[wish->which], error));
}

int plots_draw(const struct plot_wish *wishes, size_t count, struct error *error)
{
    struct plot_wish *undrawn = memory_new((count + 1) * sizeof *undrawn);
    struct error reason = {0};
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_files(&wishes[i], &reason))
            undrawn[left++] = wishes[i];
    }
    int failed = draw(undrawn, left, error);
    if (reason.text[0] != '\0')
        failed = error_set(error, "%s", reason.text);
    free(undrawn);
    return failed;
}

int plots_draw_all(struct trial_result *results, size_t count, struct error *error)
{
    struct plot_wish *wishes = memory_new((count + 1) * PICTURE_ALL * sizeof *wishes);
    for (size_t i = 0; i < count * PICTURE_ALL; i++)
        wishes[i] =
            (struct plot_wish){&results[i / PICTURE_ALL], (enum trial_picture)(i % PICTURE_ALL)};
    int failed = plots_draw(wishes, count * PICTURE_ALL, error);
    free(wishes);
    return failed;
}

// --- of a run ------------------------------------------------------------------------------------

static int write_files(struct run_result *run, const char *folder, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; picture_catalogue[i] != NULL && failed == 0; i++) {
        const struct picture_kind *kind = picture_catalogue[i];
        struct picture picture;
        if (picture_write(kind, &(struct picture_subject){.run = run}, &picture)) {
            struct text script = {0};
            picture_script(kind, &picture, &script);
            failed = folder_make(folder, error);
            if (failed == 0)
                failed = picture_files_write(folder, kind->name, &picture.data, &script, error);
            text_free(&script);
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
    struct gnuplot_script *scripts = memory_new((run->picture_count + 1) * sizeof *scripts);
    bool missing = false;
    for (size_t i = 0; i < run->picture_count; i++)
        scripts[i] = (struct gnuplot_script){folder, run->pictures[i].name};
    int failed = gnuplot_run(scripts, run->picture_count, &missing, error);
    free(scripts);
    for (size_t i = 0; i < run->picture_count && failed == 0; i++) {
        run->pictures[i].svg = picture_svg_read(folder, run->pictures[i].name, error);
        failed = run->pictures[i].svg != NULL ? 0 : -1;
    }
    return missing ? 0 : failed;
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
