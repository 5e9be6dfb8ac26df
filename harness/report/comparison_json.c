// Schema "lockpick-comparison-1"; fields are only ever added to it. null is what is not known.
//
//  schema        string
//  baseline, other  strings  the runs, or the schemes
//  of            string   "runs" or "schemes"
//  margin        number
//  exit_code     integer  as `lockpick compare` ends with
//  differences   array of strings: of the environments, and what is known of neither
//  shortfalls    array of strings: runs that were cut short
//  same_run      boolean  both are the same one
//  anyway        boolean  costs are compared in spite of differences
//  summary       object   worse, better, unclear (verdicts), slower, faster, noise, same,
//                         inconclusive (figures), incomparable (pairs whose costs were not
//                         compared), undecided (repeats whose costs were left out), skipped (pairs
//                         left out, as neither run had the servers): integers
//  pairs         array of
//    scenario    string
//    schemes     array of two strings
//    verdicts    array of two objects or null (not run): verdict: string, the worst of the decided
//                         ones; repeats, of_verdict (that have it), undecided: integers; found:
//                         string
//    verdict     string   "kept", "otherwise" (other properties were violated), "better", "worse"
//                         or "inconclusive"
//    in_turns    boolean  repeats of the two alternated
//    reason      string   why costs cannot be compared, or ""
//    figures     object   of each that is compared ("locks/s", "acquire p99", ...):
//      before, now  numbers or null: means over the repeats, in nanoseconds, each second, or plain
//      ratio, low, high  numbers or null: of the means, now over before, and its 95 % interval
//      change    string   "no change", "within noise", "faster", "slower", "more", "fewer" or
//                         "inconclusive"
//      driver_bound  integer  repeats of both in which the driver was the limit
//      trusted   boolean  false: that was so in half of the repeats of one
//      reason    string   why it is not known, or ""
#include "harness/report/comparison.h"
#include "harness/report/json_values.h"

#include <stdlib.h>
#include <string.h>

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
    const struct ratio *ratio = &change->ratio;
    bool is_known = ratio->change != CHANGE_UNKNOWN; // though it may be inconclusive
    json_t *object = json_object();
    set_value(object, "before", value_number(change->means[0]));
    set_value(object, "now", value_number(change->means[1]));
    set_value(object, "ratio", is_known ? value_number(ratio->ratio) : json_null());
    set_value(object, "low", is_known ? value_number(ratio->low) : json_null());
    set_value(object, "high", is_known ? value_number(ratio->high) : json_null());
    set_value(object, "change", value_text(figure_change_name(figure, change)));
    set_value(object, "driver_bound", value_count(change->marked));
    set_value(object, "trusted", json_boolean(change->is_trusted));
    set_value(object, "reason", value_text(change->why_unknown));
    return object;
}

static json_t *pair_json(const struct compared_pair *pair)
{
    static const char *const verdicts[] = {"kept", "otherwise", "better", "worse", "inconclusive"};
    json_t *object = json_object();
    json_t *figures = json_object();
    set_value(object, "scenario", value_text(pair->scenario));
    set_value(object, "schemes", json_pack("[s,s]", pair->sides[0].scheme, pair->sides[1].scheme));
    json_t *sides = json_array();
    json_array_append_new(sides, side_json(&pair->sides[0]));
    json_array_append_new(sides, side_json(&pair->sides[1]));
    set_value(object, "verdicts", sides);
    set_value(object, "verdict", value_text(verdicts[pair->verdict]));
    set_value(object, "in_turns", json_boolean(pair->in_turns));
    set_value(object, "reason", value_text(pair->why_unknown));
    for (enum figure figure = 0; pair->compares_costs && figure < FIGURE_COUNT; figure++) {
        char name[40];
        if (pair->figures[figure].is_compared)
            set_value(figures, figure_name(figure, name, sizeof name),
                      figure_json(figure, &pair->figures[figure]));
    }
    set_value(object, "figures", figures);
    return object;
}

static json_t *summary_json(const struct comparison *comparison)
{
    struct comparison_tally tally = comparison_count(comparison);
    json_t *object = json_object();
    set_value(object, "worse", value_count(tally.worse));
    set_value(object, "better", value_count(tally.better));
    set_value(object, "unclear", value_count(tally.unclear));
    set_value(object, "slower", value_count(tally.slower));
    set_value(object, "faster", value_count(tally.faster));
    set_value(object, "noise", value_count(tally.noise));
    set_value(object, "same", value_count(tally.same));
    set_value(object, "inconclusive", value_count(tally.inconclusive));
    set_value(object, "incomparable", value_count(tally.incomparable));
    set_value(object, "undecided", value_count(tally.undecided));
    set_value(object, "skipped", value_count(comparison->skipped));
    return object;
}

// A string for each line.
static json_t *lines_json(const char *lines)
{
    json_t *array = json_array();
    for (size_t length; *lines != '\0'; lines += length + (lines[length] == '\n')) {
        struct text line = {0};
        length = strcspn(lines, "\n");
        text_add_bytes(&line, lines, length);
        json_array_append_new(array, value_text(text_string(&line)));
        text_free(&line);
    }
    return array;
}

char *comparison_json(const struct comparison *comparison)
{
    json_t *object = json_object();
    set_value(object, "schema", value_text("lockpick-comparison-1"));
    set_value(object, "baseline", value_text(comparison->names[0]));
    set_value(object, "other", value_text(comparison->names[1]));
    set_value(object, "of", value_text(comparison->of_schemes ? "schemes" : "runs"));
    set_value(object, "margin", value_number(comparison->margin));
    set_value(object, "exit_code", value_integer(comparison_exit_code(comparison)));
    set_value(object, "differences", lines_json(text_string(&comparison->differences)));
    set_value(object, "shortfalls", lines_json(text_string(&comparison->shortfalls)));
    set_value(object, "same_run", json_boolean(comparison->is_one_run));
    set_value(object, "anyway", json_boolean(comparison->anyway));
    set_value(object, "summary", summary_json(comparison));
    json_t *pairs = json_array();
    for (size_t i = 0; i < comparison->count; i++)
        json_array_append_new(pairs, pair_json(&comparison->pairs[i]));
    set_value(object, "pairs", pairs);
    char *text = json_dumps(object, JSON_INDENT(2));
    char *copy = memory_string(text != NULL ? text : "");
    free(text);
    json_decref(object);
    return copy;
}
