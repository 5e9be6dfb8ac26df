// The sandbox that a run lives in: fresh user, network, PID and mount namespaces.
//
//   lockpick run        what the user started; waits, and passes the exit code on
//   └─ init             PID 1 of the PID namespace: reaps, and dies with the process above
//      └─ conductor     `body`: boots nodes, forks clients, decides
//         ├─ servers, clients, ...
//
// Whatever ends the first, the kernel ends all the others. Where namespaces cannot be had, the
// conductor is a plain child and its own children die with it by PR_SET_PDEATHSIG.
#ifndef LOCKPICK_CLUSTER_SANDBOX_H
#define LOCKPICK_CLUSTER_SANDBOX_H

#include <stdbool.h>

enum isolation { ISOLATION_NAMESPACES, ISOLATION_LOOPBACK };

struct sandbox {
    enum isolation isolation;
    char why_loopback[256]; // what was tried and what came back, if isolation is by loopback
};

// Runs `body` in a sandbox and returns its exit code (128 + signal if one ended it). With
// `loopback_wanted` no namespace is tried. SIGINT and SIGTERM end everything in the sandbox.
int sandbox_run(bool loopback_wanted, int (*body)(const struct sandbox *sandbox, void *context),
                void *context);

#endif
