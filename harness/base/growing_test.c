#include "harness/base/growing.h"

#include "harness/testing/test.h"

TEST(what_is_appended_stays)
{
    int *numbers = NULL;
    size_t count = 0, room = 0;
    for (int i = 0; i < 1000; i++)
        *APPEND(numbers, count, room) = i;
    assert_int_equal(count, 1000);
    assert_in_range(room, 1000, 2000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

TEST(there_is_room_for_one_more_before_it_is_added)
{
    size_t room = 0;
    AUTO_FREE char *bytes = grown(NULL, 0, &room, 1);
    assert_in_range(room, 1, 64);
    char *same = grown(bytes, room - 1, &room, 1);
    assert_ptr_equal(same, bytes);
    size_t before = room;
    bytes = grown(bytes, room, &room, 1);
    assert_int_equal(room, 2 * before);
}

TEST(what_is_reached_is_zero_and_what_was_there_stays)
{
    int64_t *numbers = NULL;
    size_t count = 0;
    numbers = reaching(numbers, &count, 0, sizeof *numbers);
    assert_int_equal(count, 1);
    numbers[0] = 7;
    numbers = reaching(numbers, &count, 100, sizeof *numbers);
    assert_int_equal(count, 101);
    assert_int_equal(numbers[0], 7);
    for (size_t i = 1; i < count; i++)
        assert_int_equal(numbers[i], 0);
    // In small steps it grows by doubling.
    numbers = reaching(numbers, &count, 101, sizeof *numbers);
    assert_int_equal(count, 202);
    free(numbers);
}
