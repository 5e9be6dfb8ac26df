#include "harness/explain/story_cast.h"

#include "harness/check/describe.h"
#include "harness/check/sweep.h"
#include "harness/explain/story_writes.h"

#include <stdio.h>
#include <string.h>

// A release that takes longer is told in two lines: something happens meanwhile.
#define LONG_RELEASE_NS (5 * NS_PER_MS)

bool story_has_hold(const struct story *story, size_t hold)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        if (story->holds[i] == hold)
            return true;
    }
    return false;
}

void story_add_hold(struct story *story, size_t hold)
{
    if (hold == SIZE_MAX || story->hold_count == STORY_HOLDS || story_has_hold(story, hold))
        return;
    story->holds[story->hold_count++] = hold;
}

// --- acquire -------------------------------------------------------------------------------------

// Another of the story's holds whose worker believes in it when `hold` is granted, or NULL.
static const struct hold *believer(const struct story *story, const struct hold *hold)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *other = &story->digest->holds[story->holds[i]];
        bool earlier = other->granted_ns < hold->granted_ns ||
                       (other->granted_ns == hold->granted_ns && other < hold);
        if (earlier && other->released_ns > hold->granted_ns)
            return other;
    }
    return NULL;
}

static double seconds(const struct story *story, int64_t at_ns)
{
    return (double)(at_ns - story->digest->started_ns) / (double)NS_PER_S;
}

// As it was granted; renewals are told by themselves.
static void describe_lease(const struct story *story, const struct hold *hold, char *out,
                           size_t room)
{
    char lease[DESCRIBE_ROOM];
    int64_t until_ns =
        story->digest->history->events[hold->granted_event].acquire_return.valid_until_ns;
    out[0] = '\0';
    if (hold->valid_until_ns == TIME_NEVER)
        return;
    text_duration(story->digest->trial->scenario->lock.lease_ns, lease, sizeof lease);
    snprintf(out, room, " (lease %s, valid until %.3f s%s)", lease, seconds(story, until_ns),
             hold->is_unanchored ? " at the earliest" : "");
}

// " as a reader", " with token 7" where tokens matter.
static const char *describe_token(const struct story *story, const struct hold *hold, char *out)
{
    const char *reader = hold->shared ? " as a reader" : "";
    snprintf(out, DESCRIBE_ROOM, "%s", reader);
    if (story->tokens && hold->token != 0)
        snprintf(out, DESCRIBE_ROOM, "%s with token %lld", reader, (long long)hold->token);
    return out;
}

// How the lock can be granted although another believes that it holds it.
static void describe_other(const struct story *story, const struct hold *hold,
                           const struct hold *other, char *out, size_t room)
{
    char who[DESCRIBE_ROOM];
    char ago[DESCRIBE_ROOM];
    describe_worker(story->digest, other->client, other->worker, who);
    if (other->valid_until_ns <= hold->granted_ns)
        snprintf(out, room, "%s's lease ran out %s ago", who,
                 text_duration(hold->granted_ns - other->valid_until_ns, ago, sizeof ago));
    else if (hold_lease_end_ns(story->digest, other) <= hold->granted_ns)
        snprintf(out, room,
                 other->is_unanchored ? "%s's lease may be over" : "%s's lease is just running out",
                 who);
    else
        snprintf(out, room, "%s still holds it", who);
}

static void tell_permit(struct story *story, const struct hold *hold, const char *who)
{
    char detail[160];
    int64_t permits = digest_permits(story->digest);
    int64_t out = 0;
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *other = &story->digest->holds[story->holds[i]];
        out += other < hold && other->released_ns > hold->granted_ns;
    }
    describe_lease(story, hold, detail, sizeof detail);
    if (out >= permits)
        snprintf(detail, sizeof detail, ": all %lld permits are out", (long long)permits);
    story_line_add(&story->lines, hold->granted_ns, LINE_KEY, SIZE_MAX, who, "acquires a permit%s",
                   detail);
}

static void tell_grant(struct story *story, const struct hold *hold, const char *who)
{
    char detail[160];
    char token[DESCRIBE_ROOM];
    describe_token(story, hold, token);
    const struct hold *other = believer(story, hold);
    if (digest_permits(story->digest) > 1) {
        tell_permit(story, hold, who);
        return;
    }
    if (hold->valid_until_ns <= hold->granted_ns) {
        text_duration(hold->granted_ns - hold->valid_until_ns, detail, sizeof detail);
        story_line_add(&story->lines, hold->granted_ns, LINE_KEY, SIZE_MAX, who,
                       "learns that it was granted the lock%s: its lease ran out %s ago", token,
                       detail);
    } else if (other != NULL) {
        describe_other(story, hold, other, detail, sizeof detail);
        story_line_add(&story->lines, hold->granted_ns, LINE_KEY, SIZE_MAX, who,
                       "acquires the lock%s: %s", token, detail);
    } else {
        describe_lease(story, hold, detail, sizeof detail);
        story_line_add(&story->lines, hold->granted_ns, LINE_KEY, SIZE_MAX, who,
                       "acquires the lock%s%s", token, detail);
    }
}

// --- the end of a hold ---------------------------------------------------------------------------

bool story_fault_killed(const struct digest *digest, int client)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->step->target.client == client && fault_can(record->step, FAULT_KILLS) &&
            record->in_effect_ns != TIME_NEVER)
            return true;
    }
    return false;
}

// The end of the hold whose release removed the lock of another.
static void tell_removal(struct story *story, const struct hold *hold, const char *who,
                         bool took_long)
{
    char wronged[DESCRIBE_ROOM];
    const char *how = took_long ? "finishes its release" : "releases the lock";
    if (hold->answer == RELEASE_UNKNOWN)
        how = "gets no answer to its release";
    describe_holder(story->digest, story->wronged, wronged);
    const char *did = story->certainly ? "removes" : "may have removed";
    if (story_has_hold(story, story->wronged))
        story_line_add(&story->lines, hold->returned_ns, LINE_KEY, SIZE_MAX, who,
                       "%s: it %s the lock of %s", how, did, wronged);
    else
        story_line_add(&story->lines, hold->returned_ns, LINE_KEY, SIZE_MAX, who,
                       "%s: it %s the lock that %s has been granted meanwhile", how, did, wronged);
}

static void tell_release_result(struct story *story, size_t index, const char *who, bool took_long)
{
    static const char *const results[] = {
        [RELEASE_RELEASED] = "releases the lock",
        [RELEASE_NOT_OWNER] = "tries to release the lock: it is no longer its own",
        [RELEASE_GONE] = "tries to release the lock: it is gone",
        [RELEASE_UNKNOWN] = "tries to release the lock and gets no answer",
        [RELEASE_UNCHECKED] = "releases the lock by a plain delete",
    };
    const struct hold *hold = &story->digest->holds[index];
    bool permits = trial_has_trait(story->digest->trial, "permits");
    enum line_weight weight = story->needs_ends ? LINE_HELPFUL : LINE_ASIDE;
    if (index == story->wronged && story->needs_ends)
        weight = LINE_NEEDED;
    if (index == story->culprit && story->wronged != SIZE_MAX)
        tell_removal(story, hold, who, took_long);
    else if (took_long && hold->answer <= RELEASE_RELEASED)
        story_line_add(&story->lines, hold->returned_ns, weight, SIZE_MAX, who,
                       "finishes its release");
    else
        story_line_add(&story->lines, hold->returned_ns, weight, SIZE_MAX, who, "%s",
                       permits && hold->answer == RELEASE_UNCHECKED ? "gives its permit back"
                                                                    : results[hold->answer]);
}

static void tell_end(struct story *story, size_t index, const char *who)
{
    const struct hold *hold = &story->digest->holds[index];
    // Who gave up waiting when the trial was over was not answered.
    bool answered =
        hold->returned_ns != TIME_NEVER &&
        (hold->answer != RELEASE_UNKNOWN || hold->returned_ns <= story->digest->ended_ns);
    bool took_long = hold->release_invoked &&
                     (!answered || hold->returned_ns - hold->released_ns > LONG_RELEASE_NS);
    if (took_long)
        story_line_add(&story->lines, hold->released_ns,
                       story->needs_ends ? LINE_NEEDED : LINE_ASIDE, SIZE_MAX, who,
                       "begins to release the lock");
    if (answered)
        tell_release_result(story, index, who, took_long);
    else if (hold->died_ns != TIME_NEVER && !story_fault_killed(story->digest, hold->client))
        story_line_add(&story->lines, hold->died_ns, LINE_KEY, SIZE_MAX, who, "dies, %s the lock",
                       hold->died ? "holding" : "releasing");
}

// Steps in and out of a hold that were refused.
static void tell_reentries(struct story *story, size_t hold, const char *who)
{
    for (size_t i = 0; i < story->digest->reentry_count; i++) {
        const struct reentry *reentry = &story->digest->reentries[i];
        bool refused = reentry->is_leave
                           ? reentry->answer == RELEASE_NOT_OWNER || reentry->answer == RELEASE_GONE
                           : reentry->outcome == OUTCOME_NO;
        if (reentry->hold == hold && refused && reentry->returned_ns != TIME_NEVER)
            story_line_add(&story->lines, reentry->returned_ns, LINE_KEY, SIZE_MAX, who,
                           "%s depth %lld: the lock is refused",
                           reentry->is_leave ? "tries to leave" : "tries to enter",
                           (long long)reentry->depth);
    }
}

// Who of the story had been granted the lock between the hold's grant and then, or NULL.
static const struct hold *successor(const struct story *story, const struct hold *hold,
                                    int64_t then_ns)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *other = &story->digest->holds[story->holds[i]];
        if (other->granted_ns > hold->granted_ns && other->granted_ns < then_ns)
            return other;
    }
    return NULL;
}

// The last renewal, and how many there were; after somebody else's grant it is no more its own.
static void tell_renewals(struct story *story, const struct hold *hold, const char *who)
{
    const struct history *history = story->digest->history;
    const struct event *last = NULL;
    char other[DESCRIBE_ROOM];
    size_t count = 0;
    for (size_t i = hold->granted_event; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->at_ns > hold->released_ns)
            break;
        if (event->kind == EVENT_RENEW_RETURN && event->outcome == OUTCOME_OK &&
            event->client == hold->client && event->operation == hold->operation) {
            last = event;
            count++;
        }
    }
    if (last == NULL)
        return;
    const struct hold *next = successor(story, hold, last->at_ns);
    const char *times = count == 1 ? "" : " once more";
    if (next != NULL)
        story_line_add(&story->lines, last->at_ns, LINE_NEEDED, SIZE_MAX, who,
                       "renews the lock%s, which is %s's by now", times,
                       describe_worker(story->digest, next->client, next->worker, other));
    else
        story_line_add(&story->lines, last->at_ns, LINE_HELPFUL, SIZE_MAX, who,
                       "renews its lease%s: valid until %.3f s", times,
                       seconds(story, last->renew_return.valid_until_ns));
}

void story_tell_holds(struct story *story)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        char who[DESCRIBE_ROOM];
        const struct hold *hold = &story->digest->holds[story->holds[i]];
        describe_holder(story->digest, story->holds[i], who);
        tell_grant(story, hold, who);
        story_tell_accesses(story, story->holds[i], who);
        tell_reentries(story, story->holds[i], who);
        tell_renewals(story, hold, who);
        if (hold->told_lost_ns <= hold->released_ns)
            story_line_add(&story->lines, hold->told_lost_ns, LINE_NEEDED, SIZE_MAX, who,
                           "is told that it has lost the lock");
        tell_end(story, story->holds[i], who);
    }
}
