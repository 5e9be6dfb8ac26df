// stuck: once the lock is free, or should have become free because its holder died or its lease ran
// out, somebody who waits is granted it within the lease and a slack that the history itself shows.
// STUCK is proven if nobody is until the observation ends; an observation that ends too soon
// decides nothing. And whoever gives the lock back gets an answer (hanging_release.h).
#include "harness/check/describe.h"
#include "harness/check/hanging_release.h"
#include "harness/check/liveness.h"
#include "harness/check/preconditions.h"
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
    FOR_EACH_HOLD (hold, digest) {
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

// "client-1 died holding the lock"; a `%` stands for who, or which fault.
static struct words cause_of(const struct digest *digest, const struct silence *silence)
{
    static const char *const forms[] = {
        [SILENCE_START] = "the trial began",
        [SILENCE_RELEASED] = "% released it",
        [SILENCE_DIED_HOLDING] = "% died holding the lock",
        [SILENCE_DIED_RELEASING] = "% died while releasing the lock",
        [SILENCE_EXPIRED] = "%'s lease ran out",
        [SILENCE_LOST_RELEASE] = "% got no answer to its release",
        [SILENCE_DIED_ACQUIRING] = "% died while acquiring the lock",
        [SILENCE_LOST_ACQUIRE] = "% got no answer to its acquire",
        [SILENCE_FAULT] = "fault % took effect",
        [SILENCE_HEALED] = "fault % was over",
    };
    struct words words;
    char who[DESCRIBE_ROOM] = "";
    if (silence->hold != SIZE_MAX)
        describe_holder(digest, silence->hold, who);
    else if (silence->attempt != SIZE_MAX)
        describe_worker(digest, digest->attempts[silence->attempt].client, silence->worker, who);
    else if (silence->fault != SIZE_MAX)
        snprintf(who, sizeof who, "%d", digest->faults[silence->fault].step->number);
    const char *form = forms[silence->cause];
    int before = (int)strcspn(form, "%");
    snprintf(words.text, sizeof words.text, "%.*s%s%s", before, form, who,
             form + before + (form[before] != '\0'));
    return words;
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
static void tell_remedy(const struct digest *digest, const struct silence *silence,
                        struct text *out)
{
    static const bool waits_for_lease[] = {
        [SILENCE_DIED_HOLDING] = true, [SILENCE_DIED_RELEASING] = true,
        [SILENCE_LOST_RELEASE] = true, [SILENCE_DIED_ACQUIRING] = true,
        [SILENCE_LOST_ACQUIRE] = true, [SILENCE_HEALED] = false,
    };
    bool has_none = digest->trial->traits != NULL ? !trial_has_trait(digest->trial, "lease")
                                                  : digest->hold_count > 0 && !has_lease(digest);
    if (silence->unanswered)
        text_add(out, "; no acquire was answered");
    else if (silence_was_free(digest, false))
        text_add(out, "; it was free: the servers did not have it when all had ended");
    else if (!waits_for_lease[silence->cause])
        return;
    else if (has_none && trial_has_trait(digest->trial, "session"))
        text_add(out, "; the lock has no lease, and only the end of its session frees it");
    else if (has_none)
        text_add(out, "; the lock has no lease: nothing will ever free it");
    else
        text_format(out, "; the lease of %s should have freed it",
                    lasting(digest->trial->scenario->lock.lease_ns).text);
}

static void tell_stuck(const struct digest *digest, const struct silence *silence,
                       const struct waiting *waiting, struct text *out)
{
    text_format(out, "nobody was granted the lock in the %s after %s, although %zu worker%s waited",
                lasting(waiting->until_ns - silence->from_ns).text, cause_of(digest, silence).text,
                waiting->to_the_end, plural((long long)waiting->to_the_end));
    tell_remedy(digest, silence, out);
    if (digest->ends.left == LEAVING_ORPHAN)
        text_add(out, "; it was still on the servers when all had ended");
}

static void tell_waiting(const struct digest *digest, const struct silence *silence,
                         const struct waiting *waiting, const char *only, struct text *out)
{
    text_format(out, "%zu worker%s waited in vain for %s%s after %s, ", waiting->workers,
                plural((long long)waiting->workers), only, lasting(waiting->waited_ns).text,
                cause_of(digest, silence).text);
}

static void tell_undecided(const struct digest *digest, const struct silence *silence,
                           const struct waiting *waiting, int64_t bound_ns, struct text *out)
{
    if (waiting->stopped_may_hold && !has_lease(digest)) {
        tell_waiting(digest, silence, waiting, "", out);
        text_add(out, "but a worker that is stopped inside its acquire may hold the lock");
        return;
    }
    tell_waiting(digest, silence, waiting, "only ", out);
    text_format(out, "too short to tell whether the lock is stuck: that takes %s",
                lasting(bound_ns).text);
}

// --- faults at the end ---------------------------------------------------------------------------

// True if what the fault does to the servers was not over, and their recovery from it not due, when
// the trial ended: that nobody was granted meanwhile is its doing, and tells nothing of the lock.
static bool was_unfinished(const struct digest *digest, const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    bool is_on_servers = step->target.client == 0 || step->side_counts[0] > 0;
    if (!is_on_servers || record->asked_ns >= digest->ended_ns)
        return false;
    if (record->in_effect_ns >= digest->ended_ns)
        return !record->failed;
    bool is_bounded = step->bound_ns >= 0 && step->bound_ns != NO_BOUND;
    if (is_bounded && record->healed_ns != TIME_NEVER && record->heal_reason == HEAL_END)
        return true;
    return fault_can(step, FAULT_KILLS) &&
           record->in_effect_ns > digest->ended_ns - digest->trial->scenario->lock.stuck_after_ns;
}

// The first such fault; NULL if there is none.
static const struct fault_step *find_unfinished(const struct digest *digest)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        if (was_unfinished(digest, &digest->faults[i]))
            return digest->faults[i].step;
    }
    return NULL;
}

static void tell_unfinished(const struct digest *digest, const struct silence *silence,
                            const struct waiting *waiting, const struct fault_step *step,
                            struct text *out)
{
    tell_waiting(digest, silence, waiting, "", out);
    text_format(out,
                "but the servers may not have recovered yet from fault %d (%.100s): only more than "
                "%s (lock.stuck-after) would show that the lock is stuck",
                step->number, step->text != NULL ? step->text : step->verb,
                lasting(digest->trial->scenario->lock.stuck_after_ns).text);
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
    const struct fault_step *unfinished = find_unfinished(digest);
    int64_t proof_ns = bound_ns;
    if (unfinished != NULL || silence.unanswered)
        proof_ns = time_later(bound_ns, digest->trial->scenario->lock.stuck_after_ns);
    bool hidden_holder = waiting.stopped_may_hold && !has_lease(digest);
    struct text found = {0};
    if (waiting.waited_ns > proof_ns && !hidden_holder) {
        finding->state = FINDING_VIOLATED;
        finding->count = 1;
        finding->by_absence = true;
        finding->evidence = (struct evidence){
            {silence.hold, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, silence.from_ns, waiting.until_ns};
        tell_stuck(digest, &silence, &waiting, &found);
    } else if (waiting.waited_ns > bound_ns && !hidden_holder && unfinished != NULL) {
        finding->state = FINDING_UNDECIDED;
        tell_unfinished(digest, &silence, &waiting, unfinished, &found);
    } else if (leaves_doubt(silence.cause) || waiting.waited_ns > bound_ns ||
               (silence.cause != SILENCE_RELEASED && waiting.waited_ns > slack)) {
        finding->state = FINDING_UNDECIDED;
        tell_undecided(digest, &silence, &waiting, silence.unanswered ? proof_ns : bound_ns,
                       &found);
    }
    if (finding->state == FINDING_KEPT)
        return;
    tell_servers_down(digest, silence.from_ns, waiting.until_ns, &found);
    finding_say(finding, "%s", found.bytes);
    text_free(&found);
}

// --- a release that hangs
// -------------------------------------------------------------------------

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
    FOR_EACH_FAULT (record, digest) {
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

// Makes the finding a violation by that release.
static void tell_hanging(const struct digest *digest, const struct hanging_release *hanging,
                         struct finding *finding)
{
    const struct hold *hold = &digest->holds[hanging->hold];
    struct text others = {0};
    size_t grants = 0, waiting = 0; // meanwhile; when the trial ends
    for (size_t i = 0; i < digest->hold_count; i++)
        grants += digest->holds[i].granted_ns > hold->released_ns &&
                  digest->holds[i].granted_ns < digest->ended_ns;
    FOR_EACH_ATTEMPT (attempt, digest) {
        waiting += attempt->invoked_ns < digest->ended_ns &&
                   attempt->returned_ns >= digest->ended_ns &&
                   attempt->killed_ns >= digest->ended_ns;
    }
    finding->state = FINDING_VIOLATED;
    finding->count = 1;
    finding->by_absence = true;
    finding->evidence = (struct evidence){
        {hanging->hold, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, hanging->from_ns, digest->ended_ns};
    if (grants > 0)
        text_format(&others, "; others were granted the lock %zu time%s meanwhile", grants,
                    plural((long long)grants));
    else if (waiting > 0)
        text_format(&others, "; nobody was granted the lock meanwhile, and %zu worker%s", waiting,
                    waiting == 1 ? " waits" : "s wait");
    finding_say(finding,
                "%s's release was not answered in the %s until the trial ended, although no fault "
                "was on and a request may take %s%s",
                holder_name(digest, hanging->hold).text,
                lasting(digest->ended_ns - hanging->from_ns).text,
                lasting(digest->trial->scenario->lock.request_ns).text, text_string(&others));
    text_free(&others);
}

bool is_of_hanging_release(const struct digest *digest, const struct finding *finding)
{
    struct hanging_release hanging;
    return finding->evidence.holds[0] != SIZE_MAX && hanging_release_find(digest, &hanging) &&
           hanging.hold == finding->evidence.holds[0] &&
           hanging.from_ns == finding->evidence.from_ns;
}

// --- both ----------------------------------------------------------------------------------------

static void decide(const struct digest *digest, struct finding *finding)
{
    struct hanging_release hanging;
    finding_say(finding, "whoever waited for a free lock was granted it");
    decide_waiting(digest, finding);
    if (finding->state != FINDING_VIOLATED && hanging_release_find(digest, &hanging))
        tell_hanging(digest, &hanging, finding);
}

const struct check stuck_check = {
    .name = "stuck",
    .summary = "whoever waits for a free lock is granted it within the lease, and a release is "
               "answered",
    .letter = "",
    .decide = decide,
    .shows = SHOWS_SILENCE,
};
