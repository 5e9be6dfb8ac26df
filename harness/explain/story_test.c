// Of stories and pictures what no case can say.
#include "harness/check/test_history.h"
#include "harness/explain/story.h"
#include "harness/report/pictures/picture.h"
#include "harness/testing/text.h"

TEST(a_story_has_few_lines_however_much_happened)
{
    struct build build;
    build_start(&build, "increment");
    for (int i = 1; i <= 2; i++)
        build_rows(&build,
                   "%d-%d fault pause client-%d\n"
                   "%d client-%d acquire\n"
                   "%d client-%d read 0 times=20 every=20\n"
                   "%d client-%d write 1 saw=0 times=20 every=20\n"
                   "1000-1001 client-%d release",
                   5 + i, 6 + i, i, i, i, 10 + i, i, 15 + i, i, i);
    build_judge(&build);
    AUTO_FREE char *told = story_tell(&build.model, &build.judgement, &(struct story_span){0});
    int lines = 0;
    for (const char *at = told; *at != '\0'; at++)
        lines += *at == '\n';
    assert_in_range(lines, 5, 15);
    build_free(&build);
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
    AUTO(picture_free) struct picture picture;
    build_start(&build, "increment");
    build_rows(&build, "0 start\n"
                       "0-1 client-1 acquire\n"
                       "2-10 client-2 acquire\n"
                       "20-21 client-2 release\n"
                       "21-22 client-3 acquire\n"
                       "23 client-3 read 0\n"
                       "24-25 client-1 release\n"
                       "25-26 client-4 acquire\n"
                       "27 client-4 read 0\n"
                       "40 client-3 write 1 saw=0\n"
                       "41 client-4 write 1 saw=0\n"
                       "42-43 client-3 release\n"
                       "44-45 client-4 release\n"
                       "300 stop done\n"
                       "301 final 1");
    build_judge(&build);
    write_timeline(&build, &picture);
    assert_has(picture.data.bytes, "double-grant: both hold for");
    assert_has(picture.data.bytes, "# rows: row name\n1 \"client-1\"\n2 \"client-2\"\n");
    assert_true(strtod(strstr(picture.values.bytes, "to_1 = ") + strlen("to_1 = "), NULL) >= 41);
    build_free(&build);
}

// client-1 released the lock and died later, going for it again; at the end the lock is free.
TEST(the_picture_does_not_give_a_free_lock_to_the_dead)
{
    for (int64_t held = 0; held <= 1; held++) {
        struct build build;
        AUTO(picture_free) struct picture picture;
        build_start(&build, "increment");
        build_rows(&build,
                   "0 start\n"
                   "1-4 client-1 hold\n"
                   "5- client-1 acquire op=3\n"
                   "6 client-1 dies\n"
                   "2-1025 client-2 acquire refused\n"
                   "1020 stop stuck\n"
                   "1030 lock-final held=%lld",
                   (long long)held);
        build_judge(&build);
        write_timeline(&build, &picture);
        assert_int_equal(strstr(picture.data.bytes, "\"maybe-dead\"") != NULL, held);
        build_free(&build);
    }
}
