// Mistakes in ZooKeeper's recipes.
#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/zookeeper_queue.h"

#define VARIANT_OF_ZOOKEEPER                                                                       \
    .server = "zookeeper", .topologies = zk_topologies, .set_up = zk_lock_set_up,                  \
    .clean_up = zk_lock_clean_up, .open_client = zk_client_open, .close_client = zk_client_close,  \
    .open = zk_lock_open, .close = zk_lock_close, .traits = (const char *const[])                  \
    {                                                                                              \
        "exclusive", "lease", "session", "owner-checked", "fenced", "renewed", "zookeeper", NULL   \
    }

// --- the line ------------------------------------------------------------------------------------

// The one before the one before; the second in line waits for nobody.
static size_t last_but_one(const struct zk_queue *queue, size_t own)
{
    (void)queue;
    return own > 1 ? own - 2 : own;
}

static const struct zk_recipe wrong_order = {
    .below = "", .prefix = "", .suffix = "-lock-", .syncs = true, .blocker = last_but_one};

static enum outcome acquire_out_of_order(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    return zk_queue_acquire(lock, &wrong_order, grant, give_up_ns);
}

const struct lock_scheme zk_wrong_predecessor_variant = {
    .name = "broken-zk-wrong-predecessor",
    .summary = "a node waits for the last but one before it",
    .breaks = "plain contention",
    VARIANT_OF_ZOOKEEPER,
    .acquire = acquire_out_of_order,
    .release = zk_release,
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
static bool await_end(struct lock *lock, const char *path, int64_t give_up_ns)
{
    struct zk_answer answer;
    while (!lock_must_give_up(lock, give_up_ns)) {
        struct zk_watch *watch = zk_watch_new(zk_of(lock));
        if (zk_get_data(zk_of(lock), lock->actor, &answer, path, watch) == OUTCOME_OK) {
            if (zk_wait(lock, watch, give_up_ns))
                return true;
            continue;
        }
        zk_watch_drop(watch);
        if (answer.reply == ZK_NO_NODE)
            return true;
        lock_wait_before_retry(lock, give_up_ns);
    }
    return false;
}

static enum outcome line_up_once(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    char blocker[ZK_PATH_ROOM] = "";
    struct zk_node *node = &zk_lock_of(lock)->node;
    grant->attempts++;
    int64_t asked_ns = clock_now_ns(&lock->actor->clock);
    enum outcome outcome = zk_begin(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome = zk_queue_join(lock, &right_order, node);
    if (outcome == OUTCOME_OK)
        outcome = look_once(lock, blocker);
    // The mistake: when that one has gone, it is its turn.
    if (outcome == OUTCOME_OK && blocker[0] != '\0' && !await_end(lock, blocker, give_up_ns))
        outcome = OUTCOME_NO;
    if (outcome == OUTCOME_OK && blocker[0] != '\0')
        asked_ns = clock_now_ns(&lock->actor->clock);
    if (outcome == OUTCOME_OK)
        return zk_hold(lock, grant, asked_ns);
    bool has_left = zk_queue_leave(lock, &right_order, node) != RELEASE_UNKNOWN;
    return outcome == OUTCOME_NO && !has_left ? OUTCOME_UNKNOWN : outcome;
}

static enum outcome acquire_looking_once(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    for (;;) {
        enum outcome outcome = line_up_once(lock, grant, give_up_ns);
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        lock_wait_before_retry(lock, give_up_ns);
    }
}

const struct lock_scheme zk_line_not_read_again_variant = {
    .name = "broken-zk-line-not-read-again",
    .summary = "when the node before its own has gone, it holds, without another look at the line",
    .breaks = "one that gives up, or dies, while it waits",
    VARIANT_OF_ZOOKEEPER,
    .acquire = acquire_looking_once,
    .release = zk_release,
};

// --- the single node -----------------------------------------------------------------------------

// exists rings when a node comes, too: and who set it on a node that had gone already sleeps until
// there is another one, and until that has gone.
static bool await_change(struct lock *lock, const char *path, int64_t give_up_ns)
{
    struct zk_answer answer;
    struct zk_watch *watch = zk_watch_new(zk_of(lock));
    enum outcome outcome = zk_exists(zk_of(lock), lock->actor, &answer, path, watch);
    if (outcome == OUTCOME_OK || answer.reply == ZK_NO_NODE)
        return zk_wait(lock, watch, give_up_ns);
    zk_watch_drop(watch);
    lock_wait_before_retry(lock, give_up_ns);
    return false;
}

// What is given to `create` for the node of an attempt.
static enum outcome create_node(struct lock *lock, struct grant *grant)
{
    struct zk_answer answer = {.reply = ZK_OTHER};
    struct zk_node *node = &zk_lock_of(lock)->node;
    grant->attempts++;
    zk_node_renew(lock, node);
    zk_lock_path(&lock->options, "", "lock", node->path);
    int64_t asked_ns = clock_now_ns(&lock->actor->clock);
    enum outcome outcome = zk_begin(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome =
            zk_create(zk_of(lock), lock->actor, &answer, node->path, node->guid, ZK_EPHEMERAL);
    node->session = answer.session;
    node->czxid = answer.czxid;
    node->may_exist = outcome == OUTCOME_OK;
    if (outcome == OUTCOME_OK)
        return zk_hold(lock, grant, asked_ns);
    return zk_outcome(lock, outcome, "create", node->path, &answer);
}

static enum outcome acquire_waiting_late(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    char path[ZK_PATH_ROOM];
    zk_lock_path(&lock->options, "", "lock", path);
    for (;;) {
        enum outcome outcome = create_node(lock, grant);
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        if (!await_change(lock, path, give_up_ns) && lock_must_give_up(lock, give_up_ns))
            return OUTCOME_NO;
    }
}

static enum release_answer release_ephemeral(struct lock *lock)
{
    return zk_ephemeral_scheme.release(lock);
}

const struct lock_scheme zk_watch_too_late_variant = {
    .name = "broken-zk-watch-too-late",
    .summary =
        "who finds the node waits for a watch, without looking whether it has gone meanwhile",
    .breaks = "a release between the look and the watch",
    VARIANT_OF_ZOOKEEPER,
    .acquire = acquire_waiting_late,
    .release = release_ephemeral,
};

static enum outcome acquire_ephemeral(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    return zk_ephemeral_scheme.acquire(lock, grant, give_up_ns);
}

#define DELETE_TRIES 3

// Whatever session made the node that is there: if its own is over, by another one.
static enum release_answer release_whatever_session(struct lock *lock)
{
    struct zk_answer answer = {.reply = ZK_OTHER};
    enum outcome outcome = OUTCOME_UNKNOWN;
    zk_let_go(lock);
    for (int tries = 0; outcome != OUTCOME_OK && tries < DELETE_TRIES; tries++) {
        answer.reply = ZK_OTHER;
        outcome = zk_begin(zk_of(lock));
        if (outcome == OUTCOME_OK)
            outcome = zk_delete(zk_of(lock), lock->actor, &answer, zk_lock_of(lock)->node.path);
        if (answer.reply == ZK_NO_NODE)
            break;
    }
    zk_lock_of(lock)->node.may_exist = outcome == OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK)
        return RELEASE_UNCHECKED;
    return answer.reply == ZK_NO_NODE ? RELEASE_GONE : RELEASE_UNKNOWN;
}

const struct lock_scheme zk_expiry_ignored_variant = {
    .name = "broken-zk-expiry-ignored",
    .summary = "a release deletes the node by its name, although the session that made it is over",
    .breaks = "a pause longer than the session: it deletes another's lock",
    VARIANT_OF_ZOOKEEPER,
    .acquire = acquire_ephemeral,
    .release = release_whatever_session,
};

// The node may be there, and live as long as the session.
static enum outcome acquire_forgetting(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    for (;;) {
        enum outcome outcome = create_node(lock, grant);
        if (outcome == OUTCOME_UNKNOWN)
            outcome = OUTCOME_NO; // the mistake
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        lock_wait_before_retry(lock, give_up_ns);
    }
}

const struct lock_scheme zk_unknown_is_no_variant = {
    .name = "broken-zk-unknown-is-no",
    .summary = "a create that was not answered counts as refused",
    .breaks = "a lost answer: its own node keeps it out, as long as its session lives",
    VARIANT_OF_ZOOKEEPER,
    .acquire = acquire_forgetting,
    .release = release_ephemeral,
};
