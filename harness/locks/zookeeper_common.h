// What the ZooKeeper schemes share: the session of a client process, the holds that end with it,
// the folders of their nodes, and nodes in line.
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
#include "harness/locks/watchdog.h"
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
    struct zk_node node; // the one that holds
    struct zk_node turn; // curator-semaphore-mutex: the one in line of those who want a lease
    int64_t depth;       // curator: how often the holder came in again
};

// lock_client->state.
struct zk_client {
    struct lock_client *client;
    struct zk *zk;
    struct history_writer writer; // for what the library's thread tells
};

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
extern const char *const zk_topologies[];
extern const struct watchdog_settings zk_renewal;
#define ZK_SCHEME                                                                                  \
    .server = "zookeeper", .topologies = zk_topologies, .clean_up = zk_lock_clean_up,              \
    .client_bytes = sizeof(struct zk_client), .open_client = zk_client_open,                       \
    .close_client = zk_client_close, .lock_bytes = sizeof(struct zk_lock), .renewal = &zk_renewal

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

// Creates the node, as zk_create does, and takes down what it is; without its folder, which set-up
// has made, BROKEN. With UNKNOWN, node->may_exist.
enum outcome zk_node_create(struct lock *lock, struct zk_node *node, struct zk_answer *answer,
                            const char *path, const char *data, enum zk_mode mode);

// Passes an outcome on; BROKEN takes along what was tried, and what came back.
enum outcome zk_outcome(struct lock *lock, enum outcome outcome, const char *what, const char *path,
                        const struct zk_answer *answer);

// The node holds, as the answer to the request says that lock->asked is of: fills in the grant.
enum outcome zk_hold(struct lock *lock, struct grant *grant);

// Deletes a node whose path is known, and asks again if there is no answer: RELEASED, GONE (it was
// not there, or its session has ended) or UNKNOWN.
enum release_answer zk_node_delete(struct lock *lock, struct zk_node *node);

// For a scheme's `release`, `reenter` and `leave`. Reentry is counted in the client alone.
enum release_answer zk_release(struct lock *lock);
enum outcome zk_reenter(struct lock *lock, struct grant *grant);
enum release_answer zk_leave(struct lock *lock);

// If a release found that the session had ended, its holder has not been told perhaps.
void zk_note_loss(struct lock *lock, enum release_answer answer);

// Waits until the watch rings (true), or until lock_must_give_up; then drops the watch.
bool zk_wait(struct lock *lock, struct zk_watch *watch);

// Waits for the end of a node, whether it asks for its data or, with `exists`, whether it is there:
// then a watch is left behind on a node that has gone. If it cannot ask, for the next retry.
void zk_wait_for(struct lock *lock, const char *path, bool exists);

// --- a node of one name --------------------------------------------------------------------------

// Who creates the node, has it. Whose it is stands in it, as the guid of the attempt that made it.

// Creates it in that folder. If there is no answer it looks whether it is there.
enum outcome zk_named_create(struct lock *lock, struct zk_node *node, const char *below,
                             const char *name);

// Deletes what a former attempt may have left. False: it may still be there.
bool zk_named_tidy(struct lock *lock, struct zk_node *node);

// For a scheme's `release`: deletes whatever is there, which is its own node while the session
// lives, unless somebody has removed that.
enum release_answer zk_named_release(struct lock *lock);

// --- nodes in line -------------------------------------------------------------------------------

// Each worker that wants the lock makes an ephemeral node, and the server numbers them. Who is
// first, holds; whoever is not, waits for one other node to go, so that a release wakes only the
// next.
//
// The name of a node carries its attempt's guid, so that a worker whose create was not answered
// finds the node again, if there is one.

// The line: its nodes' names in the order of their numbers.
struct zk_queue {
    size_t count;
    struct zk_place {
        int32_t number;
        char *name;
    } * places;
    struct zk_names names; // that the places point to
};

// How a scheme lines up: "<prefix><guid><suffix><number>" in the lock's folder, or one below it.
struct zk_recipe {
    const char *below; // "" or "/leases"
    const char *prefix;
    const char *suffix;
    // Whether it lets its server catch up with the leader before it looks for a node whose create
    // was not answered. One that does not may overlook its own node.
    bool syncs;
    // Whom the one at `own` waits for: its place; `own` itself, if it need not wait. NULL: all
    // wait, for any change, while there are more than the lock has permits.
    size_t (*blocker)(const struct zk_queue *queue, size_t own);
};

// One attempt: lines up and waits until the node need not wait any more: OK, as the answer to the
// request says that lock->asked is of. Otherwise, NO when it gives up or its node has gone, it
// leaves the line. What a former attempt of the worker's may have left there goes first.
enum outcome zk_queue_wait(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node,
                           struct grant *grant);

// The same by the recipe of scheme->kind, and then holds with that node.
enum outcome zk_queue_try_acquire(struct lock *lock, struct grant *grant);
#define ZK_QUEUE_SCHEME(recipe)                                                                    \
    ZK_SCHEME, .set_up = zk_lock_set_up, .kind = recipe, .try_acquire = zk_queue_try_acquire,      \
               .release = zk_release

// Makes the node. If there is no answer it looks whether it is there. OK, NO, UNKNOWN
// (node->may_exist) or BROKEN.
enum outcome zk_queue_join(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node);

// Waits until the node need not wait any more, as zk_queue_wait does.
enum outcome zk_queue_wait_turn(struct lock *lock, const struct zk_recipe *recipe,
                                struct zk_node *node, struct grant *grant);

// Deletes the node, if it may be there; looks for it if its path is not known.
enum release_answer zk_queue_leave(struct lock *lock, const struct zk_recipe *recipe,
                                   struct zk_node *node);

// Reads the line. Free with zk_queue_free, also if it is not OK.
enum outcome zk_queue_read(struct lock *lock, const struct zk_recipe *recipe,
                           struct zk_queue *queue, struct zk_watch *watch);
void zk_queue_free(struct zk_queue *queue);

// The node's place in the line; queue->count if it is not there.
size_t zk_queue_find(const struct zk_queue *queue, const struct zk_node *node);

// For `blocker`: the one before.
size_t zk_queue_predecessor(const struct zk_queue *queue, size_t own);

// The number of a node: ten digits, or eleven characters once it has become negative. False if the
// name is none of the recipe's.
bool zk_queue_number(const struct zk_recipe *recipe, const char *name, int32_t *number);

// After 2147483647 comes -2147483648: which of two numbers was given first.
bool zk_queue_is_before(int32_t number, int32_t other);

#endif
