// One document, three writers.
#include "harness/report/document.h"
#include "harness/testing/test.h"

#include <stdlib.h>
#include <string.h>

static void say(struct document *d)
{
    static const struct doc_column columns[] = {
        WORDS("scheme"), {"p50", "acquire", true}, {"p99", "acquire", true}};
    doc_section(d, "costs", "Costs", "What it cost");
    doc_paragraph(d, LOOK_QUIET, "%s", "a|b <i>\"&'");
    doc_table(d, (struct doc_table){"The costs", COLUMNS(columns), 2, NULL});
    for (int i = 0; i < 3; i++) {
        doc_row(d, "pause", 1);
        doc_cell(d, LOOK_PLAIN, "zk-%d", i);
        doc_cell(d, LOOK_PLAIN, "%d ms", 10 + i);
        doc_say(d, LOOK_BELOW, "9–11");
        doc_cell(d, LOOK_MISSED, "–");
    }
    doc_item(d, LOOK_PLAIN);
    doc_say(d, LOOK_PLAIN, "one");
    doc_item(d, LOOK_PLAIN);
    doc_link(d, LOOK_SAFE, "#trial-1", "two");
    doc_fold(d, "trial-1", true);
    doc_say(d, LOOK_STRONG, "story");
    doc_heading(d, NULL, "Why");
    doc_code(d, "```\n  <b>\n");
    doc_term(d, "name", "");
    doc_term(d, "seed", "7");
    doc_end(d, DOC_FOLD);
}

TEST(a_page_has_tables_that_scroll_and_counts_rows_that_have_no_place)
{
    struct document d = {.medium = PAGE};
    say(&d);
    doc_finish(&d);
    assert_string_equal(d.contents.bytes, "<a href=\"#costs\">Costs</a>");
    assert_string_equal(
        d.text.bytes,
        "<section id=\"costs\"><h2>What it cost</h2>\n"
        "<p class=\"quiet\">a|b &#60;i&#62;&#34;&#38;&#39;</p>\n"
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"The costs\">"
        "<table class=\"figures\"><thead><tr><td></td>"
        "<th scope=\"colgroup\" colspan=\"2\">acquire</th></tr><tr><th scope=\"col\">scheme</th>"
        "<th scope=\"col\">p50</th><th scope=\"col\">p99</th></tr></thead><tbody>\n"
        "<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"3\">pause</th></tr>\n"
        "<tr><th scope=\"row\">zk-0</th><td>10 ms<br><small>9–11</small></td>"
        "<td class=\"missed\">–</td></tr>\n"
        "<tr><th scope=\"row\">zk-1</th><td>11 ms<br><small>9–11</small></td>"
        "<td class=\"missed\">–</td></tr>\n"
        "</tbody></table></div>\n<p class=\"quiet\">And 1 more, in result.json.</p>\n"
        "<ul><li>one</li>\n<li><a class=\"chip safe\" href=\"#trial-1\">✓ two</a></li>\n</ul>\n"
        "<details open><summary><b>story</b></summary>\n<div class=\"inside\" id=\"trial-1\">\n"
        "<h4>Why</h4>\n<pre tabindex=\"0\">```\n  &#60;b&#62;\n</pre>\n"
        "<dl><dt>name</dt><dd>–</dd>\n<dt>seed</dt><dd>7</dd>\n</dl>\n</div></details>\n"
        "</section>\n");
    text_free(&d.text);
    text_free(&d.contents);
}

TEST(in_markdown_no_words_become_markup)
{
    struct document d = {.medium = MARKDOWN, .most_bytes = 10000};
    say(&d);
    doc_finish(&d);
    assert_string_equal(d.text.bytes,
                        "\n#### What it cost\n\na&#124;b &#60;i&#62;\"&#38;'\n\n"
                        "| scheme | p50 | p99 |\n|---|--:|--:|\n"
                        "| zk-0 | 10\u00a0ms (9–11) | – |\n| zk-1 | 11\u00a0ms (9–11) | – |\n"
                        "| zk-2 | 12\u00a0ms (9–11) | – |\n\n- one\n- two\n\n"
                        "<details open><summary><b>story</b></summary>\n\n**Why**\n\n"
                        "````text\n```\n  <b>\n````\n\nname: – · seed: 7\n\n</details>\n");
    text_free(&d.text);
    text_free(&d.contents);
}

TEST(a_terminal_has_columns_and_indents_what_is_folded)
{
    AUTO_FREE char *text = NULL;
    size_t length = 0;
    struct document d = {.medium = TERMINAL, .out = open_memstream(&text, &length)};
    say(&d);
    doc_finish(&d);
    text_free(&d.contents);
    fclose(d.out);
    assert_string_equal(
        text, "a|b <i>\"&'\n\nscheme           p50  p99\nzk-0    10 ms (9–11)    –\n"
              "zk-1    11 ms (9–11)    –\nzk-2    12 ms (9–11)    –\none\ntwo\n\nstory\n\nWhy\n"
              "    ```\n      <b>\nname: –\nseed: 7\n");
}

// However little room there is, no row is without its table, and what is not there is counted.
TEST(markdown_keeps_within_its_room_and_counts_the_rest)
{
    for (size_t most = 0; most < 400; most++) {
        struct document d = {.medium = MARKDOWN, .most_bytes = most};
        say(&d);
        doc_finish(&d);
        const char *all = text_string(&d.text);
        size_t rows = 0;
        for (const char *at = all; (at = strstr(at, "| zk-")) != NULL; at++)
            rows++;
        bool has_fold = strstr(all, "</details>") != NULL;
        size_t left = 4 - rows - has_fold;
        const char *more = strstr(all, "\nand ");
        assert_int_equal(more != NULL ? strtoul(more + 5, NULL, 10) : 0, left);
        assert_true(rows == 0 || strstr(all, "|---|") != NULL);
        assert_int_equal(strstr(all, "<details ") != NULL, has_fold);
        assert_true(d.text.length < most + 60);
        text_free(&d.text);
        text_free(&d.contents);
    }
}
