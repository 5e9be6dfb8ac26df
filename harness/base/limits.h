// The limits of the shell that started us (`ulimit`), of which programs fail without naming them.
#ifndef LOCKPICK_BASE_LIMITS_H
#define LOCKPICK_BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct limit_need {
    const char *what;          // "open files"
    const char *option;        // of ulimit: "-n"
    int resource;              // RLIMIT_NOFILE
    unsigned long long unit;   // of `option`, in those of the resource
    unsigned long long enough; // in units; most runs need less
};

// Every limit that matters; `what` of the last is NULL.
extern const struct limit_need limit_needs[];

// True if as many units may be had as mostly suffice; writes how many may be had, ~0ULL: any
// number.
bool limit_suffices(const struct limit_need *need, unsigned long long *allowed);

// Writes which limits are too low and what to do about it: "`ulimit -n` allows only 16 open files,
// raise it to 1024"; "" if none is. Returns `out`.
const char *limits_too_low(char *out, size_t room);

#endif
