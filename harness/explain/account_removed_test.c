// Of two who held the lock at once it is said if a release of another's had let the second in.
#include "harness/explain/test_diagnosis.h"
#include "harness/testing/test.h"

// client-1's release begins inside its lease of 300 ms, and ends at 320 ms. client-2 was granted
// the lock meanwhile, and then client-1 was granted it again beside client-2.
static void build_late_release(enum release_answer answer)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_release(&build, 1, 1, 10, 320, answer);
    build_acquire(&build, 2, 2, 2, 312, 612, 0);
    build_acquire(&build, 1, 3, 320, 321, 621, 0);
    build_release(&build, 2, 2, 330, 331, RELEASE_RELEASED);
    build_release(&build, 1, 3, 340, 341, RELEASE_RELEASED);
    build_stop(&build, 350, STOP_DONE);
    build_final(&build, 351, 0);
}

// The lock says that it looks whose it is that it removes, and does not.
TEST_WITH(a_late_release_that_was_answered_is_named, start, stop)
{
    build_fault(&build, "pause", 1, 11, 313);
    build_late_release(RELEASE_RELEASED);
    assert_diagnosis(ROOT_REMOVED,
                     "client-1 was stopped inside its release (fault 1) until its own lease was "
                     "over; then it removed client-2's lock",
                     "comparing the owner and deleting in one step");
    struct diagnosis diagnosis;
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_null(strstr(diagnosis.text, "does not ask")); // its answer says that it did
    assert_state(&build, "wrongful-release", FINDING_KEPT);
    assert_string_equal(judgement_first_violation(&build.judgement)->check->name, "double-grant");
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told, "client-1 begins to release the lock\n");
    assert_text_has(told,
                    "client-1 finishes its release: it may have removed the lock of client-2\n");
    assert_text_has(told, "client-1 acquires the lock: client-2 still holds it\n");
    free(told);
}

TEST_WITH(a_late_release_without_an_answer_may_have_done_it, start, stop)
{
    build_late_release(RELEASE_UNKNOWN);
    assert_diagnosis(ROOT_REMOVED, "possibly: client-1's release removed client-2's lock",
                     "comparing");
}

// Had the server still had client-1's lock, it would have said so.
TEST_WITH(a_release_that_was_refused_is_not_blamed, start, stop)
{
    static const enum release_answer answers[] = {RELEASE_NOT_OWNER, RELEASE_GONE};
    for (size_t i = 0; i < 2; i++) {
        build_start(&build, "increment");
        build_late_release(answers[i]);
        assert_diagnosis(ROOT_ADMITS, "the acquires let both in", "in one step");
        if (i < 1)
            build_free(&build);
    }
}

// client-1 gives back the lock inside its lease; client-2 has it then, and client-3 all the same.
TEST_WITH(the_ordinary_hand_off_is_not_blamed, start, stop)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_release(&build, 1, 1, 10, 13, RELEASE_RELEASED);
    build_acquire(&build, 2, 2, 2, 12, 312, 0);
    build_acquire(&build, 3, 3, 2, 20, 320, 0);
    build_release(&build, 2, 2, 30, 31, RELEASE_RELEASED);
    build_release(&build, 3, 3, 40, 41, RELEASE_RELEASED);
    build_stop(&build, 50, STOP_DONE);
    assert_diagnosis(ROOT_ADMITS, "the acquires let both in", "in one step");
}

// What struck a server explains it better than a release of which nobody knows.
TEST_WITH(a_server_that_lost_the_lock_is_named_before_a_release_without_an_answer, start, stop)
{
    strike("flush", "server-1", 314, 315);
    build_late_release(RELEASE_UNKNOWN);
    assert_diagnosis(ROOT_FORGOT, "server-1 lost all its data", "nobody may empty");
}

TEST_WITH(a_release_is_not_blamed_where_there_is_no_lock, start, stop)
{
    build.trial.scheme = "none";
    build_late_release(RELEASE_RELEASED);
    assert_diagnosis(ROOT_NO_LOCK, "there is no lock", "any lock");
}
