#include "harness/report/row_picture.h"

#include "harness/report/cost_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1000
#define GAP 28       // px, between panels beside each other
#define MOST_ROWS 60 // of all sections; the first has its own, however many
#define MOST_SECTIONS 8
#define FIGURES_SIZE 12
#define SPAN_COLOUR PLOT_SKY
#define POINT_COLOUR PLOT_BLUE

// Of one scenario.
struct section {
    const struct scenario *scenario;
    struct row *rows;
    size_t count;
};

struct sections {
    const struct row_kind *kind;
    struct section items[MOST_SECTIONS];
    size_t count;
    size_t rows;
    size_t left_out;
    struct chart_axis axes[ROW_MOST_PANELS];
};

// --- collected -----------------------------------------------------------------------------------

static int compare(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->scheme, b->scheme);
}

static void section_free(struct section *section)
{
    for (size_t i = 0; i < section->count; i++)
        free(section->rows[i].name);
    free(section->rows);
}

static struct section section_of(const struct row_kind *kind, const struct run_result *run,
                                 const struct scenario *scenario)
{
    size_t *indices = NULL;
    size_t count = cost_schemes(run, scenario, &indices);
    struct section section = {scenario, memory_new((count + 1) * sizeof *section.rows), 0};
    for (size_t i = 0; i < count; i++) {
        struct row *row = &section.rows[section.count];
        *row = (struct row){.values = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
        section.count += kind->measure(run, indices[i], row);
    }
    free(indices);
    return section;
}

// Those first in which all want the same lock: there, what one does matters most to the others.
// Then those of most schemes.
static bool is_before(const struct section *a, const struct section *b)
{
    bool several[] = {a->scenario->workload.keys > 1, b->scenario->workload.keys > 1};
    return several[0] != several[1] ? several[1] : a->count > b->count;
}

// What there is no room for, or nothing to compare in, is freed.
static void keep(struct sections *sections, struct section *section)
{
    bool fits = sections->count == 0 ||
                (sections->count < MOST_SECTIONS && sections->rows + section->count <= MOST_ROWS);
    if (section->count < 2 || !fits) {
        sections->left_out += section->count >= 2;
        section_free(section);
        return;
    }
    qsort(section->rows, section->count, sizeof *section->rows, compare);
    sections->rows += section->count;
    sections->items[sections->count++] = *section;
}

static void widen(struct sections *sections)
{
    for (size_t panel = 0; panel < sections->kind->panel_count; panel++) {
        struct chart_axis *axis = &sections->axes[panel];
        *axis = sections->kind->panels[panel].axis;
        chart_axis_widen(axis, sections->kind->panels[panel].guide);
        chart_axis_widen(axis, sections->kind->panels[panel].least);
        for (size_t i = 0; i < sections->count; i++) {
            for (size_t j = 0; j < sections->items[i].count; j++) {
                const struct row_value *value = &sections->items[i].rows[j].values[panel];
                chart_axis_widen(axis, value->at);
                chart_axis_widen(axis, value->from);
                chart_axis_widen(axis, value->to);
            }
        }
        chart_axis_round(axis);
    }
}

static void collect(const struct run_result *run, struct sections *sections)
{
    struct cost_choice choice;
    cost_choice_make(run, &choice);
    struct section *all = memory_new((choice.count + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < choice.count; i++) {
        if (!sections->kind->takes(choice.scenarios[i]))
            continue;
        struct section section = section_of(sections->kind, run, choice.scenarios[i]);
        size_t place = count++;
        for (; place > 0 && is_before(&section, &all[place - 1]); place--)
            all[place] = all[place - 1];
        all[place] = section;
    }
    for (size_t i = 0; i < count; i++)
        keep(sections, &all[i]);
    free(all);
    cost_choice_free(&choice);
    widen(sections);
}

// --- drawn ---------------------------------------------------------------------------------------

// Where panels and figures lie beside each other, in pixels.
struct lanes {
    double names;   // the right end of the names
    double panel;   // how wide a panel is
    double figures; // where they begin
};

static struct lanes lanes_of(const struct sections *sections)
{
    double names = 0;
    double figures = 0;
    for (size_t i = 0; i < sections->count; i++) {
        for (size_t j = 0; j < sections->items[i].count; j++) {
            const struct row *row = &sections->items[i].rows[j];
            names = fmax(names, chart_text_width(row->name, FIGURES_SIZE));
            figures = fmax(figures, chart_text_width(row->figures, FIGURES_SIZE));
        }
    }
    struct lanes lanes = {.names = names + 20, .figures = WIDTH - figures - 12};
    double count = (double)sections->kind->panel_count;
    lanes.panel = (lanes.figures - 12 - lanes.names - (count - 1) * GAP) / count;
    return lanes;
}

// A block of the data, unless there is nothing to put into it: gnuplot does not count empty ones.
// -1, or its index.
static int add_block(struct chart *chart, const struct section *section, const char *what,
                     struct text *rows)
{
    int block = -1;
    if (rows->length > 0) {
        block = chart_data(chart, "%s: %s", section->scenario->name, what);
        text_add(&chart->drawing->data, text_string(rows));
    }
    text_free(rows);
    return block;
}

static void end_data_row(struct text *rows, const struct row *row)
{
    text_add(rows, " ");
    plot_quote(rows, row->scheme);
    text_add(rows, "\n");
}

static void draw_spans(struct chart *chart, const struct section *section, size_t panel,
                       const char *what)
{
    struct text heading = {0};
    struct text rows = {0};
    text_format(&heading, "%s: row from to scheme", what);
    for (size_t i = 0; i < section->count; i++) {
        const struct row_value *value = &section->rows[i].values[panel];
        if (!isfinite(value->from) || !isfinite(value->to))
            continue;
        text_format(&rows, "%zu %.7g %.7g", i, value->from, value->to);
        end_data_row(&rows, &section->rows[i]);
    }
    int block = add_block(chart, section, text_string(&heading), &rows);
    if (block >= 0)
        chart_curve(chart, block, "2:1:($3-$2):(0)",
                    "vectors nohead linewidth 7 linecolor rgb '%s'", SPAN_COLOUR);
    text_free(&heading);
}

static void draw_points(struct chart *chart, const struct section *section, size_t panel,
                        const char *what)
{
    struct text heading = {0};
    struct text rows = {0};
    text_format(&heading, "%s: row point scheme", what);
    for (size_t i = 0; i < section->count; i++) {
        if (!isfinite(section->rows[i].values[panel].at))
            continue;
        text_format(&rows, "%zu %.7g", i, section->rows[i].values[panel].at);
        end_data_row(&rows, &section->rows[i]);
    }
    int block = add_block(chart, section, text_string(&heading), &rows);
    if (block >= 0)
        chart_curve(chart, block, "2:1", "points pointtype 7 pointsize 0.75 linecolor rgb '%s'",
                    POINT_COLOUR);
    text_free(&heading);
}

static void add_figures(struct chart *chart, const struct section *section,
                        const struct lanes *lanes, double top)
{
    for (size_t i = 0; i < section->count; i++)
        chart_text(chart, lanes->figures, top + ((double)i + 0.5) * CHART_ROW_HEIGHT,
                   CHART_LEFTWARD_FROM, FIGURES_SIZE, PLOT_DARK, section->rows[i].figures);
}

static void draw_section(struct chart *chart, const struct sections *sections,
                         const struct section *section, const struct lanes *lanes)
{
    const char **names = memory_new(section->count * sizeof *names);
    double top = chart->bottom + CHART_ABOVE;
    for (size_t i = 0; i < section->count; i++)
        names[i] = section->rows[i].name;
    for (size_t panel = 0; panel < sections->kind->panel_count; panel++) {
        const struct row_panel *of = &sections->kind->panels[panel];
        double left = lanes->names + (double)panel * (lanes->panel + GAP);
        struct text title = {0};
        if (sections->count > 1)
            text_format(&title, "%s%s", section->scenario->name, of->title != NULL ? ": " : "");
        text_add(&title, of->title != NULL ? of->title : "");
        struct chart_box box =
            chart_rows(chart, left, top, left + lanes->panel, text_string(&title),
                       &sections->axes[panel], panel == 0 ? names : NULL, section->count);
        double guide = chart_axis_share(&sections->axes[panel], of->guide);
        if (isfinite(of->guide))
            chart_line(chart, box.left + guide * (box.right - box.left), box.top,
                       box.left + guide * (box.right - box.left), box.bottom, PLOT_GREY,
                       "linewidth 1.2 dashtype (5,3)");
        if (panel == 0)
            add_figures(chart, section, lanes, top);
        draw_spans(chart, section, panel, of->data);
        draw_points(chart, section, panel, of->data);
        chart_panel_end(chart);
        text_free(&title);
    }
    free(names);
}

static void add_title(struct chart *chart, const struct sections *sections)
{
    struct text title = {0};
    text_add(&title, sections->kind->title);
    for (size_t i = 0; i < sections->count; i++) {
        text_add(&title, i == 0 ? ": " : ", ");
        cost_title(sections->items[i].scenario, &title);
    }
    chart_title(chart, text_string(&title));
    chart_note(chart, "%s", sections->kind->note);
    text_free(&title);
}

static void draw_all(struct chart *chart, const struct sections *sections)
{
    struct lanes lanes = lanes_of(sections);
    bool driver_bound = false;
    add_title(chart, sections);
    for (size_t i = 0; i < sections->count; i++) {
        draw_section(chart, sections, &sections->items[i], &lanes);
        for (size_t j = 0; j < sections->items[i].count; j++)
            driver_bound |= strchr(sections->items[i].rows[j].name, '*') != NULL;
    }
    if (driver_bound)
        chart_note(chart, "%s", cost_driver_note);
    if (sections->left_out > 0)
        chart_note(chart, "Not shown: %zu more scenario%s without faults.", sections->left_out,
                   sections->left_out == 1 ? "" : "s");
}

bool row_picture_draw(const struct row_kind *kind, const struct run_result *run,
                      struct drawing *drawing)
{
    struct sections sections = {.kind = kind};
    struct chart chart;
    collect(run, &sections);
    if (sections.count > 0) {
        const struct section *first = &sections.items[0];
        chart_start(&chart, drawing, kind->name, WIDTH);
        draw_all(&chart, &sections);
        chart_finish(&chart);
        text_format(&drawing->alternative, "%s: %zu schemes in %s. ", kind->title, first->count,
                    first->scenario->name);
        kind->describe(&first->rows[0], &first->rows[first->count - 1], &drawing->alternative);
    }
    for (size_t i = 0; i < sections.count; i++)
        section_free(&sections.items[i]);
    return sections.count > 0;
}
