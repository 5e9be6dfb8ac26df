// How the trials ended.
#include "harness/report/sections.h"

#include "harness/check/check.h"

#include <stdlib.h>
#include <string.h>

static bool are_alike(const struct trial_result *a, const struct trial_result *b)
{
    return scheme_cost_is_of(a->trial, b->trial) && trials_ended_alike(a, b);
}

// --- a row for each trial ------------------------------------------------------------------------

static void say_row(struct document *d, const struct trial_result *result, size_t repeats)
{
    const struct judgement *judgement = &result->judgement;
    const struct trial *trial = result->trial;
    const struct statistics *statistics = &result->statistics;
    const struct percentiles *acquire = &statistics->acquire;
    bool is_timed = trial_was_timed(result);
    bool has_acquires = is_timed && acquire->count > 0;
    doc_row(d, NULL, repeats);
    doc_cell(d, LOOK_PLAIN, "%s", trial->scenario->name);
    doc_cell(d, LOOK_PLAIN, "%s%s", trial->scheme,
             d->medium == TERMINAL ? repeat_words(trial).text : "");
    if (repeats > 1)
        doc_say(d, LOOK_PLAIN, " × %zu", repeats);
    doc_cell(d, LOOK_PLAIN, "%s", "");
    say_verdict(d, judgement, NULL);
    doc_cell(d, LOOK_PLAIN, "%s", "");
    say_found(d, LOOK_PLAIN, judgement);
    if (d->medium == MARKDOWN) {
        struct text expected = {0};
        if (trial->expectation != NULL)
            expectation_describe(trial->expectation, &expected);
        doc_cell(d, LOOK_PLAIN, "%s", trial->expectation != NULL ? expected.bytes : "–");
        text_free(&expected);
        return;
    }
    static const struct {
        enum look look;
        const char *words;
    } ends[] = {[EXPECTATION_NONE] = {LOOK_PLAIN, "–"},
                [EXPECTATION_MET] = {LOOK_SAFE, "✓ expected"},
                [EXPECTATION_MISSED] = {LOOK_MISSED, "✗ MISSED"}};
    doc_cell(d, LOOK_PLAIN, "%s", "");
    doc_say(d, ends[judgement->expectation].look, "%s", ends[judgement->expectation].words);
    doc_cell(d, LOOK_PLAIN, "%s", is_timed ? rate_words(statistics->holds_per_second).text : "–");
    doc_cell(d, LOOK_PLAIN, "%s", has_acquires ? lasting(acquire->p50_ns).text : "–");
    doc_cell(d, LOOK_PLAIN, "%s", has_acquires ? lasting(acquire->p99_ns).text : "–");
    doc_cell(d, LOOK_PLAIN, "%s", is_timed ? lasting(statistics->longest_wait_ns).text : "–");
}

// Which trials are in a table.
enum { URGENT = 1 << 0, OTHERS = 1 << 1 };

static void say_rows(struct document *d, unsigned which)
{
    const struct run_result *run = d->report->run;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        bool is_terminal = d->medium == TERMINAL;
        if ((which & (trial_is_urgent(result) ? URGENT : OTHERS)) == 0 ||
            (is_terminal && trial_is_unfit(result)))
            continue;
        size_t repeats = is_terminal ? 1 : trials_like(run, i, are_alike);
        if (repeats > 0)
            say_row(d, result, repeats);
    }
}

// A table of more in Markdown begins with what is urgent, and the rest is folded.
#define MOST_OPEN_ROWS 20

static void say_table(struct document *d)
{
    const bool is_terminal = d->medium == TERMINAL;
    const struct doc_column columns[] = {{"scenario", NULL, false},
                                         {"scheme", NULL, false},
                                         {"verdict", NULL, false},
                                         {"found", NULL, false},
                                         {is_terminal ? "as expected" : "expected", NULL, false},
                                         {"holds/s", NULL, true},
                                         {"acquire p50", NULL, true},
                                         {"p99", NULL, true},
                                         {"longest wait", NULL, true}};
    const struct doc_table table = {"Verdicts", columns, is_terminal ? 9 : 5, 0, NULL};
    const struct run_result *run = d->report->run;
    size_t urgent = 0;
    for (size_t i = 0; i < run->count; i++)
        urgent += trial_is_urgent(&run->trials[i]);
    bool is_folded = !is_terminal && run->count > MOST_OPEN_ROWS && urgent < run->count;
    if (!is_folded || urgent > 0)
        doc_table(d, table);
    if (is_terminal)
        say_rows(d, URGENT | OTHERS);
    else if (!is_folded || urgent > 0)
        say_rows(d, URGENT);
    if (is_folded) {
        doc_fold(d, NULL, false);
        doc_say(d, LOOK_PLAIN, "The verdicts of the %s%zu trials", urgent > 0 ? "other " : "",
                run->count - urgent);
        doc_table(d, table);
    }
    if (!is_terminal)
        say_rows(d, OTHERS);
    doc_end(d, DOC_FOLD);
    doc_end(d, DOC_TABLE);
}

// --- scenarios by schemes ------------------------------------------------------------------------

// What names the rows or the columns of the matrix: schemes or scenarios.
struct axis {
    bool is_schemes;
    const char **names;
    size_t count;
};

static const char *name_of(const struct axis *axis, const struct trial *trial)
{
    return axis->is_schemes ? trial->scheme : trial->scenario->name;
}

// Scenarios of one name may be different ones, of runs that were merged.
static bool is_at(const struct axis *axis, size_t i, const struct trial *trial)
{
    const char *name = name_of(axis, trial);
    return axis->is_schemes ? strcmp(axis->names[i], name) == 0 : axis->names[i] == name;
}

static struct axis axis_make(const struct run_result *run, bool is_schemes)
{
    struct axis axis = {is_schemes, memory_new((run->count + 1) * sizeof *axis.names), 0};
    for (size_t i = 0; i < run->count; i++) {
        size_t at = 0;
        while (at < axis.count && !is_at(&axis, at, run->trials[i].trial))
            at++;
        if (at == axis.count)
            axis.names[axis.count++] = name_of(&axis, run->trials[i].trial);
    }
    return axis;
}

// In large tables, only the verdict: what was found is said where it leads to.
static void say_outcome(struct document *d, size_t index, size_t repeats, bool large)
{
    const struct trial_result *result = &d->report->run->trials[index];
    const struct judgement *judgement = &result->judgement;
    say_verdict(d, judgement, trial_is_unfit(result) ? "#unfit" : trial_anchor(index).text);
    if (repeats > 1)
        doc_say(d, LOOK_PLAIN, " ×\u00a0%zu", repeats);
    if (!large && judgement_first_violation(judgement) != NULL)
        say_found(d, LOOK_SMALL, judgement);
    if (!large || judgement->expectation == EXPECTATION_MISSED) {
        doc_say(d, LOOK_PLAIN, " ");
        say_expectation(d, judgement->expectation);
    }
}

static void say_matrix_row(struct document *d, const struct axis *rows, size_t row,
                           const struct axis *columns, const size_t *repeats, bool large)
{
    const struct run_result *run = d->report->run;
    doc_row(d, NULL, 1);
    doc_cell(d, LOOK_PLAIN, "%s", rows->names[row]);
    for (size_t column = 0; column < columns->count; column++) {
        doc_cell(d, LOOK_PLAIN, "%s", "");
        for (size_t i = 0; i < run->count; i++) {
            const struct trial *trial = run->trials[i].trial;
            if (repeats[i] == 0 || !is_at(rows, row, trial) || !is_at(columns, column, trial))
                continue;
            doc_begin(d, (struct doc_block){.kind = DOC_LINE});
            say_outcome(d, i, repeats[i], large);
        }
    }
}

// True if the matrix shows a property in parentheses.
static bool has_harmless(const struct run_result *run)
{
    bool any = false;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct judgement *judgement = &result->judgement;
        FOR_EACH (finding, finding, judgement->findings, judgement->finding_count)
            any |= finding->state == FINDING_VIOLATED && finding->harmless &&
                   judgement_first_violation(judgement) != NULL;
    }
    return any;
}

// What the words mean, once for all trials.
static void say_meanings(struct document *d)
{
    static const char *const meanings[] = {
        [VERDICT_SAFE] = ("every property was decided and kept, every fault was proven in effect, "
                          "and traffic flowed meanwhile"),
        [VERDICT_UNSAFE] = "a promise was broken; the properties say which, the story proves it",
        [VERDICT_STUCK] = ("somebody waited and nobody held, but nobody was granted the lock; or a "
                           "release was never answered"),
        [VERDICT_UNKNOWN] = "it could not be decided, and the reason says why",
        [VERDICT_SKIPPED] = "not run: something is missing on this machine",
        [VERDICT_ERROR] = "the harness or its set-up failed: no verdict about the lock",
        [VERDICT_NOT_APPLICABLE] = "not run: the scheme lacks what the scenario asks for",
    };
    const struct run_result *run = d->report->run;
    const struct judgement *judgement = NULL;
    for (size_t i = 0; i < run->count && judgement == NULL; i++)
        judgement = run->trials[i].judgement.finding_count > 0 ? &run->trials[i].judgement : NULL;
    doc_fold(d, NULL, false);
    doc_say(d, LOOK_PLAIN, "What the verdicts and properties mean");
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        doc_term(d, verdict_name((enum verdict)i), meanings[i]);
    doc_term(d, "as expected",
             "the scenario said so beforehand. A lock that is UNSAFE as expected is UNSAFE");
    for (size_t i = 0; judgement != NULL && i < judgement->finding_count; i++)
        doc_term(d, judgement->findings[i].check->name, judgement->findings[i].check->summary);
    doc_end(d, DOC_FOLD);
}

// Of more schemes than there are scenarios, each has a row. In a larger matrix a cell says but its
// verdict.
#define MOST_COLUMNS 8
#define MOST_CELLS 48

static void say_matrix(struct document *d)
{
    const struct run_result *run = d->report->run;
    struct axis schemes = axis_make(run, true);
    struct axis scenarios = axis_make(run, false);
    bool schemes_down = schemes.count > MOST_COLUMNS && schemes.count > scenarios.count;
    const struct axis *rows = schemes_down ? &schemes : &scenarios;
    const struct axis *across = schemes_down ? &scenarios : &schemes;
    bool large = rows->count * across->count > MOST_CELLS;
    struct doc_column *columns = memory_zeroed(across->count + 1, sizeof *columns);
    size_t *repeats = memory_new((run->count + 1) * sizeof *repeats);
    columns[0].title = schemes_down ? "scheme" : "scenario";
    for (size_t i = 0; i < across->count; i++)
        columns[i + 1].title = across->names[i];
    for (size_t i = 0; i < run->count; i++)
        repeats[i] = trials_like(run, i, are_alike);
    if (large)
        doc_paragraph(d, LOOK_QUIET,
                      "Each verdict leads to its trial. Those that the scenario did "
                      "not expect are marked.");
    doc_table(d, (struct doc_table){"Verdicts by scenario and scheme", columns, across->count + 1,
                                    0, large ? "matrix large" : "matrix"});
    for (size_t i = 0; i < rows->count; i++)
        say_matrix_row(d, rows, i, across, repeats, large);
    doc_end(d, DOC_TABLE);
    if (!large && has_harmless(run))
        doc_paragraph(d, LOOK_QUIET, "Properties in parentheses were violated without harm.");
    free(columns);
    free(repeats);
    free(schemes.names);
    free(scenarios.names);
}

void say_verdicts(struct document *d)
{
    doc_section(d, "verdicts", "Verdicts", d->medium == PAGE ? "Verdicts" : "");
    if (d->medium != PAGE) {
        say_table(d);
        return;
    }
    say_matrix(d);
    say_meanings(d);
    html_add_whole_pictures(d, PLACE_VERDICTS);
}
