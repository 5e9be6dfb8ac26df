#include "harness/base/file.h"
#include "harness/cli/verb.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// What a caller may have left in a state that we cannot work in.
static void settle(void)
{
    // Descriptors 0 to 2 must not become those of a history or a pipe.
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        close(descriptor);
    signal(SIGCHLD, SIG_DFL); // ignored, it would take our children's endings away
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a limit of file size is an error, not a death
    // Users often lack these; ip, nft and some servers are there.
    struct text path = {0};
    const char *given = getenv("PATH");
    text_format(&path, "%s:/usr/sbin:/sbin", given != NULL ? given : "/usr/bin:/bin");
    setenv("PATH", path.bytes, 1);
    text_free(&path);
}

static int perform(int argc, char **argv)
{
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

int main(int argc, char **argv)
{
    settle();
    json_set_alloc_funcs(memory_new, free); // its own gives NULL where there is no memory
    int code = perform(argc, argv);
    struct error error;
    if (output_end(&error) == 0)
        return code;
    fprintf(stderr, "lockpick: %s\n", error.text);
    return EXIT_ENVIRONMENT;
}
