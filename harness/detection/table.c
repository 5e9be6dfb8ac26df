// detection: which variants were found, where, by which property, and how soon, over the results of
// one or several runs; as Markdown. Its verb is added to those of lockpick, whose catalogue is
// compiled again here, as in catalogue.c.
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/cli/verb.h"
#include "harness/detection/result.h"
#include "harness/detection/variants.h"

#include <stdlib.h>

extern const struct verb detection_verb;
extern const struct verb alarms_verb;
extern const struct verb causes_verb;

#define run_verb run_verb, &detection_verb, &alarms_verb, &causes_verb
#include "harness/cli/verb.c"
#undef run_verb

// One scheme in one scenario.
struct variant_tally {
    char *scenario;
    char *scheme;
    size_t trials;        // that came to a verdict, or ended in an error
    size_t found;         // of them UNSAFE or STUCK
    size_t safe;          // of them SAFE
    int64_t *first_ns;    // of each that was found: from the start of the trial to the violation
    char properties[200]; // that were found violated, "double-grant, lost-update"
};

struct tallies {
    struct variant_tally *items;
    size_t count, room;
};

// --- reading -------------------------------------------------------------------------------------

static bool is_one_of(const char *text, const char *one, const char *other)
{
    return strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

// The scheme in the scenario, or NULL if it was not tried there.
static struct variant_tally *tally_find(const struct tallies *tallies, const char *scenario,
                                        const char *scheme)
{
    for (size_t i = 0; i < tallies->count; i++) {
        if (strcmp(tallies->items[i].scenario, scenario) == 0 &&
            strcmp(tallies->items[i].scheme, scheme) == 0)
            return &tallies->items[i];
    }
    return NULL;
}

static struct variant_tally *tally_of(struct tallies *tallies, const char *scenario,
                                      const char *scheme)
{
    struct variant_tally *tally = tally_find(tallies, scenario, scheme);
    if (tally == NULL) {
        tally = APPEND(tallies->items, tallies->count, tallies->room);
        *tally = (struct variant_tally){.scenario = memory_string(scenario),
                                        .scheme = memory_string(scheme)};
    }
    return tally;
}

static void add_property(struct variant_tally *tally, const char *property)
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

static void add_findings(struct variant_tally *tally, const json_t *trial)
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
    struct variant_tally *tally = tally_of(
        tallies, text_of(json_object_get(trial, "scenario"), "name"), text_of(trial, "scheme"));
    tally->trials++;
    tally->safe += strcmp(verdict, "SAFE") == 0;
    if (is_one_of(verdict, "UNSAFE", "STUCK"))
        add_findings(tally, trial);
}

// Reads a run's result.json and adds what it says. 0, or -1 with `error` set.
static int tallies_read(const char *path, struct tallies *tallies, struct error *error)
{
    json_t *root = result_load(path, error);
    if (root == NULL)
        return -1;
    size_t index;
    const json_t *trial;
    json_array_foreach(json_object_get(root, "trials"), index, trial)
    {
        add_trial(tallies, trial);
    }
    json_decref(root);
    return 0;
}

static void tallies_free(struct tallies *tallies)
{
    for (size_t i = 0; i < tallies->count; i++) {
        free(tallies->items[i].scenario);
        free(tallies->items[i].scheme);
        free(tallies->items[i].first_ns);
    }
    free(tallies->items);
}

// --- asking --------------------------------------------------------------------------------------

// True if the scheme that the variant was made from was tried in the scenario too, was SAFE there,
// and was never UNSAFE or STUCK: only then does it say something that the variant was found.
static bool tally_counts(const struct tallies *tallies, const struct variant *variant,
                         const struct variant_tally *tally)
{
    const struct variant_tally *sound =
        tally_find(tallies, tally->scenario, variant->made_from->name);
    return sound != NULL && sound->safe > 0 && sound->found == 0;
}

// True if the variant was found in every trial of the scenario, and that counts.
static bool tally_convicts(const struct tallies *tallies, const struct variant *variant,
                           const struct variant_tally *tally)
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

// The median of first_ns; 0 if it was never found.
static int64_t tally_median_ns(const struct variant_tally *tally)
{
    if (tally->found == 0)
        return 0;
    qsort(tally->first_ns, tally->found, sizeof(int64_t), compare_times);
    return tally->first_ns[(tally->found - 1) / 2];
}

// --- printing ------------------------------------------------------------------------------------

static void print_scenario(const struct tallies *tallies, const struct variant *variant,
                           const struct variant_tally *tally)
{
    if (tally->found == 0)
        return;
    bool counts = tally_counts(tallies, variant, tally);
    printf("| | | %s%s | %zu of %zu | %s | %.3f s |\n", tally->scenario,
           counts ? "" : " (does not count: the sound one was not SAFE there)", tally->found,
           tally->trials, tally->properties, (double)tally_median_ns(tally) / 1e9);
}

// One row for the variant, and one for each scenario that found it. True if one always does.
static bool print_variant(const struct tallies *tallies, const struct variant *variant)
{
    size_t tried = 0;
    size_t always = 0;
    for (size_t i = 0; i < tallies->count; i++) {
        const struct variant_tally *tally = &tallies->items[i];
        if (strcmp(tally->scheme, variant->scheme->name) != 0)
            continue;
        tried++;
        always += tally_convicts(tallies, variant, tally);
    }
    printf("| **%s**: %s | %s | %s, by %zu of %zu scenarios each time | | | |\n",
           variant->scheme->name, variant->scheme->summary, variant->made_from->name,
           always > 0 ? "found" : "**MISSED**", always, tried);
    for (size_t i = 0; i < tallies->count; i++) {
        if (strcmp(tallies->items[i].scheme, variant->scheme->name) == 0)
            print_scenario(tallies, variant, &tallies->items[i]);
    }
    return always > 0;
}

// The sound schemes: in how many trials each was SAFE, and where it was blamed. True if nowhere.
static bool print_sound(const struct tallies *tallies)
{
    bool is_clean = true;
    puts("\n| sound scheme | scenario | SAFE | UNSAFE or STUCK |\n|---|---|---|---|");
    for (size_t i = 0; i < tallies->count; i++) {
        const struct variant_tally *tally = &tallies->items[i];
        // Locks that scenarios bring along have their mistakes planted.
        if (variant_find(tally->scheme) != NULL || lock_scheme_find(tally->scheme) == NULL)
            continue;
        printf("| %s | %s | %zu of %zu | %s%s |\n", tally->scheme, tally->scenario, tally->safe,
               tally->trials, tally->found > 0 ? "**blamed**: " : "none", tally->properties);
        is_clean = is_clean && tally->found == 0;
    }
    return is_clean;
}

static bool print_table(const struct tallies *tallies)
{
    size_t variants = 0;
    size_t found = 0;
    puts("| broken variant: its mistake | made from | scenario | found | violated | first seen, "
         "median |\n|---|---|---|---|---|---|");
    for (const struct variant *variant = variant_catalogue; variant->scheme != NULL; variant++) {
        variants++;
        found += print_variant(tallies, variant);
    }
    bool is_clean = print_sound(tallies);
    printf("\n%zu of %zu variants were found in every repeat of at least one scenario in which the "
           "sound scheme was SAFE; %s.\n",
           found, variants, is_clean ? "no sound scheme was blamed" : "a sound scheme was blamed");
    return found == variants && is_clean;
}

static int run(const struct words *words, void *options)
{
    (void)options;
    struct tallies tallies = {0};
    struct error error = {0};
    int code = 0;
    if (words->count == 0)
        return usage_error(&detection_verb, "which results?");
    for (size_t i = 0; i < words->count && code == 0; i++)
        code = tallies_read(words->items[i], &tallies, &error) == 0 ? 0 : EXIT_USAGE;
    if (code == 0)
        code = print_table(&tallies) ? EXIT_AS_EXPECTED : EXIT_MISSED;
    else
        fprintf(stderr, "lockpick detection: %s\n", error.text);
    tallies_free(&tallies);
    return code;
}

const struct verb detection_verb = {
    .name = "detection",
    .arguments = "RESULT.json...",
    .summary = "Tells which broken variants were found in these runs",
    .run = run,
};
