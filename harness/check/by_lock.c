#include "harness/check/by_lock.h"

#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/history/event.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t first_key(const struct digest *digest)
{
    if (digest->hold_count > 0)
        return digest->holds[0].key;
    return digest->attempt_count > 0 ? digest->attempts[0].key : 0;
}

// True if not all that was asked for is the same lock.
static bool are_several(const struct digest *digest)
{
    for (size_t i = 0; i < digest->attempt_count; i++) {
        if (digest->attempts[i].key != first_key(digest))
            return true;
    }
    return digest_mixes_locks(digest);
}

void by_lock_start(struct by_lock *locks, const struct digest *digest)
{
    *locks = (struct by_lock){.part = *digest,
                              .key = first_key(digest),
                              .hold_count = digest->hold_count,
                              .attempt_count = digest->attempt_count};
    if (!are_several(digest))
        return;
    size_t count = locks->hold_count + locks->attempt_count;
    struct ranked *ranks = memory_new(count * sizeof *ranks);
    locks->holds = memory_new(locks->hold_count * sizeof *locks->holds);
    locks->order = memory_new(locks->hold_count * sizeof *locks->order);
    locks->attempts = memory_new(locks->attempt_count * sizeof *locks->attempts);
    for (size_t i = 0; i < count; i++)
        ranks[i] = i < locks->hold_count
                       ? (struct ranked){digest->holds[i].key, i}
                       : (struct ranked){digest->attempts[i - locks->hold_count].key, i};
    sort_ranked(ranks, count);
    size_t holds = 0, attempts = 0;
    for (size_t i = 0; i < count; i++) {
        size_t index = ranks[i].index;
        if (index < locks->hold_count) {
            locks->order[holds] = index;
            locks->holds[holds++] = digest->holds[index];
        } else {
            locks->attempts[attempts++] = digest->attempts[index - locks->hold_count];
        }
    }
    free(ranks);
}

bool by_lock_next(struct by_lock *locks)
{
    struct digest *part = &locks->part;
    bool was_over = locks->is_over;
    if (locks->order == NULL) {
        locks->is_over = true;
        return !was_over;
    }
    locks->key = INT64_MAX;
    part->holds = locks->holds + locks->next_hold;
    part->attempts = locks->attempts + locks->next_attempt;
    locks->indices = locks->order + locks->next_hold;
    part->hold_count = part->attempt_count = 0;
    if (locks->next_hold < locks->hold_count)
        locks->key = part->holds[0].key;
    if (locks->next_attempt < locks->attempt_count && part->attempts[0].key < locks->key)
        locks->key = part->attempts[0].key;
    while (locks->next_hold + part->hold_count < locks->hold_count &&
           part->holds[part->hold_count].key == locks->key)
        part->hold_count++;
    while (locks->next_attempt + part->attempt_count < locks->attempt_count &&
           part->attempts[part->attempt_count].key == locks->key)
        part->attempt_count++;
    locks->next_hold += part->hold_count;
    locks->next_attempt += part->attempt_count;
    return part->hold_count + part->attempt_count > 0;
}

void by_lock_end(struct by_lock *locks)
{
    free(locks->holds);
    free(locks->attempts);
    free(locks->order);
    *locks = (struct by_lock){0};
}

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
static void group_by_key(struct key_split *split, const uint16_t *of_events)
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
    group_by_key(split, owners.of_events);
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

void evidence_to_whole(const struct digest *whole, const struct digest *of,
                       const struct key_history *part, struct evidence *evidence)
{
    for (int i = 0; i < 2; i++) {
        size_t *hold = &evidence->holds[i];
        size_t *access = &evidence->accesses[i];
        if (*hold != SIZE_MAX) {
            size_t event = part->indices[of->holds[*hold].granted_event];
            for (*hold = 0; whole->holds[*hold].granted_event != event;)
                ++*hold;
        }
        if (*access != SIZE_MAX) {
            size_t event = part->indices[of->accesses[*access].event];
            for (*access = 0; whole->accesses[*access].event != event;)
                ++*access;
        }
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
