// What a server's processes share ends with them, however they end: memory by name (shm_open) is a
// file in the folder that they work in, instead of one in /dev/shm, and a System V segment is
// marked to go with the last of them as soon as its maker has it. So nobody has to find out
// afterwards what a killed server, or a killed program that makes its data, has left.
//
// One that is killed after it has made a segment, and before it has it, cannot do that any more. On
// loopback ports, where the segments are the machine's, it therefore notes down in a file of its
// own (memory.h) what it is about to make, for the sweep behind it.
//
// A part of the shared library that is loaded before all others (LD_PRELOAD) into a server.
#include "harness/cluster/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

// A name begins with a slash.
EXPORTED int shm_open(const char *name, int flags, mode_t mode)
{
    return open(name + 1, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

EXPORTED int shm_unlink(const char *name)
{
    return unlink(name + 1);
}

// Nothing is made that could not be noted down.
EXPORTED int shmget(key_t key, size_t size, int flags)
{
    int (*libc_shmget)(key_t key, size_t size, int flags);
    const char *path = getenv(MEMORY_VARIABLE);
    void *found = dlsym(RTLD_NEXT, "shmget");
    struct memory_note note = {.key = key, .maker = getpid()};
    memcpy(&libc_shmget, &found, sizeof found); // C does not turn one into the other
    if (path != NULL && (flags & IPC_CREAT) != 0) {
        int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        ssize_t written = descriptor < 0 ? -1 : write(descriptor, &note, sizeof note);
        int reason = errno;
        if (descriptor >= 0)
            close(descriptor);
        errno = written < 0 ? reason : ENOSPC;
        if (written != sizeof note)
            return -1;
    }
    return libc_shmget(key, size, flags);
}

// Somebody else's segment, which is looked at, stays as it is.
EXPORTED void *shmat(int segment, const void *address, int flags)
{
    void *(*libc_shmat)(int segment, const void *address, int flags);
    void *found = dlsym(RTLD_NEXT, "shmat");
    struct shmid_ds about;
    memcpy(&libc_shmat, &found, sizeof found); // C does not turn one into the other
    void *attached = libc_shmat(segment, address, flags);
    if ((intptr_t)attached != -1 && shmctl(segment, IPC_STAT, &about) == 0 &&
        about.shm_cpid == getpid())
        shmctl(segment, IPC_RMID, NULL);
    return attached;
}
