// A fault: what strikes a client, a server, or what is between them. One file per fault, one
// `const struct fault` in it, one line in catalogue.c.
#ifndef LOCKPICK_FAULTS_FAULT_H
#define LOCKPICK_FAULTS_FAULT_H

#include "harness/base/clock_shift.h"
#include "harness/base/error.h"
#include "harness/cluster/server.h"
#include "harness/cluster/wires.h"
#include "harness/history/writer.h"
#include "harness/point/point.h"
#include "harness/scenario/scenario.h"
#include "harness/wire/striker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

// A client process, as the conductor knows it.
struct fault_client {
    int number;                  // from 1
    pid_t process;               // 0 once it has ended
    bool leads_group;            // it has started programs, which belong to it
    struct agent_address driver; // of its driver, if that is on another host
    struct striker striker;      // of that
    bool killed;                 // by a fault
    bool is_dying;               // killed by a fault, but not reaped yet
    int stops;                   // pauses in effect: it goes on when the last one is over
    // A fault stops it, or is about to: that is no stall, says the observer, who maps this.
    _Atomic bool is_to_stop;
    int64_t killed_ns;
    // Writes what happens to the process as a whole: client N, worker 0.
    struct history_writer writer;
};

// All that faults can strike, and what they are told by. Whatever a trial has not is NULL.
struct fault_environment {
    const struct scenario *scenario;
    struct point_board *board;
    struct fault_client *clients; // clients[i] is client i + 1
    int client_count;
    const struct cluster *client_nodes;
    struct server_group *lock_group;  // the servers of the lock, if we booted them
    struct server_group *store_group; // those of the store, if they are others
    bool is_external;                 // the lock's servers are somebody else's
    bool is_external_store;           // those of the store are
    // Servers of somebody else's as nodes of ours, by a gateway: the lock's, and those of the
    // store, if they are others. Only wires and connections to them can be struck.
    const struct server_group *external[2];
    struct lock_identity lock;   // the first, which causes and roles are about
    struct lock_identity *locks; // all of them
    int lock_count;
    bool is_external_client;   // the lock is not ours: it reads time by itself
    const char *why_no_points; // at its requests to servers: why nothing can stop them; NULL: all
    bool points_are_missing;   // that is for want of something on this machine
    bool is_unseen;            // and how its servers keep it is not known
    struct wires *wires;
    char *why_no_wires;            // if `wires` cannot be had
    const char *folder;            // of the trial
    const struct service *service; // of the lock
    // By a gateway: what commands are told of it, and what runs them. NULL: they are told of
    // `service`, and run where the schedule does.
    const struct service *outside;
    const struct gateway *gateway;
    struct clock_shift *client_clocks;
    int shifted_clients; // how many clients have one
    uint64_t seed;
};

// One fault about to strike, in effect, or over.
struct fault_strike {
    const struct fault_instance *instance;
    struct fault_environment *environment;
    struct fault_client *client; // the target's; NULL if it is none
    struct node *node;           // the server that is struck; found by fault_inject
    struct point_trap *trigger;  // where the triggering worker is held; idle if by time or cause
    struct point_trap *hold;     // where one worker is to be held, for faults that hold one
    int64_t acted_ns;            // when it was last done something for
    int progress;                // the fault's own: how far it has come
    int done;                    // the fault's own: how many of its locks it has struck
    int wire;                    // the fault's own: number of its wire fault
    pid_t process;               // the fault's own: a program that it runs
    struct strike_question question; // to the striker of its client
    int64_t since_ns;                // the fault's own
    struct error why;                // the fault's own: why it has failed, while it is undone
    int64_t met; // packets or connections that it met; -1 if nothing counts them
    // Who had the role that it names (`leader`), noted once it is in effect: "redis-1", and who has
    // it since, "redis-1 redis-2". "" if it names none.
    char role[96];
    // What the fault noted for its story when it struck, and, set anew, when it ended. "": nothing.
    char found[160];
    // What the fault found out that it did not put to the test, and the key that does, to be said
    // of a trial that is SAFE. "": nothing.
    char untried[96];
};

// As of those who control servers: -1 with an error, 0 done, 1 not yet.
enum strike_state {
    STRIKE_FAILED = -1,
    STRIKE_IN_EFFECT, // proven
    STRIKE_PENDING,   // asked for, not yet proven: ask again
};

enum availability {
    FAULT_MEANINGLESS = -1, // this trial has no such target, or it cannot have that done: n/a
    FAULT_AVAILABLE,
    FAULT_MISSING, // not on this machine, or not on somebody else's servers: SKIPPED
};

// One that may strike later.
struct fault_prospect {
    const struct fault_instance *instance;
    const struct fault_environment *environment;
    // The server that it will strike, as far as can be known before; else NULL.
    const struct node *node;
};

struct fault {
    struct fault_form form;
    const char *summary;
    enum wire_effect effect; // of a fault on wires
    // Whether it can strike a target that is there. If not, `why` is the reason and the remedy.
    // NULL: always. Asked by fault_available.
    enum availability (*available)(const struct fault_prospect *prospect, struct error *why);
    // Strikes; called by fault_inject. Returns only what is proven; STRIKE_FAILED with `error` set,
    // and errno the reason if it has one.
    enum strike_state (*inject)(struct fault_strike *strike, struct error *error);
    // Asks again after STRIKE_PENDING. NULL if inject never returns that.
    enum strike_state (*prove)(struct fault_strike *strike, struct error *error);
    // Does what comes before that end, if it takes its time: as `heal`, which is called then.
    enum strike_state (*prepare_heal)(struct fault_strike *strike, struct error *error);
    // Ends a fault that lasts: STRIKE_IN_EFFECT once it is over, STRIKE_PENDING to be called again.
    enum strike_state (*heal)(struct fault_strike *strike, struct error *error);
    // True if the target goes on by `heal` itself, so that its end is noted before; else the end
    // is what `heal` has proven.
    bool heals_at_once;
    bool strikes_remote; // servers on other hosts, too: by the agents that have booted them
};

// --- what faults have in common (strike.c) -------------------------------------------------------

// For a fault whose target ended before it could strike. Sets errno and returns STRIKE_FAILED.
enum strike_state strike_came_too_late(struct error *error);

// A `heal`: starts the server that the strike has killed again, with what it kept but for what
// `how` of the instance says that it loses ("loses-unsynced", "loses-all").
enum strike_state strike_bring_back(struct fault_strike *strike, struct error *error);
enum loss strike_loss(const struct fault_instance *instance);

// True if the server is on another host, where only faults strike it that say so (strikes_remote);
// `why` is the reason and the remedy.
bool node_is_remote(const struct node *node, struct error *why);

// For `available`: whether `how` of the instance is one of `ways` (NULL-terminated) of that kind of
// server; of a kind that has none (NULL), that it cannot be `done`: "made to evict".
enum availability way_available(const struct fault_prospect *prospect, const char *const *ways,
                                const char *done, struct error *why);

// Finds the server that is struck now, if one is, and strikes.
enum strike_state fault_inject(struct fault_strike *strike, struct error *error);

// Kills the server.
enum strike_state strike_crash(struct fault_strike *strike, struct error *error);

// True if it kills a server: for good, or until its end brings it back.
bool takes_server_down(const struct fault_instance *instance);

// Faults on wires: sets the fault's effect between the sides of the instance, with what the
// instance says of delay and share; ends it, and notes how many packets met it.
enum wire_effect fault_wire_effect(const struct fault_instance *instance);
enum strike_state wire_inject(struct fault_strike *strike, struct error *error);
enum strike_state wire_heal(struct fault_strike *strike, struct error *error);

// --- clients whose drivers are on other hosts (elsewhere.c) --------------------------------------

// Launches what strikes those that a fault is to, before they are started, and hears whether wires
// can be cut there. 0, or -1 with `error` set.
int strikers_start(const struct fault_environment *environment, struct error *error);
void strikers_stop(const struct fault_environment *environment);

// Has the driver of its client struck (agent_strikes). To be called until it is no longer
// STRIKE_PENDING; what was asked before, and is not answered, is done first.
enum strike_state strike_elsewhere(struct fault_strike *strike, int what, struct error *error);

// True if it is on wires, and those are to clients on other hosts; whether they can be cut there.
bool wire_is_elsewhere(const struct fault_instance *instance,
                       const struct fault_environment *environment);
enum availability wire_elsewhere_available(const struct fault_instance *instance,
                                           const struct fault_environment *environment,
                                           struct error *why);
// Have them cut, and joined, as strike_elsewhere; who joins them says how many packets that met.
enum strike_state wire_cut_elsewhere(struct fault_strike *strike, struct error *error);
enum strike_state wire_join_elsewhere(struct fault_strike *strike, struct error *error);

// --- targets and questions (target.c) ------------------------------------------------------------

// What can be done to the node; never NULL, but its members may be.
const struct server_control *node_control(const struct node *node);

// Whether this environment has what the target names (a server by its number, its node, or its
// role).
enum availability target_available(const struct target *target,
                                   const struct fault_environment *environment, struct error *why);

// The same of a target that is an end of a wire.
enum availability wire_end_available(const struct target *target,
                                     const struct fault_environment *environment,
                                     struct error *why);

// The server that the target names now; roles are asked for. NULL with `error` set. The caller
// looks at `control` of its kind.
struct node *target_server(const struct target *target, const struct fault_environment *environment,
                           struct error *error);

// False if the fault is on the leader, or on its wires, and no server leads now.
bool target_is_there(const struct fault_instance *instance,
                     const struct fault_environment *environment);

// Whether the server answers that it decides about the lock.
bool server_leads(const struct node *node, const struct lock_identity *lock);

// True if it is named by what it is at the time (`leader`, `follower-1`), and not by its name.
bool target_is_role(const struct target *target);

// Addresses of all nodes on one side of a wire; `except` are the nodes of the other side, which
// `others` leaves out. Returns how many, or -1 with `error` set.
#define MAX_ADDRESSES 64
int target_addresses(const struct fault_instance *instance, int side,
                     const struct fault_environment *environment, const char **addresses,
                     struct error *error);

// True if it is between servers that are not ours, and what they say to each other does not pass
// our router.
bool wire_is_out_of_reach(const struct fault_instance *instance,
                          const struct fault_environment *environment);

// Whether the servers have the lock as held by anybody: 1, 0, or -1 if they do not say.
int lock_is_held(const struct fault_environment *environment, const struct lock_identity *lock,
                 struct error *error);

// Whether that server leads (CAUSE_LEADS) or answers (CAUSE_SERVES) now.
bool server_is(const struct fault_environment *environment, const struct target *target,
               enum cause_kind kind);

// Whether it can strike in this environment: its target is there, the network can be
// touched in this way, and it is possible. If not, `why` is the reason and the remedy.
enum availability fault_available(const struct fault_instance *instance,
                                  const struct fault_environment *environment, struct error *why);

extern const struct fault *const fault_catalogue[]; // NULL-terminated
const struct fault *fault_find(const char *name);
// The fault that `random` draws by that word, which is one of the vocabulary's `draws`.
const struct fault *fault_drawn_as(const char *word);

#endif
