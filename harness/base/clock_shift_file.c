#include "harness/base/clock_shift.h"

#include "harness/base/file.h"

#include <errno.h>
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
    return file_share(path, sizeof(struct clock_shift), "by which a server's clock is set", error);
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
