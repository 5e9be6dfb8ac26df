#include "harness/base/file.h"
#include "harness/report/gnuplot.h"
#include "harness/report/pictures/picture.h"

#include <stdlib.h>

static const struct picture_kind *const kinds[] = {
    [PICTURE_TIMELINE] = &timeline_picture,        [PICTURE_THROUGHPUT] = &throughput_picture,
    [PICTURE_LATENCY] = &latency_picture,          [PICTURE_OPERATIONS] = &operations_picture,
    [PICTURE_SLICES] = &latency_over_time_picture,
};

const char *picture_name(enum trial_picture which)
{
    return kinds[which]->name;
}

// --- what it is drawn from -----------------------------------------------------------------------

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
                         const struct text *data, const struct text *script, struct error *error)
{
    return plot_files_write(result->folder, picture_name(which), data, script, error) == 0;
}

// The files of all.
static int prepare(const struct digest *digest, struct trial_result *result, struct error *error)
{
    bool written = true;
    for (enum trial_picture which = 0; which < PICTURE_ALL && written; which++) {
        struct plot_source source;
        if (make(which, digest, result, &source)) {
            written = write_source(result, which, &source.data, &source.script, error);
            result->undrawn |= written ? 1u << which : 0;
        }
        source_free(&source);
    }
    return written ? 0 : -1;
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

// --- drawn ---------------------------------------------------------------------------------------

// Where its SVG goes; NULL: it stays in its file.
static char **place_of(struct trial_result *result, enum trial_picture which)
{
    switch (which) {
    case PICTURE_TIMELINE:
        return &result->timeline;
    case PICTURE_THROUGHPUT:
        return &result->throughput;
    case PICTURE_LATENCY:
        return &result->latency;
    case PICTURE_OPERATIONS:
    case PICTURE_SLICES:
    case PICTURE_ALL:
        break;
    }
    return NULL;
}

static int take(const struct plot_wish *wish, struct error *error)
{
    struct trial_result *result = wish->result;
    char **place = place_of(result, wish->which);
    result->undrawn &= ~(1u << wish->which);
    if (wish->which == PICTURE_OPERATIONS)
        result->has_operations = true;
    else if (wish->which == PICTURE_SLICES)
        result->has_slices = true;
    else
        *place = picture_svg_read(result->folder, picture_name(wish->which), error);
    return place == NULL || *place != NULL ? 0 : -1;
}

// Each by itself, so that only those are missing which cannot be drawn.
static int draw_one_by_one(const struct plot_wish *wishes, const struct gnuplot_script *scripts,
                           size_t count, struct error *error)
{
    int failed = 0;
    bool missing = false;
    for (size_t i = 0; i < count; i++) {
        struct error *first = failed == 0 ? error : NULL;
        if (gnuplot_run_many(&scripts[i], 1, &missing, first) != 0 || take(&wishes[i], first) != 0)
            failed = -1;
    }
    return failed;
}

// All of them have files.
static int draw(const struct plot_wish *wishes, size_t count, struct error *error)
{
    struct gnuplot_script *scripts = memory_new((count + 1) * sizeof *scripts);
    for (size_t i = 0; i < count; i++)
        scripts[i] =
            (struct gnuplot_script){wishes[i].result->folder, picture_name(wishes[i].which)};
    bool missing = false;
    int failed = gnuplot_run_many(scripts, count, &missing, error);
    if (missing)
        failed = 0;
    else if (failed != 0)
        failed = draw_one_by_one(wishes, scripts, count, error);
    else
        for (size_t i = 0; i < count; i++)
            failed |= take(&wishes[i], failed == 0 ? error : NULL);
    free(scripts);
    return failed;
}

// False if there is nothing to draw it from.
static bool has_files(const struct plot_wish *wish, struct error *error)
{
    const struct trial_result *result = wish->result;
    if ((result->undrawn & 1u << wish->which) == 0)
        return false;
    if (result->sources == NULL)
        return true;
    const struct plot_source *source = &result->sources[wish->which];
    return folder_make(result->folder, error) == 0 &&
           write_source(result, wish->which, &source->data, &source->script, error);
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
    size_t wanted = 0;
    struct plot_wish *wishes = memory_new((count + 1) * PICTURE_ALL * sizeof *wishes);
    for (size_t i = 0; i < count; i++) {
        for (enum trial_picture which = 0; which < PICTURE_ALL; which++)
            wishes[wanted++] = (struct plot_wish){&results[i], which};
    }
    int failed = plots_draw(wishes, wanted, error);
    free(wishes);
    return failed;
}

int plots_write(const struct digest *digest, struct trial_result *result, bool with_gnuplot,
                struct error *error)
{
    if (prepare(digest, result, error) != 0)
        return -1;
    return with_gnuplot ? plots_draw_all(result, 1, error) : 0;
}
