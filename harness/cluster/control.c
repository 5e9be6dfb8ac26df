#include "harness/cluster/control.h"

#include "harness/base/file.h"
#include "harness/cluster/server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

// One of the words, or the first of them for NULL; NULL with `error` set if it is none.
static const char *choose(const struct node *node, const char *word, const char *const *words,
                          const char *what, struct error *error)
{
    if (word == NULL || text_is_one_of(word, words))
        return word != NULL ? word : words[0];
    error_set(error, "%s has no %s '%s'", node->kind->name, what, word);
    return NULL;
}

enum eviction control_evict(const struct node *node, const struct lock_identity *lock,
                            const char *policy, struct error *error)
{
    const struct server_control *control = node->kind->control;
    struct session session;
    policy = choose(node, policy, control->policies, "policy to evict by", error);
    if (policy == NULL || session_open(&session, node, NULL, SESSION_LIMIT_S, error) != 0)
        return EVICTION_FAILED;
    session.lock = lock;
    enum eviction eviction = control->evict(&session, policy);
    session_close(&session);
    return eviction;
}

// --- deny ----------------------------------------------------------------------------------------

static int await_answer(struct session *session, const char *refusal, bool refuses, bool wanted)
{
    const struct server_control *control = session->node->kind->control;
    for (;;) {
        int refused = control->refuses(session, refusal);
        if (refused == (wanted ? 1 : 0))
            return 0;
        if (refused >= 0)
            error_set(session->error, "%s %s writes", session->node->name,
                      refused ? "still refuses" : "still takes");
        if (!session_pause(session, NULL))
            return error_wrap(session->error, "a second after '%s' was %s", refusal,
                              refuses ? "set" : "ended");
    }
}

int control_deny(const struct node *node, const char *refusal, bool refuses, struct error *error)
{
    const struct server_control *control = node->kind->control;
    struct session session;
    refusal = choose(node, refusal, control->refusals, "way to refuse writes", error);
    if (refusal == NULL || session_open(&session, node, NULL, SESSION_LIMIT_S, error) != 0)
        return -1;
    int wanted = control->deny(&session, refusal, refuses);
    int result = wanted < 0 ? -1 : await_answer(&session, refusal, refuses, wanted == 1);
    if (result != 0 && refuses) {
        session.error = NULL;
        session.peer.give_up_ns = clock_monotonic_ns() + UNDO_NS;
        control->deny(&session, refusal, false);
    }
    session_close(&session);
    return result;
}

// --- disconnect ----------------------------------------------------------------------------------

bool control_read_row(const char *line, const char *link, struct server_client *client)
{
    (void)link;
    return sscanf(line, "%23s %63s %d", client->id, client->address, &client->port) == 3;
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

// What the client has open; the caller frees. NULL if there is nothing, and with *count -1 and the
// error set if the server does not say.
static struct server_client *find(struct session *session, const struct client_end *client,
                                  const char *link, int *count)
{
    const struct server_control *control = session->node->kind->control;
    struct server_client *found = NULL;
    *count = session_ask(session, "%s", control->list);
    char *lines = memory_string(text_string(&session->answer));
    char *rest = lines;
    for (char *line; *count >= 0 && (line = strsep(&rest, "\n")) != NULL;) {
        struct server_client listed = {0};
        if (!control->read(line, link, &listed) || !is_of(&listed, client) ||
            is_own(session, &listed))
            continue;
        found = memory_resized(found, (size_t)(*count + 1) * sizeof *found);
        found[(*count)++] = listed;
    }
    free(lines);
    return found;
}

// 1 if it was ended, 0 if it had ended by itself, -1 with the error set.
static int end_one(struct session *session, const struct server_client *client, const char *link)
{
    const struct server_control *control = session->node->kind->control;
    bool is_struck = false;
    for (enum ending ending = END_AGAIN;;) {
        int lives = control->lives(session, client, link);
        if (lives <= 0)
            return lives < 0 ? -1 : is_struck;
        if (ending != END_DONE) {
            int struck = control->end(session, client, link);
            if (struck < 0)
                return -1;
            ending = (enum ending)struck;
            is_struck |= struck != END_NOTHING;
        }
        if (!session_pause(session, NULL))
            return error_set(session->error, "%s still has %s %s of %s:%d after a second",
                             session->node->name, link, client->id, client->address, client->port);
    }
}

int control_disconnect(const struct node *node, const struct client_end *client, const char *link,
                       struct error *error)
{
    const struct server_control *control = node->kind->control;
    struct session session;
    int count;
    link = choose(node, link, control->links, "link to a client", error);
    if (link == NULL || session_open(&session, node, NULL, SESSION_LIMIT_S, error) != 0)
        return -1;
    struct server_client *found = find(&session, client, link, &count);
    int ended = count < 0 ? -1 : 0;
    for (int i = 0; i < count && ended >= 0; i++) {
        int one = end_one(&session, &found[i], link);
        ended = one < 0 ? -1 : ended + one;
    }
    free(found);
    session_close(&session);
    return ended;
}

// --- forget --------------------------------------------------------------------------------------

static int remove_entry(const char *path, struct error *error)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return 0;
    if (errno == EISDIR || errno == EPERM)
        return folder_remove(path, error);
    return error_set(error, "cannot remove %s: %s", path, strerror(errno));
}

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
        result = remove_entry(path, error);
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
