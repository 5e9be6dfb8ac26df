// Each model by small histories: what it lets pass, and what it finds, in its own words.
#include "harness/base/text.h"
#include "harness/model/model.h"
#include "harness/testing/test.h"

#include <inttypes.h>

// A history is a list of "PROCESS WHAT INVOKED RETURNED OUTCOME [TOKEN]", separated by semicolons.
// WHAT is A (acquire), S (acquire as a reader) or R (release); moments count from 1; OUTCOME is ok,
// no or unknown.
struct example {
    const char *about;
    const char *model;
    struct model_options options;
    const char *history;
    const char *found; // in the explanation; NULL: linearizable
};

#define BUSY                                                                                       \
    {                                                                                              \
        .failed_acquire = FAILED_ACQUIRE_BUSY                                                      \
    }
#define RELEASED                                                                                   \
    {                                                                                              \
        .failed_release = FAILED_RELEASE_RELEASED                                                  \
    }

static const struct example examples[] = {
    // mutex
    {"one after the other", "mutex", {0}, "0 A 1 2 ok; 0 R 3 4 ok; 1 A 5 6 ok; 1 R 7 8 ok", NULL},
    {"the grant is told while the release is under way",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 3 9 ok; 1 A 1 4 ok; 1 R 5 6 ok",
     NULL},
    {"at the same moment nobody can tell",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 4 5 ok; 1 A 1 4 ok; 1 R 6 7 ok",
     NULL},
    {"two at once",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 5 6 ok; 1 A 1 4 ok; 1 R 7 8 ok",
     "process 1 was granted the lock at line 4 although process 0 had been granted it at line 2 "
     "and "
     "did not begin to release it before line 5"},
    {"it never released", "mutex", {0}, "0 A 1 2 ok; 1 A 3 4 ok", "and never released it"},
    {"acquired again by the holder",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 A 3 4 ok; 0 R 5 6 ok",
     "process 0 was granted the lock at line 4 although it had been granted it already at line 2 "
     "and did not begin to release it before line 5"},
    {"acquired again by the holder, who never released it",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 A 3 4 ok; 1 A 5 6 no",
     "it had been granted it already at line 2 and never released it"},
    {"released by a stranger",
     "mutex",
     {0},
     "0 A 1 2 ok; 1 R 3 4 ok",
     "process 1 released the lock (line 3 to line 4), which it did not hold"},
    {"an unknown release may have happened",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 3 4 unknown; 1 A 5 6 ok",
     NULL},
    {"an unknown release began too late",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 6 7 unknown; 1 A 3 5 ok",
     "did not begin to release it before line 6"},
    {"an unknown acquire may not have happened", "mutex", {0}, "0 A 1 2 unknown; 1 A 3 4 ok", NULL},
    {"a refused release did nothing",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 3 4 no; 1 A 5 6 ok",
     "although process 0 had been granted it at line 2, but its release (line 3 to line 4) failed"},
    {"a refused release, and another that came too late",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 3 4 no; 1 A 5 6 ok; 0 R 7 8 ok",
     "but its release (line 3 to line 4) failed"},
    {"a refused release says that it was gone", "mutex", RELEASED,
     "0 A 1 2 ok; 0 R 3 4 no; 1 A 5 6 ok", NULL},
    {"a refused release of one who holds nothing", "mutex", RELEASED, "0 R 1 2 no; 1 A 3 4 ok",
     NULL},
    // refused acquires
    {"refused while another held it", "mutex", BUSY, "0 A 1 2 ok; 1 A 3 4 no; 0 R 5 6 ok", NULL},
    {"refused while it was free", "mutex", BUSY, "0 A 1 2 ok; 0 R 3 4 ok; 1 A 5 6 no; 0 A 7 8 ok",
     "process 1 was refused the lock (line 5 to line 6) although nobody can have held it"},
    {"which claims nothing by itself",
     "mutex",
     {0},
     "0 A 1 2 ok; 0 R 3 4 ok; 1 A 5 6 no; 0 A 7 8 ok",
     NULL},
    {"refused before anybody held it", "mutex", BUSY, "1 A 1 2 no; 0 A 3 4 ok", "was refused"},
    {"refused at the end of a release", "mutex", BUSY, "0 A 1 2 ok; 0 R 3 6 ok; 1 A 5 7 no", NULL},
    {"refused at the beginning of an acquire", "mutex", BUSY, "1 A 1 3 no; 0 A 2 4 ok", NULL},
    {"refused because of an unknown acquire", "mutex", BUSY,
     "0 A 1 2 ok; 0 R 3 4 ok; 2 A 1 2 unknown; 1 A 5 6 no", NULL},
    {"the unknown acquire came too late", "mutex", BUSY,
     "0 A 1 2 ok; 0 R 3 4 ok; 2 A 7 8 unknown; 1 A 5 6 no", "was refused"},
    {"an unknown acquire before a grant cannot be it", "mutex", BUSY,
     "2 A 1 2 unknown; 1 A 3 4 no; 0 A 5 6 ok", "was refused"},
    {"refused after an unknown release", "mutex", BUSY, "0 A 1 2 ok; 0 R 3 4 unknown; 1 A 8 9 no",
     NULL},
    // reentrant
    {"in, in, out, out",
     "reentrant",
     {0},
     "0 A 1 2 ok; 0 A 3 4 ok; 0 R 5 6 ok; 0 R 7 8 ok; 1 A 9 10 ok",
     NULL},
    {"an inner release frees nothing",
     "reentrant",
     {0},
     "0 A 1 2 ok; 0 A 3 4 ok; 0 R 5 6 ok; 1 A 7 8 ok; 0 R 9 10 ok",
     "process 1 was granted the lock at line 8 although process 0"},
    {"deeper than the limit",
     "reentrant",
     {.depth_limit = 1},
     "0 A 1 2 ok; 0 A 3 4 ok",
     "although it held it already"},
    {"deeper than a limit of two",
     "reentrant",
     {.depth_limit = 2},
     "0 A 1 2 ok; 0 A 3 4 ok; 0 A 5 6 ok",
     "although it held it 2 times"},
    {"the holder is not refused", "reentrant", BUSY, "0 A 1 2 ok; 0 A 3 4 no",
     "although it held it itself"},
    {"but at the limit it is",
     "reentrant",
     {.failed_acquire = FAILED_ACQUIRE_BUSY, .depth_limit = 1},
     "0 A 1 2 ok; 0 A 3 4 no",
     NULL},
    {"a refused release ends the whole hold", "reentrant", RELEASED,
     "0 A 1 2 ok; 0 A 3 4 ok; 0 R 5 6 no; 1 A 7 8 ok", NULL},
    // tokens
    {"tokens grow", "fenced", {0}, "0 A 1 2 ok 7; 0 R 3 4 ok; 1 A 5 6 ok 8", NULL},
    {"a token of which nothing is known",
     "fenced",
     {0},
     "0 A 1 2 ok 7; 0 R 3 4 ok; 1 A 5 6 ok; 1 R 7 8 ok; 0 A 9 10 ok 8",
     NULL},
    {"a token twice",
     "fenced",
     {0},
     "0 A 1 2 ok 7; 0 R 3 4 ok; 1 A 5 6 ok 7",
     "process 1 was given token 7 (line 5 to line 6), but process 0 had been given 7"},
    {"a token goes back", "fenced", {0}, "0 A 1 2 ok 7; 0 R 3 4 ok; 1 A 5 6 ok 6", "token 6"},
    {"tokens mean nothing to a mutex",
     "mutex",
     {0},
     "0 A 1 2 ok 7; 0 R 3 4 ok; 1 A 5 6 ok 6",
     NULL},
    {"acquired again, the same token",
     "reentrant-fenced",
     {0},
     "0 A 1 2 ok 7; 0 A 3 4 ok 7; 0 R 5 6 ok; 0 R 7 8 ok; 1 A 9 10 ok 8",
     NULL},
    {"acquired again, another token",
     "reentrant-fenced",
     {0},
     "0 A 1 2 ok 7; 0 A 3 4 ok 8",
     "process 0 was given token 8 (line 3 to line 4), but process 0 had been given 7 (line 1 to "
     "line 2) in the same hold"},
    // semaphore
    {"as many as there are permits", "semaphore", {.permits = 2}, "0 A 1 2 ok; 1 A 3 4 ok", NULL},
    {"one too many",
     "semaphore",
     {.permits = 2},
     "0 A 1 2 ok; 1 A 3 4 ok; 2 A 5 6 ok",
     "process 2 was granted a permit of the lock at line 6 although all 2 permits were out: "
     "process 0 (from line 2 on), process 1 (from line 4 on)"},
    {"one too many, and all who had one are named",
     "semaphore",
     {.permits = 3},
     "3 A 1 2 ok; 0 A 1 3 ok; 0 A 4 5 ok; 3 R 6 7 ok; 1 A 6 8 ok; 2 A 9 10 ok; 1 R 11 12 ok; "
     "0 R 13 14 ok",
     "although all 3 permits were out: process 0 (from line 3 on), process 0 (from line 5 to line "
     "13), process 1 (from line 8 to line 11)"},
    {"one process with two permits",
     "semaphore",
     {.permits = 2},
     "0 A 1 2 ok; 0 A 3 4 ok; 0 R 5 6 ok; 1 A 7 8 ok",
     NULL},
    {"a permit released twice",
     "semaphore",
     {.permits = 2},
     "0 A 1 2 ok; 0 R 3 4 ok; 0 R 5 6 ok",
     "which it did not hold"},
    // read-write
    {"readers share", "read-write", {0}, "0 S 1 2 ok; 1 S 3 4 ok; 0 R 5 6 ok; 1 R 7 8 ok", NULL},
    {"a writer among readers",
     "read-write",
     {0},
     "0 S 1 2 ok; 1 A 3 4 ok",
     "process 1 was granted the lock at line 4 although process 0 had been granted it as a reader"},
    {"a reader beside a writer",
     "read-write",
     {0},
     "0 A 1 2 ok; 1 S 3 4 ok",
     "was granted the lock as a reader at line 4"},
    {"a reader refused because of a reader", "read-write", BUSY, "0 S 1 2 ok; 1 S 3 4 no",
     "was refused"},
    {"a writer refused because of a reader", "read-write", BUSY, "0 S 1 2 ok; 1 A 3 4 no", NULL},
    {"an unknown reader keeps writers out", "read-write", BUSY, "0 S 1 2 unknown; 1 A 3 4 no",
     NULL},
    {"but not if an unknown writer must come later", "read-write", BUSY,
     "0 S 1 2 unknown; 1 A 3 4 no; 2 A 5 6 unknown; 3 S 7 8 no", "was refused"},
};

static void add_operation(struct operations *operations, const char *words)
{
    unsigned process = 0;
    char what = 0;
    char outcome[16] = "";
    struct operation operation = {0};
    int64_t invoked = 0;
    int64_t returned = 0;
    int fields = sscanf(words, " %u %c %" SCNd64 " %" SCNd64 " %15s %" SCNd64, &process, &what,
                        &invoked, &returned, outcome, &operation.token);
    assert_true(fields >= 5);
    operation.process = process;
    operation.kind = strchr("RTW", what) != NULL ? OPERATION_RELEASE : OPERATION_ACQUIRE;
    operation.shared = what == 'S' || what == 'T';
    operation.either = what == 'R';
    operation.invoked = instant_of_invocation(invoked);
    operation.returned = instant_of_return(returned);
    operation.outcome = OUTCOME_UNKNOWN;
    if (strcmp(outcome, "ok") == 0)
        operation.outcome = OUTCOME_OK;
    else if (strcmp(outcome, "no") == 0)
        operation.outcome = OUTCOME_NO;
    operations_add(operations, operation);
    if (process >= operations->process_count)
        operations->process_count = process + 1;
}

// One line an event, so that moments are line numbers.
static void number_lines(struct operations *operations)
{
    operations->event_count = 20;
    operations->events = memory_new(operations->event_count * sizeof *operations->events);
    for (size_t i = 0; i < operations->event_count; i++)
        operations->events[i] =
            (struct operation_event){.at_ns = (int64_t)(i + 1) * 1000000, .line = (uint32_t)i + 1};
}

static void read_history(const char *history, struct operations *operations)
{
    char *copy = memory_string(history);
    char *rest = copy;
    for (char *words = strsep(&rest, ";"); words != NULL; words = strsep(&rest, ";"))
        add_operation(operations, words);
    free(copy);
    operations->name_count = 1;
    number_lines(operations);
}

static void decide_example(const struct example *example)
{
    struct operations operations = {0};
    struct model_decision decision;
    struct error error;
    char text[512] = "";
    const struct model *model = model_find(example->model);
    read_history(example->history, &operations);
    assert_int_equal(model_decide(model, &operations, &example->options, &decision, &error), 0);
    if (!decision.linearizable)
        model_explain(model, &operations, &example->options, &decision.first, text, sizeof text);
    bool as_said =
        example->found == NULL ? decision.linearizable : strstr(text, example->found) != NULL;
    if (!as_said)
        fail_msg("%s (%s): %s\nfound: %s\nnot:   %s", example->about, example->model,
                 example->history, text[0] == '\0' ? "nothing" : text,
                 example->found == NULL ? "nothing" : example->found);
    model_decision_free(&decision);
    operations_free(&operations);
}

TEST(each_example_is_decided_as_it_says)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        decide_example(&examples[i]);
}

TEST(names_have_nothing_to_do_with_each_other)
{
    char *names[] = {"left", "right"};
    struct operations operations = {0};
    struct model_options options = {0};
    struct model_decision decision;
    struct error error;
    char text[512];
    read_history("0 A 1 2 ok; 1 A 3 4 ok; 2 A 5 6 ok", &operations);
    operations.names = names;
    operations.name_count = 2;
    operations.items[1].name = 1;
    model_decide(model_find("mutex"), &operations, &options, &decision, &error);
    assert_false(decision.linearizable);
    assert_int_equal(decision.violation_count, 1);
    assert_int_equal(decision.hold_count, 3);
    model_explain(model_find("mutex"), &operations, &options, &decision.first, text, sizeof text);
    assert_non_null(strstr(text, "process 2 was granted the lock left at line 6"));
    model_decision_free(&decision);
    operations.items[2].name = 1;
    operations.items[1].name = 0;
    operations.items[1].outcome = OUTCOME_NO;
    model_decide(model_find("mutex"), &operations, &options, &decision, &error);
    assert_true(decision.linearizable);
    model_decision_free(&decision);
    operations.names = NULL;
    operations_free(&operations);
}

TEST(overlaps_are_measured)
{
    struct operations operations = {0};
    struct model_options options = {0};
    struct model_decision decision;
    struct error error;
    read_history("0 A 1 2 ok; 0 R 9 10 ok; 1 A 3 4 ok; 1 R 6 7 ok; 2 A 5 7 ok; 2 R 11 12 ok",
                 &operations);
    model_decide(model_find("mutex"), &operations, &options, &decision, &error);
    assert_int_equal(decision.violation_count, 2);
    assert_int_equal(decision.window_count, 2);
    assert_int_equal(decision.windows_ns[0], 2000000);
    assert_int_equal(decision.windows_ns[1], 2000000);
    model_decision_free(&decision);
    operations_free(&operations);
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
        {"reentrant", {0}, "line 1: a reader's"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct operations operations = {0};
        struct model_decision decision;
        struct error error = {0};
        read_history("0 S 1 2 ok", &operations);
        assert_int_equal(model_decide(model_find(wrong[i].model), &operations, &wrong[i].options,
                                      &decision, &error),
                         -1);
        assert_non_null(strstr(error.text, wrong[i].why));
        operations_free(&operations);
    }
}
