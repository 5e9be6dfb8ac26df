// The parts of report.html.
#ifndef LOCKPICK_REPORT_HTML_H
#define LOCKPICK_REPORT_HTML_H

#include "harness/report/summary.h"

// A colour of the page by its name in the style sheet: "#rrggbb" in the light and the dark scheme.
struct html_colour {
    const char *name, *light, *dark;
};

// A colour in which text is written, and one that it is written on.
struct html_contrast {
    const char *text, *ground;
};

// All of them; the last ones have no names.
extern const struct html_colour html_palette[];
extern const struct html_contrast html_contrasts[];

// Adds the page's style sheet.
void html_add_style(struct text *out);

// Which trials a section tells of.
enum part {
    PART_UNEXPECTED, // a missed expectation, ERROR, UNKNOWN
    PART_BROKEN,     // other violations
    PART_KEPT,       // the rest
    PART_COUNT
};

struct page {
    struct text text;
    const struct run_result *run;
    const struct run_report *report;
    bool *embeds;       // by trial and picture: it is in the page itself. See html_choose_pictures
    bool *embeds_whole; // the same of the pictures of the run
    size_t whole_bytes; // of these, as far as they are in it
    size_t trial_bytes; // that were added for trials
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

// Begins a box that scrolls sideways by itself, where the page is too narrow for its contents: it
// can be reached by the keyboard, and has a name. Ends with "</div>".
void html_begin_scroll(struct text *out, const char *name);

// Sets `embeds` and `embeds_whole`, which the caller frees: as many pictures as a page has room for
// that is to be mailed, those that tell most first. It has the pictures `embeds[trial *
// PICTURES_OF_PAGE + which]`.
void html_choose_pictures(struct page *page);

// Its SVG, or NULL.
const char *html_picture_of(const struct trial_result *result, enum trial_picture which);

// Adds a picture of a trial, if it has it: embedded, or from the file beside the page, which of
// throughput and latency is but a link if there are many trials.
void html_add_picture(struct page *page, size_t index, enum trial_picture which, const char *title,
                      const char *alternative);

// Where pictures of the run are in the page.

// Adds the pictures of the run that belong there, each with its title as a heading.
void html_add_whole_pictures(struct page *page, enum picture_place place);

// Scenarios by schemes, what the words mean, and the picture of it.
void html_add_matrix(struct page *page);

// The trials of one part: nothing if there are none. html_part_of says which part has a trial.
void html_add_trials(struct page *page, enum part part);
enum part html_part_of(const struct trial_result *result);
bool html_has_part(const struct run_result *run, enum part part);

// One trial, to be opened. Its contents have the id "trial-<index + 1>".
void html_add_trial(struct page *page, size_t index, bool open);

// The trials to which a scenario does not apply: a row for each scheme and reason.
void html_add_unfit(struct page *page);

// What came of the thresholds, if scenarios state any.
void html_add_thresholds(struct page *page);

// What each scheme cost in the scenarios that are there to measure it, and what the run's pictures
// show of it.
void html_add_costs(struct page *page);

// How soon and in what order the lock was granted in each trial.
void html_add_liveness(struct page *page);
bool html_has_liveness(const struct run_result *run);

// Where and on what it happened.
void html_add_environment(struct page *page);

#endif
