#include "harness/explain/account.h"

#include "harness/base/text.h"
#include "harness/check/sweep.h"
#include "harness/check/updates.h"

#include <stdlib.h>
#include <string.h>

int64_t increments_lost(const struct digest *digest, int64_t *acknowledged)
{
    struct updates updates;
    if (strcmp(digest->trial->scenario->workload.kind, "increment") != 0 ||
        !digest->initial_known || !digest->final_known)
        return 0;
    updates_count(digest, &updates);
    if (acknowledged != NULL)
        *acknowledged = updates.acknowledged;
    int64_t missing = updates.acknowledged - (digest->final_value - digest->initial_value);
    return missing > 0 ? missing : 0;
}

bool hold_committed_late(const struct digest *digest, const struct hold *hold, int64_t *at_ns)
{
    const struct history *history = digest->history;
    if (history == NULL || hold->released_event == SIZE_MAX)
        return false;
    for (size_t i = hold->released_event; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->client != hold->client || event->worker != hold->worker)
            continue;
        if (event->kind == EVENT_ACQUIRE_INVOKE)
            return false;
        if (event->kind == EVENT_COMMIT_RETURN && event->operation == hold->operation) {
            *at_ns = event->at_ns;
            return true;
        }
    }
    return false;
}

// --- one violation -------------------------------------------------------------------------------

// The holds of a finding's evidence: given, or those that made its accesses.
static size_t holds_of(const struct digest *digest, const struct finding *finding, size_t holds[4])
{
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t access = finding->evidence.accesses[i];
        if (finding->evidence.holds[i] < digest->hold_count)
            holds[count++] = finding->evidence.holds[i];
        if (access < digest->access_count && digest->accesses[access].hold < digest->hold_count)
            holds[count++] = digest->accesses[access].hold;
    }
    return count;
}

static bool harm_was_found(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (finding_counts(&judgement->findings[i]) && judgement->findings[i].check->may_follow)
            return true;
    }
    return false;
}

static void find_others(struct account *account)
{
    const struct digest *digest = account->digest;
    if (digest_permits(digest) <= 1 || account->overlap_ns <= 0)
        return;
    size_t later = account->holds[0] > account->holds[1] ? account->holds[0] : account->holds[1];
    int64_t at_ns = digest->holds[later].granted_ns;
    for (size_t i = 0; i < later && account->other_count < ACCOUNT_OTHERS; i++) {
        if (i != account->holds[0] && i != account->holds[1] &&
            digest->holds[i].released_ns > at_ns &&
            hold_lease_end_ns(digest, &digest->holds[i]) > at_ns)
            account->others[account->other_count++] = i;
    }
}

static void make_one(const struct digest *digest, const struct judgement *judgement,
                     const struct finding *finding, struct account *account)
{
    size_t holds[4];
    *account = (struct account){.digest = digest,
                                .judgement = judgement,
                                .finding = finding,
                                .fault = SIZE_MAX,
                                .attempt = SIZE_MAX,
                                .holds = {SIZE_MAX, SIZE_MAX},
                                .culprit = SIZE_MAX};
    size_t count = holds_of(digest, finding, holds);
    for (size_t i = 0; i < count; i++) {
        if (account->holds[0] == SIZE_MAX)
            account->holds[0] = holds[i];
        else if (account->holds[1] == SIZE_MAX && holds[i] != account->holds[0])
            account->holds[1] = holds[i];
    }
    account->harm = harm_was_found(judgement);
    account_find_root(account);
    find_others(account);
    account_say(account);
}

// --- which violations follow from which ----------------------------------------------------------

static bool has_hold(const struct account *account, size_t hold)
{
    bool is_there =
        account->holds[0] == hold || account->holds[1] == hold || account->culprit == hold;
    for (size_t i = 0; i < account->family_count; i++)
        is_there = is_there || account->family[i] == hold;
    return is_there;
}

// True if the other violation is proven to follow from this one. Harm follows from the holds that
// did it, if they are this one's, or if there is nothing else (`is_only`) and it is the sum of all
// that went wrong. A lock that vanished and those who held it at once after that have one cause if
// that is proven of both, and is the same release or fault, and the same hold's lock that it took;
// but of more than one such violation only the first has been looked at.
static bool follows(const struct account *account, const struct account *other, bool is_only)
{
    const struct finding *finding = other->finding;
    size_t holds[4];
    size_t count = holds_of(account->digest, finding, holds);
    bool is_inside = true;
    for (size_t i = 0; i < count; i++)
        is_inside = is_inside && has_hold(account, holds[i]);
    if (finding->check->may_follow)
        return count > 0 ? is_inside : is_only || account->finding->check->may_follow;
    return account->certainty == CERTAINTY_PROVEN && other->certainty == CERTAINTY_PROVEN &&
           account->root == other->root && account->holds[0] == other->holds[0] &&
           account->fault == other->fault && account->culprit == other->culprit &&
           finding->count <= time_later(account->finding->count, 1);
}

size_t accounts_make(const struct digest *digest, const struct judgement *judgement,
                     struct account accounts[MAX_CHECKS])
{
    size_t count = 0;
    const struct finding *first = judgement_first_violation(judgement);
    if (first == NULL)
        return 0;
    make_one(digest, judgement, first, &accounts[count++]);
    // What is no harm first: harm may follow from it.
    for (size_t i = 0; i < 2 * judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i % judgement->finding_count];
        struct account *next = &accounts[count];
        size_t cause = 0;
        if (finding->state != FINDING_VIOLATED || finding == first ||
            finding->check->may_follow != (i >= judgement->finding_count))
            continue;
        bool is_only = count == 1 && accounts[0].besides_count == 0;
        make_one(digest, judgement, finding, next);
        while (cause < count && !follows(&accounts[cause], next, is_only))
            cause++;
        if (cause < count) {
            struct account *of = &accounts[cause];
            memcpy(of->family + of->family_count, next->holds, sizeof next->holds);
            of->family_count += 2;
            accounts[cause].also[accounts[cause].also_count++] = finding->check->name;
        } else {
            accounts[0].besides[accounts[0].besides_count++] = finding->check->name;
            count += finding_counts(finding);
        }
    }
    return count;
}

bool account_make(const struct digest *digest, const struct judgement *judgement,
                  struct account *account)
{
    struct account *accounts = memory_new(MAX_CHECKS * sizeof *accounts);
    size_t count = accounts_make(digest, judgement, accounts);
    if (count > 0)
        *account = accounts[0];
    free(accounts);
    return count > 0;
}
