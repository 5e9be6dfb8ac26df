#include "harness/report/model_picture_scene.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"

#include <stdlib.h>

// A window wider than so many times the violation shows only what is near.
#define WIDEST 40
// More bars than can be told apart are left out.
#define MOST_BARS 4000

static const struct operation *evidence_of(const struct scene *scene, size_t which)
{
    size_t index = scene->violation->operations[which];
    return index < scene->operations->count ? &scene->operations->items[index] : NULL;
}

bool scene_is_evidence(const struct scene *scene, size_t operation)
{
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        if (scene->violation->operations[i] == operation)
            return true;
    }
    return false;
}

// --- when ----------------------------------------------------------------------------------------

// The last instant of the history.
static int64_t end_of(const struct operations *operations)
{
    int64_t end = 0;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        end = time_later(end, operation->invoked);
        if (operation->returned != INSTANT_NEVER)
            end = time_later(end, operation->returned);
    }
    return end;
}

// The next thing that the process does after its operation: a hold is seen to its end.
static int64_t next_by(const struct operations *operations, const struct operation *before)
{
    int64_t next = INSTANT_NEVER;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        if (operation->process == before->process && operation->name == before->name &&
            operation->invoked > before->invoked)
            next = time_earlier(next, operation->returned != INSTANT_NEVER ? operation->returned
                                                                           : operation->invoked);
    }
    return next;
}

static void choose_window(struct scene *scene)
{
    const struct model_violation *violation = scene->violation;
    int64_t end = end_of(scene->operations);
    int64_t from = violation->from;
    int64_t to = time_earlier(violation->to, end);
    to = time_later(to, from + 1);
    int64_t length = to - from;
    scene->from = from;
    scene->to = to;
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        const struct operation *operation = evidence_of(scene, i);
        if (operation == NULL)
            continue;
        scene->from = time_earlier(scene->from, operation->invoked);
        scene->to = time_later(scene->to, time_earlier(operation->returned, end));
        scene->to = time_later(scene->to, time_earlier(next_by(scene->operations, operation), end));
    }
    int64_t room = time_later(length, 4) * WIDEST / 2;
    scene->from = time_later(scene->from, from - room);
    scene->to = time_earlier(scene->to, to + room);
    int64_t margin = (scene->to - scene->from) / 12 + 2;
    scene->from -= margin;
    scene->to += margin;
}

// --- who -----------------------------------------------------------------------------------------

// The row of a process, or SIZE_MAX.
static size_t row_of(const struct scene *scene, uint32_t process)
{
    for (size_t i = 0; i < scene->row_count; i++) {
        if (scene->rows[i] == process)
            return i;
    }
    return SIZE_MAX;
}

static bool is_about(const struct scene *scene, const struct operation *operation)
{
    const struct operation *evidence = evidence_of(scene, 0);
    return evidence == NULL || evidence->name == operation->name;
}

static bool touches(const struct scene *scene, const struct operation *operation)
{
    return operation->invoked <= scene->to && operation->returned >= scene->from;
}

static int compare_processes(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

struct turn {
    int64_t invoked;
    size_t operation;
};

static int compare_turns(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    if (a->invoked != b->invoked)
        return a->invoked < b->invoked ? -1 : 1;
    return (a->operation > b->operation) - (a->operation < b->operation);
}

// All operations of the violation's lock, in the order of their invocation. The caller frees them.
static struct turn *turns_of(const struct scene *scene, size_t *count)
{
    const struct operations *operations = scene->operations;
    struct turn *turns = memory_new((operations->count + 1) * sizeof *turns);
    *count = 0;
    for (size_t i = 0; i < operations->count; i++) {
        if (is_about(scene, &operations->items[i]))
            turns[(*count)++] = (struct turn){operations->items[i].invoked, i};
    }
    qsort(turns, *count, sizeof *turns, compare_turns);
    return turns;
}

// Who is not shown.
struct hidden {
    bool *processes;
    size_t count;
};

static void show_process(struct scene *scene, uint32_t process, struct hidden *hidden)
{
    if (row_of(scene, process) != SIZE_MAX)
        return;
    if (scene->row_count < SCENE_ROWS) {
        scene->rows[scene->row_count++] = process;
    } else if (process < scene->operations->process_count && !hidden->processes[process]) {
        hidden->processes[process] = true;
        hidden->count++;
    }
}

// Those that had been granted it before the window, and had not released it when that begins:
// perhaps nothing that they do lies in it.
static void show_holders(struct scene *scene, struct hidden *hidden)
{
    const struct operations *operations = scene->operations;
    size_t count;
    struct turn *turns = turns_of(scene, &count);
    size_t *depths = memory_zeroed((size_t)operations->process_count + 1, sizeof *depths);
    for (size_t i = 0; i < count && turns[i].invoked < scene->from; i++) {
        const struct operation *operation = &operations->items[turns[i].operation];
        if (operation->process >= operations->process_count)
            continue;
        size_t *depth = &depths[operation->process];
        bool ends = operation->kind == OPERATION_RELEASE && operation->outcome != OUTCOME_NO &&
                    operation->returned < scene->from;
        if (operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK)
            (*depth)++;
        else if (ends && *depth > 0)
            (*depth)--;
    }
    for (uint32_t process = 0; process < operations->process_count; process++) {
        if (depths[process] > 0)
            show_process(scene, process, hidden);
    }
    free(depths);
    free(turns);
}

static void choose_rows(struct scene *scene)
{
    const struct operations *operations = scene->operations;
    struct hidden hidden = {
        memory_zeroed((size_t)operations->process_count + 1, sizeof *hidden.processes), 0};
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        const struct operation *operation = evidence_of(scene, i);
        if (operation != NULL)
            show_process(scene, operation->process, &hidden);
    }
    scene->evidence_rows = scene->row_count;
    show_holders(scene, &hidden);
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        if (touches(scene, operation) && is_about(scene, operation))
            show_process(scene, operation->process, &hidden);
    }
    scene->hidden = hidden.count;
    qsort(scene->rows + scene->evidence_rows, scene->row_count - scene->evidence_rows,
          sizeof *scene->rows, compare_processes);
    free(hidden.processes);
}

// --- what ----------------------------------------------------------------------------------------

// What one process holds, while its operations are read: bars of holds not yet released.
struct stack {
    size_t *items;
    size_t count, room;
};

static size_t add_bar(struct scene *scene, struct scene_bar bar)
{
    *APPEND(scene->bars, scene->bar_count, scene->bar_room) = bar;
    return scene->bar_count - 1;
}

static void see(struct scene *scene, struct stack *stack, size_t row, size_t index)
{
    const struct operation *operation = &scene->operations->items[index];
    struct scene_bar bar = {SCENE_HOLD, row, index, SIZE_MAX, stack->count};
    if (operation->outcome == OUTCOME_NO) {
        bar.kind = SCENE_REFUSED;
        add_bar(scene, bar);
    } else if (operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK) {
        *APPEND(stack->items, stack->count, stack->room) = add_bar(scene, bar);
    } else if (operation->kind == OPERATION_ACQUIRE) {
        bar.kind = SCENE_UNKNOWN_ACQUIRE;
        add_bar(scene, bar);
    } else if (stack->count > 0) {
        scene->bars[stack->items[--stack->count]].release = index;
    } else {
        bar.kind = SCENE_STRAY_RELEASE;
        add_bar(scene, bar);
    }
}

// Until when a bar may reach.
static int64_t bar_end(const struct scene *scene, const struct scene_bar *bar)
{
    const struct operation *items = scene->operations->items;
    if (bar->kind == SCENE_HOLD)
        return bar->release == SIZE_MAX ? INSTANT_NEVER : items[bar->release].returned;
    return bar->kind == SCENE_UNKNOWN_ACQUIRE ? INSTANT_NEVER : items[bar->operation].returned;
}

// Only what touches the window stays.
static void drop_others(struct scene *scene)
{
    size_t kept = 0;
    for (size_t i = 0; i < scene->bar_count; i++) {
        const struct scene_bar *bar = &scene->bars[i];
        bool seen = scene->operations->items[bar->operation].invoked <= scene->to &&
                    bar_end(scene, bar) >= scene->from;
        if (seen && kept < MOST_BARS)
            scene->bars[kept++] = *bar;
    }
    scene->bar_count = kept;
}

static void collect_bars(struct scene *scene)
{
    const struct operations *operations = scene->operations;
    struct stack stacks[SCENE_ROWS] = {{0}};
    size_t count;
    struct turn *turns = turns_of(scene, &count);
    for (size_t i = 0; i < count && turns[i].invoked <= scene->to; i++) {
        size_t row = row_of(scene, operations->items[turns[i].operation].process);
        if (row != SIZE_MAX)
            see(scene, &stacks[row], row, turns[i].operation);
    }
    // Releases beyond the window end what reaches into it.
    for (size_t i = 0; i < count; i++) {
        const struct operation *operation = &operations->items[turns[i].operation];
        size_t row = row_of(scene, operation->process);
        bool ends = operation->kind == OPERATION_RELEASE && operation->outcome != OUTCOME_NO;
        if (row != SIZE_MAX && operation->invoked > scene->to && ends && stacks[row].count > 0)
            scene->bars[stacks[row].items[--stacks[row].count]].release = turns[i].operation;
    }
    for (size_t row = 0; row < SCENE_ROWS; row++)
        free(stacks[row].items);
    free(turns);
    drop_others(scene);
}

void scene_make(const struct operations *operations, const struct model_violation *violation,
                struct scene *scene)
{
    *scene = (struct scene){.operations = operations, .violation = violation};
    choose_window(scene);
    choose_rows(scene);
    collect_bars(scene);
}

void scene_free(struct scene *scene)
{
    free(scene->bars);
    *scene = (struct scene){0};
}
