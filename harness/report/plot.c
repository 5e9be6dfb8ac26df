#include "harness/report/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The widest common sans-serif face (DejaVu) needs as much at 13 px.
#define CHARACTER_WIDTH 7.9
#define LANE_HEIGHT 18
#define MAX_LANES 5
#define TITLE_BASE 22
#define LEGEND_BASE 46
#define CAPTION_HEIGHT 18
#define LEGEND_HEIGHT 20
#define PANEL_TITLE_HEIGHT 14
#define LEGEND_LEFT 12
#define HEADLINE_HEIGHT 18
// As many characters fit below the title, as most are narrower than the widest.
#define HEADLINE_CHARACTERS 128
// Tics, their numbers and the name of the axis.
#define AXIS_HEIGHT 74
// A time on the axis has at most four digits.
#define LONGEST_TIC 10000

static void choose_unit(struct plot *plot)
{
    static const struct {
        int64_t size_ns;
        const char *name;
    } units[] = {{NS_PER_S, "s"}, {NS_PER_MS, "ms"}, {NS_PER_US, "µs"}, {1, "ns"}};
    int64_t span = plot->to_ns - plot->from_ns;
    size_t i = 0;
    while (i < 3 && span < 2 * units[i].size_ns)
        i++;
    plot->unit_ns = (double)units[i].size_ns;
    plot->unit = units[i].name;
    plot->base_ns = plot->start_ns;
    // Far into the trial, times would be long numbers that differ in their last digits only.
    if (plot->to_ns - plot->start_ns >= LONGEST_TIC * units[i].size_ns)
        plot_count_from(plot, plot->from_ns);
}

void plot_start(struct plot *plot, const char *name, int left, const struct digest *digest,
                int64_t from_ns, int64_t to_ns)
{
    *plot = (struct plot){.name = name, .left = left, .right = PLOT_WIDTH - 30};
    plot->start_ns = digest->started_ns;
    plot->from_ns = from_ns;
    plot->to_ns = to_ns > from_ns ? to_ns : from_ns + 1;
    plot->legend_x = LEGEND_LEFT;
    choose_unit(plot);
}

void plot_free(struct plot *plot)
{
    text_free(&plot->data);
    text_free(&plot->script);
    text_free(&plot->objects);
    text_free(&plot->legend);
}

void plot_count_from(struct plot *plot, int64_t at_ns)
{
    plot->base_ns = at_ns;
}

double plot_x(const struct plot *plot, int64_t at_ns)
{
    return (double)(at_ns - plot->base_ns) / plot->unit_ns;
}

double plot_pixel(const struct plot *plot, int64_t at_ns)
{
    double share = (double)(at_ns - plot->from_ns) / (double)(plot->to_ns - plot->from_ns);
    return plot->left + share * (plot->right - plot->left);
}

void plot_quote(struct text *out, const char *string)
{
    text_add(out, "'");
    for (; *string != '\0'; string++) {
        if (*string == '\'')
            text_add(out, "''");
        else
            text_add_bytes(out, (unsigned char)*string < ' ' ? " " : string, 1);
    }
    text_add(out, "'");
}

// Cuts a text that did not fit where a character begins, and says so.
static void cut(char *text, size_t room, int needed)
{
    if (needed < 0 || (size_t)needed < room)
        return;
    size_t end = room - 4;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, "…", sizeof "…");
}

double plot_text_width(const char *text)
{
    size_t characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)characters * CHARACTER_WIDTH;
}

static bool lane_is_free(const struct plot *plot, int lane, double centre, double width)
{
    for (size_t i = 0; i < plot->label_count; i++) {
        const struct plot_label *other = &plot->labels[i];
        double room = (width + plot_text_width(other->text)) / 2 + 10;
        if (other->lane == lane && fabs(other->centre - centre) < room)
            return false;
    }
    return true;
}

void plot_label(struct plot *plot, int64_t at_ns, const char *colour, const char *format, ...)
{
    if (plot->label_count == PLOT_MAX_LABELS)
        return;
    struct plot_label label = {.colour = colour, .lane = -1};
    va_list arguments;
    va_start(arguments, format);
    int needed = vsnprintf(label.text, sizeof label.text, format, arguments);
    va_end(arguments);
    cut(label.text, sizeof label.text, needed);
    double half = plot_text_width(label.text) / 2 + 6;
    label.centre = fmin(fmax(plot_pixel(plot, at_ns), half), PLOT_WIDTH - half);
    for (int lane = 0; lane < MAX_LANES && label.lane < 0; lane++) {
        if (lane_is_free(plot, lane, label.centre, plot_text_width(label.text)))
            label.lane = lane;
    }
    if (label.lane >= 0)
        plot->labels[plot->label_count++] = label;
}

static size_t characters_in(const char *text, size_t bytes)
{
    size_t characters = 0;
    for (size_t i = 0; i < bytes; i++)
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    return characters;
}

void plot_headline(struct plot *plot, const char *text)
{
    while (*text != '\0' && plot->headline_count < PLOT_MAX_HEADLINES) {
        size_t room = sizeof plot->headlines[0];
        char *line = plot->headlines[plot->headline_count++];
        size_t end = strlen(text);
        while (end > 0 && (end >= room || characters_in(text, end) > HEADLINE_CHARACTERS)) {
            // Back to the end of the word before.
            while (end > 0 && text[end - 1] != ' ')
                end--;
            while (end > 0 && text[end - 1] == ' ')
                end--;
        }
        if (end == 0) // one word that does not fit is cut
            end = strlen(text) < room ? strlen(text) : room - 1;
        snprintf(line, room, "%.*s", (int)end, text);
        text += end + strspn(text + end, " ");
    }
}

// From where the legend begins, in pixels from the top.
static int legend_base(const struct plot *plot)
{
    return LEGEND_BASE + plot->headline_count * HEADLINE_HEIGHT;
}

void plot_caption(struct plot *plot, const char *format, ...)
{
    if (plot->caption_count == PLOT_MAX_CAPTIONS)
        return;
    char *caption = plot->captions[plot->caption_count++];
    va_list arguments;
    va_start(arguments, format);
    int needed = vsnprintf(caption, sizeof plot->captions[0], format, arguments);
    va_end(arguments);
    cut(caption, sizeof plot->captions[0], needed);
}

void plot_band(struct plot *plot, int64_t from_ns, int64_t to_ns, const char *colour)
{
    text_format(&plot->objects,
                "set object rectangle from first %.9g, graph 0 to first %.9g, graph 1 behind "
                "fillcolor rgb '%s' fillstyle solid 1 noborder\n",
                plot_x(plot, time_later(from_ns, plot->from_ns)),
                plot_x(plot, time_earlier(to_ns, plot->to_ns)), colour);
}

void plot_line(struct plot *plot, int64_t at_ns, const char *colour, const char *style)
{
    if (at_ns < plot->from_ns || at_ns > plot->to_ns)
        return;
    text_format(
        &plot->objects,
        "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead front linecolor rgb "
        "'%s' %s\n",
        plot_x(plot, at_ns), plot_x(plot, at_ns), colour, style);
}

// Positions below are in pixels from the top left, as SVG has them: the layout turns them into
// gnuplot's by two functions of the script.
static void legend_sample(struct plot *plot, enum plot_sample sample, const char *colour,
                          const char *style)
{
    double x = plot->legend_x;
    double y = legend_base(plot) - 4 + plot->legend_line * LEGEND_HEIGHT;
    if (sample == SAMPLE_LINE) {
        text_format(
            &plot->legend,
            "set arrow from screen X(%g), screen Y(%g) to screen X(%g), screen Y(%g) nohead "
            "linecolor rgb '%s' %s\n",
            x, y, x + 20, y, colour, style);
        return;
    }
    if (sample == SAMPLE_POINT) {
        text_format(&plot->legend,
                    "set label '' at screen X(%g), screen Y(%g) point linecolor rgb '%s' %s\n",
                    x + 12, y, colour, style);
        return;
    }
    static const char *const fills[] = {[SAMPLE_BOX] = "solid 1 noborder",
                                        [SAMPLE_THIN_BOX] = "solid 1 noborder",
                                        [SAMPLE_HATCHED_BOX] = PLOT_HATCH,
                                        [SAMPLE_OUTLINE] = "solid 1 border rgb '#8a8a8a'"};
    double half = sample == SAMPLE_THIN_BOX ? 2.5 : 5.5;
    text_format(&plot->legend,
                "set object rectangle from screen X(%g), screen Y(%g) to screen X(%g), screen "
                "Y(%g) front fillcolor rgb '%s' fillstyle %s\n",
                x, y + half, x + 20, y - half, colour, fills[sample]);
}

void plot_legend(struct plot *plot, enum plot_sample sample, const char *colour, const char *style,
                 const char *text)
{
    double width = 26 + plot_text_width(text) + 16;
    if (plot->legend_x + width > PLOT_WIDTH && plot->legend_x > LEGEND_LEFT) {
        plot->legend_x = LEGEND_LEFT;
        plot->legend_line++;
    }
    legend_sample(plot, sample, colour, style);
    text_add(&plot->legend, "set label ");
    plot_quote(&plot->legend, text);
    text_format(&plot->legend, " at screen X(%g), screen Y(%d) left textcolor rgb '%s'\n",
                plot->legend_x + 26, legend_base(plot) - 4 + plot->legend_line * LEGEND_HEIGHT,
                PLOT_DARK);
    plot->legend_x += width;
}

void plot_begin_script(struct text *script, const char *name, int width, int height)
{
    text_format(script,
                "# Redraw with: gnuplot %s.gp\n"
                "reset\n"
                "set encoding utf8\n"
                "set terminal svg size %d,%d dynamic font 'sans-serif,13' background '#ffffff' "
                "noenhanced\n"
                "set output '%s.svg'\n"
                "X(pixels) = pixels / %d.0\n"
                "Y(pixels) = 1 - pixels / %d.0\n",
                name, width, height, name, width, height);
}

// The edges of the panel and the size of the picture, top down.
static void add_frame(struct plot *plot, int top, int height, int total)
{
    plot_begin_script(&plot->script, plot->name, PLOT_WIDTH, total);
    text_format(&plot->script,
                "set lmargin at screen X(%d)\n"
                "set rmargin at screen X(%d)\n"
                "set tmargin at screen Y(%d)\n"
                "set bmargin at screen Y(%d)\n"
                "unset key\n"
                "set border 3 linecolor rgb '#666666'\n"
                "set tics nomirror textcolor rgb '" PLOT_DARK "'\n"
                "set grid linecolor rgb '#dddddd' linewidth 0.7, linecolor rgb '#eeeeee'\n",
                plot->left, plot->right, top, top + height);
}

static void add_label(struct plot *plot, double x, double y, const char *how, const char *text)
{
    text_add(&plot->script, "set label ");
    plot_quote(&plot->script, text);
    text_format(&plot->script, " at screen X(%.1f), screen Y(%.1f) %s\n", x, y, how);
}

static int lanes_of(const struct plot *plot)
{
    int lanes = 0;
    for (size_t i = 0; i < plot->label_count; i++)
        lanes = plot->labels[i].lane + 1 > lanes ? plot->labels[i].lane + 1 : lanes;
    return lanes;
}

// The labels of `from`, which may be a panel of its own, above a panel that begins at `top`.
static void add_labels(struct plot *plot, const struct plot *from, int top)
{
    for (size_t i = 0; i < from->label_count; i++) {
        char how[64];
        snprintf(how, sizeof how, "center textcolor rgb '%s'", from->labels[i].colour);
        add_label(plot, from->labels[i].centre, top - 13 - from->labels[i].lane * LANE_HEIGHT, how,
                  from->labels[i].text);
    }
}

static void add_title(struct plot *plot, int y, const char *title)
{
    char shown[112] = "";
    int needed = snprintf(shown, sizeof shown, "%s", title);
    cut(shown, sizeof shown, needed);
    add_label(plot, 12, y, "left font 'sans-serif,15' textcolor rgb '#111111'", shown);
}

void plot_layout(struct plot *plot, int height, const char *title)
{
    int top = TITLE_BASE + 18 + (lanes_of(plot) + plot->headline_count) * LANE_HEIGHT;
    if (plot->legend.length > 0)
        top += LEGEND_BASE - TITLE_BASE + plot->legend_line * LEGEND_HEIGHT;
    plot->bottom = top + height;
    int captions_top = plot->bottom + AXIS_HEIGHT + plot->below;
    add_frame(plot, top, height, captions_top - 12 + (int)plot->caption_count * CAPTION_HEIGHT);
    add_title(plot, TITLE_BASE - 4, title);
    for (int i = 0; i < plot->headline_count; i++)
        add_label(plot, 12, TITLE_BASE + 16 + i * HEADLINE_HEIGHT,
                  "left font 'sans-serif,13' textcolor rgb '" PLOT_DARK_RED "'",
                  plot->headlines[i]);
    text_add(&plot->script, text_string(&plot->legend));
    add_labels(plot, plot, top);
    for (size_t i = 0; i < plot->caption_count; i++)
        add_label(plot, 12, captions_top + (double)i * CAPTION_HEIGHT,
                  "left font 'sans-serif,12' textcolor rgb '#555555'", plot->captions[i]);
    text_add(&plot->script, text_string(&plot->objects));
}

int plot_room_below(const struct plot *lower, int height)
{
    return PANEL_TITLE_HEIGHT + lanes_of(lower) * LANE_HEIGHT + height + AXIS_HEIGHT;
}

void plot_layout_below(struct plot *plot, const struct plot *lower, int height, const char *title)
{
    int title_base = plot->bottom + AXIS_HEIGHT;
    int top = title_base + PANEL_TITLE_HEIGHT + lanes_of(lower) * LANE_HEIGHT;
    text_format(&plot->script,
                "unset label\nunset arrow\nunset object\n"
                "set tmargin at screen Y(%d)\nset bmargin at screen Y(%d)\n",
                top, top + height);
    add_title(plot, title_base, title);
    add_labels(plot, lower, top);
    text_add(&plot->script, text_string(&lower->objects));
}

void plot_time_axis(struct plot *plot)
{
    bool counts = plot->base_ns != plot->start_ns;
    text_format(&plot->script, "set xrange [%.9g:%.9g]\nset xtics out format '%s%%.12g'\n",
                plot_x(plot, plot->from_ns), plot_x(plot, plot->to_ns), counts ? "+" : "");
    struct text label = {0};
    if (!counts)
        text_format(&label, "%s since the trial began", plot->unit);
    else
        text_format(&label, "%s, counted from %.9g s after the trial began", plot->unit,
                    (double)(plot->base_ns - plot->start_ns) / (double)NS_PER_S);
    text_add(&plot->script, "set xlabel ");
    plot_quote(&plot->script, text_string(&label));
    text_add(&plot->script, " offset 0,0.6\n");
    text_free(&label);
}

void plot_duration_axis(struct plot *plot, double low_ns, double high_ns)
{
    text_format(&plot->script,
                "set logscale y\nset yrange [%g:%g]\nset mytics 10\nset grid ytics\n"
                "set ytics out ('1 ns' 1, '10 ns' 10, '100 ns' 100, '1 µs' 1e3, '10 µs' 1e4, "
                "'100 µs' 1e5, '1 ms' 1e6, '10 ms' 1e7, '100 ms' 1e8, '1 s' 1e9, '10 s' 1e10, "
                "'100 s' 1e11, '1000 s' 1e12)\n",
                pow(10, floor(log10(low_ns))), pow(10, floor(log10(high_ns)) + 1));
}
