// Whatever bytes there are as a scenario: diagnostics, or a scenario that can be planned, and that
// is the same again when it is read from what is written of it.
#include "harness/run/vocabulary.h"
#include "harness/scenario/plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define MOST_REPEATS 3

static struct scenario *parse(const struct vocabulary *vocabulary, const char *bytes, size_t length)
{
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    int result =
        scenario_parse("fuzzed.yaml", bytes, length, vocabulary, NULL, 0, &scenario, diagnostics);
    if ((result == 0) != (diagnostics->count == 0) || (result == 0) != (scenario != NULL))
        abort();
    char *printed = NULL;
    size_t printed_length = 0;
    FILE *out = open_memstream(&printed, &printed_length);
    diagnostics_print(diagnostics, out);
    fclose(out);
    if ((printed_length == 0) != (result == 0))
        abort();
    free(printed);
    diagnostics_free(diagnostics);
    return scenario;
}

static void plan(struct scenario *scenario, const struct vocabulary *vocabulary)
{
    struct plan plan = {0};
    struct error error = {0};
    int64_t repeat = scenario->repeat < MOST_REPEATS ? 0 : MOST_REPEATS;
    if (plan_make(&scenario, 1, vocabulary, NULL, repeat, 1, &plan, &error) == 0) {
        for (size_t i = 0; i < plan.count; i++)
            (void)trial_as_run(&plan.trials[i]);
    } else if (error.text[0] == '\0') {
        abort();
    }
    plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct vocabulary *vocabulary;
    if (vocabulary == NULL)
        vocabulary = vocabulary_new();
    struct scenario *scenario = parse(vocabulary, (const char *)bytes, length);
    if (scenario == NULL)
        return 0;
    plan(scenario, vocabulary);
    char *once = scenario_as_run(scenario, 7, NULL, NULL);
    struct scenario *again = parse(vocabulary, once, strlen(once));
    if (again == NULL)
        abort();
    char *twice = scenario_as_run(again, 7, NULL, NULL);
    if (strcmp(once, twice) != 0)
        abort();
    scenario_free(again);
    scenario_free(scenario);
    free(once);
    free(twice);
    return 0;
}
