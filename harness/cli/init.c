// init: a scenario for a lock of one's own, to begin with.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/explore/lock.h"
#include "harness/run/vocabulary.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

struct init_options {
    const char *servers, *traits, *out;
};

static const struct option init_options[] = {
    {"servers", "KIND", "what it locks with: redis, zookeeper, etcd, ... (default: none)",
     TEXT(struct init_options, servers)},
    {"traits", "LIST", "what it promises (default: " PROGRAM_TRAITS ")",
     TEXT(struct init_options, traits)},
    {"out", "FILE", "writes it there; a file that is there already stays as it is",
     TEXT(struct init_options, out)},
    {.name = NULL},
};

extern const char template_help_init_faults[];

static void write_scenario(const struct explored_lock *lock, struct text *text)
{
    char name[LOCK_NAME_ROOM];
    AUTO_TEXT struct text item = {0};
    lock_write_item(lock, name, &item);
    text_format(text,
                "version: 1\n"
                "name: %s\n"
                "workload: {kind: increment, operations: 60, hold: 50ms}    # read, 50 ms, write "
                "1 more\n"
                "clients: {processes: 3, threads: 2, start-first: client-1} # three programs, two "
                "workers each\n"
                "lock: {lease: 500ms, wait: 20s, retry: 5ms, request: 2s}   # what the lock is "
                "asked for\n"
                "schemes:\n"
                "  # `folder` may go if the program lies beside this file, or names a full path\n"
                "  - %s\n%sexpect:\n  - {schemes: %s, verdict: safe}\n",
                name, item.bytes, template_help_init_faults, name);
}

// 0, or -1 after saying what is wrong with it.
static int check(const char *path, const struct text *text)
{
    struct vocabulary *vocabulary = vocabulary_new();
    struct diagnostics *diagnostics = diagnostics_new();
    struct scenario *scenario = NULL;
    int result = scenario_parse(path, text->bytes, text->length, vocabulary, NULL, 0, &scenario,
                                diagnostics);
    diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    scenario_free(scenario);
    vocabulary_free(vocabulary);
    return result;
}

// Never over what is there.
static int write_new(const char *path, const struct text *text)
{
    struct error error = {0};
    AUTO_FREE char *copy = memory_string(path);
    if (folder_make(dirname(copy), &error) != 0)
        return verb_fails(&init_verb, EXIT_ENVIRONMENT, "%s", error.text);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        return usage_error(&init_verb, "%s is there already; remove it, or name another", path);
    if (file < 0)
        return verb_fails(&init_verb, EXIT_ENVIRONMENT, "cannot write %s: %s", path,
                          strerror(errno));
    close(file);
    if (file_write(path, text->bytes, text->length, &error) != 0)
        return verb_fails(&init_verb, EXIT_ENVIRONMENT, "%s", error.text);
    printf("%s is a scenario for it: lockpick run %s\n", path, path);
    return EXIT_AS_EXPECTED;
}

static int run(const struct words *words, void *from)
{
    const struct init_options *options = from;
    AUTO_TEXT struct text text = {0};
    if (words->count != 1)
        return usage_error(&init_verb, "which program? Its command is one word: 'python3 "
                                       "my-lock.py'");
    const struct explored_lock lock = {
        .lock = words->items[0],
        .servers = options->servers != NULL ? options->servers : "none",
        .traits = options->traits != NULL ? options->traits : PROGRAM_TRAITS};
    write_scenario(&lock, &text);
    if (check(options->out != NULL ? options->out : "standard output", &text) != 0)
        return EXIT_USAGE;
    if (options->out != NULL)
        return write_new(options->out, &text);
    fputs(text.bytes, stdout);
    return EXIT_AS_EXPECTED;
}

extern const char template_help_init[];
const struct verb init_verb = {
    .name = "init",
    .arguments = "PROGRAM --servers KIND [--out FILE]",
    .summary = "Writes a scenario for a lock of your own, to begin with",
    .help = template_help_init,
    .options = init_options,
    .room = sizeof(struct init_options),
    .run = run,
};
