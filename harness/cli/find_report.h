// What `lockpick find` prints and writes.
#ifndef LOCKPICK_CLI_FIND_REPORT_H
#define LOCKPICK_CLI_FIND_REPORT_H

#include "harness/run/find_search.h"

// To be called after each step of a search, and before its first: prints a line of what was
// measured, on standard output.
void find_print_step(const struct find_result *result);

// Prints the answer of a search that is over.
void find_print_answer(const struct find_result *result);

// One sentence: what was found, by how many trials.
void find_sentence(const struct find_result *result, struct text *out);

// find.json, for machines. Schema "lockpick-find-1"; fields are only ever added to it. As in
// result.json, names that end in _ns are integers, in nanoseconds, and null means that there is
// none.
//
//  schema        string   "lockpick-find-1"
//  folder        string   of the trials, whose runs are in folders of their own inside
//  scenario      object   name, path: strings
//  seed          string
//  environment   object   see harness/report/json_costs.h: of the first trial; load_at_end of the
//  last searches      array, one for each scheme, of
//    scheme      string
//    target      object   figure: "p50", ... of acquire, from the intended beginning; limit_ns:
//    integer outcome     string   "found"; "none": even the lowest rate misses the target;
//    "driver-bound":
//                         beyond `met`, if anything met it, the driver was the limit, which says
//                         nothing about the lock; "failed"; "not-tried"
//    answer      string   one sentence
//    met         object or null: the highest rate that met the target, with its trials
//    missed      object or null: the lowest that did not; the result lies between the two
//                         Both have rate: string; per_second: number; met, missed, driver_bound:
//                         integers, trials
//    steps       array, in the order of the trials, of
//      rate      string; per_second: number
//      due, begun, granted  integers: operations
//      figure_ns integer or null (nothing was granted)
//      outcome   string   "met", "missed", "driver-bound"
//      driver    string or null: by what the driver was the limit
//      verdict   string   as in result.json
//      folder    string
//
// The caller frees the text.
char *find_json(const struct find_request *request, const struct find_result *results,
                size_t count);

#endif
