// The quick way through a history against the slow one: what it takes, the slow one takes as well,
// and to the same fields.
#include "harness/base/random.h"
#include "harness/import/entry.h"
#include "harness/testing/test.h"

#define LINES 300000

// What lines are made of: keys, values, and what comes between, as tools write them and as not.
static const char *const edn_keys[] = {
    ":process", ":type",   ":f",  ":value", ":time",  ":index", ":error", ":node", ":jepsen/x",
    ":process", ":type",   ":f",  ":value", ":time",  ":index", "\"f\"",  "f",     ":types",
    ":",        ":valu\\", ":f,", ":time;", "#_ 1:f", ":nil",   ":é"};
static const char *const edn_values[] = {"0",
                                         "17",
                                         "-3",
                                         "007",
                                         "-0",
                                         "12345678901234567890",
                                         "999999999999999999",
                                         "1.5",
                                         "3N",
                                         "+4",
                                         "1/2",
                                         ":ok",
                                         ":invoke",
                                         ":not-held",
                                         "nil",
                                         "nilly",
                                         "true",
                                         "\"a b\"",
                                         "\"\"",
                                         "\"q\\\"x\"",
                                         "\"ä\"",
                                         "[1 2]",
                                         "[:a nil]",
                                         "[nil \"x\"]",
                                         "[ 7, 8 ]",
                                         "[1]",
                                         "[1 2 3]",
                                         "{:token 4}",
                                         "#{1 2}",
                                         "#inst \"2020\"",
                                         ":a/b",
                                         "[[1] 2]",
                                         ":a{",
                                         "\"a\nb\"",
                                         "acquire"};
static const char *const edn_blanks[] = {" ", ", ", "  ", ",", "\t", "\n", "", " ; x\n", " #_ y "};
static const char *const json_keys[] = {"\"process\"", "\"type\"",  "\"f\"",           "\"value\"",
                                        "\"time\"",    "\"index\"", "\"error\"",       "\"node\"",
                                        "\"f \"",      "process",   "\"valu\\u0065\"", "\"\""};
static const char *const json_values[] = {
    "0",     "17",           "-3",       "007",        "-0",      "12345678901234567890", "1.5",
    "1e3",   "null",         "true",     "\"invoke\"", "\"a b\"", "\"q\\\"x\"",           "\"ä\"",
    "[1,2]", "[\"a\",null]", "[ 1, 2 ]", "[1, null]",  "[1]",     "{\"token\":4}",        "nullify",
    "\"\"",  "[[1],2]",      "\"\t\"",   "[1,2,3]",    "1]",      "\"\\u0041\""};
static const char *const json_blanks[] = {",", ", ", " ,", ",\n", "", ",,", "\t,"};

static const char *const tame_edn[] = {"0",   "17",      "-3",    ":ok",
                                       "nil", "\"a b\"", "[1 2]", "[:a nil]"};
static const char *const tame_json[] = {"0",    "17",   "-3",    "\"ok\"",
                                        "null", "\"\"", "[1,2]", "[1, null]"};

#define CHOOSE(random, words) (words)[random_below(random, sizeof(words) / sizeof(words)[0])]

static void make_line(struct random *random, bool is_edn, struct text *text)
{
    int fields = 1 + (int)random_below(random, 7);
    bool is_tame = random_below(random, 3) > 0; // only what is usual
    text->length = 0;
    text_add(text, is_edn && random_below(random, 8) == 0 ? "#jepsen.history.Op{" : "{");
    for (int i = 0; i < fields; i++) {
        size_t usual = is_edn ? 6 : 7;
        size_t from = (size_t)random_below(random, usual);
        const char *key = is_tame  ? (is_edn ? edn_keys : json_keys)[(from + (size_t)i) % usual]
                          : is_edn ? CHOOSE(random, edn_keys)
                                   : CHOOSE(random, json_keys);
        if (i > 0)
            text_add(text, is_tame  ? (is_edn ? ", " : ",")
                           : is_edn ? CHOOSE(random, edn_blanks)
                                    : CHOOSE(random, json_blanks));
        bool is_usual = is_tame && random_below(random, 8) > 0;
        const char *value = is_usual
                                ? (is_edn ? CHOOSE(random, tame_edn) : CHOOSE(random, tame_json))
                            : is_edn ? CHOOSE(random, edn_values)
                                     : CHOOSE(random, json_values);
        text_format(text, "%s%s%s", key, is_edn ? " " : ":", value);
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

// True if the quick way took it.
static bool compare(bool is_edn, const struct text *text)
{
    // Exactly as many bytes as there are, so that sanitizers see a step beyond.
    char *bytes = memory_new(text->length);
    memcpy(bytes, text->bytes, text->length);
    struct problems problems = {.file = "h"};
    struct reader quick, slow;
    struct scanned scanned = {0};
    struct entry_fields fields;
    const struct value *map = NULL;
    reader_start(&quick, bytes, text->length, &problems);
    reader_start(&slow, bytes, text->length, &problems);
    bool took = (is_edn ? scan_edn : scan_json)(&quick, &scanned);
    if (!took) {
        assert_ptr_equal(quick.at, bytes);
    } else if ((is_edn ? edn_next : json_next)(&slow, &map) != READING_MAP) {
        fail_msg("taken the quick way, but not the slow one: %s\n%s", text_string(text),
                 text_string(&problems.text));
    } else {
        entry_look_up(map, &fields, &problems);
        assert_int_equal(problems.count, 0);
        assert_ptr_equal(quick.at, slow.at);
        assert_int_equal(quick.line, slow.line);
        assert_int_equal(scanned.fields.line, fields.line);
        for (enum field field = FIELD_PROCESS; field < FIELDS; field++)
            same_value(scanned.fields.of[field], fields.of[field]);
    }
    reader_stop(&slow);
    reader_stop(&quick);
    text_free(&problems.text);
    free(bytes);
    return took;
}

static void both_ways_agree(bool is_edn)
{
    struct random random;
    struct text text = {0};
    size_t taken = 0;
    random_start(&random, 7, is_edn);
    for (int i = 0; i < LINES; i++) {
        make_line(&random, is_edn, &text);
        if (random_below(&random, 3) == 0)
            mutate(&random, &text);
        taken += compare(is_edn, &text);
    }
    text_free(&text);
    // Else nothing was compared.
    assert_in_range(taken, LINES / 20, LINES);
}

TEST(both_ways_through_edn_agree)
{
    both_ways_agree(true);
}

TEST(both_ways_through_json_agree)
{
    both_ways_agree(false);
}

// What tools write must not go the slow way.
TEST(usual_lines_go_the_quick_way)
{
    static const struct {
        bool is_edn;
        const char *line;
    } usual[] = {
        {true, "{:process 0, :type :invoke, :f :acquire, :value nil, :time 3291485317}\n"},
        {true, "{:index 4, :time 17, :type :fail, :process 3, :f :release, :value nil, :error "
               ":not-held}\n"},
        {true, "#jepsen.history.Op{:index 0, :time 5, :type :ok, :process 0, :f :acquire, :value "
               "[7 12]}\n"},
        {true, "{:process 0, :type :ok, :f :acquire, :value [\"a\" 3], :node \"n1\"}\n"},
        {false,
         "{\"process\":0,\"type\":\"invoke\",\"f\":\"acquire\",\"value\":null,\"time\":9}\n"},
        {false, "{\"index\": 3, \"process\": 0, \"type\": \"ok\", \"f\": \"acquire\", \"value\": "
                "[\"a\", 4]}\n"},
    };
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        struct text text = {0};
        text_add(&text, usual[i].line);
        assert_true(compare(usual[i].is_edn, &text));
        text_free(&text);
    }
}
