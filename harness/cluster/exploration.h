// What `lockpick explore` does to the servers of a lock besides what the lock's clients ask of
// them: it empties them before each schedule, sets their time, and reads all that they keep. A kind
// of server that can be explored has one `const struct server_exploration`, named by its `struct
// server_kind`; harness/run/replay.c calls it.
//
// Of all clients and the functions here, one at a time goes.
#ifndef LOCKPICK_CLUSTER_EXPLORATION_H
#define LOCKPICK_CLUSTER_EXPLORATION_H

#include "harness/base/text.h"
#include "harness/cluster/server.h"
#include "harness/cluster/session.h"

// The servers of a lock while they are explored.
struct explored_servers {
    const struct server_exploration *how;
    struct service *service;
    struct server_group *group;
    int64_t zero_unix_ns;          // the time of day at the schedule's time 0
    int64_t ahead_ns[MAX_SERVERS]; // by how much that of each server's clock is later
    int64_t part_ns; // of what ends by itself, in how many such parts of time; 0: nobody asks
    struct session sessions[MAX_SERVERS]; // one with each server of the group, as they are in it
    int session_count;
    bool has_programs; // clients are programs of others, which tell nobody what they ask for
    // Of `note_write`, which is called only if a replica may take over yet: whether that of each
    // server lacks its last write.
    bool are_followed;
    bool lags[MAX_SERVERS];
    void *memory; // of the kind's own
};

// What a server has that is back after it crashed.
enum kept_data { KEPT_ALL, KEPT_NOTHING, KEPT_REPLICATED };

// Each function returns 0, or -1 with `error` set.
struct server_exploration {
    // Of the kind's: those that can be explored; NULL-terminated. NULL: only `single`.
    const char *const *topologies;
    // The threads that its schemes start (watchdogs, subscriptions) stand at gates of their own.
    bool holds_threads;
    bool only_ours;      // no programs: it is told by clients of ours what time is to do. Nor where
                         // something is kept for sessions, which only they tell
    bool refuses;        // clients of ours can be answered with an error (GATE_REFUSE); programs
                         // by parser_refused
    size_t memory_bytes; // of servers->memory, zero at first
    // Optional: what is done once there are sessions, before time stands still, and undone before
    // they end, also if it was done by half.
    int (*prepare)(struct explored_servers *servers, struct error *error);
    void (*restore)(struct explored_servers *servers);
    // Before each schedule, with the time set: removes all that clients of any schedule have left.
    int (*empty)(struct explored_servers *servers, struct error *error);
    // Optional: from now on `empty` brings back all that there is now.
    int (*keep)(struct explored_servers *servers, struct error *error);
    // Appends all that can decide how the servers answer from now on: names, values, owners, who
    // waits; of what ends by itself only whether it will, or in which order, and no time (but for
    // servers->part_ns, by kinds that hold threads); of numbers that only grow how far they are
    // from where `empty` left them. The same text: the same answers.
    int (*image)(struct explored_servers *servers, struct text *image, struct error *error);
    // Optional: has the servers go by `now_ns`, which all clocks of harness and clients show,
    // before it returns: all leases that are over are over for them. Time goes back when a schedule
    // begins. NULL: they ask their clock at each request; explored_set_clocks is called.
    int (*set_time)(struct explored_servers *servers, int64_t now_ns, struct error *error);
    // Both or none, of servers that keep something for a session, by their own numbers of sessions:
    // locks, an open transaction, a request that waits for others. Their control ends sessions.
    // 1 if the request of the session waits for what others have to do, and 0 as soon as they have
    // done it, though its answer be under way.
    int (*is_blocked)(struct explored_servers *servers, uint64_t session, struct error *error);
    // Counts the sessions of clients for which anything is kept, but for those of a list, which is
    // to follow.
    const char *count_sessions;
    // Optional, of other servers that keep something for a session: the client, from 1, has
    // crashed, and its sessions end.
    int (*crash)(struct explored_servers *servers, int client, struct error *error);
    // Optional: one of the group's servers, from 0, crashes and is back, with all that it kept, or
    // with nothing, or its replica is in its place; all connections to it are lost. Meanwhile the
    // harness goes by the machine's clock. Whether it can keep anything, and lose it, is known
    // (server_kind, persistence).
    int (*restart)(struct explored_servers *servers, int server, enum kept_data kept,
                   struct error *error);
    // Optional, of servers that can have a replica: a request has executed, after which the
    // replica of each server has all but its last write, or still has all. Then servers->lags
    // says which, and `restart` can have KEPT_REPLICATED. And the image of those that lag.
    int (*note_write)(struct explored_servers *servers, struct error *error);
    int (*lagging_image)(struct explored_servers *servers, struct text *image, struct error *error);
    // Optional: it removes that key, if it has it, as it would for want of memory.
    int (*evict)(struct explored_servers *servers, int server, const char *key,
                 struct error *error);
};

// Whether that server of the group, from 0, goes by a time of day of its own, which may jump.
bool explored_has_clock(const struct explored_servers *servers, int server);

// Stops the clocks of all nodes that have clocks of their own at `now_ns`.
void explored_set_clocks(const struct explored_servers *servers, int64_t now_ns);

// Opens the sessions and prepares the servers; `how`, `service` and `group` are set. End with
// explored_close also if it failed.
int explored_open(struct explored_servers *servers, struct error *error);
void explored_close(struct explored_servers *servers);

// The session with one of the servers, from 0: errors go to `error`, and from now on it may take a
// minute.
struct session *explored_session(struct explored_servers *servers, int server, struct error *error);

// Of servers that keep something for a session: ends it, or has it ended, as when its client dies;
// and waits until clients have no sessions but these, and nothing is kept for any other. 0, or -1
// with `error` set.
int explored_end_session(struct explored_servers *servers, uint64_t number, struct error *error);
int explored_await_sessions(struct explored_servers *servers, const uint64_t *open, size_t count,
                            struct error *error);

#endif
