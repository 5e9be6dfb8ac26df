#include "harness/base/text.h"

#include "harness/testing/test.h"

TEST(a_text_without_additions_reads_as_empty)
{
    AUTO_TEXT struct text text = {0};
    assert_string_equal(text_string(&text), "");
    text_add_bytes(&text, NULL, 0);
    text_add(&text, "");
    text_format(&text, "%s", "");
    assert_string_equal(text_string(&text), "");
    assert_int_equal(text.length, 0);
}

TEST(a_text_grows_as_needed)
{
    struct text text = {0};
    for (int i = 0; i < 10000; i++)
        text_format(&text, "%04d,", i);
    assert_int_equal(text.length, 50000);
    assert_int_equal(strlen(text.bytes), 50000);
    assert_memory_equal(text.bytes, "0000,0001,", 10);
    assert_string_equal(text.bytes + 49990, "9998,9999,");
    text_free(&text);
    assert_null(text.bytes);
    assert_int_equal(text.length, 0);
    text_free(&text);
}

TEST(one_addition_may_be_longer_than_all_room)
{
    AUTO_FREE char *long_string = memory_new(100001);
    memset(long_string, 'a', 100000);
    long_string[100000] = '\0';
    AUTO_TEXT struct text text = {0};
    text_add(&text, "<");
    text_add(&text, long_string);
    text_format(&text, "%s>", long_string);
    assert_int_equal(text.length, 200002);
    assert_int_equal(text.bytes[0], '<');
    assert_int_equal(text.bytes[200001], '>');
}

TEST(every_length_near_the_first_room_ends_in_a_nul)
{
    for (int length = 60; length < 70; length++) {
        struct text formatted = {0}, added = {0};
        text_format(&formatted, "%*s", length, "x");
        assert_int_equal(strlen(formatted.bytes), length);
        text_add(&added, formatted.bytes);
        assert_string_equal(added.bytes, formatted.bytes);
        text_free(&formatted);
        text_free(&added);
    }
}

TEST(bytes_may_contain_a_nul)
{
    AUTO_TEXT struct text text = {0};
    text_add_bytes(&text, "a\0b", 3);
    text_add(&text, "c");
    assert_int_equal(text.length, 4);
    assert_memory_equal(text.bytes, "a\0bc", 5);
}

TEST(durations_change_unit_before_they_need_a_fourth_digit)
{
    static const struct {
        long long nanoseconds;
        const char *expected;
    } cases[] = {
        {0, "0 ns"},
        {1, "1 ns"},
        {840, "840 ns"},
        {999, "999 ns"},
        {1000, "1 µs"},
        {12400, "12.4 µs"},
        {999499, "999 µs"},
        {999500, "1 ms"},
        {999999, "1 ms"},
        {1000000, "1 ms"},
        {3250000, "3.25 ms"},
        {999499999, "999 ms"},
        {999500000, "1.00 s"},
        {999999999, "1.00 s"},
        {1000000000, "1.00 s"},
        {1200000000, "1.20 s"},
        {90000000000, "90.00 s"},
        {-840, "-840 ns"},
        {-3250000, "-3.25 ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[32];
        assert_ptr_equal(text_duration(cases[i].nanoseconds, shown, sizeof shown), shown);
        assert_string_equal(shown, cases[i].expected);
    }
}

TEST(globs_match_the_whole_string)
{
    assert_true(text_matches("redis-setnx", "redis-*"));
    assert_true(text_matches("redis-", "redis-*"));
    assert_true(text_matches("redis-setnx", "*"));
    assert_true(text_matches("client-1", "client-?"));
    assert_true(text_matches("client-1", "client-[12]"));
    assert_true(text_matches("none", "none"));
    assert_false(text_matches("process-mutex", "redis-*"));
    assert_false(text_matches("client-10", "client-?"));
    assert_false(text_matches("client-3", "client-[12]"));
    assert_false(text_matches("redis-setnx-expire", "redis-setnx"));
    assert_false(text_matches("none", ""));
}

static const char *const keys[] = {"name", "about", "clients", "processes",  "threads", "lease",
                                   "wait", "pause", "until",   "operations", "or",      NULL};

TEST(a_slip_of_the_pen_finds_the_word_that_was_meant)
{
    assert_string_equal(text_nearest("thread", keys), "threads");
    assert_string_equal(text_nearest("pauze", keys), "pause");
    assert_string_equal(text_nearest("laese", keys), "lease");
    assert_string_equal(text_nearest("opperation", keys), "operations");
    assert_string_equal(text_nearest("Clients", keys), "clients");
    assert_string_equal(text_nearest("until", keys), "until");
}

TEST(the_beginning_of_a_word_is_enough)
{
    assert_string_equal(text_nearest("proc", keys), "processes");
    assert_string_equal(text_nearest("ope", keys), "operations");
}

TEST(of_two_words_the_nearer_one_was_meant)
{
    static const char *const near_first[] = {"three", "threads", NULL};
    static const char *const near_last[] = {"threads", "three", NULL};
    assert_string_equal(text_nearest("thre", near_first), "three");
    assert_string_equal(text_nearest("thre", near_last), "three");
}

TEST(a_word_like_no_other_suggests_nothing)
{
    static const char *const none[] = {NULL};
    assert_null(text_nearest("nonsense", keys));
    assert_null(text_nearest("foo", keys));
    assert_null(text_nearest("x", keys));
    assert_null(text_nearest("", keys));
    assert_null(text_nearest("thread", none));
}

TEST(words_of_any_length_can_be_compared)
{
    char long_word[200];
    memset(long_word, 'w', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    const char *const words[] = {long_word, NULL};
    assert_null(text_nearest("word", words));
    assert_null(text_nearest(long_word, keys));
}

TEST(a_stranger_s_text_cannot_move_the_cursor)
{
    char text[] = "a\x1b[31m\rb\tc\nd\x7f \xc2\x9b"
                  "2J \xe2\x80\xae \xff µs – ✓";
    assert_string_equal(text_clean(text), "a?[31m?b\tc\nd? ??2J ??? ? µs – ✓");
    assert_string_equal(text_clean_line(text), "a?[31m?b c d? ??2J ??? ? µs – ✓");
}

TEST(a_message_commands_no_runner)
{
    char text[] = "\x1b[2J##[error]a, ##[add-mask]b ##";
    assert_string_equal(text_clean_message(text), "?[2J#?[error]a, #?[add-mask]b ##");
}

TEST(a_shell_reads_a_word_as_it_is)
{
    static const char *const words[][2] = {{"results/2026-11-21", "results/2026-11-21"},
                                           {"", "''"},
                                           {"-a b", "'-a b'"},
                                           {"it's $1", "'it'\\''s $1'"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        AUTO_TEXT struct text text = {0};
        text_add_shell_word(&text, words[i][0]);
        assert_string_equal(text.bytes, words[i][1]);
    }
}
