// Histories of which the answer is known, by the search, by the model, and in its words; and what
// no search is asked.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/model/test_oracle.h"

#define CASES "harness/model/cases/known.cases"

struct known {
    const char *model;
    size_t line;
    char *about, *options, *history;
    const char *said; // NULL: it is linearizable
};

static int64_t option_of(const struct known *known, const char *name)
{
    const char *at = strstr(known->options, name);
    return at != NULL ? strtoll(at + strlen(name), NULL, 10) : 0;
}

static struct sample known_sample(const struct known *known)
{
    bool has_owners = known->history[0] == '=';
    struct sample sample = {
        .kind = lock_kind_find(known->model),
        .has_owners = has_owners,
        .options = {.permits = option_of(known, "permits="),
                    .depth_limit = option_of(known, "depth="),
                    .lease_ns = option_of(known, "lease="),
                    .failed_acquire = strstr(known->options, "busy") != NULL,
                    .failed_release = strstr(known->options, "released") != NULL}};
    for (char *rest = known->history + has_owners, *words = strsep(&rest, ";"); words != NULL;
         words = strsep(&rest, ";")) {
        assert_true(sample.count < SAMPLE_OPERATIONS);
        if (!operation_read(words, &sample.items[sample.count++]))
            fail_msg(CASES ":%zu: an operation that cannot be read: %s", known->line, words);
    }
    if (sample.kind == NULL || !sample_is_proper(&sample))
        fail_msg(CASES ":%zu: the operations are not proper", known->line);
    return sample;
}

// What is said of a sample that is one line an event, so that moments are line numbers.
static void explain(struct sample *sample, const struct model *model,
                    const struct model_violation *violation, char *text, size_t room)
{
    struct operation_event events[20];
    struct operations operations = sample_operations(sample);
    operations.events = events;
    operations.event_count = 20;
    for (uint32_t i = 0; i < 20; i++)
        events[i] = (struct operation_event){.at_ns = (i + 1) * NS_PER_MS, .line = i + 1};
    model_explain(model, &operations, &sample->options, violation, text, room);
}

static bool is_as_known(struct search *search, const struct known *known)
{
    bool linearizable;
    char text[1024] = "";
    struct sample sample = known_sample(known);
    const struct subject subject = {.model = model_find(known->model)};
    const char *complaint = complaint_of(search, &subject, &sample, &linearizable);
    AUTO(model_analysis_free) struct model_analysis analysis;
    assert_int_equal(subject_decide(&subject, &sample, &analysis, NULL), 0);
    if (!analysis.linearizable)
        explain(&sample, subject.model, &analysis.first, text, sizeof text);
    bool is_right = complaint == NULL && linearizable == (known->said == NULL) &&
                    strcmp(text, known->said != NULL ? known->said : "") == 0;
    if (!is_right)
        print_error(CASES ":%zu: %s: %s; the search says %slinearizable, the model: %s\n",
                    known->line, known->about, complaint != NULL ? complaint : "not as is said",
                    linearizable ? "" : "not ", text);
    return is_right;
}

// "  ABOUT (OPTIONS): HISTORY"
static struct known read_known(const char *model, size_t line, char *words)
{
    struct known known = {.model = model, .line = line, .about = words + 2};
    known.history = strstr(words, ": ");
    assert_non_null(known.history);
    *known.history = '\0';
    known.history += 2;
    char *options = strchr(words, '(');
    known.options = options != NULL ? options : known.history - 2; // or ""
    return known;
}

TEST(what_is_known_is_found_and_said)
{
    AUTO_TEXT struct text bytes = {0};
    struct known known = {0};
    struct search *search = search_new();
    const char *model = NULL;
    size_t line = 0, wrong = 0, count = 0;
    assert_int_equal(file_read(CASES, &bytes, NULL), 0);
    text_add(&bytes, "\nend"); // so that the last case ends, too
    for (char *rest = bytes.bytes, *words = strsep(&rest, "\n"); words != NULL;
         words = strsep(&rest, "\n")) {
        line++;
        if (strncmp(words, "    -> ", 7) == 0) {
            known.said = words + 7;
            continue;
        }
        if (known.history != NULL)
            wrong += !is_as_known(search, &known);
        known.history = NULL;
        if (words[0] == ' ' && ++count > 0)
            known = read_known(model, line, words);
        else if (words[0] != '\0' && words[0] != '#')
            model = words;
    }
    free(search);
    assert_int_equal(wrong, 0);
    assert_in_range(count, 150, 1000);
}

// --- by themselves -------------------------------------------------------------------------------

// A sample of which no more than its history is known.
static struct sample sample_of(const char *model, const char *history)
{
    AUTO_FREE char *words = memory_string(history);
    struct sample sample =
        known_sample(&(struct known){.model = model, .options = words, .history = words});
    return sample;
}

TEST(names_have_nothing_to_do_with_each_other)
{
    char *names[] = {(char *)(size_t) "left", (char *)(size_t) "right"};
    struct model_options options = {0};
    AUTO(model_analysis_free) struct model_analysis analysis;
    char text[512];
    struct sample sample = sample_of("mutex", "0 A 1 2; 1 A@1 3 4; 2 A 5 6");
    struct operations operations = sample_operations(&sample);
    operations.names = names;
    operations.name_count = 2;
    model_decide(model_find("mutex"), &operations, &options, &analysis, NULL);
    assert_int_equal(analysis.violation_count, 1);
    assert_int_equal(analysis.hold_count, 3);
    model_explain(model_find("mutex"), &operations, &options, &analysis.first, text, sizeof text);
    assert_non_null(strstr(text, "process 2 was granted the lock left at "));
}

TEST(overlaps_are_measured)
{
    struct model_options options = {0};
    AUTO(model_analysis_free) struct model_analysis analysis;
    struct sample sample =
        sample_of("mutex", "0 A 1 2; 0 R 9 10; 1 A 3 4; 1 R 6 7; 2 A 5 7; 2 R 11 12");
    struct operations operations = sample_operations(&sample);
    model_decide(model_find("mutex"), &operations, &options, &analysis, NULL);
    assert_int_equal(analysis.violation_count, 2);
    assert_int_equal(analysis.window_count, 2);
    assert_int_equal(analysis.windows_ns[0], 2);
    assert_int_equal(analysis.windows_ns[1], 2);
}

// Options that mean nothing to the model are refused, for the verdict would not be what was asked.
TEST(what_a_model_does_not_decide_it_refuses)
{
    static const struct {
        const char *model;
        struct model_options options;
        const char *why;
    } wrong[] = {
        {"semaphore", {0}, "needs --permits"},
        {"mutex", {.permits = 2}, "--permits: the model mutex has none"},
        {"fenced", {.depth_limit = 2}, "--depth: the model fenced has none"},
        {"semaphore", {.permits = 1, .failed_acquire = FAILED_ACQUIRE_BUSY}, "does not decide"},
        {"reentrant", {.lease_ns = 5}, "--lease: the model reentrant has none"},
        {"mutex", {.lease_ns = 5, .failed_acquire = FAILED_ACQUIRE_BUSY}, "not decided with"},
        {"reentrant", {0}, "a reader's"},
    };
    struct sample reader = sample_of("read-write", "0 S 1 2");
    const struct operations operations = sample_operations(&reader);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct model_analysis analysis;
        struct error error = {0};
        MUST_FAIL(-1,
                  model_decide(model_find(wrong[i].model), &operations, &wrong[i].options,
                               &analysis, &error),
                  wrong[i].why);
    }
}
