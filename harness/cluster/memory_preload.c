// What a server's processes share ends with them, however they end: memory by name (shm_open) is a
// file in the folder that they work in, instead of one in /dev/shm, and a System V segment is
// marked to go with the last of them as soon as its maker has it. So nobody has to find out
// afterwards what a killed server, or a killed program that makes its data, has left.
//
// A part of the shared library that is loaded before all others (LD_PRELOAD) into a server.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
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
