// A short path for servers' folders, wherever those of the run lie: of plain ASCII characters, so
// that every server can be told it. Java takes no byte that its locale lacks, MariaDB's settings no
// '#' and no more than 512 bytes, LD_PRELOAD no ':' and no space, a Unix socket no more than 107
// bytes. A server that is given a link finds the long path behind it.
#ifndef LOCKPICK_CLUSTER_SHORT_PATH_H
#define LOCKPICK_CLUSTER_SHORT_PATH_H

#include "harness/base/error.h"
#include "harness/cluster/sandbox.h"

#define SHORT_PATH_MOST 120 // bytes that it may have
// In the folder, where the other one is: so it is found also if its maker was killed.
#define SHORT_PATH_LINK "elsewhere"

struct short_path {
    char path[SHORT_PATH_MOST + 1]; // absolute; "" if not open
    enum { SHORT_PATH_SAME, SHORT_PATH_MOUNTED, SHORT_PATH_PRIVATE } kind;
    char *link; // in the folder, to the private one
};

// Finds the path of a folder, which exists. In the run's own namespaces: a mount of the folder,
// which ends with them. On loopback: the folder's own path; if that is not plain or not short, or
// we are root, whose folders no other user can reach, another folder instead, new and listed to
// nobody else, in $TMPDIR, /tmp or $XDG_RUNTIME_DIR. 0, or -1 with `error` set. Close with
// short_path_close.
int short_path_open(struct short_path *path, const char *folder, enum isolation isolation,
                    struct error *error);

// Removes what was made: a mount but not what is in it, another folder with all that is in it.
void short_path_close(struct short_path *path);

// Removes what was made for this folder by somebody who was killed.
void short_path_sweep(const char *folder);

#endif
