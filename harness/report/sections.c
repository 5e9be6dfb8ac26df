// Which sections each medium has, in what order; the verdicts, and what is short.
#include "harness/report/sections.h"
#include "harness/report/pictures/picture.h"

#include "harness/base/scope.h"

#include <stdlib.h>
#include <string.h>

// --- words ---------------------------------------------------------------------------------------

static enum look look_of(const struct trial_result *result)
{
    static const enum look looks[] = {
        [VERDICT_SAFE] = LOOK_SAFE,           [VERDICT_UNSAFE] = LOOK_UNSAFE,
        [VERDICT_STUCK] = LOOK_STUCK,         [VERDICT_UNKNOWN] = LOOK_UNKNOWN,
        [VERDICT_SKIPPED] = LOOK_SKIPPED,     [VERDICT_ERROR] = LOOK_ERROR,
        [VERDICT_NOT_APPLICABLE] = LOOK_UNFIT};
    return trial_is_measurement(result) ? LOOK_SKIPPED : looks[result->judgement.verdict];
}

void say_verdict(struct document *d, const struct trial_result *result, const char *target)
{
    const struct judgement *judgement = &result->judgement;
    enum verdict verdict = judgement->verdict;
    const char *sign = trial_is_measurement(result) ? ""
                       : judgement->expectation == EXPECTATION_MISSED || verdict == VERDICT_ERROR
                           ? "✗ "
                       : verdict == VERDICT_UNKNOWN || verdict == VERDICT_SKIPPED ? "? "
                       : judgement->expectation == EXPECTATION_MET                ? "✓ "
                                                                                  : "";
    doc_link(d, look_of(result), target, "%s%s", d->medium == MARKDOWN ? sign : "",
             trial_verdict_word(result));
}

void say_expectation(struct document *d, enum expectation_result expectation)
{
    if (expectation == EXPECTATION_MET)
        doc_say(d, LOOK_QUIET, "as expected");
    else if (expectation == EXPECTATION_MISSED)
        doc_say(d, LOOK_MISSED, "✗ MISSED");
}

void say_found(struct document *d, enum look look, const struct judgement *judgement)
{
    AUTO_TEXT struct text found = {0};
    found_text(judgement, &found);
    doc_say(d, look, "%s", found.bytes);
}

struct words repeat_words(const struct trial *trial)
{
    struct words text = {""};
    if (trial->repeat > 1 || trial->scenario->repeat > 1)
        snprintf(text.text, sizeof text.text, " #%d", trial->repeat);
    return text;
}

struct words trial_anchor(size_t index)
{
    struct words text;
    snprintf(text.text, sizeof text.text, "#trial-%zu", index + 1);
    return text;
}

// --- what comes first ----------------------------------------------------------------------------

static void say_lead(struct document *d)
{
    const struct run_result *run = d->report->run;
    const struct tally *tally = &d->report->tally;
    AUTO_TEXT struct text sentence = {0};
    summary_sentence(d->report, &sentence);
    doc_paragraph(d, LOOK_LEAD, "%s", sentence.bytes);
    if (d->medium != PAGE)
        return;
    doc_paragraph(d, LOOK_PLAIN, "%s", "");
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_ERROR; verdict++) {
        size_t count =
            tally->verdicts[verdict] - (verdict == VERDICT_UNKNOWN ? tally->cost_only : 0);
        if (count == 0)
            continue;
        doc_say(d, LOOK_PLAIN, "%zu\u00a0×\u00a0", count);
        say_verdict(d, &(struct trial_result){.judgement.verdict = verdict}, NULL);
        doc_say(d, LOOK_PLAIN, "\u2003");
    }
    if (tally->cost_only > 0)
        doc_say(d, LOOK_PLAIN, "%zu\u00a0×\u00a0cost only\u2003", tally->cost_only);
    if (tally->not_run > 0) {
        doc_say(d, LOOK_PLAIN, "%zu\u00a0×\u00a0", tally->not_run);
        doc_say(d, LOOK_SKIPPED, "not run");
    }
    doc_paragraph(d, LOOK_QUIET, "%s%stook %s · seed %llu · %s", run->environment.began,
                  run->environment.began[0] != '\0' ? " · " : "", lasting(run->duration_ns).text,
                  (unsigned long long)run->seed, run->folder != NULL ? run->folder : "");
    doc_break(d);
    doc_say(d, LOOK_PLAIN,
            "A trial is one lock scheme in one scenario, asked for by real clients on real "
            "servers; its verdict is decided from the recorded history.");
}

// What bears on the whole run, a line each.
static void say_remarks(struct document *d)
{
    const struct run_result *run = d->report->run;
    for (const char *line = run->remarks; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        doc_paragraph(d, LOOK_REMARK, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (d->medium == PAGE && !run->has_plots && run->plot_note[0] != '\0')
        doc_paragraph(d, LOOK_QUIET, "%s", run->plot_note);
}

// --- how the trials ended: a row for each --------------------------------------------------------

static bool are_alike(const struct trial_result *a, const struct trial_result *b)
{
    return scheme_cost_is_of(a->trial, b->trial) && trials_ended_alike(a, b);
}

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
    say_verdict(d, result, NULL);
    doc_cell(d, LOOK_PLAIN, "%s", "");
    say_found(d, LOOK_PLAIN, judgement);
    if (d->medium == MARKDOWN) {
        AUTO_TEXT struct text expected = {0};
        if (trial->expectation != NULL)
            expectation_describe(trial->expectation, &expected);
        doc_cell(d, LOOK_PLAIN, "%s", trial->expectation != NULL ? expected.bytes : "–");
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

// True if the trial was not run, for a reason that is told of all such trials together.
static bool is_told_together(const struct document *d, const struct trial_result *result)
{
    return d->medium == TERMINAL &&
           (trial_is_unfit(result) || (result->judgement.verdict == VERDICT_SKIPPED &&
                                       result->judgement.expectation != EXPECTATION_MISSED));
}

static bool are_both_met(const struct trial_result *a, const struct trial_result *b)
{
    return a->judgement.expectation == EXPECTATION_MET &&
           b->judgement.expectation == EXPECTATION_MET && a->trial->scenario == b->trial->scenario;
}

// At a terminal, of so many trials that were as expected in a scenario: how many of each verdict.
static void say_met(struct document *d, const struct trial_result *first, size_t count)
{
    AUTO_TEXT struct text verdicts = {0};
    size_t counts[VERDICT_NOT_APPLICABLE + 1] = {0};
    FOR_EACH (trial_result, result, d->report->run->trials, d->report->run->count)
        counts[result->judgement.verdict] += are_both_met(result, first);
    for (enum verdict verdict = 0; verdict <= VERDICT_NOT_APPLICABLE; verdict++) {
        if (counts[verdict] > 0)
            text_format(&verdicts, "%s%zu %s", verdicts.length > 0 ? ", " : "", counts[verdict],
                        verdict_name(verdict));
    }
    doc_row(d, NULL, count);
    doc_cell(d, LOOK_PLAIN, "%s", first->trial->scenario->name);
    doc_cell(d, LOOK_PLAIN, "%zu trials", count);
    doc_cell(d, LOOK_PLAIN, "%s", verdicts.bytes);
    doc_cell(d, LOOK_PLAIN, "–");
    doc_cell(d, LOOK_SAFE, "✓ expected");
    for (int figure = 0; figure < 4; figure++)
        doc_cell(d, LOOK_PLAIN, "–");
}

// Which trials are in a table.
enum { URGENT = 1 << 0, OTHERS = 1 << 1 };

// Of more trials, those that were as expected are told together: at a terminal counted, in Markdown
// folded.
#define MOST_OPEN_ROWS 20

static void say_rows(struct document *d, unsigned which)
{
    const struct run_result *run = d->report->run;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        bool is_terminal = d->medium == TERMINAL;
        bool is_counted = is_terminal && run->count > MOST_OPEN_ROWS &&
                          result->judgement.expectation == EXPECTATION_MET;
        size_t repeats = is_counted    ? trials_like(run, i, are_both_met)
                         : is_terminal ? 1
                                       : trials_like(run, i, are_alike);
        if ((which & (trial_is_urgent(result) ? URGENT : OTHERS)) == 0 ||
            is_told_together(d, result) || repeats == 0)
            continue;
        if (is_counted && repeats > 1)
            say_met(d, result, repeats);
        else
            say_row(d, result, repeats);
    }
}

// --- scenarios by schemes ------------------------------------------------------------------------

// The rows or the columns of the matrix: the first trial of each scheme or scenario. Scenarios of
// one name may be different ones, of runs that were merged.
struct axis {
    bool (*is_same)(const struct trial *a, const struct trial *b);
    const struct trial **items;
    size_t count;
};

static bool is_same_scheme(const struct trial *a, const struct trial *b)
{
    return strcmp(a->scheme, b->scheme) == 0;
}

static bool is_same_scenario(const struct trial *a, const struct trial *b)
{
    return a->scenario == b->scenario;
}

// Of the trials of a role.
static struct axis axis_make(const struct run_result *run, enum role role,
                             bool (*is_same)(const struct trial *a, const struct trial *b))
{
    struct axis axis = {is_same, memory_new((run->count + 1) * sizeof *axis.items), 0};
    FOR_EACH (trial_result, result, run->trials, run->count) {
        size_t at = 0;
        if (scenario_role(result->trial->scenario) != role)
            continue;
        while (at < axis.count && !is_same(axis.items[at], result->trial))
            at++;
        if (at == axis.count)
            axis.items[axis.count++] = result->trial;
    }
    return axis;
}

// In large tables a sign (in Markdown the verdict), and the letter of the property that was broken
// first: what was found is said where it leads to.
static void say_sign(struct document *d, const struct trial_result *result, const char *target)
{
    const struct judgement *judgement = &result->judgement;
    const struct finding *broken = judgement_first_violation(judgement);
    bool counts = broken != NULL && finding_counts(broken);
    const char *letter = counts && broken->check->letter != NULL ? broken->check->letter : "";
    AUTO_TEXT struct text tip = {0};
    if (d->medium == MARKDOWN) { // which has no colours
        doc_say(d, LOOK_PLAIN, "%s%s%s", trial_verdict_word(result), *letter != '\0' ? " " : "",
                letter);
        return;
    }
    text_format(&tip, "%s in %s: %s%s%s", result->trial->scheme, result->trial->scenario->name,
                trial_verdict_word(result), counts ? ", " : "", counts ? broken->check->name : "");
    d->tip = tip.bytes;
    doc_link(d, look_of(result), target, "%s", letter);
}

static void say_matrix_row(struct document *d, const struct axis *rows, const struct trial *row,
                           const struct axis *columns, const size_t *repeats, bool large)
{
    const struct run_result *run = d->report->run;
    for (size_t column = 0; column < columns->count; column++) {
        doc_cell(d, LOOK_PLAIN, "%s", "");
        size_t lines = 0;
        for (size_t i = 0; i < run->count; i++) {
            const struct trial_result *result = &run->trials[i];
            const struct judgement *judgement = &result->judgement;
            if (repeats[i] == 0 || !rows->is_same(row, result->trial) ||
                !columns->is_same(columns->items[column], result->trial))
                continue;
            if (lines++ > 0 && d->medium == MARKDOWN)
                doc_say(d, LOOK_PLAIN, ", ");
            doc_begin(d, (struct doc_block){.kind = DOC_LINE});
            (large ? say_sign : say_verdict)(
                d, result, trial_is_unfit(result) ? "#unfit" : trial_anchor(i).text);
            if (repeats[i] > 1)
                doc_say(d, LOOK_PLAIN, " ×\u00a0%zu", repeats[i]);
            if (!large && judgement_first_violation(judgement) != NULL)
                say_found(d, LOOK_SMALL, judgement);
            if (!large || judgement->expectation == EXPECTATION_MISSED) {
                doc_say(d, LOOK_PLAIN, " ");
                say_expectation(d, judgement->expectation);
            }
        }
    }
}

// True if the matrix shows a property in parentheses.
static bool has_harmless(const struct run_result *run)
{
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct judgement *judgement = &result->judgement;
        FOR_EACH (finding, finding, judgement->findings, judgement->finding_count) {
            if (finding->state == FINDING_VIOLATED && finding->harmless &&
                judgement_first_violation(judgement) != NULL)
                return true;
        }
    }
    return false;
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
    for (size_t i = 0; judgement != NULL && i < judgement->finding_count; i++) {
        const struct check *check = judgement->findings[i].check;
        AUTO_TEXT struct text name = {0};
        text_format(&name, check->letter != NULL && *check->letter != '\0' ? "%s (%s)" : "%s",
                    check->name, check->letter);
        doc_term(d, name.bytes, check->summary);
    }
    doc_end(d, DOC_FOLD);
}

// Of more schemes than there are scenarios, each has a row. In a larger matrix a cell says but its
// verdict.
#define MOST_COLUMNS 8
#define MOST_CELLS 48

// Of a role, if it has trials, and with a heading if others have, too.
static void say_matrix(struct document *d, enum role role)
{
    const struct run_result *run = d->report->run;
    AUTO_FREE size_t *repeats = memory_new((run->count + 1) * sizeof *repeats);
    size_t of_role = 0;
    for (size_t i = 0; i < run->count; i++) {
        of_role += scenario_role(run->trials[i].trial->scenario) == role;
        repeats[i] = trials_like(run, i, are_alike);
    }
    if (of_role == 0)
        return;
    struct axis schemes = axis_make(run, role, is_same_scheme);
    struct axis scenarios = axis_make(run, role, is_same_scenario);
    bool schemes_down = schemes.count > MOST_COLUMNS && schemes.count > scenarios.count;
    const struct axis *rows = schemes_down ? &schemes : &scenarios;
    const struct axis *across = schemes_down ? &scenarios : &schemes;
    bool large = d->medium == MARKDOWN || rows->count * across->count > MOST_CELLS;
    AUTO_FREE struct doc_column *columns = memory_zeroed(across->count + 1, sizeof *columns);
    columns[0].title = schemes_down ? "scheme" : "scenario";
    for (size_t i = 0; i < across->count; i++)
        columns[i + 1].title =
            schemes_down ? across->items[i]->scenario->name : across->items[i]->scheme;
    if (of_role < run->count)
        doc_heading(d, NULL, "%s", role_titles[role]);
    if (large && d->medium == PAGE)
        doc_paragraph(d, LOOK_QUIET,
                      "Each verdict leads to its trial; a letter says what was broken first. Those "
                      "that the scenario did not expect are marked.");
    doc_table(d, (struct doc_table){"Verdicts by scenario and scheme", columns, across->count + 1,
                                    0, large ? "matrix large" : "matrix"});
    for (size_t i = 0; i < rows->count; i++) {
        const struct trial *row = rows->items[i];
        doc_row(d, large && schemes_down ? scheme_servers(row) : NULL, 1);
        doc_cell(d, LOOK_PLAIN, "%s", schemes_down ? row->scheme : row->scenario->name);
        say_matrix_row(d, rows, row, across, repeats, large);
    }
    doc_end(d, DOC_TABLE);
    if (!large && has_harmless(run))
        doc_paragraph(d, LOOK_QUIET, "Properties in parentheses were violated without harm.");
    free(schemes.items);
    free(scenarios.items);
}

// The letters of a matrix.
static void say_letters(struct document *d)
{
    const struct run_result *run = d->report->run;
    uint64_t said = 0;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct finding *broken = judgement_first_violation(&result->judgement);
        const char *letter =
            broken != NULL && finding_counts(broken) ? broken->check->letter : NULL;
        if (letter == NULL || *letter == '\0' || (said >> (*letter - 'A') & 1) != 0)
            continue;
        said |= UINT64_C(1) << (*letter - 'A');
        doc_term(d, letter, broken->check->name);
    }
}

// True if most scenarios were run with most schemes, so that matrices say it in less room than
// rows.
static bool is_dense(const struct run_result *run)
{
    size_t cells = 0;
    for (enum role role = 0; role < ROLE_COUNT; role++) {
        struct axis schemes = axis_make(run, role, is_same_scheme);
        struct axis scenarios = axis_make(run, role, is_same_scenario);
        bool is_line = schemes.count == 1 || scenarios.count == 1;
        cells += is_line ? run->count * 2 : schemes.count * scenarios.count;
        free(schemes.items);
        free(scenarios.items);
    }
    return cells <= run->count * 3 / 2;
}

static void say_table(struct document *d)
{
    const bool is_terminal = d->medium == TERMINAL;
    const struct doc_column columns[] = {WORDS("scenario"),
                                         WORDS("scheme"),
                                         WORDS("verdict"),
                                         WORDS("found"),
                                         WORDS(is_terminal ? "as expected" : "expected"),
                                         FIGURE("locks/s"),
                                         FIGURE("acquire p50"),
                                         FIGURE("p99"),
                                         FIGURE("longest wait")};
    const struct doc_table table = {"Verdicts", columns, is_terminal ? 9 : 5, 0, NULL};
    const struct run_result *run = d->report->run;
    size_t urgent = 0;
    for (size_t i = 0; i < run->count; i++)
        urgent += trial_is_urgent(&run->trials[i]);
    bool is_folded = !is_terminal && run->count > MOST_OPEN_ROWS && urgent < run->count;
    if (!is_folded || urgent > 0) {
        doc_table(d, table);
        if (is_terminal) // the figures are in the table of costs, too
            table_begin_extra(d->printed, 5);
        say_rows(d, is_terminal ? URGENT | OTHERS : URGENT);
    }
    if (is_folded && is_dense(run)) {
        doc_end(d, DOC_TABLE);
        doc_fold(d, NULL, true);
        doc_say(d, LOOK_PLAIN, "The verdicts of all %zu trials", run->count);
        for (enum role role = 0; role < ROLE_COUNT; role++)
            say_matrix(d, role);
        say_letters(d);
    } else if (is_folded) {
        doc_fold(d, NULL, false);
        doc_say(d, LOOK_PLAIN, "The verdicts of the %s%zu trials", urgent > 0 ? "other " : "",
                run->count - urgent);
        doc_table(d, table);
        say_rows(d, OTHERS);
    } else if (!is_terminal) {
        say_rows(d, OTHERS);
    }
    doc_end(d, DOC_FOLD);
    doc_end(d, DOC_TABLE);
}

const struct picture_kind *drawn_matrix(const struct run_result *run, enum role role)
{
    for (size_t i = 0; i < run->picture_count; i++) {
        if (run->pictures[i].kind == matrix_pictures[role] && run->pictures[i].is_drawn)
            return matrix_pictures[role];
    }
    return NULL;
}

// Of a page, a matrix of scenarios and schemes; else a row for each, in Markdown one for repeats
// that ended alike, the urgent ones first.
static void say_verdicts(struct document *d)
{
    doc_section(d, "verdicts", "Verdicts", d->medium == PAGE ? "Verdicts" : "");
    if (d->medium != PAGE) {
        say_table(d);
        return;
    }
    for (enum role role = 0; role < ROLE_COUNT; role++) {
        const struct picture_kind *drawn = drawn_matrix(d->report->run, role);
        say_matrix(d, role);
        if (drawn == NULL)
            continue;
        AUTO_FREE char *file = text_formatted("plots/%s.svg", drawn->name);
        doc_break(d);
        doc_link(d, LOOK_SMALL, file, "%s, as a picture", drawn->title);
    }
    say_meanings(d);
    html_add_whole_pictures(d, PLACE_VERDICTS);
}

// --- thresholds, what does not apply, where it happened ------------------------------------------

// Those that were met are but counted in Markdown, and left out of a quiet terminal.
static void say_thresholds(struct document *d)
{
    static const struct doc_column columns[] = {WORDS("scenario"),  WORDS("scheme"),
                                                WORDS("threshold"), FIGURE("measured"),
                                                WORDS("outcome"),   WORDS("why")};
    static const struct {
        enum threshold_result result;
        enum look look;
        const char *sign, *word;
    } order[] = {{THRESHOLD_MISSED, LOOK_UNSAFE, "✗ ", "MISSED"},
                 {THRESHOLD_NOT_MEASURED, LOOK_UNKNOWN, "? ", "not measured"},
                 {THRESHOLD_MET, LOOK_SAFE, "✓ ", "met"}};
    const struct threshold_outcomes *outcomes = &d->report->thresholds;
    bool all = d->medium == PAGE || (d->medium == TERMINAL && !d->is_quiet);
    bool any_marked = false;
    if (outcomes->count == 0 || (d->is_quiet && outcomes->count == outcomes->met))
        return;
    doc_section(d, "thresholds", "Thresholds", "Thresholds");
    if (d->medium == TERMINAL)
        doc_heading(d, NULL, "Thresholds, of all repeats together");
    else
        doc_paragraph(d, LOOK_PLAIN,
                      "%zu met, %zu missed, %zu not measured, each of all repeats together.",
                      outcomes->met, outcomes->missed, outcomes->not_measured);
    if (!all && outcomes->count == outcomes->met)
        return;
    doc_table(d, (struct doc_table){"Thresholds", COLUMNS(columns), 0, NULL});
    for (size_t i = 0; i < outcomes->count * (all ? 3 : 2); i++) {
        const struct threshold_outcome *outcome = &outcomes->items[i % outcomes->count];
        size_t at = i / outcomes->count;
        bool is_marked = outcome->driver_bound && outcome->is_known;
        if (outcome->result != order[at].result)
            continue;
        any_marked = any_marked || is_marked;
        doc_row(d, NULL, 1);
        doc_cell(d, LOOK_PLAIN, "%s", outcome->trial->scenario->name);
        doc_cell(d, LOOK_PLAIN, "%s", outcome->trial->scheme);
        doc_cell(d, LOOK_PLAIN, "%s", outcome->threshold->limit.text);
        doc_cell(d, LOOK_PLAIN, "%s%s", outcome->measured, is_marked ? "*" : "");
        doc_cell(d, LOOK_PLAIN, "%s", "");
        doc_say(d, order[at].look, "%s%s", d->medium == PAGE ? "" : order[at].sign, order[at].word);
        doc_cell(d, LOOK_PLAIN, "%s", outcome->reason);
    }
    if (any_marked) {
        doc_item(d, LOOK_PLAIN);
        doc_say(d, LOOK_PLAIN, "* the driver was the limit in at least one repeat");
    }
}

// What is missing is missing whatever the scheme.
static bool are_not_run_alike(const struct trial_result *a, const struct trial_result *b)
{
    enum verdict verdict = a->judgement.verdict;
    bool is_skipped = verdict == VERDICT_SKIPPED;
    return verdict == b->judgement.verdict && (trial_is_unfit(a) || is_skipped) &&
           (is_skipped || strcmp(a->trial->scheme, b->trial->scheme) == 0) &&
           trials_have_one_reason(a, b);
}

// A row for each scheme and reason, however many scenarios it is that do not apply; at a terminal
// also one for each reason to skip trials.
static void say_unfit(struct document *d)
{
    const struct doc_column columns[] = {WORDS(d->medium == PAGE ? "scheme" : "not run"),
                                         FIGURE("trials"), WORDS("why")};
    const struct run_result *run = d->report->run;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        bool is_skipped = result->judgement.verdict == VERDICT_SKIPPED;
        size_t count = trials_like(run, i, are_not_run_alike);
        if (count == 0 || (is_skipped && !is_told_together(d, result)))
            continue;
        if (doc_inside(d, DOC_TABLE) == NULL) {
            doc_section(d, "unfit", NULL, "Not applicable");
            doc_table(d, (struct doc_table){"Not applicable", COLUMNS(columns), 0, NULL});
        }
        doc_row(d, NULL, 1);
        if (is_skipped)
            doc_cell(d, LOOK_SKIPPED, "SKIPPED");
        else
            doc_cell(d, LOOK_PLAIN, "%s%s",
                     d->medium == PAGE ? "" : "n/a: ", result->trial->scheme);
        doc_cell(d, LOOK_PLAIN, "%zu", count);
        AUTO_TEXT struct text reason = {0};
        trials_reason(result, count, &reason);
        doc_cell(d, LOOK_PLAIN, "%s", reason.bytes);
    }
    doc_end(d, DOC_TABLE);
}

// How busy the machine was, as far as it is known, or nothing: "2 processors; load 0.31 at the
// beginning, 1.80 at the end; other programs used 3 % of them while costs were measured".
static void machine_sentence(const struct run_result *run, struct text *out)
{
    const struct environment *environment = &run->environment;
    // What other programs used of the processors while trials ran alone that measure.
    double others_ns = 0;
    double all_ns = 0;
    if (environment->processors == 0)
        return;
    text_format(out, "%d processor%s", environment->processors, plural(environment->processors));
    if (environment->load_at_begin.is_known)
        text_format(out, "; load %.2f at the beginning", environment->load_at_begin.averages[0]);
    if (environment->load_at_end.is_known)
        text_format(out, ", %.2f at the end", environment->load_at_end.averages[0]);
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct resources *resources = &result->statistics.resources;
        int64_t trial_ns = resources_of_others_ns(resources);
        if (result->lanes != 1 || !scenario_measures(result->trial->scenario) || trial_ns < 0)
            continue;
        others_ns += (double)trial_ns;
        all_ns += (double)resources->covered_ns * resources->processors;
    }
    if (all_ns > 0)
        text_format(out, "; other programs used %.0f %% of them while costs were measured",
                    100 * (others_ns < all_ns ? others_ns / all_ns : 1));
}

// At a terminal only how busy the machine was.
static void say_environment(struct document *d)
{
    const struct environment *environment = &d->report->run->environment;
    AUTO_TEXT struct text machine = {0};
    char lanes[64] = "1";
    char seed[32];
    machine_sentence(d->report->run, &machine);
    if (environment->lanes > 1)
        snprintf(lanes, sizeof lanes, "up to %d, 1 where costs were measured", environment->lanes);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)d->report->run->seed);
    const char *const rows[][2] = {{"Servers", environment->servers},
                                   {"Durability", environment->durability},
                                   {"Placement", environment->placement},
                                   {"Isolation", environment->isolation},
                                   {"Kernel", environment->kernel},
                                   {"Processor", environment->processor},
                                   {"Machine", text_string(&machine)},
                                   {"Trials at a time", lanes},
                                   {"Clock source", environment->clock_source},
                                   {"Governor", environment->governor},
                                   {"Began", environment->began},
                                   {"Seed", seed},
                                   {"Lockpick", environment->lockpick_version}};
    doc_section(d, "environment", "Environment", d->medium == PAGE ? "Environment" : "");
    if (d->medium == TERMINAL && machine.length > 0 && !d->is_quiet)
        doc_paragraph(d, LOOK_PLAIN, "machine: %s", machine.bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && d->medium != TERMINAL; i++) {
        if (d->medium == PAGE || rows[i][1][0] != '\0')
            doc_term(d, rows[i][0], rows[i][1]);
    }
}

// --- all of it -----------------------------------------------------------------------------------

typedef void section(struct document *d);

// What was unexpected comes first, wherever it is read.
static section *const terminal_sections[] = {
    say_unexpected, say_verdicts,   say_unfit,   say_violations,  say_costs, say_leaders,
    say_hosts,      say_thresholds, say_remarks, say_environment, say_lead,  NULL};
static section *const page_sections[] = {
    say_unexpected, say_verdicts, say_violations,   say_thresholds, say_costs,       say_leaders,
    say_hosts,      say_liveness, say_other_trials, say_unfit,      say_environment, NULL};

// With how much of the room each, and all before it, may take at most.
static const struct {
    section *say;
    size_t percent;
} markdown_sections[] = {{say_lead, 100},    {say_remarks, 100},   {say_unexpected, 40},
                         {say_verdicts, 50}, {say_thresholds, 65}, {say_leaders, 75},
                         {say_hosts, 80},    {say_costs, 96},      {say_environment, 100}};

// No section goes on in the table of the one before.
static void say_all(struct document *d, section *const *sections)
{
    for (; *sections != NULL; sections++) {
        doc_end(d, DOC_TABLE);
        (*sections)(d);
    }
}

static void print(struct document d, section *const *sections)
{
    say_all(&d, sections);
    doc_finish(&d);
    text_free(&d.contents);
}

void report_print(const struct run_report *report, FILE *out, bool coloured, bool quiet)
{
    print((struct document){.medium = TERMINAL,
                            .report = report,
                            .out = out,
                            .is_coloured = coloured,
                            .is_quiet = quiet},
          terminal_sections);
}

void report_explain(const struct run_report *report, FILE *out, bool coloured)
{
    print(
        (struct document){
            .medium = TERMINAL, .report = report, .out = out, .is_coloured = coloured},
        (section *const[]){say_explained, NULL});
}

char *report_markdown_within(const struct run_report *report, size_t most_bytes)
{
    struct document d = {.medium = MARKDOWN, .report = report};
    text_add(&d.text, "### Lockpick\n");
    for (size_t i = 0; i < sizeof markdown_sections / sizeof *markdown_sections; i++) {
        d.most_bytes = most_bytes / 100 * markdown_sections[i].percent;
        markdown_sections[i].say(&d);
        doc_finish(&d);
    }
    text_free(&d.contents);
    return d.text.bytes;
}

char *report_markdown(const struct run_report *report)
{
    return report_markdown_within(report, 65000);
}

char *report_html(const struct run_report *report)
{
    struct document d = {.medium = PAGE, .report = report};
    AUTO_TEXT struct text title = {0};
    html_choose_pictures(&d);
    say_lead(&d);
    say_remarks(&d);
    doc_finish(&d);
    d.contents_at = d.text.length;
    say_all(&d, page_sections);
    // Browsers and searches cut a title at some 70 letters: it counts what went wrong, without
    // reasons.
    size_t trials = report->run->count - report->tally.skipped - report->tally.not_applicable;
    text_format(&title, "Lockpick: %zu trial%s; %zu missed", trials, plural((long long)trials),
                report->tally.missed + report->thresholds.missed);
    if (report->tally.inconclusive > 0)
        text_format(&title, ", %zu inconclusive", report->tally.inconclusive);
    if (report->tally.errors > 0)
        text_format(&title, ", %zu in error", report->tally.errors);
    char *page = doc_finish_page(&d, "Lockpick report", text_string(&title));
    free(d.embeds);
    free(d.embeds_whole);
    return page;
}
