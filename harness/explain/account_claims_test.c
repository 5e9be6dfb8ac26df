// A lock that the scenario brought along says itself how long its grants are valid, and whose locks
// it removes: where that cannot be, it is told.
#include "harness/explain/test_diagnosis.h"
#include "harness/testing/test.h"

static const struct foreign_settings foreign = {.name = "own"};
static const char *const leased[] = {"exclusive", "lease", "owner-checked", "redis", NULL};

static void bring_lock(const char *const *traits)
{
    build.trial.foreign = &foreign;
    build.trial.traits = traits;
}

// client-1 is stopped inside its acquire from 2 ms on; client-2 is granted the lock when the lease
// has ended, and client-1 goes on. What it was granted is valid until `valid_until_ms`.
static void build_late_grant(double valid_until_ms)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 306, valid_until_ms, 0);
    build_fault(&build, "pause", 1, 2, 305);
    build.steps[0].points[0] =
        (struct point_name){.client = 1, .moment = MOMENT_AFTER, .what = "SET", .phase = "acquire"};
    build_acquire(&build, 2, 2, 1, 304, 603, 0);
    build_release(&build, 1, 1, 316, 317, RELEASE_NOT_OWNER);
    build_release(&build, 2, 2, 326, 327, RELEASE_RELEASED);
    build_stop(&build, 350, STOP_DONE);
}

#define FROM_REPLY                                                                                 \
    "client-1 was stopped inside its acquire (fault 1, after SET in acquire); meanwhile client-2 " \
    "took the lock, and then both had it: it counts its lease from the reply, and not from "       \
    "before it asked; or its acquire takes several steps"

TEST_WITH(a_lease_that_is_counted_from_the_reply_is_told, start, stop)
{
    bring_lock(leased);
    build_late_grant(605);
    assert_diagnosis(ROOT_STEPS, FROM_REPLY,
                     "a grant that is valid for a lease from before it was asked for");
}

// A lock of ours takes the time before it asks; and so does one that claims no more than that.
TEST_WITH(a_lease_that_was_counted_right_is_not_suspected, start, stop)
{
    static const char steps[] = "meanwhile client-2 took the lock, and then both had it: its "
                                "acquire takes several steps";
    build_late_grant(605);
    assert_diagnosis(ROOT_STEPS, steps, "a lock that checks and takes in one step");
    build_free(&build);
    build_start(&build, "increment");
    bring_lock(leased);
    build_late_grant(605);
    build.scenario.lock.lease_ns = 604 * NS_PER_MS;
    assert_diagnosis(ROOT_STEPS, steps, "a lock that checks and takes in one step");
}

// client-1's lock is gone when it releases it, 290 ms after it was granted it.
static void build_vanished(double invoked_ms)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, invoked_ms, 100, 400, 0);
    build_release(&build, 1, 1, 389, 390, RELEASE_GONE);
    build_stop(&build, 450, STOP_DONE);
}

TEST_WITH(a_lock_that_vanished_may_have_had_a_shorter_lease_than_was_said, start, stop)
{
    static const char suspicion[] = "possibly: client-1 counts its lease from the reply";
    struct diagnosis diagnosis;
    bring_lock(leased);
    build_vanished(1);
    assert_diagnosis(ROOT_COUNTED_LATE, suspicion, "from before it was asked for");
    build_free(&build);
    // It was asked for so late that its lease cannot have been over.
    build_start(&build, "increment");
    bring_lock(leased);
    build_vanished(99);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_text_has(diagnosis.text, "nothing in the history shows who took it");
    assert_null(strstr(diagnosis.text, suspicion));
}

// worker-1 of client-1 removes the lock of worker-2, after its own lease has ended.
static void build_shared_owner(int worker)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 301, 0);
    build_release(&build, 1, 1, 310, 320, RELEASE_RELEASED);
    build_acquire(&build, worker == 1 ? 2 : 1, 2, 2, 312, 612, 0);
    build_by_worker(&build, 2, worker == 1 ? 1 : worker);
    build_release(&build, worker == 1 ? 2 : 1, 2, 330, 331, RELEASE_GONE);
    build_by_worker(&build, 2, worker == 1 ? 1 : worker);
    build_stop(&build, 350, STOP_DONE);
}

TEST_WITH(a_process_that_is_one_owner_is_suspected_where_its_own_worker_is_wronged, start, stop)
{
    static const char suspicion[] = "possibly it takes all workers of a process for one owner";
    struct diagnosis diagnosis;
    bring_lock(leased);
    build_shared_owner(2);
    assert_diagnosis(ROOT_REMOVED, suspicion, "comparing the owner and deleting in one step");
    build_free(&build);
    build_start(&build, "increment");
    bring_lock(leased);
    build_shared_owner(1);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_int_equal(diagnosis.cause, ROOT_REMOVED);
    assert_null(strstr(diagnosis.text, suspicion));
}

// client-2 waits, and nobody is granted the lock, which has no lease. client-1's acquire was
// answered while it was cut off from the server, or later.
static void build_silence(double returned_ms)
{
    static const char *const traits[] = {"exclusive", "redis", NULL};
    bring_lock(traits);
    struct fault_step *step = strike("cut", "", 10, 600);
    step->side_counts[0] = step->side_counts[1] = 1;
    step->sides[0][0] = (struct target){.client = 1};
    step->sides[1][0] = (struct target){.server = "server-1"};
    build_begin(&build, 0);
    build_hold(&build, 2, 1, 1, 2, NEVER_MS);
    build_attempt(&build, 1, 2, 3, returned_ms, OUTCOME_NO);
    build_attempt(&build, 2, 3, 5, NEVER_MS, OUTCOME_OK);
    build_stop(&build, 9000, STOP_STUCK);
}

TEST_WITH(who_says_no_without_an_answer_may_have_the_lock, start, stop)
{
    static const char suspicion[] = "possibly: client-1 has the lock, and does not know: during "
                                    "fault 1 its acquire had no answer";
    struct diagnosis diagnosis;
    build_silence(200);
    assert_diagnosis(ROOT_UNKNOWN_AS_NO, suspicion, "a lease; or asking again with the same token");
    // A lock that has a lease is not told to have one.
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    build.trial.traits = leased;
    diagnosis_say(&diagnosis);
    assert_string_equal(diagnosis.mitigation,
                        "What would have prevented it: asking again with the same "
                        "token, and finding that it has the lock.");
    build_free(&build);
    build_start(&build, "increment");
    build_silence(8);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_string_equal(diagnosis.text, "unexplained: nobody gets the lock, and the history does "
                                        "not show who has it");
    assert_string_equal(diagnosis.mitigation, "");
}

TEST_WITH(a_driver_that_knows_nothing_is_not_taken_for_its_servers, start, stop)
{
    static const char servers[] = "servers that keep what they had stored";
    for (int brought = 0; brought < 2; brought++) {
        build.scenario.lock.stuck_after_ns = 2 * NS_PER_S;
        build_begin(&build, 0);
        for (int i = 0; i < 6; i++)
            build_attempt(&build, 2, 10 + i, 6 + 400 * i, 405 + 400 * i, OUTCOME_UNKNOWN);
        build_stop(&build, 2500, STOP_STUCK);
        if (brought)
            build.trial.foreign = &foreign;
        assert_diagnosis(ROOT_UNANSWERED, "no acquire is answered any more",
                         brought ? "driver-of-client-1.log may say what it waits for" : servers);
        build_free(&build);
        build_start(&build, "increment");
    }
}
