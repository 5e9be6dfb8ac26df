// Why two held the lock at once, a lock vanished, or a holder was refused: the cause, and how sure
// that is. Each rule says in its comment what proves it.
#include "harness/explain/diagnosis.h"

#include "harness/base/text.h"
#include "harness/check/faults.h"
#include "harness/check/lost_lock.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/scenario/moves.h"
#include "harness/workloads/workload.h"

#include <string.h>

// --- what stretched a hold -----------------------------------------------------------------------

const struct fault_record *longest_fault(const struct trial_model *model, const struct hold *hold,
                                         bool on_wires, int64_t from_ns, int64_t to_ns)
{
    const struct fault_record *longest = NULL;
    int64_t most = 0;
    FOR_EACH_FAULT (record, model) {
        bool strikes = on_wires ? fault_can(record->instance, FAULT_SEVERS | FAULT_SLOWS) &&
                                      wire_names_client(record->instance, hold->client)
                                : fault_stops(record->instance, hold->client, hold->worker);
        if (!strikes || !took_effect(record))
            continue;
        int64_t length =
            time_earlier(record->healed_ns, to_ns) - time_later(record->in_effect_ns, from_ns);
        if (length > most) {
            most = length;
            longest = record;
        }
    }
    return longest;
}

const struct fault_record *hold_stretched_by(const struct trial_model *model,
                                             const struct hold *hold)
{
    const struct fault_record *pause =
        longest_fault(model, hold, false, hold->invoked_ns, hold->released_ns);
    return pause != NULL ? pause
                         : longest_fault(model, hold, true, hold->granted_ns, hold->released_ns);
}

static void take_fault(struct diagnosis *diagnosis, const struct fault_record *record)
{
    diagnosis->fault = record;
    diagnosis->length_ns =
        time_earlier(record->healed_ns, diagnosis->model->ended_ns) - record->in_effect_ns;
}

static bool covers(const struct fault_record *record, int64_t at_ns)
{
    return record->in_effect_ns <= at_ns && record->healed_ns >= at_ns;
}

// True if something that the hold's worker asked for was under way from before that time until
// after the fault was over, or was never answered.
static bool was_held_up(const struct trial_model *model, const struct hold *hold,
                        const struct fault_record *fault, int64_t lease_end_ns)
{
    FOR_ACCESSES_OF (access, hold, model) {
        if (access->invoked_ns <= lease_end_ns && access->returned_ns >= lease_end_ns &&
            access->returned_ns > fault->in_effect_ns)
            return true;
    }
    return hold->release_invoked && hold->released_ns <= lease_end_ns &&
           hold->returned_ns >= lease_end_ns;
}

// True if a program renews the hold's lease by itself, and nobody tells until when.
static bool renews_unseen(const struct diagnosis *diagnosis)
{
    const struct external_client *external_client = diagnosis->model->trial->external_client;
    return external_client != NULL && !external_client->renew &&
           (diagnosis_has_trait(diagnosis, "renewed") || diagnosis_has_trait(diagnosis, "session"));
}

// The holder outlived its lease: PAUSE and WIRE are proven if the fault lasted when the lease
// ended, and kept the holder from doing anything about it: a pause stops all of the process that
// might renew, a wire something of this hold's own. Where nobody tells of renewals the fault must
// have lasted for a whole lease before the other was granted the lock.
static void find_stretch(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *stale = diagnosis->holds[0];
    const struct hold *other = diagnosis->holds[1];
    int64_t end_ns = stale->valid_until_ns;
    bool is_renewed = diagnosis_has_trait(diagnosis, "renewed");
    bool late = stale->granted_ns >= end_ns;
    int64_t from_ns = late ? stale->invoked_ns : stale->granted_ns;
    int64_t to_ns = late ? stale->granted_ns : time_earlier(other->granted_ns, stale->released_ns);
    const struct fault_record *pause = longest_fault(model, stale, false, from_ns, to_ns);
    const struct fault_record *wire = longest_fault(model, stale, true, from_ns, to_ns);
    const struct fault_record *point = fault_that_held_at_point(model, stale);
    // A stale holder that a stall could explain is no finding.
    int64_t stall_ns = diagnosis->finding->check->shows == SHOWS_TWO_STALE
                           ? 0
                           : stall_to_blame_ns(model, stale, other->granted_ns, other->granted_ns);
    bool is_unseen = renews_unseen(diagnosis) && !late;
    int64_t lost_from_ns =
        is_unseen ? other->granted_ns - model->trial->scenario->lock.lease_ns : INT64_MAX;
    if (is_unseen && (diagnose_by_wire(diagnosis, other->granted_ns) ||
                      guess_by_wire(diagnosis, other->granted_ns)))
        return;
    if (pause != NULL) {
        conclude(diagnosis, ROOT_PAUSE,
                 covers(pause, end_ns) && pause->in_effect_ns <= lost_from_ns &&
                     (!is_renewed || pause->instance->target.worker == 0));
        take_fault(diagnosis, pause);
    } else if (wire != NULL) {
        conclude(diagnosis, ROOT_WIRE,
                 covers(wire, end_ns) && wire->in_effect_ns <= lost_from_ns &&
                     (is_renewed || was_held_up(model, stale, wire, end_ns)));
        take_fault(diagnosis, wire);
    } else if (point != NULL) {
        conclude(diagnosis, ROOT_POINT, !is_unseen);
        diagnosis->fault = point;
        diagnosis->length_ns = point->in_effect_ns - point->reached->at_ns;
    } else if (stall_ns > 0) {
        conclude(diagnosis, ROOT_STALL, false);
        diagnosis->length_ns = stall_ns;
    } else {
        conclude(diagnosis, ROOT_WORK, !is_unseen);
        diagnosis->length_ns = stale->released_ns - stale->granted_ns;
    }
    if (late)
        conclude(diagnosis, ROOT_LATE_GRANT, true);
}

// --- what took a lock from its holder: faults ----------------------------------------------------

// The hold whose lock may have been taken before a time, and who was let in, or NULL.
struct loss {
    const struct hold *hold, *other;
    int64_t until_ns;
};

// True if a server started again between those times, which the fault lasted.
static bool showed_at_start(const struct diagnosis *diagnosis, const struct fault_record *record,
                            int64_t from_ns, int64_t until_ns)
{
    FOR_EACH_FAULT (other, diagnosis->model) {
        if (fault_can(other->instance, FAULT_KILLS) && other->instance->target.client == 0 &&
            other->instance->bound_ns >= 0 && took_effect(other) &&
            strcmp(other->instance->target.server, record->instance->target.server) == 0 &&
            other->asked_ns >= time_later(from_ns, record->in_effect_ns) &&
            other->asked_ns <= until_ns &&
            (record->instance->bound_ns < 0 || other->healed_ns <= record->healed_ns))
            return true;
    }
    return false;
}

// What a fault can have done to the lock; ROOT_UNKNOWN: nothing.
static enum root_cause deed_of(const struct diagnosis *diagnosis, const struct fault_record *record,
                               const struct loss *loss)
{
    const struct fault_instance *instance = record->instance;
    int client = instance->target.client;
    bool on_server = client == 0 && instance->side_counts[0] == 0 &&
                     !strikes_only_store(diagnosis->model, instance);
    const struct topology_form *topology = diagnosis->model->trial->topology;
    bool is_leased = diagnosis_has_trait(diagnosis, "lease");
    bool by_session = diagnosis_has_trait(diagnosis, "session");
    if (fault_can(instance, FAULT_MOVES_CLOCK)) {
        bool is_its =
            client == loss->hold->client || (loss->other != NULL && client == loss->other->client);
        return is_leased && (on_server || is_its) ? ROOT_CLOCK : ROOT_UNKNOWN;
    }
    if (fault_can(instance, FAULT_SHOWS_AT_START) &&
        !showed_at_start(diagnosis, record, loss->hold->invoked_ns, loss->until_ns))
        return ROOT_UNKNOWN;
    if (fault_can(instance, FAULT_EMPTIES | FAULT_MAY_FORGET) && on_server)
        return by_session && !is_leased ? ROOT_SESSION : ROOT_FORGOT;
    if (fault_can(instance, FAULT_DISCONNECTS | FAULT_KILLS) && by_session &&
        !fault_can(instance, FAULT_SPARES_SESSIONS) && (on_server || client == loss->hold->client))
        return ROOT_SESSION;
    if (fault_can(instance, FAULT_SEVERS) && wire_parts_servers(instance) && topology != NULL &&
        topology->diverges)
        return ROOT_PARTITION;
    return ROOT_UNKNOWN;
}

// The leader, and who may reach it, on one side, and the one let in on the other, from before the
// grant on: what one side knew never came to the other.
static bool parted_them(const struct fault_record *record, const struct loss *loss)
{
    const struct fault_instance *instance = record->instance;
    for (int side = 0; side < 2 && loss->other != NULL && !instance->one_way; side++) {
        bool leads = false;
        FOR_EACH_ON_SIDE (target, instance, side)
            leads |= strcmp(target->server, "leader") == 0;
        if (leads && wire_has_client(instance, side, loss->hold->client) &&
            wire_has_client(instance, 1 - side, loss->other->client))
            return record->in_effect_ns <= loss->hold->granted_ns &&
                   record->healed_ns >= loss->other->granted_ns;
    }
    return false;
}

// Proven if the fault, which is in effect, cannot but have taken the lock that was granted before
// from the only server there is; for a fault that waits until the lock is in danger (an eviction, a
// failover that loses it) its effect is the proof.
static bool is_proven_deed(const struct diagnosis *diagnosis, const struct fault_record *record,
                           enum root_cause deed, const struct loss *loss)
{
    const struct fault_instance *instance = record->instance;
    bool is_single = trial_has_one_server(diagnosis->model->trial);
    if (fault_can(instance, FAULT_BY_COMMAND))
        return false;
    if (deed == ROOT_PARTITION)
        return parted_them(record, loss);
    // Nothing that was written since is there any more; what was damaged may be.
    if (fault_can(instance, FAULT_SHOWS_AT_START))
        return is_single && instance->bound_ns >= 0 &&
               record->in_effect_ns <= loss->hold->invoked_ns &&
               showed_at_start(diagnosis, record, loss->hold->granted_ns, loss->until_ns);
    if (record->asked_ns < loss->hold->granted_ns || record->in_effect_ns > loss->until_ns)
        return false;
    if (deed == ROOT_CLOCK)
        return instance->target.client == 0 && is_single &&
               instance->by_ns >= diagnosis->model->trial->scenario->lock.lease_ns;
    if (deed == ROOT_SESSION)
        return instance->target.client != 0 || is_single;
    if (fault_can(instance, FAULT_EMPTIES))
        return is_single;
    return fault_can(instance, FAULT_LOSES_LOCK) &&
           (is_single || fault_can(instance, FAULT_MOVES_LEADER));
}

// Of two that may have done it the later; but what shows when a server starts again is why it did
// not have the lock then, whatever ended it.
static int64_t rank_of(const struct fault_record *record)
{
    return fault_can(record->instance, FAULT_SHOWS_AT_START) ? TIME_NEVER : record->in_effect_ns;
}

static const char *first_step(const struct trial_model *model, bool (*is_meant)(struct move move))
{
    const struct string_list *schedule = &model->trial->scenario->schedule;
    for (size_t i = 0; i < schedule->count; i++) {
        struct move move;
        char what[MOVE_WHAT_ROOM];
        struct error ignored;
        if (move_read(schedule->items[i], &move, what, &ignored) == 0 && is_meant(move))
            return schedule->items[i];
    }
    return NULL;
}

const char *step_that_forgets(const struct trial_model *model)
{
    return model->forgot != NULL ? model->forgot : first_step(model, move_forgets);
}

const char *step_that_prolongs(const struct trial_model *model)
{
    return model->prolonged != NULL ? model->prolonged : first_step(model, move_prolongs);
}

// The fault that may have taken the lock: of several one that is proven to have, else the latest;
// or a step of the schedule.
static bool was_taken_by_fault(struct diagnosis *diagnosis, const struct hold *hold,
                               const struct hold *other, int64_t until_ns)
{
    const struct loss loss = {hold, other, until_ns};
    const struct fault_record *best = NULL;
    FOR_EACH_FAULT (record, diagnosis->model) {
        enum root_cause deed = deed_of(diagnosis, record, &loss);
        // What was asked for before and proven only later may have done its work before.
        bool over = record->healed_ns < hold->invoked_ns;
        bool lasts = record->healed_ns != TIME_NEVER || record->instance->bound_ns >= 0;
        if (deed == ROOT_UNKNOWN || !took_effect(record) || record->asked_ns > until_ns || over ||
            (!lasts && record->in_effect_ns < hold->invoked_ns))
            continue;
        bool is_proven = is_proven_deed(diagnosis, record, deed, &loss);
        bool was_proven = diagnosis->certainty == CERTAINTY_PROVEN;
        if (best != NULL &&
            (is_proven != was_proven ? was_proven : rank_of(record) < rank_of(best)))
            continue;
        conclude(diagnosis, deed, is_proven);
        diagnosis->fault = best = record;
    }
    return best != NULL ||
           (step_that_forgets(diagnosis->model) != NULL && conclude(diagnosis, ROOT_FORGOT, false));
}

// --- what took a lock from its holder: releases --------------------------------------------------

bool stop_was_between_requests(const struct fault_record *record)
{
    static const char *const readers[] = {"GET",  "gets",    "get",     "EXISTS", "HGET",
                                          "PTTL", "MGET",    "getData", "exists", "getChildren",
                                          "TIME", "HEXISTS", "range",   NULL};
    const struct fault_instance *instance = record->instance;
    for (size_t i = 0; i < instance->point_count; i++) {
        const struct point_name *point = &instance->points[i];
        bool reads = text_is_one_of(point->what, readers);
        bool is_request = point->phase[0] != '\0' && strcmp(point->what, "request") != 0;
        if (!is_request ||
            !(point->moment == MOMENT_AFTER ? reads : point->moment == MOMENT_BEFORE && !reads))
            return false;
    }
    return instance->point_count > 0;
}

// True if the client was stopped before the first request that it has ever sent in a release. One
// of several workers may have sent its own before the client stood still.
static bool stop_was_before_any_request(const struct trial_model *model,
                                        const struct fault_record *record)
{
    const struct fault_instance *instance = record->instance;
    const struct point_name *point = instance->points;
    return model->trial->scenario->clients.threads == 1 && instance->point_count == 1 &&
           instance->nth == 1 && instance->at_ns < 0 && instance->after == 0 &&
           point->moment == MOMENT_BEFORE && strcmp(point->what, "request") == 0 &&
           strcmp(point->phase, "release") == 0;
}

// Proven if the release ended after its own lease had, said that it had removed something (or, as
// it cannot tell, had sent what removes whatever is there), and sent that when the other had been
// granted the lock: it was asked for after that, or was stopped before that and went on after it.
static bool removal_is_proven(const struct trial_model *model, const struct hold *wronged,
                              const struct hold *culprit, int64_t until_ns)
{
    bool removes = culprit->answer == RELEASE_RELEASED || culprit->answer == RELEASE_UNCHECKED;
    if (!removes || culprit->returned_ns > until_ns ||
        hold_lease_end_ns(model, culprit) > culprit->returned_ns)
        return false;
    if (culprit->released_ns >= wronged->granted_ns)
        return true;
    const struct fault_record *stop =
        longest_fault(model, culprit, false, culprit->released_ns, culprit->returned_ns);
    return stop != NULL && stop->healed_ns >= wronged->granted_ns &&
           (stop_was_between_requests(stop) || stop_was_before_any_request(model, stop));
}

// True if that release was answered that it was done, and within its own lease.
static bool released_its_own(const struct trial_model *model, const struct hold *hold)
{
    return hold->answer == RELEASE_RELEASED && hold->returned_ns != TIME_NEVER &&
           hold_lease_end_ns(model, hold) > hold->returned_ns;
}

// True if that release gave back what was still its own, when both held the lock: then that they
// did is what went wrong.
static bool held_both(const struct trial_model *model, const struct hold *wronged,
                      const struct hold *culprit)
{
    return released_its_own(model, culprit) && culprit->granted_ns < wronged->granted_ns &&
           culprit->released_ns > wronged->granted_ns;
}

// False if the release can but have given back its own lock: it was granted later, or it was still
// its own, and the lock looks whose it is that it gives back.
static bool may_remove(const struct diagnosis *diagnosis, const struct hold *wronged,
                       const struct hold *culprit)
{
    bool was_own = culprit->client != wronged->client &&
                   diagnosis_has_trait(diagnosis, "owner-checked") &&
                   released_its_own(diagnosis->model, culprit);
    return culprit->granted_ns < wronged->granted_ns && !was_own &&
           !held_both(diagnosis->model, wronged, culprit);
}

static bool removed(struct diagnosis *diagnosis, const struct hold *wronged,
                    const struct hold *culprit, int64_t until_ns)
{
    diagnosis->culprit = culprit;
    diagnosis->fault = NULL;
    return conclude(diagnosis, ROOT_REMOVED,
                    removal_is_proven(diagnosis->model, wronged, culprit, until_ns));
}

// True if a release of another's may have taken away the lock of the hold before the next grant
// (what came after that did not let anybody in): that which was found, or one that shows in the
// history. `certainly`: only one of which that is proven.
static bool was_removed(struct diagnosis *diagnosis, const struct hold *hold, int64_t until_ns,
                        bool certainly)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *culprit = NULL;
    EACH_FINDING (diagnosis->judgement, finding) {
        const struct evidence *evidence = &finding->evidence;
        const struct hold *releaser = hold_at(model, evidence->holds[1]);
        if (finding->state == FINDING_VIOLATED && finding->check->shows == SHOWS_REMOVAL &&
            evidence->holds[0] == index_of(model, hold) && releaser != NULL &&
            evidence->from_ns < until_ns && releaser->granted_ns < hold->granted_ns)
            culprit = releaser;
    }
    // A semaphore's permits are nobody's. An acquire that lets in but one did not grant what a
    // delete had not removed.
    if (culprit == NULL && trial_model_permits(model) == 1)
        culprit =
            hold_at(model, wrongful_release_culprit(model, index_of(model, hold), until_ns,
                                                    diagnosis_has_trait(diagnosis, "exclusive")
                                                        ? CULPRITS_OR_HAND_OFFS
                                                        : CULPRITS_SURE));
    if (culprit == NULL || !may_remove(diagnosis, hold, culprit) ||
        (certainly && !removal_is_proven(model, hold, culprit, until_ns)))
        return false;
    return removed(diagnosis, hold, culprit, until_ns);
}

// --- two who hold at once ------------------------------------------------------------------------

// True if nothing but acquires was under way between the two grants: no release of another's, no
// fault but on clients' own processes; so it is an acquire that let the second in.
static bool only_acquires_between(const struct trial_model *model, const struct hold *first,
                                  const struct hold *second)
{
    FOR_EACH_HOLD (hold, model) {
        if (hold != first && hold != second && hold->released_ns < second->granted_ns &&
            hold->returned_ns > first->granted_ns)
            return false;
    }
    FOR_EACH_FAULT (record, model) {
        if (took_effect(record) && record->asked_ns < second->granted_ns &&
            record->healed_ns > first->invoked_ns && !fault_can(record->instance, FAULT_STOPS))
            return false;
    }
    return true;
}

const struct fault_record *fault_that_severed(const struct trial_model *model, int client,
                                              int64_t from_ns, int64_t to_ns)
{
    FOR_EACH_FAULT (record, model) {
        if (took_effect(record) && fault_can(record->instance, FAULT_SEVERS) &&
            wire_names_client(record->instance, client) && record->in_effect_ns < to_ns &&
            record->healed_ns > from_ns)
            return record;
    }
    return NULL;
}

// The fault that may have kept an answer from a client inside its acquire, or NULL.
static const struct fault_record *fault_on_acquire(const struct trial_model *model,
                                                   const struct hold *hold)
{
    return fault_that_severed(model, hold->client, hold->invoked_ns, hold->granted_ns);
}

// A renewal that was answered while nothing could come through to its client was never answered.
static bool find_false_renewal(struct diagnosis *diagnosis, const struct hold *hold,
                               int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    FOR_EVENTS (event, model, event_from(model, hold->granted_ns), until_ns) {
        if (event->kind != EVENT_RENEW_RETURN || event->client != hold->client ||
            event->worker != hold->worker || event->outcome != OUTCOME_OK)
            continue;
        FOR_EACH_FAULT (record, model) {
            if (covers(record, event->at_ns) && event->at_ns - record->in_effect_ns > NS_PER_MS &&
                wire_cuts_off(model, record->instance, hold->client)) {
                diagnosis->fault = record;
                return conclude(diagnosis, ROOT_RENEWAL, false);
            }
        }
    }
    return false;
}

// A release of a permit that a fault kept from being answered may have been done again.
static bool find_given_twice(struct diagnosis *diagnosis, int64_t until_ns)
{
    if (!diagnosis_has_trait(diagnosis, "permits"))
        return false;
    FOR_EACH_FAULT (record, diagnosis->model) {
        if (!fault_can(record->instance, FAULT_SEVERS | FAULT_DISCONNECTS) ||
            !took_effect(record) || record->asked_ns >= until_ns)
            continue;
        FOR_EACH_HOLD (hold, diagnosis->model) {
            if (hold->release_invoked && wire_names_client(record->instance, hold->client) &&
                hold->released_ns <= record->in_effect_ns &&
                hold->returned_ns >= record->in_effect_ns) {
                diagnosis->fault = record;
                diagnosis->culprit = hold;
                return conclude(diagnosis, ROOT_GIVEN_TWICE, false);
            }
        }
    }
    return false;
}

// Proven by which server each was connected to, as the leader that its group had named.
static bool find_two_leaders(struct diagnosis *diagnosis, int one, int other, int64_t until_ns)
{
    if (!leaders_were_two(diagnosis->model, one, other, until_ns))
        return false;
    diagnosis->servers[0] = one;
    diagnosis->servers[1] = other;
    return conclude(diagnosis, ROOT_TWO_LEADERS, true);
}

// The other was granted the lock before the stop was over. STEPS is proven if the client was
// stopped right after, or before, a request by which nothing is taken or after which more had to
// come.
static bool find_stopped_acquire(struct diagnosis *diagnosis, const struct hold *first,
                                 const struct hold *second)
{
    const struct trial_model *model = diagnosis->model;
    const struct fault_record *stop =
        longest_fault(model, first, false, first->invoked_ns, first->granted_ns);
    if (stop == NULL || second->granted_ns > stop->healed_ns)
        stop = longest_fault(model, second, false, second->invoked_ns, second->granted_ns);
    if (stop == NULL || first->granted_ns > stop->healed_ns)
        return false;
    take_fault(diagnosis, stop);
    return conclude(diagnosis, ROOT_STEPS, stop_was_between_requests(stop));
}

// True if the holder came back from an inner hold before that, and another was let in, or its lock
// was gone, after it.
static bool find_left(struct diagnosis *diagnosis, const struct hold *hold, int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    FOR_EACH_REENTRY (reentry, model) {
        if (reentry->hold == index_of(model, hold) && reentry->is_leave &&
            reentry->answer == RELEASE_RELEASED && reentry->invoked_ns < until_ns)
            return conclude(diagnosis, ROOT_LEFT, false);
    }
    return false;
}

// The first rule that applies: what is proven, or what is known to take locks, before what may be.
static void find_taken(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *first = diagnosis->holds[0];
    const struct hold *second = diagnosis->holds[1];
    int64_t until_ns = second->granted_ns;
    const struct fault_record *deaf = fault_on_acquire(model, second);
    if (strcmp(model->trial->scheme, "none") == 0)
        conclude(diagnosis, ROOT_NO_LOCK, true);
    else if (diagnosis_has_trait(diagnosis, "local"))
        conclude(diagnosis, ROOT_LOCAL, first->client != second->client);
    else if (diagnose_by_wire(diagnosis, until_ns) ||
             find_two_leaders(diagnosis, first->granted_by, second->granted_by, until_ns) ||
             was_removed(diagnosis, diagnosis->holds[0], until_ns, true) ||
             was_taken_by_fault(diagnosis, first, second, until_ns) ||
             find_false_renewal(diagnosis, first, until_ns))
        return;
    else if (model->trial->topology != NULL && model->trial->topology->locks_locally)
        conclude(diagnosis, ROOT_NODE_LOCAL, false);
    else if (find_stopped_acquire(diagnosis, first, second) ||
             find_given_twice(diagnosis, until_ns))
        return;
    else if (deaf != NULL && deaf->healed_ns > second->granted_ns) {
        diagnosis->fault = deaf;
        conclude(diagnosis, ROOT_UNANSWERED_GRANT, false);
    } else if (!was_removed(diagnosis, first, until_ns, false) &&
               !guess_by_wire(diagnosis, until_ns) &&
               !(first->client != second->client && find_left(diagnosis, first, until_ns))) {
        conclude(diagnosis, ROOT_ADMITS, false);
        diagnosis->is_bare = only_acquires_between(model, first, second);
    }
}

// --- two who did not overlap ---------------------------------------------------------------------

// The fault that may have kept a release's commit from being done, or NULL.
static const struct fault_record *fault_on_release(const struct trial_model *model,
                                                   const struct hold *hold)
{
    FOR_EACH_FAULT (record, model) {
        bool breaks = fault_can(record->instance, FAULT_DISCONNECTS | FAULT_KILLS) ||
                      (fault_can(record->instance, FAULT_SEVERS) &&
                       wire_names_client(record->instance, hold->client));
        if (breaks && took_effect(record) && record->asked_ns <= hold->returned_ns &&
            record->healed_ns >= hold->released_ns)
            return record;
    }
    return NULL;
}

// When the hold's transaction was committed, if that was after its release had begun; else 0.
static int64_t committed_late_ns(const struct trial_model *model, const struct hold *hold)
{
    if (hold->released_event == SIZE_MAX)
        return 0;
    FOR_EVENTS (event, model, &model->history->events[hold->released_event], INT64_MAX) {
        if (event->client != hold->client || event->worker != hold->worker)
            continue;
        if (event->kind == EVENT_ACQUIRE_INVOKE)
            return 0;
        if (event->kind == EVENT_COMMIT_RETURN && event->operation == hold->operation)
            return event->at_ns;
    }
    return 0;
}

// The lock kept its promise, and still one read what was old. LATE_COMMIT is proven by the commit,
// where the harness does it. Of a scheme that commits by itself: an OLD_VIEW is proven if the value
// was read after the other's release had been answered, and the acquire had begun before.
static void find_apart(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *first = diagnosis->holds[0];
    const struct hold *second = diagnosis->holds[1];
    int64_t commit_ns = committed_late_ns(model, first);
    if (commit_ns > second->granted_ns) {
        conclude(diagnosis, ROOT_LATE_COMMIT, true);
        diagnosis->length_ns = commit_ns - first->released_ns;
        return;
    }
    if (!diagnosis_has_trait(diagnosis, "transaction"))
        return;
    const struct access *read = NULL; // its first
    FOR_ACCESSES_OF (access, second, model)
        read = read == NULL && !access->is_write ? access : read;
    diagnosis->fault = fault_on_release(model, first);
    if (diagnosis->fault != NULL) {
        conclude(diagnosis, ROOT_LOST_COMMIT, false);
    } else if (read != NULL && read->invoked_ns < first->returned_ns) {
        // Who has read, and written, before the other's release is answered was let in too early.
        bool was_early = second->released_ns < first->returned_ns;
        conclude(diagnosis, was_early ? ROOT_LATE_COMMIT : ROOT_OLD_VIEW, false);
        diagnosis->length_ns =
            time_earlier(first->returned_ns, model->ended_ns) - first->released_ns;
    } else if (second->invoked_ns < first->returned_ns) {
        conclude(diagnosis, ROOT_OLD_VIEW, true);
    }
}

// Brings the one first whose lease was over by the time, if there is such a one; else the one that
// was granted first. True if its lease was over.
static bool order_holds(struct diagnosis *diagnosis, int64_t overlap_ns)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *a = diagnosis->holds[0];
    const struct hold *b = diagnosis->holds[1];
    bool a_over = hold_stale_from_ns(model, a) <= overlap_ns;
    bool b_over = hold_stale_from_ns(model, b) <= overlap_ns;
    if (a_over && b_over   ? hold_lease_end_ns(model, b) < hold_lease_end_ns(model, a)
        : a_over != b_over ? b_over
                           : b->granted_ns < a->granted_ns)
        swap_holds(diagnosis);
    return a_over || b_over;
}

static void find_cause_of_pair(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *const *holds = diagnosis->holds;
    int64_t from_ns = time_later(holds[0]->granted_ns, holds[1]->granted_ns);
    int64_t to_ns = time_earlier(holds[0]->released_ns, holds[1]->released_ns);
    bool excused = diagnosis->finding->check->shows == SHOWS_TWO_VALID;
    diagnosis->overlap_ns = time_later(to_ns - from_ns, 0);
    diagnosis->is_crowd =
        excused && diagnosis->overlap_ns == 0 && workload_words(model->trial->scenario)->is_counted;
    if (diagnosis->is_crowd)
        diagnosis->overlap_ns =
            diagnosis->finding->evidence.to_ns - diagnosis->finding->evidence.from_ns;
    // A hold whose client had only to write when the other came is stale, too.
    bool is_over = order_holds(diagnosis, from_ns) && !excused;
    if (excused && holds[1]->granted_ns < holds[0]->granted_ns)
        swap_holds(diagnosis);
    // Where the end of the first one's lease is not known, neither is what let the second in.
    bool is_unknown =
        holds[0]->is_unanchored && hold_lease_end_ns(model, holds[0]) <= holds[1]->granted_ns;
    if (is_over)
        find_stretch(diagnosis);
    else if (diagnosis->overlap_ns == 0)
        find_apart(diagnosis);
    else if (!is_unknown)
        find_taken(diagnosis);
}

// --- a lock that vanished ------------------------------------------------------------------------

// Whoever was let in beside the hold, by another finding, or NULL.
static const struct hold *let_in_beside(const struct diagnosis *diagnosis, const struct hold *hold)
{
    EACH_FINDING (diagnosis->judgement, finding) {
        enum shows shows = finding->check->shows;
        if (finding->state == FINDING_VIOLATED &&
            (shows == SHOWS_TWO_VALID || shows == SHOWS_TWO_STALE) &&
            finding->evidence.holds[0] == index_of(diagnosis->model, hold))
            return hold_at(diagnosis->model, finding->evidence.holds[1]);
    }
    return NULL;
}

// A lock that had not vanished: UNDONE_RELEASE is proven if nobody was granted it since, and it was
// there when all had ended; of a session's lock it is likely if the same worker got it at once, and
// others did not who waited for it.
static bool find_undone(struct diagnosis *diagnosis, const struct hold *hold)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *next = hold_at(model, first_grant(model, hold->granted_ns + 1));
    bool is_orphan = next == NULL && model->ends.left == RESIDUAL_ORPHAN;
    bool is_same = next != NULL && next->client == hold->client && next->worker == hold->worker &&
                   diagnosis_has_trait(diagnosis, "session");
    return (is_orphan || is_same) && conclude(diagnosis, ROOT_UNDONE_RELEASE, is_orphan);
}

// An acquire of another worker that ended without an answer while the lock was held: it may have
// given back what it had not got.
static void find_taken_back(struct diagnosis *diagnosis, const struct hold *wronged,
                            int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->outcome != OUTCOME_UNKNOWN || attempt->key != wronged->key ||
            (attempt->client == wronged->client && attempt->worker == wronged->worker) ||
            attempt->returned_ns < wronged->granted_ns || attempt->returned_ns > until_ns)
            continue;
        diagnosis->attempt = attempt;
        conclude(diagnosis, ROOT_TAKEN_BACK, false);
        return;
    }
}

// Where no release may have done it: whoever held it besides, or what the holder did itself.
static void find_other_removal(struct diagnosis *diagnosis, const struct hold *wronged,
                               const struct hold *culprit, int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    if (find_undone(diagnosis, wronged) || find_left(diagnosis, wronged, until_ns) ||
        guess_by_wire(diagnosis, until_ns))
        return;
    bool both = culprit != NULL &&
                (culprit->granted_ns > wronged->granted_ns || held_both(model, wronged, culprit));
    // A lock that is not ours says itself for how long its grants are valid. If it was asked for a
    // whole lease before it was found gone, that may have been over.
    bool may_be_counted_late =
        model->trial->external_client != NULL && diagnosis_has_trait(diagnosis, "lease") &&
        wronged->returned_ns != TIME_NEVER &&
        wronged->returned_ns - wronged->invoked_ns >= model->trial->scenario->lock.lease_ns;
    diagnosis->holds[1] = both ? culprit : let_in_beside(diagnosis, wronged);
    diagnosis->fault = fault_on_acquire(model, wronged);
    if (diagnosis->holds[1] != NULL)
        conclude(diagnosis, ROOT_ADMITS, false);
    else if (diagnosis->fault != NULL)
        conclude(diagnosis, ROOT_UNANSWERED_GRANT, false);
    else if (may_be_counted_late)
        conclude(diagnosis, ROOT_COUNTED_LATE, false);
    else
        find_taken_back(diagnosis, wronged, until_ns);
}

static void find_cause_of_removal(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    const struct evidence *evidence = &diagnosis->finding->evidence;
    const struct hold *wronged = hold_at(model, evidence->holds[0]);
    const struct hold *culprit = hold_at(model, evidence->holds[1]);
    diagnosis->holds[0] = wronged;
    diagnosis->holds[1] = NULL;
    if (diagnose_by_wire(diagnosis, evidence->to_ns) ||
        find_two_leaders(diagnosis, wronged->granted_by, wronged->released_at, evidence->to_ns))
        return;
    bool by_fault = was_taken_by_fault(diagnosis, wronged, NULL, evidence->to_ns);
    if (culprit != NULL && may_remove(diagnosis, wronged, culprit) &&
        (!by_fault || removal_is_proven(model, wronged, culprit, evidence->to_ns)))
        removed(diagnosis, wronged, culprit, evidence->to_ns);
    else if (!by_fault)
        find_other_removal(diagnosis, wronged, culprit, evidence->to_ns);
}

// --- all -----------------------------------------------------------------------------------------

void diagnose_holders(struct diagnosis *diagnosis)
{
    const struct check *check = diagnosis->finding->check;
    const struct evidence *evidence = &diagnosis->finding->evidence;
    const struct hold *hold = diagnosis->holds[0];
    bool is_pair = diagnosis->holds[1] != NULL;
    if (check->explain != NULL) {
        conclude(diagnosis, ROOT_OF_CHECK, true);
    } else if (check->shows == SHOWS_NO_PROGRESS) {
        diagnose_no_progress(diagnosis);
    } else if (check->shows == SHOWS_REMOVAL) {
        find_cause_of_removal(diagnosis);
    } else if (check->shows == SHOWS_REENTRY) {
        // The lock has lost count, or the server has lost the lock.
        diagnosis->holds[1] = let_in_beside(diagnosis, hold);
        if (!was_taken_by_fault(diagnosis, hold, NULL, evidence->to_ns))
            conclude(diagnosis, ROOT_DEPTH, true);
    } else if (check->shows == SHOWS_TOKENS) {
        conclude(diagnosis, ROOT_TOKEN, true);
    } else if (check->shows == SHOWS_LATE_WRITE && evidence->accesses[1] != SIZE_MAX) {
        conclude(diagnosis, ROOT_STORE, true);
    } else if (is_pair) {
        find_cause_of_pair(diagnosis);
    }
}
