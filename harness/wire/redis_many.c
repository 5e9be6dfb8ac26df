// Several independent Redis servers, asked all at once: see redis.h.
#include "harness/point/gate.h"
#include "harness/wire/parser.h"
#include "harness/wire/redis.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// One of the servers.
struct other {
    struct redis_peer link;
    bool connecting;
    bool waiting;  // for the answer of this round
    bool entering; // AUTH is not answered yet
    int owed;      // answers to come that belong to earlier rounds
};

struct redis_many {
    struct error error; // of a server that answered BROKEN
    const struct service *service;
    int64_t limit_ns;
    struct actor *actor;
    struct other others[MAX_SERVERS];
    struct text command; // on its way to all
    const char *name;    // of its points; NULL: it passes none
    struct redis_said *said;
};

// --- one server ----------------------------------------------------------------------------------

static void give_up(struct other *other)
{
    redis_peer_close(&other->link);
    other->connecting = other->waiting = other->entering = false;
    other->owed = 0;
}

// The round is over for the server.
static void settle(struct redis_many *many, int number, enum outcome outcome)
{
    many->others[number].waiting = false;
    many->said[number].outcome = outcome;
    if (many->name != NULL)
        point(many->actor, POINT_AFTER, many->name);
}

// The connection is of no use any more.
static void lose(struct redis_many *many, int number, enum outcome outcome)
{
    bool waited = many->others[number].waiting;
    give_up(&many->others[number]);
    gate_hear(many->actor->gate, "lost", 4);
    if (waited)
        settle(many, number, outcome);
}

// The socket can be written to: it is connected, or was refused.
static void write_on(struct redis_many *many, int number)
{
    struct other *other = &many->others[number];
    int reason = 0;
    int done = 0;
    socklen_t length = sizeof reason;
    int shaken = 1;
    if (other->connecting)
        getsockopt(other->link.context->fd, SOL_SOCKET, SO_ERROR, &reason, &length);
    if (other->connecting && reason == 0 && other->link.tls != NULL)
        shaken = redis_tls_shake(&other->link, &many->error);
    other->connecting = shaken == 0;
    if (shaken == 0)
        return;
    if (reason != 0 || shaken < 0)
        lose(many, number, OUTCOME_NO);
    else if (redis_peer_write(&other->link, &done) != REDIS_OK)
        lose(many, number, OUTCOME_UNKNOWN);
}

static void begin(struct redis_many *many, int number)
{
    struct other *other = &many->others[number];
    const struct service *service = many->service;
    const struct endpoint *server = &service->servers[number];
    bool is_new = other->link.context == NULL;
    if (is_new)
        other->link.context = redisConnectNonBlock(server->host, server->port);
    if (other->link.context == NULL || other->link.context->err != 0 ||
        (is_new && service->tls != NULL && redis_tls_begin(&other->link, &many->error) != 0)) {
        give_up(other);
        settle(many, number, OUTCOME_NO);
        return;
    }
    if (is_new) {
        other->connecting = true;
        other->entering = service->password[0] != '\0';
        if (many->actor->gate != NULL)
            peer_reset_at_end(other->link.context->fd);
    }
    if (is_new && service->password[0] != '\0' && service->user[0] != '\0')
        redisAppendCommand(other->link.context, "AUTH %s %s", service->user, service->password);
    else if (is_new && service->password[0] != '\0')
        redisAppendCommand(other->link.context, "AUTH %s", service->password);
    redisAppendFormattedCommand(other->link.context, many->command.bytes, many->command.length);
    other->waiting = true;
    if (!other->connecting)
        write_on(many, number); // it nearly always has room
}

// Takes what has come. Answers to earlier rounds are passed over: only their order matters.
static void read_from(struct redis_many *many, int number)
{
    struct other *other = &many->others[number];
    redisReply *reply = NULL;
    bool lost = redis_peer_read(&other->link) != REDIS_OK;
    while (!lost && other->waiting) {
        lost = redisGetReplyFromReader(other->link.context, (void **)&reply) != REDIS_OK;
        if (reply == NULL)
            break;
        struct error error = {0};
        if (other->entering && reply->type == REDIS_REPLY_ERROR) {
            error_set(&many->error, "%s answered: %s; " REDIS_WHO_ADVICE, other->link.peer.name,
                      reply->str);
            lose(many, number, OUTCOME_BROKEN);
        } else if (other->entering) {
            other->entering = false;
        } else if (other->owed > 0) {
            other->owed--;
        } else {
            enum outcome outcome =
                redis_understand(&other->link.peer, reply, &many->said[number].answer, &error);
            if (outcome == OUTCOME_BROKEN)
                many->error = error;
            if (many->name != NULL && many->actor->gate != NULL &&
                gate_order(many->actor) != GATE_LOSE_REPLY)
                redis_hear(many->actor->gate, reply);
            settle(many, number, outcome);
        }
        freeReplyObject(reply);
    }
    if (lost)
        lose(many, number, OUTCOME_UNKNOWN);
}

// --- a round -------------------------------------------------------------------------------------

// Waits for something to do until the time is up. Returns how many wait for an answer.
static int serve(struct redis_many *many, int64_t until_ns)
{
    struct pollfd ends[MAX_SERVERS];
    bool unsent[MAX_SERVERS];
    int servers = many->service->server_count;
    int count = 0;
    for (int i = 0; i < servers; i++) {
        const struct other *other = &many->others[i];
        unsent[i] = other->waiting && (other->connecting || *other->link.context->obuf != '\0');
        ends[i] = (struct pollfd){.fd = other->waiting ? other->link.context->fd : -1,
                                  .events = unsent[i] ? redis_peer_wants(&other->link) : POLLIN};
        count += other->waiting;
    }
    int64_t left_ns = until_ns - clock_monotonic_ns();
    if (count == 0 || left_ns <= 0)
        return count;
    struct timespec limit = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
    ppoll(ends, (nfds_t)servers, &limit, NULL);
    for (int i = 0; i < servers; i++) {
        if (ends[i].revents != 0 && unsent[i])
            write_on(many, i);
        else if (ends[i].revents != 0)
            read_from(many, i);
    }
    return count;
}

static void run_round(struct redis_many *many, const bool *asked, int64_t limit_ns)
{
    int64_t until_ns = clock_monotonic_ns() + limit_ns;
    for (int i = 0; i < many->service->server_count; i++) {
        if (asked == NULL || asked[i])
            begin(many, i);
    }
    while (serve(many, until_ns) > 0 && clock_monotonic_ns() < until_ns)
        continue;
    // The time is up: what was sent may still be executed, and its answer is owed.
    for (int i = 0; i < many->service->server_count; i++) {
        struct other *other = &many->others[i];
        if (other->waiting && other->connecting) {
            if (other->link.tls != NULL) {
                error_set(&many->error, "%s does not answer in time", other->link.peer.name);
                tls_advise(&other->link.peer, &many->error);
            }
            lose(many, i, OUTCOME_NO);
        } else if (other->waiting) {
            other->owed++;
            settle(many, i, OUTCOME_UNKNOWN);
        }
    }
}

// By order of the worker's gate a request, or its answer, is lost with the connection, or refused.
static void ask_in_turn(struct redis_many *many, const bool *asked)
{
    struct step_gate *gate = many->actor->gate;
    for (int i = 0; i < many->service->server_count; i++) {
        bool only[MAX_SERVERS] = {false};
        only[i] = true;
        if (asked != NULL && !asked[i])
            continue;
        gate_hear(gate, many->command.bytes, many->command.length);
        point(many->actor, POINT_BEFORE, many->name);
        enum gate_order order = gate_order(many->actor);
        bool is_sent = order != GATE_LOSE_REQUEST && order != GATE_END;
        struct text command = many->command;
        if (order == GATE_REFUSE) {
            many->command = (struct text){0};
            text_add(&many->command, parser_refused("redis"));
        }
        if (is_sent)
            run_round(many, only, PEER_SET_UP_NS);
        if (order == GATE_REFUSE)
            text_free(&many->command);
        many->command = command;
        if (is_sent && order != GATE_LOSE_REPLY)
            continue;
        if (order != GATE_END)
            give_up(&many->others[i]);
        gate_hear(gate, "lost", 4);
        settle(many, i, OUTCOME_UNKNOWN);
    }
}

void redis_many_ask(struct redis_many *many, const char *const *words, int word_count,
                    const bool *asked, struct redis_said *said)
{
    redis_command_begin(&many->command, (size_t)word_count);
    for (int i = 0; i < word_count; i++)
        redis_command_add(&many->command, words[i]);
    many->name = words[0];
    many->said = said;
    if (many->actor->gate != NULL) {
        ask_in_turn(many, asked);
        return;
    }
    point(many->actor, POINT_BEFORE, words[0]);
    // Each server gets a request of its own, though one point is before all of them.
    int64_t *requests = &many->actor->requests[many->actor->phase];
    (*requests)--;
    for (int i = 0; i < many->service->server_count; i++)
        *requests += asked == NULL || asked[i];
    run_round(many, asked, many->limit_ns);
}

// --- opening and closing -------------------------------------------------------------------------

void *redis_many_open(const struct service *service, int64_t limit_ns, struct actor *actor,
                      struct error *error)
{
    struct redis_many *many = memory_zeroed(1, sizeof *many);
    struct redis_said said[MAX_SERVERS] = {0};
    *many =
        (struct redis_many){.service = service, .limit_ns = limit_ns, .actor = actor, .said = said};
    for (int i = 0; i < service->server_count; i++)
        many->others[i].link.peer = peer_of(service, &service->servers[i], "redis at", 0);
    redis_command_begin(&many->command, 1);
    redis_command_add(&many->command, "PING");
    run_round(many, NULL, PEER_SET_UP_NS);
    for (int i = 0; i < service->server_count; i++) {
        if (said[i].outcome == OUTCOME_OK)
            return many;
    }
    char first[ENDPOINT_ROOM];
    error_set(error, "none of %d redis servers can be reached, the first at %s%s%s",
              service->server_count, endpoint_tell(&service->servers[0], first),
              many->error.text[0] != '\0' ? ": " : "", many->error.text);
    redis_many_close(many);
    return NULL;
}

void redis_many_close(void *servers)
{
    struct redis_many *many = servers;
    if (many == NULL)
        return;
    for (int i = 0; i < MAX_SERVERS; i++)
        give_up(&many->others[i]);
    text_free(&many->command);
    free(many);
}

void redis_many_give_up(struct redis_many *many, int server)
{
    give_up(&many->others[server]);
}

bool redis_many_reuse(void *servers, struct actor *actor)
{
    struct redis_many *many = servers;
    for (int i = 0; i < MAX_SERVERS; i++) {
        struct other *other = &many->others[i];
        if (other->link.context != NULL &&
            (other->connecting || other->entering || other->owed > 0 ||
             !peer_is_quiet(other->link.context->fd)))
            give_up(other);
    }
    many->actor = actor;
    many->error.text[0] = '\0';
    return true;
}
