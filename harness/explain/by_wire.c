// What the proxies of external clients saw, and what is known of a schedule that was written or
// explored: why two hold at once, a lock vanished, or nobody is
// granted it any more. Redis alone is understood by them.
#include "harness/explain/diagnosis.h"

#include "harness/base/growing.h"
#include "harness/base/scope.h"

#include <string.h>

// --- what was seen -------------------------------------------------------------------------------

// A reply belongs to one of the last requests that wait for one.
#define FAR_BACK 1000

// Those with a key, in the order in which they were sent.
struct requests {
    struct seen_request *items;
    size_t count;
};

#define EACH_REQUEST(requests, each)                                                               \
    FOR_EACH (seen_request, each, (requests)->items, (requests)->count)

// False if the reply belongs to none of the requests.
static bool enter_reply(struct requests *requests, const struct event *event)
{
    for (size_t back = 0; back < requests->count && back < FAR_BACK; back++) {
        struct seen_request *request = &requests->items[requests->count - 1 - back];
        if (request->client != event->client || request->sent_ns != event->reply.asked_ns ||
            request->answered_ns != TIME_NEVER ||
            strcmp(request->command.text, event_command(event).text) != 0)
            continue;
        request->answered_ns = event->at_ns;
        request->reply = (enum reply_kind)event->detail;
        return true;
    }
    return false;
}

// Those that were sent between two times, with their replies. The caller frees the items.
static struct requests requests_between(const struct trial_model *model, int64_t from_ns,
                                        int64_t to_ns)
{
    struct requests requests = {0};
    size_t room = 0, waiting = 0;
    FOR_EVENTS (event, model, event_from(model, from_ns), INT64_MAX) {
        bool is_over = event->at_ns > to_ns;
        if (is_over && waiting == 0)
            break;
        if (event->kind == EVENT_REPLY && event->reply.key != 0 && enter_reply(&requests, event))
            waiting--;
        if (is_over || event->kind != EVENT_REQUEST || event->request.key == 0)
            continue;
        *APPEND(requests.items, requests.count, room) =
            (struct seen_request){.command = event_command(event),
                                  .client = event->client,
                                  .worker = event->worker,
                                  .phase = (enum phase)(event->detail >> REQUEST_PHASE),
                                  .words = event->detail & REQUEST_WORDS,
                                  .key = event->request.key,
                                  .value = event->request.value,
                                  .ttl_ms = event->request.ttl_ms,
                                  .sent_ns = event->at_ns,
                                  .answered_ns = TIME_NEVER};
        waiting++;
    }
    return requests;
}

// --- what they do --------------------------------------------------------------------------------

static const char *const writes[] = {"SET", "SETEX", "PSETEX", "GETSET", NULL};
static const char *const takes[] = {"SET", "SETNX", "EVAL", "EVALSHA", "FCALL", NULL};
// These take no lock, nor can they be part of how one is taken.
static const char *const reads[] = {"GET",  "MGET", "EXISTS",  "TTL",    "PTTL",
                                    "TYPE", "HGET", "HEXISTS", "STRLEN", NULL};
static const char *const deletes[] = {"DEL", "UNLINK", "GETDEL", NULL};
static const char *const prolongs[] = {"PEXPIRE", "EXPIRE", "PEXPIREA", "EXPIREAT",
                                       "PERSIST", "GETEX",  NULL};

static bool is_command(const struct seen_request *request, const char *const *commands)
{
    return text_is_one_of(request->command.text, commands);
}

// True if it is a script that may compare the owner.
static bool compares(const struct seen_request *request)
{
    return (request->words & REQUEST_COMPARES) != 0;
}

// True if it writes, removes, or prolongs the key whoever has it.
static bool overwrites(const struct seen_request *request)
{
    return is_command(request, writes) && (request->words & REQUEST_NX) == 0 && !compares(request);
}

static bool removes(const struct seen_request *request)
{
    bool ends_at_once = is_command(request, prolongs) && (request->words & REQUEST_EXPIRES) != 0 &&
                        request->ttl_ms == 0;
    return (is_command(request, deletes) && !compares(request)) || ends_at_once;
}

static bool is_prolonging(const struct seen_request *request)
{
    return (is_command(request, prolongs) && !removes(request)) ||
           (overwrites(request) && (request->words & REQUEST_XX) != 0);
}

static bool was_done(const struct seen_request *request)
{
    return request->answered_ns != TIME_NEVER &&
           (request->reply == REPLY_OK || request->reply == REPLY_SOME);
}

static bool was_refused(const struct seen_request *request)
{
    return request->answered_ns != TIME_NEVER &&
           (request->reply == REPLY_NIL || request->reply == REPLY_ZERO);
}

// True if a worker's own, or perhaps its own.
static bool may_be_of(const struct seen_request *request, int client, int worker)
{
    return request->client == client && (request->worker == 0 || request->worker == worker);
}

// --- until when it lasts -------------------------------------------------------------------------

// True if a request of whoever sent it may have made the lock that it took by `grant` last longer.
static bool was_prolonged(const struct requests *requests, const struct seen_request *grant,
                          int64_t until_ns)
{
    EACH_REQUEST (requests, request) {
        if (request->key == grant->key && request != grant &&
            (grant->worker == 0 ? request->client == grant->client
                                : may_be_of(request, grant->client, grant->worker)) &&
            request->phase != PHASE_RELEASE && request->answered_ns >= grant->answered_ns &&
            request->sent_ns <= until_ns &&
            (compares(request) || is_prolonging(request) || overwrites(request)))
            return true;
    }
    return false;
}

// By when the lock that was taken by `grant` was over at the latest, if nothing prolonged it;
// TIME_NEVER: its request does not say that.
static int64_t over_by_ns(const struct seen_request *grant)
{
    int64_t ttl_ns = grant->ttl_ms * NS_PER_MS;
    return ttl_ns > 0 && grant->answered_ns != TIME_NEVER
               ? grant->answered_ns + ttl_ns + allowed_drift_ns(ttl_ns)
               : TIME_NEVER;
}

// True if a lock that the client had asked for before may still be its own: a request that took it,
// or was not answered, after which it has removed nothing. With that value, and of that key; 0: of
// any.
static bool may_have_kept(const struct requests *requests, int client, int64_t key, int64_t value,
                          int64_t before_ns)
{
    const struct seen_request *kept = NULL;
    EACH_REQUEST (requests, request) {
        if (request->client != client || request->sent_ns >= before_ns ||
            (key != 0 && request->key != key))
            continue;
        bool is_release = request->phase == PHASE_RELEASE;
        bool may_take = !is_release && is_command(request, takes) &&
                        (compares(request) || !was_refused(request));
        if (may_take && (value == 0 || request->value == value))
            kept = request;
        else if (was_done(request) && (removes(request) || (is_release && compares(request))))
            kept = NULL;
    }
    return kept != NULL &&
           (over_by_ns(kept) > before_ns || was_prolonged(requests, kept, before_ns));
}

// --- how somebody came to hold it ----------------------------------------------------------------

enum grant_proof {
    GRANT_UNSEEN,     // nothing was seen of its client, or not whose it was, or not what it means
    GRANT_GIVEN,      // the server granted it: `request` is the one
    GRANT_REFUSED,    // each request that would have taken the lock was refused: `request` the last
    GRANT_UNANSWERED, // the last one had no answer when the client held already
    GRANT_NOT_ASKED,  // it sent nothing that could take it
};
struct grant_seen {
    enum grant_proof proof;
    const struct seen_request *request; // NULL if GRANT_UNSEEN or GRANT_NOT_ASKED
};

// True if the proxy would have seen what was sent in that acquire: it has seen requests of this
// client before it and after it, and no fault kept it from its servers, when it can read nothing.
static bool was_watched(const struct trial_model *model, const struct hold *hold)
{
    bool before = false, after = false;
    FOR_EACH_EVENT (event, model) {
        if (event->kind != EVENT_REQUEST || event->client != hold->client ||
            event->request.key == 0)
            continue;
        before = before || event->at_ns < hold->invoked_ns;
        after = after || event->at_ns > hold->granted_ns;
    }
    FOR_EACH_FAULT (record, model) {
        if (fault_can(record->instance,
                      FAULT_SEVERS | FAULT_SLOWS | FAULT_DISCONNECTS | FAULT_KILLS) &&
            record->asked_ns < hold->granted_ns)
            return false;
    }
    return before && after;
}

// True if the worker may have found its own value there after that request, which had no answer.
static bool may_have_read(const struct requests *requests, const struct seen_request *taking,
                          const struct hold *hold)
{
    EACH_REQUEST (requests, request) {
        if (may_be_of(request, hold->client, hold->worker) && is_command(request, reads) &&
            request->sent_ns >= taking->sent_ns && request->answered_ns <= hold->granted_ns &&
            was_done(request))
            return true;
    }
    return false;
}

// `requests` begin with the trial's first.
static struct grant_seen request_of_grant(const struct trial_model *model,
                                          const struct requests *requests, const struct hold *hold)
{
    const struct seen_request *given = NULL;
    const struct seen_request *other = NULL;
    bool is_clear = true; // nothing that may have been another worker's, nor any script, nor what
                          // may take a lock in a way that is not known here (GETSET, INCR)
    EACH_REQUEST (requests, request) {
        if (!may_be_of(request, hold->client, hold->worker) ||
            request->sent_ns < hold->invoked_ns || request->sent_ns > hold->granted_ns ||
            request->phase == PHASE_RELEASE || is_command(request, reads) ||
            is_command(request, deletes) || is_command(request, prolongs))
            continue;
        if (!is_command(request, takes)) {
            is_clear = false;
            continue;
        }
        bool is_its = request->worker == hold->worker;
        is_clear = is_clear && is_its && !compares(request);
        if (was_done(request) && request->answered_ns <= hold->granted_ns) {
            // Of two that may be its own nobody can tell which one is.
            is_clear = is_clear && (given == NULL || is_its);
            given = request;
        }
        other = request;
    }
    if (given != NULL && (is_clear || given->worker == hold->worker))
        return (struct grant_seen){GRANT_GIVEN, given};
    if (given != NULL || !is_clear)
        return (struct grant_seen){GRANT_UNSEEN, NULL};
    if (other == NULL && was_watched(model, hold) &&
        !may_have_kept(requests, hold->client, 0, 0, hold->invoked_ns))
        return (struct grant_seen){GRANT_NOT_ASKED, NULL};
    if (other != NULL && was_refused(other) && other->answered_ns <= hold->granted_ns)
        return (struct grant_seen){GRANT_REFUSED, other};
    if (other != NULL && other->answered_ns > hold->granted_ns &&
        !may_have_read(requests, other, hold))
        return (struct grant_seen){GRANT_UNANSWERED, other};
    return (struct grant_seen){GRANT_UNSEEN, NULL};
}

// --- who took it ---------------------------------------------------------------------------------

// The first request that took the lock away from a holder whose grant was `grant`, or put another's
// in its place, before `until_ns`, and not certainly before it, nor after its lease was over; NULL
// if none was seen. What the holder writes itself may be how it renews its lock.
static const struct seen_request *request_that_removed(const struct requests *requests,
                                                       const struct seen_request *grant,
                                                       const struct hold *own, int64_t until_ns)
{
    EACH_REQUEST (requests, request) {
        bool is_own = may_be_of(request, own->client, own->worker);
        bool is_over = request->sent_ns > over_by_ns(grant) &&
                       !was_prolonged(requests, grant, request->sent_ns);
        if (request->key != grant->key || request == grant || !was_done(request) ||
            request->answered_ns < grant->sent_ns || request->sent_ns > until_ns || is_over ||
            (is_own && request->sent_ns >= own->released_ns))
            continue;
        bool is_renewal =
            is_own || (request->client == own->client && request->value == grant->value);
        // A script in a release that names the value of another's lock takes it for its own.
        bool by_value =
            compares(request) && request->value == grant->value && request->phase == PHASE_RELEASE;
        if ((overwrites(request) && !is_renewal) || removes(request) || by_value)
            return request;
    }
    return NULL;
}

// A script with the holder's own value, which it had sent in that acquire before the request that
// took the lock, and which was done after that; NULL.
static const struct seen_request *release_of_earlier_try(const struct requests *requests,
                                                         const struct seen_request *grant,
                                                         const struct hold *own)
{
    EACH_REQUEST (requests, request) {
        if (may_be_of(request, own->client, own->worker) && request->phase == PHASE_ACQUIRE &&
            request->key == grant->key && request->value == grant->value && compares(request) &&
            !compares(grant) && was_done(request) && request->sent_ns >= own->invoked_ns &&
            request->sent_ns < grant->sent_ns && request->answered_ns > grant->answered_ns)
            return request;
    }
    return NULL;
}

// The first renewal of the lock (by its key) after `from_ns` that was done without a look at whose
// it is, and not by a worker of that client; NULL if none was seen. With an `other` holder: by a
// worker of that client, and not perhaps by that holder itself.
static const struct seen_request *renewal_unchecked(const struct requests *requests, int64_t key,
                                                    int client, const struct hold *other,
                                                    int64_t from_ns)
{
    EACH_REQUEST (requests, request) {
        if (request->key == key && (request->client == client) == (other != NULL) &&
            was_done(request) && is_prolonging(request) && request->sent_ns >= from_ns &&
            (other == NULL || !may_be_of(request, other->client, other->worker)))
            return request;
    }
    return NULL;
}

// Of holds, or acquires that were not granted, the one in whose acquire, or (`releases`) release,
// the request was sent; NULL if it was in none, or in one of several.
static const struct hold *hold_around(const struct hold *holds, size_t count,
                                      const struct seen_request *request, bool releases)
{
    const struct hold *found = NULL;
    FOR_EACH (hold, each, holds, count) {
        bool is_granted = each->granted_ns != TIME_NEVER;
        int64_t from_ns = releases ? each->released_ns : each->invoked_ns;
        int64_t to_ns = releases || !is_granted ? each->returned_ns : each->granted_ns;
        if (!may_be_of(request, each->client, each->worker) || request->sent_ns < from_ns ||
            request->sent_ns > to_ns || (releases && !each->release_invoked))
            continue;
        if (found != NULL)
            return NULL;
        found = each;
    }
    return found;
}

// The request that the same release sent to the same key right before; client 0: none.
static struct seen_request sent_before(const struct requests *requests,
                                       const struct seen_request *request)
{
    struct seen_request before = {.client = 0};
    EACH_REQUEST (requests, each) {
        if (each == request)
            break;
        if (each->client != request->client || each->worker != request->worker)
            continue;
        bool is_same = each->phase == PHASE_RELEASE && request->phase == PHASE_RELEASE &&
                       each->key == request->key;
        before = is_same ? *each : (struct seen_request){.client = 0};
    }
    return before;
}

// --- two holds at once, or a lock that vanished --------------------------------------------------

// A grant that was none: proven by what was answered to the requests of its acquire.
static bool find_false_grant(struct diagnosis *diagnosis, const struct requests *requests,
                             int which)
{
    static const enum root_cause causes[] = {[GRANT_REFUSED] = ROOT_REFUSED,
                                             [GRANT_UNANSWERED] = ROOT_UNANSWERED_GRANT,
                                             [GRANT_NOT_ASKED] = ROOT_NOT_ASKED};
    const struct hold *hold = diagnosis->holds[which];
    const struct hold *other = diagnosis->holds[1 - which];
    if (hold == NULL)
        return false;
    struct grant_seen seen = request_of_grant(diagnosis->model, requests, hold);
    struct grant_seen others = {GRANT_UNSEEN, NULL};
    if (other != NULL)
        others = request_of_grant(diagnosis->model, requests, other);
    if (seen.proof == GRANT_UNSEEN || seen.proof == GRANT_GIVEN)
        return false;
    // To find its own value there is to hold it again; but the value was another's.
    bool is_shared = seen.proof == GRANT_REFUSED && others.request != NULL &&
                     others.request->value == seen.request->value && seen.request->value != 0;
    // An earlier request with the same value, of which the answer was lost, may have been granted.
    if (seen.proof == GRANT_REFUSED && !is_shared &&
        may_have_kept(requests, hold->client, seen.request->key, seen.request->value,
                      seen.request->sent_ns))
        return false;
    if (seen.request != NULL)
        diagnosis->request = *seen.request;
    // Whoever was not granted it is told second.
    if (other != NULL) {
        diagnosis->holds[0] = other;
        diagnosis->holds[1] = hold;
    }
    return conclude(diagnosis, is_shared ? ROOT_SAME_VALUE : causes[seen.proof], true);
}

// True if somebody's clock may have been wrong by then.
static bool may_clocks_differ(const struct trial_model *model, int64_t until_ns)
{
    bool differ = model->trial->scenario->is_explored;
    FOR_EACH_FAULT (record, model) {
        differ = differ || (fault_can(record->instance, FAULT_MOVES_CLOCK) &&
                            record->in_effect_ns <= until_ns);
    }
    return differ;
}

// What the server was asked for ended before the other was let in, and the holder believed in more:
// proven by its request, which nothing has prolonged. A time of day is right as long as no clock is
// wrong.
static bool find_short_lease(struct diagnosis *diagnosis, const struct requests *requests,
                             const struct seen_request *grant, int64_t until_ns)
{
    const struct hold *hold = diagnosis->holds[0];
    if (was_prolonged(requests, grant, until_ns))
        return false;
    int64_t ttl_ns = grant->ttl_ms * NS_PER_MS;
    bool is_until = (grant->words & REQUEST_UNTIL) != 0;
    if (!is_until && (ttl_ns == 0 || grant->sent_ns + ttl_ns > until_ns ||
                      hold->valid_until_ns <= grant->sent_ns + ttl_ns + allowed_drift_ns(ttl_ns)))
        return false;
    diagnosis->request = *grant;
    return conclude(diagnosis, is_until ? ROOT_CLOCK : ROOT_COUNTED_LATE,
                    !is_until || may_clocks_differ(diagnosis->model, until_ns));
}

// True if the holder sent it as it came back from an inner hold.
static bool is_of_leave(const struct trial_model *model, const struct hold *hold,
                        const struct seen_request *request)
{
    FOR_EACH_REENTRY (reentry, model) {
        if (&model->holds[reentry->hold] == hold && reentry->is_leave &&
            may_be_of(request, hold->client, hold->worker) &&
            request->sent_ns >= reentry->invoked_ns && request->sent_ns <= reentry->returned_ns)
            return true;
    }
    return false;
}

static bool conclude_removed(struct diagnosis *diagnosis, const struct requests *requests,
                             const struct seen_request *remover, bool is_proven)
{
    const struct trial_model *model = diagnosis->model;
    diagnosis->culprit = hold_around(model->holds, model->hold_count, remover, true);
    diagnosis->request = *remover;
    diagnosis->before = sent_before(requests, remover);
    return conclude(diagnosis,
                    compares(remover)  ? ROOT_SAME_VALUE
                    : removes(remover) ? ROOT_REMOVED
                                       : ROOT_OVERWRITTEN,
                    is_proven);
}

static bool find_in_requests(struct diagnosis *diagnosis, const struct requests *requests,
                             int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    bool has_other = diagnosis->holds[1] != NULL;
    if (find_false_grant(diagnosis, requests, 1) || find_false_grant(diagnosis, requests, 0))
        return true;
    struct grant_seen seen = request_of_grant(model, requests, diagnosis->holds[0]);
    if (has_other) {
        // Brings the two into the order in which the server granted it to them.
        struct grant_seen other = request_of_grant(model, requests, diagnosis->holds[1]);
        if (seen.request != NULL && other.request != NULL &&
            other.request->answered_ns <= seen.request->sent_ns) {
            swap_holds(diagnosis);
            seen = other;
        }
        until_ns = diagnosis->holds[1]->granted_ns;
    }
    const struct hold *hold = diagnosis->holds[0];
    if (seen.proof != GRANT_GIVEN)
        return false;
    const struct seen_request *late = release_of_earlier_try(requests, seen.request, hold);
    if (late != NULL) {
        diagnosis->request = *late;
        return conclude(diagnosis, ROOT_OWN_RELEASE, false);
    }
    const struct seen_request *remover =
        request_that_removed(requests, seen.request, hold, until_ns);
    if (remover != NULL && is_of_leave(model, hold, remover))
        return conclude(diagnosis, ROOT_LEFT, true);
    // Of several servers each has a lock of its own.
    if (remover != NULL)
        return conclude_removed(diagnosis, requests, remover,
                                remover->sent_ns >= seen.request->answered_ns &&
                                    remover->answered_ns <= until_ns &&
                                    !trial_has_independent_servers(model->trial));
    const struct seen_request *renewal =
        has_other ? renewal_unchecked(requests, seen.request->key, hold->client,
                                      diagnosis->holds[1], until_ns)
                  : NULL;
    if (renewal == NULL)
        return find_short_lease(diagnosis, requests, seen.request, until_ns);
    diagnosis->request = *renewal;
    return conclude(diagnosis, ROOT_RENEWED_OTHER, true);
}

bool diagnose_by_wire(struct diagnosis *diagnosis, int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *hold = diagnosis->holds[0];
    const struct hold *other = diagnosis->holds[1];
    int64_t to_ns = until_ns;
    if (!tells_requests(model) || model->history == NULL)
        return false;
    if (other != NULL)
        to_ns = time_later(to_ns, time_earlier(hold->released_ns, other->released_ns));
    AUTO_FREE struct requests requests = requests_between(model, model->started_ns, to_ns);
    return find_in_requests(diagnosis, &requests, until_ns);
}

// Of a grant of which it is not certain by which request it was given, as its program has several
// workers: what may have removed the lock.
bool guess_by_wire(struct diagnosis *diagnosis, int64_t until_ns)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *hold = diagnosis->holds[0];
    const struct seen_request *grant = NULL;
    if (!tells_requests(model) || model->history == NULL)
        return false;
    AUTO_FREE struct requests requests = requests_between(model, model->started_ns, until_ns);
    EACH_REQUEST (&requests, request) {
        if (may_be_of(request, hold->client, hold->worker) && is_command(request, takes) &&
            request->phase != PHASE_RELEASE && request->sent_ns >= hold->invoked_ns &&
            request->answered_ns <= hold->granted_ns && (compares(request) || was_done(request)))
            grant = request;
    }
    const struct seen_request *remover =
        grant != NULL ? request_that_removed(&requests, grant, hold, until_ns) : NULL;
    return remover != NULL && remover->sent_ns >= hold->granted_ns &&
           !is_of_leave(model, hold, remover) &&
           conclude_removed(diagnosis, &requests, remover, false);
}

// --- nobody is granted the lock ------------------------------------------------------------------

// The last request that took the lock, if nothing removed it since; NULL.
static const struct seen_request *last_taken(const struct requests *requests)
{
    const struct seen_request *last = NULL;
    EACH_REQUEST (requests, request) {
        if ((request->words & REQUEST_NX) != 0 && was_done(request))
            last = request;
        else if (last != NULL && request->key == last->key && !is_prolonging(request) &&
                 (compares(request) || removes(request)) &&
                 (was_done(request) || request->answered_ns == TIME_NEVER))
            last = NULL;
    }
    return last;
}

// Of a lock of which the proxies saw by which request it was taken last: UNKNOWN_AS_NO and
// LOST_ACQUIRE are proven if the server had granted it to an acquire that was not told so;
// KEPT_ALIVE if another client renewed it after its holder had died; NO_EXPIRY if it was taken, and
// never given, a time to live.
static bool find_who_has_it(struct diagnosis *diagnosis, const struct requests *requests)
{
    const struct trial_model *model = diagnosis->model;
    const struct seen_request *taken = last_taken(requests);
    if (taken == NULL)
        return false;
    bool prolonged = (taken->words & (REQUEST_EXPIRES | REQUEST_UNTIL)) != 0;
    EACH_REQUEST (requests, request) {
        prolonged = prolonged || (request->key == taken->key && request->sent_ns > taken->sent_ns &&
                                  is_prolonging(request));
    }
    const struct hold *attempt = hold_around(model->attempts, model->attempt_count, taken, false);
    const struct hold *holder = hold_around(model->holds, model->hold_count, taken, false);
    const struct hold *hold = diagnosis->holds[0];
    bool died = hold != NULL && hold->died_ns < model->ended_ns && hold->client == taken->client;
    const struct seen_request *renewal =
        died ? renewal_unchecked(requests, taken->key, hold->client, NULL, hold->died_ns) : NULL;
    enum root_cause cause = ROOT_UNKNOWN;
    if (holder != NULL && holder->answer == RELEASE_RELEASED &&
        holder->returned_ns < model->ended_ns && !prolonged) {
        cause = ROOT_UNDONE_RELEASE;
        diagnosis->holds[0] = holder;
        diagnosis->attempt = NULL;
    } else if (attempt != NULL && !attempt->died && !prolonged) {
        cause = attempt->outcome == OUTCOME_NO ? ROOT_UNKNOWN_AS_NO : ROOT_LOST_ACQUIRE;
        diagnosis->attempt = attempt;
    } else if (renewal != NULL) {
        cause = ROOT_KEPT_ALIVE;
    } else if (died && !prolonged && diagnosis_has_trait(diagnosis, "lease")) {
        cause = ROOT_NO_EXPIRY;
    }
    if (cause == ROOT_UNKNOWN)
        return false;
    diagnosis->request = cause == ROOT_KEPT_ALIVE ? *renewal : *taken;
    return conclude(diagnosis, cause, true);
}

bool diagnose_no_progress_by_wire(struct diagnosis *diagnosis)
{
    const struct trial_model *model = diagnosis->model;
    if (!tells_requests(model))
        return false;
    AUTO_FREE struct requests requests =
        requests_between(model, model->started_ns, model->ended_ns);
    return find_who_has_it(diagnosis, &requests);
}
