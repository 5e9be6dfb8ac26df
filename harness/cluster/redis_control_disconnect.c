// Connections that a Redis server ends.
#include "harness/base/text.h"
#include "harness/cluster/control_pause.h"
#include "harness/cluster/redis_control_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const redis_links[] = {"connection", "pubsub", NULL};

// A line of CLIENT LIST, as far as it matters.
struct listed {
    long long id;
    char address[64];
    int port;
    char flags[24]; // P subscribes, S is a replica, M a master
};

struct ids {
    long long *items;
    size_t count;
};

// "id=3 addr=10.77.1.4:40112 laddr=... flags=P ..."
static bool read_line(const char *line, struct listed *listed)
{
    *listed = (struct listed){0};
    const char *flags = strstr(line, " flags=");
    if (sscanf(line, "id=%lld addr=%63s", &listed->id, listed->address) != 2 || flags == NULL ||
        sscanf(flags, " flags=%23s", listed->flags) != 1)
        return false;
    char *colon = strrchr(listed->address, ':');
    if (colon == NULL)
        return false;
    listed->port = (int)strtol(colon + 1, NULL, 10);
    *colon = '\0';
    return true;
}

static bool is_of(const struct listed *listed, const struct client_end *client)
{
    bool found = client->ports == NULL;
    for (int i = 0; !found && i < client->port_count; i++)
        found = client->ports[i] == listed->port;
    return found && strcmp(listed->address, client->address) == 0;
}

// Servers' links to each other are no client's, wherever they come from.
static bool is_meant(const struct listed *listed, const struct client_end *client,
                     bool only_subscribers)
{
    return is_of(listed, client) && strpbrk(listed->flags, "SM") == NULL &&
           (!only_subscribers || strchr(listed->flags, 'P') != NULL);
}

static long long own_id(struct redis_link *link, struct error *error)
{
    redisReply *reply = redis_link_ask(link, error, "CLIENT ID");
    long long id = -1;
    if (reply != NULL && reply->type == REDIS_REPLY_INTEGER)
        id = reply->integer;
    else if (reply != NULL)
        redis_unexpected(link, "CLIENT ID", reply, error);
    freeReplyObject(reply);
    return id;
}

// Calls `see` with each client that the server lists. 0, or -1 with `error` set.
static int list_clients(struct redis_link *link, void (*see)(const struct listed *, void *),
                        void *context, struct error *error)
{
    redisReply *reply = redis_link_ask(link, error, "CLIENT LIST");
    if (reply == NULL)
        return -1;
    int result =
        reply->type == REDIS_REPLY_STRING ? 0 : redis_unexpected(link, "CLIENT LIST", reply, error);
    for (const char *line = result == 0 ? reply->str : NULL; line != NULL && *line != '\0';) {
        struct listed listed;
        if (read_line(line, &listed))
            see(&listed, context);
        const char *end = strchr(line, '\n');
        line = end != NULL ? end + 1 : NULL;
    }
    freeReplyObject(reply);
    return result;
}

// --- finding -------------------------------------------------------------------------------------

struct search {
    const struct client_end *client;
    bool only_subscribers;
    long long own_id;
    struct ids *found;
};

static void note_if_meant(const struct listed *listed, void *context)
{
    struct search *search = context;
    if (listed->id == search->own_id || !is_meant(listed, search->client, search->only_subscribers))
        return;
    struct ids *found = search->found;
    found->items = memory_resized(found->items, (found->count + 1) * sizeof *found->items);
    found->items[found->count++] = listed->id;
}

// --- ending --------------------------------------------------------------------------------------

// How many were still there to be ended, or -1 with `error` set.
static int end_all(struct redis_link *link, const struct ids *ids, struct error *error)
{
    int ended = 0;
    for (size_t i = 0; i < ids->count; i++)
        redisAppendCommand(link->context, "CLIENT KILL ID %lld", ids->items[i]);
    for (size_t i = 0; i < ids->count; i++) {
        redisReply *reply = redis_link_next(link, error);
        if (reply == NULL)
            return -1;
        bool is_refused = redis_is_error(reply, "");
        if (is_refused)
            redis_unexpected(link, "CLIENT KILL", reply, error);
        ended += reply->integer == 1;
        freeReplyObject(reply);
        if (is_refused)
            return -1;
    }
    return ended;
}

struct survivors {
    const struct ids *ended;
    size_t count;
};

static void count_survivor(const struct listed *listed, void *context)
{
    struct survivors *survivors = context;
    for (size_t i = 0; i < survivors->ended->count; i++)
        survivors->count += survivors->ended->items[i] == listed->id;
}

static int await_end(struct redis_link *link, const struct ids *ids, struct error *error)
{
    for (;;) {
        struct survivors survivors = {.ended = ids};
        if (list_clients(link, count_survivor, &survivors, error) != 0)
            return -1;
        if (survivors.count == 0)
            return 0;
        if (!control_pause(link->give_up_ns, "the client's connections are gone", error))
            return -1;
    }
}

int redis_disconnect(const struct node *node, const struct client_end *client, const char *kind,
                     struct error *error)
{
    struct redis_link link;
    struct ids found = {0};
    if (kind != NULL && !text_is_one_of(kind, redis_links))
        return error_set(error, "Redis knows no link '%s' of a client", kind);
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    struct search search = {.client = client,
                            .only_subscribers = kind != NULL && strcmp(kind, "pubsub") == 0,
                            .own_id = own_id(&link, error),
                            .found = &found};
    int ended = -1;
    if (search.own_id >= 0 && list_clients(&link, note_if_meant, &search, error) == 0)
        ended = end_all(&link, &found, error);
    if (ended > 0 && await_end(&link, &found, error) != 0)
        ended = -1;
    free(found.items);
    redis_link_close(&link);
    return ended;
}
