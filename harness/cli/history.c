// history: prints a stored history as JSON lines, or exports it for other tools.
#include "harness/base/file.h"
#include "harness/cli/verb.h"
#include "harness/history/reader.h"
#include "harness/import/export.h"
#include "harness/model/from_history.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

enum history_format { FORMAT_EVENTS, FORMAT_EDN, FORMAT_JSONL };

static const char *const formats[] = {"events", "edn", "jsonl", NULL};

static int export_operations(const char *path, enum import_format format)
{
    struct operations operations = {0};
    struct history_condition condition = {0};
    struct error error = {0};
    int code = 0;
    if (operations_from_history(path, &operations, &condition, &error) != 0) {
        fprintf(stderr, "lockpick history: %s\n", error.text);
        code = EXIT_USAGE;
    } else {
        if (condition.state != HISTORY_WHOLE)
            fprintf(stderr, "lockpick history: %s: what is missing may have broken the lock\n",
                    condition.text);
        // What could not be written is told by the caller.
        (void)export_history(format, &operations, stdout);
    }
    operations_free(&operations);
    return code;
}

static int print_events(const char *path)
{
    struct history history;
    struct error error = {0};
    if (history_load(path, &history, &error) != 0) {
        fprintf(stderr, "lockpick history: %s\n", error.text);
        return EXIT_USAGE;
    }
    char line[512];
    int64_t zero_ns = history_zero_ns(&history);
    for (size_t i = 0; i < history.count; i++) {
        event_print_json(&history.events[i], zero_ns, line, sizeof line);
        if (puts(line) == EOF)
            break;
    }
    history_free(&history);
    return 0;
}

static int print_history(const char *path, enum history_format format)
{
    if (format == FORMAT_EVENTS)
        return print_events(path);
    return export_operations(path, format == FORMAT_EDN ? IMPORT_EDN : IMPORT_JSON);
}

static int only_real(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// A run with one trial means that trial; with several, the user must choose.
static int print_from_run(const char *trials, enum history_format format)
{
    struct dirent **entries;
    int count = scandir(trials, &entries, only_real, alphasort);
    if (count <= 0)
        return usage_error(&history_verb, "%s holds no trial", trials);
    int code = EXIT_USAGE;
    if (count == 1) {
        struct text path = {0};
        text_format(&path, "%s/%s/history.bin", trials, entries[0]->d_name);
        code = print_history(path.bytes, format);
        text_free(&path);
    } else {
        fprintf(stderr, "lockpick history: %s has %d trials; name one:\n", trials, count);
        for (int i = 0; i < count; i++)
            fprintf(stderr, "  %s/%s\n", trials, entries[i]->d_name);
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return code;
}

static int take_format(const char *word, enum history_format *format)
{
    for (int i = 0; formats[i] != NULL; i++) {
        if (strcmp(word, formats[i]) == 0) {
            *format = (enum history_format)i;
            return 0;
        }
    }
    return usage_error(&history_verb, "--format takes events, edn or jsonl, not '%s'", word);
}

// 0, or the exit code of a usage error.
static int parse(int argc, char **argv, const char **path, enum history_format *format)
{
    static const char option[] = "--format";
    size_t length = strlen(option);
    int code = 0;
    for (int i = 1; i < argc && code == 0; i++) {
        if (strncmp(argv[i], "--format=", length + 1) == 0)
            code = take_format(argv[i] + length + 1, format);
        else if (strcmp(argv[i], option) == 0 && i + 1 < argc)
            code = take_format(argv[++i], format);
        else if (argv[i][0] == '-')
            code =
                usage_error(&history_verb,
                            strcmp(argv[i], option) == 0 ? "%s needs a value: events, edn or jsonl"
                                                         : "there is no option %s",
                            argv[i]);
        else if (*path != NULL)
            code = usage_error(&history_verb, "one history at a time: %s, or %s?", *path, argv[i]);
        else
            *path = argv[i];
    }
    return code;
}

static int run(int argc, char **argv)
{
    const char *path = NULL;
    enum history_format format = FORMAT_EVENTS;
    int code = parse(argc, argv, &path, &format);
    if (code != 0)
        return code;
    if (path == NULL)
        return usage_error(&history_verb, "which run, trial or file?");
    if (!is_folder(path))
        return print_history(path, format);
    char *trials = path_join(path, "trials");
    char *file = path_join(path, "history.bin");
    code = is_folder(trials) ? print_from_run(trials, format) : print_history(file, format);
    free(trials);
    free(file);
    return code;
}

static void print_help(FILE *out)
{
    fputs(
        "TRIAL is one of the folders in a run's trials/, FILE a history.bin, RUN the folder of a "
        "run\n"
        "with only one trial. `t` and other times are seconds from the moment at which the "
        "clients\n"
        "were let go, as in stories and plots. Client 0 is the harness; worker 0 a client's "
        "process\n"
        "as a whole. A history whose writers were killed is printed up to their last event.\n"
        "\n"
        "--format edn, or jsonl, exports what workers asked of the lock as Jepsen and Knossos "
        "write\n"
        "it, for other checkers, or lockpick check: reentries are acquires, a release that was\n"
        "refused is a :fail, an operation without an answer an :info, after which its worker goes\n"
        "on under a new process number; times are nanoseconds.\n",
        out);
}

const struct verb history_verb = {
    .name = "history",
    .arguments = "TRIAL | RUN | FILE [--format edn]",
    .summary = "Prints a stored history in real-time order, or exports it",
    .print_help = print_help,
    .run = run,
};
