// Histories of other tools: what is understood, and what is told of those that are wrong.
#include "harness/import/import.h"
#include "harness/model/model.h"
#include "harness/testing/test.h"

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

#define ACQUIRE(process, type) "{:process " process " :type :" type " :f :acquire}\n"
#define RELEASE(process, type) "{:process " process " :type :" type " :f :release}\n"

#define OPEN "{:process 0 :type :invoke :f :acquire"

static const struct {
    const char *text;
    const char *meaning;
} understood[] = {
    {"", ""},
    {ACQUIRE("0", "invoke") ACQUIRE("0", "ok") RELEASE("0", "invoke") RELEASE("0", "fail"),
     "process 0 A ok; process 0 R no"},
    {"[" ACQUIRE("0", "invoke") ACQUIRE("0", "info") ACQUIRE("4", "invoke") "]",
     "process 0 A unknown; process 4 A unknown"},
    {"; a comment\n#!more\n#jepsen.history.Op{:process 0, :type :invoke, :f :lock, :value nil, "
     ":time 5, :index 0}\n#_ {:gone 1} {:type :ok :process 0 :f :lock :value 17 :time 5 :index 9}",
     "process 0 A ok 17"},
    {"{:process :nemesis :type :info :f :kill :value [1 2]}\n" ACQUIRE("0", "invoke"),
     "process 0 A unknown"},
    {"({:process 0 :type :invoke :f :acquire :value [:a nil] :error \"x \\\" } y\"}\n"
     "{:process 0 :type :ok :f :acquire :value [:a {:client \"c\" :fence 3N :uid #{1/2 2.5e3 \\( "
     "##NaN}}] :more ^{:m 1} [#inst \"2020\" #\"re\" nil true]})",
     "process 0 A ok 3 [a]"},
    {"{:process 0 :type :invoke :f :acquire :value {:name \"b\"}}\n"
     "{:process 0 :type :ok :f :acquire :value {:lock \"b\" :token 4}}\n"
     "{:process 1 :type :invoke :f :release}",
     "process 0 A ok 4 [b]; process 1 R unknown [without a name]"},
    {OPEN " :time 9}\n{:process 0 :type :ok :f :acquire :time 8}", "process 0 A ok"},
    // A key is known again in its place, unless it only begins as the one before it.
    {"{:f :acquire, :process 0, :type :invoke}\n{:fa 1, :processes 7, :type :ok, :process 0, :f "
     ":acquire}\n{:f :release, :process 0, :type :invoke, :value nil}",
     "process 0 A ok; process 0 R unknown"},
    {"{:process \"w\" :type :invoke :f :acquire-read}{:process \"w\" :type :ok :f :read-lock}"
     "{:process \"w\" :type :invoke :f :read-unlock}{:process \"w\" :type :ok :f :release-shared}"
     "{:process \"w\" :type :invoke :f :acquire-write}",
     "process w SA ok; process w SR ok; process w A unknown"},
    {"[{\"process\":0,\"type\":\"invoke\",\n\"f\":\"unlock\"},\n"
     "{\"process\":\"nemesis\",\"type\":\"info\"},\n"
     "{\"process\":0,\"type\":\"fail\",\"f\":\"unlock\",\"value\":{\"uid\":[1.5,true]}}]\n",
     "process 0 R no"},
    {"{\"process\":0,\"type\":\"invoke\",\"f\":\"acquire\",\"value\":[7,null]}\n"
     "{\"process\":0,\"type\":\"ok\",\"f\":\"acquire\",\"value\":[7,{\"token\":9}]}",
     "process 0 A ok 9 [7]"},
};

TEST(what_jepsen_writes_is_understood)
{
    for (size_t i = 0; i < sizeof understood / sizeof understood[0]; i++) {
        struct result result = import_text(understood[i].text, strlen(understood[i].text), true);
        struct text text = {0};
        describe(&result.operations, &text);
        assert_string_equal(text_string(&result.problems.text), "");
        assert_int_equal(result.imported, 0);
        assert_string_equal(text_string(&text), understood[i].meaning);
        text_free(&text);
        result_free(&result);
    }
}

static const struct {
    const char *text;
    const char *problem; // the beginning of its line
} malformed[] = {
    {"{:process 0 :type :invok :f :acquire}", "h:1: the type is 'invok' (did you mean 'invoke'?)"},
    {"\n{:process 0 :type :ok :f :aquire}", "h:2: the f is 'aquire' (did you mean 'acquire'?)"},
    {"{:process 0 :f :acquire}", "h:1: the operation has no type"},
    {"{:process 0 :type :ok}", "h:1: the operation does not say what it does"},
    {"{:type :ok :f :acquire}", "h:1: the operation does not say whose it is"},
    {"{:process 1.5 :type :ok :f :acquire}", "h:1: the process is '1.5'"},
    {"{:process 0 :process 1 :type :invoke :f :acquire}", "h:1: the key process is there twice"},
    {OPEN "}\n" OPEN "}",
     "h:2: process 0 begins an operation, but the one that it began in line 1"},
    {RELEASE("3", "ok"), "h:1: process 3 ends an operation that it never began"},
    {OPEN "}\n" RELEASE("0", "ok"), "h:2: process 0 ends release, but what it began in line 1"},
    {OPEN "}\n" ACQUIRE("0", "info") RELEASE("0", "invoke"),
     "h:3: process 0 goes on after its info in line 2"},
    {OPEN " :time \"x\"}", "h:1: the time is 'x'; expected a whole number of nanoseconds"},
    {OPEN " :time 9223372036854775807}", "h:1: the time is 9223372036854775807"},
    {OPEN " :index 3}\n{:process 0 :type :ok :f :acquire :index 3}",
     "h:2: the index 3 is that of line 1, too"},
    {OPEN " :value \"a\"}", "h:1: the value is 'a': Lockpick cannot tell what that says; --value"},
    {OPEN " :value 3}", "h:1: the value is 3: Lockpick cannot tell"},
    {OPEN "}{:process 0 :type :ok :f :acquire :value false}", "h:1: the token of a successful"},
    {OPEN " :value [:a 1 2]}", "h:1: the value is a list; expected [NAME VALUE]"},
    {OPEN " :value {:shard 3}}", "h:1: Lockpick cannot tell what 'shard' in the value says"},
    {OPEN " :value {:count 2}}", "h:1: the count of permits is 2, but the model has none"},
    {"{:process 0 :type :invoke :f :take}",
     "h:1: the f is 'take'; expected acquire or release (or another that `lockpick help check` "
     "lists); --f take=acquire, =release or =renew says that it is that, and --f take=skip leaves "
     "it out"},
    {OPEN " :value [a nil]}\n{:process 0 :type :ok :f :acquire :value [b 1]}",
     "h:2: process 0 ends an operation on the lock 'b'"},
    {OPEN "}\n{:process 0 :type :ok :f :acquire :value 123456789012345678901}",
     "h:2: the token of a successful acquire is '123456789012345678901'"},
    {OPEN " :value [[1] 2]}", "h:1: the name of a lock must be"},
    {"{:process 0 :type}", "h:1: a map with a key that has no value"},
    {"{:process 0 :type", "h:1: the file ends inside of what line 1 opens"},
    {"[" OPEN "}", "h:1: the file ends inside of the list that line 1 opens"},
    {OPEN " :error \"never", "h:1: a string that is not closed"},
    {OPEN " :error 1x}", "h:1: '1x' is no number"},
    {OPEN " :error @}", "h:1: '@' is nothing that EDN has"},
    {OPEN " :error )}", "h:1: expected a value; found ')'"},
    {OPEN "}}", "h:1: expected an operation"},
    {"#tag", "h:1: the file ends behind a tag"},
    {"hello", "h:1: expected an operation"},
    {"{\"process\":0,\"type\":\"invoke\"\n\"f\":1}", "h:2: no JSON"},
    {"{\"process\":0}\n{\"process\":1,\"type\":", "h:1: the operation has no type"},
    {"[{\"process\":0,\"type\":\"invoke\",\"f\":\"lock\"}",
     "h:1: the file ends inside of the list"},
    {"{\"a\":1}7", "h:1: the operation does not say whose it is"},
    {"{\"a\":1,\"a\":2}", "h:1: no JSON: duplicate object key"},
};

TEST(what_is_wrong_is_told_with_its_line)
{
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        struct result result = import_text(malformed[i].text, strlen(malformed[i].text), true);
        const char *problems = text_string(&result.problems.text);
        assert_int_not_equal(result.imported, 0);
        if (strncmp(problems, malformed[i].problem, strlen(malformed[i].problem)) != 0)
            fail_msg("%s\ngave:\n%s\nexpected:\n%s", malformed[i].text, problems,
                     malformed[i].problem);
        result_free(&result);
    }
}

TEST(the_first_twenty_problems_are_told_at_once)
{
    struct text text = {0};
    for (int i = 0; i < 30; i++)
        text_add(&text, "{:process 0 :type :okay :f :acquire}\n");
    struct result result = import_text(text.bytes, text.length, true);
    assert_int_equal(result.problems.count, PROBLEMS_MOST);
    assert_non_null(strstr(text_string(&result.problems.text), "h:20: the type is 'okay'"));
    assert_null(strstr(text_string(&result.problems.text), "h:21:"));
    result_free(&result);
    text_free(&text);
}

TEST(a_token_is_told_apart_by_the_model)
{
    static const char text[] = ACQUIRE("0", "invoke") "{:process 0 :type :ok :f :acquire :value 7}";
    struct result without = import_text(text, strlen(text), false);
    struct result with = import_text(text, strlen(text), true);
    assert_int_equal(without.imported, 0);
    assert_int_equal(without.operations.items[0].token, 0);
    assert_int_equal(without.notes.tokens, 1);
    assert_int_equal(with.imported, 0);
    assert_int_equal(with.operations.items[0].token, 7);
    result_free(&without);
    result_free(&with);
}

TEST(the_name_of_the_file_says_what_it_is)
{
    assert_int_equal(import_format_of("a.edn", "{\"", 2), IMPORT_EDN);
    assert_int_equal(import_format_of("a.json", "{:", 2), IMPORT_JSON);
    assert_int_equal(import_format_of("a.jsonl", "", 0), IMPORT_JSON);
    assert_int_equal(import_format_of("a", " [ {\"process\"", 13), IMPORT_JSON);
    assert_int_equal(import_format_of("a", "[{:process", 10), IMPORT_EDN);
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

// Whatever it says: it must be an answer.
static void must_answer(enum import_format format, const char *text, size_t length)
{
    static const char *const models[] = {"fenced", "read-write"};
    struct operations operations = {0};
    struct problems problems = {.file = "h"};
    char story[1024];
    // Exactly as many bytes as there are, so that sanitizers see a step beyond.
    char *copy = memory_new(length + (length == 0));
    memcpy(copy, text, length);
    struct import_notes notes;
    int imported =
        import_history(format, copy, length, &(struct import_options){.has_tokens = true},
                       &operations, &notes, &problems);
    assert_true((imported != 0) == (problems.count > 0));
    for (size_t i = 0; i < 2 && imported == 0; i++) {
        const struct model *model = model_find(models[i]);
        struct model_analysis analysis;
        const struct model_options options = {0};
        struct error error;
        if (model_decide(model, &operations, &options, &analysis, &error) != 0)
            continue;
        if (!analysis.linearizable)
            model_explain(model, &operations, &options, &analysis.first, story, sizeof story);
        model_analysis_free(&analysis);
    }
    free(copy);
    operations_free(&operations);
    text_free(&problems.text);
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
    uint64_t random = 0x9e3779b97f4a7c15;
    char text[1024];
    assert_true(length < sizeof text);
    for (int i = 0; i < 10000; i++) {
        memcpy(text, sample, length);
        for (int flips = i % 4; flips >= 0; flips--) {
            random = random * 6364136223846793005 + 1442695040888963407;
            text[(random >> 33) % length] ^= (char)(1 << (random >> 29 & 7));
        }
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
    struct result result = import_text(text->bytes, text->length, true);
    assert_int_not_equal(result.imported, 0);
    if (strstr(text_string(&result.problems.text), problem) == NULL)
        fail_msg("expected '%s', got: %.300s", problem, text_string(&result.problems.text));
    result_free(&result);
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
    struct text text = {0};
    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        repeat(&text, "{:value ", openers[i], 100000);
        expect_problem(&text, "nested more than 100 deep");
    }
    repeat(&text, "{\"value\":", "[", 1000);
    expect_problem(&text, "no JSON");
    repeat(&text, "{\"value\":", "[", 101);
    for (int i = 0; i < 101; i++)
        text_add(&text, "]");
    text_add(&text, "}");
    expect_problem(&text, "nested more than 100 deep");
    text_free(&text);
}

TEST(an_operation_has_only_so_much_room)
{
    struct text text = {0};
    repeat(&text, "{:value [", "1 ", 1100000);
    expect_problem(&text, "more than a million values");
    repeat(&text, "{:value \"", "0123456789abcdef", 1100000);
    text_add(&text, "\"}");
    expect_problem(&text, "more than 16 MiB");
    repeat(&text, "{\"value\":\"", "0123456789abcdef", 1100000);
    text_add(&text, "\"}");
    expect_problem(&text, "more than 16 MiB");
    text_free(&text);
}
