#include "harness/cluster/control.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/cluster/server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define UNDO_NS (100 * NS_PER_MS)

int control_do(const struct node *node, control_act *act, const struct lock_identity *lock,
               struct error *error)
{
    struct session session;
    if (session_open(&session, node, NULL, SESSION_LIMIT_S, error) != 0)
        return -1;
    session.lock = lock;
    int result = act(&session);
    session_close(&session);
    return result;
}

// Opens a session for what is done in one of these ways (NULL: the first). 0, or -1 with `error`
// set.
static int open_way(struct session *session, const struct node *node, const char *way,
                    const char *const *ways, const char *what, struct error *error)
{
    if (way != NULL && !text_is_one_of(way, ways))
        return error_set(error, "%s has no %s '%s'", node->kind->name, what, way);
    if (session_open(session, node, NULL, SESSION_LIMIT_S, error) != 0)
        return -1;
    session->way = way != NULL ? way : ways[0];
    return 0;
}

enum eviction control_evict(const struct node *node, const struct lock_identity *lock,
                            const char *policy, struct error *error)
{
    const struct server_control *control = node->kind->control;
    struct session session;
    if (open_way(&session, node, policy, control->policies, "policy to evict by", error) != 0)
        return EVICTION_FAILED;
    session.lock = lock;
    enum eviction eviction = control->evict(&session);
    session_close(&session);
    return eviction;
}

// --- deny ----------------------------------------------------------------------------------------

static int await_answer(struct session *session, bool refuses, bool wanted)
{
    for (;;) {
        int refused = session->node->kind->control->refuses(session);
        if (refused == (wanted ? 1 : 0))
            return 0;
        if (refused >= 0)
            error_set(session->error, "%s %s writes", session->node->name,
                      refused ? "still refuses" : "still takes");
        if (!session_pause(session, NULL))
            return error_wrap(session->error, "a second after '%s' was %s", session->way,
                              refuses ? "set" : "ended");
    }
}

int control_deny(const struct node *node, const char *refusal, bool refuses, struct error *error)
{
    const struct server_control *control = node->kind->control;
    struct session session;
    if (open_way(&session, node, refusal, control->refusals, "way to refuse writes", error) != 0)
        return -1;
    int wanted = control->deny(&session, refuses);
    int result = wanted < 0 ? -1 : await_answer(&session, refuses, wanted == 1);
    if (result != 0 && refuses) {
        session.error = NULL;
        session.peer.give_up_ns = clock_monotonic_ns() + UNDO_NS;
        control->deny(&session, false);
    }
    session_close(&session);
    return result;
}

// --- disconnect ----------------------------------------------------------------------------------

bool control_read_row(const struct session *session, const char *line, struct server_client *client)
{
    (void)session;
    return sscanf(line, "%23s %63s %d", client->id, client->address, &client->port) == 3;
}

// The next client of the list, from *lines on. False behind the last.
static bool next_client(const struct session *session, char **lines, struct server_client *client)
{
    for (char *line; (line = strsep(lines, "\n")) != NULL;) {
        *client = (struct server_client){0};
        if (session->node->kind->control->read(session, line, client))
            return true;
    }
    return false;
}

static bool is_of(const struct server_client *listed, const struct client_end *client)
{
    bool found = client->ports == NULL;
    for (int i = 0; !found && i < client->port_count; i++)
        found = client->ports[i] == listed->port;
    return found && strcmp(listed->address, client->address) == 0;
}

// A session of ours is no client's.
static bool is_own(const struct session *session, const struct server_client *listed)
{
    char address[INET_ADDRSTRLEN];
    struct sockaddr_in own;
    socklen_t length = sizeof own;
    return session->descriptor >= 0 &&
           getsockname(session->descriptor, (struct sockaddr *)&own, &length) == 0 &&
           ntohs(own.sin_port) == listed->port &&
           inet_ntop(AF_INET, &own.sin_addr, address, sizeof address) != NULL &&
           strcmp(address, listed->address) == 0;
}

static int lives(struct session *session, const struct server_client *client)
{
    const struct server_control *control = session->node->kind->control;
    struct server_client listed;
    if (control->lives != NULL)
        return control->lives(session, client);
    if (session_ask(session, "%s", control->list) != 0)
        return -1;
    for (char *lines = session->answer.bytes; next_client(session, &lines, &listed);) {
        if (strcmp(listed.id, client->id) == 0 && strcmp(listed.address, client->address) == 0 &&
            listed.port == client->port)
            return 1;
    }
    return 0;
}

// 1 if it was ended, 0 if it had ended by itself, -1 with the error set.
static int end_one(struct session *session, const struct server_client *client)
{
    bool is_struck = false;
    for (enum ending ending = END_AGAIN;;) {
        int there = lives(session, client);
        if (there <= 0)
            return there < 0 ? -1 : is_struck;
        if (ending != END_DONE) {
            int struck = session->node->kind->control->end(session, client);
            if (struck < 0)
                return -1;
            ending = (enum ending)struck;
            is_struck |= struck != END_NOTHING;
        }
        if (!session_pause(session, NULL))
            return error_set(session->error, "%s still has %s %s of %s:%d after a second",
                             session->node->name, session->way, client->id, client->address,
                             client->port);
    }
}

int control_disconnect(const struct node *node, const struct client_end *client, const char *link,
                       struct error *error)
{
    const struct server_control *control = node->kind->control;
    struct session session;
    struct server_client listed, *found = NULL;
    size_t count = 0, room = 0;
    if (open_way(&session, node, link, control->links, "link to a client", error) != 0)
        return -1;
    int ended = session_ask(&session, "%s", control->list);
    for (char *lines = session.answer.bytes;
         ended == 0 && next_client(&session, &lines, &listed);) {
        if (is_of(&listed, client) && !is_own(&session, &listed))
            *APPEND(found, count, room) = listed;
    }
    for (size_t i = 0; i < count && ended >= 0; i++) {
        int one = end_one(&session, &found[i]);
        ended = one < 0 ? -1 : ended + one;
    }
    free(found);
    session_close(&session);
    return ended;
}

// --- forget --------------------------------------------------------------------------------------

int data_empty(const struct node *node, struct error *error)
{
    static const char *const nothing[] = {".", "..", NULL};
    const char *const *kept = node->kind->kept;
    DIR *folder = opendir(node->data);
    int result = 0;
    if (folder == NULL)
        return error_set(error, "cannot read folder %s: %s", node->data, strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        if (text_is_one_of(entry->d_name, nothing) ||
            (kept != NULL && text_is_one_of(entry->d_name, kept)))
            continue;
        char *path = path_join(node->data, entry->d_name);
        result = folder_remove(path, error);
        free(path);
    }
    closedir(folder);
    return result;
}

int control_forget(const struct node *node, enum loss loss, struct error *error)
{
    const struct server_kind *kind = node->kind;
    if (loss == LOSS_ALL && kind->must_remember && node->group->count > 1)
        return error_set(error,
                         "%s could not start without its data: the others of its group remember "
                         "it, and %s wants it removed and added as a new member; let it keep its "
                         "data",
                         node->name, kind->name);
    if (loss == LOSS_ALL)
        return data_empty(node, error);
    return loss == LOSS_NONE || kind->power_cut == NULL ? 0 : kind->power_cut(node, error);
}
