// The words of schedules: what is written is read again, and nothing else is.
#include "harness/scenario/moves.h"
#include "harness/testing/test.h"

TEST(each_move_is_read_as_it_was_written)
{
    for (uint8_t kind = 0; kind < MOVE_KINDS; kind++) {
        struct move move = {kind, kind < MOVE_TIME ? 3 : 0};
        struct move again;
        struct text text = {0};
        char what[MOVE_WHAT_ROOM];
        struct error error;
        move_write(move, "EVAL", &text);
        assert_int_equal(move_read(text.bytes, &again, what, &error), 0);
        assert_int_equal(again.kind, kind);
        assert_int_equal(again.client, move.client);
        assert_string_equal(what, kind < MOVE_CRASH ? "EVAL" : "");
        text_free(&text);
    }
}

TEST(what_is_no_move_is_refused)
{
    static const char *const texts[] = {"",
                                        "client-0 GET",
                                        "client-1",
                                        "client-1 ",
                                        "client-1 GET, reply gone",
                                        "client-1 GET SET",
                                        "client-999 GET",
                                        "client-1 AVERYLONGCOMMANDOFMANYLETTERS",
                                        "a lease",
                                        "time passes"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct move move;
        char what[MOVE_WHAT_ROOM];
        struct error error = {0};
        if (move_read(texts[i], &move, what, &error) == 0)
            fail_msg("'%s' was read as move %d of client-%d", texts[i], move.kind, move.client);
        assert_non_null(strstr(error.text, "is no move"));
    }
}
