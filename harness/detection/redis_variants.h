// What the variants of redis-set-px-lua share: all that is not their mistake is the sound scheme's.
#ifndef LOCKPICK_DETECTION_REDIS_VARIANTS_H
#define LOCKPICK_DETECTION_REDIS_VARIANTS_H

#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/redis_common.h"

// The sound scheme's own attempt.
enum outcome sound_try_acquire(struct lock *lock, struct grant *grant);

#define VARIANT_OF_REDIS REDIS_SCHEME, .kind = redis_checked, .recover = redis_release_checked
#define WITH_TOKENS .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "redis")
#define WITHOUT_TOKENS .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "redis")

#endif
