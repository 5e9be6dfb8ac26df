// Faults that a scenario draws at random, held against the servers that its schemes lock with.
#ifndef LOCKPICK_CLI_RANDOM_FAULTS_H
#define LOCKPICK_CLI_RANDOM_FAULTS_H

#include "harness/scenario/scenario.h"

#include <stdio.h>

// Which faults of `random: {of: ...}` cannot happen, and to whom, as "path:line: message" on `out`.
// Those that can happen to no scheme of the scenario (`scheme_glob`, or NULL, narrows them) are
// taken out of the list, so that the others are drawn instead; if none can, all stay, and each
// trial is n/a with its reason.
void random_faults_fit(struct scenario *scenario, const char *scheme_glob, FILE *out);

#endif
