// Why nobody is granted the lock any more.
#include "harness/check/silence.h"

#include "harness/check/sweep.h"
#include "harness/report/evidence_root.h"

#include <string.h>

// The last hold whose release nobody knows to have been done, if the lock outlives it.
static size_t lost_release(const struct digest *digest)
{
    for (size_t i = digest->hold_count; i > 0; i--) {
        const struct hold *hold = &digest->holds[i - 1];
        if (hold->valid_until_ns != TIME_NEVER)
            return SIZE_MAX;
        if (hold->returned_ns != TIME_NEVER && hold->answer == RELEASE_UNKNOWN)
            return i - 1;
        if (hold->returned_ns != TIME_NEVER && hold->answer == RELEASE_RELEASED)
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

// The first acquire after the last grant whose answer was lost, of a lock that does not expire.
static size_t lost_acquire(const struct digest *digest)
{
    int64_t since_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].valid_until_ns != TIME_NEVER)
            return SIZE_MAX;
        since_ns = digest->holds[i].granted_ns;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (attempt->outcome == OUTCOME_UNKNOWN && !attempt->died &&
            attempt->returned_ns != TIME_NEVER && attempt->returned_ns > since_ns)
            return i;
    }
    return SIZE_MAX;
}

// Who died waiting.
static size_t dead_in_line(const struct digest *digest)
{
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (attempt->died && attempt->died_ns < digest->ended_ns)
            return i;
    }
    return SIZE_MAX;
}

// A fault on the clock of a server that makes leases last longer: it goes back, or stands still.
static size_t slow_clock(const struct digest *digest)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct fault_step *step = record->step;
        if (strcmp(step->verb, "clock") == 0 && step->target.client == 0 &&
            (step->by_ns < 0 || step->rate < 100) && record->in_effect_ns != TIME_NEVER)
            return i;
    }
    return SIZE_MAX;
}

// The fault that kept a client's death from the servers of a lock that ends with the session.
static size_t cut_off_at_death(const struct digest *digest, const struct hold *hold)
{
    bool by_session = digest->trial->traits != NULL && trial_has_trait(digest->trial, "session");
    for (size_t i = 0; by_session && i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct fault_step *step = record->step;
        if (strcmp(step->verb, "cut") == 0 && step->sides[0][0].client == hold->client &&
            record->asked_ns <= hold->died_ns && record->healed_ns > hold->died_ns)
            return i;
    }
    return SIZE_MAX;
}

static bool has_lease(const struct digest *digest)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].valid_until_ns != TIME_NEVER)
            return true;
    }
    return false;
}

static bool is_fair(const struct digest *digest)
{
    return digest->trial->traits != NULL && trial_has_trait(digest->trial, "fair");
}

// What lasted all the time, or else what left the lock behind.
static void find_of_faults(struct account *account, const struct silence *silence)
{
    const struct digest *digest = account->digest;
    size_t release = lost_release(digest);
    size_t acquire = lost_acquire(digest);
    if (silence->fault != SIZE_MAX)
        account->fault = silence->fault;
    if (release != SIZE_MAX) {
        account->root = ROOT_LOST_RELEASE;
        account->holds[0] = release;
    } else if (acquire != SIZE_MAX) {
        account->root = ROOT_LOST_ACQUIRE;
        account->attempt = acquire;
    } else if (silence->cause == SILENCE_FAULT) {
        account->root = ROOT_STRUCK;
    }
}

void account_find_root_of_silence(struct account *account)
{
    const struct digest *digest = account->digest;
    struct silence silence = silence_find(digest);
    account->holds[0] = silence.hold;
    account->holds[1] = SIZE_MAX;
    account->attempt = silence.attempt;
    size_t clock = slow_clock(digest);
    size_t dead = dead_in_line(digest);
    bool died = silence.cause == SILENCE_DIED_HOLDING || silence.cause == SILENCE_DIED_RELEASING;
    if (clock != SIZE_MAX && has_lease(digest)) {
        account->root = ROOT_LEASE_STANDS;
        account->fault = clock;
    } else if (silence.cause == SILENCE_DIED_ACQUIRING) {
        account->root = ROOT_DIED_ACQUIRING;
    } else if (died) {
        account->root = ROOT_DIED_HOLDING;
        account->fault = cut_off_at_death(digest, &digest->holds[silence.hold]);
    } else if (silence.cause == SILENCE_LOST_RELEASE) {
        account->root = ROOT_LOST_RELEASE;
    } else if (silence.cause == SILENCE_LOST_ACQUIRE) {
        account->root = ROOT_LOST_ACQUIRE;
    } else if (is_fair(digest) && dead != SIZE_MAX) {
        account->root = ROOT_DEAD_IN_LINE;
        account->attempt = dead;
    } else {
        find_of_faults(account, &silence);
    }
}
