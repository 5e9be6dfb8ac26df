// Whether a judgement is what the scenario expects.
#ifndef LOCKPICK_CHECK_EXPECTATION_H
#define LOCKPICK_CHECK_EXPECTATION_H

#include "harness/check/check.h"

// Sets `expectation`, `expectation_text` and `unexpected` of a judgement whose verdict and findings
// stand.
void expectation_compare(const struct trial *trial, struct judgement *judgement);

#endif
