#include "harness/cluster/zookeeper_control.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cluster/zookeeper_server.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_ROOM 65536
#define PASSWORD_BYTES 16
#define PROOF_LIMIT_NS (5 * NS_PER_S)

// --- questions -----------------------------------------------------------------------------------

static int question(const struct node *node, const char *word, char *answer, struct error *error)
{
    zookeeper_ask(node, word, answer, ANSWER_ROOM);
    return answer[0] != '\0' ? 0 : error_set(error, "%s does not answer %s", node->name, word);
}

static int leads(const struct node *node, struct error *error)
{
    char *answer = memory_zeroed(ANSWER_ROOM, 1);
    int result = question(node, "srvr", answer, error);
    if (result == 0 && strstr(answer, "Mode: ") == NULL)
        result = error_set(error, "%s is in no quorum", node->name);
    else if (result == 0)
        result =
            strstr(answer, "Mode: leader") != NULL || strstr(answer, "Mode: standalone") != NULL;
    free(answer);
    return result;
}

// What holds a lock is an ephemeral node, and all ephemeral nodes are dumped with their paths.
static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    char *answer = memory_zeroed(ANSWER_ROOM, 1);
    int result = question(node, "dump", answer, error);
    if (result == 0)
        result = strstr(answer, lock->tag) != NULL;
    free(answer);
    return result;
}

// --- sessions ------------------------------------------------------------------------------------

// The password of a session, as the server derives it from the session's id: the first 16 bytes of
// java.util.Random seeded with id ^ 0xB3415C00 (ZooKeeperServer.generatePasswd; the generator is
// specified in the documentation of java.util.Random).
static void derive_password(int64_t session, unsigned char password[PASSWORD_BYTES])
{
    const uint64_t mask = (UINT64_C(1) << 48) - 1;
    uint64_t seed = (((uint64_t)session ^ UINT64_C(0xB3415C00)) ^ UINT64_C(0x5DEECE66D)) & mask;
    for (int i = 0; i < PASSWORD_BYTES; i += 4) {
        seed = (seed * UINT64_C(0x5DEECE66D) + 0xB) & mask;
        uint32_t number = (uint32_t)(seed >> 16);
        for (int j = 0; j < 4; j++)
            password[i + j] = (unsigned char)(number >> (8 * j));
    }
}

static void put32(unsigned char **out, uint32_t value)
{
    value = htobe32(value);
    memcpy(*out, &value, sizeof value);
    *out += sizeof value;
}

static void put64(unsigned char **out, uint64_t value)
{
    value = htobe64(value);
    memcpy(*out, &value, sizeof value);
    *out += sizeof value;
}

// Takes the session over on a connection of our own and closes it, as its client would.
static int close_session(const struct node *node, int64_t session, struct error *error)
{
    unsigned char request[64];
    unsigned char answer[64];
    unsigned char *end = request;
    unsigned char password[PASSWORD_BYTES];
    derive_password(session, password);
    put32(&end, 44);                // length of what follows
    put32(&end, 0);                 // protocol
    put64(&end, 0);                 // last zxid seen
    put32(&end, 10000);             // time-out
    put64(&end, (uint64_t)session); //
    put32(&end, PASSWORD_BYTES);
    memcpy(end, password, PASSWORD_BYTES);
    end += PASSWORD_BYTES;
    int descriptor = server_connect(node);
    if (descriptor < 0)
        return error_set(error, "%s cannot be reached", node->name);
    uint32_t timeout = 0;
    int result = 0;
    if (write(descriptor, request, (size_t)(end - request)) != end - request ||
        read(descriptor, answer, sizeof answer) < 12)
        result = error_set(error, "%s does not take session 0x%" PRIx64 " over", node->name,
                           (uint64_t)session);
    memcpy(&timeout, answer + 8, sizeof timeout);
    if (result == 0 && timeout == 0)
        result = error_set(error, "%s refused the password of session 0x%" PRIx64, node->name,
                           (uint64_t)session);
    end = request;
    put32(&end, 8);             // length of what follows
    put32(&end, 1);             // number of the request
    put32(&end, (uint32_t)-11); // closeSession
    if (result == 0 && write(descriptor, request, 12) != 12)
        result = error_set(error, "session 0x%" PRIx64 " could not be closed", (uint64_t)session);
    // The answer, and then the end of the connection.
    while (result == 0 && read(descriptor, answer, sizeof answer) > 0)
        continue;
    close(descriptor);
    return result;
}

// True if the line of `cons` is of the client, whose session is then *session.
static bool is_of(const char *line, const struct client_end *client, int64_t *session)
{
    char address[64];
    int port = 0;
    uint64_t id = 0;
    const char *field = strstr(line, "sid=0x");
    if (sscanf(line, " /%63[^:]:%d[", address, &port) != 2 || field == NULL ||
        sscanf(field, "sid=0x%" SCNx64, &id) != 1 || strcmp(address, client->address) != 0)
        return false;
    *session = (int64_t)id;
    for (int i = 0; client->ports != NULL && i < client->port_count; i++) {
        if (client->ports[i] == port)
            return true;
    }
    return client->ports == NULL;
}

static int count_sessions(const struct node *node, const struct client_end *client, char *answer,
                          int64_t *last, struct error *error)
{
    int count = 0;
    int64_t session = 0;
    if (question(node, "cons", answer, error) != 0)
        return -1;
    char *rest = answer;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (is_of(line, client, &session)) {
            *last = session;
            count++;
        }
    }
    return count;
}

static const char *const links[] = {"session", NULL};

static int disconnect(const struct node *node, const struct client_end *client, const char *link,
                      struct error *error)
{
    (void)link;
    char *answer = memory_zeroed(ANSWER_ROOM, 1);
    int64_t give_up_ns = clock_monotonic_ns() + PROOF_LIMIT_NS;
    int64_t session = 0;
    int ended = 0;
    int left;
    // Several of one client's are closed one after the other, until none is listed.
    while ((left = count_sessions(node, client, answer, &session, error)) > 0) {
        if (close_session(node, session, error) != 0 || clock_monotonic_ns() > give_up_ns) {
            left = -1;
            break;
        }
        ended++;
        if (ended == 1 && left == 1)
            break; // a client that comes back at once has a new one
    }
    free(answer);
    return left < 0 ? -1 : ended;
}

// --- data ----------------------------------------------------------------------------------------

static int forget(const struct node *node, enum loss loss, struct error *error)
{
    if (loss != LOSS_ALL)
        return 0;
    char *data = path_join(node->data, "version-2");
    int result = folder_remove(data, error);
    free(data);
    return result;
}

const struct server_control zookeeper_control = {
    .leads = leads,
    .has_lock = has_lock,
    .links = links,
    .disconnect = disconnect,
    .forget = forget,
};
