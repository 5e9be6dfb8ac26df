// Every check, in the order of reports. A new property is one new file, and a line here.
#ifndef LOCKPICK_CHECK_CATALOGUE_H
#define LOCKPICK_CHECK_CATALOGUE_H

#include "harness/check/check.h"

#define CHECKS(CHECK)                                                                              \
    CHECK(double_grant)                                                                            \
    CHECK(stale_holder)                                                                            \
    CHECK(stale_write)                                                                             \
    CHECK(lost_update)                                                                             \
    CHECK(oversell)                                                                                \
    CHECK(run_once)                                                                                \
    CHECK(lost_job)                                                                                \
    CHECK(poison_job)                                                                              \
    CHECK(unstable_read)                                                                           \
    CHECK(reentrancy)                                                                              \
    CHECK(wrongful_release)                                                                        \
    CHECK(fencing_order)                                                                           \
    CHECK(out_of_turn)                                                                             \
    CHECK(not_told)                                                                                \
    CHECK(stuck)

#define CHECK_DECLARE(name) extern const struct check name##_check;
CHECKS(CHECK_DECLARE)
#undef CHECK_DECLARE

#endif
