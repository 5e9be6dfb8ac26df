#include "harness/locks/catalogue.h"

#define LISTED(name) &name##_scheme,

const struct lock_scheme *const lock_catalogue[] = {LOCK_SCHEMES(LISTED) NULL};
