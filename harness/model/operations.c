#include "harness/model/operations.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct operation *operations_add(struct operations *operations, struct operation operation)
{
    struct operation *added = APPEND(operations->items, operations->count, operations->room);
    *added = operation;
    return added;
}

static void free_labels(char **labels, size_t count)
{
    for (size_t i = 0; labels != NULL && i < count; i++)
        free(labels[i]);
    free(labels);
}

void operations_free(struct operations *operations)
{
    free(operations->items);
    free_labels(operations->processes, operations->process_count);
    free_labels(operations->names, operations->name_count);
    free_labels(operations->errors, operations->error_count);
    free(operations->numbers);
    free(operations->owners);
    free(operations->events);
    *operations = (struct operations){0};
}

const char *operation_process(const struct operations *operations, uint32_t process, char *text)
{
    bool known = process < operations->process_count;
    if (known && operations->processes != NULL && operations->processes[process] != NULL)
        snprintf(text, OPERATION_TEXT_ROOM, "%s", operations->processes[process]);
    else
        snprintf(text, OPERATION_TEXT_ROOM, "process %" PRId64,
                 known && operations->numbers != NULL ? operations->numbers[process] : process);
    return text;
}

// The event of an instant, or NULL.
static const struct operation_event *event_of(const struct operations *operations, int64_t instant)
{
    int64_t moment = moment_of(instant);
    bool known = operations->events != NULL && moment >= 1 &&
                 moment <= (int64_t)operations->event_count && instant != INSTANT_NEVER;
    return known ? &operations->events[moment - 1] : NULL;
}

const char *operation_place(const struct operations *operations, int64_t instant, char *text)
{
    const struct operation_event *event = event_of(operations, instant);
    if (instant == INSTANT_NEVER)
        snprintf(text, OPERATION_TEXT_ROOM, "the end");
    else if (event != NULL)
        snprintf(text, OPERATION_TEXT_ROOM, "line %u", event->line);
    else
        snprintf(text, OPERATION_TEXT_ROOM, "%.6f s",
                 (double)(moment_of(instant) - operations->zero_ns) / (double)NS_PER_S);
    return text;
}

int64_t operation_span_ns(const struct operations *operations, int64_t from, int64_t to)
{
    if (from == INSTANT_NEVER || to == INSTANT_NEVER)
        return -1;
    if (operations->events == NULL)
        return moment_of(to) - moment_of(from);
    const struct operation_event *first = event_of(operations, from);
    const struct operation_event *last = event_of(operations, to);
    if (first == NULL || last == NULL || first->at_ns == TIME_NEVER || last->at_ns == TIME_NEVER)
        return -1;
    int64_t span_ns = last->at_ns - first->at_ns;
    return span_ns >= 0 && span_ns >= operations->clock_back_ns ? span_ns : -1;
}
