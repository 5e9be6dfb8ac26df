// What a path of the user's means: a run, a trial of one, or a file.
#ifndef LOCKPICK_RUN_STORED_PATH_H
#define LOCKPICK_RUN_STORED_PATH_H

#include <stdbool.h>
#include <stddef.h>

// Each is NULL where there is none.
struct stored_path {
    char *run;   // the folder of the run
    char *trial; // the name of the trial, if it is one or its history
    char **histories;
    size_t history_count; // the file itself, or all that are below the folder
};

// Below a folder that is no run and no trial, histories are known by their names: .edn, .json or
// .jsonl, each also with .gz; where there is a history.*, as in Jepsen's store, only that. "-" is
// standard input.
void stored_path_find(const char *path, struct stored_path *stored);
// Moves the histories to the end of the others'.
void stored_path_move(struct stored_path *from, struct stored_path *to);
void stored_path_free(struct stored_path *stored);

#endif
