#include "harness/wire/redis_many.h"

#include "harness/base/text.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// For the first connections, which are set-up.
#define SET_UP_NS (10 * NS_PER_S)

struct peer {
    redisContext *context; // NULL: not connected
    bool connecting;
    bool waiting; // for the answer of this round
    int owed;     // answers to come that belong to earlier rounds
};

struct redis_many {
    const struct service *service;
    int64_t limit_ns;
    struct actor *actor;
    struct peer peers[MAX_SERVERS];
    struct error error;
};

// One command on its way to all.
struct round {
    struct redis_many *many;
    const char *name; // NULL: passes no points
    char *command;
    size_t length;
    struct redis_said *said;
};

// --- one server ----------------------------------------------------------------------------------

static void give_up(struct peer *peer)
{
    if (peer->context != NULL)
        redisFree(peer->context);
    *peer = (struct peer){0};
}

static void settle(const struct round *round, int number, enum outcome outcome)
{
    round->many->peers[number].waiting = false;
    round->said[number].outcome = outcome;
    if (round->name != NULL)
        point(round->many->actor, POINT_AFTER, round->name);
}

static void begin_to_connect(const struct service *service, int number, struct peer *peer)
{
    const struct endpoint *endpoint = &service->servers[number];
    *peer = (struct peer){.context = redisConnectNonBlock(endpoint->host, endpoint->port)};
    if (peer->context == NULL || peer->context->err != 0) {
        give_up(peer);
        return;
    }
    peer->connecting = true;
    if (service->password[0] == '\0')
        return;
    if (service->user[0] != '\0')
        redisAppendCommand(peer->context, "AUTH %s %s", service->user, service->password);
    else
        redisAppendCommand(peer->context, "AUTH %s", service->password);
    peer->owed = 1;
}

static void begin(const struct round *round, int number)
{
    struct peer *peer = &round->many->peers[number];
    if (peer->context == NULL)
        begin_to_connect(round->many->service, number, peer);
    if (peer->context == NULL) {
        settle(round, number, OUTCOME_NO);
        return;
    }
    redisAppendFormattedCommand(peer->context, round->command, round->length);
    peer->waiting = true;
}

// The socket can be written to: it is connected, or was refused.
static void write_on(const struct round *round, int number)
{
    struct peer *peer = &round->many->peers[number];
    int reason = 0;
    int done = 0;
    socklen_t length = sizeof reason;
    if (peer->connecting) {
        getsockopt(peer->context->fd, SOL_SOCKET, SO_ERROR, &reason, &length);
        peer->connecting = false;
    }
    if (reason != 0) {
        give_up(peer);
        settle(round, number, OUTCOME_NO);
    } else if (redisBufferWrite(peer->context, &done) != REDIS_OK) {
        give_up(peer);
        settle(round, number, OUTCOME_UNKNOWN);
    }
}

static enum outcome understand(struct redis_many *many, int number, const redisReply *reply,
                               struct redis_answer *answer)
{
    *answer = (struct redis_answer){.kind = REDIS_NIL};
    if (reply->type == REDIS_REPLY_ERROR) {
        enum outcome outcome = redis_error_outcome(reply->str);
        const struct endpoint *endpoint = &many->service->servers[number];
        if (outcome == OUTCOME_BROKEN)
            error_set(&many->error, "redis at %s:%d answered: %s", endpoint->host, endpoint->port,
                      reply->str);
        return outcome;
    }
    if (reply->type == REDIS_REPLY_INTEGER) {
        answer->kind = REDIS_INTEGER;
        answer->integer = reply->integer;
    } else if (reply->type == REDIS_REPLY_STATUS || reply->type == REDIS_REPLY_STRING) {
        answer->kind = reply->type == REDIS_REPLY_STATUS ? REDIS_STATUS : REDIS_STRING;
        snprintf(answer->text, sizeof answer->text, "%s", reply->str);
    }
    return OUTCOME_OK;
}

// Takes what has come. Answers to earlier rounds are passed over: only their order matters.
static void read_from(const struct round *round, int number)
{
    struct peer *peer = &round->many->peers[number];
    redisReply *reply = NULL;
    bool lost = redisBufferRead(peer->context) != REDIS_OK;
    while (!lost && peer->waiting) {
        lost = redisGetReplyFromReader(peer->context, (void **)&reply) != REDIS_OK;
        if (reply == NULL)
            break;
        if (peer->owed > 0)
            peer->owed--;
        else
            settle(round, number,
                   understand(round->many, number, reply, &round->said[number].answer));
        freeReplyObject(reply);
    }
    if (!lost)
        return;
    bool waited = peer->waiting;
    give_up(peer);
    if (waited)
        settle(round, number, OUTCOME_UNKNOWN);
}

// The round's time is up: what was sent may still be executed, and its answer is owed.
static void time_out(const struct round *round, int number)
{
    struct peer *peer = &round->many->peers[number];
    if (peer->connecting) {
        give_up(peer);
        settle(round, number, OUTCOME_NO);
        return;
    }
    peer->owed++;
    settle(round, number, OUTCOME_UNKNOWN);
}

// --- a round -------------------------------------------------------------------------------------

// Waits for something to do until the time is up. Returns how many wait for an answer.
static int serve(const struct round *round, int64_t until_ns)
{
    struct redis_many *many = round->many;
    struct pollfd ends[MAX_SERVERS];
    int numbers[MAX_SERVERS];
    int count = 0;
    for (int i = 0; i < many->service->server_count; i++) {
        const struct peer *peer = &many->peers[i];
        if (!peer->waiting)
            continue;
        bool unsent = peer->connecting || *peer->context->obuf != '\0';
        short events = unsent ? POLLOUT : POLLIN;
        ends[count] = (struct pollfd){.fd = peer->context->fd, .events = events};
        numbers[count++] = i;
    }
    int64_t left_ns = until_ns - clock_monotonic_ns();
    if (count == 0 || left_ns <= 0)
        return count;
    struct timespec limit = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
    ppoll(ends, (nfds_t)count, &limit, NULL);
    for (int i = 0; i < count; i++) {
        if (ends[i].revents == 0)
            continue;
        if (ends[i].events == POLLOUT)
            write_on(round, numbers[i]);
        else
            read_from(round, numbers[i]);
    }
    return count;
}

static void run_round(const struct round *round, const bool *asked, int64_t limit_ns)
{
    struct redis_many *many = round->many;
    int64_t until_ns = clock_monotonic_ns() + limit_ns;
    for (int i = 0; i < many->service->server_count; i++) {
        if (asked == NULL || asked[i])
            begin(round, i);
    }
    while (serve(round, until_ns) > 0 && clock_monotonic_ns() < until_ns)
        continue;
    for (int i = 0; i < many->service->server_count; i++) {
        if (many->peers[i].waiting)
            time_out(round, i);
    }
}

// Each server gets a request of its own, though one point is before all of them.
static int count_asked(const struct redis_many *many, const bool *asked)
{
    int count = 0;
    for (int i = 0; i < many->service->server_count; i++)
        count += asked == NULL || asked[i];
    return count;
}

void redis_many_ask(struct redis_many *many, const char *const *words, int word_count,
                    const bool *asked, struct redis_said *said)
{
    struct round round = {.many = many, .name = words[0], .said = said};
    const char **list = (const char **)(size_t)words;
    round.length = (size_t)redisFormatCommandArgv(&round.command, word_count, list, NULL);
    point(many->actor, POINT_BEFORE, words[0]);
    many->actor->requests[many->actor->phase] += count_asked(many, asked) - 1;
    run_round(&round, asked, many->limit_ns);
    redisFreeCommand(round.command);
}

// --- opening and closing -------------------------------------------------------------------------

struct redis_many *redis_many_open(const struct service *service, int64_t limit_ns,
                                   struct actor *actor, struct error *error)
{
    struct redis_many *many = memory_zeroed(1, sizeof *many);
    struct redis_said said[MAX_SERVERS] = {0};
    int reached = 0;
    *many = (struct redis_many){.service = service, .limit_ns = limit_ns, .actor = actor};
    struct round round = {.many = many, .said = said};
    round.length = (size_t)redisFormatCommand(&round.command, "PING");
    run_round(&round, NULL, SET_UP_NS);
    redisFreeCommand(round.command);
    for (int i = 0; i < service->server_count; i++)
        reached += said[i].outcome == OUTCOME_OK;
    if (reached > 0)
        return many;
    error_set(error, "none of %d redis servers can be reached, the first at %s:%d",
              service->server_count, service->servers[0].host, service->servers[0].port);
    redis_many_close(many);
    return NULL;
}

void redis_many_close(struct redis_many *many)
{
    if (many == NULL)
        return;
    for (int i = 0; i < MAX_SERVERS; i++)
        give_up(&many->peers[i]);
    free(many);
}

const char *redis_many_error(const struct redis_many *many)
{
    return many->error.text;
}
