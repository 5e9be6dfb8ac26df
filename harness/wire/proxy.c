#include "harness/wire/proxy.h"

#include "harness/base/futex.h"
#include "harness/base/scope.h"
#include "harness/cluster/network.h"
#include "harness/wire/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_LISTENERS (2 * MAX_SERVERS)
#define WAITING_CONNECTIONS 512
#define PIECE_BYTES (64 * 1024)
#define STACK_BYTES (256 * 1024)
#define CHANCE_MS 100
#define AT_ITS_END UINT32_MAX

// One connection of the client, and ours to its server. Each direction is a thread.
struct connection {
    struct connection *next;
    struct proxy *proxy;
    struct parser *parser;                 // NULL: bytes are passed on unread
    const struct sockaddr_storage *onward; // its server; NULL: whom the client wanted to reach
    int client, server;                    // sockets; -1: none
    int wake;                              // an eventfd: it is to end
    _Atomic bool is_broken;                // ends by a reset
    // Of a program that is explored:
    // Each direction's turns: 0 before it begins, odd while it is at work, at last AT_ITS_END.
    _Atomic uint32_t turns[2];
    _Atomic uint32_t stands;          // a futex: 1 while a request stands, 2: its reply
    _Atomic uint32_t order;           // enum gate_order
    struct parsed_request standing;   // while it does
    struct text said[2];              // of the request, and of the reply, that is being read
    _Atomic uint64_t asked, answered; // requests that are answered, and replies
};

struct proxy {
    struct proxy_settings settings;
    int network;                   // the namespace; -1: none
    int listeners[MOST_LISTENERS]; // sockets in it, one for each port of a server
    struct sockaddr_storage
        onward[MOST_LISTENERS]; // with has_onward: where each one's connections go
    int listener_count;
    bool has_onward;
    struct proxy_alarm alarm;
    int wake;  // an eventfd: it is to end
    int ended; // an eventfd: a connection has
    pthread_t thread;
    bool has_thread;
    pthread_attr_t attributes;
    pthread_mutex_t mutex;          // guards what follows
    struct connection *connections; // each until its thread has ended
    struct connection *unstarted;   // has no thread yet; NULL: none
    struct text heard;
    _Atomic uint32_t histories; // how many have begun
};

// --- passing bytes on ----------------------------------------------------------------------------

static void let_go(struct connection *connection, enum gate_order order)
{
    atomic_store(&connection->order, order);
    futex_set(&connection->stands, 0);
}

// Ends both directions.
static void break_off(struct connection *connection)
{
    atomic_store(&connection->is_broken, true);
    (void)!eventfd_write(connection->wake, 1);
    if (atomic_load(&connection->stands) != 0)
        let_go(connection, GATE_END);
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
    uint32_t histories;
    const char *refused; // what goes instead of the request that has stood; NULL: that goes
};

static void pass_point(struct passer *passer, const struct parsed_request *request)
{
    const struct proxy_settings *settings = &passer->connection->proxy->settings;
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
static void record(struct passer *passer, const struct parsed_request *request)
{
    const struct history_file *file = passer->connection->proxy->settings.history;
    bool is_reply = passer->side == POINT_AFTER;
    if (file == NULL || !parser_understands(passer->connection->parser) ||
        history_file_is_half_full(file))
        return;
    uint32_t histories = atomic_load(&passer->connection->proxy->histories);
    if (passer->histories != histories)
        history_writer_start(&passer->writer, file, passer->connection->proxy->settings.client, 0);
    passer->histories = histories;
    passer->writer.worker = (uint16_t)request->worker;
    parsed_request_record(request, is_reply, &passer->writer);
}

// --- standing ------------------------------------------------------------------------------------

// What makes a connection usable says nothing of locks.
static bool stands(const struct parsed_request *request)
{
    static const char *const passing[] = {"AUTH", "CLIENT", "COMMAND",  "ECHO",   "HELLO", "INFO",
                                          "PING", "QUIT",   "READONLY", "SELECT", NULL};
    return !text_is_one_of(request->name, passing);
}

static void hear(struct passer *passer, const struct parsed_request *request)
{
    struct proxy *proxy = passer->connection->proxy;
    struct text *said = &passer->connection->said[passer->side == POINT_AFTER];
    HOLD_MUTEX(&proxy->mutex);
    if (stands(request))
        parser_tell(passer->connection->parser, said, &proxy->heard);
    said->length = 0;
}

static enum gate_order stand(struct connection *connection, const struct parsed_request *request,
                             uint32_t how)
{
    connection->standing = *request;
    atomic_store(&connection->stands, how);
    futex_ring(&connection->proxy->settings.rest->changed);
    while (atomic_load(&connection->stands) == how && !atomic_load(&connection->is_broken))
        futex_wait_until_ns(&connection->stands, how, TIME_NEVER);
    return (enum gate_order)atomic_load(&connection->order);
}

// A request, whose last bytes are so many, stands before it is entered anywhere. False: it is lost,
// with its connection, as is one that is refused when its first bytes have gone.
static bool stand_before(struct passer *passer, const struct parsed_request *request, size_t length)
{
    struct connection *connection = passer->connection;
    bool is_whole = connection->said[0].length == length;
    hear(passer, request);
    enum gate_order order = stands(request) ? stand(connection, request, 1) : GATE_GO;
    passer->refused = order == GATE_REFUSE
                          ? parser_refused(service_protocol(connection->proxy->settings.service))
                          : NULL;
    atomic_fetch_add(&connection->asked, request->replies > 0);
    return order != GATE_LOSE_REQUEST && order != GATE_END && (is_whole || order != GATE_REFUSE);
}

// False: the reply is lost.
static bool stand_after(struct passer *passer, const struct parsed_request *request)
{
    struct connection *connection = passer->connection;
    enum gate_order order = (enum gate_order)atomic_load(&connection->order);
    if (order == GATE_GO_AND_STAND)
        order = stand(connection, request, 2);
    if (order == GATE_LOSE_REPLY || order == GATE_END)
        return false;
    hear(passer, request);
    return true;
}

// --- reading -------------------------------------------------------------------------------------

// False in *goes_on: the connection is to end.
static size_t read_piece(struct passer *passer, const uint8_t *bytes, size_t length, bool *found,
                         struct parsed_request *request, bool *goes_on)
{
    const struct proxy_settings *settings = &passer->connection->proxy->settings;
    struct parser *parser = passer->connection->parser;
    bool is_reply = passer->side == POINT_AFTER;
    size_t used = is_reply ? parser_read_replies(parser, bytes, length, found, request)
                           : parser_read_requests(parser, bytes, length, found, request);
    int64_t notices = is_reply ? parser_notices(parser) : 0;
    if (notices != 0 && settings->noticed != NULL)
        settings->noticed(settings->context, notices);
    if (settings->rest != NULL)
        text_add_bytes(&passer->connection->said[is_reply], (const char *)bytes, used);
    if (!*found)
        return used;
    if (settings->rest != NULL)
        *goes_on = is_reply ? stand_after(passer, request) : stand_before(passer, request, used);
    if (!*goes_on)
        return used;
    if (!is_reply)
        settings->ask(settings->context, request);
    else if (settings->replied != NULL)
        settings->replied(settings->context, request);
    record(passer, request);
    if (!is_reply)
        parser_asked(parser, request);
    return used;
}

// Sends on what was read. What comes before a request or a reply goes before its point, if anybody
// may be stopped there.
static bool forward(struct passer *passer, const uint8_t *bytes, size_t length)
{
    size_t sent = 0;
    uint64_t ended = 0; // requests or replies
    struct connection *connection = passer->connection;
    struct rest_board *rest = connection->proxy->settings.rest;
    const struct point_board *board = connection->proxy->settings.board;
    if (connection->parser == NULL)
        return send_all(connection, passer->to, bytes, length);
    for (size_t at = 0; at < length;) {
        bool found;
        bool goes_on = true;
        struct parsed_request request;
        size_t used = read_piece(passer, bytes + at, length - at, &found, &request, &goes_on);
        if (!goes_on)
            return false;
        ended += found;
        // The next one stands only once this one has gone.
        if (found && rest != NULL) {
            const char *refused = passer->refused;
            if (!send_all(connection, passer->to,
                          refused != NULL ? (const uint8_t *)refused : bytes + sent,
                          refused != NULL ? strlen(refused) : at + used - sent))
                return false;
            passer->refused = NULL;
            sent = at + used;
        } else if (found && board != NULL &&
                   atomic_load_explicit(&board->armed, memory_order_relaxed) != 0) {
            if (!send_all(connection, passer->to, bytes + sent, at - sent))
                return false;
            sent = at;
            pass_point(passer, &request);
        }
        at += used;
    }
    if (!send_all(connection, passer->to, bytes + sent, length - sent))
        return false;
    if (passer->side == POINT_AFTER)
        atomic_fetch_add(&connection->answered, ended);
    return true;
}

static void *pump(void *context)
{
    struct passer *passer = context;
    struct connection *connection = passer->connection;
    struct rest_board *rest = connection->proxy->settings.rest;
    _Atomic uint32_t *turns = &connection->turns[passer->side == POINT_AFTER];
    AUTO_FREE uint8_t *bytes = memory_new(PIECE_BYTES);
    ssize_t got;
    atomic_fetch_add(turns, 1);
    while ((got = recv(passer->from, bytes, PIECE_BYTES, MSG_DONTWAIT)) != 0) {
        bool waits = got < 0 && (errno == EAGAIN || errno == EINTR);
        atomic_fetch_add(turns, waits);
        if (waits && rest != NULL)
            futex_ring(&rest->changed);
        bool fine = waits ? await(connection, passer->from, POLLIN)
                          : got > 0 && forward(passer, bytes, (size_t)got);
        atomic_fetch_add(turns, waits);
        if (!fine) {
            break_off(connection);
            break;
        }
    }
    if (got == 0)
        shutdown(passer->to, SHUT_WR);
    atomic_store(turns, AT_ITS_END);
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

// To its server: false if that cannot be reached, or the client no longer waits.
static bool connect_on(struct connection *connection)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int reason = 0;
    socklen_t reason_length = sizeof reason;
    if (getsockname(connection->client, (struct sockaddr *)&address, &length) != 0)
        return false;
    if (connection->onward != NULL) {
        address = *connection->onward;
        length = sizeof address;
    }
    if (connect(connection->server, (struct sockaddr *)&address, length) == 0)
        return true;
    return errno == EINPROGRESS && await_server(connection) &&
           getsockopt(connection->server, SOL_SOCKET, SO_ERROR, &reason, &reason_length) == 0 &&
           reason == 0;
}

static void raise_alarm(struct proxy *proxy, int reason)
{
    struct error error = {0};
    const char *remedy = reason == EMFILE   ? "raise `ulimit -n`"
                         : reason == EAGAIN ? "raise `ulimit -u`"
                                            : "leave the machine more memory";
    error_set(&error,
              "a proxy can take no further connection until one ends: %s; %s, or run fewer clients",
              strerror(reason), remedy);
    if (proxy->alarm.raise != NULL)
        proxy->alarm.raise(proxy->alarm.context, &error);
}

static void pump_both(struct connection *connection)
{
    const struct proxy_settings *settings = &connection->proxy->settings;
    const int ends[] = {connection->client, connection->server};
    struct passer passers[2];
    pthread_t replies;
    for (int i = 0; i < 2; i++) {
        passers[i] = (struct passer){.connection = connection,
                                     .side = i == 0 ? POINT_BEFORE : POINT_AFTER,
                                     .from = ends[i],
                                     .to = ends[1 - i]};
        setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        if (settings->history != NULL)
            history_writer_start(&passers[i].writer, settings->history, settings->client, 0);
    }
    int reason = pthread_create(&replies, &connection->proxy->attributes, pump, &passers[1]);
    if (reason != 0) {
        break_off(connection);
        raise_alarm(connection->proxy, reason);
        return;
    }
    pump(&passers[0]);
    pthread_join(replies, NULL);
}

static void close_socket(const struct connection *connection, int socket)
{
    if (socket < 0)
        return;
    if (atomic_load(&connection->is_broken))
        peer_reset_at_end(socket);
    close(socket);
}

static void free_connection(struct connection *connection)
{
    parser_free(connection->parser);
    text_free(&connection->said[0]);
    text_free(&connection->said[1]);
    close_socket(connection, connection->client);
    close_socket(connection, connection->server);
    if (connection->wake >= 0)
        close(connection->wake);
    free(connection);
}

// The last that its thread does: what it had can serve another one.
static void leave(struct connection *connection)
{
    struct proxy *proxy = connection->proxy;
    struct connection **place = &proxy->connections;
    HOLD_MUTEX(&proxy->mutex);
    while (*place != connection)
        place = &(*place)->next;
    *place = connection->next;
    free_connection(connection);
    (void)!eventfd_write(proxy->ended, 1);
}

static void *serve(void *context)
{
    struct connection *connection = context;
    if (connect_on(connection))
        pump_both(connection);
    else
        atomic_store(&connection->is_broken, true);
    leave(connection);
    return NULL;
}

// --- accepting -----------------------------------------------------------------------------------

// What a connection needs is there before it is accepted: who cannot be served stays in the
// kernel's queue. NULL with *reason: why there is none; 0: nobody has come.
static struct connection *accept_from(struct proxy *proxy, int listener, int *reason)
{
    struct connection *connection = memory_zeroed(1, sizeof *connection);
    *connection = (struct connection){.proxy = proxy, .client = -1, .server = -1};
    connection->onward = proxy->has_onward ? &proxy->onward[listener] : NULL;
    connection->wake = eventfd(0, EFD_CLOEXEC);
    if (connection->wake >= 0)
        connection->server =
            socket(connection->onward != NULL ? connection->onward->ss_family : AF_INET,
                   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection->server >= 0)
        connection->client =
            accept4(proxy->listeners[listener], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    *reason = errno;
    if (connection->client >= 0 && !proxy->has_onward)
        connection->parser = parser_new(service_protocol(proxy->settings.service));
    if (connection->client >= 0)
        return connection;
    if (*reason != EMFILE && *reason != ENFILE && *reason != ENOBUFS && *reason != ENOMEM)
        *reason = 0;
    free_connection(connection);
    return NULL;
}

// Starts who has come to the listener, or is still to be started (-1). What was lacking, or 0.
static int take(struct proxy *proxy, int listener)
{
    pthread_t thread;
    int reason = 0;
    HOLD_MUTEX(&proxy->mutex);
    if (proxy->unstarted == NULL && listener >= 0)
        proxy->unstarted = accept_from(proxy, listener, &reason);
    struct connection *connection = proxy->unstarted;
    if (connection == NULL)
        return reason;
    reason = pthread_create(&thread, &proxy->attributes, serve, connection);
    if (reason != 0)
        return reason;
    pthread_detach(thread);
    connection->next = proxy->connections;
    proxy->connections = connection;
    proxy->unstarted = NULL;
    return 0;
}

static bool has_connections(struct proxy *proxy)
{
    HOLD_MUTEX(&proxy->mutex);
    return proxy->connections != NULL;
}

static void end_all(struct proxy *proxy)
{
    pthread_mutex_lock(&proxy->mutex);
    for (struct connection *each = proxy->connections; each != NULL; each = each->next)
        break_off(each);
    pthread_mutex_unlock(&proxy->mutex);
    while (has_connections(proxy)) {
        struct pollfd end = {.fd = proxy->ended, .events = POLLIN};
        eventfd_t ignored;
        poll(&end, 1, -1);
        eventfd_read(proxy->ended, &ignored);
    }
    if (proxy->unstarted != NULL)
        free_connection(proxy->unstarted);
}

static void *accept_all(void *context)
{
    struct proxy *proxy = context;
    int count = proxy->listener_count;
    struct pollfd ready[2 + MOST_LISTENERS] = {{.fd = proxy->wake, .events = POLLIN},
                                               {.fd = proxy->ended, .events = POLLIN}};
    int lacking = 0; // why nobody can be accepted, until a connection ends
    for (int i = 0; i < count; i++)
        ready[2 + i] = (struct pollfd){.fd = proxy->listeners[i], .events = POLLIN};
    for (;;) {
        eventfd_t ignored;
        // What others than the proxy give back is not told.
        int got = lacking != 0 ? poll(ready, 2, PROXY_LOOK_MS) : poll(ready, (nfds_t)count + 2, -1);
        if (got < 0)
            continue;
        if (ready[0].revents != 0)
            break;
        eventfd_read(proxy->ended, &ignored);
        if (lacking != 0)
            lacking = take(proxy, -1);
        for (int i = 0; i < count && lacking == 0; i++)
            lacking = ready[2 + i].revents != 0 ? take(proxy, i) : 0;
        if (lacking != 0)
            raise_alarm(proxy, lacking);
    }
    end_all(proxy);
    return NULL;
}

// --- the client's network ------------------------------------------------------------------------

// In the new namespace, every address becomes one of ours: the one that others see, or 127.0.0.1 if
// we have no other.
static int furnish(int network, struct error *error)
{
    char address[INET_ADDRSTRLEN] = "127.0.0.1";
    struct ifaddrs *all = NULL;
    AUTO_TEXT struct text commands = {0};
    text_add(&commands, "link set lo up\n");
    if (getifaddrs(&all) != 0)
        all = NULL;
    for (const struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        struct sockaddr_in found;
        if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET)
            continue;
        memcpy(&found, each->ifa_addr, sizeof found);
        if (ntohl(found.sin_addr.s_addr) >> 24 != 127)
            inet_ntop(AF_INET, &found.sin_addr, address, sizeof address);
    }
    if (all != NULL)
        freeifaddrs(all);
    if (strncmp(address, "127.", 4) != 0)
        text_format(&commands, "addr add %s/32 dev lo\n", address);
    text_format(&commands, "route add local 0.0.0.0/0 dev lo src %s\n", address);
    return network_configure(commands.bytes, network, error);
}

// Listens on the servers' ports, on each once.
static int listen_at(struct proxy *proxy, const struct endpoint *servers, int count,
                     struct error *error)
{
    for (int i = 0; i < count; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)servers[i].port)};
        if (servers[i].port <= 0 || servers[i].port > UINT16_MAX)
            continue;
        int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (listener < 0)
            return error_set(error, "a proxy cannot make a socket: %s", strerror(errno));
        proxy->listeners[proxy->listener_count++] = listener;
        if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
            listen(listener, WAITING_CONNECTIONS) == 0)
            continue;
        int reason = errno;
        close(listener);
        proxy->listener_count--;
        // The namespace is new: nobody but we can be there.
        if (reason != EADDRINUSE)
            return error_set(error, "a proxy cannot listen on port %d: %s", servers[i].port,
                             strerror(reason));
    }
    return 0;
}

static int listen_inside(void *context, struct error *error)
{
    struct proxy *proxy = context;
    const struct service *service = proxy->settings.service;
    int result = listen_at(proxy, service->servers, service->server_count, error);
    return result == 0 ? listen_at(proxy, service->sentinels, service->sentinel_count, error) : -1;
}

// --- starting and stopping -----------------------------------------------------------------------

static struct proxy *proxy_new(void)
{
    struct proxy *proxy = memory_zeroed(1, sizeof *proxy);
    proxy->network = -1;
    proxy->wake = eventfd(0, EFD_CLOEXEC);
    proxy->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_attr_init(&proxy->attributes);
    pthread_mutex_init(&proxy->mutex, NULL);
    pthread_attr_setstacksize(&proxy->attributes, STACK_BYTES);
    return proxy;
}

// 0, or -1 with `error` set.
static int begin_to_accept(struct proxy *proxy, struct error *error)
{
    int reason = pthread_create(&proxy->thread, &proxy->attributes, accept_all, proxy);
    proxy->has_thread = reason == 0;
    return reason == 0 ? 0
                       : error_set(error, "cannot start a proxy's thread: %s", strerror(reason));
}

struct proxy *proxy_start(const struct proxy_settings *settings, struct error *error)
{
    struct proxy *proxy = proxy_new();
    proxy->settings = *settings;
    proxy->alarm = settings->alarm;
    proxy->network = network_make(listen_inside, proxy, error);
    if (proxy->network < 0 || furnish(proxy->network, error) != 0)
        error_wrap(error, "the network of a client's proxy");
    else if (begin_to_accept(proxy, error) == 0)
        return proxy;
    proxy_stop(proxy);
    return NULL;
}

struct proxy *proxy_between(const int *listeners, const struct sockaddr_storage *onward, int count,
                            const struct proxy_alarm *alarm, struct error *error)
{
    struct proxy *proxy = proxy_new();
    proxy->has_onward = true;
    proxy->alarm = *alarm;
    memcpy(proxy->listeners, listeners, (size_t)count * sizeof *listeners);
    memcpy(proxy->onward, onward, (size_t)count * sizeof *onward);
    proxy->listener_count = count;
    if (begin_to_accept(proxy, error) == 0)
        return proxy;
    proxy_stop(proxy);
    return NULL;
}

void proxy_stop(struct proxy *proxy)
{
    if (proxy == NULL)
        return;
    (void)!eventfd_write(proxy->wake, 1);
    if (proxy->has_thread)
        pthread_join(proxy->thread, NULL);
    for (int i = 0; i < proxy->listener_count; i++)
        close(proxy->listeners[i]);
    if (proxy->network >= 0)
        close(proxy->network);
    pthread_attr_destroy(&proxy->attributes);
    pthread_mutex_destroy(&proxy->mutex);
    text_free(&proxy->heard);
    close(proxy->wake);
    close(proxy->ended);
    free(proxy);
}

int proxy_network(const struct proxy *proxy)
{
    return proxy->network;
}

// --- of a program that is explored ---------------------------------------------------------------

// True if the direction waits for something to read, and nothing has come.
static bool is_idle(const struct connection *connection, int direction)
{
    const _Atomic uint32_t *turns = &connection->turns[direction];
    uint32_t turn = atomic_load(turns);
    if (turn == 0 || turn % 2 != 0)
        return turn == AT_ITS_END;
    struct pollfd from = {.fd = direction == 0 ? connection->client : connection->server,
                          .events = POLLIN};
    return poll(&from, 1, 0) == 0 && atomic_load(turns) == turn;
}

// Who has said all does not wait for a reply any more, and a server that has said all owes none:
// one that restarts while a request stands never answers it.
static bool is_quiet(const struct connection *connection)
{
    if (atomic_load(&connection->is_broken))
        return false; // it is about to end
    if (atomic_load(&connection->stands) != 0)
        return true;
    bool has_said_all = atomic_load(&connection->turns[0]) == AT_ITS_END;
    bool has_all = atomic_load(&connection->turns[1]) == AT_ITS_END;
    bool is_owed =
        !has_all && atomic_load(&connection->asked) != atomic_load(&connection->answered);
    return is_idle(connection, 0) && is_idle(connection, 1) && !(has_said_all ? has_all : is_owed);
}

bool proxy_is_quiet(struct proxy *proxy)
{
    struct pollfd ready[MOST_LISTENERS];
    for (int i = 0; i < proxy->listener_count; i++)
        ready[i] = (struct pollfd){.fd = proxy->listeners[i], .events = POLLIN};
    HOLD_MUTEX(&proxy->mutex);
    const struct connection *each = proxy->connections;
    while (each != NULL && is_quiet(each))
        each = each->next;
    return each == NULL && proxy->unstarted == NULL &&
           poll(ready, (nfds_t)proxy->listener_count, 0) == 0;
}

int proxy_count_cut(struct proxy *proxy)
{
    int count = 0;
    HOLD_MUTEX(&proxy->mutex);
    for (const struct connection *each = proxy->connections; each != NULL; each = each->next) {
        struct pollfd server = {.fd = each->server, .events = POLLRDHUP};
        count += poll(&server, 1, 0) > 0;
    }
    return count;
}

// With the mutex.
static struct connection *standing(struct proxy *proxy)
{
    struct connection *oldest = NULL;
    for (struct connection *each = proxy->connections; each != NULL; each = each->next)
        oldest = atomic_load(&each->stands) != 0 ? each : oldest;
    return oldest;
}

bool proxy_stands(struct proxy *proxy, struct parsed_request *request, bool *is_reply)
{
    HOLD_MUTEX(&proxy->mutex);
    const struct connection *connection = standing(proxy);
    if (connection != NULL) {
        *request = connection->standing;
        *is_reply = atomic_load(&connection->stands) == 2;
    }
    return connection != NULL;
}

void proxy_let_go(struct proxy *proxy, enum gate_order order)
{
    HOLD_MUTEX(&proxy->mutex);
    struct connection *connection = standing(proxy);
    if (connection != NULL)
        let_go(connection, order);
}

void proxy_take_heard(struct proxy *proxy, struct text *heard)
{
    HOLD_MUTEX(&proxy->mutex);
    text_add_bytes(heard, text_string(&proxy->heard), proxy->heard.length);
    proxy->heard.length = 0;
}

void proxy_restart_history(struct proxy *proxy)
{
    atomic_fetch_add(&proxy->histories, 1);
}
