// What is told of a run, each said once: which medium tells how much of it, and in what order,
// stands in sections.c.
#ifndef LOCKPICK_REPORT_SECTIONS_H
#define LOCKPICK_REPORT_SECTIONS_H

#include "harness/report/document.h"
#include "harness/report/words.h"
#include "harness/workloads/workload.h"

// The trials in three parts, each with its stories: what was missed, was not decided or failed;
// what else broke a promise, at a terminal one of each kind; and what kept all of them.
void say_unexpected(struct document *d);
void say_violations(struct document *d);
void say_other_trials(struct document *d);

// A trial's verdict and story.
void say_story(struct document *d, size_t index);

// "again: " and the command that repeats the trial, for a shell.
void say_again(struct document *d, const struct trial_result *result);

// The picture of all verdicts of a role, if it was drawn, as plots/NAME.svg below the run's folder;
// else NULL.
const struct picture_kind *drawn_matrix(const struct run_result *run, enum role role);

// Every trial, with what each check found.
void say_explained(struct document *d);

// What each scheme cost in the scenarios that measure, and how soon faults were recovered from.
void say_costs(struct document *d);

// How long nobody led, how often another one did.
void say_leaders(struct document *d);

// What was measured on each host, where clients are on others.
void say_hosts(struct document *d);

// How soon and in what order the lock was granted in each trial.
void say_liveness(struct document *d);

// --- words ---------------------------------------------------------------------------------------

// A trial's verdict: a link, if the target is not NULL. In Markdown with a sign that tells whether
// it is as expected.
void say_verdict(struct document *d, const struct trial_result *result, const char *target);

// "as expected", "✗ MISSED", or nothing.
void say_expectation(struct document *d, enum expectation_result expectation);

// See found_text.
void say_found(struct document *d, enum look look, const struct judgement *judgement);

// --- the pictures of a page: which are in it, and where ------------------------------------------

// The trial's folder as seen from the page, which lies in the run's.
const char *html_folder(const struct run_result *run, const struct trial_result *result);

// Sets `embeds` and `embeds_whole`, which the caller frees: as many pictures as a page has room for
// that is to be mailed, those that tell most first. It has the pictures `embeds[trial *
// PICTURES_OF_PAGE + which]`.
void html_choose_pictures(struct document *page);

// Adds a picture of a trial, if it has it: embedded, or from the file beside the page, which of
// throughput and latency is but a link if there are many trials.
void html_add_picture(struct document *page, size_t index, enum trial_picture which,
                      const char *title, const char *alternative);

// Adds the pictures of the run that belong there, each with its title as a heading.
void html_add_whole_pictures(struct document *page, enum picture_place place);

#endif
