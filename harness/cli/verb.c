#include "harness/cli/verb.h"

#include "harness/base/scope.h"
#include "harness/base/terminal.h"
#include "harness/run/run_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct verb *const verb_catalogue[] = {
    &try_verb,     &run_verb,     &replay_verb,  &explain_verb, &explore_verb,
    &find_verb,    &list_verb,    &history_verb, &check_verb,   &report_verb,
    &compare_verb, &table_verb,   &init_verb,    &doctor_verb,  &clean_verb,
    &agent_verb,   &version_verb, &help_verb,    NULL,
};

#define VERBS (sizeof verb_catalogue / sizeof *verb_catalogue)

// --- messages ------------------------------------------------------------------------------------

static void complain(const struct verb *verb, const char *format, va_list arguments)
{
    fprintf(stderr, "lockpick %s: ", verb->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int usage_error(const struct verb *verb, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(verb, format, arguments);
    va_end(arguments);
    fprintf(stderr, "(usage: lockpick %s %s; see lockpick help %s)\n", verb->name, verb->arguments,
            verb->name);
    return EXIT_USAGE;
}

int verb_fails(const struct verb *verb, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(verb, format, arguments);
    va_end(arguments);
    return code;
}

int no_such(const struct verb *verb, const char *what, const char *name, const char *const *names)
{
    return usage_error(verb, "there is no %s '%s'%s", what, name, suggest(name, names));
}

// --- reading -------------------------------------------------------------------------------------

// The option that the argument, "--NAME" or "--NAME=VALUE", names; NULL with `error` set.
static const struct option *find_option(const struct verb *verb, const char *argument,
                                        struct error *error)
{
    char name[48];
    AUTO_LIST struct string_list names = {0};
    const struct option *option = verb->options;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "=") - 2, argument + 2);
    for (; option != NULL && option->name != NULL && strcmp(option->name, name) != 0; option++)
        string_list_add(&names, option->name);
    if (option == NULL || option->name == NULL) {
        const char *nearest = text_nearest(name, (const char *const *)names.items);
        error_set(error, "there is no option --%s%s%s%s", name,
                  nearest != NULL ? " (did you mean --" : "", nearest != NULL ? nearest : "",
                  nearest != NULL ? "?)" : "");
        option = NULL;
    }
    return option;
}

// Takes an option; `next` is the argument behind it, whose use *used says.
static int take_option(const struct verb *verb, char *argument, char *next, int *used,
                       void *options, struct error *error)
{
    const struct option *option = find_option(verb, argument, error);
    char *value = strchr(argument, '=');
    if (option == NULL)
        return -1;
    void *place = (char *)options + option->at;
    AUTO_TEXT struct text words = {0};
    bool takes_value = option->argument[0] != '\0';
    if (!takes_value && value != NULL)
        return error_set(error, "--%s takes no value", option->name);
    *used = takes_value && value == NULL;
    if (option->said > 0)
        *(bool *)((char *)options + option->said) = true;
    value = *used != 0 ? next : value != NULL ? value + 1 : NULL;
    if (takes_value && value == NULL)
        return error_set(error, "--%s needs a value: %s", option->name, option->argument);
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return 0;
    case OPTION_TEXT: {
        const char **text = place;
        if (value[0] == '\0')
            return error_set(error, "--%s takes a name, not ''", option->name);
        if (*text != NULL)
            return error_set(error, "--%s once only: '%s' and '%s'", option->name, *text, value);
        *text = value;
        return 0;
    }
    case OPTION_NUMBER: {
        char *end;
        int least = option->said > 0 ? 0 : 1;
        errno = 0;
        int64_t number = *(int64_t *)place = strtoll(value, &end, 10);
        if (errno == 0 && end != value && *end == '\0' && number >= least && number <= option->most)
            return 0;
        if (option->most == INT64_MAX)
            return error_set(error, "--%s takes a whole number from 1, not '%s'", option->name,
                             value);
        return error_set(error, "--%s takes a whole number from %d to %" PRId64 ", not '%s'",
                         option->name, least, option->most, value);
    }
    case OPTION_WORD: {
        int word = *(int *)place = text_index(value, option->words);
        if (word >= 0)
            return 0;
        text_join(&words, option->words, "or");
        return error_set(error, "--%s takes %s, not '%s'", option->name, words.bytes, value);
    }
    case OPTION_OTHER:
        break;
    }
    return option->take(options, value, error);
}

int take_override(void *options, char *value, struct error *error)
{
    struct run_options *run = options;
    char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return error_set(error, "--set takes KEY=VALUE, not '%s'", value);
    if (run->override_count == MAX_OVERRIDES)
        return error_set(error, "at most %d times --set", MAX_OVERRIDES);
    *equals = '\0';
    run->overrides[run->override_count++] = (struct override){value, equals + 1};
    return 0;
}

int take_scheme(void *options, char *value, struct error *error)
{
    const char **scheme = ((struct run_options *)options)->schemes;
    size_t count = 0;
    while (scheme[count] != NULL)
        count++;
    if (value[0] == '\0')
        return error_set(error, "--scheme takes a name, not ''");
    if (count == MAX_OVERRIDES)
        return error_set(error, "at most %d times --scheme", MAX_OVERRIDES);
    scheme[count] = value;
    return 0;
}

// --- explaining ----------------------------------------------------------------------------------

static void add_options(const struct verb *verb, struct text *out)
{
    int width = 0;
    for (const struct option *option = verb->options; option->name != NULL; option++) {
        int length = (int)(strlen(option->name) + strlen(option->argument)) + 4;
        width = length > width ? length : width;
    }
    text_add(out, "options:\n");
    for (const struct option *option = verb->options; option->name != NULL; option++)
        text_format(out, "  --%s %-*s %s\n", option->name, width - 3 - (int)strlen(option->name),
                    option->argument, option->help);
}

static int print_verb(const struct verb *verb)
{
    AUTO_TEXT struct text text = {0};
    text_format(&text, "usage: lockpick %s %s\n\n%s.\n", verb->name, verb->arguments,
                verb->summary);
    const char *help = verb->help != NULL ? verb->help : verb->options != NULL ? "@options\n" : "";
    text_add(&text, *help != '\0' ? "\n" : "");
    for (const char *line = help; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)length, line);
        if (strcmp(word, "@options") == 0)
            add_options(verb, &text);
        else if (word[0] == '@')
            verb->fill(word + 1, &text);
        else
            text_add_bytes(&text, line, length + 1);
        line += length + 1;
    }
    terminal_print(stdout, text_string(&text));
    return EXIT_AS_EXPECTED;
}

void verbs_print(FILE *out)
{
    AUTO_TEXT struct text lines = {0};
    for (size_t i = 0; verb_catalogue[i] != NULL; i++)
        text_format(&lines, "  lockpick %-8s %-38s %s\n", verb_catalogue[i]->name,
                    verb_catalogue[i]->arguments, verb_catalogue[i]->summary);
    terminal_print(out, text_string(&lines));
}

// The verb of that name, or NULL; the names of all, for who mistypes it, in `names`.
static const struct verb *find_verb_named(const char *name, const char *names[VERBS])
{
    for (size_t i = 0; i < VERBS; i++)
        names[i] = verb_catalogue[i] != NULL ? verb_catalogue[i]->name : NULL;
    int index = text_index(name, names);
    return index < 0 ? NULL : verb_catalogue[index];
}

struct help_options {
    enum shell shell;
    bool completes; // --completion was given
    bool as_schema;
};

static const struct option help_options[] = {
    {"completion", "bash|zsh|fish", "prints what lets that shell complete verbs and options",
     .kind = OPTION_WORD, .words = shell_names, .said = offsetof(struct help_options, completes)},
    {"schema", "", "of scenario: prints a JSON schema, by which editors complete and check",
     FLAG(struct help_options, as_schema)},
    {.name = NULL},
};

static int help(const struct words *words, void *from)
{
    const struct help_options *options = from;
    const char *names[VERBS + 1] = {"scenario"};
    if (options->completes) {
        AUTO_TEXT struct text text = {0};
        completion_write(options->shell, &text);
        fputs(text.bytes, stdout);
        return EXIT_AS_EXPECTED;
    }
    bool is_of_scenario = words->count > 0 && strcmp(words->items[0], "scenario") == 0;
    if (options->as_schema && !is_of_scenario)
        return usage_error(&help_verb, "--schema is of scenario files: lockpick help scenario "
                                       "--schema");
    if (words->count == 0) {
        verbs_print(stdout);
        puts("\nlockpick help VERB says more; lockpick help scenario is the reference of "
             "scenario files.");
        return EXIT_AS_EXPECTED;
    }
    if (is_of_scenario) {
        struct vocabulary *vocabulary = vocabulary_new();
        AUTO_FREE char *schema = options->as_schema ? scenario_schema(vocabulary) : NULL;
        if (schema != NULL)
            puts(schema);
        else
            scenario_print_reference(stdout, vocabulary);
        vocabulary_free(vocabulary);
        return EXIT_AS_EXPECTED;
    }
    const struct verb *verb = find_verb_named(words->items[0], names + 1);
    return verb != NULL ? print_verb(verb) : no_such(&help_verb, "verb", words->items[0], names);
}

const struct verb help_verb = {
    .name = "help",
    .arguments = "[VERB | scenario]",
    .summary = "Says what a verb does, or how a scenario file is written",
    .options = help_options,
    .room = sizeof(struct help_options),
    .run = help,
};

// --- calling -------------------------------------------------------------------------------------

static int read_arguments(const struct verb *verb, int argc, char **argv, void *options,
                          struct words *words, struct error *error)
{
    for (int i = 1; i < argc; i++) {
        int used = 0;
        if (strncmp(argv[i], "--", 2) == 0) {
            char *next = i + 1 < argc ? argv[i + 1] : NULL;
            if (take_option(verb, argv[i], next, &used, options, error) != 0)
                return -1;
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return error_set(error, "there is no option %s", argv[i]);
        } else {
            words->items[words->count++] = argv[i];
        }
        i += used;
    }
    return 0;
}

struct scenario *verb_load_scenario(const char *path, const struct run_options *options,
                                    const struct vocabulary *vocabulary)
{
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    (void)scenario_load(path, false, vocabulary, options->overrides, options->override_count,
                        &scenario, diagnostics);
    diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    return scenario;
}

int verb_runs_scenarios(const struct verb *verb, const struct words *words,
                        struct run_options *options, const struct scenario_run *how, void *context)
{
    struct error error = {0};
    if (options->json + options->github + options->tap > 1)
        return usage_error(verb,
                           "%s both want standard output; the run's folder has a result.json in "
                           "any case",
                           !options->tap   ? "--json and --github"
                           : options->json ? "--json and --tap"
                                           : "--tap and --github");
    options->paths = words->items;
    options->path_count = words->count;
    int code = run_scenarios(options, how, context, &error);
    return error.text[0] != '\0' ? verb_fails(verb, code, "%s", error.text) : code;
}

int verb_call(int argc, char **argv)
{
    const char *names[VERBS];
    const struct verb *verb = find_verb_named(argv[0], names);
    struct error error = {0};
    if (verb == NULL) {
        fprintf(stderr, "lockpick: there is no verb '%s'%s\n\nusage:\n", argv[0],
                suggest(argv[0], names));
        verbs_print(stderr);
        return EXIT_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_verb(verb);
    }
    AUTO_FREE void *options = memory_zeroed(1, verb->room + 1);
    struct words words = {.items = memory_zeroed((size_t)argc + 1, sizeof *words.items)};
    int code = read_arguments(verb, argc, argv, options, &words, &error) == 0
                   ? verb->run(&words, options)
                   : usage_error(verb, "%s", error.text);
    free(words.items);
    return code;
}
