#include "harness/base/clock_shift.h"

#include "harness/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRELOAD "lockpick-clock.so"
#define PRELOAD_VARIABLE "LOCKPICK_CLOCK_PRELOAD"
#define FOLDERS_ABOVE 3 // that a test is below the program, at most

struct clock_shift *clock_shift_create(const char *path, struct error *error)
{
    struct clock_shift *shift = MAP_FAILED;
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    // Room on the disk is reserved: a mapped page without ends whoever touches it.
    errno = descriptor >= 0 ? posix_fallocate(descriptor, 0, sizeof *shift) : errno;
    if (descriptor >= 0 && errno == 0)
        shift = mmap(NULL, sizeof *shift, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    char why[600];
    file_reason(path, why, sizeof why);
    if (descriptor >= 0)
        close(descriptor);
    if (shift != MAP_FAILED)
        return shift;
    error_set(error, "cannot make the file %s, by which a server's clock is set: %s", path, why);
    return NULL;
}

void clock_shift_close(struct clock_shift *shift)
{
    if (shift != NULL)
        munmap(shift, sizeof *shift);
}

// Cuts the last part off. False if there is none.
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

char *clock_preload_path(struct error *error)
{
    const char *given = getenv(PRELOAD_VARIABLE);
    if (given != NULL && given[0] != '\0') {
        char *path = realpath(given, NULL);
        if (path == NULL)
            error_set(error, "cannot find %s, which $" PRELOAD_VARIABLE " names: %s", given,
                      strerror(errno));
        return path;
    }
    char program[PATH_MAX] = "";
    char *found = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    for (int above = 0; found == NULL && above <= FOLDERS_ABOVE && go_up(program); above++) {
        char *candidate = path_join(program, PRELOAD);
        found = realpath(candidate, NULL);
        free(candidate);
    }
    if (found == NULL)
        error_set(error, "found no " PRELOAD " beside this program, which servers need for their "
                         "clocks to be set, and on loopback ports to keep other users out: `make` "
                         "builds it; $" PRELOAD_VARIABLE " may say where it is");
    return found;
}
