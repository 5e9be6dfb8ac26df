// For tests: a shared library, lockpick-fail.so, that is loaded before all others (LD_PRELOAD) into
// lockpick and makes one call of a kind fail, as a full disk or a lack of memory would.
//
// $LOCKPICK_FAIL names the kind, and $LOCKPICK_FAIL_STATE a file with two numbers of 8 bytes,
// mapped by all processes that are forked: how many calls of that kind there have been, and which
// of them, from 1, is to fail.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct state {
    _Atomic uint64_t calls, failing;
};

static struct state *state;
static const char *kind;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

__attribute__((constructor)) static void load(void)
{
    const char *path = getenv("LOCKPICK_FAIL_STATE");
    int descriptor =
        path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0 || strcmp(program_invocation_short_name, "lockpick") != 0)
        return;
    void *memory = (void *)syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE,
                                   MAP_SHARED, descriptor, 0);
    close(descriptor);
    kind = getenv("LOCKPICK_FAIL");
    state = memory != MAP_FAILED ? memory : NULL;
}

// Counts a call; true, with errno set, if it is the one to fail.
static bool fails(const char *of, int reason)
{
    if (state == NULL || strcmp(kind, of) != 0 ||
        atomic_fetch_add(&state->calls, 1) + 1 != atomic_load(&state->failing))
        return false;
    errno = reason;
    return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// --- write ---------------------------------------------------------------------------------------

EXPORTED ssize_t write(int descriptor, const void *bytes, size_t length)
{
    return fails("write", ENOSPC) ? -1 : syscall(SYS_write, descriptor, bytes, length);
}

static bool stream_fails(FILE *file)
{
    if (file == NULL || file == stderr || !fails("write", ENOSPC))
        return false;
    file->_flags |= 0x0020; // _IO_ERR_SEEN of glibc: what ferror tells
    return true;
}

EXPORTED size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
    return stream_fails(file) ? 0 : REAL(fwrite)(bytes, size, count, file);
}

EXPORTED int fflush(FILE *file)
{
    return stream_fails(file) ? EOF : REAL(fflush)(file);
}

EXPORTED int fclose(FILE *file)
{
    bool is_output = __fwritable(file) != 0;
    int result = REAL(fclose)(file);
    return is_output && fails("write", ENOSPC) ? EOF : result;
}

// --- files ---------------------------------------------------------------------------------------

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    return mode[0] != 'r' && fails("file", ENOSPC) ? NULL : REAL(fopen)(path, mode);
}

EXPORTED int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if ((flags & O_CREAT) != 0 && fails("file", ENOSPC))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

EXPORTED int mkdir(const char *path, mode_t mode)
{
    return fails("file", ENOSPC) ? -1 : REAL(mkdir)(path, mode);
}

EXPORTED int rename(const char *from, const char *to)
{
    return fails("file", ENOSPC) ? -1 : REAL(rename)(from, to);
}

EXPORTED int ftruncate(int descriptor, off_t length)
{
    return fails("file", ENOSPC) ? -1 : REAL(ftruncate)(descriptor, length);
}

EXPORTED int fallocate(int descriptor, int mode, off_t from, off_t length)
{
    return fails("file", ENOSPC) ? -1 : REAL(fallocate)(descriptor, mode, from, length);
}

// --- fsync ---------------------------------------------------------------------------------------

EXPORTED int fsync(int descriptor)
{
    return fails("fsync", EIO) ? -1 : REAL(fsync)(descriptor);
}

EXPORTED int fdatasync(int descriptor)
{
    return fails("fsync", EIO) ? -1 : REAL(fdatasync)(descriptor);
}

// --- processes -----------------------------------------------------------------------------------

EXPORTED pid_t fork(void)
{
    return fails("fork", EAGAIN) ? -1 : REAL(fork)();
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*body)(void *), void *context)
{
    return fails("fork", EAGAIN) ? EAGAIN : REAL(pthread_create)(thread, attributes, body, context);
}

// --- memory --------------------------------------------------------------------------------------

EXPORTED void *mmap(void *at, size_t bytes, int protection, int flags, int descriptor, off_t from)
{
    return fails("mmap", ENOMEM)
               ? MAP_FAILED
               : (void *)syscall(SYS_mmap, at, bytes, protection, flags, descriptor, from);
}

EXPORTED void *malloc(size_t bytes)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_malloc(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_calloc(count, bytes);
}

EXPORTED void *realloc(void *old, size_t bytes)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_realloc(old, bytes);
}
