#include "harness/check/by_key.h"

#include "harness/base/growing.h"
#include "harness/history/sense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- whose an event is ---------------------------------------------------------------------------

// Whose each event of a history is, as far as was looked.
struct owners {
    uint16_t *of_events; // 0: nobody's own
    uint16_t *now;       // of what each worker does, by client and worker
    size_t now_count;
};

static uint16_t *now_of(struct owners *owners, const struct event *event)
{
    size_t index = (size_t)event->client * (MOST_WORKERS + 1) + event->worker;
    owners->now = reaching(owners->now, &owners->now_count, index, sizeof *owners->now);
    return &owners->now[index];
}

static uint16_t owner_of(struct owners *owners, const struct event *event)
{
    switch (event->kind) {
    case EVENT_STORE_INITIAL:
    case EVENT_STORE_FINAL:
        return (uint16_t)event->stored.key;
    case EVENT_LOCK_FINAL:
        // Once the servers were asked for the first alone, which went without saying.
        return event->lock_final.key > 0 ? (uint16_t)event->lock_final.key : 1;
    case EVENT_ACQUIRE_INVOKE:
        *now_of(owners, event) = (uint16_t)event->acquire_invoke.key;
        break;
    default:
        break;
    }
    // What comes late of the operation before is passed over under any key.
    bool is_of_operation = event_has_operation(event->kind);
    return is_of_operation ? *now_of(owners, event) : 0;
}

// How many locks are told apart.
static size_t count_keys(const struct history *history)
{
    int64_t most = 1;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_ACQUIRE_INVOKE && event->acquire_invoke.key > most)
            most = event->acquire_invoke.key;
        if (event->kind == EVENT_STORE_INITIAL && event->stored.key > most)
            most = event->stored.key;
    }
    return (size_t)most;
}

// A counting sort: how many each has, where each begins, and who is where.
static void sort_by_key(struct key_split *split, const uint16_t *of_events)
{
    size_t count = split->whole->count;
    size_t bytes = (split->keys + 2) * sizeof *split->starts;
    size_t *next = memory_zeroed(split->keys + 2, sizeof *next);
    for (size_t i = 0; i < count; i++)
        next[of_events[i] + 1]++;
    for (size_t key = 0; key <= split->keys; key++)
        next[key + 1] += next[key];
    split->starts = memcpy(memory_new(bytes), next, bytes);
    split->order = memory_new(count * sizeof *split->order);
    for (size_t i = 0; i < count; i++)
        split->order[next[of_events[i]]++] = i;
    free(next);
}

void key_split_make(const struct history *history, struct key_split *split)
{
    *split = (struct key_split){.whole = history, .keys = count_keys(history)};
    if (split->keys == 1)
        return;
    struct owners owners = {0};
    owners.of_events = memory_zeroed(history->count, sizeof *owners.of_events);
    for (size_t i = 0; i < history->count; i++) {
        size_t owner = owner_of(&owners, &history->events[i]);
        // A final value of a lock of which nothing else is known is nobody's.
        owners.of_events[i] = owner <= split->keys ? (uint16_t)owner : 0;
    }
    sort_by_key(split, owners.of_events);
    free(owners.of_events);
    free(owners.now);
}

void key_split_free(struct key_split *split)
{
    free(split->order);
    free(split->starts);
    *split = (struct key_split){0};
}

// --- one key -------------------------------------------------------------------------------------

void key_history_make(const struct key_split *split, size_t key, struct key_history *part)
{
    const struct history *whole = split->whole;
    const size_t *nobodys = split->order;
    const size_t *own = split->order + split->starts[key];
    size_t nobodys_left = split->starts[1];
    size_t own_left = split->starts[key + 1] - split->starts[key];
    size_t count = nobodys_left + own_left;
    *part = (struct key_history){.history = *whole};
    part->history.count = count;
    part->history.events = memory_new(count * sizeof *part->history.events);
    part->indices = memory_new(count * sizeof *part->indices);
    for (size_t i = 0; i < count; i++) {
        bool is_own = nobodys_left == 0 || (own_left > 0 && *own < *nobodys);
        part->indices[i] = is_own ? *own++ : *nobodys++;
        own_left -= is_own;
        nobodys_left -= !is_own;
        part->history.events[i] = whole->events[part->indices[i]];
    }
}

void key_history_free(struct key_history *part)
{
    free(part->history.events);
    free(part->indices);
    *part = (struct key_history){0};
}

// --- findings ------------------------------------------------------------------------------------

static size_t hold_in_whole(const struct digest *whole, size_t granted_event)
{
    for (size_t i = 0; i < whole->hold_count; i++) {
        if (whole->holds[i].granted_event == granted_event)
            return i;
    }
    return SIZE_MAX;
}

static size_t access_in_whole(const struct digest *whole, size_t event)
{
    for (size_t i = 0; i < whole->access_count; i++) {
        if (whole->accesses[i].event == event)
            return i;
    }
    return SIZE_MAX;
}

void evidence_to_whole(const struct digest *whole, const struct digest *of,
                       const struct key_history *part, struct evidence *evidence)
{
    for (size_t i = 0; i < 2; i++) {
        if (evidence->holds[i] != SIZE_MAX)
            evidence->holds[i] =
                hold_in_whole(whole, part->indices[of->holds[evidence->holds[i]].granted_event]);
        if (evidence->accesses[i] != SIZE_MAX)
            evidence->accesses[i] =
                access_in_whole(whole, part->indices[of->accesses[evidence->accesses[i]].event]);
    }
}

// The higher, the worse.
static int weight(const struct finding *finding)
{
    static const int weights[] = {[FINDING_IRRELEVANT] = 0,
                                  [FINDING_KEPT] = 1,
                                  [FINDING_UNDECIDED] = 2,
                                  [FINDING_VIOLATED] = 4};
    return weights[finding->state] - (finding->state == FINDING_VIOLATED && finding->harmless);
}

void finding_merge(struct finding *merged, const struct finding *finding, size_t key)
{
    int64_t count = merged->count + finding->count;
    int more = weight(finding) - weight(merged);
    bool is_first = more > 0 || (more == 0 && finding->state == FINDING_VIOLATED &&
                                 finding->evidence.from_ns < merged->evidence.from_ns);
    if (is_first)
        *merged = *finding;
    merged->count = count;
    if (is_first && weight(finding) > 1)
        snprintf(merged->text, sizeof merged->text, "lock %zu: %.380s", key, finding->text);
}
