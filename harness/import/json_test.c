// The quick way through JSON against jansson's: what it takes, the slow one takes as well, and to
// the same fields.
#include "harness/base/random.h"
#include "harness/import/reader.h"
#include "harness/testing/test.h"

#include <stdlib.h>

#define LINES 300000

// What lines are made of: keys, values, and what comes between, as tools write them and as not.
static const char *const keys[] = {"\"process\"", "\"type\"",  "\"f\"",           "\"value\"",
                                   "\"time\"",    "\"index\"", "\"error\"",       "\"node\"",
                                   "\"f \"",      "process",   "\"valu\\u0065\"", "\"\""};
static const char *const values[] = {
    "0",     "17",           "-3",       "007",        "-0",      "12345678901234567890", "1.5",
    "1e3",   "null",         "true",     "\"invoke\"", "\"a b\"", "\"q\\\"x\"",           "\"ä\"",
    "[1,2]", "[\"a\",null]", "[ 1, 2 ]", "[1, null]",  "[1]",     "{\"token\":4}",        "nullify",
    "\"\"",  "[[1],2]",      "\"\t\"",   "[1,2,3]",    "1]",      "\"\\u0041\""};
static const char *const blanks[] = {",", ", ", " ,", ",\n", "", ",,", "\t,"};

static const char *const tame_values[] = {"0",    "17",   "-3",    "\"ok\"",
                                          "null", "\"\"", "[1,2]", "[1, null]"};

#define CHOOSE(random, words) (words)[random_below(random, sizeof(words) / sizeof(words)[0])]

static void make_line(struct random *random, struct text *text)
{
    int fields = 1 + (int)random_below(random, 7);
    bool is_tame = random_below(random, 3) > 0; // only what is usual
    text->length = 0;
    text_add(text, "{");
    for (int i = 0; i < fields; i++) {
        size_t usual = 7;
        size_t from = (size_t)random_below(random, usual);
        const char *key = is_tame ? keys[(from + (size_t)i) % usual] : CHOOSE(random, keys);
        if (i > 0)
            text_add(text, is_tame ? "," : CHOOSE(random, blanks));
        bool is_usual = is_tame && random_below(random, 8) > 0;
        text_format(text, "%s:%s", key,
                    is_usual ? CHOOSE(random, tame_values) : CHOOSE(random, values));
    }
    text_add(text, random_below(random, 20) == 0 ? "" : "}");
    text_add(text, random_below(random, 2) == 0 ? "\n" : "");
}

// Some bytes become others.
static void mutate(struct random *random, struct text *text)
{
    static const char odd[] = "{}[]()\":;,#\\ \n\t0-9az_/+.^\0\x7f\xc3";
    for (uint64_t i = random_below(random, 3); i > 0; i--)
        text->bytes[random_below(random, text->length)] = odd[random_below(random, sizeof odd - 1)];
}

static void same_text(const struct value *quick, const struct value *slow)
{
    assert_int_equal(quick->length, slow->length);
    assert_memory_equal(quick->text, slow->text, slow->length);
}

static void same_value(const struct value *quick, const struct value *slow)
{
    assert_true((quick == NULL) == (slow == NULL));
    if (quick == NULL)
        return;
    assert_int_equal(quick->kind, slow->kind);
    if (quick->kind == VALUE_INTEGER)
        assert_int_equal(quick->integer, slow->integer);
    if (quick->kind == VALUE_WORD || quick->kind == VALUE_STRING)
        same_text(quick, slow);
    if (quick->kind == VALUE_LIST) {
        same_value(quick->first, slow->first);
        same_value(quick->first->next, slow->first->next);
        assert_null(slow->first->next->next);
    }
}

// True if the quick way took it. `quick` knows the keys of the lines that it has read before.
static bool compare(struct reader *quick, const struct text *text)
{
    // Exactly as many bytes as there are, so that sanitizers see a step beyond.
    char *bytes = memory_new(text->length);
    memcpy(bytes, text->bytes, text->length);
    struct problems problems = {.file = "h"};
    struct reader slow;
    struct entry_fields quick_fields, fields;
    reader_start(&slow, IMPORT_JSON, bytes, text->length, &problems);
    quick->at = bytes;
    quick->end = bytes + text->length;
    quick->line = 1;
    bool took = bytes[0] == '{' && json_read_quickly(quick, &quick_fields);
    if (!took) {
        assert_ptr_equal(quick->at, bytes);
    } else if (!json_read_slowly(&slow, &fields)) {
        fail_msg("taken the quick way, but not the slow one: %s\n%s", text_string(text),
                 text_string(&problems.text));
    } else {
        assert_int_equal(problems.count, 0);
        assert_ptr_equal(quick->at, slow.at);
        assert_int_equal(quick->line, slow.line);
        assert_int_equal(quick_fields.line, fields.line);
        for (enum field field = FIELD_PROCESS; field < FIELDS; field++)
            same_value(quick_fields.of[field], fields.of[field]);
    }
    reader_stop(&slow);
    text_free(&problems.text);
    free(bytes);
    return took;
}

TEST(both_ways_through_json_agree)
{
    struct random random;
    struct text text = {0};
    struct problems problems = {.file = "h"};
    struct reader quick;
    size_t taken = 0;
    random_start(&random, 7, 0);
    reader_start(&quick, IMPORT_JSON, "", 0, &problems);
    for (int i = 0; i < LINES; i++) {
        make_line(&random, &text);
        if (random_below(&random, 3) == 0)
            mutate(&random, &text);
        taken += compare(&quick, &text);
        if (i % 1000 == 0) {
            reader_stop(&quick);
            reader_start(&quick, IMPORT_JSON, "", 0, &problems);
        }
    }
    reader_stop(&quick);
    text_free(&text);
    // Else nothing was compared.
    assert_in_range(taken, LINES / 20, LINES);
}

// What tools write must not go the slow way.
TEST(usual_lines_go_the_quick_way)
{
    static const char *const usual[] = {
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"acquire\",\"value\":null,\"time\":9}\n",
        "{\"index\": 3, \"process\": 0, \"type\": \"ok\", \"f\": \"acquire\", \"value\": "
        "[\"a\", 4]}\n"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        struct text text = {0};
        struct reader quick;
        struct problems problems = {.file = "h"};
        reader_start(&quick, IMPORT_JSON, "", 0, &problems);
        text_add(&text, usual[i]);
        assert_true(compare(&quick, &text));
        reader_stop(&quick);
        text_free(&text);
    }
}
