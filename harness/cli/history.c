// history: prints a stored history as JSON lines, or exports it for other tools.
#include "harness/cli/verb.h"
#include "harness/history/reader.h"
#include "harness/import/import.h"
#include "harness/model/operations.h"
#include "harness/run/stored_run.h"

enum history_format { FORMAT_EVENTS, FORMAT_EDN, FORMAT_JSONL };

static const char *const formats[] = {"events", "edn", "jsonl", NULL};

static const struct option history_options[] = {
    {"format", "events|edn|jsonl", "how it is printed (default: events)", .kind = OPTION_WORD,
     .words = formats},
    {.name = NULL},
};

static int export_operations(const char *path, enum import_format format)
{
    struct operations operations = {0};
    struct history_condition condition = {0};
    struct error error = {0};
    int code = EXIT_AS_EXPECTED;
    if (operations_from_history(path, &operations, &condition, &error) != 0)
        code = verb_fails(&history_verb, EXIT_USAGE, "%s", error.text);
    else if (condition.state != HISTORY_WHOLE)
        verb_fails(&history_verb, 0, "%s: what is missing may have broken the lock",
                   condition.text);
    if (code == EXIT_AS_EXPECTED)
        (void)export_history(format, &operations, stdout); // what is not written, main tells
    operations_free(&operations);
    return code;
}

static int print_events(const char *path)
{
    struct history history;
    struct error error = {0};
    if (history_load(path, &history, &error) != 0)
        return verb_fails(&history_verb, EXIT_USAGE, "%s", error.text);
    char line[512];
    int64_t zero_ns = history_zero_ns(&history);
    for (size_t i = 0; i < history.count; i++) {
        event_print_json(&history.events[i], zero_ns, line, sizeof line);
        if (puts(line) == EOF)
            break;
    }
    history_free(&history);
    return EXIT_AS_EXPECTED;
}

// A run with one trial means that trial; with several, the user must choose.
static int run(const struct words *words, void *options)
{
    enum history_format format = *(enum history_format *)options;
    struct stored_path stored;
    int code = EXIT_USAGE;
    if (words->count == 0)
        return usage_error(&history_verb, "which run, trial or file?");
    const char *given = words->items[0];
    if (words->count > 1)
        return usage_error(&history_verb, "one history at a time: %s, or %s?", given,
                           words->items[1]);
    stored_path_find(given, &stored);
    if (stored.histories.count == 0) {
        usage_error(&history_verb, "%s holds no history", given);
    } else if (stored.histories.count > 1) {
        verb_fails(&history_verb, code, "%s has %zu histories; name one:", given,
                   stored.histories.count);
        for (size_t i = 0; i < stored.histories.count; i++)
            fprintf(stderr, "  %s\n", stored.histories.items[i]);
    } else {
        const char *path = stored.histories.items[0];
        code = format == FORMAT_EVENTS
                   ? print_events(path)
                   : export_operations(path, format == FORMAT_EDN ? IMPORT_EDN : IMPORT_JSON);
    }
    stored_path_free(&stored);
    return code;
}

extern const char template_help_history[];
const struct verb history_verb = {
    .name = "history",
    .arguments = "TRIAL | RUN | FILE [--format edn]",
    .summary = "Prints a stored history in real-time order, or exports it",
    .help = template_help_history,
    .options = history_options,
    .room = sizeof(enum history_format),
    .run = run,
};
