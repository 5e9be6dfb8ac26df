// Words for findings and stories.
#ifndef LOCKPICK_CHECK_DESCRIBE_H
#define LOCKPICK_CHECK_DESCRIBE_H

#include "harness/check/check.h"

// By value: what is not kept lasts as long as the expression in which it is made.
struct words {
    char text[160];
};

// "client-1", or "client-1 worker-3" where clients have more than one worker and it is not 0: any
// of them.
struct words worker_name(const struct trial_model *model, int client, int worker);

// The same of a hold's worker; a duration.
struct words holder_name(const struct trial_model *model, size_t hold);
struct words lasting(int64_t length_ns);

// Says what came of the finding, and begins its sentence; appends to that. What does not fit is cut
// off.
#define finding_decide(finding, what, ...)                                                         \
    ((finding)->state = (what), (finding)->text[0] = '\0', finding_say(finding, __VA_ARGS__))
__attribute__((format(printf, 2, 3))) void finding_say(struct finding *finding, const char *format,
                                                       ...);

// Appends the words, and is true: for whoever has something to say and says so.
__attribute__((format(printf, 2, 3))) bool say(struct text *text, const char *format, ...);

// What a workload's words for permits name (struct workload_words); NULL and 0 where they do not.
struct permits_told {
    const struct trial_model *model;
    const char *who, *them;
    int64_t length_ns;
};

void permits_tell(const struct permits_told *told, const char *words, struct text *out);

// "1 hold", "3 holds": returns "s" unless the count is 1.
const char *plural(long long count);

// Why it is not known when the lease of one of the holds ended, as a clause: "after so long a
// standstill ...", of two; the second may be the same as the first.
const char *describe_doubt(const struct trial_model *model, const struct hold *one,
                           const struct hold *other);

#endif
