// Small histories, and how their violations are diagnosed and told: cases/*.events, rows of which
// are those of harness/check/cases. Expected of a case:
//
//   -> CAUSE CERTAINTY holds=1,2 culprit=3 fault=1: text    the first diagnosis, by numbers from 1
//   -> mitigation: text                                     of it; "-" is none
//   -> CAUSE ...                                            the next one
//   -> |line                                                a line of the story; all or none
//   -> nothing                                              there is nothing to tell
#include "harness/check/test_cases.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/story.h"

#include <jansson.h>

struct expected {
    struct diagnosis *diagnoses;
    size_t count, next; // which is expected next
    char *story;        // what is not expected yet of it
    bool is_told;
};

static void compare_diagnosis(struct reading *reading, size_t line, const char *wanted,
                              const struct diagnosis *diagnosis)
{
    AUTO_TEXT struct text found = {0};
    const struct trial_model *model = diagnosis->model;
    text_format(&found, "%s %s", root_name(diagnosis->cause), certainty_name(diagnosis->certainty));
    if (diagnosis->holds[0] != NULL || diagnosis->holds[1] != NULL)
        text_format(&found, " holds=%zu,%zu", index_of(model, diagnosis->holds[0]) + 1,
                    index_of(model, diagnosis->holds[1]) + 1);
    if (diagnosis->culprit != NULL)
        text_format(&found, " culprit=%zu", index_of(model, diagnosis->culprit) + 1);
    if (diagnosis->fault != NULL)
        text_format(&found, " fault=%d", diagnosis->fault->instance->number);
    text_format(&found, ": %s", diagnosis->text);
    if (strcmp(found.bytes, wanted) != 0)
        complain(reading, line, "it is %s", found.bytes);
}

static void compare_story(struct reading *reading, size_t line, const char *wanted,
                          struct expected *expected)
{
    const char *told = strsep(&expected->story, "\n");
    expected->is_told = true;
    if (told == NULL || strcmp(told, wanted) != 0)
        complain(reading, line, "the story has %s", told != NULL ? told : "ended");
}

static void compare(struct reading *reading, size_t line, struct expected *expected)
{
    static const char mitigation[] = "mitigation: ";
    const char *wanted = strstr(reading->lines.items[line], "->") + 3;
    if (wanted[0] == '|') {
        compare_story(reading, line, wanted + 1, expected);
    } else if (strcmp(wanted, "nothing") == 0) {
        if (expected->count > 0)
            complain(reading, line, "there is something to tell");
    } else if (strncmp(wanted, mitigation, strlen(mitigation)) == 0) {
        const char *found = expected->diagnoses[expected->next - 1].mitigation;
        if (strcmp(found[0] != '\0' ? found : "-", wanted + strlen(mitigation)) != 0)
            complain(reading, line, "it is %s", found);
    } else if (expected->next == expected->count) {
        complain(reading, line, "there are only %zu diagnoses", expected->count);
    } else {
        compare_diagnosis(reading, line, wanted, &expected->diagnoses[expected->next++]);
    }
}

static bool has_string(const json_t *object, const char *key, const char *value)
{
    const char *string = json_string_value(json_object_get(object, key));
    return string != NULL && strcmp(string, value) == 0;
}

// What is said for machines is the same.
static void compare_json(struct reading *reading, size_t line, const struct expected *expected)
{
    const struct diagnosis *first = &expected->diagnoses[0];
    json_auto_t *object = evidence_json(&reading->build.model, &reading->build.judgement);
    const json_t *cause = json_object_get(object, "cause");
    bool is_same =
        expected->count == 0
            ? object == NULL
            : has_string(object, "property", first->finding->check->name) &&
                  has_string(cause, "id", root_name(first->cause)) &&
                  has_string(cause, "certainty", certainty_name(first->certainty)) &&
                  has_string(cause, "text", first->text) &&
                  has_string(object, "remedy", first->mitigation) &&
                  json_array_size(json_object_get(object, "others")) == expected->count - 1 &&
                  json_array_size(json_object_get(object, "also")) == first->also_count;
    AUTO_FREE char *text = object != NULL ? json_dumps(object, 0) : memory_string("nothing");
    if (!is_same)
        complain(reading, line, "the JSON says %s", text);
}

static void decide(struct reading *reading, size_t line)
{
    struct build *build = &reading->build;
    struct expected expected = {
        .diagnoses = memory_new(MAX_CHECKS * sizeof(struct diagnosis)),
        .story = story_tell(&build->model, &build->judgement, &(struct story_span){0})};
    AUTO_FREE char *story = expected.story;
    expected.count = diagnoses_make(&build->model, &build->judgement, expected.diagnoses);
    if (expected.count == 0 && story[0] != '\0')
        complain(reading, line, "there is a story");
    for (size_t i = 0; i < reading->expected_count; i++)
        compare(reading, reading->expected[i], &expected);
    if (expected.next < expected.count)
        complain(reading, line, "not expected: %s", expected.diagnoses[expected.next].text);
    if (expected.is_told && expected.story != NULL && expected.story[0] != '\0')
        complain(reading, line, "not expected in the story: %s", expected.story);
    compare_json(reading, line, &expected);
    free(expected.diagnoses);
}

TEST(every_violation_is_diagnosed_and_told_as_its_case_says)
{
    assert_int_equal(run_events("harness/explain/cases/*.events", decide, NULL), 0);
}
