#include "harness/check/by_lock.h"

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
    *locks = (struct by_lock){.whole = digest, .part = *digest, .key = first_key(digest)};
    if (!are_several(digest))
        return;
    size_t hold_count = digest->hold_count;
    size_t attempt_count = digest->attempt_count;
    locks->holds = memory_new(hold_count * sizeof *locks->holds);
    locks->attempts = memory_new(attempt_count * sizeof *locks->attempts);
    for (size_t i = 0; i < hold_count; i++)
        locks->holds[i] = (struct ranked){digest->holds[i].key, i};
    for (size_t i = 0; i < attempt_count; i++)
        locks->attempts[i] = (struct ranked){digest->attempts[i].key, i};
    sort_ranked(locks->holds, hold_count);
    sort_ranked(locks->attempts, attempt_count);
    locks->part.holds = memory_new(hold_count * sizeof *locks->part.holds);
    locks->part.attempts = memory_new(attempt_count * sizeof *locks->part.attempts);
    locks->room = memory_new(hold_count * sizeof *locks->room);
    locks->indices = locks->room;
}

// The lowest key of what is left; INT64_MAX if nothing is.
static int64_t next_key(const struct by_lock *locks)
{
    int64_t key = INT64_MAX;
    if (locks->next_hold < locks->whole->hold_count)
        key = locks->holds[locks->next_hold].value;
    if (locks->next_attempt < locks->whole->attempt_count &&
        locks->attempts[locks->next_attempt].value < key)
        key = locks->attempts[locks->next_attempt].value;
    return key;
}

bool by_lock_next(struct by_lock *locks)
{
    const struct digest *whole = locks->whole;
    struct digest *part = &locks->part;
    if (locks->is_over)
        return false;
    locks->is_over = locks->room == NULL;
    if (locks->is_over)
        return true;
    int64_t key = locks->key = next_key(locks);
    part->hold_count = 0;
    part->attempt_count = 0;
    for (; locks->next_hold < whole->hold_count && locks->holds[locks->next_hold].value == key;
         locks->next_hold++) {
        size_t index = locks->holds[locks->next_hold].index;
        locks->room[part->hold_count] = index;
        part->holds[part->hold_count++] = whole->holds[index];
    }
    for (; locks->next_attempt < whole->attempt_count &&
           locks->attempts[locks->next_attempt].value == key;
         locks->next_attempt++)
        part->attempts[part->attempt_count++] =
            whole->attempts[locks->attempts[locks->next_attempt].index];
    return part->hold_count + part->attempt_count > 0;
}

void by_lock_end(struct by_lock *locks)
{
    if (locks->room != NULL) {
        free(locks->part.holds);
        free(locks->part.attempts);
    }
    free(locks->holds);
    free(locks->attempts);
    free(locks->room);
    *locks = (struct by_lock){0};
}
