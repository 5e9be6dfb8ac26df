// The sandbox that a run lives in: fresh user, network, PID, IPC and mount namespaces.
//
//   lockpick run        what the user started; waits, and passes the exit code on
//   └─ init             PID 1 of the PID namespace: reaps; outlives the process above
//      └─ conductor     `body`: boots nodes, forks clients, decides
//         ├─ servers, clients, ...
//
// When the conductor ends or the first process is killed, init kills all that lives, and cleans up
// for the latter. When init is killed, the kernel ends the namespace. Where namespaces cannot be
// had, init is a subreaper (PR_SET_CHILD_SUBREAPER), and so is the first process for it: a program
// in a session of its own is found, too.
#ifndef LOCKPICK_CLUSTER_SANDBOX_H
#define LOCKPICK_CLUSTER_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gateway;

// In namespaces: an empty folder of the sandbox's own, which goes with it. It is in the place of
// one that every kernel has, in which no file of anybody's can lie, and of which no server asks.
#define SANDBOX_FOLDER "/proc/fs"

enum isolation { ISOLATION_NAMESPACES, ISOLATION_LOOPBACK };

struct sandbox {
    enum isolation isolation;
    const _Atomic uint32_t *interrupted; // shared; the number of the signal that asks for an end
    char why_loopback[256]; // what was tried and what came back, if isolation is by loopback
    bool chose_loopback;    // whoever asked for the sandbox wanted that: nothing was tried
    // To servers on the host's network, which is out of reach in namespaces; NULL: there is none.
    const struct gateway *gateway;
};

// True if the user asked for an end.
static inline bool sandbox_is_interrupted(const struct sandbox *sandbox)
{
    return sandbox->interrupted != NULL && atomic_load(sandbox->interrupted) != 0;
}

struct sandbox_work {
    int (*body)(const struct sandbox *sandbox, void *context); // returns the exit code
    void *context;
    // Optional: removes what `body`, or a process of it, has left in `folder` and elsewhere as it
    // was killed. Called when nobody else of the sandbox lives.
    void (*sweep)(const char *folder);
    const char *folder;
    const struct gateway *gateway; // for the sandbox, which inherits it; or NULL
};

// Does the work in a sandbox and returns its exit code (128 + signal if one ended it). With
// `why_loopback`, which is then the sandbox's reason, no namespace is tried. SIGINT, SIGTERM and
// SIGHUP ask `body` to come to an end, by sandbox->interrupted; a second one, or PATIENCE_S later,
// everything is killed.
#define SANDBOX_PATIENCE_S 20
int sandbox_run_why(const char *why_loopback, const struct sandbox_work *work);

// The same, for who has no reason to give and leaves nothing to sweep.
int sandbox_run(bool loopback_wanted, int (*body)(const struct sandbox *sandbox, void *context),
                void *context);

#endif
