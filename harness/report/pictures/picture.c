#include "harness/report/pictures/picture.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/stats/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

// --- written -------------------------------------------------------------------------------------

bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture)
{
    *picture = (struct picture){.kind = kind, .width = kind->width, .steps = subject->steps};
    bool any = kind->write(subject, picture);
    for (size_t i = 0; i < picture->block_count && any; i++) {
        const struct picture_block *block = picture->blocks[i];
        if (block->rows.length > 0)
            text_format(&picture->data, "%s# %s\n%s", picture->data.length > 0 ? "\n\n" : "",
                        block->heading, block->rows.bytes);
    }
    if (picture->data.length > 0)
        text_clean(picture->data.bytes);
    return any;
}

void picture_free(struct picture *picture)
{
    for (size_t i = 0; i < picture->block_count; i++) {
        text_free(&picture->blocks[i]->rows);
        free(picture->blocks[i]->heading);
        free(picture->blocks[i]);
    }
    free(picture->blocks);
    struct text *const texts[] = {&picture->data,  &picture->values, &picture->title,
                                  &picture->cause, &picture->notes,  &picture->alternative};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
    *picture = (struct picture){0};
}

struct picture_block *picture_block_of(struct picture *picture, char *heading)
{
    size_t length = strcspn(heading, ":") + 1;
    for (size_t i = 0; i < picture->block_count; i++) {
        if (strncmp(picture->blocks[i]->heading, heading, length) == 0) {
            free(heading);
            return picture->blocks[i];
        }
    }
    picture->blocks =
        memory_resized(picture->blocks, (picture->block_count + 1) * sizeof *picture->blocks);
    struct picture_block *block = memory_zeroed(1, sizeof *block);
    block->heading = heading;
    return picture->blocks[picture->block_count++] = block;
}

// In double quotes, of data, no character has a meaning but these two.
static void quote_data(struct text *out, const char *string)
{
    text_add(out, "\"");
    for (; *string != '\0'; string++) {
        bool is_plain = (unsigned char)*string >= ' ' && *string != '"' && *string != '\\';
        text_add_bytes(out, is_plain ? string : "'", 1);
    }
    text_add(out, "\"");
}

void picture_add(struct text *out, bool is_data, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format != '\0') {
        char one[16];
        size_t plain = strcspn(format, "%");
        text_add_bytes(out, format, plain);
        format += plain;
        size_t length = *format == '\0' ? 0 : strcspn(format, "dugs") + 1;
        snprintf(one, sizeof one, "%.*s", (int)length, format);
        format += length;
        if (length == 0)
            break;
        if (one[length - 1] == 's' && is_data)
            quote_data(out, va_arg(arguments, const char *));
        else if (one[length - 1] == 's')
            gnuplot_quote(out, va_arg(arguments, const char *), SIZE_MAX);
        else if (one[length - 1] == 'g')
            text_format(out, one, va_arg(arguments, double));
        else if (strstr(one, "ll") != NULL)
            text_format(out, one, va_arg(arguments, long long));
        else if (strchr(one, 'z') != NULL)
            text_format(out, one, va_arg(arguments, size_t));
        else
            text_format(out, one, va_arg(arguments, int));
    }
    va_end(arguments);
    text_add(out, "\n");
}

void picture_add_note(struct picture *picture, char *note)
{
    if (strstr(text_string(&picture->notes), note) == NULL)
        text_format(&picture->notes, "%s%s", picture->notes.length > 0 ? "\n" : "", note);
    free(note);
}

#define POINTS_PER_DECADE 20
#define MOST_DECADES 5

void picture_percentiles(struct picture_block *block, const char *name,
                         const struct histogram *histogram, int64_t least_beyond)
{
    double total = (double)histogram->total;
    picture_row(block, "%s", name);
    for (int i = 0; i <= MOST_DECADES * POINTS_PER_DECADE; i++) {
        double x = pow(10, (double)i / POINTS_PER_DECADE);
        double percent = 100 - 100 / x;
        if (total / x < (double)least_beyond * (1 - 1e-9) || x > total)
            break;
        // A logarithm has no place for 0.
        int64_t ns = i > 0 ? histogram_percentile_ns(histogram, percent) : histogram->min_ns;
        picture_row(block, "%.6g %.7g %lld", x, percent, (long long)time_later(ns, 1));
    }
    if (least_beyond == 0)
        picture_row(block, "%.6g %.7g %lld", total, 100 - 100 / total,
                    (long long)time_later(histogram->max_ns, 1));
}

// --- the script ----------------------------------------------------------------------------------

// Tells a text of several lines, each as long as there is room for `most` characters.
static void tell_lines(struct text *script, const char *variable, const char *most,
                       const struct text *words)
{
    text_format(script, "%s = ''\n", variable);
    for (const char *at = text_string(words); *at != '\0'; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        text_format(script, "%s = joined(%s, broken(", variable, variable);
        gnuplot_quote(script, at, length);
        text_format(script, ", %s))\n", most);
        at += length;
    }
}

// NAME.gp.
static void picture_script(const struct picture *picture, struct text *script)
{
    const struct picture_kind *kind = picture->kind;
    text_format(script,
                "# Draw %s.svg again with: gnuplot %s.gp\nreset\nname = '%s'\n"
                "data = '%s.dat'\nwidth = %d\n\n%s\n%s",
                kind->name, kind->name, kind->name, kind->name, picture->width, template_style,
                text_string(&picture->values));
    tell_lines(script, "title", "large", &picture->title);
    tell_lines(script, "cause", "small", &picture->cause);
    tell_lines(script, "notes", "small", &picture->notes);
    text_clean(script->bytes); // names are those of strangers
    text_add(script, "top = 12 + 21 * lines(title)\nbelow = 17 * lines(notes) + 14\n\n");
    for (size_t i = 0; kind->shared[i] != NULL; i++)
        text_add(script, kind->shared[i]);
    text_add(script, kind->template);
}

// --- files ---------------------------------------------------------------------------------------

static char *path_of(const char *folder, const char *name, const char *ending)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    return path.bytes;
}

// Writes NAME.dat and NAME.gp into the folder, which it makes.
static int write_files(const struct picture *picture, const char *folder, struct error *error)
{
    AUTO_TEXT struct text script = {0};
    AUTO_FREE char *svg_path = path_of(folder, picture->kind->name, "svg");
    AUTO_FREE char *data_path = path_of(folder, picture->kind->name, "dat");
    AUTO_FREE char *script_path = path_of(folder, picture->kind->name, "gp");
    struct stat status;
    picture_script(picture, &script);
    if (folder_make(folder, error) != 0)
        return -1;
    // gnuplot writes through links, and waits for who reads a pipe.
    if (lstat(svg_path, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink > 1))
        unlink(svg_path);
    int failed = file_write(data_path, text_string(&picture->data), picture->data.length, error);
    return failed == 0 ? file_write(script_path, script.bytes, script.length, error) : failed;
}

// Free with plot_free. 0, also if there is too little for it, or -1 with `error` set.
static int plot_write(const struct picture_kind *kind, const struct picture_subject *subject,
                      const char *folder, struct plot *plot, struct error *error)
{
    struct picture picture;
    int failed = 0;
    *plot = (struct plot){.kind = kind};
    if (picture_write(kind, subject, &picture)) {
        failed = write_files(&picture, folder, error);
        plot->is_waiting = failed == 0;
        plot->folder = memory_string(folder);
        plot->alternative = memory_string(text_string(&picture.alternative));
    }
    picture_free(&picture);
    return failed;
}

static void plot_free(struct plot *plot)
{
    free(plot->folder);
    free(plot->alternative);
    free(plot->svg);
}

// NAME.svg as an element of HTML: without the declarations before it. The caller frees it. NULL
// with `error` set if it is not there in full.
static char *read_svg(const struct plot *plot, struct error *error)
{
    AUTO_FREE char *path = path_of(plot->folder, plot->kind->name, "svg");
    AUTO_TEXT struct text svg = {0};
    if (file_read(path, &svg, error) != 0)
        return NULL;
    const char *begin = strstr(text_string(&svg), "<svg");
    if (begin != NULL && strstr(begin, "</svg>") != NULL)
        return memory_string(begin);
    error_set(error, "gnuplot left %s incomplete", path);
    return NULL;
}

// Where one fails each is drawn by itself, so that only those are missing which cannot be drawn.
int plots_draw(struct plot *const *plots, size_t count, struct error *error)
{
    AUTO_FREE struct plot **ready = memory_new((count + 1) * sizeof *ready);
    bool missing = false;
    size_t left = 0;
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (plots[i]->is_waiting)
            ready[left++] = plots[i];
    }
    bool together = gnuplot_run(ready, left, &missing, error) == 0;
    for (size_t i = 0; i < left; i++) {
        struct plot *plot = ready[i];
        struct error *first = failed == 0 ? error : NULL;
        plot->is_drawn = together || (!missing && gnuplot_run(&plot, 1, &missing, first) == 0);
        // Of what is but linked nobody wants more than the file.
        if (plot->is_drawn && plot->kind->place != PLACE_FOLDER) {
            plot->svg = read_svg(plot, first);
            plot->is_drawn = plot->svg != NULL;
        }
        plot->is_waiting = !plot->is_drawn;
        failed = plot->is_drawn ? failed : -1;
    }
    return missing ? 0 : failed;
}

char *picture_draw(const struct picture *picture, struct error *error)
{
    char folder[] = "/tmp/lockpick-picture-XXXXXX";
    struct plot plot = {.kind = picture->kind, .folder = folder};
    if (mkdtemp(folder) == NULL) {
        error_set(error, "cannot make the folder %s: %s", folder, strerror(errno));
        return NULL;
    }
    plot.is_waiting = write_files(picture, folder, error) == 0;
    (void)plots_draw(&(struct plot *){&plot}, 1, error);
    if (plot.is_drawn && plot.svg == NULL)
        plot.svg = read_svg(&plot, error);
    folder_remove(folder, NULL);
    return plot.svg;
}

int picture_save(const struct picture_kind *kind, const struct picture_subject *subject,
                 const char *path, struct error *error)
{
    struct picture picture;
    AUTO_TEXT struct text svg = {0};
    picture_write(kind, subject, &picture);
    AUTO_FREE char *drawn = picture_draw(&picture, error);
    if (drawn != NULL)
        text_format(&svg, "%s%s", SVG_BEGINS, drawn + strlen("<svg "));
    int result = drawn == NULL ? -1 : file_write(path, svg.bytes, svg.length, error);
    picture_free(&picture);
    return result;
}

// --- of a trial, and of a run --------------------------------------------------------------------

static const struct picture_kind *const kinds[] = {
    [PICTURE_TIMELINE] = &timeline_picture,        [PICTURE_THROUGHPUT] = &throughput_picture,
    [PICTURE_LATENCY] = &latency_picture,          [PICTURE_OPERATIONS] = &operations_picture,
    [PICTURE_SLICES] = &latency_over_time_picture,
};

const char *picture_name(enum trial_picture which)
{
    return kinds[which]->name;
}

int plots_write(const struct trial_model *model, struct trial_result *result,
                enum trial_picture end, struct error *error)
{
    const struct picture_subject subject = {.model = model, .judgement = &result->judgement};
    int failed = 0;
    for (enum trial_picture which = 0; which < end && failed == 0; which++)
        failed = plot_write(kinds[which], &subject, result->folder, &result->plots[which], error);
    return failed;
}

void plots_free(struct trial_result *result)
{
    for (enum trial_picture which = 0; which < PICTURE_ALL; which++)
        plot_free(&result->plots[which]);
}

int plots_draw_all(struct trial_result *results, size_t count, struct error *error)
{
    AUTO_FREE struct plot **plots = memory_new((count + 1) * PICTURE_ALL * sizeof *plots);
    for (size_t i = 0; i < count * PICTURE_ALL; i++)
        plots[i] = &results[i / PICTURE_ALL].plots[i % PICTURE_ALL];
    return plots_draw(plots, count * PICTURE_ALL, error);
}

int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error)
{
    AUTO_FREE char *folder = path_join(run->folder, "plots");
    AUTO_FREE struct plot **plots = NULL;
    struct run_report report;
    size_t most = 0;
    run_report_make(run, &report);
    const struct picture_subject subject = {.run = run, .report = &report};
    while (picture_catalogue[most] != NULL)
        most++;
    run->pictures = memory_new(most * sizeof *run->pictures);
    plots = memory_new(most * sizeof *plots);
    int failed = 0;
    for (size_t i = 0; i < most && failed == 0; i++) {
        struct plot *plot = plots[run->picture_count] = &run->pictures[run->picture_count];
        failed = plot_write(picture_catalogue[i], &subject, folder, plot, error);
        run->picture_count += plot->folder != NULL;
    }
    run_report_free(&report);
    return failed == 0 && with_gnuplot ? plots_draw(plots, run->picture_count, error) : failed;
}

void run_pictures_free(struct run_result *run)
{
    for (size_t i = 0; i < run->picture_count; i++)
        plot_free(&run->pictures[i]);
    free(run->pictures);
    run->pictures = NULL;
    run->picture_count = 0;
}
