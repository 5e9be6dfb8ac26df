#include "harness/report/comparison.h"

#include "harness/base/scope.h"
#include "harness/report/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- one trial -----------------------------------------------------------------------------------

static int64_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void read_values(const json_t *statistics, struct repeat_figures *repeat)
{
    const json_t *driver = json_object_get(statistics, "driver_bound");
    bool is_bound = json_is_true(json_object_get(driver, "is_bound"));
    int64_t granted = integer_of(statistics, "holds");
    int64_t asked =
        granted + integer_of(statistics, "not_held") + integer_of(statistics, "unknown");
    double longest_open_ns = (double)integer_of(statistics, "longest_open_ns");
    repeat->acquires = time_later(integer_of(json_object_get(statistics, "load"), "due"), asked);
    repeat->denied = repeat->acquires - granted;
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        const struct figure_form *form = &figure_forms[figure];
        const struct percentile_form *percentile = &percentile_forms[form->percentile];
        bool is_late = false;
        size_t index;
        const json_t *late;
        if (!figure_is(figure, IN_COMPARISON))
            continue;
        json_array_foreach(json_object_get(driver, "late"), index, late)
        {
            is_late |= figure_is_acquire(figure) && json_is_string(late) &&
                       strcmp(json_string_value(late), percentile->name) == 0;
        }
        const json_t *value = json_object_get(
            statistics, form->value != NULL ? form->key : latency_forms[form->latency].key);
        if (form->value == NULL)
            value = percentile_has_enough(integer_of(value, "count"), percentile->percent)
                        ? json_object_get(value, percentile->key)
                        : NULL;
        double number = json_is_number(value) ? json_number_value(value) : NAN;
        repeat->values[figure] = number >= 0 && isfinite(number) ? number : NAN;
        repeat->is_drivers[figure] = !form->is_neither && (is_bound || is_late);
        // Those that the end cut off would have taken no longer, as far as anybody knows.
        bool are_excused = longest_open_ns <= repeat->values[figure];
        int64_t denied = repeat->denied - (are_excused ? integer_of(statistics, "open") : 0);
        repeat->is_partial[figure] =
            figure_is_acquire(figure) &&
            !percentile_is_of_all(repeat->acquires, denied, percentile->percent);
    }
}

// A result of before some words were changed asks the same in those of today.
static void renew_words(json_t *scenario)
{
    json_t *clients = json_object_get(scenario, "clients");
    json_t *lead = json_object_get(clients, "lead");
    size_t index;
    json_t *fault;
    if (lead != NULL) {
        json_object_set(clients, "start_first", lead);
        json_object_del(clients, "lead");
    }
    json_array_foreach(json_object_get(scenario, "faults"), index, fault)
    {
        const char *verb = text_at(fault, "verb");
        const char *text = text_at(fault, "text");
        const char *now = word_of_today("faults", verb);
        if (now == NULL)
            continue;
        AUTO_TEXT struct text renewed = {0};
        text_format(&renewed, "%s%s", now,
                    strncmp(text, verb, strlen(verb)) == 0 ? text + strlen(verb) : "");
        json_object_set_new(fault, "verb", json_string(now));
        json_object_set_new(fault, "text", json_string(renewed.bytes));
    }
}

// --- what was asked ------------------------------------------------------------------------------

// True if there is a key, other than those set `apart`, that differs or that one of them lacks.
static bool find_difference(const json_t *a, const json_t *b, const char *const *apart, char *where,
                            size_t room)
{
    static const char *const nothing[] = {NULL};
    const json_t *const both[] = {a, b};
    const char *key;
    json_t *value;
    for (int i = 0; i < 2; i++) {
        json_object_foreach((json_t *)(size_t)both[i], key, value)
        {
            const json_t *other = json_object_get(both[1 - i], key);
            char rest[60] = "";
            if (text_is_one_of(key, apart) || (other != NULL && json_equal(value, other)))
                continue;
            if (json_is_object(value) && json_is_object(other))
                (void)find_difference(value, other, nothing, rest, sizeof rest);
            snprintf(where, room, "%s%s%s%s", key, rest[0] != '\0' ? "." : "", rest,
                     other == NULL ? " (known of one only)" : "");
            return true;
        }
    }
    return false;
}

// --- the run -------------------------------------------------------------------------------------

int run_figures_make(json_t *result, const char *name, struct run_figures *figures,
                     struct error *error)
{
    const json_t *trials = json_object_get(result, "trials");
    size_t index;
    const json_t *trial;
    *figures = (struct run_figures){.result = result, .name = name};
    if (strcmp(text_at(result, "schema"), "lockpick-result-1") != 0 || !json_is_array(trials))
        return error_set(error,
                         "%s is no result of a run: its schema is '%.40s', not "
                         "'lockpick-result-1'",
                         name, text_at(result, "schema"));
    environment_from_json(json_object_get(result, "environment"), &figures->environment);
    figures->environment.duration_ns = integer_of(result, "duration_ns");
    figures->planned = (size_t)integer_of(result, "planned");
    figures->repeats = memory_zeroed(json_array_size(trials) + 1, sizeof *figures->repeats);
    json_array_foreach(trials, index, trial)
    {
        json_t *scenario = json_object_get(trial, "scenario");
        enum verdict verdict = VERDICT_SAFE;
        while (verdict < VERDICT_NOT_APPLICABLE &&
               strcmp(verdict_name(verdict), text_at(trial, "verdict")) != 0)
            verdict++;
        if (strcmp(verdict_name(verdict), text_at(trial, "verdict")) != 0)
            verdict = VERDICT_ERROR;
        figures->finished += !json_is_true(json_object_get(trial, "cut_short"));
        if (verdict == VERDICT_NOT_APPLICABLE)
            continue;
        renew_words(scenario);
        struct repeat_figures *repeat = &figures->repeats[figures->count++];
        *repeat = (struct repeat_figures){
            .scenario = text_at(scenario, "name"),
            .scheme = text_at(trial, "scheme"),
            .topology = text_at(trial, "topology"),
            .verdict = verdict,
            .findings = json_object_get(trial, "findings"),
            .asked = scenario,
            .strikes = json_array_size(json_object_get(scenario, "faults")) > 0};
        read_values(json_object_get(trial, "statistics"), repeat);
    }
    return 0;
}

void run_figures_free(struct run_figures *figures)
{
    free(figures->repeats);
    json_decref(figures->result);
    *figures = (struct run_figures){0};
}

// --- sides ---------------------------------------------------------------------------------------

static bool verdict_is_decided(enum verdict verdict)
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

static struct compared_side side_make(const struct run_figures *run, const char *scenario,
                                      const char *scheme)
{
    struct compared_side side = {.run = run, .scheme = scheme};
    bool violated[MAX_CHECKS] = {false};
    side.repeats = memory_new((run->count + 1) * sizeof *side.repeats);
    for (size_t i = 0; i < run->count; i++) {
        const struct repeat_figures *repeat = &run->repeats[i];
        size_t index;
        const json_t *finding;
        if (!is_of(repeat, scenario, scheme))
            continue;
        if (side.count == 0 || rank_of(repeat->verdict) > rank_of(side.verdict))
            side.verdict = repeat->verdict;
        side.decided += verdict_is_decided(repeat->verdict);
        side.repeats[side.count++] = i;
        json_array_foreach(repeat->findings, index, finding)
        {
            for (size_t j = 0; check_catalogue[j] != NULL; j++)
                violated[j] |=
                    verdict_is_decided(repeat->verdict) &&
                    strcmp(text_at(finding, "property"), check_catalogue[j]->name) == 0 &&
                    strcmp(text_at(finding, "state"), "violated") == 0 &&
                    !json_is_true(json_object_get(finding, "harmless"));
        }
    }
    for (size_t i = 0; i < side.count; i++)
        side.of_verdict += repeat_of(&side, i)->verdict == side.verdict;
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        if (violated[i])
            text_add_item(&side.found, check_catalogue[i]->name);
    }
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

// --- one figure of two sides ---------------------------------------------------------------------

// Of all draws: the same figures give the same interval.
#define SEED 1

// The figures of one side.
struct figures {
    double *values;
    double mean;      // NaN: none has it
    size_t count;     // repeats that have it
    size_t of;        // repeats that count
    size_t marked;    // in which the driver was the limit
    bool any_partial; // in which more were denied than lie beyond it
    int64_t acquires, denied;
};

static struct figures figures_of(const struct compared_pair *pair, int side, enum figure figure)
{
    size_t most = pair->sides[side].count;
    struct figures figures = {.values = memory_new((most + 1) * sizeof(double))};
    double sum = 0;
    for (size_t i = 0; i < most; i++) {
        const struct repeat_figures *repeat = repeat_of(&pair->sides[side], i);
        // Of repeats in turns, one that was not decided takes its partner with it.
        if (!verdict_is_decided(repeat->verdict) ||
            (pair->in_turns && !verdict_is_decided(repeat_of(&pair->sides[1 - side], i)->verdict)))
            continue;
        figures.of++;
        if (isnan(repeat->values[figure]))
            continue;
        figures.values[figures.count++] = repeat->values[figure];
        figures.marked += repeat->is_drivers[figure];
        figures.any_partial |= repeat->is_partial[figure];
        figures.acquires += repeat->acquires;
        figures.denied += repeat->denied;
        sum += repeat->values[figure];
    }
    figures.mean = figures.count > 0 ? sum / (double)figures.count : NAN;
    return figures;
}

// Whether more of it is worse, less, or none of both (commands).
static enum change worse_of(enum figure figure)
{
    const struct figure_form *form = &figure_forms[figure];
    return form->more_is_better ? CHANGE_LESS : form->is_neither ? CHANGE_UNKNOWN : CHANGE_MORE;
}

// --- why it cannot be told -----------------------------------------------------------------------

#define UNKNOWN(...) snprintf(change->why_unknown, sizeof change->why_unknown, __VA_ARGS__)

// There is no ratio.
static void doubt_figures(const struct comparison *comparison, const struct figures sides[2],
                          struct figure_change *change)
{
    for (int i = 0; i < 2 && change->why_unknown[0] == '\0'; i++) {
        if (sides[i].count == 0 && comparison->of_schemes)
            UNKNOWN("not measured of %.60s", comparison->names[i]);
        else if (sides[i].count == 0)
            UNKNOWN(i == 0 ? "not measured before" : "not measured");
        else if (sides[i].count < sides[i].of)
            UNKNOWN("%zu of %zu repeats lack it%s", sides[i].of - sides[i].count, sides[i].of,
                    i == 0 ? " in the baseline" : "");
    }
    if (change->why_unknown[0] == '\0' &&
        (sides[0].count < RATIO_LEAST_REPEATS || sides[1].count < RATIO_LEAST_REPEATS))
        UNKNOWN("too few repeats have it");
}

// There is one.
static void doubt_ratio(const struct comparison *comparison, enum figure figure,
                        const struct figures sides[2], struct figure_change *change)
{
    enum change what = change->ratio.change;
    enum change worse = worse_of(figure);
    bool is_worse = what == worse;
    bool is_better = !is_worse && (what == CHANGE_MORE || what == CHANGE_LESS);
    // What was denied makes the latency of the rest too short, so that what is slower in spite of
    // it stands, and so does what is faster than it.
    int denied = sides[1].any_partial ? 1 : 0;
    bool may_be_denials = (sides[0].any_partial && !(is_better && !sides[1].any_partial)) ||
                          (sides[1].any_partial && !(is_worse && !sides[0].any_partial));
    // How much worse it may be: 0.2 is a fifth longer, or as many fewer in the same time.
    double worst = worse == CHANGE_MORE   ? change->ratio.high - 1
                   : worse == CHANGE_LESS ? 1 / change->ratio.low - 1
                                          : 0;
    if (what == CHANGE_UNKNOWN)
        UNKNOWN(change->means[0] > 0 ? "there is no ratio of such numbers"
                                     : "it is 0 in the baseline");
    else if (!change->is_trusted)
        UNKNOWN("the driver was the limit");
    else if (may_be_denials)
        UNKNOWN("%lld of %lld acquires%s were never granted, and have no latency",
                (long long)sides[denied].denied, (long long)sides[denied].acquires,
                denied == 0 ? " of the baseline" : "");
    else if (what == CHANGE_NOISE && worst > 1e3)
        UNKNOWN("within noise, which may hide anything");
    else if (what == CHANGE_NOISE && worst > COMPARISON_NOISE * comparison->margin)
        UNKNOWN("within noise, and may be slower by %.*f %%", worst < 0.1 ? 1 : 0, 100 * worst);
}

static void compare_figure(const struct comparison *comparison, struct compared_pair *pair,
                           enum figure figure)
{
    static const char *const words[] = {[NEWS_WORSE] = "slower",
                                        [NEWS_UNKNOWN] = "inconclusive",
                                        [NEWS_BETTER] = "faster",
                                        [NEWS_NOISE] = "within noise",
                                        [NEWS_NONE] = "no change"};
    struct figure_change *change = &pair->figures[figure];
    struct figures sides[2];
    *change = (struct figure_change){.is_trusted = true};
    for (int i = 0; i < 2; i++) {
        sides[i] = figures_of(pair, i, figure);
        change->means[i] = sides[i].mean;
        change->marked += sides[i].marked;
        change->is_trusted &= sides[i].count == 0 || 2 * sides[i].marked < sides[i].count;
    }
    bool may_lack = comparison->of_schemes && figure_forms[figure].may_lack;
    bool has_both = sides[0].count > 0 && sides[1].count > 0;
    bool has_any = sides[0].count + sides[1].count > 0;
    change->is_compared = figure == FIGURE_RATE || (may_lack ? has_both : has_any);
    doubt_figures(comparison, sides, change);
    if (change->why_unknown[0] == '\0') {
        change->ratio = ratio_make(sides[0].values, sides[0].count, sides[1].values, sides[1].count,
                                   pair->in_turns, comparison->margin, SEED);
        change->has_ratio = change->ratio.change != CHANGE_UNKNOWN;
        doubt_ratio(comparison, figure, sides, change);
    }
    enum change what = change->ratio.change;
    change->news = change->why_unknown[0] != '\0'    ? NEWS_UNKNOWN
                   : what == CHANGE_NONE             ? NEWS_NONE
                   : what == CHANGE_NOISE            ? NEWS_NOISE
                   : figure_forms[figure].is_neither ? NEWS_OTHER
                   : what == worse_of(figure)        ? NEWS_WORSE
                                                     : NEWS_BETTER;
    change->word = change->news != NEWS_OTHER ? words[change->news]
                   : what == CHANGE_MORE      ? "more"
                                              : "fewer";
    free(sides[0].values);
    free(sides[1].values);
}

// --- pairs ---------------------------------------------------------------------------------------

// Each one's nth repeat is next to the other's, and nothing lay between.
static bool took_turns(const struct compared_side *base, const struct compared_side *other)
{
    bool in_turns = base->run == other->run && base->count == other->count && base->count >= 2;
    for (size_t i = 0; in_turns && i < base->count; i++)
        in_turns =
            base->repeats[i] + 1 == other->repeats[i] || other->repeats[i] + 1 == base->repeats[i];
    return in_turns;
}

// What the side's repeats asked otherwise than the baseline's first did: of the scenario, which no
// verdict survives, or of the servers. True if it is the scenario.
static bool doubt_side(const struct repeat_figures *first, const struct compared_side *side,
                       struct compared_pair *pair)
{
    static const char *const apart[] = {"name", "about", "path", NULL};
    char where[70] = "";
    for (size_t i = 0; i < side->count; i++) {
        const struct repeat_figures *repeat = repeat_of(side, i);
        if (find_difference(first->asked, repeat->asked, apart, where, sizeof where)) {
            snprintf(pair->why_unknown, sizeof pair->why_unknown,
                     "the scenario is not the same: %s", where);
            return true;
        }
        if (strcmp(first->scheme, repeat->scheme) == 0 &&
            strcmp(first->topology, repeat->topology) != 0)
            snprintf(pair->why_unknown, sizeof pair->why_unknown,
                     "its servers have another topology");
    }
    return false;
}

static void count_pair(const struct compared_pair *pair, struct comparison_tally *tally)
{
    tally->verdicts[pair->verdict]++;
    tally->incomparable += pair->why_unknown[0] != '\0';
    if (!pair->compares_costs)
        return;
    tally->with_costs++;
    tally->one_by_one += !pair->in_turns;
    for (int i = 0; i < 2; i++) {
        const struct compared_side *side = &pair->sides[i];
        tally->undecided += side->count - side->decided;
        if (side->decided >= RATIO_LEAST_REPEATS &&
            (tally->least_repeats == 0 || side->decided < tally->least_repeats))
            tally->least_repeats = side->decided;
    }
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        const struct figure_change *change = &pair->figures[figure];
        tally->marked += change->marked > 0;
        if (!change->is_compared)
            continue;
        tally->figures[change->news]++;
        if (change->news == NEWS_NOISE)
            tally->widest =
                fmax(tally->widest, fmax(change->ratio.high - 1, 1 - change->ratio.low));
    }
}

// The pair of a scenario, unless neither has it, or neither run had servers for it.
static void add_pair(struct comparison *comparison, const char *scenario, struct compared_side base,
                     struct compared_side other)
{
    // All of their repeats were: no verdict ranks lower.
    bool are_skipped = base.count > 0 && base.verdict == VERDICT_SKIPPED && other.count > 0 &&
                       other.verdict == VERDICT_SKIPPED;
    if (base.count + other.count == 0 || (are_skipped && !comparison->of_schemes)) {
        comparison->tally.skipped += are_skipped;
        side_free(&base);
        side_free(&other);
        return;
    }
    comparison->pairs =
        memory_resized(comparison->pairs, (comparison->count + 1) * sizeof *comparison->pairs);
    struct compared_pair *pair = &comparison->pairs[comparison->count++];
    *pair = (struct compared_pair){.scenario = scenario, .sides = {base, other}};
    // Whether not even their verdicts can be compared.
    bool is_alien = base.count == 0 || other.count == 0;
    if (is_alien)
        snprintf(pair->why_unknown, sizeof pair->why_unknown, "%s",
                 base.count == 0 ? "it is missing in the baseline"
                                 : "the baseline has it, the other has not");
    else
        is_alien = doubt_side(repeat_of(&base, 0), &base, pair) ||
                   doubt_side(repeat_of(&base, 0), &other, pair);
    pair->verdict = is_alien ? VERDICT_UNCLEAR : change_of_verdict(&base, &other);
    pair->in_turns = took_turns(&base, &other);
    bool is_refused = comparison->differences.length > 0 && !comparison->anyway;
    pair->compares_costs = !is_refused && pair->why_unknown[0] == '\0' &&
                           !repeat_of(&base, 0)->strikes && !repeat_of(&other, 0)->strikes;
    for (enum figure figure = 0; figure < FIGURE_COUNT && pair->compares_costs; figure++)
        if (figure_is(figure, IN_COMPARISON))
            compare_figure(comparison, pair, figure);
    count_pair(pair, &comparison->tally);
}

static bool is_wanted(const struct comparison_options *options, const char *scheme)
{
    const char *const *only = options->only;
    return (only[0] == NULL && only[1] == NULL) ||
           (only[0] != NULL && text_matches(scheme, only[0])) ||
           (only[1] != NULL && text_matches(scheme, only[1]));
}

static void note_shortfall(const struct run_figures *run, struct text *out)
{
    if (run->was_stopped)
        text_format(out, "%s was stopped before it could write its result\n", run->name);
    else if (run->finished < run->planned)
        text_format(out, "%s was cut short: %zu of %zu trials were run\n", run->name, run->finished,
                    run->planned);
}

// The first repeat of a scenario and, unless NULL, a scheme; `count` if there is none.
static size_t first_of(const struct run_figures *run, const char *scenario, const char *scheme)
{
    size_t first = 0;
    while (first < run->count && !is_of(&run->repeats[first], scenario,
                                        scheme != NULL ? scheme : run->repeats[first].scheme))
        first++;
    return first;
}

void comparison_of_runs(const struct run_figures *base, const struct run_figures *other,
                        const struct comparison_options *options, struct comparison *comparison)
{
    const struct run_figures *runs[] = {base, other};
    struct text *differences = &comparison->differences;
    *comparison = (struct comparison){
        .names = {base->name, other->name}, .margin = options->margin, .anyway = options->anyway};
    environment_differences(&base->environment, &other->environment, differences);
    environment_unknown(json_object_get(base->result, "environment"),
                        json_object_get(other->result, "environment"), differences);
    note_shortfall(base, &comparison->shortfalls);
    note_shortfall(other, &comparison->shortfalls);
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < runs[i]->count; j++) {
            const struct repeat_figures *repeat = &runs[i]->repeats[j];
            if (first_of(runs[i], repeat->scenario, repeat->scheme) < j ||
                !is_wanted(options, repeat->scheme) ||
                (i == 1 && first_of(base, repeat->scenario, repeat->scheme) < base->count))
                continue;
            add_pair(comparison, repeat->scenario,
                     side_make(base, repeat->scenario, repeat->scheme),
                     side_make(other, repeat->scenario, repeat->scheme));
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
        if (first_of(run, scenario, NULL) == i)
            add_pair(comparison, scenario, side_make(run, scenario, base),
                     side_make(run, scenario, other));
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

// --- how it ended --------------------------------------------------------------------------------

int comparison_exit_code(const struct comparison *comparison)
{
    const struct comparison_tally *tally = &comparison->tally;
    bool is_worse = tally->figures[NEWS_WORSE] + tally->verdicts[VERDICT_WORSE] > 0;
    bool is_open =
        tally->figures[NEWS_UNKNOWN] + tally->incomparable + tally->verdicts[VERDICT_UNCLEAR] > 0 ||
        comparison->differences.length + comparison->shortfalls.length > 0;
    return comparison->is_broken ? 4 : is_worse ? 1 : is_open || comparison->count == 0 ? 3 : 0;
}
