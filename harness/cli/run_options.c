#include "harness/cli/run_options.h"

#include "harness/base/text.h"
#include "harness/cli/options.h"
#include "harness/run/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The others, in the same columns.
#define OPTIONS(X)                                                                                 \
    X(set, "set", "KEY=VALUE", "as if the scenario said so: --set clients.threads=8 (repeatable)") \
    X(scheme, "scheme", "GLOB", "only these of the scenarios' schemes: a name, glob or trait")     \
    X(seed, "seed", "N", "of all randomness, for the same choices again (default: drawn)")         \
    X(repeat, "repeat", "N", "runs each trial N times")                                            \
    X(again, "again", "N",                                                                         \
      "runs a trial that could not be decided again, up to N times (default: 0)")                  \
    X(jobs, "jobs", "N",                                                                           \
      "N trials with faults at a time (default: as many as leave processors and memory free)")     \
    X(out, "out", "DIR",                                                                           \
      "the run's folder (default: a new one in results/, results/latest names it)")                \
    X(keep_going, "keep-going", "", "goes on after a trial that missed its expectation")           \
    X(no_namespaces, "no-namespaces", "", "runs on loopback ports even where namespaces can be had")

enum option {
#define X(id, name, value, help) OPTION_##id,
    OPTIONS(X)
#undef X
        OPTION_COUNT
};

static const struct option_form forms[] = {
#define X(id, name, value, help) {name, value, help},
    OPTIONS(X) OUTPUT_OPTIONS(X)
#undef X
};

int run_options_set(struct run_options *options, const char *text, struct error *error)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return error_set(error, "--set takes KEY=VALUE, not '%s'", text);
    if (options->override_count == MAX_OVERRIDES)
        return error_set(error, "at most %d times --set", MAX_OVERRIDES);
    char *path = memory_string(text);
    path[equals - text] = '\0';
    options->overrides[options->override_count++] =
        (struct override){path, path + (equals - text) + 1};
    return 0;
}

static int take_file(const char *option, const char *value, const char **path, struct error *error)
{
    if (value[0] == '\0')
        return error_set(error, "--%s takes the name of a file, not ''", option);
    *path = value;
    return 0;
}

int output_option_take(struct run_options *options, enum output_option option, const char *value,
                       struct error *error)
{
    switch (option) {
    case OUTPUT_tap:
        options->tap = true;
        return 0;
    case OUTPUT_strict:
        options->strict = true;
        return 0;
    case OUTPUT_quiet:
        options->quiet = true;
        return 0;
    case OUTPUT_json:
        options->json = true;
        return 0;
    case OUTPUT_junit:
        return take_file("junit", value, &options->junit, error);
    case OUTPUT_csv:
        return take_file("csv", value, &options->csv, error);
    case OUTPUT_github:
        options->github = true;
        return 0;
    case OUTPUT_COUNT:
        break;
    }
    return -1;
}

static int take_option(void *context, int option, const char *value, struct error *error)
{
    struct run_options *options = context;
    if (option >= OPTION_COUNT)
        return output_option_take(options, (enum output_option)(option - OPTION_COUNT), value,
                                  error);
    switch ((enum option)option) {
    case OPTION_set:
        return run_options_set(options, value, error);
    case OPTION_scheme:
        if (options->scheme != NULL)
            return error_set(error,
                             "--scheme once only: '%s' and '%s'; a glob or trait means several",
                             options->scheme, value);
        options->scheme = value;
        return 0;
    case OPTION_seed:
        return option_number("seed", value, INT64_MAX, &options->seed, error);
    case OPTION_repeat:
        return option_number("repeat", value, 1000, &options->repeat, error);
    case OPTION_again:
        return option_number("again", value, 100, &options->again, error);
    case OPTION_jobs:
        return option_number("jobs", value, MAX_LANES, &options->jobs, error);
    case OPTION_out:
        options->out = value;
        return 0;
    case OPTION_keep_going:
        options->keep_going = true;
        return 0;
    case OPTION_no_namespaces:
        options->no_namespaces = true;
        return 0;
    case OPTION_COUNT:
        break;
    }
    return -1;
}

static int take_word(void *context, const char *word, struct error *error)
{
    (void)error;
    struct run_options *options = context;
    options->paths[options->path_count++] = word;
    return 0;
}

static const struct option_set option_set = {forms, sizeof forms / sizeof *forms, take_option,
                                             take_word};

int run_options_parse(int argc, char **argv, struct run_options *options, struct error *error)
{
    *options = (struct run_options){0};
    options->paths = memory_zeroed((size_t)argc, sizeof *options->paths);
    if (options_parse(&option_set, argc, argv, options, error) != 0)
        return -1;
    if (options->json + options->github + options->tap > 1)
        return error_set(error,
                         "%s both want standard output; the run's folder has a result.json "
                         "in any case",
                         !options->tap   ? "--json and --github"
                         : options->json ? "--json and --tap"
                                         : "--tap and --github");
    if (options->path_count == 0)
        return error_set(error, "which scenario? Give a file, or a folder of files");
    return 0;
}

void run_options_print(FILE *out)
{
    options_print(&option_set, 18, out);
    fputs(
        "\nexit codes: 0 every expectation met, 1 some expectation not met, 2 usage or scenario,\n"
        "3 inconclusive (a verdict, or a threshold that was not measured), 4 environment missing\n"
        "or broken, 5 a threshold missed, 130 interrupted by Ctrl-C (what was recorded\n"
        "is judged). Of several, 1 comes before 4, then 5, then 3\n",
        out);
}

void run_options_free(struct run_options *options)
{
    for (size_t i = 0; i < options->override_count; i++)
        free((void *)(size_t)options->overrides[i].path);
    free((void *)(size_t)options->paths);
}
