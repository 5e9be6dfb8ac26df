#include "harness/base/limits.h"

#include <stdio.h>
#include <sys/resource.h>

const struct limit_need limit_needs[] = {
    {"open files", "-n", RLIMIT_NOFILE, 1, 1024},
    {"processes and threads", "-u", RLIMIT_NPROC, 1, 1024},
    {"KB of stack", "-s", RLIMIT_STACK, 1024, 1024},
    {.what = NULL},
};

// What is allowed at most: servers and clients raise their own limits to that.
bool limit_suffices(const struct limit_need *need, unsigned long long *allowed)
{
    struct rlimit limit = {.rlim_max = RLIM_INFINITY};
    getrlimit((__rlimit_resource_t)need->resource, &limit);
    *allowed = limit.rlim_max == RLIM_INFINITY ? ~0ULL : limit.rlim_max / need->unit;
    return *allowed >= need->enough;
}

const char *limits_too_low(char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (const struct limit_need *need = limit_needs; need->what != NULL && used < room; need++) {
        unsigned long long allowed;
        if (!limit_suffices(need, &allowed))
            used += (size_t)snprintf(
                out + used, room - used, "%s`ulimit %s` allows only %llu %s, raise it to %llu",
                used > 0 ? "; " : "", need->option, allowed, need->what, need->enough);
    }
    return out;
}
