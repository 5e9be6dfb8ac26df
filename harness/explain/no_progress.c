// Why nobody is granted the lock any more, or somebody's release does not come back.
#include "harness/base/clock.h"
#include "harness/check/hanging_release.h"
#include "harness/check/liveness.h"
#include "harness/check/silence.h"
#include "harness/check/wire_sides.h"
#include "harness/check/wrongful_release.h"
#include "harness/explain/account.h"

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
        if (fault_can(step, FAULT_MOVES_CLOCK) && step->target.client == 0 &&
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
        if (fault_can(step, FAULT_SEVERS) && wire_names_client(step, hold->client) &&
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

// How often the client of a lock that is not ours sent something, as its proxy saw it; INT64_MAX if
// that saw nothing at all.
static int64_t requests_of(const struct digest *digest, const struct attempt *attempt)
{
    int64_t requests = 0;
    bool was_seen = false;
    for (size_t i = 0; i < digest->history->count; i++) {
        const struct event *event = &digest->history->events[i];
        if (event->kind != EVENT_REQUEST || event->client != attempt->client)
            continue;
        was_seen = true;
        requests += event->at_ns > attempt->invoked_ns && event->at_ns < digest->ended_ns;
    }
    return was_seen ? requests : INT64_MAX;
}

static int64_t tries_of(const struct digest *digest, const struct attempt *attempt)
{
    const struct history *history = digest->history;
    if (digest->trial->foreign != NULL)
        return requests_of(digest, attempt);
    for (size_t i = history->count; i-- > 0 && history->events[i].at_ns >= attempt->returned_ns;) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_ACQUIRE_RETURN && event->client == attempt->client &&
            event->worker == attempt->worker && event->operation == attempt->operation)
            return event->acquire_return.attempts;
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
        bool ends = fault_can(step, FAULT_DISCONNECTS) &&
                    (step->target.client == 0 || step->target.client == sleeper->client);
        bool in_time = record->healed_ns > sleeper->invoked_ns && record->in_effect_ns <= before_ns;
        if (in_time && (ends || (found == SIZE_MAX && wire_names_client(step, sleeper->client))))
            found = i;
    }
    return found;
}

// Of a lock that was free, or may have been: whom nobody woke. That it sleeps is what the history
// shows; that the lock was free, the servers.
static bool find_of_sleepers(struct account *account, const struct silence *silence, bool is_free)
{
    const struct digest *digest = account->digest;
    size_t sleeper = attempt_that_sleeps(digest);
    if (sleeper == SIZE_MAX || silence->from_ns >= digest->ended_ns)
        return false;
    account_conclude(account, ROOT_LOST_WAKE_UP, is_free);
    account->holds[0] = last_release(digest);
    account->fault = fault_that_deafened(digest, &digest->attempts[sleeper], silence->from_ns);
    return true;
}

// --- what the wire shows -------------------------------------------------------------------------

// The acquire in which the request was sent, and that was not granted; SIZE_MAX: none, or of more
// than one it may have been.
static size_t attempt_of(const struct digest *digest, const struct seen_request *request)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (attempt->client != request->client || attempt->invoked_ns > request->sent_ns ||
            attempt->returned_ns < request->sent_ns ||
            (request->worker != 0 && attempt->worker != request->worker))
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

// The hold that the request's acquire was granted; SIZE_MAX likewise.
static size_t hold_taken_by(const struct digest *digest, const struct seen_request *request)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->client != request->client || hold->invoked_ns > request->sent_ns ||
            hold->granted_ns < request->sent_ns ||
            (request->worker != 0 && hold->worker != request->worker))
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

// The last request that took the lock, if nothing removed it since; NULL.
static const struct seen_request *last_taken(const struct requests *requests)
{
    const struct seen_request *last = NULL;
    for (size_t i = 0; i < requests->count; i++) {
        const struct seen_request *request = &requests->items[i];
        bool is_script = (request->words & REQUEST_COMPARES) != 0;
        if ((request->words & REQUEST_NX) != 0 && request_was_done(request))
            last = request;
        else if (last != NULL && request->key == last->key && !request_prolongs(request) &&
                 (is_script || request_deletes(request)) &&
                 (request_was_done(request) || request->answered_ns == TIME_NEVER))
            last = NULL;
    }
    return last;
}

// Of a lock of which the proxies saw by which request it was taken last: UNKNOWN_AS_NO and
// LOST_ACQUIRE are proven if the server had granted it to an acquire that was not told so;
// KEPT_ALIVE if another client renewed it after its holder had died; NO_EXPIRY if it was taken, and
// never given, a time to live.
static bool find_in_requests(struct account *account, const struct requests *requests)
{
    const struct digest *digest = account->digest;
    const struct seen_request *taken = last_taken(requests);
    size_t attempt = taken != NULL ? attempt_of(digest, taken) : SIZE_MAX;
    if (taken == NULL)
        return false;
    bool prolonged = (taken->words & (REQUEST_EXPIRES | REQUEST_UNTIL)) != 0;
    for (size_t i = 0; i < requests->count; i++)
        prolonged = prolonged || (requests->items[i].key == taken->key &&
                                  requests->items[i].sent_ns > taken->sent_ns &&
                                  request_prolongs(&requests->items[i]));
    const struct hold *hold =
        account->holds[0] != SIZE_MAX ? &digest->holds[account->holds[0]] : NULL;
    bool died = hold != NULL && hold->died_ns < digest->ended_ns && hold->client == taken->client;
    const struct seen_request *renewal =
        died ? renewal_unchecked(requests, taken->key, hold->client, false, hold->died_ns) : NULL;
    account->request = *taken;
    size_t holder = hold_taken_by(digest, taken);
    if (holder != SIZE_MAX && digest->holds[holder].answer == RELEASE_RELEASED &&
        digest->holds[holder].returned_ns < digest->ended_ns && !prolonged) {
        account_conclude(account, ROOT_UNDONE_RELEASE, true);
        account->holds[0] = holder;
        account->attempt = SIZE_MAX;
    } else if (attempt != SIZE_MAX && !digest->attempts[attempt].died && !prolonged) {
        bool is_no = digest->attempts[attempt].outcome == OUTCOME_NO;
        account_conclude(account, is_no ? ROOT_UNKNOWN_AS_NO : ROOT_LOST_ACQUIRE, true);
        account->attempt = attempt;
    } else if (renewal != NULL) {
        account_conclude(account, ROOT_KEPT_ALIVE, true);
        account->request = *renewal;
    } else if (died && !prolonged && account_has_trait(account, "lease")) {
        account_conclude(account, ROOT_NO_EXPIRY, true);
    } else {
        account->request = (struct seen_request){.client = 0};
    }
    return account->root != ROOT_UNKNOWN;
}

static bool find_by_wire(struct account *account)
{
    struct requests requests;
    const struct digest *digest = account->digest;
    if (digest->trial->foreign == NULL)
        return false;
    requests_between(digest, digest->started_ns, digest->ended_ns, &requests);
    bool found = find_in_requests(account, &requests);
    requests_free(&requests);
    return found;
}

// --- what it comes from --------------------------------------------------------------------------

static bool is_fair(const struct digest *digest)
{
    return digest->trial->traits != NULL && trial_has_trait(digest->trial, "fair");
}

// The last fault of those that can keep servers from answering; SIZE_MAX if there was none.
static size_t last_that_silences(const struct digest *digest)
{
    static const unsigned silences = FAULT_STOPS | FAULT_KILLS | FAULT_SEVERS | FAULT_SLOWS |
                                     FAULT_DISCONNECTS | FAULT_REFUSES | FAULT_EMPTIES;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns != TIME_NEVER && record->asked_ns <= digest->ended_ns &&
            fault_can(record->step, silences) &&
            (record->step->target.client == 0 || record->step->side_counts[0] > 0) &&
            (last == SIZE_MAX || record->asked_ns >= digest->faults[last].asked_ns))
            last = i;
    }
    return last;
}

// Who may have the lock and does not know, or say, so.
static bool may_have_it(const struct digest *digest, const struct attempt *attempt)
{
    bool died = attempt->died && attempt->died_ns < digest->ended_ns;
    return died || attempt->outcome == OUTCOME_UNKNOWN;
}

// True if the lock was there when all had ended, held by nobody, and no acquire but that one (an
// index, or SIZE_MAX) may have left it.
static bool left_by_no_other(const struct digest *digest, size_t attempt)
{
    if (liveness_leaving(digest->history) != LEAVING_ORPHAN)
        return false;
    for (size_t i = 0; i < digest->attempt_count; i++) {
        if (i != attempt && may_have_it(digest, &digest->attempts[i]) &&
            digest->attempts[i].returned_ns != TIME_NEVER)
            return false;
    }
    return true;
}

size_t attempt_refused_unheard(const struct digest *digest, size_t *fault)
{
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        for (size_t j = 0; attempt->outcome == OUTCOME_NO && j < digest->fault_count; j++) {
            const struct fault_record *record = &digest->faults[j];
            *fault = j;
            if (attempt->returned_ns != TIME_NEVER && fault_can(record->step, FAULT_SEVERS) &&
                wire_names_client(record->step, attempt->client) &&
                attempt->invoked_ns <= record->in_effect_ns &&
                attempt->returned_ns > record->in_effect_ns)
                return i;
        }
    }
    return SIZE_MAX;
}

// True if the fault keeps all clients from the servers, or makes these refuse, to the end.
static bool keeps_all_out(const struct digest *digest, const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    bool lasts = record->healed_ns == TIME_NEVER || record->healed_ns >= digest->ended_ns;
    bool all = step->side_counts[0] > 0 && fault_can(step, FAULT_SEVERS) &&
               wire_names_all_clients(digest, step);
    return lasts && (all || fault_can(step, FAULT_REFUSES));
}

// False if what the fault strikes has no say in who is granted the lock: the clock of a client that
// counts no lease by it.
static bool may_keep_out(const struct digest *digest, const struct fault_record *record)
{
    return record->step->target.client == 0 || record->step->side_counts[0] > 0 ||
           !fault_can(record->step, FAULT_MOVES_CLOCK) || has_lease(digest);
}

static bool is_of_quorum(const struct digest *digest)
{
    return strcmp(trial_topology(digest->trial), "independent") == 0;
}

// True if that worker counted its requests, and sent none in any of its releases.
static bool never_asked_to_release(const struct digest *digest, const struct hold *hold)
{
    for (size_t i = digest->history->count; i-- > 0;) {
        const struct event *event = &digest->history->events[i];
        if (event->kind == EVENT_WORKER_END && event->client == hold->client &&
            event->worker == hold->worker)
            return digest->trial->foreign == NULL && event->sent.acquire_requests > 0 &&
                   event->sent.release_requests == 0;
    }
    return false;
}

// Whose release said that it was done, and was not: proven if its worker sent no request, or if the
// lock was there in the end, and nobody else can have left it. A semaphore is there in any case.
static bool find_undone_release(struct account *account, const struct silence *silence)
{
    const struct digest *digest = account->digest;
    size_t last = last_release(digest);
    if (last == SIZE_MAX || silence->cause != SILENCE_RELEASED ||
        (digest->holds[last].answer != RELEASE_RELEASED &&
         digest->holds[last].answer != RELEASE_UNCHECKED))
        return false;
    bool is_there = !account_has_trait(account, "permits") && left_by_no_other(digest, SIZE_MAX);
    if (!is_there && !never_asked_to_release(digest, &digest->holds[last]))
        return false;
    account_conclude(account, ROOT_UNDONE_RELEASE, true);
    account->holds[0] = last;
    return true;
}

static void conclude_lost_release(struct account *account, size_t index)
{
    const struct digest *digest = account->digest;
    account_conclude(account, ROOT_LOST_RELEASE, left_by_no_other(digest, SIZE_MAX));
    account->holds[0] = index;
    for (size_t i = 0; i < digest->fault_count; i++) {
        if (fault_lost_release(digest, &digest->faults[i], &digest->holds[index]))
            account->fault = i;
    }
}

static void find_of_others(struct account *account, const struct silence *silence)
{
    const struct digest *digest = account->digest;
    size_t fault = SIZE_MAX;
    size_t refused = attempt_refused_unheard(digest, &fault);
    if (refused != SIZE_MAX) {
        account_conclude(account, ROOT_UNKNOWN_AS_NO, false);
        account->attempt = refused;
        account->fault = fault;
    } else if (find_undone_release(account, silence)) {
        return;
    } else if (is_of_quorum(digest)) {
        account_conclude(account, ROOT_SPLIT_VOTE, false);
    } else {
        find_of_sleepers(account, silence, false);
    }
}

// What lasted all the time, or else what left the lock behind.
static void find_of_faults(struct account *account, const struct silence *silence)
{
    const struct digest *digest = account->digest;
    bool was_free = silence_was_free(digest, true);
    size_t release = was_free ? SIZE_MAX : lost_release(digest);
    size_t acquire = was_free ? SIZE_MAX : lost_acquire(digest);
    size_t permits = silence_lost_permits(digest);
    bool is_kept_out =
        silence->cause == SILENCE_FAULT && may_keep_out(digest, &digest->faults[silence->fault]);
    if (permits != SIZE_MAX && liveness_leaving(digest->history) == LEAVING_NOTHING) {
        account_conclude(account, ROOT_LOST_PERMITS,
                         fault_can(digest->faults[permits].step, FAULT_EMPTIES));
        account->fault = permits;
    } else if (release != SIZE_MAX) {
        conclude_lost_release(account, release);
    } else if (acquire != SIZE_MAX) {
        account_conclude(account, ROOT_LOST_ACQUIRE, left_by_no_other(digest, acquire));
        account->attempt = acquire;
    } else if (is_kept_out) {
        account->fault = silence->fault;
        account_conclude(account, ROOT_STRUCK,
                         keeps_all_out(digest, &digest->faults[account->fault]));
    } else if (!silence_was_free(digest, false) || !find_of_sleepers(account, silence, true)) {
        find_of_others(account, silence);
    }
}

void account_find_no_progress(struct account *account)
{
    const struct digest *digest = account->digest;
    struct silence silence = silence_find(digest);
    account->holds[1] = SIZE_MAX;
    if (is_of_hanging_release(digest, account->finding)) {
        account_conclude(account, ROOT_HANGING_RELEASE, true);
        return;
    }
    account->holds[0] = silence.hold;
    account->attempt = silence.attempt;
    size_t clock = slow_clock(digest);
    size_t dead = dead_in_line(digest);
    enum leaving leaving = liveness_leaving(digest->history);
    bool died = silence.cause == SILENCE_DIED_HOLDING || silence.cause == SILENCE_DIED_RELEASING;
    bool lost_release = silence.cause == SILENCE_LOST_RELEASE && !silence_was_free(digest, true);
    died = died && !silence_was_free(digest, false);
    if (silence.unanswered) {
        account_conclude(account, ROOT_UNANSWERED, true);
        account->fault = last_that_silences(digest);
    } else if (clock != SIZE_MAX && has_lease(digest)) {
        account_conclude(account, ROOT_LEASE_STANDS, died);
        account->fault = clock;
    } else if (find_by_wire(account)) {
        return;
    } else if (silence.cause == SILENCE_DIED_ACQUIRING) {
        account_conclude(account, ROOT_DIED_ACQUIRING,
                         leaving == LEAVING_ORPHAN && left_by_no_other(digest, silence.attempt));
        account->any_worker = silence.worker == 0;
    } else if (died) {
        account_conclude(account, ROOT_DIED_HOLDING, leaving != LEAVING_NOTHING);
        account->fault = cut_off_at_death(digest, &digest->holds[silence.hold]);
    } else if (lost_release) {
        conclude_lost_release(account, silence.hold);
    } else if (silence.cause == SILENCE_LOST_ACQUIRE) {
        account_conclude(account, ROOT_LOST_ACQUIRE, left_by_no_other(digest, silence.attempt));
    } else if (is_fair(digest) && dead != SIZE_MAX) {
        account_conclude(account, ROOT_DEAD_IN_LINE, false);
        account->attempt = dead;
    } else {
        find_of_faults(account, &silence);
    }
}
