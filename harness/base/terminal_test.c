#include "harness/base/terminal.h"

#include "harness/base/scope.h"
#include "harness/testing/text.h"

#include <stdlib.h>

static const char *wrapped(int columns, const char *words, struct text *out)
{
    struct wrapping wrapping = {.columns = columns};
    wrap(&wrapping, false, words, out);
    return text_string(out);
}

TEST(words_that_have_no_room_go_on_below_what_follows_the_last_wide_gap)
{
    AUTO_TEXT struct text story = {0};
    assert_string_equal(
        wrapped(30, "  0.1 s  client-1 acquires the lock\n  Cause: it stood still", &story),
        "  0.1 s  client-1 acquires the\n"
        "         lock\n"
        "  Cause: it stood still");
}

TEST(a_word_that_is_longer_than_the_terminal_is_wide_stays_whole)
{
    AUTO_TEXT struct text path = {0};
    assert_string_equal(wrapped(12, "files: results/one/trials/two", &path),
                        "files:\nresults/one/trials/two");
}

TEST(a_character_of_several_bytes_takes_one_column_of_a_wrapped_line)
{
    AUTO_TEXT struct text out = {0};
    assert_string_equal(wrapped(9, "12 µs und", &out), "12 µs und");
}

TEST(a_command_to_be_copied_stays_on_one_line)
{
    struct wrapping wrapping = {.columns = 20};
    AUTO_TEXT struct text out = {0};
    wrap(&wrapping, false, "again:", &out);
    wrap(&wrapping, true, " lockpick replay results/one", &out);
    assert_string_equal(text_string(&out), "again:\nlockpick replay results/one");
}

TEST(a_text_is_filled_anew_only_where_it_has_no_room)
{
    static const char text[] = "A paragraph of two lines, the\nsecond of which is short.\n\n"
                               "options:\n  --out DIR   the folder of a run\n  --quiet\n";
    setenv("COLUMNS", "24", 1);
    AUTO_FREE char *narrow = PRINTED(terminal_print(out, text));
    setenv("COLUMNS", "34", 1);
    AUTO_FREE char *wide = PRINTED(terminal_print(out, text));
    unsetenv("COLUMNS");
    assert_string_equal(narrow, "A paragraph of two\nlines, the second of\nwhich is short.\n\n"
                                "options:\n  --out DIR   the folder\n  of a run\n  --quiet\n");
    assert_string_equal(wide, text);
}

TEST(a_line_of_progress_is_cut_before_the_last_column)
{
    setenv("COLUMNS", "8", 1);
    AUTO_FREE char *cut = PRINTED(progress_line(out, "µµµµµµµµµ"));
    AUTO_FREE char *whole = PRINTED(progress_line(out, "1234567"));
    AUTO_FREE char *none = PRINTED(progress_line(out, NULL));
    unsetenv("COLUMNS");
    assert_string_equal(cut, "\r\033[Kµµµµµµµ");
    assert_string_equal(whole, "\r\033[K1234567");
    assert_string_equal(none, "\r\033[K");
}
