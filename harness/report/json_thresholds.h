// The key `thresholds` of result.json: an array, of each threshold of a scenario × scheme,
//
//    scenario, scheme  strings
//    threshold     string   as it is said: "acquire.p99 < 50ms"
//    line          integer  of the scenario's file, unless it was set on the command line
//    metric        string   "acquire"
//    percentile    number or null: 99.9; 100 is the longest
//    relation      string   "<", "<=", ">", ">=" or "=="
//    bound, measured  numbers: nanoseconds, each second, or plain; measured: null if there is none
//    result        string   "met", "missed" or "not measured"
//    driver_bound  boolean  the driver was the limit in at least one repeat
//    reason        string   why it counts as not measured; "" if it does not
#ifndef LOCKPICK_REPORT_JSON_THRESHOLDS_H
#define LOCKPICK_REPORT_JSON_THRESHOLDS_H

#include "harness/report/report.h"

#include <jansson.h>

// The caller owns what it returns.
json_t *thresholds_json(const struct run_result *run);

#endif
