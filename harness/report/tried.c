// What came of locks that were tried (`lockpick try`), each beside the sound ones of its server:
// one story for each cause, and a row for each fault that was not survived, where equal ones are
// told once.
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/sections.h"

#include <jansson.h>
#include <string.h>

#define MOST_STORIES 3
#define MOST_CAUSES 64

// Why trials did not end well, which look alike.
struct told_cause {
    const struct trial_result *first;
    json_t *diagnosis; // NULL: what was not decided has a reason only
    const char *text;
    size_t faults;
    bool has_story; // that is told
};

struct tried {
    struct document *d;
    const char *lock;
    const char *beside; // the sound lock, or NULL
    struct told_cause causes[MOST_CAUSES];
    size_t cause_count;
    // Scenarios of which it promises something: all, those that broke it, those that were not
    // decided; others that broke it; and the names of those that need no row.
    size_t promised, broken, undecided, unpromised;
    struct text kept_names, unfit_names;
};

// The first scheme on the same kind of servers that nobody asked to try; NULL if there is none.
static const char *find_beside(const struct run_report *report, const char *lock,
                               const struct string_list *locks)
{
    const struct trial *own = NULL;
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        own = own == NULL && strcmp(cost->trial->scheme, lock) == 0 ? cost->trial : own;
    }
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        if (own != NULL && own->server != NULL && cost->trial->server == own->server &&
            !string_list_has(locks, cost->trial->scheme))
            return cost->trial->scheme;
    }
    return NULL;
}

// --- how repeats ended ---------------------------------------------------------------------------

static bool is_broken(const struct trial_result *result)
{
    return result->judgement.verdict == VERDICT_UNSAFE ||
           result->judgement.verdict == VERDICT_STUCK;
}

static const struct check *broken_by(const struct trial_result *result)
{
    const struct finding *violation = judgement_first_violation(&result->judgement);
    return is_broken(result) && violation != NULL ? violation->check : NULL;
}

static bool ended_alike(const struct trial_result *a, const struct trial_result *b)
{
    return scheme_cost_is_of(a->trial, b->trial) && a->judgement.verdict == b->judgement.verdict &&
           a->judgement.expectation == b->judgement.expectation && broken_by(a) == broken_by(b);
}

// The first of the repeats that ended alike, from *at on, which is behind it then, of a scheme in a
// scenario; NULL: there are no more.
static const struct trial_result *next_end(const struct run_result *run, const struct trial *of,
                                           size_t *at, size_t *alike)
{
    for (*alike = 0; *at < run->count; ++*at) {
        if (scheme_cost_is_of(run->trials[*at].trial, of))
            *alike = trials_like(run, *at, ended_alike);
        if (*alike > 0)
            return &run->trials[(*at)++];
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

// Its place among the causes; a new one if no cause is like it. MOST_CAUSES: there are too many.
static size_t place_of_cause(struct tried *tried, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    struct told_cause cause = {.first = result, .text = judgement->reason};
    if (is_broken(result) && result->evidence != NULL)
        cause.diagnosis = result->evidence;
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
    if (at == tried->cause_count && at < MOST_CAUSES)
        tried->causes[tried->cause_count++] = cause;
    return at;
}

static void say_stories(struct tried *tried)
{
    size_t told = 0;
    for (size_t i = 0; i < tried->cause_count && told < MOST_STORIES; i++) {
        struct told_cause *cause = &tried->causes[i];
        cause->has_story = cause->first->judgement.expectation == EXPECTATION_MISSED &&
                           cause->first->story[0] != '\0';
        if (cause->has_story)
            say_story(tried->d, (size_t)(cause->first - tried->d->report->run->trials));
        told += cause->has_story;
    }
}

static void say_causes(struct tried *tried)
{
    struct document *d = tried->d;
    for (size_t i = 0; i < tried->cause_count; i++) {
        const struct told_cause *cause = &tried->causes[i];
        const struct judgement *judgement = &cause->first->judgement;
        bool is_missed = judgement->expectation == EXPECTATION_MISSED;
        if (i == 0)
            doc_paragraph(d, LOOK_PLAIN, "%s", "");
        else
            doc_break(d);
        doc_say(d, is_missed ? LOOK_MISSED : LOOK_PLAIN, "%zu", i + 1);
        doc_say(d, LOOK_PLAIN, "  %s", cause->text);
        if (cause->faults > 1)
            doc_say(d, LOOK_PLAIN, " (under %zu faults)", cause->faults);
        bool has_files = cause->first->has_history || judgement->verdict == VERDICT_ERROR;
        if (cause->has_story || !has_files) // a story has it, too
            continue;
        doc_say(d, LOOK_PLAIN, "\n   ");
        say_again(d, cause->first);
    }
}

// --- the faults ----------------------------------------------------------------------------------

// "UNSAFE wrongful-release (2 of 3), UNKNOWN (1 of 3)": how all repeats in a scenario ended.
static void add_ends(const struct run_result *run, const struct trial *of, bool is_tried,
                     struct text *out)
{
    const struct trial_result *result;
    size_t all = 0;
    for (size_t i = 0; i < run->count; i++)
        all += scheme_cost_is_of(run->trials[i].trial, of);
    for (size_t at = 0, alike; (result = next_end(run, of, &at, &alike)) != NULL;) {
        const struct check *check = broken_by(result);
        bool is_expected = is_broken(result) && result->judgement.expectation != EXPECTATION_MISSED;
        text_format(out, "%s%s%s%s%s", out->length > 0 ? ", " : "",
                    verdict_name(result->judgement.verdict), check != NULL ? " " : "",
                    check != NULL ? check->name : "",
                    is_tried && is_expected ? ", not promised" : "");
        if (all > 1 && alike == all)
            text_format(out, " × %zu", all);
        else if (all > 1)
            text_format(out, " (%zu of %zu)", alike, all);
    }
    if (out->length == 0)
        text_add(out, "–");
}

static void find_causes(struct tried *tried, const struct trial *of)
{
    const struct trial_result *result;
    for (size_t at = 0, alike;
         (result = next_end(tried->d->report->run, of, &at, &alike)) != NULL;) {
        enum verdict verdict = result->judgement.verdict;
        if (verdict != VERDICT_SAFE && verdict != VERDICT_NOT_APPLICABLE)
            (void)place_of_cause(tried, result);
    }
}

// A row, if it was not survived each time.
static void say_fault(struct tried *tried, const struct trial *of)
{
    struct document *d = tried->d;
    const struct run_result *run = d->report->run;
    const struct trial sound = {.scenario = of->scenario, .scheme = tried->beside};
    const struct trial_result *result;
    bool any_missed = false, any_broken = false, any_open = false;
    size_t repeats = 0;
    AUTO_TEXT struct text own = {0};
    AUTO_TEXT struct text beside = {0};
    AUTO_TEXT struct text causes = {0};
    for (size_t at = 0, alike; (result = next_end(run, of, &at, &alike)) != NULL;) {
        enum verdict verdict = result->judgement.verdict;
        repeats += alike;
        if (verdict == VERDICT_NOT_APPLICABLE) {
            text_add_item(&tried->unfit_names, of->scenario->name);
            return;
        }
        if (verdict == VERDICT_SAFE)
            continue;
        any_missed |= result->judgement.expectation == EXPECTATION_MISSED;
        any_broken |= is_broken(result);
        any_open |= !is_broken(result);
        size_t cause = place_of_cause(tried, result);
        if (cause == MOST_CAUSES)
            continue;
        text_format(&causes, "%s%zu", causes.length > 0 ? ", " : "", cause + 1);
        tried->causes[cause].faults++;
    }
    bool is_undecided = of->expectation != NULL && any_open && !any_missed;
    tried->promised += of->expectation != NULL && (any_missed || is_undecided || !any_broken);
    tried->broken += any_missed;
    tried->undecided += is_undecided;
    tried->unpromised += any_broken && !any_missed;
    if (!any_broken && !any_open) {
        text_add_item(&tried->kept_names, of->scenario->name);
        if (repeats > 1)
            text_format(&tried->kept_names, " × %zu", repeats);
        return;
    }
    add_ends(run, of, true, &own);
    doc_row(d, NULL, 1);
    doc_cell(d, LOOK_PLAIN, "%s", of->scenario->name);
    doc_cell(d, any_missed ? LOOK_MISSED : any_broken ? LOOK_QUIET : LOOK_UNKNOWN, "%s", own.bytes);
    if (tried->beside != NULL) {
        add_ends(run, &sound, false, &beside);
        doc_cell(d, LOOK_PLAIN, "%s", beside.bytes);
    }
    doc_cell(d, LOOK_PLAIN, "%s", text_string(&causes));
}

// Those that need no row.
static void say_others(struct tried *tried)
{
    static const struct doc_column columns[] = {WORDS("verdict"), WORDS("under")};
    const struct {
        const char *verdict;
        const struct text *names;
    } rows[] = {{"SAFE", &tried->kept_names}, {"n/a", &tried->unfit_names}};
    struct document *d = tried->d;
    for (size_t i = 0; i < 2; i++) {
        if (rows[i].names->length == 0)
            continue;
        if (doc_inside(d, DOC_TABLE) == NULL)
            doc_table(d, (struct doc_table){"Others", COLUMNS(columns), 0, NULL});
        doc_row(d, NULL, 1);
        doc_cell(d, LOOK_PLAIN, "%s", rows[i].verdict);
        doc_cell(d, LOOK_PLAIN, "%s", rows[i].names->bytes);
    }
    doc_end(d, DOC_TABLE);
}

static void say_lead(struct tried *tried)
{
    struct document *d = tried->d;
    const struct run_result *run = d->report->run;
    size_t not_run = d->report->tally.not_run;
    bool has_broken = tried->broken > 0;
    doc_paragraph(d, LOOK_PLAIN, "%s", "");
    doc_say(d, has_broken ? LOOK_MISSED : LOOK_LEAD, "%s: %s", tried->lock,
            has_broken ? "BROKEN" : "not broken");
    if (has_broken)
        doc_say(d, LOOK_PLAIN, " by %zu of the %zu faults that it promises to survive",
                tried->broken, tried->promised);
    else if (tried->promised > 0)
        doc_say(d, LOOK_PLAIN, " by any of the %zu faults that it promises to survive",
                tried->promised);
    else
        doc_say(d, LOOK_PLAIN, ", but no fault was tried that it promises to survive");
    if (tried->undecided > 0)
        doc_say(d, LOOK_PLAIN, " (%zu not decided)", tried->undecided);
    if (tried->unpromised > 0)
        doc_say(d, LOOK_PLAIN, "; UNSAFE or STUCK under %zu that it does not", tried->unpromised);
    if (not_run > 0)
        doc_say(d, LOOK_MISSED, "; cut short: %zu of %zu trials were not run", not_run,
                run->planned);
}

static void say_lock(struct document *d, const struct string_list *locks, const char *lock)
{
    const struct run_report *report = d->report;
    struct tried tried = {.d = d, .lock = lock, .beside = find_beside(report, lock, locks)};
    bool is_beside = tried.beside != NULL;
    const struct doc_column columns[] = {WORDS("fault"), WORDS(lock),
                                         WORDS(is_beside ? tried.beside : "cause"), WORDS("cause")};
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        if (strcmp(cost->trial->scheme, lock) == 0)
            find_causes(&tried, cost->trial);
    }
    say_stories(&tried);
    if (tried.cause_count > 0)
        doc_table(d, (struct doc_table){"Faults", columns, is_beside ? 4 : 3, 0, NULL});
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        if (strcmp(cost->trial->scheme, lock) == 0)
            say_fault(&tried, cost->trial);
    }
    doc_end(d, DOC_TABLE);
    say_causes(&tried);
    say_others(&tried);
    say_lead(&tried);
    text_free(&tried.kept_names);
    text_free(&tried.unfit_names);
}

void report_print_tried(const struct run_report *report, const struct string_list *locks, FILE *out,
                        bool coloured)
{
    struct document d = {.medium = TERMINAL, .report = report, .out = out, .is_coloured = coloured};
    for (size_t i = 0; i < locks->count; i++)
        say_lock(&d, locks, locks->items[i]);
    for (enum role role = 0; role < ROLE_COUNT; role++) {
        const struct picture_kind *drawn = drawn_matrix(report->run, role);
        if (drawn != NULL)
            doc_paragraph(&d, LOOK_PLAIN, "beside each other: %s/plots/%s.svg", report->run->folder,
                          drawn->name);
    }
    doc_finish(&d);
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
