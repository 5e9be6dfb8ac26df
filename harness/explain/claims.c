// Sentences in which a lock that the scenario brought along may have claimed too much: it says
// itself for how long each grant is valid.
#include "harness/check/wire_sides.h"
#include "harness/explain/causes.h"
#include "harness/explain/story_deeds.h"

static bool claims_itself(const struct account *account)
{
    const struct trial *trial = account->digest->trial;
    return trial->foreign != NULL && trial->traits != NULL && trial_has_trait(trial, "lease");
}

// The hold of the client that was stopped inside its acquire.
static const struct hold *struck_hold(const struct account *account)
{
    const struct digest *digest = account->digest;
    const struct hold *first = &digest->holds[account->holds[0]];
    int client = digest->faults[account->fault].step->target.client;
    return first->client == client ? first : &digest->holds[account->holds[1]];
}

bool account_may_count_from_reply(const struct account *account)
{
    if (account->root != ROOT_STEPS || !claims_itself(account))
        return false;
    const struct hold *hold = struck_hold(account);
    int64_t lease_ns = account->digest->trial->scenario->lock.lease_ns;
    return hold->valid_until_ns != TIME_NEVER &&
           hold->valid_until_ns - lease_ns >= account->digest->faults[account->fault].in_effect_ns;
}

void say_steps(const struct speech *speech, struct text *out)
{
    struct text point = {0};
    const struct account *account = speech->account;
    const struct digest *digest = account->digest;
    const struct fault_record *fault = speech_fault(speech);
    const char *taker =
        struck_hold(account) == &digest->holds[account->holds[0]] ? speech->other : speech->who;
    deed_tell_point(digest, fault, &point);
    if (account_may_count_from_reply(account))
        text_format(out,
                    "client-%d was stopped inside its acquire (fault %d,%s); meanwhile %s took the "
                    "lock, and then both had it: this lock counts its lease from the reply, and "
                    "not from before it asked; or its acquire takes several steps",
                    fault->step->target.client, fault->step->number, text_string(&point), taker);
    else
        text_format(out,
                    "this lock's acquire takes several steps, and client-%d was stopped between "
                    "them (fault %d,%s); meanwhile %s took the lock, and then both had it",
                    fault->step->target.client, fault->step->number, text_string(&point), taker);
    text_free(&point);
}

void say_vanished(const struct speech *speech, struct text *out)
{
    const struct account *account = speech->account;
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[account->finding->evidence.holds[0]];
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    text_add(out, "the lock vanished although its holder had not released it and its lease had not "
                  "run out; nothing in the history explains it");
    if (claims_itself(account) && hold->returned_ns != TIME_NEVER &&
        hold->returned_ns - hold->invoked_ns >= lease_ns)
        text_add(out, ", unless the lock counts its lease from the reply, and not from before it "
                      "asked");
}

// The fault during which the acquire was answered with a no that may have been a guess: it was on
// the wires of its client. SIZE_MAX if there was none.
static size_t fault_on_answer(const struct digest *digest, const struct attempt *attempt)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        if (attempt->outcome == OUTCOME_NO && attempt->returned_ns != TIME_NEVER &&
            wire_names_client(fault->step, attempt->client) &&
            attempt->invoked_ns <= fault->in_effect_ns &&
            attempt->returned_ns > fault->in_effect_ns && attempt->returned_ns < fault->healed_ns)
            return i;
    }
    return SIZE_MAX;
}

void say_who_may_have_it(const struct speech *speech, struct text *out)
{
    char who[DESCRIBE_ROOM];
    const struct digest *digest = speech->account->digest;
    text_add(out, "the lock is free, or should be, and still nobody gets it");
    for (size_t i = 0; digest->trial->foreign != NULL && i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        size_t fault = fault_on_answer(digest, attempt);
        if (fault == SIZE_MAX)
            continue;
        describe_worker(digest, attempt->client, attempt->worker, who);
        text_format(out,
                    ", unless %s has it, whose acquire was answered not-held during fault %d: a "
                    "lock that got no answer must say unknown",
                    who, digest->faults[fault].step->number);
        return;
    }
}
