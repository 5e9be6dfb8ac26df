#include "harness/cluster/control.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/processes.h"
#include "harness/base/scope.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/remote.h"
#include "harness/cluster/server.h"
#include "harness/locks/lock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNDO_NS (100 * NS_PER_MS)
#define PIECE_NS (40 * NS_PER_MS) // of an eviction

int control_do(const struct node *node, control_act *act, const struct lock_identity *lock,
               struct error *error)
{
    AUTO_CLOSE struct session session = {0};
    if (session_open(&session, node, NULL, SESSION_LIMIT_S, error) != 0)
        return -1;
    session.lock = lock;
    return act(&session);
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

static void add_name(const void *context, const char *word, struct text *text)
{
    const struct lock_identity *lock = context;
    text_add(text, strcmp(word, "tag") == 0 ? lock->tag : lock->name);
}

int session_is_held(struct session *session)
{
    const struct lock_identity *lock = session->lock;
    const struct lock_scheme *scheme = lock_scheme_find(lock->scheme);
    AUTO_TEXT struct text question = {0};
    if (scheme == NULL || scheme->held_when == NULL)
        return error_set(session->error, "%s cannot tell whether a lock of the scheme %s is held",
                         session->node->kind->form.title, lock->scheme);
    text_fill(&question, scheme->held_when, add_name, lock);
    return session_is_so(session, "%s", question.bytes);
}

enum eviction control_evict(const struct node *node, const struct lock_identity *lock,
                            const char *policy, struct error *error)
{
    const struct server_control *control = node->kind->control;
    AUTO_CLOSE struct session session = {0};
    if (open_way(&session, node, policy, control->policies, "policy to evict by", error) != 0)
        return EVICTION_FAILED;
    session.lock = lock;
    int64_t until_ns = clock_monotonic_ns() + PIECE_NS;
    enum eviction eviction = control->begin_eviction(&session);
    for (int presses = 0; eviction == EVICTION_GOES_ON && clock_monotonic_ns() < until_ns &&
                          (control->most_presses == 0 || presses < control->most_presses);
         presses++)
        eviction = control->press(&session);
    return eviction;
}

enum eviction eviction_too_late(const struct session *session, bool was_there)
{
    const char *name = session->node->name;
    if (was_there)
        error_set(session->error, "the lock was gone before the memory of %s was full", name);
    else
        error_set(session->error, "%s does not have the lock %s, so that it cannot evict it", name,
                  session->lock->name);
    return EVICTION_TOO_LATE;
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
    AUTO_CLOSE struct session session = {0};
    if (open_way(&session, node, refusal, control->refusals, "way to refuse writes", error) != 0)
        return -1;
    int wanted = control->deny(&session, refuses);
    if (wanted >= 0 && await_answer(&session, refuses, wanted == 1) == 0)
        return 0;
    if (refuses) {
        session.error = NULL;
        session.peer.give_up_ns = clock_monotonic_ns() + UNDO_NS;
        control->deny(&session, false);
    }
    return -1;
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
    AUTO_CLOSE struct session session = {0};
    struct server_client listed;
    AUTO_FREE struct server_client *found = NULL;
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
    return ended;
}

// --- standing still ------------------------------------------------------------------------------

// Whether it is the ancestor's process, or descends from it.
static bool descends(const struct process_list *all, const struct process_entry *process,
                     pid_t ancestor)
{
    // So many steps at most: what was read of processes that come and go may go round in circles.
    for (size_t steps = 0; steps < all->count && process->id != ancestor; steps++) {
        const struct process_entry *parent = all->items;
        while (parent < all->items + all->count && parent->id != process->parent)
            parent++;
        if (parent == all->items + all->count)
            return false;
        process = parent;
    }
    return process->id == ancestor;
}

static int signal_one(const struct node *node, pid_t process, int signal_number,
                      struct error *error)
{
    return kill(process, signal_number) == 0 || errno == ESRCH
               ? 0
               : error_set(error, "signal %d to process %d of %s: %s", signal_number, (int)process,
                           node->name, strerror(errno));
}

// Signals the server's process, and then all that descend from it. Where /proc is another
// namespace's, only the first can be known. 1 if not all of them stood still, 0 if they did, -1
// with `error` set.
static int signal_family(const struct node *node, int signal_number, struct error *error)
{
    struct process_list all = {0};
    bool stood_still = true;
    if (processes_can_be_read())
        all = process_list_read();
    AUTO_FREE struct process_entry *processes = all.items;
    if (signal_one(node, node->server, signal_number, error) != 0)
        return -1;
    for (size_t i = 0; i < all.count; i++) {
        if (!descends(&all, &processes[i], node->server))
            continue;
        stood_still &= processes[i].state == 'T' || processes[i].state == 'Z';
        if (processes[i].id != node->server &&
            signal_one(node, processes[i].id, signal_number, error) != 0)
            return -1;
    }
    return !stood_still;
}

// The kernel reports the stop of our own child when every thread of it stands still.
static int first_is_stopped(const struct node *node, struct error *error)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)node->server, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0)
        return error_set(error, "waiting for %s to stop: %s", node->name, strerror(errno));
    if (info.si_pid == 0)
        return 1;
    return info.si_code == CLD_STOPPED ? 0 : error_set(error, "%s ended meanwhile", node->name);
}

int server_stop(const struct node *node, struct error *error)
{
    if (node->server <= 0)
        return error_set(error, "%s does not run", node->name);
    if (node->remote != NULL)
        return remote_strike(node->remote, AGENT_STOP, error);
    if (signal_family(node, SIGSTOP, error) < 0)
        return -1;
    int state = first_is_stopped(node, error);
    // Looked at again: one may have been born while the others were being stopped.
    return state != 0 ? state : signal_family(node, 0, error);
}

bool server_stands_still(const struct node *node)
{
    struct process_entry server;
    return node->server <= 0 ||
           (processes_can_be_read() && process_read(node->server, &server) && server.state == 'T');
}

int server_continue(const struct node *node, struct error *error)
{
    siginfo_t info;
    if (node->server <= 0)
        return 0;
    if (node->remote != NULL)
        return remote_strike(node->remote, AGENT_CONTINUE, error);
    waitid(P_PID, (id_t)node->server, &info, WSTOPPED | WNOHANG); // take the report away
    return signal_family(node, SIGCONT, error) < 0 ? -1 : 0;
}

// --- death, restart ------------------------------------------------------------------------------

int data_empty(const struct node *node, struct error *error)
{
    static const char *const nothing[] = {NULL};
    const char *const *kept = node->kind->kept != NULL ? node->kind->kept : nothing;
    if (node->remote == NULL)
        return folder_empty(node->data, kept, error);
    remote_forget(node->remote, kept);
    return 0;
}

int server_kill(struct node *node, struct error *error)
{
    if (node->server <= 0) {
        errno = ESRCH;
        return error_set(error, "%s does not run", node->name);
    }
    int state = node->remote != NULL ? remote_strike(node->remote, AGENT_KILL, error) : 0;
    if (state != 0)
        return state;
    if (node->remote == NULL && signal_family(node, SIGKILL, error) < 0)
        return -1;
    if (node->remote == NULL)
        process_kill(node->server);
    node->died_ns = clock_realtime_ns();
    node->server = 0;
    return 0;
}

bool server_has_ended(struct node *node)
{
    int status;
    if ((node->may_end || node->is_starting) && node->server > 0 &&
        waitpid(node->server, &status, WNOHANG) == node->server) {
        node->server = 0;
        node->has_ended = true;
    }
    return node->has_ended;
}

static int forget(const struct node *node, enum loss loss, struct error *error)
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

int server_restart(struct node *node, enum loss loss, struct error *error)
{
    if (forget(node, loss, error) != 0)
        return error_wrap(error, "%s could not be made to forget", node->name);
    if (disk_roll_back(node, error) != 0)
        return error_wrap(error, "what %s had written could not be taken back", node->name);
    node->has_ended = false;
    node->is_starting = true;
    node->server = node->kind->start(node, error);
    if (node->server > 0)
        return 0;
    node->server = 0;
    return error_wrap(error, "%s could not be started again", node->name);
}

int server_is_ready(const struct node *node, struct error *error)
{
    int started = node->remote != NULL ? remote_has_started(node->remote, error) : 0;
    return started != 0 ? started : !node->kind->ready(node);
}

int server_is_back(struct node *node, struct error *error)
{
    int state = server_is_ready(node, error);
    if (server_has_ended(node))
        state = error_set(error, "%s ended while it started again; see %s/server.log", node->name,
                          node->folder);
    node->is_starting = state == 1;
    return state;
}
