// What a path of the user's means: a run, a trial of one, or a file.
#ifndef LOCKPICK_CLI_STORED_PATH_H
#define LOCKPICK_CLI_STORED_PATH_H

#include <stdbool.h>
#include <stddef.h>

// Each is NULL where there is none.
struct stored_path {
    char *run;   // the folder of the run
    char *trial; // the name of the trial, if it is one or its history
    char **histories;
    size_t history_count; // the file itself, or every history.bin below the folder
};

void stored_path_find(const char *path, struct stored_path *stored);
void stored_path_free(struct stored_path *stored);

#endif
