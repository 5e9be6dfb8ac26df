#include "harness/check/silence.h"

#include "harness/base/rank.h"
#include "harness/check/liveness.h"
#include "harness/check/wire_sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- since when ----------------------------------------------------------------------------------

// What ends the life of a worker after the trial's end says nothing about the lock.
static bool died_in_trial(const struct digest *digest, int64_t died_ns)
{
    return died_ns != TIME_NEVER && (!digest->stop_known || died_ns < digest->ended_ns);
}

static struct silence silence_by(enum silence_cause cause, int64_t from_ns)
{
    return (struct silence){.cause = cause,
                            .from_ns = from_ns,
                            .hold = SIZE_MAX,
                            .attempt = SIZE_MAX,
                            .fault = SIZE_MAX};
}

static struct silence after_hold(const struct digest *digest, size_t index)
{
    const struct hold *hold = &digest->holds[index];
    struct silence silence = silence_by(SILENCE_RELEASED, hold->returned_ns);
    if (hold->returned_ns != TIME_NEVER) {
        if (hold->answer == RELEASE_UNKNOWN)
            silence.cause = SILENCE_LOST_RELEASE;
    } else if (died_in_trial(digest, hold->died_ns)) {
        silence =
            silence_by(hold->died ? SILENCE_DIED_HOLDING : SILENCE_DIED_RELEASING, hold->died_ns);
    } else if (hold->valid_until_ns != TIME_NEVER) {
        silence = silence_by(SILENCE_EXPIRED, time_later(hold->valid_until_ns, hold->granted_ns));
    }
    silence.hold = index;
    return silence;
}

// True if the acquire cannot have got the lock: a holder that died had it until long after.
static bool lock_was_taken(const struct digest *digest, const struct attempt *attempt)
{
    if (digest->hold_count == 0)
        return false;
    // Of the last grant's: whoever had died before it had left the lock to be had.
    const struct hold *hold = &digest->holds[digest->hold_count - 1];
    bool died_with_it = hold->returned_ns == TIME_NEVER && died_in_trial(digest, hold->died_ns);
    return died_with_it && hold->granted_ns <= attempt->died_ns &&
           (hold->valid_until_ns == TIME_NEVER || attempt->died_ns < hold->valid_until_ns);
}

// True if a fault that lasts was still in effect when the trial ended: it was taken back then.
static bool fault_lasted(const struct digest *digest)
{
    FOR_EACH_FAULT (record, digest) {
        if (record->step->bound_ns >= 0 && record->in_effect_ns != TIME_NEVER &&
            record->healed_ns >= digest->ended_ns && record->heal_reason != HEAL_DEATH)
            return true;
    }
    return false;
}

size_t silence_lost_permits(const struct digest *digest)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; trial_has_trait(digest->trial, "permits") && i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct fault_step *step = record->step;
        if (fault_can(step, FAULT_EMPTIES | FAULT_MAY_FORGET) &&
            (step->how == NULL || strcmp(step->how, "keeps") != 0) &&
            record->in_effect_ns != TIME_NEVER)
            last = i;
    }
    return last;
}

bool silence_was_free(const struct digest *digest, bool lost_answer)
{
    bool may_end = lost_answer && (trial_has_trait(digest->trial, "session") ||
                                   trial_has_trait(digest->trial, "lease"));
    // What had to be waited for is a lease or a session that ended only then.
    return digest->ends.left == LEAVING_NOTHING && digest->ends.left_waited_ns == 0 && !may_end &&
           !fault_lasted(digest) && silence_lost_permits(digest) == SIZE_MAX;
}

// False if the acquire left no doubt about who has the lock.
static bool after_attempt(const struct digest *digest, size_t index, struct silence *silence)
{
    const struct attempt *attempt = &digest->attempts[index];
    *silence = silence_by(SILENCE_LOST_ACQUIRE, attempt->returned_ns);
    silence->attempt = index;
    silence->worker = attempt->worker;
    if (died_in_trial(digest, attempt->died_ns)) {
        silence->cause = SILENCE_DIED_ACQUIRING;
        silence->from_ns = attempt->died_ns;
        return !lock_was_taken(digest, attempt) && !silence_was_free(digest, false);
    }
    return attempt->outcome == OUTCOME_UNKNOWN && attempt->returned_ns < digest->ended_ns &&
           !silence_was_free(digest, true);
}

static void take_later(struct silence *latest, struct silence silence)
{
    if (silence.from_ns > latest->from_ns)
        *latest = silence;
}

// What a fault that does not heal (a kill) leaves behind shows in the holds and the attempts; but
// if nobody is answered, a server that it struck (a failover) may be about to serve again.
static void after_fault(const struct digest *digest, size_t index, bool unanswered,
                        struct silence *latest)
{
    const struct fault_record *record = &digest->faults[index];
    bool heals = record->step->bound_ns >= 0;
    bool counts = heals || (unanswered && record->step->target.client == 0);
    if (!counts || record->in_effect_ns == TIME_NEVER)
        return;
    struct silence silence = silence_by(SILENCE_FAULT, record->in_effect_ns);
    silence.fault = index;
    take_later(latest, silence);
    // A pause that ended with its target has freed nothing: the death shows elsewhere.
    silence.cause = SILENCE_HEALED;
    silence.from_ns = record->healed_ns;
    if (record->healed_ns < digest->ended_ns && record->heal_reason != HEAL_DEATH)
        take_later(latest, silence);
}

// True if a fault that kills struck its process just where this worker was inside the acquire. Of a
// request through a proxy, which is no certain worker's, nobody can tell.
static bool was_struck(const struct digest *digest, const struct attempt *attempt)
{
    FOR_EACH_FAULT (record, digest) {
        const struct event *event = record->step->bound_ns < 0 ? record->reached : NULL;
        if (event != NULL && event->client == attempt->client && event->worker == attempt->worker &&
            event->at_ns >= attempt->invoked_ns && event->at_ns <= attempt->died_ns)
            return true;
    }
    return false;
}

// Of workers that died together inside their acquires, the one that the fault struck explains the
// silence best; without such a one each of them may have got the lock.
static void take_one_of_dead(const struct digest *digest, struct silence *latest,
                             struct silence silence)
{
    if (was_struck(digest, &digest->attempts[latest->attempt]))
        return;
    if (was_struck(digest, &digest->attempts[silence.attempt]))
        *latest = silence;
    else
        latest->worker = 0;
}

// True if it was granted only after the end, when faults had been taken back that may have kept
// everybody waiting, or because others gave up when the trial was ended for want of a grant: that
// says nothing of before.
static bool says_nothing(const struct digest *digest, const struct hold *hold)
{
    bool late = digest->stop_known && hold->granted_ns > digest->ended_ns;
    if (late && digest->stop_reason == STOP_STUCK)
        return true;
    for (size_t i = 0; late && i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns != TIME_NEVER && record->healed_ns != TIME_NEVER &&
            record->heal_reason == HEAL_END && !fault_can(record->step, FAULT_STOPS))
            return true;
    }
    return false;
}

// The silence; `unanswered`: that which nobody's lost answer begins anew.
static struct silence find_silence(const struct digest *digest, bool unanswered)
{
    struct silence latest = silence_by(SILENCE_START, digest->started_ns);
    for (size_t i = 0; i < digest->fault_count; i++)
        after_fault(digest, i, unanswered, &latest);
    for (size_t i = 0; i < digest->attempt_count; i++) {
        struct silence silence;
        if (!after_attempt(digest, i, &silence) ||
            (unanswered && silence.cause == SILENCE_LOST_ACQUIRE))
            continue;
        if (silence.cause == SILENCE_DIED_ACQUIRING && latest.cause == silence.cause &&
            silence.from_ns == latest.from_ns)
            take_one_of_dead(digest, &latest, silence);
        else
            take_later(&latest, silence);
    }
    for (size_t i = 0; i < digest->hold_count; i++) {
        struct silence silence = after_hold(digest, i);
        if (unanswered && silence.cause == SILENCE_LOST_RELEASE)
            silence.from_ns = digest->holds[i].released_ns;
        if (!says_nothing(digest, &digest->holds[i]))
            take_later(&latest, silence);
    }
    latest.unanswered = unanswered;
    return latest;
}

// True if the renewal is one of the digest's lock, as far as that matters.
static bool is_of(const struct digest *digest, const struct event *renewal)
{
    FOR_EACH_HOLD (hold, digest) {
        if (hold->operation == renewal->operation && hold->client == renewal->client)
            return true;
    }
    return digest->of_lock == 0;
}

// True if somebody's acquire or renewal was answered between that time and the trial's end, or may
// have been: one that goes on for so long has had answers, or has asked nothing.
static bool was_answered(const struct digest *digest, int64_t from_ns)
{
    int64_t request_ns = digest->trial->scenario->lock.request_ns;
    FOR_EACH_ATTEMPT (attempt, digest) {
        if (attempt->returned_ns > digest->ended_ns &&
            digest->ended_ns - attempt->invoked_ns > 2 * request_ns)
            return true;
        if (attempt->outcome == OUTCOME_NO && attempt->returned_ns > from_ns &&
            attempt->returned_ns <= digest->ended_ns)
            return true;
    }
    for (size_t i = digest->history->count; i-- > 0;) {
        const struct event *event = &digest->history->events[i];
        if (event->kind == EVENT_RENEW_RETURN && event->outcome != OUTCOME_UNKNOWN &&
            event->at_ns > from_ns && event->at_ns <= digest->ended_ns && is_of(digest, event))
            return true;
    }
    return false;
}

struct silence silence_find(const struct digest *digest)
{
    struct silence latest = find_silence(digest, false);
    int64_t enough_ns = digest->trial->scenario->lock.stuck_after_ns;
    // One answer that was lost begins a silence of its own; one after the other is none that ends.
    bool begins_anew =
        latest.cause == SILENCE_LOST_ACQUIRE && digest->ended_ns - latest.from_ns <= enough_ns;
    if (!begins_anew || fault_lasted(digest))
        return latest;
    struct silence unanswered = find_silence(digest, true);
    bool is_long = digest->ended_ns - unanswered.from_ns > enough_ns;
    return is_long && !was_answered(digest, digest->ended_ns - enough_ns) ? unanswered : latest;
}

// --- who waited ----------------------------------------------------------------------------------

// A stretch of waiting of one worker.
struct span {
    int64_t from_ns, to_ns;
    int client, worker;
};

static int compare_by_worker(const void *left, const void *right)
{
    const struct span *a = left;
    const struct span *b = right;
    if (a->client != b->client)
        return a->client < b->client ? -1 : 1;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

bool fault_holds_up(const struct digest *digest, const struct fault_step *step, int client,
                    int worker)
{
    const struct target *target = &step->target;
    return wire_cuts_off(digest, step, client) ||
           (fault_can(step, FAULT_STOPS) && target->client == client &&
            (target->worker == 0 || target->worker == worker));
}

// True if faults that are not over leave the client fewer than a majority of the servers, each of
// which votes for itself: by wires that are cut, or servers that are down.
static bool lacks_quorum(const struct digest *digest, int client)
{
    int servers = digest->trial->servers;
    int lost = 0;
    if (strcmp(trial_topology(digest->trial), "independent") != 0)
        return false;
    for (int number = 1; number <= servers; number++) {
        char name[sizeof digest->faults->step->target.server];
        bool is_lost = false;
        snprintf(name, sizeof name, "server-%d", number);
        for (size_t i = 0; i < digest->fault_count && !is_lost; i++) {
            const struct fault_record *record = &digest->faults[i];
            bool is_on =
                record->in_effect_ns < digest->ended_ns && record->healed_ns >= digest->ended_ns;
            is_lost = is_on && (wire_severs(record->step, client, name) ||
                                (fault_can(record->step, FAULT_KILLS | FAULT_STOPS) &&
                                 strcmp(record->step->target.server, name) == 0));
        }
        lost += is_lost;
    }
    return lost > 0 && 2 * (servers - lost) <= servers;
}

// True if a fault that is not over holds the worker up.
static bool is_stopped(const struct digest *digest, const struct attempt *attempt)
{
    FOR_EACH_FAULT (record, digest) {
        if (record->in_effect_ns != TIME_NEVER && record->healed_ns >= digest->ended_ns &&
            fault_holds_up(digest, record->step, attempt->client, attempt->worker))
            return true;
    }
    return lacks_quorum(digest, attempt->client);
}

// And those who were granted it only after the end, who had waited until then.
static size_t find_spans(const struct digest *digest, int64_t since_ns, struct span *spans,
                         bool *stopped_may_hold)
{
    size_t count = 0;
    FOR_EACH_ATTEMPT (attempt, digest) {
        int64_t from_ns = time_later(attempt->invoked_ns, since_ns);
        int64_t to_ns =
            time_earlier(time_earlier(attempt->returned_ns, attempt->killed_ns), digest->ended_ns);
        if (to_ns <= from_ns || attempt->invoked_ns > digest->ended_ns)
            continue;
        if (is_stopped(digest, attempt))
            *stopped_may_hold = true;
        else
            spans[count++] = (struct span){from_ns, to_ns, attempt->client, attempt->worker};
    }
    FOR_EACH_HOLD (hold, digest) {
        int64_t from_ns = time_later(hold->invoked_ns, since_ns);
        if (says_nothing(digest, hold) && from_ns < digest->ended_ns)
            spans[count++] = (struct span){from_ns, digest->ended_ns, hold->client, hold->worker};
    }
    return count;
}

// Makes one span of each worker's: between two acquires that gave up it wanted the lock too.
static size_t join_workers(struct span *spans, size_t count)
{
    qsort(spans, count, sizeof *spans, compare_by_worker);
    size_t workers = 0;
    for (size_t i = 0; i < count; i++) {
        struct span *last = workers > 0 ? &spans[workers - 1] : NULL;
        if (last != NULL && last->client == spans[i].client && last->worker == spans[i].worker)
            last->to_ns = time_later(last->to_ns, spans[i].to_ns);
        else
            spans[workers++] = spans[i];
    }
    return workers;
}

struct waiting waiting_find(const struct digest *digest, const struct silence *silence)
{
    struct waiting waiting = {.until_ns = silence->from_ns};
    struct span *spans = memory_new((digest->attempt_count + digest->hold_count) * sizeof *spans);
    size_t count = find_spans(digest, silence->from_ns, spans, &waiting.stopped_may_hold);
    waiting.workers = join_workers(spans, count);
    sort_by_key(spans, waiting.workers, sizeof *spans);
    for (size_t i = 0; i < waiting.workers; i++) {
        int64_t from_ns = time_later(spans[i].from_ns, waiting.until_ns);
        if (spans[i].to_ns > from_ns)
            waiting.waited_ns += spans[i].to_ns - from_ns;
        waiting.until_ns = time_later(waiting.until_ns, spans[i].to_ns);
    }
    for (size_t i = 0; i < waiting.workers; i++)
        waiting.to_the_end += spans[i].to_ns == waiting.until_ns;
    free(spans);
    return waiting;
}
