#include "harness/report/environment.h"

#include "harness/base/clock.h"

#include <math.h>
#include <string.h>
#include <time.h>

// How far the loads of two machines may be apart: for each of their processors, and in parts of the
// higher one.
#define LOAD_MARGIN 0.5
#define LOAD_SHARE 0.25

// In which the kernel's average of the last minute falls to 1/e.
#define LOAD_FADES_S 60.0

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

// The load when `environment` began, without what was left of the other run's own by then: what
// that had added from its beginning to its end. Of a run that was not over by then, nothing is
// known.
static double load_without(const struct environment *environment, const struct environment *other)
{
    double load = environment->load_at_begin.averages[0];
    double added = other->load_at_end.averages[0] - other->load_at_begin.averages[0];
    struct tm times[2] = {{0}};
    const char *end = strptime(environment->began, "%Y-%m-%dT%H:%M:%SZ", &times[0]);
    const char *other_end = strptime(other->began, "%Y-%m-%dT%H:%M:%SZ", &times[1]);
    if (end == NULL || other_end == NULL || other->duration_ns <= 0 ||
        !other->load_at_end.is_known || added <= 0)
        return load;
    double since_s = difftime(timegm(&times[0]), timegm(&times[1])) -
                     (double)other->duration_ns / (double)NS_PER_S;
    if (since_s < -1) // began is in whole seconds
        return load;
    return fmax(0, load - added * exp(-fmax(since_s, 0) / LOAD_FADES_S));
}

static size_t compare_loads(const struct environment *a, const struct environment *b,
                            struct text *out)
{
    if (!a->load_at_begin.is_known || !b->load_at_begin.is_known) {
        if (a->load_at_begin.is_known == b->load_at_begin.is_known)
            return 0;
        text_format(out, "load of the machine at the beginning: known of one only\n");
        return 1;
    }
    int processors = a->processors < b->processors ? a->processors : b->processors;
    double one = load_without(a, b);
    double other = load_without(b, a);
    double margin =
        fmax(LOAD_MARGIN * (processors > 0 ? processors : 1), LOAD_SHARE * fmax(one, other));
    if (fabs(one - other) <= margin)
        return 0;
    text_format(out, "load of the machine at the beginning: %.2f and %.2f\n", one, other);
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
