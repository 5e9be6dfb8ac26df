// Nodes in line: each worker that wants the lock makes an ephemeral node, and the server numbers
// them. Who is first, holds; whoever is not, waits for one other node to go, so that a release
// wakes only the next.
//
// The name of a node carries its attempt's guid, so that a worker whose create was not answered
// finds the node again, if there is one.
#ifndef LOCKPICK_LOCKS_ZOOKEEPER_QUEUE_H
#define LOCKPICK_LOCKS_ZOOKEEPER_QUEUE_H

#include "harness/locks/zookeeper_common.h"

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
    // Whom the one at `own` waits for: its place; `own` itself, if it need not wait.
    size_t (*blocker)(const struct zk_queue *queue, size_t own);
};

// Lines up and waits until the node need not wait any more: OK, as the answer to a request that was
// sent at *asked_ns says. Otherwise, NO when it gives up, it leaves the line. What a former attempt
// of the worker's may have left there goes first.
enum outcome zk_queue_wait(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node,
                           struct grant *grant, int64_t give_up_ns, int64_t *asked_ns);

// The same, and then holds with that node.
enum outcome zk_queue_acquire(struct lock *lock, const struct zk_recipe *recipe,
                              struct grant *grant, int64_t give_up_ns);

// Makes the node. If there is no answer it looks whether it is there. OK, NO, UNKNOWN
// (node->may_exist) or BROKEN.
enum outcome zk_queue_join(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node);

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
