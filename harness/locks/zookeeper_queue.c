#include "harness/locks/zookeeper_queue.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- numbers -------------------------------------------------------------------------------------

bool zk_queue_number(const struct zk_recipe *recipe, const char *name, int32_t *number)
{
    size_t before = strlen(recipe->prefix) + ZK_GUID_ROOM - 1 + strlen(recipe->suffix);
    if (strlen(name) < before + 10)
        return false;
    char *end;
    long value = strtol(name + before, &end, 10);
    *number = (int32_t)value;
    return *end == '\0' && value >= INT32_MIN && value <= INT32_MAX;
}

bool zk_queue_is_before(int32_t number, int32_t other)
{
    return (int32_t)((uint32_t)number - (uint32_t)other) < 0;
}

static int compare_places(const void *left, const void *right)
{
    const struct zk_place *a = left;
    const struct zk_place *b = right;
    return zk_queue_is_before(b->number, a->number) - zk_queue_is_before(a->number, b->number);
}

// --- the line ------------------------------------------------------------------------------------

static void path_of(const struct lock *lock, const struct zk_recipe *recipe, const char *name,
                    char path[ZK_PATH_ROOM])
{
    zk_lock_path(&lock->options, recipe->below, name, path);
}

enum outcome zk_queue_read(struct lock *lock, const struct zk_recipe *recipe,
                           struct zk_queue *queue, struct zk_watch *watch)
{
    struct zk_answer answer;
    char folder[ZK_PATH_ROOM];
    path_of(lock, recipe, "", folder);
    *queue = (struct zk_queue){0};
    enum outcome outcome =
        zk_get_children(zk_of(lock), lock->actor, &answer, folder, &queue->names, watch);
    queue->places = memory_zeroed(queue->names.count + 1, sizeof *queue->places);
    for (size_t i = 0; i < queue->names.count; i++) {
        struct zk_place *place = &queue->places[queue->count];
        place->name = queue->names.items[i];
        queue->count += zk_queue_number(recipe, place->name, &place->number);
    }
    qsort(queue->places, queue->count, sizeof *queue->places, compare_places);
    return zk_outcome(lock, outcome, "getChildren", folder, &answer);
}

void zk_queue_free(struct zk_queue *queue)
{
    free(queue->places);
    zk_names_free(&queue->names);
}

size_t zk_queue_find(const struct zk_queue *queue, const struct zk_node *node)
{
    size_t place = 0;
    while (place < queue->count && strstr(queue->places[place].name, node->guid) == NULL)
        place++;
    return place;
}

size_t zk_queue_predecessor(const struct zk_queue *queue, size_t own)
{
    (void)queue;
    return own > 0 ? own - 1 : own;
}

// --- lining up, and leaving ----------------------------------------------------------------------

// Looks for a node whose create was not answered: whatever is asked later on the same session is
// answered after it. NO: it is not there, and will not come any more.
static enum outcome look_for(struct lock *lock, const struct zk_recipe *recipe,
                             struct zk_node *node)
{
    struct zk_answer answer;
    struct zk_queue queue = {0};
    char folder[ZK_PATH_ROOM];
    path_of(lock, recipe, "", folder);
    enum outcome outcome = zk_await_connection(zk_of(lock));
    if (outcome == OUTCOME_OK && recipe->syncs)
        outcome = zk_sync(zk_of(lock), lock->actor, &answer, folder);
    if (outcome == OUTCOME_OK)
        outcome = zk_queue_read(lock, recipe, &queue, NULL);
    size_t place = zk_queue_find(&queue, node);
    bool is_there = place < queue.count;
    if (is_there)
        path_of(lock, recipe, queue.places[place].name, node->path);
    zk_queue_free(&queue);
    // With its session the node went, or is about to.
    if (zk_node_is_over(lock, node) || (outcome == OUTCOME_OK && !is_there)) {
        node->may_exist = false;
        return OUTCOME_NO;
    }
    return outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
}

// The node is there, but when it was made was not told.
static enum outcome find_again(struct lock *lock, const struct zk_recipe *recipe,
                               struct zk_node *node)
{
    enum outcome outcome = look_for(lock, recipe, node);
    if (outcome != OUTCOME_OK)
        return outcome;
    struct zk_answer answer;
    outcome = zk_exists(zk_of(lock), lock->actor, &answer, node->path, NULL);
    node->czxid = answer.czxid;
    if (outcome != OUTCOME_NO)
        return zk_outcome(lock, outcome, "exists", node->path, &answer);
    node->may_exist = answer.reply != ZK_NO_NODE && !answer.session_ended;
    return node->may_exist ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

enum outcome zk_queue_join(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node)
{
    struct zk_answer answer;
    char name[ZK_PATH_ROOM];
    char path[ZK_PATH_ROOM];
    zk_node_renew(lock, node);
    snprintf(name, sizeof name, "%s%s%s", recipe->prefix, node->guid, recipe->suffix);
    path_of(lock, recipe, name, path);
    enum outcome outcome =
        zk_create(zk_of(lock), lock->actor, &answer, path, "", ZK_EPHEMERAL_SEQUENTIAL);
    node->session = answer.session;
    node->may_exist = outcome == OUTCOME_OK || outcome == OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_UNKNOWN)
        return find_again(lock, recipe, node);
    if (answer.reply == ZK_NO_NODE)
        outcome = OUTCOME_BROKEN; // set-up made the folder
    memcpy(node->path, answer.text, sizeof node->path);
    node->czxid = answer.czxid;
    return zk_outcome(lock, outcome, "create", path, &answer);
}

enum release_answer zk_queue_leave(struct lock *lock, const struct zk_recipe *recipe,
                                   struct zk_node *node)
{
    if (!node->may_exist)
        return RELEASE_GONE;
    if (node->path[0] == '\0') {
        enum outcome outcome = look_for(lock, recipe, node);
        if (outcome != OUTCOME_OK)
            return outcome == OUTCOME_NO ? RELEASE_GONE : RELEASE_UNKNOWN;
    }
    return zk_node_delete(lock, node);
}

// --- waiting -------------------------------------------------------------------------------------

// Asks for its data and not whether it exists: on a node that has gone, that leaves no watch
// behind.
static void wait_for(struct lock *lock, const char *path, int64_t give_up_ns)
{
    struct zk_answer answer;
    struct zk_watch *watch = zk_watch_new(zk_of(lock));
    enum outcome outcome = zk_get_data(zk_of(lock), lock->actor, &answer, path, watch);
    if (outcome == OUTCOME_OK) {
        zk_wait(lock, watch, give_up_ns);
        return;
    }
    zk_watch_drop(watch);
    if (answer.reply != ZK_NO_NODE)
        lock_wait_before_retry(lock, give_up_ns);
}

// Where the node stands: OK, it need not wait; NO, it waits for the node at `blocker`.
static enum outcome look(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node,
                         char blocker[ZK_PATH_ROOM])
{
    struct zk_queue queue;
    blocker[0] = '\0';
    enum outcome outcome = zk_queue_read(lock, recipe, &queue, NULL);
    if (outcome == OUTCOME_OK) {
        size_t own = zk_queue_find(&queue, node);
        size_t other = own < queue.count ? recipe->blocker(&queue, own) : own;
        node->may_exist = own < queue.count;
        if (other != own)
            path_of(lock, recipe, queue.places[other].name, blocker);
        outcome = node->may_exist && other == own ? OUTCOME_OK : OUTCOME_NO;
    } else if (outcome == OUTCOME_NO) {
        outcome = OUTCOME_UNKNOWN;
    }
    zk_queue_free(&queue);
    return outcome;
}

// A node that is not there any more went with its session, or somebody took it: NO.
static enum outcome wait_in_line(struct lock *lock, const struct zk_recipe *recipe,
                                 struct zk_node *node, struct grant *grant, int64_t give_up_ns,
                                 int64_t *asked_ns)
{
    char blocker[ZK_PATH_ROOM];
    for (;; grant->attempts++) {
        *asked_ns = lock_asks_ns(lock);
        enum outcome outcome = look(lock, recipe, node, blocker);
        if (outcome == OUTCOME_OK || !node->may_exist || zk_node_is_over(lock, node))
            return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
        if (outcome == OUTCOME_BROKEN || lock_must_give_up(lock, give_up_ns)) {
            bool has_left = zk_queue_leave(lock, recipe, node) != RELEASE_UNKNOWN;
            if (outcome == OUTCOME_BROKEN)
                return outcome;
            return has_left ? OUTCOME_NO : OUTCOME_UNKNOWN;
        }
        if (outcome == OUTCOME_NO)
            wait_for(lock, blocker, give_up_ns);
        else
            lock_wait_before_retry(lock, give_up_ns); // it keeps its place meanwhile
    }
}

enum outcome zk_queue_wait(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node,
                           struct grant *grant, int64_t give_up_ns, int64_t *asked_ns)
{
    if (zk_queue_leave(lock, recipe, node) == RELEASE_UNKNOWN)
        return OUTCOME_UNKNOWN;
    for (;;) {
        grant->attempts++;
        enum outcome outcome = zk_begin(zk_of(lock));
        if (outcome == OUTCOME_OK)
            outcome = zk_queue_join(lock, recipe, node);
        if (outcome == OUTCOME_OK)
            lock_queued(lock, TIME_NEVER);
        if (outcome == OUTCOME_OK)
            outcome = wait_in_line(lock, recipe, node, grant, give_up_ns, asked_ns);
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        lock_wait_before_retry(lock, give_up_ns);
    }
}

enum outcome zk_queue_acquire(struct lock *lock, const struct zk_recipe *recipe,
                              struct grant *grant, int64_t give_up_ns)
{
    for (;;) {
        int64_t asked_ns;
        enum outcome outcome =
            zk_queue_wait(lock, recipe, &zk_lock_of(lock)->node, grant, give_up_ns, &asked_ns);
        if (outcome == OUTCOME_OK)
            outcome = zk_hold(lock, grant, asked_ns);
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
    }
}
