// The sentences that causes are told in. Each says what the account's certainty allows; what it
// adds by way of a reason must be known itself.
#include "harness/base/text.h"
#include "harness/check/describe.h"
#include "harness/check/liveness.h"
#include "harness/check/silence.h"
#include "harness/check/sweep.h"
#include "harness/explain/account.h"
#include "harness/explain/story_deeds.h"

#include <stdio.h>
#include <string.h>

// The words that occur in many of them.
struct speech {
    const struct account *account;
    char who[DESCRIBE_ROOM];   // the worker of holds[0], or of the attempt
    char other[DESCRIBE_ROOM]; // of holds[1]
    char lease[DESCRIBE_ROOM];
    char length[DESCRIBE_ROOM]; // of what stretched the hold
};

static bool has_trait(const struct speech *speech, const char *trait)
{
    return account_has_trait(speech->account, trait);
}

static const struct hold *hold_of(const struct account *account, int which)
{
    return &account->digest->holds[account->holds[which]];
}

// What struck, or NULL.
static const struct fault_record *fault_of(const struct account *account)
{
    return account->fault == SIZE_MAX ? NULL : &account->digest->faults[account->fault];
}

// "fault 1: client-1 is paused"
static void add_fault(const struct account *account, struct text *out)
{
    text_format(out, "fault %d: ", fault_of(account)->step->number);
    deed_tell(account->digest, fault_of(account), out);
}

// --- what the proxy saw --------------------------------------------------------------------------

// "client-2 worker-1", of a request of which it is not known whose it is "client-2".
static const char *sender(const struct account *account, const struct seen_request *request,
                          char *out)
{
    return describe_worker(account->digest, request->client, request->worker, out);
}

// "client-1 sent EVAL, and DEL after it, during its release"; "client-2 sent SET in the
// background". Whether the library's release sent it, or another thread of the program, the proxy
// does not see.
static void add_sent(const struct account *account, struct text *out)
{
    static const char *const steps[] = {
        [PHASE_ACQUIRE] = "acquire", [PHASE_RELEASE] = "release", [PHASE_RENEW] = "renewal"};
    char who[DESCRIBE_ROOM];
    const struct seen_request *request = &account->request;
    const char *which = (request->words & REQUEST_NX) != 0   ? " NX"
                        : (request->words & REQUEST_XX) != 0 ? " XX"
                                                             : "";
    text_format(out, "%s sent ", sender(account, request, who));
    if (account->before.client != 0)
        text_format(out, "%s, and ", account->before.command.text);
    text_format(out, "%s%s%s", request->command.text, which,
                account->before.client != 0 ? " after it," : "");
    if (request->phase <= PHASE_RENEW)
        text_format(out, " during its %s", steps[request->phase]);
    else
        text_add(out, " in the background");
}

static void add_word(const void *context, const char *word, struct text *out)
{
    const struct speech *speech = context;
    const struct account *account = speech->account;
    if (strcmp(word, "who") == 0)
        text_add(out, speech->who);
    else if (strcmp(word, "other") == 0)
        text_add(out, speech->other);
    else if (strcmp(word, "lease") == 0)
        text_add(out, speech->lease);
    else if (strcmp(word, "length") == 0)
        text_add(out, speech->length);
    else if (strcmp(word, "fault") == 0)
        text_format(out, "%d", fault_of(account)->step->number);
    else if (strcmp(word, "deed") == 0)
        deed_tell(account->digest, fault_of(account), out);
    else if (strcmp(word, "sent") == 0)
        add_sent(account, out);
}

static void fill_in(const struct speech *speech, const char *sentence, struct text *out)
{
    text_fill(out, sentence, add_word, speech);
}

// --- a holder that outlived its lease ------------------------------------------------------------

// "client-2 was let in, and client-1 went on without knowing"
static void add_going_on(const struct speech *speech, struct text *out)
{
    text_format(out, "; %s was granted the lock, and %s went on all the same", speech->other,
                speech->who);
}

static void say_pause(const struct speech *speech, struct text *out)
{
    const struct fault_record *fault = fault_of(speech->account);
    bool whole = fault->step->target.worker == 0;
    text_format(out, "%s stood still for %s (fault %d), past the end of its lease of %s",
                speech->who, speech->length, fault->step->number, speech->lease);
    if (has_trait(speech, "renewed") && whole)
        text_add(out, ", and its watchdog with it");
    add_going_on(speech, out);
}

static void say_late_grant(const struct speech *speech, struct text *out)
{
    char late[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct fault_record *fault = fault_of(account);
    const struct hold *hold = hold_of(account, 0);
    text_duration(hold->granted_ns - hold->valid_until_ns, late, sizeof late);
    text_format(out, "%s learned of its grant %s after its lease of %s had run out", speech->who,
                late, speech->lease);
    if (fault != NULL)
        text_format(out, " (fault %d %s for %s inside its acquire)", fault->step->number,
                    fault_can(fault->step, FAULT_STOPS) ? "stopped it" : "held up its messages",
                    speech->length);
    text_format(out, ", and worked all the same, while %s was granted the lock", speech->other);
}

static bool was_short(const struct account *account)
{
    return account->length_ns <= account->digest->trial->scenario->lock.lease_ns;
}

static void say_work(const struct speech *speech, struct text *out)
{
    char left[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct hold *hold = hold_of(account, 0);
    text_duration(hold->valid_until_ns - hold->granted_ns, left, sizeof left);
    if (was_short(account))
        text_format(out,
                    "%s learned of its grant when %s of its lease of %s was left, and held on "
                    "for %s",
                    speech->who, left, speech->lease, speech->length);
    else
        text_format(out, "%s held on for %s, longer than its lease of %s, which %s", speech->who,
                    speech->length, speech->lease,
                    has_trait(speech, "renewed") ? "was not renewed in time"
                                                 : "nothing renews meanwhile");
    add_going_on(speech, out);
}

// --- a lock that was taken from its holder -------------------------------------------------------

// Why it could: only what is known.
static void add_why_it_removed(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct hold *culprit = &account->digest->holds[account->culprit];
    size_t stop =
        fault_that_stopped(account->digest, culprit, culprit->released_ns, culprit->returned_ns);
    if (culprit->returned_ns != TIME_NEVER && culprit->answer == RELEASE_UNCHECKED)
        text_add(out, ", for its delete does not ask whose the lock is");
    else if (stop != SIZE_MAX && stop_was_between_requests(&account->digest->faults[stop]) &&
             account->digest->faults[stop].step->points[0].moment == MOMENT_AFTER)
        text_add(out, ", for it had asked whose the lock is before, and deleted it after that");
    else if (culprit->client == hold_of(account, 0)->client)
        text_add(out, "; possibly it takes all workers of a process for one owner");
}

static void say_removed(const struct speech *speech, struct text *out)
{
    char culprit[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct digest *digest = account->digest;
    if (account->request.client != 0) {
        add_sent(account, out);
        text_format(out, ", which removed %s's lock: it does not ask whose that is", speech->who);
        return;
    }
    const struct hold *hold = &digest->holds[account->culprit];
    size_t stop = fault_that_stopped(digest, hold, hold->released_ns, hold->returned_ns);
    describe_holder(digest, account->culprit, culprit);
    if (stop != SIZE_MAX)
        text_format(out,
                    "%s was stopped inside its release (fault %d) until its own lease was over; "
                    "then it removed %s's lock",
                    culprit, digest->faults[stop].step->number, speech->who);
    else
        text_format(out, "%s's release removed %s's lock", culprit, speech->who);
    add_why_it_removed(speech, out);
}

static void say_same_value(const struct speech *speech, struct text *out)
{
    char sent[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct seen_request *request = &account->request;
    sender(account, request, sent);
    bool is_grant = request->phase == PHASE_ACQUIRE;
    text_format(out, "%s and %s sent the same lock value, so that the server takes them for one",
                is_grant ? speech->other : speech->who, is_grant ? speech->who : sent);
    if (is_grant)
        text_format(out, ": %s found its own value there, and held the lock", speech->other);
    else
        text_format(out, ": %s's release removed %s's lock", sent, speech->who);
}

// The names of all servers that were struck in the same way since the lock was asked for:
// "server-2 and server-3".
static void add_struck(const struct speech *speech, const struct fault_record *fault,
                       struct text *out)
{
    char name[100];
    const struct digest *digest = speech->account->digest;
    const struct hold *hold = hold_of(speech->account, 0);
    const struct fault_record *last = NULL;
    bool lists = false;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (strcmp(record->step->verb, fault->step->verb) != 0 ||
            record->in_effect_ns > fault->in_effect_ns || record->in_effect_ns < hold->invoked_ns ||
            record->step->target.client != 0)
            continue;
        if (last != NULL)
            text_format(out, "%s%s", lists ? ", " : "",
                        deed_target(digest, last, name, sizeof name));
        lists = lists || last != NULL;
        last = record;
    }
    text_format(out, "%s%s", lists ? " and " : "",
                deed_target(digest, last != NULL ? last : fault, name, sizeof name));
}

static bool is_quorum(const struct account *account)
{
    return strcmp(trial_topology(account->digest->trial), "independent") == 0;
}

static void say_failover(const struct fault_record *fault, struct text *out)
{
    char old[32];
    char next[32];
    if (sscanf(fault->reason, "%31[a-z0-9-] %31[a-z0-9-]", old, next) == 2)
        text_format(out,
                    "the leader %s was killed before the lock had reached %s, which took its "
                    "place without it",
                    old, next);
    else
        text_add(out, "the leader was killed before the lock had reached the server that took its "
                      "place");
}

static void say_forgot(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct fault_record *fault = fault_of(account);
    if (fault_can(fault->step, FAULT_MOVES_LEADER)) {
        say_failover(fault, out);
    } else {
        add_struck(speech, fault, out);
        fill_in(speech, fault->step->form.lost, out);
        if (is_quorum(account))
            text_add(out, ", so that the servers left made a majority that knew nothing of it");
    }
    text_format(out, " (fault %d)", fault->step->number);
}

static void say_clock(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct fault_record *fault = fault_of(account);
    if (account->request.client != 0) {
        add_sent(account, out);
        text_format(out,
                    " with a time of its own clock for the end of %s's lease, and not with "
                    "its length",
                    speech->who);
        if (fault == NULL)
            return;
        text_add(out, "; ");
    }
    deed_tell(account->digest, fault, out);
    if (fault->step->target.client == 0)
        text_format(out, ", and by it %s's lease of %s is over", speech->who, speech->lease);
    else
        text_format(out, ", and by that clock %s's lease is over", speech->who);
    text_format(out, " (fault %d)", fault->step->number);
}

static void say_session(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct fault_record *fault = fault_of(account);
    const struct hold *hold = hold_of(account, 0);
    const char *knew = hold->told_lost_ns <= hold->released_ns
                           ? "was told, and went on all the same"
                           : "had not noticed";
    if (fault->step->target.client != 0)
        text_format(out, "the server ended %s's connection", speech->who);
    else if (fault_can(fault->step, FAULT_KILLS))
        text_format(out, "the server that had %s's connection was killed", speech->who);
    else
        deed_tell(account->digest, fault, out);
    text_format(out, ", and its lock with it; %s %s (fault %d)", speech->who, knew,
                fault->step->number);
}

static void say_partition(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct fault_record *fault = fault_of(account);
    deed_tell(account->digest, fault, out);
    text_format(out,
                ": %s's lock was on one side only, and the other side gave it to %s (fault %d)",
                speech->who, account->holds[1] != SIZE_MAX ? speech->other : "another",
                fault->step->number);
}

static void say_two_leaders(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    text_format(out, "server-%d granted the lock to %s, and server-%d ", account->servers[0],
                speech->who, account->servers[1]);
    if (account->holds[1] != SIZE_MAX)
        text_format(out, "to %s", speech->other);
    else
        text_add(out, "knew nothing of it");
    text_add(out, ": their group had chosen another leader by itself, for no fault struck either");
}

static void say_given_twice(const struct speech *speech, struct text *out)
{
    char who[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    text_format(out, "%s's release had no answer (",
                describe_holder(account->digest, account->culprit, who));
    add_fault(account, out);
    text_add(out, "), and was sent again: both gave back a permit");
}

// --- a lease that is not what its holder believes ------------------------------------------------

static void say_counted_late(const struct speech *speech, struct text *out)
{
    char asked[DESCRIBE_ROOM];
    char believed[DESCRIBE_ROOM];
    const struct seen_request *request = &speech->account->request;
    const struct hold *hold = hold_of(speech->account, 0);
    if (request->client == 0) {
        text_format(out,
                    "%s counts its lease from the reply, and not from before it asked: the lock "
                    "had ended before that",
                    speech->who);
        return;
    }
    text_duration(request->ttl_ms * NS_PER_MS, asked, sizeof asked);
    text_duration(hold->valid_until_ns - request->sent_ns, believed, sizeof believed);
    bool is_longer = hold->valid_until_ns > request->answered_ns + request->ttl_ms * NS_PER_MS +
                                                allowed_drift_ns(request->ttl_ms * NS_PER_MS);
    text_format(out,
                "%s asked the server for a lease of %s, and believed in its lock until %s after ",
                speech->who, asked, believed);
    text_add(out, is_longer ? "that, longer than it had asked for"
                            : "that: it counts its lease from the answer, and not from before it "
                              "asked");
    if (speech->account->holds[1] != SIZE_MAX)
        text_format(out, "; meanwhile %s was granted the lock", speech->other);
}

// --- a lock that lets two in ---------------------------------------------------------------------

// The hold of the client that was stopped inside its acquire.
static const struct hold *struck_hold(const struct account *account)
{
    const struct hold *first = hold_of(account, 0);
    int client = fault_of(account)->step->target.client;
    return first->client == client ? first : hold_of(account, 1);
}

// True if what the stopped client was granted was, by its own word, asked for after the stop had
// begun: a lease that is counted from the reply looks like that. A lock of ours takes the time
// before it asks.
static bool may_count_from_reply(const struct account *account)
{
    const struct trial *trial = account->digest->trial;
    if (account->root != ROOT_STEPS || trial->foreign == NULL ||
        !account_has_trait(account, "lease"))
        return false;
    const struct hold *hold = struck_hold(account);
    return hold->valid_until_ns != TIME_NEVER &&
           hold->valid_until_ns - trial->scenario->lock.lease_ns >= fault_of(account)->in_effect_ns;
}

static void say_steps(const struct speech *speech, struct text *out)
{
    struct text point = {0};
    const struct account *account = speech->account;
    const struct fault_record *fault = fault_of(account);
    int client = fault->step->target.client;
    const char *taker = struck_hold(account) == hold_of(account, 0) ? speech->other : speech->who;
    deed_tell_point(account->digest, fault, &point);
    if (account->certainty == CERTAINTY_PROVEN)
        text_format(out,
                    "this lock's acquire takes several steps, and client-%d was stopped between "
                    "them (fault %d,%s); meanwhile %s took the lock, and then both had it",
                    client, fault->step->number, text_string(&point), taker);
    else
        text_format(out,
                    "client-%d was stopped inside its acquire (fault %d,%s); meanwhile %s took the "
                    "lock, and then both had it: %sits acquire takes several steps",
                    client, fault->step->number, text_string(&point), taker,
                    may_count_from_reply(account)
                        ? "it counts its lease from the reply, and not from before it asked; or "
                        : "");
    text_free(&point);
}

static void say_unanswered_grant(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    if (account->request.client != 0)
        add_sent(account, out);
    else
        text_format(out, "%s's acquire was cut off (fault %d)", speech->other,
                    fault_of(account)->step->number);
    text_format(out, " and had no answer when %s held the lock: no answer is no grant",
                speech->other);
}

static void say_permits(const struct speech *speech, int64_t permits, struct text *out)
{
    char who[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    bool first_is_later = account->holds[0] > account->holds[1];
    text_format(out,
                "the acquires let in one too many: %s was granted a permit when all %lld were out "
                "(%s's",
                first_is_later ? speech->who : speech->other, (long long)permits,
                first_is_later ? speech->other : speech->who);
    for (size_t i = 0; i < account->other_count; i++)
        text_format(out, "%s%s's", i + 1 < account->other_count ? ", " : " and ",
                    describe_holder(account->digest, account->others[i], who));
    text_add(out, ")");
}

static void say_admits(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    int64_t permits = digest_permits(account->digest);
    if (permits > 1) {
        say_permits(speech, permits, out);
        return;
    }
    text_format(out, "the acquires let both in: %s was granted the lock while %s held it",
                speech->other, speech->who);
    if (account->is_bare)
        text_add(out, ", and in between the history shows no release, no end of a lease, and no "
                      "fault that takes a lock away");
    if (hold_of(account, 0)->client == hold_of(account, 1)->client)
        text_add(out, "; possibly all workers of a process are one owner to it");
}

// --- locks that kept two apart -------------------------------------------------------------------

static void say_late_commit(const struct speech *speech, struct text *out)
{
    if (speech->account->certainty == CERTAINTY_PROVEN)
        text_format(out,
                    "%s released the lock %s before its transaction was committed, and %s read "
                    "what was there before",
                    speech->who, speech->length, speech->other);
    else
        text_format(out,
                    "%s's lock was free before its transaction was committed: %s was granted it, "
                    "and read what was there before, while that release had no answer yet",
                    speech->who, speech->other);
}

// --- refusals and tokens -------------------------------------------------------------------------

static void say_token(const struct speech *speech, struct text *out)
{
    const struct hold *first = hold_of(speech->account, 0);
    const struct hold *second = hold_of(speech->account, 1);
    if (first->token == second->token)
        text_format(out,
                    "%s and %s were both given token %lld: a store that trusts such tokens cannot "
                    "tell the two apart",
                    speech->who, speech->other, (long long)first->token);
    else
        text_format(out,
                    "%s was given token %lld, and %s, whose grant is the later one, %lld: a store "
                    "that trusts such tokens refuses the newer holder and lets the older one write",
                    speech->who, (long long)first->token, speech->other, (long long)second->token);
}

static void say_of_check(const struct speech *speech, struct text *out)
{
    const struct finding *finding = speech->account->finding;
    finding->check->explain(speech->account->digest, &finding->evidence, out);
}

// --- nobody is granted the lock ------------------------------------------------------------------

// True if the servers did not have the lock any more when all had ended: nobody left it there.
static bool was_gone(const struct speech *speech)
{
    return liveness_leaving(speech->account->digest->history) == LEAVING_NOTHING;
}

static void say_died_holding(const struct speech *speech, struct text *out)
{
    const struct fault_record *cut = fault_of(speech->account);
    text_format(out, "%s died with the lock", speech->who);
    if (cut != NULL)
        text_format(out,
                    " while it was cut off (fault %d): the server does not learn of it, and keeps "
                    "its session and its lock",
                    cut->step->number);
    else
        text_add(out, has_trait(speech, "lease") ? ", and its lease did not free it"
                      : was_gone(speech)         ? ", and nothing freed it until the trial's end"
                                                 : ", and nothing frees it then");
}

static void say_died_acquiring(const struct speech *speech, struct text *out)
{
    if (speech->account->certainty == CERTAINTY_PROVEN)
        text_format(
            out, "%s died inside its acquire, and left the lock behind without %s", speech->who,
            has_trait(speech, "lease") ? "the lease that was to free it" : "anybody to free it");
    else
        text_format(out, "%s died inside its acquire, and had the lock%s", speech->who,
                    was_gone(speech) ? " until the trial's end" : "");
}

static void say_lost_release(const struct speech *speech, struct text *out)
{
    text_format(out, "%s's release was not done", speech->who);
    if (fault_of(speech->account) != NULL) {
        text_add(out, " (");
        add_fault(speech->account, out);
        text_add(out, ")");
    }
    text_add(out, was_gone(speech) ? ", and nothing else freed the lock until the trial's end"
                                   : ", and nothing else frees this lock");
}

static void say_undone_release(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    text_format(out, "%s's release was answered \"%s\", but did nothing: ", speech->who,
                release_answer_name(hold_of(account, 0)->answer));
    if (account->certainty != CERTAINTY_PROVEN)
        text_add(out, "its own session has the lock, which was asked for over another connection");
    else if (account->request.client != 0)
        text_add(out, "its proxy saw no request that removes the lock");
    else if (was_gone(speech) || liveness_leaving(account->digest->history) == LEAVING_UNKNOWN)
        text_add(out, "it sent nothing to any server");
    else
        text_add(out, "the lock was still on the server when all had ended, and nobody else had "
                      "taken it");
}

static void say_unknown_as_no(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    if (account->request.client != 0) {
        add_sent(account, out);
        text_format(out,
                    ", and the server did it, but %s was answered not-held: it has the lock, and "
                    "does not know",
                    speech->who);
        return;
    }
    text_format(out,
                "%s has the lock, and does not know: during fault %d its acquire had no answer, "
                "which counts as a refusal; a lock that got no answer must say unknown",
                speech->who, fault_of(account)->step->number);
}

static void say_lost_wake_up(const struct speech *speech, struct text *out)
{
    char sleeper[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct digest *digest = account->digest;
    const struct attempt *waits = &digest->attempts[attempt_that_sleeps(digest)];
    describe_worker(digest, waits->client, waits->worker, sleeper);
    if (account->holds[0] != SIZE_MAX)
        text_format(out, "%s's release woke nobody: ", speech->who);
    text_format(out, "%s sleeps until it is told that the lock is free, and ", sleeper);
    if (fault_of(account) != NULL) {
        text_add(out, "what would have told it may have ended before (");
        add_fault(account, out);
        text_add(out, ")");
    } else {
        text_add(out, "was not told");
    }
    text_add(out, "; the lock is free, and nobody looks");
}

static void say_unanswered(const struct speech *speech, struct text *out)
{
    const struct fault_record *fault = fault_of(speech->account);
    if (fault == NULL) {
        text_add(out, "no acquire is answered any more");
        return;
    }
    text_format(out, "since fault %d (", fault->step->number);
    deed_tell(speech->account->digest, fault, out);
    text_add(out, ") no acquire has been answered");
    if (fault->healed_ns == TIME_NEVER || fault->step->bound_ns < 0)
        return;
    text_add(out, ", not even now that ");
    deed_tell_end(speech->account->digest, fault, out);
}

static void say_hanging_release(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    text_format(out, "%s's release does not come back", speech->who);
    if (hold_of(account, 0)->valid_until_ns < account->finding->evidence.from_ns)
        text_add(out, ": its lease had run out, and what it asks for cannot be done any more");
}

// --- what is known where no cause is -------------------------------------------------------------

static void say_unknown(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    enum shows shows = account->finding->check->shows;
    if (shows == SHOWS_SILENCE)
        text_add(out, silence_was_free(account->digest, false)
                          ? "the lock is free, and still nobody gets it"
                          : "nobody gets the lock, and the history does not show who has it");
    else if (shows == SHOWS_REMOVAL)
        text_add(out, "the lock vanished although its holder had not released it and its lease had "
                      "not run out; nothing in the history shows who took it");
    else if (account->overlap_ns > 0 && account->digest->holds[account->holds[0]].is_unanchored)
        text_add(out, describe_doubt(&account->digest->holds[account->holds[0]],
                                     &account->digest->holds[account->holds[0]]));
    else if (account->holds[1] != SIZE_MAX && account->overlap_ns == 0)
        text_add(out, "the two holds did not overlap, and still both worked on one value");
    else
        text_add(out, "nothing in the history shows why");
}

// --- the table -----------------------------------------------------------------------------------

static void (*const sayers[])(const struct speech *speech, struct text *out) = {
    [ROOT_UNKNOWN] = say_unknown,
    [ROOT_PAUSE] = say_pause,
    [ROOT_LATE_GRANT] = say_late_grant,
    [ROOT_WORK] = say_work,
    [ROOT_REMOVED] = say_removed,
    [ROOT_SAME_VALUE] = say_same_value,
    [ROOT_FORGOT] = say_forgot,
    [ROOT_CLOCK] = say_clock,
    [ROOT_SESSION] = say_session,
    [ROOT_TWO_LEADERS] = say_two_leaders,
    [ROOT_PARTITION] = say_partition,
    [ROOT_GIVEN_TWICE] = say_given_twice,
    [ROOT_COUNTED_LATE] = say_counted_late,
    [ROOT_STEPS] = say_steps,
    [ROOT_UNANSWERED_GRANT] = say_unanswered_grant,
    [ROOT_ADMITS] = say_admits,
    [ROOT_LATE_COMMIT] = say_late_commit,
    [ROOT_TOKEN] = say_token,
    [ROOT_OF_CHECK] = say_of_check,
    [ROOT_DIED_HOLDING] = say_died_holding,
    [ROOT_DIED_ACQUIRING] = say_died_acquiring,
    [ROOT_LOST_RELEASE] = say_lost_release,
    [ROOT_UNDONE_RELEASE] = say_undone_release,
    [ROOT_UNKNOWN_AS_NO] = say_unknown_as_no,
    [ROOT_LOST_WAKE_UP] = say_lost_wake_up,
    [ROOT_UNANSWERED] = say_unanswered,
    [ROOT_HANGING_RELEASE] = say_hanging_release,
};

void account_say(struct account *account)
{
    const struct digest *digest = account->digest;
    struct speech speech = {.account = account};
    struct text cause = {0};
    if (account->attempt != SIZE_MAX)
        describe_worker(digest, digest->attempts[account->attempt].client,
                        account->any_worker ? 0 : digest->attempts[account->attempt].worker,
                        speech.who);
    else if (account->holds[0] != SIZE_MAX)
        describe_holder(digest, account->holds[0], speech.who);
    if (account->holds[1] != SIZE_MAX)
        describe_holder(digest, account->holds[1], speech.other);
    else
        memcpy(speech.other, speech.who, sizeof speech.who);
    text_duration(digest->trial->scenario->lock.lease_ns, speech.lease, sizeof speech.lease);
    text_duration(account->length_ns, speech.length, sizeof speech.length);
    if (root_sentence(account->root) != NULL)
        fill_in(&speech, root_sentence(account->root), &cause);
    else
        sayers[account->root](&speech, &cause);
    snprintf(account->cause, sizeof account->cause, "%s%s",
             account->certainty == CERTAINTY_PROVEN     ? ""
             : account->certainty == CERTAINTY_POSSIBLE ? "possibly: "
                                                        : "unexplained: ",
             text_string(&cause));
    text_free(&cause);
    account_say_remedy(account);
}
