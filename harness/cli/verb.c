#include "harness/cli/verb.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct verb *const verb_catalogue[] = {
    &run_verb,     &find_verb,  &list_verb,   &history_verb, &check_verb, &report_verb,
    &compare_verb, &table_verb, &doctor_verb, &clean_verb,   &help_verb,  NULL,
};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verb_catalogue[i] != NULL; i++) {
        if (strcmp(verb_catalogue[i]->name, name) == 0)
            return verb_catalogue[i];
    }
    return NULL;
}

int usage_error(const struct verb *verb, const char *format, ...)
{
    fprintf(stderr, "lockpick %s: ", verb->name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n(usage: lockpick %s %s; see lockpick help %s)\n", verb->name,
            verb->arguments, verb->name);
    return EXIT_USAGE;
}
