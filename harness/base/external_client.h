// A lock that is not ours, a program that Lockpick starts or a plug-in that it loads, and what it
// promises. Said in a scenario, used by harness/locks/exec.c and plugin.c.
#ifndef LOCKPICK_BASE_EXTERNAL_CLIENT_H
#define LOCKPICK_BASE_EXTERNAL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct external_client {
    const char *name;           // of the scheme: "my-lock"
    const char *server;         // kind that it locks with; NULL: none
    const char *const *command; // NULL-terminated
    const char *plugin;         // a native plug-in instead of a program: its file; NULL: none
    const char *folder;         // where it runs; "": where Lockpick runs
    // Machines that its clients run on, one after the other, and the command that starts an agent
    // there, in which {host} stands for the host; NULL-terminated. NULL: on this machine.
    const char *const *hosts, *const *launch;
    const char *const *traits;     // NULL-terminated, the kind of its server among them
    const char *const *topologies; // those of its server, NULL-terminated; NULL: no server
    const char *const *needs; // programs, and files: what must be there; NULL-terminated or NULL
    const char *install;      // how they are installed; NULL if that was not said
    int64_t patience_ns;      // how much longer than allowed it may take to answer
    bool renew;   // it is asked to renew each third of a lease; else it renews by itself or not
    bool visible; // the lock is a key of exactly its name on the server: it can be looked at
};

// The host of that client, from 1; NULL: this machine.
static inline const char *external_client_host(const struct external_client *client, int number)
{
    int count = 0;
    while (client != NULL && client->hosts != NULL && client->hosts[count] != NULL)
        count++;
    return count > 0 ? client->hosts[(number - 1) % count] : NULL;
}

#endif
