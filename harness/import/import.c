#include "harness/import/import.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/import/actors.h"
#include "harness/import/entry.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NUMBER_NAMES (INT64_C(1) << 24)

struct import {
    const struct import_options *options;
    enum import_format format;
    struct operations *operations;
    struct import_notes *notes;
    struct problems *problems;
    struct reader reader;
    struct actors actors;
    struct labels names;
    uint32_t *number_names; // of names that are small numbers: a label, and one more
    size_t number_name_count;
    struct labels errors;
    size_t operation_room, event_room;
    int64_t index; // of the last line that had one
    uint32_t index_line;
    bool ignores_index;
    bool is_disordered; // an index is less than one before
    int64_t at_ns;      // of the last line that had a time
    bool has_time;
    bool has_uid;          // values are maps that name the operation
    uint32_t unclear_line; // the first whose value may mean several things; 0: none
    struct shown unclear;  // that value
};

// --- which format --------------------------------------------------------------------------------

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t tail = strlen(end);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    return length >= tail && strncmp(path + length - tail, end, tail) == 0;
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

// --- entries -------------------------------------------------------------------------------------

// The next entry that says what it means. READING_BAD after telling what is wrong.
static enum map_reading next_entry(struct import *import, struct entry *entry)
{
    struct entry_fields fields;
    enum map_reading reading = reader_next(&import->reader, &fields);
    if (reading != READING_MAP)
        return reading;
    bool read = entry_read(&fields, import->options, entry, import->problems) == 0;
    if (read && entry->is_unclear && import->unclear_line == 0) {
        import->unclear_line = entry->line;
        import->unclear = value_show(fields.of[FIELD_VALUE]);
    }
    import->has_uid |= read && entry->has_uid;
    return read ? READING_MAP : READING_BAD;
}

// False if the order of the lines is not that of their indices.
static bool is_in_order(struct import *import, const struct entry *entry)
{
    if (entry->index >= 0 && !import->ignores_index) {
        if (entry->index == import->index)
            problems_add(import->problems, entry->line, "the index %lld is that of line %u, too",
                         (long long)entry->index, import->index_line);
        import->is_disordered |= entry->index < import->index;
        import->index = entry->index;
        import->index_line = entry->line;
    }
    if (entry->at_ns != TIME_NEVER) {
        int64_t back_ns = import->has_time ? import->at_ns - entry->at_ns : 0;
        if (back_ns > 0 && import->notes->clock_line == 0)
            import->notes->clock_line = entry->line;
        if (back_ns > import->operations->clock_back_ns)
            import->operations->clock_back_ns = back_ns;
        if (back_ns <= 0)
            import->at_ns = entry->at_ns; // the latest of all
        import->has_time = true;
    }
    return !import->is_disordered;
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

static uint32_t line_of_invocation(const struct import *import, const struct operation *operation)
{
    return import->operations->events[moment_of(operation->invoked) - 1].line;
}

// The label of the lock. Numbers need no hashing.
static uint32_t name_of(struct import *import, const struct entry *entry)
{
    if (entry->name_number < 0 || entry->name_number >= MOST_NUMBER_NAMES)
        return labels_number(&import->names, entry->name.bytes, entry->name.length);
    import->number_names = reaching(import->number_names, &import->number_name_count,
                                    (size_t)entry->name_number, sizeof *import->number_names);
    uint32_t *label = &import->number_names[entry->name_number];
    if (*label == 0)
        *label = labels_number(&import->names, entry->name.bytes, entry->name.length) + 1;
    return *label - 1;
}

// As many operations as permits are asked for.
static void invoke(struct import *import, struct actor *actor, const struct entry *entry)
{
    struct operations *operations = import->operations;
    if (actor->open_count != 0) {
        const struct operation *open = &operations->items[actor->open];
        problems_add(import->problems, entry->line,
                     "%s begins an operation, but the one that it began in line %u has not ended: "
                     "expected its ok, fail or info; whoever goes on without an answer must do so "
                     "under a new process number",
                     actor_show(&import->actors, actor).text, line_of_invocation(import, open));
        return;
    }
    int64_t moment = next_moment(import, entry);
    actor->open = operations->count;
    actor->open_count = entry->permits > 0 ? (uint32_t)entry->permits : 1;
    uint32_t name = name_of(import, entry);
    for (uint32_t i = 0; i < actor->open_count; i++)
        *APPEND(operations->items, operations->count, operations->room) =
            (struct operation){.invoked = instant_of_invocation(moment),
                               .returned = INSTANT_NEVER,
                               .process = actor->process,
                               .name = name,
                               .kind = (uint8_t)entry->kind,
                               .outcome = OUTCOME_UNKNOWN,
                               .shared = entry->shared,
                               .either = entry->either};
}

// True if the completion is one of the open operation.
static bool completes(struct import *import, const struct actor *actor,
                      const struct operation *open, const struct entry *entry)
{
    uint32_t line = line_of_invocation(import, open);
    if (open->kind != entry->kind || open->shared != entry->shared) {
        problems_add(
            import->problems, entry->line, "%s ends %s, but what it began in line %u is %s",
            actor_show(&import->actors, actor).text, entry_function(entry->kind, entry->shared),
            line, entry_function((enum operation_kind)open->kind, open->shared));
        return false;
    }
    if (entry->name.length > 0 && name_of(import, entry) != open->name) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation on the lock '%.*s', but what it began in line %u is on "
                     "'%s'; expected the same name in both",
                     actor_show(&import->actors, actor).text, (int)entry->name.length,
                     entry->name.bytes, line, import->names.items[open->name]);
        return false;
    }
    if (entry->permits > 0 && entry->permits != actor->open_count) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation on %lld permits, but what it began in line %u is on "
                     "%u; expected the same count in both",
                     actor_show(&import->actors, actor).text, (long long)entry->permits, line,
                     actor->open_count);
        return false;
    }
    return true;
}

// What the failure says, by the error that it names.
static void fail(struct import *import, const struct entry *entry, struct operation *operation)
{
    const struct import_options *options = import->options;
    operation->outcome = OUTCOME_NO;
    if (entry->error.length == 0)
        return;
    uint32_t error = labels_number(&import->errors, entry->error.bytes, entry->error.length);
    operation->error = error < UINT16_MAX ? (uint16_t)(error + 1) : 0;
    for (size_t i = 0; i < options->failure_count; i++) {
        const struct import_failure *failure = &options->failures[i];
        if (failure->of_acquire == (operation->kind == OPERATION_ACQUIRE) &&
            strcmp(failure->error, import->errors.items[error]) == 0)
            operation->claim = (uint8_t)failure->claim;
    }
}

static void complete(struct import *import, struct actor *actor, const struct entry *entry)
{
    uint32_t count = actor->open_count;
    if (count == 0) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation that it never began; expected its invoke before",
                     actor_show(&import->actors, actor).text);
        return;
    }
    struct operation *operations = &import->operations->items[actor->open];
    bool fits = completes(import, actor, operations, entry);
    actor->open_count = 0;
    if (!fits)
        return;
    int64_t moment = next_moment(import, entry);
    if (entry->type == ENTRY_INFO) {
        actor->info_line = entry->line;
        actor->ended = (size_t)moment;
        import->notes->infos++;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        operations[i].returned = instant_of_return(moment);
        operations[i].outcome = OUTCOME_OK;
        operations[i].token = entry->token;
        if (entry->type == ENTRY_FAIL)
            fail(import, entry, &operations[i]);
    }
}

// A process that did something after its :info is another one, if it is a client that goes on.
static bool goes_on(struct import *import, struct actor *actor, const struct entry *entry)
{
    if (actor->info_line == 0)
        return true;
    if (import->options->owner == OWNER_IS_CLIENT && entry->type == ENTRY_INVOKE) {
        actor->info_line = 0;
        actors_begin_process(&import->actors, actor);
        return true;
    }
    problems_add(import->problems, entry->line,
                 "%s goes on after its info in line %u: as nobody knows whether that operation "
                 "is still to happen, its process must do nothing more; expected another process "
                 "number for what follows, as Jepsen gives it, or --owner client",
                 actor_show(&import->actors, actor).text, actor->info_line);
    return false;
}

static void note_client(struct import *import, struct actor *actor, const struct entry *entry)
{
    uint32_t client =
        labels_number(&import->actors.clients, entry->client.bytes, entry->client.length);
    if (actor->client == NO_LABEL) {
        actor->client = client;
        actor->client_line = entry->line;
    } else if (actor->client != client && import->options->owner == OWNER_IS_CLIENT) {
        problems_add(import->problems, entry->line,
                     "the client of %s is %s here, and was %s in line %u; expected one client for "
                     "each process",
                     actor_show(&import->actors, actor).text, import->actors.clients.items[client],
                     import->actors.clients.items[actor->client], actor->client_line);
    }
}

static void take(struct import *import, const struct entry *entry)
{
    struct import_notes *notes = import->notes;
    if (!is_in_order(import, entry))
        return;
    if (entry->use != ENTRY_TAKEN ||
        (entry->kind == OPERATION_RENEW && !import->options->has_leases)) {
        size_t *count = entry->use == ENTRY_OF_NEMESIS ? &notes->nemesis
                        : entry->use == ENTRY_SKIPPED  ? &notes->skipped
                                                       : &notes->renewals;
        *count += entry->type == ENTRY_INVOKE || entry->use == ENTRY_OF_NEMESIS;
        return;
    }
    struct actor *actor = actors_find(&import->actors, entry);
    notes->tokens += entry->has_idle_token;
    if (entry->client.length > 0)
        note_client(import, actor, entry);
    if (!goes_on(import, actor, entry))
        return;
    if (entry->type == ENTRY_INVOKE)
        invoke(import, actor, entry);
    else
        complete(import, actor, entry);
    if (actor->began == 0)
        actor->began = import->operations->event_count;
}

// To the end, or to where a line is not in its place.
static void take_all(struct import *import, const char *bytes, size_t length)
{
    struct entry entry;
    reader_start(&import->reader, import->format, bytes, length, import->problems);
    while (!problems_suffice(import->problems) && !import->is_disordered) {
        enum map_reading reading = next_entry(import, &entry);
        if (reading == READING_END)
            break;
        if (reading == READING_MAP)
            take(import, &entry);
    }
}

// --- by index ------------------------------------------------------------------------------------

// Where a line is, which is to be read in the order of its index.
struct position {
    const char *at;
    uint32_t line;
};

static void take_sorted(struct import *import, struct ranked *order, size_t count,
                        const struct position *positions)
{
    struct entry entry;
    sort_ranked(order, count);
    for (size_t i = 0; i < count && !problems_suffice(import->problems); i++) {
        import->reader.at = positions[order[i].index].at;
        import->reader.line = positions[order[i].index].line;
        import->reader.list_line = 0;
        if (next_entry(import, &entry) == READING_MAP)
            take(import, &entry);
    }
}

// Reads it all to learn the indices, then again in their order; in that of the lines if one has
// none.
static void take_by_index(struct import *import, const char *bytes, size_t length)
{
    AUTO_FREE struct ranked *order = NULL;
    AUTO_FREE struct position *positions = NULL;
    size_t count = 0, room = 0, position_count = 0, position_room = 0;
    struct entry entry;
    bool all = true;
    reader_start(&import->reader, import->format, bytes, length, import->problems);
    for (;;) {
        struct position position = {import->reader.at, import->reader.line};
        enum map_reading reading = next_entry(import, &entry);
        if (reading == READING_END || problems_suffice(import->problems))
            break;
        if (reading != READING_MAP)
            continue;
        all &= entry.index >= 0 || entry.use == ENTRY_OF_NEMESIS;
        if (entry.index < 0)
            continue;
        *APPEND(order, count, room) = (struct ranked){entry.index, position_count};
        *APPEND(positions, position_count, position_room) = position;
    }
    if (import->problems->count == 0 && all) {
        import->notes->was_sorted = true;
        take_sorted(import, order, count, positions);
    } else if (import->problems->count == 0) {
        reader_stop(&import->reader);
        import->ignores_index = true;
        take_all(import, bytes, length);
    }
}

// --- the whole -----------------------------------------------------------------------------------

// The labels become those of the operations.
static void hand_over(struct import *import)
{
    struct operations *operations = import->operations;
    struct labels *names = &import->names;
    actors_hand_over(&import->actors, import->options, operations, import->notes, import->problems);
    operations->name_count = names->count > 0 ? names->count : 1;
    bool named = names->count > 1 || (names->count == 1 && names->items[0][0] != '\0');
    for (uint32_t i = 0; named && i < names->count; i++) {
        if (names->items[i][0] == '\0') {
            free(names->items[i]);
            names->items[i] = memory_string("without a name");
        }
    }
    if (named) {
        operations->names = names->items;
        names->items = NULL;
    }
    operations->errors = import->errors.items;
    operations->error_count = import->errors.count;
    import->errors.items = NULL;
}

static void forget(struct import *import)
{
    reader_stop(&import->reader);
    actors_free(&import->actors);
    labels_free(&import->names);
    free(import->number_names);
    labels_free(&import->errors);
}

static void complain_of_value(struct import *import)
{
    if (import->unclear_line != 0 && !import->has_uid)
        problems_add(import->problems, import->unclear_line,
                     "the value is %s: Lockpick cannot tell what that says; --value name (each "
                     "is a lock of its own), permits (so many are acquired or released), token (of "
                     "a successful acquire) or nothing says it",
                     import->unclear.text);
}

int import_history(enum import_format format, const char *bytes, size_t length,
                   const struct import_options *options, struct operations *operations,
                   struct import_notes *notes, struct problems *problems)
{
    const struct problems before = *problems;
    struct import import = {.options = options,
                            .format = format,
                            .operations = operations,
                            .notes = notes,
                            .problems = problems,
                            .index = -1};
    const struct import fresh = import;
    *notes = (struct import_notes){0};
    take_all(&import, bytes, length);
    if (import.is_disordered) {
        // What went wrong so far may have been the order.
        problems->count = before.count;
        problems->text.length = before.text.length;
        if (problems->text.bytes != NULL)
            problems->text.bytes[before.text.length] = '\0';
        forget(&import);
        operations_free(operations);
        *notes = (struct import_notes){0};
        import = fresh;
        take_by_index(&import, bytes, length);
    }
    complain_of_value(&import);
    hand_over(&import);
    forget(&import);
    return problems->count > before.count ? -1 : 0;
}
