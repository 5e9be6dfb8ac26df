// history: prints a stored history as JSON lines.
#include "harness/base/file.h"
#include "harness/cli/verb.h"
#include "harness/history/reader.h"

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

static int print_history(const char *path)
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

static int only_real(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// A run with one trial means that trial; with several, the user must choose.
static int print_from_run(const char *trials)
{
    struct dirent **entries;
    int count = scandir(trials, &entries, only_real, alphasort);
    if (count <= 0)
        return usage_error(&history_verb, "%s holds no trial", trials);
    int code = EXIT_USAGE;
    if (count == 1) {
        struct text path = {0};
        text_format(&path, "%s/%s/history.bin", trials, entries[0]->d_name);
        code = print_history(path.bytes);
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

static int run(int argc, char **argv)
{
    if (argc != 2)
        return usage_error(&history_verb, "which run, trial or file?");
    if (!is_folder(argv[1]))
        return print_history(argv[1]);
    char *trials = path_join(argv[1], "trials");
    char *file = path_join(argv[1], "history.bin");
    int code = is_folder(trials) ? print_from_run(trials) : print_history(file);
    free(trials);
    free(file);
    return code;
}

static void print_help(FILE *out)
{
    fputs("TRIAL is one of the folders in a run's trials/, FILE a history.bin, RUN the folder of a "
          "run\n"
          "with only one trial. `t` and other times are seconds from the moment at which the "
          "clients\n"
          "were let go, as in stories and plots. Client 0 is the harness; worker 0 a client's "
          "process\n"
          "as a whole. A history whose writers were killed is printed up to their last event.\n",
          out);
}

const struct verb history_verb = {
    .name = "history",
    .arguments = "RUN | TRIAL | FILE",
    .summary = "Prints a stored history as JSON lines, in real-time order",
    .print_help = print_help,
    .run = run,
};
