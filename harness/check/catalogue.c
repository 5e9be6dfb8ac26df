#include "harness/check/catalogue.h"

#define LISTED(name) &name##_check,

const struct check *const check_catalogue[] = {CHECKS(LISTED) NULL};
