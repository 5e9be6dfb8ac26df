// What came of locks that were tried (`lockpick try`), each beside the sound ones of its server:
// one story for each cause, and a row for each fault, where equal ones are told once.
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STORIES 3
#define MOST_CAUSES 64

// Why trials did not end well, which look alike.
struct told_cause {
    const struct trial_result *first;
    json_t *diagnosis; // NULL: what was not decided has a reason only
    const char *text;
    size_t faults;
};

struct tried {
    const struct run_report *report;
    const char *lock;
    const struct trial *beside; // the first of the sound lock, or NULL
    struct told_cause causes[MOST_CAUSES];
    size_t cause_count;
    // Scenarios of which it promises something: all, those that broke it, those that were not
    // decided; others that broke it; and the names of those that need no row.
    size_t promised, broken, undecided, unpromised;
    struct text kept_names, unfit_names;
};

// The trial that tells most of all repeats: one that was not expected, or one of the gravest
// verdict.
static const struct trial_result *result_of(const struct run_report *report,
                                            const struct scheme_cost *cost)
{
    const struct trial_result *best = &report->run->trials[cost->first];
    FOR_EACH (trial_result, result, report->run->trials, report->run->count) {
        const struct judgement *judgement = &result->judgement;
        if (!scheme_cost_is_of(result->trial, cost->trial))
            continue;
        if (judgement->expectation == EXPECTATION_MISSED)
            return result;
        if (judgement->verdict == cost->gravest && best->judgement.verdict != cost->gravest)
            best = result;
    }
    return best;
}

// That of the scenario with another scheme; NULL if there is none.
static const struct scheme_cost *cost_beside(const struct run_report *report,
                                             const struct scheme_cost *cost, const char *scheme)
{
    const struct trial wanted = {.scenario = cost->trial->scenario, .scheme = scheme};
    FOR_EACH (scheme_cost, other, report->costs, report->cost_count) {
        if (scheme_cost_is_of(other->trial, &wanted))
            return other;
    }
    return NULL;
}

// The first trial of a scheme on the same kind of servers that nobody asked to try.
static const struct trial *find_beside(const struct run_report *report, const char *lock,
                                       const struct string_list *locks)
{
    const struct trial *own = NULL;
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        own = own == NULL && strcmp(cost->trial->scheme, lock) == 0 ? cost->trial : own;
    }
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        if (own != NULL && own->server != NULL && cost->trial->server == own->server &&
            !string_list_has(locks, cost->trial->scheme))
            return cost->trial;
    }
    return NULL;
}

// --- causes --------------------------------------------------------------------------------------

// True if two differ in nothing but their numbers.
static bool are_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789.";
    while (*a != '\0' && *b != '\0') {
        size_t of_a = strspn(a, digits);
        size_t of_b = strspn(b, digits);
        if ((of_a > 0) != (of_b > 0) || (of_a == 0 && *a != *b))
            return false;
        a += of_a > 0 ? of_a : 1;
        b += of_b > 0 ? of_b : 1;
    }
    return *a == *b;
}

static const char *kind_of(const struct told_cause *cause)
{
    const char *kind = NULL;
    if (cause->diagnosis != NULL)
        (void)json_unpack(cause->diagnosis, "{s:{s:s}}", "cause", "id", &kind);
    return kind != NULL ? kind : "";
}

// The number of the cause, from 1; 0: there are too many.
static size_t note_cause(struct tried *tried, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    bool is_broken = judgement->verdict == VERDICT_UNSAFE || judgement->verdict == VERDICT_STUCK;
    struct told_cause cause = {.first = result, .text = judgement->reason, .faults = 1};
    if (is_broken && result->evidence != NULL)
        cause.diagnosis = json_loads(result->evidence, 0, NULL);
    if (cause.diagnosis != NULL)
        (void)json_unpack(cause.diagnosis, "{s:{s:s}}", "cause", "text", &cause.text);
    size_t at = 0;
    for (; at < tried->cause_count; at++) {
        const struct told_cause *known = &tried->causes[at];
        if (known->first->judgement.verdict == judgement->verdict &&
            (cause.diagnosis != NULL ? strcmp(kind_of(known), kind_of(&cause)) == 0
                                     : are_alike(known->text, cause.text)))
            break;
    }
    if (at < tried->cause_count || at == MOST_CAUSES) {
        json_decref(cause.diagnosis);
        tried->causes[at % MOST_CAUSES].faults += at < MOST_CAUSES;
        return at < MOST_CAUSES ? at + 1 : 0;
    }
    tried->causes[tried->cause_count++] = cause;
    return tried->cause_count;
}

static void print_causes(const struct tried *tried, FILE *out, bool coloured)
{
    for (size_t i = 0; i < tried->cause_count; i++) {
        const struct told_cause *cause = &tried->causes[i];
        bool is_missed = cause->first->judgement.expectation == EXPECTATION_MISSED;
        char number[32];
        snprintf(number, sizeof number, "%zu", i + 1);
        fputs(i == 0 ? "\n" : "", out);
        colour_print(out, coloured, is_missed ? COLOUR_RED : COLOUR_PLAIN, number);
        fprintf(out, "  %s", cause->text);
        if (cause->faults > 1)
            fprintf(out, " (under %zu faults)", cause->faults);
        if (cause->first->has_history || cause->first->judgement.verdict == VERDICT_ERROR)
            fprintf(out, "\n   again: lockpick replay %s", cause->first->folder);
        fputc('\n', out);
    }
}

static void print_story(const struct trial_result *result, FILE *out, bool coloured)
{
    const struct judgement *judgement = &result->judgement;
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_RED, verdict_name(judgement->verdict));
    fprintf(out, "  %s · %s%s\n  %s\n", result->trial->scenario->name, result->trial->scheme,
            repeat_words(result->trial).text, judgement->reason);
    for (const char *line = result->story; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

// --- the table -----------------------------------------------------------------------------------

// "UNSAFE wrongful-release (2 of 3)".
static void add_verdict(const struct scheme_cost *cost, struct text *out)
{
    if (cost == NULL) {
        text_add(out, "–");
        return;
    }
    text_add(out, verdict_name(cost->gravest));
    if (cost->broken != NULL && cost->gravest == VERDICT_UNSAFE)
        text_format(out, " %s", cost->broken->name);
    if (cost->all > 1 && cost->alike == cost->all)
        text_format(out, " × %zu", cost->all);
    else if (cost->all > 1)
        text_format(out, " (%zu of %zu)", cost->alike, cost->all);
}

static void add_row(struct tried *tried, const struct scheme_cost *cost, struct table *table)
{
    const struct trial_result *result = result_of(tried->report, cost);
    const struct scheme_cost *beside =
        tried->beside != NULL ? cost_beside(tried->report, cost, tried->beside->scheme) : NULL;
    bool is_missed = result->judgement.expectation == EXPECTATION_MISSED;
    bool is_broken = cost->gravest == VERDICT_UNSAFE || cost->gravest == VERDICT_STUCK;
    bool is_kept = cost->gravest == VERDICT_SAFE;
    bool is_promised = cost->trial->expectation != NULL;
    AUTO_TEXT struct text own = {0};
    AUTO_TEXT struct text sound = {0};
    char number[32] = "";
    if (cost->gravest == VERDICT_NOT_APPLICABLE) {
        text_add_item(&tried->unfit_names, cost->trial->scenario->name);
        return;
    }
    tried->promised += is_promised && (is_missed || !is_broken);
    tried->broken += is_missed;
    tried->undecided += is_promised && !is_broken && !is_kept;
    tried->unpromised += is_broken && !is_missed;
    if (is_kept) {
        text_add_item(&tried->kept_names, cost->trial->scenario->name);
        if (cost->all > 1)
            text_format(&tried->kept_names, " × %zu", cost->all);
        return;
    }
    add_verdict(cost, &own);
    add_verdict(beside, &sound);
    if (is_broken && !is_missed)
        text_add(&own, ", not promised");
    size_t cause = note_cause(tried, result);
    if (cause > 0)
        snprintf(number, sizeof number, "%zu", cause);
    table_cell(table, COLOUR_PLAIN, cost->trial->scenario->name);
    table_cell(table, is_missed ? COLOUR_RED : is_broken ? COLOUR_GREY : COLOUR_YELLOW, own.bytes);
    if (tried->beside != NULL)
        table_cell(table, COLOUR_PLAIN, sound.bytes);
    table_cell(table, COLOUR_PLAIN, number);
}

// A list of names, in lines of a terminal's usual width.
static void print_names(const char *lead, const struct text *names, FILE *out)
{
    static const int most = 96;
    int column = fprintf(out, "%s", lead);
    for (const char *name = text_string(names); *name != '\0';) {
        int length = (int)strcspn(name, ",");
        if (column + length + 2 > most)
            column = fprintf(out, "\n   ") - 1;
        column += fprintf(out, " %.*s%s", length, name, name[length] == ',' ? "," : "\n");
        name += length + (name[length] == ',' ? 2 : 0);
    }
}

static void print_lock(const struct run_report *report, const struct string_list *locks,
                       const char *lock, FILE *out, bool coloured)
{
    struct tried tried = {.report = report, .lock = lock};
    tried.beside = find_beside(report, lock, locks);
    const char *const headings[] = {"fault", lock,
                                    tried.beside != NULL ? tried.beside->scheme : "cause",
                                    tried.beside != NULL ? "cause" : NULL, NULL};
    struct table *table = table_new(headings);
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        if (strcmp(cost->trial->scheme, lock) == 0)
            add_row(&tried, cost, table);
    }
    size_t stories = 0;
    for (size_t i = 0; i < tried.cause_count && stories < MOST_STORIES; i++) {
        const struct trial_result *first = tried.causes[i].first;
        if (first->judgement.expectation == EXPECTATION_MISSED && first->story[0] != '\0') {
            print_story(first, out, coloured);
            stories++;
        }
    }
    if (tried.cause_count > 0) {
        fputc('\n', out);
        table_print(table, out, coloured);
    }
    print_causes(&tried, out, coloured);
    fputc('\n', out);
    if (tried.kept_names.length > 0)
        print_names("SAFE:", &tried.kept_names, out);
    if (tried.unfit_names.length > 0)
        print_names("n/a:", &tried.unfit_names, out);
    fputc('\n', out);
    AUTO_TEXT struct text lead = {0};
    text_format(&lead, "%s: %s", lock, tried.broken > 0 ? "BROKEN" : "not broken");
    colour_print(out, coloured, tried.broken > 0 ? COLOUR_RED : COLOUR_BOLD, lead.bytes);
    if (tried.broken > 0)
        fprintf(out, " by %zu of", tried.broken);
    else
        fputs(" by any of", out);
    fprintf(out, " the %zu faults that it promises to survive", tried.promised);
    if (tried.undecided > 0)
        fprintf(out, " (%zu not decided)", tried.undecided);
    if (tried.unpromised > 0)
        fprintf(out, "; UNSAFE or STUCK under %zu that it does not", tried.unpromised);
    fputc('\n', out);
    for (size_t i = 0; i < tried.cause_count; i++)
        json_decref(tried.causes[i].diagnosis);
    text_free(&tried.kept_names);
    text_free(&tried.unfit_names);
    table_free(table);
}

void report_print_tried(const struct run_report *report, const struct string_list *locks, FILE *out,
                        bool coloured)
{
    for (size_t i = 0; i < locks->count; i++)
        print_lock(report, locks, locks->items[i], out, coloured);
    for (size_t i = 0; i < report->run->picture_count; i++) {
        const struct plot *picture = &report->run->pictures[i];
        if (picture->kind->place == PLACE_VERDICTS && picture->is_drawn)
            fprintf(out, "beside each other: %s/plots/%s.svg\n", report->run->folder,
                    picture->kind->name);
    }
}

int report_tried_exit_code(const struct run_report *report, const struct string_list *locks)
{
    const struct run_result *run = report->run;
    bool is_broken = false, has_failed = false;
    bool is_open = run->planned > run->count;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        enum verdict verdict = result->judgement.verdict;
        if (!string_list_has(locks, result->trial->scheme))
            continue;
        is_broken |= result->judgement.expectation == EXPECTATION_MISSED;
        has_failed |= verdict == VERDICT_ERROR || verdict == VERDICT_SKIPPED;
        is_open |= verdict == VERDICT_UNKNOWN && result->trial->expectation != NULL;
    }
    return is_broken ? 1 : has_failed ? 4 : is_open ? 3 : 0;
}
