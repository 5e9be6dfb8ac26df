// Every check, one file each. A new property is one new file, a line here, and a line in
// catalogue.c.
#ifndef LOCKPICK_CHECK_CATALOGUE_H
#define LOCKPICK_CHECK_CATALOGUE_H

#include "harness/check/check.h"

extern const struct check double_grant_check;
extern const struct check stale_holder_check;
extern const struct check stale_write_check;
extern const struct check lost_update_check;
extern const struct check oversell_check;
extern const struct check run_once_check;
extern const struct check unstable_read_check;
extern const struct check reentrancy_check;
extern const struct check wrongful_release_check;
extern const struct check fencing_order_check;
extern const struct check out_of_turn_check;
extern const struct check not_told_check;
extern const struct check stuck_check;

#endif
