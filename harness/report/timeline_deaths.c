// Where clients died.
#include "harness/report/timeline_draw.h"

// Room for the word, in pixels.
#define WORD_WIDTH 60

// When the client died, if it was killed in the time shown; a client that ended well is not dead.
static bool death_of(const struct drawing *drawing, const struct event *event, int64_t *at_ns)
{
    if (event->kind != EVENT_PROCESS_DEATH || event->process_death.signal == 0)
        return false;
    *at_ns = event->process_death.killed_ns > 0 ? event->process_death.killed_ns : event->at_ns;
    // What the harness ends after the trial did not die in it.
    return *at_ns >= drawing->window->from_ns && *at_ns <= drawing->window->to_ns &&
           *at_ns <= drawing->digest->ended_ns;
}

static void add_word(struct plot *plot, int64_t at_ns, double row)
{
    bool fits = plot_pixel(plot, at_ns) + WORD_WIDTH < plot->right;
    text_format(&plot->objects,
                "set label 'killed' at first %.12g, first %g %s offset character %g,0 front "
                "textcolor rgb '#111111'\n",
                plot_x(plot, at_ns), row - WORDS_ABOVE, fits ? "left" : "right", fits ? 1.2 : -1.2);
}

void drawing_add_deaths(struct drawing *drawing)
{
    const struct timeline_window *window = drawing->window;
    const struct history *history = drawing->digest->history;
    size_t added = 0;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        int64_t at = 0;
        if (!death_of(drawing, event, &at))
            continue;
        for (size_t row = 0; row < window->row_count; row++) {
            if (window->rows[row].client != event->client)
                continue;
            if (added++ == 0)
                drawing_begin_set(drawing, "deaths", "row at");
            double y = (double)row + 1;
            text_format(&drawing->plot->data, "%g %.12g\n", y, plot_x(drawing->plot, at));
            add_word(drawing->plot, at, y);
        }
    }
    if (added > 0)
        drawing_end_set(drawing, "using 2:($1-0.06) with points pointtype 2 pointsize 1.3 "
                                 "linewidth 2.6 linecolor rgb '#111111'");
}
