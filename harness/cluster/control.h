// What can be done to a server, by those who own it: asking which role it has, taking its data,
// making it refuse, ending its connections; stopping it, killing it, starting it again. Faults and
// causes are made of these. What kinds do differently is in the `const struct server_control` that
// a `struct server_kind` names; what is the same for all of them is done here.
//
// What a server that runs is asked is asked from the harness's side, in a session (session.h), and
// takes a second at most: a server that does not answer by then gives -1.
#ifndef LOCKPICK_CLUSTER_CONTROL_H
#define LOCKPICK_CLUSTER_CONTROL_H

#include "harness/cluster/session.h"

// The lock of a trial, as a server may know it.
struct lock_identity {
    const char *name;   // "lockpick:{t17x2k}:lock"
    const char *tag;    // "t17x2k"
    const char *scheme; // "redis-set-px-lua"
};

// What a server forgets while it is down.
enum loss {
    LOSS_NONE,
    LOSS_UNSYNCED, // what it had not yet been forced to write to its disk: a power cut
    LOSS_ALL,      // all data, but not which group it belongs to
};

// One end of a client's connections: the address it comes from, and, where several clients share
// one address, its ports.
struct client_end {
    const char *address;
    const int *ports; // NULL: any
    int port_count;
};

enum eviction {
    EVICTION_FAILED = -1, // with `error` set
    EVICTION_DONE,
    EVICTION_GOES_ON,  // call again
    EVICTION_TOO_LATE, // the lock is not there, or went without being evicted; with `error` set
};

// What a client has open at a server, as the server lists it.
struct server_client {
    char id[24];
    char address[64];
    int port;
};

enum ending {
    END_NOTHING = 0, // it was gone; if it is still listed, it is struck again
    END_DONE,
    END_AGAIN, // it was struck, and is again while it is listed
};

// Whether it is so, or that it was done: 1, 0, or -1 with the session's error set. `session->lock`
// is the lock in question; of what is done in one of several ways, `session->way` is the one.
typedef int control_act(struct session *session);

// Any member may be NULL: this kind of server cannot have it done.
struct server_control {
    // Whether this very server leads its group now, that is, decides who gets the lock: a master,
    // a primary, a leader; one that serves alone or as an equal always does.
    control_act *leads;
    // Of groups that share the locks out among several leaders: whether this one decides about
    // this lock. NULL: whoever leads decides about all.
    control_act *owns;
    // Makes this server lead, for groups that do not elect by themselves. Proven when it returns 0.
    control_act *promote;
    // Whether this very server (not its group) has the lock as held by anybody.
    control_act *has_lock;
    // Removes all data, as an operator's mistake does.
    control_act *flush;

    // Fills its memory until it evicts the lock, by one of the policies: whether that can be done,
    // and what is done before, unless an earlier call has done it; and a step of it, of which
    // `most_presses` are made in a piece of the work (0: as many as it lasts). `relieve` takes the
    // pressure away again.
    const char *const *policies; // NULL-terminated; the usual one first
    enum eviction (*begin_eviction)(struct session *session);
    enum eviction (*press)(struct session *session);
    int most_presses;
    control_act *relieve;

    // Makes it refuse writes in one of the ways, or serve again: whether it is to refuse from now
    // on (a replica does, whoever asks it to serve), or -1. And whether it refuses a write in that
    // way: 1, 0 if it takes it, -1 with the error set if it does neither.
    const char *const *refusals; // NULL-terminated; the usual one first
    int (*deny)(struct session *session, bool refuses);
    control_act *refuses;

    // What clients have open: the request that lists it, a line each, and what a line says (false:
    // nothing of a client's, or no link of that sort). Ends one; and whether it is still there
    // (NULL: whether it is still listed).
    const char *const
        *links; // "connection" (all of them), "session", "pubsub"; the usual one first
    const char *list;
    bool (*read)(const struct session *session, const char *line, struct server_client *client);
    int (*end)(struct session *session, const struct server_client *client);
    int (*lives)(struct session *session, const struct server_client *client);
};

// Does `act`, one of the control of the node's kind. What it returns, or -1 with `error` set.
int control_do(const struct node *node, control_act *act, const struct lock_identity *lock,
               struct error *error);

// For `has_lock` of servers that are asked in SQL: whether it is held, as its scheme has them asked
// (held_when), which is answered as session_is_so.
int session_is_held(struct session *session);

// A piece of an eviction; `policy` is one of `policies` (NULL: the first).
enum eviction control_evict(const struct node *node, const struct lock_identity *lock,
                            const char *policy, struct error *error);

// For `begin_eviction` and `press`: says that the lock is not there, or that it was, and went
// without being evicted. Returns EVICTION_TOO_LATE.
enum eviction eviction_too_late(const struct session *session, bool was_there);

// Makes the server refuse writes in one of the ways of `refusals` (NULL: the first), or serve again
// (`refuses` false). Proven by a write when it returns. 0, or -1 with `error` set.
int control_deny(const struct node *node, const char *refusal, bool refuses, struct error *error);

// Ends what the client has open at this server; `link` is one of `links` (NULL: the first). How
// many were ended, or -1 with `error` set. Proven gone when it returns.
int control_disconnect(const struct node *node, const struct client_end *client, const char *link,
                       struct error *error);

// For a power cut, and for data that are made anew: empties the data folder, but for what tells a
// server which group it belongs to. 0, or -1 with `error` set.
int data_empty(const struct node *node, struct error *error);

// For `read` of servers that list clients in rows: id, address, port.
bool control_read_row(const struct session *session, const char *line,
                      struct server_client *client);

// --- standing still, death, restart: of all the processes that a server is made of ---------------

// Stops every process of the server (SIGSTOP). 0 once all stand still, 1 if the kernel has not said
// so of each yet (call again), -1 with `error` set.
int server_stop(const struct node *node, struct error *error);

// Lets them go on. 0, 1 if that is not proven yet (of a server on another host: call again), -1
// with `error` set.
int server_continue(const struct node *node, struct error *error);

// True if the server is stopped, or does not run.
bool server_stands_still(const struct node *node);

// Ends every process of the server by SIGKILL, and reaps the first. 0 once all are proven dead, and
// node->server is 0; 1 if they are not yet (of a server on another host: call again), -1 with
// `error` set.
int server_kill(struct node *node, struct error *error);

// True once a server has ended by itself that may (node->may_end), or while it started again, and
// until it is started anew.
bool server_has_ended(struct node *node);

// Starts a dead server again, with what it kept; ask server_is_back until it serves. 0, or -1 with
// `error` set.
int server_restart(struct node *node, enum loss loss, struct error *error);

// 0 if the server that was started serves, 1 if not yet, -1 with `error` set if it could not be
// started, which of one on another host is known late.
int server_is_ready(const struct node *node, struct error *error);

// 0 once the server that was started again serves, 1 if not yet, -1 with `error` set if it never
// will.
int server_is_back(struct node *node, struct error *error);

#endif
