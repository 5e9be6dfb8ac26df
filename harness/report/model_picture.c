#include "harness/report/model_picture.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/report/junit_xml.h"
#include "harness/report/model_picture_scene.h"

#include <stdio.h>
#include <string.h>

#define PLOT_BLUE "#0072B2"
#define PLOT_SKY "#56B4E9"
#define PLOT_GREEN "#009E73"
#define PLOT_RED "#D55E00"
#define PLOT_DARK_RED "#a03c00"
#define PLOT_GREY "#8a8a8a"
#define PLOT_DARK "#333333"
#define PLOT_WIDTH 900
#define LEFT 170
#define RIGHT (PLOT_WIDTH - 30)
#define TOP 96
#define ROW_HEIGHT 48
// A narrower mark would not be seen.
#define LEAST_WIDTH 3
#define MOST_TICKS 6

static double trial_text_width(const char *text)
{
    size_t characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)characters * 7.9;
}

// One picture while it is drawn.
struct picture {
    const struct scene *scene;
    struct text svg;
};

static double x_of(const struct picture *picture, int64_t instant)
{
    const struct scene *scene = picture->scene;
    if (instant <= scene->from)
        return LEFT;
    if (instant >= scene->to)
        return RIGHT;
    return LEFT +
           (double)(instant - scene->from) / (double)(scene->to - scene->from) * (RIGHT - LEFT);
}

static double y_of(size_t row)
{
    return TOP + (double)row * ROW_HEIGHT;
}

static double bottom_of(const struct picture *picture)
{
    return y_of(picture->scene->row_count > 0 ? picture->scene->row_count : 1);
}

// --- shapes --------------------------------------------------------------------------------------

// A text in the picture; `anchor` is SVG's: start, middle or end.
static void add_text(struct picture *picture, double x, double y, const char *anchor,
                     const char *colour, const char *words)
{
    text_format(&picture->svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y,
                anchor, colour);
    xml_add(&picture->svg, words);
    text_add(&picture->svg, "</text>\n");
}

static void add_line(struct picture *picture, double x, double y, double width, double height,
                     const char *colour)
{
    text_format(&picture->svg,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y,
                width, height, colour);
}

// A bar between two instants, with words that show where a pointer rests on it.
static void add_bar(struct picture *picture, const char *class, int64_t from, int64_t to, double y,
                    double height, const char *words)
{
    double left = x_of(picture, from);
    double width = x_of(picture, to) - left;
    text_format(&picture->svg,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", class,
                left, y, width < LEAST_WIDTH ? LEAST_WIDTH : width, height);
    if (words != NULL) {
        text_add(&picture->svg, "<title>");
        xml_add(&picture->svg, words);
        text_add(&picture->svg, "</title>");
    }
    text_add(&picture->svg, "</rect>\n");
}

// --- operations ----------------------------------------------------------------------------------

// "acquire: line 3 to line 5, granted, token 7"
static void describe(const struct operations *operations, size_t index, struct text *out)
{
    static const char *const outcomes[] = {
        [OUTCOME_OK] = "done", [OUTCOME_NO] = "refused", [OUTCOME_UNKNOWN] = "no answer"};
    char place[OPERATION_TEXT_ROOM];
    const struct operation *operation = &operations->items[index];
    text_add(out, operation->kind == OPERATION_ACQUIRE ? "acquire" : "release");
    text_add(out, operation->shared ? " as a reader: " : ": ");
    text_add(out, operation_place(operations, operation->invoked, place));
    text_format(out, " to %s", operation_place(operations, operation->returned, place));
    if (operation->outcome <= OUTCOME_UNKNOWN)
        text_format(out, ", %s", outcomes[operation->outcome]);
    if (operation->token != 0)
        text_format(out, ", token %lld", (long long)operation->token);
}

// As far as the hold may have reached, and in it the core.
static void draw_hold(struct picture *picture, const struct scene_bar *bar, const char *words)
{
    const struct operations *operations = picture->scene->operations;
    const struct operation *acquire = &operations->items[bar->operation];
    const struct operation *release =
        bar->release == SIZE_MAX ? NULL : &operations->items[bar->release];
    size_t depth = bar->depth < 4 ? bar->depth : 4;
    double inset = 3 * (double)depth;
    double y = y_of(bar->row) + 16 + inset;
    int64_t core_end = release != NULL ? release->invoked : INSTANT_NEVER;
    int64_t possible_end =
        release != NULL && release->outcome == OUTCOME_OK ? release->returned : INSTANT_NEVER;
    add_bar(picture, acquire->shared ? "possible shared" : "possible", acquire->invoked,
            possible_end, y + 5, 12 - inset / 2, words);
    if (core_end > acquire->returned)
        add_bar(picture, acquire->shared ? "core shared" : "core", acquire->returned, core_end, y,
                22 - 2 * inset, words);
    if (acquire->token != 0) {
        char token[40];
        snprintf(token, sizeof token, "token %lld", (long long)acquire->token);
        add_text(picture, x_of(picture, acquire->returned), y_of(bar->row) + 13, "start", PLOT_DARK,
                 token);
    }
}

static void draw_bar(struct picture *picture, const struct scene_bar *bar)
{
    const struct scene *scene = picture->scene;
    const struct operation *operation = &scene->operations->items[bar->operation];
    struct text words = {0};
    char name[OPERATION_TEXT_ROOM];
    double y = y_of(bar->row) + 21;
    text_format(&words, "%s: ", operation_process(scene->operations, operation->process, name));
    describe(scene->operations, bar->operation, &words);
    if (bar->release != SIZE_MAX) {
        text_add(&words, "; ");
        describe(scene->operations, bar->release, &words);
    }
    if (bar->kind == SCENE_HOLD) {
        draw_hold(picture, bar, text_string(&words));
    } else if (bar->kind == SCENE_UNKNOWN_ACQUIRE) {
        add_bar(picture, "unknown", operation->invoked, INSTANT_NEVER, y, 12, text_string(&words));
    } else {
        bool refused = bar->kind == SCENE_REFUSED;
        double middle =
            (x_of(picture, operation->invoked) + x_of(picture, operation->returned)) / 2;
        add_bar(picture, refused ? "refused" : "stray", operation->invoked, operation->returned,
                y + 3, 6, text_string(&words));
        add_text(picture, middle, y + 25, "middle", refused ? PLOT_GREY : PLOT_DARK_RED,
                 operation->kind == OPERATION_ACQUIRE ? "acquire refused"
                 : refused                            ? "release refused"
                                                      : "release");
    }
    text_free(&words);
}

// --- the violation -------------------------------------------------------------------------------

static const char *rule_words(enum model_rule rule)
{
    static const char *const words[] = {
        [RULE_EXCLUSION] = "more hold at once than may",
        [RULE_OWNERSHIP] = "released by one who does not hold it",
        [RULE_TOKEN] = "a token that does not grow",
        [RULE_DEPTH] = "held more often than it may be",
        [RULE_FAILED_FREE] = "refused although it was free",
    };
    return words[rule];
}

// The core of the evidence's hold in a row, or the operation itself if it is none.
static void red_part(const struct picture *picture, const struct scene_bar *bar, int64_t *from,
                     int64_t *to)
{
    const struct operation *items = picture->scene->operations->items;
    const struct operation *operation = &items[bar->operation];
    bool holds = bar->kind == SCENE_HOLD;
    int64_t begins = holds ? operation->returned : operation->invoked;
    int64_t ends = !holds                     ? operation->returned
                   : bar->release == SIZE_MAX ? INSTANT_NEVER
                                              : items[bar->release].invoked;
    *from = begins > *from ? begins : *from;
    *to = ends < *to ? ends : *to;
}

static void mark_violation(struct picture *picture)
{
    const struct scene *scene = picture->scene;
    const struct model_violation *violation = scene->violation;
    double bottom = scene->evidence_rows > 0 ? y_of(scene->evidence_rows) : bottom_of(picture);
    add_bar(picture, "band", violation->from, violation->to, TOP, bottom - TOP, NULL);
    for (size_t i = 0; i < scene->bar_count; i++) {
        const struct scene_bar *bar = &scene->bars[i];
        int64_t from = violation->from;
        int64_t to = violation->to;
        if (!scene_is_evidence(scene, bar->operation) &&
            !(bar->release != SIZE_MAX && scene_is_evidence(scene, bar->release)))
            continue;
        red_part(picture, bar, &from, &to);
        if (to < from) { // it is not within the violation: all of it, then
            from = scene->from;
            to = scene->to;
            red_part(picture, bar, &from, &to);
        }
        double inset = 3 * (double)(bar->depth < 4 ? bar->depth : 4);
        add_bar(picture, "violation", from, to, y_of(bar->row) + 16 + inset, 22 - 2 * inset,
                rule_words(violation->rule));
    }
    double middle = (x_of(picture, violation->from) + x_of(picture, violation->to)) / 2;
    double half = trial_text_width(rule_words(violation->rule)) / 2;
    middle = middle < LEFT + half ? LEFT + half : middle > RIGHT - half ? RIGHT - half : middle;
    add_text(picture, middle, TOP - 8, "middle", PLOT_DARK_RED, rule_words(violation->rule));
}

// --- the frame -----------------------------------------------------------------------------------

static void add_rows(struct picture *picture)
{
    const struct scene *scene = picture->scene;
    for (size_t row = 0; row < scene->row_count; row++) {
        char name[OPERATION_TEXT_ROOM];
        double y = y_of(row);
        operation_process(scene->operations, scene->rows[row], name);
        add_line(picture, LEFT, y + ROW_HEIGHT - 0.5, RIGHT - LEFT, 1, "#cccccc");
        // Names of others may be of any length.
        size_t room = 22;
        if (strlen(name) > room)
            memcpy(name + room - 1, "…", sizeof "…");
        add_text(picture, LEFT - 10, y + 31, "end", PLOT_DARK, name);
    }
}

static void add_axis(struct picture *picture)
{
    const struct scene *scene = picture->scene;
    double bottom = bottom_of(picture);
    int64_t first = moment_of(scene->from) + 1;
    int64_t last = moment_of(scene->to);
    if (scene->operations->events != NULL && first < 1)
        first = 1;
    if (scene->operations->events != NULL && last > (int64_t)scene->operations->event_count)
        last = (int64_t)scene->operations->event_count;
    // Seconds are counted from the beginning, and so are the round ones.
    int64_t zero = scene->operations->events == NULL ? scene->operations->zero_ns : 0;
    first -= zero;
    last -= zero;
    int64_t step = 1;
    for (int i = 0; (last - first) / step >= MOST_TICKS; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    for (int64_t tick = first + (step - first % step) % step; tick <= last; tick += step) {
        int64_t moment = tick + zero;
        char place[OPERATION_TEXT_ROOM];
        double x = x_of(picture, instant_of_invocation(moment));
        operation_place(scene->operations, instant_of_invocation(moment), place);
        add_line(picture, x - 0.5, TOP, 1, bottom + 6 - TOP, "#dddddd");
        add_text(picture, x, bottom + 22, "middle", PLOT_DARK, place);
    }
}

static void add_legend(struct picture *picture)
{
    static const struct {
        const char *class;
        const char *words;
    } looks[] = {{"core", "held for certain"}, {"possible", "may be held"},
                 {"core shared", "readers"},   {"unknown", "acquire without an answer"},
                 {"refused", "refused"},       {"violation", "violation"}};
    double x = 12;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        text_format(&picture->svg,
                    "<rect class=\"%s\" x=\"%.1f\" y=\"46\" width=\"20\" height=\"11\"/>\n",
                    looks[i].class, x);
        add_text(picture, x + 26, 56, "start", PLOT_DARK, looks[i].words);
        x += 26 + trial_text_width(looks[i].words) + 16;
    }
}

static void add_head(struct picture *picture, int height)
{
    const struct scene *scene = picture->scene;
    const struct operations *operations = scene->operations;
    size_t first = scene->violation->operations[0];
    struct text title = {0};
    text_format(&title, "The first violation: %s", rule_words(scene->violation->rule));
    if (operations->names != NULL && first < operations->count &&
        operations->items[first].name < operations->name_count)
        text_format(&title, ", lock %s", operations->names[operations->items[first].name]);
    text_format(&picture->svg,
                MODEL_PICTURE_BEGINS
                "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n<style>"
                ".core{fill:" PLOT_BLUE "}.possible{fill:" PLOT_SKY ";fill-opacity:.55}"
                ".core.shared{fill:" PLOT_GREEN "}.possible.shared{fill:" PLOT_GREEN
                ";fill-opacity:.4}.unknown{fill:none;stroke:" PLOT_GREY ";stroke-dasharray:5 3}"
                ".refused{fill:" PLOT_GREY "}.stray{fill:" PLOT_DARK_RED
                "}.violation{fill:" PLOT_RED "}.band{fill:" PLOT_RED ";fill-opacity:.16}</style>\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                PLOT_WIDTH, height, PLOT_WIDTH, height);
    text_format(&picture->svg, "<text x=\"12\" y=\"26\" font-size=\"15\" fill=\"#111111\">");
    xml_add(&picture->svg, text_string(&title));
    text_add(&picture->svg, "</text>\n");
    text_free(&title);
}

// The evidence in words, and who is not shown.
static void add_captions(struct picture *picture)
{
    const struct scene *scene = picture->scene;
    double y = bottom_of(picture) + 50;
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = scene->violation->operations[i];
        char name[OPERATION_TEXT_ROOM];
        struct text words = {0};
        if (index >= scene->operations->count)
            continue;
        text_format(
            &words, "%s, ",
            operation_process(scene->operations, scene->operations->items[index].process, name));
        describe(scene->operations, index, &words);
        add_text(picture, 12, y, "start", "#555555", text_string(&words));
        text_free(&words);
        y += 18;
    }
    if (scene->hidden > 0) {
        char words[80];
        snprintf(words, sizeof words, "%zu more process%s did something in this time.",
                 scene->hidden, scene->hidden == 1 ? "" : "es");
        add_text(picture, 12, y, "start", "#555555", words);
    }
}

int model_picture(const struct operations *operations, const struct model_violation *violation,
                  const char *path, struct error *error)
{
    struct scene scene;
    scene_make(operations, violation, &scene);
    struct picture picture = {.scene = &scene};
    add_head(&picture, (int)bottom_of(&picture) + 50 + 18 * (MODEL_EVIDENCE + 1));
    add_legend(&picture);
    add_axis(&picture);
    add_rows(&picture);
    for (size_t i = 0; i < scene.bar_count; i++)
        draw_bar(&picture, &scene.bars[i]);
    mark_violation(&picture);
    add_captions(&picture);
    text_add(&picture.svg, "</svg>\n");
    int result = file_write(path, picture.svg.bytes, picture.svg.length, error);
    text_free(&picture.svg);
    scene_free(&scene);
    return result;
}
