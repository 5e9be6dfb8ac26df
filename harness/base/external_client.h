// A lock that is not ours, a program that Lockpick starts or a plug-in that it loads, and what it
// promises. Said in a scenario, used by harness/locks/exec.c and plugin.c.
#ifndef LOCKPICK_BASE_EXTERNAL_CLIENT_H
#define LOCKPICK_BASE_EXTERNAL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct external_client {
    const char *name;              // of the scheme: "my-lock"
    const char *server;            // kind that it locks with; NULL: none
    const char *const *command;    // NULL-terminated
    const char *plugin;            // a native plug-in instead of a program: its file; NULL: none
    const char *folder;            // where it runs; "": where Lockpick runs
    const char *const *traits;     // NULL-terminated, the kind of its server among them
    const char *const *topologies; // those of its server, NULL-terminated; NULL: no server
    const char *const *needs; // programs, and files: what must be there; NULL-terminated or NULL
    const char *install;      // how they are installed; NULL if that was not said
    int64_t patience_ns;      // how much longer than allowed it may take to answer
    bool renew;   // it is asked to renew each third of a lease; else it renews by itself or not
    bool visible; // the lock is a key of exactly its name on the server: it can be looked at
};

#endif
