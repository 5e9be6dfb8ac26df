// Placeholders in what is said of a server of one's own.
#include "harness/base/custom_server.h"
#include "harness/testing/test.h"

#include <stdlib.h>

static const char *const values[] = {"10.0.0.1", "7000", "17000", "all",       "peers",
                                     "custom-1", "1",    "/data", "/scenarios"};

static void expect_filled(const char *form, const char *filled)
{
    struct text out = {0};
    custom_fill(&out, form, values);
    assert_string_equal(text_string(&out), filled);
    text_free(&out);
}

TEST(placeholders_are_filled_and_other_braces_stay)
{
    expect_filled("", "");
    expect_filled("plain", "plain");
    expect_filled("{address}:{port}", "10.0.0.1:7000");
    expect_filled("--name={name} {number}{data}{folder}", "--name=custom-1 1/data/scenarios");
    expect_filled("{servers}, {peers}, {peer-port}", "all, peers, 17000");
    expect_filled("{\"port\": {port}}", "{\"port\": 7000}");
    expect_filled("{{port}}", "{7000}");
    expect_filled("{other} {port", "{other} {port");
    expect_filled("{} {Port} ${HOME}", "{} {Port} ${HOME}");
}

TEST(a_word_in_braces_that_is_no_placeholder_is_found)
{
    char word[8];
    assert_false(custom_finds_unknown("{port} {\"a\": {}} ${HOME} {", word, sizeof word));
    assert_false(custom_finds_unknown("{print 1} { } {2}", word, sizeof word));
    assert_true(custom_finds_unknown("{port}{prot}", word, sizeof word));
    assert_string_equal(word, "prot");
    assert_true(custom_finds_unknown("{longer-than-there-is-room}", word, sizeof word));
    assert_string_equal(word, "longer-");
}

TEST(what_uses_a_placeholder_is_known)
{
    const char *const list[] = {"data", "--to={data}x", NULL};
    assert_true(custom_uses(list, CUSTOM_DATA));
    assert_false(custom_uses(list, "dat"));
    assert_false(custom_uses(list + 2, CUSTOM_DATA));
    assert_false(custom_uses(NULL, CUSTOM_DATA));
}
