#include "harness/check/build_history_test_support.h"
#include "harness/explain/story.h"
#include "harness/testing/test.h"

static void assert_story(struct build *build, const char *story)
{
    build_judge(build);
    char *told = story_tell(&build->digest, &build->judgement);
    assert_string_equal(told, story);
    free(told);
    build_free(build);
}

static void build_paused_holder(struct build *build, bool fenced)
{
    build_start(build, "increment");
    build->scenario.workload.fenced = fenced;
    build_begin(build, 7);
    build_acquire(build, 1, 1, 0, 0.2, 300, fenced ? 1 : 0);
    build_read(build, 1, 1, 0.8, 7, fenced ? 1 : 0);
    build_fault(build, "pause", 1, 1.2, 314);
    build_acquire(build, 2, 2, 2, 312, 612, fenced ? 2 : 0);
    build_read(build, 2, 2, 312.5, 7, fenced ? 2 : 0);
    build_write(build, 2, 2, 313, 8, 7, fenced ? 2 : 0, OUTCOME_OK);
    build_write(build, 1, 1, 315, 8, 7, fenced ? 1 : 0, fenced ? OUTCOME_NO : OUTCOME_OK);
    build_release(build, 1, 1, 315.5, 316, RELEASE_NOT_OWNER);
    build_release(build, 2, 2, 315.3, 315.4, RELEASE_RELEASED);
    build_stop(build, 400, STOP_DONE);
    build_final(build, 401, 8);
}

TEST(a_stale_holder_is_told_from_grant_to_harm)
{
    struct build build;
    build_paused_holder(&build, false);
    assert_story(
        &build,
        "    0.000 s  client-1 acquires the lock (lease 300 ms, valid until 0.300 s)\n"
        "    0.001 s  client-1 reads 7\n"
        "    0.001 s  fault 1: client-1 is paused after read\n"
        "    0.312 s  client-2 acquires the lock: client-1's lease ran out 12 ms ago\n"
        "    0.313 s  client-2 reads 7, writes 8\n"
        "    0.314 s  fault 1 over: client-1 goes on, and still believes it holds the lock\n"
        "    0.315 s  client-1 writes 8 over client-2's 8: one increment is lost\n"
        "    0.315 s  client-2 releases the lock\n"
        "    0.316 s  client-1 tries to release the lock: it is no longer its own\n"
        "  Cause: client-1 stood still for 313 ms (fault 1), past the end of its lease of 300 ms; "
        "client-2 was granted the lock, and client-1 went on all the same.\n"
        "  Both believed to hold it for 3.3 ms. In all, 1 of 2 acknowledged increments was lost. "
        "Of the same cause: stale-write and lost-update.\n"
        "  What would have prevented the harm: a fencing token checked by the store (fenced: "
        "true).\n");
}

TEST(a_stale_holder_that_fencing_stopped_is_told_as_such)
{
    struct build build;
    build_paused_holder(&build, true);
    assert_story(
        &build,
        "    0.000 s  client-1 acquires the lock with token 1 (lease 300 ms, valid until 0.300 s)\n"
        "    0.001 s  client-1 reads 7\n"
        "    0.001 s  fault 1: client-1 is paused after read\n"
        "    0.312 s  client-2 acquires the lock with token 2: client-1's lease ran out 12 ms ago\n"
        "    0.313 s  client-2 reads 7, writes 8\n"
        "    0.314 s  fault 1 over: client-1 goes on, and still believes it holds the lock\n"
        "    0.315 s  client-1 tries to write 8: the store refuses its old token 1\n"
        "    0.315 s  client-2 releases the lock\n"
        "    0.316 s  client-1 tries to release the lock: it is no longer its own\n"
        "  Cause: client-1 stood still for 313 ms (fault 1), past the end of its lease of 300 ms; "
        "client-2 was granted the lock, and client-1 went on all the same.\n"
        "  Both believed to hold it for 3.3 ms.\n"
        "  It did no harm: the store checks fencing tokens, and refused the stale write.\n");
}

TEST(two_buyers_of_one_unit_are_told)
{
    struct build build;
    build_start(&build, "oversell");
    build.scenario.clients.threads = 2;
    build_begin(&build, 5);
    build_acquire(&build, 1, 1, 1, 1.1, NEVER_MS, 0);
    build_acquire(&build, 2, 2, 1, 1.2, NEVER_MS, 0);
    build_read(&build, 1, 1, 2, 5, 0);
    build_read(&build, 2, 2, 2.05, 5, 0);
    build_write(&build, 1, 1, 3, 4, 5, 0, OUTCOME_OK);
    build_write(&build, 2, 2, 4, 4, 5, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 5, 5.1, RELEASE_UNCHECKED);
    build_release(&build, 2, 2, 5, 5.2, RELEASE_UNCHECKED);
    build_stop(&build, 10, STOP_DONE);
    build_final(&build, 11, 4);
    assert_story(
        &build,
        "    0.001100 s  client-1 worker-1 acquires the lock\n"
        "    0.001200 s  client-2 worker-1 acquires the lock: client-1 worker-1 still holds it\n"
        "    0.002100 s  client-1 worker-1 reads 5\n"
        "    0.002150 s  client-2 worker-1 reads 5\n"
        "    0.003100 s  client-1 worker-1 buys unit 5 (writes 4)\n"
        "    0.004100 s  client-2 worker-1 buys unit 5 (writes 4): client-1 worker-1 has bought it "
        "already\n"
        "    0.005100 s  client-1 worker-1 releases the lock by a plain delete\n"
        "    0.005200 s  client-2 worker-1 releases the lock by a plain delete\n"
        "  Cause: possibly: the acquires let both in: client-2 worker-1 was granted the lock while "
        "client-1 worker-1 held it, and in between the history shows no release, no end of a "
        "lease, and no fault that takes a lock away.\n"
        "  Both believed to hold it for 3.8 ms. Of the same cause: oversell.\n"
        "  What would have prevented it: a lock that checks and takes in one step, at a server "
        "that all clients ask.\n");
}

TEST(a_crash_that_leaves_the_lock_behind_is_told)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_fault(&build, "kill", 1, 10.5, NEVER_MS);
    build.steps[0].points[0] =
        (struct point_name){.client = 1, .moment = MOMENT_AT, .what = "holds"};
    build_death(&build, 1, 10);
    build_attempt(&build, 2, 2, 5, NEVER_MS, OUTCOME_OK);
    build_attempt(&build, 3, 3, 6, NEVER_MS, OUTCOME_OK);
    build_stop(&build, 1510, STOP_STUCK);
    assert_story(
        &build,
        "    0.001 s  client-1 acquires the lock\n"
        "    0.002 s  client-1 reads 0\n"
        "    0.005 s  client-2 goes for the lock and waits\n"
        "    0.006 s  client-3 goes for the lock and waits\n"
        "    0.011 s  fault 1: client-1 is killed while it holds the lock\n"
        "    1.510 s  nobody has been granted the lock for 1.50 s\n"
        "  Cause: client-1 died with the lock, and nothing frees it then.\n"
        "  What would have prevented it: a lease, set in the same step that takes the lock.\n");
}

TEST(a_crash_inside_an_acquire_is_told)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_attempt(&build, 1, 1, 0, NEVER_MS, OUTCOME_OK);
    build_fault(&build, "kill", 1, 10.5, NEVER_MS);
    build.steps[0].points[0] = (struct point_name){
        .client = 1, .moment = MOMENT_AFTER, .what = "SETNX", .phase = "acquire"};
    build.steps[0].points[1] = build.steps[0].points[0];
    strcpy(build.steps[0].points[1].what, "SET");
    build.steps[0].point_count = 2;
    build_death(&build, 1, 10);
    build_attempt(&build, 2, 2, 5, NEVER_MS, OUTCOME_OK);
    build_stop(&build, 1510, STOP_STUCK);
    assert_story(
        &build,
        "    0.000 s  client-1 begins to acquire the lock\n"
        "    0.005 s  client-2 goes for the lock and waits\n"
        "    0.011 s  fault 1: client-1 is killed after SETNX or SET in acquire\n"
        "    1.510 s  nobody has been granted the lock for 1.50 s\n"
        "  Cause: possibly: client-1 died inside its acquire, and had the lock.\n"
        "  What would have prevented it: a lease, set in the same step that takes the lock.\n");
}

TEST(a_release_of_anothers_lock_is_told)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_release(&build, 1, 1, 10, 320, RELEASE_UNCHECKED);
    build_fault(&build, "pause", 1, 11, 319);
    build.steps[0].points[0] =
        (struct point_name){.client = 1, .moment = MOMENT_AFTER, .what = "GET", .phase = "release"};
    build_acquire(&build, 2, 2, 2, 312, 612, 0);
    build_acquire(&build, 3, 3, 3, 325, 625, 0);
    build_release(&build, 2, 2, 330, 331, RELEASE_NOT_OWNER);
    build_release(&build, 3, 3, 340, 341, RELEASE_RELEASED);
    build_stop(&build, 400, STOP_DONE);
    assert_story(
        &build,
        "    0.001 s  client-1 acquires the lock (lease 300 ms, valid until 0.300 s)\n"
        "    0.010 s  client-1 begins to release the lock\n"
        "    0.011 s  fault 1: client-1 is paused after GET in release\n"
        "    0.312 s  client-2 acquires the lock (lease 300 ms, valid until 0.612 s)\n"
        "    0.319 s  fault 1 over: client-1 goes on\n"
        "    0.320 s  client-1 finishes its release: it removes the lock of client-2\n"
        "    0.325 s  client-3 acquires the lock: client-2 still holds it\n"
        "    0.331 s  client-2 tries to release the lock: it is no longer its own\n"
        "    0.341 s  client-3 releases the lock\n"
        "  Cause: client-1 was stopped inside its release (fault 1) until its own lease was over; "
        "then it removed client-2's lock, for its delete does not ask whose the lock is.\n"
        "  Of the same cause: double-grant.\n"
        "  What would have prevented it: comparing the owner and deleting in one step, at the "
        "server.\n");
}

TEST(a_reply_that_came_late_is_told)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 400, 300, 0);
    BUILD_EVENT(&build, 410, 1, LOST, OUTCOME_OK, 1);
    build_release(&build, 1, 1, 450, 451, RELEASE_NOT_OWNER);
    build_acquire(&build, 2, 2, 1, 310, 610, 0);
    build_write(&build, 2, 2, 420, 1, 0, 0, OUTCOME_UNKNOWN);
    build_death(&build, 2, 430);
    build_stop(&build, 500, STOP_DONE);
    assert_story(
        &build,
        "    0.310 s  client-2 acquires the lock (lease 300 ms, valid until 0.610 s)\n"
        "    0.400 s  client-1 learns that it was granted the lock: its lease ran out 100 ms ago\n"
        "    0.410 s  client-1 is told that it has lost the lock\n"
        "    0.420 s  client-2 tries to write 1 and gets no answer\n"
        "    0.430 s  client-2 dies, holding the lock\n"
        "    0.451 s  client-1 tries to release the lock: it is no longer its own\n"
        "  Cause: client-1 learned of its grant 100 ms after its lease of 300 ms had run out, and "
        "worked all the same, while client-2 was granted the lock.\n"
        "  Both believed to hold it for 30 ms.\n"
        "  No harm was seen this time. What would rule it out: a client that looks, once it is "
        "granted the lock, whether its lease still lasts; and a fencing token checked by the store "
        "(fenced: true).\n");
}

TEST(a_loss_without_evidence_is_told_in_numbers)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_write(&build, 1, 1, 2, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 3, 4, RELEASE_RELEASED);
    build_stop(&build, 500, STOP_DONE);
    build_final(&build, 501, 0);
    assert_story(&build,
                 "  1 increment was acknowledged, but the value rose by 0: 1 was lost; no two "
                 "increments of the same value were recorded, so the history does not show which.\n"
                 "  Cause: unexplained: nothing in the history shows why.\n"
                 "  In all, 1 of 1 acknowledged increment was lost.\n"
                 "  What would have prevented it: a lock that excludes, or a store that writes "
                 "only if the value is still the one that was read.\n");
}

TEST(nothing_is_told_of_a_trial_that_kept_every_promise)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_hold(&build, 1, 1, 0, 1, 300);
    build_stop(&build, 500, STOP_DONE);
    build_final(&build, 501, 0);
    assert_story(&build, "");
}

HISTORY_TEST(a_story_has_few_lines_however_much_happened, "increment")
{
    build_begin(build, 0);
    for (int client = 1; client <= 2; client++) {
        build_acquire(build, client, client, client, client, NEVER_MS, 0);
        for (int i = 0; i < 20; i++) {
            build_read(build, client, client, 10 + 20 * i + client, 0, 0);
            build_write(build, client, client, 15 + 20 * i + client, 1, 0, 0, OUTCOME_OK);
        }
        build_fault(build, "pause", client, 5 + client, 6 + client);
        build_release(build, client, client, 1000, 1001, RELEASE_RELEASED);
    }
    build_judge(build);
    char *told = story_tell(&build->digest, &build->judgement);
    int lines = 0;
    for (const char *at = told; *at != '\0'; at++)
        lines += *at == '\n';
    assert_in_range(lines, 5, 15);
    free(told);
}

// client-1's plain delete comes late, inside client-2's hold; client-1 itself is granted the lock
// next, and never finds out.
TEST(a_late_plain_delete_is_told_before_the_double_grant_that_it_makes)
{
    struct build build;
    build_start(&build, "increment");
    build.scenario.lock.lease_ns = 400 * NS_PER_MS;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 400, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_write(&build, 1, 1, 3, 1, 0, 0, OUTCOME_OK);
    build_fault(&build, "pause", 1, 5, 404);
    build.steps[0].points[0] = (struct point_name){
        .client = 1, .moment = MOMENT_BEFORE, .what = "DEL", .phase = "release"};
    build_acquire(&build, 2, 2, 4, 402, 802, 0);
    build_read(&build, 2, 2, 403, 1, 0);
    build_release(&build, 1, 1, 4, 405, RELEASE_UNCHECKED);
    build_acquire(&build, 1, 3, 406, 407, 807, 0);
    build_read(&build, 1, 3, 408, 1, 0);
    build_write(&build, 2, 2, 410, 2, 1, 0, OUTCOME_OK);
    build_release(&build, 2, 2, 411, 412, RELEASE_UNCHECKED);
    build_write(&build, 1, 3, 413, 2, 1, 0, OUTCOME_OK);
    build_release(&build, 1, 3, 414, 415, RELEASE_UNCHECKED);
    build_stop(&build, 500, STOP_DONE);
    build_final(&build, 501, 2);
    assert_story(
        &build,
        "    0.001 s  client-1 acquires the lock (lease 400 ms, valid until 0.400 s)\n"
        "    0.002 s  client-1 reads 0\n"
        "    0.003 s  client-1 writes 1\n"
        "    0.004 s  client-1 begins to release the lock\n"
        "    0.005 s  fault 1: client-1 is paused before DEL in release\n"
        "    0.402 s  client-2 acquires the lock (lease 400 ms, valid until 0.802 s)\n"
        "    0.404 s  fault 1 over: client-1 goes on\n"
        "    0.405 s  client-1 finishes its release: it removes the lock of client-2\n"
        "    0.407 s  client-1 acquires the lock: client-2 still holds it\n"
        "    0.410 s  client-2 writes 2\n"
        "    0.412 s  client-2 releases the lock by a plain delete\n"
        "    0.413 s  client-1 writes 2 over client-2's 2: one increment is lost\n"
        "  Cause: client-1 was stopped inside its release (fault 1) until its own lease was over; "
        "then it removed client-2's lock, for its delete does not ask whose the lock is.\n"
        "  In all, 1 of 3 acknowledged increments was lost. Of the same cause: double-grant and "
        "lost-update.\n"
        "  What would have prevented it: comparing the owner and deleting in one step, at the "
        "server.\n");
}

TEST(of_two_workers_that_die_together_the_story_names_the_holder)
{
    struct build build;
    build_start(&build, "increment");
    build.scenario.clients.threads = 2;
    build_begin(&build, 0);
    build_acquire(&build, 2, 1, 0, 1, NEVER_MS, 0);
    build_read(&build, 2, 1, 2, 0, 0);
    build_attempt(&build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_by_worker(&build, 1, 2);
    build_attempt(&build, 1, 3, 4, NEVER_MS, OUTCOME_OK);
    build_fault(&build, "kill", 2, 10, NEVER_MS);
    build.steps[0].points[0].worker = 1;
    build_death(&build, 2, 11);
    build_stop(&build, 1020, STOP_STUCK);
    assert_story(
        &build,
        "    0.001 s  client-2 worker-1 acquires the lock\n"
        "    0.002 s  client-2 worker-1 reads 0\n"
        "    0.004 s  client-1 worker-1 goes for the lock and waits\n"
        "    0.010 s  fault 1: client-2 is killed after worker-1's read, holding the lock\n"
        "    1.020 s  nobody has been granted the lock for 1.01 s\n"
        "  Cause: client-2 worker-1 died with the lock, and nothing frees it then.\n"
        "  What would have prevented it: a lease, set in the same step that takes the lock.\n");
}
