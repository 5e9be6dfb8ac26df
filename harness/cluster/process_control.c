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

#define MAX_PROCESSES 256 // of one server

struct family {
    pid_t ids[MAX_PROCESSES]; // the first is the server's own
    int count;
    bool all_stopped;
};

static bool is_in(const struct family *family, pid_t id)
{
    for (int i = 0; i < family->count; i++) {
        if (family->ids[i] == id)
            return true;
    }
    return false;
}

// The server's process and all that descend from it. Where /proc is another namespace's, only the
// first can be known.
static void find_family(const struct node *node, struct family *family)
{
    *family = (struct family){.ids = {node->server}, .count = 1};
    struct process_list all = {0};
    if (processes_can_be_read())
        all = process_list_read();
    bool grown = true;
    while (grown) {
        grown = false;
        for (size_t i = 0; i < all.count && family->count < MAX_PROCESSES; i++) {
            if (is_in(family, all.items[i].parent) && !is_in(family, all.items[i].id)) {
                family->ids[family->count++] = all.items[i].id;
                grown = true;
            }
        }
    }
    family->all_stopped = true;
    for (size_t i = 0; i < all.count; i++) {
        bool stands_still = all.items[i].state == 'T' || all.items[i].state == 'Z';
        family->all_stopped &= stands_still || !is_in(family, all.items[i].id);
    }
    free(all.items);
}

static int signal_family(const struct node *node, const struct family *family, int signal_number,
                         struct error *error)
{
    for (int i = 0; i < family->count; i++) {
        if (kill(family->ids[i], signal_number) != 0 && errno != ESRCH)
            return error_set(error, "signal %d to process %d of %s: %s", signal_number,
                             (int)family->ids[i], node->name, strerror(errno));
    }
    return 0;
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
    struct family family;
    if (node->server <= 0)
        return error_set(error, "%s does not run", node->name);
    find_family(node, &family);
    if (signal_family(node, &family, SIGSTOP, error) != 0)
        return -1;
    int state = first_is_stopped(node, error);
    if (state != 0)
        return state;
    // Looked at again: one may have been born while the others were being stopped.
    find_family(node, &family);
    return family.all_stopped || !processes_can_be_read() ? 0 : 1;
}

bool server_stands_still(const struct node *node)
{
    struct process_entry server;
    return node->server <= 0 ||
           (processes_can_be_read() && process_read(node->server, &server) && server.state == 'T');
}

int server_continue(const struct node *node, struct error *error)
{
    struct family family;
    siginfo_t info;
    if (node->server <= 0)
        return 0;
    waitid(P_PID, (id_t)node->server, &info, WSTOPPED | WNOHANG); // take the report away
    find_family(node, &family);
    return signal_family(node, &family, SIGCONT, error);
}

int server_kill(struct node *node, struct error *error)
{
    struct family family;
    if (node->server <= 0) {
        errno = ESRCH;
        return error_set(error, "%s does not run", node->name);
    }
    find_family(node, &family);
    if (signal_family(node, &family, SIGKILL, error) != 0)
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
