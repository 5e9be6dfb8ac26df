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

// client-1 is paused after reading 0; client-2 increments four times, and the last time in two
// lines: what it reads and writes prints different times.
TEST(a_write_over_many_says_what_the_store_held)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_fault(&build, "pause", 1, 3, 400);
    for (int i = 0; i < 4; i++) {
        build_acquire(&build, 2, 10 + i, 310 + 20 * i, 310 + 20 * i, 610 + 20 * i, 0);
        build_read(&build, 2, 10 + i, 311 + 20 * i, i, 0);
        build_write(&build, 2, 10 + i, 313 + 20 * i, i + 1, i, 0, OUTCOME_OK);
        build_release(&build, 2, 10 + i, 314 + 20 * i, 314 + 20 * i, RELEASE_RELEASED);
    }
    build_write(&build, 1, 1, 401, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 402, 403, RELEASE_GONE);
    build_stop(&build, 500, STOP_DONE);
    build_final(&build, 501, 1);
    assert_story(
        &build,
        "    0.001 s  client-1 acquires the lock (lease 300 ms, valid until 0.300 s)\n"
        "    0.002 s  client-1 reads 0\n"
        "    0.003 s  fault 1: client-1 is paused after read\n"
        "    0.310 s  client-2 acquires the lock: client-1's lease ran out 10 ms ago\n"
        "    0.311 s  client-2 reads 0\n"
        "    0.313 s  client-2 writes 1\n"
        "    0.314 s  client-2 releases the lock\n"
        "    0.400 s  fault 1 over: client-1 goes on, and still believes it holds the lock\n"
        "    0.401 s  client-1 writes 1, computed from 0, over the 4 that client-2 has written by "
        "then\n"
        "    0.403 s  client-1 tries to release the lock: it is gone\n"
        "  Cause: client-1 stood still for 397 ms (fault 1), past the end of its lease of 300 "
        "ms; client-2 was granted the lock, and client-1 went on all the same.\n"
        "  Both believed to hold it for 4 ms. In all, 4 of 5 acknowledged increments were "
        "lost. Of the same cause: stale-write and lost-update.\n"
        "  What would have prevented the harm: a fencing token checked by the store "
        "(fenced: true).\n");
}

// Nobody knows in which order two writes reached the store that overlap in time.
HISTORY_TEST(writes_at_the_same_time_are_not_said_to_overwrite, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 100, NEVER_MS, 0);
    build_acquire(build, 2, 2, 0, 110, NEVER_MS, 0);
    build_read(build, 1, 1, 120, 0, 0);
    build_read(build, 2, 2, 130, 0, 0);
    build_write(build, 1, 1, 140, 1, 0, 0, OUTCOME_OK);
    build_write(build, 2, 2, 140.05, 1, 0, 0, OUTCOME_OK);
    build_release(build, 1, 1, 150, 151, RELEASE_RELEASED);
    build_release(build, 2, 2, 160, 161, RELEASE_RELEASED);
    build_stop(build, 500, STOP_DONE);
    build_final(build, 501, 1);
    build_judge(build);
    char *told = story_tell(&build->digest, &build->judgement);
    assert_text_has(told, "0.140 s  client-1 writes 1\n");
    assert_text_has(told, "0.140 s  client-2 writes 1, computed from 0, as client-1 did\n");
    free(told);
}
