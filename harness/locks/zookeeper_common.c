#include "harness/locks/zookeeper_common.h"

#include "harness/base/text.h"
#include "harness/locks/watchdog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELETE_TRIES 3
// How often the watchdog looks in the time-out of a session: so that a holder without a connection
// is told soon after two thirds of it.
#define LOOKS 6
// How often a waiter looks whether the trial has ended.
#define SLICE_NS (20 * NS_PER_MS)

const char *const zk_topologies[] = {"single", "ensemble", NULL};

// lock->client->state.
struct zk_client {
    struct lock_client *client;
    struct zk *zk;
    struct watchdog *watchdog;
    struct history_writer writer; // for what the library's thread tells; guarded by the mutex
    pthread_mutex_t mutex;
    struct zk_lock *holds;
};

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
static int64_t belief_ns(struct zk_client *client)
{
    int64_t agreed_ns = zk_timeout_ns(client->zk);
    int64_t asked_ns = client->client->options.lease_ns;
    return time_earlier(agreed_ns, asked_ns);
}

// On the library's thread: every hold of that session is lost.
static void lose_all(void *context, int64_t session)
{
    struct zk_client *client = context;
    bool records = client->client->history != NULL;
    pthread_mutex_lock(&client->mutex);
    for (struct zk_lock *hold = client->holds; hold != NULL; hold = hold->next) {
        if (hold->node.session != session)
            continue;
        client->writer.worker = (uint16_t)hold->lock->actor->worker;
        lock_lose(hold->lock, LOST_SESSION, records ? &client->writer : NULL);
    }
    pthread_mutex_unlock(&client->mutex);
}

static void lose(struct zk_client *client, struct actor *actor, struct lock *lock,
                 enum lost_reason reason)
{
    bool records = client->client->history != NULL;
    if (records)
        actor->history->worker = (uint16_t)lock->actor->worker;
    lock_lose(lock, reason, records ? actor->history : NULL);
}

// In the watchdog's thread. Without a connection for two thirds of the time-out, the session may
// well have ended by the time there is one again: the holder is told to stop.
static void renew(void *context, struct actor *actor, struct renewal *renewals, size_t count)
{
    struct zk_client *client = context;
    for (size_t i = 0; i < count; i++) {
        struct renewal *renewal = &renewals[i];
        struct zk_lock *hold = renewal->holder;
        struct zk_answer answer;
        if (zk_silence_ns(client->zk) > zk_timeout_ns(client->zk) / 3 * 2)
            lose(client, actor, renewal->lock, LOST_SUSPENDED);
        int64_t asked_ns = clock_now_ns(&actor->clock);
        renewal->outcome = zk_exists(client->zk, actor, &answer, hold->node.path, NULL);
        renewal->valid_until_ns = asked_ns + belief_ns(client);
        if (answer.session_ended || answer.session != hold->node.session) {
            lose(client, actor, renewal->lock, LOST_SESSION);
            renewal->outcome = OUTCOME_NO;
        }
    }
}

int zk_client_open(struct lock_client *client, struct error *error)
{
    struct zk_client *state = memory_zeroed(1, sizeof *state);
    const struct zk_settings settings = {
        .service = client->service,
        .first_server = (client->number - 1) % client->service->server_count,
        .session_ns = client->options.lease_ns,
        .request_ns = client->options.request_ns,
        .ended = lose_all,
        .context = state,
    };
    client->state = state;
    state->client = client;
    pthread_mutex_init(&state->mutex, NULL);
    if (client->history != NULL)
        history_writer_start(&state->writer, client->history, client->number, 0);
    state->zk = zk_open(&settings, error);
    if (state->zk != NULL) {
        const struct watchdog_settings care = {
            .interval_ns = belief_ns(state) / LOOKS, .batch = 1, .renew = renew, .context = state};
        state->watchdog = watchdog_start(client, &care, error);
    }
    if (state->watchdog != NULL)
        return 0;
    zk_client_close(client);
    return -1;
}

void zk_client_close(struct lock_client *client)
{
    struct zk_client *state = client->state;
    if (state == NULL)
        return;
    watchdog_stop(state->watchdog);
    zk_close(state->zk);
    pthread_mutex_destroy(&state->mutex);
    free(state);
    client->state = NULL;
}

// --- the worker ----------------------------------------------------------------------------------

int zk_lock_open(struct lock *lock, struct error *error)
{
    (void)error;
    struct zk_lock *state = memory_zeroed(1, sizeof *state);
    state->lock = lock;
    lock->state = state;
    return 0;
}

void zk_lock_close(struct lock *lock)
{
    if (lock->state != NULL)
        zk_let_go(lock);
    free(lock->state);
    lock->state = NULL;
}

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

bool zk_wait(struct lock *lock, struct zk_watch *watch, int64_t give_up_ns)
{
    bool has_rung = false;
    while (!has_rung && !lock_must_give_up(lock, give_up_ns)) {
        int64_t left_ns = give_up_ns - clock_now_ns(&lock->actor->clock);
        has_rung = zk_watch_wait(watch, left_ns < SLICE_NS ? left_ns : SLICE_NS);
    }
    zk_watch_drop(watch);
    lock->actor->wakeups += has_rung;
    return has_rung;
}

// --- holds ---------------------------------------------------------------------------------------

// From here on an end of the session is told to the holder; false if it has ended already.
static bool add_hold(struct zk_client *client, struct zk_lock *state)
{
    pthread_mutex_lock(&client->mutex);
    bool is_over = zk_node_is_over(state->lock, &state->node);
    if (!is_over) {
        state->holds = true;
        state->next = client->holds;
        client->holds = state;
    }
    pthread_mutex_unlock(&client->mutex);
    return !is_over;
}

static void remove_hold(struct zk_client *client, struct zk_lock *state)
{
    pthread_mutex_lock(&client->mutex);
    if (state->holds) {
        struct zk_lock **place = &client->holds;
        while (*place != state)
            place = &(*place)->next;
        *place = state->next;
        state->holds = false;
    }
    pthread_mutex_unlock(&client->mutex);
}

enum outcome zk_hold(struct lock *lock, struct grant *grant, int64_t asked_ns)
{
    struct zk_client *client = client_of(lock);
    struct zk_lock *state = zk_lock_of(lock);
    if (!add_hold(client, state)) {
        state->node.may_exist = false;
        return OUTCOME_NO;
    }
    state->depth = 0;
    grant->token = lock->options.fenced ? state->node.czxid : 0;
    grant->valid_until_ns = asked_ns + belief_ns(client);
    watchdog_add(client->watchdog, lock, state, grant->valid_until_ns);
    return OUTCOME_OK;
}

void zk_let_go(struct lock *lock)
{
    struct zk_client *client = client_of(lock);
    watchdog_remove(client->watchdog, lock);
    remove_hold(client, zk_lock_of(lock));
}

// Without an answer, or if the node was not there, the caller knows more.
enum release_answer zk_node_delete_once(struct lock *lock, struct zk_node *node)
{
    struct zk_answer answer = {.session_ended = true};
    enum outcome outcome = OUTCOME_NO;
    if (!zk_node_is_over(lock, node))
        outcome = zk_outcome(lock, zk_delete(zk_of(lock), lock->actor, &answer, node->path),
                             "delete", node->path, &answer);
    bool is_gone = answer.session_ended || answer.reply == ZK_NO_NODE;
    node->may_exist = outcome != OUTCOME_OK && !is_gone;
    if (outcome == OUTCOME_OK)
        return RELEASE_RELEASED;
    return is_gone ? RELEASE_GONE : RELEASE_UNKNOWN;
}

enum release_answer zk_node_delete(struct lock *lock, struct zk_node *node)
{
    enum release_answer answer = zk_node_delete_once(lock, node);
    for (int tries = 1; answer == RELEASE_UNKNOWN && tries < DELETE_TRIES; tries++) {
        zk_await_connection(zk_of(lock));
        answer = zk_node_delete_once(lock, node);
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
    zk_let_go(lock);
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
    return lock_left_answer(lock);
}
