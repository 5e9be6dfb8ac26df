// Histories of other tools: what is understood, and what is told of those that are wrong.
#include "harness/base/random.h"
#include "harness/import/fuzz_import.h"
#include "harness/testing/cases.h"

struct result {
    struct operations operations;
    struct import_notes notes;
    struct problems problems;
    int imported;
};

static struct result import_with(const char *text, size_t length,
                                 const struct import_options *options)
{
    struct result result = {.problems = {.file = "h"}};
    enum import_format format = import_format_of("h", text, length);
    result.imported = import_history(format, text, length, options, &result.operations,
                                     &result.notes, &result.problems);
    return result;
}

static struct result import_text(const char *text, size_t length, bool tokens)
{
    return import_with(text, length, &(struct import_options){.has_tokens = tokens});
}

static void result_free(struct result *result)
{
    operations_free(&result->operations);
    text_free(&result->problems.text);
}

// "0 A ok 7 [name]; ..." of what was imported: process, kind, outcome, token, lock.
static void describe(const struct operations *operations, struct text *text)
{
    static const char *const outcomes[] = {"ok", "no", "unknown", "broken"};
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        char process[OPERATION_TEXT_ROOM];
        text_format(text, "%s%s %s%c %s", i > 0 ? "; " : "",
                    operation_process(operations, operation->process, process),
                    operation->shared ? "S" : "", "ARN"[operation->kind],
                    outcomes[operation->outcome]);
        if (operation->token != 0)
            text_format(text, " %lld", (long long)operation->token);
        if (operations->names != NULL)
            text_format(text, " [%s]", operations->names[operation->name]);
    }
}

// A history without the end of its last line, unless that is of the history.
static struct result import_case(const struct written_case *one)
{
    return import_text(one->body.bytes, one->body.length - (one->body.length > 0), true);
}

static void expect_meaning(const struct written_case *one)
{
    AUTO(result_free) struct result result = import_case(one);
    AUTO_TEXT struct text text = {0};
    describe(&result.operations, &text);
    text_add(&text, "\n");
    if (result.imported != 0 || strcmp(text.bytes, one->expected.bytes) != 0)
        fail_case(one, "it is read as %s%s", text.bytes, text_string(&result.problems.text));
}

TEST(what_jepsen_writes_is_understood)
{
    each_case("harness/import/cases/understood.cases", 12, expect_meaning);
}

// By their digits, however many there are, and whatever follows; as locks, by how they are written.
TEST(whole_numbers_are_read_whole)
{
    for (int digits = 1; digits <= 19; digits++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            char number[32], text[256];
            int64_t expected = 0;
            for (int i = 0; i < digits; i++)
                expected = expected * 10 + (i + digits) % 9 + (i == 0);
            snprintf(number, sizeof number, "%lld", (long long)(sign * expected));
            snprintf(text, sizeof text,
                     "{:process 0 :type :invoke :f :acquire}\n"
                     "{:process 0 :type :ok :f :acquire :value%s%s}",
                     sign > 0 ? " " : "\n", number);
            AUTO(result_free) struct result result = import_text(text, strlen(text), true);
            assert_int_equal(result.imported, 0);
            assert_true(result.operations.items[0].token == sign * expected);
        }
    }
}

TEST(names_are_told_apart_by_how_they_are_written)
{
    static const char *const names[] = {"7", "\"07\"", "70", "16777215", "16777216", "\"7 \""};
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++)
        text_format(&text, "{:process %zu :type :invoke :f :acquire :value [%s nil]}\n", i,
                    names[i % (sizeof names / sizeof *names)]);
    AUTO(result_free) struct result result = import_text(text.bytes, text.length, false);
    for (size_t i = 0; i < result.operations.count; i++)
        assert_int_equal(result.operations.items[i].name, i % (sizeof names / sizeof *names));
    assert_int_equal(result.operations.count, 2 * sizeof names / sizeof *names);
}

TEST(a_name_comes_after_many_that_are_numbers)
{
    AUTO_TEXT struct text text = {0};
    size_t locks = 200;
    for (size_t i = 0; i < locks; i++)
        text_format(&text, "{:process %zu :type :invoke :f :acquire :value [%zu nil]}\n", i, i);
    text_format(&text, "{:process %zu :type :invoke :f :acquire :value [orders nil]}\n", locks);
    AUTO(result_free) struct result result = import_text(text.bytes, text.length, false);
    assert_int_equal(result.imported, 0);
    assert_string_equal(result.operations.names[result.operations.items[locks].name], "orders");
}

static void expect_problem_of(const struct written_case *one)
{
    AUTO(result_free) struct result result = import_case(one);
    const char *problems = text_string(&result.problems.text);
    if (result.imported == 0 ||
        strncmp(problems, one->expected.bytes, one->expected.length - 1) != 0)
        fail_case(one, "it gave: %s", problems);
}

TEST(what_is_wrong_is_told_with_its_line)
{
    each_case("harness/import/cases/wrong.cases", 44, expect_problem_of);
}

#define ACQUIRE(process, type) "{:process " process " :type :" type " :f :acquire}\n"

TEST(the_first_twenty_problems_are_told_at_once)
{
    AUTO_TEXT struct text text = {0};
    for (int i = 0; i < 30; i++)
        text_add(&text, "{:process 0 :type :okay :f :acquire}\n");
    AUTO(result_free) struct result result = import_text(text.bytes, text.length, true);
    assert_int_equal(result.problems.count, PROBLEMS_MOST);
    assert_non_null(strstr(text_string(&result.problems.text), "h:20: the type is 'okay'"));
    assert_null(strstr(text_string(&result.problems.text), "h:21:"));
}

TEST(a_token_is_told_apart_by_the_model)
{
    static const char text[] = ACQUIRE("0", "invoke") "{:process 0 :type :ok :f :acquire :value 7}";
    AUTO(result_free) struct result without = import_text(text, strlen(text), false);
    AUTO(result_free) struct result with = import_text(text, strlen(text), true);
    assert_int_equal(without.imported, 0);
    assert_int_equal(without.operations.items[0].token, 0);
    assert_int_equal(without.notes.tokens, 1);
    assert_int_equal(with.imported, 0);
    assert_int_equal(with.operations.items[0].token, 7);
}

TEST(the_name_of_the_file_says_what_it_is)
{
    assert_int_equal(import_format_of("a.edn", "{\"", 2), IMPORT_EDN);
    assert_int_equal(import_format_of("a.json", "{:", 2), IMPORT_JSON);
    assert_int_equal(import_format_of("a.jsonl", "", 0), IMPORT_JSON);
    assert_int_equal(import_format_of("a", " [ {\"process\"", 13), IMPORT_JSON);
    assert_int_equal(import_format_of("a", "[{:process", 10), IMPORT_EDN);
}

// --- a long history, which two threads read --------------------------------------------------

#define PAIRS 20000

// Each pair of lines is an acquire. `odd` takes the place of the second line of one pair.
static struct result import_long(size_t pair, const char *odd)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < PAIRS; i++) {
        text_format(
            &text,
            "{\"process\":%zu,\"type\":\"invoke\",\"f\":\"acquire\",\"value\":[\"a\",null]}\n", i);
        if (i == pair)
            text_add(&text, odd);
        else
            text_format(&text, "{\"process\":%zu,\"type\":\"ok\",\"f\":\"acquire\"}\n", i);
    }
    struct result result = import_with(text.bytes, text.length, &(struct import_options){0});
    return result;
}

TEST(a_long_history_is_read_whole_wherever_two_cannot_go_on)
{
    // Text that is kept beside the history; blanks; nothing of the kind.
    static const char *const lines[] = {
        "{\"process\":12000,\"type\":\"o\\u006b\",\"f\":\"acquire\",\"value\":[\"\\u0061\",null]}",
        "\n\n{\"process\":12000,\"type\":\n\"ok\",\"f\":\"acquire\"}\n",
        "{\"process\":12000,\"type\":\"ok\",\"f\":\"acquire\"}\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        AUTO(result_free) struct result result = import_long(12000, lines[i]);
        assert_int_equal(result.imported, 0);
        assert_int_equal(result.operations.count, PAIRS);
        assert_int_equal(result.operations.name_count, 1);
        for (size_t j = 0; j < PAIRS; j++)
            assert_int_equal(result.operations.items[j].outcome, OUTCOME_OK);
    }
}

TEST(what_is_wrong_far_into_a_long_history_is_told_once_and_in_its_order)
{
    struct result result =
        import_long(12000, "{\"process\":12000,\"type\":\"ok\",\"f\":\"release\"}\n"
                           "{\"process\":12000,\"type\":\"okay\",\"f\":\"acquire\"}\n"
                           "{\"process\":12001,\"type\":\"ok\",\"f\":\"acquire\"}\n");
    const char *problems = text_string(&result.problems.text);
    assert_int_equal(result.problems.count, 3);
    const char *first = strstr(problems, "h:24002: process 12000 ends release");
    assert_non_null(first);
    const char *second = strstr(first, "h:24003: the type is 'okay'");
    assert_non_null(second);
    assert_non_null(strstr(second, "h:24004: process 12001 ends an operation that it never began"));
    result_free(&result);
}

TEST(a_long_list_that_is_not_closed_is_told_with_its_last_line)
{
    AUTO_TEXT struct text text = {0};
    text_add(&text, "[\n");
    for (size_t i = 0; i < PAIRS; i++)
        text_format(&text,
                    "{\"process\":%zu,\"type\":\"invoke\",\"f\":\"acquire\",\"value\":null},\n", i);
    text_add(&text, "\n\n");
    AUTO(result_free)
    struct result result = import_with(text.bytes, text.length, &(struct import_options){0});
    assert_string_equal(text_string(&result.problems.text),
                        "h:20004: the file ends inside of the list that line 1 opens; expected "
                        "']'\n");
}

TEST(a_long_history_is_read_whole_however_it_is_laid_out)
{
    // What is said of the lock, between two maps, and around them all.
    static const struct {
        const char *said, *between, *first, *last;
    } layouts[] = {{"null", "\n", "", ""},
                   {"null", ",\n", "[\n", "\n]"},
                   {"null", ", ", "[", "]"},
                   {"\n{\"uid\": 1}\n", "\n", "", ""}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        AUTO_TEXT struct text text = {0};
        text_add(&text, layouts[i].first);
        for (size_t j = 0; j < 2 * PAIRS; j++)
            text_format(
                &text, "%s{\"process\":%zu,\"type\":\"%s\",\"f\":\"acquire\",\"value\":[\"a\",%s]}",
                j > 0 ? layouts[i].between : "", j / 2, j % 2 == 0 ? "invoke" : "ok",
                layouts[i].said);
        uint32_t line = 1;
        for (const char *c = text.bytes; (c = strchr(c, '\n')) != NULL; c++)
            line++;
        text_add(&text, layouts[i].last);
        AUTO(result_free)
        struct result result = import_with(text.bytes, text.length, &(struct import_options){0});
        assert_string_equal(text_string(&result.problems.text), "");
        assert_int_equal(result.operations.count, PAIRS);
        for (size_t j = 0; j < PAIRS; j++) {
            assert_int_equal(result.operations.numbers[result.operations.items[j].process], j);
            assert_int_equal(result.operations.items[j].outcome, OUTCOME_OK);
        }
        // A map's line is the one that it begins in.
        uint32_t within = layouts[i].said[0] == '\n' ? 2 : 0;
        assert_int_equal(result.operations.events[2 * PAIRS - 1].line, line - within);
    }
}

// --- damage --------------------------------------------------------------------------------------

static const char edn_sample[] =
    "; a sample\n[#jepsen.history.Op{:index 0, :time 10, :type :invoke, :process 0, :f :acquire, "
    ":value [\"a\" nil]}\n{:index 1, :time 20, :type :ok, :process 0, :f :acquire, :value [\"a\" "
    "{:fence 7N, :uid #{1.5 \\a}}]}\n{:process :nemesis, :type :info, :f :cut}\n#_ (skip this)\n"
    "{:index 2, :time 30, :type :invoke, :process 1, :f :acquire, :value [\"a\" nil]}\n"
    "{:index 3, :time 40, :type :invoke, :process 0, :f :release, :value [\"a\" nil]}\n"
    "{:index 4, :time 50, :type :info, :process 0, :f :release, :error \"time \\\"out\\\"\"}\n"
    "{:index 5, :time 60, :type :fail, :process 1, :f :acquire}]\n";

static const char json_sample[] =
    "{\"index\":0,\"time\":10,\"type\":\"invoke\",\"process\":0,\"f\":\"lock\",\"value\":null}\n"
    "{\"index\":1,\"time\":20,\"type\":\"ok\",\"process\":0,\"f\":\"lock\",\"value\":{\"token\":7,"
    "\"uid\":[1.5,true,null,\"\\u00e4\"]}}\n{\"process\":\"nemesis\",\"type\":\"info\"}\n"
    "{\"index\":2,\"time\":40,\"type\":\"invoke\",\"process\":0,\"f\":\"unlock\"}\n"
    "{\"index\":3,\"time\":50,\"type\":\"info\",\"process\":0,\"f\":\"unlock\"}\n";

// Whatever it says: it must be an answer. From memory of exactly as many bytes as there are, so
// that sanitizers see a step beyond.
static void must_answer(enum import_format format, const char *text, size_t length)
{
    uint8_t *copy = memory_new(length + (length == 0));
    memcpy(copy, text, length);
    assert_true(fuzz_import(format, copy, length));
    free(copy);
}

TEST(a_history_cut_at_any_byte_gets_an_answer)
{
    for (size_t length = 0; length < sizeof edn_sample; length++)
        must_answer(IMPORT_EDN, edn_sample, length);
    for (size_t length = 0; length < sizeof json_sample; length++)
        must_answer(IMPORT_JSON, json_sample, length);
}

static void flip(enum import_format format, const char *sample, size_t length)
{
    struct random random;
    char text[1024];
    assert_true(length < sizeof text);
    random_start(&random, 1, format);
    for (int i = 0; i < 10000; i++) {
        memcpy(text, sample, length);
        for (int flips = i % 4; flips >= 0; flips--)
            text[random_below(&random, length)] ^= (char)(1 << random_below(&random, 8));
        must_answer(format, text, length);
    }
}

TEST(a_history_with_flipped_bits_gets_an_answer)
{
    flip(IMPORT_EDN, edn_sample, strlen(edn_sample));
    flip(IMPORT_JSON, json_sample, strlen(json_sample));
}

// --- what would take the stack, or the memory ----------------------------------------------------

static void expect_problem(const struct text *text, const char *problem)
{
    AUTO(result_free) struct result result = import_text(text->bytes, text->length, true);
    assert_int_not_equal(result.imported, 0);
    if (strstr(text_string(&result.problems.text), problem) == NULL)
        fail_msg("expected '%s', got: %.300s", problem, text_string(&result.problems.text));
}

static void repeat(struct text *text, const char *begin, const char *what, int count)
{
    text->length = 0;
    text_add(text, begin);
    for (int i = 0; i < count; i++)
        text_add(text, what);
}

TEST(nesting_has_an_end)
{
    static const char *const openers[] = {"[", "(", "{", "#{", "#a ", "^", "#_", "#_ #_ "};
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        repeat(&text, "{:value ", openers[i], 100000);
        expect_problem(&text, "nested more than 100 deep");
    }
    repeat(&text, "{\"value\":", "[", 101);
    for (int i = 0; i < 101; i++)
        text_add(&text, "]");
    text_add(&text, "}");
    expect_problem(&text, "nested more than 100 deep");
}

TEST(an_operation_has_only_so_much_room)
{
    AUTO_TEXT struct text text = {0};
    repeat(&text, "{:value [", "1 ", 1100000);
    expect_problem(&text, "more than a million values");
    repeat(&text, "{:value \"", "0123456789abcdef", 1100000);
    text_add(&text, "\"}");
    expect_problem(&text, "more than 16 MiB");
    repeat(&text, "{\"value\":\"", "0123456789abcdef", 1100000);
    text_add(&text, "\"}");
    expect_problem(&text, "more than 16 MiB");
}
