// Of stories and pictures what no case can say.
#include "harness/check/build_history_test_support.h"
#include "harness/explain/story.h"
#include "harness/report/pictures/picture.h"
#include "harness/testing/test.h"

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
    char *told = story_tell(&build->model, &build->judgement);
    int lines = 0;
    for (const char *at = told; *at != '\0'; at++)
        lines += *at == '\n';
    assert_in_range(lines, 5, 15);
    free(told);
}

static void write_timeline(const struct build *build, struct picture *picture)
{
    const struct picture_subject subject = {.model = &build->model, .judgement = &build->judgement};
    assert_true(picture_write(&timeline_picture, &subject, picture));
}

// Two hold at once from 10 ms to 20 ms; what was lost shows in what each writes after that.
TEST(the_picture_reaches_to_where_something_was_lost)
{
    struct build build;
    struct picture picture;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_acquire(&build, 2, 2, 2, 10, NEVER_MS, 0);
    build_release(&build, 2, 2, 20, 21, RELEASE_RELEASED);
    build_acquire(&build, 3, 3, 21, 22, NEVER_MS, 0);
    build_read(&build, 3, 3, 23, 0, 0);
    build_release(&build, 1, 1, 24, 25, RELEASE_RELEASED);
    build_acquire(&build, 4, 4, 25, 26, NEVER_MS, 0);
    build_read(&build, 4, 4, 27, 0, 0);
    build_write(&build, 3, 3, 40, 1, 0, 0, OUTCOME_OK);
    build_write(&build, 4, 4, 41, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 3, 3, 42, 43, RELEASE_RELEASED);
    build_release(&build, 4, 4, 44, 45, RELEASE_RELEASED);
    build_stop(&build, 300, STOP_DONE);
    build_final(&build, 301, 1);
    build_judge(&build);
    write_timeline(&build, &picture);
    assert_text_has(picture.data.bytes, "double-grant: both hold for");
    assert_text_has(picture.data.bytes, "# rows: row name\n1 \"client-1\"\n2 \"client-2\"\n");
    assert_true(strtod(strstr(picture.values.bytes, "to_1 = ") + strlen("to_1 = "), NULL) >= 41);
    picture_free(&picture);
    build_free(&build);
}

// client-1 released the lock and died later, going for it again; at the end the lock is free.
TEST(the_picture_does_not_give_a_free_lock_to_the_dead)
{
    for (int64_t held = 0; held <= 1; held++) {
        struct build build;
        struct picture picture;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_hold(&build, 1, 1, 1, 4, NEVER_MS);
        build_attempt(&build, 1, 3, 5, NEVER_MS, OUTCOME_OK);
        build_death(&build, 1, 6);
        build_attempt(&build, 2, 2, 2, 1025, OUTCOME_NO);
        build_stop(&build, 1020, STOP_STUCK);
        BUILD_EVENT(&build, 1030, 0, LOCK_FINAL, OUTCOME_OK, held, 0);
        build_judge(&build);
        write_timeline(&build, &picture);
        assert_int_equal(strstr(picture.data.bytes, "\"maybe-dead\"") != NULL, held);
        picture_free(&picture);
        build_free(&build);
    }
}
