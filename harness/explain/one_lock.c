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

// Takes the lock that the evidence is about; if that does not tell, the one of which the check
// finds just that.
static void choose(struct one_lock *one, const struct key_split *split, const struct finding *first)
{
    const struct evidence *evidence = &first->evidence;
    const struct digest *whole = one->whole;
    size_t hold = evidence->holds[0];
    if (hold == SIZE_MAX && evidence->accesses[0] != SIZE_MAX)
        hold = whole->accesses[evidence->accesses[0]].hold;
    int64_t known = hold != SIZE_MAX ? whole->holds[hold].key : 0;
    if (known > 0 && (size_t)known <= split->keys) {
        take(one, split, (size_t)known);
        return;
    }
    for (size_t key = 1; key <= split->keys; key++) {
        take(one, split, key);
        struct finding found = key_check(first->check, &one->of);
        if (found.state == first->state && found.evidence.from_ns == evidence->from_ns &&
            found.evidence.to_ns == evidence->to_ns)
            return;
        drop(one);
    }
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
    if (split.keys > 1)
        choose(one, &split, first);
    if (one->key > 0) {
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

void one_lock_to_whole(const struct one_lock *one, size_t *hold, size_t *access)
{
    struct evidence evidence = {.holds = {*hold, SIZE_MAX}, .accesses = {*access, SIZE_MAX}};
    if (one->key > 0)
        evidence_to_whole(one->whole, &one->of, &one->part, &evidence);
    *hold = evidence.holds[0];
    *access = evidence.accesses[0];
}
