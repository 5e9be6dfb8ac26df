// The account of a violation in sentences: its cause, and what would have prevented it.
#include "harness/explain/causes.h"
#include "harness/check/liveness.h"
#include "harness/check/silence.h"
#include "harness/explain/root.h"
#include "harness/explain/story_deeds.h"

#include <stdio.h>
#include <string.h>

bool speech_has_trait(const struct speech *speech, const char *trait)
{
    const struct trial *trial = speech->account->digest->trial;
    return trial->traits != NULL && trial_has_trait(trial, trait);
}

const struct fault_record *speech_fault(const struct speech *speech)
{
    size_t fault = speech->account->fault;
    return fault == SIZE_MAX ? NULL : &speech->account->digest->faults[fault];
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
    const struct fault_record *fault = speech_fault(speech);
    bool whole = fault->step->target.worker == 0;
    text_format(out, "%s stood still for %s (fault %d), past the end of its lease of %s",
                speech->who, speech->length, fault->step->number, speech->lease);
    if (speech_has_trait(speech, "renewed") && whole)
        text_add(out, ", and its watchdog with it");
    add_going_on(speech, out);
}

static void say_stall(const struct speech *speech, struct text *out)
{
    text_format(out, "the machine stood still for %s while %s held the lock with a lease of %s",
                speech->length, speech->who, speech->lease);
    add_going_on(speech, out);
}

static void say_late_grant(const struct speech *speech, struct text *out)
{
    char late[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct fault_record *fault = speech_fault(speech);
    const struct hold *hold = &account->digest->holds[account->holds[0]];
    text_duration(hold->granted_ns - hold->valid_until_ns, late, sizeof late);
    text_format(out, "%s learned of its grant %s after its lease of %s had run out", speech->who,
                late, speech->lease);
    if (fault != NULL)
        text_format(out, " (fault %d stopped it for %s inside its acquire)", fault->step->number,
                    speech->length);
    text_format(out, ", and worked all the same, while %s was granted the lock", speech->other);
}

static void say_wire(const struct speech *speech, struct text *out)
{
    text_format(out, "what %s sent was held up for %s (fault %d), until its lease of %s was over",
                speech->who, speech->length, speech_fault(speech)->step->number, speech->lease);
    add_going_on(speech, out);
}

static void say_work(const struct speech *speech, struct text *out)
{
    char left[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct hold *hold = &account->digest->holds[account->holds[0]];
    if (account->length_ns <= account->digest->trial->scenario->lock.lease_ns) {
        text_duration(hold->valid_until_ns - hold->granted_ns, left, sizeof left);
        text_format(out,
                    "%s learned of its grant when %s of its lease of %s was left, and held on "
                    "for %s",
                    speech->who, left, speech->lease, speech->length);
        add_going_on(speech, out);
        return;
    }
    text_format(out, "%s held on for %s, longer than its lease of %s, which %s", speech->who,
                speech->length, speech->lease,
                speech_has_trait(speech, "renewed") ? "was not renewed in time"
                                                    : "nothing renews meanwhile");
    add_going_on(speech, out);
}

// --- a lock that lets two in ---------------------------------------------------------------------

static void say_node_local(const struct speech *speech, struct text *out)
{
    text_format(out,
                "%s and %s asked different servers of the Galera cluster, and this lock is known "
                "to the server only that was asked",
                speech->who, speech->other);
}

static void say_local(const struct speech *speech, struct text *out)
{
    (void)speech;
    text_add(out, "this lock keeps apart the workers of one process, and knows nothing of others");
}

static void say_no_lock(const struct speech *speech, struct text *out)
{
    (void)speech;
    text_add(out, "there is no lock: everybody is let in");
}

static void say_permits(const struct speech *speech, int64_t permits, struct text *out)
{
    char who[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    bool first_is_later = account->holds[0] > account->holds[1];
    text_format(out, "all %lld permits were out (%s's", (long long)permits,
                first_is_later ? speech->other : speech->who);
    for (size_t i = 0; i < account->other_count; i++)
        text_format(out, "%s%s's", i + 1 < account->other_count ? ", " : " and ",
                    describe_holder(account->digest, account->others[i], who));
    text_format(out, ") when %s was granted one: more than %lld hold a permit at once",
                first_is_later ? speech->who : speech->other, (long long)permits);
}

static void say_unknown(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const char *name = account->finding->check->name;
    int64_t permits = digest_permits(account->digest);
    if (strcmp(name, "stuck") == 0 && silence_was_free(account->digest, false))
        text_add(out, "the lock is free, and still nobody gets it");
    else if (strcmp(name, "stuck") == 0)
        say_who_may_have_it(speech, out);
    else if (strcmp(name, "wrongful-release") == 0)
        say_vanished(speech, out);
    else if (permits > 1 && account->overlap_ns > 0)
        say_permits(speech, permits, out);
    else if (account->overlap_ns > 0)
        text_add(out, "this lock lets two in");
    else if (account->holds[1] != SIZE_MAX)
        text_add(out, "the two holds did not overlap, and still both worked on one value");
}

// --- locks that kept two apart -------------------------------------------------------------------

static void say_late_commit(const struct speech *speech, struct text *out)
{
    text_format(out,
                "%s released the lock %s before its transaction was committed, and %s read what "
                "was there before",
                speech->who, speech->length, speech->other);
}

static void say_old_view(const struct speech *speech, struct text *out)
{
    text_format(out,
                "%s read the value as it was when its acquire began, before %s had written: its "
                "view of the data is older than its lock",
                speech->other, speech->who);
}

// --- refusals and tokens -------------------------------------------------------------------------

static void say_depth(const struct speech *speech, struct text *out)
{
    text_format(out, "%s held the lock, and was refused to enter it again, or to leave it as often",
                speech->who);
}

static void say_token(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct hold *first = &account->digest->holds[account->holds[0]];
    const struct hold *second = &account->digest->holds[account->holds[1]];
    text_format(out,
                "%s was given token %lld, and %s after it %lld: a store that trusts such tokens "
                "refuses the newer holder and lets the older one write",
                speech->who, (long long)first->token, speech->other, (long long)second->token);
}

static void say_store(const struct speech *speech, struct text *out)
{
    text_format(out,
                "the store accepted %s's old fencing token after it had answered the newer one of "
                "%s",
                speech->who, speech->other);
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
    const struct fault_record *cut = speech_fault(speech);
    text_format(out, "%s died with the lock", speech->who);
    if (cut != NULL)
        text_format(out,
                    " while it was cut off (fault %d): the server does not learn of it, and keeps "
                    "its session and its lock",
                    cut->step->number);
    else
        text_add(out, speech_has_trait(speech, "lease") ? ", and its lease did not free it"
                      : was_gone(speech) ? ", and nothing freed it until the trial's end"
                                         : ", and nothing frees it then");
}

static void say_died_acquiring(const struct speech *speech, struct text *out)
{
    if (was_gone(speech)) {
        text_format(out,
                    "%s died inside its acquire, and may have had the lock until the trial's end",
                    speech->who);
        return;
    }
    text_format(out, "%s died inside its acquire, and left the lock behind without %s", speech->who,
                speech_has_trait(speech, "lease") ? "the lease that was to free it"
                                                  : "anybody to free it");
}

static void say_lost_release(const struct speech *speech, struct text *out)
{
    const struct fault_record *fault = speech_fault(speech);
    text_format(out, "%s's release was not done", speech->who);
    if (fault != NULL) {
        text_format(out, " (fault %d: ", fault->step->number);
        deed_tell(speech->account->digest, fault, out);
        text_add(out, ")");
    }
    text_add(out, was_gone(speech) ? ", and nothing else freed the lock until the trial's end"
                                   : ", and nothing else frees this lock");
}

static void say_lost_acquire(const struct speech *speech, struct text *out)
{
    text_format(out,
                "%s's acquire was done, but the answer was lost: nobody knows that it has the "
                "lock, and so nobody releases it",
                speech->who);
}

static void say_dead_in_line(const struct speech *speech, struct text *out)
{
    text_format(out,
                "%s died waiting for the lock, and keeps its place in the line: nobody passes "
                "it",
                speech->who);
}

static void say_lease_stands(const struct speech *speech, struct text *out)
{
    deed_tell(speech->account->digest, speech_fault(speech), out);
    text_format(out, " (fault %d), and by it the lease of %s is not over for long",
                speech_fault(speech)->step->number, speech->lease);
}

static void say_struck(const struct speech *speech, struct text *out)
{
    deed_tell(speech->account->digest, speech_fault(speech), out);
    text_format(out, " (fault %d): as long as that lasts nobody is let in",
                speech_fault(speech)->step->number);
}

static void say_lost_wake_up(const struct speech *speech, struct text *out)
{
    char sleeper[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct digest *digest = account->digest;
    const struct fault_record *fault = speech_fault(speech);
    const struct attempt *waits = &digest->attempts[attempt_that_sleeps(digest)];
    describe_worker(digest, waits->client, waits->worker, sleeper);
    if (account->holds[0] != SIZE_MAX)
        text_format(out, "%s's release woke nobody: ", speech->who);
    text_format(out, "%s sleeps until it is told that the lock is free, and ", sleeper);
    if (fault != NULL) {
        text_format(out,
                    "what would have told it was ended before (fault %d: ", fault->step->number);
        deed_tell(digest, fault, out);
        text_add(out, ")");
    } else {
        text_add(out, "was not told");
    }
    text_add(out, "; the lock is free, and nobody looks");
}

static void say_lost_permits(const struct speech *speech, struct text *out)
{
    deed_tell(speech->account->digest, speech_fault(speech), out);
    text_format(out,
                " (fault %d), and what it had stored of the semaphore is lost: there is no permit "
                "that anybody could be granted",
                speech_fault(speech)->step->number);
}

static void say_unanswered(const struct speech *speech, struct text *out)
{
    const struct fault_record *fault = speech_fault(speech);
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
    const struct hold *hold = &account->digest->holds[account->holds[0]];
    text_format(out, "%s's release does not come back", speech->who);
    if (hold->valid_until_ns < account->finding->evidence.from_ns)
        text_add(out, ": its lease had run out, and what it asks for cannot be done any more");
}

// --- the table -----------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*say)(const struct speech *speech, struct text *out);
} roots[] = {
    [ROOT_UNKNOWN] = {"unknown", say_unknown},
    [ROOT_PAUSE] = {"pause", say_pause},
    [ROOT_STALL] = {"stall", say_stall},
    [ROOT_LATE_GRANT] = {"late-grant", say_late_grant},
    [ROOT_WIRE] = {"network", say_wire},
    [ROOT_WORK] = {"work", say_work},
    [ROOT_REMOVED] = {"removed", say_removed},
    [ROOT_SERVER] = {"fault", say_server},
    [ROOT_NODE_LOCAL] = {"node-local", say_node_local},
    [ROOT_STEPS] = {"several-steps", say_steps},
    [ROOT_LOCAL] = {"process-local", say_local},
    [ROOT_NO_LOCK] = {"no-lock", say_no_lock},
    [ROOT_LATE_COMMIT] = {"late-commit", say_late_commit},
    [ROOT_OLD_VIEW] = {"old-view", say_old_view},
    [ROOT_DEPTH] = {"depth", say_depth},
    [ROOT_TOKEN] = {"token", say_token},
    [ROOT_STORE] = {"store", say_store},
    [ROOT_OF_CHECK] = {"lock", say_of_check},
    [ROOT_DIED_HOLDING] = {"died-holding", say_died_holding},
    [ROOT_DIED_ACQUIRING] = {"died-acquiring", say_died_acquiring},
    [ROOT_LOST_RELEASE] = {"lost-release", say_lost_release},
    [ROOT_LOST_ACQUIRE] = {"lost-acquire", say_lost_acquire},
    [ROOT_DEAD_IN_LINE] = {"dead-in-line", say_dead_in_line},
    [ROOT_LEASE_STANDS] = {"lease-stands-still", say_lease_stands},
    [ROOT_STRUCK] = {"struck", say_struck},
    [ROOT_LOST_WAKE_UP] = {"lost-wake-up", say_lost_wake_up},
    [ROOT_UNANSWERED] = {"unanswered", say_unanswered},
    [ROOT_LOST_PERMITS] = {"lost-permits", say_lost_permits},
    [ROOT_HANGING_RELEASE] = {"hanging-release", say_hanging_release},
};

const char *root_name(enum root root)
{
    return roots[root].name;
}

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
    text_duration(digest->trial->scenario->lock.lease_ns, speech.lease, sizeof speech.lease);
    text_duration(account->length_ns, speech.length, sizeof speech.length);
    roots[account->root].say(&speech, &cause);
    snprintf(account->cause, sizeof account->cause, "%s", text_string(&cause));
    text_free(&cause);
    account_say_remedy(account);
}
