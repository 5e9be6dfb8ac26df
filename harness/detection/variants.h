// Broken variants of sound schemes: each differs from the scheme that it was made from by one
// mistake, which its summary says. They are there to show that Lockpick finds such mistakes, and
// are linked into lockpick-detection only, never into lockpick.
#ifndef LOCKPICK_DETECTION_VARIANTS_H
#define LOCKPICK_DETECTION_VARIANTS_H

#include "harness/locks/catalogue.h"
#include "harness/locks/watchdog.h"

// BROKEN(variant, scheme that it was made from), by their objects' names. A new variant is one
// object NAME_mistake in one of the files of this folder, which sets the fields that differ from
// those of the scheme, and a line here.
#define VARIANTS(BROKEN)                                                                           \
    BROKEN(release_unchecked, redis_set_px_lua)                                                    \
    BROKEN(release_in_two_steps, redis_set_px_lua)                                                 \
    BROKEN(release_asked_twice, redis_set_px_lua)                                                  \
    BROKEN(identity_of_client, redis_set_px_lua)                                                   \
    BROKEN(unknown_is_ok, redis_set_px_lua)                                                        \
    BROKEN(lease_set_later, redis_set_px_lua)                                                      \
    BROKEN(no_expiry_on_retry, redis_set_px_lua)                                                   \
    BROKEN(loser_renews, redis_set_px_lua)                                                         \
    BROKEN(clock_of_client, redis_set_px_lua)                                                      \
    BROKEN(one_in_a_thousand, redis_set_px_lua)                                                    \
    BROKEN(validity_after_reply, redis_set_px_lua)                                                 \
    BROKEN(token_twice, redis_set_px_lua)                                                          \
    BROKEN(token_read_later, redis_set_px_lua)                                                     \
    BROKEN(token_goes_back, redis_set_px_lua)                                                      \
    BROKEN(token_unchecked, redis_set_px_lua)                                                      \
    BROKEN(never_renewed, redis_watchdog)                                                          \
    BROKEN(renews_anybodys, redis_watchdog)                                                        \
    BROKEN(renewal_failure_ignored, redisson_fenced)                                               \
    BROKEN(leave_frees, redis_watchdog)                                                            \
    BROKEN(reentry_of_process, redisson)                                                           \
    BROKEN(line_ignored, redisson_fair)                                                            \
    BROKEN(reader_beside_writer, redisson_rw)                                                      \
    BROKEN(one_permit_more, redisson_semaphore)                                                    \
    BROKEN(permit_released_twice, redisson_semaphore)                                              \
    BROKEN(subscribed_too_late, redisson_semaphore)                                                \
    BROKEN(wrong_waiter_woken, redisson_semaphore)                                                 \
    BROKEN(quorum_too_small, redlock)                                                              \
    BROKEN(answers_counted, redlock)                                                               \
    BROKEN(minority_kept, redlock)                                                                 \
    BROKEN(validity_unchecked, redlock)                                                            \
    BROKEN(validity_restarted, redlock)                                                            \
    BROKEN(cas_ignored, memcached_add_cas)                                                         \
    BROKEN(zk_wrong_predecessor, zk_sequential)                                                    \
    BROKEN(zk_line_not_read_again, zk_sequential)                                                  \
    BROKEN(zk_watch_too_late, zk_ephemeral)                                                        \
    BROKEN(zk_expiry_ignored, zk_ephemeral)                                                        \
    BROKEN(zk_unknown_is_no, zk_ephemeral)                                                         \
    BROKEN(etcd_wrong_predecessor, etcd_lease)                                                     \
    BROKEN(etcd_line_not_read_again, etcd_lease)                                                   \
    BROKEN(for_update_alone, mysql_for_update)                                                     \
    BROKEN(select_without_lock, mysql_for_update)                                                  \
    BROKEN(unlock_before_commit, mysql_for_update)                                                 \
    BROKEN(commit_unchecked, mysql_for_update)                                                     \
    BROKEN(release_not_asked, mysql_unique)                                                        \
    BROKEN(insert_unknown_is_no, mysql_unique)                                                     \
    BROKEN(get_lock_elsewhere, mysql_get_lock)

#define BROKEN_DECLARE(name, base) extern const struct lock_scheme name##_mistake;
VARIANTS(BROKEN_DECLARE)
#undef BROKEN_DECLARE

struct variant {
    const struct lock_scheme *scheme;
    const struct lock_scheme *made_from;
};

// The `renewal` of a variant without any.
extern const struct watchdog_settings no_renewal;

// NULL-terminated: the last one's scheme is NULL.
extern const struct variant variant_catalogue[];

#endif
