// What is written on what can be read.
#include "harness/report/html.h"
#include "harness/testing/test.h"

#include <math.h>

static const struct html_colour *colour_of(const char *name, size_t length)
{
    for (const struct html_colour *colour = html_palette; colour->name != NULL; colour++) {
        if (strlen(colour->name) == length && strncmp(colour->name, name, length) == 0)
            return colour;
    }
    fail_msg("no colour is called %.*s", (int)length, name);
    return NULL;
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
    for (const struct html_contrast *pair = html_contrasts; pair->text != NULL; pair++) {
        const struct html_colour *text = colour_of(pair->text, strlen(pair->text));
        const struct html_colour *ground = colour_of(pair->ground, strlen(pair->ground));
        double light = contrast(text->light, ground->light);
        double dark = contrast(text->dark, ground->dark);
        if (light < 4.5 || dark < 4.5)
            fail_msg("%s on %s: %.2f light, %.2f dark", pair->text, pair->ground, light, dark);
    }
}

static bool is_text(const struct html_colour *colour)
{
    for (const struct html_contrast *pair = html_contrasts; pair->text != NULL; pair++) {
        if (strcmp(pair->text, colour->name) == 0)
            return true;
    }
    return false;
}

TEST(every_colour_of_the_style_is_in_the_palette_and_those_of_text_are_measured)
{
    struct text style = {0};
    html_add_style(&style);
    size_t texts = 0;
    for (const char *at = text_string(&style); (at = strstr(at, "var(--")) != NULL;) {
        static const char property[] = "{color:";
        const char *before = at - (sizeof property - 1);
        at += strlen("var(--");
        size_t length = strcspn(at, ")");
        if (strncmp(at, "share", length) == 0)
            continue;
        const struct html_colour *colour = colour_of(at, length);
        if (strncmp(before + 1, property + 1, strlen(property) - 1) != 0 ||
            strchr("{;", *before) == NULL)
            continue;
        texts++;
        if (!is_text(colour))
            fail_msg("the contrast of %s is not measured", colour->name);
    }
    assert_true(texts > 10);
    text_free(&style);
}
