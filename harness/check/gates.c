#include "harness/check/gates.h"

#include "harness/check/describe.h"

#include <stdio.h>
#include <string.h>

static bool fault_took_effect(const struct fault_record *record, char *reason, size_t room)
{
    const struct fault_step *step = record->step;
    const char *why = "it was asked for, but nothing proves that it took effect";
    if (record->in_effect_ns != TIME_NEVER)
        return true;
    if (record->failed)
        why = "it was tried and FAILED";
    else if (record->asked_ns == TIME_NEVER)
        why = step->at_ns >= 0 ? "the trial ended before its time" : "its point was never reached";
    bool known = record->failed && record->failure > 0;
    snprintf(reason, room, "fault %d (%s) never took effect: %s%s%s", step->number,
             step->text != NULL ? step->text : step->verb, why, known ? ": " : "",
             known ? strerror(record->failure) : "");
    return false;
}

static bool is_target(const struct fault_step *step, int client, int worker)
{
    return step->target.client == client &&
           (step->target.worker == 0 || step->target.worker == worker);
}

// True if somebody other than the fault's target had an acquire in progress while it was in effect.
static bool acquired_meanwhile(const struct digest *digest, const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->granted_ns >= record->in_effect_ns && hold->invoked_ns <= record->healed_ns &&
            !is_target(step, hold->client, hold->worker))
            return true;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (attempt->returned_ns >= record->in_effect_ns &&
            attempt->died_ns >= record->in_effect_ns && attempt->invoked_ns <= record->healed_ns &&
            !is_target(step, attempt->client, attempt->worker))
            return true;
    }
    return false;
}

static bool faults_proven(const struct digest *digest, char *reason, size_t room)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (!fault_took_effect(record, reason, room))
            return false;
        if (acquired_meanwhile(digest, record))
            continue;
        bool lasts = record->step->bound_ns >= 0;
        snprintf(reason, room, "fault %d (%s) met no traffic: nobody else went for the lock %s it",
                 record->step->number,
                 record->step->text != NULL ? record->step->text : record->step->verb,
                 lasts ? "during" : "after");
        return false;
    }
    return true;
}

static bool ended_as_planned(const struct digest *digest, char *reason, size_t room)
{
    char length[DESCRIBE_ROOM];
    text_duration(digest->ended_ns - digest->started_ns, length, sizeof length);
    if (!digest->stop_known)
        snprintf(reason, room, "the history breaks off after %s: the trial was not ended", length);
    else if (digest->stop_reason == STOP_LIMIT)
        snprintf(reason, room, "the trial ran into its time limit after %s with %zu holds", length,
                 digest->hold_count);
    else if (digest->stop_reason == STOP_BROKEN)
        snprintf(reason, room, "the harness or its set-up failed after %s", length);
    else if (digest->stop_reason == STOP_STUCK)
        snprintf(
            reason, room,
            "the trial was ended after %s because nobody was granted the lock, but its history "
            "does not prove it stuck",
            length);
    else
        return true;
    return false;
}

bool gates_open(const struct digest *digest, char *reason, size_t room)
{
    if (!ended_as_planned(digest, reason, room) || !faults_proven(digest, reason, room))
        return false;
    if (digest->hold_count == 0) {
        snprintf(reason, room, "nobody was ever granted the lock (%zu acquires tried)",
                 digest->attempt_count);
        return false;
    }
    return true;
}

bool harness_was_broken(const struct digest *digest, char *reason, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->history->count; i++)
        count += digest->history->events[i].outcome == OUTCOME_BROKEN;
    if (count > 0)
        snprintf(reason, room, "%zu request%s failed because the harness or its set-up is wrong",
                 count, plural((long long)count));
    return count > 0;
}
