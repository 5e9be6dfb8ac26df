#include "harness/history/reader.h"

#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/history/scan.h"
#include "harness/history/stall.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_events(struct history *history, size_t *room, const struct event *events,
                       size_t count)
{
    if (history->count + count > *room) {
        *room = *room * 2 + count;
        history->events = memory_resized(history->events, *room * sizeof *history->events);
    }
    memcpy(history->events + history->count, events, count * sizeof *events);
    history->count += count;
}

int history_load(const char *path, struct history *history, struct error *error)
{
    *history = (struct history){0};
    struct history_scan *scan = history_scan_open(path, error);
    if (scan == NULL)
        return -1;
    struct history_origin origin = history_scan_origin(scan);
    history->began_ns = origin.began_ns;
    history->began_unix_ns = origin.began_unix_ns;
    history->seed = origin.seed;
    size_t room = 0;
    for (struct history_piece piece; history_scan_next(scan, &piece);) {
        const struct event *last = &piece.before_gap;
        const struct event gap = {last->at_ns, last->client, last->worker, .kind = EVENT_GAP};
        if (piece.is_after_gap && last->kind != EVENT_NONE)
            add_events(history, &room, &gap, 1);
        add_events(history, &room, piece.events, piece.count);
    }
    history_scan_condition(scan, &history->condition);
    history_scan_close(scan);
    // Ties keep the order of the file, which is each worker's own.
    sort_by_key(history->events, history->count, sizeof *history->events);
    return 0;
}

void history_free(struct history *history)
{
    free(history->events);
    *history = (struct history){0};
}

static bool is_point_in_time(const char *name)
{
    return strcmp(name, "valid_until_ns") == 0 || strcmp(name, "give_up_ns") == 0 ||
           strcmp(name, "killed_ns") == 0 || strcmp(name, "intended_ns") == 0 ||
           strcmp(name, "asked_ns") == 0;
}

// What only some trials have; 0 where they have it not.
static bool is_rare(const char *name)
{
    return strcmp(name, "intended_ns") == 0 || strcmp(name, "key") == 0 ||
           strcmp(name, "due") == 0 || strcmp(name, "number") == 0;
}

int64_t history_zero_ns(const struct history *history)
{
    for (size_t i = 0; i < history->count; i++) {
        if (history->events[i].kind == EVENT_BARRIER_OPEN)
            return history->events[i].at_ns;
    }
    return history->began_ns;
}

// Adds the text of a note in place of the closing brace. Printable ASCII only: JSON takes the rest
// amiss.
static int print_note(const struct event *event, char *out, size_t room)
{
    char text[sizeof event->text + 1] = "";
    memcpy(text, event->text, sizeof event->text);
    for (char *next = text; *next != '\0'; next++) {
        if (*next < ' ' || *next > '~' || *next == '"' || *next == '\\')
            *next = '?';
    }
    return snprintf(out, room, ",\"text\":\"%s\"}", text);
}

int event_print_json(const struct event *event, int64_t zero_ns, char *line, size_t room)
{
    int length = snprintf(line, room, "{\"t\":%.6f,\"client\":%u,\"worker\":%u,\"event\":\"%s\"",
                          (double)(event->at_ns - zero_ns) / 1e9, event->client, event->worker,
                          event_kind_name(event->kind));
    const char *const *names = event_argument_names(event->kind);
#define ADD(...) length += snprintf(line + length, room - (size_t)length, __VA_ARGS__)
    if (event->outcome != OUTCOME_OK || event->kind == EVENT_ACQUIRE_RETURN ||
        event->kind == EVENT_WRITE_RETURN || event->kind == EVENT_READ_RETURN)
        ADD(",\"outcome\":\"%s\"", outcome_name(event->outcome));
    if (event->kind == EVENT_ACQUIRE_RETURN && event->detail != 0)
        ADD(",\"unanchored\":true");
    if (event->kind == EVENT_RELEASE_RETURN)
        ADD(",\"answer\":\"%s\"", release_answer_name(event->detail));
    if (event->kind == EVENT_STOP_ASKED)
        ADD(",\"reason\":\"%s\"", stop_reason_name(event->detail));
    if (event->kind == EVENT_FAULT_HEALED)
        ADD(",\"reason\":\"%s\"", heal_reason_name(event->detail));
    if (event->kind == EVENT_USAGE)
        ADD(",\"figure\":\"%s\"", usage_figure_name(event->detail));
    if (event->kind == EVENT_STALL)
        ADD(",\"of\":\"%s\"", stalled_name(event->detail));
    if (event->kind == EVENT_STALL && event->detail == STALLED_SERVER)
        ADD(",\"server\":\"%s\"", stall_of(event).server);
    if (event->step != 0)
        ADD(",\"fault\":%u", event->step);
    bool is_wire = event->kind == EVENT_REQUEST || event->kind == EVENT_REPLY;
    if (is_wire)
        ADD(",\"command\":\"%s\"", event_command(event).text);
    if (event->kind == EVENT_REQUEST)
        ADD(",\"phase\":%u,\"words\":%u", (unsigned)event->detail >> REQUEST_PHASE,
            (unsigned)event->detail & REQUEST_WORDS);
    if (event->kind == EVENT_REPLY)
        ADD(",\"reply\":\"%s\"", reply_kind_name(event->detail));
    for (int i = is_wire; i < 4; i++) {
        bool is_time = is_point_in_time(names[i]);
        int name_length = (int)strlen(names[i]) - (is_time ? (int)strlen("_ns") : 0);
        const char *name = strcmp(names[i], "error_number") == 0 ? "errno" : names[i];
        if (name[0] == '\0' || (event->args[i] == 0 && is_rare(name)))
            continue;
        if (event->args[i] == INT64_MAX)
            ADD(",\"%.*s\":null", name_length, name);
        else if (is_time && event->args[i] > 0)
            ADD(",\"%.*s\":%.6f", name_length, name, (double)(event->args[i] - zero_ns) / 1e9);
        else
            ADD(",\"%.*s\":%" PRId64, name_length, name, event->args[i]);
    }
    ADD("}");
    if (event->kind == EVENT_NOTE)
        length += print_note(event, line + length - 1, room - (size_t)length + 1) - 1;
#undef ADD
    return length;
}
