#include "harness/locks/etcd_common.h"

#include "harness/point/gate.h"

#include <inttypes.h>
#include <stdio.h>

const char *const etcd_topologies[] = {"single", "ensemble", NULL};

static int64_t now_of(const struct lock *lock)
{
    return clock_now_ns(&lock->actor->clock);
}

// etcd counts in seconds: it keeps the lease for as long as we believe in it, or a little longer.
static int64_t ttl_s(const struct lock_options *options)
{
    return (options->lease_ns + NS_PER_S - 1) / NS_PER_S;
}

// --- the client's watchdog -----------------------------------------------------------------------

// The server answers without a TTL if there is no such lease any more.
static enum outcome keep_alive(struct etcd_connection *connection, const struct lock *lock,
                               const struct clock *clock)
{
    struct etcd_lock *state = lock->state;
    struct instant asked = instant_now(clock);
    int64_t left_s;
    enum outcome outcome = etcd_keep_alive(connection, state->lease, &left_s);
    if (outcome == OUTCOME_OK && left_s == 0)
        return OUTCOME_NO;
    if (outcome == OUTCOME_OK) {
        state->lease_until_ns = asked.client_ns + lock->options.lease_ns;
        state->lease_asked = asked;
        // Its worker goes by that, whoever asked.
        if (lock->actor->gate != NULL)
            gate_hear(lock->actor->gate, "kept", 4);
    }
    return outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
}

static enum outcome renew(struct renewal *renewal)
{
    return keep_alive(renewal->lock->client->connection, renewal->lock, &renewal->actor->clock);
}

const struct watchdog_settings etcd_renewal = {.renew = renew};

// --- the worker's session ------------------------------------------------------------------------

int etcd_open_lock(struct lock *lock, struct error *error)
{
    struct etcd_lock *state = lock->state;
    snprintf(state->prefix, sizeof state->prefix, "%s/", lock->options.name);
    state->side = etcd_open(lock->service, lock->options.request_ns, lock->actor, error);
    return state->side == NULL ? -1 : 0;
}

// Leaves no lease behind, if the server can be had.
void etcd_close_lock(struct lock *lock)
{
    const struct etcd_lock *state = lock->state;
    if (state->lease != 0)
        etcd_revoke(lock->connection, state->lease);
    etcd_close(state->side);
}

struct etcd_lock *etcd_of(struct lock *lock)
{
    return lock->state;
}

// With the lease go its keys, those too that a request which is still on its way would have made.
static enum outcome end_session(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    enum outcome outcome = etcd_revoke(lock->connection, state->lease);
    state->is_doubtful = outcome != OUTCOME_OK;
    if (outcome == OUTCOME_OK)
        state->lease = 0;
    return lock_noted(lock, outcome);
}

enum outcome etcd_have_session(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    if (state->is_doubtful) {
        enum outcome outcome = end_session(lock);
        if (outcome != OUTCOME_OK)
            return outcome;
    }
    int64_t asked_ns = lock_asks_ns(lock);
    if (state->lease != 0 && state->lease_until_ns - asked_ns >= lock->options.lease_ns / 2)
        return OUTCOME_OK;
    enum outcome outcome = etcd_grant(lock->connection, ttl_s(&lock->options), &state->lease);
    state->lease_until_ns = asked_ns + lock->options.lease_ns;
    state->lease_asked = lock->asked;
    state->keep_alive_ns = asked_ns + lock->options.lease_ns / 3;
    snprintf(state->key, sizeof state->key, "%s%" PRIx64, state->prefix, (uint64_t)state->lease);
    return lock_noted(lock, outcome);
}

// --- waiting -------------------------------------------------------------------------------------

bool etcd_wait_is_over(void *context)
{
    struct etcd_wait *wait = context;
    struct etcd_lock *state = wait->lock->state;
    int64_t now_ns = now_of(wait->lock);
    if (now_ns >= state->keep_alive_ns) {
        state->keep_alive_ns = now_ns + wait->lock->options.lease_ns / 3;
        if (keep_alive(state->side, wait->lock, &wait->lock->actor->clock) == OUTCOME_NO)
            state->lease_until_ns = now_ns;
        now_ns = now_of(wait->lock);
    }
    return now_ns >= state->lease_until_ns || now_ns >= wait->at_most_ns ||
           (now_ns >= wait->at_least_ns && lock_must_give_up(wait->lock));
}

static int64_t look_again_ns(void *context)
{
    const struct etcd_wait *wait = context;
    const struct etcd_lock *state = wait->lock->state;
    int64_t until_ns = time_earlier(state->keep_alive_ns, state->lease_until_ns);
    return time_earlier(until_ns, time_earlier(wait->at_most_ns, wait->lock->give_up_ns));
}

struct peer_patience etcd_patience(struct etcd_wait *wait)
{
    return (struct peer_patience){etcd_wait_is_over, wait, look_again_ns};
}

enum outcome etcd_withdraw(struct lock *lock)
{
    enum outcome outcome = end_session(lock);
    if (outcome == OUTCOME_BROKEN)
        return OUTCOME_BROKEN;
    return outcome == OUTCOME_OK ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

// --- the line of keys ----------------------------------------------------------------------------

enum outcome etcd_wait_for_predecessor(struct lock *lock, int64_t revision, struct etcd_wait *wait)
{
    struct etcd_lock *state = lock->state;
    struct etcd_entry predecessor;
    int64_t seen_at;
    enum outcome outcome =
        etcd_get_older(lock->connection, state->prefix, revision, &predecessor, &seen_at);
    if (outcome == OUTCOME_BROKEN || (outcome == OUTCOME_OK && predecessor.create_revision == 0))
        return outcome;
    if (outcome == OUTCOME_OK && !etcd_wait_is_over(wait)) {
        // Not for ever: this server may be cut off from the others.
        wait->at_most_ns = clock_now_ns(&lock->actor->clock) + lock->options.lease_ns / 3;
        const struct peer_patience waiting = etcd_patience(wait);
        // From the revision after: a watch that begins with one of the past is served by etcd
        // only every 100 ms.
        outcome = etcd_watch_deletion(lock->connection, predecessor.key, seen_at + 1, &waiting);
        wait->at_most_ns = TIME_NEVER;
        if (outcome == OUTCOME_OK)
            return OUTCOME_NO; // but perhaps there is one before that one
    }
    if (outcome != OUTCOME_BROKEN && !etcd_wait_is_over(wait))
        lock_wait_before_retry(lock);
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_NO;
}

// Deletes its key. The lease stays, for the next time, if the key certainly goes.
static enum outcome leave_line(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    int64_t deleted;
    enum outcome outcome = etcd_delete(lock->connection, state->key, &deleted);
    return outcome == OUTCOME_OK && deleted == 1 ? OUTCOME_NO : etcd_withdraw(lock);
}

// --- holding -------------------------------------------------------------------------------------

enum outcome etcd_hold(struct lock *lock, struct grant *grant)
{
    const struct etcd_lock *state = lock->state;
    grant->valid_until_ns = state->lease_until_ns;
    lock->asked = state->lease_asked;
    return OUTCOME_OK;
}

void etcd_end_hold(struct lock *lock)
{
    etcd_of(lock)->keep_alive_ns = now_of(lock) + lock->options.lease_ns / 6;
}

enum outcome etcd_stand_in_line(struct lock *lock, struct grant *grant,
                                enum outcome (*wait_for_turn)(struct lock *, int64_t))
{
    struct etcd_lock *state = lock->state;
    struct etcd_entry own, oldest;
    enum outcome outcome = etcd_have_session(lock);
    if (outcome != OUTCOME_OK)
        return outcome;
    outcome = etcd_create(lock->connection, state->key, state->lease, state->prefix, &own, &oldest);
    if (outcome == OUTCOME_NO) {
        state->is_doubtful = etcd_lacks_lease(lock->connection);
        return OUTCOME_NO;
    }
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? lock_noted(lock, outcome) : etcd_withdraw(lock);
    bool is_first = oldest.create_revision == own.create_revision;
    // A former attempt's place was lost: this one is another, even if it need not wait.
    if (!is_first || grant->attempts > 1)
        lock_queued(lock, TIME_NEVER);
    if (!is_first) {
        outcome = wait_for_turn(lock, own.create_revision);
        if (outcome != OUTCOME_OK)
            return outcome == OUTCOME_BROKEN ? lock_noted(lock, outcome) : leave_line(lock);
    }
    grant->token = lock->options.fenced ? own.create_revision : 0;
    return etcd_hold(lock, grant);
}

enum release_answer etcd_delete_own(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    int64_t deleted;
    etcd_end_hold(lock);
    enum outcome outcome = etcd_delete(lock->connection, state->key, &deleted);
    state->is_doubtful = outcome != OUTCOME_OK || deleted == 0;
    if (lock_noted(lock, outcome) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return deleted == 1 ? RELEASE_RELEASED : RELEASE_GONE;
}
