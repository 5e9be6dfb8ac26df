#include "harness/report/environment.h"

#include <math.h>
#include <string.h>

// How far the loads of two machines may be apart, for each of their processors.
#define LOAD_MARGIN 0.5

static const char *known(const char *text)
{
    return text[0] != '\0' ? text : "not known";
}

static size_t compare_texts(const char *what, const char *a, const char *b, struct text *out)
{
    if (strcmp(a, b) == 0)
        return 0;
    text_format(out, "%s: %s and %s\n", what, known(a), known(b));
    return 1;
}

static size_t compare_numbers(const char *what, int a, int b, struct text *out)
{
    if (a == b)
        return 0;
    text_format(out, "%s: %d and %d\n", what, a, b);
    return 1;
}

static size_t compare_loads(const struct environment *a, const struct environment *b,
                            struct text *out)
{
    const struct machine_load *one = &a->load_at_begin;
    const struct machine_load *other = &b->load_at_begin;
    if (!one->is_known || !other->is_known) {
        if (one->is_known == other->is_known)
            return 0;
        text_format(out, "load of the machine at the beginning: known of one only\n");
        return 1;
    }
    int processors = a->processors < b->processors ? a->processors : b->processors;
    double margin = LOAD_MARGIN * (processors > 0 ? processors : 1);
    if (fabs(one->averages[0] - other->averages[0]) <= margin)
        return 0;
    text_format(out, "load of the machine at the beginning: %.2f and %.2f\n", one->averages[0],
                other->averages[0]);
    return 1;
}

size_t environment_differences(const struct environment *a, const struct environment *b,
                               struct text *out)
{
    size_t count = 0;
    count += compare_texts("Lockpick", a->lockpick_version, b->lockpick_version, out);
    count += compare_texts("servers", a->servers, b->servers, out);
    count += compare_texts("durability", a->durability, b->durability, out);
    count += compare_texts("placement", a->placement, b->placement, out);
    count += compare_texts("isolation", a->isolation, b->isolation, out);
    count += compare_texts("kernel", a->kernel, b->kernel, out);
    count += compare_texts("processor", a->processor, b->processor, out);
    count += compare_numbers("processors", a->processors, b->processors, out);
    count += compare_texts("governor", a->governor, b->governor, out);
    count += compare_texts("clock source", a->clock_source, b->clock_source, out);
    count += compare_numbers("trials at a time", a->lanes, b->lanes, out);
    count += compare_loads(a, b, out);
    return count;
}
