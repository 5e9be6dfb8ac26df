// The small grammars inside a fault: points, causes, targets, wires; and a fault in words.
#ifndef LOCKPICK_SCENARIO_TRIGGER_H
#define LOCKPICK_SCENARIO_TRIGGER_H

#include "harness/scenario/scenario.h"

// How long a fault lasts at most if its `until` names a cause only.
#define DEFAULT_BOUND "10s"

// `acquire`, ...: what `in` may name. NULL-terminated, like the next.
extern const char *const phase_words[];
// `holds`, ...: the word at i stands for the cause_kind i + 1.
extern const char *const cause_words[];

// What `when:` may say: a point, client-N [worker-M] before|after read|write|request|COMMAND [in
// PHASE], or client-N [worker-M] holds, which becomes one more of the instance's points; or else a
// cause. Commands are known in any case, and stored as the vocabulary spells them; servers by their
// kinds in it, too. Like the others: 0, or -1 with `error` saying what is wrong; what is filled in
// is then undefined.
int when_read(const char *text, const struct vocabulary *vocabulary,
              struct fault_instance *instance, struct error *error);

// CAUSE [or DURATION], DURATION, or `end`. A CAUSE is one of
//   client-N [worker-M] holds|reads|writes|releases|dies|tries|renews|loses
//   lease|session of client-N gone|expired
//   SERVER is leader|master|primary, SERVER is up
//   FAULT is over
// Fills in the instance's `until` and its bound.
int until_read(const char *text, const struct vocabulary *vocabulary,
               struct fault_instance *instance, struct error *error);

// client-N [worker-M], or a server.
int target_read(const char *text, const struct vocabulary *vocabulary, struct target *target,
                struct error *error);

// NODE[, NODE...] from|to NODE[, NODE...]: `from` is both ways, `to` one. A side alone is cut from
// all others. Fills in the target, the sides and the way of the instance.
int wire_read(const char *text, const struct vocabulary *vocabulary,
              struct fault_instance *instance, struct error *error);

struct text;
// What a fault does, without its trigger and its end: "partition server-1 from client-1, client-2".
void fault_describe_action(const struct fault_instance *instance, struct text *out);

// A fault as people read it: "pause client-1 after read until client-2 writes or 3s". The caller
// frees the result.
char *fault_describe(const struct fault_instance *instance);

#endif
