// One line of another tool's history, understood: who did what, and how that went.
#ifndef LOCKPICK_IMPORT_ENTRY_H
#define LOCKPICK_IMPORT_ENTRY_H

#include "harness/import/problems.h"
#include "harness/import/value.h"
#include "harness/model/operations.h"

enum entry_type { ENTRY_INVOKE, ENTRY_OK, ENTRY_FAIL, ENTRY_INFO };

#define ENTRY_TEXT_ROOM 100

struct entry {
    uint32_t line;
    enum entry_type type;
    bool is_nemesis; // of one who makes faults: the rest is not read
    enum operation_kind kind;
    bool shared;                   // of a reader
    bool either;                   // a release that does not say whether of a reader
    char process[ENTRY_TEXT_ROOM]; // "process 3"
    char name[ENTRY_TEXT_ROOM];    // of the lock; "" if it says none
    int64_t at_ns;                 // TIME_NEVER if it says none
    int64_t index;                 // -1 if it says none
    int64_t token;                 // of a successful acquire; 0 if it says none
};

// Reads the map. `tokens`: the value of a successful acquire is its token. 0, or -1 after telling
// every problem.
int entry_read(const struct value *map, bool tokens, struct entry *entry,
               struct problems *problems);

// "acquire", "release-shared": as histories are written by Lockpick.
const char *entry_function(enum operation_kind kind, bool shared);

#endif
