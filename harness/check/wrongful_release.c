// wrongful-release: a hold whose lock vanished from the server inside its lease although the holder
// had not released it. Either its own release says so: "not yours" or "gone", answered while the
// lease must still have been valid. Or the lock was granted to another inside its lease, and a
// plain delete (UNCHECKED) that had no business there had been answered before: deletes that cannot
// tell whose lock they remove never say that one is gone while there is any.
//
// A release that a library sent again found what it had done itself.
//
// A lock that a fault took while its holder was giving it up already was kept for as long as that
// was asked for.
#include "harness/check/lost_lock.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"

#include <string.h>

// --- what struck meanwhile -----------------------------------------------------------------------

// True if the fault, by its nature, takes locks away: from the client that it strikes, or from
// everybody.
static bool takes_locks(const struct fault_instance *instance, const struct hold *hold)
{
    return fault_can(instance,
                     FAULT_DISCONNECTS | FAULT_EMPTIES | FAULT_KILLS | FAULT_MOVES_CLOCK) &&
           (instance->target.client == 0 || instance->target.client == hold->client);
}

// The fault that may have taken the lock away: on its holder or on servers, during the hold, and of
// a kind that does so; NULL if there is none.
static const struct fault_record *find_fault(const struct trial_model *model,
                                             const struct evidence *evidence)
{
    const struct hold *hold = &model->holds[evidence->holds[0]];
    const struct fault_record *last = NULL; // what it took was there
    FOR_EACH_FAULT (record, model) {
        if (takes_locks(record->instance, hold) && record->asked_ns < evidence->to_ns &&
            took_effect(record) &&
            (record->in_effect_ns >= hold->invoked_ns ||
             (record->healed_ns != TIME_NEVER && record->healed_ns >= hold->invoked_ns)))
            last = record;
    }
    return last;
}

// --- who removed it ------------------------------------------------------------------------------

static bool are_two_leaders(int one, int other)
{
    return one != 0 && other != 0 && one != other;
}

// How well `other` explains that the lock of `wronged` had vanished by `until_ns`; 0: not at all.
// From GUILT_CERTAIN on it was a release that had no business inside the wronged hold.
#define GUILT_CERTAIN 4
// Began before the grant, and may be the ordinary hand-off.
#define GUILT_HAND_OFF 3
// Not answered, and its own lease was over.
#define GUILT_UNANSWERED 2
static int guilt(const struct trial_model *model, const struct hold *wronged, int64_t until_ns,
                 const struct hold *other)
{
    if ((other->client == wronged->client && other->worker == wronged->worker) ||
        !other->release_invoked || other->released_ns >= until_ns)
        return 0;
    // What is sent to one leader removes nothing at another.
    if (are_two_leaders(wronged->granted_by, other->released_at))
        return 0;
    // Readers let each other in, and each removes but itself.
    if (other->shared && wronged->shared)
        return 0;
    bool answered = other->returned_ns != TIME_NEVER && other->answer != RELEASE_UNKNOWN;
    // A release that was given up without an answer has come by then, or never will: what is lost
    // on its way TCP sends again, each time after twice the time, also when nobody waits any more.
    bool came_by_then =
        other->returned_ns != TIME_NEVER &&
        until_ns - other->released_ns > 4 * (other->returned_ns - other->released_ns);
    // The server may have granted as early as the acquire's invoke.
    if (answered ? other->returned_ns <= wronged->invoked_ns : came_by_then)
        return 0;
    bool lease_over = hold_told_end_ns(model, other) <= (answered ? other->returned_ns : until_ns);
    if (!answered)
        return lease_over ? GUILT_UNANSWERED : 1;
    if (other->answer != RELEASE_RELEASED && other->answer != RELEASE_UNCHECKED)
        return 0;
    if (lease_over)
        return 5;
    // The server had found it to be its own, granted since: the other's was gone by then.
    if (other->answer == RELEASE_RELEASED && other->granted_ns > wronged->granted_ns)
        return 0;
    if (other->returned_ns > until_ns) // it may have come after that, too
        return 1;
    return other->released_ns >= wronged->granted_ns ? GUILT_CERTAIN : GUILT_HAND_OFF;
}

// The same where it is not known that the lock vanished: more than one that perhaps came late is
// needed; who was let in later released what it had been granted. What may be the hand-off counts
// least, and only (`hand_offs`) of a plain delete.
static int sure_guilt(const struct trial_model *model, const struct hold *wronged, int64_t until_ns,
                      const struct hold *other, bool hand_offs)
{
    int found = guilt(model, wronged, until_ns, other);
    if (other->granted_ns > wronged->granted_ns || found == 1)
        return 0;
    return found == GUILT_HAND_OFF ? hand_offs && other->answer == RELEASE_UNCHECKED : found;
}

// Of equals the latest: what it removed was there.
size_t wrongful_release_culprit(const struct trial_model *model, size_t wronged, int64_t until_ns,
                                enum culprits among)
{
    size_t culprit = SIZE_MAX;
    const struct hold *hold = &model->holds[wronged];
    int most = 1;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *other = &model->holds[i];
        int found = among == CULPRITS_ALL
                        ? guilt(model, hold, until_ns, other)
                        : sure_guilt(model, hold, until_ns, other, among == CULPRITS_OR_HAND_OFFS);
        if (i == wronged || found < most)
            continue;
        most = found;
        culprit = i;
    }
    return culprit;
}

bool wrongful_release_is_certain(const struct trial_model *model, const struct evidence *evidence)
{
    return evidence->holds[0] != SIZE_MAX && evidence->holds[1] != SIZE_MAX &&
           guilt(model, &model->holds[evidence->holds[0]], evidence->to_ns,
                 &model->holds[evidence->holds[1]]) >= GUILT_CERTAIN;
}

// --- locks that were granted again because of a plain delete -------------------------------------

struct deleted {
    int64_t sent_ns;
    int64_t answered_ns;
    int64_t stale_ns; // of this and all that were sent before it: the last answer to one whose own
                      // lease was over by then; 0 if there is none
};

// Sorted by when they were sent.
struct deletes {
    struct deleted *items;
    size_t count;
};

static struct deletes deletes_make(const struct trial_model *model)
{
    struct deletes deletes = {memory_new(model->hold_count * sizeof *deletes.items), 0};
    FOR_EACH_HOLD (hold, model) {
        if (!hold->release_invoked || hold->returned_ns == TIME_NEVER ||
            hold->answer != RELEASE_UNCHECKED)
            continue;
        bool lease_over = hold_told_end_ns(model, hold) <= hold->returned_ns;
        deletes.items[deletes.count++] = (struct deleted){hold->released_ns, hold->returned_ns,
                                                          lease_over ? hold->returned_ns : 0};
    }
    sort_by_key(deletes.items, deletes.count, sizeof *deletes.items);
    for (size_t i = 1; i < deletes.count; i++)
        deletes.items[i].stale_ns =
            time_later(deletes.items[i].stale_ns, deletes.items[i - 1].stale_ns);
    return deletes;
}

// True if one of them is certainly guilty of the lock having vanished by `until_ns`.
static bool explain(const struct deletes *deletes, const struct hold *hold, int64_t until_ns)
{
    const struct deleted *items = deletes->items;
    size_t end = FIRST_FROM(items, deletes->count, sent_ns, until_ns);
    if (end > 0 && items[end - 1].stale_ns > hold->invoked_ns)
        return true;
    for (size_t i = FIRST_FROM(items, deletes->count, sent_ns, hold->granted_ns); i < end; i++) {
        if (items[i].answered_ns <= until_ns)
            return true;
    }
    return false;
}

// Sets vanished_ns[i] of each hold i whose lock was granted to another after such a delete.
static void find_granted_again(const struct trial_model *model, int64_t *vanished_ns)
{
    AUTO_FREE struct deletes deletes = deletes_make(model);
    if (deletes.count == 0)
        return;
    AUTO_FREE struct definite_holds holds = definite_holds_until(model, hold_lease_end_ns);
    struct overlaps overlaps = overlaps_start(model, &holds);
    while (overlaps_next(&overlaps)) {
        size_t before = overlaps.earlier->hold;
        int64_t again_ns = overlaps.later->from_ns;
        if (!are_two_leaders(model->holds[before].granted_by,
                             model->holds[overlaps.later->hold].granted_by) &&
            explain(&deletes, &model->holds[before], again_ns))
            vanished_ns[before] = time_earlier(vanished_ns[before], again_ns);
    }
}

// --- words ---------------------------------------------------------------------------------------

static void describe(const struct trial_model *model, struct finding *finding)
{
    const struct evidence *evidence = &finding->evidence;
    const struct hold *hold = &model->holds[evidence->holds[0]];
    const struct fault_record *fault = find_fault(model, evidence);
    finding_decide(finding, FINDING_VIOLATED, "%s's lock vanished while it held it%s: %s; ",
                   holder_name(model, evidence->holds[0]).text,
                   hold->proven_until_ns == TIME_NEVER ? "" : " and its lease was valid",
                   hold->returned_ns != evidence->to_ns ? "another was granted it meanwhile"
                   : hold->answer == RELEASE_NOT_OWNER  ? "its release was answered \"not yours\""
                                                        : "its release was answered \"gone\"");
    if (evidence->holds[1] != SIZE_MAX)
        finding_say(finding, "the release of %s %s it", holder_name(model, evidence->holds[1]).text,
                    wrongful_release_is_certain(model, evidence) ? "removed" : "may have removed");
    else if (fault != NULL)
        finding_say(finding, "fault %d (%.80s) struck meanwhile", fault->instance->number,
                    fault_title(fault->instance));
    else
        finding_say(finding, "no release in the history explains it");
    finding_say(finding, " (%lld such hold%s)", (long long)finding->count, plural(finding->count));
}

// --- the decision --------------------------------------------------------------------------------

// True if the release explains it better than a fault that takes locks away: whoever was let in
// later released what it had been granted.
static bool is_proof(const struct trial_model *model, const struct evidence *evidence)
{
    return wrongful_release_is_certain(model, evidence) &&
           model->holds[evidence->holds[1]].granted_ns <
               model->holds[evidence->holds[0]].granted_ns;
}

static void set_evidence(const struct trial_model *model, size_t first, int64_t vanished_ns,
                         struct evidence *evidence)
{
    const struct hold *wronged = &model->holds[first];
    size_t culprit = wrongful_release_culprit(model, first, vanished_ns, CULPRITS_ALL);
    int64_t from_ns = culprit == SIZE_MAX
                          ? time_earlier(wronged->released_ns, vanished_ns)
                          : time_later(wronged->granted_ns, model->holds[culprit].released_ns);
    *evidence = evidence_of_holds(first, culprit, from_ns, vanished_ns);
    // A fault that takes locks away explains it better than a release that only may have.
    if (culprit != SIZE_MAX && !is_proof(model, evidence) && find_fault(model, evidence) != NULL) {
        evidence->holds[1] = SIZE_MAX;
        evidence->from_ns = time_earlier(wronged->released_ns, vanished_ns);
    }
}

// True if the release of another certainly removed the lock that its holder found gone.
static bool another_removed_it(const struct trial_model *model, size_t index)
{
    struct evidence evidence;
    set_evidence(model, index, model->holds[index].returned_ns, &evidence);
    return is_proof(model, &evidence);
}

// True if the fault has certainly taken the lock before its holder gave it up.
static bool took_before_release(const struct fault_record *record, const struct hold *hold)
{
    return fault_can(record->instance, FAULT_EMPTIES) && took_effect(record) &&
           record->asked_ns >= hold->granted_ns && record->in_effect_ns < hold->released_ns;
}

// True if its holder was giving the lock up already when a fault that takes locks away struck, for
// all that can be told, and no release of another's removed it.
static bool taken_in_release(const struct trial_model *model, size_t index)
{
    const struct hold *hold = &model->holds[index];
    bool struck = false;
    FOR_EACH_FAULT (record, model) {
        // The latest time at which it may have taken the lock. A failover is in effect only when
        // another leads, but its first deed is to kill the one that did.
        int64_t struck_by_ns = fault_can(record->instance, FAULT_MOVES_LEADER)
                                   ? record->asked_ns
                                   : record->in_effect_ns;
        if (took_before_release(record, hold))
            return false;
        struck =
            struck || (takes_locks(record->instance, hold) && took_effect(record) &&
                       !strikes_only_store(model, record->instance) &&
                       struck_by_ns >= hold->released_ns && record->asked_ns <= hold->returned_ns);
    }
    return struck && !another_removed_it(model, index);
}

// --- releases that were sent twice ---------------------------------------------------------------

// Whoever gets no answer to its release may send it once more, and is told then that the lock is
// gone: that was its own doing. Schemes of ours say UNKNOWN instead (see lock.h); a library may do
// it without a word.

// A release sends a few requests: so many are looked at.
#define MOST_REQUESTS 100

#define NOT_ANSWERED (-1)

// How the request was answered before another event.
static int answer_before(const struct event *request, const struct event *next)
{
    for (const struct event *event = request + 1; event < next; event++) {
        if (event->kind == EVENT_REPLY && event->client == request->client &&
            event->reply.asked_ns == request->at_ns &&
            event->reply.command == request->request.command)
            return event->detail;
    }
    return NOT_ANSWERED;
}

// True if the request may have removed the lock although the same was sent anew: it had not been
// answered by then, or with success, and the client no longer listened.
static bool may_have_removed(const struct event *request, const struct event *next)
{
    int answer = answer_before(request, next);
    return answer == NOT_ANSWERED || answer == REPLY_QUEUED || answer == REPLY_SOME ||
           answer == REPLY_OK;
}

// True if the release looked what there is when it had no answer to the request, and none came
// before the history's `end` that says that nothing was done.
static bool was_left_open(const struct event *request, const struct event *next,
                          const struct event *end)
{
    int answer = answer_before(request, next);
    return (answer == NOT_ANSWERED || answer == REPLY_QUEUED) && may_have_removed(request, end);
}

enum sending { SENT_UNSEEN, SENT_ONCE, SENT_AGAIN };

// How the release was sent, as the proxy of its client saw it: again, if the same command came once
// more after it may have done its work, or a look at what there is after one that had no answer. To
// several servers that decide together it goes several times.
static enum sending see_sending(const struct trial_model *model, const struct hold *hold)
{
    static const char *const removals[] = {"DEL", "UNLINK", "GETDEL", NULL};
    const struct event *sent[MOST_REQUESTS];
    size_t count = 0;
    if (trial_has_independent_servers(model->trial))
        return SENT_UNSEEN;
    const struct event *end = model->history->events + model->history->count;
    FOR_EVENTS (event, model, event_from(model, hold->released_ns), hold->returned_ns) {
        if (event->kind != EVENT_REQUEST || event->request.key == 0 || count == MOST_REQUESTS ||
            event->client != hold->client || (event->worker != 0 && event->worker != hold->worker))
            continue;
        for (size_t i = 0; i < count; i++) {
            bool is_same = memcmp(&sent[i]->request, &event->request, sizeof event->request) == 0;
            bool looks = event->worker == hold->worker &&
                         event->request.key == sent[i]->request.key &&
                         was_left_open(sent[i], event, end);
            if (looks || (is_same && may_have_removed(sent[i], event)))
                return SENT_AGAIN;
        }
        if ((event->detail & REQUEST_COMPARES) != 0 ||
            text_is_one_of(event_command(event).text, removals))
            sent[count++] = event;
    }
    return count > 0 ? SENT_ONCE : SENT_UNSEEN;
}

enum doing { NOT_ITS_OWN, MAY_BE_ITS_OWN, ITS_OWN };

// Whether its own release, which a library sent again, had removed the lock that it then found
// gone: its proxy saw that; or nobody saw its requests, a fault was in the way of the answer (the
// last one is *fault), and nobody else was granted the lock: else it may be that.
static enum doing removed_it_itself(const struct trial_model *model, size_t index,
                                    const struct fault_record **fault)
{
    const struct hold *hold = &model->holds[index];
    *fault = NULL;
    if (model->trial->external_client == NULL)
        return NOT_ITS_OWN;
    FOR_EACH_FAULT (record, model) {
        if (took_before_release(record, hold))
            return NOT_ITS_OWN;
        if (fault_lost_answer(model, record, hold->client, hold->released_ns, hold->returned_ns))
            *fault = record;
    }
    enum sending sending = see_sending(model, hold);
    bool may_be_own = sending == SENT_AGAIN || (sending == SENT_UNSEEN && *fault != NULL);
    size_t next = first_grant(model, hold->granted_ns);
    next += next == index;
    bool was_granted_to_another =
        next < model->hold_count && model->holds[next].granted_ns <= hold->returned_ns;
    if (!may_be_own || another_removed_it(model, index))
        return NOT_ITS_OWN;
    return sending == SENT_AGAIN || !was_granted_to_another ? ITS_OWN : MAY_BE_ITS_OWN;
}

// Sets by when the lock of each hold had vanished, TIME_NEVER if it had not. The last one of which
// nothing but the end of its lease, or of its session, or its own release may have taken the lock;
// or SIZE_MAX.
static size_t find_vanished(const struct trial_model *model, int64_t *vanished_ns)
{
    size_t doubtful = SIZE_MAX;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        bool found_gone = hold->answer == RELEASE_NOT_OWNER || hold->answer == RELEASE_GONE;
        const struct fault_record *fault;
        vanished_ns[i] = TIME_NEVER;
        // What was rolled back harms nothing: its writes went with its lock. A release that was
        // sent before without an answer says UNKNOWN (see lock.h), and so nothing here.
        if (!found_gone || hold->returned_ns == TIME_NEVER || hold->rolled_back ||
            hold->returned_ns >= hold_told_end_ns(model, hold) || taken_in_release(model, i))
            continue;
        enum doing own = removed_it_itself(model, i, &fault);
        if (own == ITS_OWN)
            continue;
        if (own == MAY_BE_ITS_OWN)
            doubtful = i;
        else if (hold->returned_ns >= hold_lease_end_ns(model, hold) &&
                 (hold->is_unanchored || !another_removed_it(model, i)))
            doubtful = i;
        else
            vanished_ns[i] = hold->returned_ns;
    }
    find_granted_again(model, vanished_ns);
    return doubtful;
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    AUTO_FREE int64_t *vanished_ns = memory_new(model->hold_count * sizeof *vanished_ns);
    size_t doubtful = find_vanished(model, vanished_ns);
    size_t first = SIZE_MAX; // that stalls do not explain, if there is one
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        if (vanished_ns[i] == TIME_NEVER)
            continue;
        bool by_stalls = stall_may_have_deposed(model, hold->granted_by, hold->released_at,
                                                hold->invoked_ns, vanished_ns[i]);
        finding->count++;
        if (first == SIZE_MAX || (finding->by_stalls && !by_stalls) ||
            (finding->by_stalls == by_stalls && vanished_ns[i] < vanished_ns[first])) {
            first = i;
            finding->by_stalls = by_stalls;
        }
    }
    if (first != SIZE_MAX) {
        const struct hold *hold = &model->holds[first];
        set_evidence(model, first, vanished_ns[first], &finding->evidence);
        describe(model, finding);
        // Since the lock was asked for, or its release was that may have removed it.
        size_t culprit = finding->evidence.holds[1];
        int64_t began_ns = hold->invoked_ns;
        if (culprit != SIZE_MAX)
            began_ns = time_earlier(began_ns, model->holds[culprit].released_ns);
        if (finding->by_stalls)
            finding_blame_deposing(model, hold->granted_by, hold->released_at, finding);
        else
            finding_blame_late_end(model, began_ns, vanished_ns[first], finding);
    } else if (doubtful != SIZE_MAX) {
        const struct hold *hold = &model->holds[doubtful];
        const struct fault_record *fault;
        finding_decide(finding, FINDING_UNDECIDED, "%s found its lock gone, but ",
                       holder_name(model, doubtful).text);
        if (removed_it_itself(model, doubtful, &fault) == MAY_BE_ITS_OWN)
            finding_say(finding,
                        "fault %d was in the way of the answer to its release, which may have been "
                        "sent again, and have found what it had done itself",
                        fault->instance->number);
        else
            finding_say(finding, "%s", describe_doubt(model, hold, hold));
    } else {
        finding_say(finding, "no holder found its lock gone while its lease was valid");
    }
}

const struct check wrongful_release_check = {
    .name = "wrongful-release",
    .summary = "no lock vanishes from the server inside its lease unless its holder releases it",
    .letter = "X",
    .of = OF_ONE_HOLDER, // a semaphore's permits are nobody's
    .decide = decide,
    .shows = SHOWS_REMOVAL,
    .follows_from = (const char *const[]){"double-grant", NULL},
};
