// What the sentences of an account are made of.
#ifndef LOCKPICK_EXPLAIN_EVIDENCE_SPEECH_H
#define LOCKPICK_EXPLAIN_EVIDENCE_SPEECH_H

#include "harness/check/describe.h"
#include "harness/explain/account.h"

// The words that occur in many of them.
struct speech {
    const struct account *account;
    char who[DESCRIBE_ROOM];   // the worker of holds[0], or of the attempt
    char other[DESCRIBE_ROOM]; // of holds[1]
    char lease[DESCRIBE_ROOM];
    char length[DESCRIBE_ROOM]; // of what stretched the hold
};

bool speech_has_trait(const struct speech *speech, const char *trait);

// What struck, or NULL.
const struct fault_record *speech_fault(const struct speech *speech);

// A lock that a release removed, and one that a fault took from its holder.
void say_removed(const struct speech *speech, struct text *out);
void say_server(const struct speech *speech, struct text *out);

// True if a client was stopped inside its acquire, and what it was granted then was, by its own
// word, asked for after the stop had begun: a lease that is counted from the reply looks like that.
bool account_may_count_from_reply(const struct account *account);

// ROOT_STEPS; a lock that vanished, and one that nobody gets although it should be free, of which
// no cause is known.
void say_steps(const struct speech *speech, struct text *out);
void say_vanished(const struct speech *speech, struct text *out);
void say_who_may_have_it(const struct speech *speech, struct text *out);

#endif
