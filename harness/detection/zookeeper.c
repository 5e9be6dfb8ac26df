// Mistakes in ZooKeeper's recipes.
#include "harness/detection/variants.h"
#include "harness/locks/zookeeper_common.h"

#define TRAITS                                                                                     \
    LOCK_TRAITS("exclusive", "lease", "session", "owner-checked", "fenced", "renewed", "zookeeper")

// --- the line ------------------------------------------------------------------------------------

// The one before the one before; the second in line waits for nobody.
static size_t last_but_one(const struct zk_queue *queue, size_t own)
{
    (void)queue;
    return own > 1 ? own - 2 : own;
}

static const struct zk_recipe wrong_order = {
    .below = "", .prefix = "", .suffix = "-lock-", .syncs = true, .blocker = last_but_one};

const struct lock_scheme zk_wrong_predecessor_mistake = {
    .name = "broken-zk-wrong-predecessor",
    .summary = "a node waits for the last but one before it",
    .breaks = "plain contention",
    .traits = TRAITS,
    .kind = &wrong_order,
};

static const struct zk_recipe right_order = {
    .below = "", .prefix = "", .suffix = "-lock-", .syncs = true, .blocker = zk_queue_predecessor};

// Looks at the line once: the path of the node before its own, "" if it is the first.
static enum outcome look_once(struct lock *lock, char blocker[ZK_PATH_ROOM])
{
    struct zk_queue queue;
    blocker[0] = '\0';
    enum outcome outcome = zk_queue_read(lock, &right_order, &queue, NULL);
    size_t own = zk_queue_find(&queue, &zk_lock_of(lock)->node);
    if (outcome == OUTCOME_OK && own > 0 && own < queue.count)
        zk_lock_path(&lock->options, "", queue.places[own - 1].name, blocker);
    if (outcome == OUTCOME_OK && own >= queue.count)
        outcome = OUTCOME_NO;
    zk_queue_free(&queue);
    return outcome;
}

// True once the node has gone, for whatever reason.
static bool await_end(struct lock *lock, const char *path)
{
    struct zk_answer answer;
    while (!lock_must_give_up(lock)) {
        struct zk_watch *watch = zk_watch_new(zk_of(lock));
        if (zk_ask(zk_of(lock), lock->actor, &answer, ZK_GET_DATA, path, watch) == OUTCOME_OK) {
            if (zk_wait(lock, watch))
                return true;
            continue;
        }
        zk_watch_drop(watch);
        if (answer.reply == ZK_NO_NODE)
            return true;
        lock_wait_before_retry(lock);
    }
    return false;
}

static enum outcome line_up_once(struct lock *lock, struct grant *grant)
{
    char blocker[ZK_PATH_ROOM] = "";
    struct zk_node *node = &zk_lock_of(lock)->node;
    lock_asks_ns(lock);
    enum outcome outcome = zk_begin(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome = zk_queue_join(lock, &right_order, node);
    if (outcome == OUTCOME_OK)
        outcome = look_once(lock, blocker);
    // The mistake: when that one has gone, it is its turn.
    if (outcome == OUTCOME_OK && blocker[0] != '\0' && !await_end(lock, blocker))
        outcome = OUTCOME_NO;
    if (outcome == OUTCOME_OK && blocker[0] != '\0')
        lock_asks_ns(lock);
    if (outcome == OUTCOME_OK)
        return zk_hold(lock, grant);
    bool has_left = zk_queue_leave(lock, &right_order, node) != RELEASE_UNKNOWN;
    return outcome == OUTCOME_NO && !has_left ? OUTCOME_UNKNOWN : outcome;
}

const struct lock_scheme zk_line_not_read_again_mistake = {
    .name = "broken-zk-line-not-read-again",
    .summary = "when the node before its own has gone, it holds, without another look at the line",
    .breaks = "one that gives up, or dies, while it waits",
    .traits = TRAITS,
    .try_acquire = line_up_once,
};

// --- the single node -----------------------------------------------------------------------------

// exists rings when a node comes, too: and who set it on a node that had gone already sleeps until
// there is another one, and until that has gone.
static bool await_change(struct lock *lock)
{
    struct zk_answer answer;
    char path[ZK_PATH_ROOM];
    struct zk_watch *watch = zk_watch_new(zk_of(lock));
    zk_lock_path(&lock->options, "", "lock", path);
    enum outcome outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_EXISTS, path, watch);
    if (outcome == OUTCOME_OK || answer.reply == ZK_NO_NODE)
        return zk_wait(lock, watch) || !lock_must_give_up(lock);
    zk_watch_drop(watch);
    lock_wait_before_retry(lock);
    return !lock_must_give_up(lock);
}

static enum outcome create_node(struct lock *lock, struct grant *grant)
{
    struct zk_answer answer;
    struct zk_node *node = &zk_lock_of(lock)->node;
    zk_node_renew(lock, node);
    zk_lock_path(&lock->options, "", "lock", node->path);
    lock_asks_ns(lock);
    enum outcome outcome = zk_begin(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome = zk_node_create(lock, node, &answer, node->path, node->guid, ZK_EPHEMERAL);
    node->may_exist = outcome == OUTCOME_OK;
    return outcome == OUTCOME_OK ? zk_hold(lock, grant) : outcome;
}

const struct lock_scheme zk_watch_too_late_mistake = {
    .name = "broken-zk-watch-too-late",
    .summary =
        "who finds the node waits for a watch, without looking whether it has gone meanwhile",
    .breaks = "a release between the look and the watch",
    .traits = TRAITS,
    .try_acquire = create_node,
    .wait = await_change,
};

#define DELETE_TRIES 3

// Whatever session made the node that is there: if its own is over, by another one.
static enum release_answer release_whatever_session(struct lock *lock)
{
    struct zk_answer answer = {.reply = ZK_OTHER};
    enum outcome outcome = OUTCOME_UNKNOWN;
    int tries = 0;
    for (; outcome != OUTCOME_OK && tries < DELETE_TRIES; tries++) {
        answer.reply = ZK_OTHER;
        outcome = zk_begin(zk_of(lock));
        if (outcome == OUTCOME_OK)
            outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_DELETE,
                             zk_lock_of(lock)->node.path, NULL);
        if (answer.reply == ZK_NO_NODE)
            break;
    }
    zk_lock_of(lock)->node.may_exist = outcome == OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK)
        return RELEASE_UNCHECKED;
    // A delete that was not answered may have been its own.
    return answer.reply == ZK_NO_NODE && tries == 0 ? RELEASE_GONE : RELEASE_UNKNOWN;
}

const struct lock_scheme zk_expiry_ignored_mistake = {
    .name = "broken-zk-expiry-ignored",
    .summary = "a release deletes the node by its name, although the session that made it is over",
    .breaks = "a pause longer than the session: it deletes another's lock",
    .traits = TRAITS,
    .release = release_whatever_session,
};

// The node may be there, and live as long as the session.
static enum outcome create_forgetting(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = create_node(lock, grant);
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome; // the mistake
}

static bool wait_unwatched(struct lock *lock)
{
    lock_wait_before_retry(lock);
    return true;
}

const struct lock_scheme zk_unknown_is_no_mistake = {
    .name = "broken-zk-unknown-is-no",
    .summary = "a create that was not answered counts as refused",
    .breaks = "a lost answer: its own node keeps it out, as long as its session lives",
    .traits = TRAITS,
    .try_acquire = create_forgetting,
    .wait = wait_unwatched,
};
