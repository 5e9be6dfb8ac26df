// The simplest lock of ZooKeeper: whoever creates the node, holds the lock. It is ephemeral, so it
// goes with its owner's session. Everyone else watches the node, and when it goes all of them try
// at once: a herd. Whose it is stands in it, as the guid of the attempt that made it.
//
// Release deletes whatever is there: while the session lives, that is its own node, unless somebody
// has removed that.
#include "harness/locks/zookeeper_common.h"

#include <string.h>

#define DELETE_TRIES 3

// Whether the node is this attempt's, whose create or delete was not answered: what is asked later
// on the same session is answered after it. NO: it is not, and will not be any more.
static enum outcome is_ours(struct lock *lock, struct zk_node *node)
{
    struct zk_answer answer = {.reply = ZK_OTHER};
    enum outcome outcome = zk_await_connection(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_SYNC, node->path, NULL);
    if (outcome == OUTCOME_OK)
        outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_GET_DATA, node->path, NULL);
    bool is_other = outcome == OUTCOME_OK && strcmp(answer.text, node->guid) != 0;
    if (is_other || answer.reply == ZK_NO_NODE || zk_node_is_over(lock, node)) {
        node->may_exist = false;
        return OUTCOME_NO;
    }
    node->czxid = answer.czxid;
    return outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
}

static enum outcome create(struct lock *lock, struct zk_node *node)
{
    struct zk_answer answer;
    zk_node_renew(lock, node);
    zk_lock_path(&lock->options, "", "lock", node->path);
    enum outcome outcome =
        zk_node_create(lock, node, &answer, node->path, node->guid, ZK_EPHEMERAL);
    return outcome == OUTCOME_UNKNOWN ? is_ours(lock, node) : outcome;
}

static bool wait_until_it_goes(struct lock *lock)
{
    char path[ZK_PATH_ROOM];
    zk_lock_path(&lock->options, "", "lock", path);
    zk_wait_for(lock, path, true);
    return true;
}

// Deletes the node, unless it is not ours. RELEASED, GONE or UNKNOWN.
static enum release_answer delete_ours(struct lock *lock, struct zk_node *node)
{
    enum release_answer answer = zk_node_delete_once(lock, node);
    for (int tries = 1; answer == RELEASE_UNKNOWN && tries < DELETE_TRIES; tries++) {
        // The delete that was not answered may have been done, and another may hold it by now.
        enum outcome outcome = is_ours(lock, node);
        if (outcome == OUTCOME_NO)
            return zk_node_is_over(lock, node) ? RELEASE_UNKNOWN : RELEASE_RELEASED;
        if (outcome == OUTCOME_OK)
            answer = zk_node_delete_once(lock, node);
        if (answer == RELEASE_GONE)
            return RELEASE_UNKNOWN;
    }
    return answer;
}

// What a former attempt may have left. False: it may still be there.
static bool tidy(struct lock *lock, struct zk_node *node)
{
    if (!node->may_exist)
        return true;
    enum outcome outcome = is_ours(lock, node);
    if (outcome == OUTCOME_OK)
        return delete_ours(lock, node) != RELEASE_UNKNOWN;
    return outcome == OUTCOME_NO;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct zk_node *node = &zk_lock_of(lock)->node;
    if (!tidy(lock, node))
        return OUTCOME_UNKNOWN;
    enum outcome outcome = zk_begin(zk_of(lock));
    lock_asks_ns(lock);
    if (outcome == OUTCOME_OK)
        outcome = create(lock, node);
    return outcome == OUTCOME_OK ? zk_hold(lock, grant) : outcome;
}

static enum release_answer release(struct lock *lock)
{
    enum release_answer answer = delete_ours(lock, &zk_lock_of(lock)->node);
    zk_note_loss(lock, answer);
    return answer == RELEASE_RELEASED ? RELEASE_UNCHECKED : answer;
}

const struct lock_scheme zk_ephemeral_scheme = {
    .name = "zk-ephemeral",
    .summary = "an ephemeral node, watched by all who wait; deleted to release",
    .breaks = "a pause longer than the session, unless the store checks its fencing token; deletes "
              "another's lock if its own was removed",
    .traits = LOCK_TRAITS("exclusive", "lease", "session", "fenced", "renewed", "zookeeper"),
    ZK_SCHEME,
    .set_up = zk_lock_set_up,
    .try_acquire = try_acquire,
    .wait = wait_until_it_goes,
    .release = release,
};
