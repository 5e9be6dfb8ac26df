// A result.json that fits into a repository: verdicts, what was found, and costs.
#ifndef LOCKPICK_REPORT_JSON_BRIEF_H
#define LOCKPICK_REPORT_JSON_BRIEF_H

#include <jansson.h>

// Takes from what report_json made all that is of no use without the run's folder, or stands in the
// scenarios beside it. Of each trial that leaves its name, the scenario's name, the scheme, the
// repeat, the seed, the verdict with its reason, what was expected, and the findings that are
// violated or undecided, without evidence; `statistics`, `liveness`, `fairness`, `herd`, `evidence`
// and `folder` are null, and `story` is "". Of `costs` it leaves those of scenarios without faults.
void json_make_brief(json_t *result);

#endif
