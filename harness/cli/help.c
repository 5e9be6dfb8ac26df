// help: what a verb does, or the reference of scenario files.
#include "harness/base/text.h"
#include "harness/cli/verb.h"
#include "harness/run/vocabulary.h"

#include <stdio.h>
#include <string.h>

static void print_verb(const struct verb *verb)
{
    printf("usage: lockpick %s %s\n\n%s.\n", verb->name, verb->arguments, verb->summary);
    if (verb->print_help != NULL) {
        puts("");
        verb->print_help(stdout);
    }
}

static int complain_of_word(const char *word)
{
    const char *names[16] = {"scenario"};
    for (size_t i = 0; i < 14 && verb_catalogue[i] != NULL; i++)
        names[i + 1] = verb_catalogue[i]->name;
    const char *nearest = text_nearest(word, names);
    if (nearest == NULL)
        return usage_error(&help_verb, "there is no verb '%s'", word);
    return usage_error(&help_verb, "there is no verb '%s' (did you mean '%s'?)", word, nearest);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        for (size_t i = 0; verb_catalogue[i] != NULL; i++)
            printf("  lockpick %-8s %-38s %s\n", verb_catalogue[i]->name,
                   verb_catalogue[i]->arguments, verb_catalogue[i]->summary);
        puts("\nlockpick help VERB says more; lockpick help scenario is the reference of "
             "scenario files.");
        return 0;
    }
    if (strcmp(argv[1], "scenario") == 0) {
        struct vocabulary *vocabulary = vocabulary_new();
        scenario_print_reference(stdout, vocabulary);
        vocabulary_free(vocabulary);
        return 0;
    }
    const struct verb *verb = verb_find(argv[1]);
    if (verb == NULL)
        return complain_of_word(argv[1]);
    print_verb(verb);
    return 0;
}

const struct verb help_verb = {
    .name = "help",
    .arguments = "[VERB | scenario]",
    .summary = "Says what a verb does, or how a scenario file is written",
    .run = run,
};
