#include "harness/cli/compare_options.h"

#include "harness/base/text.h"
#include "harness/cli/options.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_MARGIN 0.05

enum option {
    OPTION_SCHEME,
    OPTION_MARGIN,
    OPTION_ANYWAY,
    OPTION_ALL,
    OPTION_JSON,
    OPTION_REPEAT,
    OPTION_SET,
    OPTION_SEED,
    OPTION_OUT,
    OPTION_NO_NAMESPACES,
    OPTION_COUNT
};

static const struct option_form forms[] = {
    {"scheme", "NAME", "the two that are compared, the baseline first (of two runs: only these)"},
    {"margin", "N%", "a difference of less does not matter (default: 5%)"},
    {"anyway", "", "compares costs although the environments differ, and marks it"},
    {"all", "", "of many figures, also shows those that did not change"},
    {"json", "", "prints all of it as JSON"},
    {"repeat", "N", "of a scenario: how often each scheme has its turn (default: 7)"},
    {"set", "KEY=VALUE", "of a scenario: as in lockpick run (repeatable)"},
    {"seed", "N", "of a scenario: of all randomness, for the same choices again"},
    {"out", "DIR", "of a scenario: the run's folder (default: a new one in results/)"},
    {"no-namespaces", "", "of a scenario: runs on loopback ports even where namespaces can be had"},
};

static int take_margin(const char *text, double *margin, struct error *error)
{
    char *end;
    *margin = strtod(text, &end) / 100;
    if (end != text && strcmp(end, "%") == 0 && *margin >= 0 && *margin <= 1)
        return 0;
    return error_set(error, "--margin takes a percentage such as 5%%, not '%s'", text);
}

static int take_scheme(const char *name, struct compare_options *options, struct error *error)
{
    if (options->scheme_count == 2)
        return error_set(error, "two schemes at a time: %s and %s, not %s too", options->schemes[0],
                         options->schemes[1], name);
    options->schemes[options->scheme_count++] = name;
    return 0;
}

static int take_option(void *context, int option, const char *value, struct error *error)
{
    struct compare_options *options = context;
    switch ((enum option)option) {
    case OPTION_SCHEME:
        return take_scheme(value, options, error);
    case OPTION_MARGIN:
        return take_margin(value, &options->comparison.margin, error);
    case OPTION_ANYWAY:
        options->comparison.anyway = true;
        return 0;
    case OPTION_ALL:
        options->all = true;
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    case OPTION_REPEAT:
        return option_number("repeat", value, 1000, &options->run.repeat, error);
    case OPTION_SET:
        return run_options_set(&options->run, value, error);
    case OPTION_SEED:
        return option_number("seed", value, INT64_MAX, &options->run.seed, error);
    case OPTION_OUT:
        options->run.out = value;
        return 0;
    case OPTION_NO_NAMESPACES:
        options->run.no_namespaces = true;
        return 0;
    case OPTION_COUNT:
        break;
    }
    return -1;
}

static int take_word(void *context, const char *word, struct error *error)
{
    struct run_options *run = &((struct compare_options *)context)->run;
    if (run->path_count == 2)
        return error_set(error, "two runs at a time: %s and %s, not %s too", run->paths[0],
                         run->paths[1], word);
    run->paths[run->path_count++] = word;
    return 0;
}

static const struct option_set option_set = {forms, OPTION_COUNT, take_option, take_word};

int compare_options_parse(int argc, char **argv, struct compare_options *options,
                          struct error *error)
{
    *options = (struct compare_options){.comparison = {.margin = USUAL_MARGIN}};
    options->run.paths = memory_zeroed(2, sizeof *options->run.paths);
    if (options_parse(&option_set, argc, argv, options, error) != 0)
        return -1;
    if (options->run.path_count == 0)
        return error_set(error, "what? Give two runs, the baseline first; or a run or a scenario, "
                                "with two --scheme");
    if (options->run.path_count == 1 && options->scheme_count < 2)
        return error_set(error,
                         "%s with what? Give another run; or two schemes, --scheme X --scheme Y",
                         options->run.paths[0]);
    if (options->run.path_count == 1 && strcmp(options->schemes[0], options->schemes[1]) == 0)
        return error_set(error, "--scheme %s twice: a scheme has no difference from itself",
                         options->schemes[0]);
    for (size_t i = 0; i < options->scheme_count; i++)
        options->comparison.only[i] = options->schemes[i];
    return 0;
}

void compare_options_free(struct compare_options *options)
{
    run_options_free(&options->run);
}

const char *compare_options_of_runs(const struct compare_options *options)
{
    const struct run_options *run = &options->run;
    return run->repeat > 0           ? "--repeat"
           : run->override_count > 0 ? "--set"
           : run->seed > 0           ? "--seed"
           : run->out != NULL        ? "--out"
           : run->no_namespaces      ? "--no-namespaces"
                                     : NULL;
}

void compare_options_print(FILE *out)
{
    fputs(
        "  lockpick compare A B                             two runs, the baseline first\n"
        "  lockpick compare RUN --scheme X --scheme Y       two schemes of one run\n"
        "  lockpick compare FILE --scheme X --scheme Y      two schemes, run now and in turns\n"
        "\n"
        "A run is its folder (it is judged anew by its histories), or just its result.json. A\n"
        "FILE is a scenario: its repeats alternate, X Y Y X X Y, on the same servers, so that "
        "what\n"
        "slows the machine meanwhile slows both.\n"
        "\n"
        "Verdicts that changed come first: a lock that was SAFE and is UNSAFE is no matter of "
        "speed.\n"
        "Of repeats that could not be decided nobody knows whether they are worse: beside any of\n"
        "them only what is worse stands, and their costs are left out.\n"
        "Then, for scenarios without faults: locks/s, acquire p50, p99 and p99.9, hand-off p50,\n"
        "commands a lock. Each repeat has a figure of its own, percentiles too; the ratio of the\n"
        "means over the repeats has an interval in which it lies with 95 % (bootstrap, widened\n"
        "for few repeats):\n"
        "  no change      the interval lies within the margin around 1\n"
        "  within noise   it has 1 in it, and more than the margin: more repeats would tell\n"
        "  faster         all of it is on that side of 1, and some of it beyond the margin\n"
        "  slower         likewise\n"
        "  inconclusive   a side, or one of its repeats, lacks it; a side has fewer than 3 "
        "repeats,\n"
        "                 or asked something else; more acquires were denied than lie beyond the\n"
        "                 percentile; the driver was the limit in half of the repeats (* marks "
        "any);\n"
        "                 or noise may hide that it is slower by more than 4 margins\n"
        "If placement, versions, durability, kernel, processors, clock source or load differ, or\n"
        "neither run says, no cost is compared; --anyway does, and never calls it the same.\n"
        "\n",
        out);
    options_print(&option_set, 17, out);
    fputs(
        "\nexit codes: 0 no verdict is worse, and nothing is slower, or not by more than noise of "
        "4\n"
        "margins hides, 1 something is, 2 usage, 3 inconclusive, 4 environment missing or broken;\n"
        "of several, 4 comes before 1, then 3\n",
        out);
}
