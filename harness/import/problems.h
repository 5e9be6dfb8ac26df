// What is wrong with a history that was read, each "FILE:LINE: message".
#ifndef LOCKPICK_IMPORT_PROBLEMS_H
#define LOCKPICK_IMPORT_PROBLEMS_H

#include "harness/base/text.h"

#include <stdint.h>

// So many are told; reading ends with the last of them.
#define PROBLEMS_MOST 20

// A value or a process as a message names it.
struct shown {
    char text[120];
};

// Zero-initialise but for `file`; the owner frees `text`.
struct problems {
    const char *file;
    struct text text; // a line for each
    size_t count;
};

__attribute__((format(printf, 3, 4))) void problems_add(struct problems *problems, uint32_t line,
                                                        const char *format, ...);

static inline bool problems_suffice(const struct problems *problems)
{
    return problems->count >= PROBLEMS_MOST;
}

#endif
