// Sentences about a lock that was taken from its holder.
#include "harness/explain/causes.h"
#include "harness/explain/story_deeds.h"

#include <stdio.h>
#include <string.h>

static bool is_redlock(const struct speech *speech)
{
    return strncmp(speech->account->digest->trial->scheme, "redlock", 7) == 0;
}

void say_removed(const struct speech *speech, struct text *out)
{
    char culprit[DESCRIBE_ROOM];
    const struct account *account = speech->account;
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[account->culprit];
    size_t pause = fault_that_stopped(digest, hold, hold->released_ns, hold->returned_ns);
    describe_holder(digest, account->culprit, culprit);
    if (pause != SIZE_MAX)
        text_format(out,
                    "%s was stopped inside its release (fault %d) until its own lease was "
                    "over; then it ",
                    culprit, digest->faults[pause].step->number);
    else
        text_format(out, "%s's release ", culprit);
    text_format(out, "%s %s's lock, for its delete does not ask whose the lock is",
                account->certainly ? "removed" : "may have removed", speech->who);
    if (speech_has_trait(speech, "owner-checked") &&
        hold->client == digest->holds[account->holds[0]].client)
        text_add(out, ", or takes all workers of a process for one owner");
}

// The names of all servers that were struck in the same way since the lock was asked for:
// "server-2 and server-3".
static void add_struck(const struct speech *speech, const struct fault_record *fault,
                       struct text *out)
{
    char name[100];
    const struct digest *digest = speech->account->digest;
    const struct hold *hold = &digest->holds[speech->account->holds[0]];
    const struct fault_record *last = NULL;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (strcmp(record->step->verb, fault->step->verb) != 0 ||
            record->in_effect_ns > fault->in_effect_ns || record->in_effect_ns < hold->invoked_ns ||
            record->step->target.client != 0)
            continue;
        if (last != NULL)
            text_format(out, "%s, ", deed_target(digest, last, name, sizeof name));
        last = record;
    }
    if (out->length > 0) { // a list: its last comma becomes an "and"
        out->length -= 2;
        text_add(out, " and ");
    }
    text_add(out, deed_target(digest, last != NULL ? last : fault, name, sizeof name));
}

static void say_clock(const struct speech *speech, const struct fault_record *fault,
                      struct text *out)
{
    struct text deed = {0};
    deed_tell(speech->account->digest, fault, &deed);
    text_add(out, text_string(&deed));
    if (fault->step->target.client == 0)
        text_format(out, ", and by it %s's lease of %s is over", speech->who, speech->lease);
    else
        text_format(out, ", and by that clock %s's lease is over", speech->who);
    text_free(&deed);
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

static void say_cut(const struct speech *speech, const struct fault_record *fault, struct text *out)
{
    deed_tell(speech->account->digest, fault, out);
    text_format(out, ": %s's lock was on one side only, and the other side gave it to %s",
                speech->who, speech->account->holds[1] != SIZE_MAX ? speech->other : "another");
}

// True if the holder learned that its lock was gone before it gave it up.
static bool was_told(const struct speech *speech)
{
    const struct history *history = speech->account->digest->history;
    const struct hold *hold = &speech->account->digest->holds[speech->account->holds[0]];
    for (size_t i = hold->granted_event; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->at_ns > hold->released_ns)
            return false;
        if (event->kind == EVENT_LOST && event->client == hold->client &&
            event->worker == hold->worker && event->args[0] == hold->operation)
            return true;
    }
    return false;
}

void say_server(const struct speech *speech, struct text *out)
{
    const struct fault_record *fault = speech_fault(speech);
    const char *verb = fault->step->verb;
    struct text struck = {0};
    if (strcmp(verb, "restart") == 0 || strcmp(verb, "flush") == 0 || strcmp(verb, "evict") == 0)
        add_struck(speech, fault, &struck);
    if (strcmp(verb, "restart") == 0)
        text_format(out, "%s crashed and came back without %s's lock%s", text_string(&struck),
                    speech->who,
                    is_redlock(speech) ? ", so that the servers left made a majority that knew "
                                         "nothing of it"
                                       : "");
    else if (strcmp(verb, "flush") == 0)
        text_format(out, "%s lost all its data, %s's lock with it", text_string(&struck),
                    speech->who);
    else if (strcmp(verb, "evict") == 0)
        text_format(out, "%s ran out of memory and evicted %s's lock", text_string(&struck),
                    speech->who);
    else if (strcmp(verb, "disconnect") == 0)
        text_format(out, "the server ended %s's connection, and its lock with it; %s %s",
                    speech->who, speech->who,
                    was_told(speech) ? "was told, and went on all the same" : "had not noticed");
    else if (strcmp(verb, "failover") == 0)
        say_failover(fault, out);
    else if (strcmp(verb, "clock") == 0)
        say_clock(speech, fault, out);
    else if (strcmp(verb, "cut") == 0)
        say_cut(speech, fault, out);
    else
        deed_tell(speech->account->digest, fault, out);
    text_format(out, " (fault %d)", fault->step->number);
    text_free(&struck);
}
