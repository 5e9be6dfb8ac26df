#ifndef LOCKPICK_CLUSTER_MEMORY_H
#define LOCKPICK_CLUSTER_MEMORY_H

// What a server notes down of shared memory that it is about to make (memory_preload.c), so that
// the memory can be removed behind it, should it be killed before it could see to that itself.

#include <sys/types.h>

// The file into which it does; not set: nowhere.
#define MEMORY_VARIABLE "LOCKPICK_MEMORY"

struct memory_note {
    key_t key;
    pid_t maker;
};

// Removes the segments of the notes in a file that nobody uses and that the maker that was noted
// down has made. Nothing if there is no such file.
void memory_sweep(const char *path);

#endif
