#include "harness/report/chart.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGE 12 // px, between the picture's edge and its texts
#define TITLE_SIZE 15
#define TITLE_HEIGHT 21
#define NOTE_SIZE 12
#define NOTE_HEIGHT 17
#define PANEL_TITLE_SIZE 13
#define GREY_TEXT "#555555"
// A character of the widest common sans-serif face (DejaVu), as a share of its size.
#define CHARACTER_SHARE 0.61

void chart_start(struct chart *chart, struct drawing *drawing, const char *name, int width)
{
    *chart = (struct chart){.name = name, .drawing = drawing, .width = width, .bottom = 6};
}

// --- texts and shapes ----------------------------------------------------------------------------

double chart_text_width(const char *text, int size)
{
    size_t characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)characters * size * CHARACTER_SHARE;
}

static void reach(struct chart *chart, double bottom)
{
    chart->bottom = bottom > chart->bottom ? bottom : chart->bottom;
}

void chart_text(struct chart *chart, double x, double y, enum chart_align align, int size,
                const char *colour, const char *text)
{
    static const char *const sides[] = {"left", "center", "right"};
    text_add(&chart->body, "set label ");
    plot_quote(&chart->body, text);
    text_format(&chart->body,
                " at screen X(%.1f), screen Y(%.1f) %s font 'sans-serif,%d' textcolor rgb '%s'\n",
                x, y, sides[align], size, colour);
    reach(chart, y + size);
}

// A line of at most so many pixels from what is left of a text; never less than a word. Returns how
// many bytes it has.
static size_t line_length(const char *text, int size, double width)
{
    size_t length = 0;
    double used = 0;
    while (text[length] != '\0') {
        size_t end = length + strspn(text + length, " ");
        end += strcspn(text + end, " ");
        struct text word = {0};
        text_add_bytes(&word, text + length, end - length);
        used += chart_text_width(text_string(&word), size);
        text_free(&word);
        if (used > width && length > 0)
            break;
        length = end;
    }
    return length;
}

static void add_lines(struct chart *chart, const char *text, int size, int height,
                      const char *colour)
{
    while (*text != '\0') {
        size_t length = line_length(text, size, chart->width - 2 * EDGE);
        struct text line = {0};
        text_add_bytes(&line, text, length);
        double bottom = chart->bottom + height;
        chart_text(chart, EDGE, chart->bottom + height / 2.0 + 2, CHART_LEFTWARD_FROM, size, colour,
                   text_string(&line));
        chart->bottom = bottom;
        text_free(&line);
        text += length;
        text += strspn(text, " ");
    }
}

void chart_title(struct chart *chart, const char *text)
{
    add_lines(chart, text, TITLE_SIZE, TITLE_HEIGHT, "#111111");
}

// The caller frees it.
static char *formatted(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        text = memory_string("");
    return text;
}

void chart_note(struct chart *chart, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *note = formatted(format, arguments);
    va_end(arguments);
    add_lines(chart, note, NOTE_SIZE, NOTE_HEIGHT, GREY_TEXT);
    free(note);
}

void chart_line(struct chart *chart, double x, double y, double to_x, double to_y,
                const char *colour, const char *style)
{
    text_format(&chart->body,
                "set arrow from screen X(%.1f), screen Y(%.1f) to screen X(%.1f), screen Y(%.1f) "
                "nohead linecolor rgb '%s' %s\n",
                x, y, to_x, to_y, colour, style);
    reach(chart, y > to_y ? y : to_y);
}

// --- legends -------------------------------------------------------------------------------------

struct chart_style chart_style(size_t index)
{
    static const struct chart_style styles[CHART_STYLES] = {
        {PLOT_BLUE, "1", 7},         {PLOT_ORANGE, "(9,3)", 5}, {PLOT_GREEN, "(2,3)", 9},
        {PLOT_RED, "(9,3,2,3)", 13}, {PLOT_PURPLE, "1", 4},     {PLOT_SKY, "(14,3)", 6},
        {PLOT_DARK, "(4,3)", 8},
    };
    return styles[index % CHART_STYLES];
}

void chart_legend(struct chart *chart, double x, double y, struct chart_style style,
                  const char *text)
{
    char how[64];
    snprintf(how, sizeof how, "linewidth 2 dashtype %s", style.dashes);
    chart_line(chart, x, y, x + CHART_SAMPLE_WIDTH - 8, y, style.colour, how);
    if (style.point > 0)
        text_format(&chart->body,
                    "set label '' at screen X(%.1f), screen Y(%.1f) point pointtype %d pointsize "
                    "0.6 linewidth 1.5 linecolor rgb '%s'\n",
                    x + (CHART_SAMPLE_WIDTH - 8) / 2.0, y, style.point, style.colour);
    chart_text(chart, x + CHART_SAMPLE_WIDTH, y, CHART_LEFTWARD_FROM, NOTE_SIZE, PLOT_DARK, text);
}

// --- panels --------------------------------------------------------------------------------------

// Along the axes, and not where gnuplot puts them: it guesses how wide the numbers are.
static void add_names(struct chart *chart, struct chart_box box, const struct chart_axis *x,
                      const struct chart_axis *y)
{
    if (x->label != NULL)
        chart_text(chart, (box.left + box.right) / 2, box.bottom + 36, CHART_CENTRED_AT, NOTE_SIZE,
                   PLOT_DARK, x->label);
    if (y == NULL || y->label == NULL)
        return;
    text_add(&chart->body, "set label ");
    plot_quote(&chart->body, y->label);
    text_format(&chart->body,
                " at screen X(%.1f), screen Y(%.1f) center rotate by 90 font 'sans-serif,%d' "
                "textcolor rgb '%s'\n",
                box.left - CHART_LEFT + 12, (box.top + box.bottom) / 2, NOTE_SIZE, PLOT_DARK);
}

void chart_panel(struct chart *chart, struct chart_box box, const char *title,
                 const struct chart_axis *x, const struct chart_axis *y)
{
    if (title != NULL)
        chart_text(chart, box.left, box.top - 12, CHART_LEFTWARD_FROM, PANEL_TITLE_SIZE, PLOT_DARK,
                   title);
    text_format(&chart->body,
                "set lmargin at screen X(%.1f)\nset rmargin at screen X(%.1f)\n"
                "set tmargin at screen Y(%.1f)\nset bmargin at screen Y(%.1f)\n",
                box.left, box.right, box.top, box.bottom);
    chart_axis_script(x, "x", box.right - box.left, &chart->body);
    chart_axis_script(y, "y", box.bottom - box.top, &chart->body);
    add_names(chart, box, x, y);
    reach(chart, box.bottom + CHART_BELOW);
    chart->is_open = true;
}

struct chart_box chart_rows(struct chart *chart, double left, double top, double right,
                            const char *title, const struct chart_axis *x, const char *const *names,
                            size_t count)
{
    struct chart_box box = {left, top, right, top + (double)count * CHART_ROW_HEIGHT};
    for (size_t i = 0; i < count && names != NULL; i++)
        chart_text(chart, left - 8, top + ((double)i + 0.5) * CHART_ROW_HEIGHT,
                   CHART_RIGHTWARD_FROM, NOTE_SIZE, PLOT_DARK, names[i]);
    chart_panel(chart, box, title, x, NULL);
    text_format(&chart->body, "unset logscale y\nset yrange [%g:-0.5]\nunset ytics\n",
                (double)count - 0.5);
    return box;
}

int chart_data(struct chart *chart, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *heading = formatted(format, arguments);
    va_end(arguments);
    for (char *c = heading; *c != '\0'; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c; // a comment is one line
    text_format(&chart->drawing->data, "%s# %s\n", chart->blocks > 0 ? "\n\n" : "", heading);
    free(heading);
    return chart->blocks++;
}

void chart_curve(struct chart *chart, int block, const char *columns, const char *with, ...)
{
    char how[300];
    va_list arguments;
    va_start(arguments, with);
    vsnprintf(how, sizeof how, with, arguments);
    va_end(arguments);
    text_format(&chart->curves, "%s'%s.dat' index %d using %s with %s notitle",
                chart->curves.length > 0 ? ", \\\n     " : "plot ", chart->name, block, columns,
                how);
}

void chart_panel_end(struct chart *chart)
{
    if (chart->curves.length == 0)
        text_add(&chart->curves, "plot 1/0 notitle");
    text_format(&chart->body, "%s\nunset label\nunset object\nunset arrow\n",
                text_string(&chart->curves));
    text_free(&chart->curves);
    chart->curves = (struct text){0};
    chart->is_open = false;
}

void chart_finish(struct chart *chart)
{
    struct text *script = &chart->drawing->script;
    int height = (int)(chart->bottom + EDGE);
    if (chart->is_open)
        chart_panel_end(chart);
    plot_begin_script(script, chart->name, chart->width, height);
    text_add(script, "unset key\n"
                     "set border 3 linecolor rgb '#666666'\n"
                     "set tics nomirror textcolor rgb '" PLOT_DARK "'\n"
                     "set grid linecolor rgb '#dddddd' linewidth 0.7\n"
                     "set multiplot\n");
    text_add(script, text_string(&chart->body));
    // What was put after the last panel is drawn with one of which nothing is to be seen.
    text_add(script, "unset border\nunset tics\nunset grid\nunset logscale\n"
                     "set xrange [0:1]\nset yrange [0:1]\nplot 1/0 notitle\n"
                     "unset multiplot\n");
    text_free(&chart->body);
    text_free(&chart->curves);
}
