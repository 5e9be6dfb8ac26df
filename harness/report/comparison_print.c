// A comparison as people read it, what changed first, and for machines (FORMATS.md).
#include "harness/base/table.h"
#include "harness/report/comparison.h"
#include "harness/report/fields.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// So many pairs are shown whole; of more, only what changed.
#define MOST_SHOWN_WHOLE 3

// One in so many figures that are equal looks different: half of 5 % to either side.
#define EQUAL_LOOKS_DIFFERENT 20

// --- verdicts ------------------------------------------------------------------------------------

static void add_verdict(const struct compared_side *side, struct text *out)
{
    if (side->count == 0) {
        text_add(out, "not run");
        return;
    }
    text_add(out, verdict_name(side->verdict));
    if (side->of_verdict < side->count)
        text_format(out, " in %zu of %zu", side->of_verdict, side->count);
    if (side->decided > 0 && side->decided < side->count)
        text_format(out, ", %zu undecided", side->count - side->decided);
    if (side->found.length > 0)
        text_format(out, " (%s)", text_string(&side->found));
}

// How many pairs of the scenario, of the same verdict, cannot be compared for the same reason, if
// this is the first of them: one line tells of all. 0: an earlier one did; 1: it has a line of its
// own.
static size_t count_alike(const struct comparison *comparison, size_t index)
{
    const struct compared_pair *pair = &comparison->pairs[index];
    size_t count = 1;
    for (size_t i = 0; pair->why_unknown[0] != '\0' && i < comparison->count; i++) {
        const struct compared_pair *other = &comparison->pairs[i];
        bool same = i != index && other->verdict == pair->verdict &&
                    strcmp(other->scenario, pair->scenario) == 0 &&
                    strcmp(other->why_unknown, pair->why_unknown) == 0;
        if (same && i < index)
            return 0;
        count += same;
    }
    return count;
}

// The cells of a line, of so many pairs.
static void add_verdicts(struct table *table, const struct comparison *comparison,
                         const struct compared_pair *pair, size_t alike)
{
    struct text texts[2] = {0};
    struct text whom = {0};
    if (alike > 1)
        text_format(&whom, "%zu schemes", alike);
    else if (!comparison->of_schemes)
        text_add(&whom, pair->sides[0].scheme);
    if (alike == 1) {
        add_verdict(&pair->sides[0], &texts[0]);
        text_add(&texts[1], "→ ");
        add_verdict(&pair->sides[1], &texts[1]);
    }
    if (pair->why_unknown[0] != '\0')
        text_format(&texts[1], "%s%s", alike == 1 ? ": " : "", pair->why_unknown);
    table_cell(table, COLOUR_PLAIN, pair->scenario);
    table_cell(table, COLOUR_PLAIN, text_string(&whom));
    table_cell(table, COLOUR_PLAIN, text_string(&texts[0]));
    table_cell(table, COLOUR_PLAIN, text_string(&texts[1]));
    text_free(&whom);
    text_free(&texts[0]);
    text_free(&texts[1]);
}

static void print_verdicts(const struct comparison *comparison, FILE *out, bool coloured)
{
    static const char *const headings[] = {"verdict", "", "", "", "", NULL};
    static const struct {
        enum verdict_change change;
        enum colour colour;
        const char *word;
    } order[] = {{VERDICT_WORSE, COLOUR_RED, "✗ WORSE"},
                 {VERDICT_UNCLEAR, COLOUR_YELLOW, "? inconclusive"},
                 {VERDICT_KEPT, COLOUR_YELLOW, "? inconclusive"}, // its costs
                 {VERDICT_OTHERWISE, COLOUR_PLAIN, "≠ otherwise"},
                 {VERDICT_BETTER, COLOUR_GREEN, "✓ better"}};
    struct table *table = table_new(headings);
    size_t lines = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (size_t j = 0; j < comparison->count; j++) {
            const struct compared_pair *pair = &comparison->pairs[j];
            bool has_news = pair->verdict != VERDICT_KEPT || pair->why_unknown[0] != '\0';
            bool is_next = pair->verdict == order[i].change && has_news;
            size_t alike = is_next ? count_alike(comparison, j) : 0;
            if (alike == 0)
                continue;
            table_cell(table, order[i].colour, order[i].word);
            add_verdicts(table, comparison, pair, alike);
            lines++;
        }
    }
    if (lines > 0) {
        fputc('\n', out);
        table_print(table, out, coloured);
    }
    table_free(table);
}

// --- costs ---------------------------------------------------------------------------------------

// The order of rows: what matters most first.
enum news { NEWS_WORSE, NEWS_UNKNOWN, NEWS_BETTER, NEWS_OTHER, NEWS_NOISE, NEWS_NONE, NEWS_COUNT };

static enum news news_of(enum figure figure, const struct figure_change *change)
{
    enum change what = change->ratio.change;
    if (change->why_unknown[0] != '\0')
        return NEWS_UNKNOWN;
    if (what == CHANGE_NONE)
        return NEWS_NONE;
    if (what == CHANGE_NOISE)
        return NEWS_NOISE;
    if (figure_worse(figure) == CHANGE_UNKNOWN)
        return NEWS_OTHER;
    return what == figure_worse(figure) ? NEWS_WORSE : NEWS_BETTER;
}

static void add_mean(struct table *table, enum figure figure, double mean)
{
    char text[40] = "–";
    bool is_time = figure_forms[figure].percentile >= 0;
    if (!isnan(mean) && is_time)
        text_duration((long long)mean, text, sizeof text);
    else if (!isnan(mean))
        rate_text(mean, text, sizeof text);
    table_cell(table, COLOUR_PLAIN, text);
}

// `more`: figures of the pair of the same news that have no row of their own.
static void add_change(struct table *table, enum figure figure, const struct figure_change *change,
                       size_t more)
{
    static const enum colour colours[NEWS_COUNT] = {
        [NEWS_WORSE] = COLOUR_RED,   [NEWS_UNKNOWN] = COLOUR_YELLOW, [NEWS_BETTER] = COLOUR_GREEN,
        [NEWS_OTHER] = COLOUR_PLAIN, [NEWS_NOISE] = COLOUR_GREY,     [NEWS_NONE] = COLOUR_GREY};
    enum news news = news_of(figure, change);
    const struct ratio *ratio = &change->ratio;
    struct text word = {0};
    char text[64] = "–";
    bool is_known = ratio->change != CHANGE_UNKNOWN;
    if (is_known)
        snprintf(text, sizeof text, "%.3f", ratio->ratio);
    table_cell(table, COLOUR_PLAIN, text);
    snprintf(text, sizeof text, "–");
    if (is_known)
        snprintf(text, sizeof text, "%.3f–%.3f", ratio->low, ratio->high);
    table_cell(table, COLOUR_PLAIN, text);
    text_format(&word, "%s%s", figure_change_name(figure, change), change->marked > 0 ? "*" : "");
    if (news == NEWS_UNKNOWN)
        text_format(&word, ": %s", change->why_unknown);
    if (more > 0)
        text_format(&word, " (and %zu more figure%s)", more, more == 1 ? "" : "s");
    table_cell(table, colours[news], text_string(&word));
    text_free(&word);
}

static void add_row(struct table *table, const struct comparison *comparison,
                    const struct compared_pair *pair, enum figure figure, size_t more)
{
    const struct figure_change *change = &pair->figures[figure];
    char name[40];
    table_cell(table, COLOUR_PLAIN, pair->scenario);
    if (!comparison->of_schemes)
        table_cell(table, COLOUR_PLAIN, pair->sides[0].scheme);
    table_cell(table, COLOUR_PLAIN, figure_name(figure, name, sizeof name));
    add_mean(table, figure, change->means[0]);
    add_mean(table, figure, change->means[1]);
    add_change(table, figure, change, more);
}

static bool has_news(const struct compared_pair *pair, enum figure figure, enum news news)
{
    const struct figure_change *change = &pair->figures[figure];
    return pair->compares_costs && change->is_compared && news_of(figure, change) == news;
}

// With `in_brief`, all of a pair share a row. Returns how many rows there are.
static size_t add_rows(struct table *table, const struct comparison *comparison, enum news news,
                       bool in_brief)
{
    size_t rows = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compared_pair *pair = &comparison->pairs[i];
        size_t count = 0;
        size_t told = 0;
        for (enum figure figure = 0; figure < FIGURE_COUNT; figure++)
            count += has_news(pair, figure, news);
        for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
            if (!has_news(pair, figure, news) || (in_brief && told > 0))
                continue;
            add_row(table, comparison, pair, figure, in_brief ? count - 1 : 0);
            told++;
        }
        rows += told;
    }
    return rows;
}

static void print_costs(const struct comparison *comparison, bool all, FILE *out, bool coloured)
{
    const char *const *names = comparison->names;
    const char *of_runs[] = {"scenario", "scheme",    "figure", "before", "now",
                             "ratio",    "with 95 %", "",       NULL};
    const char *of_schemes[] = {"scenario", "figure",    names[0], names[1],
                                "ratio",    "with 95 %", "",       NULL};
    struct table *table = table_new(comparison->of_schemes ? of_schemes : of_runs);
    bool is_whole = all || comparison->count <= MOST_SHOWN_WHOLE;
    size_t rows = 0;
    int first = comparison->of_schemes ? 2 : 3;
    for (int column = first; column < first + 4; column++)
        table_align_right(table, column);
    for (enum news news = NEWS_WORSE; news <= (is_whole ? NEWS_NONE : NEWS_OTHER); news++)
        rows += add_rows(table, comparison, news, !is_whole && news == NEWS_UNKNOWN);
    if (rows > 0) {
        fputc('\n', out);
        table_print(table, out, coloured);
        fprintf(out,
                "The figures are means over the repeats, each of which has percentiles of its own; "
                "ratio: %s over %s. A difference of %.3g %% does not matter.\n",
                comparison->of_schemes ? names[1] : "now",
                comparison->of_schemes ? names[0] : "before", 100 * comparison->margin);
    }
    table_free(table);
}

// --- how far to trust it -------------------------------------------------------------------------

static bool any_marked(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
            if (comparison->pairs[i].figures[figure].marked > 0)
                return true;
        }
    }
    return false;
}

static bool any_not_in_turns(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (comparison->pairs[i].compares_costs && !comparison->pairs[i].in_turns)
            return true;
    }
    return false;
}

static void print_notes(const struct comparison *comparison, const struct comparison_tally *tally,
                        FILE *out)
{
    size_t figures = tally->slower + tally->faster + tally->noise + tally->same;
    if (any_marked(comparison))
        fputs("* the driver was the limit in some repeats; if in half of them, it is the driver "
              "that is compared\n",
              out);
    if (comparison->of_schemes && any_not_in_turns(comparison))
        fputs("The schemes did not take turns: what slowed the machine meanwhile counts as a "
              "difference (lockpick compare FILE --scheme X --scheme Y lets them)\n",
              out);
    if (tally->noise > 0)
        fprintf(
            out,
            "What is within noise may differ by up to %.0f %%, unseen: more repeats would tell.\n",
            100 * tally->widest);
    if (tally->least_repeats > 0 && tally->least_repeats < 5)
        fprintf(out, "%zu repeats are few: their intervals are wide\n", tally->least_repeats);
    if (tally->undecided > 0)
        fprintf(out, "%zu repeat%s could not be decided: %s costs are left out\n", tally->undecided,
                tally->undecided == 1 ? "" : "s", tally->undecided == 1 ? "its" : "their");
    if (comparison->skipped > 0)
        fprintf(out, "%zu pair%s skipped in both: neither run had the servers\n",
                comparison->skipped, comparison->skipped == 1 ? " was" : "s were");
    if (comparison->is_one_run)
        fputs("Both are the same run, which cannot differ from itself\n", out);
    if (figures >= EQUAL_LOOKS_DIFFERENT)
        fprintf(out, "Of %zu figures that are equal, about %zu would look different by chance\n",
                figures, figures / EQUAL_LOOKS_DIFFERENT);
}

static void print_differences(const struct comparison *comparison, FILE *out, bool coloured)
{
    if (comparison->differences.length == 0)
        return;
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_YELLOW,
                 comparison->anyway
                     ? "The environments differ, and what is slower may be so for that:"
                     : "Costs are not compared, as the environments differ, or nobody knows "
                       "(--anyway does):");
    fprintf(out, "\n%s", text_string(&comparison->differences));
}

static void print_shortfalls(const struct comparison *comparison, FILE *out, bool coloured)
{
    if (comparison->shortfalls.length == 0)
        return;
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_YELLOW, "Nobody knows what the rest would have shown:");
    fprintf(out, "\n%s", text_string(&comparison->shortfalls));
}

static void add_costs(const struct comparison_tally *tally, struct text *out)
{
    if (tally->with_costs == 0)
        text_add(out, "; costs: not compared");
    else
        text_format(out,
                    "; costs: %zu slower, %zu faster, %zu within noise, %zu no change, %zu "
                    "inconclusive",
                    tally->slower, tally->faster, tally->noise, tally->same, tally->inconclusive);
    if (tally->incomparable > 0 && tally->with_costs > 0)
        text_format(out, "; %zu pair%s not compared", tally->incomparable,
                    tally->incomparable == 1 ? "" : "s");
}

static void print_sentence(const struct comparison *comparison,
                           const struct comparison_tally *tally, FILE *out, bool coloured)
{
    struct text sentence = {0};
    text_format(&sentence, "%zu pair%s: ", comparison->count, comparison->count == 1 ? "" : "s");
    if (comparison->count == 0)
        text_add(&sentence, "nothing was compared");
    else if (tally->worse + tally->better + tally->unclear == 0)
        text_add(&sentence, "no verdict changed");
    else
        text_format(&sentence, "verdicts: %zu worse, %zu better, %zu inconclusive", tally->worse,
                    tally->better, tally->unclear);
    if (comparison->count > 0)
        add_costs(tally, &sentence);
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_BOLD, text_string(&sentence));
    fputc('\n', out);
    text_free(&sentence);
}

void comparison_print(const struct comparison *comparison, bool all, FILE *out, bool coloured)
{
    struct comparison_tally tally = comparison_count(comparison);
    fprintf(out, "%s → %s\n", comparison->names[0], comparison->names[1]);
    print_verdicts(comparison, out, coloured);
    print_costs(comparison, all, out, coloured);
    print_notes(comparison, &tally, out);
    print_differences(comparison, out, coloured);
    print_shortfalls(comparison, out, coloured);
    print_sentence(comparison, &tally, out, coloured);
}

// --- JSON ----------------------------------------------------------------------------------------

static json_t *side_json(const struct compared_side *side)
{
    if (side->count == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "verdict", value_text(verdict_name(side->verdict)));
    set_value(object, "repeats", value_count(side->count));
    set_value(object, "of_verdict", value_count(side->of_verdict));
    set_value(object, "undecided", value_count(side->count - side->decided));
    set_value(object, "found", value_text(text_string(&side->found)));
    return object;
}

static json_t *figure_json(enum figure figure, const struct figure_change *change)
{
    static const struct field ratio[] = {
        FIELD_IF("ratio", struct figure_change, ratio.ratio, has_ratio),
        FIELD_IF("low", struct figure_change, ratio.low, has_ratio),
        FIELD_IF("high", struct figure_change, ratio.high, has_ratio),
        {0}};
    static const struct field trust[] = {FIELD_AS("driver_bound", struct figure_change, marked),
                                         FIELD_AS("trusted", struct figure_change, is_trusted),
                                         FIELD_AS("reason", struct figure_change, why_unknown),
                                         {0}};
    json_t *object = json_object();
    set_value(object, "before", value_number(change->means[0]));
    set_value(object, "now", value_number(change->means[1]));
    fields_set(object, ratio, change);
    set_value(object, "change", value_text(figure_change_name(figure, change)));
    fields_set(object, trust, change);
    return object;
}

static json_t *pair_json(const struct compared_pair *pair)
{
    static const char *const verdicts[] = {"kept", "otherwise", "better", "worse", "inconclusive"};
    json_t *figures = json_object();
    for (enum figure figure = 0; pair->compares_costs && figure < FIGURE_COUNT; figure++) {
        char name[40];
        if (pair->figures[figure].is_compared)
            set_value(figures, figure_name(figure, name, sizeof name),
                      figure_json(figure, &pair->figures[figure]));
    }
    const struct compared_side *sides = pair->sides;
    return json_pack(
        "{s:o, s:[o,o], s:[o,o], s:s, s:b, s:o, s:o}", "scenario", value_text(pair->scenario),
        "schemes", value_text(sides[0].scheme), value_text(sides[1].scheme), "verdicts",
        side_json(&sides[0]), side_json(&sides[1]), "verdict", verdicts[pair->verdict], "in_turns",
        (int)pair->in_turns, "reason", value_text(pair->why_unknown), "figures", figures);
}

char *comparison_json(const struct comparison *comparison)
{
    static const struct field counts[] = {FIELDS(struct comparison_tally, worse, better, unclear,
                                                 slower, faster, noise, same, inconclusive,
                                                 incomparable, undecided),
                                          {0}};
    struct comparison_tally tally = comparison_count(comparison);
    json_t *summary = fields_json(counts, &tally);
    set_value(summary, "skipped", value_count(comparison->skipped));
    json_t *pairs = json_array();
    for (size_t i = 0; i < comparison->count; i++)
        json_array_append_new(pairs, pair_json(&comparison->pairs[i]));
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:s, s:o, s:i, s:o, s:o, s:b, s:b, s:o, s:o}", "schema",
        "lockpick-comparison-1", "baseline", value_text(comparison->names[0]), "other",
        value_text(comparison->names[1]), "of", comparison->of_schemes ? "schemes" : "runs",
        "margin", value_number(comparison->margin), "exit_code", comparison_exit_code(comparison),
        "differences", value_lines(text_string(&comparison->differences)), "shortfalls",
        value_lines(text_string(&comparison->shortfalls)), "same_run", (int)comparison->is_one_run,
        "anyway", (int)comparison->anyway, "summary", summary, "pairs", pairs);
    char *text = json_dumps(object, JSON_INDENT(2));
    char *copy = memory_string(text != NULL ? text : "");
    free(text);
    json_decref(object);
    return copy;
}
