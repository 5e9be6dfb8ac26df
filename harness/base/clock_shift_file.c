#include "harness/base/clock_shift.h"

#include "harness/base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

char *preload_path(const char *name, const char *variable, struct error *error)
{
    const char *given = getenv(variable);
    if (given != NULL && given[0] != '\0') {
        char *path = realpath(given, NULL);
        if (path == NULL)
            error_set(error, "cannot find %s, which $%s names: %s", given, variable,
                      strerror(errno));
        return path;
    }
    char program[PATH_MAX] = "";
    char *found = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (int above = 0; found == NULL && above <= FOLDERS_ABOVE && slash != NULL; above++) {
        *slash = '\0';
        char *candidate = path_join(program, name);
        slash = strrchr(program, '/');
        found = realpath(candidate, NULL);
        free(candidate);
    }
    if (found == NULL)
        error_set(error,
                  "found no %s beside this program, which servers need for their clocks to be set, "
                  "and on loopback ports to keep other users out, and programs to be explored: "
                  "`make` builds it; $%s may say where it is",
                  name, variable);
    return found;
}

char *clock_preload_path(struct error *error)
{
    return preload_path("lockpick-clock.so", "LOCKPICK_CLOCK_PRELOAD", error);
}
