// What the ZooKeeper schemes share: the session of a client process, its watchdog, and the holds
// that end with the session.
//
// How long may a holder believe? As long as the server keeps the session: until the agreed time-out
// after it last heard of it. So a grant is valid for that time from before the request that decided
// it, and the watchdog asks for the hold's node several times in that time: an answer says both
// that the session was heard, and that the node is there. In an ensemble it was heard by one
// server, and the leader, which ends sessions, hears of that up to half a tick later: a client that
// has just stood still for nearly the time-out may lose its session all the same.
#ifndef LOCKPICK_LOCKS_ZOOKEEPER_COMMON_H
#define LOCKPICK_LOCKS_ZOOKEEPER_COMMON_H

#include "harness/locks/lock.h"
#include "harness/wire/zookeeper.h"

#define ZK_GUID_ROOM 37 // 8-4-4-4-12 digits, as Curator writes it
#define ZK_PATH_ROOM ZK_TEXT_ROOM

// A node of the worker's: one that holds, or one that waits in line.
struct zk_node {
    char guid[ZK_GUID_ROOM]; // drawn for each attempt: tells it from every other node
    char path[ZK_PATH_ROOM]; // "": not known, because the create was not answered
    int64_t session;         // that it belongs to
    int64_t czxid;
    bool may_exist; // it is there, or it may be: no other must be made before it is gone
};

// lock->state.
struct zk_lock {
    struct lock *lock;
    struct zk_node node; // the one that holds
    struct zk_node turn; // curator-semaphore-mutex: the one in line of those who want a lease
    int64_t depth;       // curator: how often the holder came in again
    bool holds;          // guarded by the client's mutex, as is `next`
    struct zk_lock *next;
};

// For a scheme's set_up, clean_up, open_client, close_client, open and close.
int zk_lock_set_up(const struct service *service, const struct lock_options *options,
                   struct error *error);
// The same, with the folders that are listed (NULL-terminated), the lock's own ("") first.
int zk_lock_set_up_folders(const struct service *service, const struct lock_options *options,
                           const char *const *below, struct error *error);
int zk_lock_clean_up(const struct service *service, const struct lock_options *options,
                     struct error *error);

// Removes the nodes of every lock, of whatever run. 0, or -1 with `error` set.
int zk_locks_clean(const struct service *service, struct error *error);
int zk_client_open(struct lock_client *client, struct error *error);
void zk_client_close(struct lock_client *client);
int zk_lock_open(struct lock *lock, struct error *error);
void zk_lock_close(struct lock *lock);
extern const char *const zk_topologies[];

// Shorthands for lock->state and for the session.
struct zk_lock *zk_lock_of(const struct lock *lock);
struct zk *zk_of(const struct lock *lock);

// Writes the path of a node of the lock's: "/lockpick/<tag>", then the folder `below` it ("" or
// "/leases"), then "/<name>" unless the name is "".
void zk_lock_path(const struct lock_options *options, const char *below, const char *name,
                  char path[ZK_PATH_ROOM]);

// Empties the node, and gives it a new guid.
void zk_node_renew(struct lock *lock, struct zk_node *node);

// True if the node's session is not the current one, or has ended: the node has gone with it.
bool zk_node_is_over(const struct lock *lock, const struct zk_node *node);

// Passes an outcome on; BROKEN takes along what was tried, and what came back.
enum outcome zk_outcome(struct lock *lock, enum outcome outcome, const char *what, const char *path,
                        const struct zk_answer *answer);

// The node holds, as the answer to a request that was sent at `asked_ns` (on the client's clock)
// says: fills in the grant, and has the watchdog look after it. NO if the session has ended since.
enum outcome zk_hold(struct lock *lock, struct grant *grant, int64_t asked_ns);

// Ends the watchdog's care. To be called before the node is deleted.
void zk_let_go(struct lock *lock);

// Deletes a node whose path is known, and asks again, three times in all, if there is no answer.
// RELEASED, GONE (it was not there, or its session has ended) or UNKNOWN.
enum release_answer zk_node_delete(struct lock *lock, struct zk_node *node);
// The same, but asks once.
enum release_answer zk_node_delete_once(struct lock *lock, struct zk_node *node);

// For a scheme's `release`, `reenter` and `leave`. Reentry is counted in the client alone.
enum release_answer zk_release(struct lock *lock);
enum outcome zk_reenter(struct lock *lock, struct grant *grant);
enum release_answer zk_leave(struct lock *lock);

// If a release found that the session had ended, its holder has not been told perhaps.
void zk_note_loss(struct lock *lock, enum release_answer answer);

// Waits until the watch rings (true), or until lock_must_give_up; then drops the watch.
bool zk_wait(struct lock *lock, struct zk_watch *watch, int64_t give_up_ns);

#endif
