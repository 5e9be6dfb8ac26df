#include "harness/report/pictures/picture.h"

#include "harness/base/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The widths of characters of 12 and of 15 pixels in the widest common sans-serif face (DejaVu).
#define NOTE_CHARACTER 7.3
#define TITLE_CHARACTER 9.2
#define EDGES 24

extern const char template_style[];

// --- written -------------------------------------------------------------------------------------

bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture)
{
    struct picture_subject detailed = *subject;
    detailed.details = kind->details;
    *picture = (struct picture){.width = kind->width};
    bool any = kind->write(&detailed, picture);
    for (size_t i = 0; i < picture->block_count; i++) {
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

struct picture_block *picture_block(struct picture *picture, const char *format, ...)
{
    char *heading = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&heading, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    for (char *c = heading; *c != '\0'; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c; // a comment is one line
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

// --- the script ----------------------------------------------------------------------------------

// How many bytes of a text make a line of at most so many characters; never less than a word.
static size_t line_length(const char *text, size_t most)
{
    size_t length = 0;
    size_t characters = 0;
    for (size_t i = 0;; i++) {
        bool is_end = text[i] == '\0' || text[i] == '\n';
        if ((is_end || text[i] == ' ') && (characters <= most || length == 0))
            length = i;
        if (is_end || (characters > most && length > 0))
            return length;
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
}

// Tells a text, broken into lines that fit between the edges, and in VARIABLE_lines how many.
static void tell_lines(struct text *script, const char *variable, const struct picture *picture,
                       double character, const struct text *words)
{
    size_t most = (size_t)((picture->width - EDGES) / character);
    size_t lines = 0;
    text_format(script, "%s = ''", variable);
    for (const char *at = text_string(words); *at != '\0'; lines++) {
        size_t length = line_length(at, most);
        text_add(script, lines > 0 ? ".\"\\n\".\\\n  " : ".");
        gnuplot_quote(script, at, length);
        at += length;
        at += *at == '\n' ? 1 : strspn(at, " ");
    }
    text_format(script, "\n%s_lines = %zu\n", variable, lines);
}

void picture_script(const struct picture_kind *kind, const struct picture *picture,
                    struct text *script)
{
    text_format(script,
                "# Draw %s.svg again with: gnuplot %s.gp\nreset\nname = '%s'\n"
                "data = '%s.dat'\nwidth = %d\n%s",
                kind->name, kind->name, kind->name, kind->name, picture->width,
                text_string(&picture->values));
    tell_lines(script, "title", picture, TITLE_CHARACTER, &picture->title);
    tell_lines(script, "cause", picture, NOTE_CHARACTER, &picture->cause);
    tell_lines(script, "notes", picture, NOTE_CHARACTER, &picture->notes);
    text_clean(script->bytes); // names are those of strangers
    text_format(script, "\n%s\n%s", template_style, kind->template);
}

// --- files ---------------------------------------------------------------------------------------

static char *path_of(const char *folder, const char *name, const char *ending)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    return path.bytes;
}

int picture_files_write(const char *folder, const char *name, const struct plot_source *source,
                        struct error *error)
{
    char *const paths[] = {path_of(folder, name, "svg"), path_of(folder, name, "dat"),
                           path_of(folder, name, "gp")};
    struct stat status;
    // gnuplot writes through links, and waits for who reads a pipe.
    if (lstat(paths[0], &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink > 1))
        unlink(paths[0]);
    int failed = file_write(paths[1], text_string(&source->data), source->data.length, error);
    if (failed == 0)
        failed = file_write(paths[2], text_string(&source->script), source->script.length, error);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        free(paths[i]);
    return failed;
}

// NAME.svg as an element of HTML: without the declarations before it. The caller frees it. NULL
// with `error` set if it is not there in full.
static char *read_svg(const char *folder, const char *name, struct error *error)
{
    char *path = path_of(folder, name, "svg");
    struct text svg = {0};
    char *picture = NULL;
    if (file_read(path, &svg, error) == 0) {
        const char *begin = strstr(text_string(&svg), "<svg");
        if (begin != NULL && strstr(begin, "</svg>") != NULL)
            picture = memory_string(begin);
        else
            error_set(error, "gnuplot left %s incomplete", path);
    }
    text_free(&svg);
    free(path);
    return picture;
}

// False if there is too little for it. Else the caller frees the source with source_free and, if it
// wants it, the alternative.
static bool make(const struct picture_kind *kind, const struct picture_subject *subject,
                 struct plot_source *source, char **alternative)
{
    struct picture picture;
    bool any = picture_write(kind, subject, &picture);
    *source = (struct plot_source){0};
    if (any) {
        picture_script(kind, &picture, &source->script);
        source->data = picture.data;
        picture.data = (struct text){0};
    }
    if (any && alternative != NULL)
        *alternative = memory_string(text_string(&picture.alternative));
    picture_free(&picture);
    return any;
}

static void source_free(struct plot_source *source)
{
    text_free(&source->data);
    text_free(&source->script);
}

// --- drawn ---------------------------------------------------------------------------------------

// A picture that has its files.
struct drawing {
    struct gnuplot_script script;
    char **svg;    // becomes what was drawn; NULL: nobody wants it
    bool is_drawn; // in full
};

// Where one fails each is drawn by itself, so that only those are missing which cannot be drawn. 0,
// or -1 with `error` set to why one of them could not; without gnuplot nothing is drawn.
static int draw(struct drawing *drawings, size_t count, struct error *error)
{
    struct gnuplot_script *scripts = memory_new((count + 1) * sizeof *scripts);
    bool missing = false;
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        scripts[i] = drawings[i].script;
    bool together = gnuplot_run(scripts, count, &missing, error) == 0;
    for (size_t i = 0; i < count; i++) {
        struct drawing *drawing = &drawings[i];
        struct error *first = failed == 0 ? error : NULL;
        drawing->is_drawn =
            together || (!missing && gnuplot_run(&scripts[i], 1, &missing, first) == 0);
        if (drawing->is_drawn && drawing->svg != NULL) {
            *drawing->svg = read_svg(scripts[i].folder, scripts[i].name, first);
            drawing->is_drawn = *drawing->svg != NULL;
        }
        failed = drawing->is_drawn ? failed : -1;
    }
    free(scripts);
    return missing ? 0 : failed;
}

char *picture_draw(const struct picture_kind *kind, const struct picture *picture,
                   struct error *error)
{
    char folder[] = "/tmp/lockpick-picture-XXXXXX";
    char *svg = NULL;
    struct drawing drawing = {.script = {folder, kind->name}, .svg = &svg};
    struct plot_source source = {.data = picture->data};
    if (mkdtemp(folder) == NULL) {
        error_set(error, "cannot make the folder %s: %s", folder, strerror(errno));
        return NULL;
    }
    picture_script(kind, picture, &source.script);
    if (picture_files_write(folder, kind->name, &source, error) == 0)
        (void)draw(&drawing, 1, error);
    text_free(&source.script);
    folder_remove(folder, NULL);
    return svg;
}

// --- of a trial ----------------------------------------------------------------------------------

static const struct picture_kind *const kinds[] = {
    [PICTURE_TIMELINE] = &timeline_picture,        [PICTURE_THROUGHPUT] = &throughput_picture,
    [PICTURE_LATENCY] = &latency_picture,          [PICTURE_OPERATIONS] = &operations_picture,
    [PICTURE_SLICES] = &latency_over_time_picture,
};

const char *picture_name(enum trial_picture which)
{
    return kinds[which]->name;
}

void plots_keep(const struct trial_model *model, struct trial_result *result)
{
    const struct picture_subject subject = {.model = model, .judgement = &result->judgement};
    for (enum trial_picture which = 0; which < PICTURES_OF_PAGE; which++) {
        struct trial_plot *plot = &result->plots[which];
        plot->is_waiting = make(kinds[which], &subject, &plot->source, NULL);
    }
}

// Writes the files of a source, which is freed.
static int write_source(const struct trial_result *result, enum trial_picture which,
                        struct plot_source *source, struct error *error)
{
    int failed = picture_files_write(result->folder, picture_name(which), source, error);
    source_free(source);
    return failed;
}

int plots_write(const struct trial_model *model, struct trial_result *result, bool with_gnuplot,
                struct error *error)
{
    const struct picture_subject subject = {.model = model, .judgement = &result->judgement};
    int failed = 0;
    for (enum trial_picture which = 0; which < PICTURE_ALL && failed == 0; which++) {
        struct plot_source source;
        if (make(kinds[which], &subject, &source, NULL)) {
            failed = write_source(result, which, &source, error);
            result->plots[which].is_waiting = failed == 0;
        }
    }
    return failed == 0 && with_gnuplot ? plots_draw_all(result, 1, error) : failed;
}

void plots_free(struct trial_result *result)
{
    for (enum trial_picture which = 0; which < PICTURE_ALL; which++) {
        source_free(&result->plots[which].source);
        free(result->plots[which].svg);
    }
}

int plots_draw(const struct plot_wish *wishes, size_t count, struct error *error)
{
    struct trial_plot **plots = memory_new((count + 1) * sizeof *plots);
    struct drawing *drawings = memory_new((count + 1) * sizeof *drawings);
    struct error reason = {0};
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        enum trial_picture which = wishes[i].which;
        struct trial_result *result = wishes[i].result;
        struct trial_plot *plot = &result->plots[which];
        if (!plot->is_waiting || (plot->source.script.length > 0 &&
                                  (folder_make(result->folder, &reason) != 0 ||
                                   write_source(result, which, &plot->source, &reason) != 0)))
            continue;
        plots[left] = plot;
        drawings[left++] = (struct drawing){.script = {result->folder, picture_name(which)},
                                            .svg = which < PICTURES_OF_PAGE ? &plot->svg : NULL};
    }
    int failed = draw(drawings, left, error);
    for (size_t i = 0; i < left; i++) {
        plots[i]->is_drawn = drawings[i].is_drawn;
        plots[i]->is_waiting = !drawings[i].is_drawn;
    }
    if (reason.text[0] != '\0')
        failed = error_set(error, "%s", reason.text);
    free(plots);
    free(drawings);
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

int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error)
{
    char *folder = path_join(run->folder, "plots");
    struct run_report report;
    size_t most = 0;
    int failed = 0;
    while (picture_catalogue[most] != NULL)
        most++;
    run_report_make(run, &report);
    const struct picture_subject subject = {.run = run, .report = &report};
    struct drawing *drawings = memory_new((most + 1) * sizeof *drawings);
    run->pictures = memory_new((most + 1) * sizeof *run->pictures);
    for (size_t i = 0; i < most && failed == 0; i++) {
        const struct picture_kind *kind = picture_catalogue[i];
        struct run_picture *picture = &run->pictures[run->picture_count];
        struct plot_source source;
        *picture =
            (struct run_picture){.place = kind->place, .name = kind->name, .title = kind->title};
        if (!make(kind, &subject, &source, &picture->alternative))
            continue;
        failed = folder_make(folder, error);
        if (failed == 0)
            failed = picture_files_write(folder, kind->name, &source, error);
        source_free(&source);
        drawings[run->picture_count++] =
            (struct drawing){.script = {folder, kind->name}, .svg = &picture->svg};
    }
    if (failed == 0 && with_gnuplot)
        failed = draw(drawings, run->picture_count, error);
    run_report_free(&report);
    free(drawings);
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
