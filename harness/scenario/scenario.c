#include "harness/scenario/scenario.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/scenario/bind.h"
#include "harness/scenario/trigger.h"
#include "harness/scenario/validate.h"

#include <stdlib.h>
#include <string.h>

bool scheme_is_meant(const char *pattern, const char *scheme, const char *const *traits)
{
    return strcmp(pattern, scheme) == 0 || text_matches(scheme, pattern) ||
           text_is_one_of(pattern, traits);
}

bool patterns_mean(const struct string_list *patterns, const char *scheme,
                   const char *const *traits)
{
    for (size_t i = 0; i < patterns->count; i++) {
        if (scheme_is_meant(patterns->items[i], scheme, traits))
            return true;
    }
    return false;
}

const struct expectation *scenario_expectation(const struct scenario *scenario, const char *scheme,
                                               const char *const *traits)
{
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        if (patterns_mean(&scenario->expectations[i].schemes, scheme, traits))
            return &scenario->expectations[i];
    }
    return NULL;
}

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    for (size_t i = 0; i < scenario->fault_count; i++)
        free(scenario->faults[i].text);
    unbind_section(&scenario_section, scenario);
    free(scenario->path);
    free(scenario->source);
    free(scenario);
}

// Defaults that depend on other values.
static void derive_lock(struct scenario *scenario)
{
    if (scenario->lock.stuck_after_ns == 0)
        scenario->lock.stuck_after_ns = scenario->lock.lease_ns + NS_PER_S;
}

// What a fault is called, and whom it follows. Only for a scenario without complaints.
static void derive_faults(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        struct fault_step *step = &scenario->faults[i];
        step->number = (int)i + 1;
        step->text = fault_describe(step);
        for (size_t j = 0; step->after_name != NULL && j < i; j++) {
            if (scenario->faults[j].name != NULL &&
                strcmp(scenario->faults[j].name, step->after_name) == 0)
                step->after = (int)j + 1;
        }
    }
}

static void bind_and_validate(struct scenario *scenario, const struct vocabulary *vocabulary,
                              const struct origin *origins, size_t override_count,
                              struct node *root, struct complaints *complaints)
{
    struct binding binding = {.vocabulary = vocabulary, .complaints = complaints};
    if (root->kind == NODE_MAP)
        overrides_apply(&binding, origins, override_count, root);
    bind_section(&binding, &scenario_section, root, scenario);
    derive_lock(scenario);
    validate(&(struct rules){scenario, vocabulary, complaints, root});
}

int scenario_parse(const char *path, const char *text, size_t length,
                   const struct vocabulary *vocabulary, const struct override *overrides,
                   size_t override_count, struct scenario **scenario, struct complaints *complaints)
{
    size_t before = complaints_count(complaints);
    size_t made_before = complaints_made(complaints);
    const struct origin file = {.path = path};
    struct origin *origins = memory_zeroed(override_count, sizeof *origins);
    for (size_t i = 0; i < override_count; i++)
        origins[i] = (struct origin){.path = path, .override = &overrides[i]};
    struct scenario *made = memory_zeroed(1, sizeof *made);
    made->path = memory_string(path);
    made->source = memory_zeroed(length + 1, 1);
    memcpy(made->source, text, length);
    struct node *root = tree_read(&file, text, length, complaints);
    if (root != NULL)
        bind_and_validate(made, vocabulary, origins, override_count, root, complaints);
    bool is_sound = root != NULL && complaints_made(complaints) == made_before;
    node_free(root);
    free(origins);
    complaints_sort(complaints, before);
    if (!is_sound) {
        scenario_free(made);
        return -1;
    }
    derive_faults(made);
    *scenario = made;
    return 0;
}

int scenario_load(const char *path, const struct vocabulary *vocabulary,
                  const struct override *overrides, size_t override_count,
                  struct scenario **scenario, struct complaints *complaints)
{
    struct text text = {0};
    struct error error;
    int result = -1;
    if (file_read(path, &text, &error) == 0)
        result = scenario_parse(path, text_string(&text), text.length, vocabulary, overrides,
                                override_count, scenario, complaints);
    else
        complaints_add_plain(complaints, error.text);
    text_free(&text);
    return result;
}
