// What the Redisson schemes share: Redisson 4.7's names, its way to wait, to unlock and to renew.
// All values on the wire are Redisson's, argument for argument. Its scripts are described in its
// sources, github.com/redisson/redisson; they stand here in a layout of our own.
//
// What is ours: the lease is options.lease_ns (Redisson's is 30 s by default) and every wait ends
// when the trial does. Redisson's unlock latch lasts for the command time-out and the delays of all
// retries; ours is counted from options.request_ns in the same way. Messages are published by
// PUBLISH on a cluster too, as by a Redisson that finds no sharded channels there.
#ifndef LOCKPICK_LOCKS_REDISSON_COMMON_H
#define LOCKPICK_LOCKS_REDISSON_COMMON_H

#include "harness/locks/redis_common.h"
#include "harness/wire/redis_subscriber.h"

#define REDISSON_NAME 256 // room for any name of a key, field or channel

// What is sent to a script. Of keys: "{name}" is the name as it is if it has braces, so that all
// keys of a lock are on one server of a cluster; "prefix:{name}" likewise.
enum redisson_word {
    WORD_NONE,
    WORD_LOCK,        // its name
    WORD_TAGGED,      // "{name}"
    WORD_CHANNEL,     // "prefix:{name}", with the kind's prefix: where an unlock is told
    WORD_OWN_CHANNEL, // where the worker waits: the same, or with ":<holder>" behind it
    WORD_QUEUE,       // of a fair lock: "redisson_lock_queue:{name}"
    WORD_TIMEOUTS,    // and until when each place is kept: "redisson_lock_timeout:{name}"
    WORD_COUNTER,     // of fencing tokens: "redisson_lock_token:{name}"
    WORD_READS,       // "{name}:<holder>:rwlock_timeout", to which the number of the hold is added
    WORD_LATCH,       // of the current unlock: "redisson_unlock_latch:{name}:<request>"
    WORD_HOLDER,      // "<UUID>:<number of the thread>"
    WORD_FIELD,       // of the lock's hash: the holder, a writer's has a suffix
    WORD_LEASE,       // in ms, as all that follow
    WORD_LATCH_LEASE,
    WORD_WAIT, // for how long a place is kept, counted from when the one before it is to be gone
    WORD_NOW,  // since 1970, by the client's clock
    WORD_PUBLISH,
    WORD_0, // wakes one
    WORD_1, // wakes all that wait now; of a semaphore: one permit
    WORDS,
};

// A script, and what it is sent, in this order.
struct redisson_step {
    struct redis_script script;
    enum redisson_word keys[6], arguments[7];
};

enum redisson_act {
    ACT_ACQUIRE,
    ACT_UNLOCK,
    ACT_TRY,     // of a fair lock: acquire without queueing up
    ACT_GIVE_UP, // leaves the queue
    ACTS,
};

// One kind of Redisson lock: scheme->kind.
struct redisson_kind {
    const char *channel;                        // prefix of its channel's name
    const struct redisson_step *steps[ACTS];    // NULL: there is none
    const struct redisson_step *to_share[ACTS]; // of a reader, if they are others
    bool has_permits; // a counter without owner, lease or latch; a message says how many are free
    bool lines_up;    // who has to wait takes a place in a line
    bool has_own_channels; // each waiter
};

// lock_client->state: an instance of Redisson.
struct redisson_client {
    char id[37]; // its UUID
    struct redis_subscriber *subscriber;
    struct redisson_sweeper *sweeper; // deletes latches; NULL: there are none
};

// lock->state: a thread of it.
struct redisson_lock {
    char words[WORDS][REDISSON_NAME];
    bool is_reading;     // the current hold is a reader's
    bool will_wait;      // the acquire under way
    bool has_asked;      // the last attempt was answered by its script
    bool place_in_doubt; // the last attempt had no answer: it may have used up our place
    int64_t ttl_ms; // for how long the lock is busy, as the last attempt was told; -1: for ever
    struct redis_subscription *subscription; // of the acquire under way, once it has to wait
};

// Shorthands for lock->client->state and lock->state.
struct redisson_client *redisson_client_of(const struct lock *lock);
struct redisson_lock *redisson_of(const struct lock *lock);

int redisson_client_open(struct lock_client *client, struct error *error);
void redisson_client_close(struct lock_client *client);
int redisson_lock_open(struct lock *lock, struct error *error);
int redisson_clean_up(const struct service *service, const struct lock_options *options,
                      struct error *error);
#define REDISSON_HANDLES(of_kind)                                                                  \
    .server = "redis", .topologies = redis_topologies, .kind = of_kind,                            \
    .connector = &redis_connector, .clean_up = redisson_clean_up,                                  \
    .client_bytes = sizeof(struct redisson_client), .open_client = redisson_client_open,           \
    .close_client = redisson_client_close, .lock_bytes = sizeof(struct redisson_lock),             \
    .open = redisson_lock_open

// Words of rights: what each kind needs, on whose channels, which its scripts are sent as keys; and
// what those with an owner need for their latches and renewals besides; all of an RLock's.
#define REDISSON_RIGHTS(channel)                                                                   \
    REDIS_KEYS "~" channel ":lockpick:* &" channel ":lockpick:* " REDIS_SCRIPTS                    \
               "+subscribe +unsubscribe +publish +wait +get +set "
#define REDISSON_OWNED_RIGHTS(channel)                                                             \
    REDISSON_RIGHTS(channel)                                                                       \
    "~redisson_unlock_latch:lockpick:* +del +hexists +hincrby +pexpire +pttl "
#define REDISSON_LOCK_RIGHTS REDISSON_OWNED_RIGHTS("redisson_lock__channel") "+exists"

// Tries, subscribes, tries again, and waits for a message or the end of the holder's lease before
// each further attempt. What a kind without owners got without an answer stays UNKNOWN; else it is
// given back. With replicas, a grant that none of them has in time is given back too. (Redisson
// waits for as many as it believes alive, and is content with one: so one is what is waited for
// here. When it knows that all are down it does not wait at all. It also waits after further
// entries, unlocks and renewals, but what it learns there changes nothing.)
enum outcome redisson_try_acquire(struct lock *lock, struct grant *grant);
bool redisson_wait(struct lock *lock);
enum outcome redisson_end_wait(struct lock *lock, enum outcome outcome);
#define REDISSON_WAITS                                                                             \
    .try_acquire = redisson_try_acquire, .wait = redisson_wait, .end_wait = redisson_end_wait

// One attempt, which raises the count; and unlocks, which lower it.
enum outcome redisson_reenter(struct lock *lock, struct grant *grant);
enum release_answer redisson_release(struct lock *lock);
enum release_answer redisson_leave(struct lock *lock);

// Renews the holds of a client. Redisson drops a hold silently once the server says that it is not
// ours any more; here the holder is told.
void redisson_renew(struct renewal *renewals, size_t count);
extern const struct watchdog_settings redisson_renewal;
#define REDISSON_OWNED                                                                             \
    .release = redisson_release, .reenter = redisson_reenter, .leave = redisson_leave,             \
    .renewal = &redisson_renewal

// Records that a worker has its place, for `kept_ns`, when a first attempt was told so, and anew
// after one without an answer: that may have been granted and given back, so that the place is
// another one. (Else further attempts keep the place, or take another one without being told.)
void redisson_queued(struct lock *lock, const struct grant *grant, enum outcome outcome,
                     int64_t kept_ns);

// Unlock of the kinds that are one hash and one channel.
extern const struct redisson_step redisson_unlock_plain;

// The kinds of the schemes with these names.
extern const struct redisson_kind redisson_plain, redisson_fair, redisson_fenced, redisson_rw,
    redisson_semaphore;

#endif
