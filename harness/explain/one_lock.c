#include "harness/explain/one_lock.h"

// Makes the digest of that lock alone.
static void take(struct one_lock *one, const struct key_split *split, size_t key)
{
    key_history_make(split, key, &one->part);
    digest_make(&one->part.history, one->whole->trial, &one->of);
    one->key = (int64_t)key;
}

static void drop(struct one_lock *one)
{
    digest_free(&one->of);
    key_history_free(&one->part);
    one->key = 0;
}

// Whose lock the evidence is about, if it tells; else 0.
static int64_t key_of(const struct digest *digest, const struct evidence *evidence)
{
    if (evidence->holds[0] != SIZE_MAX)
        return digest->holds[evidence->holds[0]].key;
    if (evidence->accesses[0] != SIZE_MAX)
        return digest->holds[digest->accesses[evidence->accesses[0]].hold].key;
    return 0;
}

// Takes the lock of which the check finds just that.
static bool take_by_finding(struct one_lock *one, const struct key_split *split,
                            const struct finding *finding)
{
    for (size_t key = 1; key <= split->keys; key++) {
        take(one, split, key);
        struct finding found = key_check(finding->check, &one->of);
        if (found.state == finding->state && found.evidence.from_ns == finding->evidence.from_ns &&
            found.evidence.to_ns == finding->evidence.to_ns)
            return true;
        drop(one);
    }
    return false;
}

static bool choose(struct one_lock *one, const struct key_split *split, const struct finding *first)
{
    int64_t key = key_of(one->whole, &first->evidence);
    if (key <= 0 || (size_t)key > split->keys)
        return take_by_finding(one, split, first);
    take(one, split, (size_t)key);
    return true;
}

void one_lock_start(const struct digest *digest, const struct judgement *judgement,
                    struct one_lock *one)
{
    struct key_split split;
    const struct finding *first = judgement_first_violation(judgement);
    *one = (struct one_lock){.digest = digest, .judgement = judgement, .whole = digest};
    // Digests that were made by hand have no history.
    if (digest->history == NULL || first == NULL)
        return;
    key_split_make(digest->history, &split);
    if (split.keys > 1 && choose(one, &split, first)) {
        one->judged = *judgement;
        for (size_t i = 0; i < judgement->finding_count; i++)
            one->judged.findings[i] = key_check(judgement->findings[i].check, &one->of);
        one->digest = &one->of;
        one->judgement = &one->judged;
    }
    key_split_free(&split);
}

void one_lock_end(struct one_lock *one)
{
    if (one->key > 0)
        drop(one);
    *one = (struct one_lock){0};
}

size_t one_lock_event(const struct one_lock *one, size_t event)
{
    return one->key > 0 && event != SIZE_MAX ? one->part.indices[event] : event;
}

size_t one_lock_hold(const struct one_lock *one, size_t hold)
{
    if (one->key == 0 || hold == SIZE_MAX)
        return hold;
    struct evidence evidence = {.holds = {hold, SIZE_MAX}, .accesses = {SIZE_MAX, SIZE_MAX}};
    evidence_to_whole(one->whole, &one->of, &one->part, &evidence);
    return evidence.holds[0];
}

size_t one_lock_access(const struct one_lock *one, size_t access)
{
    if (one->key == 0 || access == SIZE_MAX)
        return access;
    struct evidence evidence = {.holds = {SIZE_MAX, SIZE_MAX}, .accesses = {access, SIZE_MAX}};
    evidence_to_whole(one->whole, &one->of, &one->part, &evidence);
    return evidence.accesses[0];
}
