#include "harness/cli/run_options.h"

#include "harness/base/text.h"
#include "harness/drive/lanes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Option, its name on the command line, the name of its value ("" if it takes none), what it does.
#define OPTIONS(X)                                                                                 \
    X(set, "set", "KEY=VALUE", "as if the scenario said so: --set clients.threads=8 (repeatable)") \
    X(scheme, "scheme", "GLOB", "only these of the scenarios' schemes: a name, glob or trait")     \
    X(seed, "seed", "N", "of all randomness, for the same choices again (default: drawn)")         \
    X(repeat, "repeat", "N", "runs each trial N times")                                            \
    X(jobs, "jobs", "N",                                                                           \
      "up to N trials with faults at a time (default: 4, fewer if memory is short)")               \
    X(out, "out", "DIR",                                                                           \
      "the run's folder (default: a new one in results/, results/latest names it)")                \
    X(strict, "strict", "", "a trial that is skipped for want of a server makes the exit code 4")  \
    X(keep_going, "keep-going", "", "goes on after a trial that missed its expectation")           \
    X(quiet, "quiet", "", "prints only the table and what was not expected")                       \
    X(json, "json", "", "prints result.json on standard output instead of tables")                 \
    X(junit, "junit", "FILE", "also writes junit.xml to FILE, for CI servers")                     \
    X(github, "github", "",                                                                        \
      "also prints GitHub's workflow commands, and a table to $GITHUB_STEP_SUMMARY")               \
    X(no_namespaces, "no-namespaces", "", "runs on loopback ports even where namespaces can be had")

enum option {
#define X(id, name, value, help) OPTION_##id,
    OPTIONS(X)
#undef X
        OPTION_COUNT
};

static const struct {
    const char *name;
    const char *value;
    const char *help;
} options_table[] = {
#define X(id, name, value, help) {name, value, help},
    OPTIONS(X)
#undef X
};

static int find_option(const char *argument, const char **value, struct error *error)
{
    const char *names[OPTION_COUNT + 1] = {0};
    size_t length = strcspn(argument, "=");
    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    char word[48];
    snprintf(word, sizeof word, "%.*s", (int)length - 2, argument + 2);
    for (int i = 0; i < OPTION_COUNT; i++) {
        names[i] = options_table[i].name;
        if (strcmp(word, names[i]) == 0)
            return i;
    }
    const char *nearest = text_nearest(word, names);
    if (nearest == NULL)
        return error_set(error, "there is no option --%s", word);
    return error_set(error, "there is no option --%s (did you mean --%s?)", word, nearest);
}

static int take_number(const char *option, const char *text, int64_t most, int64_t *number,
                       struct error *error)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *number < 1 || *number > most)
        return error_set(error, "--%s takes a whole number from 1 to %lld, not '%s'", option,
                         (long long)most, text);
    return 0;
}

static int take_override(struct run_options *options, const char *text, struct error *error)
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

static int take_option(struct run_options *options, int option, const char *value,
                       struct error *error)
{
    switch ((enum option)option) {
    case OPTION_set:
        return take_override(options, value, error);
    case OPTION_scheme:
        options->scheme = value;
        return 0;
    case OPTION_seed:
        return take_number("seed", value, INT64_MAX, &options->seed, error);
    case OPTION_repeat:
        return take_number("repeat", value, 1000, &options->repeat, error);
    case OPTION_jobs:
        return take_number("jobs", value, MAX_LANES, &options->jobs, error);
    case OPTION_out:
        options->out = value;
        return 0;
    case OPTION_keep_going:
        options->keep_going = true;
        return 0;
    case OPTION_quiet:
        options->quiet = true;
        return 0;
    case OPTION_json:
        options->json = true;
        return 0;
    case OPTION_junit:
        if (value[0] == '\0')
            return error_set(error, "--junit takes the name of a file, not ''");
        options->junit = value;
        return 0;
    case OPTION_github:
        options->github = true;
        return 0;
    case OPTION_strict:
        options->strict = true;
        return 0;
    case OPTION_no_namespaces:
        options->no_namespaces = true;
        return 0;
    case OPTION_COUNT:
        break;
    }
    return -1;
}

int run_options_parse(int argc, char **argv, struct run_options *options, struct error *error)
{
    *options = (struct run_options){0};
    options->paths = memory_zeroed((size_t)argc, sizeof *options->paths);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '-' && argv[i][1] != '\0')
            return error_set(error, "there is no option %s", argv[i]);
        if (strncmp(argv[i], "--", 2) != 0) {
            options->paths[options->path_count++] = argv[i];
            continue;
        }
        const char *value;
        int option = find_option(argv[i], &value, error);
        if (option < 0)
            return -1;
        bool takes_value = options_table[option].value[0] != '\0';
        if (!takes_value && value != NULL)
            return error_set(error, "%.*s takes no value", (int)strcspn(argv[i], "="), argv[i]);
        if (takes_value && value == NULL && ++i < argc)
            value = argv[i];
        if (takes_value && value == NULL)
            return error_set(error, "--%s needs a value: %s", options_table[option].name,
                             options_table[option].value);
        if (take_option(options, option, value, error) != 0)
            return -1;
    }
    if (options->json && options->github)
        return error_set(error, "--json and --github both want standard output; the run's folder "
                                "has a result.json in any case");
    if (options->path_count == 0)
        return error_set(error, "which scenario? Give a file, or a folder of files");
    return 0;
}

void run_options_print(FILE *out)
{
    fputs("options:\n", out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char option[48];
        snprintf(option, sizeof option, "--%s %s", options_table[i].name, options_table[i].value);
        fprintf(out, "  %-18s %s\n", option, options_table[i].help);
    }
    fputs(
        "\nexit codes: 0 every expectation met, 1 some expectation not met, 2 usage or scenario,\n"
        "3 inconclusive, 4 environment missing or broken, 5 threshold missed\n",
        out);
}

void run_options_free(struct run_options *options)
{
    for (size_t i = 0; i < options->override_count; i++)
        free((void *)(size_t)options->overrides[i].path);
    free((void *)(size_t)options->paths);
}
