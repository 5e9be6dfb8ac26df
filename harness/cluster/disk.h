// A server's disk that goes wrong, as far as the server can tell: files in its data folder are all
// that is struck.
//
// Full and slow it is for the server's own calls: the server is started with a preload
// (disk_preload.c) that looks here before each. A program that asks the kernel itself (Go: etcd)
// escapes it. What is lost or damaged is taken from the files themselves, of any server.
#ifndef LOCKPICK_CLUSTER_DISK_H
#define LOCKPICK_CLUSTER_DISK_H

#include "harness/cluster/cluster.h"

#include <stdatomic.h>
#include <stdint.h>

enum disk_mode {
    DISK_SOUND,
    DISK_FULL,  // whatever needs more room fails with ENOSPC
    DISK_SLOW,  // each write and each flush takes `delay_ns` longer
    DISK_AGAIN, // sound again, until the next write says that the server has seen it: DISK_SOUND
};

// In memory that the harness, which sets it, and the server's preload share.
struct disk_state {
    _Atomic uint32_t readers; // programs that were started with the preload and can go by this
    _Atomic uint32_t mode;    // enum disk_mode
    _Atomic int64_t delay_ns;
    _Atomic int64_t met; // calls that were refused or slowed since the mode was set
};

// Names the file of the state to the preload; the data folder is beside it.
#define DISK_VARIABLE "LOCKPICK_DISK"

// Copies the data of a server that stands still. From then on, until disk_settle, every start of
// the server finds that copy: all that was written since is lost. 0, or -1 with `error` set.
int disk_keep(struct node *node, struct error *error);

// For a start: puts the copy in place of the data, if there is one. 0, or -1 with `error` set.
int disk_roll_back(const struct node *node, struct error *error);

// What was written stays.
void disk_settle(struct node *node);

// Turns a bit round in each of a few bytes of one file, drawn from `seed` among those that the
// server has written to since it was ready (if there is none, among all); the bytes among those
// that are not 0. Writes "FILE, bytes N, N" to `out`. 0, or -1 with `error` set.
int disk_flip_bits(const struct node *node, uint64_t seed, char *out, size_t room,
                   struct error *error);

#endif
