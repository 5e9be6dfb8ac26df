// The parts of report.html.
#ifndef LOCKPICK_REPORT_HTML_H
#define LOCKPICK_REPORT_HTML_H

#include "harness/report/summary.h"

// The page's style sheet.
extern const char html_style[];

enum picture { PICTURE_TIMELINE, PICTURE_THROUGHPUT, PICTURE_LATENCY, PICTURE_COUNT };

struct page {
    struct text text;
    const struct run_result *run;
    bool *embeds; // by trial and picture: it is in the page itself. See html_choose_pictures
};

// Adds text so that it is only text, in an element or in a quoted attribute.
void html_add(struct text *out, const char *string);

// Adds a path as a relative address.
void html_add_address(struct text *out, const char *path);

// The trial's folder as seen from the page, which lies in the run's.
const char *html_folder(const struct run_result *run, const struct trial_result *result);

// Adds a verdict as a coloured chip with its name; a link if `target` is not NULL.
void html_add_verdict(struct text *out, enum verdict verdict, const char *target);

// "as expected", "MISSED", or nothing.
void html_add_expectation(struct text *out, enum expectation_result expectation);

// Sets `embeds`, which the caller frees: as many pictures as a page has room for that is to be
// mailed, those that tell most first.
void html_choose_pictures(struct page *page);

// Adds a picture of a trial, if it has it: embedded, or from the file beside the page, which of
// throughput and latency is but a link if there are many trials.
void html_add_picture(struct page *page, size_t index, enum picture which, const char *title,
                      const char *alternative);

// Scenarios by schemes.
void html_add_matrix(struct page *page);

// One trial, to be opened. Its contents have the id "trial-<index + 1>".
void html_add_trial(struct page *page, size_t index, bool open);

// The trials to which a scenario does not apply: a row for each scheme and reason.
void html_add_unfit(struct page *page);

// What each trial cost.
void html_add_costs(struct page *page);

// How soon and in what order the lock was granted in each trial.
void html_add_liveness(struct page *page);

#endif
