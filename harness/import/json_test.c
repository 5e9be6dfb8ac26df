// JSON against jansson: what is read here is what jansson reads.
#include "harness/base/random.h"
#include "harness/import/reader.h"
#include "harness/testing/test.h"

#include <jansson.h>
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
    static const char odd[] = "{}[]()\":;,#\\ \n\t0-9az_/+.^\x7f\xc3";
    for (uint64_t i = random_below(random, 3); i > 0; i--)
        text->bytes[random_below(random, text->length)] = odd[random_below(random, sizeof odd - 1)];
}

// Whether it is one object, and commas behind it, which may stand between operations.
static bool jansson_takes(const struct text *text)
{
    json_error_t error;
    json_auto_t *json = json_loadb(text->bytes, text->length, JSON_DISABLE_EOF_CHECK, &error);
    bool is_object = json_is_object(json);
    for (size_t i = (size_t)error.position; is_object && i < text->length; i++)
        is_object = strchr(" ,\n\t\r", text->bytes[i]) != NULL && text->bytes[i] != '\0';
    return is_object;
}

static bool is_twice(const struct problems *problems)
{
    return strstr(text_string(&problems->text), "is there twice") != NULL;
}

TEST(what_is_taken_as_json_is_what_jansson_takes)
{
    struct random random;
    AUTO_TEXT struct text text = {0};
    size_t taken = 0;
    random_start(&random, 7, 0);
    for (int i = 0; i < LINES; i++) {
        make_line(&random, &text);
        if (random_below(&random, 3) == 0)
            mutate(&random, &text);
        // Exactly as many bytes as there are, so that sanitizers see a step beyond.
        AUTO_FREE char *bytes = memory_new(text.length);
        memcpy(bytes, text.bytes, text.length);
        struct problems problems = {.file = "h"};
        struct reader reader;
        struct entry_fields fields;
        reader_start(&reader, IMPORT_JSON, bytes, text.length, &problems);
        bool is_taken = bytes[0] == '{' && reader_next(&reader, &fields) == READING_MAP &&
                        reader_next(&reader, &fields) == READING_END;
        if (is_taken != jansson_takes(&text) && !is_twice(&problems))
            fail_msg("%s here, but not by jansson: %.*s\n%s", is_taken ? "taken" : "refused",
                     (int)text.length, text_string(&text), text_string(&problems.text));
        taken += is_taken;
        reader_stop(&reader);
        text_free(&problems.text);
    }
    // Else nothing was compared.
    assert_in_range(taken, LINES / 20, LINES);
}
