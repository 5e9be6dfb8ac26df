// Whatever is done to a file, it loads or it gets diagnostics; nothing crashes. Worth most under
// the sanitizers.
#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

static struct text good_file(void)
{
    struct text text = {0};
    struct error error = {0};
    MUST_BE(0, file_read("harness/scenario/corpus/good/everything.yaml", &text, &error));
    return text;
}

// Parses bytes of a buffer that ends where they end. True if they make a scenario.
static bool survives(const char *bytes, size_t length)
{
    AUTO_FREE char *copy = memory_new(length);
    memcpy(copy, bytes, length);
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    int result =
        scenario_parse("a.yaml", copy, length, &test_vocabulary, NULL, 0, &scenario, diagnostics);
    assert_int_equal(result, diagnostics->count == 0 ? 0 : -1);
    assert_true((scenario != NULL) == (result == 0));
    scenario_free(scenario);
    diagnostics_free(diagnostics);
    return result == 0;
}

TEST(a_file_cut_at_any_byte_is_no_harm)
{
    struct text text = good_file();
    assert_true(survives(text.bytes, text.length));
    size_t refused = 0;
    for (size_t length = 0; length < text.length; length++)
        refused += !survives(text.bytes, length);
    assert_true(refused > text.length / 2);
    text_free(&text);
}

TEST(any_bit_turned_over_is_no_harm)
{
    struct text text = good_file();
    for (size_t i = 0; i < text.length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            text.bytes[i] = (char)(text.bytes[i] ^ (1 << bit));
            survives(text.bytes, text.length);
            text.bytes[i] = (char)(text.bytes[i] ^ (1 << bit));
        }
    }
    text_free(&text);
}

TEST(any_byte_taken_out_or_replaced_is_no_harm)
{
    static const char others[] = "\n:-{}[],*&!#'\"\t%\\\x80\xff?|>";
    struct text text = good_file();
    for (size_t i = 0; i < text.length; i++) {
        AUTO_TEXT struct text without = {0};
        text_add_bytes(&without, text.bytes, i);
        text_add_bytes(&without, text.bytes + i + 1, text.length - i - 1);
        survives(without.bytes, without.length);
        char old = text.bytes[i];
        for (size_t j = 0; j < sizeof others; j++) { // with the final NUL
            text.bytes[i] = others[j];
            survives(text.bytes, text.length);
        }
        text.bytes[i] = old;
    }
    text_free(&text);
}

TEST(lines_in_any_order_are_no_harm)
{
    struct text text = good_file();
    struct random random;
    random_start(&random, 1, 0);
    const char *lines[128];
    size_t count = 0;
    for (char *line = strtok(text.bytes, "\n"); line != NULL; line = strtok(NULL, "\n"))
        lines[count++] = line;
    for (int round = 0; round < 2000; round++) {
        AUTO_TEXT struct text mixed = {0};
        for (size_t i = 0; i < count; i++)
            text_format(&mixed, "%s\n", lines[random_below(&random, count)]);
        survives(mixed.bytes, mixed.length);
    }
    text_free(&text);
}

TEST(noise_is_refused)
{
    struct random random;
    random_start(&random, 2, 0);
    for (int round = 0; round < 2000; round++) {
        char noise[256] = {0};
        size_t length = random_below(&random, sizeof noise);
        for (size_t i = 0; i < length; i++)
            noise[i] = (char)random_next(&random);
        assert_false(survives(noise, length));
    }
}

// What the reader says of a file that has `piece` that many times after its head.
static void expect_refused(const char *head, const char *piece, size_t count, const char *words)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *printed = NULL;
    text_add(&text, head);
    for (size_t i = 0; i < count; i++)
        text_format(&text, piece, i);
    (void)parse_with(text.bytes, NULL, 0, &printed);
    if (strstr(printed, words) == NULL)
        fail_msg("no '%s' in:\n%.2000s", words, printed);
    assert_true(strlen(printed) < 300000 && strcspn(printed, "\n") < 2000);
}

TEST(a_text_of_a_megabyte_is_refused_in_a_line_that_fits)
{
    static const char *const heads[] = {
        "about: ", "schemes: ", "workload: ", "limit: ", "unknown: "};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char head[40];
        snprintf(head, sizeof head, "version: 1\n%s", heads[i]);
        expect_refused(head, "a", 1 << 20, "a.yaml:2:");
    }
    expect_refused("version: 1\nname: ", "a", 1 << 20,
                   "a.yaml:2:7: 'name' must have at most 64 bytes, not 1048576\n");
}

TEST(a_key_of_a_megabyte_and_nesting_of_any_depth_are_refused)
{
    static const char *const openings[] = {"[", "{a: ", "- ", "? ", "[{b: "};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        expect_refused("", openings[i], 50000, "a.yaml:");
    expect_refused("? ", "k", 1 << 20, "a.yaml:");
}

// Their number is bounded, and so is the time that it takes to say so.
TEST(too_many_keys_items_and_workloads_are_refused_at_their_place)
{
    expect_refused(TEST_MINIMAL, "key%zu: 1\n", 200000, "a.yaml:9997:1: a scenario has at most");
    expect_refused(TEST_MINIMAL "faults: [", "x%zu,", 1000000, "a.yaml:6:");
    expect_refused("", "name: a\n", 20000, "a.yaml:10000:1: a scenario has at most");
    expect_refused(TEST_MINIMAL "faults:\n", "  - {}\n", 20000, "a.yaml:");
    expect_refused(TEST_MINIMAL, "key%zu: 1\n", 9000, "these are the first 200 diagnostics");
    expect_refused(TEST_HEAD "schemes: [none]\nworkload:\n",
                   "  - {kind: increment, operations: %zu}\n", 3000,
                   "a.yaml:6:3: 'workload' must have at most 64 items, not 3000");
}

TEST(a_control_character_is_refused_at_its_place)
{
    static const char *const hostile[] = {"\\e[31m", "\\x9b2J", "\\r", "\\u202e"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        AUTO_TEXT struct text text = {0};
        text_format(&text, TEST_MINIMAL "seed: \"%s\"\n", hostile[i]);
        expect_refused(text.bytes, "", 0, "a.yaml:6:7: the text contains a control character");
    }
}
