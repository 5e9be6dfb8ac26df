// The words of schedules: what is written is read again, and nothing else is.
#include "harness/scenario/moves.h"
#include "harness/testing/test.h"

TEST(each_move_is_read_as_it_was_written)
{
    for (int i = 0; i < MOVE_KINDS * CLIENT_THREADS; i++) {
        uint8_t kind = (uint8_t)(i % MOVE_KINDS);
        bool has_thread = kind < MOVE_CRASH;
        struct move move = {.kind = kind,
                            .client = kind < MOVE_TIME ? 3 : 0,
                            .server = kind >= MOVE_FIRST_OF_SERVER ? 5 : 0,
                            .thread = has_thread ? (uint8_t)(i / MOVE_KINDS) : THREAD_WORKER};
        struct move again;
        AUTO_TEXT struct text text = {0};
        char what[MOVE_WHAT_ROOM];
        struct error error;
        const char *stands = kind >= MOVE_FIRST_OF_SERVER ? "redis-5" : "EVAL";
        bool has_place = kind < MOVE_CRASH || kind >= MOVE_FIRST_OF_SERVER;
        move_write(move, stands, &text);
        assert_int_equal(move_read(text.bytes, &again, what, &error), 0);
        assert_int_equal(again.kind, kind);
        assert_true(move_is_of_same(again, move));
        assert_string_equal(what, has_place ? stands : "");
    }
}

TEST(a_thread_of_a_client_is_called_by_what_it_does)
{
    AUTO_TEXT struct text text = {0};
    move_write((struct move){.kind = MOVE_LOSE_REPLY, .client = 1, .thread = THREAD_WATCHDOG},
               "EVAL", &text);
    text_add(&text, "; ");
    move_write((struct move){.kind = MOVE_LOSE_MESSAGE, .client = 2, .thread = THREAD_SUBSCRIBER},
               "message", &text);
    assert_string_equal(text.bytes, "client-1's watchdog EVAL, reply lost; "
                                    "client-2's subscriber message, lost");
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
                                        "client-1's GET",
                                        "client-1's cat EVAL",
                                        "client-1's watchdog",
                                        "client-1's watchdog crashes",
                                        "client-1 AVERYLONGCOMMANDOFMANYLETTERS",
                                        "redis restarts and keeps all",
                                        "redis-0 restarts and keeps all",
                                        "redis-1 restarts and keeps",
                                        "redis-1 crashes",
                                        "-1 evicts the lock",
                                        "client-1 evicts the lock",
                                        "averylongserver-1 evicts the lock",
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
