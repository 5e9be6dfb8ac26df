// What the variants of redis-set-px-lua share: all that is not their mistake is the sound scheme's.
#ifndef LOCKPICK_DETECTION_REDIS_VARIANTS_H
#define LOCKPICK_DETECTION_REDIS_VARIANTS_H

#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/redis_common.h"

// The sound scheme's own functions.
int sound_open(struct lock *lock, struct error *error);
enum outcome sound_try_acquire(struct lock *lock, struct grant *grant);

// The sound scheme's acquire, but by a command of the caller's that answers nil (busy) or not
// (held). `format` takes the lock's name, the token and a number.
enum outcome acquire_by(struct lock *lock, struct grant *grant, const char *format, int64_t number);

#define VARIANT_OF_REDIS                                                                           \
    .server = "redis", .topologies = redis_topologies, .close = redis_lock_close

#define WITH_TOKENS                                                                                \
    .traits = (const char *const[])                                                                \
    {                                                                                              \
        "exclusive", "lease", "owner-checked", "fenced", "redis", NULL                             \
    }
#define WITHOUT_TOKENS                                                                             \
    .traits = (const char *const[])                                                                \
    {                                                                                              \
        "exclusive", "lease", "owner-checked", "redis", NULL                                       \
    }

#endif
