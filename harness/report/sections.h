// What is told of a run, each said once: which medium tells how much of it, and in what order,
// stands in sections.c.
#ifndef LOCKPICK_REPORT_SECTIONS_H
#define LOCKPICK_REPORT_SECTIONS_H

#include "harness/report/document.h"
#include "harness/report/summary.h"

// How the trials ended: of a page, a matrix of scenarios and schemes; else a row for each, in
// Markdown one for repeats that ended alike, the urgent ones first.
void say_verdicts(struct document *d);

// The trials that a medium tells of: in Markdown those that are urgent; at a terminal those that
// were missed, then others worth telling; of a page all, in two parts.
void say_news(struct document *d);
void say_other_trials(struct document *d);

// What each scheme cost in the scenarios that measure, and how soon faults were recovered from.
void say_costs(struct document *d);

// How soon and in what order the lock was granted in each trial.
void say_liveness(struct document *d);

// --- words ---------------------------------------------------------------------------------------

// A verdict: a link, if the target is not NULL. In Markdown with a sign that tells whether it is as
// expected.
void say_verdict(struct document *d, const struct judgement *judgement, const char *target);

// "as expected", "✗ MISSED", or nothing.
void say_expectation(struct document *d, enum expectation_result expectation);

// See found_text.
void say_found(struct document *d, enum look look, const struct judgement *judgement);

// Short texts, of which the document keeps the last eight: "3.25 ms"; "61,200"; " #2" of a trial
// whose scenario has repeats, else ""; "#trial-3".
const char *duration_text(struct document *d, int64_t duration_ns);
const char *rate_words(struct document *d, double rate);
const char *repeat_text(struct document *d, const struct trial *trial);
const char *trial_anchor(struct document *d, size_t index);

// "y" or "ies", "s" or "".
#define PLURAL(count) ((count) == 1 ? "" : "s")

#endif
