// Files and folders, with errors a person can act on.
#ifndef LOCKPICK_BASE_FILE_H
#define LOCKPICK_BASE_FILE_H

#include "harness/base/error.h"
#include "harness/base/text.h"

// Opens a plain file to be read, for its owner to close: a pipe, which nobody may ever write to, or
// a device is refused. -1 with `error` set.
int file_open(const char *path, struct error *error);

// Appends the whole of a plain file to `out`, if it has at most 256 MiB. 0, or -1 with `error` set.
int file_read(const char *path, struct text *out, struct error *error);

// Writes the file anew (to a neighbour first, then renamed, so that nobody sees half of it). A link
// of that name is replaced, never followed.
int file_write(const char *path, const char *bytes, size_t length, struct error *error);

// Writes all of it to the descriptor. 0, or -1 with errno set.
int bytes_write(int descriptor, const char *bytes, size_t length);

// Why the file at `path` could not be written, by errno: "No space left on device (on the
// disk mounted at /data)". Returns `out`.
const char *file_reason(const char *path, char *out, size_t room);

// Makes a file of so many zero bytes, and maps it to be shared with other processes. `purpose` is
// for the error: "by which a server's clock is set". NULL with `error` set. Unmap with munmap; the
// file stays.
void *file_share(const char *path, size_t size, const char *purpose, struct error *error);

// Makes the folder and its parents; one that exists is fine.
int folder_make(const char *path, struct error *error);

// Removes the folder and all that is in it, following no links; what is not there is fine. 0, or -1
// with `error` set.
int folder_remove(const char *path, struct error *error);

// Removes all that is in the folder but for what has one of these names (NULL-terminated).
int folder_empty(const char *path, const char *const *kept, struct error *error);

// Sees to it that all that was printed has been written: 0, or -1 with `error` set if some of it
// could not be, at any time. That a pipe's reader has gone away is no error: `| head` has seen
// enough.
int output_end(struct error *error);

// Of several paths the first that is there, below the folder of this program or one above it; its
// real path, for the caller to free. NULL if none is. `names` is NULL-terminated.
char *file_of_program(const char *const *names);

// Joins two path parts with a '/'; the caller frees the result.
char *path_join(const char *folder, const char *name);

#endif
