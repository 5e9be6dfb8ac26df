// Schedules of two threads that are drawn: where faults come, and how often threads take turns.
#include "harness/explore/sampling.h"
#include "harness/testing/test.h"

#define DRAWS 2000
#define LENGTH 20

static const struct move moves[] = {{.kind = MOVE_STEP, .client = 1},
                                    {.kind = MOVE_STEP, .client = 2},
                                    {.kind = MOVE_LOSE_REPLY, .client = 1},
                                    {.kind = MOVE_LOSE_REPLY, .client = 2}};

// What schedules of LENGTH moves are made of.
struct drawn {
    int faults, changes;
    int fault_at[LENGTH];
};

static struct drawn draw(enum sampling_kind kind, int faults)
{
    const int most[CLASS_WAIT] = {[CLASS_FAULT] = faults};
    struct drawn drawn = {0};
    struct sampling sampling;
    sampling_start(&sampling, 1);
    for (int i = 0; i < DRAWS; i++) {
        int left = faults;
        int last = 0;
        sampling_begin(&sampling, kind, most);
        for (int at = 0; at < LENGTH; at++) {
            size_t next = sampling_next(&sampling, moves, left > 0 ? 4 : 2);
            assert_true(next < 4);
            drawn.changes += at > 0 && moves[next].client != last;
            drawn.faults += next > 1;
            drawn.fault_at[at] += next > 1;
            left -= next > 1;
            last = moves[next].client;
        }
    }
    return drawn;
}

TEST(faults_come_anywhere_in_a_schedule_and_no_more_than_may)
{
    for (enum sampling_kind kind = SAMPLING_POS; kind <= SAMPLING_PCT; kind++) {
        struct drawn drawn = draw(kind, 1);
        assert_in_range(drawn.faults, DRAWS * 8 / 10, DRAWS);
        for (int at = 0; at < LENGTH - 2; at++)
            assert_in_range(drawn.fault_at[at], DRAWS / LENGTH / 2, DRAWS / LENGTH * 2);
    }
    struct drawn uniform = draw(SAMPLING_UNIFORM, 1);
    assert_true(uniform.fault_at[0] > DRAWS * 4 / 10);
}

TEST(threads_take_turns_more_often_by_pos_than_by_pct)
{
    int uniform = draw(SAMPLING_UNIFORM, 0).changes;
    int pos = draw(SAMPLING_POS, 0).changes;
    int pct = draw(SAMPLING_PCT, 0).changes;
    assert_true(pct < pos && pos < uniform);
    assert_in_range(pct, DRAWS / 2, DRAWS * 2);
}

TEST(nothing_is_planned_beyond_the_longest_schedule)
{
    const int most[CLASS_WAIT] = {[CLASS_FAULT] = 1};
    struct sampling sampling;
    sampling_start(&sampling, 1);
    for (int i = 0; i < 100; i++) {
        sampling_begin(&sampling, SAMPLING_POS, most);
        assert_in_range(sampling.length, 1, MOST_MOVES);
        for (int at = 0; at < MOST_MOVES; at++)
            sampling_next(&sampling, moves, 2);
    }
}
