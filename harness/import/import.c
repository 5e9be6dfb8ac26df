#include "harness/import/import.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/import/entry.h"
#include "harness/import/labels.h"
#include "harness/import/reader.h"

#include <stdlib.h>
#include <string.h>

// What a process does.
struct actor {
    size_t open;        // its open operation, and one more; 0: none
    uint32_t info_line; // where it ended with an :info; 0: it did not
};

struct import {
    struct operations *operations;
    struct problems *problems;
    struct labels processes;
    struct labels names;
    struct actor *actors;
    size_t actor_count;
    size_t event_room;
    int64_t index; // of the last line that had one
    uint32_t timed_line;
    int64_t at_ns; // of that line
};

// --- which format --------------------------------------------------------------------------------

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

enum import_format import_format_of(const char *path, const char *bytes, size_t length)
{
    if (ends_with(path, ".edn"))
        return IMPORT_EDN;
    if (ends_with(path, ".json") || ends_with(path, ".jsonl"))
        return IMPORT_JSON;
    // JSON begins with [{" and no keyword; a list or a map may be all that came before.
    for (size_t i = 0; i < length; i++) {
        if (strchr(" \t\r\n[{", bytes[i]) == NULL || bytes[i] == '\0')
            return bytes[i] == '"' ? IMPORT_JSON : IMPORT_EDN;
    }
    return IMPORT_EDN;
}

// --- the order of lines --------------------------------------------------------------------------

static bool is_in_order(struct import *import, const struct entry *entry)
{
    if (entry->index >= 0 && entry->index <= import->index) {
        problems_add(
            import->problems, entry->line,
            "the index %lld comes after %lld: the order of the lines is that of real time; "
            "sort them by index",
            (long long)entry->index, (long long)import->index);
        return false;
    }
    if (entry->index >= 0)
        import->index = entry->index;
    if (entry->at_ns == TIME_NEVER)
        return true;
    if (import->timed_line != 0 && entry->at_ns < import->at_ns) {
        problems_add(import->problems, entry->line,
                     "the time goes back, from %lld in line %u to %lld: the order of the lines is "
                     "that of real time; sort them, or leave the times out",
                     (long long)import->at_ns, import->timed_line, (long long)entry->at_ns);
        return false;
    }
    import->timed_line = entry->line;
    import->at_ns = entry->at_ns;
    return true;
}

// The moment of this line: they count from 1.
static int64_t next_moment(struct import *import, const struct entry *entry)
{
    struct operations *operations = import->operations;
    *APPEND(operations->events, operations->event_count, import->event_room) =
        (struct operation_event){.at_ns = entry->at_ns, .line = entry->line};
    return (int64_t)operations->event_count;
}

// --- operations ----------------------------------------------------------------------------------

static struct actor *actor_of(struct import *import, uint32_t process)
{
    import->actors =
        reaching(import->actors, &import->actor_count, process, sizeof *import->actors);
    return &import->actors[process];
}

static uint32_t line_of_invocation(const struct import *import, const struct operation *operation)
{
    return import->operations->events[moment_of(operation->invoked) - 1].line;
}

static void invoke(struct import *import, struct actor *actor, uint32_t process,
                   const struct entry *entry)
{
    if (actor->open != 0) {
        const struct operation *open = &import->operations->items[actor->open - 1];
        problems_add(import->problems, entry->line,
                     "%s begins an operation, but the one that it began in line %u has not ended: "
                     "expected its ok, fail or info; whoever goes on without an answer must do so "
                     "under a new process number",
                     entry->process, line_of_invocation(import, open));
        return;
    }
    int64_t moment = next_moment(import, entry);
    operations_add(import->operations,
                   (struct operation){.invoked = instant_of_invocation(moment),
                                      .returned = INSTANT_NEVER,
                                      .process = process,
                                      .name = labels_number(&import->names, entry->name),
                                      .kind = (uint8_t)entry->kind,
                                      .outcome = OUTCOME_UNKNOWN,
                                      .shared = entry->shared,
                                      .either = entry->either});
    actor->open = import->operations->count;
}

// True if the completion is one of the open operation.
static bool completes(struct import *import, const struct operation *open,
                      const struct entry *entry)
{
    uint32_t line = line_of_invocation(import, open);
    if (open->kind != entry->kind || open->shared != entry->shared) {
        problems_add(import->problems, entry->line,
                     "%s ends %s, but what it began in line %u is %s", entry->process,
                     entry_function(entry->kind, entry->shared), line,
                     entry_function((enum operation_kind)open->kind, open->shared));
        return false;
    }
    if (entry->name[0] != '\0' && strcmp(import->names.items[open->name], entry->name) != 0) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation on the lock '%s', but what it began in line %u is on "
                     "'%s'; expected the same name in both",
                     entry->process, entry->name, line, import->names.items[open->name]);
        return false;
    }
    return true;
}

static void complete(struct import *import, struct actor *actor, const struct entry *entry)
{
    if (actor->open == 0) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation that it never began; expected its invoke before",
                     entry->process);
        return;
    }
    struct operation *operation = &import->operations->items[actor->open - 1];
    actor->open = 0;
    if (!completes(import, operation, entry))
        return;
    int64_t moment = next_moment(import, entry);
    if (entry->type == ENTRY_INFO) {
        actor->info_line = entry->line;
        return;
    }
    operation->returned = instant_of_return(moment);
    operation->outcome = entry->type == ENTRY_OK ? OUTCOME_OK : OUTCOME_NO;
    operation->token = entry->token;
}

static void take(struct import *import, const struct entry *entry)
{
    if (entry->is_nemesis || !is_in_order(import, entry))
        return;
    uint32_t process = labels_number(&import->processes, entry->process);
    struct actor *actor = actor_of(import, process);
    if (actor->info_line != 0)
        problems_add(import->problems, entry->line,
                     "%s goes on after its info in line %u: as nobody knows whether that operation "
                     "is still to happen, its process must do nothing more; give what follows "
                     "another process number, as Jepsen does",
                     entry->process, actor->info_line);
    else if (entry->type == ENTRY_INVOKE)
        invoke(import, actor, process, entry);
    else
        complete(import, actor, entry);
}

// --- the whole -----------------------------------------------------------------------------------

// The labels become those of the operations.
static void hand_over(struct import *import)
{
    struct operations *operations = import->operations;
    operations->processes = import->processes.items;
    operations->process_count = import->processes.count;
    import->processes.items = NULL;
    operations->name_count = import->names.count > 0 ? import->names.count : 1;
    bool named =
        import->names.count > 1 || (import->names.count == 1 && import->names.items[0][0] != '\0');
    for (uint32_t i = 0; named && i < import->names.count; i++) {
        if (import->names.items[i][0] == '\0') {
            free(import->names.items[i]);
            import->names.items[i] = memory_string("without a name");
        }
    }
    if (named) {
        operations->names = import->names.items;
        import->names.items = NULL;
    }
    labels_free(&import->processes);
    labels_free(&import->names);
    free(import->actors);
}

int import_history(enum import_format format, const char *bytes, size_t length, bool tokens,
                   struct operations *operations, struct problems *problems)
{
    struct import import = {.operations = operations, .problems = problems, .index = -1};
    struct reader reader;
    struct entry entry;
    const struct value *map;
    size_t before = problems->count;
    reader_start(&reader, bytes, length, problems);
    while (!problems_suffice(problems)) {
        enum reading reading =
            format == IMPORT_EDN ? edn_next(&reader, &map) : json_next(&reader, &map);
        if (reading == READING_END)
            break;
        if (reading == READING_MAP && entry_read(map, tokens, &entry, problems) == 0)
            take(&import, &entry);
    }
    reader_stop(&reader);
    hand_over(&import);
    return problems->count > before ? -1 : 0;
}
