#include "harness/model/operations.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/history/reader.h"
#include "harness/history/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Beyond these the processes go by their numbers: names would take more room than operations.
#define MOST_LABELS 65536

// What one writer's events have told so far. A worker has one writer as long as its process lives.
struct stream {
    uint32_t process;
    uint32_t lives; // processes that it has been
    uint16_t client;
    uint16_t worker;
    struct worker_state state;
    bool is_unsure;  // of how often it holds the lock
    bool is_shared;  // what it acquired last
    uint32_t name;   // of the lock that it acquired last
    int64_t depth;   // how often it holds the lock
    int64_t moment;  // of its last invocation or return
    int64_t seen_ns; // of its last event
    size_t open;     // index of its last operation
};

struct taking {
    struct operations *operations;
    struct stream *streams; // by writer
    size_t stream_count, stream_room;
    bool began;    // the clients were let go
    bool is_queue; // which says itself what it gives out
};

// --- processes -----------------------------------------------------------------------------------

static uint32_t new_process(struct taking *taking, struct stream *stream)
{
    struct operations *operations = taking->operations;
    uint32_t number = operations->process_count++;
    char life[16] = "";
    stream->lives++;
    if (number == 0)
        operations->processes = memory_new(MOST_LABELS * sizeof *operations->processes);
    if (stream->lives > 1)
        snprintf(life, sizeof life, " #%u", stream->lives);
    if (number < MOST_LABELS)
        operations->processes[number] =
            text_formatted("client-%u worker-%u%s", stream->client, stream->worker, life);
    return number;
}

// --- operations ----------------------------------------------------------------------------------

static void invoke(struct taking *taking, struct stream *stream, int64_t at_ns,
                   enum operation_kind kind)
{
    stream->open = taking->operations->count;
    stream->moment = time_later(at_ns, stream->moment + 1);
    operations_add(taking->operations, (struct operation){
                                           .invoked = instant_of_invocation(stream->moment),
                                           .returned = INSTANT_NEVER,
                                           .process = stream->process,
                                           .name = stream->name,
                                           .kind = (uint8_t)kind,
                                           .outcome = OUTCOME_UNKNOWN,
                                           .shared = stream->is_shared,
                                       });
}

// Ends the open operation. If nobody knows how, its process does nothing more.
static void finish(struct taking *taking, struct stream *stream, int64_t at_ns,
                   enum outcome outcome, int64_t token)
{
    struct operation *operation = &taking->operations->items[stream->open];
    if (outcome != OUTCOME_OK && outcome != OUTCOME_NO) {
        stream->process = new_process(taking, stream);
        return;
    }
    // It may end in the nanosecond in which it began, but not before.
    stream->moment = time_later(at_ns, stream->moment);
    operation->returned = instant_of_return(stream->moment);
    operation->outcome = (uint8_t)outcome;
    operation->token = outcome == OUTCOME_OK ? token : 0;
}

static void see_return(struct taking *taking, struct stream *stream, const struct event *event)
{
    enum outcome outcome = event->outcome;
    bool is_known = outcome == OUTCOME_OK || outcome == OUTCOME_NO;
    if (is_known && (event->kind == EVENT_RELEASE_RETURN || event->kind == EVENT_LEAVE_RETURN))
        outcome = release_outcome((enum release_answer)event->detail);
    switch (event->kind) {
    case EVENT_ACQUIRE_RETURN:
        finish(taking, stream, event->at_ns, outcome, event->acquire_return.token);
        stream->depth += outcome == OUTCOME_OK;
        break;
    case EVENT_REENTER_RETURN:
        // A reentry that nobody knows of is left to a process of its own: it may have happened.
        if (is_known)
            finish(taking, stream, event->at_ns, outcome, 0);
        else
            taking->operations->items[stream->open].process = new_process(taking, stream);
        stream->is_unsure |= !is_known;
        stream->depth += outcome == OUTCOME_OK;
        break;
    case EVENT_RELEASE_RETURN:
        if (outcome == OUTCOME_OK && stream->is_unsure)
            outcome = OUTCOME_UNKNOWN;
        finish(taking, stream, event->at_ns, outcome, 0);
        stream->depth = 0;
        stream->is_unsure = false;
        break;
    default: // either way it still holds the lock, until its release
        stream->is_unsure |= outcome != OUTCOME_OK && outcome != OUTCOME_NO;
        finish(taking, stream, event->at_ns, outcome == OUTCOME_NO ? OUTCOME_NO : OUTCOME_OK, 0);
        stream->depth -= outcome != OUTCOME_NO;
        break;
    }
}

// --- events that are lost ------------------------------------------------------------------------

// Nobody knows what the worker did next. What it held it may have released at once.
static void break_off(struct taking *taking, struct stream *stream)
{
    enum worker_phase phase = stream->state.phase;
    bool is_open = worker_waits(&stream->state);
    if (phase == WORKER_ENTERING) {
        taking->operations->items[stream->open].process = new_process(taking, stream);
        is_open = false;
    } else if (phase == WORKER_LEAVING) {
        finish(taking, stream, stream->moment, OUTCOME_OK, 0);
        is_open = false;
        stream->depth--;
    }
    for (; !is_open && stream->depth > 0; stream->depth--) {
        is_open = stream->depth == 1;
        invoke(taking, stream, stream->seen_ns, OPERATION_RELEASE);
        if (!is_open) // the last one may not have been done
            finish(taking, stream, stream->moment, OUTCOME_OK, 0);
    }
    if (is_open)
        stream->process = new_process(taking, stream);
    stream->state = (struct worker_state){WORKER_IDLE, 0};
    stream->is_unsure = false;
    stream->depth = 0;
}

// --- events --------------------------------------------------------------------------------------

// Which of several locks; the only one has the number 0.
static uint32_t see_name(struct taking *taking, int64_t key)
{
    uint32_t name = key > 0 ? (uint32_t)key - 1 : 0;
    if (name >= taking->operations->name_count)
        taking->operations->name_count = name + 1;
    return name;
}

static void see(struct taking *taking, struct stream *stream, const struct event *event)
{
    if (event->kind == EVENT_BARRIER_OPEN && !taking->began) {
        taking->began = true;
        taking->operations->zero_ns = event->at_ns;
    }
    if (event->client == 0 || event->kind == EVENT_RENEW_INVOKE ||
        event->kind == EVENT_RENEW_RETURN)
        return;
    stream->client = event->client;
    stream->worker = event->worker;
    stream->seen_ns = time_later(event->at_ns, stream->seen_ns);
    if (event->kind == EVENT_GIVEN && worker_waits(&stream->state)) {
        taking->is_queue = true;
        stream->name = see_name(taking, event->given.key);
        taking->operations->items[stream->open].name = stream->name;
    }
    bool was_open = worker_waits(&stream->state);
    if (!worker_step(&stream->state, event))
        return;
    if (!worker_waits(&stream->state)) {
        see_return(taking, stream, event);
        return;
    }
    if (stream->lives == 0 || was_open)
        stream->process = new_process(taking, stream);
    bool acquires = event->kind == EVENT_ACQUIRE_INVOKE || event->kind == EVENT_REENTER_INVOKE;
    if (event->kind == EVENT_ACQUIRE_INVOKE) {
        stream->name = see_name(taking, event->acquire_invoke.key);
        stream->is_shared = event->detail != 0;
    }
    invoke(taking, stream, event->at_ns, acquires ? OPERATION_ACQUIRE : OPERATION_RELEASE);
}

static void take(struct taking *taking, struct history_scan *scan,
                 struct history_condition *condition)
{
    for (struct history_piece piece; history_scan_next(scan, &piece);) {
        if (piece.writer == taking->stream_count)
            *APPEND(taking->streams, taking->stream_count, taking->stream_room) =
                (struct stream){.lives = 0};
        struct stream *stream = &taking->streams[piece.writer];
        if (piece.is_after_gap)
            break_off(taking, stream);
        for (size_t i = 0; i < piece.count; i++)
            see(taking, stream, &piece.events[i]);
    }
    history_scan_condition(scan, condition);
    for (size_t i = 0; condition->state != HISTORY_WHOLE && i < taking->stream_count; i++)
        break_off(taking, &taking->streams[i]);
    // A refusal claims that somebody had the lock, of whom nothing may be left. Who got nothing
    // from a queue asked for no lock in particular.
    bool is_damaged = condition->state == HISTORY_DAMAGED;
    struct operations *operations = taking->operations;
    size_t kept = 0;
    if (!is_damaged && !taking->is_queue)
        return;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        bool is_left_out = operation->kind == OPERATION_ACQUIRE &&
                           ((is_damaged && operation->outcome == OUTCOME_NO) ||
                            (taking->is_queue && operation->outcome != OUTCOME_OK));
        if (!is_left_out)
            operations->items[kept++] = *operation;
    }
    operations->count = kept;
}

int operations_from_history(const char *path, struct operations *operations,
                            struct history_condition *condition, struct error *error)
{
    struct history_scan *scan = history_scan_open(path, error);
    if (scan == NULL)
        return -1;
    struct taking taking = {.operations = operations};
    operations->name_count = 1;
    operations->room = history_scan_events(scan) / 2;
    operations->items = memory_soon_full(operations->room * sizeof *operations->items);
    operations->zero_ns = history_scan_began_ns(scan);
    take(&taking, scan, condition);
    history_scan_close(scan);
    free(taking.streams);
    if (operations->process_count > MOST_LABELS) {
        for (uint32_t i = 0; i < MOST_LABELS; i++)
            free(operations->processes[i]);
        free(operations->processes);
        operations->processes = NULL;
    }
    if (operations->name_count > 1)
        operations->names = memory_zeroed(operations->name_count, sizeof *operations->names);
    for (uint32_t i = 0; operations->names != NULL && i < operations->name_count; i++) {
        char label[16];
        snprintf(label, sizeof label, "%u", i + 1);
        operations->names[i] = memory_string(label);
    }
    return 0;
}
