#include "harness/run/display.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80

static size_t columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col;
}

static int running(const struct display *display)
{
    int count = 0;
    for (int i = 0; i < MAX_LANES; i++)
        count += display->lanes[i].trial != NULL;
    return count;
}

// "[37/300] 2 at once: contention--none running, pause--redlock connecting"; of one trial alone,
// about how many events it has by now.
static void describe(const struct display *display, struct text *line)
{
    int count = running(display);
    text_format(line, "[%zu/%zu]", display->finished, display->planned);
    if (count > 1)
        text_format(line, " %d at once:", count);
    const char *between = " ";
    for (int i = 0; i < MAX_LANES; i++) {
        if (display->lanes[i].trial == NULL)
            continue;
        text_format(line, "%s%s: %s", between, display->lanes[i].trial->name,
                    display->lanes[i].doing);
        if (count == 1 && display->lanes[i].events > 0)
            text_format(line, ", about %zu events", display->lanes[i].events);
        between = "; ";
    }
}

static void draw(const struct display *display)
{
    struct text line = {0};
    describe(display, &line);
    // A line that wraps could not be written over.
    fprintf(stderr, "\r\033[K%.*s", (int)columns() - 1, text_string(&line));
    fflush(stderr);
    text_free(&line);
}

void display_doing(struct display *display, int lane, const struct trial *trial, const char *doing,
                   size_t events)
{
    display->lanes[lane].trial = trial;
    display->lanes[lane].events = events;
    snprintf(display->lanes[lane].doing, sizeof display->lanes[lane].doing, "%s", doing);
    if (display->terminal && !display->silent)
        draw(display);
}

void display_verdict(struct display *display, const struct trial_result *result)
{
    static const char *const marks[] = {[EXPECTATION_NONE] = "",
                                        [EXPECTATION_MET] = ", as expected",
                                        [EXPECTATION_MISSED] = ", NOT AS EXPECTED"};
    display->finished++;
    for (int i = 0; i < MAX_LANES; i++) {
        if (display->lanes[i].trial == result->trial)
            display->lanes[i].trial = NULL;
    }
    if (display->silent)
        return;
    display_clear(display);
    fprintf(stderr, "[%zu/%zu] %s: %s%s\n", display->finished, display->planned,
            result->trial->name, verdict_name(result->judgement.verdict),
            marks[result->judgement.expectation]);
    if (display->terminal && running(display) > 0)
        draw(display);
}

void display_clear(const struct display *display)
{
    if (display->terminal && !display->silent)
        fputs("\r\033[K", stderr);
}
