// The small grammars inside a fault: points, causes, targets.
#ifndef LOCKPICK_SCENARIO_TRIGGER_H
#define LOCKPICK_SCENARIO_TRIGGER_H

#include "harness/scenario/scenario.h"

// How long a fault lasts at most if its `until` names a cause only.
#define DEFAULT_BOUND "10s"

// `acquire`, ...: what `in` may name; no `renew`, for no scheme renews. NULL-terminated, like the
// next.
extern const char *const phase_words[];
// `holds`, ...: the word at i stands for the cause_kind i + 1.
extern const char *const cause_words[];

// client-N [worker-M] before|after read|write|COMMAND [in PHASE], or client-N [worker-M] holds.
// Commands are known in any case, and stored as `commands` (NULL-terminated) spells them.
// Like the others: 0, or -1 with `error` saying what is wrong; *point is then undefined.
int point_name_read(const char *text, const char *const *commands, struct point_name *point,
                    struct error *error);

// client-N [worker-M] holds|reads|writes|releases|dies [or DURATION], or DURATION.
int until_read(const char *text, struct cause *cause, int64_t *bound_ns, struct error *error);

// client-N [worker-M].
int target_read(const char *text, struct target *target, struct error *error);

// "client-1 worker-2", or "client-1" if worker is 0.
struct text;
void target_write(int client, int worker, struct text *out);

// A fault as people read it: "pause client-1 after read until client-2 writes or 3s". The caller
// frees the result.
char *fault_describe(const struct fault_step *step);

#endif
