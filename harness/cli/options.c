#include "harness/cli/options.h"

#include "harness/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int find_option(const struct option_set *set, const char *argument, const char **value,
                       struct error *error)
{
    size_t length = strcspn(argument, "=");
    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    char word[48];
    snprintf(word, sizeof word, "%.*s", (int)length - 2, argument + 2);
    const char **names = memory_zeroed((size_t)set->count + 1, sizeof *names);
    int found = -1;
    for (int i = 0; i < set->count && found < 0; i++) {
        names[i] = set->forms[i].name;
        found = strcmp(word, names[i]) == 0 ? i : -1;
    }
    const char *nearest = found < 0 ? text_nearest(word, names) : NULL;
    free(names);
    if (nearest != NULL)
        return error_set(error, "there is no option --%s (did you mean --%s?)", word, nearest);
    return found < 0 ? error_set(error, "there is no option --%s", word) : found;
}

// `next` is the argument after it, which may be its value.
static int take_option(const struct option_set *set, const char *argument, const char *next,
                       int *used, void *context, struct error *error)
{
    const char *value;
    int option = find_option(set, argument, &value, error);
    if (option < 0)
        return -1;
    const struct option_form *form = &set->forms[option];
    bool takes_value = form->value[0] != '\0';
    if (!takes_value && value != NULL)
        return error_set(error, "--%s takes no value", form->name);
    *used = takes_value && value == NULL;
    if (*used != 0)
        value = next;
    if (takes_value && value == NULL)
        return error_set(error, "--%s needs a value: %s", form->name, form->value);
    return set->take(context, option, value, error);
}

int options_parse(const struct option_set *set, int argc, char **argv, void *context,
                  struct error *error)
{
    for (int i = 1; i < argc; i++) {
        int used = 0;
        int result;
        if (strncmp(argv[i], "--", 2) == 0)
            result =
                take_option(set, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used, context, error);
        else if (argv[i][0] == '-' && argv[i][1] != '\0')
            result = error_set(error, "there is no option %s", argv[i]);
        else
            result = set->take_word(context, argv[i], error);
        if (result != 0)
            return -1;
        i += used;
    }
    return 0;
}

int option_number(const char *name, const char *text, int64_t most, int64_t *number,
                  struct error *error)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && *number >= 1 && *number <= most)
        return 0;
    if (most == INT64_MAX)
        return error_set(error, "--%s takes a whole number from 1, not '%s'", name, text);
    return error_set(error, "--%s takes a whole number from 1 to %" PRId64 ", not '%s'", name, most,
                     text);
}

void options_print(const struct option_set *set, int width, FILE *out)
{
    fputs("options:\n", out);
    for (int i = 0; i < set->count; i++) {
        char option[80];
        snprintf(option, sizeof option, "--%s %s", set->forms[i].name, set->forms[i].value);
        fprintf(out, "  %-*s %s\n", width, option, set->forms[i].help);
    }
}
