// The pictures of a page: which are in it, and where.
#ifndef LOCKPICK_REPORT_HTML_H
#define LOCKPICK_REPORT_HTML_H

#include "harness/report/document.h"
#include "harness/report/run_report.h"

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
