// detection: which variants were found, where, by which property, and how soon; as Markdown. Its
// verb is added to those of lockpick, whose catalogue is compiled again here, as in catalogue.c.
#include "harness/cli/verb.h"
#include "harness/detection/tally.h"

extern const struct verb detection_verb;
extern const struct verb alarms_verb;
extern const struct verb causes_verb;

#define run_verb run_verb, &detection_verb, &alarms_verb, &causes_verb
#include "harness/cli/verb.c"
#undef run_verb

static void print_scenario(const struct tallies *tallies, const struct variant *variant,
                           const struct tally *tally)
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
        const struct tally *tally = &tallies->items[i];
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
        const struct tally *tally = &tallies->items[i];
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
