#include "harness/wire/redis_listener.h"

#include <string.h>

// --- connecting ----------------------------------------------------------------------------------

static struct timeval to_timeval(int64_t duration_ns)
{
    return (struct timeval){.tv_sec = (time_t)(duration_ns / NS_PER_S),
                            .tv_usec = (suseconds_t)(duration_ns % NS_PER_S / 1000)};
}

static bool is_let_in(redisContext *context, const struct service *service)
{
    if (service->password[0] == '\0')
        return true;
    redisReply *reply = service->user[0] != '\0'
                            ? redisCommand(context, "AUTH %s %s", service->user, service->password)
                            : redisCommand(context, "AUTH %s", service->password);
    bool let_in = reply != NULL && reply->type == REDIS_REPLY_STATUS;
    if (reply != NULL)
        freeReplyObject(reply);
    return let_in;
}

static bool is_master(redisContext *context)
{
    redisReply *reply = redisCommand(context, "ROLE");
    bool master = reply != NULL && reply->type == REDIS_REPLY_ARRAY && reply->elements > 0 &&
                  reply->element[0]->type == REDIS_REPLY_STRING &&
                  strcmp(reply->element[0]->str, "master") == 0;
    if (reply != NULL)
        freeReplyObject(reply);
    return master;
}

// Why the server on this new connection is not the one to listen to, or NULL.
static const char *objection(const struct redis_listener *listener, redisContext *context,
                             bool only_a_master)
{
    if (context == NULL)
        return "out of memory";
    if (context->err != 0)
        return context->errstr;
    redisSetTimeout(context, to_timeval(listener->request_ns));
    if (!is_let_in(context, listener->service))
        return "it does not let us in; check user and password";
    if (only_a_master && !is_master(context))
        return "it is no master";
    return NULL;
}

static bool connect_to(struct redis_listener *listener, int server, bool only_a_master,
                       int64_t limit_ns)
{
    const struct endpoint *endpoint = &listener->service->servers[server];
    redisContext *context =
        redisConnectWithTimeout(endpoint->host, endpoint->port, to_timeval(limit_ns));
    const char *why = objection(listener, context, only_a_master);
    if (why != NULL) {
        error_set(&listener->error, "cannot subscribe to channels of redis at %s:%d: %s",
                  endpoint->host, endpoint->port, why);
        if (context != NULL)
            redisFree(context);
        return false;
    }
    listener->context = context;
    listener->next_server = server;
    listener->unanswered = 0;
    listener->heard_ns = clock_monotonic_ns();
    return true;
}

bool listener_connect(struct redis_listener *listener, int64_t limit_ns)
{
    int count = listener->service->server_count;
    bool has_replicas = strcmp(listener->service->topology, "sentinel") == 0;
    for (int round = has_replicas ? 0 : 1; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            if (connect_to(listener, (listener->next_server + i) % count, round == 0, limit_ns))
                return true;
        }
    }
    return false;
}

void listener_disconnect(struct redis_listener *listener)
{
    if (listener->context == NULL)
        return;
    redisFree(listener->context);
    listener->context = NULL;
    listener->next_server++;
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
