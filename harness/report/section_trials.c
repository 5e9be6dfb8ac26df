// The trials, by what they have to tell: first what nobody expected, then what else broke a
// promise, and in the end, for who wants to know more, what kept all of them.
#include "harness/base/scope.h"
#include "harness/report/sections.h"

#include <string.h>
#include <unistd.h>

static bool has_violation(const struct trial_result *result)
{
    return judgement_first_violation(&result->judgement) != NULL;
}

// --- one trial -----------------------------------------------------------------------------------

// In a table what was violated or is undecided; the others more briefly.
static void say_findings(struct document *d, const struct judgement *judgement)
{
    static const struct doc_column columns[] = {WORDS("property"), WORDS("state"),
                                                WORDS("what was found")};
    size_t count = judgement->finding_count;
    const char *lead = "Irrelevant here: ";
    if (count == 0)
        return;
    doc_heading(d, NULL, "Properties");
    for (size_t i = 0; i < 2 * count; i++) {
        const struct finding *finding = &judgement->findings[i % count];
        const struct distribution *windows = &finding->windows;
        if (finding->state == FINDING_IRRELEVANT ||
            (finding->state == FINDING_KEPT) != (i >= count))
            continue;
        if (finding->state == FINDING_KEPT) {
            doc_item(d, LOOK_PLAIN);
            doc_say(d, LOOK_STRONG, "%s", finding->check->name);
            doc_say(d, LOOK_PLAIN, " kept: %s", finding->text);
            continue;
        }
        if (doc_inside(d, DOC_TABLE) == NULL)
            doc_table(d, (struct doc_table){"Properties", COLUMNS(columns), 0, "findings"});
        doc_row(d, NULL, 1);
        doc_cell(d, LOOK_PLAIN, "%s", finding->check->name);
        doc_cell(d, LOOK_PLAIN, "%s", "");
        doc_say(d,
                finding_counts(finding)               ? LOOK_UNSAFE
                : finding->state == FINDING_KEPT      ? LOOK_SAFE
                : finding->state == FINDING_UNDECIDED ? LOOK_UNKNOWN
                                                      : LOOK_SKIPPED,
                "%s%s", finding_state_names[finding->state], finding->harmless ? ", harmless" : "");
        if (finding->state == FINDING_VIOLATED)
            doc_say(d, LOOK_PLAIN, " × %lld", (long long)finding->count);
        doc_cell(d, LOOK_PLAIN, "%s", finding->text);
        if (windows->count > 0)
            doc_say(d, LOOK_BELOW, "%zu window%s, median %s, longest %s", windows->count,
                    plural((long long)windows->count), lasting(windows->median_ns).text,
                    lasting(windows->max_ns).text);
    }
    doc_paragraph(d, LOOK_QUIET, "%s", "");
    for (size_t i = 0; i < count; i++) {
        if (judgement->findings[i].state != FINDING_IRRELEVANT)
            continue;
        doc_say(d, LOOK_PLAIN, "%s%s", lead, judgement->findings[i].check->name);
        lead = ", ";
    }
}

static void say_counts(struct document *d, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    const struct stall *worst = &statistics->worst_stalls[0];
    bool is_optimistic = trial_has_trait(result->trial, "optimistic");
    char owner[48];
    doc_paragraph(d, LOOK_PLAIN,
                  "%zu holds in %s (%s locks/s), %zu acquires given up, %zu of unknown outcome; "
                  "%.2f attempts a hold.",
                  statistics->holds, lasting(statistics->duration_ns).text,
                  rate_words(statistics->holds_per_second).text, statistics->not_held,
                  statistics->unknown, statistics->attempts_per_hold);
    doc_break(d);
    doc_say(d, LOOK_PLAIN, "%zu writes acknowledged, %zu %s, %zu of unknown outcome.",
            statistics->writes, statistics->refused_writes,
            is_optimistic ? "too late and done again" : "refused", statistics->unknown_writes);
    if (statistics->jobs.is_known) {
        const struct job_counts *jobs = &statistics->jobs;
        doc_break(d);
        doc_say(d, LOOK_PLAIN, "%lld of %lld jobs done; one was given out %lld time%s at most",
                (long long)jobs->done, (long long)jobs->jobs, (long long)jobs->most_attempts,
                plural(jobs->most_attempts));
        if (jobs->attempts > 0)
            doc_say(d, LOOK_PLAIN, ", and is to be given up after %lld", (long long)jobs->attempts);
        doc_say(d, LOOK_PLAIN, ".");
    }
    doc_break(d);
    doc_say(d, LOOK_PLAIN, "The harness itself was late %zu time%s", statistics->stalls,
            plural((long long)statistics->stalls));
    if (statistics->stalls > 0)
        doc_say(d, LOOK_PLAIN, ", at most %s", lasting(statistics->longest_stall_ns).text);
    doc_say(d, LOOK_PLAIN, ".");
    if (statistics->worst_stall_count > 0 && worst->of != STALLED_MACHINE)
        doc_say(d, LOOK_PLAIN, " The longest stall of a process: %s, for %s.",
                stall_owner(worst, owner, sizeof owner),
                lasting(worst->to_ns - worst->from_ns).text);
}

static void say_numbers(struct document *d, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    const struct {
        const char *name;
        const struct percentiles *percentiles;
    } rows[] = {{"acquire", &statistics->acquire},
                {"release", &statistics->release},
                {"hand-off", &statistics->hand_off},
                {"hold", &statistics->hold}};
    struct doc_column columns[PERCENTILE_COUNT + 2] = {WORDS("latency"), FIGURE("count")};
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        columns[i + 2] = (struct doc_column){percentile_forms[i].name, NULL, true};
    doc_heading(d, NULL, "Numbers");
    say_counts(d, result);
    doc_table(d, (struct doc_table){"Numbers", COLUMNS(columns), 0, NULL});
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const struct percentiles *percentiles = rows[row].percentiles;
        if (percentiles->count == 0)
            continue;
        doc_row(d, NULL, 1);
        doc_cell(d, LOOK_PLAIN, "%s", rows[row].name);
        doc_cell(d, LOOK_PLAIN, "%zu", percentiles->count);
        for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
            bool has_enough =
                percentile_has_enough((int64_t)percentiles->count, percentile_forms[i].percent);
            doc_cell(d, LOOK_PLAIN, "%s", has_enough ? lasting(percentiles->ns[i]).text : "–");
        }
    }
}

// With words for who cannot see it: what, of which trial, and what stands out.
static void say_picture(struct document *d, size_t index, enum trial_picture which,
                        const char *title, const char *more)
{
    const struct trial *trial = d->report->run->trials[index].trial;
    AUTO_TEXT struct text alternative = {0};
    text_format(&alternative, "%s of %s with %s. %s", title, trial->scenario->name, trial->scheme,
                more);
    html_add_picture(d, index, which, title, text_string(&alternative));
}

void say_again(struct document *d, const struct trial_result *result)
{
    AUTO_TEXT struct text folder = {0};
    text_add_shell_word(&folder, result->folder);
    doc_say(d, LOOK_PLAIN, "again:");
    doc_say(d, LOOK_COMMAND, " lockpick replay %s", folder.bytes);
}

static void say_files(struct document *d, const struct trial_result *result)
{
    const char *const files[][2] = {
        {"/", "All files"},
        {"/operations.svg", result->plots[PICTURE_OPERATIONS].is_drawn ? "each operation" : ""},
        {"/latency-over-time.svg",
         result->plots[PICTURE_SLICES].is_drawn ? "latency over time" : ""}};
    bool is_skipped = result->judgement.verdict == VERDICT_SKIPPED || trial_is_unfit(result);
    bool has_files = result->has_history || result->judgement.verdict == VERDICT_ERROR;
    if (result->folder == NULL)
        return;
    if (d->medium == TERMINAL && !is_skipped) {
        AUTO_TEXT struct text picture = {0};
        text_format(&picture, "%s/%s.svg", result->folder, picture_name(PICTURE_TIMELINE));
        doc_paragraph(d, LOOK_PLAIN, "files: %s", result->folder);
        if (access(picture.bytes, R_OK) == 0)
            doc_paragraph(d, LOOK_PLAIN, "picture: %s", picture.bytes);
        if (result->judgement.expectation != EXPECTATION_MET) {
            doc_paragraph(d, LOOK_PLAIN, "%s", "");
            say_again(d, result);
        }
    }
    if (d->medium != PAGE || !has_files)
        return;
    doc_paragraph(d, LOOK_QUIET, "%s", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        AUTO_TEXT struct text path = {0};
        text_format(&path, "%s%s", html_folder(d->report->run, result), files[i][0]);
        doc_link(d, LOOK_PLAIN, path.bytes, "%s", files[i][1]);
        doc_say(d, LOOK_PLAIN, "%s", files[i][1][0] != '\0' ? " · " : "");
    }
    doc_say(d, LOOK_PLAIN, "seed %llu", (unsigned long long)result->trial->seed);
}

// How much of a trial is told.
enum telling { TELL_LINE, TELL_STORY, TELL_ALL };

// The scheme leads to the target, if it is not NULL.
static void say_summary(struct document *d, const struct trial_result *result, const char *target)
{
    const struct trial *trial = result->trial;
    say_verdict(d, result, NULL);
    if (d->medium != PAGE) {
        doc_say(d, LOOK_PLAIN, "  ");
        doc_say(d, LOOK_STRONG, "%s", trial->scenario->name);
        doc_say(d, LOOK_PLAIN, " · %s%s", trial->scheme, repeat_words(trial).text);
        return;
    }
    doc_say(d, LOOK_PLAIN, " ");
    doc_link(d, target != NULL ? LOOK_PLAIN : LOOK_STRONG, target, "%s%s", trial->scheme,
             repeat_words(trial).text);
    doc_say(d, LOOK_PLAIN, " ");
    if (has_violation(result))
        say_found(d, LOOK_SMALL, &result->judgement);
    doc_say(d, LOOK_PLAIN, " ");
    say_expectation(d, result->judgement.expectation);
}

static void say_trial(struct document *d, size_t index, bool is_open, enum telling telling)
{
    const struct trial_result *result = &d->report->run->trials[index];
    const struct judgement *judgement = &result->judgement;
    const struct finding *violation = judgement_first_violation(judgement);
    struct words anchor = trial_anchor(index);
    const char *id = anchor.text + 1;
    if (telling == TELL_LINE) {
        doc_begin(d, (struct doc_block){.kind = DOC_PARAGRAPH, .look = LOOK_BRIEF, .id = id});
        say_summary(d, result, result->folder != NULL ? html_folder(d->report->run, result) : NULL);
        return;
    }
    doc_fold(d, id, is_open);
    say_summary(d, result, NULL);
    if (judgement->expectation == EXPECTATION_MISSED) {
        doc_paragraph(d, LOOK_PLAIN, "%s", "");
        doc_say(d, LOOK_MISSED, "MISSED: ");
        doc_say(d, LOOK_PLAIN, "%s", judgement->expectation_text);
    } else if (judgement->expectation != EXPECTATION_MET &&
               judgement->expectation_text[0] != '\0') {
        doc_paragraph(d, LOOK_PLAIN, "%s", judgement->expectation_text);
    }
    doc_paragraph(d, LOOK_PLAIN, "%s", judgement->reason);
    if (result->story != NULL && result->story[0] != '\0')
        doc_code(d, result->story);
    if (d->medium == PAGE)
        say_picture(d, index, PICTURE_TIMELINE, "Hold timeline",
                    violation != NULL ? violation->text : "No violation was found.");
    if (telling == TELL_ALL)
        say_findings(d, judgement);
    if (telling == TELL_ALL && d->medium == PAGE) {
        size_t acquires = result->statistics.acquire.count;
        char sentence[80];
        snprintf(sentence, sizeof sentence, "On average %.40s locks/s.",
                 rate_words(result->statistics.holds_per_second).text);
        say_picture(d, index, PICTURE_THROUGHPUT, "Throughput", sentence);
        say_picture(d, index, PICTURE_LATENCY, "Latency", "The numbers are in the table below.");
        if (trial_was_timed(result) && acquires < LEAST_FOR_PERCENTILES)
            doc_paragraph(d, LOOK_QUIET,
                          "No latency plot: too few operations for percentiles (%zu acquire%s).",
                          acquires, plural((long long)acquires));
        if (trial_was_timed(result))
            say_numbers(d, result);
    }
    say_files(d, result);
    doc_end(d, DOC_FOLD);
}

void say_story(struct document *d, size_t index)
{
    say_trial(d, index, true, TELL_STORY);
}

// A page is to be mailed. What trials may take of it is what the pictures of the run, the tables
// and a line for each trial leave; but room for the first hundred there is always.
#define MOST_BYTES 1900000u
#define TABLE_BYTES 600000u
#define LINE_BYTES 220u
#define LEAST_TRIAL_BYTES 300000u

// Where there are very many, the last part of the room is for stories alone.
static enum telling telling_of(const struct document *d, const struct trial_result *result)
{
    const struct run_result *run = d->report->run;
    size_t taken = d->whole_bytes + TABLE_BYTES + run->count * LINE_BYTES;
    size_t most = taken + LEAST_TRIAL_BYTES < MOST_BYTES ? MOST_BYTES - taken : LEAST_TRIAL_BYTES;
    if (d->trial_bytes < most / 5 * 3 || (result->folder == NULL && !run->is_brief))
        return TELL_ALL;
    if (d->trial_bytes >= most)
        return TELL_LINE;
    return result->story != NULL && result->story[0] != '\0' ? TELL_STORY : TELL_ALL;
}

// --- in parts ------------------------------------------------------------------------------------

enum part { UNEXPECTED, BROKEN, KEPT };

static enum part part_of(const struct trial_result *result)
{
    enum verdict verdict = result->judgement.verdict;
    bool is_broken = verdict == VERDICT_UNSAFE || verdict == VERDICT_STUCK || has_violation(result);
    return trial_is_urgent(result) ? UNEXPECTED : is_broken ? BROKEN : KEPT;
}

// True if it is news that the lock broke: it promised to exclude, or that is not known of it.
static bool is_news(const struct trial *trial)
{
    return trial->external_client != NULL || trial_has_trait(trial, "exclusive");
}

// At a terminal: what nobody expected is. Other violations are, unless one like it was told of its
// scenario; of those that were expected one of each scenario is an example of all.
static bool is_worth_telling(const struct run_result *run, size_t index, bool is_quiet)
{
    const struct trial_result *result = &run->trials[index];
    const struct judgement *judgement = &result->judgement;
    bool is_met = judgement->expectation == EXPECTATION_MET;
    if (trial_is_urgent(result))
        return true;
    if (!has_violation(result) || (is_met && (is_quiet || judgement->verdict == VERDICT_SAFE)))
        return false;
    FOR_EACH (trial_result, other, run->trials, index) {
        bool is_like = is_met ? other->judgement.expectation == EXPECTATION_MET &&
                                    other->judgement.verdict != VERDICT_SAFE && has_violation(other)
                              : trials_ended_alike(other, result);
        if (is_like && other->trial->scenario == result->trial->scenario)
            return false;
    }
    return true;
}

// The first trials of a part are opened beforehand, if they tell something new: of more, the page
// would be a scroll without an end; in Markdown, which is often a comment, one. Of those that have
// one reason, the first tells it for all.
static void say_part(struct document *d, enum part part)
{
    static const struct {
        const char *id, *link, *title, *lead;
        size_t most_open;
    } parts[] = {
        [UNEXPECTED] =
            {"unexpected", "Not as expected", "Not as expected, or not decided",
             "What the scenario did not expect, what could not be decided, and what failed before "
             "there was anything to decide.",
             5},
        [BROKEN] = {"violations", "Violations", "Violations",
                    "Promises that were broken, each with its story: the few events that prove it. "
                    "Where the scenario expected it, that says what the lock is not for; it does "
                    "not make the lock safe.",
                    1},
        [KEPT] = {"trials", "Other trials", "Trials without a violation",
                  "What was looked at, and what was measured. Acquire: asked until granted. "
                  "Release: asked until answered. Hand-off: a release to the next grant, where "
                  "somebody waited. Hold: granted until release.",
                  0},
    };
    const struct run_result *run = d->report->run;
    const struct scenario *scenario = NULL;
    const char *reason = "";
    size_t opened = 0;
    bool any_news = false; // then what is none is not opened
    FOR_EACH (trial_result, result, run->trials, run->count)
        any_news |= part == BROKEN && part_of(result) == part && is_news(result->trial);
    for (size_t i = 0; i < 2 * run->count; i++) { // those that were missed, then the others
        size_t index = i % run->count;
        const struct trial_result *result = &run->trials[index];
        bool is_missed = result->judgement.expectation == EXPECTATION_MISSED;
        if (is_missed != (i < run->count) || trial_is_unfit(result) || part_of(result) != part ||
            (d->medium == TERMINAL && !is_worth_telling(run, index, d->is_quiet)))
            continue;
        if (scenario == NULL) {
            doc_section(d, parts[part].id, parts[part].link, parts[part].title);
            if (d->medium == TERMINAL)
                doc_heading(d, NULL, "%s", parts[part].title);
            if (d->medium == PAGE)
                doc_paragraph(d, LOOK_QUIET, "%s", parts[part].lead);
        }
        if (result->trial->scenario != scenario && d->medium == PAGE) {
            doc_heading(d, NULL, "%s", result->trial->scenario->name);
            if (result->trial->scenario->about != NULL)
                doc_paragraph(d, LOOK_QUIET, "%s", result->trial->scenario->about);
        }
        scenario = result->trial->scenario;
        bool is_open = opened < (d->medium == MARKDOWN ? 1 : parts[part].most_open) &&
                       strcmp(reason, result->judgement.reason) != 0 &&
                       (!any_news || is_news(result->trial));
        enum telling telling = d->medium == PAGE ? telling_of(d, result) : TELL_STORY;
        size_t before = d->text.length;
        opened += is_open;
        reason = result->judgement.reason;
        say_trial(d, index, is_open, telling);
        d->trial_bytes += d->text.length - before;
    }
}

void say_unexpected(struct document *d)
{
    say_part(d, UNEXPECTED);
}

void say_violations(struct document *d)
{
    const struct run_result *run = d->report->run;
    size_t untold = 0;
    say_part(d, BROKEN);
    for (size_t i = 0; i < run->count && d->medium == TERMINAL && !d->is_quiet; i++)
        untold += has_violation(&run->trials[i]) && !is_worth_telling(run, i, false);
    if (untold > 0)
        doc_paragraph(d, LOOK_PLAIN, "%zu more stor%s in the report.", untold,
                      untold == 1 ? "y is" : "ies are");
}

void say_other_trials(struct document *d)
{
    say_part(d, KEPT);
}

void say_explained(struct document *d)
{
    for (size_t i = 0; i < d->report->run->count; i++)
        say_trial(d, i, true, TELL_ALL);
}
