// The comparison: it has a column for every fault, and a row for every lock.
#include "faults/fault.h"
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

#include "harness/run/run_files.h"
#include "harness/run/vocabulary.h"
#include "harness/scenario/plan.h"

#define FOLDER "scenarios/comparison"

struct comparison {
    struct vocabulary *vocabulary;
    struct scenario_set set;
    struct plan plan;
};

static int load(void **state)
{
    static struct comparison comparison;
    const char *path = FOLDER;
    struct run_options options = {.paths = &path, .path_count = 1};
    struct error error = {0};
    comparison.vocabulary = vocabulary_new();
    *state = &comparison;
    return scenario_set_load(&options, comparison.vocabulary, &comparison.set) != 0
               ? -1
               : plan_make(comparison.set.scenarios, comparison.set.count, comparison.vocabulary,
                           NULL, 1, 1, &comparison.plan, &error);
}

static int unload(void **state)
{
    struct comparison *comparison = *state;
    plan_free(&comparison->plan);
    scenario_set_free(&comparison->set);
    vocabulary_free(comparison->vocabulary);
    return 0;
}

// "restart-keeps" is a column of restart.
static bool is_column_of(const struct scenario *scenario, const char *fault)
{
    size_t length = strlen(fault);
    bool strikes = false;
    for (size_t i = 0; i < scenario->fault_count; i++)
        strikes = strikes || strcmp(scenario->faults[i].verb, fault) == 0;
    return strikes && strncmp(scenario->name, fault, length) == 0 &&
           (scenario->name[length] == '\0' || scenario->name[length] == '-');
}

TEST_GROUP(load, unload);

// A program is one of one kind of server: no other scheme could have a row.
static bool names_a_program(const char *fault)
{
    const char *const *option = fault_find(fault)->form.options;
    while (option != NULL && *option != NULL && strcmp(*option, "to") != 0)
        option++;
    return option != NULL && *option != NULL;
}

TEST(every_fault_has_a_column)
{
    const struct comparison *comparison = *state;
    for (size_t i = 0; comparison->vocabulary->faults[i] != NULL; i++) {
        bool found = names_a_program(comparison->vocabulary->faults[i]);
        for (size_t j = 0; j < comparison->set.count; j++)
            found = found ||
                    is_column_of(comparison->set.scenarios[j], comparison->vocabulary->faults[i]);
        if (!found)
            fail_msg("no scenario in " FOLDER " is named after the fault %s, and has it",
                     comparison->vocabulary->faults[i]);
    }
}

TEST(every_column_is_named_after_its_fault_and_costs_have_none)
{
    const struct comparison *comparison = *state;
    for (size_t i = 0; i < comparison->set.count; i++) {
        const struct scenario *scenario = comparison->set.scenarios[i];
        bool found = strncmp(scenario->name, "cost-", 5) == 0 && scenario->fault_count == 0;
        for (size_t j = 0; !found && comparison->vocabulary->faults[j] != NULL; j++)
            found = is_column_of(scenario, comparison->vocabulary->faults[j]);
        if (!found)
            fail_msg("%s is named after none of its faults", scenario->path);
    }
}

static bool tries(const struct plan *plan, const struct scenario *scenario, const char *scheme)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->trials[i].scenario == scenario && strcmp(plan->trials[i].scheme, scheme) == 0)
            return true;
    }
    return false;
}

TEST(every_scheme_has_a_row_in_each)
{
    const struct comparison *comparison = *state;
    for (size_t i = 0; i < comparison->set.count; i++) {
        for (size_t j = 0; comparison->vocabulary->schemes[j] != NULL; j++) {
            if (!tries(&comparison->plan, comparison->set.scenarios[i],
                       comparison->vocabulary->schemes[j]))
                fail_msg("%s does not try %s", comparison->set.scenarios[i]->path,
                         comparison->vocabulary->schemes[j]);
        }
    }
}

// It is a test of itself, too.
TEST(every_scenario_says_what_must_come_out)
{
    const struct comparison *comparison = *state;
    for (size_t i = 0; i < comparison->set.count; i++) {
        if (comparison->set.scenarios[i]->expectation_count == 0)
            fail_msg("%s expects nothing", comparison->set.scenarios[i]->path);
    }
}

// The order of the columns is the script's.
TEST(the_script_runs_each_of_them)
{
    const struct comparison *comparison = *state;
    struct text script = {0};
    assert_int_equal(file_read("scripts/reference", &script, NULL), 0);
    char *words = script.bytes;
    for (char *at = words; *at != '\0'; at++)
        *at = strchr("()\n", *at) != NULL ? ' ' : *at;
    for (size_t i = 0; i < comparison->set.count; i++) {
        struct text word = {0};
        text_format(&word, " %s ", comparison->set.scenarios[i]->name);
        if (strstr(words, word.bytes) == NULL)
            fail_msg("scripts/reference does not run %s", comparison->set.scenarios[i]->name);
        text_free(&word);
    }
    text_free(&script);
}
