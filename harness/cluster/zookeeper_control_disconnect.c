// Sessions and connections that a ZooKeeper server ends. There is no command for either, but a
// second connection for a session does both (ZooKeeperServer.processConnectRequest): the server
// first ends the one it has, and then looks at the password.
#include "harness/base/clock.h"
#include "harness/cluster/conversation.h"
#include "harness/cluster/zookeeper_control_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_NS NS_PER_S
#define PAUSE_NS (5 * NS_PER_MS)

const char *const zookeeper_links[] = {"session", "connection", NULL};

// --- connections ---------------------------------------------------------------------------------

// A line of `cons` that has a session.
struct connection {
    char address[64];
    int port;
    uint64_t session;
};

struct connections {
    struct connection *items;
    size_t count;
};

// " /10.77.1.4:40112[1](queued=0,recved=5,sent=5,sid=0x100011...,lop=PING,...)"
static bool read_line(const char *line, struct connection *connection)
{
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    const char *session = strstr(text, ",sid=0x");
    return session != NULL &&
           sscanf(text, " /%63[^:]:%d[", connection->address, &connection->port) == 2 &&
           sscanf(session, ",sid=0x%" SCNx64, &connection->session) == 1;
}

static bool is_of(const struct connection *connection, const struct client_end *client)
{
    bool found = client->ports == NULL;
    for (int i = 0; !found && i < client->port_count; i++)
        found = client->ports[i] == connection->port;
    return found && strcmp(connection->address, client->address) == 0;
}

// What the client has open at this server; the caller frees the items. 0, or -1 with `error` set.
static int list(const struct node *node, const struct client_end *client,
                struct connections *connections, struct error *error)
{
    struct text answer;
    *connections = (struct connections){0};
    if (zookeeper_ask_serving(node, "cons", &answer, error) != 0)
        return -1;
    for (const char *line = text_string(&answer); *line != '\0';) {
        struct connection connection;
        if (read_line(line, &connection) && is_of(&connection, client)) {
            size_t bytes = (connections->count + 1) * sizeof connection;
            connections->items = memory_resized(connections->items, bytes);
            connections->items[connections->count++] = connection;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    text_free(&answer);
    return 0;
}

// --- a second connection for a session -----------------------------------------------------------

#define PASSWORD_BYTES 16
#define GREETING_BYTES 48 // length and all
#define CLOSE_BYTES 12
#define CLOSE_SESSION (-11)
#define SESSION_MS 10000 // what is asked for; the server grants no more than its longest

// The password, as the server derives it (ZooKeeperServer.generatePasswd): java.util.Random, a
// linear congruential generator that its documentation specifies, seeded with the session's id.
static void derive_password(uint64_t session, unsigned char password[PASSWORD_BYTES])
{
    const uint64_t multiplier = UINT64_C(0x5DEECE66D);
    const uint64_t mask = (UINT64_C(1) << 48) - 1;
    uint64_t state = (session ^ UINT64_C(0xB3415C00) ^ multiplier) & mask;
    for (int i = 0; i < PASSWORD_BYTES; i++) {
        if (i % 4 == 0)
            state = (state * multiplier + 0xB) & mask;
        password[i] = (unsigned char)(state >> (16 + 8 * (i % 4)));
    }
}

// Most significant byte first.
static unsigned char *put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        *out++ = (unsigned char)(value >> (8 * i));
    return out;
}

static unsigned char *put_greeting(unsigned char *out, uint64_t session,
                                   const unsigned char password[PASSWORD_BYTES])
{
    out = put(out, GREETING_BYTES - 4, 4);
    out = put(out, 0, 4); // protocol
    out = put(out, 0, 8); // the last change seen: none
    out = put(out, SESSION_MS, 4);
    out = put(out, session, 8);
    out = put(out, PASSWORD_BYTES, 4);
    memcpy(out, password, PASSWORD_BYTES);
    return out + PASSWORD_BYTES;
}

// Takes the session over and closes it, in one breath: the client, whose connection ends by that,
// takes it back at once. If it is still faster, the server may close the session without telling
// us, or not at all: only the list of its sessions says.
static void close_session(const struct node *node, uint64_t session, int64_t give_up_ns)
{
    unsigned char request[GREETING_BYTES + CLOSE_BYTES];
    unsigned char password[PASSWORD_BYTES];
    struct text answer = {0};
    struct error ignored;
    derive_password(session, password);
    unsigned char *end = put_greeting(request, session, password);
    end = put(end, CLOSE_BYTES - 4, 4);
    end = put(end, 1, 4); // number of the request
    put(end, (uint32_t)CLOSE_SESSION, 4);
    converse(node, request, sizeof request, give_up_ns, &answer, &ignored);
    text_free(&answer);
}

// A second connection that is turned away. True if the server has done that.
static bool knock_in_vain(const struct node *node, uint64_t session, int64_t give_up_ns)
{
    unsigned char request[GREETING_BYTES];
    unsigned char password[PASSWORD_BYTES];
    struct text answer = {0};
    struct error ignored;
    derive_password(session, password);
    password[0] ^= 1;
    put_greeting(request, session, password);
    bool is_done = converse(node, request, sizeof request, give_up_ns, &answer, &ignored) == 0;
    text_free(&answer);
    return is_done;
}

// --- ending, with proof --------------------------------------------------------------------------

static int be_late(const struct node *node, const struct connection *connection, const char *what,
                   struct error *error)
{
    return error_set(error, "%s still has %s 0x%" PRIx64 " of %s:%d after a second", node->name,
                     what, connection->session, connection->address, connection->port);
}

// 1 if this server knows of the session, 0 if not, -1 with `error` set.
static int is_open(const struct node *node, uint64_t session, struct error *error)
{
    struct text dump;
    char id[24];
    if (zookeeper_ask_serving(node, "dump", &dump, error) != 0)
        return -1;
    int length = snprintf(id, sizeof id, "0x%" PRIx64, session);
    // Behind that it lists connections, ended ones too.
    const char *end = strstr(text_string(&dump), "Connections dump:");
    bool found = false;
    for (const char *place = text_string(&dump); !found && (place = strstr(place, id)) != NULL;) {
        place += length;
        found = strspn(place, "0123456789abcdef") == 0 && (end == NULL || place < end);
    }
    text_free(&dump);
    return found;
}

// Whether there is time to look once more, after a few milliseconds.
static bool may_look_again(int64_t give_up_ns)
{
    clock_sleep_until_ns(clock_monotonic_ns() + PAUSE_NS);
    return clock_monotonic_ns() < give_up_ns;
}

// 1 if it was ended, 0 if it had ended by itself, -1 with `error` set.
static int end_session(const struct node *node, const struct connection *connection,
                       int64_t give_up_ns, struct error *error)
{
    bool has_struck = false;
    do {
        int open = is_open(node, connection->session, error);
        if (open <= 0)
            return open < 0 ? -1 : has_struck;
        close_session(node, connection->session, give_up_ns);
        has_struck = true;
    } while (may_look_again(give_up_ns));
    return be_late(node, connection, "session", error);
}

// 1 if it was ended, 0 if it had ended by itself, -1 with `error` set. Once is enough, and more
// would strike the connection with which the client has come back.
static int end_connection(const struct node *node, const struct connection *connection,
                          int64_t give_up_ns, struct error *error)
{
    const struct client_end end = {connection->address, &connection->port, 1};
    bool is_ended = false;
    do {
        struct connections left;
        if (list(node, &end, &left, error) != 0)
            return -1;
        free(left.items);
        if (left.count == 0)
            return is_ended;
        is_ended = is_ended || knock_in_vain(node, connection->session, give_up_ns);
    } while (may_look_again(give_up_ns));
    return be_late(node, connection, "the connection of session", error);
}

int zookeeper_disconnect(const struct node *node, const struct client_end *client, const char *link,
                         struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    bool only_connections = link != NULL && strcmp(link, zookeeper_links[1]) == 0;
    struct connections connections;
    if (list(node, client, &connections, error) != 0)
        return -1;
    int ended = 0;
    for (size_t i = 0; i < connections.count && ended >= 0; i++) {
        const struct connection *connection = &connections.items[i];
        int one = only_connections ? end_connection(node, connection, give_up_ns, error)
                                   : end_session(node, connection, give_up_ns, error);
        ended = one < 0 ? -1 : ended + one;
    }
    free(connections.items);
    return ended;
}
