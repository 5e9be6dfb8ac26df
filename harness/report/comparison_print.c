// A comparison as people read it, what changed first, and for machines (FORMATS.md).
#include "harness/base/scope.h"
#include "harness/report/comparison.h"
#include "harness/report/document.h"
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

static void say_verdicts(struct document *d, const struct comparison *comparison)
{
    static const struct doc_column columns[] = {WORDS("verdict"), WORDS(""), WORDS(""), WORDS(""),
                                                WORDS("")};
    static const struct {
        enum verdict_change change;
        enum look look;
        const char *word;
    } order[] = {{VERDICT_WORSE, LOOK_MISSED, "✗ WORSE"},
                 {VERDICT_UNCLEAR, LOOK_UNKNOWN, "? inconclusive"},
                 {VERDICT_KEPT, LOOK_UNKNOWN, "? inconclusive"}, // its costs
                 {VERDICT_OTHERWISE, LOOK_PLAIN, "≠ otherwise"},
                 {VERDICT_BETTER, LOOK_SAFE, "✓ better"}};
    for (size_t i = 0; i < sizeof order / sizeof *order * comparison->count; i++) {
        size_t at = i / comparison->count;
        const struct compared_pair *pair = &comparison->pairs[i % comparison->count];
        bool has_news = pair->verdict != VERDICT_KEPT || pair->why_unknown[0] != '\0';
        bool is_next = pair->verdict == order[at].change && has_news;
        size_t alike = is_next ? count_alike(comparison, i % comparison->count) : 0;
        AUTO_TEXT struct text before = {0};
        AUTO_TEXT struct text now = {0};
        if (alike == 0)
            continue;
        if (alike == 1) {
            add_verdict(&pair->sides[0], &before);
            text_add(&now, "→ ");
            add_verdict(&pair->sides[1], &now);
        }
        if (doc_inside(d, DOC_TABLE) == NULL)
            doc_table(d, (struct doc_table){"Verdicts", COLUMNS(columns), 0, NULL});
        doc_row(d, NULL, alike);
        doc_cell(d, order[at].look, "%s", order[at].word);
        doc_cell(d, LOOK_PLAIN, "%s", pair->scenario);
        if (alike > 1)
            doc_cell(d, LOOK_PLAIN, "%zu schemes", alike);
        else
            doc_cell(d, LOOK_PLAIN, "%s", comparison->of_schemes ? "" : pair->sides[0].scheme);
        doc_cell(d, LOOK_PLAIN, "%s", text_string(&before));
        doc_cell(d, LOOK_PLAIN, "%s%s%s", text_string(&now),
                 alike == 1 && pair->why_unknown[0] != '\0' ? ": " : "", pair->why_unknown);
    }
}

// --- costs ---------------------------------------------------------------------------------------

// More exactly than elsewhere: two are held against each other.
static struct words mean_words(enum figure figure, double mean)
{
    return isnan(mean) || figure_forms[figure].value == NULL ? figure_text(figure, mean)
                                                             : rate_words(mean);
}

// `more`: figures of the pair of the same news that have no row of their own.
static void say_row(struct document *d, const struct comparison *comparison,
                    const struct compared_pair *pair, enum figure figure, size_t more)
{
    static const enum look looks[NEWS_COUNT] = {
        [NEWS_WORSE] = LOOK_MISSED, [NEWS_UNKNOWN] = LOOK_UNKNOWN, [NEWS_BETTER] = LOOK_SAFE,
        [NEWS_OTHER] = LOOK_PLAIN,  [NEWS_NOISE] = LOOK_QUIET,     [NEWS_NONE] = LOOK_QUIET};
    const struct figure_change *change = &pair->figures[figure];
    const struct ratio *ratio = &change->ratio;
    bool has_ratio = ratio->change != CHANGE_UNKNOWN;
    doc_row(d, NULL, 1);
    doc_cell(d, LOOK_PLAIN, "%s", pair->scenario);
    if (!comparison->of_schemes)
        doc_cell(d, LOOK_PLAIN, "%s", pair->sides[0].scheme);
    doc_cell(d, LOOK_PLAIN, "%s", figure_name(figure).text);
    for (int i = 0; i < 2; i++)
        doc_cell(d, LOOK_PLAIN, "%s", mean_words(figure, change->means[i]).text);
    doc_cell(d, LOOK_PLAIN, has_ratio ? "%.3f" : "–", ratio->ratio);
    doc_cell(d, LOOK_PLAIN, has_ratio ? "%.3f–%.3f" : "–", ratio->low, ratio->high);
    doc_cell(d, looks[change->news], "%s%s", change->word, change->marked > 0 ? "*" : "");
    if (change->news == NEWS_UNKNOWN)
        doc_say(d, LOOK_PLAIN, ": %s", change->why_unknown);
    if (more > 0)
        doc_say(d, LOOK_PLAIN, " (and %zu more figure%s)", more, plural((long long)more));
}

static bool has_news(const struct compared_pair *pair, enum figure figure, enum figure_news news)
{
    const struct figure_change *change = &pair->figures[figure];
    return pair->compares_costs && change->is_compared && change->news == news;
}

// A line of its own, below what was said before.
#define LINE(...) (doc_item(d, LOOK_PLAIN), doc_say(d, LOOK_PLAIN, __VA_ARGS__))

static void say_costs(struct document *d, const struct comparison *comparison, bool all)
{
    const bool of_schemes = comparison->of_schemes;
    const char *const *names = comparison->names;
    const struct doc_column columns[] = {WORDS("scenario"),
                                         WORDS(of_schemes ? "scenario" : "scheme"),
                                         WORDS("figure"),
                                         FIGURE(of_schemes ? names[0] : "before"),
                                         FIGURE(of_schemes ? names[1] : "now"),
                                         FIGURE("ratio"),
                                         FIGURE("with 95 %"),
                                         WORDS("")};
    bool is_whole = all || comparison->count <= MOST_SHOWN_WHOLE;
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
                if (doc_inside(d, DOC_TABLE) == NULL)
                    doc_table(d, (struct doc_table){"Costs", columns + of_schemes, 8 - of_schemes,
                                                    0, NULL});
                say_row(d, comparison, pair, figure, in_brief ? count - 1 : 0);
                told++;
            }
        }
    }
    if (doc_inside(d, DOC_TABLE) != NULL)
        LINE("The figures are means over the repeats, each of which has percentiles of its own; "
             "ratio: %s over %s. A difference of %.3g %% does not matter.",
             of_schemes ? names[1] : "now", of_schemes ? names[0] : "before",
             100 * comparison->margin);
}

// --- how far to trust it -------------------------------------------------------------------------

static void say_notes(struct document *d, const struct comparison *comparison)
{
    const struct comparison_tally *tally = &comparison->tally;
    const size_t *news = tally->figures;
    size_t figures = news[NEWS_WORSE] + news[NEWS_BETTER] + news[NEWS_NOISE] + news[NEWS_NONE];
    if (tally->marked > 0)
        LINE("* the driver was the limit in some repeats; if in half of them, it is the driver "
             "that is compared");
    if (comparison->of_schemes && tally->one_by_one > 0)
        LINE("The schemes did not take turns: what slowed the machine meanwhile counts as a "
             "difference (lockpick compare FILE --scheme X --scheme Y lets them)");
    if (news[NEWS_NOISE] > 0)
        LINE("What is within noise may differ by up to %.0f %%, unseen: more repeats would tell.",
             100 * tally->widest);
    if (tally->least_repeats > 0 && tally->least_repeats < 5)
        LINE("%zu repeats are few: their intervals are wide", tally->least_repeats);
    if (tally->undecided > 0)
        LINE("%zu repeat%s could not be decided: %s costs are left out", tally->undecided,
             plural((long long)tally->undecided), tally->undecided == 1 ? "its" : "their");
    if (tally->skipped > 0)
        LINE("%zu pair%s skipped in both: neither run had the servers", tally->skipped,
             tally->skipped == 1 ? " was" : "s were");
    if (comparison->is_one_run)
        LINE("Both are the same run, which cannot differ from itself");
    if (figures >= EQUAL_LOOKS_DIFFERENT)
        LINE("Of %zu figures that are equal, about %zu would look different by chance", figures,
             figures / EQUAL_LOOKS_DIFFERENT);
}

// Why less is known than could be, a line each.
static void say_reasons(struct document *d, const char *title, const struct text *lines)
{
    if (lines->length > 0) {
        doc_paragraph(d, LOOK_PLAIN, "%s", "");
        doc_say(d, LOOK_UNKNOWN, "%s", title);
        doc_say(d, LOOK_PLAIN, "\n%.*s", (int)lines->length - 1, lines->bytes);
    }
}

static void say_sentence(struct document *d, const struct comparison *comparison)
{
    const struct comparison_tally *tally = &comparison->tally;
    const size_t *verdicts = tally->verdicts;
    const size_t *news = tally->figures;
    doc_paragraph(d, LOOK_LEAD, "%zu pair%s: ", comparison->count,
                  plural((long long)comparison->count));
    if (comparison->count == 0)
        doc_say(d, LOOK_PLAIN, "nothing was compared");
    else if (verdicts[VERDICT_WORSE] + verdicts[VERDICT_BETTER] + verdicts[VERDICT_UNCLEAR] == 0)
        doc_say(d, LOOK_PLAIN, "no verdict changed");
    else
        doc_say(d, LOOK_PLAIN, "verdicts: %zu worse, %zu better, %zu inconclusive",
                verdicts[VERDICT_WORSE], verdicts[VERDICT_BETTER], verdicts[VERDICT_UNCLEAR]);
    if (comparison->count > 0 && tally->with_costs == 0)
        doc_say(d, LOOK_PLAIN, "; costs: not compared");
    else if (comparison->count > 0)
        doc_say(d, LOOK_PLAIN,
                "; costs: %zu slower, %zu faster, %zu within noise, %zu no change, %zu "
                "inconclusive",
                news[NEWS_WORSE], news[NEWS_BETTER], news[NEWS_NOISE], news[NEWS_NONE],
                news[NEWS_UNKNOWN]);
    if (tally->incomparable > 0 && tally->with_costs > 0)
        doc_say(d, LOOK_PLAIN, "; %zu pair%s not compared", tally->incomparable,
                plural((long long)tally->incomparable));
}

void comparison_print(const struct comparison *comparison, bool all, FILE *out, bool coloured)
{
    struct document d = {.medium = TERMINAL, .out = out, .is_coloured = coloured};
    doc_paragraph(&d, LOOK_PLAIN, "%s → %s", comparison->names[0], comparison->names[1]);
    say_verdicts(&d, comparison);
    doc_end(&d, DOC_TABLE);
    say_costs(&d, comparison, all);
    say_notes(&d, comparison);
    say_reasons(&d,
                comparison->anyway
                    ? "The environments differ, and what is slower may be so for that:"
                    : "Costs are not compared, as the environments differ, or nobody knows "
                      "(--anyway does):",
                &comparison->differences);
    say_reasons(&d, "Nobody knows what the rest would have shown:", &comparison->shortfalls);
    say_sentence(&d, comparison);
    doc_finish(&d);
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
