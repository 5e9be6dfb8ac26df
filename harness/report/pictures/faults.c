// Schemes under faults: which survives which fault and what it costs, of each role by itself; how
// soon a lock is granted again, or a leader elected; for how long two believed to hold it at once.
// The first two are grids of schemes and scenarios, which the template splits into tables, one
// below the other, where there are more scenarios than a picture is wide.
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <math.h>

// A figure beside a row: on the left a number each second, on the right a percentile of a latency.
struct panel {
    const char *title;
    const struct spread *(*rate)(const struct scheme_cost *); // NULL: it is a percentile
    enum latency latency;
    enum percentile percentile;
};

// What differs between the grids of two roles.
struct grid_form {
    enum role role;
    const char *title;
    struct panel panels[2]; // of a matrix
};

struct grid {
    const struct run_report *report;
    enum role role;
    struct scheme *rows; // those with trials under faults
    size_t row_count;
    const struct scenario **columns; // those with faults, in the order of the run
    size_t column_count;
};

static size_t column_of(const struct grid *grid, const struct scenario *scenario)
{
    size_t column = 0;
    while (column < grid->column_count && grid->columns[column] != scenario)
        column++;
    return column;
}

static bool is_of_grid(const struct scenario *scenario, enum role role)
{
    return scenario_has_faults(scenario) && scenario_role(scenario) == role;
}

// Free with grid_free.
static struct grid grid_make(const struct run_report *report, struct picture *picture)
{
    const struct grid_form *form = picture->kind->details;
    struct grid grid = {.report = report,
                        .role = form->role,
                        .rows = memory_new((report->cost_count + 1) * sizeof *grid.rows),
                        .columns = memory_new((report->cost_count + 1) * sizeof *grid.columns)};
    grid.row_count = schemes_list(report, form->role, is_of_grid, grid.rows);
    for (size_t i = 0; i < grid.row_count; i++)
        picture_put(picture, "rows: row kind scheme", "%zu %s %s", i,
                    scheme_servers(grid.rows[i].trial), grid.rows[i].trial->scheme);
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        const struct scenario *scenario = cost->trial->scenario;
        if (!is_of_grid(scenario, form->role) || column_of(&grid, scenario) < grid.column_count)
            continue;
        picture_put(picture, "columns: column scenario", "%zu %s", grid.column_count,
                    scenario->name);
        grid.columns[grid.column_count++] = scenario;
    }
    return grid;
}

static void grid_free(struct grid *grid)
{
    free(grid->rows);
    free(grid->columns);
}

// NULL: the scheme has no trial of that scenario (NULL: none).
static const struct scheme_cost *cell_of(const struct grid *grid, size_t row,
                                         const struct scenario *scenario)
{
    const struct trial trial = {.scenario = scenario, .scheme = grid->rows[row].trial->scheme};
    FOR_EACH (scheme_cost, cost, grid->report->costs, grid->report->cost_count) {
        if (scheme_cost_is_of(cost->trial, &trial))
            return cost;
    }
    return NULL;
}

// --- which lock survives which fault -------------------------------------------------------------

#define VERDICTS (VERDICT_NOT_APPLICABLE + 1)

// How many workers there are for each lock.
static double crowd_of(const struct scenario *scenario)
{
    return (double)(scenario->clients.processes * scenario->clients.threads) /
           (double)scenario_key_count(scenario);
}

// The scenario that all costs are from, as figures of different ones cannot be compared: of those
// that are as good otherwise as the first, that where the most workers go for one lock. NULL: it
// measured less than half of the schemes.
static const struct scenario *measured_of(const struct grid *grid)
{
    const struct measured_scenario *first = NULL;
    const struct scenario *best = NULL;
    size_t measured = 0;
    FOR_EACH (measured_scenario, other, grid->report->measured, grid->report->measured_count) {
        if (scenario_role(other->scenario) != grid->role)
            continue;
        first = first == NULL ? other : first;
        if (best == NULL ||
            (other->schemes == first->schemes &&
             cost_load_varies(other->scenario) == cost_load_varies(first->scenario) &&
             crowd_of(other->scenario) > crowd_of(best)))
            best = other->scenario;
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct scheme_cost *calm = cell_of(grid, row, best);
        measured += calm != NULL && calm->rate.count > 0;
    }
    return 2 * measured >= grid->row_count ? best : NULL;
}

// What is said below, and in the alternative, of all cells.
struct cells {
    bool any_share, any_blank;
    struct text letters;  // of the properties that were broken
    struct text safe;     // schemes under every fault that applies
    size_t has[VERDICTS]; // how many schemes ended so under some fault
};

static void write_cell(const struct scheme_cost *cell, const char *scenario, size_t row, int column,
                       struct cells *cells, struct picture *picture)
{
    const struct check *broken = cell->gravest == VERDICT_UNSAFE ? cell->broken : NULL;
    const char *letter = broken != NULL ? broken->letter : "";
    AUTO_TEXT struct text meaning = {0};
    picture_put(picture, "cells: row column verdict letter trials alike broken scheme scenario",
                "%zu %d %s %s %zu %zu %s %s %s", row, column, verdict_name(cell->gravest), letter,
                cell->all, cell->alike, broken != NULL ? broken->name : "-", cell->trial->scheme,
                scenario);
    cells->any_share |= cell->alike < cell->all;
    if (*letter == '\0')
        return;
    text_format(&meaning, "%s %s", letter, broken->name);
    if (strstr(text_string(&cells->letters), meaning.bytes) == NULL)
        text_add_item(&cells->letters, meaning.bytes);
}

// Without a fault, each row has a column before the others.
static void write_row(const struct grid *grid, size_t row, const struct scenario *measured,
                      struct cells *cells, struct picture *picture)
{
    const struct scheme_cost *calm = cell_of(grid, row, measured);
    bool has[VERDICTS] = {false};
    if (calm != NULL)
        write_cell(calm, "no fault", row, -1, cells, picture);
    for (size_t i = 0; i < grid->column_count; i++) {
        const struct scheme_cost *cell = cell_of(grid, row, grid->columns[i]);
        cells->any_blank |= cell == NULL;
        if (cell == NULL)
            continue;
        write_cell(cell, grid->columns[i]->name, row, (int)i, cells, picture);
        has[cell->gravest] = true;
    }
    bool is_safe = has[VERDICT_SAFE];
    for (enum verdict verdict = 0; verdict < VERDICTS; verdict++) {
        cells->has[verdict] += has[verdict];
        is_safe &= !has[verdict] || verdict == VERDICT_SAFE || verdict == VERDICT_NOT_APPLICABLE;
    }
    if (is_safe)
        text_add_item(&cells->safe, grid->rows[row].trial->scheme);
}

// The text of a figure, with an asterisk where that is to be marked; "–" of none.
static struct words marked(double figure, bool is_time, bool is_marked)
{
    struct words text = {"–"};
    if (isnan(figure))
        return text;
    text = is_time ? lasting((int64_t)figure) : rate_words(figure);
    strcat(text.text, is_marked ? "*" : "");
    return text;
}

static const struct spread *grants_of(const struct scheme_cost *cost)
{
    return &cost->rate;
}

static const struct spread *requests_of(const struct scheme_cost *cost)
{
    return &cost->requests_per_second;
}

// NaN: not measured.
static double value_of(const struct panel *panel, const struct scheme_cost *cost)
{
    if (panel->rate != NULL)
        return panel->rate(cost)->count > 0 ? panel->rate(cost)->median : NAN;
    const struct percentiles *percentiles = &cost->percentiles[panel->latency];
    return percentiles->count > 0 ? (double)percentiles->ns[panel->percentile] : NAN;
}

static void write_costs(const struct grid *grid, const struct scenario *measured,
                        struct picture *picture)
{
    const struct grid_form *form = picture->kind->details;
    const struct panel *panels = form->panels;
    struct picture_block *block = picture_block(
        picture, "costs: row %s %s-%s(ns) text text scheme", panels[0].title,
        latency_forms[panels[1].latency].name, percentile_forms[panels[1].percentile].name);
    bool any_unmeasured = false;
    bool any_late = false;
    for (size_t i = 0; i < grid->row_count; i++) {
        const struct scheme_cost *calm = cell_of(grid, i, measured);
        double values[2] = {NAN, NAN};
        struct words texts[2];
        for (int j = 0; j < 2; j++) {
            bool is_acquire = panels[j].rate == NULL && panels[j].latency == LATENCY_ACQUIRE;
            bool is_late = calm != NULL && (calm->driver_bound > 0 ||
                                            (is_acquire && calm->late[panels[j].percentile]));
            values[j] = calm != NULL ? value_of(&panels[j], calm) : NAN;
            texts[j] = marked(values[j], panels[j].rate == NULL, is_late);
            any_unmeasured |= isnan(values[j]);
            any_late |= is_late;
        }
        picture_row(block, "%zu %.6g %.6g %s %s %s", i, values[0], values[1], texts[0].text,
                    texts[1].text, grid->rows[i].trial->scheme);
    }
    for (int j = 0; j < 2; j++)
        picture_tell(picture, j == 0 ? "panel_0 = %s" : "panel_1 = %s", panels[j].title);
    picture_note(
        picture,
        "No fault, and costs: in %s (%lld client%s of %lld thread%s). Of several trials, a number "
        "a "
        "second is their median. Bars are logarithmic, with a line at each power of ten.%s%s",
        measured->name, (long long)measured->clients.processes, plural(measured->clients.processes),
        (long long)measured->clients.threads, plural(measured->clients.threads),
        any_unmeasured ? " –: not measured." : "",
        any_late ? " *: driver-bound, the lock may be faster than what asked for it." : "");
}

static void note_environment(const struct grid *grid, const struct scenario *measured,
                             struct picture *picture)
{
    const struct environment *environment = &grid->report->run->environment;
    AUTO_TEXT struct text mark = {0};
    AUTO_TEXT struct text words = {0};
    costs_add_mark_meaning(grid->report->run, measured, &mark);
    if (mark.length > 0)
        picture_note(picture, "%s.", mark.bytes);
    if (environment->kernel[0] != '\0')
        text_add_item(&words, environment->kernel);
    if (environment->processors > 0)
        text_format(&words, "%s%d processor%s%s%s", words.length > 0 ? ", " : "",
                    environment->processors, plural(environment->processors),
                    environment->processor[0] != '\0' ? " of " : "", environment->processor);
    if (environment->placement[0] != '\0')
        text_format(&words, "; placement %s", environment->placement);
    if (environment->durability[0] != '\0')
        text_format(&words, "; %s", environment->durability);
    if (words.length > 0)
        picture_note(picture, "Measured on: %s.", words.bytes + strspn(words.bytes, "; "));
}

static bool write_matrix(const struct picture_subject *subject, struct picture *picture)
{
    const struct grid_form *form = picture->kind->details;
    struct grid grid = grid_make(subject->report, picture);
    const struct scenario *measured = measured_of(&grid);
    struct cells cells = {0};
    // A picture of few columns is narrower, so that it can be shown larger.
    size_t width = 250 + 42 * grid.column_count + (measured != NULL ? 360 : 170);
    // Of one fault alone the table of verdicts says as much.
    bool is_worth_it = grid.row_count >= 2 && grid.column_count >= (measured != NULL ? 1 : 2);
    picture->width = (int)(width < 640 ? 640 : width > 1100 ? 1100 : width);
    text_format(&picture->title, "%s%s", form->title,
                measured != NULL ? ", and what it costs" : "");
    for (size_t row = 0; row < grid.row_count; row++)
        write_row(&grid, row, measured, &cells, picture);
    if (cells.letters.length > 0)
        picture_note(picture, "Beside ✗, what was broken first: %s.", cells.letters.bytes);
    if (cells.any_share)
        picture_note(picture, "Of several trials the worst verdict is shown; where they ended "
                              "differently, how many of how many ended so.");
    if (cells.any_blank)
        picture_note(picture, "Blank: not in this run.");
    picture_tell(picture, "costs = %d\nshares = %d", measured != NULL, cells.any_share);
    if (measured != NULL)
        write_costs(&grid, measured, picture);
    note_environment(&grid, measured, picture);
    text_format(&picture->alternative,
                "A table of %zu schemes and %zu scenarios with faults, a cell for each verdict",
                grid.row_count, grid.column_count);
    if (measured != NULL)
        text_format(&picture->alternative, ", with %s and %s beside it", form->panels[0].title,
                    form->panels[1].title);
    text_format(&picture->alternative,
                ". Under some fault %zu of the schemes were UNSAFE and %zu STUCK. %s%s.",
                cells.has[VERDICT_UNSAFE], cells.has[VERDICT_STUCK],
                cells.safe.length > 0 ? "SAFE under every fault that applies: "
                                      : "None was SAFE under every fault that applies",
                text_string(&cells.safe));
    text_free(&cells.letters);
    text_free(&cells.safe);
    grid_free(&grid);
    return is_worth_it;
}

// Of a role.
#define MATRIX(kind, file, of, words, ...)                                                         \
    PICTURE_BY(                                                                                    \
        matrix, kind, .name = file, .title = words ", and what it costs", .place = PLACE_FOLDER,   \
        .width = 1100, .shared = {template_grid, template_verdicts}, .write = write_matrix,        \
        .details = &(const struct grid_form){.role = of, .title = words, .panels = {__VA_ARGS__}})
#define RATE(words, of)                                                                            \
    {                                                                                              \
        .title = words, .rate = of                                                                 \
    }
#define LATENCY(words, id, percent)                                                                \
    {                                                                                              \
        .title = words, .latency = LATENCY_##id, .percentile = PERCENTILE_##percent                \
    }

// Jobs and rate limits are too few for a p99.
MATRIX(matrix, "matrix", ROLE_LOCK, "Which lock survives which fault", RATE("locks/s", grants_of),
       LATENCY("acquire p99", ACQUIRE, p99));
MATRIX(matrix_of_leaders, "matrix-of-leaders", ROLE_LEADER,
       "Which lock elects leaders under which fault", RATE("requests/s", requests_of),
       LATENCY("hand-over", HAND_OFF, p50));
MATRIX(matrix_of_jobs, "matrix-of-jobs", ROLE_QUEUE,
       "Which lock or queue gives out jobs under which fault", RATE("jobs/s", grants_of),
       LATENCY("lease p50", ACQUIRE, p50));
MATRIX(matrix_of_limiters, "matrix-of-rate-limiters", ROLE_LIMITER,
       "Which rate limiter keeps its limit under which fault", RATE("grants/s", grants_of),
       LATENCY("wait p50", ACQUIRE, p50));

const struct picture_kind *const matrix_pictures[ROLE_COUNT] = {
    [ROLE_LOCK] = &matrix_picture,
    [ROLE_LEADER] = &matrix_of_leaders_picture,
    [ROLE_QUEUE] = &matrix_of_jobs_picture,
    [ROLE_LIMITER] = &matrix_of_limiters_picture};

// --- how soon the lock is granted again after a fault: a dot for each trial and fault ------------

// Of a grant, or of leaders, for how long nobody acted.
static bool write_recovery(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    struct grid grid = grid_make(subject->report, picture);
    struct picture_block *dots =
        picture_block(picture, "dots: row column what ns repeat fault scheme scenario");
    const struct grid_form *form = picture->kind->details;
    bool is_of_leaders = form->role == ROLE_LEADER;
    const struct trial *slowest = NULL;
    int64_t slowest_ns = -1;
    size_t trials = 0; // that have dots: one has nothing beside it
    for (size_t i = 0; i < grid.row_count * run->count; i++) {
        size_t before = dots->rows.length;
        size_t row = i / run->count;
        const struct trial_result *result = &run->trials[i % run->count];
        const struct trial *trial = result->trial;
        const struct recoveries *recoveries = &result->statistics.recoveries;
        size_t column = column_of(&grid, trial->scenario);
        if (strcmp(trial->scheme, grid.rows[row].trial->scheme) != 0 || !result->has_history ||
            column == grid.column_count)
            continue;
        FOR_EACH (recovery, recovery, recoveries->items, recoveries->count) {
            bool is_never = recovery->after_effect_ns == TIME_NEVER && recovery->unavailable_ns > 0;
            const struct {
                const char *what;
                int64_t ns;
            } told[] = {{"leaderless", is_of_leaders ? recovery->leaderless_ns : TIME_NEVER},
                        {"after-effect", is_of_leaders ? TIME_NEVER : recovery->after_effect_ns},
                        {"after-healing", is_of_leaders ? TIME_NEVER : recovery->after_heal_ns},
                        {"never", is_never ? 0 : TIME_NEVER}};
            for (size_t j = 0; j < sizeof told / sizeof *told; j++) {
                if (told[j].ns != TIME_NEVER)
                    picture_row(dots, "%zu %zu %s %lld %d %d %s %s", row, column, told[j].what,
                                (long long)told[j].ns, trial->repeat, recovery->fault,
                                trial->scheme, trial->scenario->name);
            }
            int64_t lasted_ns = told[is_of_leaders ? 0 : 1].ns;
            if (lasted_ns != TIME_NEVER && lasted_ns > slowest_ns) {
                slowest = trial;
                slowest_ns = lasted_ns;
            }
        }
        trials += dots->rows.length > before;
    }
    text_add(&picture->title, form->title);
    text_format(&picture->alternative, "%s, of %zu schemes in %zu scenario%s.", form->title,
                grid.row_count, grid.column_count, plural((long long)grid.column_count));
    if (slowest != NULL)
        text_format(&picture->alternative, " The longest %s was %s, of %s in %s.",
                    is_of_leaders ? "time without a leader" : "time from a fault to the next grant",
                    lasting(slowest_ns).text, slowest->scheme, slowest->scenario->name);
    grid_free(&grid);
    return trials > 1;
}

PICTURE(recovery, .name = "recovery",
        .title = "Recovery: how soon the lock is granted again after a fault",
        .place = PLACE_RECOVERY, .width = 1100, .shared = {template_grid}, .write = write_recovery,
        .details = &(const struct grid_form){
            .role = ROLE_LOCK, .title = "How soon the lock is granted again after a fault"});
PICTURE_BY(recovery, leaderless, .name = "leaderless",
           .title = "Leaderless: for how long nobody acts after a fault", .place = PLACE_RECOVERY,
           .width = 1100, .shared = {template_grid}, .write = write_recovery,
           .details = &(const struct grid_form){
               .role = ROLE_LEADER, .title = "For how long no leader acts after a fault"});

// --- for how long two believed to hold the lock at once ------------------------------------------

// A logarithm has no place for 0.
static long long shown(int64_t duration_ns)
{
    return time_later(duration_ns, 1);
}

// Percentiles of several trials cannot be merged: each trial has a line and a dot of its own.
// Returns the longest window; -1 if there is none.
static int64_t write_trial_windows(const struct trial_result *result, size_t row,
                                   struct picture *picture)
{
    const struct trial *trial = result->trial;
    int64_t longest_ns = -1;
    FOR_EACH (finding, finding, result->judgement.findings, result->judgement.finding_count) {
        const struct distribution *windows = &finding->windows;
        enum shows shows = finding->check->shows;
        if ((shows != SHOWS_TWO_VALID && shows != SHOWS_TWO_STALE) || windows->count == 0 ||
            finding->state != FINDING_VIOLATED)
            continue;
        longest_ns = time_later(longest_ns, windows->max_ns);
        picture_put(picture,
                    "windows: row property least(ns) median(ns) most(ns) count repeat scheme "
                    "scenario",
                    "%zu %s %lld %lld %lld %zu %d %s %s", row, finding->check->name,
                    shown(windows->min_ns), shown(windows->median_ns), shown(windows->max_ns),
                    windows->count, trial->repeat, trial->scheme, trial->scenario->name);
    }
    return longest_ns;
}

// Where a hold lasts for as long as the scenario says, its windows do, too: that tells nothing of
// the lock.
static bool holds_freely(const struct scenario *scenario, enum role role)
{
    return scenario->workload.hold_ns <= 0 && scenario_role(scenario) == role;
}

static bool write_windows(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    AUTO_FREE struct scheme *schemes = memory_new((run->count + 1) * sizeof *schemes);
    size_t scheme_count = schemes_list(subject->report, ROLE_LOCK, holds_freely, schemes);
    const struct trial *longest = NULL;
    int64_t longest_ns = -1;
    size_t rows = 0;
    for (size_t i = 0; i < scheme_count; i++) {
        int64_t most_ns = -1;
        FOR_EACH (trial_result, result, run->trials, run->count) {
            if (strcmp(result->trial->scheme, schemes[i].trial->scheme) == 0 &&
                holds_freely(result->trial->scenario, ROLE_LOCK))
                most_ns = time_later(most_ns, write_trial_windows(result, rows, picture));
        }
        if (most_ns < 0)
            continue;
        picture_put(picture, "rows: row scheme longest", "%zu %s %s", rows++,
                    schemes[i].trial->scheme, lasting(most_ns).text);
        longest = most_ns > longest_ns ? schemes[i].trial : longest;
        longest_ns = time_later(most_ns, longest_ns);
    }
    if (rows < 2)
        return false;
    picture_tell(picture, "rows = %zu", rows);
    text_add(&picture->title, "For how long two believed to hold the lock at once");
    text_format(&picture->alternative, "Unsafe windows of %zu schemes. The longest was of %s: %s.",
                rows, longest->scheme, lasting(longest_ns).text);
    return true;
}

PICTURE(unsafe_window, .name = "unsafe-window",
        .title = "Unsafe windows: for how long two believed to hold the lock",
        .place = PLACE_VERDICTS, .width = 900, .write = write_windows);
