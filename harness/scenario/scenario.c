#include "harness/scenario/scenario.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/scenario/as_run.h"
#include "harness/scenario/bind.h"
#include "harness/scenario/foreign.h"
#include "harness/scenario/phases.h"
#include "harness/scenario/trigger.h"
#include "harness/scenario/validate.h"

#include <assert.h>
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

bool expectation_counts(const struct scenario *scenario, const struct expectation *expectation)
{
    const struct string_list *labels = &expectation->workloads;
    for (size_t i = 0; i < labels->count; i++) {
        if (strcmp(labels->items[i], scenario->label) == 0)
            return true;
    }
    return labels->count == 0;
}

const struct expectation *scenario_expectation(const struct scenario *scenario, const char *scheme,
                                               const char *const *traits)
{
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        if (expectation_counts(scenario, &scenario->expectations[i]) &&
            patterns_mean(&scenario->expectations[i].schemes, scheme, traits))
            return &scenario->expectations[i];
    }
    return NULL;
}

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    scenario_free(scenario->next);
    for (size_t i = 0; i < scenario->fault_count; i++) {
        free(scenario->faults[i].text);
        free(scenario->faults[i].settled);
    }
    unbind_section(&scenario_section, scenario);
    foreign_free(scenario);
    free(scenario->path);
    free(scenario->source);
    free(scenario->label);
    free(scenario->settled);
    free(scenario->settled_faults);
    free(scenario->settled_random);
    free(scenario);
}

// What tells the workloads of one file apart.
static void derive_label(struct scenario *scenario)
{
    static const char *const boundaries[] = {"", "-inner", "-wrapped"};
    const struct workload_settings *workload = &scenario->workload;
    struct text label = {0};
    text_format(&label, "%s%s%s", workload->kind != NULL ? workload->kind : "",
                workload->fenced ? "-fenced" : "", boundaries[workload->boundary]);
    scenario->label = memory_string(text_string(&label));
    text_free(&label);
}

// Defaults that depend on other values.
static void derive_lock(struct scenario *scenario)
{
    if (scenario->lock.stuck_after_ns == 0)
        scenario->lock.stuck_after_ns = scenario->lock.lease_ns + 4 * NS_PER_S;
}

// How long a fault lasts that does not say it.
static void derive_bound(struct fault_step *step, const struct fault_form *form)
{
    if (step->bound_ns >= 0 || form->lasting == LASTS_NEVER || form->lasting == LASTS_IF_TOLD)
        return;
    step->bound_ns = form->lasting == LASTS_BRIEFLY ? 0 : NO_BOUND;
}

// The number of the fault of that name among the first `count`, or 0.
static int number_of(const struct scenario *scenario, size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++) {
        if (scenario->faults[i].name != NULL && strcmp(scenario->faults[i].name, name) == 0)
            return (int)i + 1;
    }
    return 0;
}

// What a fault is called, and whom it follows. Only for a scenario without complaints.
static void derive_faults(struct scenario *scenario, const struct vocabulary *vocabulary)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        struct fault_step *step = &scenario->faults[i];
        step->number = (int)i + 1;
        derive_bound(step, fault_form_find(vocabulary, step->verb));
        step->after = number_of(scenario, i, step->after_name);
        step->cause.fault_number = number_of(scenario, i, step->cause.fault);
        step->until.fault_number = number_of(scenario, i, step->until.fault);
        step->text = fault_describe(step);
    }
}

// A file on its way to scenarios.
struct parsing {
    const char *path;
    const char *text;
    size_t length;
    const struct vocabulary *vocabulary;
    const struct origin *origins; // one for each override
    size_t override_count;
    struct node *root;
    struct complaints *complaints;
};

static struct scenario *make_scenario(const struct parsing *parsing)
{
    struct binding binding = {.vocabulary = parsing->vocabulary, .complaints = parsing->complaints};
    struct scenario *made = memory_zeroed(1, sizeof *made);
    made->path = memory_string(parsing->path);
    made->source = memory_zeroed(parsing->length + 1, 1);
    memcpy(made->source, parsing->text, parsing->length);
    if (parsing->root->kind == NODE_MAP)
        overrides_apply(&binding, parsing->origins, parsing->override_count, parsing->root);
    foreign_bind(&binding, parsing->root, made);
    binding.vocabulary = scenario_vocabulary(made, parsing->vocabulary);
    bind_section(&binding, &scenario_section, parsing->root, made);
    derive_lock(made);
    derive_time(made);
    derive_label(made);
    settle(parsing->root, made);
    validate(&(struct rules){made, binding.vocabulary, parsing->complaints, parsing->root});
    return made;
}

// The place of the root's workload, or NULL.
static struct node **workload_of(const struct node *root)
{
    for (size_t i = 0; root->kind == NODE_MAP && i < root->count; i++) {
        if (strcmp(root->children[i]->key, "workload") == 0)
            return &root->children[i];
    }
    return NULL;
}

// A scenario of several workloads is several scenarios, each with the label of its workload in its
// name.
static void add_label_to_name(struct scenario *scenario)
{
    struct text name = {0};
    if (scenario->name == NULL || scenario->workload.kind == NULL)
        return;
    text_format(&name, "%s-%s", scenario->name, scenario->label);
    free(scenario->name);
    scenario->name = name.bytes;
}

static bool has_label(const struct scenario *scenarios, const char *label)
{
    for (; scenarios != NULL; scenarios = scenarios->next) {
        if (strcmp(scenarios->label, label) == 0)
            return true;
    }
    return false;
}

// Expectations can only be about workloads that the file has.
static void check_labels(const struct parsing *parsing, const struct scenario *scenarios)
{
    struct text known = {0};
    for (const struct scenario *each = scenarios; each != NULL; each = each->next)
        text_format(&known, "%s%s", known.length > 0 ? ", " : "", each->label);
    // Of a workload without a kind nobody knows what it would be called.
    for (size_t i = 0; known.length > 0 && i < scenarios->expectation_count; i++) {
        const struct expectation *expectation = &scenarios->expectations[i];
        for (size_t j = 0; j < expectation->workloads.count; j++) {
            struct quote shown;
            if (!has_label(scenarios, expectation->workloads.items[j]))
                complaints_add(parsing->complaints, parsing->root->origin, expectation->place,
                               "'workloads': the file has no workload '%s' (it has: %s)",
                               quote(expectation->workloads.items[j], &shown), text_string(&known));
        }
    }
    text_free(&known);
}

#define MOST_WORKLOADS 64

// NULL after a complaint.
static struct scenario *make_scenarios(const struct parsing *parsing)
{
    struct node **place = workload_of(parsing->root);
    struct node *list = place != NULL ? *place : NULL;
    if (list == NULL || list->kind != NODE_LIST || list->count == 0) {
        struct scenario *only = make_scenario(parsing);
        check_labels(parsing, only);
        return only;
    }
    if (list->count > MOST_WORKLOADS) {
        complain(parsing->complaints, list, "'workload' must have at most %d items, not %zu",
                 MOST_WORKLOADS, list->count);
        return NULL;
    }
    struct scenario *first = NULL;
    struct scenario **next = &first;
    for (size_t i = 0; i < list->count; i++) {
        *place = list->children[i];
        (*place)->key = memory_string(list->key);
        (*place)->key_place = (*place)->place;
        *next = make_scenario(parsing);
        add_label_to_name(*next);
        next = &(*next)->next;
    }
    *place = list;
    assert(first != NULL); // as the list is not empty
    check_labels(parsing, first);
    return first;
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
    struct parsing parsing = {path,    text,           length, vocabulary,
                              origins, override_count, NULL,   complaints};
    parsing.root = tree_read(&file, text, length, complaints);
    struct scenario *made = parsing.root != NULL ? make_scenarios(&parsing) : NULL;
    bool is_sound = parsing.root != NULL && complaints_made(complaints) == made_before;
    node_free(parsing.root);
    free(origins);
    complaints_sort(complaints, before);
    if (!is_sound) {
        scenario_free(made);
        return -1;
    }
    for (struct scenario *each = made; each != NULL; each = each->next) {
        derive_phases(each);
        derive_faults(each, vocabulary);
    }
    *scenario = made;
    return 0;
}

#define MOST_BYTES (1 << 20)

int scenario_load(const char *path, const struct vocabulary *vocabulary,
                  const struct override *overrides, size_t override_count,
                  struct scenario **scenario, struct complaints *complaints)
{
    struct text text = {0};
    struct error error = {0};
    int result = -1;
    if (file_read(path, &text, &error) == 0 && text.length > MOST_BYTES)
        error_set(&error, "%s:1:1: a scenario has at most %d KiB, not %zu", path, MOST_BYTES / 1024,
                  text.length / 1024);
    if (error.text[0] != '\0')
        complaints_add_plain(complaints, error.text);
    else
        result = scenario_parse(path, text_string(&text), text.length, vocabulary, overrides,
                                override_count, scenario, complaints);
    text_free(&text);
    return result;
}
