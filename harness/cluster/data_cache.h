// What servers take long to make, made once per machine: most of all their data folders, kept as
// archives (tar, gzip, whose checksum tells what is damaged), then unpacked.
#ifndef LOCKPICK_CLUSTER_DATA_CACHE_H
#define LOCKPICK_CLUSTER_DATA_CACHE_H

#include "harness/cluster/process.h"

// Where the folder of that name is kept: in $XDG_CACHE_HOME or $HOME/.cache, the first that is an
// absolute path; under the layout of what this build keeps. NULL if neither is. The caller frees.
char *data_cache_path(const char *name);

// Unpacks what is kept at `cache` into `data`. 0, or -1 if nothing is, or it cannot be unpacked (a
// part of it may be there), or it is damaged: then it is removed, and the user told.
int data_cache_fetch(const char *cache, const char *data, struct process_limit limit);

// Keeps what `make` writes to the file `half`: under that name first, so that nobody finds half of
// it. 0, or -1 if it cannot be kept, as `make` returned -1 or somebody else keeps something.
int data_cache_fill(const char *cache, int (*make)(const char *half, const void *context),
                    const void *context);

// Keeps `data` for the next ones. If it cannot be kept, the next server makes its own.
void data_cache_keep(const char *data, const char *cache, struct process_limit limit);

// Removes what was not finished, as who made it was killed. Whatever keeps something does, too.
void data_cache_sweep(void);

#endif
