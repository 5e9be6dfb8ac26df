// Data folders of servers that take long to initialise: made once per machine, kept as an archive
// (tar, gzip, whose checksum tells what is damaged), then unpacked.
#ifndef LOCKPICK_CLUSTER_DATA_CACHE_H
#define LOCKPICK_CLUSTER_DATA_CACHE_H

#include "harness/cluster/process.h"

// Where the folder of that name is kept: in $XDG_CACHE_HOME or $HOME/.cache, the first that is an
// absolute path; under the layout of what this build keeps. NULL if neither is. The caller frees.
char *data_cache_path(const char *name);

// Unpacks what is kept at `cache` into `data`. 0, or -1 if nothing is, or it cannot be unpacked (a
// part of it may be there), or it is damaged: then it is removed, and the user told.
int data_cache_fetch(const char *cache, const char *data, struct process_limit limit);

// Keeps `data` for the next ones; under a temporary name first, so that nobody finds half of it. If
// it cannot be kept, the next server makes its own.
void data_cache_keep(const char *data, const char *cache, struct process_limit limit);

// Removes what was not finished, as who made it was killed. data_cache_keep does, too.
void data_cache_sweep(void);

#endif
