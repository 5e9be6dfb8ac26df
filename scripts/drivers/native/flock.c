// A native plug-in to begin with: a lock file (flock), which excludes the processes and threads of
// one machine. Replace acquire and release by your lock's.
//
//   cc -shared -fPIC -I harness/plugin -o flock.so scripts/drivers/native/flock.c
#include "lockpick.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

// Each worker opens the file by itself: the lock belongs to what was opened.
static int open_worker(struct lockpick_worker *worker)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/lock-file", worker->setup->folder);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        snprintf(worker->error, sizeof worker->error, "lock-file: %s", strerror(errno));
        return -1;
    }
    worker->state = (void *)(intptr_t)file;
    return 0;
}

static void close_worker(struct lockpick_worker *worker)
{
    close((int)(intptr_t)worker->state);
}

static enum lockpick_outcome acquire(struct lockpick_worker *worker, struct lockpick_grant *grant)
{
    const struct timespec retry = {.tv_nsec = 1000000};
    (void)grant; // no token, and it does not expire
    while (flock((int)(intptr_t)worker->state, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            snprintf(worker->error, sizeof worker->error, "flock: %s", strerror(errno));
            return LOCKPICK_BROKEN;
        }
        if (worker->must_give_up(worker))
            return LOCKPICK_NO;
        nanosleep(&retry, NULL);
    }
    return LOCKPICK_OK;
}

static enum lockpick_release release(struct lockpick_worker *worker)
{
    return flock((int)(intptr_t)worker->state, LOCK_UN) == 0 ? LOCKPICK_RELEASED
                                                             : LOCKPICK_RELEASE_UNKNOWN;
}

const struct lockpick_plugin lockpick_plugin = {
    .abi = LOCKPICK_PLUGIN_ABI,
    .size = sizeof(struct lockpick_plugin),
    .open = open_worker,
    .close = close_worker,
    .acquire = acquire,
    .release = release,
};
