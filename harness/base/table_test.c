#include "harness/base/table.h"

#include "harness/base/scope.h"
#include "harness/testing/text.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const headings[] = {"scheme", "verdict", "locks/s", NULL};

static void assert_prints(const struct table *table, bool coloured, const char *expected)
{
    AUTO_FREE char *printed = PRINTED(table_print(table, out, coloured));
    assert_string_equal(printed, expected);
}

static void add_row(struct table *table, const char *scheme, enum colour colour,
                    const char *verdict, const char *rate)
{
    table_cell(table, COLOUR_PLAIN, scheme);
    table_cell(table, colour, verdict);
    table_cell(table, COLOUR_PLAIN, rate);
}

TEST(columns_are_as_wide_as_their_widest_cell)
{
    struct table *table = table_new(headings);
    add_row(table, "none", COLOUR_RED, "UNSAFE", "1200000");
    add_row(table, "redis-set-px-lua", COLOUR_GREEN, "SAFE", "80");
    assert_prints(table, false,
                  "scheme            verdict  locks/s\n"
                  "none              UNSAFE   1200000\n"
                  "redis-set-px-lua  SAFE     80\n");
    table_free(table);
}

TEST(a_column_aligned_right_ends_where_its_heading_ends)
{
    struct table *table = table_new(headings);
    table_align_right(table, 0);
    table_align_right(table, 2);
    add_row(table, "none", COLOUR_RED, "UNSAFE", "12000000");
    add_row(table, "redis-setnx", COLOUR_RED, "STUCK", "80");
    assert_prints(table, false,
                  "     scheme  verdict   locks/s\n"
                  "       none  UNSAFE   12000000\n"
                  "redis-setnx  STUCK          80\n");
    table_free(table);
}

TEST(a_character_of_several_bytes_takes_one_column)
{
    struct table *table = table_new(headings);
    table_align_right(table, 2);
    add_row(table, "größe", COLOUR_PLAIN, "→ ok", "12.4 µs");
    add_row(table, "plain", COLOUR_PLAIN, "-> k", "124 ns");
    assert_prints(table, false,
                  "scheme  verdict  locks/s\n"
                  "größe   → ok     12.4 µs\n"
                  "plain   -> k      124 ns\n");
    table_free(table);
}

TEST(colours_are_printed_only_if_asked_for_and_widen_nothing)
{
    struct table *table = table_new(headings);
    table_align_right(table, 2);
    add_row(table, "none", COLOUR_RED, "UNSAFE", "80");
    assert_prints(table, false,
                  "scheme  verdict  locks/s\n"
                  "none    UNSAFE        80\n");
    assert_prints(table, true,
                  "\033[1mscheme\033[0m  \033[1mverdict\033[0m  \033[1mlocks/s\033[0m\n"
                  "none    \033[31mUNSAFE\033[0m        80\n");
    table_free(table);
}

TEST(a_table_without_rows_is_its_headings)
{
    struct table *table = table_new(headings);
    assert_prints(table, false, "scheme  verdict  locks/s\n");
    table_free(table);
    table_free(NULL);
}

TEST(a_row_left_unfinished_still_ends_its_line)
{
    struct table *table = table_new(headings);
    table_cell(table, COLOUR_PLAIN, "none");
    assert_prints(table, false,
                  "scheme  verdict  locks/s\n"
                  "none             \n");
    table_free(table);
}

TEST(columns_that_can_be_done_without_are_left_out_where_they_have_no_room)
{
    struct table *table = table_new(headings);
    table_begin_extra(table, 2);
    add_row(table, "redis-set-px-lua", COLOUR_PLAIN, "SAFE", "80");
    add_row(table, "none", COLOUR_PLAIN, "UNSAFE", "1200000");
    setenv("COLUMNS", "27", 1);
    assert_prints(table, false,
                  "scheme            verdict\n"
                  "redis-set-px-lua  SAFE\n"
                  "none              UNSAFE\n");
    setenv("COLUMNS", "34", 1);
    assert_prints(table, false,
                  "scheme            verdict  locks/s\n"
                  "redis-set-px-lua  SAFE     80\n"
                  "none              UNSAFE   1200000\n");
    unsetenv("COLUMNS");
    table_free(table);
}

// Of a column of words, one of names, one of long words, and figures.
TEST(a_table_fits_60_to_200_columns_and_loses_no_word)
{
    static const char *const titles[] = {
        "scenario",    "how it locks", "found",        "as expected",
        "acquire p50", "p99",          "longest wait", NULL};
    static const char *const rows[][7] = {
        {"pause-outlives-lease",
         "SET key owner NX PX lease, and a script that compares and deletes",
         "stale-holder, lost-update", "✓ expected", "12.4 µs", "1.25 ms", "314 ms"},
        {"f41-compare-then-delete-under-a-pause", "GET, compare, DEL", "wrongful-release",
         "✗ MISSED", "840 ns", "–", "1.20 s"}};
    struct table *table = table_new(titles);
    for (int column = 4; column < 7; column++)
        table_align_right(table, column);
    for (int i = 0; i < 14; i++)
        table_cell(table, COLOUR_PLAIN, rows[i / 7][i % 7]);
    for (int columns = 60; columns <= 200; columns++) {
        char said[8];
        snprintf(said, sizeof said, "%d", columns);
        setenv("COLUMNS", said, 1);
        AUTO_FREE char *printed = PRINTED(table_print(table, out, false));
        unsetenv("COLUMNS");
        for (int i = 0; i < 14; i++) {
            AUTO_FREE char *words = memory_string(rows[i / 7][i % 7]);
            char *rest = words;
            for (const char *word; (word = strsep(&rest, " -")) != NULL;)
                if (strstr(printed, word) == NULL)
                    fail_msg("'%s' is not in %d columns:\n%s", word, columns, printed);
        }
        char *rest = printed;
        for (const char *line; (line = strsep(&rest, "\n")) != NULL;) {
            int width = 0;
            for (const char *next = line; *next != '\0'; next++)
                width += ((unsigned char)*next & 0xc0) != 0x80;
            if (width > columns)
                fail_msg("%d columns in %d: %s", width, columns, line);
        }
    }
    table_free(table);
}

TEST(what_has_no_room_in_a_row_goes_on_below_it)
{
    static const char *const titles[] = {"name", "a", "longest b", NULL};
    struct table *table = table_new(titles);
    table_align_right(table, 1);
    table_align_right(table, 2);
    table_cell(table, COLOUR_PLAIN, "redis-set-px-lua");
    table_cell(table, COLOUR_PLAIN, "1234567");
    table_cell(table, COLOUR_PLAIN, "12345678");
    setenv("COLUMNS", "24", 1);
    assert_prints(table, false,
                  "name\n"
                  "          a   longest\n"
                  "                    b\n"
                  "redis-set-px-lua\n"
                  "    1234567  12345678\n");
    unsetenv("COLUMNS");
    table_free(table);
}

TEST(many_rows_are_all_printed)
{
    static const char *const number[] = {"n", NULL};
    struct table *table = table_new(number);
    AUTO_TEXT struct text expected = {0};
    table_align_right(table, 0);
    text_add(&expected, "   n\n");
    for (int i = 0; i < 1001; i++) {
        char digits[16];
        snprintf(digits, sizeof digits, "%d", i);
        table_cell(table, COLOUR_PLAIN, digits);
        text_format(&expected, "%4d\n", i);
    }
    assert_prints(table, false, expected.bytes);
    table_free(table);
}

TEST(a_table_may_have_32_columns)
{
    const char *wide[33] = {NULL};
    AUTO_TEXT struct text expected = {0};
    for (int i = 0; i < 32; i++) {
        wide[i] = "c";
        text_add(&expected, i < 31 ? "c  " : "c\n");
    }
    struct table *table = table_new(wide);
    table_align_right(table, 31);
    assert_prints(table, false, expected.bytes);
    table_free(table);
}

TEST(more_columns_than_there_is_room_for_end_the_process)
{
    const char *wide[34] = {NULL};
    for (int i = 0; i < 33; i++)
        wide[i] = "c";
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        close(STDERR_FILENO);
        table_free(table_new(wide));
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(a_file_wants_no_colour)
{
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    assert_false(colour_wanted(out));
    fclose(out);
}

TEST(a_terminal_wants_colour_unless_no_color_is_set)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        skip();
    FILE *out = fopen(ptsname(terminal), "w");
    if (out == NULL)
        skip();
    unsetenv("NO_COLOR");
    assert_true(colour_wanted(out));
    setenv("NO_COLOR", "", 1);
    assert_true(colour_wanted(out));
    setenv("NO_COLOR", "1", 1);
    assert_false(colour_wanted(out));
    fclose(out);
    close(terminal);
}
