// For tests: operations as cases/known.cases writes them, "PROCESS WHAT FROM TO".
#ifndef LOCKPICK_MODEL_TEST_NOTATION_H
#define LOCKPICK_MODEL_TEST_NOTATION_H

#include "harness/base/text.h"
#include "harness/model/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void operation_print(const struct operation *operation, struct text *out)
{
    static const char kinds[] = {'A', 'R', 'N'};
    char what = kinds[operation->kind];
    if (operation->shared)
        what = operation->kind == OPERATION_ACQUIRE ? 'S' : 'T';
    text_format(out, "%u %c%s", operation->process, operation->either ? 'E' : what,
                operation->outcome == OUTCOME_NO        ? "!"
                : operation->outcome == OUTCOME_UNKNOWN ? "?"
                                                        : "");
    if (operation->token != 0)
        text_format(out, "#%" PRId64, operation->token);
    if (operation->name != 0)
        text_format(out, "@%u", operation->name);
    text_format(out, " %" PRId64 " %" PRId64, moment_of(operation->invoked),
                operation->returned == INSTANT_NEVER ? 0 : moment_of(operation->returned));
}

// False if it cannot be read.
static inline bool operation_read(const char *words, struct operation *operation)
{
    unsigned process = 0;
    int from = 0, to = 0;
    char what[32] = "";
    if (sscanf(words, " %u %31s %d %d", &process, what, &from, &to) != 4)
        return false;
    const char *token = strchr(what, '#');
    const char *name = strchr(what, '@');
    *operation = (struct operation){
        .invoked = instant_of_invocation(from),
        .returned = to == 0 ? INSTANT_NEVER : instant_of_return(to),
        .token = token == NULL ? 0 : strtol(token + 1, NULL, 10),
        .process = process,
        .name = name == NULL ? 0 : (uint32_t)strtoul(name + 1, NULL, 10),
        .kind = strchr("AS", what[0]) != NULL ? OPERATION_ACQUIRE
                : what[0] == 'N'              ? OPERATION_RENEW
                                              : OPERATION_RELEASE,
        .outcome = what[1] == '!'   ? OUTCOME_NO
                   : what[1] == '?' ? OUTCOME_UNKNOWN
                                    : OUTCOME_OK,
        .shared = strchr("ST", what[0]) != NULL,
        .either = what[0] == 'E',
    };
    return true;
}

#endif
