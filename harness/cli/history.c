// history: prints a stored history, for people or programs, or exports it for other tools.
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/history/reader.h"
#include "harness/import/import.h"
#include "harness/model/operations.h"
#include "harness/run/stored_run.h"
#include "harness/scenario/units.h"

#include <string.h>

enum history_format { FORMAT_EVENTS, FORMAT_COLUMNS, FORMAT_EDN, FORMAT_JSONL };

static const char *const formats[] = {"events", "columns", "edn", "jsonl", NULL};

struct history_options {
    struct event_filter filter;
    enum history_format format;
};

static int read_time(const char *value, int64_t *at_ns, struct error *error)
{
    if (seconds_read(value, at_ns) == READING_FINE)
        return 0;
    return error_set(error, "'%s' is no time: 0.314 is seconds, and so is 314ms", value);
}

static int take_from(void *options, char *value, struct error *error)
{
    struct event_filter *filter = &((struct history_options *)options)->filter;
    filter->says_from = true;
    return read_time(value, &filter->from_ns, error);
}

static int take_to(void *options, char *value, struct error *error)
{
    struct event_filter *filter = &((struct history_options *)options)->filter;
    filter->says_to = true;
    return read_time(value, &filter->to_ns, error);
}

static int take_kind(void *options, char *value, struct error *error)
{
    const char *names[EVENT_KIND_COUNT + 1] = {NULL};
    for (unsigned kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        names[kind] = event_kind_name(kind);
        if (text_matches(names[kind], value))
            ((struct history_options *)options)->filter.kind = value;
    }
    return ((struct history_options *)options)->filter.kind != NULL
               ? 0
               : error_set(error, "there is no kind of event '%s'%s", value, suggest(value, names));
}

static const struct option history_options[] = {
    {"format", "FORMAT", "events (JSON lines, the default), columns (for people), edn or jsonl",
     WORD(struct history_options, format, formats)},
    {"client", "N", "only what this client did; 0 is the harness",
     NUMBER(struct history_options, filter.client, MOST_CLIENTS),
     .said = offsetof(struct history_options, filter.says_client)},
    {"lock", "N", "only operations on the lock of this number",
     NUMBER(struct history_options, filter.lock, MOST_LOCKS)},
    {"kind", "GLOB", "only events of these kinds: acquire-return, 'fault-*'", TAKEN_BY(take_kind)},
    {"from", "TIME", "only from then on: 0.314, in seconds, or 314ms", TAKEN_BY(take_from)},
    {"to", "TIME", "only until then", TAKEN_BY(take_to)},
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

// --- which events --------------------------------------------------------------------------------

// The number of the lock that the event is of, 0: of none, or there is only one. `locks` has that
// of each worker's last operation.
static int64_t lock_of(const struct event *event, uint16_t *locks)
{
    uint16_t *lock = &locks[event->client * (MOST_WORKERS + 1) + event->worker];
    if (event->kind == EVENT_ACQUIRE_INVOKE)
        *lock = (uint16_t)event->acquire_invoke.key;
    if (event->kind == EVENT_GIVEN)
        *lock = (uint16_t)event->given.key;
    if (event->kind == EVENT_STORE_INITIAL || event->kind == EVENT_STORE_FINAL)
        return event->stored.key;
    if (event->kind == EVENT_LOCK_FINAL)
        return event->lock_final.key;
    return strcmp(event_argument_names(event->kind)[0], "operation") == 0 ? *lock : 0;
}

static bool is_wanted(const struct event *event, int64_t at_ns, int64_t lock,
                      const struct event_filter *filter)
{
    return (!filter->says_client || event->client == filter->client) &&
           (filter->lock == 0 || lock == filter->lock) &&
           (filter->kind == NULL || text_matches(event_kind_name(event->kind), filter->kind)) &&
           !(filter->lacks_usage && event->kind == EVENT_USAGE) &&
           (!filter->says_from || at_ns >= filter->from_ns) &&
           (!filter->says_to || at_ns <= filter->to_ns);
}

int history_print(const struct verb *verb, const char *path, const struct event_filter *filter,
                  bool in_columns)
{
    struct history history;
    struct error error = {0};
    if (history_load(path, &history, &error) != 0)
        return verb_fails(verb, EXIT_USAGE, "%s", error.text);
    AUTO_TEXT struct text line = {0};
    AUTO_FREE uint16_t *locks =
        memory_zeroed((MOST_CLIENTS + 1) * (MOST_WORKERS + 1), sizeof *locks);
    int64_t zero_ns = history_zero_ns(&history);
    if (in_columns)
        puts(event_row_heading);
    for (size_t i = 0; i < history.count; i++) {
        const struct event *event = &history.events[i];
        if (!is_wanted(event, event->at_ns - zero_ns, lock_of(event, locks), filter))
            continue;
        line.length = 0;
        if (in_columns)
            event_add_row(event, zero_ns, &line);
        else
            event_add_json(event, zero_ns, &line);
        if (puts(line.bytes) == EOF)
            break;
    }
    history_free(&history);
    return EXIT_AS_EXPECTED;
}

// --- the verb ------------------------------------------------------------------------------------

int one_history(const struct verb *verb, const struct words *words, struct stored_path *stored)
{
    *stored = (struct stored_path){.run = NULL};
    if (words->count == 0)
        return usage_error(verb, "which run, trial or file?");
    const char *given = words->items[0];
    if (words->count > 1)
        return usage_error(verb, "one history at a time: %s, or %s?", given, words->items[1]);
    stored_path_find(given, stored);
    if (stored->histories.count == 0)
        return usage_error(verb, "%s holds no history", given);
    if (stored->histories.count == 1)
        return EXIT_AS_EXPECTED;
    verb_fails(verb, 0, "%s has %zu histories; name one:", given, stored->histories.count);
    for (size_t i = 0; i < stored->histories.count; i++)
        fprintf(stderr, "  %s\n", stored->histories.items[i]);
    return EXIT_USAGE;
}

static int run(const struct words *words, void *from)
{
    const struct history_options *options = from;
    const struct event_filter *filter = &options->filter;
    bool is_exported = options->format >= FORMAT_EDN;
    bool is_filtered = filter->says_client || filter->lock > 0 || filter->kind != NULL ||
                       filter->says_from || filter->says_to;
    struct stored_path stored;
    if (is_exported && is_filtered)
        return usage_error(&history_verb,
                           "a part of a history says nothing to other checkers: "
                           "--format %s exports the whole",
                           formats[options->format]);
    int code = one_history(&history_verb, words, &stored);
    if (code == EXIT_AS_EXPECTED && is_exported)
        code = export_operations(stored.histories.items[0],
                                 options->format == FORMAT_EDN ? IMPORT_EDN : IMPORT_JSON);
    else if (code == EXIT_AS_EXPECTED)
        code = history_print(&history_verb, stored.histories.items[0], filter,
                             options->format == FORMAT_COLUMNS);
    stored_path_free(&stored);
    return code;
}

extern const char template_help_history[];
const struct verb history_verb = {
    .name = "history",
    .arguments = "TRIAL | RUN | FILE [options]",
    .summary = "Prints a stored history in real-time order, or exports it",
    .help = template_help_history,
    .options = history_options,
    .room = sizeof(struct history_options),
    .run = run,
};
