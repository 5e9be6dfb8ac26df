#include "harness/base/file.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((off_t)256 << 20)
#define FOLDERS_ABOVE 3 // that a test is below the program, at most

int file_open(const char *path, struct error *error)
{
    struct stat status;
    // A pipe that is opened without waiting, to be refused, waits for no writer.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        error_set(error, "cannot open %s: %s", path, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        error_set(error, "cannot read %s: %s", path, strerror(EISDIR));
    else if (!S_ISREG(status.st_mode))
        error_set(error, "cannot read %s: it is no plain file, but a pipe, socket or device", path);
    else
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

int file_read(const char *path, struct text *out, struct error *error)
{
    int descriptor = file_open(path, error);
    if (descriptor < 0)
        return -1;
    char block[4096];
    ssize_t got = 1;
    struct stat status;
    int result = 0;
    if (fstat(descriptor, &status) == 0 && status.st_size > MOST_BYTES)
        result = error_set(error, "cannot read %s: it has more than 256 MiB", path);
    while (result == 0 && got != 0) {
        got = read(descriptor, block, sizeof block);
        if (got > 0)
            text_add_bytes(out, block, (size_t)got);
        else if (got < 0 && errno != EINTR)
            result = error_set(error, "cannot read %s: %s", path, strerror(errno));
    }
    close(descriptor);
    return result;
}

// Cuts a path at the folder at which the disk is mounted that it is on.
static void find_mount(char *path)
{
    struct stat here, above;
    char *slash = strrchr(path, '/');
    while (slash != NULL && slash > path && stat(path, &here) == 0) {
        *slash = '\0';
        if (stat(path, &above) != 0 || above.st_dev != here.st_dev) {
            *slash = '/';
            return;
        }
        slash = strrchr(path, '/');
    }
    if (slash == path && stat(path, &here) == 0 && stat("/", &above) == 0 &&
        above.st_dev == here.st_dev)
        slash[1] = '\0';
}

const char *file_reason(const char *path, char *out, size_t room)
{
    int reason = errno;
    AUTO_FREE char *copy = memory_string(path);
    char *slash = strrchr(copy, '/');
    if (slash != NULL)
        slash[slash == copy] = '\0';
    AUTO_FREE char *folder = realpath(slash != NULL ? copy : ".", NULL);
    bool is_full = (reason == ENOSPC || reason == EDQUOT) && folder != NULL;
    if (is_full)
        find_mount(folder);
    snprintf(out, room, "%s%s%s%s", strerror(reason), is_full ? " (on the disk mounted at " : "",
             is_full ? folder : "", is_full ? ")" : "");
    return out;
}

void *file_share(const char *path, size_t size, const char *purpose, struct error *error)
{
    void *shared = MAP_FAILED;
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    // Room on the disk is reserved: a mapped page without ends whoever touches it.
    errno = descriptor >= 0 ? posix_fallocate(descriptor, 0, (off_t)size) : errno;
    if (descriptor >= 0 && errno == 0)
        shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    char why[600];
    file_reason(path, why, sizeof why);
    if (descriptor >= 0)
        close(descriptor);
    if (shared != MAP_FAILED)
        return shared;
    error_set(error, "cannot make the file %s, %s: %s", path, purpose, why);
    return NULL;
}

int bytes_write(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(descriptor, bytes, length);
        if (put < 0 && errno != EINTR)
            return -1;
        bytes += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
    return 0;
}

int file_write(const char *path, const char *bytes, size_t length, struct error *error)
{
    struct text neighbour = {0};
    char why[600];
    int descriptor = -1;
    for (int attempt = 0; descriptor < 0 && (attempt == 0 || errno == EEXIST); attempt++) {
        text_free(&neighbour);
        text_format(&neighbour, "%s.%llx.part", path, (unsigned long long)clock_monotonic_ns());
        descriptor = open(neighbour.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    bool exists = descriptor >= 0;
    const char *failed = !exists                                       ? "create"
                         : bytes_write(descriptor, bytes, length) != 0 ? "write"
                                                                       : NULL;
    int reason = errno;
    if (exists && close(descriptor) != 0 && failed == NULL) {
        failed = "write";
        reason = errno;
    }
    if (failed == NULL && rename(neighbour.bytes, path) != 0) {
        failed = "replace";
        reason = errno;
    }
    if (failed != NULL && exists)
        unlink(neighbour.bytes);
    text_free(&neighbour);
    errno = reason;
    return failed == NULL ? 0
                          : error_set(error, "cannot %s %s: %s", failed, path,
                                      file_reason(path, why, sizeof why));
}

int folder_make(const char *path, struct error *error)
{
    AUTO_FREE char *copy = memory_string(path);
    struct stat found;
    // Each parent, then the folder. A '/' that begins the path separates nothing.
    for (char *end = copy + (*copy == '/'); end != NULL;) {
        end = strchr(end, '/');
        if (end != NULL)
            *end = '\0';
        int failure = mkdir(copy, 0777) == 0 ? 0 : errno;
        if (failure != 0 && stat(copy, &found) != 0)
            return error_set(error, "cannot make folder %s: %s", copy, strerror(failure));
        if (failure != 0 && !S_ISDIR(found.st_mode))
            return error_set(error, "cannot make folder %s: a file of that name is in the way",
                             copy);
        if (end != NULL)
            *end++ = '/';
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *found, int type, struct FTW *walk)
{
    (void)found;
    (void)type;
    (void)walk;
    return remove(path);
}

int folder_remove(const char *path, struct error *error)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return 0;
    return error_set(error, "cannot remove %s: %s", path, strerror(errno));
}

int folder_empty(const char *path, const char *const *kept, struct error *error)
{
    static const char *const nothing[] = {".", "..", NULL};
    DIR *folder = opendir(path);
    int result = 0;
    if (folder == NULL)
        return error_set(error, "cannot read folder %s: %s", path, strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        if (text_is_one_of(entry->d_name, nothing) || text_is_one_of(entry->d_name, kept))
            continue;
        AUTO_FREE char *each = path_join(path, entry->d_name);
        result = folder_remove(each, error);
    }
    closedir(folder);
    return result;
}

int output_end(struct error *error)
{
    bool had_failed = ferror(stdout);
    bool fails = fflush(stdout) != 0;
    if (!had_failed && !fails)
        return 0;
    // What failed earlier has left no reason: it is asked for again, by what can do no harm.
    if (!fails)
        fails = write(STDOUT_FILENO, "\n", 1) != 1;
    int reason = errno;
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    bool has_reader = poll(&end, 1, 0) != 1 || (end.revents & POLLERR) == 0;
    if (fails && (reason == EPIPE || !has_reader))
        return 0;
    return error_set(error, "standard output could not be written to its end%s%s",
                     fails ? ": " : "", fails ? strerror(reason) : "");
}

char *path_join(const char *folder, const char *name)
{
    return text_formatted("%s/%s", folder, name);
}

char *file_of_program(const char *const *names)
{
    char program[PATH_MAX] = "";
    char *found = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (int above = 0; found == NULL && above <= FOLDERS_ABOVE && slash != NULL; above++) {
        *slash = '\0';
        for (size_t i = 0; found == NULL && names[i] != NULL; i++) {
            AUTO_FREE char *candidate = path_join(program, names[i]);
            found = realpath(candidate, NULL);
        }
        slash = strrchr(program, '/');
    }
    return found;
}
