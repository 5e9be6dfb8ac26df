#include "harness/explain/account.h"

#include "harness/check/sweep.h"
#include "harness/check/updates.h"
#include "harness/explain/root.h"

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
        if (event->kind == EVENT_COMMIT_RETURN && event->args[0] == hold->operation) {
            *at_ns = event->at_ns;
            return true;
        }
    }
    return false;
}

// --- which other findings come of the same holds -------------------------------------------------

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

static bool share(const size_t *a, size_t a_count, const size_t *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++) {
        for (size_t j = 0; j < b_count; j++) {
            if (a[i] == b[j])
                return true;
        }
    }
    return false;
}

// Of what removed a lock comes what the removal let happen: so holds are added until no finding
// shares any with those that there are.
static void find_relatives(struct account *account)
{
    const struct judgement *judgement = account->judgement;
    bool related[MAX_CHECKS] = {false};
    size_t family[4 * MAX_CHECKS];
    size_t count = holds_of(account->digest, account->finding, family);
    bool grew = true;
    while (grew) {
        grew = false;
        for (size_t i = 0; i < judgement->finding_count; i++) {
            const struct finding *finding = &judgement->findings[i];
            size_t holds[4];
            if (related[i] || finding->state != FINDING_VIOLATED || finding == account->finding)
                continue;
            size_t its = holds_of(account->digest, finding, holds);
            // Evidence without a hold is the sum of all that went wrong.
            if (its > 0 && !share(family, count, holds, its))
                continue;
            related[i] = grew = true;
            memcpy(family + count, holds, its * sizeof *holds);
            count += its;
        }
    }
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        if (finding->state != FINDING_VIOLATED || finding == account->finding)
            continue;
        if (related[i])
            account->also[account->also_count++] = finding->check->name;
        else
            account->besides[account->besides_count++] = finding->check->name;
    }
}

static bool harm_was_found(const struct judgement *judgement)
{
    static const char *const harms[] = {"stale-write", "lost-update", "oversell", "run-once",
                                        "unstable-read"};
    for (size_t i = 0; i < judgement->finding_count; i++) {
        for (size_t j = 0; j < sizeof harms / sizeof *harms; j++) {
            if (finding_counts(&judgement->findings[i]) &&
                strcmp(judgement->findings[i].check->name, harms[j]) == 0)
                return true;
        }
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

bool account_make(const struct digest *digest, const struct judgement *judgement,
                  struct account *account)
{
    const struct finding *finding = judgement_first_violation(judgement);
    *account = (struct account){.digest = digest,
                                .judgement = judgement,
                                .finding = finding,
                                .fault = SIZE_MAX,
                                .attempt = SIZE_MAX,
                                .holds = {SIZE_MAX, SIZE_MAX},
                                .culprit = SIZE_MAX};
    if (finding == NULL)
        return false;
    size_t holds[4];
    size_t count = holds_of(digest, finding, holds);
    for (size_t i = 0; i < count; i++) {
        if (account->holds[0] == SIZE_MAX)
            account->holds[0] = holds[i];
        else if (account->holds[1] == SIZE_MAX && holds[i] != account->holds[0])
            account->holds[1] = holds[i];
    }
    account->harm = harm_was_found(judgement);
    find_relatives(account);
    account_find_root(account);
    find_others(account);
    account_say(account);
    return true;
}
