// What is written on what can be read, in both schemes of the page and in pictures.
#include "harness/check/describe.h"
#include "harness/report/pictures/picture.h"
#include "harness/testing/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char template_page[];

// Every text and what it is written on.
static const char *const pairs[][2] = {
    {"text", "page"},
    {"text", "card"},
    {"text", "code"},
    {"text", "bar"},
    {"quiet", "page"},
    {"quiet", "card"},
    {"quiet", "bar"},
    {"link", "page"},
    {"link", "card"},
    {"missed", "page"},
    {"missed", "card"},
    {"safe-text", "safe"},
    {"unsafe-text", "unsafe"},
    {"stuck-text", "stuck"},
    {"unknown-text", "unknown"},
    {"skipped-text", "skipped"},
    {"error-text", "error"},
};

// The colour of that name in the light or the dark scheme: "#rrggbb".
static const char *colour_of(const char *name, size_t length, bool dark)
{
    char declaration[40];
    const char *from = dark ? strstr(template_page, "prefers-color-scheme: dark") : template_page;
    snprintf(declaration, sizeof declaration, " --%.*s: #", (int)length, name);
    const char *found = from != NULL ? strstr(from, declaration) : NULL;
    if (found == NULL)
        fail_msg("no colour is called %.*s", (int)length, name);
    return found + strlen(declaration) - 1;
}

// Relative luminance, as in WCAG 2.
static double luminance(const char *hex)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    unsigned channels[3];
    double sum = 0;
    assert_int_equal(sscanf(hex, "#%2x%2x%2x", &channels[0], &channels[1], &channels[2]), 3);
    for (int i = 0; i < 3; i++) {
        double share = channels[i] / 255.0;
        sum += weights[i] * (share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double lights[] = {luminance(a), luminance(b)};
    return (fmax(lights[0], lights[1]) + 0.05) / (fmin(lights[0], lights[1]) + 0.05);
}

TEST(contrast_is_measured_as_in_wcag)
{
    assert_true(fabs(contrast("#000000", "#ffffff") - 21) < 0.001);
    assert_true(fabs(contrast("#777777", "#ffffff") - 4.478) < 0.001);
}

TEST(text_has_enough_contrast_in_both_schemes)
{
    for (size_t i = 0; i < 2 * sizeof pairs / sizeof *pairs; i++) {
        const char *const *pair = pairs[i / 2];
        double found = contrast(colour_of(pair[0], strlen(pair[0]), i % 2 == 1),
                                colour_of(pair[1], strlen(pair[1]), i % 2 == 1));
        if (found < 4.5)
            fail_msg("%s on %s: %.2f", pair[0], pair[1], found);
    }
}

TEST(every_colour_of_the_style_is_in_the_palette_and_those_of_text_are_measured)
{
    size_t texts = 0;
    for (const char *at = template_page; (at = strstr(at, "var(--")) != NULL;) {
        static const char property[] = " color: ";
        bool is_text = strncmp(at - strlen(property), property, strlen(property)) == 0;
        bool is_measured = false;
        at += strlen("var(--");
        size_t length = strcspn(at, ")");
        if (strncmp(at, "share", length) == 0)
            continue;
        assert_non_null(colour_of(at, length, false));
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            is_measured |= strncmp(pairs[i][0], at, length) == 0 && pairs[i][0][length] == '\0';
        if (is_text && !is_measured)
            fail_msg("the contrast of %.*s is not measured", (int)length, at);
        texts += is_text;
    }
    assert_true(texts > 10);
}

// --- pictures, which stand on white in both schemes ----------------------------------------------

extern const char template_verdicts[];

static bool is_of_name(char letter)
{
    return letter == '_' || (letter >= 'a' && letter <= 'z');
}

// A colour of a template, "0xrrggbb" or by its name in the palette, as "#rrggbb"; "" if it is
// neither.
static struct words colour_in_picture(const char *colour)
{
    struct words hex = {""};
    char declaration[40];
    size_t length = 0;
    while (is_of_name(colour[length]))
        length++;
    snprintf(declaration, sizeof declaration, "%.*s = 0x", (int)length, colour);
    const char *found = strncmp(colour, "0x", 2) == 0 ? colour : NULL;
    for (const char *at = template_style; found == NULL && length > 0; at++) {
        at = strstr(at, declaration);
        if (at == NULL)
            break;
        if (!is_of_name(at[-1]))
            found = at + strlen(declaration) - 2;
    }
    if (found != NULL)
        snprintf(hex.text, sizeof hex.text, "#%.6s", found + 2);
    return hex;
}

static void check_colour(const char *colour, const char *ground, double least)
{
    struct words hex = colour_in_picture(colour);
    if (hex.text[0] == '\0' || contrast(hex.text, ground) < least)
        fail_msg("%.20s on %s: %.2f", colour, ground,
                 hex.text[0] != '\0' ? contrast(hex.text, ground) : 0);
}

// All but "variable": those that come with the data are measured below.
static size_t check_texts(const char *template)
{
    size_t count = 0;
    for (const char *at = template; (at = strstr(at, "textcolor rgb ")) != NULL; count++) {
        at += strlen("textcolor rgb ");
        if (strncmp(at, "variable", strlen("variable")) != 0)
            check_colour(at, "#ffffff", 4.5);
    }
    return count;
}

TEST(text_in_pictures_has_enough_contrast)
{
    static const char *const of_data[] = {"black", "dark", "dark_red", "brown", "stuck"};
    static const char *const verdicts[] = {"SAFE",    "UNSAFE",  "STUCK",
                                           "UNKNOWN", "SKIPPED", "ERROR"};
    size_t texts = check_texts(template_style);
    assert_has(template_page, "\n.picture {\n    overflow-x: auto;\n    background: #fff;\n");
    for (const struct picture_kind *const *kind = picture_catalogue; *kind != NULL; kind++) {
        texts += check_texts((*kind)->template);
        for (const char *const *shared = (*kind)->shared; *shared != NULL; shared++)
            texts += check_texts(*shared);
    }
    assert_true(texts > 20);
    for (size_t i = 0; i < sizeof of_data / sizeof *of_data; i++)
        check_colour(of_data[i], "#ffffff", 4.5);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        char name[20];
        snprintf(name, sizeof name, "'%s'", verdicts[i]);
        const char *ground = strstr(strstr(template_verdicts, "colour(verdict) = "), name);
        const char *ink = strstr(strstr(template_verdicts, "ink(verdict) = "), name);
        assert_true(ground != NULL && ink != NULL);
        check_colour(strstr(ink, "? ") + 2, colour_in_picture(strstr(ground, "? ") + 2).text, 4.5);
    }
}

TEST(stuck_has_one_colour_on_the_page_and_in_pictures)
{
    AUTO_FREE char *of_page = text_formatted("--stuck-text: %s;", colour_in_picture("stuck").text);
    assert_has(template_page, of_page);
    assert_has(template_verdicts, "verdict eq 'STUCK' ? stuck");
}

// Recovery has stripes behind its dots. The pale colours and shades are of areas, which say nothing
// by their colours alone.
TEST(lines_and_dots_in_pictures_can_be_seen)
{
    size_t lines = 0;
    for (const char *at = template_style; (at = strstr(at, " = 0x")) != NULL; at++) {
        const char *name = at;
        while (is_of_name(name[-1]))
            name--;
        if (strncmp(name, "pale_", 5) == 0 || strncmp(name, "shade", 5) == 0)
            continue;
        check_colour(name, "#f4f4f4", 3);
        lines++;
    }
    assert_true(lines > 10);
}
