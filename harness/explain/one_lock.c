#include "harness/explain/one_lock.h"

// True if the evidence is about that lock; if it does not tell, if the check finds just that there.
static bool is_of(const struct digest *whole, const struct finding *first,
                  const struct by_lock *locks)
{
    const struct evidence *evidence = &first->evidence;
    size_t hold = evidence->holds[0];
    if (hold == SIZE_MAX && evidence->accesses[0] != SIZE_MAX)
        hold = whole->accesses[evidence->accesses[0]].hold;
    if (hold != SIZE_MAX && whole->holds[hold].key > 0)
        return whole->holds[hold].key == locks->key;
    struct finding found = check_lock(first->check, &locks->part);
    return found.state == first->state && found.evidence.from_ns == evidence->from_ns &&
           found.evidence.to_ns == evidence->to_ns;
}

void one_lock_start(const struct digest *digest, const struct judgement *judgement,
                    struct one_lock *one)
{
    const struct finding *first = judgement_first_violation(judgement);
    *one = (struct one_lock){.digest = digest, .judgement = judgement};
    if (first == NULL)
        return;
    by_lock_start(&one->locks, digest);
    while (by_lock_next(&one->locks) && one->locks.indices != NULL) {
        if (!is_of(digest, first, &one->locks))
            continue;
        one->key = one->locks.key;
        one->digest = &one->locks.part;
        one->judged = *judgement;
        for (size_t i = 0; i < judgement->finding_count; i++)
            one->judged.findings[i] = check_lock(judgement->findings[i].check, one->digest);
        one->judgement = &one->judged;
        return;
    }
    by_lock_end(&one->locks);
}

void one_lock_end(struct one_lock *one)
{
    by_lock_end(&one->locks);
    *one = (struct one_lock){0};
}
