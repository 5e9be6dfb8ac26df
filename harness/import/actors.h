// The processes of a history, and whose they are; numbers for the names that a history has.
#ifndef LOCKPICK_IMPORT_ACTORS_H
#define LOCKPICK_IMPORT_ACTORS_H

#include "harness/import/entry.h"

// Zero-initialise; free with labels_free.
struct labels {
    char **items; // owned; the caller may take them away
    uint32_t count;
    size_t room;
    uint32_t *slots; // a hash table of numbers, each one more; 0: empty
    size_t slot_count;
};

// The number of that text: a new one if it was not there before.
uint32_t labels_number(struct labels *labels, const char *text, size_t length);

void labels_free(struct labels *labels);

#define NO_LABEL UINT32_MAX

// A process as the history numbers or names it.
struct actor {
    int64_t number;       // of those without a name
    uint32_t name;        // a label; NO_LABEL: it has its number
    uint32_t client;      // a label: what values call its client; NO_LABEL if they never do
    uint32_t process;     // of the operations: another one after an :info that it went on after
    uint32_t client_line; // that first did
    uint32_t info_line;   // where it ended with an :info; 0: it did not
    uint32_t open_count;  // operations that are open: as many as permits are asked for
    size_t open;          // the first of them
    size_t began, ended;  // moments of its first line, and of its :info; 0: none
};

// Zero-initialise; free with actors_free.
struct actors {
    struct actor *items;
    size_t count, room;
    uint32_t *by_number; // of small numbers: an index, and one more
    size_t by_number_count;
    struct labels texts; // of names, and of other numbers
    uint32_t *by_text;
    size_t by_text_count;
    struct labels clients;
    uint32_t *of_process; // the index of its actor
    size_t process_count, process_room;
};

// The actor of an entry, which is good until the next call.
struct actor *actors_find(struct actors *actors, const struct entry *entry);

// Gives it a new process.
void actors_begin_process(struct actors *actors, struct actor *actor);

// "process 3".
struct shown actor_show(const struct actors *actors, const struct actor *actor);

// Tells the operations who their processes are, and to whom they belong.
void actors_hand_over(struct actors *actors, const struct import_options *options,
                      struct operations *operations, struct import_notes *notes,
                      struct problems *problems);
void actors_free(struct actors *actors);

#endif
