#include "harness/report/chart_axis.h"

#include "harness/report/plot.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdio.h>

#define NUMBER_SIZE 12 // px, of the numbers
#define NUMBER_ROOM 32
// Between two numbers below each other, or beside each other.
#define LINE_PIXELS 22
#define BESIDE_PIXELS 12
// So near to one of the numbers, another one is not the same.
#define SAME 1e-9

static bool has_place(const struct chart_axis *axis, double value)
{
    return isfinite(value) && (axis->scale == CHART_LINEAR || value > 0);
}

void chart_axis_widen(struct chart_axis *axis, double value)
{
    if (!has_place(axis, value))
        return;
    axis->low = axis->has_values ? fmin(axis->low, value) : value;
    axis->high = axis->has_values ? fmax(axis->high, value) : value;
    axis->has_values = true;
}

// The largest of 1, 2 and 5 times a power of ten that is not more, and the smallest not less.
static double round_down(double value)
{
    double power = pow(10, floor(log10(value) + SAME));
    double digit = value / power * (1 + SAME);
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static double round_up(double value)
{
    double down = round_down(value);
    if (down >= value * (1 - SAME))
        return down;
    return round_down(down * 2.5);
}

static void round_linear(struct chart_axis *axis)
{
    if (axis->high <= axis->low)
        axis->high = axis->low + (axis->low == 0 ? 1 : fabs(axis->low));
    double step = round_up((axis->high - axis->low) / 10);
    axis->low = floor(axis->low / step + SAME) * step;
    axis->high = ceil(axis->high / step - SAME) * step;
}

void chart_axis_round(struct chart_axis *axis)
{
    if (axis->scale == CHART_LINEAR) {
        round_linear(axis);
        return;
    }
    double low = axis->has_values ? axis->low : 1;
    double high = axis->has_values ? axis->high : 10;
    if (axis->scale == CHART_LOGARITHMIC) {
        low = round_down(low);
        high = round_up(high);
        // Curves that are nearly flat, are: a range of a few percent would make mountains of them.
        if (high < low * 9)
            high = round_up(high * 1.01);
        if (high < low * 4)
            low = round_down(low / 1.01);
    } else {
        low = 1;
        high = fmax(high, 10);
    }
    axis->low = low;
    axis->high = high;
}

void chart_axis_add_tic(struct chart_axis *axis, double value)
{
    for (size_t i = 0; i < axis->own_tic_count; i++) {
        if (fabs(axis->own_tics[i] - value) <= SAME * fabs(value))
            return;
    }
    if (axis->own_tic_count < CHART_MOST_TICS && has_place(axis, value))
        axis->own_tics[axis->own_tic_count++] = value;
}

double chart_axis_share(const struct chart_axis *axis, double value)
{
    double share;
    if (axis->scale == CHART_LINEAR)
        share = (value - axis->low) / (axis->high - axis->low);
    else
        share = value <= 0 ? 0 : log(value / axis->low) / log(axis->high / axis->low);
    return fmin(fmax(share, 0), 1);
}

// --- its numbers ---------------------------------------------------------------------------------

static const char *nanoseconds_text(double value, char *out, size_t room)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    size_t i = 0;
    char number[24];
    while (i < 3 && value < units[i].size * (1 - SAME))
        i++;
    snprintf(out, room, "%s %s", rate_text(value / units[i].size, number, sizeof number),
             units[i].name);
    return out;
}

const char *chart_axis_number(const struct chart_axis *axis, double value, char *out, size_t room)
{
    char number[24];
    if (axis->scale == CHART_NINES) {
        snprintf(out, room, "%.9g", 100 - 100 / value);
        return out;
    }
    if (axis->unit == CHART_NANOSECONDS)
        return nanoseconds_text(value, out, room);
    if (fabs(value) < 99.95)
        snprintf(number, sizeof number, "%.4g", value);
    else
        rate_text(value, number, sizeof number);
    snprintf(out, room, "%s%s", number, axis->unit == CHART_PER_SECOND ? "/s" : "");
    return out;
}

struct tics {
    const struct chart_axis *axis;
    double pixels;
    bool is_beside; // its numbers stand beside each other
    double values[CHART_MOST_TICS];
    size_t count;
};

static double half_width(const struct tics *tics, double value)
{
    char number[NUMBER_ROOM];
    if (!tics->is_beside)
        return LINE_PIXELS / 2.0;
    chart_axis_number(tics->axis, value, number, sizeof number);
    return (plot_text_width(number) * NUMBER_SIZE / 13 + BESIDE_PIXELS) / 2;
}

// False if its number would touch another one.
static bool try_tic(struct tics *tics, double value)
{
    const struct chart_axis *axis = tics->axis;
    if (value < axis->low * (1 - SAME) || value > axis->high * (1 + SAME))
        return true; // it is not missed
    double at = chart_axis_share(axis, value) * tics->pixels;
    for (size_t i = 0; i < tics->count; i++) {
        double other = chart_axis_share(axis, tics->values[i]) * tics->pixels;
        if (fabs(at - other) < half_width(tics, value) + half_width(tics, tics->values[i]))
            return false;
    }
    if (tics->count == CHART_MOST_TICS)
        return false;
    tics->values[tics->count++] = value;
    return true;
}

// Tics at `factor` times the powers of ten, each `stride`th. False if not all had room.
static bool try_powers(struct tics *tics, double factor, int stride)
{
    double first = pow(10, floor(log10(tics->axis->low) + SAME));
    bool all = true;
    for (double power = first; power <= tics->axis->high * (1 + SAME); power *= pow(10, stride))
        all = try_tic(tics, power * factor) && all;
    return all;
}

// At regular distances.
static void try_decades(struct tics *tics)
{
    for (int stride = 1; stride <= 20; stride++) {
        tics->count = 0;
        if (try_powers(tics, 1, stride))
            return;
    }
}

static void try_steps(struct tics *tics)
{
    double range = tics->axis->high - tics->axis->low;
    double room = tics->is_beside ? 60 : 34;
    double step = round_up(range / fmax(1, floor(tics->pixels / room)));
    double first = ceil(tics->axis->low / step - SAME);
    for (double i = first; i * step <= tics->axis->high + SAME * range; i++)
        try_tic(tics, i * step + 0.0); // no negative zero
}

static void choose_tics(struct tics *tics)
{
    const struct chart_axis *axis = tics->axis;
    for (size_t i = 0; i < axis->own_tic_count; i++)
        try_tic(tics, axis->own_tics[i]);
    if (axis->own_tic_count > 0)
        return;
    if (axis->scale == CHART_LINEAR) {
        try_steps(tics);
    } else if (axis->scale == CHART_NINES) {
        try_decades(tics);
        try_tic(tics, 2);
    } else {
        try_decades(tics);
        // Hardly any number would be at an axis of a decade or two.
        if (axis->high < axis->low * 1001) {
            try_powers(tics, 5, 1);
            try_powers(tics, 2, 1);
        }
    }
}

void chart_axis_script(const struct chart_axis *axis, const char *name, double pixels,
                       struct text *out)
{
    if (axis == NULL)
        return;
    struct tics tics = {.axis = axis, .pixels = pixels, .is_beside = name[0] == 'x'};
    choose_tics(&tics);
    text_format(out, "%s logscale %s\nset %srange [%.9g:%.9g]\nset %stics out (",
                axis->scale == CHART_LINEAR ? "unset" : "set", name, name, axis->low, axis->high,
                name);
    for (size_t i = 0; i < tics.count; i++) {
        text_add(out, i > 0 ? ", " : "");
        char number[NUMBER_ROOM];
        plot_quote(out, chart_axis_number(axis, tics.values[i], number, sizeof number));
        text_format(out, " %.9g", tics.values[i]);
    }
    text_format(out, ") font 'sans-serif,%d' offset %s\n", NUMBER_SIZE,
                tics.is_beside ? "0,0.4" : "0.5,0");
}
