#include "harness/locks/zookeeper_common.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELETE_TRIES 3
// How often the watchdog looks in the time-out of a session: so that a holder without a connection
// is told soon after two thirds of it.
#define LOOKS 6
// How often a waiter looks whether the trial has ended.
#define SLICE_NS (20 * NS_PER_MS)
#define TOP "/lockpick"
#define SET_UP_NS (10 * NS_PER_S)
// A session of a set-up or clean-up may end while the servers are about to elect their leader, or a
// server has only just gone on: once more, then.
#define SET_UP_TRIES 3

const char *const zk_topologies[] = {"single", "ensemble", NULL};

static struct zk_client *client_of(const struct lock *lock)
{
    return lock->client->state;
}

struct zk_lock *zk_lock_of(const struct lock *lock)
{
    return lock->state;
}

struct zk *zk_of(const struct lock *lock)
{
    return client_of(lock)->zk;
}

// --- the client process --------------------------------------------------------------------------

// Never more than was asked for: a server may grant more.
static int64_t belief_ns(const struct zk_client *client)
{
    int64_t agreed_ns = zk_timeout_ns(client->zk);
    int64_t asked_ns = client->client->options.lease_ns;
    return time_earlier(agreed_ns, asked_ns);
}

// A hold whose session is that, or has ended.
struct ending {
    struct zk_client *client;
    int64_t session;
};

static void lose_with_session(void *context, struct lock *lock)
{
    const struct ending *ending = context;
    if (zk_lock_of(lock)->node.session == ending->session)
        lock_lose(lock, LOST_SESSION, &ending->client->writer);
}

// On the library's thread.
static void lose_all(void *context, int64_t session)
{
    struct ending ending = {context, session};
    watchdog_visit(ending.client->client->watchdog, lose_with_session, &ending);
}

// Without a connection for two thirds of the time-out, the session may well have ended by the time
// there is one again: the holder is told to stop.
static enum outcome renew(struct renewal *renewal)
{
    const struct zk_client *state = client_of(renewal->lock);
    const struct zk_node *node = &zk_lock_of(renewal->lock)->node;
    struct actor *actor = renewal->actor;
    struct zk_answer answer;
    if (zk_silence_ns(state->zk) > zk_timeout_ns(state->zk) / 3 * 2)
        lock_lose(renewal->lock, LOST_SUSPENDED, actor->history);
    enum outcome outcome = zk_ask(state->zk, actor, &answer, ZK_EXISTS, node->path, NULL);
    renewal->valid_until_ns = renewal->asked_ns + belief_ns(state);
    if (!answer.session_ended && answer.session == node->session)
        return outcome;
    lock_lose(renewal->lock, LOST_SESSION, actor->history);
    return OUTCOME_NO;
}

static bool is_over(const struct lock *lock)
{
    return zk_node_is_over(lock, &zk_lock_of(lock)->node);
}

const struct watchdog_settings zk_renewal = {.renew = renew, .is_over = is_over};

int zk_client_open(struct lock_client *client, struct error *error)
{
    struct zk_client *state = client->state;
    const struct zk_settings settings = {
        .service = client->service,
        .first_server = (client->number - 1) % client->service->server_count,
        .session_ns = client->options.lease_ns,
        .request_ns = client->options.request_ns,
        .ended = lose_all,
        .context = state,
    };
    state->client = client;
    if (client->history != NULL)
        history_writer_start(&state->writer, client->history, client->number, 0);
    state->zk = zk_open(&settings, error);
    if (state->zk == NULL)
        return -1;
    client->renewal_ns = belief_ns(state) / LOOKS;
    return 0;
}

void zk_client_close(struct lock_client *client)
{
    const struct zk_client *state = client->state;
    zk_close(state->zk);
}

// --- the worker ----------------------------------------------------------------------------------

void zk_node_renew(struct lock *lock, struct zk_node *node)
{
    char digits[33];
    *node = (struct zk_node){0};
    random_hex(lock->random, digits, sizeof digits - 1);
    snprintf(node->guid, sizeof node->guid, "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8,
             digits + 12, digits + 16, digits + 20);
}

bool zk_node_is_over(const struct lock *lock, const struct zk_node *node)
{
    return node->session == 0 || zk_session(zk_of(lock)) != node->session;
}

enum outcome zk_outcome(struct lock *lock, enum outcome outcome, const char *what, const char *path,
                        const struct zk_answer *answer)
{
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "zookeeper: %s %s: %s", what, path, answer->why);
    return outcome;
}

enum outcome zk_node_create(struct lock *lock, struct zk_node *node, struct zk_answer *answer,
                            const char *path, const char *data, enum zk_mode mode)
{
    enum outcome outcome = zk_create(zk_of(lock), lock->actor, answer, path, data, mode);
    node->session = answer->session;
    node->czxid = answer->czxid;
    node->may_exist = outcome == OUTCOME_OK || outcome == OUTCOME_UNKNOWN;
    if (outcome != OUTCOME_UNKNOWN && answer->reply == ZK_NO_NODE)
        outcome = OUTCOME_BROKEN;
    return zk_outcome(lock, outcome, "create", path, answer);
}

bool zk_wait(struct lock *lock, struct zk_watch *watch)
{
    bool has_rung = false;
    while (!has_rung && !lock_must_give_up(lock)) {
        int64_t left_ns = lock->give_up_ns - clock_now_ns(&lock->actor->clock);
        // Who has a gate is told when the trial ends.
        bool has_gate = lock->actor->gate != NULL;
        has_rung = zk_watch_wait(watch, has_gate ? left_ns : time_earlier(left_ns, SLICE_NS));
    }
    zk_watch_drop(watch);
    lock->actor->wakeups += has_rung;
    return has_rung;
}

void zk_wait_for(struct lock *lock, const char *path, bool exists)
{
    struct zk_answer answer = {0};
    struct zk_watch *watch = zk_watch_new(zk_of(lock));
    enum outcome outcome =
        zk_ask(zk_of(lock), lock->actor, &answer, exists ? ZK_EXISTS : ZK_GET_DATA, path, watch);
    if (outcome == OUTCOME_OK) {
        zk_wait(lock, watch);
        return;
    }
    zk_watch_drop(watch);
    if (answer.reply != ZK_NO_NODE)
        lock_wait_before_retry(lock);
}

// --- holds ---------------------------------------------------------------------------------------

enum outcome zk_hold(struct lock *lock, struct grant *grant)
{
    struct zk_lock *state = zk_lock_of(lock);
    state->depth = 0;
    grant->token = lock->options.fenced ? state->node.czxid : 0;
    grant->valid_until_ns = lock->asked.client_ns + belief_ns(client_of(lock));
    return OUTCOME_OK;
}

// Without an answer, or if the node was not there, the caller knows more.
static enum release_answer delete_once(struct lock *lock, struct zk_node *node)
{
    struct zk_answer answer = {.session_ended = true};
    enum outcome outcome = OUTCOME_NO;
    if (!zk_node_is_over(lock, node))
        outcome = zk_outcome(
            lock, zk_delete(zk_of(lock), lock->actor, &answer, node->path, node->session), "delete",
            node->path, &answer);
    bool is_gone = answer.session_ended || answer.reply == ZK_NO_NODE;
    node->may_exist = outcome != OUTCOME_OK && !is_gone;
    if (outcome == OUTCOME_OK)
        return RELEASE_RELEASED;
    return is_gone ? RELEASE_GONE : RELEASE_UNKNOWN;
}

enum release_answer zk_node_delete(struct lock *lock, struct zk_node *node)
{
    enum release_answer answer = delete_once(lock, node);
    for (int tries = 1; answer == RELEASE_UNKNOWN && tries < DELETE_TRIES; tries++) {
        zk_await_connection(zk_of(lock));
        answer = delete_once(lock, node);
        // That it is not there any more is the doing of the delete that was not answered, or, if
        // its session has ended, perhaps of that.
        if (answer == RELEASE_GONE)
            return zk_node_is_over(lock, node) ? RELEASE_UNKNOWN : RELEASE_RELEASED;
    }
    return answer;
}

void zk_note_loss(struct lock *lock, enum release_answer answer)
{
    bool may_be_gone = answer == RELEASE_GONE || answer == RELEASE_UNKNOWN;
    if (may_be_gone && zk_node_is_over(lock, &zk_lock_of(lock)->node))
        lock_lose(lock, LOST_SESSION, lock->actor->history);
}

enum release_answer zk_release(struct lock *lock)
{
    enum release_answer answer = zk_node_delete(lock, &zk_lock_of(lock)->node);
    zk_note_loss(lock, answer);
    return answer;
}

// --- reentry -------------------------------------------------------------------------------------

enum outcome zk_reenter(struct lock *lock, struct grant *grant)
{
    (void)grant;
    enum outcome outcome = lock_still_held(lock);
    zk_lock_of(lock)->depth += outcome == OUTCOME_OK;
    return outcome;
}

enum release_answer zk_leave(struct lock *lock)
{
    struct zk_lock *state = zk_lock_of(lock);
    if (state->depth == 0)
        return RELEASE_NOT_OWNER;
    state->depth--;
    enum outcome outcome = lock_still_held(lock);
    if (outcome == OUTCOME_UNKNOWN)
        return RELEASE_UNKNOWN;
    return outcome == OUTCOME_OK ? RELEASE_RELEASED : RELEASE_GONE;
}

// --- a node of one name --------------------------------------------------------------------------

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

enum outcome zk_named_create(struct lock *lock, struct zk_node *node, const char *below,
                             const char *name)
{
    struct zk_answer answer;
    zk_node_renew(lock, node);
    zk_lock_path(&lock->options, below, name, node->path);
    enum outcome outcome =
        zk_node_create(lock, node, &answer, node->path, node->guid, ZK_EPHEMERAL);
    return outcome == OUTCOME_UNKNOWN ? is_ours(lock, node) : outcome;
}

// Deletes the node, unless it is not ours. RELEASED, GONE or UNKNOWN.
static enum release_answer delete_ours(struct lock *lock, struct zk_node *node)
{
    enum release_answer answer = delete_once(lock, node);
    for (int tries = 1; answer == RELEASE_UNKNOWN && tries < DELETE_TRIES; tries++) {
        // The delete that was not answered may have been done, and another may hold it by now.
        enum outcome outcome = is_ours(lock, node);
        if (outcome == OUTCOME_NO)
            return zk_node_is_over(lock, node) ? RELEASE_UNKNOWN : RELEASE_RELEASED;
        if (outcome == OUTCOME_OK)
            answer = delete_once(lock, node);
        if (answer == RELEASE_GONE)
            return RELEASE_UNKNOWN;
    }
    return answer;
}

bool zk_named_tidy(struct lock *lock, struct zk_node *node)
{
    if (!node->may_exist)
        return true;
    enum outcome outcome = is_ours(lock, node);
    if (outcome == OUTCOME_OK)
        return delete_ours(lock, node) != RELEASE_UNKNOWN;
    return outcome == OUTCOME_NO;
}

enum release_answer zk_named_release(struct lock *lock)
{
    enum release_answer answer = delete_ours(lock, &zk_lock_of(lock)->node);
    zk_note_loss(lock, answer);
    return answer == RELEASE_RELEASED ? RELEASE_UNCHECKED : answer;
}

// --- folders: there before any client comes, removed when all have gone -----------------------

void zk_lock_path(const struct lock_options *options, const char *below, const char *name,
                  char path[ZK_PATH_ROOM])
{
    const char *slash = name[0] != '\0' ? "/" : "";
    snprintf(path, ZK_PATH_ROOM, TOP "/%s%s%s%s", options->tag, below, slash, name);
}

// Takes one of the tries; all that are left, if no server answers for the whole time.
static struct zk *open_for_set_up(const struct service *service, int *tries_left,
                                  struct error *error)
{
    const struct zk_settings settings = {
        .service = service, .session_ns = SET_UP_NS, .request_ns = SET_UP_NS};
    int64_t give_up_ns = clock_of_machine_ns() + SET_UP_NS;
    struct zk *zk = zk_open(&settings, error);
    bool is_unanswered = zk == NULL && clock_of_machine_ns() >= give_up_ns;
    *tries_left = is_unanswered ? 0 : *tries_left - 1;
    return zk;
}

// The top is a container: the server removes it some time after the last lock in it. If it does so
// right now, it is made once more.
static int make_folder(struct zk *zk, const char *path, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    enum outcome outcome = OUTCOME_NO;
    for (int tries = 0; tries < 3 && outcome != OUTCOME_OK; tries++) {
        outcome = zk_create(zk, &nobody, &answer, path, "", ZK_PERSISTENT);
        if (answer.reply == ZK_NODE_EXISTS)
            outcome = OUTCOME_OK;
        else if (answer.reply == ZK_NO_NODE)
            zk_create(zk, &nobody, &answer, TOP, "", ZK_CONTAINER);
    }
    if (outcome == OUTCOME_OK)
        return 0;
    return error_set(error, "cannot create %s in zookeeper: %s", path, answer.why);
}

int zk_lock_set_up_folders(const struct service *service, const struct lock_options *options,
                           const char *const *below, struct error *error)
{
    int result = -1;
    for (int left = SET_UP_TRIES; result != 0 && left > 0;) {
        struct zk *zk = open_for_set_up(service, &left, error);
        result = zk != NULL ? 0 : -1;
        for (size_t i = 0; below[i] != NULL && result == 0; i++) {
            char path[ZK_PATH_ROOM];
            zk_lock_path(options, below[i], "", path);
            result = make_folder(zk, path, error);
        }
        zk_close(zk);
    }
    return result;
}

int zk_lock_set_up(const struct service *service, const struct lock_options *options,
                   struct error *error)
{
    static const char *const only_its_own[] = {"", NULL};
    return zk_lock_set_up_folders(service, options, only_its_own, error);
}

// Sessions of clients that were killed may still end meanwhile, and take their nodes.
static int remove_tree(struct zk *zk, const char *path, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    struct zk_names names;
    enum outcome outcome = zk_get_children(zk, &nobody, &answer, path, &names, NULL);
    int result = 0;
    for (size_t i = 0; i < names.count && result == 0; i++) {
        struct text child = {0};
        text_format(&child, "%s/%s", path, names.items[i]);
        result = remove_tree(zk, child.bytes, error);
        text_free(&child);
    }
    zk_names_free(&names);
    if (result == 0 && outcome == OUTCOME_OK)
        outcome = zk_ask(zk, &nobody, &answer, ZK_DELETE, path, NULL);
    if (result != 0 || outcome == OUTCOME_OK || answer.reply == ZK_NO_NODE)
        return result;
    return error_set(error, "cannot remove %s from zookeeper: %s", path, answer.why);
}

static int remove_from(const struct service *service, const char *path, struct error *error)
{
    int result = -1;
    for (int left = SET_UP_TRIES; result != 0 && left > 0;) {
        struct zk *zk = open_for_set_up(service, &left, error);
        result = zk != NULL ? remove_tree(zk, path, error) : -1;
        zk_close(zk);
    }
    return result;
}

int zk_lock_clean_up(const struct service *service, const struct lock_options *options,
                     struct error *error)
{
    char path[ZK_PATH_ROOM];
    zk_lock_path(options, "", "", path);
    return remove_from(service, path, error);
}

int zk_locks_clean(const struct service *service, struct error *error)
{
    return remove_from(service, TOP, error);
}

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
        outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_SYNC, folder, NULL);
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
    outcome = zk_ask(zk_of(lock), lock->actor, &answer, ZK_EXISTS, node->path, NULL);
    node->czxid = answer.czxid;
    if (outcome != OUTCOME_NO)
        return zk_outcome(lock, outcome, "exists", node->path, &answer);
    node->may_exist = answer.reply != ZK_NO_NODE && !answer.session_ended;
    return node->may_exist ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

enum outcome zk_queue_join(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node)
{
    struct zk_answer answer;
    char name[ZK_GUID_ROOM + 32];
    char path[ZK_PATH_ROOM];
    zk_node_renew(lock, node);
    snprintf(name, sizeof name, "%s%s%s", recipe->prefix, node->guid, recipe->suffix);
    path_of(lock, recipe, name, path);
    enum outcome outcome = zk_node_create(lock, node, &answer, path, "", ZK_EPHEMERAL_SEQUENTIAL);
    if (outcome == OUTCOME_UNKNOWN)
        return find_again(lock, recipe, node);
    memcpy(node->path, answer.text, sizeof node->path);
    return outcome;
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

// Where the node stands: OK, it need not wait; NO, it waits for the node at `blocker`, or, if the
// recipe names none, for a change that `watch` tells of.
static enum outcome look(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node,
                         char blocker[ZK_PATH_ROOM], struct zk_watch *watch)
{
    struct zk_queue queue;
    blocker[0] = '\0';
    enum outcome outcome = zk_queue_read(lock, recipe, &queue, watch);
    if (outcome == OUTCOME_OK) {
        size_t own = zk_queue_find(&queue, node);
        bool has_blocker = own < queue.count && recipe->blocker != NULL;
        size_t other = has_blocker ? recipe->blocker(&queue, own) : own;
        bool waits =
            recipe->blocker != NULL ? other != own : queue.count > (size_t)lock->options.permits;
        node->may_exist = own < queue.count;
        if (other != own)
            path_of(lock, recipe, queue.places[other].name, blocker);
        outcome = node->may_exist && !waits ? OUTCOME_OK : OUTCOME_NO;
    } else if (outcome == OUTCOME_NO) {
        outcome = OUTCOME_UNKNOWN;
    }
    zk_queue_free(&queue);
    return outcome;
}

// A node that is not there any more went with its session, or somebody took it: NO.
enum outcome zk_queue_wait_turn(struct lock *lock, const struct zk_recipe *recipe,
                                struct zk_node *node, struct grant *grant)
{
    char blocker[ZK_PATH_ROOM];
    for (;; grant->attempts++) {
        struct zk_watch *watch = recipe->blocker == NULL ? zk_watch_new(zk_of(lock)) : NULL;
        lock_asks_ns(lock);
        enum outcome outcome = look(lock, recipe, node, blocker, watch);
        bool is_over = !node->may_exist || zk_node_is_over(lock, node);
        if (watch != NULL && outcome == OUTCOME_NO && !is_over && !lock_must_give_up(lock)) {
            zk_wait(lock, watch);
            continue;
        }
        if (watch != NULL)
            zk_watch_drop(watch);
        if (outcome == OUTCOME_OK || is_over)
            return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
        if (outcome == OUTCOME_BROKEN || lock_must_give_up(lock)) {
            bool has_left = zk_queue_leave(lock, recipe, node) != RELEASE_UNKNOWN;
            if (outcome == OUTCOME_BROKEN)
                return outcome;
            return has_left ? OUTCOME_NO : OUTCOME_UNKNOWN;
        }
        if (outcome == OUTCOME_NO)
            zk_wait_for(lock, blocker, false);
        else
            lock_wait_before_retry(lock); // it keeps its place meanwhile
    }
}

enum outcome zk_queue_wait(struct lock *lock, const struct zk_recipe *recipe, struct zk_node *node,
                           struct grant *grant)
{
    if (zk_queue_leave(lock, recipe, node) == RELEASE_UNKNOWN)
        return OUTCOME_UNKNOWN;
    enum outcome outcome = zk_begin(zk_of(lock));
    if (outcome == OUTCOME_OK)
        outcome = zk_queue_join(lock, recipe, node);
    if (outcome == OUTCOME_OK)
        lock_queued(lock, TIME_NEVER);
    return outcome == OUTCOME_OK ? zk_queue_wait_turn(lock, recipe, node, grant) : outcome;
}

enum outcome zk_queue_try_acquire(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = zk_queue_wait(lock, lock->scheme->kind, &zk_lock_of(lock)->node, grant);
    return outcome == OUTCOME_OK ? zk_hold(lock, grant) : outcome;
}
