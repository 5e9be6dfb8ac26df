// A comparison as people read it, what changed first, and for machines (FORMATS.md).
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/report/comparison.h"
#include "harness/report/fields.h"
#include "harness/report/figures.h"
#include "harness/report/words.h"

#include <math.h>
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
    for (size_t i = 0; i < sizeof order / sizeof *order * comparison->count; i++) {
        size_t at = i / comparison->count;
        const struct compared_pair *pair = &comparison->pairs[i % comparison->count];
        bool has_news = pair->verdict != VERDICT_KEPT || pair->why_unknown[0] != '\0';
        bool is_next = pair->verdict == order[at].change && has_news;
        size_t alike = is_next ? count_alike(comparison, i % comparison->count) : 0;
        AUTO_TEXT struct text before = {0};
        AUTO_TEXT struct text now = {0};
        AUTO_TEXT struct text whom = {0};
        if (alike == 0)
            continue;
        if (alike > 1)
            text_format(&whom, "%zu schemes", alike);
        else if (!comparison->of_schemes)
            text_add(&whom, pair->sides[0].scheme);
        if (alike == 1) {
            add_verdict(&pair->sides[0], &before);
            text_add(&now, "→ ");
            add_verdict(&pair->sides[1], &now);
        }
        if (pair->why_unknown[0] != '\0')
            text_format(&now, "%s%s", alike == 1 ? ": " : "", pair->why_unknown);
        table_cell(table, order[at].colour, order[at].word);
        const char *const cells[] = {pair->scenario, text_string(&whom), text_string(&before),
                                     text_string(&now)};
        for (size_t j = 0; j < sizeof cells / sizeof *cells; j++)
            table_cell(table, COLOUR_PLAIN, cells[j]);
        lines++;
    }
    if (lines > 0) {
        fputc('\n', out);
        table_print(table, out, coloured);
    }
    table_free(table);
}

// --- costs ---------------------------------------------------------------------------------------

// More exactly than elsewhere: two are held against each other.
static struct words mean_words(enum figure figure, double mean)
{
    return isnan(mean) || figure_forms[figure].value == NULL ? figure_text(figure, mean)
                                                             : rate_words(mean);
}

// `more`: figures of the pair of the same news that have no row of their own.
static void add_row(struct table *table, const struct comparison *comparison,
                    const struct compared_pair *pair, enum figure figure, size_t more)
{
    static const enum colour colours[NEWS_COUNT] = {
        [NEWS_WORSE] = COLOUR_RED,   [NEWS_UNKNOWN] = COLOUR_YELLOW, [NEWS_BETTER] = COLOUR_GREEN,
        [NEWS_OTHER] = COLOUR_PLAIN, [NEWS_NOISE] = COLOUR_GREY,     [NEWS_NONE] = COLOUR_GREY};
    const struct figure_change *change = &pair->figures[figure];
    const struct ratio *ratio = &change->ratio;
    AUTO_TEXT struct text word = {0};
    char cells[2][64] = {"–", "–"};
    if (ratio->change != CHANGE_UNKNOWN) {
        snprintf(cells[0], sizeof cells[0], "%.3f", ratio->ratio);
        snprintf(cells[1], sizeof cells[1], "%.3f–%.3f", ratio->low, ratio->high);
    }
    text_format(&word, "%s%s", change->word, change->marked > 0 ? "*" : "");
    if (change->news == NEWS_UNKNOWN)
        text_format(&word, ": %s", change->why_unknown);
    if (more > 0)
        text_format(&word, " (and %zu more figure%s)", more, plural((long long)more));
    table_cell(table, COLOUR_PLAIN, pair->scenario);
    if (!comparison->of_schemes)
        table_cell(table, COLOUR_PLAIN, pair->sides[0].scheme);
    table_cell(table, COLOUR_PLAIN, figure_name(figure).text);
    for (int i = 0; i < 2; i++)
        table_cell(table, COLOUR_PLAIN, mean_words(figure, change->means[i]).text);
    table_cell(table, COLOUR_PLAIN, cells[0]);
    table_cell(table, COLOUR_PLAIN, cells[1]);
    table_cell(table, colours[change->news], text_string(&word));
}

static bool has_news(const struct compared_pair *pair, enum figure figure, enum figure_news news)
{
    const struct figure_change *change = &pair->figures[figure];
    return pair->compares_costs && change->is_compared && change->news == news;
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
    for (enum figure_news news = NEWS_WORSE; news <= (is_whole ? NEWS_NONE : NEWS_OTHER); news++) {
        bool in_brief = !is_whole && news == NEWS_UNKNOWN; // all of a pair share a row
        FOR_EACH (compared_pair, pair, comparison->pairs, comparison->count) {
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
    }
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

static void print_notes(const struct comparison *comparison, FILE *out)
{
    const struct comparison_tally *tally = &comparison->tally;
    const size_t *news = tally->figures;
    size_t figures = news[NEWS_WORSE] + news[NEWS_BETTER] + news[NEWS_NOISE] + news[NEWS_NONE];
    if (tally->marked > 0)
        fputs("* the driver was the limit in some repeats; if in half of them, it is the driver "
              "that is compared\n",
              out);
    if (comparison->of_schemes && tally->one_by_one > 0)
        fputs("The schemes did not take turns: what slowed the machine meanwhile counts as a "
              "difference (lockpick compare FILE --scheme X --scheme Y lets them)\n",
              out);
    if (news[NEWS_NOISE] > 0)
        fprintf(out,
                "What is within noise may differ by up to %.0f %%, unseen: more repeats would "
                "tell.\n",
                100 * tally->widest);
    if (tally->least_repeats > 0 && tally->least_repeats < 5)
        fprintf(out, "%zu repeats are few: their intervals are wide\n", tally->least_repeats);
    if (tally->undecided > 0)
        fprintf(out, "%zu repeat%s could not be decided: %s costs are left out\n", tally->undecided,
                plural((long long)tally->undecided), tally->undecided == 1 ? "its" : "their");
    if (tally->skipped > 0)
        fprintf(out, "%zu pair%s skipped in both: neither run had the servers\n", tally->skipped,
                tally->skipped == 1 ? " was" : "s were");
    if (comparison->is_one_run)
        fputs("Both are the same run, which cannot differ from itself\n", out);
    if (figures >= EQUAL_LOOKS_DIFFERENT)
        fprintf(out, "Of %zu figures that are equal, about %zu would look different by chance\n",
                figures, figures / EQUAL_LOOKS_DIFFERENT);
}

// Why less is known than could be, a line each.
static void print_reasons(const char *title, const struct text *lines, FILE *out, bool coloured)
{
    if (lines->length > 0) {
        fputc('\n', out);
        colour_print(out, coloured, COLOUR_YELLOW, title);
        fprintf(out, "\n%s", lines->bytes);
    }
}

static void print_sentence(const struct comparison *comparison, FILE *out, bool coloured)
{
    const struct comparison_tally *tally = &comparison->tally;
    const size_t *verdicts = tally->verdicts;
    const size_t *news = tally->figures;
    AUTO_TEXT struct text sentence = {0};
    text_format(&sentence, "%zu pair%s: ", comparison->count, comparison->count == 1 ? "" : "s");
    if (comparison->count == 0)
        text_add(&sentence, "nothing was compared");
    else if (verdicts[VERDICT_WORSE] + verdicts[VERDICT_BETTER] + verdicts[VERDICT_UNCLEAR] == 0)
        text_add(&sentence, "no verdict changed");
    else
        text_format(&sentence, "verdicts: %zu worse, %zu better, %zu inconclusive",
                    verdicts[VERDICT_WORSE], verdicts[VERDICT_BETTER], verdicts[VERDICT_UNCLEAR]);
    if (comparison->count > 0 && tally->with_costs == 0)
        text_add(&sentence, "; costs: not compared");
    else if (comparison->count > 0)
        text_format(&sentence,
                    "; costs: %zu slower, %zu faster, %zu within noise, %zu no change, %zu "
                    "inconclusive",
                    news[NEWS_WORSE], news[NEWS_BETTER], news[NEWS_NOISE], news[NEWS_NONE],
                    news[NEWS_UNKNOWN]);
    if (tally->incomparable > 0 && tally->with_costs > 0)
        text_format(&sentence, "; %zu pair%s not compared", tally->incomparable,
                    tally->incomparable == 1 ? "" : "s");
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_BOLD, text_string(&sentence));
    fputc('\n', out);
}

void comparison_print(const struct comparison *comparison, bool all, FILE *out, bool coloured)
{
    fprintf(out, "%s → %s\n", comparison->names[0], comparison->names[1]);
    print_verdicts(comparison, out, coloured);
    print_costs(comparison, all, out, coloured);
    print_notes(comparison, out);
    print_reasons(comparison->anyway
                      ? "The environments differ, and what is slower may be so for that:"
                      : "Costs are not compared, as the environments differ, or nobody knows "
                        "(--anyway does):",
                  &comparison->differences, out, coloured);
    print_reasons("Nobody knows what the rest would have shown:", &comparison->shortfalls, out,
                  coloured);
    print_sentence(comparison, out, coloured);
}

// --- JSON ----------------------------------------------------------------------------------------

MAKER(side_verdict_json, struct compared_side, value_text(verdict_name(it->verdict)))
MAKER(undecided_json, struct compared_side, value_count(it->count - it->decided))
MAKER(found_json, struct compared_side, value_text(text_string(&it->found)))
TABLE(side_fields, MADE("verdict", side_verdict_json),
      FIELD_AS("repeats", struct compared_side, count), FIELD(struct compared_side, of_verdict),
      MADE("undecided", undecided_json), MADE("found", found_json));

#define RATIO(name) FIELD_IF(#name, struct figure_change, ratio.name, has_ratio)
TABLE(change_fields, FIELD_AS("before", struct figure_change, means[0]),
      FIELD_AS("now", struct figure_change, means[1]), RATIO(ratio), RATIO(low), RATIO(high),
      FIELD_AS("change", struct figure_change, word),
      FIELD_AS("driver_bound", struct figure_change, marked),
      FIELD_AS("trusted", struct figure_change, is_trusted),
      FIELD_AS("reason", struct figure_change, why_unknown));

static json_t *figures_json(const void *record)
{
    const struct compared_pair *pair = record;
    json_t *figures = json_object();
    for (enum figure figure = 0; pair->compares_costs && figure < FIGURE_COUNT; figure++) {
        if (pair->figures[figure].is_compared)
            set_value(figures, figure_name(figure).text,
                      fields_json(change_fields, &pair->figures[figure]));
    }
    return figures;
}

static const char *const verdict_words[] = {"kept", "otherwise", "better", "worse", "inconclusive"};
MAKER(schemes_json, struct compared_pair,
      json_pack("[o,o]", value_text(it->sides[0].scheme), value_text(it->sides[1].scheme)))
MAKER(sides_json, struct compared_pair,
      json_pack("[o,o]", fields_json(side_fields, it->sides[0].count > 0 ? &it->sides[0] : NULL),
                fields_json(side_fields, it->sides[1].count > 0 ? &it->sides[1] : NULL)))
TABLE(pair_fields, FIELD(struct compared_pair, scenario), MADE("schemes", schemes_json),
      MADE("verdicts", sides_json), NAME("verdict", struct compared_pair, verdict, verdict_words),
      FIELD(struct compared_pair, in_turns), FIELD_AS("reason", struct compared_pair, why_unknown),
      MADE("figures", figures_json));

#define VERDICTS(name, change) FIELD_AS(name, struct comparison_tally, verdicts[VERDICT_##change])
#define NEWS(name, news) FIELD_AS(name, struct comparison_tally, figures[NEWS_##news])
TABLE(tally_fields, VERDICTS("worse", WORSE), VERDICTS("better", BETTER),
      VERDICTS("unclear", UNCLEAR), NEWS("slower", WORSE), NEWS("faster", BETTER),
      NEWS("noise", NOISE), NEWS("same", NONE), NEWS("inconclusive", UNKNOWN),
      FIELDS(struct comparison_tally, incomparable, undecided, skipped));

MAKER(schema_json, struct comparison, json_string("lockpick-comparison-1"))
MAKER(of_json, struct comparison, json_string(it->of_schemes ? "schemes" : "runs"))
MAKER(exit_code_json, struct comparison, json_integer(comparison_exit_code(it)))
MAKER(differences_json, struct comparison, value_lines(text_string(&it->differences)))
MAKER(shortfalls_json, struct comparison, value_lines(text_string(&it->shortfalls)))
TABLE(comparison_fields, MADE("schema", schema_json),
      FIELD_AS("baseline", struct comparison, names[0]),
      FIELD_AS("other", struct comparison, names[1]), MADE("of", of_json),
      FIELD(struct comparison, margin), MADE("exit_code", exit_code_json),
      MADE("differences", differences_json), MADE("shortfalls", shortfalls_json),
      FIELD_AS("same_run", struct comparison, is_one_run), FIELD(struct comparison, anyway),
      OBJECT("summary", struct comparison, tally, tally_fields),
      ARRAY("pairs", struct comparison, pairs, count, pair_fields));

char *comparison_json(const struct comparison *comparison)
{
    return value_dump(fields_json(comparison_fields, comparison), 2);
}
