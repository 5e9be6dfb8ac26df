// What a grant costs: requests, renewals, wake-ups.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

#include "harness/check/liveness_herd.h"

#include <math.h>

static struct herd measured(struct build *build)
{
    struct herd herd;
    build_judge(build);
    herd_measure(&build->digest, &herd);
    build_free(build);
    return herd;
}

static void end_worker(struct build *build, int client, int64_t acquires, int64_t releases,
                       int64_t wakeups)
{
    BUILD_EVENT(build, 100, client, WORKER_END, OUTCOME_OK, 1, acquires, releases, wakeups);
}

TEST(what_all_clients_sent_is_counted_for_each_grant)
{
    struct build build;
    build_start(&build, "increment");
    build_hold(&build, 1, 1, 1, 2, NEVER_MS);
    build_hold(&build, 2, 2, 3, 6, NEVER_MS);
    BUILD_EVENT(&build, 4, 2, RENEW_INVOKE, OUTCOME_OK, 2);
    BUILD_EVENT(&build, 5, 2, RENEW_RETURN, OUTCOME_OK, 2, 0);
    build_attempt(&build, 3, 3, 3, 90, OUTCOME_NO);
    end_worker(&build, 1, 2, 1, 0);
    end_worker(&build, 2, 5, 1, 2);
    end_worker(&build, 3, 6, 0, 1);
    struct herd herd = measured(&build);
    assert_true(herd.is_known);
    assert_int_equal(herd.grants, 2);
    assert_int_equal(herd.acquire_requests, 13);
    assert_int_equal(herd.release_requests, 2);
    assert_int_equal(herd.renewals, 1);
    assert_int_equal(herd.wakeups, 3);
    assert_float_equal(herd_per_grant(&herd, herd.wakeups), 1.5, 1e-9);
}

// Several workers of a foreign lock send at a time, or nobody sees what it sends.
TEST(nothing_is_said_where_a_worker_cannot_tell_of_all_it_sent)
{
    struct build build;
    build_start(&build, "increment");
    build_hold(&build, 1, 1, 1, 2, NEVER_MS);
    build_hold(&build, 2, 2, 3, 6, NEVER_MS);
    end_worker(&build, 1, 2, 1, 0);
    BUILD_EVENT(&build, 100, 2, WORKER_END, OUTCOME_UNKNOWN, 1, 5, 1, 0);
    assert_false(measured(&build).is_known);
}

TEST(a_client_that_was_killed_did_not_end_or_is_not_all_there_is_left_out)
{
    struct build build;
    build_start(&build, "increment");
    for (int client = 1; client <= 3; client++)
        build_hold(&build, client, client, client, client + 0.5, NEVER_MS);
    end_worker(&build, 1, 2, 1, 0);
    end_worker(&build, 2, 50, 50, 50); // one of its workers; another was killed
    build_death(&build, 2, 101);
    build_hold(&build, 4, 4, 4, 4.5, NEVER_MS);
    BUILD_EVENT(&build, 5, 4, GAP, OUTCOME_OK, 0);
    end_worker(&build, 4, 70, 70, 70);
    struct herd herd = measured(&build);
    assert_int_equal(herd.grants, 1);
    assert_int_equal(herd.acquire_requests, 2);
    assert_int_equal(herd.wakeups, 0);
}

TEST(wake_ups_that_an_external_lock_hides_are_unknown_and_not_none)
{
    struct build build;
    build_start(&build, "increment");
    build_hold(&build, 1, 1, 1, 2, NEVER_MS);
    build_hold(&build, 2, 2, 3, 6, NEVER_MS);
    end_worker(&build, 1, 2, 1, 4);
    end_worker(&build, 2, 2, 1, -1);
    struct herd herd = measured(&build);
    assert_true(herd.is_known);
    assert_true(isnan(herd_per_grant(&herd, herd.wakeups)));
    assert_float_equal(herd_per_grant(&herd, herd.acquire_requests), 2, 1e-9);
}

// Three grants: one in a warm-up, and two behind it, with another warm-up between them.
TEST(a_warm_up_is_left_out)
{
    struct build build;
    build_start(&build, "increment");
    BUILD_EVENT(&build, 0, 1, WORKER_LOAD, OUTCOME_OK, 0, 0, 0, 0);
    build_hold(&build, 1, 1, 1, 2, NEVER_MS);
    BUILD_EVENT(&build, 3, 1, WORKER_LOAD, OUTCOME_OK, 1, 7, 1, 5);
    build_hold(&build, 1, 2, 4, 5, NEVER_MS);
    BUILD_EVENT(&build, 6, 1, WORKER_LOAD, OUTCOME_OK, 0, 9, 2, 6);
    BUILD_EVENT(&build, 7, 1, WORKER_LOAD, OUTCOME_OK, 1, 100, 20, 60);
    build_hold(&build, 1, 3, 8, 9, NEVER_MS);
    end_worker(&build, 1, 103, 21, 60);
    struct herd herd = measured(&build);
    assert_int_equal(herd.grants, 2);
    assert_int_equal(herd.acquire_requests, 5);
    assert_int_equal(herd.release_requests, 2);
    assert_int_equal(herd.wakeups, 1);
}

TEST(what_nobody_counted_is_not_known)
{
    struct build build;
    build_start(&build, "increment");
    build_hold(&build, 1, 1, 1, 2, NEVER_MS);
    end_worker(&build, 1, 0, 0, 0);
    struct herd herd = measured(&build);
    assert_false(herd.is_known);
    build_start(&build, "increment");
    end_worker(&build, 1, 5, 0, 0);
    herd = measured(&build);
    assert_true(herd.is_known);
    assert_true(isnan(herd_per_grant(&herd, herd.acquire_requests)));
}
