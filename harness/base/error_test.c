#include "harness/base/error.h"

#include "harness/testing/test.h"

TEST(setting_an_error_returns_minus_one_and_keeps_the_text)
{
    struct error error;
    assert_int_equal(error_set(&error, "cannot open %s: error %d", "a.yaml", 2), -1);
    assert_string_equal(error.text, "cannot open a.yaml: error 2");
    error_set(&error, "second");
    assert_string_equal(error.text, "second");
}

TEST(an_error_may_quote_its_own_text)
{
    struct error error;
    error_set(&error, "no route");
    error_set(&error, "%s; is node-1 up?", error.text);
    assert_string_equal(error.text, "no route; is node-1 up?");
    error_wrap(&error, "after '%s'", error.text);
    assert_string_equal(error.text, "after 'no route; is node-1 up?': no route; is node-1 up?");
}

TEST(each_wrap_puts_its_context_in_front)
{
    struct error error;
    error_set(&error, "refused");
    assert_int_equal(error_wrap(&error, "connecting to %s", "redis-1"), -1);
    assert_int_equal(error_wrap(&error, "trial %d", 7), -1);
    assert_string_equal(error.text, "trial 7: connecting to redis-1: refused");
}

TEST(an_error_that_nobody_wants_is_still_an_error)
{
    assert_int_equal(error_set(NULL, "lost %d", 1), -1);
    assert_int_equal(error_wrap(NULL, "lost %d", 2), -1);
}

TEST(a_text_too_long_is_cut_at_its_end)
{
    char long_text[3000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    struct error error;
    error_set(&error, "%s", long_text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);

    error_wrap(&error, "reading");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, "reading: xxx", 12);
}

TEST(a_context_too_long_leaves_no_text_but_ends_in_a_colon)
{
    char long_context[3000];
    memset(long_context, 'c', sizeof long_context - 1);
    long_context[sizeof long_context - 1] = '\0';
    struct error error;
    error_set(&error, "cause");
    error_wrap(&error, "%s", long_context);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_string_equal(error.text + sizeof error.text - 4, "c: ");
}
