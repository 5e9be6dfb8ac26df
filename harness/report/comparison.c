#include "harness/report/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- sides ---------------------------------------------------------------------------------------

bool verdict_is_decided(enum verdict verdict)
{
    return verdict <= VERDICT_STUCK;
}

// Worse ones are higher. What was not decided says nothing, and what was skipped still less.
static int rank_of(enum verdict verdict)
{
    return verdict == VERDICT_SAFE      ? 1
           : verdict == VERDICT_STUCK   ? 2
           : verdict == VERDICT_UNSAFE  ? 3
           : verdict == VERDICT_SKIPPED ? -1
                                        : 0;
}

static bool is_of(const struct repeat_figures *repeat, const char *scenario, const char *scheme)
{
    return strcmp(repeat->scenario, scenario) == 0 && strcmp(repeat->scheme, scheme) == 0;
}

static const struct repeat_figures *repeat_of(const struct compared_side *side, size_t nth)
{
    return &side->run->repeats[side->repeats[nth]];
}

// The properties that any of the side's decided repeats violated, in the order of the catalogue.
static struct text found_by(const struct compared_side *side)
{
    struct text found = {0};
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const char *name = check_catalogue[i]->name;
        bool any = false;
        for (size_t j = 0; j < side->count && !any; j++)
            any = verdict_is_decided(repeat_of(side, j)->verdict) &&
                  strstr(repeat_of(side, j)->found, name) != NULL;
        if (any)
            text_format(&found, "%s%s", found.length > 0 ? ", " : "", name);
    }
    return found;
}

static struct compared_side side_make(const struct run_figures *run, const char *scenario,
                                      const char *scheme)
{
    struct compared_side side = {.run = run, .scheme = scheme};
    side.repeats = memory_new((run->count + 1) * sizeof *side.repeats);
    for (size_t i = 0; i < run->count; i++) {
        const struct repeat_figures *repeat = &run->repeats[i];
        if (!is_of(repeat, scenario, scheme))
            continue;
        if (side.count == 0 || rank_of(repeat->verdict) > rank_of(side.verdict))
            side.verdict = repeat->verdict;
        side.decided += verdict_is_decided(repeat->verdict);
        side.repeats[side.count++] = i;
    }
    for (size_t i = 0; i < side.count; i++)
        side.of_verdict += repeat_of(&side, i)->verdict == side.verdict;
    side.found = found_by(&side);
    return side;
}

static void side_free(struct compared_side *side)
{
    free(side->repeats);
    text_free(&side->found);
}

static enum verdict_change change_of_verdict(const struct compared_side *base,
                                             const struct compared_side *other)
{
    if (base->decided == 0 || other->decided == 0)
        return VERDICT_UNCLEAR;
    int difference = rank_of(other->verdict) - rank_of(base->verdict);
    // The others may be anything.
    if (base->decided + other->decided < base->count + other->count)
        return difference > 0 ? VERDICT_WORSE : VERDICT_UNCLEAR;
    if (difference != 0)
        return difference > 0 ? VERDICT_WORSE : VERDICT_BETTER;
    return strcmp(text_string(&base->found), text_string(&other->found)) == 0 ? VERDICT_KEPT
                                                                              : VERDICT_OTHERWISE;
}

// --- pairs ---------------------------------------------------------------------------------------

// Each one's nth repeat is next to the other's, and nothing lay between.
static bool took_turns(const struct compared_side *base, const struct compared_side *other)
{
    if (base->run != other->run || base->count != other->count || base->count < 2)
        return false;
    for (size_t i = 0; i < base->count; i++) {
        size_t a = base->repeats[i];
        size_t b = other->repeats[i];
        if ((a > b ? a - b : b - a) != 1)
            return false;
    }
    return true;
}

// True if a repeat of the side asked something else than the baseline's first did.
static bool asks_otherwise(const struct repeat_figures *first, const struct compared_side *side,
                           struct compared_pair *pair)
{
    char where[70] = "";
    for (size_t i = 0; i < side->count; i++) {
        if (repeats_ask_the_same(first, repeat_of(side, i), where, sizeof where))
            continue;
        snprintf(pair->why_unknown, sizeof pair->why_unknown, "the scenario is not the same: %s",
                 where);
        return true;
    }
    return false;
}

static bool has_another_topology(const struct repeat_figures *first,
                                 const struct compared_side *side)
{
    bool any = false;
    for (size_t i = 0; i < side->count; i++) {
        const struct repeat_figures *repeat = repeat_of(side, i);
        any |= strcmp(first->scheme, repeat->scheme) == 0 &&
               strcmp(first->topology, repeat->topology) != 0;
    }
    return any;
}

// Says why their costs cannot be compared. True if not even their verdicts can.
static bool doubt_pair(struct compared_pair *pair)
{
    const struct compared_side *base = &pair->sides[0];
    const struct compared_side *other = &pair->sides[1];
    if (base->count == 0 || other->count == 0) {
        snprintf(pair->why_unknown, sizeof pair->why_unknown, "%s",
                 base->count == 0 ? "it is missing in the baseline"
                                  : "the baseline has it, the other has not");
        return true;
    }
    const struct repeat_figures *first = repeat_of(base, 0);
    if (asks_otherwise(first, base, pair) || asks_otherwise(first, other, pair))
        return true;
    if (has_another_topology(first, base) || has_another_topology(first, other))
        snprintf(pair->why_unknown, sizeof pair->why_unknown, "its servers have another topology");
    return false;
}

static void add_pair(struct comparison *comparison, const char *scenario, struct compared_side base,
                     struct compared_side other)
{
    comparison->pairs =
        memory_resized(comparison->pairs, (comparison->count + 1) * sizeof *comparison->pairs);
    struct compared_pair *pair = &comparison->pairs[comparison->count++];
    *pair = (struct compared_pair){.scenario = scenario, .sides = {base, other}};
    bool is_alien = doubt_pair(pair);
    pair->verdict = is_alien ? VERDICT_UNCLEAR : change_of_verdict(&base, &other);
    pair->in_turns = took_turns(&base, &other);
    bool is_refused = comparison->differences.length > 0 && !comparison->anyway;
    pair->compares_costs = !is_refused && pair->why_unknown[0] == '\0' &&
                           !repeat_of(&base, 0)->strikes && !repeat_of(&other, 0)->strikes;
    for (enum figure figure = 0; figure < FIGURE_COUNT && pair->compares_costs; figure++)
        if (figure_is(figure, IN_COMPARISON))
            comparison_figure(comparison, pair, figure);
}

static bool is_wanted(const struct comparison_options *options, const char *scheme)
{
    bool any = false;
    for (int i = 0; i < 2; i++) {
        any |= options->only[i] != NULL;
        if (options->only[i] != NULL && text_matches(scheme, options->only[i]))
            return true;
    }
    return !any;
}

// True if all of its repeats were: no verdict ranks lower.
static bool is_skipped(const struct compared_side *side)
{
    return side->count > 0 && side->verdict == VERDICT_SKIPPED;
}

static void note_shortfall(const struct run_figures *run, struct text *out)
{
    if (run->was_stopped)
        text_format(out, "%s was stopped before it could write its result\n", run->name);
    else if (run->finished < run->planned)
        text_format(out, "%s was cut short: %zu of %zu trials were run\n", run->name, run->finished,
                    run->planned);
}

// True if an earlier repeat of the run is of the same scenario and, unless NULL, scheme.
static bool came_before(const struct run_figures *run, size_t index, bool whatever_scheme)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(run->repeats[i].scenario, run->repeats[index].scenario) == 0 &&
            (whatever_scheme || strcmp(run->repeats[i].scheme, run->repeats[index].scheme) == 0))
            return true;
    }
    return false;
}

void comparison_of_runs(const struct run_figures *base, const struct run_figures *other,
                        const struct comparison_options *options, struct comparison *comparison)
{
    const struct run_figures *runs[] = {base, other};
    *comparison = (struct comparison){
        .names = {base->name, other->name}, .margin = options->margin, .anyway = options->anyway};
    comparison_environments(base, other, &comparison->differences);
    note_shortfall(base, &comparison->shortfalls);
    note_shortfall(other, &comparison->shortfalls);
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < runs[i]->count; j++) {
            const struct repeat_figures *repeat = &runs[i]->repeats[j];
            if (came_before(runs[i], j, false) || !is_wanted(options, repeat->scheme))
                continue;
            struct compared_side a = side_make(base, repeat->scenario, repeat->scheme);
            struct compared_side b = side_make(other, repeat->scenario, repeat->scheme);
            bool is_new = i == 0 || a.count == 0;
            bool are_skipped = is_skipped(&a) && is_skipped(&b);
            comparison->skipped += is_new && are_skipped;
            if (is_new && !are_skipped) {
                add_pair(comparison, repeat->scenario, a, b);
            } else {
                side_free(&a);
                side_free(&b);
            }
        }
    }
}

void comparison_of_schemes(const struct run_figures *run, const char *base, const char *other,
                           const struct comparison_options *options, struct comparison *comparison)
{
    *comparison =
        (struct comparison){.names = {base, other}, .of_schemes = true, .margin = options->margin};
    note_shortfall(run, &comparison->shortfalls);
    for (size_t i = 0; i < run->count; i++) {
        const char *scenario = run->repeats[i].scenario;
        if (came_before(run, i, true))
            continue;
        struct compared_side a = side_make(run, scenario, base);
        struct compared_side b = side_make(run, scenario, other);
        if (a.count + b.count > 0) {
            add_pair(comparison, scenario, a, b);
        } else {
            side_free(&a);
            side_free(&b);
        }
    }
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        side_free(&comparison->pairs[i].sides[0]);
        side_free(&comparison->pairs[i].sides[1]);
    }
    free(comparison->pairs);
    text_free(&comparison->differences);
    text_free(&comparison->shortfalls);
    *comparison = (struct comparison){0};
}
