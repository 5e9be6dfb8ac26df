// stuck: once the lock is free, or should have become free because its holder died or its lease ran
// out, somebody who waits is granted it within the lease and a slack that the history itself shows.
// STUCK is proven if nobody is until the observation ends; an observation that ends too soon
// decides nothing. And whoever gives the lock back gets an answer (stuck.h).
#include "harness/check/stuck.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/preconditions.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"

#include <stdio.h>
#include <string.h>

// === the no-progress interval at the end =========================================================

// --- since when ----------------------------------------------------------------------------------

// What ends the life of a worker after the trial's end says nothing about the lock.
static bool died_in_trial(const struct trial_model *model, int64_t died_ns)
{
    return died_ns != TIME_NEVER && (!model->stop_known || died_ns < model->ended_ns);
}

static struct no_progress after_hold(const struct trial_model *model, const struct hold *hold)
{
    struct no_progress interval = {NO_PROGRESS_RELEASED, .from_ns = hold->returned_ns,
                                   .hold = hold};
    if (hold->returned_ns != TIME_NEVER) {
        if (hold->answer == RELEASE_UNKNOWN)
            interval.cause = NO_PROGRESS_LOST_RELEASE;
    } else if (died_in_trial(model, hold->died_ns)) {
        interval.cause = hold->died ? NO_PROGRESS_DIED_HOLDING : NO_PROGRESS_DIED_RELEASING;
        interval.from_ns = hold->died_ns;
    } else if (hold->valid_until_ns != TIME_NEVER) {
        interval.cause = NO_PROGRESS_EXPIRED;
        interval.from_ns = time_later(hold->valid_until_ns, hold->granted_ns);
    }
    return interval;
}

// True if the acquire cannot have got the lock: a holder that died had it until long after.
static bool lock_was_taken(const struct trial_model *model, const struct hold *attempt)
{
    if (model->hold_count == 0)
        return false;
    // Of the last grant's: whoever had died before it had left the lock to be had.
    const struct hold *hold = &model->holds[model->hold_count - 1];
    bool died_with_it = hold->returned_ns == TIME_NEVER && died_in_trial(model, hold->died_ns);
    return died_with_it && hold->granted_ns <= attempt->died_ns &&
           (hold->valid_until_ns == TIME_NEVER || attempt->died_ns < hold->valid_until_ns);
}

// True if a fault that lasts was still in effect when the trial ended: it was taken back then.
static bool fault_lasted(const struct trial_model *model)
{
    FOR_EACH_FAULT (record, model) {
        if (record->instance->bound_ns >= 0 && took_effect(record) &&
            record->healed_ns >= model->ended_ns && record->heal_reason != HEAL_DEATH)
            return true;
    }
    return false;
}

const struct fault_record *no_progress_lost_permits(const struct trial_model *model)
{
    const struct fault_record *last = NULL;
    FOR_EACH_FAULT (record, model) {
        if (trial_has_trait(model->trial, "permits") && took_effect(record) &&
            fault_can(record->instance, FAULT_EMPTIES | FAULT_MAY_FORGET))
            last = record;
    }
    return last;
}

bool no_progress_while_free(const struct trial_model *model, bool lost_answer)
{
    bool may_end = lost_answer && (trial_has_trait(model->trial, "session") ||
                                   trial_has_trait(model->trial, "lease"));
    // What had to be waited for is a lease or a session that ended only then.
    return model->ends.left == RESIDUAL_NONE && model->ends.left_waited_ns == 0 && !may_end &&
           !fault_lasted(model) && no_progress_lost_permits(model) == NULL;
}

// False if the acquire left no doubt about who has the lock.
static bool after_attempt(const struct trial_model *model, const struct hold *attempt,
                          struct no_progress *interval)
{
    *interval = (struct no_progress){NO_PROGRESS_LOST_ACQUIRE, .from_ns = attempt->returned_ns,
                                     .attempt = attempt, .worker = attempt->worker};
    if (died_in_trial(model, attempt->died_ns)) {
        interval->cause = NO_PROGRESS_DIED_ACQUIRING;
        interval->from_ns = attempt->died_ns;
        return !lock_was_taken(model, attempt) && !no_progress_while_free(model, false);
    }
    return attempt->outcome == OUTCOME_UNKNOWN && attempt->returned_ns < model->ended_ns &&
           !no_progress_while_free(model, true);
}

static void take_later(struct no_progress *latest, struct no_progress interval)
{
    if (interval.from_ns > latest->from_ns)
        *latest = interval;
}

// What a fault that does not heal (a kill) leaves behind shows in the holds and the attempts; but
// if nobody is answered, a server that it struck (a failover) may be about to serve again.
static void after_fault(const struct trial_model *model, const struct fault_record *record,
                        bool unanswered, struct no_progress *latest)
{
    bool heals = record->instance->bound_ns >= 0;
    bool counts = heals || (unanswered && record->instance->target.client == 0);
    if (!counts || !took_effect(record))
        return;
    struct no_progress interval = {NO_PROGRESS_FAULT, .from_ns = record->in_effect_ns,
                                   .fault = record};
    take_later(latest, interval);
    // A pause that ended with its target has freed nothing: the death shows elsewhere.
    interval.cause = NO_PROGRESS_HEALED;
    interval.from_ns = record->healed_ns;
    if (record->healed_ns < model->ended_ns && record->heal_reason != HEAL_DEATH)
        take_later(latest, interval);
}

// True if a fault that kills struck its process just where this worker was inside the acquire. Of a
// request through a proxy, which is no certain worker's, nobody can tell.
static bool was_struck(const struct trial_model *model, const struct hold *attempt)
{
    FOR_EACH_FAULT (record, model) {
        const struct event *event = record->instance->bound_ns < 0 ? record->reached : NULL;
        if (event != NULL && event->client == attempt->client && event->worker == attempt->worker &&
            event->at_ns >= attempt->invoked_ns && event->at_ns <= attempt->died_ns)
            return true;
    }
    return false;
}

// Of workers that died together inside their acquires, the one that the fault struck explains the
// interval best; without such a one each of them may have got the lock.
static void take_one_of_dead(const struct trial_model *model, struct no_progress *latest,
                             struct no_progress interval)
{
    if (was_struck(model, latest->attempt))
        return;
    if (was_struck(model, interval.attempt))
        *latest = interval;
    else
        latest->worker = 0;
}

// True if it was granted only after the end, when faults had been taken back that may have kept
// everybody waiting, or because others gave up when the trial was ended for want of a grant: that
// says nothing of before.
static bool says_nothing(const struct trial_model *model, const struct hold *hold)
{
    bool late = model->stop_known && hold->granted_ns > model->ended_ns;
    if (late && model->stop_reason == STOP_STUCK)
        return true;
    for (size_t i = 0; late && i < model->fault_count; i++) {
        const struct fault_record *record = &model->faults[i];
        if (took_effect(record) && record->healed_ns != TIME_NEVER &&
            record->heal_reason == HEAL_END && !fault_can(record->instance, FAULT_STOPS))
            return true;
    }
    return false;
}

// The no-progress interval; `unanswered`: that which nobody's lost answer begins anew.
static struct no_progress find_interval(const struct trial_model *model, bool unanswered)
{
    struct no_progress latest = {NO_PROGRESS_START, .from_ns = model->started_ns};
    FOR_EACH_FAULT (record, model)
        after_fault(model, record, unanswered, &latest);
    FOR_EACH_ATTEMPT (attempt, model) {
        struct no_progress interval;
        if (!after_attempt(model, attempt, &interval) ||
            (unanswered && interval.cause == NO_PROGRESS_LOST_ACQUIRE))
            continue;
        if (interval.cause == NO_PROGRESS_DIED_ACQUIRING && latest.cause == interval.cause &&
            interval.from_ns == latest.from_ns)
            take_one_of_dead(model, &latest, interval);
        else
            take_later(&latest, interval);
    }
    FOR_EACH_HOLD (hold, model) {
        struct no_progress interval = after_hold(model, hold);
        if (unanswered && interval.cause == NO_PROGRESS_LOST_RELEASE)
            interval.from_ns = hold->released_ns;
        if (!says_nothing(model, hold))
            take_later(&latest, interval);
    }
    latest.unanswered = unanswered;
    return latest;
}

// True if the renewal is one of the trial model's lock.
static bool is_of(const struct trial_model *model, const struct event *renewal)
{
    if (model->of_lock == 0)
        return true;
    FOR_EACH_HOLD (hold, model) {
        if (hold->operation == renewal->operation && hold->client == renewal->client)
            return true;
    }
    return false;
}

// True if somebody's acquire or renewal was answered between that time and the trial's end, or may
// have been: one that goes on for so long has had answers, or has asked nothing.
static bool was_answered(const struct trial_model *model, int64_t from_ns)
{
    int64_t request_ns = model->trial->scenario->lock.request_ns;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->returned_ns > model->ended_ns &&
            model->ended_ns - attempt->invoked_ns > 2 * request_ns)
            return true;
        if (attempt->outcome == OUTCOME_NO && attempt->returned_ns > from_ns &&
            attempt->returned_ns <= model->ended_ns)
            return true;
    }
    FOR_EVENTS (event, model, event_from(model, from_ns + 1), model->ended_ns) {
        if (event->kind == EVENT_RENEW_RETURN && event->outcome != OUTCOME_UNKNOWN &&
            is_of(model, event))
            return true;
    }
    return false;
}

struct no_progress no_progress_find(const struct trial_model *model)
{
    struct no_progress latest = find_interval(model, false);
    int64_t enough_ns = model->trial->scenario->lock.stuck_after_ns;
    // One answer that was lost begins a no-progress interval of its own; one after the other is
    // none that ends.
    bool begins_anew =
        latest.cause == NO_PROGRESS_LOST_ACQUIRE && model->ended_ns - latest.from_ns <= enough_ns;
    if (!begins_anew || fault_lasted(model))
        return latest;
    struct no_progress unanswered = find_interval(model, true);
    bool is_long = model->ended_ns - unanswered.from_ns > enough_ns;
    return is_long && !was_answered(model, model->ended_ns - enough_ns) ? unanswered : latest;
}

// --- who waited ----------------------------------------------------------------------------------

// When a worker waited.
struct waiter {
    int64_t who;
    struct span time;
};

static struct waiter waiter_of(const struct hold *acquire, int64_t since_ns, int64_t to_ns)
{
    return (struct waiter){worker_key(acquire), {time_later(acquire->invoked_ns, since_ns), to_ns}};
}

// True if faults that are not over leave the client fewer than a majority of the servers, each of
// which votes for itself: by wires that are cut, or servers that are down.
static bool lacks_quorum(const struct trial_model *model, int client)
{
    int servers = model->trial->servers;
    int lost = 0;
    if (!trial_has_independent_servers(model->trial))
        return false;
    for (int number = 1; number <= servers; number++) {
        char name[sizeof model->faults->instance->target.server];
        bool is_lost = false;
        snprintf(name, sizeof name, "server-%d", number);
        for (size_t i = 0; i < model->fault_count && !is_lost; i++) {
            const struct fault_record *record = &model->faults[i];
            bool is_on =
                record->in_effect_ns < model->ended_ns && record->healed_ns >= model->ended_ns;
            is_lost = is_on && (wire_severs(record->instance, client, name) ||
                                (fault_can(record->instance, FAULT_KILLS | FAULT_STOPS) &&
                                 strcmp(record->instance->target.server, name) == 0));
        }
        lost += is_lost;
    }
    return lost > 0 && 2 * (servers - lost) <= servers;
}

// True if a fault that is not over holds the worker up.
static bool is_stopped(const struct trial_model *model, const struct hold *attempt)
{
    FOR_EACH_FAULT (record, model) {
        if (took_effect(record) && record->healed_ns >= model->ended_ns &&
            fault_holds_up(model, record->instance, attempt->client, attempt->worker))
            return true;
    }
    return lacks_quorum(model, attempt->client);
}

// Finds the waits of each worker, in their order. Those who were granted the lock only after the
// end had waited until then. A wait is in vain if it
// ends after the last time that somebody was told that the job is gone, and before the job is over.
static size_t find_waits(const struct trial_model *model, int64_t since_ns, struct waiter *waits,
                         bool *stopped_may_hold)
{
    size_t count = 0;
    int64_t over_ns = job_over_ns(model), told_ns = 0;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->is_gone)
            told_ns = time_later(told_ns, attempt->returned_ns);
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        int64_t to_ns =
            time_earlier(time_earlier(attempt->returned_ns, attempt->killed_ns), model->ended_ns);
        if (to_ns <= told_ns || to_ns > over_ns ||
            to_ns <= time_later(attempt->invoked_ns, since_ns) ||
            attempt->invoked_ns > model->ended_ns)
            continue;
        if (is_stopped(model, attempt))
            *stopped_may_hold = true;
        else
            waits[count++] = waiter_of(attempt, since_ns, to_ns);
    }
    FOR_EACH_HOLD (hold, model) {
        if (says_nothing(model, hold) && time_later(hold->invoked_ns, since_ns) < model->ended_ns)
            waits[count++] = waiter_of(hold, since_ns, model->ended_ns);
    }
    sort_by_key(waits, count, sizeof *waits);
    return count;
}

struct waiting waiting_find(const struct trial_model *model, const struct no_progress *interval)
{
    struct waiting waiting = {.until_ns = interval->from_ns};
    AUTO_FREE struct waiter *waits = memory_new(acquire_count(model) * sizeof *waits);
    AUTO_FREE struct spans spans = {0}; // one for each worker
    size_t count = find_waits(model, interval->from_ns, waits, &waiting.stopped_may_hold);
    for (size_t i = 0; i < count; i++) {
        // Between two acquires that gave up it wanted the lock too.
        if (i > 0 && waits[i - 1].who == waits[i].who)
            spans.items[spans.count - 1].to_ns =
                time_later(spans.items[spans.count - 1].to_ns, waits[i].time.to_ns);
        else
            span_add(&spans, waits[i].time);
        waiting.until_ns = time_later(waiting.until_ns, waits[i].time.to_ns);
    }
    waiting.workers = spans.count;
    FOR_EACH (span, span, spans.items, spans.count)
        waiting.to_the_end += span->to_ns == waiting.until_ns;
    spans_join(&spans);
    FOR_EACH (span, span, spans.items, spans.count)
        waiting.waited_ns += span->to_ns - span->from_ns;
    return waiting;
}

// === the property ================================================================================

// --- how long it may take ------------------------------------------------------------------------

// The longest time from a release to the next grant, of a worker that waited meanwhile, before the
// first fault.
static int64_t longest_hand_off_ns(const struct trial_model *model)
{
    int64_t first_fault_ns = TIME_NEVER;
    FOR_EACH_FAULT (record, model) {
        first_fault_ns = time_earlier(first_fault_ns, record->asked_ns);
    }
    int64_t longest = 0;
    int64_t free_ns = model->started_ns;
    FOR_EACH_HOLD (hold, model) {
        if (hold->granted_ns >= first_fault_ns)
            break;
        longest = time_later(longest, hold->granted_ns - time_later(free_ns, hold->invoked_ns));
        if (hold->returned_ns != TIME_NEVER)
            free_ns = time_later(free_ns, hold->returned_ns);
    }
    return longest;
}

// The next stall may not have been recorded yet.
static int64_t stalls_and_next_ns(const struct trial_model *model, int whose, int64_t from_ns,
                                  int64_t to_ns)
{
    return stalled_ns(model, whose, from_ns, to_ns) + longest_stall_ns(model, whose, to_ns);
}

// For whom of those that went for the lock meanwhile the least is to be allowed: one who could have
// been granted it is enough.
static int64_t allowed_stalls_ns(const struct trial_model *model, int64_t from_ns, int64_t to_ns)
{
    int64_t least_ns = TIME_NEVER;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->invoked_ns < to_ns && attempt->returned_ns >= to_ns &&
            attempt->killed_ns >= to_ns)
            least_ns =
                time_earlier(least_ns, stalls_and_next_ns(model, attempt->client, from_ns, to_ns));
    }
    return least_ns != TIME_NEVER ? least_ns
                                  : stalls_and_next_ns(model, STALLS_OF_SERVERS, from_ns, to_ns);
}

// True if the machine may have lost the answer with which the interval begins: no fault kept it
// back, and for half of the time that a request may take somebody stood still while it was awaited.
static bool stalls_lost_answer(const struct trial_model *model, const struct no_progress *interval,
                               struct words *stalls)
{
    int64_t request_ns = model->trial->scenario->lock.request_ns;
    bool of_release = interval->cause == NO_PROGRESS_LOST_RELEASE;
    if (!of_release && interval->cause != NO_PROGRESS_LOST_ACQUIRE)
        return false;
    const struct hold *hold = of_release ? interval->hold : interval->attempt;
    // Of an acquire that tried again and again its last request.
    int64_t asked_ns = of_release
                           ? hold->released_ns
                           : time_later(hold->invoked_ns, hold->returned_ns - 2 * request_ns);
    FOR_EACH_FAULT (record, model) {
        if (fault_lost_answer(model, record, hold->client, asked_ns, hold->returned_ns))
            return false;
    }
    *stalls = describe_stalls(model, hold->client, asked_ns, hold->returned_ns);
    return 2 * stalled_ns(model, hold->client, asked_ns, hold->returned_ns) >= request_ns;
}

// --- words ---------------------------------------------------------------------------------------

static const struct {
    const char *form;  // a `%` stands for who, or which fault
    bool leaves_doubt; // nothing but the wait itself shows then that the lock can still be had
    bool is_held;      // somebody may have it, whom its lease parts from it
} causes[] = {
    [NO_PROGRESS_START] = {"the trial began", true, false},
    [NO_PROGRESS_RELEASED] = {"% released it", false, false},
    [NO_PROGRESS_DIED_HOLDING] = {"% died holding the lock", true, true},
    [NO_PROGRESS_DIED_RELEASING] = {"% died while releasing the lock", true, true},
    [NO_PROGRESS_EXPIRED] = {"%'s lease ran out", false, false},
    [NO_PROGRESS_LOST_RELEASE] = {"% got no answer to its release", true, true},
    [NO_PROGRESS_DIED_ACQUIRING] = {"% died while acquiring the lock", true, true},
    [NO_PROGRESS_LOST_ACQUIRE] = {"% got no answer to its acquire", true, true},
    [NO_PROGRESS_FAULT] = {"fault % took effect", false, false},
    [NO_PROGRESS_HEALED] = {"fault % was over", false, false},
};

// "client-1 died holding the lock".
static struct words cause_of(const struct trial_model *model, const struct no_progress *interval)
{
    struct words words;
    struct words who = {""};
    if (interval->hold != NULL)
        who = worker_name(model, interval->hold->client, interval->hold->worker);
    else if (interval->attempt != NULL)
        who = worker_name(model, interval->attempt->client, interval->worker);
    else if (interval->fault != NULL)
        snprintf(who.text, sizeof who.text, "%d", interval->fault->instance->number);
    const char *form = causes[interval->cause].form;
    int before = (int)strcspn(form, "%");
    snprintf(words.text, sizeof words.text, "%.*s%.48s%s", before, form, who.text,
             form + before + (form[before] != '\0'));
    return words;
}

// What is known of who had the lock meanwhile, or why nothing freed it: "" or words that follow.
static void tell_remedy(const struct trial_model *model, const struct no_progress *interval,
                        struct text *out)
{
    bool has_none = model->trial->traits != NULL
                        ? !trial_has_trait(model->trial, "lease")
                        : model->hold_count > 0 && !holds_have_leases(model);
    if (interval->unanswered)
        text_add(out, "; no acquire was answered");
    else if (no_progress_while_free(model, false))
        text_add(out, "; it was free: the servers did not have it when all had ended");
    else if (!causes[interval->cause].is_held)
        return;
    else if (has_none && trial_has_trait(model->trial, "session"))
        text_add(out, "; the lock has no lease, and only the end of its session frees it");
    else if (has_none)
        text_add(out, "; the lock has no lease: nothing will ever free it");
    else
        text_format(out, "; the lease of %s should have freed it",
                    lasting(model->trial->scenario->lock.lease_ns).text);
}

static void tell_stuck(const struct trial_model *model, const struct no_progress *interval,
                       const struct waiting *waiting, struct text *out)
{
    text_format(out, "nobody was granted the lock in the %s after %s, although %zu worker%s waited",
                lasting(waiting->until_ns - interval->from_ns).text, cause_of(model, interval).text,
                waiting->to_the_end, plural((long long)waiting->to_the_end));
    tell_remedy(model, interval, out);
    if (model->ends.left == RESIDUAL_ORPHAN)
        text_add(out, "; it was still on the servers when all had ended");
}

static void tell_waiting(const struct trial_model *model, const struct no_progress *interval,
                         const struct waiting *waiting, const char *only, struct text *out)
{
    text_format(out, "%zu worker%s waited in vain for %s%s after %s, ", waiting->workers,
                plural((long long)waiting->workers), only, lasting(waiting->waited_ns).text,
                cause_of(model, interval).text);
}

static void tell_undecided(const struct trial_model *model, const struct no_progress *interval,
                           const struct waiting *waiting, int64_t bound_ns, struct text *out)
{
    if (waiting->stopped_may_hold && !holds_have_leases(model)) {
        tell_waiting(model, interval, waiting, "", out);
        text_add(out, "but a worker that is stopped inside its acquire may hold the lock");
        return;
    }
    tell_waiting(model, interval, waiting, "only ", out);
    text_format(out, "too short to tell whether the lock is stuck: that takes %s",
                lasting(bound_ns).text);
}

// --- faults at the end ---------------------------------------------------------------------------

// True if what the fault does to the servers was not over, and their recovery from it not due, when
// the trial ended: that nobody was granted meanwhile is its doing, and tells nothing of the lock.
static bool was_unfinished(const struct trial_model *model, const struct fault_record *record)
{
    const struct fault_instance *instance = record->instance;
    bool is_on_servers = instance->target.client == 0 || instance->side_counts[0] > 0;
    if (!is_on_servers || record->asked_ns >= model->ended_ns)
        return false;
    if (record->in_effect_ns >= model->ended_ns)
        return !record->failed;
    bool is_bounded = instance->bound_ns >= 0 && instance->bound_ns != NO_BOUND;
    if (is_bounded && record->healed_ns != TIME_NEVER && record->heal_reason == HEAL_END)
        return true;
    return fault_can(instance, FAULT_KILLS) &&
           record->in_effect_ns > model->ended_ns - model->trial->scenario->lock.stuck_after_ns;
}

// --- the decision --------------------------------------------------------------------------------

static void decide_waiting(const struct trial_model *model, struct finding *finding)
{
    struct no_progress interval = no_progress_find(model);
    if (interval.from_ns >= model->ended_ns)
        return; // held, or only just free, when the observation ended
    struct waiting waiting = waiting_find(model, &interval);
    if (waiting.workers == 0)
        return;
    int64_t slack =
        time_later(longest_hand_off_ns(model), 2 * model->trial->scenario->lock.retry_ns) +
        allowed_stalls_ns(model, interval.from_ns, waiting.until_ns);
    const struct lock_settings *lock = &model->trial->scenario->lock;
    const struct server_form *server = model->trial->server;
    int64_t bound_ns = lock->lease_ns + (server != NULL ? server->late_expiry_ns : 0) + slack;
    int64_t proof_ns = bound_ns;
    const struct fault_instance *unfinished = NULL;
    for (size_t i = 0; i < model->fault_count && unfinished == NULL; i++)
        unfinished = was_unfinished(model, &model->faults[i]) ? model->faults[i].instance : NULL;
    if (unfinished != NULL || interval.unanswered)
        proof_ns = time_later(bound_ns, lock->stuck_after_ns);
    bool hidden_holder = waiting.stopped_may_hold && !holds_have_leases(model);
    struct words stalls;
    AUTO_TEXT struct text found = {0};
    if (waiting.waited_ns > proof_ns && !hidden_holder &&
        stalls_lost_answer(model, &interval, &stalls)) {
        finding->state = FINDING_UNDECIDED;
        tell_waiting(model, &interval, &waiting, "", &found);
        text_format(&found, "which the machine may have lost: %s while it was awaited",
                    stalls.text);
    } else if (waiting.waited_ns > proof_ns && !hidden_holder) {
        finding->state = FINDING_VIOLATED;
        finding->count = 1;
        finding->by_absence = true;
        finding->evidence = evidence_of_holds(index_of(model, interval.hold), SIZE_MAX,
                                              interval.from_ns, waiting.until_ns);
        tell_stuck(model, &interval, &waiting, &found);
    } else if (waiting.waited_ns > bound_ns && !hidden_holder && unfinished != NULL) {
        finding->state = FINDING_UNDECIDED;
        tell_waiting(model, &interval, &waiting, "", &found);
        text_format(&found,
                    "but the servers may not have recovered yet from fault %d (%.100s): only more "
                    "than %s (lock.stuck-after) would show that the lock is stuck",
                    unfinished->number, fault_title(unfinished),
                    lasting(lock->stuck_after_ns).text);
    } else if (causes[interval.cause].leaves_doubt || waiting.waited_ns > bound_ns ||
               (interval.cause != NO_PROGRESS_RELEASED && waiting.waited_ns > slack)) {
        finding->state = FINDING_UNDECIDED;
        tell_undecided(model, &interval, &waiting, interval.unanswered ? proof_ns : bound_ns,
                       &found);
    }
    if (finding->state == FINDING_KEPT)
        return;
    tell_servers_down(model, interval.from_ns, waiting.until_ns, &found);
    finding_say(finding, "%s", found.bytes);
}

// --- a release that hangs ------------------------------------------------------------------------

// True if what the fault does was not over when the trial ended, or nobody knows whether it was. A
// server that was killed stays away; a client that was has nothing more to do with it.
static bool is_on(const struct trial_model *model, const struct fault_record *record)
{
    if (record->asked_ns >= model->ended_ns)
        return false;
    if (record->in_effect_ns >= model->ended_ns)
        return !record->failed;
    if (record->failed)
        return true;
    if (record->instance->bound_ns >= 0)
        return record->healed_ns >= model->ended_ns;
    return fault_can(record->instance, FAULT_KILLS) &&
           !fault_can(record->instance, FAULT_MOVES_LEADER) && record->instance->target.client == 0;
}

// Since when no fault was on, and how long the longest had been; false if one is.
static bool is_quiet(const struct trial_model *model, int64_t *from_ns, int64_t *longest_ns)
{
    *from_ns = model->started_ns;
    *longest_ns = 0;
    FOR_EACH_FAULT (record, model) {
        if (is_on(model, record))
            return false;
        if (record->in_effect_ns >= model->ended_ns)
            continue;
        *from_ns = time_later(*from_ns, record->in_effect_ns);
        if (record->healed_ns >= model->ended_ns)
            continue;
        *from_ns = time_later(*from_ns, record->healed_ns);
        *longest_ns = time_later(*longest_ns, record->healed_ns - record->in_effect_ns);
    }
    return true;
}

bool hanging_release_find(const struct trial_model *model, struct hanging_release *hanging)
{
    int64_t quiet_ns, fault_ns;
    *hanging = (struct hanging_release){SIZE_MAX, TIME_NEVER};
    // Without the word of the end nobody knows that there was time for an answer.
    if (!model->stop_known || !is_quiet(model, &quiet_ns, &fault_ns))
        return false;
    int64_t bound_ns = longest_release_ns(&model->trial->scenario->lock) + fault_ns;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        int64_t from_ns = time_later(hold->released_ns, quiet_ns);
        // Still to be answered when the trial ended. What comes after the stop with an outcome
        // shows that it was only slow; without one, that whoever waited for it gave up.
        bool is_open = hold->returned_ns == TIME_NEVER ||
                       (hold->returned_ns > model->ended_ns && hold->answer == RELEASE_UNKNOWN);
        if (!hold->release_invoked || hold->released_ns >= model->ended_ns ||
            hold->died_ns < model->ended_ns || !is_open || from_ns >= hanging->from_ns)
            continue;
        if (model->ended_ns - from_ns >
            bound_ns + stalls_and_next_ns(model, hold->client, from_ns, model->ended_ns))
            *hanging = (struct hanging_release){i, from_ns};
    }
    return hanging->hold != SIZE_MAX;
}

// Makes the finding a violation by that release.
static void tell_hanging(const struct trial_model *model, const struct hanging_release *hanging,
                         struct finding *finding)
{
    const struct hold *hold = &model->holds[hanging->hold];
    size_t grants = 0, waiting = 0; // meanwhile; when the trial ends
    FOR_EACH_HOLD (other, model) {
        grants += other->granted_ns > hold->released_ns && other->granted_ns < model->ended_ns;
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        waiting += attempt->invoked_ns < model->ended_ns &&
                   attempt->returned_ns >= model->ended_ns && attempt->killed_ns >= model->ended_ns;
    }
    finding->count = 1;
    finding->by_absence = true;
    finding->evidence =
        evidence_of_holds(hanging->hold, SIZE_MAX, hanging->from_ns, model->ended_ns);
    finding_decide(
        finding, FINDING_VIOLATED,
        "%s's release was not answered in the %s until the trial ended, although no fault "
        "was on and a request may take %s",
        holder_name(model, hanging->hold).text, lasting(model->ended_ns - hanging->from_ns).text,
        lasting(model->trial->scenario->lock.request_ns).text);
    if (grants > 0)
        finding_say(finding, "; others were granted the lock %zu time%s meanwhile", grants,
                    plural((long long)grants));
    else if (waiting > 0)
        finding_say(finding, "; nobody was granted the lock meanwhile, and %zu worker%s", waiting,
                    waiting == 1 ? " waits" : "s wait");
}

bool is_of_hanging_release(const struct trial_model *model, const struct finding *finding)
{
    struct hanging_release hanging;
    return finding->evidence.holds[0] != SIZE_MAX && hanging_release_find(model, &hanging) &&
           hanging.hold == finding->evidence.holds[0] &&
           hanging.from_ns == finding->evidence.from_ns;
}

// --- both ----------------------------------------------------------------------------------------

static void decide(const struct trial_model *model, struct finding *finding)
{
    struct hanging_release hanging;
    decide_waiting(model, finding);
    if (finding->state != FINDING_VIOLATED && hanging_release_find(model, &hanging))
        tell_hanging(model, &hanging, finding);
    else if (finding->state == FINDING_KEPT)
        finding_say(finding, "whoever waited for a free lock was granted it");
}

const struct check stuck_check = {
    .name = "stuck",
    .summary = "whoever waits for a free lock is granted it within the lease, and a release is "
               "answered",
    .letter = "",
    .decide = decide,
    .shows = SHOWS_NO_PROGRESS,
};
