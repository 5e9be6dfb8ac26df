// Whether a judgement is what the scenario expects.
#ifndef LOCKPICK_CHECK_EXPECTATION_H
#define LOCKPICK_CHECK_EXPECTATION_H

#include "harness/check/check.h"

// Adds what is expected: "UNSAFE (stale-holder, lost-update)".
void expectation_describe(const struct expectation *expectation, struct text *out);

// Sets `expectation`, `expectation_text` and `unexpected` of a judgement whose verdict and findings
// stand. `absent_fault` is what the scenario calls a fault that never took effect, NULL if all did:
// a lock that broke without it is not what the scenario shows.
void expectation_compare(const struct trial *trial, const char *absent_fault,
                         struct judgement *judgement);

// True if more events could still meet an expectation of UNSAFE or STUCK: nothing was found that
// contradicts it.
bool expectation_may_yet_be_met(const struct expectation *expectation,
                                const struct judgement *judgement);

#endif
