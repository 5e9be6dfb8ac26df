// What is written on what can be read, in both schemes.
#include "harness/testing/test.h"

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
