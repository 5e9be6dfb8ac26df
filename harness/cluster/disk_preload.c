// A part of the shared library that is loaded before all others (LD_PRELOAD) into a server: see
// disk.h. It acts on plain files in the data folder of that server only. Without its variable,
// every call goes straight to the kernel.
//
// A full disk refuses what would need more room: a new file, a write behind a file's end or into
// one with holes. What overwrites its own succeeds, as it does where no room is left. What goes
// through FILE (fopen, fwrite), a mapping or an io_uring passes by; servers that would use those
// for their locks are set up not to.
#include "harness/cluster/disk.h"

#include "harness/base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#define SLICE_NS (5 * NS_PER_MS) // so often a call that is held up looks whether it still is
#define AT_POSITION (-1)         // as an offset: where the descriptor stands

// Set once, when the library is loaded.
static struct disk_state *disk;
static char data[PATH_MAX];
static int (*libc_posix_fallocate)(int descriptor, off_t offset, off_t length);

// --- which files ---------------------------------------------------------------------------------

// Whether what the descriptor stands for is in the data folder, or is that folder.
static bool is_inside(int descriptor)
{
    char link[40];
    char path[PATH_MAX];
    size_t length = strlen(data);
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t got = readlink(link, path, sizeof path - 1);
    path[got > 0 ? got : 0] = '\0';
    return strncmp(path, data, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_data(int descriptor)
{
    struct stat about;
    return fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && is_inside(descriptor);
}

// The data are beside the file of the state. Whether a descriptor is theirs is put to the test:
// where /proc is not this namespace's, it cannot be told.
__attribute__((constructor)) static void load(void)
{
    char folder[PATH_MAX];
    const char *path = getenv(DISK_VARIABLE);
    void *found = dlsym(RTLD_NEXT, "posix_fallocate");
    memcpy(&libc_posix_fallocate, &found, sizeof found); // C does not turn one into the other
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash == NULL)
        return;
    snprintf(folder, sizeof folder, "%.*s/data", (int)(slash - path), path);
    int state = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    int there = (int)syscall(SYS_openat, AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct disk_state *mapped = MAP_FAILED;
    if (state >= 0)
        mapped = mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, state, 0);
    if (mapped != MAP_FAILED && there >= 0 && realpath(folder, data) != NULL && is_inside(there)) {
        atomic_fetch_add(&mapped->readers, 1);
        disk = mapped;
    } else {
        fprintf(stderr, "lockpick: cannot tell which files are in %s: its disk stays sound\n",
                folder);
    }
    if (state >= 0)
        close(state);
    if (there >= 0)
        close(there);
}

// --- what befalls them ---------------------------------------------------------------------------

static bool mode_is(enum disk_mode mode)
{
    return disk != NULL && atomic_load_explicit(&disk->mode, memory_order_relaxed) == mode;
}

static void be_slow(void)
{
    struct timespec now;
    int64_t left_ns = atomic_load(&disk->delay_ns);
    atomic_fetch_add(&disk->met, 1);
    while (left_ns > 0 && mode_is(DISK_SLOW)) {
        now = (struct timespec){.tv_nsec = (long)(left_ns < SLICE_NS ? left_ns : SLICE_NS)};
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &now, NULL);
        left_ns -= now.tv_nsec;
    }
}

static bool needs_room(int descriptor, off_t offset, size_t length)
{
    struct stat about;
    int flags = fcntl(descriptor, F_GETFL);
    if (fstat(descriptor, &about) != 0)
        return false;
    if (offset == AT_POSITION)
        offset = lseek(descriptor, 0, SEEK_CUR);
    if ((flags & O_APPEND) != 0)
        offset = about.st_size;
    return offset + (off_t)length > about.st_size || about.st_blocks * 512 < about.st_size;
}

// Before each call that writes so much. True, with errno set, if it is refused.
static bool refuses(int descriptor, off_t offset, size_t length)
{
    int before = errno;
    if (disk == NULL || mode_is(DISK_SOUND) || !is_data(descriptor)) {
        errno = before;
        return false;
    }
    uint32_t again = DISK_AGAIN;
    bool is_refused = mode_is(DISK_FULL) && length > 0 && needs_room(descriptor, offset, length);
    if (is_refused)
        atomic_fetch_add(&disk->met, 1);
    else if (mode_is(DISK_SLOW))
        be_slow();
    else
        atomic_compare_exchange_strong(&disk->mode, &again, DISK_SOUND);
    errno = is_refused ? ENOSPC : before;
    return is_refused;
}

static size_t length_of(const struct iovec *parts, int count)
{
    size_t length = 0;
    for (int i = 0; i < count; i++)
        length += parts[i].iov_len;
    return length;
}

// --- the calls -----------------------------------------------------------------------------------

// Programs call the second name where files may be large.
#define UNDER_BOTH_NAMES(name) EXPORTED __attribute__((alias(#name))) __typeof__(name) name##64;

EXPORTED ssize_t write(int descriptor, const void *bytes, size_t length)
{
    return refuses(descriptor, AT_POSITION, length) ? -1
                                                    : syscall(SYS_write, descriptor, bytes, length);
}

EXPORTED ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    return refuses(descriptor, AT_POSITION, length_of(parts, count))
               ? -1
               : syscall(SYS_writev, descriptor, parts, count);
}

EXPORTED ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset)
{
    return refuses(descriptor, offset, length)
               ? -1
               : syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}
UNDER_BOTH_NAMES(pwrite)

EXPORTED ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset)
{
    return refuses(descriptor, offset, length_of(parts, count))
               ? -1
               : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
}
UNDER_BOTH_NAMES(pwritev)

EXPORTED int fsync(int descriptor)
{
    return refuses(descriptor, 0, 0) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

EXPORTED int fdatasync(int descriptor)
{
    return refuses(descriptor, 0, 0) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

EXPORTED int fallocate(int descriptor, int mode, off_t offset, off_t length)
{
    bool takes = (mode & FALLOC_FL_PUNCH_HOLE) == 0;
    return refuses(descriptor, offset, takes ? (size_t)length : 0)
               ? -1
               : (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}
UNDER_BOTH_NAMES(fallocate)

EXPORTED int posix_fallocate(int descriptor, off_t offset, off_t length)
{
    return refuses(descriptor, offset, (size_t)length)
               ? ENOSPC
               : libc_posix_fallocate(descriptor, offset, length);
}
UNDER_BOTH_NAMES(posix_fallocate)

// Whether a file of that name would be a new one in the data folder, of a disk that is full.
static bool has_no_room(int folder, const char *path)
{
    char above[PATH_MAX];
    if (!mode_is(DISK_FULL) || syscall(SYS_faccessat, folder, path, F_OK) == 0)
        return false;
    snprintf(above, sizeof above, "%s", path);
    char *slash = strrchr(above, '/');
    if (slash != NULL)
        slash[slash == above] = '\0';
    int there = (int)syscall(SYS_openat, folder, slash != NULL ? above : ".",
                             O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool is_refused = there >= 0 && is_inside(there);
    if (there >= 0)
        close(there);
    if (is_refused)
        atomic_fetch_add(&disk->met, 1);
    return is_refused;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    int before = errno;
    if ((flags & O_CREAT) != 0 && has_no_room(folder, path)) {
        errno = ENOSPC;
        return -1;
    }
    errno = before;
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

// The mode comes only with O_CREAT and O_TMPFILE.
#define OPEN_AT(folder)                                                                            \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    bool has_mode = (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) != 0;                         \
    mode_t mode = has_mode ? va_arg(arguments, mode_t) : 0;                                        \
    va_end(arguments);                                                                             \
    return open_at(folder, path, flags, mode)

EXPORTED int open(const char *path, int flags, ...)
{
    OPEN_AT(AT_FDCWD);
}
UNDER_BOTH_NAMES(open)

EXPORTED int openat(int folder, const char *path, int flags, ...)
{
    OPEN_AT(folder);
}
UNDER_BOTH_NAMES(openat)

EXPORTED int creat(const char *path, mode_t mode)
{
    return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
UNDER_BOTH_NAMES(creat)
