// stuck: once the lock is free, or should have become free because its holder died or its lease ran
// out, somebody who waits is granted it within the lease and a slack that the history itself shows.
// STUCK is proven if nobody is until the observation ends; an observation that ends too soon
// decides nothing. And whoever gives the lock back gets an answer (hanging_release.h).
#include "harness/base/clock.h"
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/hanging_release.h"
#include "harness/check/liveness.h"
#include "harness/check/servers_down.h"
#include "harness/check/silence.h"
#include "harness/check/stalls.h"

#include <stdio.h>
#include <string.h>

// --- how long it may take ------------------------------------------------------------------------

// The longest time from a release to the next grant, of a worker that waited meanwhile, before the
// first fault.
static int64_t longest_hand_off_ns(const struct digest *digest)
{
    int64_t first_fault_ns = TIME_NEVER;
    for (size_t i = 0; i < digest->fault_count; i++)
        first_fault_ns = time_earlier(first_fault_ns, digest->faults[i].asked_ns);
    int64_t longest = 0;
    int64_t free_ns = digest->started_ns;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->granted_ns >= first_fault_ns)
            break;
        longest = time_later(longest, hold->granted_ns - time_later(free_ns, hold->invoked_ns));
        if (hold->returned_ns != TIME_NEVER)
            free_ns = time_later(free_ns, hold->returned_ns);
    }
    return longest;
}

// For whom of those that went for the lock meanwhile the least is to be allowed: one who could have
// been granted it is enough.
static int64_t allowed_stalls_ns(const struct digest *digest, int64_t from_ns, int64_t to_ns)
{
    int64_t least_ns = TIME_NEVER;
    for (int64_t client = 1; client <= digest->trial->scenario->clients.processes; client++) {
        bool waited = false;
        for (size_t i = 0; i < digest->attempt_count && !waited; i++) {
            const struct attempt *attempt = &digest->attempts[i];
            waited = attempt->client == client && attempt->invoked_ns < to_ns &&
                     attempt->returned_ns >= to_ns && attempt->killed_ns >= to_ns;
        }
        // The next one may not have been recorded yet.
        int64_t stalls_ns =
            stalled_ns(digest, (int)client, from_ns, to_ns) + longest_stall_ns(digest, (int)client);
        if (waited)
            least_ns = time_earlier(least_ns, stalls_ns);
    }
    return least_ns != TIME_NEVER ? least_ns
                                  : stalled_ns(digest, STALLS_OF_SERVERS, from_ns, to_ns) +
                                        longest_stall_ns(digest, STALLS_OF_SERVERS);
}

static int64_t late_expiry_ns(const struct digest *digest)
{
    return digest->trial->server != NULL ? digest->trial->server->late_expiry_ns : 0;
}

// --- words ---------------------------------------------------------------------------------------

static void describe_cause(const struct digest *digest, const struct silence *silence, char *out,
                           size_t room)
{
    static const char *const forms[] = {
        [SILENCE_START] = "the trial began",
        [SILENCE_RELEASED] = "%s released it",
        [SILENCE_DIED_HOLDING] = "%s died holding the lock",
        [SILENCE_DIED_RELEASING] = "%s died while releasing the lock",
        [SILENCE_EXPIRED] = "%s's lease ran out",
        [SILENCE_LOST_RELEASE] = "%s got no answer to its release",
        [SILENCE_DIED_ACQUIRING] = "%s died while acquiring the lock",
        [SILENCE_LOST_ACQUIRE] = "%s got no answer to its acquire",
        [SILENCE_FAULT] = "fault %s took effect",
        [SILENCE_HEALED] = "fault %s was over",
    };
    char who[DESCRIBE_ROOM] = "";
    if (silence->hold != SIZE_MAX)
        describe_holder(digest, silence->hold, who);
    else if (silence->attempt != SIZE_MAX)
        describe_worker(digest, digest->attempts[silence->attempt].client, silence->worker, who);
    else if (silence->fault != SIZE_MAX)
        snprintf(who, sizeof who, "%d", digest->faults[silence->fault].step->number);
    const char *form = forms[silence->cause];
    const char *gap = "";
    int before = (int)strcspn(form, "%");
    if (form[before] == '%')
        gap = form + before + 2;
    snprintf(out, room, "%.*s%s%s", before, form, who, gap);
}

// True if holds of this history have a lease.
static bool has_lease(const struct digest *digest)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].valid_until_ns != TIME_NEVER)
            return true;
    }
    return false;
}

// What is known of who had the lock meanwhile, or why nothing freed it: "" or words that follow.
static const char *describe_remedy(const struct digest *digest, const struct silence *silence,
                                   char *out, size_t room)
{
    char lease[DESCRIBE_ROOM];
    if (silence->unanswered)
        return "; no acquire was answered";
    if (silence_was_free(digest, false))
        return "; it was free: the servers did not have it when all had ended";
    bool waits_for_lease = silence->cause != SILENCE_START && silence->cause != SILENCE_RELEASED &&
                           silence->cause != SILENCE_EXPIRED && silence->cause != SILENCE_FAULT &&
                           silence->cause != SILENCE_HEALED;
    if (!waits_for_lease)
        return "";
    text_duration(digest->trial->scenario->lock.lease_ns, lease, sizeof lease);
    bool has_none = digest->trial->traits != NULL ? !trial_has_trait(digest->trial, "lease")
                                                  : digest->hold_count > 0 && !has_lease(digest);
    if (has_none && trial_has_trait(digest->trial, "session"))
        return "; the lock has no lease, and only the end of its session frees it";
    if (has_none)
        return "; the lock has no lease: nothing will ever free it";
    snprintf(out, room, "; the lease of %s should have freed it", lease);
    return out;
}

static void describe_stuck(const struct digest *digest, const struct silence *silence,
                           const struct waiting *waiting, struct finding *finding)
{
    char cause[120];
    char waited[DESCRIBE_ROOM];
    char remedy[120];
    describe_cause(digest, silence, cause, sizeof cause);
    text_duration(waiting->until_ns - silence->from_ns, waited, sizeof waited);
    bool is_orphan = liveness_leaving(digest->history) == LEAVING_ORPHAN;
    finding_say(finding,
                "nobody was granted the lock in the %s after %s, although %zu worker%s waited%s%s",
                waited, cause, waiting->to_the_end, plural((long long)waiting->to_the_end),
                describe_remedy(digest, silence, remedy, sizeof remedy),
                is_orphan ? "; it was still on the servers when all had ended" : "");
}

static void describe_undecided(const struct digest *digest, const struct silence *silence,
                               const struct waiting *waiting, int64_t bound_ns,
                               struct finding *finding)
{
    char cause[120];
    char waited[DESCRIBE_ROOM];
    char bound[DESCRIBE_ROOM];
    describe_cause(digest, silence, cause, sizeof cause);
    text_duration(waiting->waited_ns, waited, sizeof waited);
    text_duration(bound_ns, bound, sizeof bound);
    if (waiting->stopped_may_hold && !has_lease(digest))
        finding_say(
            finding,
            "%zu worker%s waited in vain for %s after %s, but a worker that is stopped inside "
            "its acquire may hold the lock",
            waiting->workers, plural((long long)waiting->workers), waited, cause);
    else
        finding_say(
            finding,
            "%zu worker%s waited in vain for only %s after %s, too short to tell whether the "
            "lock is stuck: that takes %s",
            waiting->workers, plural((long long)waiting->workers), waited, cause, bound);
}

// --- faults at the end ---------------------------------------------------------------------------

static bool is_on_servers(const struct fault_step *step)
{
    return step->target.client == 0 || step->side_counts[0] > 0;
}

// True if what the fault does to the servers was not over, and their recovery from it not due, when
// the trial ended: that nobody was granted meanwhile is its doing, and tells nothing of the lock.
static bool was_unfinished(const struct digest *digest, const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    if (!is_on_servers(step) || record->asked_ns >= digest->ended_ns)
        return false;
    if (record->in_effect_ns >= digest->ended_ns)
        return !record->failed;
    bool is_bounded = step->bound_ns >= 0 && step->bound_ns != NO_BOUND;
    if (is_bounded && record->healed_ns != TIME_NEVER && record->heal_reason == HEAL_END)
        return true;
    return fault_can(step, FAULT_KILLS) &&
           record->in_effect_ns > digest->ended_ns - digest->trial->scenario->lock.stuck_after_ns;
}

// The first such fault, an index into digest.faults; SIZE_MAX if there is none.
static size_t find_unfinished(const struct digest *digest)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        if (was_unfinished(digest, &digest->faults[i]))
            return i;
    }
    return SIZE_MAX;
}

static void describe_unfinished(const struct digest *digest, const struct silence *silence,
                                const struct waiting *waiting, size_t fault,
                                struct finding *finding)
{
    char cause[120];
    char waited[DESCRIBE_ROOM];
    char enough[DESCRIBE_ROOM];
    const struct fault_step *step = digest->faults[fault].step;
    describe_cause(digest, silence, cause, sizeof cause);
    text_duration(waiting->waited_ns, waited, sizeof waited);
    text_duration(digest->trial->scenario->lock.stuck_after_ns, enough, sizeof enough);
    finding_say(finding,
                "%zu worker%s waited in vain for %s after %s, but the servers may not have "
                "recovered yet from fault %d (%.100s): only more than %s (lock.stuck-after) would "
                "show that the lock is stuck",
                waiting->workers, plural((long long)waiting->workers), waited, cause, step->number,
                step->text != NULL ? step->text : step->verb, enough);
}

// --- the decision --------------------------------------------------------------------------------

// After these nothing but the wait itself shows that the lock can still be had.
static bool leaves_doubt(enum silence_cause cause)
{
    return cause == SILENCE_START || cause == SILENCE_DIED_HOLDING ||
           cause == SILENCE_DIED_RELEASING || cause == SILENCE_DIED_ACQUIRING ||
           cause == SILENCE_LOST_ACQUIRE || cause == SILENCE_LOST_RELEASE;
}

static void decide_waiting(const struct digest *digest, struct finding *finding)
{
    struct silence silence = silence_find(digest);
    if (silence.from_ns >= digest->ended_ns)
        return; // held, or only just free, when the observation ended
    struct waiting waiting = waiting_find(digest, &silence);
    if (waiting.workers == 0)
        return;
    int64_t slack =
        time_later(longest_hand_off_ns(digest), 2 * digest->trial->scenario->lock.retry_ns) +
        allowed_stalls_ns(digest, silence.from_ns, waiting.until_ns);
    int64_t bound_ns = digest->trial->scenario->lock.lease_ns + late_expiry_ns(digest) + slack;
    size_t unfinished = find_unfinished(digest);
    int64_t proof_ns = bound_ns;
    if (unfinished != SIZE_MAX || silence.unanswered)
        proof_ns = time_later(bound_ns, digest->trial->scenario->lock.stuck_after_ns);
    bool hidden_holder = waiting.stopped_may_hold && !has_lease(digest);
    if (waiting.waited_ns > proof_ns && !hidden_holder) {
        finding->state = FINDING_VIOLATED;
        finding->count = 1;
        finding->by_absence = true;
        finding->evidence = (struct evidence){
            {silence.hold, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, silence.from_ns, waiting.until_ns};
        describe_stuck(digest, &silence, &waiting, finding);
    } else if (waiting.waited_ns > bound_ns && !hidden_holder && unfinished != SIZE_MAX) {
        finding->state = FINDING_UNDECIDED;
        describe_unfinished(digest, &silence, &waiting, unfinished, finding);
    } else if (leaves_doubt(silence.cause) || waiting.waited_ns > bound_ns ||
               (silence.cause != SILENCE_RELEASED && waiting.waited_ns > slack)) {
        finding->state = FINDING_UNDECIDED;
        describe_undecided(digest, &silence, &waiting, silence.unanswered ? proof_ns : bound_ns,
                           finding);
    }
    if (finding->state != FINDING_KEPT)
        servers_down_tell(digest, silence.from_ns, waiting.until_ns, finding->text,
                          sizeof finding->text);
}

static void decide(const struct digest *digest, struct finding *finding)
{
    struct hanging_release hanging;
    finding_say(finding, "whoever waited for a free lock was granted it");
    decide_waiting(digest, finding);
    if (finding->state != FINDING_VIOLATED && hanging_release_find(digest, &hanging))
        hanging_release_tell(digest, &hanging, finding);
}

const struct check stuck_check = {
    .name = "stuck",
    .summary = "whoever waits for a free lock is granted it within the lease, and a release is "
               "answered",
    .letter = "",
    .decide = decide,
    .shows = SHOWS_SILENCE,
};
