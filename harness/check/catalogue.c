#include "harness/check/catalogue.h"

const struct check *const check_catalogue[] = {
    &double_grant_check,
    &stale_holder_check,
    &stale_write_check,
    &lost_update_check,
    &oversell_check,
    &run_once_check,
    &unstable_read_check,
    &reentrancy_check,
    &wrongful_release_check,
    &fencing_order_check,
    &out_of_turn_check,
    &not_told_check,
    &stuck_check,
    NULL,
};
