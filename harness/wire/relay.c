#include "harness/wire/relay.h"

#include "harness/base/text.h"
#include "harness/wire/relay_network.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE_BYTES (64 * 1024)
#define STACK_BYTES (256 * 1024)
#define CHANCE_MS 100

// One connection of the client, and ours to its server. Each direction is a thread.
struct connection {
    struct connection *next;
    struct relay *relay;
    struct tap *tap;
    int client, server;     // sockets; -1: none
    int wake;               // an eventfd: it is to end
    _Atomic bool is_broken; // ends by a reset
    _Atomic bool is_over;
    pthread_t thread;
};

struct relay {
    struct relay_settings settings;
    struct relay_network network;
    int wake; // an eventfd: it is to end
    pthread_t thread;
    bool has_thread;
    pthread_attr_t attributes;
    struct connection *connections; // the accepting thread's
};

// --- passing bytes on ----------------------------------------------------------------------------

// Ends both directions.
static void break_off(struct connection *connection)
{
    atomic_store(&connection->is_broken, true);
    (void)!eventfd_write(connection->wake, 1);
}

// Waits for the socket; false if the connection is to end.
static bool await(const struct connection *connection, int socket, short events)
{
    struct pollfd ready[] = {{.fd = socket, .events = events},
                             {.fd = connection->wake, .events = POLLIN}};
    while (poll(ready, 2, -1) < 0 && errno == EINTR)
        continue;
    return ready[1].revents == 0;
}

static bool send_all(const struct connection *connection, int socket, const uint8_t *bytes,
                     size_t length)
{
    while (length > 0) {
        ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && errno != EINTR &&
                   (errno != EAGAIN || !await(connection, socket, POLLOUT))) {
            return false;
        }
    }
    return true;
}

// --- points --------------------------------------------------------------------------------------

// A thread that passes points: nobody's, but in each request's name.
struct passer {
    struct connection *connection;
    struct history_writer writer;
    enum point_side side;
    int from, to; // sockets
};

static bool is_armed(const struct passer *passer)
{
    const struct point_board *board = passer->connection->relay->settings.board;
    return board != NULL && atomic_load_explicit(&board->armed, memory_order_relaxed) != 0;
}

static void pass_point(struct passer *passer, const struct tap_request *request)
{
    const struct relay_settings *settings = &passer->connection->relay->settings;
    struct actor actor = {.client = settings->client,
                          .worker = request->worker,
                          .phase = request->phase,
                          .board = settings->board,
                          .history = &passer->writer};
    passer->writer.worker = (uint16_t)request->worker;
    settings->stop(settings->context, request, true);
    point(&actor, passer->side, request->name);
    settings->stop(settings->context, request, false);
}

// What passes, for whoever explains what came of it. Not where connections come and go so fast that
// their beginnings would fill the history, which the clients need.
static void record(struct passer *passer, const struct tap_request *request)
{
    const struct history_file *file = passer->connection->relay->settings.history;
    bool is_reply = passer->side == POINT_AFTER;
    if (file == NULL || !tap_understands(passer->connection->tap) ||
        history_file_is_half_full(file))
        return;
    struct event event = {.kind = is_reply ? EVENT_REPLY : EVENT_REQUEST,
                          .at_ns = is_reply ? 0 : request->asked_ns,
                          .request = {0, request->key, request->value,
                                      is_reply ? request->asked_ns : request->ttl_ms}};
    event.detail = (uint8_t)(is_reply ? (unsigned)request->reply
                                      : request->words | (unsigned)request->phase << REQUEST_PHASE);
    memcpy(&event.request.command, request->name,
           strnlen(request->name, sizeof event.request.command));
    passer->writer.worker = (uint16_t)request->worker;
    history_append(&passer->writer, event);
}

static size_t read_piece(struct passer *passer, const uint8_t *bytes, size_t length, bool *found,
                         struct tap_request *request)
{
    const struct relay_settings *settings = &passer->connection->relay->settings;
    struct tap *tap = passer->connection->tap;
    if (passer->side == POINT_AFTER) {
        size_t replied = tap_read_replies(tap, bytes, length, found, request);
        int64_t notices = tap_notices(tap);
        if (notices != 0 && settings->noticed != NULL)
            settings->noticed(settings->context, notices);
        if (*found && settings->replied != NULL)
            settings->replied(settings->context, request);
        if (*found)
            record(passer, request);
        return replied;
    }
    size_t used = tap_read_requests(tap, bytes, length, found, request);
    if (*found) {
        settings->ask(settings->context, request);
        record(passer, request);
        tap_asked(tap, request);
    }
    return used;
}

// Sends on what was read. What comes before a request or a reply goes before its point, if anybody
// may be stopped there.
static bool forward(struct passer *passer, const uint8_t *bytes, size_t length)
{
    size_t sent = 0;
    for (size_t at = 0; at < length;) {
        bool found;
        struct tap_request request;
        size_t used = read_piece(passer, bytes + at, length - at, &found, &request);
        if (found && is_armed(passer)) {
            if (!send_all(passer->connection, passer->to, bytes + sent, at - sent))
                return false;
            sent = at;
            pass_point(passer, &request);
        }
        at += used;
    }
    return send_all(passer->connection, passer->to, bytes + sent, length - sent);
}

static void *pump(void *context)
{
    struct passer *passer = context;
    struct connection *connection = passer->connection;
    uint8_t *bytes = memory_new(PIECE_BYTES);
    for (;;) {
        ssize_t got = recv(passer->from, bytes, PIECE_BYTES, MSG_DONTWAIT);
        if (got == 0) {
            shutdown(passer->to, SHUT_WR);
            break;
        }
        bool waits = got < 0 && (errno == EAGAIN || errno == EINTR);
        bool fine = waits ? await(connection, passer->from, POLLIN)
                          : got > 0 && forward(passer, bytes, (size_t)got);
        if (!fine) {
            break_off(connection);
            break;
        }
    }
    free(bytes);
    return NULL;
}

// --- a connection --------------------------------------------------------------------------------

// Waits until the server has answered, the connection is to end, or the client no longer waits. One
// that has said all that it has to say looks the same, so that a server which is there gets a
// chance.
static bool await_server(const struct connection *connection)
{
    struct pollfd ready[] = {{.fd = connection->server, .events = POLLOUT},
                             {.fd = connection->wake, .events = POLLIN},
                             {.fd = connection->client, .events = POLLRDHUP}};
    while (poll(ready, 3, -1) < 0 && errno == EINTR)
        continue;
    if (ready[0].revents == 0 && ready[1].revents == 0)
        poll(ready, 2, CHANCE_MS);
    return ready[0].revents != 0 && ready[1].revents == 0;
}

// Where the client wanted to: false if that cannot be reached, or the client no longer waits.
static bool connect_on(struct connection *connection)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int reason = 0;
    socklen_t reason_length = sizeof reason;
    connection->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection->server < 0 ||
        getsockname(connection->client, (struct sockaddr *)&address, &length) != 0)
        return false;
    if (connect(connection->server, (struct sockaddr *)&address, length) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    return await_server(connection) &&
           getsockopt(connection->server, SOL_SOCKET, SO_ERROR, &reason, &reason_length) == 0 &&
           reason == 0;
}

static void pump_both(struct connection *connection)
{
    const struct relay_settings *settings = &connection->relay->settings;
    struct passer passers[] = {{.connection = connection,
                                .side = POINT_BEFORE,
                                .from = connection->client,
                                .to = connection->server},
                               {.connection = connection,
                                .side = POINT_AFTER,
                                .from = connection->server,
                                .to = connection->client}};
    pthread_t replies;
    for (size_t i = 0; i < 2 && settings->history != NULL; i++)
        history_writer_start(&passers[i].writer, settings->history, settings->client, 0);
    if (pthread_create(&replies, &connection->relay->attributes, pump, &passers[1]) != 0) {
        break_off(connection);
        return;
    }
    pump(&passers[0]);
    pthread_join(replies, NULL);
}

static void close_socket(const struct connection *connection, int socket)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (socket < 0)
        return;
    if (atomic_load(&connection->is_broken))
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(socket);
}

static void *serve(void *context)
{
    struct connection *connection = context;
    int yes = 1;
    if (connect_on(connection)) {
        setsockopt(connection->client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        setsockopt(connection->server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        pump_both(connection);
    } else {
        atomic_store(&connection->is_broken, true);
    }
    close_socket(connection, connection->client);
    close_socket(connection, connection->server);
    connection->client = connection->server = -1;
    atomic_store(&connection->is_over, true);
    return NULL;
}

static void free_connection(struct connection *connection)
{
    pthread_join(connection->thread, NULL);
    tap_free(connection->tap);
    close(connection->wake);
    free(connection);
}

// --- accepting -----------------------------------------------------------------------------------

static void reap(struct relay *relay)
{
    struct connection **place = &relay->connections;
    while (*place != NULL) {
        struct connection *connection = *place;
        if (atomic_load(&connection->is_over)) {
            *place = connection->next;
            free_connection(connection);
        } else {
            place = &connection->next;
        }
    }
}

static void take(struct relay *relay, int listener)
{
    int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0)
        return;
    struct connection *connection = memory_zeroed(1, sizeof *connection);
    *connection = (struct connection){.relay = relay,
                                      .tap = tap_new(relay->settings.service->kind),
                                      .client = socket,
                                      .server = -1,
                                      .wake = eventfd(0, EFD_CLOEXEC)};
    if (connection->wake < 0 ||
        pthread_create(&connection->thread, &relay->attributes, serve, connection) != 0) {
        tap_free(connection->tap);
        close(socket);
        if (connection->wake >= 0)
            close(connection->wake);
        free(connection);
        return;
    }
    connection->next = relay->connections;
    relay->connections = connection;
}

static void *accept_all(void *context)
{
    struct relay *relay = context;
    int count = relay->network.count;
    struct pollfd ready[MOST_LISTENERS + 1];
    for (int i = 0; i < count; i++)
        ready[i] = (struct pollfd){.fd = relay->network.listeners[i], .events = POLLIN};
    ready[count] = (struct pollfd){.fd = relay->wake, .events = POLLIN};
    for (;;) {
        if (poll(ready, (nfds_t)count + 1, -1) < 0)
            continue;
        if (ready[count].revents != 0)
            break;
        reap(relay);
        for (int i = 0; i < count; i++) {
            if (ready[i].revents != 0)
                take(relay, ready[i].fd);
        }
    }
    for (struct connection *each = relay->connections; each != NULL; each = each->next)
        break_off(each);
    while (relay->connections != NULL) {
        struct connection *next = relay->connections->next;
        free_connection(relay->connections);
        relay->connections = next;
    }
    return NULL;
}

struct relay *relay_start(const struct relay_settings *settings, struct error *error)
{
    struct relay *relay = memory_zeroed(1, sizeof *relay);
    relay->settings = *settings;
    relay->wake = eventfd(0, EFD_CLOEXEC);
    pthread_attr_init(&relay->attributes);
    pthread_attr_setstacksize(&relay->attributes, STACK_BYTES);
    int result = relay_network_open(&relay->network, settings->service, error);
    if (result == 0) {
        int reason = pthread_create(&relay->thread, &relay->attributes, accept_all, relay);
        relay->has_thread = reason == 0;
        if (reason == 0)
            return relay;
        error_set(error, "cannot start a relay's thread: %s", strerror(reason));
    }
    relay_stop(relay);
    return NULL;
}

void relay_stop(struct relay *relay)
{
    if (relay == NULL)
        return;
    (void)!eventfd_write(relay->wake, 1);
    if (relay->has_thread)
        pthread_join(relay->thread, NULL);
    relay_network_close(&relay->network);
    pthread_attr_destroy(&relay->attributes);
    close(relay->wake);
    free(relay);
}

int relay_network(const struct relay *relay)
{
    return relay->network.descriptor;
}
