#include "harness/import/import.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/import/entry_stream.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_NUMBER (INT64_C(1) << 24)

// --- labels: numbers for the names that a history has --------------------------------------------

// Zero-initialise; free with labels_free.
struct labels {
    char **items; // owned; the caller may take them away
    uint32_t count;
    size_t room;
    uint32_t *slots; // a hash table of numbers, each one more; 0: empty
    size_t slot_count;
    uint32_t *by_number; // the same of texts that are small numbers, as most names are
    size_t by_number_count;
};

// A number as it is written of itself, below SMALL_NUMBER; -1: the text is none.
static int64_t small_number(const char *text, size_t length)
{
    int64_t number = 0;
    size_t digits = 0;
    for (; digits < length && (unsigned char)(text[digits] - '0') < 10 && digits <= 7; digits++)
        number = number * 10 + (text[digits] - '0');
    bool is_plain = length == 1 || (length > 1 && text[0] != '0');
    return digits == length && is_plain && number < SMALL_NUMBER ? number : -1;
}

// Where the text is, or would be: by FNV-1a, 64 bits (Fowler, Noll, Vo), and its halves mixed, as
// the table uses the lower bits.
static uint32_t *slot_of(const struct labels *labels, const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    for (size_t slot = (size_t)(hash ^ hash >> 32);; slot++) {
        uint32_t *at = &labels->slots[slot & (labels->slot_count - 1)];
        const char *item = *at != 0 ? labels->items[*at - 1] : NULL;
        if (item == NULL ||
            ((length == 0 || strncmp(item, text, length) == 0) && item[length] == '\0'))
            return at;
    }
}

// Never more than half of the slots are taken, however many small numbers came since it grew last.
static void grow(struct labels *labels)
{
    do {
        labels->slot_count = labels->slot_count > 0 ? labels->slot_count * 2 : 64;
    } while ((size_t)labels->count * 2 >= labels->slot_count);
    free(labels->slots);
    labels->slots = memory_zeroed(labels->slot_count, sizeof *labels->slots);
    for (uint32_t i = 0; i < labels->count; i++)
        *slot_of(labels, labels->items[i], strlen(labels->items[i])) = i + 1;
}

// The number of that text: a new one if it was not there before.
static uint32_t labels_number(struct labels *labels, const char *text, size_t length)
{
    int64_t number = small_number(text, length);
    if (number >= 0)
        labels->by_number = reaching(labels->by_number, &labels->by_number_count, (size_t)number,
                                     sizeof *labels->by_number);
    else if ((size_t)labels->count * 2 >= labels->slot_count)
        grow(labels);
    uint32_t *slot = number >= 0 ? &labels->by_number[number] : slot_of(labels, text, length);
    if (*slot != 0)
        return *slot - 1;
    labels->items = grown(labels->items, labels->count, &labels->room, sizeof *labels->items);
    labels->items[labels->count] = text_formatted("%.*s", (int)length, length > 0 ? text : "");
    *slot = ++labels->count;
    return labels->count - 1;
}

static void labels_free(struct labels *labels)
{
    for (uint32_t i = 0; labels->items != NULL && i < labels->count; i++)
        free(labels->items[i]);
    free(labels->items);
    free(labels->slots);
    free(labels->by_number);
}

// --- actors: the processes of a history, and whose they are --------------------------------------

#define NO_LABEL UINT32_MAX

// A process as the history numbers or names it.
struct actor {
    int64_t number;       // of those without a name
    uint32_t name;        // a label; NO_LABEL: it has its number
    uint32_t client;      // a label: what values call its client; NO_LABEL if they never do
    uint32_t process;     // of the operations: another one after an :info that it went on after
    uint32_t client_line; // that first did
    uint32_t info_line;   // where it ended with an :info; 0: it did not
    uint32_t open_count;  // operations that are open: as many as permits are asked for
    size_t open;          // the first of them
    size_t began, ended;  // moments of its first line, and of its :info; 0: none
};

struct actors {
    struct actor *items;
    size_t count, room;
    uint32_t *by_number; // of small numbers: an index, and one more
    size_t by_number_count;
    struct labels texts; // of names, and of other numbers
    uint32_t *by_text;
    size_t by_text_count;
    struct labels clients;
    uint32_t *of_process; // the index of its actor
    size_t process_count, process_room;
};

// Gives it a new process.
static void actors_begin_process(struct actors *actors, struct actor *actor)
{
    actor->process = (uint32_t)actors->process_count;
    *APPEND(actors->of_process, actors->process_count, actors->process_room) =
        (uint32_t)(actor - actors->items);
}

// The actor whose index is kept in an array that may have to grow; a new one if there is none.
static struct actor *keep(struct actors *actors, uint32_t **indices, size_t *count, size_t at,
                          const struct entry *entry)
{
    *indices = reaching(*indices, count, at, sizeof **indices);
    if ((*indices)[at] != 0)
        return &actors->items[(*indices)[at] - 1];
    *APPEND(actors->items, actors->count, actors->room) =
        (struct actor){.number = entry->number, .name = NO_LABEL, .client = NO_LABEL};
    struct actor *actor = &actors->items[actors->count - 1];
    actors_begin_process(actors, actor);
    (*indices)[at] = (uint32_t)actors->count;
    return actor;
}

// The actor of an entry, which is good until the next call.
static struct actor *actors_find(struct actors *actors, const struct entry *entry)
{
    char digits[24];
    bool is_named = entry->process.length > 0;
    if (!is_named && entry->number >= 0 && entry->number < SMALL_NUMBER)
        return keep(actors, &actors->by_number, &actors->by_number_count, (size_t)entry->number,
                    entry);
    struct slice text = entry->process;
    if (!is_named) { // what no word is
        snprintf(digits, sizeof digits, " %" PRId64, entry->number);
        text = (struct slice){digits, strlen(digits)};
    }
    uint32_t label = labels_number(&actors->texts, text.bytes, text.length);
    struct actor *actor = keep(actors, &actors->by_text, &actors->by_text_count, label, entry);
    actor->name = is_named ? label : NO_LABEL;
    return actor;
}

// "process 3".
static struct shown actor_show(const struct actors *actors, const struct actor *actor)
{
    struct shown shown;
    if (actor->name != NO_LABEL)
        snprintf(shown.text, sizeof shown.text, "process %s", actors->texts.items[actor->name]);
    else
        snprintf(shown.text, sizeof shown.text, "process %" PRId64, actor->number);
    return shown;
}

// --- clients -------------------------------------------------------------------------------------

static bool is_numbered(const struct actor *actor)
{
    return actor->name == NO_LABEL && actor->number >= 0 && actor->number < SMALL_NUMBER;
}

// True if every process from `concurrency` on came after the :info of the one so many before it.
// `*hint` is the one that did not the last time, so that nearly always it is the next one.
static bool explains(const struct actors *actors, int64_t concurrency, size_t *hint)
{
    for (size_t i = 0; i < actors->count; i++) {
        size_t at = (*hint + i) % actors->count;
        const struct actor *actor = &actors->items[at];
        if (!is_numbered(actor) || actor->number < concurrency)
            continue;
        uint32_t before = actors->by_number[actor->number - concurrency]; // its index, and one more
        size_t ended = before != 0 ? actors->items[before - 1].ended : 0;
        if (ended != 0 && ended < actor->began)
            continue;
        *hint = at;
        return false;
    }
    return true;
}

// How many processes there were at first. Jepsen numbers them from 0; who ends with an :info goes
// on under its number and so many more. All that began before the first :info are of the first.
static int64_t find_concurrency(const struct actors *actors)
{
    size_t first_info = SIZE_MAX;
    int64_t concurrency = 1;
    for (size_t i = 0; i < actors->count; i++) {
        if (actors->items[i].ended != 0 && actors->items[i].ended < first_info)
            first_info = actors->items[i].ended;
    }
    for (size_t i = 0; i < actors->count; i++) {
        const struct actor *actor = &actors->items[i];
        if (is_numbered(actor) && actor->began < first_info && actor->number >= concurrency)
            concurrency = actor->number + 1;
    }
    for (size_t hint = 0; !explains(actors, concurrency, &hint);)
        concurrency++;
    return concurrency;
}

// Who two processes of one thread are: the client that their values name, else the thread.
static void find_owners(struct actors *actors, uint32_t *owners, struct problems *problems)
{
    size_t count = actors->count;
    uint32_t *client_of = memory_new((count + 1) * sizeof *client_of); // by thread, as `owners` has
    AUTO_FREE uint32_t *owner_of = memory_new((actors->clients.count + 1) * sizeof *owner_of);
    for (size_t i = 0; i < count; i++)
        client_of[i] = NO_LABEL;
    for (size_t i = 0; i < actors->clients.count; i++)
        owner_of[i] = NO_LABEL;
    for (size_t i = 0; i < count; i++) {
        const struct actor *actor = &actors->items[i];
        if (actor->client == NO_LABEL)
            continue;
        if (owner_of[actor->client] == NO_LABEL)
            owner_of[actor->client] = (uint32_t)i;
        else if (owners[owner_of[actor->client]] != owners[i])
            problems_add(problems, actor->client_line,
                         "the client %s is that of %s and of %s, which are no successors of one "
                         "another: --concurrency N says how many processes there were at first",
                         actors->clients.items[actor->client],
                         actor_show(actors, &actors->items[owner_of[actor->client]]).text,
                         actor_show(actors, actor).text);
        if (client_of[owners[i]] == NO_LABEL)
            client_of[owners[i]] = actor->client;
    }
    for (size_t i = 0; i < count; i++) {
        const struct actor *actor = &actors->items[i];
        uint32_t client = actor->client != NO_LABEL ? actor->client : client_of[owners[i]];
        owners[i] = client != NO_LABEL ? owner_of[client] : owners[i];
    }
    free(client_of);
}

// The index of the first process of each one's thread; then, of its client.
static uint32_t *own(struct actors *actors, int64_t concurrency, struct import_notes *notes,
                     struct problems *problems)
{
    uint32_t *owners = memory_new((actors->count + 1) * sizeof *owners);
    uint32_t *threads = memory_zeroed(actors->by_number_count + 1, sizeof *threads);
    for (size_t i = 0; i < actors->count; i++) {
        const struct actor *actor = &actors->items[i];
        owners[i] = (uint32_t)i;
        if (!is_numbered(actor))
            continue;
        uint32_t *thread = &threads[actor->number % concurrency];
        notes->continued += *thread != 0;
        *thread = *thread != 0 ? *thread : (uint32_t)i + 1;
        owners[i] = *thread - 1;
    }
    free(threads);
    if (actors->clients.count > 0)
        find_owners(actors, owners, problems);
    return owners;
}

// Tells the operations who their processes are, and to whom they belong.
static void actors_hand_over(struct actors *actors, const struct import_options *options,
                             struct operations *operations, struct import_notes *notes,
                             struct problems *problems)
{
    size_t count = actors->process_count;
    operations->process_count = (uint32_t)count;
    operations->numbers = memory_new((count + 1) * sizeof *operations->numbers);
    if (actors->texts.count > 0)
        operations->processes = memory_zeroed(count, sizeof *operations->processes);
    notes->continued = count - actors->count;
    notes->concurrency = options->concurrency > 0 ? options->concurrency : find_concurrency(actors);
    AUTO_FREE uint32_t *owners = own(actors, notes->concurrency, notes, problems);
    if (options->owner == OWNER_IS_CLIENT)
        operations->owners = memory_new((count + 1) * sizeof *operations->owners);
    for (size_t i = 0; i < count; i++) {
        const struct actor *actor = &actors->items[actors->of_process[i]];
        operations->numbers[i] = actor->number;
        if (actor->name != NO_LABEL)
            operations->processes[i] = memory_string(actor_show(actors, actor).text);
        if (operations->owners != NULL)
            operations->owners[i] = owners[actors->of_process[i]];
    }
}

// --- an import -----------------------------------------------------------------------------------

// Longer texts are read by two threads.
#define MOST_BY_ONE ((size_t)1 << 20)

struct import {
    const struct import_options *options;
    enum import_format format;
    struct operations *operations;
    struct import_notes *notes;
    struct problems *problems;
    struct actors actors;
    struct labels names;
    struct labels errors;
    size_t event_room;
    int64_t index; // of the last line that had one
    uint32_t index_line;
    bool ignores_index;
    bool is_disordered; // an index is less than one before
    int64_t at_ns;      // of the last line that had a time
    bool has_time;
    struct entry_stream stream;
};

// --- which format --------------------------------------------------------------------------------

enum import_format import_format_of(const char *path, const char *bytes, size_t length)
{
    if (fnmatch("*.edn?(.gz)", path, FNM_EXTMATCH) == 0)
        return IMPORT_EDN;
    if (fnmatch("*.json?(l)?(.gz)", path, FNM_EXTMATCH) == 0)
        return IMPORT_JSON;
    // JSON begins with [{" and no keyword; a list or a map may be all that came before.
    for (size_t i = 0; i < length; i++) {
        if (strchr(" \t\r\n[{", bytes[i]) == NULL || bytes[i] == '\0')
            return bytes[i] == '"' ? IMPORT_JSON : IMPORT_EDN;
    }
    return IMPORT_EDN;
}

// --- entries -------------------------------------------------------------------------------------

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

// The label of the lock.
static uint32_t name_of(struct import *import, const struct entry *entry)
{
    return labels_number(&import->names, entry->name.bytes, entry->name.length);
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
        operations_add(operations, (struct operation){.invoked = instant_of_invocation(moment),
                                                      .returned = INSTANT_NEVER,
                                                      .process = actor->process,
                                                      .name = name,
                                                      .kind = (uint8_t)entry->kind,
                                                      .outcome = OUTCOME_UNKNOWN,
                                                      .shared = entry->shared,
                                                      .either = entry->either});
}

// True if the completion is one of the open operation.
static bool completes(struct import *import, const struct actor *actor,
                      const struct operation *open, const struct entry *entry)
{
    if (open->kind != entry->kind || open->shared != entry->shared) {
        problems_add(import->problems, entry->line,
                     "%s ends %s, but what it began in line %u is %s",
                     actor_show(&import->actors, actor).text,
                     entry_function(entry->kind, entry->shared), line_of_invocation(import, open),
                     entry_function((enum operation_kind)open->kind, open->shared));
        return false;
    }
    if (entry->name.length > 0 && name_of(import, entry) != open->name) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation on the lock '%.*s', but what it began in line %u is on "
                     "'%s'; expected the same name in both",
                     actor_show(&import->actors, actor).text, (int)entry->name.length,
                     entry->name.bytes, line_of_invocation(import, open),
                     import->names.items[open->name]);
        return false;
    }
    if (entry->permits > 0 && entry->permits != actor->open_count) {
        problems_add(import->problems, entry->line,
                     "%s ends an operation on %lld permits, but what it began in line %u is on "
                     "%u; expected the same count in both",
                     actor_show(&import->actors, actor).text, (long long)entry->permits,
                     line_of_invocation(import, open), actor->open_count);
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

static bool goes_on_to_take(const struct import *import)
{
    return !problems_suffice(import->problems) && !import->is_disordered;
}

static bool take_and_go_on(void *import, const struct entry *entry)
{
    take(import, entry);
    return goes_on_to_take(import);
}

// To the end, or to where a line is not in its place.
static void take_all(struct import *import, const char *bytes, size_t length)
{
    struct entry_stream *stream = &import->stream;
    const struct entry *entry;
    bool may_be_two = length > MOST_BY_ONE;
    entry_stream_open(stream, import->format, bytes, length, import->options, import->problems);
    while (goes_on_to_take(import)) {
        enum map_reading found = entry_stream_next(stream, &entry);
        if (found == READING_END)
            break;
        if (found == READING_MAP && take_and_go_on(import, entry) && may_be_two) {
            // Behind the first map, and so behind what opens a list of all.
            may_be_two = false;
            entry_stream_by_two(stream, take_and_go_on, import);
        }
    }
}

// --- by index ------------------------------------------------------------------------------------

// Where a line is, which is to be read in the order of its index.
struct position {
    const char *at;
    uint32_t line;
};

// Reads it all to learn the indices, then again in their order; in that of the lines if one has
// none.
static void take_by_index(struct import *import, const char *bytes, size_t length)
{
    AUTO_FREE struct ranked *order = NULL;
    AUTO_FREE struct position *positions = NULL;
    size_t count = 0, room = 0, position_count = 0, position_room = 0;
    struct reader *reader = &import->stream.reader;
    const struct entry *entry;
    bool all = true;
    entry_stream_open(&import->stream, import->format, bytes, length, import->options,
                      import->problems);
    for (;;) {
        struct position position = {reader->at, reader->line};
        enum map_reading found = entry_stream_next(&import->stream, &entry);
        if (found == READING_END || problems_suffice(import->problems))
            break;
        if (found != READING_MAP)
            continue;
        all &= entry->index >= 0 || entry->use == ENTRY_OF_NEMESIS;
        if (entry->index < 0)
            continue;
        *APPEND(order, count, room) = (struct ranked){entry->index, position_count};
        *APPEND(positions, position_count, position_room) = position;
    }
    if (import->problems->count == 0 && all) {
        import->notes->was_sorted = true;
        sort_ranked(order, count);
        for (size_t i = 0; i < count && !problems_suffice(import->problems); i++) {
            reader->at = positions[order[i].index].at;
            reader->line = positions[order[i].index].line;
            reader->list_line = 0;
            if (entry_stream_next(&import->stream, &entry) == READING_MAP)
                take(import, entry);
        }
    } else if (import->problems->count == 0) {
        entry_stream_close(&import->stream);
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
    struct actors *actors = &import->actors;
    entry_stream_close(&import->stream);
    free(actors->items);
    free(actors->by_number);
    free(actors->by_text);
    free(actors->of_process);
    labels_free(&actors->texts);
    labels_free(&actors->clients);
    labels_free(&import->names);
    labels_free(&import->errors);
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
    if (import.stream.unclear_line != 0 && !import.stream.has_uid)
        problems_add(problems, import.stream.unclear_line,
                     "the value is %s: Lockpick cannot tell what that says; --value name (each "
                     "is a lock of its own), permits (so many are acquired or released), token (of "
                     "a successful acquire) or nothing says it",
                     import.stream.unclear.text);
    hand_over(&import);
    forget(&import);
    return problems->count > before.count ? -1 : 0;
}
