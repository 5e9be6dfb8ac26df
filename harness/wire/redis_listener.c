#include "harness/wire/redis_listener.h"

#include <string.h>

#define SET_UP_NS (10 * NS_PER_S)

// --- connecting ----------------------------------------------------------------------------------

bool listener_connect(struct redis_listener *listener, struct error *error)
{
    static const struct clock clock = {0};
    struct error ignored;
    enum redis_entry entry = error != NULL
                                 ? redis_route_connect_patiently(&listener->route, SET_UP_NS,
                                                                 &clock, &listener->context, error)
                                 : redis_route_connect(&listener->route, listener->request_ns,
                                                       &listener->context, &ignored);
    if (entry != ENTRY_OPEN)
        return false;
    redisSetTimeout(listener->context, redis_timeval(listener->request_ns));
    listener->unanswered = 0;
    listener->heard_ns = clock_monotonic_ns();
    return true;
}

void listener_disconnect(struct redis_listener *listener)
{
    struct redis_route *route = &listener->route;
    if (listener->context == NULL)
        return;
    redisFree(listener->context);
    listener->context = NULL;
    if (route->kind != ROUTE_CLUSTER)
        return;
    route->next = (route->next + 1) % route->service->server_count;
    route->endpoint = route->service->servers[route->next];
}

// --- talking -------------------------------------------------------------------------------------

static void count_request(struct redis_listener *listener)
{
    if (listener->unanswered++ == 0)
        listener->asked_ns = clock_monotonic_ns();
}

void listener_ask(struct redis_listener *listener, const char *command, const char *channel)
{
    count_request(listener);
    redisAppendCommand(listener->context, "%s %s", command, channel);
}

bool listener_flush(struct redis_listener *listener)
{
    int64_t now_ns = clock_monotonic_ns();
    if (listener->unanswered > 0 && now_ns >= listener->asked_ns + listener->request_ns)
        return false;
    if (listener->unanswered == 0 && now_ns >= listener->heard_ns + listener->ping_ns) {
        count_request(listener);
        redisAppendCommand(listener->context, "PING");
    }
    int done = 0;
    while (!done) {
        if (redisBufferWrite(listener->context, &done) != REDIS_OK)
            return false;
    }
    return true;
}

int64_t listener_next_flush_ns(const struct redis_listener *listener)
{
    return listener->unanswered > 0 ? listener->asked_ns + listener->request_ns
                                    : listener->heard_ns + listener->ping_ns;
}

static void count_answer(struct redis_listener *listener)
{
    if (listener->unanswered > 0)
        listener->unanswered--;
    listener->asked_ns = clock_monotonic_ns();
}

static const char *text_of(const redisReply *reply, size_t item)
{
    return item < reply->elements && reply->element[item]->str != NULL ? reply->element[item]->str
                                                                       : "";
}

// False for an error, after which nothing can be relied on. PONG is a status while nothing is
// subscribed, else an array of two.
static bool understand(struct redis_listener *listener, const redisReply *reply,
                       listener_hears *hears, void *context)
{
    if (reply->type != REDIS_REPLY_STATUS && reply->type != REDIS_REPLY_ARRAY)
        return false;
    const char *what = text_of(reply, 0);
    if (strcmp(what, "message") != 0)
        count_answer(listener);
    if (reply->elements == 3)
        hears(context, what, text_of(reply, 1), text_of(reply, 2));
    return true;
}

bool listener_read(struct redis_listener *listener, listener_hears *hears, void *context)
{
    if (redisBufferRead(listener->context) != REDIS_OK)
        return false;
    listener->heard_ns = clock_monotonic_ns();
    for (;;) {
        void *reply = NULL;
        if (redisGetReplyFromReader(listener->context, &reply) != REDIS_OK)
            return false;
        if (reply == NULL)
            return true;
        bool fine = understand(listener, reply, hears, context);
        freeReplyObject(reply);
        if (!fine)
            return false;
    }
}
