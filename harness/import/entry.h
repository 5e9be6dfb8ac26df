// One line of another tool's history, understood: who did what, and how that went.
#ifndef LOCKPICK_IMPORT_ENTRY_H
#define LOCKPICK_IMPORT_ENTRY_H

#include "harness/import/import.h"
#include "harness/import/reader.h"

enum entry_type { ENTRY_INVOKE, ENTRY_OK, ENTRY_FAIL, ENTRY_INFO };

enum entry_use {
    ENTRY_TAKEN,
    ENTRY_OF_NEMESIS, // of one who makes faults: the rest is not read
    ENTRY_SKIPPED,    // as was asked for
};

// Text as long as what was read stays; no NUL need follow.
struct slice {
    const char *bytes;
    size_t length; // 0: it says none
};

struct entry {
    uint32_t line;
    enum entry_use use;
    enum entry_type type;
    enum operation_kind kind;
    bool shared;          // of a reader
    bool either;          // a release that does not say whether of a reader
    bool is_unclear;      // its value may say which lock, or how many permits, or nothing
    bool has_uid;         // its value is a map that names the operation
    bool has_idle_token;  // a token, of which the model has none
    struct slice process; // a word; empty: `number`
    int64_t number;
    struct slice name;   // of the lock
    struct slice client; // that its value names
    struct slice error;  // why it failed: the first word of it
    int64_t at_ns;       // TIME_NEVER if it says none
    int64_t index;       // -1 if it says none
    int64_t token;       // of a successful acquire; 0 if it says none
    int64_t permits;     // 0 if it says none
    char digits[3][24];  // what name, client and error may point to
};

// Says what the parts mean. 0, or -1 after telling every problem.
int entry_read(const struct entry_fields *fields, const struct import_options *options,
               struct entry *entry, struct problems *problems);

// "acquire", "release-shared": as histories are written by Lockpick.
const char *entry_function(enum operation_kind kind, bool shared);

// True if --f takes it: a function, or "skip".
bool entry_knows_function(const char *name);

#endif
