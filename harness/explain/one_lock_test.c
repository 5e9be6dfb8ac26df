// Of several locks, the one that is told of: in words, for machines, and drawn.
#include "harness/explain/diagnosis.h"

#include "harness/check/test_history.h"
#include "harness/explain/story.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/test_json_path.h"
#include "harness/testing/test.h"

static struct build build;

// Clients 1 and 2 hold lock 3 at once; client 4 holds lock 1, and client 3 lock 2, meanwhile.
static int start(void **state)
{
    (void)state;
    build_start(&build, "increment");
    build_rows(&build, "with keys=3 store=shm\n"
                       "0 store-initial key=1\n"
                       "0 store-initial key=2\n"
                       "0 store-initial key=3\n"
                       "0 barrier-open\n"
                       "99-100 client-4 acquire key=1 lease=300\n"
                       "100-101 client-1 acquire key=3 lease=300\n"
                       "101-102 client-3 acquire key=2 lease=300\n"
                       "103-104 client-2 acquire key=3 lease=300");
    for (int client = 1; client <= 4; client++) {
        static const int begins[] = {100, 103, 101, 99};
        int at = begins[client - 1];
        build_rows(&build,
                   "%d-%d client-%d read 0\n"
                   "%d-%d client-%d write 1 saw=0\n"
                   "%d-%d client-%d release",
                   at + 2, at + 3, client, at + 4, at + 5, client, at + 8, at + 9, client);
    }
    build_rows(&build, "500 stop\n501 final 1 key=1\n501 final 1 key=2\n501 final 1 key=3");
    build_judge(&build);
    return 0;
}

static int end(void **state)
{
    (void)state;
    build_free(&build);
    return 0;
}

TEST_WITH(what_is_told_is_the_lock_of_the_violation, start, end)
{
    struct one_lock one;
    one_lock_start(&build.model, &build.judgement, &one);
    assert_int_equal(one.key, 3);
    assert_int_equal(one.model->hold_count, 2);
    const struct finding *first = judgement_first_violation(one.judgement);
    assert_string_equal(first->check->name, "double-grant");
    for (size_t i = 0; i < 2; i++) {
        size_t hold = i;
        size_t access = one.model->holds[i].first_access;
        by_lock_to_whole(&one.locks, &hold, &access);
        assert_int_equal(build.model.holds[hold].operation, one.model->holds[i].operation);
        assert_int_equal(build.model.holds[hold].granted_event, one.model->holds[i].granted_event);
        assert_int_equal(build.model.accesses[access].hold, hold);
    }
    one_lock_end(&one);
}

TEST_WITH(a_story_names_the_lock_and_leaves_out_who_holds_another, start, end)
{
    AUTO_FREE char *story = story_tell(&build.model, &build.judgement, &(struct story_span){0});
    assert_non_null(strstr(story, "client-1 acquires lock 3"));
    assert_non_null(strstr(story, "client-2 acquires lock 3: client-1 still holds it"));
    assert_non_null(strstr(story, "All this is about lock 3 of 3."));
    assert_null(strstr(story, "client-3"));
    assert_null(strstr(story, "client-4"));
}

TEST_WITH(evidence_names_it_and_counts_in_the_whole, start, end)
{
    json_auto_t *json = evidence_json(&build.model, &build.judgement);
    assert_int_equal(json_integer_value(json_at(json, "lock")), 3);
    assert_int_equal(json_array_size(json_at(json, "holds")), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *hold = json_array_get(json_at(json, "holds"), i);
        size_t index = (size_t)json_integer_value(json_object_get(hold, "hold"));
        assert_int_equal(build.model.holds[index].key, 3);
        assert_int_equal(build.model.holds[index].granted_event,
                         json_integer_value(json_object_get(hold, "grant_event")));
    }
}

TEST_WITH(a_picture_names_it_and_has_its_rows_alone, start, end)
{
    AUTO(picture_free) struct picture picture;
    assert_true(picture_write(
        &timeline_picture,
        &(struct picture_subject){.model = &build.model, .judgement = &build.judgement}, &picture));
    assert_non_null(strstr(text_string(&picture.title), "lock 3 of 3"));
    assert_non_null(strstr(text_string(&picture.data), "1 \"client-1\"\n2 \"client-2\"\n"));
    assert_null(strstr(text_string(&picture.data), "client-3"));
    assert_null(strstr(text_string(&picture.notes), "workers shown"));
}

// Those of different locks may well hold at once.
TEST_WITH(without_a_violation_nothing_overlaps, start, end)
{
    AUTO(picture_free) struct picture picture;
    struct judgement judgement = {.verdict = VERDICT_SAFE};
    assert_true(picture_write(
        &timeline_picture,
        &(struct picture_subject){.model = &build.model, .judgement = &judgement}, &picture));
    assert_non_null(strstr(text_string(&picture.title), "all 3 locks together"));
    assert_non_null(strstr(text_string(&picture.data), "client-4"));
    assert_null(strstr(text_string(&picture.data), "overlaps"));
}

// Evidence without a hold tells its lock by what is found there.
TEST_WITH(a_lock_that_nobody_is_granted_is_found, start, end)
{
    struct one_lock one;
    struct judgement judgement = build.judgement;
    for (size_t i = 0; i < judgement.finding_count; i++) {
        struct finding *finding = &judgement.findings[i];
        bool is_it = strcmp(finding->check->name, "double-grant") == 0;
        finding->state = is_it ? FINDING_VIOLATED : FINDING_KEPT;
        for (size_t j = 0; j < 2 && is_it; j++)
            finding->evidence.holds[j] = finding->evidence.accesses[j] = SIZE_MAX;
    }
    one_lock_start(&build.model, &judgement, &one);
    assert_int_equal(one.key, 3);
    one_lock_end(&one);
}
