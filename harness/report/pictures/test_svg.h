// What a picture says; and the texts of one that gnuplot drew, and whether one covers another.
#ifndef LOCKPICK_REPORT_TEST_SVG_H
#define LOCKPICK_REPORT_TEST_SVG_H

#include "harness/report/pictures/picture.h"
#include "harness/testing/test.h"

#include <math.h>

#define SVG_MOST_TEXTS 3000

// Its box lies along a line from `x`, `y`, turned by `angle` degrees.
struct svg_text {
    double x, y; // where its lower left corner is
    double width, height;
    double angle; // counterclockwise
    char words[100];
};

struct svg_texts {
    double width, height; // of the picture
    struct svg_text items[SVG_MOST_TEXTS];
    size_t count;
};

// Draws with gnuplot. The caller frees.
static inline char *svg_draw(const struct picture_kind *kind, const struct picture *picture)
{
    struct error error = {""};
    char *svg = picture_draw(picture, &error);
    if (svg == NULL)
        fail_msg("%s: %s", kind->name, error.text);
    return svg;
}

// The width of DejaVu's characters, on average: most are narrower than the widest.
static inline double svg_width(const char *words, double size)
{
    size_t characters = 0;
    for (; *words != '\0'; words++)
        characters += ((unsigned char)*words & 0xc0) != 0x80;
    return (double)characters * size * 0.58;
}

static inline void svg_add(struct svg_texts *texts, const char *head)
{
    struct svg_text *text = &texts->items[texts->count];
    double size = 0;
    *text = (struct svg_text){0};
    const char *end = strstr(head, "</g>");
    const char *at = strstr(head, "<text>");
    const char *font = strstr(head, "font-size=\"");
    const char *anchor = strstr(head, "text-anchor=\"");
    if (end == NULL || at == NULL || at > end || font == NULL || anchor == NULL ||
        sscanf(head, "<g transform=\"translate(%lf,%lf) rotate(%lf)", &text->x, &text->y,
               &text->angle) < 2 ||
        sscanf(font, "font-size=\"%lf", &size) != 1 || texts->count + 1 == SVG_MOST_TEXTS)
        return;
    text->angle = -text->angle;
    snprintf(text->words, sizeof text->words, "%.*s", (int)strcspn(at + 6, "<"), at + 6);
    text->width = svg_width(text->words, size);
    text->height = size * 0.9;
    double share = strncmp(anchor, "text-anchor=\"middle", 19) == 0 ? 0.5
                   : strncmp(anchor, "text-anchor=\"end", 16) == 0  ? 1
                                                                    : 0;
    double turn = text->angle * acos(-1) / 180;
    text->x -= text->width * share * cos(turn);
    text->y += text->width * share * sin(turn);
    texts->count += text->words[0] != '\0';
}

static inline void svg_read(const char *svg, struct svg_texts *texts)
{
    texts->count = 0;
    texts->width = texts->height = 0;
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    if (box != NULL)
        sscanf(box, "viewBox=\"0 0 %lf %lf", &texts->width, &texts->height);
    for (const char *at = svg; (at = strstr(at, "<g transform=\"translate(")) != NULL; at++)
        svg_add(texts, at);
}

// Corner `index` of a text's box.
static inline void svg_corner(const struct svg_text *text, int index, double *x, double *y)
{
    double turn = text->angle * acos(-1) / 180;
    double along = index == 1 || index == 2 ? text->width : 0;
    double up = index >= 2 ? text->height : 0;
    *x = text->x + along * cos(turn) - up * sin(turn);
    *y = text->y - along * sin(turn) - up * cos(turn);
}

// True if a line along one side of `a` parts the two boxes.
static inline bool svg_parts(const struct svg_text *a, const struct svg_text *b)
{
    double turn = a->angle * acos(-1) / 180;
    const double axes[2][2] = {{cos(turn), -sin(turn)}, {-sin(turn), -cos(turn)}};
    for (int i = 0; i < 2; i++) {
        double low[2] = {INFINITY, INFINITY};
        double high[2] = {-INFINITY, -INFINITY};
        for (int j = 0; j < 8; j++) {
            double x;
            double y;
            svg_corner(j < 4 ? a : b, j % 4, &x, &y);
            double at = x * axes[i][0] + y * axes[i][1];
            low[j / 4] = fmin(low[j / 4], at);
            high[j / 4] = fmax(high[j / 4], at);
        }
        if (high[0] <= low[1] || high[1] <= low[0])
            return true;
    }
    return false;
}

static inline bool svg_overlap(const struct svg_text *a, const struct svg_text *b)
{
    // Quickly, of most.
    double reach = a->width + a->height + b->width + b->height;
    if (fabs(a->x - b->x) > reach || fabs(a->y - b->y) > reach)
        return false;
    return !svg_parts(a, b) && !svg_parts(b, a);
}

static inline bool svg_is_inside(const struct svg_texts *texts, const struct svg_text *text)
{
    bool inside = true;
    for (int i = 0; i < 4; i++) {
        double x;
        double y;
        svg_corner(text, i, &x, &y);
        inside = inside && x >= 0 && y >= 0 && x <= texts->width && y <= texts->height;
    }
    return inside;
}

// True if a text lies outside of the picture or covers another; `clash` says which.
static inline bool svg_texts_clash(const char *svg, char *clash, size_t room)
{
    static struct svg_texts texts;
    svg_read(svg, &texts);
    for (size_t i = 0; i < texts.count; i++) {
        if (!svg_is_inside(&texts, &texts.items[i])) {
            snprintf(clash, room, "'%s' lies outside", texts.items[i].words);
            return true;
        }
        for (size_t j = 0; j < i; j++) {
            if (!svg_overlap(&texts.items[i], &texts.items[j]))
                continue;
            snprintf(clash, room, "'%s' covers '%s'", texts.items[i].words, texts.items[j].words);
            return true;
        }
    }
    return false;
}

static inline bool svg_has_gnuplot(void)
{
    char note[200];
    return plots_available(note, sizeof note);
}

// Draws a picture, with gnuplot if that is there, and fails if a text cannot be read.
static inline void svg_assert_legible(const struct picture_kind *kind,
                                      const struct picture *picture, size_t fewest_texts)
{
    char clash[300];
    if (!svg_has_gnuplot())
        return;
    assert_null(strstr(picture->data.bytes, "inf"));
    AUTO_FREE char *svg = svg_draw(kind, picture);
    if (svg_texts_clash(svg, clash, sizeof clash))
        fail_msg("%s: %s", kind->name, clash);
    static struct svg_texts texts;
    svg_read(svg, &texts);
    assert_true(texts.count >= fewest_texts);
    assert_true(texts.width >= 600 && texts.width <= 1100);
}

// --- what a picture says -------------------------------------------------------------------------

// True if the words are in its data, title, cause, notes, values or alternative.
static inline bool picture_has(const struct picture *picture, const char *words)
{
    const struct text *const texts[] = {&picture->data,  &picture->title,  &picture->cause,
                                        &picture->notes, &picture->values, &picture->alternative};
    bool found = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        found |= strstr(text_string(texts[i]), words) != NULL;
    return found;
}

// Fails unless the picture has each of the words (NULL-terminated); those that begin with '!' it
// must not have.
static inline void check_words(const struct picture *picture, const char *const *words)
{
    for (; *words != NULL; words++) {
        bool wanted = **words != '!';
        if (picture_has(picture, *words + !wanted) != wanted)
            fail_msg("%s in the picture: %s\n%s\n%s\n%s\n%s", wanted ? "not" : "found", *words,
                     text_string(&picture->data), text_string(&picture->title),
                     text_string(&picture->notes), text_string(&picture->values));
    }
}

#define PICTURE_SAYS(picture, ...) check_words(picture, (const char *const[]){__VA_ARGS__, NULL})

#endif
