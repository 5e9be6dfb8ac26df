// Why nobody is granted the lock any more, or a release is not answered.
#include "harness/base/clock.h"
#include "harness/check/faults.h"
#include "harness/check/stuck.h"
#include "harness/check/sweep.h"
#include "harness/explain/diagnosis.h"
#include "harness/workloads/workload.h"

#include <string.h>

// The last hold whose release nobody knows to have been done, if the lock outlives it; NULL.
static const struct hold *lost_release(const struct trial_model *model)
{
    for (size_t i = model->hold_count; i > 0; i--) {
        const struct hold *hold = &model->holds[i - 1];
        bool is_answered = hold->returned_ns != TIME_NEVER;
        if (is_answered && hold->answer == RELEASE_UNKNOWN && hold->valid_until_ns == TIME_NEVER)
            return hold;
        if (hold->valid_until_ns != TIME_NEVER || (is_answered && hold->answer == RELEASE_RELEASED))
            return NULL;
    }
    return NULL;
}

// The first acquire after the last grant whose answer was lost, of a lock that does not expire.
static const struct hold *lost_acquire(const struct trial_model *model)
{
    int64_t since_ns = model->hold_count > 0 ? model->holds[model->hold_count - 1].granted_ns : 0;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->outcome == OUTCOME_UNKNOWN && !attempt->died &&
            attempt->returned_ns != TIME_NEVER && attempt->returned_ns > since_ns)
            return holds_have_leases(model) ? NULL : attempt;
    }
    return NULL;
}

// Its client died inside it.
static bool has_died(const struct trial_model *model, const struct hold *attempt)
{
    return attempt->died && attempt->died_ns < model->ended_ns;
}

// --- who sleeps ----------------------------------------------------------------------------------

// A worker that looks by itself would have looked so many times as often.
#define SELDOM 20

// How often the worker asked in this acquire. Of an external client: how often it sent something,
// as its proxy saw it; INT64_MAX if that saw nothing at all.
static int64_t tries_of(const struct trial_model *model, const struct hold *attempt)
{
    int64_t requests = 0;
    bool was_seen = false;
    if (!tells_requests(model))
        return attempt->attempts;
    FOR_EACH_EVENT (event, model) {
        if (event->client != attempt->client || event->kind != EVENT_REQUEST)
            continue;
        was_seen = true;
        requests += event->at_ns > attempt->invoked_ns && event->at_ns < model->ended_ns;
    }
    return was_seen ? requests : INT64_MAX;
}

const struct hold *attempt_that_sleeps(const struct trial_model *model)
{
    int64_t retry_ns = time_later(model->trial->scenario->lock.retry_ns, 1);
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->invoked_ns < model->ended_ns && attempt->returned_ns >= model->ended_ns &&
            !attempt->died && attempt->returned_ns != TIME_NEVER &&
            attempt->outcome == OUTCOME_NO &&
            tries_of(model, attempt) < (model->ended_ns - attempt->invoked_ns) / retry_ns / SELDOM)
            return attempt;
    }
    return NULL;
}

// The last release that was answered; NULL if there was none.
static const struct hold *last_release(const struct trial_model *model)
{
    const struct hold *last = NULL;
    FOR_EACH_HOLD (hold, model) {
        if (hold->returned_ns < model->ended_ns &&
            (last == NULL || hold->returned_ns > last->returned_ns))
            last = hold;
    }
    return last;
}

// What kept the message from the sleeper: its connection that was ended, else one that was cut; the
// last such fault before the no-progress interval. NULL if there is none.
static const struct fault_record *fault_that_deafened(const struct trial_model *model,
                                                      const struct hold *sleeper, int64_t before_ns)
{
    const struct fault_record *found = NULL;
    FOR_EACH_FAULT (record, model) {
        int client = record->instance->target.client;
        bool ends = fault_can(record->instance, FAULT_DISCONNECTS) &&
                    (client == 0 || client == sleeper->client);
        if (record->healed_ns > sleeper->invoked_ns && record->in_effect_ns <= before_ns &&
            (ends || (found == NULL && wire_names_client(record->instance, sleeper->client))))
            found = record;
    }
    return found;
}

// Of a lock that was free, or may have been: whom nobody woke. That it sleeps is what the history
// shows; that the lock was free, the servers.
static bool find_sleeper(struct diagnosis *diagnosis, const struct no_progress *interval,
                         bool is_free)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *sleeper = attempt_that_sleeps(model);
    if (sleeper == NULL || interval->from_ns >= model->ended_ns)
        return false;
    diagnosis->holds[0] = last_release(model);
    diagnosis->fault = fault_that_deafened(model, sleeper, interval->from_ns);
    return conclude(diagnosis, ROOT_LOST_WAKE_UP, is_free);
}

// --- which fault ---------------------------------------------------------------------------------

// One on the clock of a server that makes leases last longer: it goes back, or stands still; NULL.
static const struct fault_record *slow_clock(const struct trial_model *model)
{
    FOR_EACH_FAULT (record, model) {
        const struct fault_instance *instance = record->instance;
        if (fault_can(instance, FAULT_MOVES_CLOCK) && instance->target.client == 0 &&
            (instance->by_ns < 0 || instance->rate < 100) && took_effect(record))
            return record;
    }
    return NULL;
}

// The last of those that can keep servers from answering; NULL if there was none.
static const struct fault_record *last_that_silences(const struct trial_model *model)
{
    static const unsigned silences = FAULT_STOPS | FAULT_KILLS | FAULT_SEVERS | FAULT_SLOWS |
                                     FAULT_DISCONNECTS | FAULT_REFUSES | FAULT_EMPTIES;
    const struct fault_record *last = NULL;
    FOR_EACH_FAULT (record, model) {
        if (took_effect(record) && record->asked_ns <= model->ended_ns &&
            fault_can(record->instance, silences) &&
            (record->instance->target.client == 0 || record->instance->side_counts[0] > 0) &&
            (last == NULL || record->asked_ns >= last->asked_ns))
            last = record;
    }
    return last;
}

// A fault that the no-progress interval began with: proven if it keeps all clients from the
// servers, or makes these refuse, to the end. Not the clock of a client that counts no lease by it:
// that has no say in who is granted the lock.
static bool find_struck(struct diagnosis *diagnosis, const struct no_progress *interval)
{
    const struct trial_model *model = diagnosis->model;
    const struct fault_record *record = interval->fault;
    if (interval->cause != NO_PROGRESS_FAULT)
        return false;
    const struct fault_instance *instance = record->instance;
    bool on_wires = instance->side_counts[0] > 0;
    if (instance->target.client != 0 && !on_wires && fault_can(instance, FAULT_MOVES_CLOCK) &&
        !holds_have_leases(model))
        return false;
    diagnosis->fault = record;
    bool all_out = (on_wires && fault_can(instance, FAULT_SEVERS) &&
                    wire_names_all_clients(model, instance)) ||
                   fault_can(instance, FAULT_REFUSES);
    return conclude(diagnosis, ROOT_STRUCK, record->healed_ns >= model->ended_ns && all_out);
}

// --- which acquire or release --------------------------------------------------------------------

// True if the lock was there when all had ended, held by nobody, and no acquire but that one (or
// NULL) may have left it: unknowingly, or by its death.
static bool left_by_no_other(const struct trial_model *model, const struct hold *but)
{
    if (model->ends.left != RESIDUAL_ORPHAN)
        return false;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt != but && attempt->returned_ns != TIME_NEVER &&
            (has_died(model, attempt) || attempt->outcome == OUTCOME_UNKNOWN))
            return false;
    }
    return true;
}

// An acquire that was answered with a no while its client was cut off.
static bool find_unknown_as_no(struct diagnosis *diagnosis)
{
    FOR_EACH_ATTEMPT (attempt, diagnosis->model) {
        if (attempt->outcome != OUTCOME_NO || attempt->returned_ns == TIME_NEVER)
            continue;
        FOR_EACH_FAULT (record, diagnosis->model) {
            if (fault_can(record->instance, FAULT_SEVERS) &&
                wire_names_client(record->instance, attempt->client) &&
                attempt->invoked_ns <= record->in_effect_ns &&
                attempt->returned_ns > record->in_effect_ns) {
                diagnosis->attempt = attempt;
                diagnosis->fault = record;
                return conclude(diagnosis, ROOT_UNKNOWN_AS_NO, false);
            }
        }
    }
    return false;
}

// True if that worker counted its requests, and sent none in any of its releases.
static bool never_asked_to_release(const struct trial_model *model, const struct hold *hold)
{
    const struct event *end = NULL;
    FOR_EACH_EVENT (event, model) {
        if (event->kind == EVENT_WORKER_END && event->client == hold->client &&
            event->worker == hold->worker)
            end = event;
    }
    return end != NULL && model->trial->external_client == NULL && end->sent.acquire_requests > 0 &&
           end->sent.release_requests == 0;
}

// Whose release said that it was done, and was not: proven if its worker sent no request, or if the
// lock was there in the end, and nobody else can have left it. A semaphore is there in any case.
static bool find_undone_release(struct diagnosis *diagnosis, const struct no_progress *interval)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *last = last_release(model);
    if (last == NULL || interval->cause != NO_PROGRESS_RELEASED ||
        (last->answer != RELEASE_RELEASED && last->answer != RELEASE_UNCHECKED))
        return false;
    bool is_there = !diagnosis_has_trait(diagnosis, "permits") && left_by_no_other(model, NULL);
    if (!is_there && !never_asked_to_release(model, last))
        return false;
    diagnosis->holds[0] = last;
    return conclude(diagnosis, ROOT_UNDONE_RELEASE, true);
}

static void conclude_lost_release(struct diagnosis *diagnosis, const struct hold *hold)
{
    const struct trial_model *model = diagnosis->model;
    conclude(diagnosis, ROOT_LOST_RELEASE, left_by_no_other(model, NULL));
    diagnosis->holds[0] = hold;
    FOR_EACH_FAULT (record, model) {
        if (fault_lost_answer(model, record, hold->client, hold->released_ns, hold->returned_ns))
            diagnosis->fault = record;
    }
}

// Whose release said that it was done although nothing came through from its client meanwhile.
static bool find_release_in_a_cut(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *last = last_release(model);
    if (last == NULL || last->answer != RELEASE_RELEASED ||
        fault_that_severed(model, last->client, last->released_ns, last->returned_ns) == NULL)
        return false;
    conclude_lost_release(diagnosis, last);
    return true;
}

static void conclude_lost_acquire(struct diagnosis *diagnosis, const struct hold *attempt)
{
    diagnosis->attempt = attempt;
    conclude(diagnosis, ROOT_LOST_ACQUIRE, left_by_no_other(diagnosis->model, attempt));
}

// --- what it comes from --------------------------------------------------------------------------

// Who died waiting for a lock that is given in turn.
static bool find_dead_in_line(struct diagnosis *diagnosis)
{
    FOR_EACH_ATTEMPT (attempt, diagnosis->model) {
        if (has_died(diagnosis->model, attempt) && diagnosis_has_trait(diagnosis, "fair")) {
            diagnosis->attempt = attempt;
            return conclude(diagnosis, ROOT_DEAD_IN_LINE, false);
        }
    }
    return false;
}

// Who died while it was let through, and left behind a count that does not end: others were let
// through until that had come to the limit.
static bool find_dead_counter(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (has_died(model, attempt) && scenario_role(model->trial->scenario) == ROLE_LIMITER &&
            model->ends.left == RESIDUAL_ORPHAN) {
            diagnosis->attempt = attempt;
            return conclude(diagnosis, ROOT_DIED_ACQUIRING, left_by_no_other(model, attempt));
        }
    }
    return false;
}

// What lasted all the time, or else what left the lock behind.
static void find_lasting(struct diagnosis *diagnosis, const struct no_progress *interval)
{
    const struct trial_model *model = diagnosis->model;
    bool was_free = no_progress_while_free(model, true);
    const struct hold *release = was_free ? NULL : lost_release(model);
    const struct hold *acquire = was_free ? NULL : lost_acquire(model);
    const struct fault_record *permits = no_progress_lost_permits(model);
    if (permits != NULL && model->ends.left == RESIDUAL_NONE) {
        diagnosis->fault = permits;
        conclude(diagnosis, ROOT_LOST_PERMITS, fault_can(permits->instance, FAULT_EMPTIES));
    } else if (release != NULL) {
        conclude_lost_release(diagnosis, release);
    } else if (acquire != NULL) {
        conclude_lost_acquire(diagnosis, acquire);
    } else if (find_dead_counter(diagnosis) || find_struck(diagnosis, interval) ||
               (no_progress_while_free(model, false) && find_sleeper(diagnosis, interval, true)) ||
               find_unknown_as_no(diagnosis) || find_undone_release(diagnosis, interval) ||
               find_release_in_a_cut(diagnosis)) {
        return;
    } else if (trial_has_independent_servers(model->trial)) {
        conclude(diagnosis, ROOT_SPLIT_VOTE, false);
    } else {
        find_sleeper(diagnosis, interval, false);
    }
}

void diagnose_no_progress(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    struct no_progress interval = no_progress_find(model);
    diagnosis->holds[1] = NULL;
    if (is_of_hanging_release(model, diagnosis->finding)) {
        conclude(diagnosis, ROOT_HANGING_RELEASE, true);
        return;
    }
    diagnosis->holds[0] = interval.hold;
    diagnosis->attempt = interval.attempt;
    const struct fault_record *clock = slow_clock(model);
    enum residual_lock residual = model->ends.left;
    bool died = (interval.cause == NO_PROGRESS_DIED_HOLDING ||
                 interval.cause == NO_PROGRESS_DIED_RELEASING) &&
                !no_progress_while_free(model, false);
    bool is_prolonged = interval.cause != NO_PROGRESS_RELEASED && step_that_prolongs(model) != NULL;
    if (interval.unanswered) {
        diagnosis->fault = last_that_silences(model);
        // An acquire that some servers did not answer may have been answered by the others.
        bool is_split = diagnosis->fault == NULL && trial_has_independent_servers(model->trial);
        conclude(diagnosis, is_split ? ROOT_SPLIT_VOTE : ROOT_UNANSWERED, !is_split);
    } else if ((clock != NULL || is_prolonged) && holds_have_leases(model)) {
        conclude(diagnosis, ROOT_LEASE_STANDS, died);
        diagnosis->fault = clock;
    } else if (diagnose_no_progress_by_wire(diagnosis)) {
        return;
    } else if (interval.cause == NO_PROGRESS_DIED_ACQUIRING) {
        conclude(diagnosis, ROOT_DIED_ACQUIRING, left_by_no_other(model, diagnosis->attempt));
        diagnosis->any_worker = interval.worker == 0;
    } else if (died) {
        conclude(diagnosis, ROOT_DIED_HOLDING, residual != RESIDUAL_NONE);
        // The servers do not learn that the session is at its end.
        const struct hold *dead = diagnosis->holds[0];
        if (diagnosis_has_trait(diagnosis, "session"))
            diagnosis->fault =
                fault_that_severed(model, dead->client, dead->died_ns, dead->died_ns);
    } else if (interval.cause == NO_PROGRESS_LOST_RELEASE && !no_progress_while_free(model, true)) {
        conclude_lost_release(diagnosis, diagnosis->holds[0]);
    } else if (interval.cause == NO_PROGRESS_LOST_ACQUIRE) {
        conclude_lost_acquire(diagnosis, diagnosis->attempt);
    } else if (!find_dead_in_line(diagnosis)) {
        find_lasting(diagnosis, &interval);
    }
}
