// Words and counts that the terminal and the page share.
#ifndef LOCKPICK_REPORT_SUMMARY_H
#define LOCKPICK_REPORT_SUMMARY_H

#include "harness/report/run_report.h"

// True if each lock was one worker's own and nothing was expected: costs were asked for, and no
// verdict. Such a trial is UNKNOWN, and no reason to call the run inconclusive.
bool trial_is_measurement(const struct trial_result *result);

// True if the run missed it, or failed to find out: it wants somebody's eyes.
bool trial_is_urgent(const struct trial_result *result);

// True if the scenario does not apply to the scheme, and nothing else was expected: such trials are
// told together.
bool trial_is_unfit(const struct trial_result *result);

// "23 trials: 20 as expected, 0 missed, 3 without expectation; 2 skipped (why); thresholds: 4 met,
// 0 missed".
void summary_sentence(const struct run_report *report, struct text *out);

// How busy the machine was: "2 processors; load 0.31 at the beginning, 1.80 at the end; other
// programs used 3 % of them while costs were measured". As far as it is known, or nothing.
void machine_sentence(const struct run_result *run, struct text *out);

// The properties found violated: "stale-holder, (lost-update)", harmless ones in parentheses; "–"
// if there are none.
void found_text(const struct judgement *judgement, struct text *out);

// How many trials of the run are like this one, itself included; 0 if one before it is, which
// stands for them.
size_t trials_like(const struct run_result *run, size_t index,
                   bool (*is_like)(const struct trial_result *a, const struct trial_result *b));

// True if two repeats came out the same: verdict, expectation, properties.
bool trials_ended_alike(const struct trial_result *a, const struct trial_result *b);

// "3", "12.5", "61,200": three digits at least, grouped by thousands.
const char *rate_text(double rate, char *out, size_t room);

// By enum finding_state and enum expectation_result.
extern const char *const finding_state_names[], *const expectation_names[];

#endif
