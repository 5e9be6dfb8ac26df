// The trials of a page, by what they have to tell: first what nobody expected, then what else broke
// a promise, and in the end, for who wants to know more, what kept all of them.
#include "harness/report/html.h"

#include <stdio.h>
#include <string.h>

enum part html_part_of(const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    if (judgement->expectation == EXPECTATION_MISSED || judgement->verdict == VERDICT_ERROR ||
        judgement->verdict == VERDICT_UNKNOWN)
        return PART_UNEXPECTED;
    bool is_broken = judgement->verdict == VERDICT_UNSAFE || judgement->verdict == VERDICT_STUCK;
    return is_broken || judgement_first_violation(judgement) != NULL ? PART_BROKEN : PART_KEPT;
}

bool html_has_part(const struct run_result *run, enum part part)
{
    for (size_t i = 0; i < run->count; i++) {
        if (!trial_is_unfit(&run->trials[i]) && html_part_of(&run->trials[i]) == part)
            return true;
    }
    return false;
}

// Of those that failed or were skipped for one reason, the first tells it for all.
static bool is_told(const struct run_result *run, size_t index)
{
    const struct trial_result *result = &run->trials[index];
    for (size_t i = 0; i < index && !result->has_history; i++) {
        const struct trial_result *other = &run->trials[i];
        if (!other->has_history && other->judgement.verdict == result->judgement.verdict &&
            strcmp(other->judgement.reason, result->judgement.reason) == 0)
            return true;
    }
    return false;
}

static void begin_scenario(struct text *out, const struct scenario *scenario)
{
    text_add(out, "<h3>");
    html_add(out, scenario->name);
    text_add(out, "</h3>\n<p class=\"quiet\">");
    html_add(out, scenario->about != NULL ? scenario->about : "");
    text_add(out, "</p>\n");
}

// So many are opened beforehand: of more, the page would be a scroll without an end.
#define MOST_OPEN 5

// The first trials that were not expected are open, if they tell something new; and the first
// other violation, as an example of what there is to see.
static void add_all(struct page *page, enum part part)
{
    const struct run_result *run = page->run;
    const struct scenario *scenario = NULL;
    size_t most = part == PART_UNEXPECTED ? MOST_OPEN : part == PART_BROKEN ? 1 : 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        if (trial_is_unfit(result) || html_part_of(result) != part)
            continue;
        if (result->trial->scenario != scenario) {
            scenario = result->trial->scenario;
            begin_scenario(&page->text, scenario);
        }
        bool opens = most > 0 && !is_told(run, i);
        most -= opens;
        html_add_trial(page, i, opens);
    }
}

void html_add_trials(struct page *page, enum part part)
{
    static const struct {
        const char *id, *title, *lead;
    } sections[PART_COUNT] = {
        [PART_UNEXPECTED] =
            {"unexpected", "Not as expected, or not decided",
             "What the scenario did not expect, what could not be decided, and what "
             "failed before there was anything to decide."},
        [PART_BROKEN] = {"violations", "Violations",
                         "Promises that were broken, each with its story: the few events that "
                         "prove it. Where the scenario expected it, that says what the lock is not "
                         "for; it does not make the lock safe."},
        [PART_KEPT] =
            {"trials", "Trials without a violation",
             "What was looked at, and what was measured. Acquire: asked until granted. "
             "Release: asked until answered. Hand-off: a release to the next grant, where "
             "somebody waited. Hold: granted until release."},
    };
    struct text *out = &page->text;
    if (!html_has_part(page->run, part))
        return;
    text_format(out, "<section id=\"%s\"><h2>%s</h2>\n<p class=\"quiet small\">%s</p>\n",
                sections[part].id, sections[part].title, sections[part].lead);
    add_all(page, part);
    text_add(out, "</section>\n");
}
