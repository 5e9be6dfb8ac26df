#include "harness/check/hanging_release.h"

#include "harness/check/describe.h"
#include "harness/check/stalls.h"
#include "harness/scenario/scenario.h"

#include <string.h>

// --- whether it hangs ----------------------------------------------------------------------------

// True if the release was still to be answered when the trial ended. What comes after the stop with
// an outcome shows that it was only slow; without one, that whoever waited for it gave up.
static bool is_open(const struct digest *digest, const struct hold *hold)
{
    if (!hold->release_invoked || hold->released_ns >= digest->ended_ns ||
        hold->died_ns < digest->ended_ns)
        return false;
    return hold->returned_ns == TIME_NEVER ||
           (hold->returned_ns > digest->ended_ns && hold->answer == RELEASE_UNKNOWN);
}

// True if what the fault does was not over when the trial ended, or nobody knows whether it was. A
// server that was killed stays away; a client that was has nothing more to do with it.
static bool is_on(const struct digest *digest, const struct fault_record *record)
{
    if (record->asked_ns >= digest->ended_ns)
        return false;
    if (record->in_effect_ns >= digest->ended_ns)
        return !record->failed;
    if (record->failed)
        return true;
    if (record->step->bound_ns >= 0)
        return record->healed_ns >= digest->ended_ns;
    return fault_can(record->step, FAULT_KILLS) && !fault_can(record->step, FAULT_MOVES_LEADER) &&
           record->step->target.client == 0;
}

// Since when no fault was on, and how long the longest had been; false if one is.
static bool is_quiet(const struct digest *digest, int64_t *from_ns, int64_t *longest_ns)
{
    *from_ns = digest->started_ns;
    *longest_ns = 0;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (is_on(digest, record))
            return false;
        if (record->in_effect_ns >= digest->ended_ns)
            continue;
        *from_ns = time_later(*from_ns, record->in_effect_ns);
        if (record->healed_ns >= digest->ended_ns)
            continue;
        *from_ns = time_later(*from_ns, record->healed_ns);
        *longest_ns = time_later(*longest_ns, record->healed_ns - record->in_effect_ns);
    }
    return true;
}

bool hanging_release_find(const struct digest *digest, struct hanging_release *hanging)
{
    int64_t quiet_ns, fault_ns;
    *hanging = (struct hanging_release){SIZE_MAX, TIME_NEVER};
    // Without the word of the end nobody knows that there was time for an answer.
    if (!digest->stop_known || !is_quiet(digest, &quiet_ns, &fault_ns))
        return false;
    int64_t bound_ns = longest_release_ns(&digest->trial->scenario->lock) + fault_ns;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t from_ns = time_later(hold->released_ns, quiet_ns);
        if (!is_open(digest, hold) || from_ns >= hanging->from_ns)
            continue;
        // The next stall may not have been recorded yet.
        int64_t stalls_ns = longest_stall_ns(digest, hold->client) +
                            stalled_ns(digest, hold->client, from_ns, digest->ended_ns);
        if (digest->ended_ns - from_ns > bound_ns + stalls_ns)
            *hanging = (struct hanging_release){i, from_ns};
    }
    return hanging->hold != SIZE_MAX;
}

// --- words ---------------------------------------------------------------------------------------

static size_t grants_between(const struct digest *digest, int64_t from_ns, int64_t to_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        count += digest->holds[i].granted_ns > from_ns && digest->holds[i].granted_ns < to_ns;
    return count;
}

// How many wait when the trial ends.
static size_t waiters(const struct digest *digest)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        count += attempt->invoked_ns < digest->ended_ns &&
                 attempt->returned_ns >= digest->ended_ns && attempt->killed_ns >= digest->ended_ns;
    }
    return count;
}

void hanging_release_tell(const struct digest *digest, const struct hanging_release *hanging,
                          struct finding *finding)
{
    char who[DESCRIBE_ROOM];
    char length[DESCRIBE_ROOM];
    char request[DESCRIBE_ROOM];
    char others[100] = "";
    const struct hold *hold = &digest->holds[hanging->hold];
    size_t grants = grants_between(digest, hold->released_ns, digest->ended_ns);
    size_t waiting = waiters(digest);
    finding->state = FINDING_VIOLATED;
    finding->count = 1;
    finding->by_absence = true;
    finding->evidence = (struct evidence){
        {hanging->hold, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, hanging->from_ns, digest->ended_ns};
    if (grants > 0)
        snprintf(others, sizeof others, "; others were granted the lock %zu time%s meanwhile",
                 grants, plural((long long)grants));
    else if (waiting > 0)
        snprintf(others, sizeof others, "; nobody was granted the lock meanwhile, and %zu worker%s",
                 waiting, waiting == 1 ? " waits" : "s wait");
    finding_say(finding,
                "%s's release was not answered in the %s until the trial ended, although no fault "
                "was on and a request may take %s%s",
                describe_holder(digest, hanging->hold, who),
                text_duration(digest->ended_ns - hanging->from_ns, length, sizeof length),
                text_duration(digest->trial->scenario->lock.request_ns, request, sizeof request),
                others);
}

bool is_of_hanging_release(const struct digest *digest, const struct finding *finding)
{
    struct hanging_release hanging;
    return finding->evidence.holds[0] != SIZE_MAX && hanging_release_find(digest, &hanging) &&
           hanging.hold == finding->evidence.holds[0] &&
           hanging.from_ns == finding->evidence.from_ns;
}
