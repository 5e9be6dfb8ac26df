#include "harness/base/text.h"
#include "harness/cli/verb.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void print_usage(FILE *out)
{
    fputs("lockpick breaks distributed locks, and measures what the unbroken ones cost.\n\n", out);
    fputs("usage:\n", out);
    for (size_t i = 0; verb_catalogue[i] != NULL; i++)
        fprintf(out, "  lockpick %-8s %-38s %s\n", verb_catalogue[i]->name,
                verb_catalogue[i]->arguments, verb_catalogue[i]->summary);
    fputs("\nstart with: lockpick doctor, then lockpick run scenarios/increment\n", out);
}

static int unknown_verb(const char *name)
{
    const char *names[16] = {0};
    for (size_t i = 0; i < 15 && verb_catalogue[i] != NULL; i++)
        names[i] = verb_catalogue[i]->name;
    const char *nearest = text_nearest(name, names);
    fprintf(stderr, "lockpick: there is no verb '%s'", name);
    if (nearest != NULL)
        fprintf(stderr, " (did you mean '%s'?)", nearest);
    fputs("\n\n", stderr);
    print_usage(stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("lockpick " LOCKPICK_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return 0;
    }
    const struct verb *verb = verb_find(argv[1]);
    if (verb == NULL)
        return unknown_verb(argv[1]);
    for (int i = 2; i < argc; i++) {
        char *help[] = {argv[0], argv[1], NULL};
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help_verb.run(2, help);
    }
    return verb->run(argc - 1, argv + 1);
}
