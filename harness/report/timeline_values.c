// What the holds of the evidence read and wrote, beside their marks.
#include "harness/report/timeline_draw.h"

#include <stdio.h>
#include <string.h>

// From a mark to its value, and from a value to the next mark, in pixels.
#define GAP 9
// A hold with more reads and writes has no room for their values.
#define MOST_VALUES 40

// When the access is marked: see row_of_access.
static int64_t marked_ns(const struct access *access)
{
    bool answered = access->returned_ns != TIME_NEVER;
    return access->is_write || !answered ? access->invoked_ns : access->returned_ns;
}

static bool is_shown(const struct drawing *drawing, const struct access *access)
{
    int64_t at_ns = marked_ns(access);
    return at_ns >= drawing->window->from_ns && at_ns <= drawing->window->to_ns;
}

// Returns where it ends, in pixels.
static double add_value(struct drawing *drawing, const char *text, int64_t at_ns, int row,
                        bool on_left)
{
    text_format(&drawing->plot->objects,
                "set label '%s' at first %.12g, first %g %s offset character %g,0 front font "
                "'sans-serif,11' textcolor rgb '#111111'\n",
                text, plot_x(drawing->plot, at_ns), row + 1 - 0.36, on_left ? "right" : "left",
                on_left ? -0.8 : 0.8);
    return plot_pixel(drawing->plot, at_ns) + (on_left ? GAP : GAP + plot_text_width(text));
}

// Where the marks before and after one are, of the same worker and of any of its holds, in pixels.
static void find_neighbours(const struct drawing *drawing, const struct hold *hold, int64_t at_ns,
                            double *before, double *after)
{
    const struct digest *digest = drawing->digest;
    const struct plot *plot = drawing->plot;
    *before = plot->left;
    *after = plot->right;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        const struct hold *other = &digest->holds[access->hold];
        int64_t its_ns = marked_ns(access);
        if (other->client != hold->client || other->worker != hold->worker ||
            !is_shown(drawing, access))
            continue;
        double at = plot_pixel(plot, its_ns);
        if (its_ns > at_ns && at < *after)
            *after = at;
        if (its_ns < at_ns && at + GAP > *before)
            *before = at + GAP;
    }
}

// The values of one hold, each where there is room for it between its neighbours.
static void add_values_of(struct drawing *drawing, const struct hold *hold)
{
    const struct plot *plot = drawing->plot;
    int row = timeline_row_of(drawing->window, hold->client, hold->worker);
    double taken = plot->left; // by the value before
    for (size_t i = 0; i < hold->access_count && i < MOST_VALUES && row >= 0; i++) {
        const struct access *access = &drawing->digest->accesses[hold->first_access + i];
        bool has_value = access->outcome == OUTCOME_OK || access->is_write;
        if (!is_shown(drawing, access) || !has_value)
            continue;
        char words[48];
        char value[32];
        double at = plot_pixel(plot, marked_ns(access));
        double before;
        double after;
        find_neighbours(drawing, hold, marked_ns(access), &before, &after);
        before = before < taken ? taken : before;
        const char *verb = !access->is_write               ? "reads"
                           : access->outcome == OUTCOME_NO ? "cannot write"
                                                           : "writes";
        snprintf(value, sizeof value, "%lld", (long long)access->value);
        snprintf(words, sizeof words, "%s %s", verb, value);
        double least = plot_text_width(value) + 2 * GAP;
        double most = plot_text_width(words) + 2 * GAP;
        double end = at + GAP;
        if (after - at >= most)
            end = add_value(drawing, words, marked_ns(access), row, false);
        else if (at - before >= most)
            add_value(drawing, words, marked_ns(access), row, true);
        else if (after - at >= least)
            end = add_value(drawing, value, marked_ns(access), row, false);
        taken = end;
    }
}

void drawing_add_values(struct drawing *drawing)
{
    const struct timeline_window *window = drawing->window;
    // Of a silence they prove nothing, and would cover the death of whoever wrote them.
    bool stuck = window->finding != NULL && window->finding->check->shows == SHOWS_SILENCE;
    for (size_t i = 0; i < 2 && !stuck; i++) {
        if (window->evidence[i] != SIZE_MAX)
            add_values_of(drawing, &drawing->digest->holds[window->evidence[i]]);
    }
}
