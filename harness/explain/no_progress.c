// Why nobody is granted the lock any more, or somebody's release does not come back.
#include "harness/base/clock.h"
#include "harness/check/hanging_release.h"
#include "harness/check/liveness.h"
#include "harness/check/silence.h"
#include "harness/check/wire_sides.h"
#include "harness/explain/root.h"

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

// --- who sleeps ----------------------------------------------------------------------------------

// A worker that looks by itself would have looked so many times as often.
#define SELDOM 20

static int64_t tries_of(const struct digest *digest, const struct attempt *attempt)
{
    const struct history *history = digest->history;
    for (size_t i = history->count; i-- > 0 && history->events[i].at_ns >= attempt->returned_ns;) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_ACQUIRE_RETURN && event->client == attempt->client &&
            event->worker == attempt->worker && event->args[0] == attempt->operation)
            return event->args[3];
    }
    return INT64_MAX;
}

size_t attempt_that_sleeps(const struct digest *digest)
{
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        bool waits = attempt->invoked_ns < digest->ended_ns &&
                     attempt->returned_ns >= digest->ended_ns && !attempt->died &&
                     attempt->returned_ns != TIME_NEVER && attempt->outcome == OUTCOME_NO;
        if (!waits)
            continue;
        int64_t looks = (digest->ended_ns - attempt->invoked_ns) /
                        time_later(digest->trial->scenario->lock.retry_ns, 1);
        if (tries_of(digest, attempt) < looks / SELDOM)
            return i;
    }
    return SIZE_MAX;
}

// The last release that was answered; SIZE_MAX if there was none.
static size_t last_release(const struct digest *digest)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        bool later = last == SIZE_MAX || hold->returned_ns > digest->holds[last].returned_ns;
        if (hold->returned_ns < digest->ended_ns && later)
            last = i;
    }
    return last;
}

// What kept the message from the sleeper: its connection that was ended, else one that was cut; the
// last such fault before the silence. SIZE_MAX if there is none.
static size_t fault_that_deafened(const struct digest *digest, const struct attempt *sleeper,
                                  int64_t before_ns)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct fault_step *step = record->step;
        bool ends = strcmp(step->verb, "restart") == 0 || (strcmp(step->verb, "disconnect") == 0 &&
                                                           step->target.client == sleeper->client);
        bool in_time = record->healed_ns > sleeper->invoked_ns && record->in_effect_ns <= before_ns;
        if (in_time && (ends || (found == SIZE_MAX && wire_names_client(step, sleeper->client))))
            found = i;
    }
    return found;
}

// Of a lock that was free: whom nobody woke.
static void find_of_sleepers(struct account *account, const struct silence *silence)
{
    const struct digest *digest = account->digest;
    size_t sleeper = attempt_that_sleeps(digest);
    if (sleeper == SIZE_MAX || silence->from_ns >= digest->ended_ns)
        return;
    account->root = ROOT_LOST_WAKE_UP;
    account->holds[0] = last_release(digest);
    account->fault = fault_that_deafened(digest, &digest->attempts[sleeper], silence->from_ns);
}

// --- what it comes from --------------------------------------------------------------------------

static bool is_fair(const struct digest *digest)
{
    return digest->trial->traits != NULL && trial_has_trait(digest->trial, "fair");
}

// The fault that struck a server last, and between two times; SIZE_MAX if none did.
static size_t last_fault_of_servers(const struct digest *digest, int64_t from_ns, int64_t to_ns)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        bool later = last == SIZE_MAX || record->asked_ns >= digest->faults[last].asked_ns;
        bool ends = record->step->bound_ns >= 0;
        bool meets = record->asked_ns <= to_ns &&
                     (ends ? record->healed_ns : record->in_effect_ns) >= from_ns;
        if (record->in_effect_ns != TIME_NEVER && later && meets &&
            (record->step->target.client == 0 || record->step->side_counts[0] > 0))
            last = i;
    }
    return last;
}

// What lasted all the time, or else what left the lock behind.
static void find_of_faults(struct account *account, const struct silence *silence)
{
    const struct digest *digest = account->digest;
    bool was_free = silence_was_free(digest, true);
    size_t release = was_free ? SIZE_MAX : lost_release(digest);
    size_t acquire = was_free ? SIZE_MAX : lost_acquire(digest);
    size_t permits = silence_lost_permits(digest);
    if (silence->fault != SIZE_MAX)
        account->fault = silence->fault;
    if (permits != SIZE_MAX && liveness_leaving(digest->history) == LEAVING_NOTHING) {
        account->root = ROOT_LOST_PERMITS;
        account->fault = permits;
    } else if (release != SIZE_MAX) {
        account->root = ROOT_LOST_RELEASE;
        account->holds[0] = release;
    } else if (acquire != SIZE_MAX) {
        account->root = ROOT_LOST_ACQUIRE;
        account->attempt = acquire;
    } else if (silence->cause == SILENCE_FAULT) {
        account->root = ROOT_STRUCK;
    } else if (silence_was_free(digest, false)) {
        find_of_sleepers(account, silence);
    }
}

void account_find_root_of_silence(struct account *account)
{
    const struct digest *digest = account->digest;
    struct silence silence = silence_find(digest);
    account->holds[1] = SIZE_MAX;
    if (is_of_hanging_release(digest, account->finding)) {
        account->root = ROOT_HANGING_RELEASE;
        return;
    }
    account->holds[0] = silence.hold;
    account->attempt = silence.attempt;
    size_t clock = slow_clock(digest);
    size_t dead = dead_in_line(digest);
    bool died = silence.cause == SILENCE_DIED_HOLDING || silence.cause == SILENCE_DIED_RELEASING;
    bool lost_release = silence.cause == SILENCE_LOST_RELEASE && !silence_was_free(digest, true);
    died = died && !silence_was_free(digest, false);
    if (silence.unanswered) {
        account->root = ROOT_UNANSWERED;
        account->fault = last_fault_of_servers(digest, digest->started_ns, digest->ended_ns);
    } else if (clock != SIZE_MAX && has_lease(digest)) {
        account->root = ROOT_LEASE_STANDS;
        account->fault = clock;
    } else if (silence.cause == SILENCE_DIED_ACQUIRING) {
        account->root = ROOT_DIED_ACQUIRING;
        account->any_worker = silence.worker == 0;
    } else if (died) {
        account->root = ROOT_DIED_HOLDING;
        account->fault = cut_off_at_death(digest, &digest->holds[silence.hold]);
    } else if (lost_release) {
        const struct hold *hold = &digest->holds[silence.hold];
        account->root = ROOT_LOST_RELEASE;
        account->fault = last_fault_of_servers(digest, hold->released_ns, hold->returned_ns);
    } else if (silence.cause == SILENCE_LOST_ACQUIRE) {
        account->root = ROOT_LOST_ACQUIRE;
    } else if (is_fair(digest) && dead != SIZE_MAX) {
        account->root = ROOT_DEAD_IN_LINE;
        account->attempt = dead;
    } else {
        find_of_faults(account, &silence);
    }
}
