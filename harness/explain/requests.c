#include "harness/explain/requests.h"

#include "harness/base/rank.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

// A reply belongs to one of the last requests that wait for one.
#define FAR_BACK 1000

// --- what was seen -------------------------------------------------------------------------------

static struct seen_request seen(const struct event *event)
{
    return (struct seen_request){.command = event_command(event),
                                 .client = event->client,
                                 .worker = event->worker,
                                 .phase = (enum phase)(event->detail >> REQUEST_PHASE),
                                 .words = event->detail & REQUEST_WORDS,
                                 .key = event->request.key,
                                 .value = event->request.value,
                                 .ttl_ms = event->request.ttl_ms,
                                 .sent_ns = event->at_ns,
                                 .answered_ns = TIME_NEVER};
}

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

void requests_between(const struct digest *digest, int64_t from_ns, int64_t to_ns,
                      struct requests *requests)
{
    const struct history *history = digest->history;
    size_t room = 0;
    size_t waiting = 0;
    *requests = (struct requests){NULL, 0};
    for (size_t i = FIRST_FROM(history->events, history->count, at_ns, from_ns); i < history->count;
         i++) {
        const struct event *event = &history->events[i];
        bool is_over = event->at_ns > to_ns;
        if (is_over && waiting == 0)
            return;
        if (event->kind == EVENT_REPLY && event->reply.key != 0 && enter_reply(requests, event))
            waiting--;
        if (is_over || event->kind != EVENT_REQUEST || event->request.key == 0)
            continue;
        if (requests->count == room) {
            room = room == 0 ? 64 : 2 * room;
            requests->items = memory_resized(requests->items, room * sizeof *requests->items);
        }
        requests->items[requests->count++] = seen(event);
        waiting++;
    }
}

void requests_free(struct requests *requests)
{
    free(requests->items);
}

// --- what they do --------------------------------------------------------------------------------

static bool is_command(const struct seen_request *request, const char *const *commands)
{
    return text_is_one_of(request->command.text, commands);
}

static const char *const writes[] = {"SET", "SETEX", "PSETEX", "GETSET", NULL};
static const char *const takes[] = {"SET", "SETNX", "EVAL", "EVALSHA", "FCALL", NULL};
static const char *const deletes[] = {"DEL", "UNLINK", "GETDEL", NULL};
static const char *const prolongs[] = {"PEXPIRE",  "EXPIRE",  "PEXPIREA",
                                       "EXPIREAT", "PERSIST", NULL};

bool request_overwrites(const struct seen_request *request)
{
    return is_command(request, writes) && (request->words & (REQUEST_NX | REQUEST_COMPARES)) == 0;
}

bool request_deletes(const struct seen_request *request)
{
    return is_command(request, deletes) && (request->words & REQUEST_COMPARES) == 0;
}

bool request_prolongs(const struct seen_request *request)
{
    return is_command(request, prolongs) ||
           (request_overwrites(request) && (request->words & REQUEST_XX) != 0);
}

bool request_was_done(const struct seen_request *request)
{
    return request->answered_ns != TIME_NEVER &&
           (request->reply == REPLY_OK || request->reply == REPLY_SOME);
}

static bool was_refused(const struct seen_request *request)
{
    return request->answered_ns != TIME_NEVER &&
           (request->reply == REPLY_NIL || request->reply == REPLY_ZERO);
}

// --- how somebody came to hold it ----------------------------------------------------------------

// True if the proxy would have seen what was sent in that acquire: it has seen requests of this
// client before it and after it, and no fault kept it from its servers, when it can read nothing.
static bool was_watched(const struct digest *digest, const struct hold *hold)
{
    bool before = false;
    bool after = false;
    for (size_t i = 0; i < digest->history->count; i++) {
        const struct event *event = &digest->history->events[i];
        if (event->kind != EVENT_REQUEST || event->client != hold->client ||
            event->request.key == 0)
            continue;
        before = before || event->at_ns < hold->invoked_ns;
        after = after || event->at_ns > hold->granted_ns;
    }
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (fault_can(record->step, FAULT_SEVERS | FAULT_SLOWS | FAULT_DISCONNECTS | FAULT_KILLS) &&
            record->asked_ns < hold->granted_ns)
            return false;
    }
    return before && after;
}

struct grant_seen request_of_grant(const struct digest *digest, const struct requests *requests,
                                   const struct hold *hold)
{
    const struct seen_request *given = NULL;
    const struct seen_request *other = NULL;
    bool is_clear = true; // nothing that may have been another worker's, nor any script
    for (size_t i = 0; i < requests->count; i++) {
        const struct seen_request *request = &requests->items[i];
        if (request->client != hold->client || request->sent_ns < hold->invoked_ns ||
            request->sent_ns > hold->granted_ns ||
            (request->worker != 0 && request->worker != hold->worker) ||
            !is_command(request, takes) || request->phase == PHASE_RELEASE)
            continue;
        bool is_its = request->worker == hold->worker;
        is_clear = is_clear && is_its && (request->words & REQUEST_COMPARES) == 0;
        if (request_was_done(request) && request->answered_ns <= hold->granted_ns) {
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
    if (other == NULL)
        return (struct grant_seen){was_watched(digest, hold) ? GRANT_NOT_ASKED : GRANT_UNSEEN,
                                   NULL};
    if (was_refused(other) && other->answered_ns <= hold->granted_ns)
        return (struct grant_seen){GRANT_REFUSED, other};
    if (other->answered_ns > hold->granted_ns)
        return (struct grant_seen){GRANT_UNANSWERED, other};
    return (struct grant_seen){GRANT_UNSEEN, NULL};
}

// --- who took it ---------------------------------------------------------------------------------

const struct seen_request *request_that_removed(const struct requests *requests,
                                                const struct seen_request *grant,
                                                const struct hold *own, int64_t until_ns)
{
    for (size_t i = 0; i < requests->count; i++) {
        const struct seen_request *request = &requests->items[i];
        bool is_own_release = request->client == own->client &&
                              request->sent_ns >= own->released_ns &&
                              (request->worker == own->worker || request->worker == 0);
        if (request->key != grant->key || request == grant || !request_was_done(request) ||
            request->answered_ns < grant->sent_ns || request->sent_ns > until_ns || is_own_release)
            continue;
        bool is_renewal = request->client == own->client && request->value == grant->value;
        bool overwrites = request_overwrites(request) && !is_renewal;
        // A script in a release that names the value of another's lock takes it for its own.
        bool by_value = (request->words & REQUEST_COMPARES) != 0 &&
                        request->value == grant->value && request->phase == PHASE_RELEASE;
        if (overwrites || request_deletes(request) || by_value)
            return request;
    }
    return NULL;
}

const struct seen_request *renewal_unchecked(const struct requests *requests, int64_t key,
                                             int client, bool is_its, int64_t from_ns)
{
    for (size_t i = 0; i < requests->count; i++) {
        const struct seen_request *request = &requests->items[i];
        if (request->key == key && (request->client == client) == is_its &&
            request_was_done(request) && request_prolongs(request) &&
            request->answered_ns >= from_ns)
            return request;
    }
    return NULL;
}
