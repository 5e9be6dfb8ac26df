// A server on another host: an agent there boots it, strikes it and ends it, and all that is left
// of it (wire/agent_server.c). What a kind of server does to start one is the same as here: its
// files and its command go to the agent instead.
#ifndef LOCKPICK_CLUSTER_REMOTE_H
#define LOCKPICK_CLUSTER_REMOTE_H

#include "harness/wire/pulse.h"
#include "harness/wire/striker.h"

struct node;
struct json_t;

struct remote {
    struct agent_address address;
    struct striker striker;
    struct strike_question strikes[AGENT_KILL + 1]; // that are under way
    struct strike_question start, ping;             // likewise
    struct json_t *told; // what it is to be started with: its files, and what is removed before
    pid_t process;       // what the server is there; 0: that is not known yet
    struct pulse pulse;  // of the trial that runs; no writer: nobody asks
};

// For the node of that name in its cluster. Not launched yet. Free with remotes_close.
struct remote *remote_new(const char *host, const char *const *launch, const char *name);

// Launches the agent, whose log becomes the server's. And waits until it has answered, which fills
// in the node's address, ports and folder there. 0, or -1 with `error` set.
int remote_launch(struct node *node, struct error *error);
int remote_await(struct node *node, struct error *error);

// For its next start: writes the file below its home; with `first`, unless it is there. Removes all
// of its data but for these files.
void remote_write(struct remote *remote, const char *name, const char *content, bool first);
void remote_forget(struct remote *remote, const char *const *kept);

// Starts it: not done until remote_has_started says so (0; 1: not yet; -1 with `error` set). 0, or
// -1 with `error` set.
int remote_start(struct remote *remote, const char *const *arguments,
                 const char *const *environment, struct error *error);
int remote_has_started(struct remote *remote, struct error *error);

// As agent_strike. 0 once that is proven; 1: call again; -1 with `error` set.
int remote_strike(struct remote *remote, int what, struct error *error);

// Records its stalls from now on; to be called again and again (remote_look), and ended with NULL.
void remote_watch(struct node *node, int number, struct history_writer *writer);
void remote_look(struct remote *remote);

// Ends the agents of those nodes that have one, and with them all that is theirs.
void remotes_close(struct node *nodes, int count);

#endif
