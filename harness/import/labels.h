// Numbers for the names of processes and locks, in the order in which they come.
#ifndef LOCKPICK_IMPORT_LABELS_H
#define LOCKPICK_IMPORT_LABELS_H

#include <stddef.h>
#include <stdint.h>

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

#endif
