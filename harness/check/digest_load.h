// What load the trial was under, from its history.
#ifndef LOCKPICK_CHECK_DIGEST_LOAD_H
#define LOCKPICK_CHECK_DIGEST_LOAD_H

#include "harness/check/check.h"

// Takes in an EVENT_LOAD: another phase begins.
void digest_see_load(struct digest *digest, const struct event *event);

// Once the digest has its holds, attempts and end: ends the last phase, and counts the operations
// of an open loop that began.
void digest_end_load(struct digest *digest);

#endif
