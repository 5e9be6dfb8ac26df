#include "harness/detection/tally.h"

#include "harness/base/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading -------------------------------------------------------------------------------------

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static bool is_one_of(const char *text, const char *one, const char *other)
{
    return strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

static struct tally *tally_of(struct tallies *tallies, const char *scenario, const char *scheme)
{
    for (size_t i = 0; i < tallies->count; i++) {
        if (strcmp(tallies->items[i].scenario, scenario) == 0 &&
            strcmp(tallies->items[i].scheme, scheme) == 0)
            return &tallies->items[i];
    }
    tallies->items = memory_resized(tallies->items, (tallies->count + 1) * sizeof *tallies->items);
    struct tally *tally = &tallies->items[tallies->count++];
    *tally = (struct tally){.scenario = memory_string(scenario), .scheme = memory_string(scheme)};
    return tally;
}

static void add_property(struct tally *tally, const char *property)
{
    size_t length = strlen(tally->properties);
    if (strstr(tally->properties, property) == NULL)
        snprintf(tally->properties + length, sizeof tally->properties - length, "%s%s",
                 length > 0 ? ", " : "", property);
}

// That somebody waits in vain shows only at the end of the wait.
static int64_t shows_at_ns(const json_t *finding)
{
    const json_t *evidence = json_object_get(finding, "evidence");
    bool waits = strcmp(text_of(finding, "property"), "stuck") == 0;
    return json_integer_value(json_object_get(evidence, waits ? "to_at_ns" : "from_at_ns"));
}

static void add_findings(struct tally *tally, const json_t *trial)
{
    size_t index;
    const json_t *finding;
    int64_t first_ns = INT64_MAX;
    json_array_foreach(json_object_get(trial, "findings"), index, finding)
    {
        if (strcmp(text_of(finding, "state"), "violated") != 0 ||
            json_is_true(json_object_get(finding, "harmless")))
            continue;
        add_property(tally, text_of(finding, "property"));
        int64_t at_ns = shows_at_ns(finding);
        first_ns = time_earlier(at_ns, first_ns);
    }
    tally->first_ns = memory_resized(tally->first_ns, (tally->found + 1) * sizeof(int64_t));
    tally->first_ns[tally->found++] = first_ns;
}

static void add_trial(struct tallies *tallies, const json_t *trial)
{
    const char *verdict = text_of(trial, "verdict");
    if (is_one_of(verdict, "n/a", "SKIPPED"))
        return;
    struct tally *tally = tally_of(tallies, text_of(json_object_get(trial, "scenario"), "name"),
                                   text_of(trial, "scheme"));
    tally->trials++;
    tally->safe += strcmp(verdict, "SAFE") == 0;
    if (is_one_of(verdict, "UNSAFE", "STUCK"))
        add_findings(tally, trial);
}

int tallies_read(const char *path, struct tallies *tallies, struct error *error)
{
    json_error_t why;
    json_t *root = json_load_file(path, 0, &why);
    if (root == NULL)
        return error_set(error, "%s is no result of a run: %s", path, why.text);
    size_t index;
    const json_t *trial;
    json_array_foreach(json_object_get(root, "trials"), index, trial)
    {
        add_trial(tallies, trial);
    }
    json_decref(root);
    return 0;
}

void tallies_free(struct tallies *tallies)
{
    for (size_t i = 0; i < tallies->count; i++) {
        free(tallies->items[i].scenario);
        free(tallies->items[i].scheme);
        free(tallies->items[i].first_ns);
    }
    free(tallies->items);
}

// --- asking --------------------------------------------------------------------------------------

const struct tally *tally_find(const struct tallies *tallies, const char *scenario,
                               const char *scheme)
{
    for (size_t i = 0; i < tallies->count; i++) {
        if (strcmp(tallies->items[i].scenario, scenario) == 0 &&
            strcmp(tallies->items[i].scheme, scheme) == 0)
            return &tallies->items[i];
    }
    return NULL;
}

bool tally_counts(const struct tallies *tallies, const struct variant *variant,
                  const struct tally *tally)
{
    const struct tally *sound = tally_find(tallies, tally->scenario, variant->made_from->name);
    return sound != NULL && sound->safe > 0 && sound->found == 0;
}

bool tally_convicts(const struct tallies *tallies, const struct variant *variant,
                    const struct tally *tally)
{
    return tally->trials > 0 && tally->found == tally->trials &&
           tally_counts(tallies, variant, tally);
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

int64_t tally_median_ns(const struct tally *tally)
{
    if (tally->found == 0)
        return 0;
    qsort(tally->first_ns, tally->found, sizeof(int64_t), compare_times);
    return tally->first_ns[(tally->found - 1) / 2];
}
