// A run as GitHub, GitLab and others show it in a comment.
#ifndef LOCKPICK_REPORT_MARKDOWN_H
#define LOCKPICK_REPORT_MARKDOWN_H

#include "harness/report/run_report.h"

// report.md, for a comment on a pull request: the verdicts as a table, those first that need
// somebody's eyes; each trial that was not as expected, or not decided, with its story, folded; the
// thresholds; what each lock cost; where it was measured. Fewer bytes than the 65,536 characters
// that GitHub takes of one comment: what there is no room for is counted, and said to be in
// report.html. No text of a scenario or a story becomes Markdown or HTML. The caller frees it.
char *report_markdown(const struct run_report *report);

// The same in fewer than so many bytes, of which there must be some thousands.
char *report_markdown_within(const struct run_report *report, size_t most_bytes);

// True if the run missed it, or failed to find out: it wants somebody's eyes.
bool markdown_is_urgent(const struct trial_result *result);

#endif
