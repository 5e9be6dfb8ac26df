// add with a token; released by the meta command md with the item's unique number, which deletes it
// only if it is still the item that was looked at.
#include "harness/locks/memcached_common.h"

const struct lock_scheme memcached_add_cas_scheme = {
    .name = "memcached-add-cas",
    .summary = "add with a token and an expiry; gets, then md C<cas> releases",
    .breaks = "eviction, restart; a hold longer than the lease",
    .traits = LOCK_TRAITS("memcached", "exclusive", "lease", "owner-checked"),
    MEMCACHED_SCHEME,
    .release = memcached_release_checked,
};
