#include "harness/cluster/process_control.h"

#include "harness/base/clock.h"
#include "harness/base/processes.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    int result = signal_one(node, node->server, signal_number, error);
    for (size_t i = 0; i < all.count && result == 0; i++) {
        const struct process_entry *process = &all.items[i];
        if (!descends(&all, process, node->server))
            continue;
        stood_still &= process->state == 'T' || process->state == 'Z';
        if (process->id != node->server)
            result = signal_one(node, process->id, signal_number, error);
    }
    free(all.items);
    return result == 0 ? !stood_still : -1;
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
    waitid(P_PID, (id_t)node->server, &info, WSTOPPED | WNOHANG); // take the report away
    return signal_family(node, SIGCONT, error) < 0 ? -1 : 0;
}

int server_kill(struct node *node, struct error *error)
{
    if (node->server <= 0) {
        errno = ESRCH;
        return error_set(error, "%s does not run", node->name);
    }
    if (signal_family(node, SIGKILL, error) < 0)
        return -1;
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

int server_restart(struct node *node, enum loss loss, struct error *error)
{
    if (control_forget(node, loss, error) != 0)
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

int server_is_back(struct node *node, struct error *error)
{
    int state = node->kind->ready(node) ? 0 : 1;
    if (server_has_ended(node))
        state = error_set(error, "%s ended while it started again; see %s/server.log", node->name,
                          node->folder);
    node->is_starting = state == 1;
    return state;
}
