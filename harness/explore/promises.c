#include "harness/explore/promises.h"

#include "faults/fault.h"
#include "harness/base/scope.h"
#include "harness/check/sweep.h"
#include "harness/locks/lock.h"
#include "harness/workloads/workload.h"

struct move_tally tally_of(const struct schedule_moves *schedule)
{
    struct move_tally tally = {.faults = 0};
    for (size_t i = 0; i < schedule->count; i++) {
        struct move move = schedule->moves[i];
        enum move_class class = move_class(move);
        tally.faults += class == CLASS_FAULT;
        tally.leases += class == CLASS_LEASE;
        tally.timers += class == CLASS_TIMER;
        tally.crashes += move.kind == MOVE_CRASH;
        tally.rare += move_is_rare(move);
        tally.clocks += move_sets_clock(move);
        tally.faults_of[move.thread] += class == CLASS_FAULT;
        tally.forgets |= move_forgets(move);
        tally.prolongs |= move_prolongs(move);
        tally.cuts_off |= move_disconnects(move);
        tally.fails_over |= move.kind == MOVE_FAIL_OVER;
    }
    return tally;
}

// True if a client was told that nobody knows what has become of an acquire or a release of its.
static bool leaves_doubts(const struct trial_model *model)
{
    bool has_doubts = false;
    FOR_EACH_HOLD (hold, model)
        has_doubts |= hold->returned_ns != TIME_NEVER && hold->answer == RELEASE_UNKNOWN;
    FOR_EACH_ATTEMPT (attempt, model)
        has_doubts |= attempt->returned_ns != TIME_NEVER && attempt->outcome == OUTCOME_UNKNOWN;
    return has_doubts;
}

// True if a holder was told so inside its hold: its session may have ended with the answer, and
// with it the lock.
static bool may_have_lost_session(const struct trial_model *model)
{
    bool may = false;
    FOR_EACH_REENTRY (reentry, model)
        may |= reentry->is_leave && reentry->returned_ns != TIME_NEVER &&
               reentry->answer == RELEASE_UNKNOWN;
    return may;
}

// True if somebody was granted the lock when its lease was over already.
static bool granted_late(const struct trial_model *model)
{
    bool was_late = false;
    FOR_EACH_HOLD (hold, model)
        was_late |= hold->proven_until_ns <= hold->granted_ns;
    return was_late;
}

// True if somebody may have gone on beyond its lease, and the history does not tell from when that
// counts: by what it did then it is not seen to be a stale holder.
static bool may_have_been_stale(const struct trial_model *model)
{
    bool may = false;
    FOR_EACH_HOLD (hold, model)
        may |= hold->is_unanchored && hold_lease_end_ns(model, hold) < hold->released_ns;
    return may;
}

// What a lock without fencing cannot prevent once a lease has passed, and one without a lease once
// a client died, or was told that it may have the lock still, or not any more.
static bool is_admitted(const struct replay *replay, const struct trial *trial,
                        const struct schedule_moves *schedule, const struct check *check)
{
    const struct lock_scheme *scheme = lock_scheme_find(trial->scheme);
    struct move_tally tally = tally_of(schedule);
    bool is_no_progress = check->shows == SHOWS_NO_PROGRESS;
    unsigned falls_to = 0; // traits of faults
    for (size_t i = 0; scheme != NULL && scheme->falls_to != NULL && scheme->falls_to[i] != NULL;
         i++)
        falls_to |= fault_find(scheme->falls_to[i])->form.traits;
    if (tally.clocks > 0 && (falls_to & FAULT_MOVES_CLOCK) != 0)
        return true;
    // What servers have forgotten can be granted again, tokens too, and is gone for who releases
    // it. But nobody waits for ever, unless it was made before the trial and nobody makes it anew
    // (permits, jobs); nor for what a replica has not heard to be released, if that has a lease.
    bool is_made_before = (scheme != NULL && scheme->set_up != NULL) || trial_has_queue(trial);
    if (tally.forgets && (!is_no_progress || is_made_before))
        return true;
    if (is_no_progress) {
        // A lease that a clock prolongs is none.
        bool falls_to_crash = tally.prolongs || (!trial_has_trait(trial, "lease") &&
                                                 !trial_has_trait(trial, "session"));
        bool misses_message = tally.faults_of[THREAD_SUBSCRIBER] > 0 ||
                              (tally.cuts_off && replay_has_thread(replay, THREAD_SUBSCRIBER));
        bool has_doubts = falls_to_crash && (tally.fails_over ||
                                             leaves_doubts(replay_model(replay)) || misses_message);
        falls_to_crash |= (falls_to & FAULT_KILLS) != 0;
        return has_doubts || (falls_to_crash && tally.crashes > 0);
    }
    if (trial_has_trait(trial, "session") && !trial_has_trait(trial, "lease") &&
        may_have_lost_session(replay_model(replay)))
        return check->shows == SHOWS_TWO_VALID;
    // Whether a lease may have ended that its holder counted on. One that is renewed ends only if
    // its watchdog was held up, or was cut off more than once.
    bool may_outlive_lease =
        trial_has_trait(trial, "renewed")
            ? replay_has_stalled(replay) || tally.faults_of[THREAD_WATCHDOG] > 1
            : tally.leases + tally.timers > 0;
    // Where an acquire looks whether its lease still lasts, no hold begins behind it.
    bool began_late =
        trial_has_trait(trial, "validity-checked") && granted_late(replay_model(replay));
    bool is_harm_of_stale = check->may_follow && !trial->scenario->workload.fenced &&
                            may_have_been_stale(replay_model(replay));
    return trial_has_trait(trial, "lease") && may_outlive_lease && !began_late &&
           (check->shows == SHOWS_TWO_STALE || check->shows == SHOWS_LATE_WRITE ||
            is_harm_of_stale);
}

enum promise { KEPT, ADMITTED, FOLLOWING, BROKEN }; // FOLLOWING: broken, maybe by another's doing

static enum promise promise_of(const struct replay *replay, const struct trial *trial,
                               const struct schedule_moves *schedule, const struct finding *finding)
{
    // Who waits where the schedule ends may be granted the lock by what comes next.
    bool is_open = finding->check->shows == SHOWS_NO_PROGRESS && !replay_is_stuck(replay);
    if (!finding_counts(finding) || is_open)
        return KEPT;
    if (is_admitted(replay, trial, schedule, finding->check))
        return ADMITTED;
    return finding->check->may_follow || finding->check->shows == SHOWS_ACCESSES ? FOLLOWING
                                                                                 : BROKEN;
}

static enum move_kind first_that_forgets(const struct schedule_moves *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        if (move_forgets(schedule->moves[i]))
            return schedule->moves[i].kind;
    }
    return MOVE_STEP;
}

static size_t property_of(const struct check *check)
{
    size_t property = 0;
    while (check_catalogue[property] != check)
        property++;
    return property;
}

bool breach_is(const struct breach *one, const struct breach *other)
{
    return one->property == other->property && one->cause == other->cause &&
           one->forgets == other->forgets && one->is_admitted == other->is_admitted;
}

void breach_tell_cause(const struct breach *breach, struct text *out)
{
    text_add(out, root_name(breach->cause));
    if (breach->forgets == MOVE_STEP)
        return;
    text_add(out, ": ");
    move_write((struct move){.kind = (uint8_t)breach->forgets}, "a server", out);
}

size_t breaches_of(const struct replay *replay, const struct trial *trial,
                   const struct schedule_moves *schedule, const struct judgement *judgement,
                   struct breach breaches[MAX_CHECKS])
{
    enum promise promises[MAX_CHECKS];
    bool has[BROKEN + 1] = {false};
    bool is_told[MAX_CHECKS + 1] = {false}; // by that diagnosis
    size_t count = 0;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        promises[i] = promise_of(replay, trial, schedule, &judgement->findings[i]);
        has[promises[i]] = true;
    }
    if (!has[BROKEN] && !has[ADMITTED] && !has[FOLLOWING])
        return 0;
    AUTO_FREE struct diagnosis *diagnoses = memory_new(MAX_CHECKS * sizeof *diagnoses);
    size_t diagnosed = diagnoses_make(replay_model(replay), judgement, diagnoses);
    const enum promise told[] = {has[BROKEN] || has[ADMITTED] ? BROKEN : FOLLOWING, ADMITTED};
    for (size_t i = 0; i < 2 * judgement->finding_count; i++) {
        size_t at = i % judgement->finding_count;
        const struct check *check = judgement->findings[at].check;
        size_t by = 0;
        while (by < diagnosed && !diagnosis_covers(&diagnoses[by], check))
            by++;
        bool is_harm_of_another = count > 0 && check->may_follow;
        if (promises[at] != told[i / judgement->finding_count] || is_harm_of_another ||
            (by < diagnosed && is_told[by]))
            continue;
        enum root_cause cause = by < diagnosed ? diagnoses[by].cause : ROOT_UNKNOWN;
        is_told[by] = true;
        breaches[count++] =
            (struct breach){property_of(check), cause,
                            cause == ROOT_FORGOT ? first_that_forgets(schedule) : MOVE_STEP,
                            promises[at] == ADMITTED};
    }
    return count;
}
